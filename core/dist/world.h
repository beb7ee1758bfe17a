// One rank's view of all ranks. While a World is alive on a thread, ops of this thread with global
// tensors run on every rank's part of them (core/dist/global.h). Every rank runs the same program.
//
//   comm::run_ranks(4, [](comm::Communicator& all) {
//     distributed::World world(all);
//     const Mesh mesh({2, 2}, {"data", "tensor"});
//     ...
//   });
#pragma once

#include <map>
#include <memory>

#include "core/comm/communicator.h"
#include "core/dist/cost.h"
#include "core/dist/strand.h"
#include "core/graph/recorder.h"
#include "core/tensor/sharding.h"

namespace oneagent::distributed {

class GlobalRecorder;
struct Placing;

class World {
 public:
  // `all` has to outlive it. Random numbers of this thread come from a generator of its own that
  // begins where the default one stands, so that all ranks draw the same. Error: a World is alive
  // in this thread already.
  explicit World(comm::Communicator& all, const CostModel& cost = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // While it lives ops of this thread pass by the World: global tensors are not looked into.
  class Aside {
   public:
    Aside();
    ~Aside();
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

   private:
    World& world_;
  };

  static World& current(const char* what);  // Error: none in this thread
  static World* find();                     // null without, and while one is aside

  int rank() const { return all_.rank(); }
  int size() const { return all_.size(); }
  comm::Communicator& all() { return all_; }
  const CostModel& cost() const { return cost_; }

  // Number of the group of ranks along `dim` of the mesh that this rank belongs to; the same number
  // on every rank. Made at the first use, by all ranks of the mesh together. Error: the mesh has
  // another number of ranks than the world.
  int group(const Mesh& mesh, size_t dim);
  comm::Communicator& communicator(int group) { return *groups_[static_cast<size_t>(group)]; }
  // Number of another group of the same ranks as `group`, for collectives on the strand.
  int group_beside(int group);
  CollectiveStrand& strand();  // made at the first use
  // Meshes by number, the same on every rank when they use them in the same order.
  int mesh_number(const Mesh& mesh);
  const std::shared_ptr<const Mesh>& mesh(int number) const {
    return meshes_[static_cast<size_t>(number)];
  }
  // Runs an op on this rank's tensors: below the recorder of global tensors, so that it is computed
  // or, in a graph, recorded.
  void run_local(const Call& call);
  // Runs an op of global and plain tensors as `placing` says (core/dist/placing.h).
  void run_placed(const Call& call, const Placing& placing, const Mesh& mesh);
  // What left this rank through all its groups.
  comm::Traffic traffic() const;

 private:
  comm::Communicator& all_;
  const CostModel cost_;
  std::vector<std::unique_ptr<comm::Communicator>> groups_;
  std::vector<std::vector<int>> lines_;      // the ranks of each
  std::map<int, int> beside_;                // by group
  std::map<std::vector<int>, int> numbers_;  // of groups, by mesh sizes and dimension
  std::vector<std::shared_ptr<const Mesh>> meshes_;
  std::unique_ptr<GlobalRecorder> recorder_;
  Generator generator_;
  bool aside_ = false;
  std::unique_ptr<CollectiveStrand> strand_;  // ends first
};

}  // namespace oneagent::distributed
