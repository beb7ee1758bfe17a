#include "core/graph/rule.h"

#include "core/base/text.h"

namespace oneagent {
namespace {

std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> out(1);
  for (const char letter : text) {
    if (letter == ',')
      out.emplace_back();
    else if (letter != ' ')
      out.back() += letter;
  }
  return out;
}

// "...x" of rank 3 -> "BAx": the ellipsis letters count from the right, so that broadcasting lines
// them up.
std::string expand(const std::string& pattern, size_t rank) {
  const size_t dots = pattern.find("...");
  if (dots == std::string::npos) {
    OA_REQUIRE(pattern.size() == rank, "rule: \"", pattern, "\" does not fit ", rank,
               " dimensions");
    return pattern;
  }
  const size_t named = pattern.size() - 3;
  if (rank < named) {
    OA_REQUIRE(false, "rule: \"", pattern, "\" does not fit ", rank, " dimensions");
  }
  std::string letters;
  for (size_t i = rank - named; i-- > 0;) letters += static_cast<char>('A' + i);
  return pattern.substr(0, dots) + letters + pattern.substr(dots + 3);
}

}  // namespace

Factors resolve(const Rule& rule, Metas inputs, Metas outputs, const Attrs& attrs) {
  std::string text = rule.generate != nullptr ? rule.generate(inputs, attrs) : rule.factors;
  Factors out;
  out.closed = rule.closed;
  if (const size_t semicolon = text.find(';'); semicolon != std::string::npos) {
    out.closed = text.substr(semicolon + 1);
    text.resize(semicolon);
  }
  const size_t arrow = text.find("->");
  OA_REQUIRE(arrow != std::string::npos, "rule: \"", text, "\" has no arrow");
  const auto ins = split_operands(std::string_view(text).substr(0, arrow));
  const auto outs = split_operands(std::string_view(text).substr(arrow + 2));
  const bool no_inputs = inputs.empty() && ins.size() == 1 && ins[0].empty();
  OA_REQUIRE(no_inputs || ins.size() == inputs.size(), "rule: \"", text, "\" names ", ins.size(),
             " operands, the call has ", inputs.size());
  OA_REQUIRE(outs.size() == outputs.size(), "rule: \"", text, "\" names ", outs.size(),
             " results, the call has ", outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    out.inputs.push_back(inputs[i] == nullptr ? "" : expand(ins[i], inputs[i]->sizes.size()));
  for (size_t i = 0; i < outputs.size(); ++i)
    out.outputs.push_back(expand(outs[i], outputs[i]->sizes.size()));
  return out;
}

}  // namespace oneagent
