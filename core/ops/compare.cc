#include "core/ops/compare.h"

#include "core/kernels/cpu/compare_in_place.h"
#include "core/ops/complex.h"
#include "core/ops/creation.h"
#include "core/ops/op_record.h"
#include "core/ops/reduce.h"
#include "core/tensor/global_parts.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Compare;
using cpu::CompareInPlace;
using cpu::Test;
constexpr auto kAny = Elementwise::kAny;

Samples value_samples() {
  return {{{ints({3, 4}, 0, 3), ints({3, 4}, 0, 3)}},
          {{normal({2, 3}), normal({3})}},
          {{ints({}, 0, 2), ints({4}, 0, 2)}},
          {{normal({0}), normal({1})}}};
}
Samples logic_samples() {
  return {{{mask({3, 4}), mask({3, 4})}},
          {{mask({2, 1}), mask({3})}},
          {{ints({5}, 0, 2), ints({5}, 0, 2)}}};
}
Samples test_samples() { return {{{ints({3, 4}, 0, 2)}}, {{normal({5})}}, {{mask({})}}}; }

constinit const Op kEqual = Record::comparison<Compare::kEqual>("eq", value_samples);
constinit const Op kNotEqual = Record::comparison<Compare::kNotEqual>("ne", value_samples);
constinit const Op kLess = Record::comparison<Compare::kLess>("lt", value_samples);
constinit const Op kLessEqual = Record::comparison<Compare::kLessEqual>("le", value_samples);
constinit const Op kAnd = Record::comparison<Compare::kAnd>("logical_and", logic_samples);
constinit const Op kOr = Record::comparison<Compare::kOr>("logical_or", logic_samples);
constinit const Op kXor = Record::comparison<Compare::kXor>("logical_xor", logic_samples);
constinit const Op kLogicalNot = Record::test<Test::kIsZero>("logical_not", test_samples);
constinit const Op kIsNan = Record::test<Test::kIsNan>("isnan", test_samples);
constinit const Op kIsFinite = Record::test<Test::kIsFinite>("isfinite", test_samples);
constinit const Op kIsInf = Record::test<Test::kIsInf>("isinf", test_samples);
constinit const Op kIsPosInf = Record::test<Test::kIsPosInf>("isposinf", test_samples);
constinit const Op kIsNegInf = Record::test<Test::kIsNegInf>("isneginf", test_samples);
constinit const Op kSignBit = Record::test<Test::kSignBit>("signbit", test_samples);

// self = 0 or 1 in self's own type: no bool result and no copy of it.
template <CompareInPlace F>
constexpr Op in_place_record(const char* name, Record::MakeSamples samples) {
  return Record::binary<F>(name, Record::zero, 0, samples);
}
constinit const Op kEqualInPlace =
    in_place_record<CompareInPlace::kEqual>("eq_in_place", value_samples);
constinit const Op kNotEqualInPlace =
    in_place_record<CompareInPlace::kNotEqual>("ne_in_place", value_samples);
constinit const Op kLessInPlace =
    in_place_record<CompareInPlace::kLess>("lt_in_place", value_samples);
constinit const Op kLessEqualInPlace =
    in_place_record<CompareInPlace::kLessEqual>("le_in_place", value_samples);
constinit const Op kGreaterInPlace =
    in_place_record<CompareInPlace::kGreater>("gt_in_place", value_samples);
constinit const Op kGreaterEqualInPlace =
    in_place_record<CompareInPlace::kGreaterEqual>("ge_in_place", value_samples);
constinit const Op kAndInPlace =
    in_place_record<CompareInPlace::kAnd>("logical_and_in_place", logic_samples);
constinit const Op kOrInPlace =
    in_place_record<CompareInPlace::kOr>("logical_or_in_place", logic_samples);
constinit const Op kXorInPlace =
    in_place_record<CompareInPlace::kXor>("logical_xor_in_place", logic_samples);

// NaN differs from NaN. Blocks stay small enough to stop early and large enough to vectorise.
template <class T>
bool same_values(const T* a, const T* b, int64_t n) {
  constexpr int64_t kBlock = 4096;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, n);
    uint32_t differs = 0;
    for (int64_t i = begin; i < end; ++i) differs |= a[i] == b[i] ? 0 : 1;
    if (differs != 0) return false;
  }
  return true;
}

// `plain` serves operands of several types and complex ones, through a bool result.
template <class Other>
const Tensor& compare_(const Op& op, const char* name, const Tensor& self, const Other& other,
                       Tensor (*plain)(const Tensor&, const Other&)) {
  const DType dtype = self.scalar_type();
  if (is_complex(dtype) || self.is_sparse() || Elementwise::type_of(kAny, self, other) != dtype)
    return Elementwise::store(name, self, plain(self, other));
  return Elementwise::call_(op, kAny, self, other);
}

constexpr AttrSpec kTolerances[] = {{"rtol", AttrKind::kNumber},
                                    {"rtol_integer", AttrKind::kInt},
                                    {"atol", AttrKind::kNumber},
                                    {"atol_integer", AttrKind::kInt},
                                    {"equal_nan_number", AttrKind::kNumber},
                                    {"equal_nan", AttrKind::kInt}};
Attrs tolerances(double rtol, double atol, bool equal_nan) {
  return Attrs().add(rtol).add(0).add(atol).add(0).add(0.0).add(equal_nan ? 1 : 0);
}
constinit const Op kIsClose = Record::comparison<Compare::kIsClose>(
    "isclose",
    [] {
      return Samples{{{normal({3, 4}), normal({3, 4})}, tolerances(0.5, 0.5, false)},
                     {{ints({9}, 0, 9), ints({}, 0, 9)}, tolerances(0.3, 0, true)}};
    },
    kTolerances);

}  // namespace

Tensor eq(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kEqual, kAny, self, other);
}
Tensor ne(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kNotEqual, kAny, self, other);
}
Tensor lt(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kLess, kAny, self, other);
}
Tensor le(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kLessEqual, kAny, self, other);
}
Tensor gt(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kLess, kAny, other, self);
}
Tensor ge(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kLessEqual, kAny, other, self);
}
Tensor not_equal(const Tensor& self, const Tensor& other) { return ne(self, other); }
Tensor less(const Tensor& self, const Tensor& other) { return lt(self, other); }
Tensor less_equal(const Tensor& self, const Tensor& other) { return le(self, other); }
Tensor greater(const Tensor& self, const Tensor& other) { return gt(self, other); }
Tensor greater_equal(const Tensor& self, const Tensor& other) { return ge(self, other); }
Tensor eq(const Tensor& self, Scalar other) { return Elementwise::call(kEqual, kAny, self, other); }
Tensor ne(const Tensor& self, Scalar other) {
  return Elementwise::call(kNotEqual, kAny, self, other);
}
Tensor lt(const Tensor& self, Scalar other) { return Elementwise::call(kLess, kAny, self, other); }
Tensor le(const Tensor& self, Scalar other) {
  return Elementwise::call(kLessEqual, kAny, self, other);
}
Tensor gt(const Tensor& self, Scalar other) { return Elementwise::call(kLess, kAny, other, self); }
Tensor ge(const Tensor& self, Scalar other) {
  return Elementwise::call(kLessEqual, kAny, other, self);
}
Tensor not_equal(const Tensor& self, Scalar other) { return ne(self, other); }
Tensor less(const Tensor& self, Scalar other) { return lt(self, other); }
Tensor less_equal(const Tensor& self, Scalar other) { return le(self, other); }
Tensor greater(const Tensor& self, Scalar other) { return gt(self, other); }
Tensor greater_equal(const Tensor& self, Scalar other) { return ge(self, other); }

Tensor logical_and(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kAnd, kAny, self, other);
}
Tensor logical_or(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kOr, kAny, self, other);
}
Tensor logical_xor(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kXor, kAny, self, other);
}
Tensor logical_not(const Tensor& self) { return call_op(kLogicalNot, {&self}); }

Tensor isnan(const Tensor& self) { return call_op(kIsNan, {&self}); }
Tensor isfinite(const Tensor& self) { return call_op(kIsFinite, {&self}); }
Tensor isinf(const Tensor& self) { return call_op(kIsInf, {&self}); }
Tensor isposinf(const Tensor& self) { return call_op(kIsPosInf, {&self}); }
Tensor isneginf(const Tensor& self) { return call_op(kIsNegInf, {&self}); }
Tensor isreal(const Tensor& self) {
  return self.is_complex() ? eq(imag(self), 0) : full(self.sizes(), true, DType::kBool);
}
Tensor signbit(const Tensor& self) { return call_op(kSignBit, {&self}); }

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  OA_REQUIRE(self.scalar_type() == other.scalar_type(), "isclose: operands have types ",
             name_of(self.scalar_type()), " and ", name_of(other.scalar_type()));
  OA_REQUIRE(rtol >= 0 && atol >= 0, "isclose: tolerances must not be negative, were rtol ", rtol,
             " and atol ", atol);
  return call_op(kIsClose, {&self, &other}, tolerances(rtol, atol, equal_nan));
}

bool equal(const Tensor& self, const Tensor& other) {
  OA_REQUIRE(self.defined() && other.defined(),
             "equal: Expected a proper Tensor but got an undefined one");
  if (!(self.sizes() == other.sizes())) return false;
  const auto plain = [](const Tensor& x) {
    return x.device().is_cpu() && !x.is_sparse() && !is_global(x) && x.is_contiguous();
  };
  if (self.scalar_type() == other.scalar_type() && plain(self) && plain(other)) {
    bool same = false;
    if (with_number_or_bool(self.scalar_type(), [&]<class T>(Type<T>) {
          same = same_values(static_cast<const T*>(self.data_ptr()),
                             static_cast<const T*>(other.data_ptr()), self.numel());
        }))
      return same;
  }
  return all(eq(self, other)).item<bool>();
}
bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  return all(isclose(self, other, rtol, atol, equal_nan)).item<bool>();
}
bool is_nonzero(const Tensor& self) {
  OA_REQUIRE(self.numel() == 1, "is_nonzero: expected one element, was ", self.sizes());
  return self.item<bool>();
}
bool is_same_size(const Tensor& self, const Tensor& other) { return self.sizes() == other.sizes(); }

const Tensor& eq_(const Tensor& self, const Tensor& other) {
  return compare_<Tensor>(kEqualInPlace, "eq", self, other, eq);
}
const Tensor& ne_(const Tensor& self, const Tensor& other) {
  return compare_<Tensor>(kNotEqualInPlace, "ne", self, other, ne);
}
const Tensor& lt_(const Tensor& self, const Tensor& other) {
  return compare_<Tensor>(kLessInPlace, "lt", self, other, lt);
}
const Tensor& le_(const Tensor& self, const Tensor& other) {
  return compare_<Tensor>(kLessEqualInPlace, "le", self, other, le);
}
const Tensor& gt_(const Tensor& self, const Tensor& other) {
  return compare_<Tensor>(kGreaterInPlace, "gt", self, other, gt);
}
const Tensor& ge_(const Tensor& self, const Tensor& other) {
  return compare_<Tensor>(kGreaterEqualInPlace, "ge", self, other, ge);
}
const Tensor& not_equal_(const Tensor& self, const Tensor& other) { return ne_(self, other); }
const Tensor& less_(const Tensor& self, const Tensor& other) { return lt_(self, other); }
const Tensor& less_equal_(const Tensor& self, const Tensor& other) { return le_(self, other); }
const Tensor& greater_(const Tensor& self, const Tensor& other) { return gt_(self, other); }
const Tensor& greater_equal_(const Tensor& self, const Tensor& other) { return ge_(self, other); }
const Tensor& eq_(const Tensor& self, Scalar other) {
  return compare_<Scalar>(kEqualInPlace, "eq", self, other,
                          [](const Tensor& a, const Scalar& b) { return eq(a, b); });
}
const Tensor& ne_(const Tensor& self, Scalar other) {
  return compare_<Scalar>(kNotEqualInPlace, "ne", self, other,
                          [](const Tensor& a, const Scalar& b) { return ne(a, b); });
}
const Tensor& lt_(const Tensor& self, Scalar other) {
  return compare_<Scalar>(kLessInPlace, "lt", self, other,
                          [](const Tensor& a, const Scalar& b) { return lt(a, b); });
}
const Tensor& le_(const Tensor& self, Scalar other) {
  return compare_<Scalar>(kLessEqualInPlace, "le", self, other,
                          [](const Tensor& a, const Scalar& b) { return le(a, b); });
}
const Tensor& gt_(const Tensor& self, Scalar other) {
  return compare_<Scalar>(kGreaterInPlace, "gt", self, other,
                          [](const Tensor& a, const Scalar& b) { return gt(a, b); });
}
const Tensor& ge_(const Tensor& self, Scalar other) {
  return compare_<Scalar>(kGreaterEqualInPlace, "ge", self, other,
                          [](const Tensor& a, const Scalar& b) { return ge(a, b); });
}
const Tensor& not_equal_(const Tensor& self, Scalar other) { return ne_(self, other); }
const Tensor& less_(const Tensor& self, Scalar other) { return lt_(self, other); }
const Tensor& less_equal_(const Tensor& self, Scalar other) { return le_(self, other); }
const Tensor& greater_(const Tensor& self, Scalar other) { return gt_(self, other); }
const Tensor& greater_equal_(const Tensor& self, Scalar other) { return ge_(self, other); }
const Tensor& logical_and_(const Tensor& self, const Tensor& other) {
  return compare_<Tensor>(kAndInPlace, "logical_and", self, other, logical_and);
}
const Tensor& logical_or_(const Tensor& self, const Tensor& other) {
  return compare_<Tensor>(kOrInPlace, "logical_or", self, other, logical_or);
}
const Tensor& logical_xor_(const Tensor& self, const Tensor& other) {
  return compare_<Tensor>(kXorInPlace, "logical_xor", self, other, logical_xor);
}
const Tensor& logical_not_(const Tensor& self) {
  return Elementwise::store("logical_not", self, logical_not(self));
}

OA_OP(compare, &kEqual, &kNotEqual, &kLess, &kLessEqual, &kAnd, &kOr, &kXor, &kLogicalNot, &kIsNan,
      &kIsFinite, &kIsInf, &kIsPosInf, &kIsNegInf, &kSignBit, &kIsClose, &kEqualInPlace,
      &kNotEqualInPlace, &kLessInPlace, &kLessEqualInPlace, &kGreaterInPlace, &kGreaterEqualInPlace,
      &kAndInPlace, &kOrInPlace, &kXorInPlace)

}  // namespace oneagent
