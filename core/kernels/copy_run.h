// Copies of short runs of memory.
#pragma once

#include <cstddef>
#include <cstring>

namespace oneagent {

// Bytes that do not overlap. memcpy of a few kilobytes may use string instructions, which are slow
// where the addresses differ by little modulo a page; it is left to very short and long runs.
inline void copy_run(char* to, const char* from, size_t bytes) {
  typedef char Line __attribute__((vector_size(32), aligned(1), may_alias));
  constexpr size_t kStep = 4 * sizeof(Line), kLong = 65536;
  if (bytes < kStep || bytes > kLong) {
    std::memcpy(to, from, bytes);
    return;
  }
  const auto move = [&](size_t at) {
    const Line* in = reinterpret_cast<const Line*>(from + at);
    Line* out = reinterpret_cast<Line*>(to + at);
    const Line a = in[0], b = in[1], c = in[2], d = in[3];
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
  };
  size_t at = 0;
  for (; at + kStep <= bytes; at += kStep) move(at);
  if (at < bytes) move(bytes - kStep);
}

}  // namespace oneagent
