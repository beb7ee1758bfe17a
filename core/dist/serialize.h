// torch::save and torch::load: tensors, lists of tensors, modules, optimizers, to and from files,
// streams and functions.
#pragma once

#include <fstream>
#include <sstream>

#include "core/io/archive.h"
#include "core/nn/module.h"
#include "core/optim/optimizer.h"

namespace oneagent {
namespace serialize {

OutputArchive& operator<<(OutputArchive& archive, const Tensor& tensor);
InputArchive& operator>>(InputArchive& archive, Tensor& tensor);
OutputArchive& operator<<(OutputArchive& archive, const std::vector<Tensor>& tensors);
InputArchive& operator>>(InputArchive& archive, std::vector<Tensor>& tensors);
OutputArchive& operator<<(OutputArchive& archive, const IValue& value);
InputArchive& operator>>(InputArchive& archive, IValue& value);

// Parameters, buffers and sub-modules, each by its own save() and load().
OutputArchive& operator<<(OutputArchive& archive, const std::shared_ptr<nn::Module>& module);
InputArchive& operator>>(InputArchive& archive, const std::shared_ptr<nn::Module>& module);
OutputArchive& operator<<(OutputArchive& archive, const optim::Optimizer& optimizer);
InputArchive& operator>>(InputArchive& archive, optim::Optimizer& optimizer);
template <class M>
OutputArchive& operator<<(OutputArchive& archive, const nn::ModuleHolder<M>& module) {
  return archive << std::shared_ptr<nn::Module>(module.ptr());
}
template <class M>
InputArchive& operator>>(InputArchive& archive, nn::ModuleHolder<M>& module) {
  return archive >> std::shared_ptr<nn::Module>(module.ptr());
}
template <class M, std::enable_if_t<std::is_base_of<nn::Module, M>::value, int> = 0>
OutputArchive& operator<<(OutputArchive& archive, const std::shared_ptr<M>& module) {
  return archive << std::shared_ptr<nn::Module>(module);
}
template <class M, std::enable_if_t<std::is_base_of<nn::Module, M>::value, int> = 0>
InputArchive& operator>>(InputArchive& archive, std::shared_ptr<M>& module) {
  return archive >> std::shared_ptr<nn::Module>(module);
}

}  // namespace serialize

// save(value, "file"), save(value, stream), save(value, writer).
template <class Value, class... SaveToArgs>
void save(const Value& value, SaveToArgs&&... args) {
  using serialize::operator<<;
  serialize::OutputArchive archive;
  archive << value;
  archive.save_to(std::forward<SaveToArgs>(args)...);
}
template <class Value, class... LoadFromArgs>
void load(Value& value, LoadFromArgs&&... args) {
  using serialize::operator>>;
  serialize::InputArchive archive;
  archive.load_from(std::forward<LoadFromArgs>(args)...);
  archive >> value;
}
template <class... SaveToArgs>
void save(const std::vector<Tensor>& tensors, SaveToArgs&&... args) {
  using serialize::operator<<;
  serialize::OutputArchive archive;
  archive << tensors;
  archive.save_to(std::forward<SaveToArgs>(args)...);
}
template <class... LoadFromArgs>
void load(std::vector<Tensor>& tensors, LoadFromArgs&&... args) {
  using serialize::operator>>;
  serialize::InputArchive archive;
  archive.load_from(std::forward<LoadFromArgs>(args)...);
  archive >> tensors;
}

// The object in the bytes of a .pt file of Python's torch.save.
IValue pickle_load(const std::vector<char>& data);

}  // namespace oneagent
