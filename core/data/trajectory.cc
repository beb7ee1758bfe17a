#include "core/data/trajectory.h"

#include <set>

namespace oneagent::ring {
namespace {

std::string shape_fault(const Chunk& chunk) {
  for (const char* name : {"observation", "action", "reward", "terminated", "truncated", "first"}) {
    const Array* array = chunk.arrays.find(name);
    if (array == nullptr) return str("array ", name, " is missing");
    if (array->shape.size() < 2 || array->shape[0] != chunk.steps || array->shape[1] != chunk.lanes)
      return str("array ", name, " has shape ", array->shape, ", expected [", chunk.steps, ", ",
                 chunk.lanes, ", ...]");
  }
  for (const char* name : {"terminated", "truncated", "first"})
    if (chunk.arrays.at(name).dtype != DType::kUInt8) return str("array ", name, " is not uint8");
  const Array* rows = chunk.arrays.find("final_row");
  const Array* finals = chunk.arrays.find("final_observation");
  if ((rows == nullptr) != (finals == nullptr))
    return "final_row and final_observation must come together";
  if (rows != nullptr && (rows->dtype != DType::kInt32 || rows->shape.size() != 1 ||
                          finals->shape.empty() || finals->shape[0] != rows->shape[0]))
    return "final_row and final_observation disagree";
  return "";
}

std::string mask_fault(const Chunk& chunk) {
  const Array* mask = chunk.arrays.find("action_mask");
  if (mask == nullptr) return "";
  const Array& action = chunk.arrays.at("action");
  if (mask->dtype != DType::kUInt8 || mask->shape.size() != 3 || action.dtype != DType::kInt32)
    return "action_mask needs [T, N, choices] uint8 and int32 actions";
  const int64_t choices = mask->shape[2];
  const auto actions = action.as<int32_t>();
  const auto legal = mask->as<uint8_t>();
  for (size_t row = 0; row < actions.size(); ++row) {
    const int32_t chosen = actions[row];
    if (chosen < 0 || chosen >= choices ||
        legal[row * static_cast<size_t>(choices) + static_cast<size_t>(chosen)] == 0)
      return str("action ", chosen, " is illegal at step ", static_cast<int64_t>(row) / chunk.lanes,
                 ", lane ", static_cast<int64_t>(row) % chunk.lanes);
  }
  return "";
}

std::string episode_fault(const Chunk& chunk) {
  std::set<int32_t> final_rows;
  if (const Array* rows = chunk.arrays.find("final_row"))
    for (const int32_t row : rows->as<int32_t>()) final_rows.insert(row);
  const auto terminated = chunk.arrays.at("terminated").as<uint8_t>();
  const auto truncated = chunk.arrays.at("truncated").as<uint8_t>();
  for (size_t row = 0; row < terminated.size(); ++row) {
    if (terminated[row] != 0 && truncated[row] != 0)
      return str("row ", row, " is both terminated and truncated");
    if (truncated[row] != 0 && !final_rows.contains(static_cast<int32_t>(row)))
      return str("truncated row ", row, " has no final observation");
  }
  for (const int32_t row : final_rows)
    if (row < 0 || static_cast<size_t>(row) >= terminated.size())
      return str("final_row ", row, " lies outside of the chunk");
  return "";
}

}  // namespace

std::string ingest_fault(const Chunk& chunk) {
  if (chunk.steps < 1 || chunk.lanes < 1)
    return str("chunk of ", chunk.steps, " steps and ", chunk.lanes, " lanes");
  if (std::string fault = shape_fault(chunk); !fault.empty()) return fault;
  if (const std::string name = first_non_finite(chunk.arrays); !name.empty())
    return str("array ", name, " holds a NaN or infinity");
  if (std::string fault = mask_fault(chunk); !fault.empty()) return fault;
  return episode_fault(chunk);
}

}  // namespace oneagent::ring
