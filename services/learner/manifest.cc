#include "services/learner/manifest.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/base/hash.h"
#include "core/base/version.h"

namespace oneagent {
namespace {

constexpr std::string_view kPrefix = "epoch-";

std::vector<int64_t> epochs_in(const fs::path& run_folder) {
  std::vector<int64_t> epochs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run_folder / "checkpoints", error)) {
    const std::string name = entry.path().filename().string();
    int64_t epoch = 0;
    if (!name.starts_with(kPrefix)) continue;
    const auto [end, failed] =
        std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), epoch);
    if (failed == std::errc{} && end == name.data() + name.size()) epochs.push_back(epoch);
  }
  std::sort(epochs.rbegin(), epochs.rend());
  return epochs;
}

bool complete(const fs::path& run_folder, int64_t epoch) {
  return fs::exists(epoch_folder(run_folder, epoch) / "manifest.json");
}

}  // namespace

fs::path epoch_folder(const fs::path& run_folder, int64_t epoch) {
  return run_folder / "checkpoints" / str(kPrefix, epoch);
}

void write_manifest(const fs::path& run_folder, const Manifest& m) {
  const Json json = {{"schema", kSchemaVersion},     {"code_version", m.code_version},
                     {"config_hash", m.config_hash}, {"epoch", m.epoch},
                     {"version", m.version},         {"env_steps", m.env_steps},
                     {"updates", m.updates},         {"files", m.files}};
  write_atomic(epoch_folder(run_folder, m.epoch) / "manifest.json", json.dump(2));
}

Manifest read_manifest(const fs::path& run_folder, int64_t epoch, const std::string& config_hash) {
  const fs::path folder = epoch_folder(run_folder, epoch);
  const std::string what = str("checkpoint ", folder.string(), ": ");
  OA_REQUIRE(fs::exists(folder / "manifest.json"), what,
             "manifest.json is missing, so it was never completed; resume from another epoch");
  const Json json = Json::parse(read_text(folder / "manifest.json"), nullptr, false);
  OA_REQUIRE(json.is_object(), what, "manifest.json is not JSON");
  Manifest m;
  try {
    const int schema = json.at("schema").get<int>();
    OA_REQUIRE(schema == kSchemaVersion, what, "schema version ", schema, ", this build reads ",
               kSchemaVersion);
    m.epoch = json.at("epoch").get<int64_t>();
    m.version = json.at("version").get<int64_t>();
    m.env_steps = json.at("env_steps").get<int64_t>();
    m.updates = json.at("updates").get<int64_t>();
    m.config_hash = json.at("config_hash").get<std::string>();
    m.code_version = json.at("code_version").get<std::string>();
    m.files = json.at("files").get<std::map<std::string, std::string>>();
  } catch (const Json::exception& error) {
    throw_error(str(what, "manifest.json: ", error.what()));
  }
  OA_REQUIRE(m.epoch == epoch, what, "its manifest is of epoch ", m.epoch);
  OA_REQUIRE(m.config_hash == config_hash, what, "belongs to another experiment (configuration ",
             m.config_hash.substr(0, 12), ", this one is ", config_hash.substr(0, 12),
             "); env, algorithm, seed, mode and number of actors must be the same");
  for (const auto& [name, hash] : m.files) {
    OA_REQUIRE(fs::exists(folder / name), what, name, " is missing");
    OA_REQUIRE(sha256(read_bytes(folder / name)) == hash, what, name,
               " differs from its hash in the manifest: damaged or replaced");
  }
  return m;
}

std::optional<int64_t> newest_epoch(const fs::path& run_folder) {
  for (const int64_t epoch : epochs_in(run_folder))
    if (complete(run_folder, epoch)) return epoch;
  return std::nullopt;
}

void prune_epochs(const fs::path& run_folder, int keep) {
  int kept = 0;
  for (const int64_t epoch : epochs_in(run_folder)) {
    if (kept < keep) {
      kept += complete(run_folder, epoch) ? 1 : 0;
      continue;
    }
    // The manifest goes first: a crash in the middle leaves an incomplete folder, never a damaged
    // checkpoint.
    std::error_code error;
    fs::remove(epoch_folder(run_folder, epoch) / "manifest.json", error);
    fs::remove_all(epoch_folder(run_folder, epoch), error);
  }
}

}  // namespace oneagent
