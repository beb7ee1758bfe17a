#include "core/kernels/copy.h"

#include <cstring>

#include "core/kernels/cpu/binary.h"
#include "core/kernels/loop.h"

namespace oneagent {

void copy_into(Stream& stream, const Tensor& out, const Tensor& in) {
  if (out.dtype() == in.dtype() && out.is_contiguous() && in.is_contiguous() &&
      out.sizes() == in.sizes()) {
    if (out.numel() > 0 && out.data_ptr() != in.data_ptr())
      std::memcpy(out.data_ptr(), in.data_ptr(), out.nbytes());
    return;
  }
  const Tensor* operands[] = {&out, &in};
  run_loop(stream, "copy", cpu::cast(out.dtype(), in.dtype()), operands);
}

Tensor contiguous_copy(Stream& stream, const Tensor& in) {
  Tensor out = empty_on(stream, in.sizes(), in.dtype());
  copy_into(stream, out, in);
  return out;
}

Tensor as_contiguous(Stream& stream, const Tensor& in) {
  return in.is_contiguous() ? in : contiguous_copy(stream, in);
}

namespace {

template <class T>
void fill_values(const Tensor& out, Scalar value) {
  std::fill_n(out.data_ptr<T>(), out.numel(), value.to<T>());
}

}  // namespace

void fill(Stream& stream, const Tensor& out, Scalar value) {
  if (!out.is_contiguous()) {
    const Tensor one = empty_on(stream, {}, out.dtype());
    fill(stream, one, value);
    return copy_into(stream, out, one);
  }
  with_any(out.dtype(), [&]<class T>(Type<T>) { fill_values<T>(out, value); });
}

}  // namespace oneagent
