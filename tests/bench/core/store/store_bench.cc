// Operations per second of both stores, one client. The limit beside them is the disk: BM_fsync is
// what a durable write costs at least. Redis rows need OA_REDIS=redis://host:port.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "core/store/store.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

struct Place {
  TemporaryFolder folder;
  std::unique_ptr<Store> store;

  explicit Place(int kind) {  // 0 SQLite, 1 SQLite without fsync, 2 Redis
    const char* redis = std::getenv("OA_REDIS");
    if (kind == 2 && redis == nullptr) return;
    const std::string address = kind == 2 ? redis : "sqlite:" + (folder.path() / "s").string();
    store = std::move(*open_store(address, {.sync = kind != 1}));
    if (!store->ping().ok()) store.reset();
  }
};

void count_calls(benchmark::State& state, const auto& call) {
  const Place place(static_cast<int>(state.range(0)));
  if (place.store == nullptr) {
    state.SkipWithError("set OA_REDIS=redis://host:port");
    return;
  }
  int64_t i = 0;
  for (auto _ : state)
    if (!call(*place.store, i++)) state.SkipWithError("a call failed");
  state.SetItemsProcessed(state.iterations());
}

const std::string kRecord(800, 'x');  // as long as a heartbeat

void BM_put(benchmark::State& state) {
  count_calls(state, [](Store& store, int64_t) { return store.put("key", kRecord).ok(); });
}
void BM_compare_and_set(benchmark::State& state) {
  int64_t version = kAnyVersion;
  count_calls(state, [&](Store& store, int64_t) {
    const Result<int64_t> next = store.compare_and_set("key", kRecord, version);
    version = next.value_or(0);
    return next.ok();
  });
}
void BM_append(benchmark::State& state) {
  count_calls(state, [](Store& store, int64_t) { return store.append("stream", kRecord).ok(); });
}
void BM_add(benchmark::State& state) {
  const std::string run = std::to_string(::getpid()) + "-" + std::to_string(state.iterations());
  count_calls(state, [&](Store& store, int64_t i) {
    return store.add("counter", 1, run + std::to_string(i)).ok();
  });
}
void BM_get(benchmark::State& state) {
  count_calls(state, [](Store& store, int64_t i) {
    return i == 0 ? store.put("key", kRecord).ok() : store.get("key").ok();
  });
}
void BM_list_10(benchmark::State& state) {
  count_calls(state, [](Store& store, int64_t i) {
    for (int k = 0; i == 0 && k < 10; ++k)
      if (!store.put("list/" + std::to_string(k), kRecord).ok()) return false;
    return store.list("list/").value().size() == 10;
  });
}

void BM_fsync(benchmark::State& state) {
  TemporaryFolder folder;
  const int fd = ::open((folder.path() / "f").c_str(), O_CREAT | O_WRONLY, 0644);
  for (auto _ : state)
    if (::write(fd, kRecord.data(), kRecord.size()) < 0 || ::fdatasync(fd) != 0)
      state.SkipWithError("fsync failed");
  ::close(fd);
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_put)->DenseRange(0, 2)->UseRealTime();
BENCHMARK(BM_compare_and_set)->DenseRange(0, 2)->UseRealTime();
BENCHMARK(BM_append)->DenseRange(0, 2)->UseRealTime();
BENCHMARK(BM_add)->DenseRange(0, 2)->UseRealTime();
BENCHMARK(BM_get)->DenseRange(0, 2)->UseRealTime();
BENCHMARK(BM_list_10)->DenseRange(0, 2)->UseRealTime();
BENCHMARK(BM_fsync)->UseRealTime();

}  // namespace
}  // namespace oneagent

BENCHMARK_MAIN();
