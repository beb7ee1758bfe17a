#include "core/kernels/random.h"

#include <cmath>

#include "core/kernels/copy.h"

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

// Box-Muller on the first two numbers of a block; 1 - u is in (0, 1].
double normal_of(const Block& block) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform_of(block[0], block[1])));
  return radius * std::cos(6.283185307179586 * uniform_of(block[2], block[3]));
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

template <class T>
void multinomial(const Tensor& weights, const Tensor& out, const RngState& at) {
  const int64_t n = weights.sizes().back();
  const int64_t samples = out.sizes().back();
  const int64_t rows = n == 0 ? 0 : weights.numel() / n;
  const T* row = weights.data_ptr<T>();
  int64_t* to = out.data_ptr<int64_t>();
  for (int64_t r = 0; r < rows; ++r, row += n) {
    double total = 0;
    for (int64_t i = 0; i < n; ++i) {
      OA_REQUIRE(row[i] >= 0 && std::isfinite(row[i]), "multinomial: weight ", i, " of row ", r,
                 " is ", row[i], "; weights must be finite and not negative");
      total += row[i];
    }
    OA_REQUIRE(total > 0, "multinomial: the weights of row ", r, " sum to 0");
    for (int64_t s = 0; s < samples; ++s) {
      const Block block = block_of(at, r * samples + s);
      double left = uniform_of(block[0], block[1]) * total;
      int64_t chosen = -1;
      for (int64_t i = 0; i < n; ++i) {
        if (row[i] == 0) continue;
        chosen = i;  // rounding may leave a rest beyond the last positive weight
        left -= row[i];
        if (left < 0) break;
      }
      *to++ = chosen;
    }
  }
}

}  // namespace

void run_uniform(Stream& stream, const Tensor& out, const RngState& at, double low, double high) {
  const double span = high - low;
  if (out.dtype() == DType::kFloat32) {  // 24 bits, so that rounding never reaches `high`
    return generate<float>(stream, out, at, [=](const Block& b) {
      return static_cast<float>(low) +
             static_cast<float>(span) * (static_cast<float>(b[0] >> 8) * 0x1p-24f);
    });
  }
  generate_any(stream, out, at,
               [=](const Block& b) { return low + span * uniform_of(b[0], b[1]); });
}

void run_normal(Stream& stream, const Tensor& out, const RngState& at, double mean,
                double deviation) {
  generate_any(stream, out, at, [=](const Block& b) { return mean + deviation * normal_of(b); });
}

void run_random_ints(Stream& stream, const Tensor& out, const RngState& at, int64_t low,
                     int64_t high) {
  const auto range = static_cast<uint64_t>(high - low);
  generate_any(stream, out, at, [=](const Block& b) {
    const uint64_t bits = (uint64_t{b[1]} << 32) | b[0];
    return low +
           static_cast<int64_t>(static_cast<uint64_t>((static_cast<Wide>(bits) * range) >> 64));
  });
}

void run_multinomial(Stream& stream, const Tensor& out, const Tensor& weights, const RngState& at) {
  const Tensor rows = as_contiguous(stream, weights);
  if (rows.dtype() == DType::kFloat32)
    multinomial<float>(rows, out, at);
  else
    multinomial<double>(rows, out, at);
}

}  // namespace oneagent
