#include "core/data/array_set.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/base/bytes.h"
#include "core/base/hash.h"

namespace oneagent::ring {

MutableArray make_array(std::string name, DType dtype, const Shape& shape) {
  const size_t bytes = static_cast<size_t>(shape.numel()) * size_of(dtype);
  const size_t rounded = std::max<size_t>(64, (bytes + 63) / 64 * 64);
  std::shared_ptr<void> buffer(std::aligned_alloc(64, rounded), std::free);
  OA_REQUIRE(buffer != nullptr, "array ", name, ": cannot allocate ", rounded, " bytes");
  std::memset(buffer.get(), 0, rounded);
  auto* data = static_cast<uint8_t*>(buffer.get());
  return {{std::move(name), dtype, shape, std::move(buffer), data}, data};
}

void ArraySet::add(Array array) {
  OA_REQUIRE(find(array.name) == nullptr, "array set: ", array.name, " is there already");
  arrays_.push_back(std::move(array));
}

const Array* ArraySet::find(std::string_view name) const {
  for (const Array& array : arrays_)
    if (array.name == name) return &array;
  return nullptr;
}

const Array& ArraySet::at(std::string_view name) const {
  const Array* found = find(name);
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const Array& array : arrays_) names.push_back(array.name);
    throw_error(str("array set: no array \"", name, "\"; it holds ", join(names, ", ")));
  }
  return *found;
}

size_t ArraySet::bytes() const {
  size_t total = 0;
  for (const Array& array : arrays_) total += array.bytes();
  return total;
}

bool equal(const ArraySet& a, const ArraySet& b) {
  if (a.arrays().size() != b.arrays().size()) return false;
  for (size_t i = 0; i < a.arrays().size(); ++i) {
    const Array& x = a.arrays()[i];
    const Array& y = b.arrays()[i];
    if (x.name != y.name || x.dtype != y.dtype || !(x.shape == y.shape)) return false;
    if (x.bytes() > 0 && std::memcmp(x.data, y.data, x.bytes()) != 0) return false;
  }
  return true;
}

namespace {

// The exponent is all ones exactly for infinities and NaNs. Integer compares, so that the loop
// vectorises.
template <class Bits>
bool all_finite(const Array& array, Bits exponent) {
  const auto* bits = reinterpret_cast<const Bits*>(array.data);
  Bits found = 0;
  for (int64_t i = 0; i < array.shape.numel(); ++i)
    found |= static_cast<Bits>((bits[i] & exponent) == exponent);
  return found == 0;
}

}  // namespace

std::string first_non_finite(const ArraySet& set) {
  for (const Array& array : set.arrays()) {
    if (array.dtype == DType::kFloat32 && !all_finite<uint32_t>(array, 0x7F800000u))
      return array.name;
    if (array.dtype == DType::kFloat64 && !all_finite<uint64_t>(array, 0x7FF0000000000000u))
      return array.name;
  }
  return "";
}

std::string content_hash(const ArraySet& set) {
  ByteWriter out;
  for (const Array& array : set.arrays()) {
    out.put_text(array.name);
    out.put(static_cast<uint8_t>(array.dtype));
    out.put_span(std::span<const int64_t>(array.shape));
    out.put_span(std::span<const uint8_t>(array.data, array.bytes()));
  }
  return sha256(out.bytes());
}

}  // namespace oneagent::ring
