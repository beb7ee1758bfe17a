// TORCH_ARG(type, name): an option of an options struct. It is read as options.name() and set as
// options.name(value), which gives the options back, so that settings chain.
#pragma once

#include <utility>

#define TORCH_ARG(Type, name)                                 \
 public:                                                      \
  auto name(Type value)->decltype(*this) {                    \
    this->name##_ = std::move(value);                         \
    return *this;                                             \
  }                                                           \
  const Type& name() const noexcept { return this->name##_; } \
  Type& name() noexcept { return this->name##_; }             \
                                                              \
 private:                                                     \
  Type name##_
