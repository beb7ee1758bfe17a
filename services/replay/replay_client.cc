#include "services/replay/replay_client.h"

#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <thread>

#include "core/base/check.h"
#include "core/net/request_client.h"
#include "core/net/stream_sender.h"
#include "proto/batch.capnp.h"
#include "services/replay/replay_messages.h"

namespace oneagent {
namespace {

constexpr int64_t kAskWhyMs = 300;  // how long an expired wait may take longer to learn its reason
constexpr int64_t kRetryPauseMs = 50;

net::RequestClientOptions request_options(const ReplayClientOptions& options) {
  return {.name = options.name, .peer = "replay", .address = net::parse_address(options.address)};
}

void check_items(const ring::Chunk& chunk, const std::vector<ring::ItemSpec>& items) {
  for (const ring::ItemSpec& item : items) {
    OA_REQUIRE(item.priority >= 0 && std::isfinite(item.priority),
               "replay: an item's priority must be a number of at least 0, was ", item.priority);
    OA_REQUIRE(item.begin >= 0 && item.length >= 1 && item.begin + item.length <= chunk.steps,
               "replay: an item of steps ", item.begin, " + ", item.length,
               " does not lie in a chunk of ", chunk.steps);
    OA_REQUIRE(item.lane >= -1 && item.lane < chunk.lanes, "replay: an item of lane ", item.lane,
               " does not lie in a chunk of ", chunk.lanes, " lanes");
  }
}

}  // namespace

// --- writer

struct ReplayWriter::Connection {
  net::Context& context;
  WaitBoard& board;
  const uint32_t actor;
  const ReplayClientOptions options;
  net::RequestClient requests;
  std::unique_ptr<net::StreamSender> stream;
  uint64_t era = 0;
  uint64_t next_chunk = 0;
  std::map<uint64_t, uint64_t>
      chunk_of;  // stream number -> chunk sequence, of what is unacknowledged; stamps are not in it
  std::map<uint64_t, std::string>
      quarantined;  // by chunk sequence, announced before the acknowledgement
  std::vector<Acknowledged> acknowledged;

  Connection(net::Context& net, WaitBoard& waits, uint32_t index, ReplayClientOptions client)
      : context(net),
        board(waits),
        actor(index),
        options(std::move(client)),
        requests(net, waits, request_options(options)) {}

  Result<ReplayHello> begin(Deadline deadline) {
    stream = nullptr;
    chunk_of.clear();
    auto fresh = std::make_unique<net::StreamSender>(
        context, board,
        net::StreamSenderOptions{.name = options.name,
                                 .peer = "replay",
                                 .address = stream_address(net::parse_address(options.address))});
    fresh->on_acknowledged([this](uint64_t number) { note_acknowledged(number); });
    fresh->on_notice([this](net::Message notice) { note_quarantined(notice); });
    net::Message greeting(proto::Kind::STREAM_HELLO);
    auto body = greeting.init_body<proto::Greeting>();
    body.setActor(actor);
    body.setRun(options.run.c_str());
    const Result<net::Message> welcome = fresh->connect(std::move(greeting), deadline);
    if (!welcome.ok()) return welcome.status();
    Result<ReplayHello> hello = read_place(*welcome);
    if (!hello.ok()) return hello;
    stream = std::move(fresh);
    era = hello->era;
    next_chunk = hello->next_sequence;
    return hello;
  }

  void note_acknowledged(uint64_t number) {
    const auto found = chunk_of.find(number);
    if (found == chunk_of.end()) return;
    const auto fault = quarantined.find(found->second);
    acknowledged.push_back({found->second, fault != quarantined.end(),
                            fault != quarantined.end() ? fault->second : ""});
    if (fault != quarantined.end()) quarantined.erase(fault);
    chunk_of.erase(found);
  }

  void note_quarantined(const net::Message& notice) {
    auto body = notice.body<proto::Quarantined>();
    if (body.ok())
      quarantined[body->getSequence()] =
          std::string(body->getReason().begin(), body->getReason().size());
  }

  Status send(net::Message message, Deadline deadline) {
    OA_REQUIRE(stream != nullptr, "replay: ", options.name, " must say hello first");
    Status status = stream->send(std::move(message), deadline);
    if (absl::IsDeadlineExceeded(status))
      return absl::DeadlineExceededError(str(status.message(), "; ", why()));
    return with_rollback(std::move(status));
  }

  // A replay that has forgotten what it acknowledged was rolled back, or began anew.
  static Status with_rollback(Status status) {
    return absl::IsDataLoss(status)
               ? absl::AbortedError(str("the replay no longer knows this stream, say hello again: ",
                                        status.message()))
               : status;
  }

  // What the replay itself waits for, in words.
  std::string why() {
    const Result<net::Message> answer =
        requests.call(net::Message(proto::Kind::TABLES), Deadline::after_ms(kAskWhyMs),
                      "asks why it is held back");
    if (!answer.ok()) return std::string(answer.status().message());
    const Result<ReplayReport> report = read_report<ReplayReport>(*answer);
    if (!report.ok()) return std::string(report.status().message());
    if (!report->refusing.empty()) return report->refusing;
    for (const TableReport& table : report->tables)
      if (table.waiting_inserts > 0) return str("replay/", table.name, ": ", table.insert_wait);
    return "no table holds it back";
  }
};

ReplayWriter::ReplayWriter(net::Context& context, WaitBoard& board, uint32_t actor,
                           ReplayClientOptions options)
    : connection_(std::make_unique<Connection>(context, board, actor, std::move(options))) {}
ReplayWriter::~ReplayWriter() = default;

Result<ReplayHello> ReplayWriter::hello(Deadline deadline) {
  Connection& at = *connection_;
  if (at.stream != nullptr && at.stream->poll().ok()) {
    const Result<net::Message> answer = at.requests.call(net::Message(proto::Kind::TABLES),
                                                         deadline, "asks for the era of the run");
    if (!answer.ok()) return answer.status();
    const Result<ReplayReport> report = read_report<ReplayReport>(*answer);
    if (!report.ok()) return report.status();
    if (report->era == at.era) return ReplayHello{at.next_chunk, at.era, 0, {}};
  }
  return at.begin(deadline);
}

Status ReplayWriter::append(const ring::Chunk& chunk, const std::vector<ring::ItemSpec>& items,
                            Deadline deadline) {
  Connection& at = *connection_;
  check_items(chunk, items);
  ring::Chunk keyed = chunk;
  keyed.key = {at.actor, at.next_chunk};
  net::Message message = chunk_message(keyed, items);
  const uint64_t number = at.stream == nullptr ? 0 : at.stream->next_sequence();
  at.chunk_of[number] =
      keyed.key.sequence;  // before send(): over inproc it may be acknowledged inside
  Status status = at.send(std::move(message), deadline);
  if (status.ok())
    ++at.next_chunk;
  else
    at.chunk_of.erase(number);
  return status;
}

Status ReplayWriter::stamp(int64_t epoch, std::span<const uint8_t> state, Deadline deadline) {
  return connection_->send(stamp_message(connection_->actor, epoch, state), deadline);
}

Status ReplayWriter::flush(Deadline deadline) {
  if (connection_->stream == nullptr) return ok();
  return Connection::with_rollback(connection_->stream->flush(deadline));
}

std::vector<Acknowledged> ReplayWriter::take_acknowledged() {
  if (connection_->stream != nullptr)
    (void)connection_->stream->poll();  // an ended stream is reported by the next append()
  return std::exchange(connection_->acknowledged, {});
}

uint64_t ReplayWriter::next_sequence() const { return connection_->next_chunk; }

// --- sampler

struct ReplaySampler::Connection {
  net::RequestClient requests;
  const std::string run;
  std::map<std::string, uint64_t>
      tickets;  // table -> ticket of the batch that is asked for; the next one once it has come

  // A replay that drains or restarts answers Unavailable: asked again until the deadline.
  template <class Make>
  Result<net::Message> call(Make make, Deadline deadline, const std::string& reason) {
    while (true) {
      Result<net::Message> answer = requests.call(make(), deadline, reason);
      if (answer.ok() ||
          !(absl::IsUnavailable(answer.status()) || absl::IsInternal(answer.status())))
        return answer;
      if (deadline.left_ms() <= kRetryPauseMs)
        return absl::DeadlineExceededError(answer.status().message());
      std::this_thread::sleep_for(std::chrono::milliseconds(kRetryPauseMs));
    }
  }

  template <class Report, class Make>
  Result<Report> ask(Make make, Deadline deadline, const std::string& reason) {
    const Result<net::Message> answer = call(make, deadline, reason);
    if (!answer.ok()) return answer.status();
    return read_report<Report>(*answer);
  }
};

ReplaySampler::ReplaySampler(net::Context& context, WaitBoard& board, ReplayClientOptions options)
    : connection_(new Connection{
          net::RequestClient(context, board, request_options(options)), options.run, {}}) {}
ReplaySampler::~ReplaySampler() = default;

Result<ring::SampleBatch> ReplaySampler::sample(const std::string& table, int64_t n,
                                                Deadline deadline) {
  OA_REQUIRE(n >= 1 && n <= UINT32_MAX, "replay: a sample has at least one item, was ", n);
  uint64_t& ticket = connection_->tickets.try_emplace(table, 1).first->second;
  const auto make = [&] {
    net::Message message(proto::Kind::SAMPLE);
    auto body = message.init_body<proto::SampleRequest>();
    body.setTable(table.c_str());
    body.setCount(static_cast<uint32_t>(n));
    body.setTicket(ticket);
    return message;
  };
  const Result<net::Message> answer = connection_->call(
      make, deadline, str("needs ", n, n == 1 ? " item of " : " items of ", table));
  if (!answer.ok()) return answer.status();
  Result<ring::SampleBatch> batch = read_batch(*answer);
  if (batch.ok()) ++ticket;
  return batch;
}

Result<uint64_t> ReplaySampler::set_priorities(const std::string& table,
                                               std::span<const PriorityUpdate> updates,
                                               Deadline deadline) {
  const Result<net::Message> answer =
      connection_->call([&] { return priorities_message(table, updates); }, deadline,
                        str("sets priorities of ", table));
  if (!answer.ok()) return answer.status();
  return static_cast<uint64_t>(answer->head.version);  // how many were late
}

Result<ReplayCheckpoint> ReplaySampler::checkpoint(int64_t epoch, Deadline deadline) {
  return connection_->ask<ReplayCheckpoint>(
      [&] { return epoch_message(proto::Kind::CHECKPOINT, epoch); }, deadline,
      str("stamps epoch ", epoch));
}

Status ReplaySampler::commit(int64_t epoch, Deadline deadline) {
  return connection_
      ->call([&] { return epoch_message(proto::Kind::COMMIT, epoch); }, deadline,
             str("commits epoch ", epoch))
      .status();
}

Result<ReplayRollback> ReplaySampler::rollback(int64_t epoch, RollbackMode mode, Deadline deadline,
                                               const std::string& sha256) {
  const auto make = [&] {
    net::Message message(proto::Kind::ROLLBACK);
    auto body = message.init_body<proto::Rollback>();
    body.setEpoch(epoch);
    body.setKeepNewer(mode == RollbackMode::kKeepNewer);
    body.setSha256(sha256.c_str());
    body.setRun(connection_->run.c_str());
    return message;
  };
  return connection_->ask<ReplayRollback>(make, deadline, str("returns the run to epoch ", epoch));
}

Result<ReplayReport> ReplaySampler::report(Deadline deadline) {
  return connection_->ask<ReplayReport>([] { return net::Message(proto::Kind::TABLES); }, deadline,
                                        "asks for a report");
}

}  // namespace oneagent
