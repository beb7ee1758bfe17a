// Little-endian save and load of plain values. Readers check every bound: a short or oversized
// buffer is an Error.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/check.h"
#include "core/base/rng.h"

namespace oneagent {

using Bytes = std::vector<uint8_t>;

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) requires std::is_trivially_copyable_v<T> {
    const auto* from = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof(T));
  }
  void put_text(std::string_view text) {
    put<uint64_t>(text.size());
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  template <class T>
  void put_span(std::span<const T> values) requires std::is_trivially_copyable_v<T> {
    put<uint64_t>(values.size());
    const auto* from = reinterpret_cast<const uint8_t*>(values.data());
    bytes_.insert(bytes_.end(), from, from + values.size_bytes());
  }
  template <class T>
  void put_vector(const std::vector<T>& values) {
    put_span(std::span<const T>(values));
  }
  void put_rng(const Rng& rng) { put(rng.state()); }

  const Bytes& bytes() const { return bytes_; }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

class ByteReader {
 public:
  // `what` names the source in errors ("checkpoint actor-0.bin"). The bytes must outlive the
  // reader.
  ByteReader(std::span<const uint8_t> bytes, std::string_view what) : bytes_(bytes), what_(what) {}

  template <class T>
  T get() requires std::is_trivially_copyable_v<T> {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  std::string get_text() {
    const auto size = get<uint64_t>();
    const auto* from = reinterpret_cast<const char*>(take(size));
    return {from, size};
  }
  template <class T>
  std::vector<T> get_vector() requires std::is_trivially_copyable_v<T> {
    const auto count = get<uint64_t>();
    OA_REQUIRE(count <= left() / sizeof(T), what_, ": truncated, ", count, " values announced, ",
               left(), " bytes left");
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), take(count * sizeof(T)), count * sizeof(T));
    return values;
  }
  // Reads exactly as many values as `into` holds.
  template <class T>
  void get_into(std::span<T> into) {
    const auto count = get<uint64_t>();
    OA_REQUIRE(count == into.size(), what_, ": expected ", into.size(), " values, was ", count);
    if (count > 0) std::memcpy(into.data(), take(count * sizeof(T)), count * sizeof(T));
  }
  Rng get_rng() { return Rng(get<RngState>()); }

  size_t left() const { return bytes_.size() - at_; }
  void finish() const { OA_REQUIRE(left() == 0, what_, ": ", left(), " bytes too many"); }

 private:
  const uint8_t* take(size_t size) {
    OA_REQUIRE(size <= left(), what_, ": truncated, needs ", size, " bytes at offset ", at_,
               ", has ", left());
    const uint8_t* from = bytes_.data() + at_;
    at_ += size;
    return from;
  }

  std::span<const uint8_t> bytes_;
  std::string what_;
  size_t at_ = 0;
};

}  // namespace oneagent
