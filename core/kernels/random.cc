#include "core/kernels/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/draw.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 4096;

__extension__ using Wide = unsigned __int128;
using Block = std::array<uint32_t, 4>;

Block block_of(const RngState& at, int64_t index) {
  const uint64_t counter = at.position + static_cast<uint64_t>(index);
  return philox_block({static_cast<uint32_t>(at.seed), static_cast<uint32_t>(at.seed >> 32)},
                      {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                       static_cast<uint32_t>(at.stream), static_cast<uint32_t>(at.stream >> 32)});
}

double uniform_of(uint32_t low, uint32_t high) {
  return static_cast<double>(((uint64_t{high} << 32) | low) >> 11) * 0x1p-53;
}

template <class T, class Value>
void generate(Stream& stream, const Tensor& out, const RngState& at, const Value& value) {
  T* values = out.data_ptr<T>();
  stream.parallel_for(out.numel(), kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) values[i] = static_cast<T>(value(block_of(at, i)));
  });
}

template <class Value>
void generate_any(Stream& stream, const Tensor& out, const RngState& at, const Value& value) {
  const bool known =
      with_number(out.dtype(), [&]<class T>(Type<T>) { generate<T>(stream, out, at, value); });
  OA_REQUIRE(known, "random: has no meaning for ", name_of(out.dtype()));
}

bool draws(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kFloat64; }

template <class Each>
void draw(Stream& stream, const Tensor& out, const RngState& at, double shift, double scale,
          const Each& each) {
  const size_t size = size_of(out.dtype());
  char* values = static_cast<char*>(out.data_ptr());
  stream.parallel_for(out.numel(), kGrain, [&](int64_t begin, int64_t end) {
    each(cpu::DrawArgs{.seed = at.seed,
                       .stream = at.stream,
                       .counter = at.position + static_cast<uint64_t>(begin),
                       .n = end - begin,
                       .out = values + static_cast<size_t>(begin) * size,
                       .shift = shift,
                       .scale = scale});
  });
}

// Running sums of a row of weights in quarters, whose additions do not wait for each other.
template <class T>
class Quarters {
 public:
  explicit Quarters(int64_t n) : length_((n + 3) / 4), sums_(static_cast<size_t>(length_) * 4) {}

  double add(const T* row, int64_t n) {  // the whole sum
    double* sums = sums_.data();
    for (int64_t i = 0; i < n; ++i) sums[i] = static_cast<double>(row[i]);
    std::fill(sums + n, sums + 4 * length_, 0.0);
    double *second = sums + length_, *third = second + length_, *last = third + length_;
    for (int64_t i = 1; i < length_; ++i) {
      sums[i] += sums[i - 1];
      second[i] += second[i - 1];
      third[i] += third[i - 1];
      last[i] += last[i - 1];
    }
    double total = 0;
    for (int64_t q = 0; q < 4; ++q) total += whole_[q] = sums[(q + 1) * length_ - 1];
    return total;
  }

  // The first index whose running sum is more than `target`; -1: none is.
  int64_t find(double target) const {
    for (int64_t q = 0; q < 4; ++q) {
      if (target < whole_[q]) {
        const double* first = sums_.data() + q * length_;
        return std::upper_bound(first, first + length_, target) - sums_.data();
      }
      target -= whole_[q];
    }
    return -1;
  }

 private:
  int64_t length_;
  std::vector<double> sums_;
  double whole_[4] = {};
};

// The uniform numbers of draws 0, 1, ... one behind the other; blocks are made many at a time where
// many are wanted.
class Uniforms {
 public:
  Uniforms(const RngState& at, int64_t count) : at_(at), count_(count) {}

  double next() {
    const int64_t i = taken_++;
    if (count_ < kFew) {
      const Block block = block_of(at_, i);
      return uniform_of(block[0], block[1]);
    }
    if (i % kBuffer == 0)
      cpu::draw_uniform(DType::kFloat64, {.seed = at_.seed,
                                          .stream = at_.stream,
                                          .counter = at_.position + static_cast<uint64_t>(i),
                                          .n = std::min<int64_t>(count_ - i, kBuffer),
                                          .out = buffer_,
                                          .shift = 0,
                                          .scale = 1});
    return buffer_[i % kBuffer];
  }

 private:
  static constexpr int64_t kFew = 3, kBuffer = 64;
  const RngState at_;
  const int64_t count_;
  int64_t taken_ = 0;
  double buffer_[kBuffer];
};

// The sums of Quarters where each is of one weight.
template <class T>
class FewWeights {
 public:
  double add(const T* row, int64_t n) {
    double total = 0;
    for (int64_t i = 0; i < n; ++i) total += whole_[i] = static_cast<double>(row[i]);
    n_ = n;
    return total;
  }
  int64_t find(double target) const {  // without branches, which no processor could foresee
    int64_t passed = 0, going = 1;
    for (int64_t i = 0; i < n_; ++i) {
      going &= static_cast<int64_t>(!(target < whole_[i]));
      passed += going;
      target -= whole_[i];
    }
    return passed == n_ ? -1 : passed;
  }

 private:
  int64_t n_ = 0;
  double whole_[4] = {};
};

template <class T, class Sums>
void multinomial(const Tensor& weights, const Tensor& out, const RngState& at, Sums sums) {
  const int64_t n = weights.sizes().back();
  const int64_t samples = out.sizes().back();
  const int64_t rows = n == 0 ? 0 : weights.numel() / n;
  const T* row = weights.data_ptr<T>();
  int64_t* to = out.data_ptr<int64_t>();
  Uniforms uniforms(at, rows * samples);
  for (int64_t r = 0; r < rows; ++r, row += n) {
    int bad = 0;
    for (int64_t i = 0; i < n; ++i)
      bad |= !(row[i] >= 0) | !(row[i] <= std::numeric_limits<T>::max());
    for (int64_t i = 0; bad != 0 && i < n; ++i)
      OA_REQUIRE(row[i] >= 0 && std::isfinite(row[i]), "multinomial: weight ", i, " of row ", r,
                 " is ", row[i], "; weights must be finite and not negative");
    const double total = sums.add(row, n);
    OA_REQUIRE(total > 0, "multinomial: the weights of row ", r, " sum to 0");
    for (int64_t s = 0; s < samples; ++s) {
      int64_t chosen = sums.find(uniforms.next() * total);
      // Rounding may leave a rest beyond the last positive weight.
      for (int64_t i = n - 1; chosen < 0; --i) chosen = row[i] > 0 ? i : -1;
      *to++ = chosen;
    }
  }
}

}  // namespace

void run_uniform(Stream& stream, const Tensor& out, const RngState& at, double low, double high) {
  const double span = high - low;
  if (draws(out.dtype()))  // float: 24 bits, so that rounding never reaches `high`
    return draw(stream, out, at, low, span,
                [&](const cpu::DrawArgs& args) { cpu::draw_uniform(out.dtype(), args); });
  generate_any(stream, out, at,
               [=](const Block& b) { return low + span * uniform_of(b[0], b[1]); });
}

void run_normal(Stream& stream, const Tensor& out, const RngState& at, double mean,
                double deviation) {
  OA_REQUIRE(draws(out.dtype()), "normal: has no meaning for ", name_of(out.dtype()));
  draw(stream, out, at, mean, deviation,
       [&](const cpu::DrawArgs& args) { cpu::draw_normal(out.dtype(), args); });
}

void run_random_ints(Stream& stream, const Tensor& out, const RngState& at, int64_t low,
                     int64_t high) {
  const auto range = static_cast<uint64_t>(high - low);
  if (range >> 32 == 0 && (draws(out.dtype()) || out.dtype() == DType::kInt64))
    return draw(stream, out, at, 0, 1,
                [&](const cpu::DrawArgs& args) { cpu::draw_ints(out.dtype(), args, low, range); });
  generate_any(stream, out, at, [=](const Block& b) {
    const uint64_t bits = (uint64_t{b[1]} << 32) | b[0];
    return low +
           static_cast<int64_t>(static_cast<uint64_t>((static_cast<Wide>(bits) * range) >> 64));
  });
}

void run_multinomial(Stream& stream, const Tensor& out, const Tensor& weights, const RngState& at) {
  const Tensor rows = as_contiguous(stream, weights);
  with_floating(rows.dtype(), [&]<class T>(Type<T>) {
    const int64_t n = rows.sizes().back();
    if (n <= 4)
      multinomial<T>(rows, out, at, FewWeights<T>());
    else
      multinomial<T>(rows, out, at, Quarters<T>(n));
  });
}

}  // namespace oneagent
