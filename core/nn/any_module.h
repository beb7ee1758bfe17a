// AnyModule: a module of any class with one forward(), whose arguments and result are checked when
// it is called. It may hold a shared pointer to the module, a holder or a module by value.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/nn/module.h"

namespace oneagent::nn {

class LinearImpl;
class ReLUImpl;
class TanhImpl;
class SigmoidImpl;

// What a Sequential may run together with its neighbour.
enum class FusedRole : uint8_t { kNone, kLinear, kRelu, kTanh, kSigmoid };

struct AnyModulePlaceholder {
  virtual ~AnyModulePlaceholder() = default;
  virtual AnyValue forward(std::vector<AnyValue>&& arguments) = 0;
  // The short way of the usual module: one tensor in, one out. False where it is no such module.
  virtual bool forward_tensor(Tensor& value) = 0;
  virtual std::shared_ptr<Module> ptr() const = 0;
  virtual const std::type_info& type_info() const = 0;
  virtual FusedRole role() const = 0;
  virtual std::unique_ptr<AnyModulePlaceholder> copy() const = 0;
  virtual std::unique_ptr<AnyModulePlaceholder> clone_module(
      const std::optional<Device>& device) const = 0;
};

template <class M, class... Arguments>
struct AnyModuleHolder final : AnyModulePlaceholder {
  explicit AnyModuleHolder(std::shared_ptr<M> module_value) : module(std::move(module_value)) {}

  AnyValue forward(std::vector<AnyValue>&& arguments) override {
    constexpr size_t kMost = sizeof...(Arguments);
    const std::string name = oneagent::detail::readable_name(typeid(M));
    if (module->_forward_has_default_args()) {
      const size_t least = module->_forward_num_required_args();
      OA_REQUIRE(arguments.size() >= least && arguments.size() <= kMost, name,
                 "'s forward() method expects at least ", least, " argument(s) and at most ", kMost,
                 " argument(s), but received ", arguments.size(), ".");
      arguments = module->_forward_populate_default_args(std::move(arguments));
    } else {
      OA_REQUIRE(
          arguments.size() == kMost, name, "'s forward() method expects ", kMost,
          " argument(s), but received ", arguments.size(), ".",
          arguments.size() < kMost
              ? str(" If ", name,
                    "'s forward() method has default arguments, please make sure the forward() "
                    "method is declared with a corresponding `FORWARD_HAS_DEFAULT_ARGS` macro.")
              : "");
    }
    return invoke(arguments, std::index_sequence_for<Arguments...>());
  }
  bool forward_tensor(Tensor& value) override {
    if constexpr (kTakesTensor) {
      value = module->forward(std::move(value));
      return true;
    } else {
      return false;
    }
  }
  std::shared_ptr<Module> ptr() const override { return module; }
  const std::type_info& type_info() const override { return typeid(M); }
  FusedRole role() const override {
    if (std::is_same_v<M, LinearImpl>) return FusedRole::kLinear;
    if (std::is_same_v<M, ReLUImpl>) return FusedRole::kRelu;
    if (std::is_same_v<M, TanhImpl>) return FusedRole::kTanh;
    return std::is_same_v<M, SigmoidImpl> ? FusedRole::kSigmoid : FusedRole::kNone;
  }
  std::unique_ptr<AnyModulePlaceholder> copy() const override {
    return std::make_unique<AnyModuleHolder>(module);
  }
  std::unique_ptr<AnyModulePlaceholder> clone_module(
      const std::optional<Device>& device) const override {
    return std::make_unique<AnyModuleHolder>(std::dynamic_pointer_cast<M>(module->clone(device)));
  }

  std::shared_ptr<M> module;

 private:
  static constexpr bool kTakesTensor = [] {
    if constexpr (sizeof...(Arguments) == 1)
      return (std::is_same_v<std::decay_t<Arguments>, Tensor> && ...) &&
             std::is_same_v<
                 std::decay_t<decltype(std::declval<M&>().forward(std::declval<Arguments>()...))>,
                 Tensor>;
    else
      return false;
  }();

  template <class T>
  static T& argument(std::vector<AnyValue>& arguments, size_t index) {
    T* value = arguments[index].template try_get<T>();
    OA_REQUIRE(value != nullptr, "Expected argument #", index, " to be of type ",
               oneagent::detail::readable_name(typeid(T)), ", but received value of type ",
               oneagent::detail::readable_name(arguments[index].type_info()));
    return *value;
  }
  template <size_t... I>
  AnyValue invoke(std::vector<AnyValue>& arguments, std::index_sequence<I...>) {
    return AnyValue(module->forward(std::move(argument<std::decay_t<Arguments>>(arguments, I))...));
  }
};

class AnyModule {
 public:
  AnyModule() = default;  // empty
  template <class M>
  explicit AnyModule(std::shared_ptr<M> module) : content_(make(std::move(module), &M::forward)) {
    static_assert(oneagent::detail::is_module<M>::value, "an AnyModule holds modules");
  }
  template <class M, oneagent::detail::enable_if_module_t<M> = 0>
  explicit AnyModule(M&& module)
      : AnyModule(std::make_shared<std::decay_t<M>>(std::forward<M>(module))) {}
  template <class M>
  explicit AnyModule(const ModuleHolder<M>& holder) : AnyModule(holder.ptr()) {}

  AnyModule(AnyModule&&) = default;
  AnyModule& operator=(AnyModule&&) = default;
  AnyModule(const AnyModule& other) : content_(other.content_ ? other.content_->copy() : nullptr) {}
  AnyModule& operator=(const AnyModule& other) { return *this = AnyModule(other); }
  template <class M>
  AnyModule& operator=(std::shared_ptr<M> module) {
    return *this = AnyModule(std::move(module));
  }

  // A deep copy; the others share the module.
  AnyModule clone(std::optional<Device> device = std::nullopt) const {
    AnyModule out;
    if (content_) out.content_ = content_->clone_module(device);
    return out;
  }

  template <class... Arguments>
  AnyValue any_forward(Arguments&&... arguments) {
    std::vector<AnyValue> values;
    values.reserve(sizeof...(Arguments));
    (values.push_back(AnyValue(std::forward<Arguments>(arguments))), ...);
    return checked("forward").forward(std::move(values));
  }
  template <class Result = Tensor, class... Arguments>
  Result forward(Arguments&&... arguments) {
    if constexpr (std::is_same_v<Result, Tensor> && sizeof...(Arguments) == 1 &&
                  (std::is_same_v<std::decay_t<Arguments>, Tensor> && ...)) {
      Tensor value(std::forward<Arguments>(arguments)...);
      if (checked("forward").forward_tensor(value)) return value;
      return any_forward(std::move(value)).template get<Tensor>();
    } else {
      return any_forward(std::forward<Arguments>(arguments)...).template get<Result>();
    }
  }

  // The module as what it is: get<LinearImpl>() or get<Linear>().
  template <class T, oneagent::detail::enable_if_module_t<T> = 0>
  T& get() {
    return *typed<T>();
  }
  template <class T, oneagent::detail::enable_if_module_t<T> = 0>
  const T& get() const {
    return *typed<T>();
  }
  template <class T, class Contained = typename T::ContainedType>
  T get() const {
    return T(typed<Contained>());
  }
  std::shared_ptr<Module> ptr() const { return checked("ptr").ptr(); }
  template <class T, oneagent::detail::enable_if_module_t<T> = 0>
  std::shared_ptr<T> ptr() const {
    return typed<T>();
  }
  const std::type_info& type_info() const { return checked("type_info").type_info(); }
  bool is_empty() const noexcept { return content_ == nullptr; }
  AnyModulePlaceholder& content() const { return *content_; }

 private:
  template <class M, class Class, class Result, class... Arguments>
  static std::unique_ptr<AnyModulePlaceholder> make(std::shared_ptr<M> module,
                                                    Result (Class::*)(Arguments...)) {
    check_signature<Result, Arguments...>();
    return std::make_unique<AnyModuleHolder<std::decay_t<M>, Arguments...>>(std::move(module));
  }
  template <class M, class Class, class Result, class... Arguments>
  static std::unique_ptr<AnyModulePlaceholder> make(std::shared_ptr<M> module,
                                                    Result (Class::*)(Arguments...) const) {
    check_signature<Result, Arguments...>();
    return std::make_unique<AnyModuleHolder<std::decay_t<M>, Arguments...>>(std::move(module));
  }
  template <class Result, class... Arguments>
  static constexpr void check_signature() {
    static_assert(!std::is_void_v<Result>, "a module in an AnyModule must return something");
    static_assert(((!std::is_lvalue_reference_v<Arguments> ||
                    std::is_const_v<std::remove_reference_t<Arguments>>)&&...),
                  "the forward() of a module in an AnyModule must not take non-const references");
  }
  AnyModulePlaceholder& checked(const char* what) const {
    OA_REQUIRE(!is_empty(), "Cannot call ", what, "() on an empty AnyModule");
    return *content_;
  }
  template <class T>
  std::shared_ptr<T> typed() const {
    OA_REQUIRE(checked("get").type_info() == typeid(T), "Attempted to cast module of type ",
               oneagent::detail::readable_name(type_info()), " to type ",
               oneagent::detail::readable_name(typeid(T)));
    return std::dynamic_pointer_cast<T>(content_->ptr());
  }

  std::unique_ptr<AnyModulePlaceholder> content_;
};

// A module with its name, as the lists of Sequential hold it.
class NamedAnyModule {
 public:
  template <class M>
  NamedAnyModule(std::string name, std::shared_ptr<M> module)
      : NamedAnyModule(std::move(name), AnyModule(std::move(module))) {}
  template <class M, oneagent::detail::enable_if_module_t<M> = 0>
  NamedAnyModule(std::string name, M&& module)
      : NamedAnyModule(std::move(name), AnyModule(std::forward<M>(module))) {}
  template <class M>
  NamedAnyModule(std::string name, const ModuleHolder<M>& holder)
      : NamedAnyModule(std::move(name), AnyModule(holder.ptr())) {}
  NamedAnyModule(std::string name, AnyModule module)
      : name_(std::move(name)), module_(std::move(module)) {}

  const std::string& name() const noexcept { return name_; }
  AnyModule& module() noexcept { return module_; }
  const AnyModule& module() const noexcept { return module_; }

 private:
  std::string name_;
  AnyModule module_;
};

}  // namespace oneagent::nn
