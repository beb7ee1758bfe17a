// Optimizers in archives: state by number of the parameter, and the options of every group, for
// those who read the file: as in libtorch, an optimizer that is loaded keeps its own.
#include "core/io/archive.h"

#include "core/kernels/copy.h"
#include "core/optim/optimizer.h"
#include "core/optim/serialize.h"

namespace oneagent::optim {
namespace {

using serialize::InputArchive;
using serialize::OutputArchive;

class Write final : public FieldVisitor {
 public:
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
  void field(const char* name, Tensor& value) override {
    if (value.defined()) archive_.write(name, value, /*is_buffer=*/true);
  }
  void flat(const char* name, Tensor& value) override { field(name, value); }
  void flat(const char* name, std::deque<Tensor>& value) override {
    OutputArchive list;
    for (size_t i = 0; i < value.size(); ++i)
      list.write(std::to_string(i), value[i], /*is_buffer=*/true);
    archive_.write(name, list);
  }

 private:
  OutputArchive& archive_;
};

class Read final : public FieldVisitor {
 public:
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
  void field(const char* name, Tensor& value) override {
    value = Tensor();
    archive_.try_read(name, value, /*is_buffer=*/true);
  }
  void flat(const char* name, Tensor& value) override { field(name, value); }
  void flat(const char* name, std::deque<Tensor>& value) override {
    value.clear();
    InputArchive list;
    archive_.read(name, list);
    for (size_t i = 0; i < list.keys().size(); ++i)
      list.read(std::to_string(i), value.emplace_back(), /*is_buffer=*/true);
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

void OptimizerOptions::serialize(OutputArchive& archive) const {
  Write write(archive);
  clone()->visit(write);
}
void OptimizerOptions::serialize(InputArchive& archive) {
  Read read(archive);
  visit(read);
}
void OptimizerParamState::serialize(OutputArchive& archive) const {
  Write write(archive);
  clone()->visit(write);
}
void OptimizerParamState::serialize(InputArchive& archive) {
  Read read(archive);
  visit(read);
}

namespace serialize_detail {

Tensor count_tensor(size_t count) {
  Stream& stream = context().stream;
  const Tensor out = empty_on(stream, {}, DType::kInt64);
  fill(stream, out, static_cast<int64_t>(count));
  return out;
}

size_t count_in(InputArchive& archive, const std::string& key) {
  Tensor count;
  archive.read(key, count);
  const int64_t value = count.item<int64_t>();
  OA_REQUIRE(value >= 0, "optimizer: the archive's \"", key, "\" is ", value);
  return static_cast<size_t>(value);
}

void take_state(Optimizer& optimizer, const std::vector<std::vector<std::string>>& saved_keys,
                ParamStateMap& saved) {
  const std::vector<OptimizerParamGroup>& groups = optimizer.param_groups();
  OA_REQUIRE(saved_keys.size() == groups.size(),
             "loaded state dict has a different number of parameter groups: ", saved_keys.size(),
             ", this optimizer has ", groups.size());
  for (size_t g = 0; g < groups.size(); ++g)
    OA_REQUIRE(saved_keys[g].size() == groups[g].params().size(),
               "loaded state dict contains a parameter group that has a different size than the "
               "optimizer's parameter group: group ",
               g, " has ", saved_keys[g].size(), " parameters, here ", groups[g].params().size());
  for (size_t g = 0; g < groups.size(); ++g)
    for (size_t p = 0; p < saved_keys[g].size(); ++p)
      if (const auto found = saved.find(saved_keys[g][p]); found != saved.end())
        optimizer.state()[param_key(groups[g].params()[p])] = std::move(found->second);
}

}  // namespace serialize_detail

void Optimizer::save(OutputArchive& archive) const {
  std::vector<IValue> names;  // hold dots, so that the tensors are named by number
  OutputArchive tensors, groups;
  for (const NamedState& entry : named_state()) {
    tensors.write(std::to_string(names.size()), entry.tensor, /*is_buffer=*/true);
    names.emplace_back(entry.name);
  }
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    OutputArchive group, options;
    if (param_groups_[g].has_options()) param_groups_[g].options().serialize(options);
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
  OA_REQUIRE(saved_groups == param_groups_.size(),
             "loaded state dict has a different number of parameter groups: ", saved_groups,
             ", this optimizer has ", param_groups_.size());
  for (size_t g = 0; g < saved_groups; ++g) {
    InputArchive group;
    IValue size;
    groups.read(std::to_string(g), group);
    group.read("size", size);
    OA_REQUIRE(size.toInt() == static_cast<int64_t>(param_groups_[g].params().size()),
               "loaded state dict contains a parameter group that has a different size than the "
               "optimizer's parameter group: group ",
               g, " has ", size.toInt(), " parameters, here ", param_groups_[g].params().size());
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
}

}  // namespace oneagent::optim
