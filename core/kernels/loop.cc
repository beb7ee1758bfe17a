#include "core/kernels/loop.h"

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 32768;  // elements of a chunk; smaller work is not worth another thread

struct Loop {
  size_t operands = 0;
  size_t rank = 0;  // dimensions outside the innermost are 1..rank-1; dimension 0 is the innermost
  int64_t sizes[Shape::kMaxRank];
  int64_t strides[Shape::kMaxRank][kMaxLoopOperands];  // bytes
  char* data[kMaxLoopOperands];
};

// Byte stride of an operand along dimension `dim` of the result, 0 where it is broadcast.
int64_t stride_along(const TensorMeta& meta, size_t dim, size_t rank) {
  const size_t missing = rank - meta.sizes.size();
  if (dim < missing || meta.sizes[dim - missing] == 1) return 0;
  return meta.strides[dim - missing] * static_cast<int64_t>(size_of(meta.dtype));
}

// Is dimension `outer` a continuation of dimension `inner` for every operand?
bool merges(const Loop& loop, size_t inner, size_t outer) {
  for (size_t i = 0; i < loop.operands; ++i)
    if (loop.strides[outer][i] != loop.strides[inner][i] * loop.sizes[inner]) return false;
  return true;
}

// The dimensions in the order of the result's strides, merged where possible.
Loop make_loop(std::span<const Tensor* const> operands) {
  Loop loop;
  loop.operands = operands.size();
  for (size_t i = 0; i < operands.size(); ++i) loop.data[i] = operands[i]->impl().data();
  const Shape& shape = operands[0]->sizes();
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim] == 1) continue;
    size_t at = loop.rank++;
    int64_t strides[kMaxLoopOperands] = {};
    for (size_t i = 0; i < operands.size(); ++i)
      strides[i] = stride_along(operands[i]->impl().meta, dim, shape.size());
    for (; at > 0 && strides[0] < loop.strides[at - 1][0]; --at) {
      loop.sizes[at] = loop.sizes[at - 1];
      std::copy_n(loop.strides[at - 1], operands.size(), loop.strides[at]);
    }
    loop.sizes[at] = shape[dim];
    std::copy_n(strides, operands.size(), loop.strides[at]);
  }
  if (loop.rank == 0) {
    loop.sizes[0] = 1;
    std::fill_n(loop.strides[0], kMaxLoopOperands, 0);
    loop.rank = 1;
  }
  size_t last = 0;
  for (size_t dim = 1; dim < loop.rank; ++dim) {
    if (merges(loop, last, dim)) {
      loop.sizes[last] *= loop.sizes[dim];
      continue;
    }
    if (++last == dim) continue;
    loop.sizes[last] = loop.sizes[dim];
    std::copy_n(loop.strides[dim], operands.size(), loop.strides[last]);
  }
  loop.rank = last + 1;
  return loop;
}

void run_flat(Stream& stream, cpu::Inner inner, const Loop& loop, const cpu::Params& params) {
  stream.parallel_for(loop.sizes[0], kGrain, [&](int64_t begin, int64_t end) {
    char* data[kMaxLoopOperands];
    for (size_t i = 0; i < loop.operands; ++i) data[i] = loop.data[i] + begin * loop.strides[0][i];
    inner(end - begin, data, loop.strides[0], params);
  });
}

void run_rows(cpu::Inner inner, const Loop& loop, const cpu::Params& params, int64_t begin,
              int64_t end) {
  int64_t index[Shape::kMaxRank] = {};
  char* data[kMaxLoopOperands];
  std::copy_n(loop.data, loop.operands, data);
  int64_t rest = begin;
  for (size_t dim = 1; dim < loop.rank; ++dim) {
    index[dim] = rest % loop.sizes[dim];
    rest /= loop.sizes[dim];
    for (size_t i = 0; i < loop.operands; ++i) data[i] += index[dim] * loop.strides[dim][i];
  }
  for (int64_t row = begin; row < end; ++row) {
    inner(loop.sizes[0], data, loop.strides[0], params);
    for (size_t dim = 1; dim < loop.rank; ++dim) {
      for (size_t i = 0; i < loop.operands; ++i) data[i] += loop.strides[dim][i];
      if (++index[dim] < loop.sizes[dim]) break;
      for (size_t i = 0; i < loop.operands; ++i) data[i] -= loop.strides[dim][i] * loop.sizes[dim];
      index[dim] = 0;
    }
  }
}

bool all_flat(std::span<const Tensor* const> operands) {
  const Tensor& result = *operands[0];
  if (!result.is_contiguous()) return false;
  for (const Tensor* operand : operands.subspan(1))
    if (!operand->is_contiguous() || !(operand->sizes() == result.sizes())) return false;
  return true;
}

// One large operand whose last dimension is far apart in memory: a copy, made block by block, is
// cheaper than missing the cache at every element.
bool is_turned(std::span<const Tensor* const> operands) {
  constexpr int64_t kLarge = 16384;
  const Tensor &result = *operands[0], &in = *operands[1];
  if (operands.size() != 2 || result.numel() < kLarge || !result.is_contiguous()) return false;
  if (!(in.sizes() == result.sizes()) || in.dim() < 2) return false;
  const size_t last = in.sizes().size() - 1;
  const int64_t step = std::abs(in.strides()[last]);
  return in.sizes()[last] > 16 && step > 16 && size_of(in.dtype()) >= 4;
}

Loop flat_loop(std::span<const Tensor* const> operands) {
  Loop loop;
  loop.operands = operands.size();
  loop.rank = 1;
  loop.sizes[0] = operands[0]->numel();
  for (size_t i = 0; i < operands.size(); ++i) {
    loop.data[i] = operands[i]->impl().data();
    loop.strides[0][i] = static_cast<int64_t>(size_of(operands[i]->dtype()));
  }
  return loop;
}

thread_local LoopProbe* probe = nullptr;

void take_down(cpu::Inner inner, std::span<const Tensor* const> operands,
               const cpu::Params& params) {
  LoopProbe::Call& call = probe->calls.emplace_back();
  call.inner = inner;
  call.params = params;
  for (const Tensor* operand : operands) call.operands.push_back(&operand->impl());
}

}  // namespace

LoopProbe::LoopProbe() : before_(probe) { probe = this; }
LoopProbe::~LoopProbe() { probe = before_; }

void run_loop(Stream& stream, const char* what, cpu::Inner inner,
              std::span<const Tensor* const> operands, const cpu::Params& params) {
  OA_REQUIRE(inner != nullptr, what, ": has no meaning for ", name_of(operands.back()->dtype()));
  if (probe != nullptr) [[unlikely]]
    return take_down(inner, operands, params);
  if (operands[0]->numel() == 0) return;
  if (is_turned(operands)) {
    const Tensor in = contiguous_copy(stream, *operands[1]);
    const Tensor* straight[] = {operands[0], &in};
    return run_loop(stream, what, inner, straight, params);
  }
  const Loop loop = all_flat(operands) ? flat_loop(operands) : make_loop(operands);
  if (loop.rank == 1) return run_flat(stream, inner, loop, params);
  int64_t rows = 1;
  for (size_t dim = 1; dim < loop.rank; ++dim) rows *= loop.sizes[dim];
  stream.parallel_for(
      rows, std::max<int64_t>(kGrain / loop.sizes[0], 1),
      [&](int64_t begin, int64_t end) { run_rows(inner, loop, params, begin, end); });
}

}  // namespace oneagent
