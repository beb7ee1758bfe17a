#include "core/dist/composite.h"

#include <string_view>
#include <unordered_map>

#include "core/ops/ops.h"

namespace oneagent::distributed {
namespace {

using Form = void (*)(const Call& call);

// The same op with another reduction (attribute 0).
Attrs summed(const Attrs& attrs) {
  Attrs out = attrs;
  out.set(0, Reduction::Sum);
  return out;
}

Tensor call_one(const Call& call, Inputs in, const Attrs& attrs) {
  Tensor out;
  dispatch({call.op, in, attrs, std::span(&out, 1)}, context().depth - 1);
  return out;
}

double mean_count(const Call& call, size_t input) {
  return static_cast<double>(call.in[input].numel());
}

void mean_form(const Call& call) {
  const Shape dims = call.attrs.list(0);
  double count = 1;
  for (const int64_t dim : dims) count *= static_cast<double>(call.in[0].size(dim));
  call.out[0] = div(sum(call.in[0], dims, call.attrs.flag(1)), count);
}

// A mean of losses is their sum, divided; its gradient that of the sum, divided.
void pair_loss_form(const Call& call) {
  call.out[0] =
      div(call_one(call, call.in, summed(call.attrs)),
          static_cast<double>(
              broadcast_sizes(call.op.name, call.in[0].sizes(), call.in[1].sizes()).numel()));
}
void pair_loss_backward_form(const Call& call) {
  const Tensor gradient = div(call.in[0], mean_count(call, 1));
  const Tensor* operands[] = {&gradient, &call.in[1], &call.in[2]};
  call.out[0] = call_one(call, Inputs(operands, 3), summed(call.attrs));
}

// What the mean of a loss over classes divides by: the weights of the targets that count.
Tensor total_weight(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t ignored) {
  const Tensor counts = to(ne(target, ignored), x.scalar_type());
  if (!weight.defined()) return sum(counts);
  const Tensor safe = where(ne(target, ignored), target, zeros_like(target));
  const Tensor own = view(index_select(weight, 0, view(safe, {-1})), target.sizes());
  return sum(mul(own, counts));
}

void nll_loss_form(const Call& call) {
  const Tensor total = total_weight(call.in[0], call.in[1], call.in[2], call.attrs.integer(1));
  call.out[0] = div(call_one(call, call.in, summed(call.attrs)), total);
}
void nll_loss_backward_form(const Call& call) {
  const Tensor total = total_weight(call.in[1], call.in[2], call.in[3], call.attrs.integer(1));
  const Tensor gradient = div(call.in[0], total);
  const Tensor* operands[] = {&gradient, &call.in[1], &call.in[2], &call.in[3]};
  call.out[0] = call_one(call, Inputs(operands, 4), summed(call.attrs));
}

void cross_entropy_form(const Call& call) {
  if (splits_classes(call.in[0])) return class_split_cross_entropy(call);
  const Tensor total = total_weight(call.in[0], call.in[1], call.in[2], call.attrs.integer(1));
  Tensor out[2];
  dispatch({call.op, call.in, summed(call.attrs), std::span(out, 2)}, context().depth - 1);
  call.out[0] = div(out[0], total);
  call.out[1] = out[1];
}
void cross_entropy_backward_form(const Call& call) {
  if (splits_classes(call.in[2])) return class_split_cross_entropy_backward(call);
  const Tensor total = total_weight(call.in[2], call.in[3], call.in[4], call.attrs.integer(1));
  const Tensor gradient = call.in.has(0) ? div(call.in[0], total) : Tensor();
  const Tensor* operands[] = {&gradient,   &call.in[1], &call.in[2],
                              &call.in[3], &call.in[4], &call.in[5]};
  call.out[0] = call_one(call, Inputs(operands, 6), summed(call.attrs));
}

void softmax_form(const Call& call) {
  const Shape dim{call.attrs.integer(0)};
  const Tensor grown = exp(sub(call.in[0], amax(call.in[0], dim, true)));
  call.out[0] = div(grown, sum(grown, dim, true));
}
void log_softmax_form(const Call& call) {
  const Shape dim{call.attrs.integer(0)};
  const Tensor low = sub(call.in[0], amax(call.in[0], dim, true));
  call.out[0] = sub(low, log(sum(exp(low), dim, true)));
}
void softmax_backward_form(const Call& call) {
  const Shape dim{call.attrs.integer(0)};
  const Tensor &gradient = call.in[0], &y = call.in[1];
  call.out[0] = mul(y, sub(gradient, sum(mul(gradient, y), dim, true)));
}
void log_softmax_backward_form(const Call& call) {
  const Shape dim{call.attrs.integer(0)};
  const Tensor &gradient = call.in[0], &y = call.in[1];
  call.out[0] = sub(gradient, mul(exp(y), sum(gradient, dim, true)));
}

// (sum |x|^p)^(1/p)
void norm_form(const Call& call) {
  const double order = call.attrs.number(0);
  const Shape dims = call.attrs.list(1);
  const bool keep = call.attrs.flag(2);
  const Tensor size = abs(call.in[0]);
  if (order == std::numeric_limits<double>::infinity())
    call.out[0] = amax(size, dims, keep);
  else if (order == -std::numeric_limits<double>::infinity())
    call.out[0] = amin(size, dims, keep);
  else if (order == 2)
    call.out[0] = sqrt(sum(square(size), dims, keep));
  else if (order == 0)
    call.out[0] = sum(to(ne(size, 0.0), size.scalar_type()), dims, keep);
  else
    call.out[0] = pow(sum(pow(size, order), dims, keep), 1 / order);
}

// Two passes, as the op does it.
Tensor variance(const Tensor& x, const Shape& dims, double correction, bool keep, Tensor& mean) {
  double count = 1;
  for (const int64_t dim : dims) count *= static_cast<double>(x.size(dim));
  mean = div(sum(x, dims, true), count);
  return div(sum(square(sub(x, mean)), dims, keep), std::max(count - correction, 0.0));
}
template <bool Root, bool Mean>
void moments_form(const Call& call) {
  const Shape dims = call.attrs.list(0);
  const bool keep = call.attrs.flag(2);
  Tensor mean;
  const Tensor var =
      variance(call.in[0], dims, static_cast<double>(call.attrs.integer(1)), keep, mean);
  call.out[0] = Root ? sqrt(var) : var;
  if constexpr (Mean) call.out[1] = view(mean, call.out[0].sizes());
}

// Statistics of the whole batch, as on one device.
Shape all_but_channels(const Tensor& x) {
  Shape dims;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (d != 1) dims.push_back(d);
  return dims;
}
Tensor along_channels(const Tensor& x, const Tensor& like) {
  Shape sizes;
  for (int64_t d = 0; d < like.dim(); ++d) sizes.push_back(d == 1 ? like.size(1) : 1);
  return view(x, sizes);
}
double elements_of_channel(const Tensor& x) {
  return static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
}

void batch_norm_form(const Call& call) {
  const Tensor& x = call.in[0];
  const Shape dims = all_but_channels(x);
  const double count = elements_of_channel(x);
  const Tensor mean = div(sum(x, dims), count);
  const Tensor low = sub(x, along_channels(mean, x));
  const Tensor spread = rsqrt(add(div(sum(square(low), dims), count), call.attrs.number(1)));
  Tensor y = mul(low, along_channels(spread, x));
  if (call.in.has(1)) y = mul(y, along_channels(call.in[1], x));
  if (call.in.has(2)) y = add(y, along_channels(call.in[2], x));
  call.out[0] = y;
  call.out[1] = mean;
  call.out[2] = spread;
}

// (gradient, x, weight, running mean, running variance, mean, 1 / deviation; training, eps, mask)
void batch_norm_backward_form(const Call& call) {
  const Tensor &g = call.in[0], &x = call.in[1];
  const bool training = call.attrs.flag(0);
  const int64_t mask = call.attrs.integer(2);
  const Shape dims = all_but_channels(x);
  const Tensor& mean = call.in[training ? 5 : 3];
  const Tensor spread = training ? call.in[6] : rsqrt(add(call.in[4], call.attrs.number(1)));
  const Tensor normal = mul(sub(x, along_channels(mean, x)), along_channels(spread, x));
  const Tensor of_bias = sum(g, dims), of_weight = sum(mul(g, normal), dims);
  const Tensor none = zeros({0}, x.scalar_type());
  for (size_t i = 0; i < 3; ++i) call.out[i] = none;
  if ((mask & 2) != 0) call.out[1] = of_weight;
  if ((mask & 4) != 0) call.out[2] = of_bias;
  if ((mask & 1) == 0) return;
  Tensor inner = g;
  if (training) {
    const double count = elements_of_channel(x);
    inner = sub(inner, add(along_channels(div(of_bias, count), x),
                           mul(normal, along_channels(div(of_weight, count), x))));
  }
  const Tensor factor = call.in.has(2) ? mul(spread, call.in[2]) : spread;
  call.out[0] = mul(inner, along_channels(factor, x));
}

Form form_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Form> forms = {
      {"mean", mean_form},
      {"mse_loss", pair_loss_form},
      {"l1_loss", pair_loss_form},
      {"smooth_l1_loss", pair_loss_form},
      {"huber_loss", pair_loss_form},
      {"binary_cross_entropy", pair_loss_form},
      {"binary_cross_entropy_with_logits", pair_loss_form},
      {"soft_margin_loss", pair_loss_form},
      {"kl_div", pair_loss_form},
      {"kl_div_log_target", pair_loss_form},
      {"mse_loss_backward", pair_loss_backward_form},
      {"l1_loss_backward", pair_loss_backward_form},
      {"smooth_l1_loss_backward", pair_loss_backward_form},
      {"huber_loss_backward", pair_loss_backward_form},
      {"binary_cross_entropy_backward", pair_loss_backward_form},
      {"binary_cross_entropy_with_logits_backward", pair_loss_backward_form},
      {"soft_margin_loss_backward", pair_loss_backward_form},
      {"kl_div_backward", pair_loss_backward_form},
      {"kl_div_log_target_backward", pair_loss_backward_form},
      {"nll_loss", nll_loss_form},
      {"nll_loss_backward", nll_loss_backward_form},
      {"cross_entropy_loss", cross_entropy_form},
      {"cross_entropy_loss_backward", cross_entropy_backward_form},
      {"softmax", softmax_form},
      {"log_softmax", log_softmax_form},
      {"softmax_backward", softmax_backward_form},
      {"log_softmax_backward", log_softmax_backward_form},
      {"vector_norm", norm_form},
      {"native_batch_norm", batch_norm_form},
      {"native_batch_norm_backward", batch_norm_backward_form},
      {"var", moments_form<false, false>},
      {"std", moments_form<true, false>},
      {"var_mean", moments_form<false, true>},
      {"std_mean", moments_form<true, true>},
  };
  const auto at = forms.find(name);
  return at == forms.end() ? nullptr : at->second;
}

// Forms that divide by a count are those of means; the others hold for every reduction.
bool applies(const Call& call) {
  const std::string_view name = call.op.name;
  if (name == "cross_entropy_loss" && splits_classes(call.in[0])) return true;
  if (name == "cross_entropy_loss_backward" && splits_classes(call.in[2])) return true;
  if (name == "native_batch_norm") return call.attrs.flag(0);
  const bool loss = name.find("loss") != std::string_view::npos ||
                    name.starts_with("binary_cross_entropy") || name.starts_with("kl_div");
  return !loss || call.attrs.integer(0) == Reduction::Mean;
}

// The forms' own calls pass below the tape: the call that they stand for is on it.
class LowerScope {
 public:
  explicit LowerScope(size_t level) : depth_(context().depth) { context().depth = level + 1; }
  ~LowerScope() { context().depth = depth_; }
  LowerScope(const LowerScope&) = delete;
  LowerScope& operator=(const LowerScope&) = delete;

 private:
  size_t depth_;
};

bool is_row_op(std::string_view name) { return name.find("softmax") != std::string_view::npos; }

bool is_worth_opening(const Call& call) {
  const std::string_view name = call.op.name;
  if (is_row_op(name)) {
    const Tensor& x = call.in[0];
    return x.dim() > 0 && x.size(call.attrs.integer(0)) >= kLongRow;
  }
  if (name == "native_batch_norm" || name == "native_batch_norm_backward")
    return call.attrs.flag(0);
  const bool backward = name == "cross_entropy_loss_backward";
  if (backward || name == "cross_entropy_loss") {
    const Tensor& x = call.in[backward ? 2 : 0];
    if (x.dim() > 1 && x.size(1) >= kLongRow) return true;
  }
  return applies(call);
}

// Long rows of cross entropy in the form whose classes may be split.
bool run_open_form(const Call& call) {
  const std::string_view name = call.op.name;
  const bool backward = name == "cross_entropy_loss_backward";
  if (backward || name == "cross_entropy_loss") {
    const Tensor& x = call.in[backward ? 2 : 0];
    if (x.dim() > 1 && x.size(1) >= kLongRow) {
      backward ? class_split_cross_entropy_backward(call) : class_split_cross_entropy(call);
      return true;
    }
  }
  return false;
}

}  // namespace

CompositeScope::CompositeScope() : below_(context().recorders[0]) { context().recorders[0] = this; }
CompositeScope::~CompositeScope() { context().recorders[0] = below_; }

void CompositeScope::record(const Call& call, size_t level) {
  const Form form = call.in_place ? nullptr : form_of(call.op.name);
  if (form == nullptr || !is_worth_opening(call)) return below_->record(call, level);
  const LowerScope scope(level);
  const NoGradGuard no_grad;
  if (!run_open_form(call)) form(call);
}

bool run_composite(const Call& call, size_t level) {
  const Form form = form_of(call.op.name);
  if (form == nullptr || !applies(call)) return false;
  const LowerScope scope(level);
  const NoGradGuard no_grad;
  form(call);
  return true;
}

}  // namespace oneagent::distributed
