#include "core/base/config.h"

#include <toml++/toml.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/hash.h"

namespace oneagent {
namespace {

constexpr int kOverride = 0;  // the line of a value that came by --set

Json to_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    Json out = Json::object();
    for (const auto& [key, value] : *table) out[std::string(key.str())] = to_json(value);
    return out;
  }
  if (const auto* array = node.as_array()) {
    Json out = Json::array();
    for (const auto& value : *array) out.push_back(to_json(value));
    return out;
  }
  if (const auto value = node.as_string()) return value->get();
  if (const auto value = node.as_boolean()) return value->get();
  if (const auto value = node.as_integer()) return value->get();
  if (const auto value = node.as_floating_point()) return value->get();
  throw_error(str("config: line ", node.source().begin.line,
                  ": dates and times are not used here; write text in quotes"));
}

// A value as written after "key=": TOML when it parses, else plain text (so that --set
// env.map=maps/a.map needs no quotes).
Json parse_value(const std::string& text) {
  try {
    const toml::table parsed = toml::parse("v = " + text);
    if (parsed.size() == 1) return to_json(*parsed.get("v"));
  } catch (const toml::parse_error&) {
  } catch (const Error&) {  // a date
  }
  return text;
}

}  // namespace

Config Config::from_file(const std::string& path, const std::vector<std::string>& overrides) {
  return from_text(read_text(path), path, overrides);
}

Config Config::from_text(std::string_view toml_text, const std::string& name,
                         const std::vector<std::string>& overrides) {
  Config config;
  config.name_ = name;
  toml::table root;
  try {
    root = toml::parse(toml_text, name);
  } catch (const toml::parse_error& error) {
    throw_error(str("config: ", name, ":", error.source().begin.line, ":",
                    error.source().begin.column, ": ", error.description()));
  }
  for (const auto& [section, node] : root) {
    const std::string section_name(section.str());
    const auto* table = node.as_table();
    OA_REQUIRE(table != nullptr, "config: ", name, ":", node.source().begin.line, ": \"",
               section_name,
               "\" stands outside of a [section]; write it under one, such as [env] or [learner]");
    config.sections_[section_name] = to_json(node);
    for (const auto& [key, value] : *table)
      config.lines_[section_name + "." + std::string(key.str())] =
          static_cast<int>(value.source().begin.line);
  }
  config.override_with(overrides);
  return config;
}

void Config::override_with(const std::vector<std::string>& overrides) {
  for (const std::string& override_text : overrides) {
    const size_t equals = override_text.find('=');
    const size_t dot = override_text.find('.');
    OA_REQUIRE(equals != std::string::npos && dot != std::string::npos && dot < equals,
               "config: --set ", override_text,
               ": write section.key=value, such as learner.lr=3e-4");
    const std::string section(trim(override_text.substr(0, dot)));
    const std::string key(trim(override_text.substr(dot + 1, equals - dot - 1)));
    const size_t inner = key.find('.');  // a table within a section: evaluator.env.map
    const std::string outer = key.substr(0, inner);
    Json* value = &sections_[section][outer];
    if (inner != std::string::npos) {
      OA_REQUIRE(value->is_null() || value->is_object(), "config: --set ", override_text, ": [",
                 section, "] ", outer, " is no table; write ", section, ".", outer, "=VALUE");
      value = &(*value)[key.substr(inner + 1)];
    }
    *value = parse_value(override_text.substr(equals + 1));
    lines_[section + "." + outer] = kOverride;
  }
}

Config Config::from_json(Json sections, const std::string& name) {
  OA_REQUIRE(sections.is_object(), "config: ", name, ": expected an object of sections");
  for (const auto& [section, table] : sections.items())
    OA_REQUIRE(table.is_object(), "config: ", name, ": section \"", section, "\" is no object");
  Config config;
  config.name_ = name;
  config.sections_ = std::move(sections);
  return config;
}

const Json* Config::find(const std::string& section, const std::string& key) const {
  const auto table = sections_.find(section);
  if (table == sections_.end() || !table->is_object()) return nullptr;
  const auto value = table->find(key);
  return value == table->end() ? nullptr : &*value;
}

void Config::know(const std::string& section, const std::string& key) {
  auto& keys = known_[section];
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
}

std::string Config::where(const std::string& section, const std::string& key) const {
  const auto line = lines_.find(section + "." + key);
  const std::string place = line == lines_.end()        ? name_
                            : line->second == kOverride ? "--set"
                                                        : str(name_, ":", line->second);
  return str("config: ", place, ": [", section, "] ", key);
}

void Config::require_all_known() const {
  std::vector<std::string> section_names;
  for (const auto& [name, keys] : known_) section_names.push_back(name);
  for (const auto& [section, table] : sections_.items()) {
    const auto known = known_.find(section);
    OA_REQUIRE(known != known_.end(), "config: ", name_, ": unknown section [", section, "]",
               suggestion(section, section_names));
    for (const auto& [key, value] : table.items()) {
      const bool found =
          std::find(known->second.begin(), known->second.end(), key) != known->second.end();
      OA_REQUIRE(found, where(section, key), ": unknown key", suggestion(key, known->second));
    }
  }
}

std::string Config::hash() const { return sha256(resolved_.dump()); }

}  // namespace oneagent
