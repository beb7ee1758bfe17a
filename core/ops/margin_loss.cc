// Losses that ask for a distance between the scores of the right and the wrong classes.
//   multi_margin_loss       w_t / c  sum over k != t of max(0, margin - x_t + x_k)^p
//   multilabel_margin_loss  1 / c  sum over targets j, others k of max(0, 1 - x_j + x_k)
#include <cmath>

#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/number.h"
#include "core/ops/op_classes.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_loss.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr int64_t kNothingIgnored = -1;

constexpr AttrSpec kMultiAttrs[] = {
    {"reduction", AttrKind::kInt}, {"p", AttrKind::kInt}, {"margin", AttrKind::kNumber}};
constexpr AttrSpec kMultilabelAttrs[] = {{"reduction", AttrKind::kInt}};

Attrs multi_attrs(int64_t reduction, int64_t p, double margin) {
  return Attrs().add(reduction).add(p).add(margin);
}
Attrs multilabel_attrs(int64_t reduction) { return Attrs().add(reduction); }

// Rows of x [n, c] or [c].
struct Rows {
  explicit Rows(const Shape& x) : classes(x.empty() ? 1 : x.back()), n(x.size() == 2 ? x[0] : 1) {}
  int64_t classes, n;
};
Shape loss_sizes(const Shape& x, const Attrs& attrs) {
  if (attrs.integer(0) != Reduction::None || x.size() < 2) return {};
  return {x[0]};
}
void require_gradient(const char* op, const TensorMeta& g, const Shape& x, const Attrs& attrs) {
  const Shape expected = loss_sizes(x, attrs);
  OA_REQUIRE(g.sizes == expected, op, ": expected a gradient of shape ", expected, ", was ",
             g.sizes);
}
// What a loss of one row is divided by.
double divisor_of(const Rows& rows, const Attrs& attrs) {
  const double n = attrs.integer(0) == Reduction::Mean ? static_cast<double>(rows.n) : 1.0;
  return n * static_cast<double>(rows.classes);
}
template <class T>
T gradient_of(const Tensor& g, int64_t row) {
  return g.data_ptr<T>()[g.numel() == 1 ? 0 : row];
}

void multi_infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Shape& x = in[0]->sizes;
  OA_REQUIRE(x.size() == 1 || x.size() == 2, "multi_margin_loss: expected x [c] or [n, c], was ",
             x);
  classes_of("multi_margin_loss", *in[0], *in[1], in[2]);
  out.add(loss_sizes(x, attrs), in[0]->dtype);
}

// Visits each row: visit(row, its scores, target, margin - score of the target, weight of the row).
template <class T, class Visit>
void each_scored_row(const Tensor& x, const Tensor& target, const Tensor& weight, double margin,
                     const Visit& visit) {
  const Rows rows(x.sizes());
  const int64_t* t = target.data_ptr<int64_t>();
  for (int64_t r = 0; r < rows.n; ++r) {
    const T* row = x.data_ptr<T>() + r * rows.classes;
    const T factor = weight.defined() ? weight.data_ptr<T>()[t[r]] : T(1);
    visit(r, row, t[r], static_cast<T>(margin) - row[t[r]], factor);
  }
}

// The sum of term(k) for begin <= k < end, in lanes.
template <class T, class Term>
T lanes_of(int64_t begin, int64_t end, const Term& term) {
  constexpr int64_t kLanes = 16;
  T lanes[kLanes] = {};
  int64_t k = begin;
  for (; k + kLanes <= end; k += kLanes)
    for (int64_t i = 0; i < kLanes; ++i) lanes[i] += term(k + i);
  for (int64_t i = 0; k < end; ++k, ++i) lanes[i] += term(k);
  T sum = 0;
  for (const T lane : lanes) sum += lane;
  return sum;
}

// The sum of the terms above 0 but for the target's own, squared or not.
template <class T>
T violation(const T* row, int64_t classes, int64_t target, T shift, bool squared) {
  const auto term = [&](int64_t k) {
    const T z = shift + row[k], y = z > T(0) ? z : T(0);
    return squared ? y * y : y;
  };
  return lanes_of<T>(0, target, term) + lanes_of<T>(target + 1, classes, term);
}

Tensor contiguous_or_absent(Stream& stream, Inputs in, size_t i) {
  return in.has(i) ? as_contiguous(stream, in[i]) : Tensor();
}

void multi_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]), target = as_contiguous(stream, in[1]);
  const Tensor weight = contiguous_or_absent(stream, in, 2);
  const Rows rows(x.sizes());
  require_targets("multi_margin_loss", target, rows.classes, kNothingIgnored);
  fill(stream, out[0], 0.0);
  const double divisor = divisor_of(rows, attrs);
  const bool squared = attrs.integer(1) == 2, each = out[0].dim() == 1;
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    T* to = out[0].data_ptr<T>();
    each_scored_row<T>(x, target, weight, attrs.number(2),
                       [&](int64_t r, const T* row, int64_t t, T shift, T factor) {
                         to[each ? r : 0] += factor *
                                             violation(row, rows.classes, t, shift, squared) /
                                             static_cast<T>(divisor);
                       });
  });
}

void multi_backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  classes_of("multi_margin_loss_backward", *in[1], *in[2], in[3]);
  require_gradient("multi_margin_loss_backward", *in[0], in[1]->sizes, attrs);
  out.add(in[1]->sizes, in[1]->dtype);
}
void multi_backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor g = as_contiguous(stream, in[0]), x = as_contiguous(stream, in[1]);
  const Tensor target = as_contiguous(stream, in[2]), weight = contiguous_or_absent(stream, in, 3);
  const Rows rows(x.sizes());
  require_targets("multi_margin_loss", target, rows.classes, kNothingIgnored);
  const double divisor = divisor_of(rows, attrs);
  const bool squared = attrs.integer(1) == 2;
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    T* to = out[0].data_ptr<T>();
    each_scored_row<T>(x, target, weight, attrs.number(2),
                       [&](int64_t r, const T* row, int64_t t, T shift, T factor) {
                         const T unit = gradient_of<T>(g, r) * factor / static_cast<T>(divisor);
                         T* slopes = to + r * rows.classes;
                         for (int64_t k = 0; k < rows.classes; ++k) {
                           const T z = shift + row[k];
                           slopes[k] = z > T(0) ? unit * (squared ? T(2) * z : T(1)) : T(0);
                         }
                         slopes[t] = T(0);
                         slopes[t] =
                             -lanes_of<T>(0, rows.classes, [&](int64_t k) { return slopes[k]; });
                       });
  });
}

Composition multi_composed(const Attrs& attrs) {
  return [attrs](const std::vector<Tensor>& in) {
    const Tensor &x = in[0], &target = in[1];
    const Tensor own = gather(x, -1, unsqueeze(target, -1));
    Tensor z = clamp(add(sub(x, own), attrs.number(2)), 0.0);
    if (attrs.integer(1) == 2) z = square(z);
    const Tensor others = sub(1.0, one_hot_like(x, target, kNothingIgnored));
    const Tensor weights = target_weights(target, in[2], kNothingIgnored, x.dtype());
    const Tensor loss = mul(mean(mul(z, others), Shape{-1}), weights);
    return std::vector<Tensor>{reduced(loss, attrs.integer(0))};
  };
}

void multilabel_infer(Metas in, const Attrs& attrs, Inferred& out) {
  const TensorMeta &x = *in[0], &target = *in[1];
  require_floating("multilabel_margin_loss", x);
  OA_REQUIRE(x.sizes.size() <= 2, "multilabel_margin_loss: expected x [c] or [n, c], was ",
             x.sizes);
  OA_REQUIRE(target.dtype == DType::kInt64 && target.sizes == x.sizes,
             "multilabel_margin_loss: expected int64 targets of shape ", x.sizes, ", was ",
             name_of(target.dtype), " ", target.sizes);
  out.add(loss_sizes(x.sizes, attrs), x.dtype);
}

// How often each class is a target of each row; only what comes before the first -1 counts.
std::vector<int64_t> target_counts(const Rows& rows, const Tensor& target) {
  std::vector<int64_t> counts(static_cast<size_t>(rows.n * rows.classes), 0);
  const int64_t* t = target.data_ptr<int64_t>();
  for (int64_t r = 0; r < rows.n; ++r)
    for (int64_t i = 0; i < rows.classes; ++i) {
      const int64_t k = t[r * rows.classes + i];
      if (k < 0) break;
      OA_REQUIRE(k < rows.classes, "multilabel_margin_loss: target ", k, " is not one of ",
                 rows.classes, " classes");
      ++counts[static_cast<size_t>(r * rows.classes + k)];
    }
  return counts;
}

// visit(row, target, other class, term, how often the target is named)
template <class T, class Visit>
void each_confusion(const Tensor& x, const Tensor& target, const Visit& visit) {
  const Rows rows(x.sizes());
  const auto counts = target_counts(rows, target);
  for (int64_t r = 0; r < rows.n; ++r) {
    const T* row = x.data_ptr<T>() + r * rows.classes;
    const int64_t* count = counts.data() + r * rows.classes;
    for (int64_t j = 0; j < rows.classes; ++j) {
      if (count[j] == 0) continue;
      for (int64_t k = 0; k < rows.classes; ++k) {
        const T z = T(1) - row[j] + row[k];
        if (count[k] == 0 && z > T(0)) visit(r, j, k, z, static_cast<T>(count[j]));
      }
    }
  }
}

void multilabel_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]), target = as_contiguous(stream, in[1]);
  fill(stream, out[0], 0.0);
  const double divisor = divisor_of(Rows(x.sizes()), attrs);
  const bool each = out[0].dim() == 1;
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    T* to = out[0].data_ptr<T>();
    each_confusion<T>(x, target, [&](int64_t r, int64_t, int64_t, T z, T count) {
      to[each ? r : 0] += z * count / static_cast<T>(divisor);
    });
  });
}
void multilabel_backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_gradient("multilabel_margin_loss_backward", *in[0], in[1]->sizes, attrs);
  out.add(in[1]->sizes, in[1]->dtype);
}
void multilabel_backward_kernel(Stream& stream, const Attrs& attrs, Inputs in,
                                std::span<Tensor> out) {
  const Tensor g = as_contiguous(stream, in[0]), x = as_contiguous(stream, in[1]);
  const Tensor target = as_contiguous(stream, in[2]);
  const Rows rows(x.sizes());
  fill(stream, out[0], 0.0);
  const double divisor = divisor_of(rows, attrs);
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    T* to = out[0].data_ptr<T>();
    each_confusion<T>(x, target, [&](int64_t r, int64_t j, int64_t k, T, T count) {
      const T slope = gradient_of<T>(g, r) * count / static_cast<T>(divisor);
      to[r * rows.classes + k] += slope;
      to[r * rows.classes + j] -= slope;
    });
  });
}

Tensor count_tensor(const Tensor& x, const Tensor& target) {
  const auto counts = target_counts(Rows(x.sizes()), target.contiguous());
  return view(tensor(counts, x.dtype()), x.sizes());
}
Composition multilabel_composed(const Attrs& attrs) {
  return [attrs](const std::vector<Tensor>& in) {
    const Tensor& x = in[0];
    const Tensor counts = count_tensor(x, in[1]);
    const Tensor others = sub(1.0, clamp(counts, std::nullopt, 1.0));
    const Tensor z = clamp(add(sub(unsqueeze(x, -2), unsqueeze(x, -1)), 1.0), 0.0);
    const Tensor terms = mul(mul(z, unsqueeze(others, -2)), unsqueeze(counts, -1));
    const Tensor loss =
        div(sum(terms, Shape{-2, -1}), static_cast<double>(Rows(x.sizes()).classes));
    return std::vector<Tensor>{reduced(loss, attrs.integer(0))};
  };
}

template <Composition Composed(const Attrs&)>
void composed_vjp(VjpCall& call) {
  vjp_by_composition(call, Composed(call.attrs()));
}
// Inputs of the backward op: the gradient of the loss, then the inputs of the loss.
template <Composition Composed(const Attrs&)>
void composed_backward_vjp(VjpCall& call) {
  const Attrs attrs = call.attrs();
  vjp_by_composition(call, [attrs](const std::vector<Tensor>& in) {
    const auto same = [&](const std::vector<Tensor>& x) {
      std::vector<Tensor> operands(in.begin() + 1, in.end());
      operands[0] = x[0];
      return Composed(attrs)(operands);
    };
    return gradients_of(same, {in[1]}, {in[0]});
  });
}

std::string multi_rule_of_parts(Metas in, const Attrs& attrs) {
  return classes_rule(in, attrs.integer(0) != Reduction::None);
}
// A mean is one over all elements.
std::string multi_rule(Metas in, const Attrs& attrs) {
  const std::string parts = multi_rule_of_parts(in, attrs);
  return attrs.integer(0) == Reduction::Mean ? closed_whole(parts) : parts;
}
std::string multi_backward_rule_of_parts(Metas in, const Attrs& attrs) {
  const bool rows = in[1]->sizes.size() == 2;
  const bool each = rows && attrs.integer(0) == Reduction::None;
  return std::string(each ? "a" : "") + (rows ? ",ab,a,b->ab;b" : ",a,,a->a;a");
}
// A mean is one over all elements.
std::string multi_backward_rule(Metas in, const Attrs& attrs) {
  const std::string parts = multi_backward_rule_of_parts(in, attrs);
  return attrs.integer(0) == Reduction::Mean ? closed_whole(parts) : parts;
}
std::string multilabel_rule_of_parts(Metas in, const Attrs& attrs) {
  const bool each = in[0]->sizes.size() == 2 && attrs.integer(0) == Reduction::None;
  return std::string("...x,...x->") + (each ? "..." : "") + ";x";
}
// A mean is one over all elements.
std::string multilabel_rule(Metas in, const Attrs& attrs) {
  const std::string parts = multilabel_rule_of_parts(in, attrs);
  return attrs.integer(0) == Reduction::Mean ? closed_whole(parts) : parts;
}
std::string multilabel_backward_rule_of_parts(Metas in, const Attrs& attrs) {
  const bool each = in[1]->sizes.size() == 2 && attrs.integer(0) == Reduction::None;
  return std::string(each ? "..." : "") + ",...x,...x->...x;x";
}
// A mean is one over all elements.
std::string multilabel_backward_rule(Metas in, const Attrs& attrs) {
  const std::string parts = multilabel_backward_rule_of_parts(in, attrs);
  return attrs.integer(0) == Reduction::Mean ? closed_whole(parts) : parts;
}

constexpr uint32_t kThree = saves_input(0) | saves_input(1) | saves_input(2);

constinit const Op kMultiBackward = {
    .name = "multi_margin_loss_backward",
    .attrs = kMultiAttrs,
    .infer = multi_backward_infer,
    .absent = 0xffffffff,
    .rule = {.linear = 1, .generate = multi_backward_rule},
    .saves = kThree | saves_input(3),
    .vjp = composed_backward_vjp<multi_composed>,
    .kernels = {multi_backward_kernel},
    .samples = [] {
      return Samples{{{normal({}), normal({3, 5}), ints({3}, 0, 5), absent()},
                      multi_attrs(Reduction::Mean, 1, 0.8)},
                     {{normal({2}), normal({2, 4}), ints({2}, 0, 4), positive({4})},
                      multi_attrs(Reduction::None, 2, 1)}};
    }};
void multi_vjp(VjpCall& call) {
  if (call.needs(2)) return composed_vjp<multi_composed>(call);
  const Tensor x = call.input(0), target = call.input(1), weight = call.input(2);
  call.set(0, call_op(kMultiBackward, {&call.grad(), &x, &target, &weight}, call.attrs()));
}
constinit const Op kMulti = {
    .name = "multi_margin_loss",
    .attrs = kMultiAttrs,
    .infer = multi_infer,
    .absent = saves_input(2),
    .rule = {.generate = multi_rule},
    .saves = kThree,
    .vjp = multi_vjp,
    .kernels = {multi_kernel},
    .samples = [] {
      return Samples{
          {{normal({3, 5}), ints({3}, 0, 5), absent()}, multi_attrs(Reduction::Mean, 1, 0.8)},
          {{normal({4, 5}), ints({4}, 0, 5), positive({5})}, multi_attrs(Reduction::None, 2, 1)},
          {{normal({4}), ints({}, 0, 4), absent()}, multi_attrs(Reduction::Sum, 2, 1)}};
    }};

constinit const Op kMultilabelBackward = {
    .name = "multilabel_margin_loss_backward",
    .attrs = kMultilabelAttrs,
    .infer = multilabel_backward_infer,
    .rule = {.linear = 1, .generate = multilabel_backward_rule},
    .saves = kThree,
    .vjp = composed_backward_vjp<multilabel_composed>,
    .kernels = {multilabel_backward_kernel},
    .samples = [] {
      return Samples{
          {{normal({}), normal({3, 5}), ints({3, 5}, -1, 5)}, multilabel_attrs(Reduction::Mean)},
          {{normal({2}), normal({2, 4}), ints({2, 4}, -1, 4)}, multilabel_attrs(Reduction::None)}};
    }};
void multilabel_vjp(VjpCall& call) {
  const Tensor x = call.input(0), target = call.input(1);
  call.set(0, call_op(kMultilabelBackward, {&call.grad(), &x, &target}, call.attrs()));
}
constinit const Op kMultilabel = {
    .name = "multilabel_margin_loss",
    .attrs = kMultilabelAttrs,
    .infer = multilabel_infer,
    .rule = {.generate = multilabel_rule},
    .saves = saves_input(0) | saves_input(1),
    .vjp = multilabel_vjp,
    .kernels = {multilabel_kernel},
    .samples = [] {
      return Samples{{{normal({3, 5}), ints({3, 5}, -1, 5)}, multilabel_attrs(Reduction::Mean)},
                     {{normal({4, 6}), ints({4, 6}, -1, 6)}, multilabel_attrs(Reduction::None)},
                     {{normal({4}), ints({4}, -1, 4)}, multilabel_attrs(Reduction::Sum)}};
    }};

}  // namespace

Tensor multi_margin_loss(const Tensor& self, const Tensor& target, Scalar p, Scalar margin,
                         const std::optional<Tensor>& weight, int64_t reduction) {
  require_reduction("multi_margin_loss", reduction);
  OA_REQUIRE(p.number() == 1 || p.number() == 2, "multi_margin_loss: p must be 1 or 2, was ", p);
  const Tensor weights = weight.value_or(Tensor());
  return call_op(kMulti, {&self, &target, &weights},
                 multi_attrs(reduction, p.integer(), margin.number()));
}
Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  require_reduction("multilabel_margin_loss", reduction);
  return call_op(kMultilabel, {&self, &target}, multilabel_attrs(reduction));
}

OA_OP(margin_loss, &kMulti, &kMultiBackward, &kMultilabel, &kMultilabelBackward)

}  // namespace oneagent
