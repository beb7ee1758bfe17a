#include "core/ops/op_rule.h"

namespace oneagent {

std::string rule_letters(size_t count, char first) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += static_cast<char>(first + i);
  return out;
}

std::string closed_rule(Metas in, std::initializer_list<size_t> result_ranks) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string text, closed;
  size_t next = 0;
  const auto add = [&](size_t rank) {
    for (size_t d = 0; d < rank; ++d) {
      const char letter = next < kLetters.size() ? kLetters[next++] : '1';
      text += letter;
      if (letter != '1') closed += letter;
    }
  };
  for (size_t i = 0; i < in.size(); ++i) {
    if (i > 0) text += ',';
    if (in[i] != nullptr) add(in[i]->sizes.size());
  }
  text += "->";
  bool first = true;
  for (const size_t rank : result_ranks) {
    if (!first) text += ',';
    first = false;
    add(rank);
  }
  return text + ";" + closed;
}

std::string closed_same_rule(Metas in, const Attrs&) {
  return closed_rule(in, {in[0]->sizes.size()});
}

std::string closed_whole(const std::string& rule) {
  const std::string text = rule.substr(0, rule.find(';'));
  std::string closed = ";...";
  for (const char letter : text)
    if (letter >= 'a' && letter <= 'z' && closed.find(letter) == std::string::npos)
      closed += letter;
  return text + closed;
}

}  // namespace oneagent
