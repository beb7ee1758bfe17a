#include <algorithm>
#include <map>
#include <set>

#include "core/ops/binary.h"
#include "core/ops/dot.h"
#include "core/ops/einsum.h"
#include "core/ops/matmul.h"
#include "core/ops/op_matrix.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

// Letters are themselves; dimension i of the ellipsis, counted from the right, is -1 - i.
using Labels = std::vector<int>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
std::string name_of_label(int label) {
  return label < 0 ? "..." : std::string(1, static_cast<char>(label));
}
bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// One side of a comma; dots stands where the ellipsis is.
struct Subscript {
  Labels before, after;
  bool dots = false;
  size_t named() const { return before.size() + after.size(); }
};

Subscript parse_subscript(std::string_view text, const std::string& where) {
  Subscript out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '.') {
      OA_REQUIRE(!out.dots, "einsum(): found '.' for ", where,
                 " for which an ellipsis was already found");
      OA_REQUIRE(text.substr(i, 3) == "...", "einsum(): found '.' for ", where,
                 " that is not part of any ellipsis");
      out.dots = true;
      i += 2;
      continue;
    }
    OA_REQUIRE(is_letter(c), "einsum(): invalid subscript given for ", where,
               " in the equation string, subscripts must be in [a-zA-Z], was '", c, "'");
    (out.dots ? out.after : out.before).push_back(c);
  }
  return out;
}

std::vector<Subscript> parse_operands(std::string_view text, size_t operands) {
  std::vector<Subscript> out;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    out.push_back(parse_subscript(text.substr(start, comma - start), str("operand ", out.size())));
    start = comma + 1;
  }
  OA_REQUIRE(out.size() <= operands,
             "einsum(): fewer operands were provided than specified in the "
             "equation: ",
             operands, " for ", out.size());
  OA_REQUIRE(out.size() >= operands,
             "einsum(): more operands were provided than specified in the "
             "equation: ",
             operands, " for ", out.size());
  return out;
}

void add_dots(Labels& labels, int64_t count) {
  for (int64_t i = count; i-- > 0;) labels.push_back(static_cast<int>(-1 - i));
}

struct Term {
  Tensor x;
  Labels labels;
};

// The diagonal of two dimensions, as the last one.
Tensor diagonal_of(const Tensor& x, int64_t first, int64_t second) {
  Shape order;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (d != first && d != second) order.push_back(d);
  order.push_back(first);
  order.push_back(second);
  const Tensor mask = matrix::on_diagonal(x.size(first));
  return sum(where(mask, permute(x, order), Scalar(0)), Shape{-1});
}

Term make_term(const Subscript& subscript, const Tensor& x, size_t index) {
  const auto named = static_cast<int64_t>(subscript.named());
  OA_REQUIRE(subscript.dots ? named <= x.dim() : named == x.dim(),
             "einsum(): the number of subscripts in the equation (", named,
             subscript.dots ? ") is more than the number of dimensions ("
                            : ") does not match the number of dimensions (",
             x.dim(), ") for operand ", index, subscript.dots ? "" : " and no ellipsis was given");
  Term out{x, subscript.before};
  if (subscript.dots) add_dots(out.labels, x.dim() - named);
  out.labels.insert(out.labels.end(), subscript.after.begin(), subscript.after.end());
  for (size_t i = 0; i < out.labels.size(); ++i)  // diagonals of repeated letters
    for (size_t j = i + 1; j < out.labels.size();) {
      if (out.labels[j] != out.labels[i]) {
        ++j;
        continue;
      }
      const auto first = static_cast<int64_t>(i), second = static_cast<int64_t>(j);
      OA_REQUIRE(out.x.size(first) == out.x.size(second), "einsum(): subscript ",
                 name_of_label(out.labels[i]), " is repeated for operand ", index,
                 " but the sizes don't match, ", out.x.size(second), " != ", out.x.size(first));
      out.x = diagonal_of(out.x, first, second);
      const int label = out.labels[i];
      out.labels.erase(out.labels.begin() + second);
      out.labels.erase(out.labels.begin() + first);
      out.labels.push_back(label);
      j = i + 1;
    }
  return out;
}

std::map<int, int64_t> sizes_of_labels(const std::vector<Term>& terms) {
  std::map<int, int64_t> out;
  for (size_t i = 0; i < terms.size(); ++i)
    for (size_t d = 0; d < terms[i].labels.size(); ++d) {
      const int64_t size = terms[i].x.sizes()[d];
      int64_t& known = out.emplace(terms[i].labels[d], 1).first->second;
      OA_REQUIRE(size == 1 || known == 1 || size == known, "einsum(): subscript ",
                 name_of_label(terms[i].labels[d]), " has size ", size, " for operand ", i,
                 " which does not broadcast with previously seen size ", known);
      if (size != 1) known = size;
    }
  return out;
}

// A dimension of size 1 that is larger elsewhere says nothing.
void drop_broadcast(Term& term, const std::map<int, int64_t>& sizes) {
  Shape kept;
  Labels labels;
  for (size_t d = 0; d < term.labels.size(); ++d) {
    if (term.x.sizes()[d] == 1 && sizes.at(term.labels[d]) != 1) continue;
    kept.push_back(term.x.sizes()[d]);
    labels.push_back(term.labels[d]);
  }
  if (labels.size() == term.labels.size()) return;
  term = {reshape(term.x, kept), labels};
}

Term arranged(const Term& term, const Labels& labels) {
  if (labels == term.labels) return term;
  Shape dims;
  for (const int label : labels)
    dims.push_back(std::find(term.labels.begin(), term.labels.end(), label) - term.labels.begin());
  return {permute(term.x, dims), labels};
}

void sum_others(Term& term, const std::set<int>& kept) {
  Shape dims;
  Labels labels;
  for (size_t d = 0; d < term.labels.size(); ++d) {
    if (kept.count(term.labels[d]) == 0)
      dims.push_back(static_cast<int64_t>(d));
    else
      labels.push_back(term.labels[d]);
  }
  if (!dims.empty()) term = {sum(term.x, dims), labels};
}

Labels joined(const Labels& a, const Labels& b, const Labels& c) {
  Labels out = a;
  out.insert(out.end(), b.begin(), b.end());
  out.insert(out.end(), c.begin(), c.end());
  return out;
}

// The product of two operands, summed over what both have and `kept` has not.
Term contract(Term a, Term b, const std::set<int>& kept) {
  std::set<int> of_a(a.labels.begin(), a.labels.end()), of_b(b.labels.begin(), b.labels.end());
  of_a.insert(kept.begin(), kept.end());
  of_b.insert(kept.begin(), kept.end());
  sum_others(a, of_b);
  sum_others(b, of_a);
  Labels batch, depth, left, right;
  for (const int label : a.labels) {
    const bool both = contains(b.labels, label);
    (!both ? left : kept.count(label) > 0 ? batch : depth).push_back(label);
  }
  for (const int label : b.labels)
    if (!contains(a.labels, label)) right.push_back(label);
  const Term first = arranged(a, joined(batch, left, depth));
  const Term second = arranged(b, joined(batch, depth, right));
  Shape sizes;
  const auto product = [&](const Tensor& x, size_t begin, size_t count, bool keep) {
    int64_t out = 1;
    for (size_t i = begin; i < begin + count; ++i) {
      out *= x.sizes()[i];
      if (keep) sizes.push_back(x.sizes()[i]);
    }
    return out;
  };
  const int64_t n_batch = product(first.x, 0, batch.size(), true);
  const int64_t rows = product(first.x, batch.size(), left.size(), true);
  const int64_t n_depth = product(first.x, batch.size() + left.size(), depth.size(), false);
  const int64_t columns = product(second.x, batch.size() + depth.size(), right.size(), true);
  Tensor out;
  if (depth.empty()) {
    out = mul(reshape(first.x, {n_batch, rows, 1}), reshape(second.x, {n_batch, 1, columns}));
  } else if (batch.empty()) {
    if (left.empty() && right.empty())
      out = dot(reshape(first.x, {n_depth}), reshape(second.x, {n_depth}));
    else
      out = mm(reshape(first.x, {rows, n_depth}), reshape(second.x, {n_depth, columns}));
  } else {
    out = bmm(reshape(first.x, {n_batch, rows, n_depth}),
              reshape(second.x, {n_batch, n_depth, columns}));
  }
  return {reshape(out, sizes), joined(batch, left, right)};
}

// The labels of the result; where the equation has no arrow, those that it names once.
Labels output_labels(std::string_view equation, size_t arrow,
                     const std::vector<Subscript>& operands, const std::vector<Term>& terms,
                     int64_t dots) {
  Labels out;
  if (arrow == std::string_view::npos) {
    add_dots(out, dots);
    std::map<int, int> counts;
    for (const Subscript& operand : operands)
      for (const Labels& part : {operand.before, operand.after})
        for (const int label : part) ++counts[label];
    for (const auto& [label, count] : counts)
      if (count == 1) out.push_back(label);
    return out;
  }
  const Subscript subscript = parse_subscript(equation.substr(arrow + 2), "the output");
  out = subscript.before;
  if (subscript.dots) add_dots(out, dots);
  out.insert(out.end(), subscript.after.begin(), subscript.after.end());
  for (size_t i = 0; i < out.size(); ++i) {
    OA_REQUIRE(std::count(out.begin(), out.end(), out[i]) == 1, "einsum(): output subscript ",
               name_of_label(out[i]), " appears more than once in the output");
    const bool known = std::any_of(terms.begin(), terms.end(),
                                   [&](const Term& term) { return contains(term.labels, out[i]); });
    OA_REQUIRE(known, "einsum(): output subscript ", name_of_label(out[i]),
               " does not appear in the equation for any input operand");
  }
  return out;
}

// Takes operands i and j out of the list and puts their product at its end.
void contract_pair(std::vector<Term>& terms, size_t i, size_t j, const Labels& output) {
  std::set<int> kept(output.begin(), output.end());
  for (size_t t = 0; t < terms.size(); ++t)
    if (t != i && t != j) kept.insert(terms[t].labels.begin(), terms[t].labels.end());
  Term product = contract(terms[i], terms[j], kept);
  terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
  terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
  terms.push_back(std::move(product));
}

}  // namespace

Tensor einsum(std::string_view equation, const std::vector<Tensor>& tensors, OptionalShape path) {
  OA_REQUIRE(!tensors.empty(), "einsum(): must provide at least one operand");
  for (const Tensor& tensor : tensors)
    OA_REQUIRE(tensor.defined(), "einsum(): expected tensors as operands, was an undefined one");
  const size_t arrow = equation.find("->");
  const auto subscripts = parse_operands(equation.substr(0, arrow), tensors.size());
  std::vector<Term> terms;
  std::vector<int64_t> dots;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (subscripts[i].dots)
      dots.push_back(tensors[i].dim() - static_cast<int64_t>(subscripts[i].named()));
    terms.push_back(make_term(subscripts[i], tensors[i], i));
  }
  const int64_t all_dots = dots.empty() ? 0 : *std::max_element(dots.begin(), dots.end());
  const Labels output = output_labels(equation, arrow, subscripts, terms, all_dots);
  const auto sizes = sizes_of_labels(terms);
  for (Term& term : terms) drop_broadcast(term, sizes);
  if (path && terms.size() > 1) {
    OA_REQUIRE(path->size() == 2 * (terms.size() - 1), "einsum(): expected contraction path of ",
               2 * (terms.size() - 1), " places, was ", path->size());
    for (size_t step = 0; step < path->size(); step += 2) {
      const int64_t i = (*path)[step], j = (*path)[step + 1];
      const auto count = static_cast<int64_t>(terms.size());
      OA_REQUIRE(i != j && i >= 0 && j >= 0 && i < count && j < count,
                 "einsum(): cannot contract operands ", i, " and ", j, " of ", count);
      contract_pair(terms, static_cast<size_t>(i), static_cast<size_t>(j), output);
    }
  }
  while (terms.size() > 1) {
    contract_pair(terms, 0, 1, output);
    std::rotate(terms.begin(), terms.end() - 1, terms.end());
  }
  sum_others(terms[0], std::set<int>(output.begin(), output.end()));
  return arranged(terms[0], output).x;
}

Tensor tensordot(const Tensor& self, const Tensor& other, const Shape& dims_self,
                 const Shape& dims_other) {
  OA_REQUIRE(dims_self.size() == dims_other.size(),
             "tensordot: both dimension lists should have the same length, was ", dims_self,
             " and ", dims_other);
  Term a{self, {}}, b{other, {}};
  for (int64_t d = 0; d < self.dim(); ++d) a.labels.push_back(static_cast<int>(d));
  for (int64_t d = 0; d < other.dim(); ++d) b.labels.push_back(static_cast<int>(100 + d));
  std::set<int> kept(a.labels.begin(), a.labels.end());
  kept.insert(b.labels.begin(), b.labels.end());
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const int64_t x = wrap_dim(dims_self[i], self.dim(), "tensordot");
    const int64_t y = wrap_dim(dims_other[i], other.dim(), "tensordot");
    int& label = b.labels[static_cast<size_t>(y)];
    OA_REQUIRE(kept.count(static_cast<int>(x)) > 0 && label >= 100,
               "tensordot: a dimension appears twice in ", dims_self, " or ", dims_other);
    kept.erase(static_cast<int>(x));
    kept.erase(label);
    label = static_cast<int>(x);
  }
  const std::vector<Term> both = {a, b};
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const int64_t x = self.size(dims_self[i]), y = other.size(dims_other[i]);
    OA_REQUIRE(x == y || x == 1 || y == 1,
               "tensordot: contracted dimensions need to match, but "
               "first has size ",
               x, " in dim ", dims_self[i], " and second has size ", y, " in dim ", dims_other[i]);
  }
  const auto sizes = sizes_of_labels(both);
  drop_broadcast(a, sizes);
  drop_broadcast(b, sizes);
  return contract(a, b, kept).x;
}

}  // namespace oneagent
