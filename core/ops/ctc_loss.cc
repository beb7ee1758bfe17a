#include "core/ops/ctc_loss.h"

#include <cmath>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/ctc.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/number.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_loss.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/slice.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"blank", AttrKind::kInt}};

// Positions `first` on: log_probs, targets, input_lengths, target_lengths.
void check(Metas in, size_t first, const Attrs& attrs) {
  const TensorMeta& x = *in[first];
  require_floating("ctc_loss", x);
  OA_REQUIRE(x.sizes.size() == 3, "ctc_loss: expected log_probs [t, n, c], was ", x.sizes);
  OA_REQUIRE(in[first + 1]->sizes.size() == 1 || in[first + 1]->sizes.size() == 2,
             "ctc_loss: expected targets [n, s] or [sum], was ", in[first + 1]->sizes);
  for (size_t i = 1; i < 4; ++i)
    OA_REQUIRE(in[first + i]->dtype == DType::kInt64,
               "ctc_loss: targets and lengths must be integers");
  for (size_t i = 2; i < 4; ++i)
    OA_REQUIRE(in[first + i]->sizes == Shape{x.sizes[1]}, "ctc_loss: expected ", x.sizes[1],
               " lengths, was ", in[first + i]->sizes);
  OA_REQUIRE(attrs.integer(0) >= 0 && attrs.integer(0) < x.sizes[2], "ctc_loss: blank ",
             attrs.integer(0), " is not one of ", x.sizes[2], " classes");
}

// The sequences of a batch: lengths and targets, checked.
struct Batch {
  Batch(const Tensor& log_probs, const Tensor& all_targets, const Tensor& input_lengths,
        const Tensor& target_lengths, int64_t blank_class)
      : t(log_probs.size(0)),
        n(log_probs.size(1)),
        classes(log_probs.size(2)),
        blank(blank_class),
        inputs(to_vector<int64_t>(input_lengths)),
        lengths(to_vector<int64_t>(target_lengths)),
        targets(to_vector<int64_t>(all_targets)) {
    int64_t at = 0;
    const bool joined = all_targets.dim() == 1;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t length = length_of(i);
      OA_REQUIRE(input_of(i) >= 0 && input_of(i) <= t, "ctc_loss: input length ", input_of(i),
                 " of sequence ", i, " is not within ", t, " steps");
      OA_REQUIRE(length >= 0 && (joined || length <= all_targets.size(1)),
                 "ctc_loss: target length ", length, " of sequence ", i, " is out of range");
      starts.push_back(joined ? at : i * all_targets.size(1));
      at += length;
      longest = std::max(longest, length);
    }
    OA_REQUIRE(!joined || at == static_cast<int64_t>(targets.size()), "ctc_loss: ", targets.size(),
               " targets for lengths that add up to ", at);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t s = 0; s < length_of(i); ++s)
        OA_REQUIRE(target(i, s) >= 0 && target(i, s) < classes, "ctc_loss: target ", target(i, s),
                   " is not one of ", classes, " classes");
  }
  int64_t input_of(int64_t i) const { return inputs[static_cast<size_t>(i)]; }
  int64_t length_of(int64_t i) const { return lengths[static_cast<size_t>(i)]; }
  int64_t target(int64_t i, int64_t s) const {
    return targets[static_cast<size_t>(starts[static_cast<size_t>(i)] + s)];
  }
  // Of the extended target of sequence i.
  int64_t label(int64_t i, int64_t s) const { return s % 2 == 0 ? blank : target(i, s / 2); }
  bool may_skip(int64_t i, int64_t s) const {
    return s % 2 == 1 && s >= 3 && label(i, s) != label(i, s - 2);
  }

  int64_t t, n, classes, blank, longest = 0;
  std::vector<int64_t> inputs, lengths, targets, starts;
};

constexpr int64_t kPad = 2;  // places of -infinity on either side of a row of positions

// One sequence: rows of positions with their padding.
template <class T>
class Lattice {
 public:
  Lattice(const Batch& batch, const T* log_probs, int64_t sequence)
      : batch_(batch), log_probs_(log_probs), i_(sequence) {
    n_ = 2 * batch.length_of(sequence) + 1;
    width_ = n_ + 2 * kPad;
    skip_.assign(static_cast<size_t>(width_), kNothing);
    own_.resize(static_cast<size_t>(n_));
    for (int64_t s = 0; s < n_; ++s)
      if (batch.may_skip(sequence, s)) skip_[static_cast<size_t>(s)] = 0;
  }
  static constexpr T kNothing = -static_cast<T>(INFINITY);
  int64_t n() const { return n_; }
  std::vector<T> rows(int64_t count) const {
    return std::vector<T>(static_cast<size_t>(count * width_), kNothing);
  }
  T* row(std::vector<T>& rows, int64_t at) const { return rows.data() + at * width_ + kPad; }

  const T* own(int64_t time) {
    const T* from = log_probs_ + (time * batch_.n + i_) * batch_.classes;
    for (int64_t s = 0; s < n_; ++s) own_[static_cast<size_t>(s)] = from[batch_.label(i_, s)];
    return own_.data();
  }
  void first(T* now) {
    const T* p = own(0);
    for (int64_t s = 0; s < std::min<int64_t>(n_, 2); ++s) now[s] = p[s];
  }
  void last(T* now) {
    const T* p = own(batch_.input_of(i_) - 1);
    for (int64_t s = std::max<int64_t>(n_ - 2, 0); s < n_; ++s) now[s] = p[s];
  }
  void step(const T* before, T* now, int64_t time, bool backward) {
    cpu::CtcStep args;
    args.before = before;
    args.skip = skip_.data();
    args.own = own(time);
    args.now = now;
    args.n = n_;
    args.backward = backward;
    cpu::ctc_step(dtype_of<T>, args);
  }
  double loss_of(const T* last_row) const {
    const double a = static_cast<double>(last_row[n_ - 1]);
    const double b = n_ > 1 ? static_cast<double>(last_row[n_ - 2]) : -INFINITY;
    const double top = std::max(a, b);
    if (top == -INFINITY) return INFINITY;
    return -(top + std::log(std::exp(a - top) + std::exp(b - top)));
  }

 private:
  const Batch& batch_;
  const T* log_probs_;
  int64_t i_, n_ = 0, width_ = 0;
  std::vector<T> skip_, own_;
};

template <class T>
double loss_of(const Batch& batch, const T* log_probs, int64_t i) {
  const int64_t steps = batch.input_of(i);
  if (steps == 0) return batch.length_of(i) == 0 ? 0.0 : INFINITY;
  Lattice<T> lattice(batch, log_probs, i);
  std::vector<T> rows = lattice.rows(2);
  lattice.first(lattice.row(rows, 0));
  for (int64_t time = 1; time < steps; ++time)
    lattice.step(lattice.row(rows, (time - 1) % 2), lattice.row(rows, time % 2), time, false);
  return lattice.loss_of(lattice.row(rows, (steps - 1) % 2));
}

template <class T>
void gradient_of(const Batch& batch, const T* log_probs, int64_t i, T g, T* out) {
  const int64_t steps = batch.input_of(i);
  if (steps == 0 || g == T(0)) return;
  Lattice<T> lattice(batch, log_probs, i);
  std::vector<T> alphas = lattice.rows(steps), betas = lattice.rows(2), occupied = lattice.rows(1);
  lattice.first(lattice.row(alphas, 0));
  for (int64_t time = 1; time < steps; ++time)
    lattice.step(lattice.row(alphas, time - 1), lattice.row(alphas, time), time, false);
  const double loss = lattice.loss_of(lattice.row(alphas, steps - 1));
  for (int64_t time = steps; time-- > 0;) {
    T* beta = lattice.row(betas, time % 2);
    if (time == steps - 1)
      lattice.last(beta);
    else
      lattice.step(lattice.row(betas, (time + 1) % 2), beta, time, true);
    cpu::CtcOccupancy args;
    args.alpha = lattice.row(alphas, time);
    args.beta = beta;
    args.own = lattice.own(time);
    args.out = occupied.data();
    args.n = lattice.n();
    args.loss = loss;
    cpu::ctc_occupancy(dtype_of<T>, args);
    T* to = out + (time * batch.n + i) * batch.classes;
    for (int64_t s = 0; s < lattice.n(); ++s)
      to[batch.label(i, s)] -= g * occupied[static_cast<size_t>(s)];
  }
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  check(in, 0, attrs);
  out.add({in[0]->sizes[1]}, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  const Batch batch(x, in[1], in[2], in[3], attrs.integer(0));
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    stream.parallel_for(batch.n, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        out[0].data_ptr<T>()[i] = static_cast<T>(loss_of(batch, x.data_ptr<T>(), i));
    });
  });
}

void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  check(in, 1, attrs);
  OA_REQUIRE(in[0]->sizes == Shape{in[1]->sizes[1]},
             "ctc_loss_backward: expected a gradient of shape [", in[1]->sizes[1], "], was ",
             in[0]->sizes);
  out.add(in[1]->sizes, in[1]->dtype);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor g = as_contiguous(stream, in[0]), x = as_contiguous(stream, in[1]);
  const Batch batch(x, in[2], in[3], in[4], attrs.integer(0));
  fill(stream, out[0], 0.0);
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    stream.parallel_for(batch.n, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        gradient_of(batch, x.data_ptr<T>(), i, g.data_ptr<T>()[i], out[0].data_ptr<T>());
    });
  });
}

// The same from other ops, all sequences at once; -infinity is a large negative number here, whose
// derivatives are 0 and not NaN.
constexpr double kAlmostNothing = -1e30;

Tensor log_of_sum(const std::vector<Tensor>& terms) {
  const Tensor all = stack(terms, 0);
  const Tensor top = amax(all.detach(), Shape{0});
  return add(top, log(sum(exp(sub(all, top)), Shape{0})));
}

std::vector<Tensor> composed(const Tensor& x, const Batch& batch) {
  const int64_t width = 2 * batch.longest + 1, n = batch.n;
  const Tensor labels = full({n, width}, batch.blank, kInt64);
  const Tensor skip = full({n, width}, kAlmostNothing, x.dtype());
  const Tensor start = full({n, width}, kAlmostNothing, x.dtype());
  const Tensor end = full({n, width}, kAlmostNothing, x.dtype());
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t own = 2 * batch.length_of(i) + 1;
      for (int64_t s = 0; s < own; ++s) {
        const int64_t at = i * width + s;
        labels.data_ptr<int64_t>()[at] = batch.label(i, s);
        if (batch.may_skip(i, s)) skip.data_ptr<T>()[at] = T(0);
        if (s < 2) start.data_ptr<T>()[at] = T(0);
        if (s + 2 >= own) end.data_ptr<T>()[at] = T(0);
      }
    }
  });
  const auto shifted = [&](const Tensor& rows, int64_t by) {
    by = std::min(by, width);
    return cat({full({n, by}, kAlmostNothing, x.dtype()), narrow(rows, 1, 0, width - by)}, 1);
  };
  Tensor alpha = start;
  for (int64_t time = 0; time < batch.t; ++time) {
    const Tensor own = gather(select(x, 0, time), 1, labels);
    const Tensor next =
        time == 0 ? add(start, own)
                  : add(log_of_sum({alpha, shifted(alpha, 1), add(shifted(alpha, 2), skip)}), own);
    std::vector<double> active;
    for (int64_t i = 0; i < n; ++i) active.push_back(time < batch.input_of(i) ? 1 : 0);
    alpha = where(gt(view(tensor(active, x.dtype()), {n, 1}), 0.5), next, alpha);
  }
  const Tensor ends = add(alpha, end);
  const Tensor top = amax(ends.detach(), Shape{1}, true);
  const Tensor total = log(sum(exp(sub(ends, top)), Shape{1}, true));
  return {neg(squeeze(add(top, total), 1))};
}

Tensor backward(const Tensor& g, const Tensor& x, const Tensor& targets, const Tensor& inputs,
                const Tensor& lengths, const Attrs& attrs);

void vjp(VjpCall& call) {
  call.set(0, backward(call.grad(), call.input(0), call.input(1), call.input(2), call.input(3),
                       call.attrs()));
}
void backward_vjp(VjpCall& call) {
  const int64_t blank = call.attrs().integer(0);
  vjp_by_composition(call, [blank](const std::vector<Tensor>& in) {
    const Batch batch(in[1], in[2], in[3], in[4], blank);
    const auto same = [&batch](const std::vector<Tensor>& x) { return composed(x[0], batch); };
    return gradients_of(same, {in[1]}, {in[0]});
  });
}

std::string rule(Metas in, const Attrs&) {
  return in[1]->sizes.size() == 2 ? "tnc,ns,n,n->n;tcs" : "tnc,s,n,n->n;tncs";
}
std::string backward_rule(Metas in, const Attrs&) {
  return in[2]->sizes.size() == 2 ? "n,tnc,ns,n,n->tnc;tcs" : "n,tnc,s,n,n->tnc;tncs";
}

constinit const Op kCtc = {
    .name = "ctc_loss",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.generate = rule},
    .saves = kSavesAllInputs,
    .vjp = vjp,
    .kernels = {kernel},
    .samples = [] {
      return Samples{
          {{normal({6, 2, 4}), ints({2, 3}, 1, 4), ints({2}, 6, 7), ints({2}, 2, 4)},
           Attrs().add(0)},
          {{normal({5, 2, 3}), ints({4}, 0, 2), ints({2}, 4, 6), ints({2}, 2, 3)}, Attrs().add(2)}};
    }};
constinit const Op kCtcBackward = {
    .name = "ctc_loss_backward",
    .attrs = kAttrs,
    .infer = backward_infer,
    .rule = {.linear = 1, .generate = backward_rule},
    .saves = kSavesAllInputs,
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples = [] {
      return Samples{
          {{normal({2}), normal({5, 2, 4}), ints({2, 2}, 1, 4), ints({2}, 4, 6), ints({2}, 1, 3)},
           Attrs().add(0)}};
    }};

Tensor backward(const Tensor& g, const Tensor& x, const Tensor& targets, const Tensor& inputs,
                const Tensor& lengths, const Attrs& attrs) {
  return call_op(kCtcBackward, {&g, &x, &targets, &inputs, &lengths}, attrs);
}

}  // namespace

Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank, int64_t reduction,
                bool zero_infinity) {
  require_reduction("ctc_loss", reduction);
  OA_REQUIRE(log_probs.dim() == 2 || log_probs.dim() == 3,
             "ctc_loss: expected log_probs [t, n, c] or [t, c], was ", log_probs.sizes());
  for (const Tensor* lengths : {&input_lengths, &target_lengths})
    OA_REQUIRE(!lengths->is_floating_point(), "ctc_loss: lengths must be integers, was ",
               name_of(lengths->dtype()));
  const bool batched = log_probs.dim() == 3;
  const Tensor x = batched ? log_probs : unsqueeze(log_probs, 1);
  const Tensor labels = to(targets, DType::kInt64);
  const Tensor inputs = reshape(to(input_lengths, DType::kInt64), {-1});
  const Tensor lengths = reshape(to(target_lengths, DType::kInt64), {-1});
  Tensor loss = call_op(kCtc, {&x, &labels, &inputs, &lengths}, Attrs().add(blank));
  if (zero_infinity) loss = where(eq(loss, INFINITY), 0.0, loss);
  if (reduction == Reduction::Mean) return mean(div(loss, clamp(to(lengths, x.dtype()), 1.0)));
  if (reduction == Reduction::Sum) return sum(loss);
  return batched ? loss : squeeze(loss, 0);
}
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, int64_t blank, int64_t reduction, bool zero_infinity) {
  return ctc_loss(log_probs, targets, tensor(input_lengths.vec(), kInt64),
                  tensor(target_lengths.vec(), kInt64), blank, reduction, zero_infinity);
}

OA_OP(ctc_loss, &kCtc, &kCtcBackward)

}  // namespace oneagent
