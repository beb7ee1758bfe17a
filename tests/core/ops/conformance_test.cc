// Every op of the table, with no line of its own here: shapes, golden values from PyTorch,
// gradients by finite differences, layouts, both floating types.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/graph/autograd.h"
#include "core/ops/op.h"
#include "core/ops/ops.h"
#include "tests/support/op_samples.h"

namespace oneagent {

namespace {

std::vector<const Tensor*> pointers(const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> out;
  for (const Tensor& tensor : tensors) out.push_back(&tensor);
  return out;
}

std::vector<const TensorMeta*> metas_of(const std::vector<Tensor>& tensors) {
  std::vector<const TensorMeta*> out;
  for (const Tensor& tensor : tensors)
    out.push_back(tensor.defined() ? &tensor.impl().meta : nullptr);
  return out;
}

Inferred infer(const Op& op, const std::vector<Tensor>& inputs, const Attrs& attrs) {
  Inferred out;
  const auto metas = metas_of(inputs);
  op.infer(Metas(metas.data(), metas.size()), attrs, out);
  return out;
}

std::vector<Tensor> run(const Op& op, const std::vector<Tensor>& inputs, const Attrs& attrs) {
  std::vector<Tensor> out(infer(op, inputs, attrs).size());
  const auto operands = pointers(inputs);
  call_op(op, Inputs(operands.data(), operands.size()), attrs, out);
  return out;
}

Tensor weights_for(const Tensor& result, size_t r) {
  const Tensor out = empty(result.sizes(), result.dtype());
  for (int64_t i = 0; i < out.numel(); ++i) {
    if (out.dtype() == kFloat64)
      out.data_ptr<double>()[i] = testing::weight_of(r, i);
    else
      out.data_ptr<float>()[i] = static_cast<float>(testing::weight_of(r, i));
  }
  return out;
}

// A scalar that depends on every element of every floating result.
Tensor weighted(const std::vector<Tensor>& results) {
  Tensor total = zeros({}, kFloat64);
  for (size_t r = 0; r < results.size(); ++r)
    if (results[r].is_floating_point())
      total = total + sum(results[r] * weights_for(results[r], r)).to(kFloat64);
  return total;
}

std::vector<Tensor> leaves(std::vector<Tensor> inputs) {
  for (Tensor& input : inputs)
    if (input.defined() && input.is_floating_point()) input.requires_grad_();
  return inputs;
}

std::vector<size_t> differentiable(const std::vector<Tensor>& inputs) {
  std::vector<size_t> out;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].defined() && inputs[i].is_floating_point()) out.push_back(i);
  return out;
}

std::vector<Tensor> gradients(const Op& op, const std::vector<Tensor>& inputs, const Attrs& attrs,
                              bool create_graph = false) {
  std::vector<Tensor> wanted;
  for (const size_t i : differentiable(inputs)) wanted.push_back(inputs[i]);
  const Tensor total = weighted(run(op, inputs, attrs));
  if (!total.requires_grad()) return std::vector<Tensor>(wanted.size());
  return autograd::grad({total}, wanted, {}, false, create_graph, true);
}

void expect_near(const Tensor& actual, const Tensor& expected, double rtol, double atol,
                 const std::string& where) {
  ASSERT_EQ(actual.sizes(), expected.sizes()) << where;
  const auto a = to_vector<double>(actual), b = to_vector<double>(expected);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    ASSERT_NEAR(a[i], b[i], atol + rtol * std::abs(b[i])) << where << ", element " << i;
  }
}

class Conformance : public ::testing::TestWithParam<const Op*> {
 protected:
  const Op& op() const { return *GetParam(); }
  // Calls check(sample index, attrs, name) for each sample.
  template <class Check>
  void each_sample(const Check& check) const {
    const Samples samples = op().samples();
    for (size_t i = 0; i < samples.size(); ++i)
      check(i, samples[i].attrs, str(op().name, " sample ", i));
  }
};

class Deterministic : public Conformance {};
class Differentiable : public Conformance {};
class InPlace : public Conformance {};
class LayoutFree : public Conformance {};

TEST_P(Conformance, RecordIsComplete) {
  ASSERT_NE(op().infer, nullptr);
  ASSERT_NE(op().samples, nullptr);
  EXPECT_TRUE(op().alias_of >= 0 || op().kernels[0] != nullptr) << "no CPU kernel";
  EXPECT_FALSE(op().samples().empty());
  each_sample([&](size_t, const Attrs& attrs, const std::string&) {
    EXPECT_NO_THROW(print(op().attrs, attrs));
  });
}

TEST_P(Conformance, InferAgreesWithTheResult) {
  each_sample([&](size_t i, const Attrs& attrs, const std::string& where) {
    const auto inputs = testing::make_inputs(op(), i);
    const Inferred inferred = infer(op(), inputs, attrs);
    const auto results = run(op(), inputs, attrs);
    for (size_t r = 0; r < results.size(); ++r) {
      EXPECT_EQ(results[r].sizes(), inferred[r].sizes) << where;
      EXPECT_EQ(results[r].dtype(), inferred[r].dtype) << where;
      if (op().alias_of < 0) continue;
      EXPECT_EQ(results[r].impl().storage,
                inputs[static_cast<size_t>(op().alias_of)].impl().storage)
          << where;
    }
    EXPECT_GE(flops_of(op(), Metas(metas_of(inputs).data(), inputs.size()), attrs, inferred), 0)
        << where;
    EXPECT_GE(bytes_of(op(), Metas(metas_of(inputs).data(), inputs.size()), attrs, inferred), 0)
        << where;
  });
}

// A letter stands for one size wherever it appears, but in a view, where it leads a group of
// dimensions; '1' is a kept reduced dimension; size 1 may be broadcast.
TEST_P(Conformance, RuleFitsTheShapes) {
  each_sample([&](size_t i, const Attrs& attrs, const std::string& where) {
    const auto inputs = testing::make_inputs(op(), i);
    const auto results = run(op(), inputs, attrs);
    const auto in = metas_of(inputs), out = metas_of(results);
    const Factors factors =
        resolve(op().rule, Metas(in.data(), in.size()), Metas(out.data(), out.size()), attrs);
    std::map<char, int64_t> size_of_factor;
    const auto check = [&](const std::string& letters, const Shape& sizes) {
      for (size_t d = 0; d < letters.size(); ++d) {
        if (letters[d] == '1' || sizes[d] == 1) continue;
        const auto [at, fresh] = size_of_factor.emplace(letters[d], sizes[d]);
        if (std::string_view(op().name) == "view") continue;
        EXPECT_EQ(at->second, sizes[d]) << where << ": factor " << letters[d];
      }
    };
    for (size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k].defined()) check(factors.inputs[k], inputs[k].sizes());
    for (size_t k = 0; k < results.size(); ++k) check(factors.outputs[k], results[k].sizes());
  });
}

Tensor tensor_of(const Json& entry) {
  const auto sizes = entry["sizes"].get<std::vector<int64_t>>();
  std::vector<double> values;
  for (const Json& value : entry["values"])
    values.push_back(value.is_boolean() ? static_cast<double>(value.get<bool>())
                                        : value.get<double>());
  return tensor(values, kFloat64).view(Shape(sizes));
}

TEST_P(Deterministic, ValuesAndGradientsAreThoseOfPyTorch) {
  const Json golden =
      Json::parse(read_text(fs::path(OA_GOLDEN) / "ops" / (std::string(op().name) + ".json")));
  ASSERT_EQ(golden.size(), op().samples().size()) << "run tests/golden/make_ops.py again";
  each_sample([&](size_t i, const Attrs& attrs, const std::string& where) {
    const auto inputs = leaves(testing::make_inputs(op(), i));
    const auto results = run(op(), inputs, attrs);
    ASSERT_EQ(golden[i]["results"].size(), results.size());
    for (size_t r = 0; r < results.size(); ++r) {
      const Json& expected = golden[i]["results"][r];
      EXPECT_EQ(expected["dtype"], std::string(name_of(results[r].dtype()))) << where;
      expect_near(results[r], tensor_of(expected), 1e-9, 1e-10, where);
    }
    if (!golden[i].contains("gradients")) return;
    const auto actual = gradients(op(), inputs, attrs);
    const auto wanted = differentiable(inputs);
    for (size_t k = 0; k < wanted.size(); ++k) {
      const Json& expected = golden[i]["gradients"][wanted[k]];
      const Tensor reference =
          tensor_of({{"sizes", inputs[wanted[k]].sizes().vec()}, {"values", expected}});
      const Tensor gradient = actual[k].defined() ? actual[k] : zeros_like(inputs[wanted[k]]);
      expect_near(gradient, reference, 1e-8, 1e-9,
                  where + ", gradient of input " + std::to_string(wanted[k]));
    }
  });
}

// The same matrix elements on the other side of the diagonal.
int64_t mirrored(const Tensor& x, int64_t i) {
  const int64_t n = x.size(-1);
  return i / (n * n) * n * n + i % n * n + i / n % n;
}
bool is_symmetric(const Op& op, size_t sample, size_t input) {
  return op.samples()[sample].inputs[input].kind == SampleInput::Kind::kPositiveDefinite;
}
// Of symmetric matrices, only what both elements of a pair have in common can be compared.
Tensor symmetric_part(const Tensor& x) { return (x + transpose(x, -2, -1)) * 0.5; }

// d f / d x by central differences, f being the weighted sum of the results. Symmetric matrices
// stay symmetric.
Tensor numeric_gradient(const std::function<double(const std::vector<Tensor>&)>& f,
                        std::vector<Tensor> inputs, size_t which, bool symmetric) {
  const NoGradGuard guard;
  constexpr double kStep = 1e-6;
  inputs[which] = inputs[which].detach().clone();
  const Tensor out = zeros_like(inputs[which]);
  for (int64_t i = 0; i < out.numel(); ++i) {
    double* x = inputs[which].data_ptr<double>();
    const int64_t other = symmetric ? mirrored(out, i) : i;
    const double before = x[i];
    x[i] = x[other] = before + kStep;
    const double above = f(inputs);
    x[i] = x[other] = before - kStep;
    const double below = f(inputs);
    x[i] = x[other] = before;
    out.data_ptr<double>()[i] = (above - below) / ((other == i ? 2 : 4) * kStep);
  }
  return out;
}

TEST_P(Differentiable, GradientIsTheFiniteDifference) {
  each_sample([&](size_t i, const Attrs& attrs, const std::string& where) {
    const auto inputs = leaves(testing::make_inputs(op(), i));
    const auto actual = gradients(op(), inputs, attrs);
    const auto wanted = differentiable(inputs);
    for (size_t k = 0; k < wanted.size(); ++k) {
      if (std::string(op().name) == "to" && attrs.dtype(0) != kFloat64)
        continue;  // the result is rounded
      const Tensor expected = numeric_gradient(
          [&](const std::vector<Tensor>& at) {
            return weighted(run(op(), at, attrs)).item<double>();
          },
          inputs, wanted[k], is_symmetric(op(), i, wanted[k]));
      Tensor gradient = actual[k].defined() ? actual[k] : zeros_like(inputs[wanted[k]]);
      if (is_symmetric(op(), i, wanted[k])) gradient = symmetric_part(gradient);
      expect_near(gradient, expected, 1e-5, 1e-6, where + ", input " + std::to_string(wanted[k]));
    }
  });
}

// The gradient of a weighted sum of the first gradients, against differences of them.
TEST_P(Differentiable, SecondGradientIsTheFiniteDifferenceOfTheFirst) {
  each_sample([&](size_t i, const Attrs& attrs, const std::string& where) {
    if (std::string(op().name) == "to" && attrs.dtype(0) != kFloat64) return;
    const auto first = [&](const std::vector<Tensor>& at, bool create_graph) {
      std::vector<Tensor> defined;
      for (const Tensor& gradient : gradients(op(), at, attrs, create_graph))
        if (gradient.defined()) defined.push_back(gradient);
      return weighted(defined);
    };
    const auto inputs = leaves(testing::make_inputs(op(), i));
    const Tensor total = first(inputs, true);
    const auto wanted = differentiable(inputs);
    std::vector<Tensor> leaf;
    for (const size_t k : wanted) leaf.push_back(inputs[k]);
    const auto actual = total.requires_grad()
                            ? autograd::grad({total}, leaf, {}, false, false, true)
                            : std::vector<Tensor>(leaf.size());
    for (size_t k = 0; k < wanted.size(); ++k) {
      const auto at = [&](const std::vector<Tensor>& point) {
        const GradModeGuard on(true);
        std::vector<Tensor> fresh;
        for (const Tensor& x : point) fresh.push_back(x.defined() ? x.detach() : Tensor());
        return first(leaves(fresh), false).item<double>();
      };
      const bool symmetric = is_symmetric(op(), i, wanted[k]);
      const Tensor expected = numeric_gradient(at, inputs, wanted[k], symmetric);
      Tensor gradient = actual[k].defined() ? actual[k] : zeros_like(inputs[wanted[k]]);
      if (symmetric) gradient = symmetric_part(gradient);
      expect_near(gradient, expected, 1e-4, 1e-5, where + ", input " + std::to_string(wanted[k]));
    }
  });
}

// The same values stored with the dimensions in reverse order.
Tensor reversed_layout(const Tensor& x) {
  Shape order;
  for (int64_t i = x.dim(); i-- > 0;) order.push_back(i);
  return permute(permute(x, order).clone(), order);
}

// Every second element of a wider tensor.
Tensor stepped_layout(const Tensor& x) {
  if (x.dim() == 0) return x;
  const Tensor wide = stack({x, x}, -1).flatten(-2);
  return slice(wide, -1, 0, wide.size(-1), 2);
}

TEST_P(LayoutFree, LayoutOfOperandsDoesNotMatter) {
  each_sample([&](size_t i, const Attrs& attrs, const std::string& where) {
    const auto inputs = testing::make_inputs(op(), i);
    const auto expected = run(op(), inputs, attrs);
    for (const auto& layout : {reversed_layout, stepped_layout}) {
      std::vector<Tensor> other;
      for (size_t k = 0; k < inputs.size(); ++k)
        other.push_back(inputs[k].defined() && !(op().name == std::string("linear") && k == 2)
                            ? layout(inputs[k])
                            : inputs[k]);
      const auto actual = run(op(), other, attrs);
      for (size_t r = 0; r < actual.size(); ++r)
        EXPECT_TRUE(equal(actual[r].contiguous(), expected[r].contiguous())) << where;
    }
  });
}

TEST_P(Deterministic, Float32FollowsFloat64) {
  each_sample([&](size_t i, const Attrs& attrs, const std::string& where) {
    const auto wide = run(op(), testing::make_inputs(op(), i, kFloat64), attrs);
    const auto narrow = run(op(), testing::make_inputs(op(), i, kFloat32), attrs);
    for (size_t r = 0; r < wide.size(); ++r) expect_near(narrow[r], wide[r], 2e-5, 2e-5, where);
  });
}

TEST_P(InPlace, InPlaceEqualsOutOfPlace) {
  each_sample([&](size_t i, const Attrs& attrs, const std::string& where) {
    const auto inputs = testing::make_inputs(op(), i);
    const auto expected = run(op(), inputs, attrs);
    if (!(expected[0].sizes() == inputs[0].sizes())) return;
    std::vector<Tensor> fresh = inputs;
    fresh[0] = inputs[0].clone();
    const uint32_t version = fresh[0].version();
    const auto operands = pointers(fresh);
    call_in_place(op(), Inputs(operands.data(), operands.size()), attrs);
    EXPECT_TRUE(equal(fresh[0], expected[0])) << where;
    EXPECT_GT(fresh[0].version(), version) << where;
  });
}

template <class Wanted>
std::vector<const Op*> ops_that(const Wanted& wanted) {
  std::vector<const Op*> ops;
  for (const Op* op : testing::op_table().ops())
    if (wanted(*op)) ops.push_back(op);
  return ops;
}
const auto all = [](const Op&) { return true; };
const auto is_deterministic = [](const Op& op) {
  return !op.random;
};  // others: determinism_test.cc
const auto is_differentiable = [](const Op& op) { return op.vjp != nullptr; };
const auto is_in_place = [](const Op& op) { return op.in_place; };
const auto is_layout_free = [](const Op& op) {  // some views depend on strides by meaning
  const std::string_view name = op.name;
  return name != "view" && name != "as_strided" && name != "view_dtype";
};
const auto name = [](const auto& info) { return std::string(info.param->name); };

INSTANTIATE_TEST_SUITE_P(Op, Conformance, ::testing::ValuesIn(ops_that(all)), name);
INSTANTIATE_TEST_SUITE_P(Op, Deterministic, ::testing::ValuesIn(ops_that(is_deterministic)), name);
INSTANTIATE_TEST_SUITE_P(Op, Differentiable, ::testing::ValuesIn(ops_that(is_differentiable)),
                         name);
INSTANTIATE_TEST_SUITE_P(Op, InPlace, ::testing::ValuesIn(ops_that(is_in_place)), name);
INSTANTIATE_TEST_SUITE_P(Op, LayoutFree, ::testing::ValuesIn(ops_that(is_layout_free)), name);

}  // namespace
}  // namespace oneagent
