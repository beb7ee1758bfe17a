// ModuleHolder<Impl>: a module as a value, a shared pointer that makes its module itself.
// `TORCH_MODULE(Net);` behind `struct NetImpl : nn::Module` declares the holder Net.
#pragma once

#include <memory>
#include <ostream>
#include <utility>

#include "core/base/check.h"
#include "core/nn/module_traits.h"

namespace oneagent::nn {

template <class Contained>
class ModuleHolder : oneagent::detail::ModuleHolderIndicator {
 public:
  using ContainedType = Contained;

  // Empty where the module has no constructor without arguments; `Net net = nullptr` is empty, too.
  ModuleHolder() {
    if constexpr (std::is_default_constructible_v<Contained>) impl_ = std::make_shared<Contained>();
    static_assert(std::is_default_constructible_v<Contained>,
                  "this module has no default constructor: give arguments, or nullptr for an empty "
                  "holder");
  }
  ModuleHolder(std::nullptr_t) {}                                                // NOLINT: implicit
  ModuleHolder(std::shared_ptr<Contained> module) : impl_(std::move(module)) {}  // NOLINT
  // Anything else goes to the constructor of the module.
  template <class Head, class... Tail,
            std::enable_if_t<!(oneagent::detail::holds<Head, Contained>() && sizeof...(Tail) == 0),
                             int> = 0>
  explicit ModuleHolder(Head&& head, Tail&&... tail)
      : impl_(new Contained(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}

  bool is_empty() const noexcept { return impl_ == nullptr; }
  explicit operator bool() const noexcept { return !is_empty(); }
  Contained* get() { return checked().get(); }
  const Contained* get() const { return checked().get(); }
  Contained* operator->() { return get(); }
  const Contained* operator->() const { return get(); }
  Contained& operator*() { return *get(); }
  const Contained& operator*() const { return *get(); }
  const std::shared_ptr<Contained>& ptr() const { return checked(); }

  // forward(...)
  template <class... Args, class Module = Contained>
  auto operator()(Args&&... args)
      -> decltype(std::declval<Module&>().forward(std::forward<Args>(args)...)) {
    return get()->forward(std::forward<Args>(args)...);
  }
  template <class Arg>
  decltype(auto) operator[](Arg&& arg) {
    return (*get())[std::forward<Arg>(arg)];
  }

 protected:
  std::shared_ptr<Contained> impl_;

 private:
  const std::shared_ptr<Contained>& checked() const {
    OA_REQUIRE(impl_ != nullptr, "Accessing empty ModuleHolder");
    return impl_;
  }
};

template <class Contained>
std::ostream& operator<<(std::ostream& out, const ModuleHolder<Contained>& module) {
  return out << *module;
}

}  // namespace oneagent::nn

#define TORCH_MODULE_IMPL(Name, ImplType)                       \
  class Name : public ::oneagent::nn::ModuleHolder<ImplType> {  \
   public:                                                      \
    using ::oneagent::nn::ModuleHolder<ImplType>::ModuleHolder; \
    using Impl [[maybe_unused]] = ImplType;                     \
  }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)
