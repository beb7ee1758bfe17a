// The gradient of a plane of the input of a convolution by planes (core/kernels/cpu/conv.h) whose
// stride along rows is two: even and odd columns are two convolutions, interleaved at the end.
#pragma once

#include "core/kernels/cpu/conv.h"
#include "core/kernels/cpu/vec_256.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
class HalvedPlane {
 public:
  explicit HalvedPlane(const ConvPlane& s) : s_(s) {
    if (s.stride[2] != 2 || s.size[0] != 1 || s.kernel[0] != 1 || s.padding[0] != 0) return;
    if (s.kernel[2] > kTaps || s.kernel[1] > kTaps) return;
    int64_t right = 0;
    for (int64_t k = 0; k < s.kernel[2]; ++k) {
      // Result o of tap k is column 2 * o + shift: number o + back of the even or odd ones.
      const int64_t shift = k * s.dilation[2] - s.padding[2];
      const int64_t odd = shift % 2 != 0, back = (shift - odd) / 2;
      taps_[odd][count_[odd]++] = {k, back};
      left_ = back > left_ ? back : left_;
      right = -back > right ? -back : right;
    }
    const int64_t columns = ((s.size[2] + 1) / 2 + kWidth - 1) / kWidth * kWidth;
    row_ = left_ + (columns + right > s.out[2] ? columns + right : s.out[2]);
    serves_ = row_ * s.out[1] <= kScratch;
  }
  // False for strides, volumes and planes that it is not made for.
  bool serves() const { return serves_; }

  void add_to(T* dx, const T* dy, const T* w) {
    T* to = padded_;
    for (int64_t y = 0; y < s_.out[1]; ++y, to += row_, dy += s_.out[2]) {
      for (int64_t i = 0; i < left_; ++i) to[i] = T(0);
      for (int64_t i = 0; i < s_.out[2]; ++i) to[left_ + i] = dy[i];
      for (int64_t i = left_ + s_.out[2]; i < row_; ++i) to[i] = T(0);
    }
    for (int64_t y = 0; y < s_.size[1]; ++y, dx += s_.size[2]) {
      Row rows[kTaps];
      int64_t count = 0;
      for (int64_t k = 0; k < s_.kernel[1]; ++k) {
        const int64_t at = y + s_.padding[1] - k * s_.dilation[1];
        if (at < 0 || at % s_.stride[1] != 0 || at >= s_.out[1] * s_.stride[1]) continue;
        rows[count++] = {padded_ + at / s_.stride[1] * row_ + left_, w + k * s_.kernel[2]};
      }
      if (count > 0) add_row(dx, rows, count);
    }
  }

 private:
  using V = Vec256<T>;
  using Reg = typename V::Reg;
  static constexpr int64_t kWidth = V::kWidth;
  static constexpr int64_t kTaps = 8;        // of rows and columns
  static constexpr int64_t kScratch = 8192;  // elements
  struct Row {
    const T* gradient;
    const T* weights;
  };
  struct Tap {
    int64_t k, back;
  };

  void add_row(T* dx, const Row* rows, int64_t count) const {
    for (int64_t at = 0; 2 * at < s_.size[2]; at += kWidth) {
      const Reg even = sum(0, at, rows, count), odd = sum(1, at, rows, count);
      Reg low, high;
      V::interleave(even, odd, low, high);
      const int64_t left = s_.size[2] - 2 * at;
      add_part(dx + 2 * at, low, left);
      if (left > kWidth) add_part(dx + 2 * at + kWidth, high, left - kWidth);
    }
  }
  Reg sum(int odd, int64_t at, const Row* rows, int64_t count) const {
    Reg total = V::zero();
    for (int64_t r = 0; r < count; ++r)
      for (int64_t t = 0; t < count_[odd]; ++t) {
        const Tap tap = taps_[odd][t];
        total = V::fma(V::load(rows[r].gradient + at - tap.back), V::splat(rows[r].weights[tap.k]),
                       total);
      }
    return total;
  }
  static void add_part(T* to, Reg terms, int64_t left) {
    if (left >= kWidth)
      V::store(to, V::add(V::load(to), terms));
    else
      V::store_part(to, V::add(V::load_part(to, left), terms), left);
  }

  const ConvPlane& s_;
  Tap taps_[2][kTaps];
  int64_t count_[2] = {0, 0};
  int64_t left_ = 0, row_ = 0;
  bool serves_ = false;
  T padded_[kScratch];
};

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
