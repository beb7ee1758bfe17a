#include "core/kernels/parallel.h"

#include <memory>

#include "core/base/check.h"
#include "core/strand/thread_pool.h"

namespace oneagent {
namespace {

class PoolRunner final : public ParallelRunner {
 public:
  explicit PoolRunner(int threads) : pool_(threads) {}
  int threads() const { return pool_.threads(); }
  void run(int64_t chunks, const std::function<void(int64_t)>& body) override {
    pool_.parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t chunk = begin; chunk < end; ++chunk) body(chunk);
    });
  }

 private:
  ThreadPool pool_;
};

thread_local std::unique_ptr<PoolRunner> runner;

}  // namespace

ParallelRunner* parallel_runner(int count) {
  OA_REQUIRE(count >= 1 && count <= 1024, "set_num_threads: expected 1 to 1024, was ", count);
  if (runner != nullptr && runner->threads() == count) return runner.get();
  runner = count == 1 ? nullptr : std::make_unique<PoolRunner>(count);
  return runner.get();
}

int parallel_runner_threads() { return runner == nullptr ? 1 : runner->threads(); }

}  // namespace oneagent
