// OA_ARG(T, name): a chained member of an options struct, libtorch's style. options.name(value)
// sets it and returns the options, options.name() reads it; a default may follow:
//
//   struct AdamOptions {
//     OA_ARG(double, lr) = 1e-3;
//   };
//   AdamOptions().lr(0.1).lr() == 0.1
#pragma once

#include <utility>

#ifndef OA_ARG
#define OA_ARG(T, name)                                     \
 public:                                                    \
  inline auto name(const T& value)->decltype(*this) {       \
    this->name##_ = value;                                  \
    return *this;                                           \
  }                                                         \
  inline auto name(T&& value)->decltype(*this) {            \
    this->name##_ = std::move(value);                       \
    return *this;                                           \
  }                                                         \
  inline const T& name() const noexcept { return name##_; } \
  inline T& name() noexcept { return name##_; }             \
                                                            \
 private:                                                   \
  T name##_
#endif
