// Printing of tensors the way libtorch's C++ front end prints them: a scale that all elements
// share, fixed columns, matrices cut into groups of columns that fit the line, one matrix per index
// of the leading dimensions, and the type with its shape below.
#include <cmath>
#include <iomanip>
#include <iostream>

#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

constexpr int kDigits = 4;

// Restores the flags of a stream.
class StreamState {
 public:
  explicit StreamState(std::ostream& out)
      : out_(out), flags_(out.flags()), precision_(out.precision()), width_(out.width()) {
    const char fill = out.fill();
    out.copyfmt(std::ios(nullptr));
    out.fill(fill);
  }
  ~StreamState() {
    out_.flags(flags_);
    out_.precision(precision_);
    out_.width(width_);  // pads what comes next
  }
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

 private:
  std::ostream& out_;
  std::ios::fmtflags flags_;
  std::streamsize precision_, width_;
};

struct Format {
  double scale = 1;
  int width = 0;
};

// Digits before the point of the largest and smallest finite magnitude decide; sets the stream's
// notation.
Format choose_format(std::ostream& out, const std::vector<double>& values) {
  if (values.empty()) return {1, 0};
  bool whole = true, any = false;
  double low = 1, high = 1;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    whole = whole && std::ceil(value) == value;
    const double size = std::abs(value);
    low = any ? std::min(low, size) : size;
    if (!any || value > high) high = size;  // the sign counts here, as in libtorch 1.13
    any = true;
  }
  const auto exponent = [&](double value) {
    if (!any) return 1;
    return value == 0 ? 1 : static_cast<int>(std::floor(std::log10(value)) + 1);
  };
  const int smallest = exponent(low), largest = exponent(high);
  if (whole) {
    if (largest > 9) {
      out << std::scientific << std::setprecision(kDigits);
      return {1, 11};
    }
    out << std::defaultfloat;
    return {1, largest + 1};
  }
  if (largest - smallest > kDigits) {
    out << std::scientific << std::setprecision(kDigits);
    return {1, std::abs(largest) > 99 || std::abs(smallest) > 99 ? 12 : 11};
  }
  out << std::fixed << std::setprecision(kDigits);
  if (largest > 5 || largest < 0) return {std::pow(10.0, largest - 1), 7};
  return {1, largest == 0 ? 7 : largest + 6};
}

void print_scale(std::ostream& out, double scale) {
  const std::ios::fmtflags flags = out.flags();
  out << std::defaultfloat << scale << " *" << '\n';
  out.flags(flags);
}

void print_matrix(std::ostream& out, const Tensor& matrix, int64_t line_size, int indent) {
  const std::vector<double> values = to_vector<double>(matrix);
  const int64_t rows = matrix.size(0), columns = matrix.size(1);
  const Format format = choose_format(out, values);
  const auto pad = [&](int width) { out << std::setw(width) << ""; };
  const int64_t fitting = std::max<int64_t>(1, (line_size - indent) / (format.width + 1));
  pad(indent);
  for (int64_t first = 0; first < columns; first += fitting) {
    const int64_t last = std::min(columns, first + fitting);
    if (fitting < columns) {
      if (first != 0) out << '\n';
      out << "Columns " << first + 1 << " to " << last;
      pad(indent);
    }
    if (format.scale != 1) {
      print_scale(out, format.scale);
      pad(indent);
    }
    for (int64_t row = 0; row < rows; ++row) {
      if (row > 0) pad(format.scale != 1 ? indent + 1 : indent);
      for (int64_t column = first; column < last; ++column)
        out << std::setw(format.width)
            << values[static_cast<size_t>(row * columns + column)] / format.scale
            << (column == last - 1 ? '\n' : ' ');
    }
  }
}

void print_slices(std::ostream& out, const Tensor& x, int64_t line_size) {
  if (x.numel() == 0) return;
  const int64_t leading = x.dim() - 2;
  std::vector<int64_t> at(static_cast<size_t>(leading), 0);
  for (bool first = true;; first = false) {
    if (!first) out << '\n';
    out << '(';
    Tensor matrix = x;
    for (const int64_t index : at) {
      out << index + 1 << ',';
      matrix = matrix.select(0, index);
    }
    out << ".,.) = " << '\n';
    print_matrix(out, matrix, line_size, 1);
    int64_t dim = 0;  // the first dimension counts fastest
    while (dim < leading && ++at[static_cast<size_t>(dim)] == x.size(dim))
      at[static_cast<size_t>(dim++)] = 0;
    if (dim == leading) return;
  }
}

void print_vector(std::ostream& out, const Tensor& x) {
  const std::vector<double> values = to_vector<double>(x);
  const Format format = choose_format(out, values);
  if (format.scale != 1) print_scale(out, format.scale);
  for (const double value : values) out << std::setw(format.width) << value / format.scale << '\n';
}

}  // namespace

std::ostream& print(std::ostream& out, const Tensor& tensor, int64_t line_size) {
  const StreamState state(out);
  if (!tensor.defined()) return out << "[ Tensor (undefined) ]";
  const NoGradGuard guard;
  const Tensor x = tensor.detach();
  if (x.is_sparse())
    return out << "[ " << x.toString() << "{}\nindices:\n"
               << x._indices() << "\nvalues:\n"
               << x._values() << "\nsize:\n"
               << x.sizes() << "\n]";
  if (x.dim() == 0) {
    out << std::defaultfloat << to_vector<double>(x)[0] << '\n';
  } else if (x.dim() == 1) {
    if (x.numel() > 0) print_vector(out, x);
  } else if (x.dim() == 2) {
    if (x.numel() > 0) print_matrix(out, x, line_size, 0);
  } else {
    print_slices(out, x, line_size);
  }
  out << "[ " << x.toString() << '{';
  for (size_t i = 0; i < x.sizes().size(); ++i) out << (i > 0 ? "," : "") << x.sizes()[i];
  return out << "} ]";
}

std::ostream& operator<<(std::ostream& out, const Tensor& x) { return print(out, x, 80); }

std::string Tensor::to_string() const { return str(*this); }

}  // namespace oneagent
