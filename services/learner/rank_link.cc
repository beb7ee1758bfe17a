#include "services/learner/rank_link.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/ops/creation.h"

namespace oneagent {
namespace {

// A command is one message, or two where it is longer than this.
constexpr size_t kFirstBytes = 2048;

struct Lengths {
  size_t text = 0, tensors = 0;  // padded
};

size_t padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

void send_memory(comm::Communicator& all, void* data, size_t bytes) {
  all.broadcast(data, bytes, DType::kUInt8, 0);
}

}  // namespace

void RankLink::tell(Json head, const TensorMap& tensors) {
  Json list = Json::array();
  size_t bytes = 0;
  for (const auto& [name, tensor] : tensors) {
    list.push_back({{"name", name},
                    {"dtype", static_cast<int>(tensor.scalar_type())},
                    {"sizes", tensor.sizes().vec()}});
    bytes += padded(tensor.nbytes());
  }
  head["tensors"] = std::move(list);
  const std::string text = head.dump();
  const Lengths lengths{padded(text.size()), bytes};
  const size_t total = sizeof lengths + lengths.text + lengths.tensors;
  memory_.assign(std::max(total, kFirstBytes), 0);
  std::memcpy(memory_.data(), &lengths, sizeof lengths);
  std::memcpy(memory_.data() + sizeof lengths, text.data(), text.size());
  uint8_t* at = memory_.data() + sizeof lengths + lengths.text;
  for (const auto& [name, tensor] : tensors) {
    const Tensor flat = tensor.contiguous();
    if (flat.nbytes() > 0) std::memcpy(at, flat.data_ptr(), flat.nbytes());
    at += padded(flat.nbytes());
  }
  send_memory(all_, memory_.data(), kFirstBytes);
  if (total > kFirstBytes) send_memory(all_, memory_.data() + kFirstBytes, total - kFirstBytes);
}

RankLink::Command RankLink::hear() {
  memory_.resize(kFirstBytes);
  send_memory(all_, memory_.data(), kFirstBytes);
  Lengths lengths{};
  std::memcpy(&lengths, memory_.data(), sizeof lengths);
  const size_t total = sizeof lengths + lengths.text + lengths.tensors;
  if (total > kFirstBytes) {
    memory_.resize(total);
    send_memory(all_, memory_.data() + kFirstBytes, total - kFirstBytes);
  }
  const char* text = reinterpret_cast<const char*>(memory_.data() + sizeof lengths);
  Command out{Json::parse(std::string(text, ::strnlen(text, lengths.text))), {}};
  const uint8_t* at = memory_.data() + sizeof lengths + lengths.text;
  for (const Json& entry : out.head.at("tensors")) {
    const Tensor tensor = empty(Shape(entry.at("sizes").get<std::vector<int64_t>>()),
                                static_cast<DType>(entry.at("dtype").get<int>()));
    if (tensor.nbytes() > 0) std::memcpy(tensor.data_ptr(), at, tensor.nbytes());
    at += padded(tensor.nbytes());
    out.tensors[entry.at("name").get<std::string>()] = tensor;
  }
  return out;
}

void RankLink::require_same(const std::string& what, uint64_t number) {
  const auto size = static_cast<size_t>(all_.size());
  std::vector<uint64_t> numbers(size);
  const std::vector<size_t> bytes(size, sizeof number);
  all_.all_gather(&number, numbers.data(), bytes, DType::kUInt8);
  for (size_t rank = 1; rank < size; ++rank)
    OA_REQUIRE(numbers[rank] == numbers[0], "rank ", rank, " has another ", what,
               " than the first one (", std::hex, numbers[rank], ", ", numbers[0],
               "); start the same program with the same experiment everywhere");
}

std::vector<std::string> RankLink::gather(const std::string& text) {
  const auto size = static_cast<size_t>(all_.size());
  std::vector<uint64_t> lengths(size);
  const uint64_t own = text.size();
  all_.all_gather(&own, lengths.data(), std::vector<size_t>(size, sizeof own), DType::kUInt8);
  const std::vector<size_t> counts(lengths.begin(), lengths.end());
  std::string joined(std::accumulate(counts.begin(), counts.end(), size_t{0}), '\0');
  all_.all_gather(text.data(), joined.data(), counts, DType::kUInt8);
  std::vector<std::string> out;
  size_t at = 0;
  for (const size_t count : counts) {
    out.push_back(joined.substr(at, count));
    at += count;
  }
  return out;
}

void RankLink::share(const Tensor& tensor) {
  OA_CHECK(tensor.is_contiguous(), "rank link: a shared tensor must be contiguous");
  send_memory(all_, tensor.data_ptr(), tensor.nbytes());
  if (!leads()) tensor.impl().storage->bump_version();
}

}  // namespace oneagent
