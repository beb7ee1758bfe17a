// How the learner is spread over ranks: what the experiment file says of it.
#pragma once

#include <string>

#include "core/base/options.h"

namespace oneagent {

// [learner.parallel]. In [learner], parallel = "auto" stands for { ranks = cores of this machine },
// or fewer where that is faster.
struct MeshOptions {
  int data = 0;
  int tensor = 0;
  int pipeline = 1;
  int micro_batches = 0;
  std::string schedule = "1f1b";
  int stages_per_rank = 2;
  int ranks = 0;
  // No keys: "auto" takes fewer ranks where that is faster; the planner chooses the pipeline where
  // data, tensor and pipeline are all left out, and its schedule where that is.
  bool or_fewer = false, open_pipeline = false, open_schedule = false;
  std::string kind = "threads";
  std::string host;
  int index = -1;
  double lost_after_s = 3;
  double step_timeout_s = 600;
  static void options(OptionList<MeshOptions>& list) {
    list.add("data", &MeshOptions::data,
             "ranks that share out the rows of each batch; 0: 1, or what the planner chooses where "
             "ranks is given")
        .between(0, 64);
    list.add("tensor", &MeshOptions::tensor, "ranks that share out the parameters; 0: as for data")
        .between(0, 64);
    list.add("pipeline", &MeshOptions::pipeline,
             "ranks that the layers are cut into stages for; each stage is shared out by data x "
             "tensor ranks. Left out: 1, or what the planner chooses where it chooses data and "
             "tensor")
        .between(1, 64);
    list.add(
            "micro_batches", &MeshOptions::micro_batches,
            "equal parts in which a batch passes the pipeline, at most; 0: twice pipeline, or what "
            "the planner chooses")
        .between(0, 1024);
    list.add("schedule", &MeshOptions::schedule, "of the pipeline (docs/pipeline.md)")
        .one_of({"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2"});
    list.add("stages_per_rank", &MeshOptions::stages_per_rank,
             "of the pipeline with schedule interleaved; the others have one")
        .between(2, 64);
    list.add("ranks", &MeshOptions::ranks,
             "how many ranks; what data and tensor leave open, the planner chooses. 0: data x "
             "tensor x pipeline")
        .between(0, 64);
    list.add("kind", &MeshOptions::kind,
             "threads of the learner; processes that the learner starts on its machine; services "
             "that run `oneagent rank`, as in compose.yaml")
        .one_of({"threads", "processes", "services"});
    list.add("host", &MeshOptions::host,
             "name or number by which the other ranks reach this one; empty: 127.0.0.1 for "
             "processes, the host's name for services");
    list.add("index", &MeshOptions::index,
             "of this `oneagent rank`, 1 .. ranks-1; -1: the first free one")
        .between(-1, 63);
    list.add("lost_after_s", &MeshOptions::lost_after_s,
             "a rank whose process shows no sign of life for so long is lost; a long step is no "
             "silence")
        .between(0.2, 600);
    list.add("step_timeout_s", &MeshOptions::step_timeout_s,
             "a rank that comes to a step so much later than another is given up, though it lives")
        .between(1, 86400);
  }

  // With data and tensor known, which choose() (or the file) sees to.
  int size() const { return data * tensor * pipeline; }
  // Whether the planner has to find data and tensor, and the pipeline where that is open, too.
  bool open() const { return ranks > 0 && (data == 0 || tensor == 0); }
  // Whether there is more than one rank.
  bool several() const { return ranks > 1 || (ranks == 0 && size() > 1); }
};

// Cores that this process may use, which in a container are fewer than the machine has.
int usable_cores();

// "4 ranks on 2 cores ...": a warning where ranks of this machine have to take turns, else "".
std::string too_many_ranks(const MeshOptions& options);

// What stands at [learner] parallel: a table, or "auto". Fills in what is no matter of choice; what
// the planner has to choose stays 0 (MeshOptions::open). Error: the numbers contradict each other.
MeshOptions parse_mesh(const Json& value, const std::string& where);

}  // namespace oneagent
