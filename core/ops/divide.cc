#include "core/ops/divide.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/divide.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Divide;
constexpr auto kAny = Elementwise::kAny;

// Integer kernels would trap on a divisor of 0.
template <Divide F>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (!is_floating(in[1].scalar_type()) && out[0].numel() > 0) {
    const Tensor divisor = as_contiguous(stream, in[1]);
    OA_REQUIRE(!cpu::has_zero(divisor.scalar_type(), divisor.data_ptr(), divisor.numel()),
               "ZeroDivisionError: a divisor of integers is 0");
  }
  Record::kernel<F>(stream, attrs, in, out);
}

template <Divide F>
constexpr Op record(const char* name, Record::Vjp vjp, uint32_t saves,
                    Record::MakeSamples samples) {
  Op op = Record::binary<F>(name, vjp, saves, samples);
  op.kernels[0] = kernel<F>;
  return op;
}

Samples divide_samples() {
  return {{{normal({3, 4}), positive({3, 4})}},
          {{between({2, 3}, -9, 9), positive({3})}},
          {{ints({8}, -9, 9), ints({8}, 1, 4)}},
          {{ints({8}, -9, 9, DType::kInt32), ints({}, 2, 4, DType::kInt32)}},
          {{ints({8}, 0, 99, DType::kUInt8), ints({8}, 1, 9, DType::kUInt8)}},
          {{normal({}), positive({})}}};
}
Samples integer_samples() {
  return {{{ints({3, 4}, -30, 30), ints({3, 4}, -30, 30)}},
          {{ints({6}, 0, 30, DType::kInt32), ints({}, 1, 30, DType::kInt32)}}};
}

template <bool kFloor>
void remainder_vjp(VjpCall& c) {
  if (c.needs(0)) Record::set(c, 0, c.grad());
  if (!c.needs(1)) return;
  const Tensor q = div(c.input(0), c.input(1), kFloor ? "floor" : "trunc");
  Record::set(c, 1, neg(mul(c.grad(), q)));
}

constinit const Op kTrunc = record<Divide::kTrunc>("div_trunc", Record::zero, 0, divide_samples);
constinit const Op kFloor = record<Divide::kFloor>("div_floor", Record::zero, 0, divide_samples);
constinit const Op kFmod =
    record<Divide::kFmod>("fmod", remainder_vjp<false>, Record::kBoth, divide_samples);
constinit const Op kRemainder =
    record<Divide::kRemainder>("remainder", remainder_vjp<true>, Record::kBoth, divide_samples);
constinit const Op kGcd = Record::binary<Divide::kGcd>("gcd", nullptr, 0, integer_samples);
constinit const Op kLcm = Record::binary<Divide::kLcm>("lcm", nullptr, 0, integer_samples);

const Op& rounded(std::string_view mode) {
  OA_REQUIRE(mode == "trunc" || mode == "floor",
             "div: div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '",
             mode, "'");
  return mode == "trunc" ? kTrunc : kFloor;
}

}  // namespace

Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return div(self, other);
  return Elementwise::call(rounded(*rounding_mode), kAny, self, other);
}
Tensor div(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return div(self, other);
  return Elementwise::call(rounded(*rounding_mode), kAny, self, other);
}
Tensor divide(const Tensor& self, const Tensor& other,
              std::optional<std::string_view> rounding_mode) {
  return div(self, other, rounding_mode);
}
Tensor divide(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode) {
  return div(self, other, rounding_mode);
}
Tensor floor_divide(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kFloor, kAny, self, other);
}
Tensor floor_divide(const Tensor& self, Scalar other) {
  return Elementwise::call(kFloor, kAny, self, other);
}
Tensor fmod(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kFmod, kAny, self, other);
}
Tensor fmod(const Tensor& self, Scalar other) {
  return Elementwise::call(kFmod, kAny, self, other);
}
Tensor remainder(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kRemainder, kAny, self, other);
}
Tensor remainder(const Tensor& self, Scalar other) {
  return Elementwise::call(kRemainder, kAny, self, other);
}
Tensor remainder(Scalar number, const Tensor& other) {
  return Elementwise::call(kRemainder, kAny, number, other);
}
Tensor gcd(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kGcd, kAny, self, other);
}
Tensor lcm(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kLcm, kAny, self, other);
}

const Tensor& div_(const Tensor& self, const Tensor& other,
                   std::optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return div_(self, other);
  return Elementwise::call_(rounded(*rounding_mode), kAny, self, other);
}
const Tensor& div_(const Tensor& self, Scalar other,
                   std::optional<std::string_view> rounding_mode) {
  if (!rounding_mode) return div_(self, other);
  return Elementwise::call_(rounded(*rounding_mode), kAny, self, other);
}
const Tensor& divide_(const Tensor& self, const Tensor& other,
                      std::optional<std::string_view> rounding_mode) {
  return div_(self, other, rounding_mode);
}
const Tensor& divide_(const Tensor& self, Scalar other,
                      std::optional<std::string_view> rounding_mode) {
  return div_(self, other, rounding_mode);
}
const Tensor& floor_divide_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kFloor, kAny, self, other);
}
const Tensor& floor_divide_(const Tensor& self, Scalar other) {
  return Elementwise::call_(kFloor, kAny, self, other);
}
const Tensor& fmod_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kFmod, kAny, self, other);
}
const Tensor& fmod_(const Tensor& self, Scalar other) {
  return Elementwise::call_(kFmod, kAny, self, other);
}
const Tensor& remainder_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kRemainder, kAny, self, other);
}
const Tensor& remainder_(const Tensor& self, Scalar other) {
  return Elementwise::call_(kRemainder, kAny, self, other);
}
const Tensor& gcd_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kGcd, kAny, self, other);
}
const Tensor& lcm_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kLcm, kAny, self, other);
}

OA_OP(divide, &kTrunc, &kFloor, &kFmod, &kRemainder, &kGcd, &kLcm)

}  // namespace oneagent
