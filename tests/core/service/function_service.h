// A service made of a function, for tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/service/run_service.h"

namespace oneagent {

class FunctionService final : public Service {
 public:
  using Run = std::function<void(ServiceContext&)>;
  FunctionService(std::string name, Run run, int stage = 1)
      : name_(std::move(name)), run_(std::move(run)), stage_(stage) {}
  std::string name() const override { return name_; }
  void run(ServiceContext& context) override { run_(context); }
  int drain_stage() const override { return stage_; }

 private:
  std::string name_;
  Run run_;
  int stage_;
};

inline std::unique_ptr<Service> service(std::string name, FunctionService::Run run, int stage = 1) {
  return std::make_unique<FunctionService>(std::move(name), std::move(run), stage);
}

// Ready at once, then idle until drained.
inline std::unique_ptr<Service> idle_service(std::string name, int stage = 1) {
  return service(
      std::move(name),
      [](ServiceContext& context) {
        context.ready();
        while (!context.wait_draining(Deadline::after_ms(10'000))) {
        }
      },
      stage);
}

template <class... Services>
std::vector<std::unique_ptr<Service>> list_of(Services... services) {
  std::vector<std::unique_ptr<Service>> list;
  (list.push_back(std::move(services)), ...);
  return list;
}

// True as soon as `holds` does, false after `within_ms`.
template <class Holds>
bool eventually(const Holds& holds, int within_ms = 5000) {
  const Deadline until = Deadline::after_ms(within_ms);
  while (!holds()) {
    if (until.expired()) return false;
    ::usleep(5'000);
  }
  return true;
}

}  // namespace oneagent
