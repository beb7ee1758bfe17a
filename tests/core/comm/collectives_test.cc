// Every collective on every communicator against a plain loop over the ranks.
#include <gtest/gtest.h>

#include <cstring>
#include <mutex>
#include <numeric>
#include <random>

#include "core/comm/reduction.h"
#include "core/comm/traffic.h"
#include "tests/core/comm/rank_runners.h"

namespace oneagent::comm {
namespace {

constexpr int kSizes[] = {1, 2, 3, 4, 8};
using Bytes = std::vector<std::byte>;

// Elements of any dtype from a seed; floating ones are of very different magnitudes, so that the
// order of a sum shows.
Bytes random_elements(size_t count, DType dtype, uint32_t seed) {
  Bytes bytes(count * size_of(dtype));
  std::mt19937 engine(seed);
  with_any(is_complex(dtype) ? real_type_of(dtype) : dtype, [&]<class T>(Type<T>) {
    T* out = reinterpret_cast<T*>(bytes.data());
    for (size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        out[i] = engine() % 2 == 0;
      } else if constexpr (std::is_integral_v<T>) {
        out[i] = static_cast<T>(engine());
      } else {
        const float digits = static_cast<float>(engine() % 2000) - 1000.0F;
        out[i] = static_cast<T>(std::ldexp(digits, static_cast<int>(engine() % 12) - 14));
      }
    }
  });
  return bytes;
}

Bytes reduced(std::span<const Bytes> of_ranks, size_t begin, size_t count, DType dtype,
              Reduce reduce) {
  Bytes out(count * size_of(dtype));
  std::vector<const void*> parts;
  for (const Bytes& part : of_ranks) parts.push_back(part.data() + begin * size_of(dtype));
  reduce_in_order(out.data(), parts, count, dtype, reduce);
  return out;
}

std::vector<Bytes> inputs(int n, size_t count, DType dtype) {
  std::vector<Bytes> of_ranks;
  for (int r = 0; r < n; ++r)
    of_ranks.push_back(random_elements(count, dtype, static_cast<uint32_t>(100 + r)));
  return of_ranks;
}

class Collectives : public ::testing::TestWithParam<RankRunner> {
 protected:
  void run(int n, const std::function<void(Communicator&)>& body, GroupOptions options = {}) {
    options.deadline_ms = 20'000;
    GetParam().run(n, body, options);
  }
};
INSTANTIATE_TEST_SUITE_P(, Collectives, ::testing::ValuesIn(rank_runners()),
                         [](const auto& info) { return info.param.name; });

TEST_P(Collectives, AllReduceOfEveryTypeIsInTheOrderOfRanks) {
  for (const int n : kSizes) {
    run(n, [&](Communicator& comm) {
      for (int type = 0; type < kDTypeCount; ++type) {
        for (const Reduce reduce : {Reduce::kSum, Reduce::kMax, Reduce::kMin}) {
          const DType dtype = static_cast<DType>(type);
          if (is_complex(dtype) && reduce != Reduce::kSum) continue;
          if (n > 3 && (size_of(dtype) == 8 || reduce == Reduce::kMin)) continue;  // enough is seen
          for (const size_t count : {0, 7, 5003}) {
            const std::vector<Bytes> in = inputs(n, count, dtype);
            Bytes data = in[comm.rank()];
            comm.all_reduce(data.data(), count, dtype, reduce);
            ASSERT_EQ(data, reduced(in, 0, count, dtype, reduce))
                << n << " ranks, " << count << " " << name_of(dtype) << ", " << name_of(reduce);
          }
        }
      }
    });
  }
}

std::vector<size_t> uneven(int n, size_t scale) {
  std::vector<size_t> counts;
  for (int r = 0; r < n; ++r) counts.push_back(static_cast<size_t>((r * 2) % 5) * scale);
  return counts;
}

TEST_P(Collectives, AllGatherOfUnevenAndEmptyParts) {
  for (const int n : kSizes) {
    for (const size_t scale : {1, 3000}) {
      const std::vector<size_t> counts = uneven(n, scale);
      run(n, [&](Communicator& comm) {
        Bytes expected;
        std::vector<Bytes> in;
        for (int r = 0; r < n; ++r) {
          in.push_back(random_elements(counts[r], DType::kInt32, static_cast<uint32_t>(r)));
          expected.insert(expected.end(), in[r].begin(), in[r].end());
        }
        Bytes out(expected.size());
        comm.all_gather(in[comm.rank()].data(), out.data(), counts, DType::kInt32);
        ASSERT_EQ(out, expected);
        std::byte* place = out.data() + offset_of(counts, comm.rank()) * 4;  // in place
        std::fill(out.begin(), out.end(), std::byte{0});
        std::copy(in[comm.rank()].begin(), in[comm.rank()].end(), place);
        comm.all_gather(place, out.data(), counts, DType::kInt32);
        ASSERT_EQ(out, expected);
      });
    }
  }
}

TEST_P(Collectives, ReduceScatterOfUnevenAndEmptyParts) {
  for (const int n : kSizes) {
    for (const size_t scale : {1, 3000}) {
      for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
        const std::vector<size_t> counts = uneven(n, scale);
        run(n, [&](Communicator& comm) {
          const std::vector<Bytes> in = inputs(n, total_of(counts), dtype);
          const int r = comm.rank();
          const size_t begin = offset_of(counts, r);
          const Bytes expected = reduced(in, begin, counts[r], dtype, Reduce::kSum);
          Bytes out(expected.size());
          comm.reduce_scatter(in[r].data(), out.data(), counts, dtype, Reduce::kSum);
          ASSERT_EQ(out, expected);
          Bytes data = in[r];  // in place
          std::byte* place = data.data() + begin * size_of(dtype);
          comm.reduce_scatter(data.data(), place, counts, dtype, Reduce::kSum);
          ASSERT_EQ(Bytes(place, place + out.size()), expected);
        });
      }
    }
  }
}

TEST_P(Collectives, AllToAllMovesEachPartToItsRank) {
  for (const int n : kSizes) {
    for (const size_t scale : {1, 2000}) {
      const auto count = [&](int from, int to) {
        return static_cast<size_t>((from + 2 * to) % 3) * scale;
      };
      const auto part = [&](int from, int to) {
        return random_elements(count(from, to), DType::kInt64,
                               static_cast<uint32_t>(10 * from + to));
      };
      run(n, [&](Communicator& comm) {
        std::vector<size_t> in_counts, out_counts;
        Bytes in, expected;
        for (int r = 0; r < n; ++r) {
          in_counts.push_back(count(comm.rank(), r));
          out_counts.push_back(count(r, comm.rank()));
          const Bytes there = part(comm.rank(), r), here = part(r, comm.rank());
          in.insert(in.end(), there.begin(), there.end());
          expected.insert(expected.end(), here.begin(), here.end());
        }
        Bytes out(expected.size());
        comm.all_to_all(in.data(), in_counts, out.data(), out_counts, DType::kInt64);
        ASSERT_EQ(out, expected);
      });
    }
  }
}

TEST_P(Collectives, BroadcastFromEveryRoot) {
  for (const int n : kSizes) {
    run(n, [&](Communicator& comm) {
      for (int root = 0; root < n; ++root) {
        for (const size_t count : {0, 3, 9000}) {
          const Bytes expected =
              random_elements(count, DType::kFloat32, static_cast<uint32_t>(root));
          Bytes data = comm.rank() == root ? expected : Bytes(expected.size());
          comm.broadcast(data.data(), count, DType::kFloat32, root);
          ASSERT_EQ(data, expected);
        }
      }
    });
  }
}

TEST_P(Collectives, MessagesArriveInOrderOfEachPairAndTag) {
  for (const int n : {2, 3}) {
    run(n, [&](Communicator& comm) {
      const int next = (comm.rank() + 1) % n, previous = (comm.rank() + n - 1) % n;
      for (const size_t bytes : {0, 8, 100'000}) {
        std::vector<Bytes> sent;
        for (uint32_t i = 0; i < 6; ++i)
          sent.push_back(random_elements(bytes, DType::kUInt8, i + 10 * comm.rank()));
        for (int i = 0; i < 6; ++i) comm.send(sent[i].data(), bytes, next, i % 2);
        for (const int i : {1, 0, 2, 4, 3, 5}) {  // in order for each tag, the tags mixed
          Bytes got(bytes);
          comm.receive(got.data(), bytes, previous, i % 2);
          ASSERT_EQ(
              got, random_elements(bytes, DType::kUInt8, static_cast<uint32_t>(i + 10 * previous)));
        }
      }
      comm.barrier();
    });
  }
}

TEST_P(Collectives, MeshDimensionsAreParts) {
  run(6, [](Communicator& comm) {  // 2 x 3
    const int row = comm.rank() / 3, column = comm.rank() % 3;
    const std::vector<int> in_row = {3 * row, 3 * row + 1, 3 * row + 2};
    const std::vector<int> in_column = {column + 3, column};  // the order is the caller's
    const auto rows = comm.split(in_row), columns = comm.split(in_column);
    ASSERT_EQ(rows->rank(), column);
    ASSERT_EQ(columns->rank(), 1 - row);
    ASSERT_EQ(rows->size(), 3);
    for (int round = 0; round < 50; ++round) {
      int64_t sum = comm.rank(), across = comm.rank(), all = 1;
      rows->all_reduce(&sum, 1, DType::kInt64, Reduce::kSum);
      columns->all_reduce(&across, 1, DType::kInt64, Reduce::kMax);
      comm.all_reduce(&all, 1, DType::kInt64, Reduce::kSum);
      ASSERT_EQ(sum, 9 * row + 3);
      ASSERT_EQ(across, column + 3);
      ASSERT_EQ(all, 6);
      const int64_t mine = comm.rank();
      int64_t theirs = -1;
      columns->send(&mine, 8, row, 3);  // the other one's number in the column
      columns->receive(&theirs, 8, row, 3);
      ASSERT_EQ(theirs, (comm.rank() + 3) % 6);
    }
    ASSERT_EQ(rows->traffic().all_reduce.calls, 50);
    const auto again = comm.split(in_row);  // a second group of the same ranks
    int64_t one = 1;
    again->all_reduce(&one, 1, DType::kInt64, Reduce::kSum);
    ASSERT_EQ(one, 3);
    const std::vector<int> me = {again->rank()};
    ASSERT_EQ(again->split(me)->size(), 1);
  });
}

TEST_P(Collectives, TrafficIsTheStandardCost) {
  const int n = 4;
  std::mutex mutex;
  std::vector<Traffic> of_ranks(n);
  run(n, [&](Communicator& comm) {
    const size_t kCount = 4000;
    std::vector<float> data(kCount), out(kCount);
    const std::vector<size_t> equal(n, kCount / n);
    for (int i = 0; i < 3; ++i) {
      comm.all_reduce(data.data(), kCount, DType::kFloat32, Reduce::kSum);
      comm.all_gather(data.data(), out.data(), equal, DType::kFloat32);
      comm.reduce_scatter(data.data(), out.data(), equal, DType::kFloat32, Reduce::kSum);
      comm.all_to_all(data.data(), equal, out.data(), equal, DType::kFloat32);
      comm.broadcast(data.data(), 10, DType::kFloat32, 2);
    }
    comm.all_reduce(data.data(), 4, DType::kFloat32, Reduce::kSum);
    comm.send(data.data(), 12, (comm.rank() + 1) % n, 0);
    comm.receive(data.data(), 12, (comm.rank() + n - 1) % n, 0);
    comm.barrier();
    std::lock_guard lock(mutex);
    of_ranks[comm.rank()] = comm.traffic();
  });
  for (int r = 0; r < n; ++r) {
    const Traffic expected = {.all_reduce = {4, 3 * 24'000 + 24},  // 2 (n - 1) / n T
                              .all_gather = {3, 3 * 12'000},
                              .reduce_scatter = {3, 3 * 12'000},
                              .all_to_all = {3, 3 * 12'000},
                              .broadcast = {3, r == 2 ? 3 * 120 : 0},
                              .send = {1, 12}};
    EXPECT_EQ(of_ranks[r], expected) << "rank " << r;
  }
}

TEST_P(Collectives, RandomDelaysChangeNothing) {
  for (const int n : {2, 4}) {
    GroupOptions options;
    std::atomic<uint32_t> seed{1};
    options.inject = [&](int rank, std::string_view) {
      std::mt19937 engine(seed.fetch_add(1) * 16 + static_cast<uint32_t>(rank));
      if (engine() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(engine() % 300));
    };
    run(
        n,
        [&](Communicator& comm) {
          std::vector<double> data;
          for (int round = 0; round < 100; ++round) {
            const size_t count = round % 3 == 0 ? 2000 : 5;
            data.assign(count, static_cast<double>(comm.rank() + round));
            comm.all_reduce(data.data(), count, DType::kFloat64, Reduce::kSum);
            const double expected = n * round + n * (n - 1) / 2.0;
            ASSERT_EQ(data, std::vector<double>(count, expected));
            std::vector<double> gathered(static_cast<size_t>(n));
            const double mine = comm.rank() * round;
            const std::vector<size_t> one(static_cast<size_t>(n), 1);
            comm.all_gather(&mine, gathered.data(), one, DType::kFloat64);
            for (int r = 0; r < n; ++r) ASSERT_EQ(gathered[r], r * round);
          }
        },
        options);
  }
}

}  // namespace
}  // namespace oneagent::comm
