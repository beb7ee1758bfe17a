#include "core/kernels/reduce.h"

#include <algorithm>

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

bool has(const Shape& dims, size_t dim) {
  return std::find(dims.begin(), dims.end(), static_cast<int64_t>(dim)) != dims.end();
}

bool consecutive(const Shape& dims) {
  for (size_t i = 1; i < dims.size(); ++i)
    if (dims[i] != dims[i - 1] + 1) return false;
  return true;
}

// The same elements with the reduced dimensions last.
Tensor reduced_last(const Tensor& in, const Shape& dims) {
  TensorMeta meta = in.impl().meta;
  meta.sizes = {};
  meta.strides = {};
  for (const bool reduced : {false, true})
    for (size_t i = 0; i < in.sizes().size(); ++i)
      if (has(dims, i) == reduced) {
        meta.sizes.push_back(in.sizes()[i]);
        meta.strides.push_back(in.strides()[i]);
      }
  return alias_of(in, meta);
}

constexpr int64_t kGrain = 32768;

void run_split(Stream& stream, const char* what, cpu::Reduce function, DType dtype,
               const cpu::ReduceArgs& args) {
  const auto in_size = static_cast<int64_t>(size_of(dtype));
  const int64_t out_size =
      function == cpu::Reduce::kAny || function == cpu::Reduce::kAll ? 1 : in_size;
  const int64_t row = args.count * args.inner;
  stream.parallel_for(args.outer, std::max<int64_t>(kGrain / std::max<int64_t>(row, 1), 1),
                      [&](int64_t begin, int64_t end) {
                        cpu::ReduceArgs part = args;
                        part.in = static_cast<const char*>(args.in) + begin * row * in_size;
                        part.out = static_cast<char*>(args.out) + begin * args.inner * out_size;
                        part.outer = end - begin;
                        OA_REQUIRE(cpu::reduce(function, dtype, part), what,
                                   ": has no meaning for ", name_of(dtype));
                      });
}

}  // namespace

cpu::ReduceArgs around(const Tensor& contiguous, int64_t dim) {
  cpu::ReduceArgs args;
  args.in = contiguous.data_ptr();
  const Shape& sizes = contiguous.sizes();
  if (sizes.empty()) {
    args.count = 1;
    return args;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    (at < dim ? args.outer : at == dim ? args.count : args.inner) *= at == dim ? 1 : sizes[i];
    if (at == dim) args.count = sizes[i];
  }
  return args;
}

Shape reduced_sizes(const Shape& sizes, const Shape& dims, bool keepdim) {
  Shape out;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!has(dims, i))
      out.push_back(sizes[i]);
    else if (keepdim)
      out.push_back(1);
  }
  return out;
}

void run_reduce(Stream& stream, const char* what, cpu::Reduce function, const Tensor& out,
                const Tensor& in, const Shape& dims) {
  cpu::ReduceArgs args;
  Tensor source = in;
  if (in.is_contiguous() && consecutive(dims) && !dims.empty()) {
    const auto first = static_cast<size_t>(dims[0]);
    const auto last = first + dims.size();
    args.count = 1;
    for (size_t i = 0; i < in.sizes().size(); ++i)
      (i < first ? args.outer : i < last ? args.count : args.inner) *= in.sizes()[i];
  } else {
    source = as_contiguous(stream, reduced_last(in, dims));
    args.outer = out.numel();
    args.count = out.numel() == 0 ? 0 : in.numel() / out.numel();
  }
  args.in = source.data_ptr();
  args.out = out.data_ptr();
  if (out.numel() > 0) run_split(stream, what, function, in.dtype(), args);
}

}  // namespace oneagent
