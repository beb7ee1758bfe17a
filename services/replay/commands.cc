#include "services/replay/commands.h"

namespace oneagent {
namespace {

void put_key(ByteWriter& out, const ring::ChunkKey& key) {
  out.put(key.actor);
  out.put(key.sequence);
}

ring::ChunkKey get_key(ByteReader& in) {
  ring::ChunkKey key;
  key.actor = in.get<uint32_t>();
  key.sequence = in.get<uint64_t>();
  return key;
}

void run_sample(ReplayState& state, ByteReader& in) {
  SampleCommand command;
  command.ticket.client = in.get_text();
  command.ticket.incarnation = in.get<uint64_t>();
  command.ticket.request = in.get<uint64_t>();
  command.table = in.get_text();
  command.count = in.get<int64_t>();
  OA_REQUIRE(state.table(command.table) != nullptr, "replay journal: samples from unknown table ",
             command.table);
  state.sample(command.ticket, command.table, command.count);
}

void run_priorities(ReplayState& state, ByteReader& in) {
  const std::string table = in.get_text();
  const auto updates = in.get_vector<PriorityUpdate>();
  OA_REQUIRE(state.table(table) != nullptr, "replay journal: priorities for unknown table ", table);
  state.set_priorities(table, updates);
}

void run_stamp(ReplayState& state, ByteReader& in) {
  StampCommand command;
  command.epoch = in.get<int64_t>();
  command.stamp.actor = in.get<uint32_t>();
  command.stamp.sequence_after = in.get<uint64_t>();
  command.stamp.file = in.get_text();
  command.stamp.sha256 = in.get_text();
  state.stamp(command.epoch, command.stamp);
}

void run_hello(ReplayState& state, ByteReader& in) {
  const auto actor = in.get<uint32_t>();
  state.hello(actor, in.get<uint64_t>());
}

}  // namespace

Bytes encode(const AcceptedChunk& command) {
  ByteWriter out;
  command.save(out);
  return out.take();
}

Bytes encode(const ring::ChunkKey& command) {
  ByteWriter out;
  put_key(out, command);
  return out.take();
}

Bytes encode(const SampleCommand& command) {
  ByteWriter out;
  out.put_text(command.ticket.client);
  out.put(command.ticket.incarnation);
  out.put(command.ticket.request);
  out.put_text(command.table);
  out.put(command.count);
  return out.take();
}

Bytes encode(const PrioritiesCommand& command) {
  ByteWriter out;
  out.put_text(command.table);
  out.put_vector(command.updates);
  return out.take();
}

Bytes encode(const StampCommand& command) {
  ByteWriter out;
  out.put(command.epoch);
  out.put(command.stamp.actor);
  out.put(command.stamp.sequence_after);
  out.put_text(command.stamp.file);
  out.put_text(command.stamp.sha256);
  return out.take();
}

Bytes encode(const HelloCommand& command) {
  ByteWriter out;
  out.put(command.actor);
  out.put(command.incarnation);
  return out.take();
}

Bytes encode_epoch(int64_t epoch) {
  ByteWriter out;
  out.put(epoch);
  return out.take();
}

void run_command(ReplayState& state, CommandKind kind, std::span<const uint8_t> payload) {
  ByteReader in(payload, "replay journal record");
  switch (kind) {
    case CommandKind::kAccept:
      state.accept(AcceptedChunk::load(in));
      break;
    case CommandKind::kQuarantine:
      state.quarantine(get_key(in));
      break;
    case CommandKind::kSample:
      run_sample(state, in);
      break;
    case CommandKind::kSetPriorities:
      run_priorities(state, in);
      break;
    case CommandKind::kStamp:
      run_stamp(state, in);
      break;
    case CommandKind::kHello:
      run_hello(state, in);
      break;
    case CommandKind::kCheckpoint:
      state.checkpoint(in.get<int64_t>());
      break;
    case CommandKind::kCommit:
      state.commit(in.get<int64_t>());
      break;
    default:
      throw_error(str("replay journal: unknown record kind ", static_cast<uint32_t>(kind)));
  }
  in.finish();
}

}  // namespace oneagent
