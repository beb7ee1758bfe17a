#include <algorithm>

#include "core/base/text.h"
#include "core/plan/pipeline_simulate.h"

namespace oneagent {
namespace {

std::string label(const PipelineSchedule& schedule, const PipelineAction& action) {
  std::string text = str(name_of(action.kind), action.micro_batch);
  if (schedule.shape.chunks > 1)
    text += static_cast<char>('a' + schedule.chunk_of(action.stage) % 26);
  return text;
}

void put(std::string& row, int64_t column, size_t width, const std::string& text) {
  const size_t at = static_cast<size_t>(column) * width;
  if (row.size() < at + width) row.resize(at + width, ' ');
  row.replace(at, text.size(), text);
}

}  // namespace

std::string to_text(const PipelineSchedule& schedule, const PipelineTimes& times) {
  const PipelineSimulation simulation = simulate(schedule, times);
  size_t width = 2;
  for (const auto& actions : simulation.ranks)
    for (const TimedAction& timed : actions)
      if (is_compute(timed.action.kind))
        width = std::max(width, label(schedule, timed.action).size() + 1);
  std::string text = str(name_of(schedule.kind), ": ", schedule.shape.ranks, " ranks, ",
                         schedule.shape.micro_batches, " micro-batches");
  if (schedule.shape.chunks > 1) text += str(", ", schedule.shape.chunks, " chunks a rank");
  text += str("; ", simulation.makespan, " units, idle ",
              static_cast<int>(simulation.idle_share * 1000 + 0.5) / 10.0, "%\n");
  for (size_t rank = 0; rank < simulation.ranks.size(); ++rank) {
    std::string row;
    for (int64_t column = 0; column < simulation.makespan; ++column) put(row, column, width, ".");
    for (const TimedAction& timed : simulation.ranks[rank]) {
      for (int64_t column = timed.begin; column < timed.end; ++column) put(row, column, width, "-");
      if (is_compute(timed.action.kind) && timed.end > timed.begin)
        put(row, timed.begin, width, label(schedule, timed.action));
    }
    const size_t end = row.find_last_not_of(' ');
    text += str("rank ", rank, " | ", row.substr(0, end + 1), "\n");
  }
  return text;
}

Json to_json(const PipelineSchedule& schedule, const PipelineTimes& times) {
  const PipelineSimulation simulation = simulate(schedule, times);
  Json ranks = Json::array();
  for (size_t rank = 0; rank < simulation.ranks.size(); ++rank) {
    Json actions = Json::array();
    for (const TimedAction& timed : simulation.ranks[rank])
      actions.push_back({{"kind", name_of(timed.action.kind)},
                         {"stage", timed.action.stage},
                         {"micro_batch", timed.action.micro_batch},
                         {"begin", timed.begin},
                         {"end", timed.end}});
    ranks.push_back({{"busy", simulation.busy[rank]},
                     {"activations", simulation.activations[rank]},
                     {"weight_inputs", simulation.weight_inputs[rank]},
                     {"actions", std::move(actions)}});
  }
  return {{"kind", name_of(schedule.kind)},
          {"ranks", schedule.shape.ranks},
          {"micro_batches", schedule.shape.micro_batches},
          {"chunks", schedule.shape.chunks},
          {"makespan", simulation.makespan},
          {"bubble", simulation.bubble},
          {"idle_share", simulation.idle_share},
          {"by_rank", std::move(ranks)}};
}

}  // namespace oneagent
