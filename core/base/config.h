// The experiment file: one TOML file with sections, plus overrides "section.key=value". Every
// section is read as an options struct (options.h); several structs may share one section ([env]
// holds the batch's and the environment's own keys). Unknown or unread keys are errors that name
// the nearest valid key.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/options.h"

namespace oneagent {

class Config {
 public:
  Config() = default;
  // Parses TOML; syntax errors name file, line and column. `overrides`: "learner.lr=3e-4"; the
  // value is TOML, or else plain text.
  static Config from_file(const std::string& path, const std::vector<std::string>& overrides = {});
  static Config from_text(std::string_view toml, const std::string& name,
                          const std::vector<std::string>& overrides = {});
  static Config from_json(Json sections, const std::string& name);
  void override_with(const std::vector<std::string>& overrides);

  // The section as T: values of the file over T's defaults. Marks T's keys as known and records the
  // resolved values.
  template <class T>
  T section(const std::string& name) {
    T out;
    const OptionList<T> list;
    for (const auto& entry : list.entries()) {
      know(name, entry.info.name);
      if (const Json* value = find(name, entry.info.name))
        OptionList<T>::read_one(entry, out, *value, where(name, entry.info.name));
      resolved_[name][entry.info.name] = entry.write(out);
    }
    return out;
  }

  // Marks a key that someone reads by find() as known.
  void know(const std::string& section, const std::string& key);
  bool has_section(const std::string& name) const { return sections_.contains(name); }
  // Raw value or nullptr: for choosing which struct to read ("[env] name").
  const Json* find(const std::string& section, const std::string& key) const;
  const Json& raw() const { return sections_; }
  void set(const std::string& section, const std::string& key, Json value) {
    sections_[section][key] = std::move(value);
  }

  // Throws Error when a key or section of the file was asked for by nobody.
  void require_all_known() const;

  // Every value that was read, defaults included; hash() is its SHA-256. Same for embedded and
  // distributed runs.
  const Json& resolved() const { return resolved_; }
  std::string hash() const;
  const std::string& name() const { return name_; }

 private:
  std::string where(const std::string& section, const std::string& key) const;

  std::string name_;
  Json sections_ = Json::object();
  Json resolved_ = Json::object();
  std::map<std::string, std::vector<std::string>> known_;
  std::map<std::string, int> lines_;  // "section.key" -> line in the file, 0: by --set
};

}  // namespace oneagent
