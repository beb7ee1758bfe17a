#include "services/replay/replay_server.h"

#include <algorithm>

#include "core/base/log.h"
#include "proto/batch.capnp.h"
#include "proto/control.capnp.h"

namespace oneagent {
namespace {

constexpr int64_t kNoDeadlineMs = 60'000;
constexpr int64_t kMarginMs =
    50;  // an expired wait is answered this much early, so that its reason arrives in time

net::RequestServerOptions request_options(const ReplayOptions& options) {
  return {.name = "replay", .address = net::parse_address(options.address)};
}

net::StreamReceiverOptions stream_options(const ReplayOptions& options,
                                          const net::Address& requests) {
  return {.name = "replay",
          .address = stream_address(requests),
          .window_items = static_cast<uint32_t>(options.credit_chunks),
          .window_bytes = static_cast<uint64_t>(options.credit_bytes)};
}

Deadline deadline_of(const net::Message& request) {
  if (request.head.deadline_ms == 0) return Deadline::after_ms(kNoDeadlineMs);
  const int64_t left = std::clamp<int64_t>(request.head.deadline_ms - wall_ms(), 0, kNoDeadlineMs);
  return Deadline::after_ms(left - std::min(kMarginMs, left / 5));
}

template <class Report>
net::Message reply_of(const Result<Report>& report) {
  return report.ok() ? to_message(*report) : net::error_message(report.status());
}

net::Message reply_of(const Status& status) {
  return status.ok() ? net::Message(proto::Kind::DONE) : net::error_message(status);
}

}  // namespace

ReplayServer::ReplayServer(net::Context& context, WaitBoard& board, const ReplayOptions& options,
                           const fs::path& run_folder, const std::string& run,
                           std::vector<ring::TableSpec> tables)
    : board_(board),
      options_(options),
      replay_(options, ReplayFolders::of_run(run_folder), run, std::move(tables)),
      requests_(context, request_options(options),
                [this](net::Request request) { on_request(std::move(request)); }),
      stream_(
          context, stream_options(options, requests_.address()),
          [this](const std::string& sender, const net::Message& hello) {
            return on_hello(sender, hello);
          },
          [this](net::Delivery delivery) { return on_delivery(std::move(delivery)); }) {
  poller_.add(requests_);
  poller_.add(stream_);
  poller_.add(waker_);
}

ReplayServer::~ReplayServer() {
  for (Waiting& waiting : waiting_)
    waiting.request.reply(absl::UnavailableError("the replay is stopping"));
}

void ReplayServer::serve(Deadline until) {
  poller_.run_once(Deadline::after_ms(std::min(until.left_ms(), next_due_ms())));
  if (changed_ || (!held_.empty() && retry_due_.due())) progress();
  expire_waiting();
  if (show_due_.due()) show_waits();
}

int64_t ReplayServer::next_due_ms() const {
  int64_t due = 1'000'000;
  if (!held_.empty()) due = retry_due_.left_ms();
  if (!held_.empty() || !waiting_.empty() || !waits_.empty())
    due = std::min(due, show_due_.left_ms());
  for (const Waiting& waiting : waiting_) due = std::min(due, waiting.deadline.left_ms());
  return due;
}

Status ReplayServer::check_run(const std::string& sender, const std::string& run) const {
  if (run.empty() || run == replay_.run()) return ok();
  return absl::FailedPreconditionError(str("replay: ", sender, " of run ", run,
                                           " came to the replay of run ", replay_.run(),
                                           "; give each run a [replay] address of its own"));
}

// --- actors

Result<net::Welcome> ReplayServer::on_hello(const std::string& sender, const net::Message& hello) {
  auto body = hello.body<proto::Greeting>();
  if (!body.ok()) return body.status();
  const uint32_t actor = body->getActor();
  OA_RETURN_IF_ERROR(check_run(sender, std::string(body->getRun().begin(), body->getRun().size())));
  if (options_.ordered_actors > 0 && actor >= options_.ordered_actors)
    return absl::InvalidArgumentError(str("replay: ordered_actors is ", options_.ordered_actors,
                                          ", ", sender, " is actor ", actor));
  const Result<ReplayHello> place = replay_.hello(actor, hello.head.incarnation);
  if (!place.ok()) return place.status();
  held_.erase(sender);  // of an earlier process; never acknowledged
  return net::Welcome{replay_.state().actor(actor).stream, place_message(*place)};
}

bool ReplayServer::on_delivery(net::Delivery delivery) {
  const std::string sender(delivery.sender);
  if (const auto queue = held_.find(sender); queue != held_.end()) {
    queue->second.push_back({delivery.sequence, std::move(delivery.message), "", ""});
    return false;
  }
  const Offer offer = take(sender, delivery.message);
  changed_ = true;
  if (offer.verdict != Offer::Verdict::kHeld) return true;
  held_[sender].push_back(
      {delivery.sequence, std::move(delivery.message), offer.holder, offer.reason});
  return false;
}

Offer ReplayServer::take(const std::string& sender, const net::Message& message) {
  if (message.kind() == proto::Kind::STAMP) {
    auto stamp = message.body<proto::Stamp>();
    if (stamp.ok() && stamp->getEpoch() > 0)
      return replay_.offer_stamp(stamp->getActor(), stamp->getEpoch(), state_of(message));
  }
  const Result<ChunkMessage> chunk = read_chunk(message);
  if (!chunk
           .ok()) {  // cannot happen with our own writers; acknowledged, so that the stream goes on
    log_warning("replay: a message of ", sender, " is dropped: ", chunk.status().message());
    return {};
  }
  const Offer offer = replay_.offer(chunk->chunk, chunk->items);
  if (offer.verdict == Offer::Verdict::kQuarantined) {
    net::Message notice(proto::Kind::NOTICE);
    auto body = notice.init_body<proto::Quarantined>();
    body.setSequence(chunk->chunk.key.sequence);
    body.setReason(offer.reason.c_str());
    stream_.tell(sender, std::move(notice));
  }
  return offer;
}

// --- learner

void ReplayServer::on_request(net::Request request) {
  if (request.kind() == proto::Kind::SAMPLE) return on_sample(std::move(request));
  request.reply(answer(request.message()));
}

net::Message ReplayServer::answer(const net::Message& request) {
  const auto epoch = [&]() -> Result<int64_t> {
    auto body = request.body<proto::Epoch>();
    if (!body.ok()) return body.status();
    return body->getEpoch();
  };
  switch (request.kind()) {
    case proto::Kind::TABLES:
    case proto::Kind::STATUS:
      return to_message(replay_.report());
    case proto::Kind::SET_PRIORITIES: {
      const auto body = read_priorities(request);
      if (!body.ok()) return net::error_message(body.status());
      const Result<uint64_t> late = replay_.set_priorities(body->first, body->second);
      net::Message reply = reply_of(late.status());
      if (late.ok()) reply.head.version = static_cast<int64_t>(*late);
      return reply;
    }
    case proto::Kind::CHECKPOINT: {
      const Result<int64_t> number = epoch();
      return number.ok() ? reply_of(replay_.checkpoint(*number))
                         : net::error_message(number.status());
    }
    case proto::Kind::COMMIT: {
      const Result<int64_t> number = epoch();
      return reply_of(number.ok() ? replay_.commit(*number) : number.status());
    }
    case proto::Kind::ROLLBACK: {
      auto body = request.body<proto::Rollback>();
      if (!body.ok()) return net::error_message(body.status());
      if (const Status own = check_run(request.head.sender,
                                       std::string(body->getRun().begin(), body->getRun().size()));
          !own.ok())
        return net::error_message(own);
      const bool keep_newer = body->getKeepNewer();
      const Result<ReplayRollback> report = replay_.rollback(
          body->getEpoch(), keep_newer ? RollbackMode::kKeepNewer : RollbackMode::kExact,
          std::string(body->getSha256().begin(), body->getSha256().size()));
      if (report.ok() && !keep_newer) {  // actors hear of it when they say hello again; what they
                                         // had under way is of the old era
        held_.clear();
        stream_.forget_senders();
      }
      changed_ = true;
      return reply_of(report);
    }
    default:
      return net::error_message(
          absl::InvalidArgumentError(str("replay: no answer to ", net::name_of(request.kind()))));
  }
}

void ReplayServer::on_sample(net::Request request) {
  auto body = request.message().body<proto::SampleRequest>();
  if (!body.ok()) return request.reply(body.status());
  const net::Head& head = request.message().head;
  const std::string table(body->getTable().begin(), body->getTable().size());
  const int64_t count = body->getCount();
  const SampleTicket ticket{head.sender + "/" + table, head.incarnation, body->getTicket()};
  const Deadline deadline = deadline_of(request.message());
  waiting_.remove_if([&](const Waiting& waiting) {
    return waiting.ticket.same_request(ticket);
  });  // asked again: its client has given up on that one
  waiting_.push_back({std::move(request), ticket, table, count, deadline});
  changed_ = true;
}

// --- what waits

void ReplayServer::progress() {
  changed_ = false;
  while (offer_held() || answer_waiting()) {
  }
}

bool ReplayServer::offer_held() {
  bool moved = false;
  for (auto queue = held_.begin(); queue != held_.end();) {
    std::deque<Held>& messages = queue->second;
    while (!messages.empty()) {
      const Offer offer = take(queue->first, messages.front().message);
      messages.front().holder = offer.holder;
      messages.front().reason = offer.reason;
      if (offer.verdict == Offer::Verdict::kHeld) break;
      stream_.acknowledge(queue->first, messages.front().number);
      messages.pop_front();
      moved = true;
    }
    queue = messages.empty() ? held_.erase(queue) : std::next(queue);
  }
  return moved;
}

bool ReplayServer::answer_waiting() {
  bool moved = false;
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    if (waiting->request.stale()) {  // nothing is sampled for a client that has given up
      waiting->request.reply(absl::DeadlineExceededError("asked too late"));
      waiting = waiting_.erase(waiting);
      continue;
    }
    const Result<ring::SampleBatch> batch =
        replay_.sample(waiting->ticket, waiting->table, waiting->count);
    if (absl::IsUnavailable(batch.status())) {
      ++waiting;
      continue;
    }
    waiting->request.reply(batch.ok() ? batch_message(*batch) : net::error_message(batch.status()));
    waiting = waiting_.erase(waiting);
    moved = true;
  }
  return moved;
}

void ReplayServer::expire_waiting() {
  for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
    if (!waiting->deadline.expired()) {
      ++waiting;
      continue;
    }
    const ReplayTable* table = replay_.state().table(waiting->table);
    const std::string reason =
        table == nullptr ? "no such table" : table->sample_wait(waiting->count);
    waiting->request.reply(absl::DeadlineExceededError(
        str(waiting->request.sender(), " waits for replay/", waiting->table, ": ", reason)));
    waiting = waiting_.erase(waiting);
  }
}

// Rows for inserts that wait inside, chunks that are held, samples that wait; a row that goes on
// keeps its beginning.
void ReplayServer::show_waits() {
  std::map<std::pair<std::string, std::string>, std::string> rows;
  for (const auto& table : replay_.state().tables()) {
    if (table->waiting() == 0) continue;
    for (const auto& [actor, record] : replay_.state().actors())
      if (table->waiting_of(actor) > 0)
        rows[{str("actor-", actor), "replay/" + table->spec().name}] = table->insert_wait();
  }
  for (const auto& [sender, messages] : held_)
    rows[{sender, messages.front().holder}] = messages.front().reason;
  for (const Waiting& waiting : waiting_)
    if (const ReplayTable* table = replay_.state().table(waiting.table))
      rows[{waiting.request.sender(), "replay/" + waiting.table}] =
          table->sample_wait(waiting.count);
  std::erase_if(waits_, [&](const auto& wait) { return !rows.contains(wait.first); });
  for (const auto& [who, reason] : rows) {
    auto& scope = waits_[who];
    if (scope == nullptr)
      scope = std::make_unique<WaitScope>(board_, who.first, who.second, reason);
    else
      scope->update(reason);
  }
}

}  // namespace oneagent
