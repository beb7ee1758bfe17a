#include "services/learner/weights_client.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/net/poller.h"
#include "services/learner/weights_message.h"
#include "services/learner/weights_shards.h"

namespace oneagent {
namespace {

constexpr size_t kKept = 4;  // versions of the shards of each rank

}  // namespace

WeightsClient::WeightsClient(net::Context& context, WaitBoard& board, const std::string& name,
                             const std::string& address)
    : name_(name),
      board_(board),
      context_(context),
      subscriber_(context, board, {name, "learner", net::parse_address(address)}) {}

void WeightsClient::listen() {
  subscriber_.poll();
  for (auto& [address, source] : sources_) {
    source.subscriber->poll();
    keep(source);
  }
}

bool WeightsClient::poll() {
  listen();
  return take();
}

void WeightsClient::follow(const std::vector<std::string>& addresses) {
  std::erase_if(sources_, [&](const auto& entry) {
    return std::find(addresses.begin(), addresses.end(), entry.first) == addresses.end();
  });
  for (const std::string& address : addresses) {
    Source& source = sources_[address];
    if (source.subscriber == nullptr)
      source.subscriber = std::make_unique<net::BroadcastSubscriber>(
          context_, board_,
          net::BroadcastSubscriberOptions{name_, "learner", net::parse_address(address)});
  }
}

void WeightsClient::keep(Source& source) {
  if (source.subscriber->latest() == source.taken) return;
  source.taken = source.subscriber->latest();
  Result<ring::Weights> weights = weights_from_message(*source.taken);
  if (!weights.ok())
    return log_warning("shards of weights are refused: ", weights.status().message());
  source.kept.push_back(*std::move(weights));
  if (source.kept.size() > kKept) source.kept.pop_front();
}

bool WeightsClient::take() {
  if (subscriber_.latest() != taken_) {
    taken_ = subscriber_.latest();
    Result<ring::Weights> weights = weights_from_message(*taken_);
    if (!weights.ok()) {
      log_warning("weights from the learner are refused: ", weights.status().message());
      return false;
    }
    pending_ = std::make_unique<ring::Weights>(*std::move(weights));
    try {
      follow(pending_->sources);
    } catch (const Error& error) {
      log_warning("weights from the learner are refused: ", error.what());
      pending_.reset();
    }
  }
  return complete();
}

bool WeightsClient::complete() {
  if (pending_ == nullptr) return false;
  if (!pending_->shards.empty()) {
    std::vector<const ring::Weights*> parts = {pending_.get()};
    for (auto& [address, source] : sources_) {
      keep(source);
      const auto same =
          std::find_if(source.kept.rbegin(), source.kept.rend(), [&](const ring::Weights& part) {
            return part.version == pending_->version && part.incarnation == pending_->incarnation;
          });
      if (same == source.kept.rend()) return false;
      parts.push_back(&*same);
    }
    Result<ring::ArraySet> whole = assemble_shards(parts);
    if (!whole.ok()) {
      log_warning("weights from the learner are refused: ", whole.status().message());
      pending_.reset();
      return false;
    }
    pending_->tensors = *std::move(whole);
    pending_->shards.clear();
  }
  current_ = std::move(pending_);
  return true;
}

bool WeightsClient::wait_newer(Deadline deadline, const std::string& reason) {
  if (poll()) return true;
  WaitScope wait(board_, name_, "learner", reason);
  while (!deadline.expired()) {
    net::Poller poller;  // sources come and go
    poller.add(subscriber_);
    for (auto& [address, source] : sources_) poller.add(*source.subscriber);
    poller.run_once(deadline);
    if (take()) return true;
  }
  wait.expired();
  return false;
}

}  // namespace oneagent
