// While it lives, backward() of this thread starts from a factor instead of one, and divides what
// it adds to leaves by it: between, gradients are so large that 16 bits hold them. For passes whose
// outputs have no gradients given, all of them float32, and for those that run inside of one (of a
// checkpoint); others are as without it.
#pragma once

#include <functional>

#include "core/tensor/tensor.h"

namespace oneagent {

class LossScale {
 public:
  // factor: float32 [], read when backward() runs; unscale divides a gradient by it.
  LossScale(Tensor factor, std::function<Tensor(const Tensor& gradient)> unscale)
      : factor_(std::move(factor)), unscale_(std::move(unscale)), before_(current()) {
    current() = this;
  }
  ~LossScale() { current() = before_; }
  LossScale(const LossScale&) = delete;
  LossScale& operator=(const LossScale&) = delete;

  static LossScale*& current() {
    thread_local LossScale* now = nullptr;
    return now;
  }
  // The factor with the sizes of an output of one element.
  Tensor seed(const Shape& sizes) const {
    TensorMeta meta = factor_.impl().meta;
    meta.sizes = sizes;
    meta.strides = contiguous_strides(sizes);
    return Tensor(make_ref<TensorImpl>(std::move(meta), factor_.impl().storage));
  }
  Tensor unscale(const Tensor& gradient) const { return unscale_(gradient); }
  const Tensor& factor() const { return factor_; }

  // While a pass runs whose gradients are multiplied.
  class Running {
   public:
    explicit Running(LossScale* scale) : scale_(scale) {
      if (scale_ != nullptr) ++scale_->running_;
    }
    ~Running() {
      if (scale_ != nullptr) --scale_->running_;
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    LossScale* scale_;
  };
  bool running() const { return running_ > 0; }

 private:
  Tensor factor_;
  std::function<Tensor(const Tensor&)> unscale_;
  LossScale* before_;
  int running_ = 0;
};

}  // namespace oneagent
