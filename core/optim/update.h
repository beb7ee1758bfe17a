// Runs a kernel of core/kernels/cpu/optimizer.h over one parameter, its gradient and its state.
#pragma once

#include <initializer_list>

#include "core/kernels/cpu/optimizer.h"
#include "core/optim/optimizer.h"
#include "core/tensor/global_parts.h"

namespace oneagent::optim {

inline constexpr int64_t kUpdateGrain = 1 << 15;  // elements; also the unit in which sums are added

// The arrays of one update, in one layout and one type. Where the tensors allow it these are the
// tensors themselves, else copies, which finish() writes back.
class UpdateCall {
 public:
  // Undefined state tensors are left out. Of a global parameter this rank's part is updated, for
  // which there is state. Error: shapes or types that do not fit.
  UpdateCall(const Tensor& logical, const Tensor& logical_gradient,
             std::initializer_list<const Tensor*> state, cpu::UpdateArrays& arrays) {
    const Tensor &parameter = local_part(logical), &gradient = local_part(logical_gradient);
    if (!direct(parameter, gradient, state, arrays)) [[unlikely]]
      copy(parameter, gradient, state, arrays);
    dtype_ = is_half(parameter.dtype()) ? DType::kFloat32 : real_type_of(parameter.dtype());
    logical_ = &logical;
  }

  template <class Args>
  void run(void (*kernel)(DType, const Args&), const Args& args) const {
    if (args.n <= kUpdateGrain) return kernel(dtype_, args);
    context().stream.parallel_for(args.n, kUpdateGrain, [&](int64_t begin, int64_t end) {
      kernel(dtype_, part(args, begin, end));
    });
  }

  // The same for a kernel that returns sums; added in the order of the parts, and over the ranks.
  template <class Args>
  cpu::SquareSums sums(cpu::SquareSums (*kernel)(DType, const Args&), const Args& args) const {
    cpu::SquareSums out = local_sums(kernel, args);
    if (is_global(*logical_)) [[unlikely]] {
      double both[] = {out.parameter, out.other};
      global_hooks().add_over_parts(*logical_, both, 2);
      out = {both[0], both[1]};
    }
    return out;
  }

  void finish() const {
    if (!copies_.empty()) [[unlikely]]
      write_back();
    logical_->impl().bump_version();
  }

 private:
  template <class Args>
  cpu::SquareSums local_sums(cpu::SquareSums (*kernel)(DType, const Args&),
                             const Args& args) const {
    if (args.n <= kUpdateGrain) return kernel(dtype_, args);
    std::vector<cpu::SquareSums> parts(
        static_cast<size_t>((args.n + kUpdateGrain - 1) / kUpdateGrain));
    context().stream.parallel_for(
        static_cast<int64_t>(parts.size()), 1, [&](int64_t first, int64_t last) {
          for (int64_t i = first; i < last; ++i)
            parts[static_cast<size_t>(i)] = kernel(
                dtype_, part(args, i * kUpdateGrain, std::min(args.n, (i + 1) * kUpdateGrain)));
        });
    cpu::SquareSums total;
    for (const cpu::SquareSums& sum : parts) {
      total.parameter += sum.parameter;
      total.other += sum.other;
    }
    return total;
  }
  static bool direct(const Tensor& parameter, const Tensor& gradient,
                     std::initializer_list<const Tensor*> state, cpu::UpdateArrays& arrays) {
    const TensorImpl& p = parameter.impl();
    const TensorImpl& g = gradient.impl();
    if (!p.contiguous || !g.contiguous || is_half(p.meta.dtype) || g.meta.dtype != p.meta.dtype ||
        g.meta.sizes != p.meta.sizes)
      return false;
    arrays.parameter = p.data();
    arrays.gradient = g.data();
    arrays.n = is_complex(p.meta.dtype) ? 2 * p.numel : p.numel;  // parts are numbers like others
    size_t i = 0;
    for (const Tensor* tensor : state) {
      void*& at = arrays.state[i++];
      at = nullptr;
      if (!tensor->defined()) continue;
      const TensorImpl& s = tensor->impl();
      if (!s.contiguous || s.numel != p.numel || s.meta.dtype != p.meta.dtype) return false;
      at = s.data();
    }
    return true;
  }
  void copy(const Tensor& parameter, const Tensor& gradient,
            std::initializer_list<const Tensor*> state, cpu::UpdateArrays& arrays);
  void write_back() const;

  template <class Args>
  Args part(const Args& args, int64_t begin, int64_t end) const {
    const auto size = static_cast<int64_t>(size_of(dtype_));
    Args out = args;
    out.parameter = static_cast<char*>(args.parameter) + begin * size;
    out.gradient = static_cast<const char*>(args.gradient) + begin * size;
    for (void*& state : out.state)
      if (state != nullptr) state = static_cast<char*>(state) + begin * size;
    out.n = end - begin;
    return out;
  }

  struct Copy {
    Tensor original, flat;
  };
  DType dtype_ = DType::kFloat32;
  const Tensor* logical_ = nullptr;
  std::vector<Copy> copies_;  // to be written back
  Tensor gradient_;           // keeps a copy alive
};

// Zeros like a parameter, or this rank's part of a global one, for its state.
Tensor zero_state(const Tensor& parameter);

// Sets up, runs and finishes an update of one pass.
template <class Args>
void update(const Tensor& parameter, const Tensor& gradient,
            std::initializer_list<const Tensor*> state, void (*kernel)(DType, const Args&),
            Args& args) {
  const UpdateCall call(parameter, gradient, state, args);
  call.run(kernel, args);
  call.finish();
}

}  // namespace oneagent::optim
