#include "core/net/reply_book.h"

namespace oneagent::net {

ReplyBook::Entry ReplyBook::enter(const std::string& client, uint64_t request_id,
                                  const Frame& peer) {
  auto found = clients_.find(client);
  if (found == clients_.end()) {
    if (clients_.size() >= kMaxClients && !make_room()) return Entry::kFull;
    found = clients_.emplace(client, Client{}).first;
    found->second.age = ages_.insert(ages_.end(), client);
  }
  Client& entry = found->second;
  if (request_id < entry.request_id) return Entry::kDuplicate;
  entry.peer = peer;
  ages_.splice(ages_.end(), ages_, entry.age);
  if (request_id == entry.request_id) {
    if (!entry.in_work) socket_->try_send_to(peer, entry.reply);
    return Entry::kDuplicate;
  }
  keep(entry, {});
  entry.request_id = request_id;
  entry.in_work = true;
  return Entry::kNew;
}

void ReplyBook::reply(const std::string& client, const Message& request, Message answer) {
  if (socket_ == nullptr) return;
  const auto found = clients_.find(client);
  if (found == clients_.end() || found->second.request_id != request.head.request_id ||
      !found->second.in_work)
    return;
  Client& entry = found->second;
  answer.head.request_id = request.head.request_id;
  answer.head.trace_id = request.head.trace_id;
  answer.head.sender = name_;
  if (request.has_json() && !answer.has_json())
    answer.set_json(Json{{"text", std::string(status_of(answer).message())}});
  Result<Frames> frames = codec_.encode(answer);
  if (!frames.ok()) {
    Message error = error_message(frames.status());
    error.head = answer.head;
    error.head.kind = proto::Kind::ERROR;
    frames = codec_.encode(error);
  }
  entry.in_work = false;
  socket_->try_send_to(entry.peer, *frames);
  keep(entry, *std::move(frames));
  shrink(entry);
}

// Forgets the client that was silent longest and has nothing in work.
bool ReplyBook::make_room() {
  for (auto age = ages_.begin(); age != ages_.end(); ++age) {
    const auto found = clients_.find(*age);
    if (found->second.in_work) continue;
    bytes_ -= found->second.bytes;
    clients_.erase(found);
    ages_.erase(age);
    return true;
  }
  return false;
}

void ReplyBook::keep(Client& client, Frames reply) {
  bytes_ -= client.bytes;
  client.bytes = total_bytes(reply);
  client.reply = std::move(reply);
  bytes_ += client.bytes;
}

// Beyond the byte bound the oldest clients are forgotten whole: a request of theirs that is resent
// runs again.
void ReplyBook::shrink(const Client& newest) {
  for (auto age = ages_.begin(); age != ages_.end() && bytes_ > kept_bytes_;) {
    const auto found = clients_.find(*age);
    const auto here = age++;
    if (found->second.in_work || &found->second == &newest) continue;
    bytes_ -= found->second.bytes;
    clients_.erase(found);
    ages_.erase(here);
  }
}

}  // namespace oneagent::net
