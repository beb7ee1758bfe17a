#include "services/learner/weights_shards.h"

#define XXH_INLINE_ALL  // no second library to link
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "core/io/arrays.h"
#include "core/tensor/global_parts.h"

namespace oneagent {
namespace {

// Whether `rank` is the one to publish its part: the owner, or the first along every dimension that
// holds copies.
bool owns(const GlobalParts& parts, int64_t rank) {
  for (size_t dim = 0; dim < parts.mesh->dims(); ++dim) {
    const Placement& placement = parts.sharding[dim];
    OA_CHECK(!placement.is_partial(), "weights: a parameter is a partial sum");
    const int64_t publisher = placement.is_owner() ? placement.axis : 0;
    if (!placement.is_split() && parts.mesh->coordinate(rank, dim) != publisher) return false;
  }
  return true;
}

ring::Shard shard_of(const Tensor& tensor, int64_t rank, bool& empty) {
  ring::Shard shard;
  shard.shape = tensor.sizes();
  if (!is_global(tensor)) {
    shard.offsets.assign(shard.shape.size(), 0);
    return shard;
  }
  const GlobalParts& parts = global_parts(tensor);
  for (const AxisRange& range : ranges_of(tensor.sizes(), *parts.mesh, parts.sharding, rank)) {
    shard.offsets.push_back(range.begin);
    empty = empty || range.length == 0;
  }
  return shard;
}

bool is_sharded(const nn::Module& model) {
  const auto state = model.named_state();
  return std::any_of(state.begin(), state.end(), [](const auto& entry) {
    if (!is_global(entry.tensor)) return false;
    const Sharding& sharding = global_parts(entry.tensor).sharding;
    return std::any_of(sharding.begin(), sharding.end(),
                       [](const Placement& placement) { return !placement.is_broadcast(); });
  });
}

struct Part {
  const ring::Array* array;
  const ring::Shard* shard;
};

bool overlap(const Part& a, const Part& b) {
  for (size_t d = 0; d < a.shard->shape.size(); ++d)
    if (a.shard->offsets[d] + a.array->shape[d] <= b.shard->offsets[d] ||
        b.shard->offsets[d] + b.array->shape[d] <= a.shard->offsets[d])
      return false;
  return true;
}

// What is wrong with the parts of one tensor, or "".
std::string fault(const std::vector<Part>& parts) {
  int64_t covered = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto& [array, shard] = parts[i];
    if (shard->shape != parts[0].shard->shape || array->dtype != parts[0].array->dtype)
      return "ranks disagree on its shape or dtype";
    if (array->shape.numel() == 0) continue;  // only named
    if (shard->offsets.size() != shard->shape.size() || array->shape.size() != shard->shape.size())
      return "a part has another number of dimensions";
    for (size_t d = 0; d < shard->shape.size(); ++d)
      if (shard->offsets[d] < 0 || shard->offsets[d] > shard->shape[d] - array->shape[d])
        return "a part lies outside of it";
    if (shard_hash(*array) != shard->hash) return "a part differs from its hash";
    for (size_t k = 0; k < i; ++k)
      if (parts[k].array->shape.numel() > 0 && overlap(parts[k], parts[i])) return "parts overlap";
    covered += array->shape.numel();
  }
  if (covered != parts[0].shard->shape.numel())
    return str("parts cover ", covered, " of ", parts[0].shard->shape.numel(), " elements");
  return "";
}

// Row by row of the last dimension.
void copy_into(ring::MutableArray& whole, const Part& part) {
  const Shape& sizes = part.array->shape;
  const size_t dims = sizes.size(), width = size_of(part.array->dtype);
  if (part.array->shape.numel() == 0) return;
  if (dims == 0) {
    std::memcpy(whole.data, part.array->data, width);
    return;
  }
  const size_t row = static_cast<size_t>(sizes[dims - 1]) * width;
  const int64_t rows = sizes.numel() / sizes[dims - 1];
  for (int64_t r = 0; r < rows; ++r) {
    int64_t rest = r, place = 0, stride = part.shard->shape[dims - 1];
    for (size_t d = dims - 1; d-- > 0;) {
      place += (rest % sizes[d] + part.shard->offsets[d]) * stride;
      rest /= sizes[d];
      stride *= part.shard->shape[d];
    }
    std::memcpy(whole.data + static_cast<size_t>(place + part.shard->offsets[dims - 1]) * width,
                part.array->data + static_cast<size_t>(r) * row, row);
  }
}

}  // namespace

uint64_t shard_hash(const ring::Array& array) {
  return array.bytes() == 0 ? 0 : XXH3_64bits(array.data, array.bytes());
}

void add_own_shards(ring::Weights& weights, const nn::Module& model, int rank) {
  const bool sharded = is_sharded(model);
  for (const auto& entry : model.named_state()) {
    // The first rank names them all.
    if (rank != 0 && (!is_global(entry.tensor) || !owns(global_parts(entry.tensor), rank)))
      continue;
    bool empty = false;
    ring::Shard shard = shard_of(entry.tensor, rank, empty);
    if (empty && rank != 0) continue;
    ring::Array array = io::array_from(entry.name, local_part(entry.tensor));
    if (sharded) {
      shard.hash = shard_hash(array);
      weights.shards.push_back(std::move(shard));
    }
    weights.tensors.add(std::move(array));
  }
}

std::vector<int> ranks_with_shards(const nn::Module& model) {
  std::set<int> ranks;
  for (const auto& entry : model.named_state()) {
    if (!is_global(entry.tensor)) continue;
    const GlobalParts& parts = global_parts(entry.tensor);
    for (int rank = 1; rank < parts.mesh->ranks(); ++rank) {
      bool empty = false;
      (void)shard_of(entry.tensor, rank, empty);
      if (!empty && owns(parts, rank)) ranks.insert(rank);
    }
  }
  return {ranks.begin(), ranks.end()};
}

Result<ring::ArraySet> assemble_shards(std::span<const ring::Weights* const> parts) {
  std::map<std::string, std::vector<Part>> by_name;
  for (const ring::Weights* weights : parts) {
    const std::vector<ring::Array>& arrays = weights->tensors.arrays();
    if (arrays.size() != weights->shards.size())
      return absl::InvalidArgumentError("weights: there are not as many arrays as shards");
    for (size_t i = 0; i < arrays.size(); ++i)
      by_name[arrays[i].name].push_back({&arrays[i], &weights->shards[i]});
  }
  ring::ArraySet out;
  for (const ring::Array& first : parts[0]->tensors.arrays()) {
    const std::vector<Part>& pieces = by_name.at(first.name);
    if (const std::string reason = fault(pieces); !reason.empty())
      return absl::InvalidArgumentError(str("weights: ", first.name, ": ", reason));
    if (pieces.size() == 1) {
      out.add(first);
      continue;
    }
    ring::MutableArray whole = ring::make_array(first.name, first.dtype, pieces[0].shard->shape);
    for (const Part& piece : pieces) copy_into(whole, piece);
    out.add(std::move(whole.array));
  }
  return out;
}

}  // namespace oneagent
