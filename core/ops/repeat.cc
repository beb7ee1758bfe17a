#include "core/ops/repeat.h"

#include <cstring>

#include "core/kernels/copy.h"
#include "core/kernels/copy_run.h"
#include "core/ops/creation.h"
#include "core/ops/expand.h"
#include "core/ops/index.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kRepeatAttrs[] = {{"repeats", AttrKind::kInts}};
constexpr AttrSpec kInterleaveAttrs[] = {{"output_size", AttrKind::kInt}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Shape repeats = attrs.list(0);
  Shape sizes = repeats;
  const size_t extra = repeats.size() - in[0]->sizes.size();
  for (size_t i = extra; i < sizes.size(); ++i)
    OA_REQUIRE(!__builtin_mul_overflow(sizes[i], in[0]->sizes[i - extra], &sizes[i]),
               "repeat: ", repeats, " times shape ", in[0]->sizes, " is more than an int64 counts");
  out.add(sizes, in[0]->dtype);
}

// The innermost repeated dimension is written from the operand, with a stride of 0 between copies;
// then what is there is copied along one dimension after the other, from the inside.
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (out[0].numel() == 0) return;
  const Shape repeats = attrs.list(0);
  const size_t rank = repeats.size(), extra = rank - in[0].sizes().size();
  Shape sizes = repeats;  // of the operand, with leading ones
  for (size_t i = 0; i < rank; ++i) sizes[i] = i < extra ? 1 : in[0].sizes()[i - extra];
  size_t last = rank;
  while (last > 0 && repeats[last - 1] == 1) --last;
  if (last == 0) return copy_into(stream, out[0], in[0]);
  const size_t inner = last - 1;
  const Tensor source = as_contiguous(stream, in[0]);
  const int64_t block = contiguous_strides(sizes)[inner] * sizes[inner];
  const int64_t wide = block * repeats[inner];
  const auto bytes = static_cast<int64_t>(out[0].element_size());
  const Shape& strides = out[0].strides();
  char* to = out[0].impl().data();
  // Block i of the operand stands at place(i); its dimensions are those before `inner`.
  const auto place = [&](int64_t i) {
    int64_t at = 0;
    for (size_t d = inner; d-- > 0; i /= sizes[d]) at += i % sizes[d] * strides[d];
    return at;
  };
  int64_t blocks = 1;
  for (size_t d = 0; d < inner; ++d) blocks *= sizes[d];
  const TensorMeta flat{
      {1, block}, {0, 1}, source.storage_offset(), out[0].dtype(), out[0].device()};
  if (block * bytes >= 64) {
    for (int64_t i = 0; i < blocks; ++i)
      for (int64_t k = 0; k < repeats[inner]; ++k)
        copy_run(to + (place(i) + k * block) * bytes, source.impl().data() + i * block * bytes,
                 static_cast<size_t>(block * bytes));
  } else {
    for (int64_t i = 0; i < blocks; ++i) {
      TensorMeta from = flat, target = flat;
      from.sizes = target.sizes = {repeats[inner], block};
      from.offset += i * block;
      target.strides = {block, 1};
      target.offset = out[0].storage_offset() + place(i);
      copy_into(stream, alias_of(out[0], target), alias_of(source, from));
    }
  }
  int64_t filled = wide;  // elements that lie in one piece from each place on
  for (size_t d = inner; d-- > 0;) {
    blocks /= sizes[d];
    const int64_t piece = strides[d] * sizes[d];
    for (int64_t i = 0; i < blocks; ++i) {
      int64_t at = 0, rest = i;
      for (size_t e = d; e-- > 0; rest /= sizes[e]) at += rest % sizes[e] * strides[e];
      for (int64_t k = 1; k < repeats[d]; ++k)
        copy_run(to + (at + k * piece) * bytes, to + at * bytes,
                 static_cast<size_t>(piece * bytes));
    }
    filled = piece * repeats[d];
  }
  OA_CHECK(filled == out[0].numel(), "repeat: filled ", filled, " of ", out[0].numel());
}

// Summed over the copies, one dimension at a time.
void vjp(VjpCall& call) {
  const Shape repeats = call.attrs().list(0), sizes = call.input_sizes(0);
  if (repeats.numel() == 0) return call.set(0, zeros(sizes, call.grad().dtype()));
  const size_t extra = repeats.size() - sizes.size();
  Tensor gradient = call.grad();
  for (size_t d = 0; d < repeats.size(); ++d) {
    if (repeats[d] == 1) continue;
    const int64_t own = d < extra ? 1 : sizes[d - extra];
    int64_t outer = 1, inner = own;
    for (size_t i = 0; i < d; ++i) outer *= i < extra ? 1 : sizes[i - extra];
    for (size_t i = d + 1; i < repeats.size(); ++i)
      inner *= repeats[i] * (i < extra ? 1 : sizes[i - extra]);
    gradient = sum(reshape(gradient, {outer, repeats[d], inner}), Shape{1}, false);
  }
  call.set(0, reshape(gradient, sizes));
}
std::string rule(Metas in, const Attrs& attrs) { return closed_rule(in, {attrs.list(0).size()}); }

constinit const Op kRepeat = {
    .name = "repeat",
    .attrs = kRepeatAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = rule},
    .half = true,
    .complex = true,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 3})}, Attrs().add(Shape{2, 2})},
                         {{normal({3})}, Attrs().add(Shape{2, 1, 2})},
                         {{normal({2, 1, 3})}, Attrs().add(Shape{1, 3, 1})},
                         {{normal({3, 2})}, Attrs().add(Shape{4, 1})},
                         {{normal({2, 2, 2})}, Attrs().add(Shape{2, 3, 2})},
                         {{normal({2, 3})}, Attrs().add(Shape{0, 2})},
                         {{normal({})}, Attrs().add(Shape{3})},
                         {{normal({})}, Attrs().add(Shape{})}};
        },
};

void interleave_infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(
      in[0]->sizes.size() == 1 && (in[0]->dtype == DType::kInt64 || in[0]->dtype == DType::kInt32),
      "repeat_interleave: repeats must be 1-d int32 or int64, was shape ", in[0]->sizes, " ",
      name_of(in[0]->dtype));
  out.add({attrs.integer(0)}, in[0]->dtype);
}
void interleave_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor repeats = as_contiguous(stream, in[0]);
  const auto write = [&]<class T>(Type<T>) {
    const T* counts = repeats.data_ptr<T>();
    T* to = out[0].data_ptr<T>();
    int64_t at = 0;
    for (int64_t i = 0; i < repeats.numel(); ++i) {
      OA_REQUIRE(counts[i] >= 0, "repeat_interleave: repeats must not be negative, was ",
                 int64_t{counts[i]});
      OA_REQUIRE(counts[i] <= attrs.integer(0) - at, "repeat_interleave: output_size ",
                 attrs.integer(0), " is not the sum of the repeats");
      std::fill_n(to + at, counts[i], static_cast<T>(i));
      at += counts[i];
    }
    OA_REQUIRE(at == attrs.integer(0), "repeat_interleave: output_size ", attrs.integer(0),
               " is not the sum of the repeats, ", at);
  };
  if (repeats.dtype() == DType::kInt64)
    write(Type<int64_t>());
  else
    write(Type<int32_t>());
}
std::string interleave_rule(Metas in, const Attrs&) { return closed_rule(in, {1}); }

constinit const Op kRepeatInterleave = {
    .name = "repeat_interleave",
    .attrs = kInterleaveAttrs,
    .infer = interleave_infer,
    .rule = {.generate = interleave_rule},
    .kernels = {interleave_kernel},
    .samples =
        [] {  // all repeats of one sample are equal, so that their sum is known
          return Samples{{{ints({4}, 2, 3)}, Attrs().add(8)},
                         {{ints({3}, 1, 2, DType::kInt32)}, Attrs().add(3)},
                         {{ints({3}, 0, 1)}, Attrs().add(0)}};
        },
};

}  // namespace

Tensor repeat(const Tensor& self, const Shape& repeats) {
  OA_REQUIRE(static_cast<int64_t>(repeats.size()) >= self.dim(),
             "repeat: Number of dimensions of repeat dims can not be smaller than number of "
             "dimensions of tensor: ",
             repeats, " for shape ", self.sizes());
  for (const int64_t count : repeats)
    OA_REQUIRE(count >= 0, "repeat: repeats must not be negative, were ", repeats);
  return call_op(kRepeat, {&self}, Attrs().add(repeats));
}
Tensor tile(const Tensor& self, const Shape& dims) {
  Shape repeats;
  for (size_t i = dims.size(); i < self.sizes().size(); ++i) repeats.push_back(1);
  for (const int64_t count : dims) repeats.push_back(count);
  return repeat(self, repeats);
}

Tensor repeat_interleave(const Tensor& repeats, std::optional<int64_t> output_size) {
  int64_t total = 0;
  if (output_size) {
    total = *output_size;
  } else {
    for (const int64_t count : to_vector<int64_t>(repeats)) total += std::max<int64_t>(count, 0);
  }
  return call_op(kRepeatInterleave, {&repeats}, Attrs().add(total));
}
Tensor repeat_interleave(const Tensor& self, const Tensor& repeats, std::optional<int64_t> dim,
                         std::optional<int64_t> output_size) {
  const Tensor source = dim ? self : reshape(self, {-1});
  const int64_t along = wrap_dim(dim.value_or(0), source.dim(), "repeat_interleave");
  const int64_t size = source.dim() == 0 ? 1 : source.size(along);
  Tensor counts = repeats;
  if (counts.dim() == 0 || (counts.dim() == 1 && counts.numel() == 1))
    counts = expand(reshape(counts, {1}), {size});
  OA_REQUIRE(counts.dim() == 1 && counts.numel() == size, "repeat_interleave: repeats of shape ",
             repeats.sizes(), " do not fit dimension ", along, " of shape ", source.sizes());
  return index_select(source, along, repeat_interleave(counts, output_size));
}
Tensor repeat_interleave(const Tensor& self, int64_t repeats, std::optional<int64_t> dim,
                         std::optional<int64_t> output_size) {
  OA_REQUIRE(repeats >= 0, "repeat_interleave: repeats must not be negative, was ", repeats);
  const Tensor source = dim && self.dim() > 0 ? self : reshape(self, {-1});
  const int64_t along = wrap_dim(dim.value_or(0), source.dim(), "repeat_interleave");
  Shape sizes = source.sizes();
  int64_t& repeated = sizes[static_cast<size_t>(along)];
  OA_REQUIRE(!__builtin_mul_overflow(repeated, repeats, &repeated), "repeat_interleave: ", repeats,
             " repeats of shape ", source.sizes(), " are more than an int64 counts");
  OA_REQUIRE(!output_size || *output_size == sizes[static_cast<size_t>(along)],
             "repeat_interleave: output_size ", output_size.value_or(0),
             " is not the sum of the repeats, ", sizes[static_cast<size_t>(along)]);
  if (source.dim() == static_cast<int64_t>(Shape::kMaxRank))
    return repeat_interleave(source, full({1}, repeats, DType::kInt64), along);
  Shape copies;
  for (const int64_t size : source.sizes()) copies.push_back(size);
  copies.insert(static_cast<size_t>(along) + 1, repeats);
  return reshape(expand(unsqueeze(source, along + 1), copies), sizes);
}

OA_OP(repeat, &kRepeat, &kRepeatInterleave)

}  // namespace oneagent
