// Recurrent layers over sequences that are stored step by step: what RNN, GRU and LSTM run.
#pragma once

#include <vector>

#include "core/nn/options/rnn.h"
#include "core/tensor/tensor.h"

namespace oneagent::nn {

struct RecurrentResult {
  Tensor output;  // of the last layer, rows like those of the input
  Tensor h, c;    // [layers directions, batch, size]: the states after the last steps; c of LSTM
};

// rows [steps of all sequences, input]: batch_sizes[t] rows of step t, which never grow; weights as
// Recurrent::all_weights() lists them; h and c [layers directions, batch, size] are the first
// states.
RecurrentResult run_recurrent(const detail::RecurrentOptions& options,
                              const std::vector<Tensor>& weights, bool training, const Tensor& rows,
                              const std::vector<int64_t>& batch_sizes, const Tensor& h,
                              const Tensor& c);

}  // namespace oneagent::nn
