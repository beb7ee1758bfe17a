#include "core/tensor/type_meta.h"

#include "core/base/check.h"

namespace oneagent {
namespace {

struct Row {
  const char* scalar_type;
  const char* cpp;
};
constexpr Row kRows[kDTypeCount] = {{"Float", "float"},
                                    {"Double", "double"},
                                    {"Long", "long int"},
                                    {"Int", "int"},
                                    {"Byte", "unsigned char"},
                                    {"Bool", "bool"},
                                    {"Char", "signed char"},
                                    {"Short", "short int"},
                                    {"Half", "c10::Half"},
                                    {"BFloat16", "c10::BFloat16"},
                                    {"ComplexFloat", "c10::complex<float>"},
                                    {"ComplexDouble", "c10::complex<double>"}};

}  // namespace

const char* toString(DType dtype) {
  return dtype == DType::Undefined ? "UNKNOWN_SCALAR"
                                   : kRows[static_cast<size_t>(dtype)].scalar_type;
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << toString(dtype); }

const char* TypeMeta::name() const {
  return dtype_ == DType::Undefined ? "nullptr (uninitialized)"
                                    : kRows[static_cast<size_t>(dtype_)].cpp;
}

}  // namespace oneagent
