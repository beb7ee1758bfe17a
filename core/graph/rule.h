// How an op's dimensions relate, as factors: "mk,kn->mn". A letter is a factor and names one
// dimension of each operand that has it; "..." stands for the broadcast leading dimensions; an
// operand without letters is a scalar. From the rule the sharding signatures are generated: a
// factor in operands and result -> Split; only in operands -> Partial; absent in an operand ->
// Broadcast.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/attrs.h"
#include "core/tensor/sharding.h"
#include "core/tensor/tensor_impl.h"

namespace oneagent {

// The description of an operand; null for an absent optional one. An Error where one is looked at
// that the caller left undefined.
class MetaPointer {
 public:
  MetaPointer(const TensorMeta* meta) : meta_(meta) {}  // NOLINT: implicit like a pointer
  operator const TensorMeta*() const { return meta_; }  // NOLINT
  const TensorMeta* operator->() const { return &**this; }
  const TensorMeta& operator*() const {
    if (meta_ == nullptr) [[unlikely]]
      throw_error("Expected a proper Tensor but got None (or an undefined Tensor in C++)");
    return *meta_;
  }

 private:
  const TensorMeta* meta_;
};

class Metas {
 public:
  Metas(const TensorMeta* const* data, size_t size) : data_(data), size_(size) {}
  MetaPointer operator[](size_t i) const { return data_[i]; }
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const TensorMeta* const* begin() const { return data_; }
  const TensorMeta* const* end() const { return data_ + size_; }
  Metas subspan(size_t first) const { return {data_ + first, size_ - first}; }
  Metas subspan(size_t first, size_t count) const { return {data_ + first, count}; }

 private:
  const TensorMeta* const* data_;
  size_t size_;
};

// Bit of Rule::linear: linear in all the inputs named together, as a sum is, instead of in each of
// them alone, as a product is.
inline constexpr uint32_t kTogether = 1u << 31;

struct Rule {
  const char* factors = nullptr;  // the short form
  const char* closed = "";  // factors that must stay whole: "x" of softmax, "..." for all of these
  uint32_t linear = 0;      // bit i: linear in input i, so Partial(sum) passes through
  uint32_t added = 0;       // bit i: input i is added to the result, as a bias is: where the
                            // result is Partial(sum), it has to be so too
  Reduce reduce = Reduce::kSum;  // how results of parts of a factor that they lack are joined
  std::string (*generate)(Metas inputs, const Attrs& attrs) =
      nullptr;  // when the factors depend on shapes or attrs: "factors" or "factors;closed"
};

// A rule made concrete for one call: per operand and result, one letter per dimension.
struct Factors {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string closed;
};

// Throws Error when the text does not fit the ranks.
Factors resolve(const Rule& rule, Metas inputs, Metas outputs, const Attrs& attrs);

}  // namespace oneagent
