#include "core/ops/creation.h"
#include "core/ops/tensor_data.h"

namespace oneagent {

TensorData::TensorData(std::initializer_list<TensorData> list)
    : kind_(DType::kFloat32), is_list_(true) {
  sizes_ = Shape({static_cast<int64_t>(list.size())});
  if (list.size() == 0) {
    sizes_ = Shape({0});
    return;
  }
  const TensorData& first = *list.begin();
  for (const int64_t size : first.sizes_) sizes_.push_back(size);
  kind_ = first.kind_;
  for (const TensorData& entry : list) {
    if (entry.sizes_ != first.sizes_) {
      const auto spaced = [](const Shape& sizes) {
        std::string text;
        for (const int64_t size : sizes) text += str(text.empty() ? "" : " ", size);
        return text;
      };
      throw_error(str("tensor: Expected all sub-lists to have sizes: ", spaced(first.sizes_),
                      " (e.g. ", first, "), but got sub-list ", entry,
                      " with sizes: ", spaced(entry.sizes_)));
    }
    OA_REQUIRE(entry.kind_ == first.kind_,
               "tensor: Expected all elements of the tensor to have the same scalar type: ",
               first.kind_, ", but got element of scalar type: ", entry.kind_);
    if (!entry.is_list_)
      values_.push_back(entry.value_);
    else
      values_.insert(values_.end(), entry.values_.begin(), entry.values_.end());
  }
}

size_t TensorData::print(std::ostream& out, size_t dim, size_t at) const {
  if (dim == sizes_.size()) {
    out << (is_list_ ? values_[at] : value_);
    return at + 1;
  }
  out << '{';
  for (int64_t i = 0; i < sizes_[dim]; ++i) {
    if (i > 0) out << ", ";
    at = print(out, dim + 1, at);
  }
  out << '}';
  return at;
}

std::ostream& operator<<(std::ostream& out, const TensorData& data) {
  data.print(out, 0, 0);
  return out;
}

TensorData::TensorData(const std::vector<bool>& list)
    : kind_(DType::kBool), sizes_({static_cast<int64_t>(list.size())}), is_list_(true) {
  for (const bool value : list) values_.push_back(value);
}

Tensor TensorData::make(const TensorOptions& options) const {
  DType otherwise = kind_;
  if (kind_ == DType::kInt32) otherwise = DType::kInt64;
  if (kind_ == DType::kFloat32 || kind_ == DType::kFloat64) otherwise = get_default_dtype_value();
  const Tensor out =
      empty(sizes_, options.dtype(options.dtype_opt().value_or(otherwise)).requires_grad(false));
  const auto write = [&]<class T>(T* to) {
    if (!is_list_) *to = value_.to<T>();
    for (size_t i = 0; i < values_.size(); ++i) to[i] = values_[i].to<T>();
  };
  with_complex(out.dtype(), [&]<class T>(Type<T>) { write(out.data_ptr<Complex<T>>()); });
  with_any(out.dtype(), [&]<class T>(Type<T>) { write(out.data_ptr<T>()); });
  if (options.requires_grad()) out.requires_grad_();
  return out;
}

Tensor tensor(const TensorData& data, const TensorOptions& options) { return data.make(options); }

}  // namespace oneagent
