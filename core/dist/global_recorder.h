// Ops on global tensors. For each call: infer the logical result, choose a sharding signature for
// each mesh dimension (core/dist/signature.h) that takes the least time, move operands that lie
// otherwise, run the op on this rank's parts. The tape stands above, so that backward passes here
// too.
#pragma once

#include <vector>

#include "core/dist/signature.h"
#include "core/graph/recorder.h"
#include "core/tensor/global_parts.h"

namespace oneagent::distributed {

class World;
struct Placing;

class GlobalRecorder final : public Recorder {
 public:
  explicit GlobalRecorder(World& world) : world_(world) {}

  // Takes the lowest place of this thread's recorders, above the one that runs kernels.
  void install();
  void remove();

  void record(const Call& call, size_t level) override;
  Recorder** below() override { return &below_; }
  void run_placed(const Call& call, const Placing& placing, std::shared_ptr<const Mesh> mesh) {
    run_global(call, mesh, 0, &placing);
  }
  void run_local(const Call& call) { below_->record(call, 0); }

 private:
  void run_global(const Call& call, const std::shared_ptr<const Mesh>& mesh, size_t level,
                  const Placing* given);
  void change(const Call& call);  // the ops of core/dist/global_ops.h

  World& world_;
  Recorder* below_ = nullptr;
};

}  // namespace oneagent::distributed
