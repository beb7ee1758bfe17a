"""The derivative of gamma samples by their shape, from 40 digits of the incomplete gamma function: PyTorch's own has four."""
import mpmath as mp
import torch


def gamma_gradient(shape, sample, attrs):
    def one(a, x):
        with mp.workdps(40):
            a, x = mp.mpf(a), mp.mpf(x)
            h = a * mp.mpf(10) ** -12
            slope = (mp.gammainc(a + h, 0, x, regularized=True) - mp.gammainc(a - h, 0, x, regularized=True)) / (2 * h)
            return float(-slope / mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a)))

    pairs = zip(shape.double().reshape(-1).tolist(), sample.double().reshape(-1).tolist())
    return torch.tensor([one(a, x) for a, x in pairs], dtype=torch.float64).reshape(shape.shape)


OPS = {"_standard_gamma_grad": gamma_gradient}
