// The program as a user starts it: embedded runs and the services of a distributed one, in a folder
// of the test.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/io/safetensors.h"
#include "tests/support/free_port.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {

using Words = std::vector<std::string>;

inline const std::string kProgram = std::string(OA_BINARY) + "/oneagent";
inline const std::string kPresets = std::string(OA_SOURCE) + "/algorithms/presets/";

inline Words set(std::initializer_list<std::string> pairs) {
  Words words;
  for (const std::string& pair : pairs) {
    words.push_back("--set");
    words.push_back(pair);
  }
  return words;
}

inline Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Ring : public ::testing::Test {
 protected:
  // A short cartpole run without schedules, so that its length does not change its course.
  Words settings(const std::string& run, int steps, int actors = 1) const {
    return set({"run.folder=" + runs_.string(), "run.name=" + run, str("stop.steps=", steps),
                str("actor.count=", actors), "algorithm.lr_schedule=constant",
                "algorithm.clip_schedule=constant", "algorithm.epochs=4", "evaluator.every=1000000",
                "evaluator.episodes=4", "learner.checkpoint_seconds=0",
                "algorithm.normalize_observation=true"});
  }
  Process start(const Words& words, const std::string& log) const {
    return Process(Words{kProgram} + words, folder_.path() / "logs" / log);
  }
  int run(const Words& words, const std::string& log, int64_t timeout_ms = 60000) const {
    Process process(Words{kProgram} + words, folder_.path() / "logs" / log);
    return process.wait(timeout_ms).value_or(-1);
  }
  std::string log(const std::string& name) const {
    const fs::path file = folder_.path() / "logs" / name;
    return fs::exists(file) ? read_text(file) : "";
  }
  fs::path run_folder(const std::string& run) const { return runs_ / run; }
  ring::ArraySet weights(const std::string& run) const {
    const fs::path file = run_folder(run) / "weights" / "final.safetensors";
    EXPECT_TRUE(fs::exists(file)) << file;
    return fs::exists(file) ? io::load_safetensors(file).arrays : ring::ArraySet();
  }
  void train(const std::string& run, int steps, int actors = 1, const Words& more = {}) const {
    ASSERT_EQ(
        this->run(Words{"train", kPresets + "ppo-cartpole.toml", "--quiet", "--no-final-eval"} +
                      settings(run, steps, actors) + more,
                  run + ".log"),
        0)
        << log(run + ".log");
  }
  void expect_equal_weights(const std::string& a, const std::string& b) const {
    const ring::ArraySet x = weights(a), y = weights(b);
    ASSERT_FALSE(x.empty());
    EXPECT_TRUE(ring::equal(x, y)) << a << " and " << b << " ended with different weights";
  }

  // The services of one distributed run; each may be killed and started again.
  struct Services {
    const Ring& ring;
    Words common;
    std::string run;
    std::map<std::string, std::unique_ptr<Process>> processes;

    void start(const std::string& name, const Words& more = {}) {
      const std::string service = name.substr(0, name.find('-'));
      Words words = {kProgram, service, kPresets + "ppo-cartpole.toml"};
      words = words + common + more;
      if (service == "actor") words = words + set({"actor.index=" + name.substr(6)});
      processes[name] = std::make_unique<Process>(
          words, ring.folder_.path() / "logs" / (run + "-" + name + ".log"));
    }
    void kill(const std::string& name) {
      processes[name]->signal(SIGKILL);
      processes[name]->wait(5000);
    }
    // Of the newest weights, from the learner's metrics.
    int64_t version() const {
      const fs::path file = ring.run_folder(run) / "metrics" / "learner.jsonl";
      if (!fs::exists(file)) return 0;
      const std::vector<std::string> lines = split(trim(read_text(file)), '\n');
      for (auto line = lines.rbegin(); line != lines.rend(); ++line)
        if (const Json row = Json::parse(*line, nullptr, false); row.is_object())
          return row.value("version", int64_t{0});
      return 0;
    }
    // Whether there are weights newer than `beyond` within 20 s.
    bool reaches(int64_t beyond) {
      const Deadline until = Deadline::after_ms(20000);
      while (version() <= beyond && processes["learner"]->running() && !until.expired())
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return version() > beyond;
    }
    std::string logs() const {
      std::string out;
      for (const auto& [name, process] : processes)
        out += "---- " + name + "\n" + process->output();
      return out;
    }
  };
  Services services(const std::string& run, int steps, int actors,
                    const std::string& replay_address, const std::string& learner_address,
                    const Words& more = {}) const {
    Services all{
        *this,
        settings(run, steps, actors) +
            set({"replay.address=" + replay_address, "learner.address=" + learner_address}) + more,
        run,
        {}};
    all.start("replay");
    all.start("learner");
    for (int i = 0; i < actors; ++i) all.start(str("actor-", i));
    return all;
  }
  Services tcp_services(const std::string& run, int steps, int actors) const {
    return services(run, steps, actors, str("tcp://127.0.0.1:", free_port(2)),
                    str("tcp://127.0.0.1:", free_port()));
  }

  TemporaryFolder folder_;
  fs::path runs_ = folder_.path();
};

}  // namespace oneagent
