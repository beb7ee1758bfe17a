#include "core/runtime/wait_graph.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace oneagent {
namespace {

using FirstRow = std::map<std::string, const Wait*>;

FirstRow first_rows(const std::vector<Wait>& waits) {
  FirstRow rows;
  for (const Wait& wait : waits) rows.emplace(wait.waiter, &wait);
  return rows;
}

// From `start` along first rows, until nobody or a name that was passed; the rows on the way.
std::vector<const Wait*> chain(const FirstRow& rows, const std::string& start, bool& is_cycle) {
  std::vector<const Wait*> way;
  std::string name = start;
  is_cycle = false;
  for (auto row = rows.find(name); row != rows.end(); row = rows.find(row->second->holder)) {
    const auto passed = std::find(way.begin(), way.end(), row->second);
    if (passed != way.end()) {
      is_cycle = true;
      way.erase(way.begin(), passed);
      return way;
    }
    way.push_back(row->second);
  }
  return way;
}

std::string in_words(const std::vector<const Wait*>& way) {
  std::string text = way.front()->waiter;
  for (size_t i = 0; i < way.size(); ++i)
    text += str(i == 0 ? "" : ", which", " waits for ", way[i]->holder, " (", way[i]->reason, ")");
  return text;
}

}  // namespace

std::string waited_for(const std::vector<Wait>& waits) {
  const FirstRow rows = first_rows(waits);
  std::map<std::string, int> ends;
  for (const auto& [waiter, row] : rows) {
    bool is_cycle = false;
    const auto way = chain(rows, waiter, is_cycle);
    if (!is_cycle) ++ends[way.back()->holder];
  }
  const auto most = std::max_element(
      ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == ends.end() ? "" : most->first;
}

std::string describe_waits(const std::vector<Wait>& waits) {
  const FirstRow rows = first_rows(waits);
  if (rows.empty()) return "";
  std::vector<const Wait*> longest;
  const std::string end = waited_for(waits);
  int to_end = 0;
  for (const Wait& wait : waits) {
    bool is_cycle = false;
    const auto way = chain(rows, wait.waiter, is_cycle);
    if (is_cycle) return in_words(way);
    if (rows.at(wait.waiter) != &wait || way.back()->holder != end) continue;
    ++to_end;
    if (way.size() > longest.size()) longest = way;
  }
  return str(to_end, " of ", rows.size(), " waiters wait for ", end, ": ", in_words(longest));
}

}  // namespace oneagent
