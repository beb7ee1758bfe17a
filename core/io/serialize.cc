#include "core/io/serialize.h"

#include "core/io/pickle.h"

namespace oneagent {
namespace serialize {

OutputArchive& operator<<(OutputArchive& archive, const Tensor& tensor) {
  archive.write("0", tensor);
  return archive;
}
InputArchive& operator>>(InputArchive& archive, Tensor& tensor) {
  tensor = Tensor();
  archive.read("0", tensor);
  return archive;
}
OutputArchive& operator<<(OutputArchive& archive, const std::vector<Tensor>& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) archive.write(std::to_string(i), tensors[i]);
  return archive;
}
InputArchive& operator>>(InputArchive& archive, std::vector<Tensor>& tensors) {
  for (size_t i = 0;; ++i) {
    Tensor tensor;
    if (!archive.try_read(std::to_string(i), tensor)) return archive;
    tensors.push_back(std::move(tensor));
  }
}
OutputArchive& operator<<(OutputArchive& archive, const IValue& value) {
  archive.write("0", value);
  return archive;
}
InputArchive& operator>>(InputArchive& archive, IValue& value) {
  archive.read("0", value);
  return archive;
}

OutputArchive& operator<<(OutputArchive& archive, const std::shared_ptr<nn::Module>& module) {
  OA_REQUIRE(module != nullptr, "save: the module is empty");
  module->save(archive);
  return archive;
}
InputArchive& operator>>(InputArchive& archive, const std::shared_ptr<nn::Module>& module) {
  OA_REQUIRE(module != nullptr, "load: the module is empty; construct it first");
  module->load(archive);
  return archive;
}
OutputArchive& operator<<(OutputArchive& archive, const optim::Optimizer& optimizer) {
  optimizer.save(archive);
  return archive;
}
InputArchive& operator>>(InputArchive& archive, optim::Optimizer& optimizer) {
  optimizer.load(archive);
  return archive;
}

}  // namespace serialize

namespace nn {

void Module::save(serialize::OutputArchive& archive) const {
  for (const auto& entry : named_parameters(/*recurse=*/false))
    archive.write(entry.key(), entry.value());
  for (const auto& entry : named_buffers(/*recurse=*/false))
    archive.write(entry.key(), entry.value(), /*is_buffer=*/true);
  for (const auto& entry : named_children()) {
    if (!entry.value()->is_serializable()) continue;
    serialize::OutputArchive child;
    entry.value()->save(child);
    archive.write(entry.key(), child);
  }
}

void Module::load(serialize::InputArchive& archive) {
  for (auto& entry : named_parameters(/*recurse=*/false)) {
    Tensor tensor = entry.value();
    archive.read(entry.key(), tensor);
  }
  for (auto& entry : named_buffers(/*recurse=*/false)) {
    Tensor tensor = entry.value();
    archive.read(entry.key(), tensor, /*is_buffer=*/true);
  }
  for (const auto& entry : named_children()) {
    if (!entry.value()->is_serializable()) continue;
    serialize::InputArchive child;
    // A module without state has no entry in files that Python wrote.
    if (!archive.try_read(entry.key(), child) && entry.value()->named_state().empty()) continue;
    if (child.keys().empty() && !entry.value()->named_state().empty())
      archive.read(entry.key(), child);
    entry.value()->load(child);
  }
}

}  // namespace nn

namespace optim {

// Names of the state hold dots: they are nested archives.
void Optimizer::save(serialize::OutputArchive& archive) const {
  std::vector<std::string> names;
  int64_t at = 0;
  serialize::OutputArchive tensors;
  std::string list;
  for (const NamedState& entry : named_state()) {
    tensors.write(std::to_string(at++), entry.tensor, /*is_buffer=*/true);
    list += entry.name + '\n';
  }
  archive.write("names", IValue(list));
  archive.write("state", tensors);
}
void Optimizer::load(serialize::InputArchive& archive) {
  IValue list;
  archive.read("names", list);
  serialize::InputArchive tensors;
  const bool any = archive.try_read("state", tensors);
  std::vector<NamedState> state;
  std::istringstream names(list.toStringRef());
  for (std::string name; std::getline(names, name);) {
    OA_REQUIRE(any, "optimizer: the archive has no state");
    NamedState entry{name, {}};
    tensors.read(std::to_string(state.size()), entry.tensor, /*is_buffer=*/true);
    state.push_back(std::move(entry));
  }
  load_state(state);
}

}  // namespace optim

IValue pickle_load(const std::vector<char>& data) {
  return io::read_pt({data.data(), data.size()}, "pickle_load");
}

}  // namespace oneagent
