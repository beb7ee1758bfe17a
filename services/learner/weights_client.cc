#include "services/learner/weights_client.h"

#include "core/base/log.h"
#include "core/net/poller.h"
#include "services/learner/weights_message.h"

namespace oneagent {

WeightsClient::WeightsClient(net::Context& context, WaitBoard& board, const std::string& name,
                             const std::string& address)
    : name_(name),
      board_(board),
      subscriber_(context, board, {name, "learner", net::parse_address(address)}) {}

bool WeightsClient::poll() {
  subscriber_.poll();
  return take();
}

bool WeightsClient::take() {
  if (subscriber_.latest() == taken_) return false;
  taken_ = subscriber_.latest();
  Result<ring::Weights> weights = weights_from_message(*taken_);
  if (!weights.ok()) {
    log_warning("weights from the learner are refused: ", weights.status().message());
    return false;
  }
  current_ = std::make_unique<ring::Weights>(*std::move(weights));
  return true;
}

bool WeightsClient::wait_newer(Deadline deadline, const std::string& reason) {
  if (poll()) return true;
  WaitScope wait(board_, name_, "learner", reason);
  net::Poller poller;
  poller.add(subscriber_);
  while (!deadline.expired()) {
    poller.run_once(deadline);
    if (take()) return true;
  }
  wait.expired();
  return false;
}

}  // namespace oneagent
