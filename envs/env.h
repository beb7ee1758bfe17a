// An environment is a page of plain C++: a final class whose objects are the state of one lane, and
// OA_ENV(name, Class) at the end of its file.
//
//   class Cartpole final {
//    public:
//     struct Options { ...; static void options(OptionList<Options>& list); };
//     static constexpr std::string_view kSummary = "...";            // one line, for `list`
//     static constexpr Autoreset kAutoreset = Autoreset::kSameStep;  // checked at registration
//     using Action = int32_t;                            // or std::span<const float>
//     static EnvSpec spec(const Options& options);
//     explicit Cartpole(const Options& options);         // or (const Setup&), see below
//     void reset(EpisodeStart& start, EnvRow row);       // writes the first observation and mask
//     StepResult step(Action action, Rng& rng, EnvRow row);  // writes the next ones
//     void save(ByteWriter& out) const;                  // the whole state of the lane, exactly
//     void load(ByteReader& in);
//
//     void metrics(std::span<double> values);            // when the spec names metrics
//     Json recording();                                  // optional: the episode, to draw, judge
//     static std::vector<Json> samples();                // optional: sets for the conformance
//     static std::vector<EnvBaseline> baselines();       // optional: scripted policies
//   };
//
// The time limit (EnvSpec::max_steps), episode counting, seeds and automatic resets belong to
// EnvBatch, not to the class. A class with large immutable data (a map) has a nested type Setup,
// constructible from Options, that all lanes share. The batch kernel (env_lanes.h) is instantiated
// over the class: no virtual call per step, lanes contiguous in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/json.h"
#include "core/base/options.h"
#include "core/base/rng.h"
#include "core/base/shape.h"
#include "core/data/spec.h"

namespace oneagent {

// What happens after the last step of an episode. kSameStep: that step already shows the first
// observation of the next episode, and the last one of the ended episode is the final observation.
// kNextStep (Gymnasium 1.x: one dummy step) is what a foreign env may declare.
enum class Autoreset { kUndeclared, kSameStep, kNextStep };

struct EnvSpec {
  std::string name;         // filled in by the registration
  Shape observation_shape;  // of one float32 row: [features] or [channels, height, width]
  // Bounds: one for all values, one per value, or empty (unbounded).
  std::vector<float> observation_low;
  std::vector<float> observation_high;
  ring::ActionSpec action;
  bool has_action_mask = false;      // discrete only, 1 = legal; one action at least always is
  int max_steps = 0;                 // the episode is truncated after so many steps; 0 = no limit
  std::vector<std::string> metrics;  // results of an ended episode, in order: "success", "spl"
  // Episodes of the environment's official test set, in evaluation mode; 0 = it has none.
  int64_t official_episodes = 0;
  double solved_return = 0;  // mean return that counts as solved; 0 = not defined
  Autoreset autoreset = Autoreset::kUndeclared;  // filled in by the registration
  int64_t observation_size = 0;  // product of the shape; filled in by the registration
};

// How an episode begins. `rng` is the stream of this episode: seed_of({batch seed, lane, episode});
// step() draws on from it.
struct EpisodeStart {
  Rng& rng;
  int64_t episode;  // 0, 1, 2 ... of this lane
  int lane;         // number of the lane in the whole set
  int lanes;        // size of the whole set
};

// Where an environment writes: its own row of the batch.
struct EnvRow {
  std::span<float> observation;
  std::span<uint8_t> action_mask;  // empty when the spec has none
};

struct StepResult {
  float reward = 0;
  bool terminated = false;  // the task ended
  bool truncated = false;   // cut off by the environment itself; the time limit needs nothing here
};

// A scripted policy: a function of what the policy under test sees, for comparison. Discrete
// actions only.
class ScriptedPolicy {
 public:
  virtual ~ScriptedPolicy() = default;
  // Rows of N lanes: observation [N, observation], mask [N, actions] or empty, actions [N] out.
  virtual void act(std::span<const float> observation, std::span<const uint8_t> mask,
                   std::span<int32_t> actions) = 0;
};

struct EnvBaseline {
  std::string name;
  std::string meaning;  // one line
  // From EnvBatch::spec() and EnvBatch::options().
  std::unique_ptr<ScriptedPolicy> (*make)(const EnvSpec& spec, const Json& options) = nullptr;
};

class EnvKernel;

// One registered environment. Value type.
struct EnvEntry {
  std::string name;
  std::string summary;
  Autoreset autoreset = Autoreset::kUndeclared;
  std::vector<OptionInfo> (*describe_options)() = nullptr;
  // Option sets under which the conformance suite runs it.
  std::vector<Json> (*samples)() = nullptr;
  // Scripted policies to judge beside a trained one; may be none.
  std::vector<EnvBaseline> (*baselines)() = nullptr;
  // Parses the options ("[env] key" in errors) and makes the lanes; nothing is reset yet.
  std::unique_ptr<EnvKernel> (*make)(const std::string& name, const Json& options,
                                     int lanes) = nullptr;
};

class EnvTable {
 public:
  // Refuses a second entry of one name, and an autoreset that EnvBatch does not serve.
  void add(EnvEntry entry);
  // An unknown name is an Error with the nearest valid one.
  const EnvEntry& find(std::string_view name) const;
  std::vector<std::string> names() const;  // sorted
  // The spec of an environment with these options, without stepping it.
  EnvSpec spec(std::string_view name, const Json& options) const;

 private:
  std::map<std::string, EnvEntry, std::less<>> entries_;
};

// Generated: adds every file of envs/.
void register_all(EnvTable& table);

}  // namespace oneagent

// Ends the file of an environment; `name` is the name of the file.
#define OA_ENV(name, Class)                               \
  void register_env_##name(::oneagent::EnvTable& table) { \
    table.add(::oneagent::env_entry<Class>(#name));       \
  }

#include "envs/env_lanes.h"  // env_entry<Class>
