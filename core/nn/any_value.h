// A value of any type, as it travels through the forward() of an AnyModule.
#pragma once

#include <memory>
#include <utility>

#include "core/base/check.h"
#include "core/nn/module_traits.h"

namespace oneagent::nn {

class AnyValue {
 public:
  AnyValue(AnyValue&&) = default;
  AnyValue& operator=(AnyValue&&) = default;
  AnyValue(const AnyValue& other) : content_(other.content_->clone()) {}
  AnyValue& operator=(const AnyValue& other) {
    content_ = other.content_->clone();
    return *this;
  }
  template <class T, std::enable_if_t<!std::is_same_v<std::decay_t<T>, AnyValue>, int> = 0>
  explicit AnyValue(T&& value)
      : content_(std::make_unique<Holder<std::decay_t<T>>>(std::forward<T>(value))) {}

  // The value, or null where it is of another type.
  template <class T>
  T* try_get() {
    static_assert(std::is_same_v<T, std::decay_t<T>>, "AnyValue holds decayed types");
    return type_info() == typeid(T) ? &static_cast<Holder<T>&>(*content_).value : nullptr;
  }
  template <class T>
  T get() {
    T* value = try_get<T>();
    OA_REQUIRE(value != nullptr, "Attempted to cast AnyValue to ",
               oneagent::detail::readable_name(typeid(T)), ", but its actual type is ",
               oneagent::detail::readable_name(type_info()));
    return *value;
  }
  const std::type_info& type_info() const noexcept { return content_->type; }

 private:
  struct Content {
    explicit Content(const std::type_info& type_value) : type(type_value) {}
    virtual ~Content() = default;
    virtual std::unique_ptr<Content> clone() const = 0;
    const std::type_info& type;
  };
  template <class T>
  struct Holder final : Content {
    template <class U>
    explicit Holder(U&& value_of) : Content(typeid(T)), value(std::forward<U>(value_of)) {}
    std::unique_ptr<Content> clone() const override { return std::make_unique<Holder>(value); }
    T value;
  };

  std::unique_ptr<Content> content_;
};

}  // namespace oneagent::nn
