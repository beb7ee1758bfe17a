// Archives: trees of named tensors and values, what modules and optimizers are saved to. On disk an
// OutputArchive is a safetensors file: a tensor's name is its path ("policy.0.weight"), other
// values stand in the file's metadata. An InputArchive reads those files, and the .pt files of
// Python's torch.save (core/io/pickle.h).
#pragma once

#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/ivalue.h"

namespace oneagent::jit {
struct CompilationUnit {};  // what nested archives are made with in libtorch
}  // namespace oneagent::jit

namespace oneagent::serialize {

// Either a value or a branch with names.
struct ArchiveNode {
  IValue value;
  bool is_buffer = false;
  bool is_branch = false;
  std::vector<std::pair<std::string, std::shared_ptr<ArchiveNode>>> children;

  ArchiveNode* find(const std::string& key) const {
    for (const auto& [name, child] : children)
      if (name == key) return child.get();
    return nullptr;
  }
};

class OutputArchive {
 public:
  OutputArchive() : root_(std::make_shared<ArchiveNode>()) { root_->is_branch = true; }
  explicit OutputArchive(const std::shared_ptr<jit::CompilationUnit>&) : OutputArchive() {}
  std::shared_ptr<jit::CompilationUnit> compilation_unit() const { return nullptr; }
  OutputArchive(OutputArchive&&) = default;
  OutputArchive& operator=(OutputArchive&&) = default;

  // A name that is written again gets the new value. Tensors are not copied until they are saved.
  // Error: the new value is of another kind, or an archive.
  void write(const std::string& key, const IValue& value) { add(key, value, false); }
  void write(const std::string& key, const Tensor& tensor, bool is_buffer = false) {
    add(key, tensor, is_buffer);
  }
  void write(const std::string& key, OutputArchive& nested_archive);

  void save_to(const std::string& filename);  // the file appears whole or not at all
  void save_to(std::ostream& stream);
  void save_to(const std::function<size_t(const void*, size_t)>& writer);

 private:
  void add(const std::string& key, IValue value, bool is_buffer);
  std::string bytes() const;

  std::shared_ptr<ArchiveNode> root_;
};

class InputArchive {
 public:
  InputArchive();

  // read() throws an Error when the key is missing, naming those that exist; try_read() says false.
  // A tensor that is defined already becomes what was saved, shape included, and keeps whether it
  // requires a gradient; floating types are converted. Error: another type.
  void read(const std::string& key, IValue& value);
  bool try_read(const std::string& key, IValue& value);
  void read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  bool try_read(const std::string& key, Tensor& tensor, bool is_buffer = false);
  void read(const std::string& key, InputArchive& archive);
  bool try_read(const std::string& key, InputArchive& archive);
  std::vector<std::string> keys() const;

  void load_from(const std::string& filename, std::optional<Device> device = std::nullopt);
  void load_from(std::istream& stream, std::optional<Device> device = std::nullopt);
  void load_from(const char* data, size_t size, std::optional<Device> device = std::nullopt);
  void load_from(const std::function<size_t(uint64_t position, void* buffer, size_t size)>& read,
                 const std::function<size_t()>& size, std::optional<Device> device = std::nullopt);

 private:
  [[noreturn]] void refuse(const char* kind, const std::string& key) const;

  std::shared_ptr<ArchiveNode> root_;
  std::string path_;  // of this branch, for errors
};

}  // namespace oneagent::serialize
