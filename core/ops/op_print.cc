// Printing of tensors: nested brackets, the type and shape below; long dimensions show their ends.
#include <iomanip>

#include "core/ops/creation.h"

namespace oneagent {
namespace {

constexpr int64_t kEnds = 3;

void print_values(std::ostream& out, const Tensor& x, const std::vector<double>& values, size_t dim,
                  int64_t offset, int64_t inner) {
  if (dim == x.sizes().size()) {
    out << values[static_cast<size_t>(offset)];
    return;
  }
  const int64_t size = x.sizes()[dim];
  const int64_t step = size == 0 ? 0 : inner / size;
  out << '[';
  for (int64_t i = 0; i < size; ++i) {
    if (i > 0) out << ", ";
    if (size > 2 * kEnds && x.numel() > 1000 && i == kEnds) {
      out << "..., ";
      i = size - kEnds;
    }
    print_values(out, x, values, dim + 1, offset + i * step, step);
  }
  out << ']';
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& x) {
  if (!x.defined()) return out << "[undefined tensor]";
  print_values(out, x, to_vector<double>(x), 0, 0, x.numel());
  return out << "\n[" << name_of(x.dtype()) << " " << x.sizes() << "]";
}

std::string Tensor::to_string() const { return str(*this); }

}  // namespace oneagent
