#include "tests/style/words.h"

#include <algorithm>
#include <regex>

#include "tests/style/source_tree.h"

namespace oneagent::style {
namespace {

std::vector<std::string> matches(std::string_view text, const std::regex& pattern, int group) {
  std::vector<std::string> result;
  int number = 0;
  for (const std::string& line : lines(text)) {
    ++number;
    for (std::sregex_iterator it(line.begin(), line.end(), pattern), end; it != end; ++it) {
      result.push_back("line " + std::to_string(number) + ": " + (*it)[group].str());
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> unfinished(std::string_view text) {
  // Written in two pieces, so that this file does not find itself.
  static const std::regex mark(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b|not (yet )?imple"
      "mented|unimple"
      "mented");
  return matches(text, mark, 0);
}

std::vector<std::string> foreign_hosts(std::string_view text) {
  static const std::regex url(R"(https?://([A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+))");
  static const std::vector<std::string> known = {
      "localhost",        "127.0.0.1",     "www.apache.org",  "www.w3.org", "movingai.com",
      "www.movingai.com", "capnproto.org", "json-schema.org", "arxiv.org"};
  std::vector<std::string> result = matches(text, url, 1);
  std::erase_if(result, [](const std::string& found) {
    return std::any_of(known.begin(), known.end(),
                       [&](const std::string& host) { return found.ends_with(": " + host); });
  });
  return result;
}

std::vector<std::string> machine_paths(std::string_view text) {
  static const std::regex path(
      "(^|[\\s\"'=:(])(/wo"
      "rk/|/ro"
      "ot/|/ho"
      "me/)[\\w.-]+");
  return matches(text, path, 0);
}

}  // namespace oneagent::style
