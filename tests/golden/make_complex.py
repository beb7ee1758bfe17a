#!/usr/bin/env python3
"""Golden values of complex tensors and Fourier transforms from PyTorch: make_complex.py writes complex.json beside it.

Per case the results as real parts (a complex number is two), and the gradient of sum(result_i * cos(0.7 i + 0.3)) for the operand x, in
float64. Products of vectors are sums here, as torch.dot of Debian gives 0 for complex numbers. tests/core/ops/complex_test.cc has the same cases and
operands.
"""
import json
import pathlib

import torch

f64 = torch.float64


def operand(sizes, a, b, scale, shift):
    k = torch.arange(torch.Size(sizes).numel(), dtype=f64)
    return torch.complex(shift + scale * torch.cos(a * k + 0.2), scale * torch.sin(b * k + 0.5)).reshape(sizes)


X = [operand([3, 4], 0.9, 1.3, 0.8, 0.1), operand([4, 5], 0.9, 1.3, 0.8, 0.1), operand([12], 0.9, 1.3, 0.8, 0.1)]
Y = operand([3, 4], 0.5, 1.7, 0.6, 1.2)
R = operand([4, 6], 1.9, 0.3, 1.0, 0.5).real
A = operand([3, 3], 2.3, 1.1, 1.0, 0.2)
L = operand([40], 1.9, 0.3, 1.0, 0.5).real
W = torch.hann_window(8, dtype=f64)
fft = torch.fft

CASES = {
    "mul": (X[0], lambda x: x * Y), "div": (X[0], lambda x: x / Y), "divisor": (X[0], lambda x: Y / (x + 2)),
    "sub": (X[0], lambda x: Y - x), "number": (X[0], lambda x: (2 - x * (1 + 2j)) / 3 + 0.5), "real_factor": (X[0], lambda x: x * Y.real),
    "abs": (X[0], torch.abs), "angle": (X[0], torch.angle), "conj": (X[0], lambda x: x.conj().resolve_conj()), "sgn": (X[0], torch.sgn),
    "exp": (X[0], torch.exp), "log": (X[0], torch.log), "log2": (X[0], torch.log2), "log10": (X[0], torch.log10),
    "sqrt": (X[0], torch.sqrt), "rsqrt": (X[0], torch.rsqrt), "reciprocal": (X[0], torch.reciprocal), "square": (X[0], torch.square),
    "sigmoid": (X[0], torch.sigmoid),
    "pow": (X[0], lambda x: x ** Y), "pow2": (X[0], lambda x: x ** 2), "pow3": (X[0], lambda x: x ** 3), "pow_number": (X[0], lambda x: x ** 1.7),
    "sin": (X[0], torch.sin), "cos": (X[0], torch.cos), "tan": (X[0], torch.tan), "sinh": (X[0], torch.sinh), "cosh": (X[0], torch.cosh),
    "tanh": (X[0], torch.tanh), "asin": (X[0], torch.asin), "acos": (X[0], torch.acos), "atan": (X[0], torch.atan), "asinh": (X[0], torch.asinh),
    "acosh": (X[0], torch.acosh), "atanh": (X[0], torch.atanh),
    "sum": (X[0], lambda x: x.sum()), "sum_dim": (X[0], lambda x: x.sum(1, keepdim=True)), "mean": (X[0], lambda x: x.mean(0)),
    "prod": (X[0], lambda x: x.prod(1)), "cumsum": (X[0], lambda x: x.cumsum(1)), "norm": (X[0], lambda x: torch.linalg.vector_norm(x)),
    "var": (X[0], lambda x: x.var(1)),
    "mm": (X[0], lambda x: x @ X[1]), "mv": (X[0], lambda x: x @ X[1][:, 0]), "dot": (X[2], lambda x: (x * x * 2).sum()),
    "vdot": (X[2], lambda x: (x.conj() * x.flip(0)).sum()), "addmm": (X[0], lambda x: torch.addmm(Y[:, :1], x, X[1], beta=0.5, alpha=2)),
    "real_imag": (X[0], lambda x: x.real * x.imag), "stack": (X[0], lambda x: torch.stack([x, Y])), "cat": (X[0], lambda x: torch.cat([x, Y], 1)),
    "index": (X[0], lambda x: x[torch.tensor([2, 0, 2])]), "select": (X[0], lambda x: x[:, 1]), "transpose": (X[0], lambda x: x.t().reshape(-1)),
    "where": (X[0], lambda x: torch.where(Y.real > 1.2, x, Y)), "masked": (X[0], lambda x: x.masked_fill(Y.real > 1.2, 2.5)),
    "expand": (X[0], lambda x: x[:, :1] + Y), "flip_roll": (X[0], lambda x: x.flip(0).roll(1, 1)), "tril": (X[0], torch.tril),
    "to_complex": (R, lambda x: x.to(torch.complex128) * (1 + 2j)), "complex": (R, lambda x: torch.complex(x, x * x)),
    "polar": (R, lambda x: torch.polar(x * x + 1, x)),
    "solve": (A, lambda x: torch.linalg.solve(x + 3 * torch.eye(3), X[0][:, :2])), "inv": (A, lambda x: torch.linalg.inv(x + 3 * torch.eye(3))),
    "eigvals": (A, lambda x: torch.linalg.eigvals(x).abs().sort()[0]),
    "eig": (A, lambda x: (lambda e: (e[1] @ torch.diag(e[0] ** 2) @ torch.linalg.inv(e[1])))(torch.linalg.eig(x))),
    "eig_real": (A.real.clone(), lambda x: (lambda e: (e[1] @ torch.diag(e[0] ** 2) @ torch.linalg.inv(e[1])))(torch.linalg.eig(x))),
    "fft": (X[0], lambda x: fft.fft(x)), "fft_n": (X[0], lambda x: fft.fft(x, 6, 0, "ortho")), "fft_cut": (X[0], lambda x: fft.fft(x, 3)),
    "fft_real": (R, lambda x: fft.fft(x)), "ifft": (X[0], lambda x: fft.ifft(x)), "ifft_forward": (X[0], lambda x: fft.ifft(x, norm="forward")),
    "rfft": (R, lambda x: fft.rfft(x)), "rfft_odd": (R, lambda x: fft.rfft(x, 5, 1, "forward")),
    "irfft": (X[0], lambda x: fft.irfft(x)), "irfft_odd": (X[0], lambda x: fft.irfft(x, 5, 1, "ortho")),
    "hfft": (X[0], lambda x: fft.hfft(x)), "hfft_n": (X[0], lambda x: fft.hfft(x, 5, 0, "ortho")), "ihfft": (R, lambda x: fft.ihfft(x)),
    "fft2": (X[0], lambda x: fft.fft2(x)), "ifft2": (X[0], lambda x: fft.ifft2(x, (2, 6))), "rfft2": (R, lambda x: fft.rfft2(x)),
    "irfft2": (X[0], lambda x: fft.irfft2(x)), "fftn": (X[0], lambda x: fft.fftn(x, dim=(0,), norm="ortho")), "ifftn": (X[0], lambda x: fft.ifftn(x)),
    "rfftn": (R, lambda x: fft.rfftn(x, (3, 5))), "irfftn": (X[0], lambda x: fft.irfftn(x, (3, 5))),
    "hfft2": (X[0], lambda x: fft.hfft2(x)), "ihfft2": (R, lambda x: fft.ihfft2(x)),
    "fftshift": (X[0], lambda x: fft.fftshift(x)), "ifftshift": (X[1], lambda x: fft.ifftshift(x, 1)),
    "stft": (L, lambda x: torch.stft(x, 8, 3, window=W, return_complex=True)),
    "stft_plain": (L, lambda x: torch.stft(x.reshape(2, 20), 8, 4, 6, torch.hamming_window(6, dtype=f64), center=False, normalized=True, onesided=False, return_complex=True)),
    "istft": (L, lambda x: torch.istft(torch.stft(x, 8, 2, window=W, return_complex=True) * (1 + 0.5j), 8, 2, window=W)),
    "istft_length": (L, lambda x: torch.istft(torch.stft(x, 8, 2, window=W, return_complex=True), 8, 2, window=W, length=37)),
}


def parts(x):
    return (torch.view_as_real(x.resolve_conj()) if x.is_complex() else x).reshape(-1)


def numbers(x):
    return [float(f"{v:.12g}") for v in x.tolist()]


def main():
    out = {}
    for name, (x, f) in CASES.items():
        x = x.detach().clone().requires_grad_()
        result = parts(f(x))
        weights = torch.cos(0.7 * torch.arange(result.numel(), dtype=f64) + 0.3)
        (result * weights).sum().backward()
        out[name] = {"values": numbers(result.detach()), "gradient": numbers(parts(x.grad))}
    lines = [f"{json.dumps(name)}: {json.dumps(case)}" for name, case in out.items()]
    (pathlib.Path(__file__).parent / "complex.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
