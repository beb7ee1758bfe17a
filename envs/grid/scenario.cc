#include "envs/grid/scenario.h"

#include <charconv>
#include <cmath>
#include <string>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace oneagent {
namespace {

constexpr const char* kColumns[] = {"bucket",  "map",    "map width", "map height",    "start x",
                                    "start y", "goal x", "goal y",    "optimal length"};

template <class T>
T number(const std::vector<std::string>& fields, size_t column, const std::string& where) {
  const std::string_view text = trim(fields[column]);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  OA_REQUIRE(error == std::errc() && end == text.data() + text.size(), where, ": field ",
             column + 1, " (", kColumns[column], "): expected a number, was \"", text, "\"");
  return value;
}

Cell cell(const std::vector<std::string>& fields, size_t column, const GridMap& map,
          const std::string& where) {
  const Cell at{number<int>(fields, column, where), number<int>(fields, column + 1, where)};
  const char* what = column == 4 ? "start" : "goal";
  OA_REQUIRE(map.inside(at), where, ": ", what, " (", at.x, ", ", at.y,
             ") lies outside of the map of ", map.width(), " x ", map.height(), " cells");
  OA_REQUIRE(map.free(at), where, ": ", what, " (", at.x, ", ", at.y, ") is a blocked cell '",
             map.rows()[at.y][at.x], "'");
  return at;
}

GridQuery parse_query(std::string_view line, const GridMap& map, const std::string& where) {
  const std::vector<std::string> fields = split(line, '\t');
  OA_REQUIRE(fields.size() == 9, where,
             ": expected 9 fields with tabs between (bucket, map, width, height, start x, start y, "
             "goal x, goal y, ",
             "optimal length), was ", fields.size());
  const int width = number<int>(fields, 2, where), height = number<int>(fields, 3, where);
  OA_REQUIRE(width == map.width() && height == map.height(), where, ": is written for a map of ",
             width, " x ", height, " cells, ", map.name(), " has ", map.width(), " x ",
             map.height(), "; give the map that belongs to the scenario");
  GridQuery query{cell(fields, 4, map, where), cell(fields, 6, map, where),
                  number<double>(fields, 8, where), 0};
  OA_REQUIRE(std::isfinite(query.optimal) && query.optimal >= 0, where,
             ": the optimal length must be at least 0, was ", query.optimal);
  const double straight = octile_distance(query.start, query.goal);
  OA_REQUIRE(query.optimal >= straight - 1e-3 * (1 + straight), where, ": the optimal length is ",
             query.optimal, ", no way is shorter than the straight one of ", straight);
  OA_REQUIRE(map.component(query.start) == map.component(query.goal), where,
             ": no path leads from the start to the goal");
  return query;
}

}  // namespace

std::vector<GridQuery> parse_scenario(std::string_view text, const GridMap& map,
                                      std::string_view where) {
  std::vector<GridQuery> queries;
  int line_number = 0;
  for (const std::string& raw : split(text, '\n')) {
    ++line_number;
    const std::string here = str(where, ":", line_number);
    const std::string_view line = raw.ends_with('\r')
                                      ? std::string_view(raw).substr(0, raw.size() - 1)
                                      : std::string_view(raw);
    if (line_number == 1) {
      const std::string_view version = trim(line);
      OA_REQUIRE(version == "version 1" || version == "version 1.0", here,
                 ": expected \"version 1\", was \"", version.substr(0, 40), "\"");
      continue;
    }
    if (trim(line).empty()) continue;
    queries.push_back(parse_query(line, map, here));
    queries.back().line = line_number;
  }
  OA_REQUIRE(!queries.empty(), where, ": has no queries; each line after \"version 1\" is one");
  return queries;
}

std::vector<GridQuery> read_scenario(const std::filesystem::path& path, const GridMap& map) {
  return parse_scenario(read_text(path), map, path.string());
}

}  // namespace oneagent
