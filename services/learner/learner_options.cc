#include "services/learner/learner_options.h"

#include <sched.h>

#include <algorithm>

namespace oneagent {

int usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

std::string too_many_ranks(const MeshOptions& options) {
  const int ranks = options.size(), cores = usable_cores();
  if (options.kind == "services" || ranks <= cores) return "";
  return str("learner: ", ranks, " ranks on ", cores, " cores take turns, which is slower than ",
             cores, "; lower [learner.parallel] data, tensor or pipeline");
}

MeshOptions parse_mesh(const Json& value, const std::string& where) {
  if (!value.is_object()) {
    OA_REQUIRE(value == "auto", where, ": expected \"auto\" or a table such as { data = 2 }, was ",
               value.dump());
    MeshOptions out;
    out.ranks = std::clamp(usable_cores(), 1, 64);
    out.or_fewer = out.open_pipeline = out.open_schedule = true;
    return out;
  }
  MeshOptions out = parse_options<MeshOptions>(value, where);
  const auto left_out = [&](const char* key) { return !value.contains(key); };
  out.open_pipeline = out.ranks > 1 && out.data == 0 && out.tensor == 0 && left_out("pipeline");
  if (out.ranks == 0) {
    out.data = std::max(out.data, 1);
    out.tensor = std::max(out.tensor, 1);
  }
  OA_REQUIRE(out.ranks % out.pipeline == 0, where, ": pipeline is ", out.pipeline,
             ", which does not divide ranks = ", out.ranks);
  const int of_stage = out.ranks / out.pipeline;
  if (of_stage == 1 && !(out.data > 1 || out.tensor > 1)) out.data = out.tensor = 1;
  for (auto [given, other] :
       {std::pair{&out.data, &out.tensor}, std::pair{&out.tensor, &out.data}}) {
    if (out.ranks == 0 || *given == 0) continue;
    OA_REQUIRE(of_stage % *given == 0, where, ": ", given == &out.data ? "data" : "tensor", " is ",
               *given, ", which does not divide ranks = ", out.ranks,
               out.pipeline > 1 ? str(" / pipeline = ", out.pipeline) : "");
    if (*other == 0) *other = of_stage / *given;
  }
  const std::string product =
      str("data ", out.data, " x tensor ", out.tensor,
          out.pipeline > 1 ? str(" x pipeline ", out.pipeline) : "", " is ", out.size());
  OA_REQUIRE(out.ranks == 0 || out.open() || out.size() == out.ranks, where, ": ", product,
             ", but ranks is ", out.ranks, "; leave ranks out, or one of the others");
  OA_REQUIRE(out.open() || out.size() <= 64, where, ": ", product, " ranks; the most is 64");
  OA_REQUIRE(out.micro_batches == 0 || out.schedule != "interleaved" ||
                 out.micro_batches % out.pipeline == 0,
             where,
             ": schedule interleaved takes micro_batches in multiples of pipeline = ", out.pipeline,
             ", was ", out.micro_batches);
  out.open_schedule = out.open() && left_out("schedule");
  return out;
}

}  // namespace oneagent
