// Cloneable<Derived>: a module that can copy itself. Derived registers all that it owns in reset(),
// which its constructor calls; clone() copies the members, calls reset() and copies the values.
#pragma once

#include "core/graph/context.h"
#include "core/nn/module.h"

namespace oneagent::nn {

template <class Derived>
class Cloneable : public virtual Module {
 public:
  using Module::Module;

  virtual void reset() = 0;

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override {
    const NoGradGuard guard;
    const auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this));
    copy->parameters_.clear();
    copy->buffers_.clear();
    copy->children_.clear();
    copy->reset();
    copy_values(copy->parameters_, parameters_, "parameter", device);
    copy_values(copy->buffers_, buffers_, "buffer", device);
    check_count(copy->children_.size(), children_.size(), "child module");
    for (const auto& child : children_)
      static_cast<Module&>(*copy->children_[child.key()]).clone_(*child.value(), device);
    return copy;
  }

 private:
  void clone_(Module& other, const std::optional<Device>& device) final {
    const auto made = std::dynamic_pointer_cast<Derived>(other.clone(device));
    OA_REQUIRE(made != nullptr, name(), ": cannot be a copy of ", other.name(),
               ", which is of another class");
    static_cast<Derived&>(*this) = std::move(*made);
  }

  void check_count(size_t copied, size_t mine, const char* what) const {
    OA_REQUIRE(copied == mine, name(), ": the cloned module has ", copied, " ", what,
               "s after reset(), the original has ", mine,
               "; everything must be registered in reset(), not in the constructor");
  }
  void copy_values(OrderedDict<std::string, Tensor>& to,
                   const OrderedDict<std::string, Tensor>& from, const char* what,
                   const std::optional<Device>& device) const {
    check_count(to.size(), from.size(), what);
    for (const auto& entry : from) {
      if (!entry->defined()) continue;
      const Tensor copy = device ? entry->to(*device, entry->dtype(), false, true) : entry->clone();
      to[entry.key()].set_data(copy);
    }
  }
};

}  // namespace oneagent::nn
