// Options of an optimizer, and groups of parameters that have their own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/options_macro.h"
#include "core/optim/fields.h"

namespace oneagent::optim {

class OptimizerOptions {
 public:
  virtual ~OptimizerOptions() = default;
  virtual std::unique_ptr<OptimizerOptions> clone() const;  // Error where not overridden
  virtual double get_lr() const;
  virtual void set_lr(double lr);
  // What schedulers cycle against the learning rate: momentum, or the first beta. None: no such.
  virtual std::optional<double> get_momentum() const { return std::nullopt; }
  virtual void set_momentum(double) {}
  virtual void visit(FieldVisitor&) {}  // all fields, in libtorch's order and by its names
  // All fields under their names; types with others override these.
  virtual void serialize(oneagent::serialize::InputArchive& archive);
  virtual void serialize(oneagent::serialize::OutputArchive& archive) const;
};

template <class Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
 private:
  std::unique_ptr<OptimizerOptions> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

// Members of options that have a learning rate and fields; the names of the fields follow.
#define OA_OPTIM_OPTIONS(Name)                      \
 public:                                            \
  double get_lr() const override { return lr(); }   \
  void set_lr(double value) override { lr(value); } \
  void visit(FieldVisitor& visitor) override;       \
  friend bool operator==(const Name& lhs, const Name& rhs)

class OptimizerParamGroup {
 public:
  OptimizerParamGroup(const OptimizerParamGroup& other);
  OptimizerParamGroup(OptimizerParamGroup&&) = default;
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) = default;
  OptimizerParamGroup(std::vector<Tensor> params)  // NOLINT: implicit like libtorch's
      : params_(std::move(params)) {}
  OptimizerParamGroup(std::vector<Tensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), options_(std::move(options)) {}
  // With a name of its own; the learning rate, where it is given, replaces the optimizer's.
  OptimizerParamGroup(std::string name, std::vector<Tensor> params,
                      std::optional<double> lr = std::nullopt)
      : params_(std::move(params)), name_(std::move(name)), own_lr_(lr) {}

  bool has_options() const { return options_ != nullptr; }
  OptimizerOptions& options();
  const OptimizerOptions& options() const;
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
  std::vector<Tensor>& params() { return params_; }
  const std::vector<Tensor>& params() const { return params_; }

  // Beyond libtorch: a name for saved state ("": the group's number), and the learning rate that
  // schedulers start from, set by the first of them.
  const std::string& name() const { return name_; }
  const std::optional<double>& own_lr() const { return own_lr_; }
  const std::optional<double>& initial_lr() const { return initial_lr_; }
  void set_initial_lr(double lr) { initial_lr_ = lr; }

 protected:
  std::vector<Tensor> params_;
  std::unique_ptr<OptimizerOptions> options_;

 private:
  std::string name_;
  std::optional<double> own_lr_, initial_lr_;
};

}  // namespace oneagent::optim
