// State of optimizers as named tensors.
#include <map>
#include <set>

#include "core/ops/ops.h"
#include "core/optim/optimizer.h"
#include "core/tensor/global_parts.h"

namespace oneagent::optim {
namespace {

template <class T>
Tensor number(T value) {
  const Tensor out = empty({1}, dtype_of<T>);
  *out.data_ptr<T>() = value;
  return out;
}

// Options have fields of more kinds than state has.
class StateVisitor : public FieldVisitor {
 public:
  using FieldVisitor::field;
  void field(const char* name, bool&) override { refuse(name); }
  void field(const char* name, std::tuple<double, double>&) override { refuse(name); }
  void field(const char* name, std::optional<int64_t>&) override { refuse(name); }
  void field(const char* name, std::optional<std::string>&) override { refuse(name); }

 private:
  static void refuse(const char* name) {
    throw_error(str("optimizer: state field ", name, " is neither a number nor a tensor"));
  }
};

class Save final : public StateVisitor {
 public:
  using StateVisitor::field;
  Save(std::string prefix, const Tensor& parameter, std::vector<NamedState>& out)
      : prefix_(std::move(prefix)), parameter_(parameter), out_(out) {}

  void field(const char* name, int64_t& value) override { add(name, number(value)); }
  void field(const char* name, double& value) override { add(name, number(value)); }
  // What lies like the parameter is saved whole.
  void field(const char* name, Tensor& value) override {
    add(name, value.defined() && is_global(parameter_)
                  ? whole_values(global_like(stepped_part(parameter_), value))
                  : value);
  }
  void flat(const char* name, Tensor& value) override { add(name, value); }
  void flat(const char* name, std::deque<Tensor>& value) override {
    for (size_t i = 0; i < value.size(); ++i) add(str(name, ".", i), value[i]);
  }

 private:
  void add(const std::string& name, const Tensor& value) {
    if (value.defined()) out_.push_back({prefix_ + name, value});
  }
  std::string prefix_;
  const Tensor& parameter_;
  std::vector<NamedState>& out_;
};

using Named = std::map<std::string, Tensor>;

class Load final : public StateVisitor {
 public:
  using StateVisitor::field;
  Load(std::string prefix, const Tensor& parameter, const Named& from, std::set<std::string>& used)
      : prefix_(std::move(prefix)), parameter_(parameter), from_(from), used_(used) {}

  void field(const char* name, int64_t& value) override { value = number<int64_t>(name); }
  void field(const char* name, double& value) override { value = number<double>(name); }
  void field(const char* name, Tensor& value) override {
    const Tensor* saved = find(name, value.defined());
    if (saved == nullptr) return;
    const DType dtype = is_half(parameter_.dtype()) ? kFloat32 : DType(parameter_.dtype());
    check(name, *saved, parameter_.sizes(), dtype);
    value =
        copy(is_global(parameter_)
                 ? local_part(global_hooks().placed_like(*saved, stepped_part(parameter_).impl()))
                 : *saved);
  }
  void flat(const char* name, Tensor& value) override {
    const Tensor* saved = find(name, value.defined());
    if (saved != nullptr) value = copy(*saved);
  }
  void flat(const char* name, std::deque<Tensor>& value) override {
    value.clear();
    for (size_t i = 0;; ++i) {
      const Tensor* saved = find(str(name, ".", i), false);
      if (saved == nullptr) return;
      value.push_back(copy(*saved));
    }
  }

 private:
  static Tensor copy(const Tensor& saved) {
    return clone(saved.detach(), MemoryFormat::Contiguous);
  }
  const Tensor* find(const std::string& name, bool needed) {
    const auto found = from_.find(prefix_ + name);
    OA_REQUIRE(!needed || found != from_.end(), "optimizer: the saved state has no \"",
               prefix_ + name, "\"; it belongs to another optimizer");
    if (found == from_.end()) return nullptr;
    used_.insert(found->first);
    return &found->second;
  }
  void check(const std::string& name, const Tensor& saved, const Shape& sizes, DType dtype) const {
    OA_REQUIRE(saved.sizes() == sizes && saved.dtype() == dtype, "optimizer: \"", prefix_ + name,
               "\" was saved as ", saved.sizes(), " ", name_of(saved.dtype()), ", expected ", sizes,
               " ", name_of(dtype));
  }
  template <class T>
  T number(const char* name) {
    const Tensor* saved = find(name, true);
    check(name, *saved, {1}, dtype_of<T>);
    return saved->item<T>();
  }

  std::string prefix_;
  const Tensor& parameter_;
  const Named& from_;
  std::set<std::string>& used_;
};

}  // namespace

std::vector<NamedState> Optimizer::named_state() const {
  std::vector<NamedState> out;
  for (size_t g = 0; g < param_groups_.size(); ++g)
    for (size_t p = 0; p < param_groups_[g].params().size(); ++p) {
      const auto found = state_.find(param_key(param_groups_[g].params()[p]));
      if (found == state_.end() || found->second == nullptr) continue;
      Save save(str(group_name(g), ".", p, "."), param_groups_[g].params()[p], out);
      found->second->visit(save);
    }
  return out;
}

void Optimizer::load_state(const std::vector<NamedState>& state) {
  const NoGradGuard no_grad;
  Named from;
  std::set<std::string> used;
  for (const NamedState& entry : state) from.emplace(entry.name, entry.tensor);
  ParamStateMap loaded;
  for (size_t g = 0; g < param_groups_.size(); ++g)
    for (size_t p = 0; p < param_groups_[g].params().size(); ++p) {
      const std::string prefix = str(group_name(g), ".", p, ".");
      const auto first = from.lower_bound(prefix);
      if (first == from.end() || !first->first.starts_with(prefix)) continue;
      const Tensor& parameter = param_groups_[g].params()[p];
      std::unique_ptr<OptimizerParamState> made = make_state(parameter);
      Load load(prefix, parameter, from, used);
      made->visit(load);
      loaded[param_key(parameter)] = std::move(made);
    }
  for (const auto& [name, tensor] : from)
    OA_REQUIRE(used.contains(name), "optimizer: the saved state holds \"", name,
               "\", which is not expected; it belongs to another optimizer");
  state_.clear();
  for (auto& [key, value] : loaded) state_[key] = std::move(value);
}

}  // namespace oneagent::optim
