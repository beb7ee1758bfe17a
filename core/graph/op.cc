#include "core/graph/op.h"

#include <algorithm>

namespace oneagent {
namespace {

double bytes_of(const TensorMeta& meta) {
  return static_cast<double>(meta.sizes.numel()) * static_cast<double>(size_of(meta.dtype));
}

}  // namespace

double flops_of(const Op& op, Metas in, const Attrs& attrs, const Inferred& out) {
  if (op.flops != nullptr) return op.flops(in, attrs, out);
  double total = 0;
  if (op.alias_of < 0)
    for (size_t i = 0; i < out.size(); ++i) total += static_cast<double>(out[i].sizes.numel());
  return total;
}

double bytes_of(const Op& op, Metas in, const Attrs& attrs, const Inferred& out) {
  if (op.bytes != nullptr) return op.bytes(in, attrs, out);
  if (op.alias_of >= 0) return 0;
  double total = 0;
  for (const TensorMeta* meta : in)
    if (meta != nullptr) total += bytes_of(*meta);
  for (size_t i = 0; i < out.size(); ++i) total += bytes_of(out[i]);
  return total;
}

void require_absent(const Op& op, size_t i) {
  const bool may_be = (op.absent >> std::min<size_t>(i, 31) & 1) != 0;
  OA_REQUIRE(may_be, op.name, ": expected a tensor as operand ", i + 1, ", was an undefined one");
}

std::string describe_call(const Op& op, Inputs in, const Attrs& attrs) {
  std::string out = str(op.name, "(");
  for (size_t i = 0; i < in.size(); ++i) {
    out += i > 0 ? ", " : "";
    out += in.has(i) ? str(in[i].sizes(), " ", name_of(in[i].dtype())) : "none";
  }
  if (attrs.size() > 0) out += str(in.size() > 0 ? ", " : "", print(op.attrs, attrs));
  return out + ")";
}

}  // namespace oneagent
