// Weights in shards: each rank publishes its own parts of the tensors of a version, whoever reads
// them puts them together. No rank holds, or sends, more than its part.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/weights.h"
#include "core/nn/module.h"
#include "core/tensor/sharding.h"

namespace oneagent {

// Fills in tensors and shards with what `rank` publishes of the model: parts along split
// dimensions, and of equal copies those of the first rank along each dimension. Tensors that are
// not global are the first rank's. Where nothing is split `shards` stays empty.
void add_own_shards(ring::Weights& weights, const nn::Module& model, int rank);
// The ranks besides the first that have something to publish.
std::vector<int> ranks_with_shards(const nn::Module& model);

uint64_t shard_hash(const ring::Array& array);

// The whole tensors, named and in order as in the first part, which is the first rank's.
// InvalidArgument names the tensor whose parts differ from their hash, overlap, lie outside of it,
// or do not cover it.
Result<ring::ArraySet> assemble_shards(std::span<const ring::Weights* const> parts);

}  // namespace oneagent
