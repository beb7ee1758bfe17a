#include "envs/grid_path/setup.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/base/data_path.h"

namespace oneagent::grid_path {
namespace {

const std::vector<std::string> kBuiltInRows{
    "............", "..@@@@......", "..@.........", "..@...@@@@..", "..@......@..", "......@..@..",
    "..@@@.@.....", "......@..@@.", ".@@...@...@.", ".@..........", ".@.@@@@.@@..", "............",
};

GridMap load_map(const GridPathOptions& options) {
  OA_REQUIRE(options.map.empty() || options.rows.empty(),
             "[env] map: give a file or rows, not both");
  if (!options.map.empty()) return read_map(find_data(options.map));
  return GridMap(options.rows.empty() ? "built-in" : "rows",
                 options.rows.empty() ? kBuiltInRows : options.rows, "[env] rows");
}

uint64_t pair_key(const GridMap& map, Cell start, Cell goal) {
  return static_cast<uint64_t>(map.index(start)) << 32 | static_cast<uint64_t>(map.index(goal));
}

// Offsets into padded cells of the square with this radius, as symmetry s shows it.
std::vector<int32_t> square_offsets(int radius, int symmetry, int stride) {
  std::vector<int32_t> offsets;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const Cell map = to_map(symmetry, {dx, dy});
      offsets.push_back(map.y * stride + map.x);
    }
  return offsets;
}

}  // namespace

Setup::Setup(const GridPathOptions& options)
    : options_(options), layout_(options), map_(load_map(options)) {
  OA_REQUIRE(options.memory_block % 2 == 1, "[env] memory_block: must be odd, was ",
             options.memory_block);
  read_queries();
  for (const auto& component : map_.components())
    if (component.size() > 1)
      startable_.insert(startable_.end(), component.begin(), component.end());
  OA_REQUIRE(!startable_.empty(), "[env] map: ", map_.name(), " has no two connected free cells");
  require_training_pair();
  pad_map();
  for (int symmetry = 0; symmetry < kSymmetries; ++symmetry) make_tables(symmetry);
  for (int count = 0; count < 256; ++count)
    visit_value_[count] = std::log2(1.0f + static_cast<float>(std::min(count, kVisitLimit))) / 6;
}

void Setup::read_queries() {
  for (const std::string& file : options_.scenarios) {
    const auto queries = read_scenario(find_data(file), map_);
    queries_.insert(queries_.end(), queries.begin(), queries.end());
  }
  std::erase_if(queries_, [](const GridQuery& query) {
    return query.start == query.goal;
  });  // nothing to walk
  OA_REQUIRE(!evaluates() || !queries_.empty(),
             "[env] mode: eval needs scenarios, the official queries to walk");
  for (const GridQuery& query : queries_)
    official_.push_back(pair_key(map_, query.start, query.goal));
  std::sort(official_.begin(), official_.end());
}

// Ordered pairs of connected cells, of which training may draw those that are no official query.
void Setup::require_training_pair() const {
  if (evaluates()) return;
  size_t pairs = 0;
  for (const auto& component : map_.components())
    pairs += component.size() * (component.size() - 1);
  std::vector<uint64_t> official = official_;
  official.erase(std::unique(official.begin(), official.end()), official.end());
  OA_REQUIRE(official.size() < pairs, "[env] scenarios: every pair of ", map_.name(),
             " is an official query, none is left to train on");
}

void Setup::pad_map() {
  const int block = options_.memory_block;
  const int memory = options_.memory_radius > 0 ? options_.memory_radius * block + block / 2 : 0;
  pad_ = std::max({options_.radius, options_.visit_radius, memory}) + 1;
  stride_ = map_.width() + 2 * pad_;
  blocked_.assign(static_cast<size_t>(stride_) * (map_.height() + 2 * pad_), 1);
  legal_.assign(blocked_.size(), 0);
  for (int i = 0; i < map_.width() * map_.height(); ++i) {
    const Cell cell = map_.cell(i);
    if (!map_.free(cell)) continue;
    blocked_[at(cell)] = 0;
    for (int move = 0; move < kMoves; ++move)
      if (map_.legal(cell, move)) legal_[at(cell)] |= static_cast<uint8_t>(1 << move);
  }
}

void Setup::make_tables(int symmetry) {
  window_offsets_[symmetry] = square_offsets(options_.radius, symmetry, stride_);
  visit_offsets_[symmetry] = square_offsets(options_.visit_radius, symmetry, stride_);
  memory_blocks_[symmetry] =
      square_offsets(options_.memory_radius, symmetry, 2 * options_.memory_radius + 1);
  for (int32_t& block : memory_blocks_[symmetry]) block += square(options_.memory_radius) / 2;
  for (int move = 0; move < kMoves; ++move) {
    const Cell offset = to_map(symmetry, kMoveOffsets[move]);
    map_move_[symmetry][move] = move_of(offset.x, offset.y);
  }
}

bool Setup::official(Cell start, Cell goal) const {
  return std::binary_search(official_.begin(), official_.end(), pair_key(map_, start, goal));
}

}  // namespace oneagent::grid_path
