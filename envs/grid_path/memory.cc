#include "envs/grid_path/memory.h"

#include <algorithm>
#include <array>

namespace oneagent::grid_path {

constexpr int kLongestRow = 2 * 12 * 15 + 15;  // cells across the largest remembered square

Memory::Memory(const Setup& setup) : setup_(&setup), visits_(setup.padded_cells()) {
  if (setup.options().memory_radius == 0) return;
  seen_.resize(visits_.size());
  stood_.resize(visits_.size());
}

void Memory::clear() {
  std::fill(visits_.begin(), visits_.end(), 0);
  std::fill(seen_.begin(), seen_.end(), 0);
  std::fill(stood_.begin(), stood_.end(), 0);
}

void Memory::visit(int at) {
  if (visits_[at] < 255) ++visits_[at];
  if (seen_.empty()) return;
  stood_[at] = 1;
  see(at);
}

void Memory::see(int at) {
  const int radius = setup_->options().radius;
  const uint8_t* blocked = setup_->blocked();
  for (int dy = -radius; dy <= radius; ++dy) {
    const int row = at + dy * setup_->stride() - radius;
    for (int i = row; i < row + 2 * radius + 1; ++i)
      seen_[i] = blocked[i] ? kSeenBlocked : kSeenFree;
  }
}

void Memory::blocks(int at, std::span<float> out) const {
  const int radius = setup_->options().memory_radius, side = setup_->options().memory_block;
  const int blocks = 2 * radius + 1, cells = blocks * side, reach = cells / 2;
  const int plane = blocks * blocks;
  const float share = 1.0f / static_cast<float>(side * side);
  std::array<uint8_t, kLongestRow> seen, stood;
  for (int by = 0; by < blocks; ++by) {
    std::fill_n(seen.begin(), cells, 0);
    std::fill_n(stood.begin(), cells, 0);
    for (int y = 0; y < side; ++y) {
      const int row = at + (by * side + y - reach) * setup_->stride() - reach;
      const uint8_t *seen_row = seen_.data() + row, *stood_row = stood_.data() + row;
      for (int i = 0; i < cells; ++i) seen[i] += seen_row[i];
      for (int i = 0; i < cells; ++i) stood[i] += stood_row[i];
    }
    for (int bx = 0; bx < blocks; ++bx) {
      int blocked = 0, free = 0, visited = 0;
      for (int i = bx * side; i < (bx + 1) * side; ++i) {
        blocked += seen[i] & 15;
        free += seen[i] >> 4;
        visited += stood[i];
      }
      const int block = by * blocks + bx;
      out[block] = static_cast<float>(blocked) * share;
      out[plane + block] = static_cast<float>(free) * share;
      out[2 * plane + block] = static_cast<float>(visited) * share;
    }
  }
}

void Memory::save(ByteWriter& out) const {
  out.put_vector(visits_);
  out.put_vector(seen_);
  out.put_vector(stood_);
}

void Memory::load(ByteReader& in) {
  in.get_into(std::span(visits_));
  in.get_into(std::span(seen_));
  in.get_into(std::span(stood_));
}

}  // namespace oneagent::grid_path
