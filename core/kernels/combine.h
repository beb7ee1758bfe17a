// How an indexed write joins what is there with what comes.
#pragma once

#include <cstdint>
#include <type_traits>

namespace oneagent {

enum class Combine : uint8_t { kAssign, kAdd, kMultiply, kMaximum, kMinimum };

template <Combine how, class T>
inline T combined(T there, T comes) {
  if constexpr (how == Combine::kAdd)
    return static_cast<T>(there + comes);
  else if constexpr (how == Combine::kMultiply)
    return static_cast<T>(there * comes);
  else if constexpr (how == Combine::kAssign)
    return comes;
  T best = comes;  // of which NaN wins
  if constexpr (how == Combine::kMaximum) best = comes > there ? comes : there;
  if constexpr (how == Combine::kMinimum) best = comes < there ? comes : there;
  return comes != comes ? comes : best;
}

// Calls visit with the way as a constant: visit(std::integral_constant<Combine, how>()).
template <class Visit>
void with_combine(Combine how, const Visit& visit) {
  switch (how) {
    case Combine::kAssign:
      return visit(std::integral_constant<Combine, Combine::kAssign>());
    case Combine::kAdd:
      return visit(std::integral_constant<Combine, Combine::kAdd>());
    case Combine::kMultiply:
      return visit(std::integral_constant<Combine, Combine::kMultiply>());
    case Combine::kMaximum:
      return visit(std::integral_constant<Combine, Combine::kMaximum>());
    case Combine::kMinimum:
      return visit(std::integral_constant<Combine, Combine::kMinimum>());
  }
}

}  // namespace oneagent
