// softmax(q k^T scale + mask) v without ever holding a matrix of all scores: blocks of queries meet
// blocks of keys (Dao et al. 2022, FlashAttention). Backward makes the probabilities of a block
// again from the logarithm of each row's sum.
#pragma once

#include "core/base/rng.h"
#include "core/tensor/tensor.h"

namespace oneagent {

struct Attention {
  Tensor q, k, v;  // [..., l, e], [..., s, e], [..., s, d], leading dimensions equal
  Tensor mask;     // bool or of q's type, broadcast to [..., l, s]; or undefined
  double scale = 1;
  bool causal = false;  // query i sees keys 0..i
  double dropout = 0;   // of probabilities; element i of [..., l, s] draws from block i
  RngState at;
};

// out [..., l, d], low [..., l]: logarithms of the sums of exponentials.
void run_attention(Stream& stream, const Attention& call, const Tensor& out, const Tensor& low);

struct AttentionGradient {
  Tensor g, g_low;       // of out and low; either may be undefined
  Tensor out, low;       // the forward's results
  Tensor q, k, v, mask;  // results; mask may be undefined
};
void run_attention_backward(Stream& stream, const Attention& call, const AttentionGradient& to);

}  // namespace oneagent
