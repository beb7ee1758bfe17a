// Short-time Fourier transforms.
#include "core/ops/ops.h"

namespace oneagent {
namespace {

enum Scale : int64_t { kNone, kByRoot, kByCount };

// The window in the middle of n_fft elements; ones where none is given.
Tensor whole_window(const char* op, const std::optional<Tensor>& window, int64_t length,
                    int64_t n_fft, DType dtype) {
  OA_REQUIRE(length > 0 && length <= n_fft, op, ": expected 0 < win_length <= n_fft = ", n_fft,
             ", was ", length);
  const bool given = window && window->defined();
  OA_REQUIRE(!given || window->sizes() == Shape{length}, op,
             ": expected a 1D window tensor of size ", length, ", was ",
             given ? window->sizes() : Shape());
  const Tensor out = given ? *window : ones({length}, dtype);
  if (length == n_fft) return out;
  const int64_t left = (n_fft - length) / 2;
  return constant_pad_nd(out, {left, n_fft - length - left});
}

}  // namespace

Tensor stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
            std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool normalized,
            std::optional<bool> onesided, std::optional<bool> return_complex) {
  const bool complex_window = window && window->defined() && window->is_complex();
  const int64_t hop = hop_length.value_or(n_fft / 4), length = win_length.value_or(n_fft);
  OA_REQUIRE(has_gradient(self.dtype()),
             "stft: expected a tensor of floating point or complex "
             "values, was ",
             self.scalar_type());
  OA_REQUIRE(self.dim() == 1 || self.dim() == 2, "stft: expected a 1D or 2D tensor, was ",
             self.sizes());
  const Tensor rows = self.dim() == 1 ? self.unsqueeze(0) : self;
  OA_REQUIRE(n_fft > 0 && n_fft <= rows.size(1), "stft: expected 0 < n_fft <= ", rows.size(1),
             ", was ", n_fft);
  OA_REQUIRE(hop > 0, "stft: expected hop_length > 0, was ", hop);
  Tensor frames = rows.unfold(1, n_fft, hop);  // [b, windows, n_fft]
  const bool given = window && window->defined();
  if (given || length < n_fft)
    frames = frames * whole_window("stft", window, length, n_fft, real_type_of(self.dtype()));
  const bool complex_in = self.is_complex() || complex_window;
  const bool half = onesided.value_or(!complex_in);
  OA_REQUIRE(!half || !complex_in,
             "stft: cannot have onesided output if window or input is complex");
  const std::string_view norm = normalized ? "ortho" : "backward";
  const Tensor spectrum =
      half ? fft_rfft(frames, std::nullopt, 2, norm) : fft_fft(frames, std::nullopt, 2, norm);
  Tensor out = spectrum.transpose(1, 2);
  if (self.dim() == 1) out = out.squeeze(0);
  return return_complex.value_or(complex_in) ? out : view_as_real(out);
}

Tensor stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
            std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center,
            std::string_view pad_mode, bool normalized, std::optional<bool> onesided,
            std::optional<bool> return_complex) {
  Tensor signal = self;
  if (center) {
    const int64_t amount = n_fft / 2;
    OA_REQUIRE(self.dim() == 1 || self.dim() == 2, "stft: expected a 1D or 2D tensor, was ",
               self.sizes());
    Shape sizes = self.sizes();
    const Tensor planes = self.dim() == 1 ? self.view({1, 1, sizes[0]}) : self.unsqueeze(0);
    const auto padded = [&](const Tensor& part) { return pad(part, {amount, amount}, pad_mode); };
    signal =
        self.is_complex() ? complex(padded(real(planes)), padded(imag(planes))) : padded(planes);
    sizes[sizes.size() - 1] += 2 * amount;
    signal = signal.reshape(sizes);
  }
  return stft(signal, n_fft, hop_length, win_length, window, normalized, onesided, return_complex);
}

Tensor istft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
             std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool center,
             bool normalized, std::optional<bool> onesided, std::optional<int64_t> length,
             bool return_complex) {
  const int64_t hop = hop_length.value_or(n_fft / 4), width = win_length.value_or(n_fft);
  OA_REQUIRE(self.numel() > 0, "istft: input tensor cannot be empty.");
  Tensor z = self.is_complex() ? self : view_as_complex(self.contiguous());
  OA_REQUIRE(z.dim() == 2 || z.dim() == 3,
             "istft: expected a tensor of [fft size, frames] or with a "
             "channel before, was ",
             z.sizes());
  const bool single = z.dim() == 2;
  if (single) z = z.unsqueeze(0);
  const int64_t frames = z.size(2), held = z.size(1), total = n_fft + hop * (frames - 1);
  const bool half = onesided.value_or(held != n_fft);
  OA_REQUIRE(held == (half ? n_fft / 2 + 1 : n_fft), "istft: expected a frequency dimension of ",
             half ? n_fft / 2 + 1 : n_fft, ", was ", held);
  OA_REQUIRE(hop > 0 && hop <= width, "istft: expected 0 < hop_length <= win_length, was ", hop);
  OA_REQUIRE(!(half && return_complex),
             "istft: cannot have onesided output if window or input is complex");
  const Tensor whole = whole_window("istft", window, width, n_fft, real_type_of(z.dtype()));
  OA_REQUIRE(return_complex || !whole.is_complex(),
             "istft: a complex window needs return_complex=true");
  const Tensor lines = z.transpose(1, 2);  // [b, frames, held]
  const std::string_view norm = normalized ? "ortho" : "backward";
  Tensor parts = return_complex ? fft_ifft(lines, n_fft, 2, norm)
                 : half         ? fft_irfft(lines, n_fft, 2, norm)
                                : fft_irfft(lines.narrow(2, 0, n_fft / 2 + 1), n_fft, 2, norm);
  parts = parts * whole;
  const Tensor sum = unfold_backward(parts, {z.size(0), total}, 1, n_fft, hop);
  const Tensor squares = (whole * whole).expand({1, frames, n_fft});
  const Tensor envelope = unfold_backward(squares, {1, total}, 1, n_fft, hop);
  const int64_t start = center ? n_fft / 2 : 0;
  const int64_t wanted = length ? start + *length : center ? total - n_fft / 2 : total;
  const int64_t end = std::min(wanted, total);
  const Tensor below = envelope.narrow(1, start, end - start);
  OA_REQUIRE(abs(below.detach()).min().item<double>() > 1e-11,
             "istft: window overlap add min: the windows leave gaps");
  Tensor out = sum.narrow(1, start, end - start) / below;
  if (wanted > end) out = constant_pad_nd(out, {0, wanted - end});
  return single ? out.squeeze(0) : out;
}

}  // namespace oneagent
