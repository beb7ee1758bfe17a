#include "core/tensor/sharding.h"

#include "core/base/text.h"

namespace oneagent {

bool Sharding::has_partial() const {
  return std::any_of(begin(), end(), [](const Placement& p) { return p.is_partial(); });
}

std::string to_text(const Placement& placement) {
  switch (placement.kind) {
    case Placement::Kind::kSplit:
      return str("S(", static_cast<int>(placement.axis), ")");
    case Placement::Kind::kPartial:
      return placement.reduce == Reduce::kSum   ? "P(sum)"
             : placement.reduce == Reduce::kMax ? "P(max)"
                                                : "P(min)";
    case Placement::Kind::kOwner:
      return str("O(", static_cast<int>(placement.axis), ")");
    default:
      return "B";
  }
}

std::string to_text(const Sharding& sharding) {
  std::string out = "[";
  for (const Placement& placement : sharding)
    out += (out.size() > 1 ? ", " : "") + to_text(placement);
  return out + "]";
}

Mesh::Mesh(Shape sizes, std::vector<std::string> names) : sizes_(sizes), names_(std::move(names)) {
  OA_REQUIRE(!sizes_.empty() && sizes_.size() <= Sharding::kMaxDims, "mesh: has 1 to ",
             Sharding::kMaxDims, " dimensions, was ", sizes_);
  for (const int64_t size : sizes_)
    OA_REQUIRE(size >= 1, "mesh: every size is at least 1, was ", sizes_);
  if (names_.empty())
    for (size_t i = 0; i < sizes_.size(); ++i) names_.push_back(std::to_string(i));
  OA_REQUIRE(names_.size() == sizes_.size(), "mesh: ", sizes_.size(), " dimensions have ",
             names_.size(), " names; give one for each");
}

size_t Mesh::dim(std::string_view name) const {
  for (size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return i;
  throw_error(str("mesh: ", text(), " has no dimension \"", name, "\""));
}

int64_t Mesh::coordinate(int64_t rank, size_t dim) const {
  for (size_t i = sizes_.size(); i-- > dim + 1;) rank /= sizes_[i];
  return rank % sizes_[dim];
}

std::vector<int> Mesh::line(int64_t rank, size_t dim) const {
  int64_t step = 1;
  for (size_t i = sizes_.size(); i-- > dim + 1;) step *= sizes_[i];
  const int64_t first = rank - coordinate(rank, dim) * step;
  std::vector<int> out;
  for (int64_t i = 0; i < sizes_[dim]; ++i) out.push_back(static_cast<int>(first + i * step));
  return out;
}

std::string Mesh::text() const {
  std::string out = "[";
  for (size_t i = 0; i < sizes_.size(); ++i)
    out += str(i > 0 ? ", " : "", names_[i], "=", sizes_[i]);
  return out + "]";
}

AxisRange part_of(int64_t size, int64_t count, int64_t index) {
  const int64_t base = size / count, longer = size % count;
  return {index * base + std::min(index, longer), base + (index < longer ? 1 : 0)};
}

std::vector<AxisRange> ranges_of(const Shape& sizes, const Mesh& mesh, const Sharding& sharding,
                                 int64_t rank) {
  std::vector<AxisRange> out;
  for (const int64_t size : sizes) out.push_back({0, size});
  for (size_t i = 0; i < sharding.size(); ++i) {
    if (sharding[i].is_owner() && !out.empty() && mesh.coordinate(rank, i) != sharding[i].axis)
      out[0].length = 0;
    if (!sharding[i].is_split()) continue;
    AxisRange& range = out[static_cast<size_t>(sharding[i].axis)];
    const AxisRange part = part_of(range.length, mesh.size(i), mesh.coordinate(rank, i));
    range = {range.begin + part.begin, part.length};
  }
  return out;
}

Shape local_sizes(const Shape& sizes, const Mesh& mesh, const Sharding& sharding, int64_t rank) {
  Shape out = sizes;
  for (size_t i = 0; i < sharding.size(); ++i)
    if (sharding[i].is_split()) {
      int64_t& size = out[static_cast<size_t>(sharding[i].axis)];
      size = part_of(size, mesh.size(i), mesh.coordinate(rank, i)).length;
    }
  for (size_t i = 0; i < sharding.size(); ++i)
    if (sharding[i].is_owner() && mesh.coordinate(rank, i) != sharding[i].axis) {
      if (out.empty()) return {0};
      out[0] = 0;
    }
  return out;
}

Sharding checked_sharding(const char* what, const Shape& sizes, const Mesh& mesh,
                          Sharding sharding) {
  OA_REQUIRE(sharding.size() == mesh.dims(), what, ": sharding ", sharding, " has ",
             sharding.size(), " entries, the mesh ", mesh.text(), " has ", mesh.dims(),
             " dimensions; write one of S(axis), B, P for each");
  const auto rank = static_cast<int64_t>(sizes.size());
  for (size_t i = 0; i < sharding.size(); ++i) {
    Placement& placement = sharding[i];
    OA_REQUIRE(!placement.is_owner() || placement.axis < mesh.size(i), what, ": ", placement,
               " names a rank that mesh dimension \"", mesh.name(i), "\" of ", mesh.size(i),
               " does not have");
    if (!placement.is_split()) continue;
    OA_REQUIRE(placement.axis >= -rank && placement.axis < rank, what, ": ", placement,
               " along mesh dimension \"", mesh.name(i),
               "\" names a dimension that a tensor of shape ", sizes, " does not have");
    if (placement.axis < 0) placement.axis = static_cast<int8_t>(placement.axis + rank);
  }
  return sharding;
}

}  // namespace oneagent
