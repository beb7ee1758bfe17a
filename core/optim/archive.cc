// Optimizers in archives: state by number of the parameter, and the options of every group, which
// replace those of the optimizer that is loaded, as in libtorch.
#include "core/io/archive.h"

#include "core/optim/optimizer.h"

namespace oneagent::optim {
namespace {

using serialize::InputArchive;
using serialize::OutputArchive;

// Options hold numbers and text; tensors belong to the state.
class OptionsVisitor : public FieldVisitor {
 public:
  using FieldVisitor::field;
  void field(const char* name, Tensor&) override { refuse(name); }
  void flat(const char* name, Tensor&) override { refuse(name); }
  void flat(const char* name, std::deque<Tensor>&) override { refuse(name); }

 private:
  static void refuse(const char* name) {
    throw_error(str("optimizer: option ", name, " is a tensor, which archives of options lack"));
  }
};

class Write final : public OptionsVisitor {
 public:
  using OptionsVisitor::field;
  explicit Write(OutputArchive& archive) : archive_(archive) {}
  void field(const char* name, bool& value) override { archive_.write(name, IValue(value)); }
  void field(const char* name, int64_t& value) override { archive_.write(name, IValue(value)); }
  void field(const char* name, double& value) override { archive_.write(name, IValue(value)); }
  void field(const char* name, std::tuple<double, double>& value) override {
    archive_.write(name, IValue(std::vector<double>{std::get<0>(value), std::get<1>(value)}));
  }
  void field(const char* name, std::optional<int64_t>& value) override {
    archive_.write(name, IValue(value));
  }
  void field(const char* name, std::optional<std::string>& value) override {
    archive_.write(name, IValue(value));
  }

 private:
  OutputArchive& archive_;
};

class Read final : public OptionsVisitor {
 public:
  using OptionsVisitor::field;
  explicit Read(InputArchive& archive) : archive_(archive) {}
  void field(const char* name, bool& value) override { value = get(name).toBool(); }
  void field(const char* name, int64_t& value) override { value = get(name).toInt(); }
  void field(const char* name, double& value) override { value = get(name).toDouble(); }
  void field(const char* name, std::tuple<double, double>& value) override {
    const std::vector<double> both = get(name).toDoubleVector();
    OA_REQUIRE(both.size() == 2, "optimizer: option ", name, " holds ", both.size(),
               " numbers, expected 2");
    value = {both[0], both[1]};
  }
  void field(const char* name, std::optional<int64_t>& value) override {
    const IValue saved = get(name);
    value = saved.isNone() ? std::nullopt : std::optional(saved.toInt());
  }
  void field(const char* name, std::optional<std::string>& value) override {
    const IValue saved = get(name);
    value = saved.isNone() ? std::nullopt : std::optional(saved.toStringRef());
  }

 private:
  IValue get(const char* name) {
    IValue value;
    archive_.read(name, value);
    return value;
  }
  InputArchive& archive_;
};

}  // namespace

void Optimizer::save(OutputArchive& archive) const {
  std::vector<IValue> names;  // hold dots, so that the tensors are named by number
  OutputArchive tensors, groups;
  for (const NamedState& entry : named_state()) {
    tensors.write(std::to_string(names.size()), entry.tensor, /*is_buffer=*/true);
    names.emplace_back(entry.name);
  }
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    OutputArchive group, options;
    if (param_groups_[g].has_options()) {
      Write write(options);
      param_groups_[g].options().clone()->visit(write);
    }
    group.write("size", IValue(static_cast<int64_t>(param_groups_[g].params().size())));
    group.write("options", options);
    groups.write(std::to_string(g), group);
  }
  archive.write("names", IValue(std::move(names)));
  archive.write("state", tensors);
  archive.write("param_groups", groups);
}

void Optimizer::load(InputArchive& archive) {
  IValue names;
  InputArchive tensors, groups;
  archive.read("names", names);
  archive.read("param_groups", groups);
  const size_t saved_groups = groups.keys().size();
  OA_REQUIRE(saved_groups == param_groups_.size(), "optimizer: the archive has ", saved_groups,
             " parameter groups, this optimizer has ", param_groups_.size());
  std::vector<std::unique_ptr<OptimizerOptions>> options(saved_groups);
  for (size_t g = 0; g < saved_groups; ++g) {
    InputArchive group, saved;
    IValue size;
    groups.read(std::to_string(g), group);
    group.read("size", size);
    OA_REQUIRE(size.toInt() == static_cast<int64_t>(param_groups_[g].params().size()),
               "optimizer: group ", g, " of the archive has ", size.toInt(),
               " parameters, this optimizer's has ", param_groups_[g].params().size());
    if (!group.try_read("options", saved) || !param_groups_[g].has_options()) continue;
    options[g] = param_groups_[g].options().clone();
    Read read(saved);
    options[g]->visit(read);
  }
  std::vector<NamedState> state;
  const bool any = archive.try_read("state", tensors);
  for (const IValue& name : names.toListRef()) {
    OA_REQUIRE(any, "optimizer: the archive has no state");
    NamedState entry{name.toStringRef(), {}};
    tensors.read(std::to_string(state.size()), entry.tensor, /*is_buffer=*/true);
    state.push_back(std::move(entry));
  }
  load_state(state);
  for (size_t g = 0; g < saved_groups; ++g)
    if (options[g] != nullptr) param_groups_[g].set_options(std::move(options[g]));
}

}  // namespace oneagent::optim
