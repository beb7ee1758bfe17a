#include "core/ops/search.h"

#include <cmath>

#include "core/kernels/search.h"
#include "core/ops/copy.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_support.h"
#include "core/ops/op_wrapped.h"
#include "core/ops/view.h"
#include "core/tensor/promote.h"

namespace oneagent {
namespace {

constexpr AttrSpec kSearchAttrs[] = {{"out_int32", AttrKind::kBool}, {"right", AttrKind::kBool}};
Attrs search_attrs(bool out_int32, bool right) { return Attrs().add(out_int32).add(right); }

bool rows_match(const Shape& sequence, const Shape& values) {
  if (sequence.size() == 1) return true;
  return sequence.size() == values.size() &&
         std::equal(sequence.begin(), sequence.end() - 1, values.begin());
}

void search_infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Shape &sequence = in[0]->sizes, &values = in[1]->sizes;
  OA_REQUIRE(
      !sequence.empty() && rows_match(sequence, values),
      "searchsorted: the sequence must be 1-d or have the leading sizes of the values, were ",
      sequence, " and ", values);
  OA_REQUIRE(in[0]->dtype == in[1]->dtype, "searchsorted: sequence and values have types ",
             name_of(in[0]->dtype), " and ", name_of(in[1]->dtype));
  OA_REQUIRE(in[2] == nullptr || (in[2]->sizes == sequence && in[2]->dtype == DType::kInt64),
             "searchsorted: the sorter must be int64 of the sequence's shape ", sequence);
  out.add(values, attrs.flag(0) ? DType::kInt32 : DType::kInt64);
}
std::string search_rule(Metas in, const Attrs&) {
  const std::string values = along_rule(in[1]->sizes, 0).substr(0, in[1]->sizes.size());
  std::string sequence = in[0]->sizes.size() == 1 ? "z" : values;
  sequence.back() = 'z';
  return str(sequence, ",", values, ",", in[2] == nullptr ? "" : sequence, "->", values, ";z");
}
void search_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_searchsorted(stream, out[0], in[0], in[1], in[2], attrs.flag(1));
}
double search_flops(Metas in, const Attrs&, const Inferred&) {
  return static_cast<double>(in[1]->sizes.numel()) *
         std::log2(static_cast<double>(in[0]->sizes.numel()) + 2);
}

constinit const Op kSearch = {
    .name = "searchsorted",
    .attrs = kSearchAttrs,
    .infer = search_infer,
    .absent = saves_input(2),
    .rule = {.generate = search_rule},
    .flops = search_flops,
    .kernels = {search_kernel},
    .samples =
        [] {
          return Samples{
              {{ints({1}, 3, 4), ints({2, 5}, 0, 7), absent()}, search_attrs(false, false)},
              {{ints({1}, 3, 4), ints({9}, 0, 7), absent()}, search_attrs(true, true)},
              {{ints({2, 1}, 3, 5), ints({2, 5}, 0, 9), absent()}, search_attrs(false, true)},
              {{ints({1}, 3, 4, DType::kInt32), ints({}, 0, 9, DType::kInt32), ints({1}, 0, 1)},
               search_attrs(false, false)}};
        },
};

constexpr AttrSpec kIsinAttrs[] = {{"invert", AttrKind::kBool}};
void isin_infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("isin", in);
  out.add(in[0]->sizes, DType::kBool);
}
std::string isin_rule(Metas in, const Attrs&) {
  const std::string elements = along_rule(in[0]->sizes, 0).substr(0, in[0]->sizes.size());
  std::string tests;
  for (size_t i = 0; i < in[1]->sizes.size(); ++i) tests += static_cast<char>('s' + i);
  return elements + "," + tests + "->" + elements + ";" + tests;
}
void isin_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_isin(stream, out[0], in[0], in[1], attrs.flag(0));
}
constinit const Op kIsin = {
    .name = "isin",
    .attrs = kIsinAttrs,
    .infer = isin_infer,
    .rule = {.generate = isin_rule},
    .flops = search_flops,
    .kernels = {isin_kernel},
    .samples =
        [] {
          return Samples{{{ints({3, 4}, 0, 9), ints({3}, 0, 9)}, Attrs().add(false)},
                         {{ints({50}, 0, 99), ints({4, 9}, 0, 99)}, Attrs().add(true)},
                         {{normal({5}), normal({3})}, Attrs().add(false)},
                         {{ints({}, 0, 3), ints({0}, 0, 3)}, Attrs().add(false)}};
        },
};

// Both in their common type.
std::pair<Tensor, Tensor> common(const Tensor& a, const Tensor& b) {
  const DType type = a.dtype() == b.dtype() ? DType(a.dtype()) : result_type(a, b);
  return {to(a, type), to(b, type)};
}

bool is_right(const char* op, bool right, std::optional<std::string_view> side) {
  if (!side) return right;
  OA_REQUIRE(*side == "left" || *side == "right", op, ": side must be left or right, was ", *side);
  OA_REQUIRE(!(right && *side == "left"), op, ": right and side \"left\" contradict each other");
  return *side == "right";
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32, bool right,
                    std::optional<std::string_view> side, const std::optional<Tensor>& sorter) {
  const auto [sequence, values] = common(sorted_sequence.detach(), self.detach());
  const Tensor order = sorter.value_or(Tensor());
  return call_op(kSearch, {&sequence, &values, &order},
                 search_attrs(out_int32, is_right("searchsorted", right, side)));
}
Tensor searchsorted(const Tensor& sorted_sequence, Scalar self, bool out_int32, bool right,
                    std::optional<std::string_view> side, const std::optional<Tensor>& sorter) {
  return searchsorted(sorted_sequence, wrapped_scalar(self, result_type(sorted_sequence, self)),
                      out_int32, right, side, sorter);
}
Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  OA_REQUIRE(boundaries.dim() == 1, "bucketize: the boundaries must be 1-d, were ",
             boundaries.sizes());
  return searchsorted(boundaries, self, out_int32, right);
}
Tensor bucketize(Scalar self, const Tensor& boundaries, bool out_int32, bool right) {
  return bucketize(wrapped_scalar(self, result_type(boundaries, self)), boundaries, out_int32,
                   right);
}

Tensor isin(const Tensor& elements, const Tensor& test_elements, bool, bool invert) {
  const auto [x, tests] = common(elements.detach(), test_elements.detach());
  return call_op(kIsin, {&x, &tests}, Attrs().add(invert));
}
Tensor isin(const Tensor& elements, Scalar test_element, bool assume_unique, bool invert) {
  return isin(elements, wrapped_scalar(test_element, result_type(elements, test_element)),
              assume_unique, invert);
}
Tensor isin(Scalar element, const Tensor& test_elements, bool assume_unique, bool invert) {
  return isin(wrapped_scalar(element, result_type(test_elements, element)), test_elements,
              assume_unique, invert);
}

OA_OP(search, &kSearch, &kIsin)

}  // namespace oneagent
