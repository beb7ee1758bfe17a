// One direction of one recurrent layer over whole sequences. What the inputs contribute to the
// gates is given for all steps at once; here the states are taken through the steps.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent {

enum class Recurrence : uint8_t { kTanh, kRelu, kLstm, kGru };

// Rows of the sequences that one step takes; sequence i of the step is row + i.
struct SequenceStep {
  int64_t row = 0, count = 0;
};

// The steps in the order in which they are taken. Without batch sizes all n sequences have equal
// length; with them (int64 [steps], not increasing) step t has the first batch_sizes[t].
std::vector<SequenceStep> sequence_steps(int64_t rows, int64_t n, const Tensor& batch_sizes,
                                         bool reverse);

struct RecurrentCall {
  Recurrence kind = Recurrence::kLstm;
  std::vector<SequenceStep> steps;
  Tensor gates;   // [rows, g h]: g = 4 (lstm), 3 (gru), 1
  Tensor hidden;  // [n, h], the first state
  Tensor cell;    // [n, h] of lstm
  Tensor weight;  // [g h, h], from the state
  Tensor bias;    // [g h] of gru or undefined
};
struct RecurrentResult {
  Tensor y;          // [rows, h]
  Tensor hidden;     // [n, h], the last state
  Tensor cell;       // [n, h] of lstm
  Tensor workspace;  // [rows, 5 h] of lstm, [rows, 4 h] of gru
};
void run_recurrent(Stream& stream, const RecurrentCall& call, const RecurrentResult& out);

// `to` holds gradients of the results (any may be undefined), `from` the results themselves, of
// which y and workspace are read. Written: out.gates, out.hidden, out.cell, out.weight, out.bias.
void run_recurrent_backward(Stream& stream, const RecurrentCall& call, const RecurrentResult& from,
                            const RecurrentResult& to, const RecurrentCall& out);

}  // namespace oneagent
