#include "services/gateway/event_hub.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/base/clock.h"

namespace oneagent {
namespace {

std::string next(EventHub::Tab& tab) {
  bool end = false;
  return tab.next(end);
}

TEST(EventHub, SendsARunsEventsToTheTabsThatShowIt) {
  EventHub hub(4);
  const auto a = hub.open({"a"}), b = hub.open({"b"});
  next(*a);
  next(*b);
  hub.publish("a", "services", {{"x", 1}});
  hub.publish("", "runs", {{"y", 2}});
  EXPECT_EQ(next(*a), "event: services\ndata: {\"x\":1}\n\nevent: runs\ndata: {\"y\":2}\n\n");
  EXPECT_EQ(next(*b), "event: runs\ndata: {\"y\":2}\n\n");
}

TEST(EventHub, RefusesMoreTabsThanItMayOpen) {
  EventHub hub(1);
  auto first = hub.open({});
  EXPECT_EQ(hub.open({}), nullptr);
  first.reset();
  EXPECT_NE(hub.open({}), nullptr);
}

TEST(EventHub, TellsATabThatDoesNotReadWhatItLost) {
  EventHub hub(1);
  const auto tab = hub.open({"a"});
  const std::string large(1 << 20, 'x');
  for (int i = 0; i < 5; ++i) hub.publish("a", "metrics", {{"text", large}});
  const std::string text = next(*tab);
  EXPECT_EQ(text.find("event: overflow"), 0u);
  EXPECT_LE(text.size(), EventHub::kMaxQueuedBytes + 100);
}

TEST(EventHub, ClosingWakesATabThatWaits) {
  EventHub hub(1);
  const auto tab = hub.open({});
  next(*tab);
  bool end = false;
  const int64_t start = steady_ns();
  std::thread waiting([&] { tab->next(end); });
  hub.close();
  waiting.join();
  EXPECT_TRUE(end);
  EXPECT_LT(seconds_since(start), 2.0);
}

}  // namespace
}  // namespace oneagent
