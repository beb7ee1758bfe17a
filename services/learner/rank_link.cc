#include "services/learner/rank_link.h"

#include <vector>

#include "core/ops/creation.h"

namespace oneagent {
namespace {

void send_memory(comm::Communicator& all, void* data, size_t bytes) {
  all.broadcast(data, bytes, DType::kUInt8, 0);
}

}  // namespace

void RankLink::tell(Json head, const TensorMap& tensors) {
  Json list = Json::array();
  for (const auto& [name, tensor] : tensors)
    list.push_back({{"name", name},
                    {"dtype", static_cast<int>(tensor.scalar_type())},
                    {"sizes", tensor.sizes().vec()}});
  head["tensors"] = std::move(list);
  std::string text = head.dump();
  auto length = static_cast<int64_t>(text.size());
  send_memory(all_, &length, sizeof length);
  send_memory(all_, text.data(), text.size());
  for (const auto& [name, tensor] : tensors) {
    const Tensor flat = tensor.contiguous();
    send_memory(all_, flat.data_ptr(), flat.nbytes());
  }
}

RankLink::Command RankLink::hear() {
  int64_t length = 0;
  send_memory(all_, &length, sizeof length);
  std::string text(static_cast<size_t>(length), '\0');
  send_memory(all_, text.data(), text.size());
  Command out{Json::parse(text), {}};
  for (const Json& entry : out.head.at("tensors")) {
    const Tensor tensor = empty(Shape(entry.at("sizes").get<std::vector<int64_t>>()),
                                static_cast<DType>(entry.at("dtype").get<int>()));
    send_memory(all_, tensor.data_ptr(), tensor.nbytes());
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

void RankLink::share(const Tensor& tensor) {
  OA_CHECK(tensor.is_contiguous(), "rank link: a shared tensor must be contiguous");
  send_memory(all_, tensor.data_ptr(), tensor.nbytes());
  if (!leads()) tensor.impl().storage->bump_version();
}

}  // namespace oneagent
