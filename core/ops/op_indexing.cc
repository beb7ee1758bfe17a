#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/index_tensors.h"
#include "core/ops/indexing.h"
#include "core/ops/op_support.h"
#include "core/ops/slice.h"
#include "core/ops/view.h"

namespace oneagent {
namespace indexing {
namespace {

bool is_mask(const Tensor& x) { return x.dtype() == DType::kBool || x.dtype() == DType::kUInt8; }

// How many dimensions the indices use up: all but None, Ellipsis and bools.
int64_t used_dimensions(ArrayRef<TensorIndex> indices) {
  int64_t count = 0;
  for (const TensorIndex& index : indices) {
    if (index.is_tensor())
      count += is_mask(index.tensor()) ? index.tensor().dim() : 1;
    else if (index.is_integer() || index.is_slice())
      ++count;
  }
  return count;
}

// A bool adds a dimension of size 1 that true takes and false leaves empty.
Tensor bool_index(bool value) { return zeros({value ? 1 : 0}, DType::kInt64); }

Tensor apply_slice(const Tensor& x, int64_t dim, const Slice& range, bool keep) {
  if (range.step() <= 0)
    throw ValueError(str("index: step must be greater than zero, was ", range.step()));
  if (x.dim() <= dim) throw IndexError("index: slice() cannot be applied to a 0-dim tensor");
  const int64_t size = x.size(dim);
  if (!keep && range.start() == 0 && range.stop() == size && range.step() == 1) return x;
  return slice(x, dim, range.start(), range.stop(), range.step());
}
Tensor apply_select(const Tensor& x, int64_t dim, int64_t index, size_t position) {
  if (x.dim() <= dim)
    throw IndexError("index: invalid index of a 0-dim tensor; item<T>() is its only element");
  const int64_t size = x.size(dim);
  if (index < -size || index >= size)
    throw IndexError(str("index: index ", index, " is out of bounds for dimension ", position,
                         " with size ", size));
  return select(x, dim, index);
}

// Walks over the indices: views are taken at once, tensors collected by dimension.
class Walk {
 public:
  Walk(const Tensor& self, ArrayRef<TensorIndex> indices)
      : result_(self), left_(self.dim() - used_dimensions(indices)) {
    OA_REQUIRE(!indices.empty(),
               "index: an empty list of indices is not valid; index({\"...\"}) "
               "takes the whole tensor");
    if (left_ < 0)
      throw IndexError(str("index: too many indices for tensor of dimension ", self.dim()));
    for (size_t i = 0; i < indices.size(); ++i) apply(indices[i], i);
  }
  const Tensor& result() const { return result_; }
  bool has_tensors() const { return !tensors_.empty(); }
  const std::vector<std::optional<Tensor>>& tensors() const { return tensors_; }

 private:
  void apply(const TensorIndex& index, size_t position) {
    if (index.is_integer()) {
      result_ = apply_select(result_, dim_, index.integer(), position);
    } else if (index.is_slice()) {
      result_ = apply_slice(result_, dim_++, index.slice(), false);
    } else if (index.is_ellipsis()) {
      dim_ += left_;
    } else if (index.is_none()) {
      result_ = unsqueeze(result_, dim_++);
    } else if (index.is_boolean()) {
      add_bool(index.boolean());
    } else {
      apply_tensor(index.tensor(), position);
    }
  }
  void apply_tensor(const Tensor& index, size_t position) {
    if (index.dim() > 0 || index.is_floating_point()) return add(index);
    if (is_mask(index)) return add_bool(index.item<int64_t>() != 0);
    result_ = apply_select(result_, dim_, index.item<int64_t>(), position);
  }
  void add_bool(bool value) {
    result_ = unsqueeze(result_, dim_);
    add(bool_index(value));
  }
  void add(const Tensor& index) {
    tensors_.resize(static_cast<size_t>(dim_) + 1);
    tensors_[static_cast<size_t>(dim_++)] = index;
  }

  Tensor result_;
  int64_t left_;  // dimensions that an ellipsis stands for
  int64_t dim_ = 0;
  std::vector<std::optional<Tensor>> tensors_;
};

// numpy: leading dimensions of size 1 of the values do not count.
Tensor without_leading_ones(const Tensor& x) {
  size_t ones = 0;
  while (ones < x.sizes().size() && x.sizes()[ones] == 1) ++ones;
  if (ones == 0) return x;
  Shape rest;
  for (size_t i = ones; i < x.sizes().size(); ++i) rest.push_back(x.sizes()[i]);
  return view(x, rest);
}
void write(const Tensor& target, const Tensor& value) {
  copy_(target, target.sizes() == value.sizes() ? value : without_leading_ones(value));
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Slice& slice) {
  return out << slice.start() << ':' << slice.stop() << ':' << slice.step();
}
std::ostream& operator<<(std::ostream& out, const TensorIndex& index) {
  if (index.is_none()) return out << "None";
  if (index.is_ellipsis()) return out << "...";
  if (index.is_integer()) return out << index.integer();
  if (index.is_boolean()) return out << (index.boolean() ? "true" : "false");
  if (index.is_slice()) return out << index.slice();
  return out << index.tensor();
}
std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices) {
  out << '(';
  for (size_t i = 0; i < indices.size(); ++i) out << (i > 0 ? ", " : "") << indices[i];
  return out << ')';
}

Tensor get_item(const Tensor& self, ArrayRef<TensorIndex> indices) {
  if (indices.size() == 1) {
    if (indices[0].is_integer()) return apply_select(self, 0, indices[0].integer(), 0);
    if (indices[0].is_slice()) return apply_slice(self, 0, indices[0].slice(), true);
  }
  const Walk walk(self, indices);
  if (walk.has_tensors()) return index(walk.result(), walk.tensors());
  return walk.result().is_same(self) ? alias(self) : walk.result();
}

void set_item(const Tensor& self, ArrayRef<TensorIndex> indices, const Tensor& value) {
  if (indices.size() == 1 && indices[0].is_boolean() && !indices[0].boolean()) return;
  const Walk walk(self, indices);
  if (!walk.has_tensors()) return write(walk.result(), value);
  index_put_(walk.result(), walk.tensors(), without_leading_ones(value));
}
void set_item(const Tensor& self, ArrayRef<TensorIndex> indices, Scalar value) {
  if (indices.size() == 1 && indices[0].is_boolean() && !indices[0].boolean()) return;
  const Walk walk(self, indices);
  if (!walk.has_tensors())
    fill_(walk.result(), value);
  else
    index_put_(walk.result(), walk.tensors(), scalar_tensor(value, self.dtype()));
}

}  // namespace indexing

Tensor index(const Tensor& tensor, std::initializer_list<indexing::TensorIndex> indices) {
  return indexing::get_item(tensor, indices);
}
Tensor index(const Tensor& tensor, ArrayRef<indexing::TensorIndex> indices) {
  return indexing::get_item(tensor, indices);
}
const Tensor& index_put_(const Tensor& tensor, std::initializer_list<indexing::TensorIndex> indices,
                         const Tensor& rhs) {
  indexing::set_item(tensor, indices, rhs);
  return tensor;
}
const Tensor& index_put_(const Tensor& tensor, std::initializer_list<indexing::TensorIndex> indices,
                         Scalar v) {
  indexing::set_item(tensor, indices, v);
  return tensor;
}
const Tensor& index_put_(const Tensor& tensor, ArrayRef<indexing::TensorIndex> indices,
                         const Tensor& rhs) {
  indexing::set_item(tensor, indices, rhs);
  return tensor;
}
const Tensor& index_put_(const Tensor& tensor, ArrayRef<indexing::TensorIndex> indices, Scalar v) {
  indexing::set_item(tensor, indices, v);
  return tensor;
}

Tensor Tensor::index(std::initializer_list<indexing::TensorIndex> indices) const {
  return indexing::get_item(*this, indices);
}
Tensor Tensor::index(ArrayRef<indexing::TensorIndex> indices) const {
  return indexing::get_item(*this, indices);
}
Tensor& Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices,
                           const Tensor& values) const {
  indexing::set_item(*this, indices, values);
  return const_cast<Tensor&>(*this);
}
Tensor& Tensor::index_put_(std::initializer_list<indexing::TensorIndex> indices,
                           Scalar value) const {
  indexing::set_item(*this, indices, value);
  return const_cast<Tensor&>(*this);
}
Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& values) const {
  indexing::set_item(*this, indices, values);
  return const_cast<Tensor&>(*this);
}
Tensor& Tensor::index_put_(ArrayRef<indexing::TensorIndex> indices, Scalar value) const {
  indexing::set_item(*this, indices, value);
  return const_cast<Tensor&>(*this);
}

}  // namespace oneagent
