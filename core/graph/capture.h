// Records op calls into a Program. While a Capture is alive on a thread, ops of this thread compute
// nothing: their results are symbolic tensors with shape and type but no memory. The tape above
// works as ever, so that backward() records the same vjp calls that it would run.
#pragma once

#include <unordered_map>

#include "core/graph/program.h"
#include "core/graph/recorder.h"

namespace oneagent {

class Capture final : public Recorder {
 public:
  // Random ops draw from `generator`. Error: a capture is going on already in this thread.
  explicit Capture(Generator generator = default_generator());
  ~Capture() override;
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // A symbolic tensor like `example`, whose memory is given for each run. Of global tensors the
  // local parts are inputs, outputs and kept.
  Tensor input(const Tensor& example);
  void output(const Tensor& result);
  // Gives a symbolic tensor memory that outlives the runs, each of which fills it: a gradient.
  Tensor keep(const Tensor& symbolic);
  // The program so far; the capture is over.
  Program finish();

  void record(const Call& call, size_t level) override;

 private:
  friend void note_recorded_gradient(TensorImpl& leaf);
  ValueId value_of(const Tensor& tensor);
  BufferId buffer_of(const Tensor& tensor);
  Tensor symbolic(const TensorMeta& meta, BufferKind kind);
  void end();

  Program program_;
  const uint64_t serial_;  // upper half of the numbers of this capture's symbolic storages
  std::unordered_map<const Storage*, BufferId> bound_;  // memory of others, kept by the program
  std::unordered_map<uint64_t, std::vector<ValueId>> values_;  // by hash, for looking up
  struct Reached {
    Ref<TensorImpl> leaf;
    Ref<TensorImpl> before;  // its gradient
  };
  std::vector<Reached> reached_;  // by backward()
  Generator generator_;
  RngState first_draw_;
  Recorder** place_ = nullptr;  // that it takes
  Recorder* before_ = nullptr;  // what stood there
  bool alive_ = true;
};

}  // namespace oneagent
