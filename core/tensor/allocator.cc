#include "core/tensor/allocator.h"

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "core/base/check.h"

namespace oneagent {
namespace {

constexpr size_t kAlignment = 64;
constexpr int kClassCount = 4 * 40;
constexpr size_t kThreadBlockBytes = size_t{1}
                                     << 20;  // larger blocks go straight to the shared list
constexpr size_t kThreadBlocks = 16;         // of one class in one thread
constexpr size_t kHugePage = size_t{1} << 21;
// Streams that start at the same place of a page share cache sets and look like one another to the
// store buffer: large blocks start at 16 different ones. 85 lines, so that pages and lines differ.
constexpr size_t kColour = 85 * 64;
constexpr size_t kColours = 16;

// Classes are 64, 80, 96, 112, 128, 160, ...: 64 * 2^octave * (1 + quarter / 4), rounded up to
// whole cache lines by the caller.
int class_of(size_t bytes) {
  const size_t units = std::max<size_t>((bytes + 63) / 64, 1);
  const int octave = std::bit_width(units) - 1;
  const size_t base = size_t{1} << octave;
  const size_t quarter = (4 * (units - base) + base - 1) / base;
  return 4 * octave + static_cast<int>(quarter);
}

size_t bytes_of(int size_class) {
  const size_t base = size_t{64} << (size_class / 4);
  return (base + base / 4 * static_cast<size_t>(size_class % 4) + 63) / 64 * 64;
}

// What the system gave: large blocks begin less than a huge page behind it.
void* start_of(void* block, int size_class) {
  if (bytes_of(size_class) < kHugePage) return block;
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(block) & ~(kHugePage - 1));
}

class CachingAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes, Stream&) override;
  void free(void* block, size_t bytes, Stream&) override { give_back(block, bytes); }
  void give_back(void* block, size_t bytes);
  void trim() override;
  AllocatorStats stats() const override;

 private:
  struct ThreadCache;
  static ThreadCache& thread_cache();
  void share(int size_class, void* block);
  void* take_shared(int size_class);
  void* take_from_system(int size_class);
  void count_in_use(int64_t bytes);

  mutable std::mutex mutex_;
  std::vector<void*> shared_[kClassCount];
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> reserved_{0};
  std::atomic<int64_t> system_calls_{0};
};

CachingAllocator& allocator() {
  static CachingAllocator& instance =
      *new CachingAllocator;  // never destroyed: tensors may outlive main()
  return instance;
}

thread_local bool thread_cache_alive = true;

}  // namespace

struct CachingAllocator::ThreadCache {
  std::vector<void*> blocks[kClassCount];
  ~ThreadCache() {
    thread_cache_alive = false;
    for (int size_class = 0; size_class < kClassCount; ++size_class)
      for (void* block : blocks[size_class]) allocator().share(size_class, block);
  }
};

CachingAllocator::ThreadCache& CachingAllocator::thread_cache() {
  thread_local ThreadCache cache;
  return cache;
}

void CachingAllocator::share(int size_class, void* block) {
  const std::lock_guard lock(mutex_);
  shared_[size_class].push_back(block);
}

void* CachingAllocator::take_shared(int size_class) {
  const std::lock_guard lock(mutex_);
  if (shared_[size_class].empty()) return nullptr;
  void* block = shared_[size_class].back();
  shared_[size_class].pop_back();
  return block;
}

void* CachingAllocator::take_from_system(int size_class) {
  const size_t bytes = bytes_of(size_class);
  // Large blocks lie on huge pages where the system grants them on request: fewer faults when they
  // are first written and fewer misses of the table of pages afterwards.
  const bool huge = bytes >= kHugePage;
  const int64_t number = system_calls_.fetch_add(1, std::memory_order_relaxed);
  const size_t offset = huge ? static_cast<size_t>(number) % kColours * kColour : 0;
  void* block = std::aligned_alloc(huge ? kHugePage : kAlignment, bytes + offset);
  OA_REQUIRE(block != nullptr, "allocator: no memory for a block of ", bytes, " bytes; ",
             reserved_.load(), " bytes are reserved");
  if (huge) madvise(block, bytes + offset, MADV_HUGEPAGE);  // refused by some: it does no harm
  reserved_.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  return static_cast<char*>(block) + offset;
}

void CachingAllocator::count_in_use(int64_t bytes) {
  const int64_t now = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (now > peak_.load(std::memory_order_relaxed)) peak_.store(now, std::memory_order_relaxed);
}

void* CachingAllocator::allocate(size_t bytes, Stream&) {
  OA_REQUIRE(bytes < (size_t{1} << 44), "allocator: a block of ", bytes,
             " bytes is more than any machine has");
  const int size_class = class_of(bytes);
  void* block = nullptr;
  if (thread_cache_alive) {
    auto& mine = thread_cache().blocks[size_class];
    if (!mine.empty()) {
      block = mine.back();
      mine.pop_back();
    }
  }
  if (block == nullptr) block = take_shared(size_class);
  if (block == nullptr) block = take_from_system(size_class);
  count_in_use(static_cast<int64_t>(bytes_of(size_class)));
  ASAN_UNPOISON_MEMORY_REGION(block, bytes_of(size_class));
  return block;
}

void CachingAllocator::give_back(void* block, size_t bytes) {
  const int size_class = class_of(bytes);
  count_in_use(-static_cast<int64_t>(bytes_of(size_class)));
  ASAN_POISON_MEMORY_REGION(block, bytes_of(size_class));
  if (thread_cache_alive && bytes <= kThreadBlockBytes) {
    auto& mine = thread_cache().blocks[size_class];
    if (mine.size() < kThreadBlocks) {
      mine.push_back(block);
      return;
    }
  }
  share(size_class, block);
}

void CachingAllocator::trim() {
  if (thread_cache_alive) {
    ThreadCache& cache = thread_cache();
    for (int size_class = 0; size_class < kClassCount; ++size_class) {
      for (void* block : cache.blocks[size_class]) share(size_class, block);
      cache.blocks[size_class].clear();
    }
  }
  const std::lock_guard lock(mutex_);
  for (int size_class = 0; size_class < kClassCount; ++size_class) {
    for (void* block : shared_[size_class]) {
      ASAN_UNPOISON_MEMORY_REGION(block, bytes_of(size_class));
      std::free(start_of(block, size_class));
      reserved_.fetch_sub(static_cast<int64_t>(bytes_of(size_class)), std::memory_order_relaxed);
    }
    shared_[size_class].clear();
  }
}

AllocatorStats CachingAllocator::stats() const {
  return {in_use_.load(), reserved_.load(), peak_.load(), system_calls_.load()};
}

Allocator& cpu_allocator() { return allocator(); }

void free_cpu_block(void* block, size_t bytes) { allocator().give_back(block, bytes); }

}  // namespace oneagent
