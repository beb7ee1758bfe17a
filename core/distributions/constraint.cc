#include "core/distributions/constraint.h"

#include <cmath>
#include <type_traits>

#include "core/graph/context.h"
#include "core/kernels/copy.h"

namespace oneagent::distributions {
namespace {

struct Rule {
  const char* words;
  bool (*holds)(double);
};

// Of one element; null for those of whole rows.
Rule rule_of(Constraint constraint) {
  switch (constraint) {
    case Constraint::kAny:
      return {"", nullptr};
    case Constraint::kReal:
      return {"a number", [](double x) { return x == x; }};
    case Constraint::kPositive:
      return {"positive", [](double x) { return x > 0; }};
    case Constraint::kNotNegative:
      return {"at least 0", [](double x) { return x >= 0; }};
    case Constraint::kUnitInterval:
      return {"in [0, 1]", [](double x) { return x >= 0 && x <= 1; }};
    case Constraint::kWithinOne:
      return {"in [-1, 1]", [](double x) { return x >= -1 && x <= 1; }};
    case Constraint::kZeroOrOne:
      return {"0 or 1", [](double x) { return x == 0 || x == 1; }};
    case Constraint::kWhole:
      return {"a whole number of at least 0",
              [](double x) { return x >= 0 && x == std::floor(x); }};
    case Constraint::kSimplex:
      return {"not negative with sum 1", nullptr};
    case Constraint::kOneHot:
      return {"0 except for a single 1", nullptr};
    case Constraint::kLowerCholesky:
      return {"lower triangular with a positive diagonal", nullptr};
  }
  return {"", nullptr};
}

// Whether all elements pass, counted as wide as they are, so that the loop vectorises.
template <class T, class F>
bool none(const T* x, int64_t n, const F& fails) {
  std::conditional_t<sizeof(T) == 8, int64_t, int32_t> bad = 0;
  for (int64_t i = 0; i < n; ++i) bad |= fails(x[i]) ? 1 : 0;
  return bad == 0;
}

template <class T>
bool all_hold(const T* x, int64_t n, Constraint constraint) {
  switch (constraint) {
    case Constraint::kReal:
      return none(x, n, [](T v) { return !(v == v); });
    case Constraint::kPositive:
      return none(x, n, [](T v) { return !(v > T(0)); });
    case Constraint::kNotNegative:
      return none(x, n, [](T v) { return !(v >= T(0)); });
    case Constraint::kUnitInterval:
      return none(x, n, [](T v) { return !(v >= T(0) && v <= T(1)); });
    case Constraint::kZeroOrOne:
      return none(x, n, [](T v) { return !(v == T(0) || v == T(1)); });
    case Constraint::kWhole:
      if constexpr (std::is_integral_v<T>) return none(x, n, [](T v) { return v < T(0); });
      return none(x, n, [](T v) {
        return !(v >= T(0)) || static_cast<double>(v) != std::floor(static_cast<double>(v));
      });
    default:
      return false;
  }
}

template <class T>
bool row_holds(const T* row, int64_t n, Constraint constraint) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto x = static_cast<double>(row[i]);
    if (constraint == Constraint::kOneHot ? x != 0 && x != 1 : !(x >= 0)) return false;
    sum += x;
  }
  return constraint == Constraint::kOneHot ? sum == 1 : std::abs(sum - 1) < 1e-5;
}

template <class T>
bool factor_holds(const T* matrix, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i; j < n; ++j)
      if (!(i == j ? matrix[i * n + j] > T(0) : matrix[i * n + j] == T(0))) return false;
  return true;
}

template <class T>
void check(const char* distribution, const char* what, const Tensor& value, Constraint constraint) {
  const T* x = value.data_ptr<T>();
  const int64_t n = value.numel();
  const Rule rule = rule_of(constraint);
  if (rule.holds != nullptr) {
    if (all_hold(x, n, constraint)) return;
    for (int64_t i = 0; i < n; ++i)
      OA_REQUIRE(rule.holds(static_cast<double>(x[i])), distribution, ": ", what, " must be ",
                 rule.words, ", element ", i, " is ", static_cast<double>(x[i]));
    return;
  }
  const bool factors = constraint == Constraint::kLowerCholesky;
  OA_REQUIRE(value.dim() >= (factors ? 2 : 1), distribution, ": ", what, " must be ", rule.words,
             ", was of shape ", value.sizes());
  const int64_t width = value.size(-1), step = factors ? width * width : width;
  for (int64_t at = 0; at < n; at += step)
    OA_REQUIRE(factors ? factor_holds(x + at, width) : row_holds(x + at, width, constraint),
               distribution, ": ", what, " must be ", rule.words, ", that from element ", at,
               " is not");
}

}  // namespace

void require_open_rows(const char* distribution, const Tensor& mask) {
  if (mask.impl().storage->symbolic()) return;  // recorded: no values yet
  const Tensor dense = as_contiguous(context().stream, mask);
  const auto* x = static_cast<const uint8_t*>(dense.data_ptr());
  const int64_t width = dense.size(-1);
  for (int64_t at = 0; at < dense.numel(); at += width) {
    int any = 0;
    for (int64_t i = 0; i < width; ++i) any |= x[at + i];
    OA_REQUIRE(any != 0, distribution, ": every row of the mask needs a true entry, row ",
               at / width, " has none");
  }
}

void require(const char* distribution, const char* what, const Tensor& value,
             Constraint constraint) {
  if (value.defined() && value.impl().storage->symbolic()) return;  // recorded: no values yet
  OA_REQUIRE(value.defined(), distribution, ": ", what, " is undefined");
  if (constraint == Constraint::kAny || value.numel() == 0) return;
  const Tensor dense = as_contiguous(context().stream, value);
  with_any(dense.dtype(),
           [&]<class T>(Type<T>) { check<T>(distribution, what, dense, constraint); });
}

}  // namespace oneagent::distributions
