// One direction of one recurrent layer, as the functions of recurrent.h use it. `gates` [rows, g h]
// holds what the inputs contribute to the gates of all steps, biases included (of gru without that
// of the state).
#pragma once

#include "core/graph/op.h"

namespace oneagent {

struct Layer {
  Tensor y, hidden, cell;  // of all steps; last states
};

// batch_sizes may be undefined: all sequences have equal length.
Layer lstm_layer(const Tensor& gates, const Tensor& hidden, const Tensor& cell,
                 const Tensor& weight, const Tensor& batch_sizes, bool reverse);
Layer gru_layer(const Tensor& gates, const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                const Tensor& batch_sizes, bool reverse);
Layer rnn_layer(const Tensor& gates, const Tensor& hidden, const Tensor& weight,
                const Tensor& batch_sizes, bool reverse, bool relu);

}  // namespace oneagent
