#include "core/ops/vander.h"

#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/slice.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"columns", AttrKind::kInt}, {"increasing", AttrKind::kBool}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(!in[0]->sizes.empty(), "linalg.vander: x needs at least one dimension");
  Shape sizes = in[0]->sizes;
  sizes.push_back(attrs.integer(0));
  out.add(sizes, in[0]->dtype);
}
constexpr int64_t kRows = 16;  // whose products do not wait for one another

// The powers of `count` <= kRows numbers, a row each.
template <class T>
void fill_rows(const T* from, int64_t count, int64_t columns, bool increasing, T* to) {
  T base[kRows] = {}, power[kRows];
  std::copy_n(from, count, base);
  std::fill_n(power, kRows, T(1));
  for (int64_t j = 0; j < columns; ++j) {
    T* column = to + (increasing ? j : columns - 1 - j);
    for (int64_t i = 0; i < count; ++i) column[i * columns] = power[i];
    for (int64_t i = 0; i < kRows; ++i) power[i] = static_cast<T>(power[i] * base[i]);
  }
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  const int64_t columns = attrs.integer(0);
  const bool increasing = attrs.flag(1);
  const bool known = with_number(x.dtype(), [&]<class T>(Type<T>) {
    const T* from = x.data_ptr<T>();
    T* to = out[0].data_ptr<T>();
    stream.parallel_for(x.numel(), 16384 / (columns + 1) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i += kRows)
        fill_rows(from + i, std::min(kRows, end - i), columns, increasing, to + i * columns);
    });
  });
  OA_REQUIRE(known, "linalg.vander: has no meaning for ", name_of(x.dtype()));
}
Tensor powers(const Tensor& x, int64_t columns, bool increasing);
// d x^j = j x^(j-1)
void vjp(VjpCall& call) {
  const int64_t columns = call.attrs().integer(0);
  const bool increasing = call.attrs().flag(1);
  const Tensor x = call.input(0);
  if (columns < 2) return;
  const Tensor factors =
      increasing ? arange(1, columns, x.dtype()) : arange(columns - 1, 0, -1, x.dtype());
  const Tensor gradient = narrow(call.grad(), -1, increasing ? 1 : 0, columns - 1);
  call.set(0, sum(mul(mul(gradient, factors), powers(x, columns - 1, increasing)), Shape{-1}));
}

constinit const Op kVander = {
    .name = "linalg_vander",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.factors = "...m->...mn", .closed = "n"},
    .saves = saves_input(0),
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          const auto attrs = [](int64_t columns, bool increasing) {
            return Attrs().add(columns).add(increasing);
          };
          return Samples{{{unit({4})}, attrs(4, true)},
                         {{unit({2, 3})}, attrs(5, false)},
                         {{unit({3})}, attrs(1, true)},
                         {{ints({4}, -3, 4)}, attrs(3, false)},
                         {{unit({2, 0})}, attrs(2, true)}};
        },
};

Tensor powers(const Tensor& x, int64_t columns, bool increasing) {
  return call_op(kVander, {&x}, Attrs().add(columns).add(increasing));
}

Tensor vander_of(const char* op, const Tensor& x, std::optional<int64_t> columns, bool increasing) {
  OA_REQUIRE(x.dim() > 0, op, ": x needs at least one dimension");
  const int64_t count = columns.value_or(x.size(-1));
  OA_REQUIRE(count >= 0, op, ": N must not be negative, was ", count);
  return powers(x.is_floating_point() ? x : to(x, kInt64), count, increasing);
}

}  // namespace

Tensor linalg_vander(const Tensor& x, std::optional<int64_t> N) {
  OA_REQUIRE(!N || *N > 1, "linalg.vander: N must be greater than 1, was ", N.value_or(0));
  return vander_of("linalg.vander", x, N, true);
}
Tensor vander(const Tensor& x, std::optional<int64_t> N, bool increasing) {
  OA_REQUIRE(x.dim() == 1, "vander: x must be a vector, was shape ", x.sizes());
  return vander_of("vander", x, N, increasing);
}

OA_OP(vander, &kVander)

}  // namespace oneagent
