// The ranks of one learner as threads of its process. The learner's own thread is the first rank;
// the others each have the same algorithm and do what the first one tells them.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/comm/thread_communicator.h"
#include "core/dist/world.h"
#include "services/learner/learner_options.h"
#include "services/learner/trainer.h"

namespace oneagent {

class RankTeam {
 public:
  // `make` gives each further rank an algorithm that is built like the first one's. Places the
  // first rank, `trainer` on this thread, on the mesh. `seed` of random numbers in phases.
  RankTeam(const MeshOptions& options, Trainer& trainer,
           const std::function<std::unique_ptr<Algorithm>()>& make, uint64_t seed,
           const fs::path& fault_folder, bool graphs);
  ~RankTeam();
  RankTeam(const RankTeam&) = delete;
  RankTeam& operator=(const RankTeam&) = delete;

 private:
  void follow(int rank, const std::function<std::unique_ptr<Algorithm>()>& make, uint64_t seed,
              const fs::path& fault_folder, bool graphs);

  const Mesh mesh_;
  Trainer& trainer_;
  comm::ThreadGroup commands_;  // which may be waited for for long
  comm::ThreadGroup group_;
  distributed::World world_;
  RankLink link_;
  std::vector<std::thread> threads_;
};

}  // namespace oneagent
