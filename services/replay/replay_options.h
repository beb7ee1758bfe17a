// Section [replay] of the experiment file.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/options.h"

namespace oneagent {

struct ReplayOptions {
  std::string address = "inproc://replay";
  std::string durability = "process";
  int64_t segment_bytes = 16 << 20;
  int64_t capacity_bytes = int64_t{2} << 30;
  int64_t staged_bytes = 256 << 20;
  int64_t retain_bytes = 256 << 20;
  int64_t credit_items = 64;
  int64_t credit_chunks = 64;
  int64_t credit_bytes = 64 << 20;
  int64_t ordered_actors = 0;
  int64_t journal_bytes = 16 << 20;
  int64_t quarantine_files = 100;
  uint64_t seed = 0;

  static void options(OptionList<ReplayOptions>& list) {
    list.add("address", &ReplayOptions::address,
             "where requests are answered: inproc://name, ipc://path or tcp://host:port; the chunk "
             "stream uses the next port, or the name with -stream");
    list.add("durability", &ReplayOptions::durability,
             "what an acknowledged chunk survives: memory (nothing), process (SIGKILL of the "
             "replay), machine (loss of power)")
        .one_of({"memory", "process", "machine"});
    list.add("segment_bytes", &ReplayOptions::segment_bytes,
             "size of a segment file; a larger chunk gets a file of its own")
        .at_least(1 << 16);
    list.add(
            "capacity_bytes", &ReplayOptions::capacity_bytes,
            "bound on all segment files together; beyond it chunks are refused until space is free")
        .at_least(1 << 18);
    list.add("staged_bytes", &ReplayOptions::staged_bytes,
             "bound on chunks whose items still wait for their tables")
        .at_least(1 << 16);
    list.add("retain_bytes", &ReplayOptions::retain_bytes,
             "bound on chunks kept only so that a learner can return to its last epoch; beyond it "
             "they count as consumed_uncommitted")
        .at_least(0);
    list.add("credit_items", &ReplayOptions::credit_items,
             "items of one actor that may wait for one table before its next chunk is held")
        .at_least(1);
    list.add("credit_chunks", &ReplayOptions::credit_chunks,
             "chunks of one actor that may be unacknowledged")
        .at_least(1);
    list.add("credit_bytes", &ReplayOptions::credit_bytes,
             "chunk bytes of one actor that may be unacknowledged; also the largest chunk")
        .at_least(1 << 12);
    list.add("ordered_actors", &ReplayOptions::ordered_actors,
             "n: fifo tables take items in actor order 0, 1, .., n-1, 0, 1, .. so that merging is "
             "deterministic; 0: as they come")
        .at_least(0);
    list.add("journal_bytes", &ReplayOptions::journal_bytes,
             "journal size at which it is folded into a state file")
        .at_least(1 << 16);
    list.add("quarantine_files", &ReplayOptions::quarantine_files,
             "bad chunks kept for inspection; more are only counted")
        .at_least(0);
    list.add("seed", &ReplayOptions::seed, "of the selectors' random streams");
  }
};

}  // namespace oneagent
