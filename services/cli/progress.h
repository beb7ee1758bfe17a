// The live display of a run: one line that is redrawn on a terminal, a line every 5 s elsewhere, a
// JSON object a second with --json.
#pragma once

#include <cstdint>
#include <string>

#include "core/service/run_service.h"

namespace oneagent {

class Progress final {
 public:
  Progress(bool json, bool quiet);
  // Called often; draws when it is time.
  void tick(ServiceGroup& group);
  void finish();  // ends the redrawn line

 private:
  std::string line(const std::vector<Heartbeat>& beats) const;
  std::string json_line(const std::vector<Heartbeat>& beats) const;

  bool json_, quiet_, terminal_;
  bool drawn_ = false;
  int64_t last_ns_ = 0;
};

}  // namespace oneagent
