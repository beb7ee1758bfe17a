// Named typed arrays in host memory: what a chunk, a batch and a set of weights are made of.
// An Array is immutable once made and shares its bytes by reference count: with a private buffer,
// or with the network message it arrived in.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/base/dtype.h"
#include "core/base/shape.h"

namespace oneagent::ring {

struct Array {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::shared_ptr<const void> owner;  // keeps data alive
  const uint8_t* data = nullptr;      // little-endian, row-major, at least element-aligned
  size_t bytes() const { return static_cast<size_t>(shape.numel()) * size_of(dtype); }

  // The elements as T; an Error names the array when its dtype is another one.
  template <class T>
  std::span<const T> as() const {
    OA_REQUIRE(dtype == dtype_of<T>, "array ", name, ": expected ", name_of(dtype_of<T>), ", was ",
               name_of(dtype));
    return {reinterpret_cast<const T*>(data), static_cast<size_t>(shape.numel())};
  }
};

// A zeroed private buffer, aligned to 64 bytes. Fill `data` before the array is shared.
struct MutableArray {
  Array array;
  uint8_t* data;
  template <class T>
  std::span<T> as() {
    OA_REQUIRE(array.dtype == dtype_of<T>, "array ", array.name, ": expected ",
               name_of(dtype_of<T>), ", was ", name_of(array.dtype));
    return {reinterpret_cast<T*>(data), static_cast<size_t>(array.shape.numel())};
  }
};
MutableArray make_array(std::string name, DType dtype, const Shape& shape);

template <class T>
Array array_of(std::string name, const Shape& shape, std::span<const T> values) {
  MutableArray made = make_array(std::move(name), dtype_of<T>, shape);
  OA_CHECK(values.size() == made.as<T>().size(), "array_of: ", values.size(), " values for shape ",
           shape);
  std::copy(values.begin(), values.end(), made.as<T>().begin());
  return std::move(made.array);
}

class ArraySet {
 public:
  void add(Array array);                           // Error when the name is taken
  const Array* find(std::string_view name) const;  // nullptr when absent
  const Array& at(std::string_view name) const;    // Error lists the names that exist
  const std::vector<Array>& arrays() const { return arrays_; }
  bool empty() const { return arrays_.empty(); }
  size_t bytes() const;

 private:
  std::vector<Array> arrays_;
};

// Same names in the same order, dtypes, shapes and bytes.
bool equal(const ArraySet& a, const ArraySet& b);
// The name of a floating array with a NaN or infinity, or "".
std::string first_non_finite(const ArraySet& set);
// SHA-256 over names, dtypes, shapes and bytes.
std::string content_hash(const ArraySet& set);

}  // namespace oneagent::ring
