// TensorAccessor: elements by index, x.accessor<float, 2>()[i][j], without checks of the index.
// PackedTensorAccessor32 and 64 hold their sizes and strides, as kernels take them.
#pragma once

#include <limits>
#include <utility>

#include "core/tensor/tensor.h"

namespace oneagent {

template <class T>
struct DefaultPtrTraits {
  using PtrType = T*;
};
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

template <class T, size_t N, template <class> class Traits, class Index>
class TensorAccessor {
 public:
  using PtrType = typename Traits<T>::PtrType;

  TensorAccessor(PtrType data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  ArrayRef<Index> sizes() const { return {sizes_, N}; }
  ArrayRef<Index> strides() const { return {strides_, N}; }
  Index size(Index dim) const { return sizes_[dim]; }
  Index stride(Index dim) const { return strides_[dim]; }
  PtrType data() const { return data_; }
  decltype(auto) operator[](Index i) const {
    if constexpr (N == 1)
      return static_cast<T&>(data_[i * strides_[0]]);
    else
      return TensorAccessor<T, N - 1, Traits, Index>(data_ + i * strides_[0], sizes_ + 1,
                                                     strides_ + 1);
  }

 private:
  PtrType data_;
  const Index* sizes_;
  const Index* strides_;
};

template <class T, size_t N, template <class> class Traits, class Index>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename Traits<T>::PtrType;

  GenericPackedTensorAccessor(PtrType data, const int64_t* sizes, const int64_t* strides)
      : data_(data) {
    std::copy(sizes, sizes + N, sizes_);
    std::copy(strides, strides + N, strides_);
  }

  Index size(Index dim) const { return sizes_[dim]; }
  Index stride(Index dim) const { return strides_[dim]; }
  PtrType data() const { return data_; }
  decltype(auto) operator[](Index i) const {
    return TensorAccessor<T, N, Traits, Index>(data_, sizes_, strides_)[i];
  }
  // With two dimensions exchanged. IndexError: no such dimension.
  GenericPackedTensorAccessor transpose(Index dim1, Index dim2) const {
    for (const Index dim : {dim1, dim2})
      if (dim < 0 || dim >= static_cast<Index>(N))
        throw IndexError(str("packed_accessor: there is no dimension ", dim, " of ", N));
    GenericPackedTensorAccessor out(*this);
    std::swap(out.sizes_[dim1], out.sizes_[dim2]);
    std::swap(out.strides_[dim1], out.strides_[dim2]);
    return out;
  }

 private:
  PtrType data_;
  Index sizes_[N];
  Index strides_[N];
};

template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;

template <class T, size_t N>
TensorAccessor<T, N> Tensor::accessor() const& {
  OA_REQUIRE(dim() == static_cast<int64_t>(N), "accessor: expected ", N,
             " dimensions, the tensor has ", dim());
  return TensorAccessor<T, N>(data_ptr<T>(), sizes().data(), strides().data());
}

template <class T, size_t N, template <class> class Traits, class Index>
GenericPackedTensorAccessor<T, N, Traits, Index> Tensor::generic_packed_accessor() const& {
  OA_REQUIRE(dim() == static_cast<int64_t>(N), "packed_accessor: expected ", N,
             " dimensions, the tensor has ", dim());
  OA_REQUIRE(numel() <= std::numeric_limits<Index>::max(),
             "packed_accessor32: numel needs to be smaller than int32_t max");
  return {data_ptr<T>(), sizes().data(), strides().data()};
}

}  // namespace oneagent
