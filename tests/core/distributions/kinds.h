// The kinds of distributions in tests/golden/make_distributions.py, and the golden values.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/distributions/distributions.h"
#include "core/ops/op_matrix.h"
#include "core/ops/ops.h"
#include "tests/support/golden_file.h"

namespace oneagent::testing {

using distributions::DistributionPtr;
using Params = std::vector<Tensor>;
using Make = std::function<DistributionPtr(const Params&)>;

template <class D, size_t N>
Make maker() {
  return [](const Params& p) -> DistributionPtr {
    if constexpr (N == 1)
      return std::make_shared<D>(p.at(0));
    else if constexpr (N == 2)
      return std::make_shared<D>(p.at(0), p.at(1));
    else
      return std::make_shared<D>(p.at(0), p.at(1), p.at(2));
  };
}

inline const std::map<std::string, Make>& kinds() {
  using namespace distributions;  // NOLINT
  static const std::map<std::string, Make> all = {
      {"normal", maker<Normal, 2>()},
      {"independent_normal",
       [](const Params& p) { return std::make_shared<Independent>(Normal(p.at(0), p.at(1)), 1); }},
      {"log_normal", maker<LogNormal, 2>()},
      {"laplace", maker<Laplace, 2>()},
      {"cauchy", maker<Cauchy, 2>()},
      {"uniform", maker<Uniform, 2>()},
      {"exponential", maker<Exponential, 1>()},
      {"gamma", maker<Gamma, 2>()},
      {"chi2", maker<Chi2, 1>()},
      {"beta", maker<Beta, 2>()},
      {"dirichlet", maker<Dirichlet, 1>()},
      {"student_t", maker<StudentT, 3>()},
      {"categorical", maker<Categorical, 1>()},
      {"categorical_logits",
       [](const Params& p) { return std::make_shared<Categorical>(Tensor(), p.at(0)); }},
      {"one_hot_categorical", maker<OneHotCategorical, 1>()},
      {"bernoulli", maker<Bernoulli, 1>()},
      {"bernoulli_logits",
       [](const Params& p) { return std::make_shared<Bernoulli>(Tensor(), p.at(0)); }},
      {"geometric", maker<Geometric, 1>()},
      {"geometric_logits",
       [](const Params& p) { return std::make_shared<Geometric>(Tensor(), p.at(0)); }},
      {"binomial", [](const Params& p) { return std::make_shared<Binomial>(7, p.at(0)); }},
      {"binomial_logits",
       [](const Params& p) {
         return std::make_shared<Binomial>(tensor({3.0, 5.0, 9.0}, kFloat64), Tensor(), p.at(0));
       }},
      {"poisson", maker<Poisson, 1>()},
      {"normal_covariance", maker<MultivariateNormal, 2>()},
      {"normal_precision",
       [](const Params& p) {
         return std::make_shared<MultivariateNormal>(p.at(0), Tensor(), p.at(1));
       }},
      {"normal_tril",
       [](const Params& p) {
         return std::make_shared<MultivariateNormal>(p.at(0), Tensor(), Tensor(),
                                                     matrix::lower(p.at(1)));
       }},
      {"tanh_normal", maker<TanhNormal, 2>()},
      {"sigmoid_affine",
       [](const Params& p) {
         return std::make_shared<TransformedDistribution>(
             Normal(p.at(0), p.at(1)),
             std::vector<TransformPtr>{std::make_shared<SigmoidTransform>(),
                                       std::make_shared<AffineTransform>(3.0, -2.0)});
       }},
      {"mixture",
       [](const Params& p) {
         return std::make_shared<MixtureSameFamily>(Categorical::of_logits(p.at(0)),
                                                    Normal(p.at(1), p.at(2)));
       }},
      {"mixture_events",
       [](const Params& p) {
         return std::make_shared<MixtureSameFamily>(Categorical(p.at(0)),
                                                    Independent(Normal(p.at(1), p.at(2)), 1));
       }},
  };
  return all;
}

inline DistributionPtr make_kind(const std::string& kind, const Params& params) {
  return kinds().at(kind)(params);
}

// {"sizes": [...], "values": [...]} as float64.
inline Tensor golden_tensor(const Json& array) {
  const auto values = array.at("values").get<std::vector<double>>();
  const Tensor out = empty(Shape(array.at("sizes").get<std::vector<int64_t>>()), kFloat64);
  std::copy(values.begin(), values.end(), out.data_ptr<double>());
  return out;
}

inline Params golden_params(const Json& arrays) {
  Params out;
  for (const Json& array : arrays) out.push_back(golden_tensor(array).requires_grad_());
  return out;
}

}  // namespace oneagent::testing
