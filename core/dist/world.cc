#include "core/dist/world.h"

#include "core/dist/global_recorder.h"

namespace oneagent::distributed {
namespace {

thread_local World* world_of_thread = nullptr;

}  // namespace

World::World(comm::Communicator& all, const CostModel& cost)
    : all_(all),
      cost_(cost),
      recorder_(std::make_unique<GlobalRecorder>(*this)),
      generator_(default_generator().clone()) {
  OA_REQUIRE(world_of_thread == nullptr, "world: another one is alive in this thread");
  world_of_thread = this;
  recorder_->install();
  context().generator = &generator_;
}

World::~World() {
  // What is under way will not end when this rank has failed.
  if (strand_ != nullptr && strand_->busy())
    all_.abort(str("rank ", rank(), " left while its collectives were under way"));
  context().generator = nullptr;
  recorder_->remove();
  world_of_thread = nullptr;
}

World& World::current(const char* what) {
  OA_REQUIRE(world_of_thread != nullptr, what,
             ": there is no World in this thread; make one from the rank's communicator first");
  return *world_of_thread;
}

World::Aside::Aside() : world_(current("aside")) {
  world_.recorder_->remove();
  world_.aside_ = true;
}
World::Aside::~Aside() {
  world_.aside_ = false;
  world_.recorder_->install();
}

World* World::find() {
  return world_of_thread == nullptr || world_of_thread->aside_ ? nullptr : world_of_thread;
}

int World::group(const Mesh& mesh, size_t dim) {
  OA_REQUIRE(mesh.ranks() == size(), "mesh ", mesh.text(), " has ", mesh.ranks(),
             " ranks, the world has ", size());
  const std::vector<int> line = mesh.line(rank(), dim);
  // The sizes of the mesh decide whether the group is known, so that all ranks make it together.
  std::vector<int> key(mesh.sizes().begin(), mesh.sizes().end());
  key.push_back(static_cast<int>(dim));
  const auto [at, fresh] = numbers_.try_emplace(key, static_cast<int>(groups_.size()));
  if (fresh) {
    groups_.push_back(all_.split(line));
    lines_.push_back(line);
  }
  return at->second;
}

int World::group_beside(int group) {
  const auto [at, fresh] = beside_.try_emplace(group, static_cast<int>(groups_.size()));
  if (fresh) {
    const std::vector<int> line = lines_[static_cast<size_t>(group)];
    groups_.push_back(all_.split(line));
    lines_.push_back(line);
  }
  return at->second;
}

CollectiveStrand& World::strand() {
  if (strand_ == nullptr) strand_ = std::make_unique<CollectiveStrand>();
  return *strand_;
}

int World::mesh_number(const Mesh& mesh) {
  for (size_t i = 0; i < meshes_.size(); ++i)
    if (*meshes_[i] == mesh) return static_cast<int>(i);
  OA_REQUIRE(mesh.ranks() == size(), "mesh ", mesh.text(), " has ", mesh.ranks(),
             " ranks, the world has ", size());
  meshes_.push_back(std::make_shared<const Mesh>(mesh));
  return static_cast<int>(meshes_.size()) - 1;
}

void World::run_local(const Call& call) { recorder_->run_local(call); }

void World::run_placed(const Call& call, const Placing& placing, const Mesh& mesh) {
  recorder_->run_placed(call, placing, meshes_[static_cast<size_t>(mesh_number(mesh))]);
}

comm::Traffic World::traffic() const {
  comm::Traffic sum;
  const auto add = [](comm::Traffic::Count& into, const comm::Traffic::Count& count) {
    into.calls += count.calls;
    into.bytes += count.bytes;
  };
  for (const auto& group : groups_) {
    const comm::Traffic& part = group->traffic();
    add(sum.all_reduce, part.all_reduce);
    add(sum.all_gather, part.all_gather);
    add(sum.reduce_scatter, part.reduce_scatter);
    add(sum.all_to_all, part.all_to_all);
    add(sum.broadcast, part.broadcast);
    add(sum.send, part.send);
  }
  return sum;
}

}  // namespace oneagent::distributed
