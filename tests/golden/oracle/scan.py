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


def run_numbers(x, a):
    if x.numel() == 0:
        return torch.zeros(x.shape[0], dtype=torch.int64)
    return torch.unique_consecutive(x, return_inverse=True, dim=0)[1]


def run_starts(x, a):
    return torch.tensor([x.tolist().index(run) for run in range(a["count"])], dtype=torch.int64)


def sort_rows(x, a):
    return torch.tensor(sorted(range(x.shape[0]), key=lambda i: x[i].tolist()))


def histogram(points, edges, weights, a):
    out = torch.zeros(a["bins"], dtype=points.dtype)
    for row, weight in zip(points.tolist(), [1.0] * len(points) if weights is None else weights.tolist()):
        place, at = [], 0
        for x, bins in zip(row, a["bins"]):
            side = edges[at:at + bins + 1]
            at += bins + 1
            if side[0] <= x <= side[-1]:
                place.append(min(int((side <= x).sum()) - 1, bins - 1))
        if len(place) == len(row):
            out[tuple(place)] += weight
    return out


def quantile_places(x, q, a):
    rank = (q * (x.shape[1] - 1)).expand(x.shape[0], -1)
    rank = [lambda r: r, torch.floor, torch.ceil, lambda r: r, torch.round][a["interpolation"]](rank)
    below = rank.long()
    return below, rank.ceil().long(), torch.full_like(rank, 0.5) if a["interpolation"] == 3 else rank - below


def searchsorted(s, x, sorter, a):
    return torch.searchsorted(s, x, out_int32=a["out_int32"], right=a["right"], sorter=sorter)


OPS = {
    "sort": lambda x, a: torch.sort(x, stable=True, dim=a["dim"], descending=a["descending"]),
    "sort_values": lambda x, a: torch.sort(x, stable=True, dim=a["dim"], descending=a["descending"])[0],
    "topk": lambda x, a: torch.topk(x, a["k"], a["dim"], a["largest"], a["sorted"]),
    "kthvalue": lambda x, a: torch.kthvalue(x, a["k"], a["dim"], a["keepdim"]),
    "median": lambda x, a: torch.median(x),
    "nanmedian": lambda x, a: torch.nanmedian(x),
    "median_dim": lambda x, a: torch.median(x, a["dim"], a["keepdim"]),
    "nanmedian_dim": lambda x, a: torch.nanmedian(x, a["dim"], a["keepdim"]),
    "mode": lambda x, a: torch.mode(x, a["dim"], a["keepdim"]),
    "nonzero": lambda x, a: torch.nonzero(x),
    "run_numbers": run_numbers,
    "run_starts": run_starts,
    "sort_rows": sort_rows,
    "searchsorted": searchsorted,
    "isin": lambda x, t, a: torch.isin(x, t, invert=a["invert"]),
    "histogram": histogram,
    "bincount": lambda x, w, a: torch.bincount(x - a["low"], w, minlength=a["count"]),
    "quantile_places": quantile_places,
    "diff": lambda x, a: torch.diff(x, dim=a["dim"]),
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
    "sum_squares": lambda x, a: (x * x).sum(),
    "renorm": lambda x, a: torch.renorm(x, float(a["p"]), a["dim"], float(a["maxnorm"])),
    "cumprod": cumprod,
    "linear_scan": linear_scan,
    "logsumexp": over(torch.logsumexp),
    "logcumsumexp": lambda x, a: torch.logcumsumexp(x, a["dim"]),
    "cummax": lambda x, a: torch.cummax(x, a["dim"]),
    "cummin": lambda x, a: torch.cummin(x, a["dim"]),
}
