// Small text tools: concatenation of printable values, nearest spelling, joining, splitting.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace oneagent {

// Concatenates anything that has operator<<: str("shape ", 3, "x", 4).
template <class... Parts>
std::string str(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

std::string join(const std::vector<std::string>& items, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);

// Whether a name is safe as the name of a folder, in an address and as a key: letters, digits, '.',
// '_', '-', '+', '='; at most 128; not starting with a dot.
bool is_plain_name(std::string_view name);

// The candidate with the smallest edit distance to `word`, or "" when none is close enough to be a
// typing slip.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean \"lr\"?" or "; valid: a, b, c" for an unknown word.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace oneagent
