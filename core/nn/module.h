// Module: parameters, buffers and sub-modules by name, in libtorch's manner. A module class derives
// from Module, registers what it owns in its constructor and has its own forward(). Modules are
// held by shared_ptr.
//
//   struct Net : nn::Module {
//     std::shared_ptr<nn::Linear> first = register_module("first", std::make_shared<nn::Linear>(4,
//     64)); Tensor forward(const Tensor& x) { return relu(first->forward(x)); }
//   };
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::nn {

struct NamedTensor {
  std::string name;  // "policy.0.weight"
  Tensor tensor;
  const std::string& key() const { return name; }
  const Tensor& value() const { return tensor; }
};

class Module : public std::enable_shared_from_this<Module> {
 public:
  Module() = default;
  explicit Module(std::string name) : name_(std::move(name)) {}
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() = default;

  // Registration, in the order of which everything below is listed. Names must be new and without
  // dots.
  Tensor register_parameter(std::string name, const Tensor& tensor, bool requires_grad = true);
  Tensor register_buffer(std::string name, const Tensor& tensor);
  template <class M>
  std::shared_ptr<M> register_module(std::string name, std::shared_ptr<M> module) {
    add_child(std::move(name), module);
    return module;
  }

  std::vector<Tensor> parameters(bool recurse = true) const;
  std::vector<NamedTensor> named_parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  std::vector<NamedTensor> named_buffers(bool recurse = true) const;
  std::vector<NamedTensor> named_state() const;  // parameters, then buffers
  std::vector<std::shared_ptr<Module>> children() const;
  const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& named_children() const {
    return children_;
  }
  void apply(const std::function<void(Module&)>& function);  // children first

  virtual void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const { return training_; }
  void to(DType dtype);  // floating parameters and buffers, in place
  void zero_grad(bool set_to_none = true);

  // Copies values from a module of the same structure; an Error names the first difference.
  void copy_state_from(const Module& other);

  const std::string& name() const { return name_; }
  virtual void pretty_print(std::ostream& out) const;
  int64_t parameter_count() const;

 private:
  void add_child(std::string name, std::shared_ptr<Module> module);
  void check_name(const std::string& name) const;
  void collect(std::vector<NamedTensor>& into, const std::string& prefix, bool of_parameters,
               bool recurse) const;

  std::string name_ = "Module";
  bool training_ = true;
  std::vector<NamedTensor> parameters_;
  std::vector<NamedTensor> buffers_;
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> children_;
};

std::ostream& operator<<(std::ostream& out,
                         const Module& module);  // the tree, as PyTorch prints it

}  // namespace oneagent::nn
