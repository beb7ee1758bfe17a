// A transformer over the entities in an observation (units, agents, rows of a board): blocks of
// self-attention and a feed-forward layer with normalisation before each (Xiong et al. 2020, "On
// layer normalization in the transformer architecture", arXiv 2002.04745), then the mean over the
// entities that are there. Without slots the result does not depend on the order of entities.
#pragma once

#include <memory>
#include <vector>

#include "core/nn/nn.h"

namespace oneagent {

struct EntityOptions {
  std::vector<int> entities;  // [count, values of each] that a flat row starts with; empty: none
  bool slots = false;  // a learned vector for each place; otherwise entities of zeros are absent
  int layers = 2;
  int heads = 4;
  int size = 64;  // width of an entity inside, a multiple of heads
};

class EntityTransformer final : public nn::Module {
 public:
  // Null when options.entities is empty. Options that do not fit each other or the observation are
  // one Error that names the key of [algorithm].
  static std::shared_ptr<EntityTransformer> make(int64_t inputs, const EntityOptions& options,
                                                 Generator& generator);

  EntityTransformer(int64_t inputs, const EntityOptions& options, Generator& generator);
  // Flat rows [rows, inputs] -> [rows, features()]: the entities' mean, then the rest of the row as
  // it is.
  Tensor forward(const Tensor& rows) const;
  int64_t features() const { return size_ + inputs_ - count_ * values_; }

 private:
  struct Block {
    nn::LayerNorm attention_norm = nullptr, forward_norm = nullptr;
    nn::Linear query_key_value = nullptr, out = nullptr, widen = nullptr, narrow = nullptr;
  };
  Tensor attend(const Block& block, const Tensor& x, const Tensor& mask) const;

  int64_t inputs_, count_, values_, heads_, size_;
  nn::Linear embedding_ = nullptr;
  Tensor slots_;  // [count, size], or undefined
  std::vector<Block> blocks_;
  nn::LayerNorm last_norm_ = nullptr;
};

}  // namespace oneagent
