// The methods of Tensor that compute: each calls the function of the same name.
#include "core/graph/autograd.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/index.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/random.h"
#include "core/ops/reduce.h"
#include "core/ops/slice.h"
#include "core/ops/softmax.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {

void Tensor::backward(const Tensor& gradient, bool retain_graph, bool create_graph) const {
  autograd::backward({*this}, {gradient}, retain_graph, create_graph);
}
Tensor Tensor::to(Device device) const {
  OA_REQUIRE(device == this->device(), "to: this build has no device ", device);
  return *this;
}
Tensor Tensor::expand_as(const Tensor& other) const {
  return oneagent::expand(*this, other.sizes());
}
const Tensor& Tensor::zero_() const { return oneagent::fill_(*this, 0); }

Tensor Tensor::to(DType dtype) const { return oneagent::to(*this, dtype); }
Tensor Tensor::clone() const { return oneagent::clone(*this); }
Tensor Tensor::contiguous() const { return oneagent::contiguous(*this); }
const Tensor& Tensor::copy_(const Tensor& source) const { return oneagent::copy_(*this, source); }
Tensor Tensor::view(const Shape& sizes) const { return oneagent::view(*this, sizes); }
Tensor Tensor::reshape(const Shape& sizes) const { return oneagent::reshape(*this, sizes); }
Tensor Tensor::flatten(int64_t start_dim, int64_t end_dim) const {
  return oneagent::flatten(*this, start_dim, end_dim);
}
Tensor Tensor::transpose(int64_t dim0, int64_t dim1) const {
  return oneagent::transpose(*this, dim0, dim1);
}
Tensor Tensor::t() const { return oneagent::t(*this); }
Tensor Tensor::permute(const Shape& dims) const { return oneagent::permute(*this, dims); }
Tensor Tensor::expand(const Shape& sizes) const { return oneagent::expand(*this, sizes); }
Tensor Tensor::squeeze() const { return oneagent::squeeze(*this); }
Tensor Tensor::squeeze(int64_t dim) const { return oneagent::squeeze(*this, dim); }
Tensor Tensor::unsqueeze(int64_t dim) const { return oneagent::unsqueeze(*this, dim); }
Tensor Tensor::narrow(int64_t dim, int64_t start, int64_t length) const {
  return oneagent::narrow(*this, dim, start, length);
}
Tensor Tensor::slice(int64_t dim, int64_t start, int64_t end, int64_t step) const {
  return oneagent::slice(*this, dim, start, end, step);
}
Tensor Tensor::select(int64_t dim, int64_t index) const {
  return oneagent::select(*this, dim, index);
}
Tensor Tensor::add(const Tensor& other) const { return oneagent::add(*this, other); }
Tensor Tensor::add(Scalar other) const { return oneagent::add(*this, other); }
Tensor Tensor::sub(const Tensor& other) const { return oneagent::sub(*this, other); }
Tensor Tensor::sub(Scalar other) const { return oneagent::sub(*this, other); }
Tensor Tensor::mul(const Tensor& other) const { return oneagent::mul(*this, other); }
Tensor Tensor::mul(Scalar other) const { return oneagent::mul(*this, other); }
Tensor Tensor::div(const Tensor& other) const { return oneagent::div(*this, other); }
Tensor Tensor::div(Scalar other) const { return oneagent::div(*this, other); }
Tensor Tensor::pow(Scalar exponent) const { return oneagent::pow(*this, exponent); }
Tensor Tensor::pow(const Tensor& exponent) const { return oneagent::pow(*this, exponent); }
Tensor Tensor::neg() const { return oneagent::neg(*this); }
Tensor Tensor::abs() const { return oneagent::abs(*this); }
Tensor Tensor::exp() const { return oneagent::exp(*this); }
Tensor Tensor::log() const { return oneagent::log(*this); }
Tensor Tensor::sqrt() const { return oneagent::sqrt(*this); }
Tensor Tensor::rsqrt() const { return oneagent::rsqrt(*this); }
Tensor Tensor::square() const { return oneagent::square(*this); }
Tensor Tensor::tanh() const { return oneagent::tanh(*this); }
Tensor Tensor::sigmoid() const { return oneagent::sigmoid(*this); }
Tensor Tensor::relu() const { return oneagent::relu(*this); }
Tensor Tensor::clamp(std::optional<Scalar> min, std::optional<Scalar> max) const {
  return oneagent::clamp(*this, min, max);
}
Tensor Tensor::minimum(const Tensor& other) const { return oneagent::minimum(*this, other); }
Tensor Tensor::maximum(const Tensor& other) const { return oneagent::maximum(*this, other); }
Tensor Tensor::masked_fill(const Tensor& mask, Scalar value) const {
  return oneagent::masked_fill(*this, mask, value);
}
Tensor Tensor::logical_not() const { return oneagent::logical_not(*this); }
Tensor Tensor::logical_and(const Tensor& other) const {
  return oneagent::logical_and(*this, other);
}
Tensor Tensor::logical_or(const Tensor& other) const { return oneagent::logical_or(*this, other); }
Tensor Tensor::eq(const Tensor& other) const { return oneagent::eq(*this, other); }
Tensor Tensor::ne(const Tensor& other) const { return oneagent::ne(*this, other); }
Tensor Tensor::lt(const Tensor& other) const { return oneagent::lt(*this, other); }
Tensor Tensor::le(const Tensor& other) const { return oneagent::le(*this, other); }
Tensor Tensor::gt(const Tensor& other) const { return oneagent::gt(*this, other); }
Tensor Tensor::ge(const Tensor& other) const { return oneagent::ge(*this, other); }
Tensor Tensor::eq(Scalar other) const { return oneagent::eq(*this, other); }
Tensor Tensor::ne(Scalar other) const { return oneagent::ne(*this, other); }
Tensor Tensor::lt(Scalar other) const { return oneagent::lt(*this, other); }
Tensor Tensor::le(Scalar other) const { return oneagent::le(*this, other); }
Tensor Tensor::gt(Scalar other) const { return oneagent::gt(*this, other); }
Tensor Tensor::ge(Scalar other) const { return oneagent::ge(*this, other); }
Tensor Tensor::sum() const { return oneagent::sum(*this); }
Tensor Tensor::sum(const Shape& dims, bool keepdim) const {
  return oneagent::sum(*this, dims, keepdim);
}
Tensor Tensor::mean() const { return oneagent::mean(*this); }
Tensor Tensor::mean(const Shape& dims, bool keepdim) const {
  return oneagent::mean(*this, dims, keepdim);
}
Tensor Tensor::max() const { return oneagent::max(*this); }
Tensor Tensor::min() const { return oneagent::min(*this); }
std::tuple<Tensor, Tensor> Tensor::max(int64_t dim, bool keepdim) const {
  return oneagent::max(*this, dim, keepdim);
}
std::tuple<Tensor, Tensor> Tensor::min(int64_t dim, bool keepdim) const {
  return oneagent::min(*this, dim, keepdim);
}
Tensor Tensor::argmax(std::optional<int64_t> dim, bool keepdim) const {
  return oneagent::argmax(*this, dim, keepdim);
}
Tensor Tensor::argmin(std::optional<int64_t> dim, bool keepdim) const {
  return oneagent::argmin(*this, dim, keepdim);
}
Tensor Tensor::var(bool unbiased) const { return oneagent::var(*this, unbiased); }
Tensor Tensor::var(int64_t dim, bool unbiased, bool keepdim) const {
  return oneagent::var(*this, Shape{dim}, unbiased, keepdim);
}
Tensor Tensor::std(bool unbiased) const { return oneagent::std(*this, unbiased); }
Tensor Tensor::std(int64_t dim, bool unbiased, bool keepdim) const {
  return oneagent::std(*this, Shape{dim}, unbiased, keepdim);
}
Tensor Tensor::norm() const { return oneagent::norm(*this); }
Tensor Tensor::any() const { return oneagent::any(*this); }
Tensor Tensor::all() const { return oneagent::all(*this); }
Tensor Tensor::logsumexp(int64_t dim, bool keepdim) const {
  return oneagent::logsumexp(*this, dim, keepdim);
}
Tensor Tensor::softmax(int64_t dim) const { return oneagent::softmax(*this, dim); }
Tensor Tensor::log_softmax(int64_t dim) const { return oneagent::log_softmax(*this, dim); }
Tensor Tensor::cumsum(int64_t dim) const { return oneagent::cumsum(*this, dim); }
Tensor Tensor::matmul(const Tensor& other) const { return oneagent::matmul(*this, other); }
Tensor Tensor::mm(const Tensor& other) const { return oneagent::mm(*this, other); }
Tensor Tensor::bmm(const Tensor& other) const { return oneagent::bmm(*this, other); }
Tensor Tensor::gather(int64_t dim, const Tensor& index) const {
  return oneagent::gather(*this, dim, index);
}
Tensor Tensor::scatter(int64_t dim, const Tensor& index, const Tensor& source) const {
  return oneagent::scatter(*this, dim, index, source);
}
Tensor Tensor::scatter_add(int64_t dim, const Tensor& index, const Tensor& source) const {
  return oneagent::scatter_add(*this, dim, index, source);
}
Tensor Tensor::index_select(int64_t dim, const Tensor& index) const {
  return oneagent::index_select(*this, dim, index);
}
const Tensor& Tensor::add_(const Tensor& other) const { return oneagent::add_(*this, other); }
const Tensor& Tensor::add_(Scalar other) const { return oneagent::add_(*this, other); }
const Tensor& Tensor::sub_(const Tensor& other) const { return oneagent::sub_(*this, other); }
const Tensor& Tensor::sub_(Scalar other) const { return oneagent::sub_(*this, other); }
const Tensor& Tensor::mul_(const Tensor& other) const { return oneagent::mul_(*this, other); }
const Tensor& Tensor::mul_(Scalar other) const { return oneagent::mul_(*this, other); }
const Tensor& Tensor::div_(const Tensor& other) const { return oneagent::div_(*this, other); }
const Tensor& Tensor::div_(Scalar other) const { return oneagent::div_(*this, other); }
const Tensor& Tensor::clamp_(std::optional<Scalar> min, std::optional<Scalar> max) const {
  return oneagent::clamp_(*this, min, max);
}
const Tensor& Tensor::fill_(Scalar value) const { return oneagent::fill_(*this, value); }
const Tensor& Tensor::uniform_(double low, double high, Generator& generator) const {
  return oneagent::uniform_(*this, low, high, generator);
}
const Tensor& Tensor::normal_(double mean, double deviation, Generator& generator) const {
  return oneagent::normal_(*this, mean, deviation, generator);
}

Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
Tensor operator+(const Tensor& a, Scalar b) { return add(a, b); }
Tensor operator+(Scalar a, const Tensor& b) { return add(a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
Tensor operator-(const Tensor& a, Scalar b) { return sub(a, b); }
Tensor operator-(Scalar a, const Tensor& b) { return sub(a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
Tensor operator*(const Tensor& a, Scalar b) { return mul(a, b); }
Tensor operator*(Scalar a, const Tensor& b) { return mul(a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
Tensor operator/(const Tensor& a, Scalar b) { return div(a, b); }
Tensor operator/(Scalar a, const Tensor& b) { return div(a, b); }
Tensor operator-(const Tensor& a) { return neg(a); }
Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
Tensor operator==(const Tensor& a, Scalar b) { return eq(a, b); }
Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
Tensor operator!=(const Tensor& a, Scalar b) { return ne(a, b); }
Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
Tensor operator<(const Tensor& a, Scalar b) { return lt(a, b); }
Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
Tensor operator<=(const Tensor& a, Scalar b) { return le(a, b); }
Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
Tensor operator>(const Tensor& a, Scalar b) { return gt(a, b); }
Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
Tensor operator>=(const Tensor& a, Scalar b) { return ge(a, b); }
Tensor operator!(const Tensor& a) { return logical_not(a); }

}  // namespace oneagent
