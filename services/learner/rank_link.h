// What the first rank of a learner tells the others: commands with tensors, in order. Every rank
// then does the same, so that the collectives of all meet.
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/base/json.h"
#include "core/comm/communicator.h"

namespace oneagent {

class RankLink {
 public:
  struct Command {
    Json head;
    TensorMap tensors;
  };

  explicit RankLink(comm::Communicator& all) : all_(all) {}
  bool leads() const { return all_.rank() == 0; }
  int rank() const { return all_.rank(); }
  int ranks() const { return all_.size(); }

  void tell(Json head, const TensorMap& tensors = {});  // of the first rank
  Command hear();                                       // of the others
  // Called by all ranks at the same point. Error on all of them when one has another number.
  void require_same(const std::string& what, uint64_t number);
  // What each rank says, on all of them.
  std::vector<std::string> gather(const std::string& text);
  // The first rank's values, in place.
  void share(const Tensor& tensor);

 private:
  comm::Communicator& all_;
  std::vector<uint8_t> memory_;  // of the last command
};

}  // namespace oneagent
