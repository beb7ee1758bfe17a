// Products, factorizations, solvers and Fourier transforms.
#include "tests/bench/peers/ops_table.h"

namespace ops_table {
namespace {

void products() {
  const int64_t n = pick(8, 256);
  const Tensor a = torch::randn({n, n});
  const Tensor b = torch::randn({n, n});
  const Tensor v = torch::randn({n});
  const Tensor c = torch::randn({n, n});
  const Tensor batch = torch::randn({pick(4, 32), pick(4, 64), pick(4, 64)});
  const Tensor other = torch::randn({pick(4, 32), pick(4, 64), pick(4, 64)});
  const Tensor x = torch::randn({pick(4, 128), pick(16, 512)});
  const Tensor weight = torch::randn({pick(16, 512), pick(16, 512)});
  const Tensor bias = torch::randn({pick(16, 512)});
  const Tensor line = torch::randn({pick(64, 1 << 20)});
  const Tensor line2 = torch::randn({pick(64, 1 << 20)});
  OA_BOTH("mm", OA_LEAVES(a, b), torch::mm(a, b));
  OA_FORWARD("mm f64", torch::mm(a.to(torch::kFloat64), b.to(torch::kFloat64)));
  OA_FORWARD("mm int64", torch::mm(whole(0, 9, {pick(8, 64), 8}), whole(0, 9, {8, pick(8, 64)})));
  OA_BOTH("mm transposed", OA_LEAVES(a, b), torch::mm(a.t(), b.t()));
  OA_BOTH("mv", OA_LEAVES(a, v), torch::mv(a, v));
  OA_BOTH("mv transposed", OA_LEAVES(a, v), torch::mv(a.t(), v));
  OA_BOTH("dot", OA_LEAVES(line, line2), torch::dot(line, line2));
  OA_BOTH("outer", OA_LEAVES(v), torch::outer(v, v));
  OA_BOTH("matmul 3-d and 2-d", OA_LEAVES(batch, other), torch::matmul(batch, other.select(0, 0)));
  OA_BOTH("bmm", OA_LEAVES(batch, other), torch::bmm(batch, other));
  OA_BOTH("baddbmm", OA_LEAVES(batch, other), torch::baddbmm(batch, batch, other));
  OA_BOTH("addbmm", OA_LEAVES(batch, other), torch::addbmm(batch.select(0, 0), batch, other));
  OA_BOTH("addmm", OA_LEAVES(a, b, c), torch::addmm(c, a, b));
  OA_BOTH("addmm row", OA_LEAVES(a, b, v), torch::addmm(v, a, b));
  OA_BOTH("addmv", OA_LEAVES(a, v), torch::addmv(v, a, v));
  OA_BOTH("addr", OA_LEAVES(a, v), torch::addr(a, v, v));
  OA_BOTH("linear", OA_LEAVES(x, weight, bias), torch::linear(x, weight, bias));
  OA_BOTH("linear one row", OA_LEAVES(weight, bias), torch::linear(x.slice(0, 0, 1), weight, bias));
  OA_BOTH(
      "bilinear", OA_LEAVES(a),
      torch::bilinear(a.slice(0, 0, 8), b.slice(0, 0, 8), a.view({1, n, n}).expand({4, n, n}), {}));
  OA_BOTH("einsum bij,bjk->bik", OA_LEAVES(batch, other),
          torch::einsum("bij,bjk->bik", {batch, other}));
  OA_BOTH("einsum ij->ji", OA_LEAVES(a), torch::einsum("ij->ji", {a}));
  OA_BOTH("tensordot", OA_LEAVES(batch, other), torch::tensordot(batch, other, {0, 1}, {0, 1}));
  OA_BOTH("kron", OA_LEAVES(batch), torch::kron(batch.select(0, 0), a.slice(0, 0, 4)));
  OA_FORWARD("chain_matmul", torch::chain_matmul({a, b, c}));
  OA_BOTH("linalg_multi_dot", OA_LEAVES(a, b), torch::linalg_multi_dot({a, b, c}));
  OA_BOTH("cross", OA_LEAVES(line),
          torch::cross(line.slice(0, 0, pick(48, 999999)).view({-1, 3}),
                       line2.slice(0, 0, pick(48, 999999)).view({-1, 3}), 1));
  OA_BOTH("linalg_vecdot", OA_LEAVES(a, b), torch::linalg_vecdot(a, b));
  OA_BOTH("cdist 2", OA_LEAVES(x), torch::cdist(x, weight));
  OA_BOTH("cdist 1", OA_LEAVES(x), torch::cdist(x.slice(1, 0, 64), weight.slice(1, 0, 64), 1));
  OA_BOTH("pdist", OA_LEAVES(x), torch::pdist(x));
  OA_BOTH("cosine_similarity", OA_LEAVES(a, b), torch::cosine_similarity(a, b, 1));
  OA_BOTH("pairwise_distance", OA_LEAVES(a, b), torch::pairwise_distance(a, b));
}

template <class Result>
Tensor head(Result&& result) {
  return std::get<0>(result);
}

void factorizations() {
  const int64_t n = pick(4, 128);
  const Tensor raw = torch::randn({n, n});
  const Tensor a = raw + torch::eye(n) * static_cast<double>(n);
  const Tensor spd = raw.mm(raw.t()) + torch::eye(n) * static_cast<double>(n);
  const Tensor b = torch::randn({n, pick(2, 16)});
  const Tensor many = torch::randn({pick(4, 256), 4, 4}) + torch::eye(4) * 4.0;
  const Tensor many_b = torch::randn({pick(4, 256), 4, 2});
  const Tensor factor = torch::linalg_cholesky(spd);
  const Tensor tall = torch::randn({2 * n, n});
  OA_BOTH("linalg_cholesky", OA_LEAVES(spd), torch::linalg_cholesky(spd));
  OA_BOTH("cholesky_solve", OA_LEAVES(b), torch::cholesky_solve(b, factor));
  OA_FORWARD("cholesky_inverse", torch::cholesky_inverse(factor));
  OA_BOTH("linalg_inv", OA_LEAVES(a), torch::linalg_inv(a));
  OA_BOTH("linalg_inv many", OA_LEAVES(many), torch::linalg_inv(many));
  OA_BOTH("linalg_det", OA_LEAVES(many), torch::linalg_det(many));
  OA_BOTH("linalg_slogdet", OA_LEAVES(a), std::get<1>(torch::linalg_slogdet(a)));
  OA_BOTH("logdet", OA_LEAVES(spd), torch::logdet(spd));
  OA_BOTH("linalg_solve", OA_LEAVES(a, b), torch::linalg_solve(a, b));
  OA_BOTH("linalg_solve many", OA_LEAVES(many, many_b), torch::linalg_solve(many, many_b));
  OA_BOTH("linalg_solve_triangular", OA_LEAVES(b),
          torch::linalg_solve_triangular(factor, b, false));
  OA_BOTH("triangular_solve", OA_LEAVES(b), head(torch::triangular_solve(b, factor, false)));
  OA_FORWARD("linalg_lu_factor", torch::linalg_lu_factor(a));
  OA_BOTH("linalg_lu", OA_LEAVES(a), std::get<1>(torch::linalg_lu(a)));
  const auto lu = torch::linalg_lu_factor(a);
  OA_FORWARD("linalg_lu_solve", torch::linalg_lu_solve(std::get<0>(lu), std::get<1>(lu), b));
  OA_FORWARD("lu_unpack", torch::lu_unpack(std::get<0>(lu), std::get<1>(lu)));
  OA_BOTH("linalg_qr", OA_LEAVES(tall), std::get<1>(torch::linalg_qr(tall)));
  OA_FORWARD("geqrf", torch::geqrf(tall));
  OA_FORWARD("linalg_householder_product",
             torch::linalg_householder_product(tall, torch::ones({n}) * 0.1));
  OA_BOTH("linalg_svd", OA_LEAVES(a), std::get<1>(torch::linalg_svd(a, false)));
  OA_BOTH("linalg_svdvals", OA_LEAVES(a), torch::linalg_svdvals(a));
  OA_BOTH("linalg_eigh", OA_LEAVES(spd), std::get<0>(torch::linalg_eigh(spd)));
  OA_BOTH("linalg_eigvalsh", OA_LEAVES(spd), torch::linalg_eigvalsh(spd));
  OA_BOTH("linalg_pinv", OA_LEAVES(tall), torch::linalg_pinv(tall));
  OA_FORWARD("linalg_lstsq", torch::linalg_lstsq(tall, tall.slice(1, 0, 2)));
  OA_FORWARD("linalg_matrix_rank", torch::linalg_matrix_rank(a));
  OA_FORWARD("linalg_cond", torch::linalg_cond(a));
  OA_BOTH("linalg_matrix_power", OA_LEAVES(a), torch::linalg_matrix_power(a, 3));
  OA_BOTH("linalg_matrix_exp", OA_LEAVES(raw), torch::linalg_matrix_exp(raw));
  OA_BOTH("linalg_norm", OA_LEAVES(a), torch::linalg_norm(a));
  OA_BOTH("linalg_matrix_norm nuc", OA_LEAVES(a), torch::linalg_matrix_norm(a, "nuc"));
  OA_FORWARD("linalg_ldl_factor", torch::linalg_ldl_factor(spd));
  OA_FORWARD("linalg_vander", torch::linalg_vander(b.select(1, 0)));
}

// Ours keep complex numbers as pairs.
void transforms() {
  const Tensor signal = torch::randn({pick(4, 64), pick(64, 1024)});
  const Tensor odd = torch::randn({pick(4, 64), pick(60, 1000)});
  const Tensor picture = torch::randn({pick(2, 4), pick(8, 256), pick(8, 256)});
  const auto forward_of = [](const Tensor& x, std::vector<int64_t> dim) {
#ifdef ONEAGENT
    return torch::fft_r2c(x, dim, 0, true);
#else
    return torch::_fft_r2c(x, dim, 0, true);
#endif
  };
  const auto complex_of = [](const Tensor& x) {
#ifdef ONEAGENT
    return torch::fft_c2c(x, {1}, 0, true);
#else
    return torch::_fft_c2c(x, {1}, 0, true);
#endif
  };
  const auto inverse_of = [](const Tensor& x, int64_t n) {
#ifdef ONEAGENT
    return torch::fft_c2r(x, {1}, 2, n);
#else
    return torch::_fft_c2r(x, {1}, 2, n);
#endif
  };
  const Tensor spectrum = forward_of(signal, {1});
  OA_FORWARD("fft r2c", forward_of(signal, {1}));
  OA_FORWARD("fft r2c 1000", forward_of(odd, {1}));
  OA_FORWARD("fft r2c 2-d", forward_of(picture, {1, 2}));
  OA_FORWARD("fft c2c", complex_of(spectrum));
  OA_FORWARD("fft c2r", inverse_of(spectrum, signal.size(1)));
}

}  // namespace

void linear_algebra() {
  products();
  factorizations();
  transforms();
}

}  // namespace ops_table
