#include "core/torch/serialize.h"

#include "core/io/pickle.h"

namespace oneagent {
namespace serialize {

OutputArchive& operator<<(OutputArchive& archive, const Tensor& tensor) {
  archive.write("0", tensor);
  return archive;
}
InputArchive& operator>>(InputArchive& archive, Tensor& tensor) {
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

IValue pickle_load(const std::vector<char>& data) {
  return io::read_pt({data.data(), data.size()}, "pickle_load");
}
std::vector<char> pickle_save(const IValue& value) {
  const std::string bytes = io::write_pt(value);
  return {bytes.begin(), bytes.end()};
}

}  // namespace oneagent
