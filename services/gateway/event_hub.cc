#include "services/gateway/event_hub.h"

namespace oneagent {

EventHub::Tab::~Tab() {
  const std::lock_guard lock(hub_.mutex_);
  hub_.tabs_.erase(this);
}

std::string EventHub::Tab::next(bool& end) {
  std::unique_lock lock(hub_.mutex_);
  news_.wait_until(lock, Deadline::after_ms(kQuietMs),
                   [&] { return !queue_.empty() || hub_.closed_; });
  end = hub_.closed_;
  if (queue_.empty()) return ": quiet\n\n";
  std::string text;
  for (const auto& event : queue_) text += *event;
  queue_.clear();
  queued_bytes_ = 0;
  return text;
}

std::shared_ptr<EventHub::Tab> EventHub::open(std::set<std::string> runs) {
  auto tab = std::make_shared<Tab>(*this, std::move(runs));
  const std::lock_guard lock(mutex_);
  if (closed_ || tabs_.size() >= max_tabs_) return nullptr;
  tab->queue_.push_back(std::make_shared<const std::string>("event: hello\ndata: {}\n\n"));
  tabs_.insert(tab.get());
  return tab;
}

void EventHub::publish(const std::string& run, const std::string& event, const Json& data) {
  const std::string json = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto text =
      std::make_shared<const std::string>("event: " + event + "\ndata: " + json + "\n\n");
  static const auto overflow = std::make_shared<const std::string>("event: overflow\ndata: {}\n\n");
  const std::lock_guard lock(mutex_);
  for (Tab* tab : tabs_) {
    if (!run.empty() && !tab->runs_.contains(run)) continue;
    if (tab->queued_bytes_ + text->size() > kMaxQueuedBytes) {
      tab->queue_.assign(1, overflow);
      tab->queued_bytes_ = overflow->size();
    } else {
      tab->queue_.push_back(text);
      tab->queued_bytes_ += text->size();
    }
    tab->news_.notify_one();
  }
}

std::set<std::string> EventHub::runs_shown() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> runs;
  for (const Tab* tab : tabs_) runs.insert(tab->runs_.begin(), tab->runs_.end());
  return runs;
}

size_t EventHub::tabs() const {
  const std::lock_guard lock(mutex_);
  return tabs_.size();
}

void EventHub::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (Tab* tab : tabs_) tab->news_.notify_one();
}

}  // namespace oneagent
