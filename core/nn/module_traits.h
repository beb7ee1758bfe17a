// What templates ask about module types.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace oneagent {

namespace nn {
class Module;
template <class Contained>
class ModuleHolder;
}  // namespace nn

namespace detail {

struct ModuleHolderIndicator {};

template <class T>
using is_module_holder = std::is_base_of<ModuleHolderIndicator, std::decay_t<T>>;

template <class T>
using is_module = std::is_base_of<nn::Module, std::decay_t<T>>;

template <class T>
using enable_if_module_t = std::enable_if_t<is_module<T>::value, int>;

// T is a holder whose module is a C.
template <class T, class C>
constexpr bool holds() {
  if constexpr (is_module_holder<T>::value)
    return std::is_same_v<typename std::decay_t<T>::ContainedType, std::decay_t<C>>;
  else
    return false;
}

// T has exactly one forward() and it is no template.
template <class T, class = void>
struct has_forward : std::false_type {};
template <class T>
struct has_forward<T, std::void_t<decltype(&T::forward)>> : std::true_type {};

// The name of a type as a person wrote it, the library's own as torch::...
std::string readable_name(const std::type_info& type);

}  // namespace detail
}  // namespace oneagent
