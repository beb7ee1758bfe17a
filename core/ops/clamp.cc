#include "core/ops/clamp.h"

#include "core/kernels/cpu/blend.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_record.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
constexpr auto kAny = Elementwise::kAny;

constexpr AttrSpec kLimits[] = {{"min", AttrKind::kNumber},
                                {"min_integer", AttrKind::kInt},
                                {"max", AttrKind::kNumber},
                                {"max_integer", AttrKind::kInt}};

void number_vjp(VjpCall& call) {
  const Tensor x = call.input(0);
  const Tensor inside = logical_and(ge(x, call.attrs().number(0)), le(x, call.attrs().number(2)));
  call.set(0, where(inside, call.grad(), Record::zero_of(call.grad())));
}
constinit const Op kClamp = Record::unary<cpu::Unary::kClamp>(
    "clamp", number_vjp, Record::kX,
    [] {
      return Samples{{{normal({3, 4})}, Attrs().add(-0.5).add(0).add(0.75).add(0)},
                     {{normal({6})},
                      Attrs().add(0.0).add(0).add(std::numeric_limits<double>::infinity()).add(0)}};
    },
    kLimits);

// A limit on one side: grad where x is within, the rest to the limit.
template <bool kLower>
void one_vjp(VjpCall& call) {
  const Tensor x = call.input(0), limit = call.input(1);
  const Tensor inside = kLower ? ge(x, limit) : le(x, limit);
  const Tensor zero = Record::zero_of(call.grad());
  if (call.needs(0)) Record::set(call, 0, where(inside, call.grad(), zero));
  if (call.needs(1)) Record::set(call, 1, where(inside, zero, call.grad()));
}
Samples one_samples() {
  return {{{distinct({3, 4}), distinct({3, 4})}}, {{normal({2, 3}), normal({3})}}};
}
constinit const Op kClampMin =
    Record::binary<cpu::Binary::kMaximum>("clamp_min", one_vjp<true>, Record::kBoth, one_samples);
constinit const Op kClampMax =
    Record::binary<cpu::Binary::kMinimum>("clamp_max", one_vjp<false>, Record::kBoth, one_samples);

void both_vjp(VjpCall& call) {
  const Tensor x = call.input(0), low = call.input(1), high = call.input(2);
  const Tensor zero = Record::zero_of(call.grad());
  const Tensor inside = logical_and(ge(x, low), le(x, high));
  if (call.needs(0)) Record::set(call, 0, where(inside, call.grad(), zero));
  if (call.needs(1))
    Record::set(call, 1, where(logical_and(lt(low, high), lt(x, low)), call.grad(), zero));
  if (call.needs(2))
    Record::set(call, 2, where(logical_or(lt(high, low), gt(x, high)), call.grad(), zero));
}
constinit const Op kClampTensor = {
    .name = "clamp_tensor",
    .infer = Record::infer_broadcast,
    .rule = {.factors = "...,...,...->..."},
    .saves = saves_input(0) | saves_input(1) | saves_input(2),
    .in_place = true,
    .keeps_layout = true,
    .vjp = both_vjp,
    .kernels = {Record::kernel<cpu::Blend::kClamp>},
    .samples =
        [] {
          return Samples{{{distinct({3, 4}), between({3, 4}, -1.2, 0), between({3, 4}, 0, 1.2)}},
                         {{distinct({2, 5}), between({5}, -1, 1), between({}, -1, 1)}}};
        },
};

Attrs limits(std::optional<Scalar> min, std::optional<Scalar> max) {
  OA_REQUIRE(min.has_value() || max.has_value(),
             "torch.clamp: At least one of 'min' or 'max' must not be None");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<int64_t>;
  return Attrs()
      .add(min ? min->number() : -kInfinity)
      .add(min ? min->to<int64_t>() : Limits::min())
      .add(max ? max->number() : kInfinity)
      .add(max ? max->to<int64_t>() : Limits::max());
}

DType type_of(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max) {
  DType dtype = self.scalar_type();
  for (const auto& limit : {min, max}) {
    if (!limit || is_floating(dtype)) continue;
    const DType wider = Elementwise::type_of(kAny, self, *limit);
    if (is_floating(wider) || dtype == DType::kBool) dtype = wider;
  }
  return dtype;
}

bool has_nan(std::optional<Scalar> min, std::optional<Scalar> max) {
  return (min && min->number() != min->number()) || (max && max->number() != max->number());
}

bool given(const std::optional<Tensor>& limit) { return limit && limit->defined(); }

// Integer limits beyond a narrow type are cut to it.
Attrs narrowed(Attrs attrs, DType dtype) {
  int64_t low = attrs.integer(1), high = attrs.integer(3);
  with_integral(dtype, [&]<class T>(Type<T>) {
    const auto cut = [](int64_t value) {
      return std::clamp<int64_t>(value, std::numeric_limits<T>::min(),
                                 std::numeric_limits<T>::max());
    };
    low = cut(low), high = cut(high);
  });
  return Attrs().add(attrs.number(0)).add(low).add(attrs.number(2)).add(high);
}

}  // namespace

Tensor clamp(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max) {
  const Attrs attrs = limits(min, max);
  const Tensor x = to(self, type_of(self, min, max));
  for (const auto& limit : {min, max})
    if (limit) require_fits(*limit, x.scalar_type());
  if (has_nan(min, max)) return mul(x, std::numeric_limits<double>::quiet_NaN());
  return call_op(kClamp, {&x}, narrowed(attrs, x.scalar_type()));
}
Tensor clamp(const Tensor& self, const std::optional<Tensor>& min,
             const std::optional<Tensor>& max) {
  OA_REQUIRE(given(min) || given(max),
             "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!given(max)) return clamp_min(self, *min);
  if (!given(min)) return clamp_max(self, *max);
  return Elementwise::call(kClampTensor, kAny, self, *min, *max);
}
Tensor clip(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max) {
  return clamp(self, min, max);
}
Tensor clip(const Tensor& self, const std::optional<Tensor>& min,
            const std::optional<Tensor>& max) {
  return clamp(self, min, max);
}
Tensor clamp_min(const Tensor& self, Scalar min) { return clamp(self, min, std::nullopt); }
Tensor clamp_min(const Tensor& self, const Tensor& min) {
  return Elementwise::call(kClampMin, kAny, self, min);
}
Tensor clamp_max(const Tensor& self, Scalar max) {
  return clamp(self, std::optional<Scalar>(), max);
}
Tensor clamp_max(const Tensor& self, const Tensor& max) {
  return Elementwise::call(kClampMax, kAny, self, max);
}

const Tensor& clamp_(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max) {
  const Attrs attrs = limits(min, max);
  Elementwise::require_storable("clamp", type_of(self, min, max), self);
  if (has_nan(min, max)) return mul_(self, std::numeric_limits<double>::quiet_NaN());
  return call_in_place(kClamp, {&self}, narrowed(attrs, self.scalar_type()));
}
const Tensor& clamp_(const Tensor& self, const std::optional<Tensor>& min,
                     const std::optional<Tensor>& max) {
  OA_REQUIRE(given(min) || given(max),
             "torch.clamp: At least one of 'min' or 'max' must not be None");
  if (!given(max)) return clamp_min_(self, *min);
  if (!given(min)) return clamp_max_(self, *max);
  return Elementwise::call_(kClampTensor, kAny, self, *min, *max);
}
const Tensor& clip_(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max) {
  return clamp_(self, min, max);
}
const Tensor& clip_(const Tensor& self, const std::optional<Tensor>& min,
                    const std::optional<Tensor>& max) {
  return clamp_(self, min, max);
}
const Tensor& clamp_min_(const Tensor& self, Scalar min) { return clamp_(self, min, std::nullopt); }
const Tensor& clamp_min_(const Tensor& self, const Tensor& min) {
  return Elementwise::call_(kClampMin, kAny, self, min);
}
const Tensor& clamp_max_(const Tensor& self, Scalar max) {
  return clamp_(self, std::optional<Scalar>(), max);
}
const Tensor& clamp_max_(const Tensor& self, const Tensor& max) {
  return Elementwise::call_(kClampMax, kAny, self, max);
}

OA_OP(clamp, &kClamp, &kClampMin, &kClampMax, &kClampTensor)

}  // namespace oneagent
