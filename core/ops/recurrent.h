// Recurrent networks: lstm (Hochreiter and Schmidhuber 1997; gates i, f, g, o), gru (Cho et al.
// 2014; gates r, z, n), rnn with tanh or relu.
#pragma once

#include <vector>

#include "core/ops/api.h"

namespace oneagent {

// input [t, n, i], or [n, t, i] with batch_first; hx [layers * directions, n, h]; params per layer
// and direction: w_ih, w_hh and, with has_biases, b_ih, b_hh; of lstm also w_hr where the hidden
// state is projected. Results: [t, n, directions * h] and the last states. Between layers there is
// dropout in training.
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, const std::vector<Tensor>& hx,
                                        const std::vector<Tensor>& params, bool has_biases,
                                        int64_t num_layers, double dropout, bool train,
                                        bool bidirectional, bool batch_first);
std::tuple<Tensor, Tensor> gru(const Tensor& input, const Tensor& hx,
                               const std::vector<Tensor>& params, bool has_biases,
                               int64_t num_layers, double dropout, bool train, bool bidirectional,
                               bool batch_first);
std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& input, const Tensor& hx,
                                    const std::vector<Tensor>& params, bool has_biases,
                                    int64_t num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first);
std::tuple<Tensor, Tensor> rnn_relu(const Tensor& input, const Tensor& hx,
                                    const std::vector<Tensor>& params, bool has_biases,
                                    int64_t num_layers, double dropout, bool train,
                                    bool bidirectional, bool batch_first);

// Packed sequences: data [rows, i], batch_sizes int64 [t] as pack_padded_sequence makes them.
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                        const std::vector<Tensor>& hx,
                                        const std::vector<Tensor>& params, bool has_biases,
                                        int64_t num_layers, double dropout, bool train,
                                        bool bidirectional);
std::tuple<Tensor, Tensor> gru(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                               const std::vector<Tensor>& params, bool has_biases,
                               int64_t num_layers, double dropout, bool train, bool bidirectional);
std::tuple<Tensor, Tensor> rnn_tanh(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    const std::vector<Tensor>& params, bool has_biases,
                                    int64_t num_layers, double dropout, bool train,
                                    bool bidirectional);
std::tuple<Tensor, Tensor> rnn_relu(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    const std::vector<Tensor>& params, bool has_biases,
                                    int64_t num_layers, double dropout, bool train,
                                    bool bidirectional);

// One step: input [n, i] or [i], states [n, h] or [h].
std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, const std::vector<Tensor>& hx,
                                     const Tensor& w_ih, const Tensor& w_hh,
                                     const std::optional<Tensor>& b_ih = {},
                                     const std::optional<Tensor>& b_hh = {});
Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const std::optional<Tensor>& b_ih = {}, const std::optional<Tensor>& b_hh = {});
Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const std::optional<Tensor>& b_ih = {},
                     const std::optional<Tensor>& b_hh = {});
Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const std::optional<Tensor>& b_ih = {},
                     const std::optional<Tensor>& b_hh = {});

}  // namespace oneagent
