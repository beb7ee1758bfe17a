// What libtorch's optimizers save themselves with, for those that programs define: state by the
// address of a parameter, the groups with the addresses of theirs and options. The optimizers here
// have their own way (Optimizer::save). Types derived from OptimizerOptions and OptimizerParamState
// write and read their fields with the macros below, in their serialize().
#pragma once

#include <deque>

#include "core/io/archive.h"
#include "core/optim/optimizer.h"

namespace oneagent::optim {
namespace serialize_detail {

Tensor count_tensor(size_t count);
size_t count_in(serialize::InputArchive& archive, const std::string& key);
// Takes the state of each saved parameter over to the one at its place. Error: other groups, or
// groups of another size.
void take_state(Optimizer& optimizer, const std::vector<std::vector<std::string>>& saved_keys,
                ParamStateMap& saved);

}  // namespace serialize_detail

template <class State, class Options>
void serialize(serialize::OutputArchive& archive, const Optimizer& optimizer) {
  using serialize_detail::count_tensor;
  archive.write("pytorch_version", IValue("1.5.0"));
  serialize::OutputArchive states, groups;
  for (const auto& [key, state] : optimizer.state()) {
    serialize::OutputArchive one;
    static_cast<const State&>(*state).serialize(one);
    states.write(key, one);
  }
  archive.write("state", states);
  groups.write("param_groups/size", count_tensor(optimizer.param_groups().size()));
  for (size_t g = 0; g < optimizer.param_groups().size(); ++g) {
    const OptimizerParamGroup& group = optimizer.param_groups()[g];
    serialize::OutputArchive one, options;
    one.write("params/size", count_tensor(group.params().size()));
    for (size_t p = 0; p < group.params().size(); ++p)
      one.write("params/" + std::to_string(p), IValue(param_key(group.params()[p])));
    static_cast<const Options&>(group.options()).serialize(options);
    one.write("options", options);
    groups.write("param_groups/" + std::to_string(g), one);
  }
  archive.write("param_groups", groups);
}

// State is loaded; the groups keep the options that they have, as in libtorch.
template <class State, class Options>
void serialize(serialize::InputArchive& archive, Optimizer& optimizer) {
  using serialize_detail::count_in;
  serialize::InputArchive states, groups;
  archive.read("state", states);
  archive.read("param_groups", groups);
  ParamStateMap saved;
  for (const std::string& key : states.keys()) {
    serialize::InputArchive one;
    states.read(key, one);
    State state;
    state.serialize(one);
    saved[key] = std::make_unique<State>(state);
  }
  std::vector<std::vector<std::string>> keys(count_in(groups, "param_groups/size"));
  for (size_t g = 0; g < keys.size(); ++g) {
    serialize::InputArchive one, fields;
    groups.read("param_groups/" + std::to_string(g), one);
    for (size_t p = 0, count = count_in(one, "params/size"); p < count; ++p) {
      IValue key;
      one.read("params/" + std::to_string(p), key);
      keys[g].push_back(key.toStringRef());
    }
    one.read("options", fields);
    Options options(0);
    options.serialize(fields);  // Error: a field is missing
  }
  serialize_detail::take_state(optimizer, keys, saved);
}

// Lists of tensors, as "key/size" and "key/0" ...
template <class List>
void serialize(serialize::OutputArchive& archive, const std::string& key, const List& list) {
  archive.write(key + "/size", serialize_detail::count_tensor(list.size()));
  for (size_t i = 0; i < list.size(); ++i)
    archive.write(key + "/" + std::to_string(i), list[i], /*is_buffer=*/true);
}
template <class List>
void serialize(serialize::InputArchive& archive, const std::string& key, List& list) {
  list.clear();
  for (size_t i = 0, count = serialize_detail::count_in(archive, key + "/size"); i < count; ++i) {
    list.emplace_back();
    archive.read(key + "/" + std::to_string(i), list.back(), /*is_buffer=*/true);
  }
}
inline void serialize(serialize::OutputArchive& archive, const std::string& key,
                      const int64_t& value) {
  archive.write(key, IValue(value));
}
inline void serialize(serialize::InputArchive& archive, const std::string& key, int64_t& value) {
  IValue saved;
  archive.read(key, saved);
  value = saved.toInt();
}

template <class T>
std::vector<T> deque_to_list(const std::deque<T>& values) {
  return {values.begin(), values.end()};
}
template <class T>
std::deque<T> list_to_deque(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

}  // namespace oneagent::optim

#define _TORCH_OPTIM_SERIALIZE(name) ::oneagent::optim::serialize(archive, #name, self.name)

#define _TORCH_OPTIM_SERIALIZE_WITH_TEMPLATE_ARG(OptimizerName) \
  ::oneagent::optim::serialize<OptimizerName##ParamState, OptimizerName##Options>(archive, self)

// An undefined tensor is not written.
#define _TORCH_OPTIM_SERIALIZE_TORCH_ARG(name)                                           \
  {                                                                                      \
    const ::oneagent::IValue ivalue(this->name());                                       \
    if (!ivalue.isTensor() || ivalue.toTensor().defined()) archive.write(#name, ivalue); \
  }
#define _TORCH_OPTIM_SERIALIZE_TORCH_ARG_DEQUE(name) \
  ::oneagent::optim::serialize(archive, #name, this->name());

#define _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(T, name)              \
  {                                                              \
    ::oneagent::IValue ivalue;                                   \
    if (archive.try_read(#name, ivalue))                         \
      this->name(ivalue.to<T>());                                \
    else                                                         \
      OA_REQUIRE((std::is_base_of_v<::oneagent::Tensor, T>),     \
                 "optimizer: the archive has no \"" #name "\""); \
  }
#define _TORCH_OPTIM_DESERIALIZE_TORCH_ARG_OPTIONAL(T, name)                        \
  {                                                                                 \
    ::oneagent::IValue ivalue;                                                      \
    if (archive.try_read(#name, ivalue)) this->name(ivalue.to<std::optional<T>>()); \
  }
#define _TORCH_OPTIM_DESERIALIZE_TORCH_ARG_DEQUE(T, name)           \
  {                                                                 \
    T values_of_##name;                                             \
    ::oneagent::optim::serialize(archive, #name, values_of_##name); \
    this->name(values_of_##name);                                   \
  }
