#include "core/base/dtype.h"

#include <array>

#include "core/base/check.h"

namespace oneagent {
namespace {

struct Row {
  std::string_view name;
  size_t size;
};
constexpr std::array<Row, kDTypeCount> kRows = {{{"float32", 4},
                                                 {"float64", 8},
                                                 {"int64", 8},
                                                 {"int32", 4},
                                                 {"uint8", 1},
                                                 {"bool", 1},
                                                 {"int8", 1},
                                                 {"int16", 2},
                                                 {"float16", 2},
                                                 {"bfloat16", 2},
                                                 {"complex64", 8},
                                                 {"complex128", 16}}};

}  // namespace

size_t size_of(DType dtype) {
  OA_REQUIRE(dtype != DType::Undefined, "dtype: an undefined type has no element size");
  return kRows[static_cast<size_t>(dtype)].size;
}
std::string_view name_of(DType dtype) {
  return dtype == DType::Undefined ? "undefined" : kRows[static_cast<size_t>(dtype)].name;
}

DType parse_dtype(std::string_view name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<DType>(i);
    names.emplace_back(kRows[i].name);
  }
  throw_error(str("dtype: unknown \"", name, "\"", suggestion(name, names)));
}

}  // namespace oneagent
