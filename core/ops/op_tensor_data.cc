#include "core/ops/creation.h"
#include "core/ops/tensor_data.h"

namespace oneagent {

TensorData::TensorData(std::initializer_list<TensorData> list)
    : kind_(get_default_dtype_value()), is_list_(true) {
  sizes_ = Shape({static_cast<int64_t>(list.size())});
  if (list.size() == 0) {
    sizes_ = Shape({0});
    return;
  }
  const TensorData& first = *list.begin();
  for (const int64_t size : first.sizes_) sizes_.push_back(size);
  kind_ = first.kind_;
  for (const TensorData& entry : list) {
    OA_REQUIRE(entry.sizes_ == first.sizes_, "tensor: expected all sub-lists to have sizes ",
               first.sizes_, ", one has ", entry.sizes_);
    OA_REQUIRE(entry.kind_ == first.kind_, "tensor: expected all elements to be ", first.kind_,
               ", one is ", entry.kind_);
    if (!entry.is_list_)
      values_.push_back(entry.value_);
    else
      values_.insert(values_.end(), entry.values_.begin(), entry.values_.end());
  }
}

TensorData::TensorData(const std::vector<bool>& list)
    : kind_(DType::kBool), sizes_({static_cast<int64_t>(list.size())}), is_list_(true) {
  for (const bool value : list) values_.push_back(value);
}

Tensor TensorData::make(const TensorOptions& options) const {
  const Tensor out =
      empty(sizes_, options.dtype(options.dtype_opt().value_or(kind_)).requires_grad(false));
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
