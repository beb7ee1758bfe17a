// Moving elements between layouts: transposed planes and reversed rows, of 1, 2, 4 or 8 bytes each.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

// to[j * to_step + i * width] = from[i * from_step + j * width] for i < rows, j < columns; steps in
// bytes. The source is contiguous along j, the result along i.
OA_CPU_KERNEL(void, transpose_plane,
              (char* to, const char* from, int64_t rows, int64_t columns, int64_t to_step,
               int64_t from_step, size_t width),
              (to, from, rows, columns, to_step, from_step, width))

// to[i * width] = last[-i * width] for i < n.
OA_CPU_KERNEL(void, reverse_row, (char* to, const char* last, int64_t n, size_t width),
              (to, last, n, width))

}  // namespace oneagent::cpu
