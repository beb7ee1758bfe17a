#include "core/ops/cross.h"

#include <algorithm>

#include "core/kernels/copy.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr const char* kName = "linalg.cross";
constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype(kName, in);
  const Shape& sizes = in[0]->sizes;
  OA_REQUIRE(sizes == in[1]->sizes && sizes[static_cast<size_t>(attrs.integer(0))] == 3, kName,
             ": inputs dimension ", attrs.integer(0), " must have length 3, was ", sizes, " and ",
             in[1]->sizes);
  out.add(sizes, in[0]->dtype);
}

// Components lie `inner` elements apart.
template <class T>
void cross_vectors(const T* a, const T* b, T* out, int64_t inner) {
#pragma GCC ivdep
  for (int64_t i = 0; i < inner; ++i) {
    const T a0 = a[i], a1 = a[inner + i], a2 = a[2 * inner + i];
    const T b0 = b[i], b1 = b[inner + i], b2 = b[2 * inner + i];
    out[i] = static_cast<T>(a1 * b2 - a2 * b1);
    out[inner + i] = static_cast<T>(a2 * b0 - a0 * b2);
    out[2 * inner + i] = static_cast<T>(a0 * b1 - a1 * b0);
  }
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor a = as_contiguous(stream, in[0]), b = as_contiguous(stream, in[1]);
  const Shape& sizes = out[0].sizes();
  int64_t inner = 1;
  for (auto i = static_cast<size_t>(attrs.integer(0)) + 1; i < sizes.size(); ++i) inner *= sizes[i];
  const int64_t outer = out[0].numel() / std::max<int64_t>(3 * inner, 1);
  const bool known = with_number(out[0].dtype(), [&]<class T>(Type<T>) {
    const T *x = a.data_ptr<T>(), *y = b.data_ptr<T>();
    T* to = out[0].data_ptr<T>();
    stream.parallel_for(outer, 16384 / (3 * std::max<int64_t>(inner, 1)) + 1,
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin * 3 * inner; i < end * 3 * inner; i += 3 * inner)
                            cross_vectors(x + i, y + i, to + i, inner);
                        });
  });
  OA_REQUIRE(known, kName, ": has no meaning for ", name_of(out[0].dtype()));
}

void vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  if (call.needs(0)) call.set(0, linalg_cross(call.input(1), call.grad(), dim));
  if (call.needs(1)) call.set(1, linalg_cross(call.grad(), call.input(0), dim));
}

std::string rule(Metas in, const Attrs& attrs) {
  std::string letters;
  for (size_t i = 0; i < in[0]->sizes.size(); ++i) letters += static_cast<char>('a' + i);
  return letters + "," + letters + "->" + letters + ";" +
         letters[static_cast<size_t>(attrs.integer(0))];
}

constinit const Op kCross = {
    .name = "linalg_cross",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.linear = 3, .generate = rule},
    .saves = saves_input(0) | saves_input(1),
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          const auto dim = [](int64_t value) { return Attrs().add(value); };
          return Samples{{{normal({3}), normal({3})}, dim(0)},
                         {{normal({2, 4, 3}), normal({2, 4, 3})}, dim(2)},
                         {{normal({2, 3, 5}), normal({2, 3, 5})}, dim(1)},
                         {{ints({3, 2}, -5, 6), ints({3, 2}, -5, 6)}, dim(0)},
                         {{normal({0, 3}), normal({0, 3})}, dim(1)}};
        },
};

}  // namespace

Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim) {
  OA_REQUIRE(self.dim() == other.dim(), kName,
             ": inputs must have the same number of dimensions, was ", self.sizes(), " and ",
             other.sizes());
  OA_REQUIRE(self.dim() > 0 && self.size(dim) == 3 && other.size(dim) == 3, kName,
             ": inputs dimension ", dim, " must have length 3, was ", self.sizes(), " and ",
             other.sizes());
  const Shape sizes = broadcast_sizes(kName, self.sizes(), other.sizes());
  const Tensor a = expand(self, sizes), b = expand(other, sizes);
  return call_op(kCross, {&a, &b}, Attrs().add(wrap_dim(dim, self.dim(), kName)));
}

Tensor cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim) {
  if (dim) return linalg_cross(self, other, *dim);
  const Shape& sizes = self.sizes();
  const auto* const found = std::find(sizes.begin(), sizes.end(), 3);
  OA_REQUIRE(found != sizes.end(), "cross: no dimension of size 3 in input of shape ", sizes);
  return linalg_cross(self, other, found - sizes.begin());
}

OA_OP(cross, &kCross)

}  // namespace oneagent
