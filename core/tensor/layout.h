// How elements lie in memory: libtorch's Layout and MemoryFormat. Sparse tensors hold coordinates
// and values (core/tensor/sparse_parts.h).
#pragma once

#include <cstdint>
#include <ostream>

namespace oneagent {

// Tensors are Strided or Sparse; the other layouts are names only.
enum class Layout : int8_t { Strided, Sparse, SparseCsr, Mkldnn, SparseCsc, SparseBsr, SparseBsc };
inline constexpr Layout kStrided = Layout::Strided;
inline constexpr Layout kSparse = Layout::Sparse;
inline constexpr Layout kSparseCsr = Layout::SparseCsr;
inline constexpr Layout kSparseCsc = Layout::SparseCsc;
inline constexpr Layout kSparseBsr = Layout::SparseBsr;
inline constexpr Layout kSparseBsc = Layout::SparseBsc;
inline constexpr Layout kMkldnn = Layout::Mkldnn;
inline std::ostream& operator<<(std::ostream& out, Layout layout) {
  constexpr const char* kNames[] = {"Strided",   "Sparse",    "SparseCsr", "Mkldnn",
                                    "SparseCsc", "SparseBsr", "SparseBsc"};
  return out << kNames[static_cast<size_t>(layout)];
}

// ChannelsLast: [N, C, H, W] stored as [N, H, W, C]; ChannelsLast3d: [N, C, D, H, W] likewise.
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
inline std::ostream& operator<<(std::ostream& out, MemoryFormat format) {
  constexpr const char* kNames[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
  return out << kNames[static_cast<size_t>(format)];
}

}  // namespace oneagent
