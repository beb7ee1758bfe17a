// Two processes, one direction, the same bytes a message: bare ZeroMQ PUSH/PULL (one zero-copy
// frame) against a stream, A B A B in one run. The stream's receiving end is the caller's, so that
// the replay service can take the place of a receiver that only counts.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/net/stream_sender.h"

namespace oneagent::net {

struct WireRace {
  std::string address = "ipc:///tmp/oneagent-wire-race";
  int64_t messages = 20000;
  int64_t bytes = 28224;  // an 84 x 84 x 4 observation
  int rounds = 5;
};

struct WireResult {
  double messages_per_second = 0;
  double cpu_us_per_message = 0;  // both processes
};

namespace wire_race_detail {

// What the two processes tell each other and their parent.
struct Shared {
  std::atomic<bool> receiver_ready{false};
  std::atomic<int64_t> start_ns{0}, end_ns{0};
};

inline double cpu_of(pid_t process) {
  int status = 0;
  rusage usage{};
  ::wait4(process, &status, 0, &usage);
  OA_REQUIRE(status == 0, "wire race: a process failed with status ", status);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

inline pid_t start(const std::function<void()>& body) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  body();
  ::_exit(0);
}

inline WireResult run(const WireRace& race, const std::function<void(Shared&)>& receive,
                      const std::function<void(Shared&)>& send) {
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (memory) Shared;
  const pid_t receiver = start([&] { receive(*shared); });
  while (!shared->receiver_ready.load()) ::usleep(1000);
  const pid_t sender = start([&] { send(*shared); });
  const double cpu = cpu_of(sender) + cpu_of(receiver);
  const double seconds =
      1e-9 * static_cast<double>(shared->end_ns.load() - shared->start_ns.load());
  ::munmap(memory, 4096);
  const auto count = static_cast<double>(race.messages);
  return {count / seconds, 1e6 * cpu / count};
}

inline void* bare_socket(void* context, int kind) {
  void* socket = zmq_socket(context, kind);
  const int high_water = 1000;
  zmq_setsockopt(socket, ZMQ_SNDHWM, &high_water, sizeof high_water);
  zmq_setsockopt(socket, ZMQ_RCVHWM, &high_water, sizeof high_water);
  return socket;
}

// A chunk as an actor sends it, `bytes` in all: one large column and six small ones.
inline ring::ArraySet chunk_of(int64_t bytes) {
  constexpr int64_t kRows = 32;
  ring::ArraySet arrays;
  const int64_t small = kRows * (4 + 4 + 1 + 1 + 1 + 4);
  const int64_t width = (bytes - small) / (kRows * 4);
  arrays.add(ring::make_array("observation", DType::kFloat32, {kRows, 1, width}).array);
  arrays.add(ring::make_array("action", DType::kInt32, {kRows, 1}).array);
  arrays.add(ring::make_array("reward", DType::kFloat32, {kRows, 1}).array);
  arrays.add(ring::make_array("terminated", DType::kUInt8, {kRows, 1}).array);
  arrays.add(ring::make_array("truncated", DType::kUInt8, {kRows, 1}).array);
  arrays.add(ring::make_array("first", DType::kUInt8, {kRows, 1}).array);
  arrays.add(ring::make_array("log_prob", DType::kFloat32, {kRows, 1}).array);
  return arrays;
}

}  // namespace wire_race_detail

inline WireResult run_bare(const WireRace& race) {
  using namespace wire_race_detail;
  const auto receive = [&](Shared& shared) {
    void* context = zmq_ctx_new();
    void* socket = bare_socket(context, ZMQ_PULL);
    OA_REQUIRE(zmq_bind(socket, race.address.c_str()) == 0, "wire race: cannot bind ",
               race.address);
    shared.receiver_ready = true;
    volatile uint8_t touched = 0;
    for (int64_t i = 0; i < race.messages; ++i) {
      zmq_msg_t message;
      zmq_msg_init(&message);
      OA_REQUIRE(zmq_msg_recv(&message, socket, 0) == race.bytes, "wire race: short message");
      touched = *static_cast<uint8_t*>(zmq_msg_data(&message));
      zmq_msg_close(&message);
    }
    (void)touched;
    shared.end_ns = steady_ns();
    zmq_close(socket);
    zmq_ctx_term(context);
  };
  const auto send = [&](Shared& shared) {
    void* context = zmq_ctx_new();
    void* socket = bare_socket(context, ZMQ_PUSH);
    OA_REQUIRE(zmq_connect(socket, race.address.c_str()) == 0, "wire race: cannot connect");
    std::vector<uint8_t> bytes(static_cast<size_t>(race.bytes), 1);
    ::usleep(200'000);
    shared.start_ns = steady_ns();
    for (int64_t i = 0; i < race.messages; ++i) {
      zmq_msg_t message;
      zmq_msg_init_data(
          &message, bytes.data(), bytes.size(), [](void*, void*) {}, nullptr);
      OA_REQUIRE(zmq_msg_send(&message, socket, 0) >= 0, "wire race: send failed");
    }
    zmq_close(socket);
    zmq_ctx_term(context);
  };
  return run(race, receive, send);
}

// `receive(ready)` binds race.address, calls ready(), and returns once every message is durable and
// acknowledged and the sender has had time to hear of it. `fill` makes the body of message i. The
// clock stops when the sender knows that everything is durable.
inline WireResult run_stream(const WireRace& race,
                             const std::function<void(const std::function<void()>& ready)>& receive,
                             const std::function<void(Message& message, int64_t i)>& fill) {
  using namespace wire_race_detail;
  const auto receiver = [&](Shared& shared) { receive([&] { shared.receiver_ready = true; }); };
  const auto sender = [&](Shared& shared) {
    Context context;
    WaitBoard board;
    StreamSender stream(
        context, board,
        {.name = "actor-0", .peer = "replay", .address = parse_address(race.address)});
    OA_REQUIRE(stream.connect(Message(), Deadline::after_ms(10000)).ok(), "wire race: no receiver");
    const ring::ArraySet arrays = chunk_of(race.bytes);
    ::usleep(200'000);
    shared.start_ns = steady_ns();
    for (int64_t i = 0; i < race.messages; ++i) {
      Message message(proto::Kind::CHUNK, arrays);
      fill(message, i);
      OA_REQUIRE(stream.send(std::move(message), Deadline::after_ms(60000)).ok(),
                 "wire race: send failed");
    }
    OA_REQUIRE(stream.flush(Deadline::after_ms(60000)).ok(),
               "wire race: not everything was acknowledged");
    shared.end_ns = steady_ns();
  };
  return run(race, receiver, sender);
}

// Runs both in turn and prints each round and the median ratio.
inline double race_and_print(const WireRace& race, const std::string& name,
                             const std::function<WireResult()>& stream) {
  std::vector<double> ratios;
  std::printf("%lld messages of %lld bytes over %s\n", static_cast<long long>(race.messages),
              static_cast<long long>(race.bytes), race.address.c_str());
  for (int round = 0; round < race.rounds; ++round) {
    const WireResult bare = run_bare(race);
    const WireResult ours = stream();
    ratios.push_back(ours.messages_per_second / bare.messages_per_second);
    std::printf(
        "round %d: bare ZeroMQ %8.0f msg/s %6.1f CPU-us/msg | %s %8.0f msg/s %6.1f CPU-us/msg | "
        "ratio %.2f\n",
        round + 1, bare.messages_per_second, bare.cpu_us_per_message, name.c_str(),
        ours.messages_per_second, ours.cpu_us_per_message, ratios.back());
    std::fflush(stdout);
  }
  std::sort(ratios.begin(), ratios.end());
  const double median = ratios[ratios.size() / 2];
  std::printf("median ratio %.2f\n", median);
  return median;
}

}  // namespace oneagent::net
