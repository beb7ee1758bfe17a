#include "core/ops/split.h"

#include <algorithm>

#include "core/ops/cat.h"
#include "core/ops/creation.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/slice.h"

namespace oneagent {
namespace {

constexpr AttrSpec kSplitAttrs[] = {{"dim", AttrKind::kInt}, {"size", AttrKind::kInt}};
constexpr AttrSpec kSizesAttrs[] = {{"dim", AttrKind::kInt}, {"parts", AttrKind::kInts}};
constexpr AttrSpec kUnbindAttrs[] = {{"dim", AttrKind::kInt}};

int64_t part_count(int64_t total, int64_t size) {
  return std::max<int64_t>(size == 0 ? 1 : total / size + (total % size != 0), 1);
}

void add_part(const TensorMeta& in, size_t dim, int64_t start, int64_t length, Inferred& out) {
  TensorMeta& meta = out.add();
  meta = in;
  meta.offset += start * meta.strides[dim];
  meta.sizes[dim] = length;
}
void split_infer(Metas in, const Attrs& attrs, Inferred& out) {
  const auto dim = static_cast<size_t>(attrs.integer(0));
  const int64_t total = in[0]->sizes[dim], size = attrs.integer(1);
  for (int64_t i = 0; i < part_count(total, size); ++i)
    add_part(*in[0], dim, i * size, std::min(size, total - i * size), out);
}
void split_sizes_infer(Metas in, const Attrs& attrs, Inferred& out) {
  int64_t start = 0;
  for (const int64_t length : attrs.list(1)) {
    add_part(*in[0], static_cast<size_t>(attrs.integer(0)), start, length, out);
    start += length;
  }
}
void unbind_infer(Metas in, const Attrs& attrs, Inferred& out) {
  const auto dim = static_cast<size_t>(attrs.integer(0));
  for (int64_t i = 0; i < in[0]->sizes[dim]; ++i) {
    add_part(*in[0], dim, i, 1, out);
    TensorMeta& meta = out[out.size() - 1];
    meta.sizes.erase(dim);
    meta.strides.erase(dim);
  }
}

// "abc->aAc,aBc;bAB" or, without the dimension, "abc->ac,ac;b".
std::string parts_rule(size_t rank, size_t dim, size_t count, bool drop) {
  const std::string operand = rule_letters(rank);
  std::string text = operand + "->", closed(1, operand[dim]);
  for (size_t i = 0; i < count; ++i) {
    std::string part = operand;
    if (drop) {
      part.erase(dim, 1);
    } else {
      part[dim] = static_cast<char>('A' + i % 26);
      closed += part[dim];
    }
    text += (i > 0 ? "," : "") + part;
  }
  return text + ";" + closed;
}
std::string split_rule(Metas in, const Attrs& attrs) {
  const auto dim = static_cast<size_t>(attrs.integer(0));
  const auto count = static_cast<size_t>(part_count(in[0]->sizes[dim], attrs.integer(1)));
  return parts_rule(in[0]->sizes.size(), dim, count, false);
}
std::string split_sizes_rule(Metas in, const Attrs& attrs) {
  return parts_rule(in[0]->sizes.size(), static_cast<size_t>(attrs.integer(0)),
                    attrs.list(1).size(), false);
}
std::string unbind_rule(Metas in, const Attrs& attrs) {
  const auto dim = static_cast<size_t>(attrs.integer(0));
  return parts_rule(in[0]->sizes.size(), dim, static_cast<size_t>(in[0]->sizes[dim]), true);
}

// The gradients of the parts joined, with zeros for parts that nothing depends on; part(i) is the
// shape of part i.
template <class Part>
std::vector<Tensor> gradients_of(VjpCall& call, size_t count, const Part& part) {
  DType dtype = DType::kFloat32;
  for (size_t i = 0; i < count; ++i)
    if (call.grad(i).defined()) dtype = call.grad(i).dtype();
  std::vector<Tensor> out;
  for (size_t i = 0; i < count; ++i)
    out.push_back(call.grad(i).defined() ? call.grad(i) : zeros(part(i), dtype));
  return out;
}
void split_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0), size = call.attrs().integer(1);
  const Shape sizes = call.input_sizes(0);
  const int64_t total = sizes[static_cast<size_t>(dim)];
  const auto part = [&](size_t i) {
    Shape out = sizes;
    out[static_cast<size_t>(dim)] = std::min(size, total - static_cast<int64_t>(i) * size);
    return out;
  };
  call.set(0, cat(gradients_of(call, static_cast<size_t>(part_count(total, size)), part), dim));
}
void split_sizes_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  const Shape sizes = call.attrs().list(1);
  const auto part = [&](size_t i) {
    Shape out = call.input_sizes(0);
    out[static_cast<size_t>(dim)] = sizes[i];
    return out;
  };
  call.set(0, cat(gradients_of(call, sizes.size(), part), dim));
}
void unbind_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  const auto part = [&](size_t) {
    Shape out = call.input_sizes(0);
    out.erase(static_cast<size_t>(dim));
    return out;
  };
  const auto count = static_cast<size_t>(call.input_sizes(0)[static_cast<size_t>(dim)]);
  call.set(0, stack(gradients_of(call, count, part), dim));
}

constinit const Op kSplit = {
    .name = "split",
    .attrs = kSplitAttrs,
    .infer = split_infer,
    .rule = {.linear = 1, .generate = split_rule},
    .alias_of = 0,
    .vjp = split_vjp,
    .samples =
        [] {
          return Samples{{{normal({7, 2})}, Attrs().add(0).add(2)},
                         {{normal({2, 4})}, Attrs().add(1).add(2)},
                         {{normal({3})}, Attrs().add(0).add(5)}};
        },
};
constinit const Op kSplitSizes = {
    .name = "split_with_sizes",
    .attrs = kSizesAttrs,
    .infer = split_sizes_infer,
    .rule = {.linear = 1, .generate = split_sizes_rule},
    .alias_of = 0,
    .vjp = split_sizes_vjp,
    .samples =
        [] {
          return Samples{{{normal({5, 2})}, Attrs().add(0).add(Shape{1, 3, 1})},
                         {{normal({2, 4})}, Attrs().add(1).add(Shape{0, 4})}};
        },
};
constinit const Op kUnbind = {
    .name = "unbind",
    .attrs = kUnbindAttrs,
    .infer = unbind_infer,
    .rule = {.linear = 1, .generate = unbind_rule},
    .alias_of = 0,
    .vjp = unbind_vjp,
    .samples =
        [] {
          return Samples{{{normal({5, 2})}, Attrs().add(0)},
                         {{normal({2, 3, 2})}, Attrs().add(1)},
                         {{normal({3})}, Attrs().add(0)}};
        },
};

std::vector<Tensor> call_parts(const Op& op, const Tensor& self, size_t count, const Attrs& attrs) {
  std::vector<Tensor> out(count);
  if (count > 0) call_op(op, {&self}, attrs, out);
  return out;
}

size_t parts_dim(const char* op, const Tensor& self, int64_t dim) {
  OA_REQUIRE(self.dim() > 0, op, ": a 0-d tensor has no dimensions");
  return static_cast<size_t>(wrap_dim(dim, self.dim(), op));
}

int64_t divided(const char* op, const Tensor& self, int64_t sections, int64_t dim) {
  OA_REQUIRE(sections != 0 && self.size(dim) % sections == 0, op, ": ", sections,
             " sections do not divide dimension ", dim, " of shape ", self.sizes());
  return sections;
}
int64_t hsplit_dim(const Tensor& self) {
  OA_REQUIRE(self.dim() >= 1, "hsplit: needs at least 1 dimension, was shape ", self.sizes());
  return self.dim() == 1 ? 0 : 1;
}
void require_rank(const char* op, const Tensor& self, int64_t rank) {
  OA_REQUIRE(self.dim() >= rank, op, ": needs at least ", rank, " dimensions, was shape ",
             self.sizes());
}

}  // namespace

std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim) {
  const size_t at = parts_dim("split", self, dim);
  const int64_t total = self.sizes()[at];
  OA_REQUIRE(split_size >= 0,
             "split: split expects split_size be non-negative, but got split_size=", split_size);
  OA_REQUIRE(split_size > 0 || total == 0,
             "split: split_size can only be 0 if dimension size is 0, but got dimension size of ",
             total);
  return call_parts(kSplit, self, static_cast<size_t>(part_count(total, split_size)),
                    Attrs().add(static_cast<int64_t>(at)).add(split_size));
}
std::vector<Tensor> split(const Tensor& self, IntArrayRef split_size, int64_t dim) {
  return split_with_sizes(self, split_size, dim);
}
std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim) {
  const size_t at = parts_dim("split_with_sizes", self, dim);
  int64_t total = 0;
  for (const int64_t size : split_sizes) {
    OA_REQUIRE(size >= 0, "split_with_sizes: sizes must not be negative, was ", size);
    OA_REQUIRE(!__builtin_add_overflow(total, size, &total),
               "split_with_sizes: the sizes add up to more than an int64 counts");
  }
  OA_REQUIRE(total == self.sizes()[at],
             "split_with_sizes: split_with_sizes expects split_sizes to sum exactly to ",
             self.sizes()[at], " (input tensor's size at dimension ", dim, "), but they sum to ",
             total);
  const auto along = static_cast<int64_t>(at);
  if (split_sizes.size() <= Shape::kMaxRank)
    return call_parts(kSplitSizes, self, split_sizes.size(),
                      Attrs().add(along).add(Shape(split_sizes.data(), split_sizes.size())));
  std::vector<Tensor> out;
  int64_t start = 0;
  for (const int64_t size : split_sizes) {
    out.push_back(narrow(self, along, start, size));
    start += size;
  }
  return out;
}

std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  OA_REQUIRE(chunks > 0, "chunk: chunk expects `chunks` to be greater than 0, got: ", chunks);
  const int64_t total = self.sizes()[parts_dim("chunk", self, dim)];
  if (total > 0) return split(self, total / chunks + (total % chunks != 0), dim);
  return split_with_sizes(self, std::vector<int64_t>(static_cast<size_t>(chunks), 0), dim);
}

std::vector<Tensor> unbind(const Tensor& self, int64_t dim) {
  if (self.defined() && self.dim() == 0) throw IndexError("unbind: a 0-d tensor has no dimensions");
  const size_t at = parts_dim("unbind", self, dim);
  return call_parts(kUnbind, self, static_cast<size_t>(self.sizes()[at]),
                    Attrs().add(static_cast<int64_t>(at)));
}

std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim) {
  OA_REQUIRE(sections > 0, "tensor_split: number of sections must be larger than 0, got ",
             sections);
  const int64_t total = self.sizes()[parts_dim("tensor_split", self, dim)];
  std::vector<int64_t> sizes(static_cast<size_t>(sections), total / sections);
  for (int64_t i = 0; i < total % sections; ++i) ++sizes[static_cast<size_t>(i)];
  return split_with_sizes(self, sizes, dim);
}
std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, int64_t dim) {
  const size_t at = parts_dim("tensor_split", self, dim);
  std::vector<Tensor> out;
  int64_t start = 0;
  for (const int64_t end : indices) {
    out.push_back(slice(self, static_cast<int64_t>(at), start, end));
    start = end;
  }
  out.push_back(slice(self, static_cast<int64_t>(at), start));
  return out;
}
std::vector<Tensor> tensor_split(const Tensor& self, const Tensor& tensor_indices_or_sections,
                                 int64_t dim) {
  const Tensor& where = tensor_indices_or_sections;
  OA_REQUIRE(where.dtype() == DType::kInt64 && where.dim() <= 1,
             "tensor_split: expected a 0-d or 1-d int64 tensor, was ", where.sizes(), " ",
             name_of(where.dtype()));
  if (where.dim() == 0) return tensor_split(self, where.item<int64_t>(), dim);
  return tensor_split(self, to_vector<int64_t>(where), dim);
}

std::vector<Tensor> hsplit(const Tensor& self, int64_t sections) {
  const int64_t dim = hsplit_dim(self);
  return tensor_split(self, divided("hsplit", self, sections, dim), dim);
}
std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices) {
  return tensor_split(self, indices, hsplit_dim(self));
}
std::vector<Tensor> vsplit(const Tensor& self, int64_t sections) {
  require_rank("vsplit", self, 2);
  return tensor_split(self, divided("vsplit", self, sections, 0), 0);
}
std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices) {
  require_rank("vsplit", self, 2);
  return tensor_split(self, indices, 0);
}
std::vector<Tensor> dsplit(const Tensor& self, int64_t sections) {
  require_rank("dsplit", self, 3);
  return tensor_split(self, divided("dsplit", self, sections, 2), 2);
}
std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices) {
  require_rank("dsplit", self, 3);
  return tensor_split(self, indices, 2);
}

std::vector<Tensor> unsafe_split(const Tensor& self, int64_t split_size, int64_t dim) {
  return split(self, split_size, dim);
}
std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntArrayRef split_sizes,
                                            int64_t dim) {
  return split_with_sizes(self, split_sizes, dim);
}
std::vector<Tensor> unsafe_chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  return chunk(self, chunks, dim);
}

OA_OP(split, &kSplit, &kSplitSizes, &kUnbind)

}  // namespace oneagent
