#include "tests/style/names.h"

#include <algorithm>
#include <regex>

namespace oneagent::style {

std::vector<std::string> empty_type_names(std::string_view text) {
  static const std::regex type(
      R"(\b(?:class|struct|enum class|enum)\s+(\w*(?:Manager|Helpers?|Utils?|Handler|Base|Impl|Common))\b\s*(?:final\s*)?[:{])");
  static const std::vector<std::string> of_libtorch = {
      "TensorImpl", "StorageImpl", "CPUGeneratorImpl", "DataLoaderBase", "WarningHandler"};
  std::vector<std::string> result;
  const std::string copy(text);
  // The module XImpl behind a holder X, as libtorch calls them.
  const auto is_module = [&](const std::string& name) {
    return name.ends_with("Impl") &&
           (copy.find("TORCH_MODULE(" + name.substr(0, name.size() - 4) + ")") != copy.npos ||
            copy.find("ModuleHolder<" + name + ">") != copy.npos);
  };
  for (std::sregex_iterator it(copy.begin(), copy.end(), type), end; it != end; ++it) {
    const std::string name = (*it)[1];
    const bool known = std::find(of_libtorch.begin(), of_libtorch.end(), name) != of_libtorch.end();
    if (!known && !is_module(name)) result.push_back(name);
  }
  return result;
}

std::string registered_name(std::string_view text, std::string_view macro) {
  const std::regex registration("(?:^|\\n)" + std::string(macro) + R"(\(\s*(\w+))");
  std::smatch match;
  const std::string copy(text);
  return std::regex_search(copy, match, registration) ? match[1].str() : "";
}

bool is_snake_case(std::string_view name) {
  static const std::regex snake("[a-z0-9]+(_[a-z0-9]+)*");
  return std::regex_match(name.begin(), name.end(), snake);
}

}  // namespace oneagent::style
