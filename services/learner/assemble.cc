#include "services/learner/assemble.h"

#include <cstring>

#include "core/ops/ops.h"

namespace oneagent {
namespace {

using ring::Array;
using ring::SampledItem;

bool is_flag(const std::string& name) {
  return name == "terminated" || name == "truncated" || name == "first" ||
         name.ends_with("action_mask");
}

// Arrays with one row a lane instead of one a step and lane.
bool is_per_lane(const std::string& name) {
  return name.starts_with("last_") || name.starts_with("state.");
}

int64_t lanes_of(const SampledItem& item) { return item.spec.lane < 0 ? item.chunk.lanes : 1; }

size_t row_bytes(const Array& array, size_t leading) {
  size_t bytes = size_of(array.dtype);
  for (size_t i = leading; i < array.shape.size(); ++i)
    bytes *= static_cast<size_t>(array.shape[i]);
  return bytes;
}

Shape stacked_shape(const Array& array, size_t leading, std::initializer_list<int64_t> rows) {
  Shape shape(rows);
  for (size_t i = leading; i < array.shape.size(); ++i) shape.push_back(array.shape[i]);
  return shape;
}

// [T, B, ...] from each item's steps and lanes.
Tensor stack_steps(const ring::SampleBatch& batch, const std::string& name, int64_t steps,
                   int64_t lanes) {
  const Array& model = batch.items[0].chunk.arrays.at(name);
  const size_t row = row_bytes(model, 2);
  Tensor out =
      empty(stacked_shape(model, 2, {steps, lanes}), is_flag(name) ? DType::kBool : model.dtype);
  auto* to = static_cast<uint8_t*>(out.data_ptr());
  int64_t column = 0;
  for (const SampledItem& item : batch.items) {
    const Array& from = item.chunk.arrays.at(name);
    OA_REQUIRE(row_bytes(from, 2) == row && from.dtype == model.dtype, "assemble: ", name,
               " has shape ", from.shape, " in one item and ", model.shape, " in another");
    const int64_t width = lanes_of(item), first_lane = std::max<int64_t>(0, item.spec.lane);
    for (int64_t t = 0; t < steps; ++t)
      std::memcpy(
          to + static_cast<size_t>(t * lanes + column) * row,
          from.data +
              static_cast<size_t>((item.spec.begin + t) * item.chunk.lanes + first_lane) * row,
          static_cast<size_t>(width) * row);
    column += width;
  }
  return out;
}

// [B, ...]: the row after each item's last step, which lies in the chunk unless the item ends with
// it.
Tensor stack_after(const ring::SampleBatch& batch, const std::string& name, int64_t lanes) {
  const Array& model = batch.items[0].chunk.arrays.at(name);
  const size_t row = row_bytes(model, 1);
  Tensor out = empty(stacked_shape(model, 1, {lanes}), is_flag(name) ? DType::kBool : model.dtype);
  auto* to = static_cast<uint8_t*>(out.data_ptr());
  for (const SampledItem& item : batch.items) {
    const int64_t width = lanes_of(item), first_lane = std::max<int64_t>(0, item.spec.lane),
                  end = item.spec.begin + item.spec.length;
    const bool inside = name.starts_with("last_") && end < item.chunk.steps;
    const Array& from = item.chunk.arrays.at(inside ? name.substr(5) : name);
    const int64_t first_row = inside ? end * item.chunk.lanes + first_lane : first_lane;
    std::memcpy(to, from.data + static_cast<size_t>(first_row) * row,
                static_cast<size_t>(width) * row);
    to += static_cast<size_t>(width) * row;
  }
  return out;
}

// The final observations of episodes that ended within the items, with their rows counted over the
// assembled batch.
void stack_finals(const ring::SampleBatch& batch, int64_t lanes, TensorMap& out) {
  std::vector<int32_t> rows;
  std::vector<std::pair<const Array*, size_t>> sources;
  int64_t column = 0;
  for (const SampledItem& item : batch.items) {
    const int64_t width = lanes_of(item), first_lane = std::max<int64_t>(0, item.spec.lane);
    if (const Array* index = item.chunk.arrays.find("final_row")) {
      const auto values = index->as<int32_t>();
      for (size_t k = 0; k < values.size(); ++k) {
        const int64_t t = values[k] / item.chunk.lanes - item.spec.begin,
                      lane = values[k] % item.chunk.lanes - first_lane;
        if (t < 0 || t >= item.spec.length || lane < 0 || lane >= width) continue;
        rows.push_back(static_cast<int32_t>(t * lanes + column + lane));
        sources.emplace_back(&item.chunk.arrays.at("final_observation"), k);
      }
    }
    column += width;
  }
  if (rows.empty()) return;
  const auto count = static_cast<int64_t>(rows.size());
  const size_t row = row_bytes(*sources[0].first, 1);
  Tensor finals = empty(stacked_shape(*sources[0].first, 1, {count}), DType::kFloat32);
  for (size_t k = 0; k < sources.size(); ++k)
    std::memcpy(static_cast<uint8_t*>(finals.data_ptr()) + k * row,
                sources[k].first->data + sources[k].second * row, row);
  Tensor index = empty({count}, DType::kInt32);
  std::copy(rows.begin(), rows.end(), index.data_ptr<int32_t>());
  out["final_row"] = index;
  out["final_observation"] = finals;
}

TensorMap whole_chunk(const SampledItem& item) {
  TensorMap out;
  for (const Array& array : item.chunk.arrays.arrays()) out[array.name] = as_tensor(array);
  return out;
}

}  // namespace

Tensor as_tensor(const Array& array) {
  const DType dtype = is_flag(array.name) ? DType::kBool : array.dtype;
  return from_blob(
      const_cast<uint8_t*>(array.data), array.shape,
      [owner = array.owner](void*) mutable { owner.reset(); }, dtype);
}

TensorMap assemble(const ring::SampleBatch& batch) {
  OA_REQUIRE(!batch.items.empty(), "assemble: the sample of table ", batch.table, " is empty");
  const SampledItem& first = batch.items[0];
  if (batch.items.size() == 1 && first.spec.lane < 0 && first.spec.begin == 0 &&
      first.spec.length == first.chunk.steps)
    return whole_chunk(first);
  int64_t lanes = 0;
  for (const SampledItem& item : batch.items) {
    OA_REQUIRE(item.spec.length == first.spec.length, "assemble: items of ", first.spec.length,
               " and ", item.spec.length, " steps in one batch");
    lanes += lanes_of(item);
  }
  TensorMap out;
  for (const Array& array : first.chunk.arrays.arrays()) {
    if (array.name == "final_row" || array.name == "final_observation") continue;
    out[array.name] = is_per_lane(array.name)
                          ? stack_after(batch, array.name, lanes)
                          : stack_steps(batch, array.name, first.spec.length, lanes);
  }
  stack_finals(batch, lanes, out);
  return out;
}

}  // namespace oneagent
