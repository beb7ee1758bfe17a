// The parameters of one op call: integers, numbers and lists of integers by position, as the op's
// schema names them. A flat value, cheap to copy into a tape node or a plan, printable and hashable
// through the schema.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/base/dtype.h"
#include "core/base/shape.h"

namespace oneagent {

enum class AttrKind : uint8_t { kInt, kNumber, kBool, kDType, kInts };

struct AttrSpec {
  const char* name;
  AttrKind kind;
};

class Attrs {
 public:
  static constexpr size_t kMaxWords = 24;
  static constexpr size_t kMaxAttrs = 8;

  Attrs() {}  // NOLINT: the words stay unset until added
  Attrs(const Attrs& other) { copy(other); }
  Attrs& operator=(const Attrs& other) {
    copy(other);
    return *this;
  }

  Attrs& add(int64_t value) {
    start();
    push(value);
    return *this;
  }
  Attrs& add(int value) { return add(int64_t{value}); }
  Attrs& add(bool value) { return add(int64_t{value}); }
  Attrs& add(double value) { return add(std::bit_cast<int64_t>(value)); }
  Attrs& add(DType dtype) { return add(static_cast<int64_t>(dtype)); }
  Attrs& add(const Shape& list) {
    start();
    push(static_cast<int64_t>(list.size()));
    for (const int64_t value : list) push(value);
    return *this;
  }

  // Replaces an integer, number or flag that was added before.
  void set(size_t index, int64_t value) { words_[starts_[index]] = value; }

  size_t size() const { return count_; }
  int64_t integer(size_t index) const { return words_[starts_[index]]; }
  bool flag(size_t index) const { return integer(index) != 0; }
  double number(size_t index) const { return std::bit_cast<double>(integer(index)); }
  DType dtype(size_t index) const { return static_cast<DType>(integer(index)); }
  Shape list(size_t index) const {
    const int64_t* at = words_ + starts_[index];
    return Shape(std::span(at + 1, static_cast<size_t>(*at)));
  }

  std::span<const int64_t> words() const { return {words_, used_}; }
  friend bool operator==(const Attrs& a, const Attrs& b) {
    return a.used_ == b.used_ && std::equal(a.words_, a.words_ + a.used_, b.words_);
  }

 private:
  void start() {
    OA_CHECK(count_ < kMaxAttrs, "attrs: at most ", kMaxAttrs);
    starts_[count_++] = used_;
  }
  void push(int64_t word) {
    OA_CHECK(used_ < kMaxWords, "attrs: at most ", kMaxWords, " words");
    words_[used_++] = word;
  }
  void copy(const Attrs& other) {
    count_ = other.count_;
    used_ = other.used_;
    std::copy_n(other.starts_, count_, starts_);
    std::copy_n(other.words_, used_, words_);
  }

  uint8_t count_ = 0;
  uint8_t used_ = 0;
  uint8_t starts_[kMaxAttrs];
  int64_t words_[kMaxWords];
};

// "dim=1, keepdim=false"
std::string print(std::span<const AttrSpec> schema, const Attrs& attrs);
uint64_t hash(const Attrs& attrs);

}  // namespace oneagent
