#include "services/gateway/run_folder.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <system_error>

#include "core/base/hash.h"
#include "services/gateway/jsonl_tail.h"

namespace oneagent {
namespace {

int64_t modified_ms(const fs::path& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  if (error) return 0;
  const auto system = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(system).count();
}

int64_t size_of(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? -1 : static_cast<int64_t>(size);
}

// Parsed content of a small JSON file; null when missing, too large or half written.
Json read_small_json(const fs::path& path) {
  const int64_t size = size_of(path);
  if (size <= 0 || size > RunFolder::kMaxFileBytes) return nullptr;
  const Json value = Json::parse(read_text(path), nullptr, false);
  return value.is_discarded() ? Json(nullptr) : value;
}

// What says where a run happens and with which seed, but not what is learned.
void drop_places_and_seeds(Json& config) {
  if (!config.is_object()) return;
  for (const char* section : {"gateway", "store"}) config.erase(section);
  for (auto& section : config) {
    if (!section.is_object()) continue;
    for (const char* key : {"seed", "address", "folder"}) section.erase(key);
  }
  config.erase("seed");
  if (config.contains("run") && config["run"].is_object()) config["run"].erase("name");
}

Json lookup(const Json& config, const char* section, const char* key) {
  if (!config.is_object() || !config.contains(section) || !config[section].is_object())
    return nullptr;
  return config[section].value(key, Json(nullptr));
}

// "tests/data/random-64-64-20.map" -> "random-64-64-20".
Json map_name(const Json& config) {
  const Json map = lookup(config, "env", "map");
  return map.is_string() && map != "" ? Json(fs::path(map.get<std::string>()).stem().string())
                                      : Json(nullptr);
}

Json first_seed(const Json& config) {
  if (!config.is_object()) return nullptr;
  if (config.contains("seed")) return config["seed"];
  if (const Json seed = lookup(config, "run", "seed"); !seed.is_null()) return seed;
  for (const auto& section : config)
    if (section.is_object() && section.contains("seed")) return section["seed"];
  return nullptr;
}

void copy_keys(const Json& from, std::initializer_list<const char*> keys, Json& into) {
  if (!from.is_object()) return;
  for (const char* key : keys)
    if (from.contains(key)) into[key] = from[key];
}

int64_t number_or(const Json& row, const char* key, int64_t otherwise) {
  return row.is_object() && row.contains(key) && row[key].is_number() ? row[key].get<int64_t>()
                                                                      : otherwise;
}

// "120-3" -> 120, 3; anything else sorts last.
std::pair<int64_t, int64_t> recording_order(const std::string& name) {
  int64_t parts[2] = {-1, -1};
  size_t part = 0;
  for (const char letter : name) {
    if (std::isdigit(static_cast<unsigned char>(letter)) && parts[part] < 1'000'000'000'000) {
      parts[part] = std::max<int64_t>(parts[part], 0) * 10 + (letter - '0');
    } else if (letter == '-' && part == 0) {
      part = 1;
    } else {
      return {-1, -1};
    }
  }
  return {parts[0], parts[1]};
}

}  // namespace

std::vector<std::string> RunFolder::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root_, error)) {
    const std::string name = entry.path().filename().string();
    if (is_plain_name(name) && has(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  if (names.size() > kMaxRuns) names.erase(names.begin(), names.end() - kMaxRuns);
  return names;
}

bool RunFolder::has(const std::string& run) const {
  std::error_code error;
  if (!is_plain_name(run) || !fs::is_directory(root_ / run, error)) return false;
  return fs::exists(root_ / run / "resolved.json", error) ||
         fs::exists(root_ / run / "config.toml", error) ||
         fs::exists(root_ / run / "metrics", error);
}

fs::path RunFolder::metrics_path(const std::string& run, const std::string& service) const {
  return path(run) / "metrics" / (service + ".jsonl");
}

Json RunFolder::details(const std::string& run) const {
  const Json file = read_small_json(path(run) / "resolved.json");
  Json out = {{"name", run},
              {"config", nullptr},
              {"hash", nullptr},
              {"code_version", nullptr},
              {"schema_version", nullptr}};
  if (!file.is_object()) return out;
  for (const char* key : {"config", "resolved"})
    if (file.contains(key) && file[key].is_object()) out["config"] = file[key];
  if (out["config"].is_null()) {
    out["config"] = file;
  } else {
    copy_keys(file, {"hash", "code_version", "schema_version", "started_ms"}, out);
  }
  if (out["hash"].is_null()) out["hash"] = sha256(out["config"].dump());
  return out;
}

Json RunFolder::last_row(const std::string& run, const std::string& service) const {
  const fs::path file = metrics_path(run, service);
  const int64_t size = size_of(file), time = modified_ms(file);
  {
    const std::lock_guard lock(mutex_);
    const auto found = last_rows_.find(file.string());
    if (found != last_rows_.end() && found->second.size == size && found->second.time == time)
      return found->second.value;
  }
  Json row = size > 0 ? last_jsonl_row(file) : Json(nullptr);
  const std::lock_guard lock(mutex_);
  if (last_rows_.size() > 4 * kMaxRuns) last_rows_.clear();
  last_rows_[file.string()] = {size, time, row};
  return row;
}

Json RunFolder::summary(const std::string& run) const {
  const Json about = details(run);
  Json config = about["config"];
  Json out = {{"name", run},
              {"env", lookup(config, "env", "name")},
              {"map", map_name(config)},
              {"algorithm", lookup(config, "algorithm", "name")},
              {"seed", first_seed(config)},
              {"hash", about["hash"]},
              {"code_version", about["code_version"]}};
  drop_places_and_seeds(config);
  out["group"] = config.is_null() ? run : sha256(config.dump()).substr(0, 12);
  const Json learner = last_row(run, "learner"), evaluator = last_row(run, "evaluator");
  copy_keys(learner, {"step", "version", "steps_per_s", "episode_return", "lag", "success", "spl"},
            out);
  copy_keys(evaluator, {"eval_return", "ci_low", "ci_high", "success", "spl"}, out);
  out["started_ms"] = modified_ms(path(run) / "resolved.json");
  out["updated_ms"] = std::max(
      {number_or(learner, "t", 0), number_or(evaluator, "t", 0), out["started_ms"].get<int64_t>()});
  return out;
}

std::vector<std::string> RunFolder::metric_services(const std::string& run) const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path(run) / "metrics", error)) {
    const fs::path file = entry.path();
    if (file.extension() == ".jsonl" && is_plain_name(file.stem().string()))
      names.push_back(file.stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Json RunFolder::recordings(const std::string& run) const {
  std::vector<std::pair<std::pair<int64_t, int64_t>, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path(run) / "recordings", error)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".json" && is_plain_name(name))
      found.emplace_back(recording_order(name), name);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first.first != b.first.first
               ? a.first.first > b.first.first
               : std::tie(a.first.second, a.second) < std::tie(b.first.second, b.second);
  });
  if (found.size() > kMaxRecordings) found.resize(kMaxRecordings);
  Json rows = Json::array();
  for (const auto& [order, name] : found) {
    const fs::path file = path(run) / "recordings" / (name + ".json");
    rows.push_back({{"name", name},
                    {"version", order.first},
                    {"index", order.second},
                    {"bytes", size_of(file)},
                    {"time_ms", modified_ms(file)}});
  }
  return rows;
}

std::string RunFolder::recording(const std::string& run, const std::string& name) const {
  const fs::path file = path(run) / "recordings" / (name + ".json");
  const int64_t size = size_of(file);
  if (size < 0) return "";
  OA_REQUIRE(size <= kMaxFileBytes, "recording ", name, " has ", size, " bytes; at most ",
             kMaxFileBytes, " are served");
  const std::string text = read_text(file);
  OA_REQUIRE(Json::accept(text), "recording ", name, " is not valid JSON");
  return text;
}

}  // namespace oneagent
