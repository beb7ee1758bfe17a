#include "envs/env_batch.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/check.h"
#include "core/strand/thread_pool.h"

namespace oneagent {
namespace {

constexpr uint32_t kMagic = 0x4F414542;  // "OAEB"
constexpr uint32_t kVersion = 1;

std::unique_ptr<EnvKernel> make_kernel(const EnvTable& table, std::string_view name,
                                       const Json& options, int lanes) {
  OA_REQUIRE(lanes >= 1, "env_batch: needs at least 1 lane, was ", lanes);
  const EnvEntry& entry = table.find(name);
  return entry.make(entry.name, options, lanes);
}

// Index of the first action outside 0..count-1, or -1.
int64_t find_out_of_range(std::span<const int32_t> actions, int64_t count) {
  uint32_t highest = 0;
  for (const int32_t action : actions) highest = std::max(highest, static_cast<uint32_t>(action));
  if (highest < static_cast<uint64_t>(count)) return -1;
  const auto outside = [&](int32_t action) { return action < 0 || action >= count; };
  return std::find_if(actions.begin(), actions.end(), outside) - actions.begin();
}

void require_legal(const EnvSpec& spec, std::span<const int32_t> actions,
                   std::span<const uint8_t> mask) {
  const int64_t count = spec.action.count;
  const int64_t outside = find_out_of_range(actions, count);
  OA_REQUIRE(outside < 0, spec.name, ": action of lane ", outside, " must be 0 .. ", count - 1,
             ", was ", actions[outside]);
  if (mask.empty()) return;
  for (size_t i = 0; i < actions.size(); ++i)
    OA_REQUIRE(mask[i * count + actions[i]] != 0, spec.name, ": action ", actions[i], " of lane ",
               i, " is illegal in this state (masked)");
}

void require_finite(const EnvSpec& spec, std::span<const float> actions) {
  float sum = 0;
  for (const float action : actions) sum += action * 0.0f;  // NaN as soon as one is not finite
  if (sum == 0) return;
  for (size_t i = 0; i < actions.size(); ++i)
    OA_REQUIRE(std::isfinite(actions[i]), spec.name, ": action of lane ", i / spec.action.count,
               " must be finite, was ", actions[i]);
}

}  // namespace

EnvBatch::EnvBatch(const EnvTable& table, std::string_view name, const Json& options, int lanes,
                   uint64_t seed, int threads, int first_lane, int total_lanes)
    : kernel_(make_kernel(table, name, options, lanes)),
      lanes_(lanes),
      seed_(seed),
      first_lane_(first_lane),
      total_lanes_(total_lanes > 0 ? total_lanes : first_lane + lanes),
      pool_(std::make_unique<ThreadPool>(std::clamp(threads, 1, lanes))) {
  OA_REQUIRE(first_lane >= 0 && first_lane + lanes <= total_lanes_, "env_batch: lanes ", first_lane,
             " .. ", first_lane + lanes - 1, " do not fit into a set of ", total_lanes_);
  const auto rows = static_cast<size_t>(lanes);
  const auto size = static_cast<size_t>(spec().observation_size);
  observation_.resize(rows * size);
  final_observation_.resize(rows * size);
  reward_.resize(rows);
  terminated_.resize(rows);
  truncated_.resize(rows);
  first_.resize(rows);
  if (spec().has_action_mask) action_mask_.resize(rows * spec().action.count);
  ended_.reserve(rows);
  kernel_->bind(
      {observation_.data(), final_observation_.data(), reward_.data(), terminated_.data(),
       truncated_.data(), first_.data(), action_mask_.empty() ? nullptr : action_mask_.data()},
      {seed, first_lane, total_lanes_});
}

EnvBatch::~EnvBatch() = default;

void EnvBatch::reset() {
  kernel_->reset(0, lanes_);
  ended_.clear();
  started_ = true;
}

void EnvBatch::step(std::span<const int32_t> actions) {
  OA_REQUIRE(spec().action.discrete(), spec().name, ": takes continuous actions");
  OA_REQUIRE(actions.size() == static_cast<size_t>(lanes_), spec().name, ": needs ", lanes_,
             " actions, was ", actions.size());
  require_legal(spec(), actions, action_mask_);
  advance({actions.data(), nullptr});
}

void EnvBatch::step(std::span<const float> actions) {
  OA_REQUIRE(!spec().action.discrete(), spec().name, ": takes discrete actions");
  const int64_t needed = lanes_ * spec().action.count;
  OA_REQUIRE(actions.size() == static_cast<size_t>(needed), spec().name, ": needs ", needed,
             " action values, was ", actions.size());
  require_finite(spec(), actions);
  advance({nullptr, actions.data()});
}

void EnvBatch::advance(const EnvActions& actions) {
  OA_REQUIRE(started_, spec().name, ": reset() comes before the first step()");
  ended_.clear();
  std::atomic<int> ended{0};
  const int64_t chunk = (lanes_ + pool_->threads() - 1) / pool_->threads();
  pool_->parallel_for(lanes_, chunk, [&](int64_t begin, int64_t end) {
    ended += kernel_->step(static_cast<int>(begin), static_cast<int>(end), actions);
  });
  if (ended > 0) collect_ended();
}

void EnvBatch::collect_ended() {
  for (int i = 0; i < lanes_; ++i) {
    if (!(terminated_[i] | truncated_[i])) continue;
    const LaneRecord& record = kernel_->record(i);
    ended_.push_back({i, record.ended_return, record.ended_length, terminated_[i] != 0,
                      record.episode - 1, kernel_->metrics(i)});
  }
}

void EnvBatch::save(ByteWriter& out) const {
  out.put(kMagic);
  out.put(kVersion);
  out.put_text(spec().name);
  out.put_text(options().dump());
  out.put(lanes_);
  out.put(seed_);
  out.put(first_lane_);
  out.put(total_lanes_);
  out.put<uint8_t>(started_);
  for (int i = 0; i < lanes_; ++i) kernel_->save(i, out);
  out.put_vector(observation_);
  out.put_vector(reward_);
  out.put_vector(terminated_);
  out.put_vector(truncated_);
  out.put_vector(first_);
  out.put_vector(action_mask_);
}

void EnvBatch::load(ByteReader& in) {
  const std::string& name = spec().name;
  OA_REQUIRE(in.get<uint32_t>() == kMagic, name, ": not the saved state of an environment batch");
  const auto version = in.get<uint32_t>();
  OA_REQUIRE(version == kVersion, name, ": saved state has version ", version, ", expected ",
             kVersion);
  const std::string saved_name = in.get_text();
  OA_REQUIRE(saved_name == name, name, ": saved state is of environment ", saved_name);
  const std::string saved_options = in.get_text();
  OA_REQUIRE(saved_options == options().dump(), name,
             ": saved state has other options: ", saved_options, "; here: ", options().dump());
  const int saved_lanes = in.get<int>();
  OA_REQUIRE(saved_lanes == lanes_, name, ": saved state has ", saved_lanes, " lanes, expected ",
             lanes_);
  OA_REQUIRE(in.get<uint64_t>() == seed_, name, ": saved state has another seed");
  OA_REQUIRE(in.get<int>() == first_lane_ && in.get<int>() == total_lanes_, name,
             ": saved state is of other lanes of the set");
  started_ = in.get<uint8_t>() != 0;
  for (int i = 0; i < lanes_; ++i) kernel_->load(i, in);
  in.get_into(std::span(observation_));
  in.get_into(std::span(reward_));
  in.get_into(std::span(terminated_));
  in.get_into(std::span(truncated_));
  in.get_into(std::span(first_));
  in.get_into(std::span(action_mask_));
  ended_.clear();
}

}  // namespace oneagent
