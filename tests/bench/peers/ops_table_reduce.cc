// Reductions over everything and over the last, the middle and the first dimension; scans; order.
#include "tests/bench/peers/ops_table.h"

namespace ops_table {
namespace {

// Every reduction is asked about these: a matrix by rows and by columns, and planes in the middle.
struct Inputs {
  Tensor matrix = number_in(0.5, 1.5, {pick(16, 1024), pick(32, 1024)});
  Tensor planes = number_in(0.5, 1.5, {pick(4, 64), pick(8, 128), pick(8, 128)});
  Tensor short_rows = number_in(0.5, 1.5, {pick(32, 1 << 17), 8});
  Tensor images = number_in(0.5, 1.5, {pick(2, 16), pick(4, 64), pick(4, 32), pick(4, 32)});
};

#define OA_DIMS(op)                                                                    \
  OA_BOTH(#op " all", OA_LEAVES(in.matrix), torch::op(in.matrix));                     \
  OA_BOTH(#op " last", OA_LEAVES(in.matrix), torch::op(in.matrix, {1}));               \
  OA_BOTH(#op " first", OA_LEAVES(in.matrix), torch::op(in.matrix, {0}));              \
  OA_BOTH(#op " middle", OA_LEAVES(in.planes), torch::op(in.planes, {1}));             \
  OA_BOTH(#op " short rows", OA_LEAVES(in.short_rows), torch::op(in.short_rows, {1})); \
  OA_BOTH(#op " nchw", OA_LEAVES(in.images), torch::op(in.images, {0, 2, 3}))

// The same for those that take one dimension.
#define OA_ONE_DIM(op, first_of)                                                   \
  OA_BOTH(#op " last", OA_LEAVES(in.matrix), first_of(torch::op(in.matrix, 1)));   \
  OA_BOTH(#op " first", OA_LEAVES(in.matrix), first_of(torch::op(in.matrix, 0)));  \
  OA_BOTH(#op " middle", OA_LEAVES(in.planes), first_of(torch::op(in.planes, 1))); \
  OA_BOTH(#op " short rows", OA_LEAVES(in.short_rows), first_of(torch::op(in.short_rows, 1)))

template <class Result>
Tensor values_of(Result&& result) {
  return std::get<0>(result);
}
Tensor itself(const Tensor& result) { return result; }

void of_type(const Inputs& in, torch::Dtype type, const std::string& name) {
  const Tensor m = in.matrix.mul(100).to(type);
  const Tensor planes = in.planes.mul(100).to(type);
  forward("sum all " + name, [&] { auto r = torch::sum(m); });
  forward("sum last " + name, [&] { auto r = torch::sum(m, {1}); });
  forward("sum first " + name, [&] { auto r = torch::sum(m, {0}); });
  forward("sum middle " + name, [&] { auto r = torch::sum(planes, {1}); });
  if (type == torch::kBool) return;
  forward("max all " + name, [&] { auto r = torch::max(m); });
  forward("max last " + name, [&] { auto r = torch::max(m, 1); });
  forward("argmax last " + name, [&] { auto r = torch::argmax(m, 1); });
  forward("cumsum last " + name, [&] { auto r = torch::cumsum(m, 1); });
  forward("prod all " + name, [&] { auto r = torch::prod(m); });
}

}  // namespace

void reductions() {
  const Inputs in;
  OA_DIMS(sum);
  OA_DIMS(mean);
  OA_DIMS(nansum);
  OA_DIMS(nanmean);
  OA_DIMS(amax);
  OA_DIMS(amin);
  OA_BOTH("logsumexp last", OA_LEAVES(in.matrix), torch::logsumexp(in.matrix, {1}));
  OA_BOTH("logsumexp first", OA_LEAVES(in.matrix), torch::logsumexp(in.matrix, {0}));
  OA_BOTH("logsumexp middle", OA_LEAVES(in.planes), torch::logsumexp(in.planes, {1}));
  OA_BOTH("prod all", OA_LEAVES(in.matrix), torch::prod(in.matrix));
  OA_ONE_DIM(prod, itself);
  OA_BOTH("var all", OA_LEAVES(in.matrix), torch::var(in.matrix));
  OA_BOTH("var last", OA_LEAVES(in.matrix), torch::var(in.matrix, {1}, true));
  OA_BOTH("var first", OA_LEAVES(in.matrix), torch::var(in.matrix, {0}, true));
  OA_BOTH("var middle", OA_LEAVES(in.planes), torch::var(in.planes, {1}, true));
  OA_BOTH("var nchw", OA_LEAVES(in.images), torch::var(in.images, {0, 2, 3}, true));
  OA_BOTH("std last", OA_LEAVES(in.matrix), torch::std(in.matrix, {1}, true));
  OA_BOTH("std all", OA_LEAVES(in.matrix), torch::std(in.matrix));
  OA_BOTH("var_mean last", OA_LEAVES(in.matrix), values_of(torch::var_mean(in.matrix, {1}, true)));
  OA_BOTH("std_mean last", OA_LEAVES(in.matrix), values_of(torch::std_mean(in.matrix, {1}, true)));
  OA_BOTH("norm all", OA_LEAVES(in.matrix), torch::norm(in.matrix));
  OA_BOTH("norm last", OA_LEAVES(in.matrix), torch::norm(in.matrix, 2, {1}));
  OA_BOTH("norm first", OA_LEAVES(in.matrix), torch::norm(in.matrix, 2, {0}));
  OA_BOTH("norm 1 last", OA_LEAVES(in.matrix), torch::norm(in.matrix, 1, {1}));
  OA_BOTH("norm 3 last", OA_LEAVES(in.matrix), torch::norm(in.matrix, 3, {1}));
  OA_BOTH("linalg_vector_norm inf", OA_LEAVES(in.matrix),
          torch::linalg_vector_norm(in.matrix, INFINITY, {1}));
  OA_BOTH("renorm", OA_LEAVES(in.matrix), torch::renorm(in.matrix, 2, 0, 5));
  OA_BOTH("max all", OA_LEAVES(in.matrix), torch::max(in.matrix));
  OA_BOTH("min all", OA_LEAVES(in.matrix), torch::min(in.matrix));
  OA_ONE_DIM(max, values_of);
  OA_ONE_DIM(min, values_of);
  OA_FORWARD("aminmax all", torch::aminmax(in.matrix));
  OA_FORWARD("aminmax last", torch::aminmax(in.matrix, 1));
  OA_FORWARD("argmax all", torch::argmax(in.matrix));
  OA_FORWARD("argmax last", torch::argmax(in.matrix, 1));
  OA_FORWARD("argmax first", torch::argmax(in.matrix, 0));
  OA_FORWARD("argmax middle", torch::argmax(in.planes, 1));
  OA_FORWARD("argmin last", torch::argmin(in.matrix, 1));
  const Tensor flags = in.matrix.gt(1);
  OA_FORWARD("any all", torch::any(torch::zeros_like(flags)));
  OA_FORWARD("any last", torch::any(flags, 1));
  OA_FORWARD("any first", torch::any(flags, 0));
  OA_FORWARD("all last", torch::all(flags, 1));
  OA_FORWARD("all of floats", torch::all(in.matrix));
  OA_FORWARD("count_nonzero", torch::count_nonzero(in.matrix));
  OA_FORWARD("count_nonzero last", torch::count_nonzero(in.matrix, torch::optional<int64_t>(1)));
  of_type(in, torch::kFloat64, "f64");
  of_type(in, torch::kInt64, "int64");
  of_type(in, torch::kBool, "bool");
  OA_ONE_DIM(cumsum, itself);
  OA_ONE_DIM(cumprod, itself);
  OA_ONE_DIM(cummax, values_of);
  OA_ONE_DIM(cummin, values_of);
  OA_ONE_DIM(logcumsumexp, itself);
  OA_BOTH("diff last", OA_LEAVES(in.matrix), torch::diff(in.matrix));
  OA_BOTH("trapezoid", OA_LEAVES(in.matrix), torch::trapezoid(in.matrix));
  OA_BOTH("cumulative_trapezoid", OA_LEAVES(in.matrix), torch::cumulative_trapezoid(in.matrix));
  OA_BOTH("trace", OA_LEAVES(in.matrix), torch::trace(in.matrix));
}

void order() {
  const int64_t n = pick(64, 1 << 17);
  const Tensor line = torch::randn({n});
  const Tensor m = torch::randn({pick(8, 512), pick(64, 1024)});
  const Tensor labels = whole(0, pick(10, 1000), {n});
  const Tensor wide = whole(0, 1 << 30, {n});
  const Tensor sorted = values_of(torch::sort(line));
  OA_BOTH("sort one", OA_LEAVES(line), values_of(torch::sort(line)));
  OA_BOTH("sort last", OA_LEAVES(m), values_of(torch::sort(m, 1)));
  OA_BOTH("sort first", OA_LEAVES(m), values_of(torch::sort(m, 0)));
  OA_FORWARD("sort descending", torch::sort(m, 1, true));
  OA_FORWARD("sort int64", torch::sort(wide));
  OA_FORWARD("sort few int64", torch::sort(labels));
  OA_FORWARD("sort f64", torch::sort(m.to(torch::kFloat64), 1));
  OA_FORWARD("sort sorted", torch::sort(sorted));
  OA_FORWARD("argsort last", torch::argsort(m, int64_t{1}));
  OA_FORWARD("msort", torch::msort(m));
  OA_BOTH("topk 5", OA_LEAVES(m), values_of(torch::topk(m, 5, 1)));
  OA_BOTH("topk half", OA_LEAVES(m), values_of(torch::topk(m, pick(32, 512), 1)));
  OA_FORWARD("topk one", torch::topk(line, 10));
  OA_FORWARD("topk first", torch::topk(m, 5, 0));
  OA_BOTH("kthvalue", OA_LEAVES(m), values_of(torch::kthvalue(m, 20, 1)));
  OA_BOTH("median all", OA_LEAVES(m), torch::median(m));
  OA_BOTH("median last", OA_LEAVES(m), values_of(torch::median(m, 1)));
  OA_BOTH("nanmedian last", OA_LEAVES(m), values_of(torch::nanmedian(m, 1)));
  OA_FORWARD("mode", torch::mode(m, 1));
  OA_BOTH("quantile last", OA_LEAVES(m), torch::quantile(m, 0.3, 1));
  OA_BOTH("quantile all", OA_LEAVES(line), torch::quantile(line, 0.3));
  OA_FORWARD("nanquantile last", torch::nanquantile(m, 0.3, 1));
  OA_FORWARD("_unique", torch::_unique(labels));
  OA_FORWARD("_unique2", torch::_unique2(labels, true, true, true));
  OA_FORWARD("_unique2 floats", torch::_unique2(line));
  OA_FORWARD("unique_consecutive", torch::unique_consecutive(labels));
  OA_FORWARD("unique_dim", torch::unique_dim(labels.view({-1, 4}), 0));
  OA_FORWARD("searchsorted", torch::searchsorted(sorted, line));
  OA_FORWARD("bucketize",
             torch::bucketize(line, sorted.slice(0, 0, n, pick(4, 1024)).contiguous()));
  OA_FORWARD("isin", torch::isin(labels, torch::arange(50)));
  OA_FORWARD("histc", torch::histc(line, 100));
  OA_FORWARD("histogram", torch::histogram(line, 100));
  OA_FORWARD("bincount", torch::bincount(labels));
  OA_FORWARD("bincount weights", torch::bincount(labels, line));
  OA_FORWARD("nonzero", torch::nonzero(m.gt(0)));
  OA_FORWARD("nonzero one", torch::nonzero(line.gt(1)));
  OA_FORWARD("argwhere", torch::argwhere(m.gt(0)));
  OA_BOTH("cov", OA_LEAVES(m), torch::cov(m.slice(0, 0, 32)));
  OA_FORWARD("corrcoef", torch::corrcoef(m.slice(0, 0, 32)));
}

}  // namespace ops_table
