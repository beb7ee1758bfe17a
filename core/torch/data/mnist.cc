#include <filesystem>

#include "core/base/file.h"
#include "core/torch/data/datasets.h"

namespace oneagent::data::datasets {
namespace {

uint32_t big_endian(const unsigned char* at) {
  return (uint32_t{at[0]} << 24) | (uint32_t{at[1]} << 16) | (uint32_t{at[2]} << 8) | at[3];
}

}  // namespace

Tensor read_idx(const std::string& path) {
  OA_REQUIRE(fs::exists(path), "idx: there is no file ", path);
  const std::string text = read_text(path);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  OA_REQUIRE(text.size() >= 4 && bytes[0] == 0 && bytes[1] == 0, "idx: ", path,
             " does not begin with an IDX magic number; the file must be uncompressed");
  OA_REQUIRE(bytes[2] == 0x08, "idx: ", path, " holds type ", int{bytes[2]},
             ", only unsigned bytes (8) are served");
  const size_t rank = bytes[3];
  OA_REQUIRE(rank >= 1 && rank <= Shape::kMaxRank && text.size() >= 4 + 4 * rank, "idx: ", path,
             " is cut off in its header of ", rank, " dimensions");
  Shape sizes;
  uint64_t count = 1;
  for (size_t i = 0; i < rank; ++i) {
    const uint32_t size = big_endian(bytes + 4 + 4 * i);
    count = size != 0 && count > (uint64_t{1} << 40) / size ? ~uint64_t{0} : count * size;
    sizes.push_back(size);
  }
  const size_t header = 4 + 4 * rank;
  OA_REQUIRE(text.size() - header == count, "idx: ", path, " should hold ", count,
             " values of shape ", sizes, ", holds ", text.size() - header);
  const Tensor out = empty(sizes, kUInt8);
  std::copy_n(bytes + header, count, out.data_ptr<uint8_t>());
  return out;
}

MNIST::MNIST(const std::string& root, Mode mode) : train_(mode == Mode::kTrain) {
  const std::string prefix = train_ ? "train" : "t10k";
  const auto read = [&](const char* what, const char* suffix) {
    const fs::path path = fs::path(root) / (prefix + suffix);
    OA_REQUIRE(fs::exists(path), "Error opening ", what, " file at ", path.string());
    return read_idx(path.string());
  };
  const Tensor images = read("images", "-images-idx3-ubyte");
  const Tensor labels = read("targets", "-labels-idx1-ubyte");
  OA_REQUIRE(images.dim() == 3 && labels.dim() == 1 && images.size(0) == labels.size(0),
             "mnist: ", root, " has images of shape ", images.sizes(), " and labels of shape ",
             labels.sizes());
  images_ = images.to(kFloat32).div(255.0).unsqueeze(1);
  targets_ = labels.to(kInt64);
}

Example<> MNIST::get(size_t index) {
  const auto at = static_cast<int64_t>(index);
  return {images_[at], targets_[at]};
}

std::optional<size_t> MNIST::size() const { return static_cast<size_t>(images_.size(0)); }

}  // namespace oneagent::data::datasets
