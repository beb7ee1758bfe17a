#include <algorithm>
#include <map>
#include <string_view>

#include "core/graph/passes.h"

namespace oneagent {
namespace {

// kHalf: products, whose sums are kept in float32 inside. kEither: what does not lose by 16 bits;
// it follows its operands. All others stay in float32, among them what sums, divides or takes
// exponentials over many elements: softmax, logarithms, norms, losses, sums, optimizers'
// arithmetic.
enum class Precision : uint8_t { kFull, kEither, kHalf };

struct Listed {
  Precision precision;
  std::string_view op;
};
constexpr Listed kList[] = {
    {Precision::kHalf, "linear"},
    {Precision::kHalf, "mm"},
    {Precision::kHalf, "bmm"},
    {Precision::kHalf, "mv"},
    {Precision::kHalf, "addmm"},
    {Precision::kHalf, "addbmm"},
    {Precision::kHalf, "baddbmm"},
    {Precision::kHalf, "addmv"},
    {Precision::kHalf, "addr"},
    {Precision::kHalf, "conv1d"},
    {Precision::kHalf, "conv2d"},
    {Precision::kHalf, "conv3d"},
    {Precision::kHalf, "conv_transpose1d"},
    {Precision::kHalf, "conv_transpose2d"},
    {Precision::kHalf, "conv_transpose3d"},
    {Precision::kHalf, "conv1d_backward_input"},
    {Precision::kHalf, "conv2d_backward_input"},
    {Precision::kHalf, "conv3d_backward_input"},
    {Precision::kHalf, "conv1d_backward_weight"},
    {Precision::kHalf, "conv2d_backward_weight"},
    {Precision::kHalf, "conv3d_backward_weight"},
    {Precision::kHalf, "scaled_dot_product_attention"},
    {Precision::kEither, "relu"},
    {Precision::kEither, "relu_backward"},
    {Precision::kEither, "leaky_relu"},
    {Precision::kEither, "tanh"},
    {Precision::kEither, "tanh_backward"},
    {Precision::kEither, "sigmoid"},
    {Precision::kEither, "sigmoid_backward"},
    {Precision::kEither, "gelu"},
    {Precision::kEither, "gelu_backward"},
    {Precision::kEither, "silu"},
    {Precision::kEither, "add"},
    {Precision::kEither, "sub"},
    {Precision::kEither, "mul"},
    {Precision::kEither, "neg"},
    {Precision::kEither, "mul_number"},
    {Precision::kEither, "add_number"},
    {Precision::kEither, "maximum"},
    {Precision::kEither, "minimum"},
    {Precision::kEither, "where"},
    {Precision::kEither, "cat"},
    {Precision::kEither, "stack"},
    {Precision::kEither, "native_dropout"},
    {Precision::kEither, "native_dropout_backward"},
    {Precision::kEither, "max_pool2d_with_indices"},
    {Precision::kEither, "max_pool2d_with_indices_backward"},
    {Precision::kEither, "accumulate"},
};

Precision precision_of(const Op& op) {
  for (const Listed& listed : kList)
    if (listed.op == op.name) return listed.precision;
  return Precision::kFull;
}

// Values keep their type; those that exist in 16 bits, too, have a twin. Casts that nobody reads in
// the end are dropped as dead.
class Rewriting {
 public:
  Rewriting(Program& program, DType half, const Op& cast)
      : program_(program), half_(half), cast_(cast), writes_(program.buffers.size()) {}

  void run() {
    std::vector<ProgramNode> old = std::move(program_.nodes);
    program_.nodes.clear();
    for (ProgramNode& node : old) {
      stage_ = node.stage;
      forward_ = node.forward;
      rewrite(std::move(node));
    }
  }

 private:
  struct Twin {
    ValueId value;
    int32_t writes;  // of the original's buffer when the twin was made
  };
  // In a program of stages a cast serves the stage that asked for it alone: the value may come from
  // a stage before and be read there in backward(). What a call has made in 16 bits serves all.
  static constexpr int32_t kEveryStage = -2;
  using TwinKey = std::pair<ValueId, int32_t>;  // and its stage

  void rewrite(ProgramNode node) {
    if (node.op->alias_of >= 0) {
      add_view(node);
      return add(std::move(node));
    }
    const Precision precision = node.in_place ? Precision::kFull : precision_of(*node.op);
    if (precision == Precision::kFull || !is_float32(node)) return add(std::move(node));
    if (precision == Precision::kEither && !all_have_twins(node)) return add(std::move(node));
    if (!add_half(node)) add(std::move(node));
  }

  bool is_full(ValueId value) const {
    return value != kNoValue && program_.meta(value).dtype == DType::kFloat32;
  }
  // Floating operands and results are float32, and there is an operand of that kind.
  bool is_float32(const ProgramNode& node) const {
    const auto other = [&](ValueId value) {
      return value != kNoValue && !is_full(value) && program_.meta(value).dtype != DType::kBool &&
             is_floating(program_.meta(value).dtype);
    };
    return std::none_of(node.in.begin(), node.in.end(), other) &&
           std::none_of(node.out.begin(), node.out.end(), other) &&
           std::any_of(node.in.begin(), node.in.end(), [&](ValueId v) { return is_full(v); });
  }
  bool all_have_twins(const ProgramNode& node) const {
    return std::all_of(node.in.begin(), node.in.end(), [&](ValueId value) {
      return !is_full(value) || twin_of(value) != kNoValue;
    });
  }

  int32_t& writes_of(ValueId value) { return writes_[static_cast<size_t>(program_.buffer(value))]; }
  ValueId twin_of(ValueId value) const {
    const int32_t writes = writes_[static_cast<size_t>(program_.buffer(value))];
    for (const int32_t stage : {kEveryStage, stage_})
      if (const auto found = twins_.find({value, stage});
          found != twins_.end() && found->second.writes == writes)
        return found->second.value;
    return kNoValue;
  }
  int32_t stage_of(ValueId value) const {
    return twins_.contains({value, kEveryStage}) ? kEveryStage : stage_;
  }

  void add(ProgramNode node) {
    if (node.op->alias_of < 0)
      for (const ValueId value : node.out) ++writes_of(value);
    program_.nodes.push_back(std::move(node));
  }

  ValueId new_value(BufferId buffer, TensorMeta meta) {
    program_.values.push_back({buffer, std::move(meta)});
    return static_cast<ValueId>(program_.values.size() - 1);
  }
  ValueId new_temporary(const Shape& sizes, DType dtype) {
    TensorMeta meta;
    meta.sizes = sizes;
    meta.strides = contiguous_strides(sizes);
    meta.dtype = dtype;
    program_.buffers.push_back(
        {BufferKind::kTemporary, static_cast<size_t>(sizes.numel()) * size_of(dtype), {}});
    writes_.push_back(0);
    return new_value(static_cast<BufferId>(program_.buffers.size() - 1), std::move(meta));
  }

  void add_cast(ValueId from, ValueId to) {
    ProgramNode node;
    node.op = &cast_;
    node.attrs.add(program_.meta(to).dtype);
    node.in = {from};
    node.out = {to};
    node.stage = stage_;
    node.forward = forward_;
    add(std::move(node));
  }

  ValueId half_of(ValueId value) {
    if (!is_full(value)) return value;
    if (const ValueId twin = twin_of(value); twin != kNoValue) return twin;
    const ValueId twin = new_temporary(program_.meta(value).sizes, half_);
    add_cast(value, twin);
    twins_[{value, stage_}] = {twin, writes_of(value)};
    return twin;
  }

  std::vector<const TensorMeta*> metas_of(const std::vector<ValueId>& values) const {
    std::vector<const TensorMeta*> metas;
    for (const ValueId value : values)
      metas.push_back(value == kNoValue ? nullptr : &program_.meta(value));
    return metas;
  }

  // The same view of the twin, where there is one.
  void add_view(const ProgramNode& node) {
    static constexpr std::string_view kViews[] = {"view",      "transpose", "permute",
                                                  "unsqueeze", "squeeze",   "expand",
                                                  "slice",     "select",    "alias"};
    const ValueId base = node.in[static_cast<size_t>(node.op->alias_of)];
    if (!is_full(base) || node.out.size() != 1 || twin_of(base) == kNoValue ||
        std::find(std::begin(kViews), std::end(kViews), node.op->name) == std::end(kViews))
      return;
    ProgramNode view = node;
    view.in[static_cast<size_t>(node.op->alias_of)] = twin_of(base);
    Inferred inferred(node.op->name);
    const std::vector<const TensorMeta*> metas = metas_of(view.in);
    node.op->infer(Metas(metas.data(), metas.size()), node.attrs, inferred);
    view.out = {new_value(program_.buffer(twin_of(base)), inferred[0])};
    twins_[{node.out[0], stage_of(base)}] = {view.out[0], writes_of(node.out[0])};
    program_.nodes.push_back(std::move(view));
  }

  // The call on twins, then its results in float32. False: its results would be of other types.
  bool add_half(const ProgramNode& node) {
    ProgramNode call = node;
    for (ValueId& value : call.in) value = half_of(value);
    Inferred inferred(node.op->name);
    const std::vector<const TensorMeta*> metas = metas_of(call.in);
    node.op->infer(Metas(metas.data(), metas.size()), node.attrs, inferred);
    for (size_t i = 0; i < node.out.size(); ++i)
      if (inferred[i].dtype != (is_full(node.out[i]) ? half_ : program_.meta(node.out[i]).dtype))
        return false;
    for (ValueId& value : call.out)
      if (is_full(value)) value = new_temporary(program_.meta(value).sizes, half_);
    const std::vector<ValueId> results = call.out;
    add(std::move(call));
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i] == node.out[i]) continue;
      add_cast(results[i], node.out[i]);
      twins_[{node.out[i], kEveryStage}] = {results[i], writes_of(node.out[i])};
    }
    return true;
  }

  Program& program_;
  const DType half_;
  const Op& cast_;
  std::vector<int32_t> writes_;  // by buffer, so far
  std::map<TwinKey, Twin> twins_;
  int32_t stage_ = -1, forward_ = -1;  // of the call that is rewritten
};

}  // namespace

void mixed_precision(Program& program, DType half, const Op& cast) {
  OA_REQUIRE(is_half(half), "amp: expected kBFloat16 or kHalf, was ", name_of(half));
  Rewriting(program, half, cast).run();
}

}  // namespace oneagent
