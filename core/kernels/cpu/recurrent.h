// One step of a recurrent layer apart from its matrix products: gates to states, and back. Rows
// are sequences of a batch; h is the width of the state.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

// The workspace holds i, f, g, o and the cell c per row, 5 h wide; forward finds the gates before
// their activations in the first four.
struct LstmStep {
  int64_t rows = 0, h = 0;
  void* workspace = nullptr;
  void* cell = nullptr;    // [rows, h]: the state before, then after the step
  void* hidden = nullptr;  // [rows, h], after the step
  void* y = nullptr;       // a copy of hidden
};
OA_CPU_KERNEL(void, lstm_step, (DType dtype, const LstmStep& step), (dtype, step))

struct LstmStepGradient {
  int64_t rows = 0, h = 0;
  const void* workspace = nullptr;
  const void* cell_before = nullptr;
  int64_t cell_step = 0;               // elements between its rows
  const void* to_hidden = nullptr;     // [rows, h]
  const void* to_y = nullptr;          // [rows, h] or null
  const void* to_workspace = nullptr;  // [rows, 5 h] or null
  void* to_cell = nullptr;             // [rows, h]: of the state after, then before the step
  void* to_gates = nullptr;            // [rows, 4 h]
};
OA_CPU_KERNEL(void, lstm_step_backward, (DType dtype, const LstmStepGradient& step), (dtype, step))

// r, z, n = tanh(x_n + r h_n); h' = n + z (h - n). The workspace holds r, z, n and h_n, 4 h wide.
struct GruStep {
  int64_t rows = 0, h = 0;
  const void* from_x = nullptr;  // [rows, 3 h]
  const void* from_h = nullptr;  // [rows, 3 h]
  void* workspace = nullptr;
  void* hidden = nullptr;  // [rows, h]: the state before, then after the step
  void* y = nullptr;
};
OA_CPU_KERNEL(void, gru_step, (DType dtype, const GruStep& step), (dtype, step))

struct GruStepGradient {
  int64_t rows = 0, h = 0;
  const void* workspace = nullptr;
  const void* before = nullptr;  // the state before
  int64_t before_step = 0;
  const void* to_y = nullptr;          // or null
  const void* to_workspace = nullptr;  // or null
  void* to_hidden = nullptr;  // [rows, h]: of the state after, then its direct part of that before
  void* to_x = nullptr;       // [rows, 3 h]
  void* to_h = nullptr;       // [rows, 3 h]
};
OA_CPU_KERNEL(void, gru_step_backward, (DType dtype, const GruStepGradient& step), (dtype, step))

// to_gates = (to_hidden + to_y) f'(y), f being tanh or relu; to_y may be null.
struct PlainStepGradient {
  int64_t n = 0;  // rows times width
  bool relu = false;
  const void* y = nullptr;
  const void* to_hidden = nullptr;
  const void* to_y = nullptr;
  void* to_gates = nullptr;
};
OA_CPU_KERNEL(void, plain_step_backward, (DType dtype, const PlainStepGradient& step),
              (dtype, step))

}  // namespace oneagent::cpu
