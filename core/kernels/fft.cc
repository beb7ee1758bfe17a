#include "core/kernels/fft.h"

#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <numbers>
#include <vector>

#include "core/kernels/cpu/fft.h"
#include "core/kernels/matrices.h"

namespace oneagent {
namespace {

constexpr int kLargestRadix = 23;
constexpr size_t kPlansKept = 64;  // of each thread and type

// exp(-2 pi i k / n), exact to the last bit or so: the angle is taken from the nearest axis.
std::complex<double> root(int64_t k, int64_t n) {
  k %= n;
  const int64_t octant = 8 * k / n;
  const auto turned = [&](int64_t numerator) {  // of the angle pi numerator / (4 n)
    const double angle =
        std::numbers::pi * static_cast<double>(numerator) / (4.0 * static_cast<double>(n));
    return std::complex<double>(std::cos(angle), std::sin(angle));
  };
  const int64_t even = (octant + 1) / 2;  // quarter turns to the nearest axis
  const std::complex<double> rest = turned(8 * k - 2 * even * n);
  double re = rest.real(), im = rest.imag();
  for (int64_t i = 0; i < even % 4; ++i) {
    const double before = re;
    re = -im;
    im = before;
  }
  return {re, -im};
}

std::vector<int> factors_of(int64_t n) {
  std::vector<int> out;
  for (const int radix : {4, 2, 3, 5, 7, 11, 13, 17, 19, 23})
    while (n % radix == 0) {
      out.push_back(radix);
      n /= radix;
    }
  return n == 1 ? out : std::vector<int>();
}

template <class T>
class OwnedPlan {
 public:
  explicit OwnedPlan(int64_t n, bool direct = false) {
    plan_.n = plan_.size = n;
    const std::vector<int> radices = factors_of(n);
    if (n > 1 && radices.empty()) {
      make_convolution();
      return;
    }
    plan_.passes = static_cast<int>(radices.size());
    std::copy(radices.begin(), radices.end(), plan_.radices);
    make_twiddles(radices);
    if (!direct) split();
  }

  const cpu::FftPlan& plan() const { return plan_; }

 private:
  static void push(std::vector<T>& to, std::complex<double> number) {
    to.push_back(static_cast<T>(number.real()));
    to.push_back(static_cast<T>(number.imag()));
  }

  void make_twiddles(const std::vector<int>& radices) {
    int64_t length = plan_.n;
    for (const int radix : radices) {
      const int64_t m = length / radix;
      if (radix > 5)
        for (int64_t j = 0; j < radix; ++j) push(twiddles_, root(j, radix));
      for (int64_t p = 0; p < m; ++p)
        for (int64_t j = 1; j < radix; ++j) push(twiddles_, root(p * j, length));
      length = m;
    }
    plan_.twiddles = twiddles_.data();
  }

  void split() {
    const int64_t n = plan_.n;
    auto rows = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
    while (rows > 1 && n % rows != 0) --rows;
    if (rows < 8) return;
    first_ = std::make_unique<OwnedPlan>(rows, true);
    second_ = std::make_unique<OwnedPlan>(n / rows, true);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < n / rows; ++j) push(cross_, root(i * j, n));
    plan_.first = &first_->plan();
    plan_.second = &second_->plan();
    plan_.cross = cross_.data();
  }

  static int64_t padded_length(int64_t least) {
    int64_t best = 0;
    for (const int64_t odd : {1, 3, 5, 9, 15}) {
      int64_t length = odd;
      while (length < least) length *= 2;
      if (best == 0 || length < best) best = length;
    }
    return best;
  }

  void make_convolution() {
    const int64_t n = plan_.n, length = padded_length(2 * n - 1);
    first_ = std::make_unique<OwnedPlan>(length);
    plan_.padded = &first_->plan();
    plan_.size = length;
    const Scratch<T> work(4 * length);
    std::fill_n(work.data(), static_cast<size_t>(4 * length), T(0));
    for (int64_t k = 0; k < n; ++k) {
      const std::complex<double> number = root(k * k % (2 * n), 2 * n);
      push(cross_, number);
      for (const int64_t at : {k, (length - k) % length}) {
        work[at] = static_cast<T>(number.real());
        work[length + at] = static_cast<T>(-number.imag());
      }
    }
    plan_.chirp = cross_.data();
    cpu::fft_line(dtype_of<T>, *plan_.padded, work.data());
    const double scale = 1.0 / static_cast<double>(length);
    for (int64_t k = 0; k < length; ++k)
      push(twiddles_, {work[k] * scale, work[length + k] * scale});
    plan_.spectrum = twiddles_.data();
  }

  cpu::FftPlan plan_;
  std::vector<T> twiddles_, cross_;
  std::unique_ptr<OwnedPlan> first_, second_;
};

// What transforms of one length need; `roots` for real lines of even length.
template <class T>
struct Signal {
  std::unique_ptr<OwnedPlan<T>> plan;
  std::vector<T> roots;
};

template <class T>
std::shared_ptr<const Signal<T>> signal_of(int64_t n, bool real) {
  thread_local std::map<std::pair<int64_t, bool>, std::shared_ptr<const Signal<T>>> kept;
  const auto key = std::make_pair(n, real);
  if (const auto found = kept.find(key); found != kept.end()) return found->second;
  if (kept.size() >= kPlansKept) kept.clear();
  auto made = std::make_shared<Signal<T>>();
  const bool halved = real && n % 2 == 0;
  made->plan = std::make_unique<OwnedPlan<T>>(halved ? n / 2 : n);
  if (halved)
    for (int64_t k = 0; k <= n / 2; ++k) {
      const std::complex<double> number = root(k, n);
      made->roots.push_back(static_cast<T>(number.real()));
      made->roots.push_back(static_cast<T>(number.imag()));
    }
  kept.emplace(key, made);
  return made;
}

// Lines along one dimension: line i begins at (i / inner) outer_step + i % inner.
struct Geometry {
  int64_t count, inner, from_outer, to_outer;  // in numbers, of one or two parts
};

template <class T>
void run_lines(Stream& stream, cpu::FftLines lines, const Geometry& geometry) {
  const bool real = lines.kind != cpu::FftKind::kComplex;
  const auto signal = signal_of<T>(lines.n, real);
  const cpu::FftPlan& plan = signal->plan->plan();
  lines.plan = &plan;
  lines.roots = signal->roots.data();
  const int64_t from_parts = lines.kind == cpu::FftKind::kRealToComplex ? 1 : 2;
  const int64_t to_parts = lines.kind == cpu::FftKind::kComplexToReal ? 1 : 2;
  lines.from_step = geometry.inner * from_parts;
  lines.to_step = geometry.inner * to_parts;
  int64_t lanes = 64 / static_cast<int64_t>(sizeof(T));
  const bool few = geometry.count < 8;
  const bool large = plan.size * lanes * 4 * static_cast<int64_t>(sizeof(T)) > (int64_t{1} << 19);
  const cpu::FftPlan& cut = plan.padded != nullptr ? *plan.padded : plan;
  if (geometry.inner == 1 && cut.first != nullptr && (few || large)) lanes = 1;
  lanes = std::min(lanes, geometry.count);
  const int64_t blocks = (geometry.count + lanes - 1) / lanes;
  const double work = static_cast<double>(plan.size * lanes) * 8;
  stream.parallel_for(blocks, static_cast<int64_t>((1 << 18) / work) + 1,
                      [&](int64_t begin, int64_t end) {
                        cpu::FftLines part = lines;
                        const size_t bytes = cpu::fft_workspace(dtype_of<T>, plan, lanes);
                        const Scratch<T> workspace(static_cast<int64_t>(bytes / sizeof(T)));
                        part.workspace = workspace.data();
                        int64_t from[16], to[16];
                        part.from = from;
                        part.to = to;
                        for (int64_t block = begin; block < end; ++block) {
                          const int64_t start = block * lanes;
                          part.lanes = std::min(lanes, geometry.count - start);
                          for (int64_t l = 0; l < part.lanes; ++l) {
                            const int64_t outer = (start + l) / geometry.inner,
                                          inner = (start + l) % geometry.inner;
                            from[l] = (outer * geometry.from_outer + inner) * from_parts;
                            to[l] = (outer * geometry.to_outer + inner) * to_parts;
                          }
                          cpu::fft_lines(dtype_of<T>, part);
                        }
                      });
}

void run_along(Stream& stream, cpu::FftLines lines, const Tensor& out, const Tensor& in,
               int64_t dim) {
  if (out.numel() == 0) return;
  const auto at = static_cast<size_t>(dim);
  const bool complex_in = lines.kind != cpu::FftKind::kRealToComplex;
  const size_t rank = in.sizes().size() - (complex_in ? 1 : 0);
  Geometry geometry{1, 1, 0, 0};
  for (size_t i = 0; i < rank; ++i) {
    if (i != at) geometry.count *= in.sizes()[i];
    if (i > at) geometry.inner *= in.sizes()[i];
  }
  geometry.from_outer = in.sizes()[at] * geometry.inner;
  geometry.to_outer = out.sizes()[at] * geometry.inner;
  lines.in = in.data_ptr();
  lines.out = out.data_ptr();
  if (in.dtype() == DType::kFloat32)
    run_lines<float>(stream, lines, geometry);
  else
    run_lines<double>(stream, lines, geometry);
}

}  // namespace

void fft_complex(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim, bool inverse,
                 double scale) {
  cpu::FftLines lines;
  lines.n = in.sizes()[static_cast<size_t>(dim)];
  lines.inverse = inverse;
  lines.scale = scale;
  run_along(stream, lines, out, in, dim);
}

void fft_real_to_complex(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                         double scale) {
  cpu::FftLines lines;
  lines.kind = cpu::FftKind::kRealToComplex;
  lines.n = in.sizes()[static_cast<size_t>(dim)];
  lines.whole = out.sizes()[static_cast<size_t>(dim)] == lines.n && lines.n > 2;
  lines.scale = scale;
  run_along(stream, lines, out, in, dim);
}

void fft_complex_to_real(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                         double scale) {
  cpu::FftLines lines;
  lines.kind = cpu::FftKind::kComplexToReal;
  lines.n = out.sizes()[static_cast<size_t>(dim)];
  lines.scale = scale;
  run_along(stream, lines, out, in, dim);
}

}  // namespace oneagent
