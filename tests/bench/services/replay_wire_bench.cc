// The wire figure: an actor's chunk to an acknowledged, deduplicated table insert in a replay of
// another process, over ipc, beside bare ZeroMQ PUSH -> PULL with the same bytes a message in the
// same run (A B A B). Rows of 28,224 bytes (84 x 84 x 4 uint8), default durability. Then inserts
// and samples within a process.
//
//   replay_wire_bench [rows a chunk = 16] [seconds a turn = 3] [turns = 3]
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "core/base/log.h"
#include "core/net/codec.h"
#include "core/net/context.h"
#include "core/strand/wait_board.h"
#include "services/replay/replay_client.h"
#include "services/replay/replay_messages.h"
#include "services/replay/replay_server.h"

namespace oneagent {
namespace {

ring::Chunk make_rows(int64_t rows) {
  ring::Chunk chunk;
  chunk.steps = rows;
  chunk.lanes = 1;
  ring::MutableArray observation =
      ring::make_array("observation", DType::kUInt8, {rows, 1, 84, 84, 4});
  for (size_t i = 0; i < observation.array.bytes(); ++i)
    observation.data[i] = static_cast<uint8_t>(i * 31);
  chunk.arrays.add(observation.array);
  chunk.arrays.add(ring::make_array("action", DType::kInt32, {rows, 1}).array);
  chunk.arrays.add(ring::make_array("reward", DType::kFloat32, {rows, 1}).array);
  for (const char* name : {"terminated", "truncated", "first"})
    chunk.arrays.add(ring::make_array(name, DType::kUInt8, {rows, 1}).array);
  return chunk;
}

struct Turn {
  double messages = 0, seconds = 0, cpu_seconds = 0;
  double rate() const { return messages / seconds; }
  double cpu_us() const { return cpu_seconds * 1e6 / messages; }
};

// `child` in a process of its own, `parent` here; each says what it counted (zero where it did not)
// and its CPU time.
Turn run_pair(const std::function<Turn()>& child, const std::function<Turn(pid_t)>& parent) {
  int pipe_ends[2];
  OA_REQUIRE(::pipe(pipe_ends) == 0, "bench: no pipe");
  const pid_t pid = ::fork();
  if (pid == 0) {
    Turn turn = child();
    turn.cpu_seconds = cpu_seconds();
    const bool told = ::write(pipe_ends[1], &turn, sizeof(turn)) == sizeof(turn);
    std::_Exit(told ? 0 : 1);
  }
  const double before = cpu_seconds();
  Turn turn = parent(pid);
  Turn other;
  OA_REQUIRE(::read(pipe_ends[0], &other, sizeof(other)) == sizeof(other),
             "bench: the other process failed");
  ::waitpid(pid, nullptr, 0);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
  if (other.messages > 0) turn = {other.messages, other.seconds, 0};
  turn.cpu_seconds = cpu_seconds() - before + other.cpu_seconds;
  return turn;
}

// One frame a message; zero_copy: the sender lends its buffer instead of copying it into the
// message.
Turn bare(const std::string& address, size_t bytes, double seconds, bool zero_copy) {
  const auto with_socket = [&](int type, const std::function<void(void*)>& use) {
    void* context = zmq_ctx_new();
    void* socket = zmq_socket(context, type);
    const int linger = 0;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof(linger));
    use(socket);
    zmq_close(socket);
    zmq_ctx_term(context);
  };
  const auto push = [&] {
    const std::vector<uint8_t> buffer(bytes, 7);
    with_socket(ZMQ_PUSH, [&](void* socket) {
      zmq_connect(socket, address.c_str());
      const int timeout_ms = 100;
      zmq_setsockopt(socket, ZMQ_SNDTIMEO, &timeout_ms, sizeof(timeout_ms));
      for (const int64_t start = steady_ns(); seconds_since(start) < seconds + 0.5;) {
        zmq_msg_t message;
        if (zero_copy)
          zmq_msg_init_data(
              &message, const_cast<uint8_t*>(buffer.data()), bytes, [](void*, void*) {}, nullptr);
        else if (zmq_msg_init_size(&message, bytes) == 0)
          std::memcpy(zmq_msg_data(&message), buffer.data(), bytes);
        if (zmq_msg_send(&message, socket, 0) < 0) zmq_msg_close(&message);
      }
    });
    return Turn{};
  };
  const auto pull = [&](pid_t) {
    Turn turn;
    with_socket(ZMQ_PULL, [&](void* socket) {
      zmq_bind(socket, address.c_str());
      zmq_msg_t message;
      zmq_msg_init(&message);
      zmq_msg_recv(&message, socket, 0);
      const int64_t start = steady_ns();
      while ((turn.seconds = seconds_since(start)) < seconds)
        if (zmq_msg_recv(&message, socket, 0) >= 0) turn.messages += 1;
      zmq_msg_close(&message);
    });
    return turn;
  };
  return run_pair(push, pull);
}

// Counts acknowledged chunks, after a warm-up that fills segment files and page cache.
Turn ours(const fs::path& folder, const ring::Chunk& chunk, double seconds) {
  const std::string address = "ipc://" + (folder / "replay").string();
  const std::vector<ring::ItemSpec> items = {{"table", 0, chunk.steps, -1, 1.0}};
  const auto write = [&] {
    net::Context context;
    WaitBoard board;
    ReplayWriter writer(context, board, 0, {address, "actor-0"});
    OA_REQUIRE(writer.hello(Deadline::after_ms(20000)).ok(), "bench: no hello");
    const auto send_for = [&](double limit) {
      Turn turn;
      for (const int64_t start = steady_ns(); (turn.seconds = seconds_since(start)) < limit;) {
        const Status status = writer.append(chunk, items, Deadline::after_ms(10000));
        OA_REQUIRE(status.ok(), status.message());
        turn.messages += static_cast<double>(writer.take_acknowledged().size());
      }
      return turn;
    };
    send_for(1.0);
    return send_for(seconds);
  };
  const auto serve = [&](pid_t pid) {
    net::Context context;
    WaitBoard board;
    ReplayOptions options;
    options.address = address;
    ReplayServer server(context, board, options, folder, "bench",
                        {{"table", "uniform", "fifo", 64, 0, ring::LimiterSpec::minimum(1)}});
    siginfo_t exited{};
    while (exited.si_pid == 0) {
      for (int i = 0; i < 200; ++i) server.serve(Deadline::after_ms(20));
      ::waitid(P_PID, static_cast<id_t>(pid), &exited, WEXITED | WNOHANG | WNOWAIT);
    }
    return Turn{};
  };
  return run_pair(write, serve);
}

size_t bytes_on_the_wire(const ring::Chunk& chunk) {
  const auto frames =
      net::Codec().encode(chunk_message(chunk, {{"table", 0, chunk.steps, -1, 1.0}}));
  OA_REQUIRE(frames.ok(), frames.status().message());
  return net::total_bytes(*frames);
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void wire(const fs::path& folder, int64_t rows, double seconds, int turns) {
  const ring::Chunk chunk = make_rows(rows);
  const size_t bytes = bytes_on_the_wire(chunk);
  std::printf("%ld rows a chunk, %zu bytes a message\n", static_cast<long>(rows), bytes);
  std::vector<double> copied, lent, inserted;
  const auto show = [&](const char* what, const Turn& turn, std::vector<double>& rates) {
    rates.push_back(turn.rate());
    std::printf("  %-34s %9.0f messages/s %7.0f MB/s %8.1f CPU-us a message\n", what, turn.rate(),
                turn.rate() * static_cast<double>(bytes) * 1e-6, turn.cpu_us());
    std::fflush(stdout);
  };
  for (int turn = 0; turn < turns; ++turn) {
    show("ZeroMQ PUSH/PULL, copied",
         bare("ipc://" + (folder / "bare").string(), bytes, seconds, false), copied);
    show("ZeroMQ PUSH/PULL, lent buffer",
         bare("ipc://" + (folder / "bare").string(), bytes, seconds, true), lent);
    fs::remove_all(folder / "segments");
    show("replay: acknowledged inserts", ours(folder, chunk, seconds), inserted);
  }
  std::printf("ratio of medians: %.2f of copied, %.2f of lent\n", middle(inserted) / middle(copied),
              middle(inserted) / middle(lent));
}

// Without sockets: a small row a chunk and item, then batches of 256 from a full table.
void in_process(const fs::path& folder, const std::string& durability) {
  ReplayOptions options;
  options.durability = durability;
  options.retain_bytes = 0;
  fs::remove_all(folder / "segments");
  Replay replay(options, ReplayFolders::of_run(folder), "bench",
                {{"table", "uniform", "fifo", 100000, 0, ring::LimiterSpec::minimum(1)}});
  ring::Chunk chunk;
  chunk.steps = 64;
  chunk.lanes = 1;
  for (const char* name : {"observation", "reward"})
    chunk.arrays.add(ring::make_array(name, DType::kFloat32, {64, 1, 4}).array);
  chunk.arrays.add(ring::make_array("action", DType::kInt32, {64, 1}).array);
  for (const char* name : {"terminated", "truncated", "first"})
    chunk.arrays.add(ring::make_array(name, DType::kUInt8, {64, 1}).array);
  std::vector<ring::ItemSpec> items;
  for (int64_t row = 0; row < 64; ++row) items.push_back({"table", row, 1, 0, 1.0});
  int64_t start = steady_ns();
  uint64_t chunks = 0;
  for (; seconds_since(start) < 2; ++chunks) {
    chunk.key.sequence = chunks;
    OA_REQUIRE(replay.offer(chunk, items).verdict == Offer::Verdict::kAccepted,
               "bench: an insert was not accepted");
  }
  const double inserts = static_cast<double>(chunks) * 64 / seconds_since(start);
  start = steady_ns();
  uint64_t batches = 0;
  for (; seconds_since(start) < 2; ++batches)
    OA_REQUIRE(replay.sample({"learner", 1, batches + 1}, "table", 256).ok(), "bench: no sample");
  const double samples = static_cast<double>(batches) * 256 / seconds_since(start);
  std::printf(
      "in process, durability %-7s: %10.0f rows/s inserted (an item a row, 64 a chunk), %10.0f "
      "rows/s sampled (256 a batch)\n",
      durability.c_str(), inserts, samples);
}

int run(int count, char** arguments) {
  set_log_level(LogLevel::kWarning);
  const int64_t rows = count > 1 ? std::atol(arguments[1]) : 16;
  const double seconds = count > 2 ? std::atof(arguments[2]) : 3;
  const int turns = count > 3 ? std::atoi(arguments[3]) : 3;
  const fs::path folder = fs::temp_directory_path() / str("replay_wire_bench-", ::getpid());
  make_folder(folder);
  wire(folder, rows, seconds, turns);
  for (const char* durability : {"process", "memory"}) in_process(folder, durability);
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace oneagent

int main(int count, char** arguments) { return oneagent::run(count, arguments); }
