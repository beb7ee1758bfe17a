// The replay as a service of a run: a ReplayServer on the service's thread, with its metrics and
// problems.
#pragma once

#include <string>
#include <vector>

#include "core/data/table_spec.h"
#include "core/net/context.h"
#include "core/service/service.h"
#include "services/replay/replay_options.h"

namespace oneagent {

class ReplayService final : public Service {
 public:
  ReplayService(net::Context& context, const ReplayOptions& options, const RunPlace& place,
                std::vector<ring::TableSpec> tables);
  std::string name() const override { return "replay"; }
  int drain_stage() const override { return 2; }
  void run(ServiceContext& context) override;

 private:
  net::Context& net_;
  ReplayOptions options_;
  RunPlace place_;
  std::vector<ring::TableSpec> tables_;
};

}  // namespace oneagent
