// Fourier transforms on complex tensors; torch::fft is in core/ops/fft_ns.h. n (or s) pads with
// zeros or cuts the signal first; norm: "backward" (the default: the inverse divides by n), "ortho"
// (both by its root), "forward" (the forward one divides). Without dim the n-dimensional forms take
// the last dimensions of s, or all.
#pragma once

#include "core/base/optional_shape.h"
#include "core/ops/api.h"

namespace oneagent {

using OptionalNorm = std::optional<std::string_view>;

Tensor fft_fft(const Tensor& signal, std::optional<int64_t> n = std::nullopt, int64_t dim = -1,
               OptionalNorm norm = std::nullopt);
Tensor fft_ifft(const Tensor& signal, std::optional<int64_t> n = std::nullopt, int64_t dim = -1,
                OptionalNorm norm = std::nullopt);
// Real -> the half of the spectrum that the rest follows from, n / 2 + 1 elements; and back.
Tensor fft_rfft(const Tensor& signal, std::optional<int64_t> n = std::nullopt, int64_t dim = -1,
                OptionalNorm norm = std::nullopt);
Tensor fft_irfft(const Tensor& signal, std::optional<int64_t> n = std::nullopt, int64_t dim = -1,
                 OptionalNorm norm = std::nullopt);
// Of a signal that is symmetric (half of it given) and has a real spectrum; and back.
Tensor fft_hfft(const Tensor& signal, std::optional<int64_t> n = std::nullopt, int64_t dim = -1,
                OptionalNorm norm = std::nullopt);
Tensor fft_ihfft(const Tensor& signal, std::optional<int64_t> n = std::nullopt, int64_t dim = -1,
                 OptionalNorm norm = std::nullopt);

Tensor fft_fft2(const Tensor& signal, OptionalShape s = std::nullopt, const Shape& dim = {-2, -1},
                OptionalNorm norm = std::nullopt);
Tensor fft_ifft2(const Tensor& signal, OptionalShape s = std::nullopt, const Shape& dim = {-2, -1},
                 OptionalNorm norm = std::nullopt);
Tensor fft_rfft2(const Tensor& signal, OptionalShape s = std::nullopt, const Shape& dim = {-2, -1},
                 OptionalNorm norm = std::nullopt);
Tensor fft_irfft2(const Tensor& signal, OptionalShape s = std::nullopt, const Shape& dim = {-2, -1},
                  OptionalNorm norm = std::nullopt);
Tensor fft_hfft2(const Tensor& signal, OptionalShape s = std::nullopt, const Shape& dim = {-2, -1},
                 OptionalNorm norm = std::nullopt);
Tensor fft_ihfft2(const Tensor& signal, OptionalShape s = std::nullopt, const Shape& dim = {-2, -1},
                  OptionalNorm norm = std::nullopt);

Tensor fft_fftn(const Tensor& signal, OptionalShape s = std::nullopt,
                OptionalShape dim = std::nullopt, OptionalNorm norm = std::nullopt);
Tensor fft_ifftn(const Tensor& signal, OptionalShape s = std::nullopt,
                 OptionalShape dim = std::nullopt, OptionalNorm norm = std::nullopt);
Tensor fft_rfftn(const Tensor& signal, OptionalShape s = std::nullopt,
                 OptionalShape dim = std::nullopt, OptionalNorm norm = std::nullopt);
Tensor fft_irfftn(const Tensor& signal, OptionalShape s = std::nullopt,
                  OptionalShape dim = std::nullopt, OptionalNorm norm = std::nullopt);
Tensor fft_hfftn(const Tensor& signal, OptionalShape s = std::nullopt,
                 OptionalShape dim = std::nullopt, OptionalNorm norm = std::nullopt);
Tensor fft_ihfftn(const Tensor& signal, OptionalShape s = std::nullopt,
                  OptionalShape dim = std::nullopt, OptionalNorm norm = std::nullopt);

// Frequencies of the elements of a spectrum of n elements d apart: 0, 1, ... -1 over n d.
Tensor fft_fftfreq(int64_t n, double d = 1.0, const TensorOptions& options = {});
Tensor fft_rfftfreq(int64_t n, double d = 1.0, const TensorOptions& options = {});
// The zero frequency in the middle; and back.
Tensor fft_fftshift(const Tensor& signal, OptionalShape dim = std::nullopt);
Tensor fft_ifftshift(const Tensor& signal, OptionalShape dim = std::nullopt);

// Spectra of windows of n_fft elements, hop_length (n_fft / 4) apart: [t] or [b, t] -> [..., n_fft
// / 2 + 1 or n_fft, windows], complex or with a last dimension of two. A window of win_length is
// centred in n_fft. center: the signal is padded by n_fft / 2 on both sides.
Tensor stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length,
            std::optional<int64_t> win_length, const std::optional<Tensor>& window, bool normalized,
            std::optional<bool> onesided = std::nullopt,
            std::optional<bool> return_complex = std::nullopt);
Tensor stft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length = std::nullopt,
            std::optional<int64_t> win_length = std::nullopt,
            const std::optional<Tensor>& window = {}, bool center = true,
            std::string_view pad_mode = "reflect", bool normalized = false,
            std::optional<bool> onesided = std::nullopt,
            std::optional<bool> return_complex = std::nullopt);
// Windows back, added up and divided by the sum of the squares of the window.
Tensor istft(const Tensor& self, int64_t n_fft, std::optional<int64_t> hop_length = std::nullopt,
             std::optional<int64_t> win_length = std::nullopt,
             const std::optional<Tensor>& window = {}, bool center = true, bool normalized = false,
             std::optional<bool> onesided = std::nullopt,
             std::optional<int64_t> length = std::nullopt, bool return_complex = false);

}  // namespace oneagent
