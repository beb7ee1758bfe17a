"""What PyTorch calls the ops of reductions, scans, sorting, searching and statistics."""
import torch


def over(function):
    """A reduction over a list of dimensions; a 0-d tensor has none."""
    return lambda x, a: x.clone() if x.dim() == 0 else function(x, a["dims"], a["keepdim"])


def aminmax(x, a):  # PyTorch's has no gradient
    return torch.amin(x, a["dims"], a["keepdim"]), torch.amax(x, a["dims"], a["keepdim"])


def moment(function):
    return lambda x, a: function(x, a["dims"], correction=a["correction"], keepdim=a["keepdim"])


def cumprod(x, a):
    dim = a["dim"]
    if a["reverse"]:
        x = x.flip(dim)
    if a["exclusive"]:
        ones = torch.ones_like(x.narrow(dim, 0, 1))
        x = torch.cat([ones, x.narrow(dim, 0, x.shape[dim] - 1)], dim)
    y = x.cumprod(dim)
    return y.flip(dim) if a["reverse"] else y


def linear_scan(x, f, a):
    dim = a["dim"]
    order = range(x.shape[dim])
    rows, y = {}, 0
    for i in reversed(order) if a["reverse"] else order:
        y = x.select(dim, i) + f.select(dim, i) * y
        rows[i] = y
    return torch.stack([rows[i] for i in order], dim)


OPS = {
    "nansum": over(torch.nansum),
    "mean": over(torch.mean),
    "count_nonzero": lambda x, a: torch.count_nonzero(x, a["dims"]),
    "aminmax": aminmax,
    "max_dim": lambda x, a: torch.max(x, a["dim"], a["keepdim"]),
    "min_dim": lambda x, a: torch.min(x, a["dim"], a["keepdim"]),
    "var": moment(torch.var),
    "std": moment(torch.std),
    "var_mean": moment(torch.var_mean),
    "std_mean": moment(torch.std_mean),
    "vector_norm": lambda x, a: torch.linalg.vector_norm(x, float(a["ord"]), a["dims"], a["keepdim"]),
    "renorm": lambda x, a: torch.renorm(x, float(a["p"]), a["dim"], float(a["maxnorm"])),
    "cumprod": cumprod,
    "linear_scan": linear_scan,
    "logcumsumexp": lambda x, a: torch.logcumsumexp(x, a["dim"]),
    "cummax": lambda x, a: torch.cummax(x, a["dim"]),
    "cummin": lambda x, a: torch.cummin(x, a["dim"]),
}
