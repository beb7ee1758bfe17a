#include "services/cli/local_sample.h"

#include "services/acting.h"
#include "services/actor/rollout.h"
#include "services/learner/mesh_choice.h"
#include "services/learner/trainer.h"

namespace oneagent {

ring::SampleBatch local_sample(const Experiment& e, const Registry& registry) {
  const auto seed = static_cast<uint64_t>(e.run.seed);
  const std::unique_ptr<Algorithm> acting = make_algorithm(e, registry);
  const Needs needs = acting->needs();
  OA_REQUIRE(needs.item.kind == ItemShape::Kind::kRollout,
             "it learns from single transitions, which one rollout does not give");
  EnvBatch envs(registry.envs, e.env.name, e.env_options, e.env.count, seed);
  Rollout rollout(envs, *acting, seed);
  ring::SampleBatch batch{needs.table.name, {}};
  for (int64_t i = 0; i < needs.items_per_sample; ++i) {
    const ring::Chunk chunk = rollout.collect(0);
    for (const ring::ItemSpec& item : make_items(chunk, needs))
      batch.items.push_back({batch.items.size() + 1, 1, 1.0, item, chunk});
  }
  return batch;
}

std::string settle_mesh(Experiment& e, const Registry& registry) {
  if (!e.learner_mesh.open()) return "";
  const auto seed = static_cast<uint64_t>(e.run.seed);
  ring::SampleBatch batch;
  try {
    batch = local_sample(e, registry);
  } catch (const Error& error) {
    throw_error(
        str("[learner.parallel]: data and tensor cannot be chosen: ", error.what(), "; give them"));
  }
  const std::unique_ptr<Algorithm> algorithm = make_algorithm(e, registry);
  Trainer trainer(
      *algorithm, seed, [&]() -> Result<ring::SampleBatch> { return batch; },
      [](const Learn::Sample&, const std::vector<double>&) {}, fs::temp_directory_path());
  PhaseWatch watch(trainer);
  const auto metrics = algorithm->learn(watch);
  OA_REQUIRE(metrics.ok(), "[learner.parallel]: ", metrics.status().message());
  const MeshChoice choice = choose_mesh(e.learner_mesh, *algorithm, watch.uses(), usable_cores());
  const MeshChoice::Candidate& chosen = choice.candidates[0];
  MeshOptions& mesh = e.learner_mesh;
  mesh.data = chosen.data;
  mesh.tensor = chosen.tensor;
  mesh.ranks = chosen.ranks();
  mesh.pipeline = chosen.pipeline;
  if (chosen.pipeline > 1) {
    mesh.micro_batches = chosen.micro_batches;
    mesh.schedule = chosen.schedule;
  }
  return choice.text;
}

std::string settle_mesh_of_run(Experiment& e, const Registry& registry) {
  MeshOptions& mesh = e.learner_mesh;
  if (!mesh.open()) return "";
  const fs::path file = e.place.folder / "mesh.json";
  const Json asked = options_to_json(mesh);
  if (fs::exists(file)) {
    const Json known = Json::parse(read_text(file), nullptr, false);
    if (known.is_object() && known.value("asked", Json()) == asked &&
        known.value("or_fewer", false) == mesh.or_fewer) {
      mesh.data = known.value("data", 1);
      mesh.tensor = known.value("tensor", 1);
      mesh.pipeline = known.value("pipeline", 1);
      mesh.micro_batches = known.value("micro_batches", mesh.micro_batches);
      mesh.schedule = known.value("schedule", mesh.schedule);
      mesh.ranks = mesh.size();
      return str("data=", mesh.data, " tensor=", mesh.tensor,
                 mesh.pipeline > 1 ? str(" pipeline=", mesh.pipeline) : "", ", as this run began");
    }
  }
  const bool or_fewer = mesh.or_fewer;
  std::string text = settle_mesh(e, registry);
  make_folder(e.place.folder);
  write_atomic(file, Json({{"asked", asked},
                           {"or_fewer", or_fewer},
                           {"data", mesh.data},
                           {"tensor", mesh.tensor},
                           {"pipeline", mesh.pipeline},
                           {"micro_batches", mesh.micro_batches},
                           {"schedule", mesh.schedule}})
                         .dump());
  return text;
}

}  // namespace oneagent
