#include "core/ops/triangle.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/copy.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 32768;  // elements of a chunk
constexpr AttrSpec kAttrs[] = {{"diagonal", AttrKind::kInt}};
constexpr AttrSpec kIndexAttrs[] = {{"row", AttrKind::kInt},
                                    {"col", AttrKind::kInt},
                                    {"offset", AttrKind::kInt},
                                    {"dtype", AttrKind::kDType}};

void infer(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }
std::string rule(Metas in, const Attrs&) {
  const std::string all = rule_letters(in[0]->sizes.size());
  return all + "->" + all + ";" + all.substr(all.size() - 2);
}

// Where the kept part of a row ends (lower) or begins (upper).
template <bool Lower>
int64_t cut(int64_t row, int64_t columns, int64_t diagonal) {
  return std::clamp<int64_t>(row + diagonal + (Lower ? 1 : 0), 0, columns);
}

template <bool Lower>
void run_triangle(Stream& stream, const Tensor& out, const Tensor& in, int64_t diagonal) {
  const int64_t rows = out.size(-2), columns = out.size(-1), all = out.numel() / columns;
  with_width_of(out.dtype(), [&]<class T>(Type<T>) {
    T* to = static_cast<T*>(out.data_ptr());
    const T* from = static_cast<const T*>(in.data_ptr());
    stream.parallel_for(all, std::max<int64_t>(kGrain / columns, 1),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t r = begin; r < end; ++r) {
                            const int64_t at = cut<Lower>(r % rows, columns, diagonal);
                            T* row = to + r * columns;
                            const T* source = from + r * columns;
                            if constexpr (Lower) {
                              if (row != source) std::copy_n(source, at, row);
                              std::fill_n(row + at, columns - at, T(0));
                            } else {
                              std::fill_n(row, at, T(0));
                              if (row != source) std::copy_n(source + at, columns - at, row + at);
                            }
                          }
                        });
  });
}
template <bool Lower>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (out[0].numel() == 0) return;
  const Tensor source = as_contiguous(stream, in[0]);
  if (out[0].is_contiguous()) return run_triangle<Lower>(stream, out[0], source, attrs.integer(0));
  const Tensor result = empty_on(stream, out[0].sizes(), out[0].dtype());
  run_triangle<Lower>(stream, result, source, attrs.integer(0));
  copy_into(stream, out[0], result);
}

Samples samples() {
  return {{{normal({3, 4})}, Attrs().add(0)},
          {{normal({2, 4, 3})}, Attrs().add(1)},
          {{normal({5, 5})}, Attrs().add(-2)},
          {{normal({2, 3})}, Attrs().add(-7)},
          {{normal({0, 3})}, Attrs().add(0)}};
}
template <bool Lower>
constexpr Op triangle_op(const char* name, void (*vjp)(VjpCall&)) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer,
          .rule = {.linear = 1, .generate = rule},
          .in_place = true,
          .half = true,
          .complex = true,
          .vjp = vjp,
          .kernels = {kernel<Lower>},
          .samples = samples};
}
constinit const Op kTril = triangle_op<true>(
    "tril", [](VjpCall& call) { call.set(0, tril(call.grad(), call.attrs().integer(0))); });
constinit const Op kTriu = triangle_op<false>(
    "triu", [](VjpCall& call) { call.set(0, triu(call.grad(), call.attrs().integer(0))); });

// The columns [first, last) of a row that belong to the triangle.
template <bool Lower>
std::pair<int64_t, int64_t> columns_of(int64_t row, int64_t columns, int64_t offset) {
  const int64_t at = cut<Lower>(row, columns, offset);
  return Lower ? std::pair(int64_t{0}, at) : std::pair(at, columns);
}
template <bool Lower>
void index_infer(Metas, const Attrs& attrs, Inferred& out) {
  int64_t count = 0;
  for (int64_t r = 0; r < attrs.integer(0); ++r) {
    const auto [first, last] = columns_of<Lower>(r, attrs.integer(1), attrs.integer(2));
    count += last - first;
  }
  out.add({2, count}, attrs.dtype(3));
}
template <bool Lower>
void index_kernel(Stream&, const Attrs& attrs, Inputs, std::span<Tensor> out) {
  const bool known = with_integral(out[0].dtype(), [&]<class T>(Type<T>) {
    T* rows = out[0].data_ptr<T>();
    T* columns = rows + out[0].size(1);
    for (int64_t r = 0; r < attrs.integer(0); ++r) {
      const auto [first, last] = columns_of<Lower>(r, attrs.integer(1), attrs.integer(2));
      for (int64_t c = first; c < last; ++c) {
        *rows++ = static_cast<T>(r);
        *columns++ = static_cast<T>(c);
      }
    }
  });
  OA_REQUIRE(known, "tril_indices: the dtype must be an integer, was ", name_of(out[0].dtype()));
}
std::string index_rule(Metas, const Attrs&) { return "->ab;ab"; }

template <bool Lower>
constexpr Op index_op(const char* name) {
  return {.name = name,
          .attrs = kIndexAttrs,
          .infer = index_infer<Lower>,
          .rule = {.generate = index_rule},
          .kernels = {index_kernel<Lower>},
          .samples = [] {
            return Samples{{{}, Attrs().add(3).add(4).add(0).add(DType::kInt64)},
                           {{}, Attrs().add(4).add(3).add(-1).add(DType::kInt32)},
                           {{}, Attrs().add(2).add(3).add(1).add(DType::kInt64)}};
          }};
}
constinit const Op kTrilIndices = index_op<true>("tril_indices");
constinit const Op kTriuIndices = index_op<false>("triu_indices");

const Tensor& checked(const char* op, const Tensor& x) {
  if (x.dim() < 2)
    throw IndexError(str(op, ": needs at least 2 dimensions, was shape ", x.sizes()));
  return x;
}
Attrs index_attrs(const char* op, int64_t row, int64_t col, int64_t offset,
                  const TensorOptions& options) {
  OA_REQUIRE(row >= 0 && col >= 0, op, ": sizes must not be negative, were ", row, " and ", col);
  return Attrs().add(row).add(col).add(offset).add(options.dtype_opt().value_or(DType::kInt64));
}

}  // namespace

Tensor tril(const Tensor& self, int64_t diagonal) {
  return call_op(kTril, {&checked("tril", self)}, Attrs().add(diagonal));
}
Tensor triu(const Tensor& self, int64_t diagonal) {
  return call_op(kTriu, {&checked("triu", self)}, Attrs().add(diagonal));
}
const Tensor& tril_(const Tensor& self, int64_t diagonal) {
  return call_in_place(kTril, {&checked("tril_", self)}, Attrs().add(diagonal));
}
const Tensor& triu_(const Tensor& self, int64_t diagonal) {
  return call_in_place(kTriu, {&checked("triu_", self)}, Attrs().add(diagonal));
}
Tensor tril_indices(int64_t row, int64_t col, int64_t offset, const TensorOptions& options) {
  return call_op(kTrilIndices, Inputs{}, index_attrs("tril_indices", row, col, offset, options));
}
Tensor triu_indices(int64_t row, int64_t col, int64_t offset, const TensorOptions& options) {
  return call_op(kTriuIndices, Inputs{}, index_attrs("triu_indices", row, col, offset, options));
}

OA_OP(triangle, &kTril, &kTriu, &kTrilIndices, &kTriuIndices)

}  // namespace oneagent
