#include "envs/grid/grid_map.h"

#include <algorithm>
#include <charconv>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace oneagent {
namespace {

constexpr std::string_view kFree = ".GS", kBlocked = "@OTW";

bool passable(char cell) { return kFree.find(cell) != std::string_view::npos; }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  while (!lines.empty() && trim(lines.back()).empty()) lines.pop_back();
  return lines;
}

// "height 64" at line 2 -> 64.
int header_number(const std::vector<std::string_view>& lines, size_t line, std::string_view word,
                  std::string_view where) {
  const std::string_view text =
      line <= lines.size() ? trim(lines[line - 1]) : std::string_view("the end of the file");
  int value = 0;
  bool good = line <= lines.size() && text.starts_with(word);
  if (good) {
    const std::string_view digits = trim(text.substr(word.size()));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    good = error == std::errc() && end == digits.data() + digits.size() && value >= 1 &&
           value <= GridMap::kMaxSide;
  }
  OA_REQUIRE(good, where, ":", line, ": expected \"", word, " N\" with N in 1 .. ",
             GridMap::kMaxSide, " (for example \"", word, " 64\"), was \"", text, "\"");
  return value;
}

void require_line(const std::vector<std::string_view>& lines, size_t line,
                  std::string_view expected, std::string_view where) {
  const std::string_view was =
      line <= lines.size() ? trim(lines[line - 1]) : std::string_view("the end of the file");
  OA_REQUIRE(was == expected, where, ":", line, ": expected \"", expected, "\", was \"",
             was.substr(0, 40), "\"; a MovingAI map begins with the lines ",
             "\"type octile\", \"height N\", \"width N\", \"map\"");
}

}  // namespace

GridMap::GridMap(std::string name, const std::vector<std::string>& rows, std::string_view where)
    : name_(std::move(name)),
      width_(rows.empty() ? 0 : static_cast<int>(rows[0].size())),
      height_(static_cast<int>(rows.size())),
      rows_(rows) {
  OA_REQUIRE(width_ >= 1 && height_ >= 1 && width_ <= kMaxSide && height_ <= kMaxSide, where,
             ": a map has 1 .. ", kMaxSide, " rows of 1 .. ", kMaxSide, " cells, was ", height_,
             " rows of ", width_);
  for (const std::string& row : rows_)
    OA_REQUIRE(row.size() == rows_[0].size(), where,
               ": all rows must have the length of the first, ", width_, ", one has ", row.size());
  component_.assign(static_cast<size_t>(width_) * height_, -1);
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x)
      if (passable(rows_[y][x])) component_[index({x, y})] = 0;
  // Components are connected by straight moves alone: a legal diagonal has both of its corners
  // free.
  std::vector<int> unvisited;
  for (int i = 0; i < width_ * height_; ++i)
    if (component_[i] == 0) unvisited.push_back(i), component_[i] = -2;
  for (const int start : unvisited)
    if (component_[start] == -2) flood(start);
}

void GridMap::flood(int start) {
  const int number = static_cast<int>(components_.size());
  std::vector<int> cells{start};
  component_[start] = number;
  for (size_t next = 0; next < cells.size(); ++next) {
    const Cell from = cell(cells[next]);
    for (int move = 0; move < kMoves; move += 2) {
      const Cell to{from.x + kMoveOffsets[move].x, from.y + kMoveOffsets[move].y};
      if (!inside(to) || component_[index(to)] != -2) continue;
      component_[index(to)] = number;
      cells.push_back(index(to));
    }
  }
  std::sort(cells.begin(), cells.end());
  components_.push_back(std::move(cells));
}

bool GridMap::legal(Cell from, int move) const {
  const Cell offset = kMoveOffsets[move];
  return free({from.x + offset.x, from.y + offset.y}) && free({from.x + offset.x, from.y}) &&
         free({from.x, from.y + offset.y});
}

GridMap parse_map(std::string_view text, std::string name, std::string_view where) {
  const std::vector<std::string_view> lines = lines_of(text);
  require_line(lines, 1, "type octile", where);
  const int height = header_number(lines, 2, "height", where);
  const int width = header_number(lines, 3, "width", where);
  require_line(lines, 4, "map", where);
  OA_REQUIRE(lines.size() == 4 + static_cast<size_t>(height), where, ":", lines.size(),
             ": \"height ", height, "\" announces ", height, " rows of cells, the file has ",
             lines.size() - 4, "; correct line 2 or the rows");
  std::vector<std::string> rows;
  for (size_t i = 4; i < lines.size(); ++i) {
    const std::string_view row = lines[i];
    OA_REQUIRE(row.size() == static_cast<size_t>(width), where, ":", i + 1, ": \"width ", width,
               "\" announces ", width, " cells, this row has ", row.size(),
               "; correct line 3 or the row");
    const size_t unknown = row.find_first_not_of(std::string(kFree) + std::string(kBlocked));
    OA_REQUIRE(unknown == std::string_view::npos, where, ":", i + 1, ": column ", unknown + 1,
               ": unknown cell '", row[std::min(unknown, row.size() - 1)],
               "'; write . G or S for free cells, @ O T or W for blocked ones");
    rows.emplace_back(row);
  }
  return GridMap(std::move(name), rows, where);
}

GridMap read_map(const std::filesystem::path& path) {
  return parse_map(read_text(path), path.stem().string(), path.string());
}

}  // namespace oneagent
