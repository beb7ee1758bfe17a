// Options: one struct with defaults; a static options() lists each field with a one-line meaning.
// Flags, --help, the configuration file, `oneagent describe` and the log all come from that list.
//
//   struct PpoOptions {
//     double clip = 0.2;
//     static void options(OptionList<PpoOptions>& list) {
//       list.add("clip", &PpoOptions::clip, "range of the probability ratio (Schulman 2017, eq.
//       7)").between(0, 1);
//     }
//   };
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/json.h"

namespace oneagent {

// What a person sees of one option.
struct OptionInfo {
  std::string name;
  std::string type;  // "number", "integer", "bool", "text", "list of integers", ...
  std::string meaning;
  Json default_value;
  std::string valid;  // "" or "0 .. 1" or "a, b, c"
};

namespace option_detail {

template <class V>
std::string type_name() {
  if constexpr (std::is_same_v<V, bool>)
    return "bool";
  else if constexpr (std::is_integral_v<V>)
    return "integer";
  else if constexpr (std::is_floating_point_v<V>)
    return "number";
  else if constexpr (std::is_same_v<V, std::string>)
    return "text";
  else
    return "list of " + type_name<typename V::value_type>() + "s";
}

// A value as a person wrote it: JSON itself has no nan and no inf.
inline std::string shown(const Json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return str(value.get<double>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Whether a whole number fits into V. A double of at least 2^63 does not fit into int64_t.
template <class V>
bool fits(const Json& value) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    return number == std::floor(number) &&
           number >= static_cast<double>(std::numeric_limits<V>::min()) &&
           number < std::ldexp(1.0, std::numeric_limits<V>::digits);
  }
  return value.is_number_unsigned() ? std::in_range<V>(value.get<uint64_t>())
                                    : std::in_range<V>(value.get<int64_t>());
}

template <class V>
V parse(const Json& value, const std::string& where) {
  const auto refuse = [&] {
    throw_error(str(where, ": expected ", type_name<V>(), ", was ", shown(value)));
  };
  if constexpr (std::is_same_v<V, bool>) {
    if (!value.is_boolean()) refuse();
    return value.get<bool>();
  } else if constexpr (std::is_integral_v<V>) {
    if (!value.is_number() ||
        (value.is_number_float() && value.get<double>() != std::floor(value.get<double>())))
      refuse();
    if (!fits<V>(value))
      throw_error(str(where, ": expected an integer of ", +std::numeric_limits<V>::min(), " .. ",
                      +std::numeric_limits<V>::max(), ", was ", shown(value)));
    return value.is_number_float() ? static_cast<V>(value.get<double>()) : value.get<V>();
  } else if constexpr (std::is_floating_point_v<V>) {
    if (!value.is_number()) refuse();
    if (!std::isfinite(value.get<V>()))
      throw_error(str(where, ": expected a finite number, was ", shown(value)));
    return value.get<V>();
  } else if constexpr (std::is_same_v<V, std::string>) {
    if (!value.is_string()) refuse();
    return value.get<std::string>();
  } else {
    if (!value.is_array()) refuse();
    V out;
    for (size_t i = 0; i < value.size(); ++i)
      out.push_back(parse<typename V::value_type>(value[i], str(where, "[", i, "]")));
    return out;
  }
}

}  // namespace option_detail

template <class T>
class OptionList {
 public:
  struct Entry {
    OptionInfo info;
    std::function<void(T&, const Json&, const std::string&)> read;
    std::function<Json(const T&)> write;
    std::optional<double> low, high;
    std::vector<std::string> choices;

    Entry& between(double low_value, double high_value) {
      low = low_value;
      high = high_value;
      info.valid = str(low_value, " .. ", high_value);
      return *this;
    }
    Entry& at_least(double low_value) {
      low = low_value;
      info.valid = str("at least ", low_value);
      return *this;
    }
    Entry& one_of(std::vector<std::string> names) {
      choices = std::move(names);
      info.valid = join(choices, ", ");
      return *this;
    }
  };

  OptionList() { T::options(*this); }

  template <class V>
  Entry& add(std::string name, V T::*member, std::string meaning) {
    Entry& entry = entries_.emplace_back();
    entry.info = {std::move(name), option_detail::type_name<V>(), std::move(meaning),
                  Json(T{}.*member), ""};
    entry.read = [member](T& into, const Json& value, const std::string& where) {
      into.*member = option_detail::parse<V>(value, where);
    };
    entry.write = [member](const T& from) { return Json(from.*member); };
    return entry;
  }

  const std::vector<Entry>& entries() const { return entries_; }

  const Entry* find(std::string_view name) const {
    for (const Entry& entry : entries_)
      if (entry.info.name == name) return &entry;
    return nullptr;
  }

  // Reads one value and checks its range. `where` names it in errors: "[learner] lr".
  static void read_one(const Entry& entry, T& into, const Json& value, const std::string& where) {
    entry.read(into, value, where);
    const Json now = entry.write(into);
    if (now.is_number() && (entry.low || entry.high)) {
      const double number = now.get<double>();
      if ((entry.low && !(number >= *entry.low)) || (entry.high && !(number <= *entry.high)))
        throw_error(
            str(where, ": must be ", entry.info.valid, ", was ", option_detail::shown(value)));
    }
    if (now.is_string() && !entry.choices.empty()) {
      for (const std::string& choice : entry.choices)
        if (choice == now.get<std::string>()) return;
      const std::string near = nearest_name(now.get<std::string>(), entry.choices);
      throw_error(str(where, ": unknown ", option_detail::shown(value),
                      near.empty() ? "" : str("; did you mean \"", near, "\"?"),
                      "; valid: ", entry.info.valid));
    }
  }

 private:
  std::vector<Entry> entries_;
};

template <class T>
std::vector<OptionInfo> describe_options() {
  std::vector<OptionInfo> infos;
  const OptionList<T> list;
  for (const auto& entry : list.entries()) infos.push_back(entry.info);
  return infos;
}

// Reads all keys of a JSON object into T; an unknown key is an Error that names the nearest valid
// one.
template <class T>
T parse_options(const Json& object, const std::string& where) {
  OA_REQUIRE(object.is_object(), where, ": expected a table, was ", object.dump());
  const OptionList<T> list;
  std::vector<std::string> names;
  for (const auto& entry : list.entries()) names.push_back(entry.info.name);
  T out;
  for (const auto& [key, value] : object.items()) {
    const auto* entry = list.find(key);
    OA_REQUIRE(entry != nullptr, where, ": unknown key \"", key, "\"", suggestion(key, names));
    OptionList<T>::read_one(*entry, out, value, where + " " + key);
  }
  return out;
}

template <class T>
Json options_to_json(const T& value) {
  Json out = Json::object();
  const OptionList<T> list;
  for (const auto& entry : list.entries()) out[entry.info.name] = entry.write(value);
  return out;
}

}  // namespace oneagent
