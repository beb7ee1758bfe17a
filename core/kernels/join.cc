#include "core/kernels/join.h"

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

constexpr int64_t kBlock = 32768;   // bytes of a block of rows, which stay in the cache
constexpr int64_t kFewBytes = 256;  // bytes of rows that are joined in blocks
constexpr int64_t kGrain = 524288;  // bytes of a chunk

}  // namespace

void run_join(Stream& stream, const Tensor& out, const std::vector<Part>& parts, int64_t outer) {
  if (out.numel() == 0) return;
  bool flat = outer > 1;
  for (const Part& part : parts) flat = flat && part.values.is_contiguous();
  if (!flat) {
    for (const Part& part : parts) {
      if (outer == 1 && part.values.is_contiguous())
        copy_bytes(stream,
                   static_cast<char*>(out.impl().storage->data()) +
                       part.place.offset * static_cast<int64_t>(out.element_size()),
                   part.values.data_ptr(), part.values.nbytes());
      else
        copy_into(stream, alias_of(out, part.place), part.values);
    }
    return;
  }
  const auto row = static_cast<int64_t>(out.nbytes()) / outer;
  bool few_bytes = false;
  for (const Part& part : parts)
    few_bytes |= static_cast<int64_t>(part.values.nbytes()) < outer * kFewBytes;
  stream.parallel_for(outer, std::max<int64_t>(kGrain / row, 1), [&](int64_t begin, int64_t end) {
    const int64_t rows = few_bytes ? std::max<int64_t>(kBlock / row, 1) : 1;
    for (int64_t first = begin; first < end; first += rows) {
      const int64_t count = std::min(rows, end - first);
      char* to = out.impl().data() + first * row;
      for (const Part& part : parts) {
        const auto bytes = static_cast<int64_t>(part.values.nbytes()) / outer;
        copy_rows(to, static_cast<size_t>(row), part.values.impl().data() + first * bytes, count,
                  static_cast<size_t>(bytes));
        to += bytes;
      }
    }
  });
}

}  // namespace oneagent
