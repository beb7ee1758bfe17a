// How a replay starts again: newest state file, then the journal of the same number, then both are
// folded into the next number.
#include <algorithm>
#include <cstdio>

#include "core/base/log.h"
#include "services/replay/commands.h"
#include "services/replay/replay.h"
#include "services/replay/sealed_file.h"

namespace oneagent {
namespace {

fs::path state_path(const fs::path& folder, uint64_t number) {
  return folder / str("state-", number, ".bin");
}

// Numbers of the files "<prefix><number><suffix>" in a folder, ascending.
std::vector<uint64_t> numbered(const fs::path& folder, const std::string& prefix,
                               const std::string& suffix) {
  std::vector<uint64_t> numbers;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    unsigned long long number = 0;
    if (std::sscanf(name.c_str(), (prefix + "%llu").c_str(), &number) == 1 &&
        name == str(prefix, number, suffix))
      numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

std::unique_ptr<ReplayState> Replay::recover() {
  auto state = std::make_unique<ReplayState>(config(), &log_);
  if (durability_ == Durability::kMemory) return state;
  const std::vector<uint64_t> numbers = numbered(folders_.segments, "state-", ".bin");
  if (!numbers.empty()) {
    const uint64_t number = numbers.back();
    const std::string name = state_path(folders_.segments, number).string();
    Result<Bytes> image = unseal(name, "replay-state", run_);
    OA_REQUIRE(image.ok(), image.status().message());
    ByteReader in(*image, name);
    ReplayState replayed(ReplayConfig::load(in),
                         nullptr);  // with the configuration under which the journal was written
    replayed.load(*image, name);
    read_journal(number, replayed);
    state->load(replayed.save(), name);
    log_.drop_unclaimed();
    log_info("replay: recovered ", state->chunks().count(), " chunks, ",
             state->ever_accepted().count(), " ever accepted");
    log_predictions(*state, nullptr);
  }
  state_ = std::move(state);
  const Status folded = fold();
  OA_REQUIRE(folded.ok(), folded.message());
  return std::move(state_);
}

void Replay::read_journal(uint64_t number, ReplayState& into) {
  const auto visit = [&](uint32_t kind, std::span<const uint8_t> payload) {
    run_command(into, static_cast<CommandKind>(kind), payload);
  };
  // A state file is written after the journal that follows it: without one, somebody took it away,
  // and what it held was acknowledged.
  const fs::path file = Journal::path_of(folders_.segments, number);
  OA_REQUIRE(
      fs::is_regular_file(file) && fs::file_size(file) > 0, "replay: ", file.string(),
      " is missing or empty, and with it chunks that were acknowledged; put it back, or remove ",
      state_path(folders_.segments, number).filename().string(),
      " too and resume from the last checkpoint");
  Result<std::unique_ptr<Journal>> journal = Journal::open(folders_.segments, number, visit);
  if (absl::IsNotFound(journal.status())) return;  // killed before its first command
  if ((*journal)->dropped_bytes() > 0)
    log_warning("replay: the journal's last record was torn (", (*journal)->dropped_bytes(),
                " bytes) and is dropped; it was never answered");
}

Status Replay::commit_command(uint32_t kind, const Bytes& payload) {
  if (journal_ == nullptr) return ok();
  if (journal_->bytes() >= fold_at_) {
    const Status folded = fold();
    if (!folded.ok()) {
      log_warning("replay: the journal goes on growing: ", folded.message());
      fold_at_ = journal_->bytes() + static_cast<size_t>(options_.journal_bytes);
    }
  }
  OA_RETURN_IF_ERROR(journal_->append(kind, payload));
  if (durability_ == Durability::kMachine) journal_->sync();
  return ok();
}

// The next journal is there before the state that it follows: a kill in between leaves the old pair
// in force.
Status Replay::fold() {
  if (durability_ == Durability::kMemory) return ok();
  uint64_t number = journal_ != nullptr ? journal_->number() + 1 : 1;
  if (journal_ == nullptr)
    for (const uint64_t found : numbered(folders_.segments, "state-", ".bin")) number = found + 1;
  Result<std::unique_ptr<Journal>> next = Journal::create(folders_.segments, number);
  if (!next.ok()) return next.status();
  const Bytes image = state_->save();
  if (Status status =
          try_write(state_path(folders_.segments, number), seal({"replay-state", run_, image}));
      !status.ok()) {
    (*next)->remove();
    return status;
  }
  journal_ = *std::move(next);
  fold_at_ = std::max<size_t>(static_cast<size_t>(options_.journal_bytes), 2 * image.size());
  drop_old_files(number);
  return ok();
}

void Replay::drop_old_files(uint64_t before) {
  std::error_code ignored;
  for (const uint64_t number : numbered(folders_.segments, "state-", ".bin"))
    if (number < before) fs::remove(state_path(folders_.segments, number), ignored);
  for (const uint64_t number : numbered(folders_.segments, "journal-", ".oaj"))
    if (number < before) fs::remove(Journal::path_of(folders_.segments, number), ignored);
}

}  // namespace oneagent
