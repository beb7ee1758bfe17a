"""Linear algebra: what PyTorch calls each op."""
import torch


def blended(function):
    def run(x, a, b, attrs):
        beta, alpha = float(attrs["beta"]), float(attrs["alpha"])
        if not x.dtype.is_floating_point:
            beta, alpha = int(beta), int(alpha)
        return function(x, a, b, beta=beta, alpha=alpha)
    return run


OPS = {name: (lambda f: lambda x, y, a: f(x, y))(getattr(torch, name)) for name in ["mv", "dot"]}
OPS |= {name: blended(getattr(torch, name)) for name in ["addmm", "addmv", "addr", "addbmm", "baddbmm"]}
