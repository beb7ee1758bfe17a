#include "services/replay/audit.h"

#include <charconv>
#include <set>

#include "core/base/check.h"

namespace oneagent {
namespace {

// The actor of "actor-3.log"; false for other files.
bool actor_of(const fs::path& file, uint32_t& actor) {
  const std::string name = file.filename().string();
  if (!name.starts_with("actor-") || file.extension() != ".log") return false;
  const char* begin = name.data() + 6;
  const char* end = name.data() + name.size() - 4;
  return std::from_chars(begin, end, actor).ptr == end;
}

// A line is "<sequence>" or "<sequence> quarantined".
uint64_t sequence_of(std::string_view line, const fs::path& file, size_t number) {
  uint64_t sequence = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), sequence);
  const std::string_view rest(end, static_cast<size_t>(line.data() + line.size() - end));
  OA_REQUIRE(error == std::errc() && (rest.empty() || rest == " quarantined"),
             "audit: ", file.string(), " line ", number, ": expected a sequence, was '", line, "'");
  return sequence;
}

void audit_actor(const fs::path& file, uint32_t actor, const Ledger& ledger, AuditReport& report) {
  const std::string text = read_text(file);
  std::set<uint64_t> seen;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    if (end == std::string::npos)
      break;  // torn by a kill: it was not yet written, so nobody relied on it
    const uint64_t sequence =
        sequence_of(std::string_view(text).substr(begin, end - begin), file, ++number);
    begin = end + 1;
    if (!seen.insert(sequence).second) {
      ++report.repeated;
      continue;
    }
    if (ledger.contains(actor, sequence)) continue;
    ++report.missing;
    if (report.listed.size() < AuditReport::kMaxListed) report.listed.push_back({actor, sequence});
  }
  report.acknowledged += seen.size();
  report.of_actor[actor] = seen.size();
}

}  // namespace

AuditReport audit_acknowledged(const fs::path& audit_folder, const Ledger& ledger) {
  OA_REQUIRE(fs::is_directory(audit_folder), "audit: folder ", audit_folder.string(),
             " is missing");
  AuditReport report;
  report.in_ledger = ledger.count();
  for (const auto& entry : fs::directory_iterator(audit_folder)) {
    uint32_t actor = 0;
    if (actor_of(entry.path(), actor)) audit_actor(entry.path(), actor, ledger, report);
  }
  return report;
}

Json to_json(const AuditReport& report) {
  Json listed = Json::array();
  for (const ring::ChunkKey& key : report.listed)
    listed.push_back({{"actor", key.actor}, {"sequence", key.sequence}});
  Json of_actor = Json::object();
  for (const auto& [actor, count] : report.of_actor) of_actor[str("actor-", actor)] = count;
  return {{"passed", report.passed()},   {"acknowledged", report.acknowledged},
          {"repeated", report.repeated}, {"in_ledger", report.in_ledger},
          {"missing", report.missing},   {"first_missing", listed},
          {"actors", of_actor}};
}

std::string to_text(const AuditReport& report) {
  std::string text =
      str(report.acknowledged, " chunks of ", report.of_actor.size(), " actors were acknowledged, ",
          report.in_ledger, " are in the replay's ledger, each once; ", report.repeated,
          " were sent anew after a rollback.\n");
  if (report.passed()) return text + "No acknowledged chunk is missing.\n";
  text += str(report.missing, " acknowledged chunks are MISSING, the first of them:");
  for (const ring::ChunkKey& key : report.listed)
    text += str(" actor-", key.actor, "/", key.sequence);
  return text + "\n";
}

}  // namespace oneagent
