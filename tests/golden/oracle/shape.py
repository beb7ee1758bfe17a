"""Views, joining, indexing, gathering and scattering (core/ops: view, slice, cat, index and their neighbours)."""
import torch

from types_of import TYPES

REDUCTIONS = ["sum", "prod", "mean", "amax", "amin"]


def value(x, a):
    """A number that stands in the attrs in both kinds."""
    return float(a["number"]) if x.dtype.is_floating_point else a["integer"]


def squeeze(x, a):
    for d in sorted(a["dims"], reverse=True):
        x = x.squeeze(d)
    return x


def slice_end(x, a):
    return min(a["start"] + a["count"] * a["step"], x.shape[a["dim"]])


def embed(g, view, sizes):
    """The gradient of a view, itself differentiable."""
    x = torch.zeros(sizes, dtype=g.dtype, requires_grad=True)
    return torch.autograd.grad(view(x), x, g, create_graph=True)[0]


def as_strided_scatter(x, s, a):
    """PyTorch's own has a wrong gradient in 1.13."""
    y = x.clone()
    y.as_strided(a["sizes"], a["strides"], a["offset"]).copy_(s)
    return y


def index(x, *rest):
    at = tuple(slice(None) if i is None else i for i in rest[:-1])
    return x[at]


def index_put(x, v, *rest):
    return torch.ops.aten.index_put(x, list(rest[:-1]), v, rest[-1]["accumulate"])


OPS = {
    "alias": lambda x, a: x.view_as(x),
    "squeeze": squeeze,
    "unsqueeze": lambda x, a: x.unsqueeze(a["dim"]),
    "view_dtype": lambda x, a: x.view(TYPES[a["dtype"]]),
    "transpose": lambda x, a: x.transpose(a["dim0"], a["dim1"]),
    "slice_scatter": lambda x, s, a: torch.slice_scatter(x, s, a["dim"], a["start"], slice_end(x, a), a["step"]),
    "select": lambda x, a: x.select(a["dim"], a["index"]),
    "select_backward": lambda g, a: embed(g, lambda x: x.select(a["dim"], a["index"]), a["sizes"]),
    "select_scatter": lambda x, s, a: torch.select_scatter(x, s, a["dim"], a["index"]),
    "split": lambda x, a: x.split(a["size"], a["dim"]),
    "split_with_sizes": lambda x, a: x.split(a["sizes"], a["dim"]),
    "unbind": lambda x, a: x.unbind(a["dim"]),
    "diagonal": lambda x, a: x.diagonal(a["offset"], a["dim1"], a["dim2"]),
    "diagonal_backward": lambda g, a: embed(g, lambda x: x.diagonal(a["offset"], a["dim1"], a["dim2"]), a["sizes"]),
    "diagonal_scatter": lambda x, s, a: torch.diagonal_scatter(x, s, a["offset"], a["dim1"], a["dim2"]),
    "diag_embed": lambda x, a: x.diag_embed(a["offset"], a["dim1"], a["dim2"]),
    "fill_diagonal": lambda x, a: x.clone().fill_diagonal_(float(a["number"]), a["wrap"]),
    "as_strided": lambda x, a: x.as_strided(a["sizes"], a["strides"], a["offset"]),
    "as_strided_scatter": as_strided_scatter,
    "unfold": lambda x, a: x.unfold(a["dimension"], a["size"], a["step"]),
    "unfold_backward": lambda g, a: embed(g, lambda x: x.unfold(a["dim"], a["size"], a["step"]), a["sizes"]),
    "stack": lambda *x: torch.stack(x[:-1], x[-1]["dim"]),
    "block_diag": lambda *x: torch.block_diag(*x[:-1]),
    "flip": lambda x, a: x.flip(a["dims"]) if x.dim() else x.clone(),
    "roll": lambda x, a: x.roll(a["shifts"], a["dims"]),
    "repeat": lambda x, a: x.repeat(a["repeats"]),
    "repeat_interleave": lambda r, a: torch.repeat_interleave(r),
    "tril": lambda x, a: x.tril(a["diagonal"]),
    "triu": lambda x, a: x.triu(a["diagonal"]),
    "tril_indices": lambda a: torch.tril_indices(a["row"], a["col"], a["offset"], dtype=TYPES[a["dtype"]]),
    "triu_indices": lambda a: torch.triu_indices(a["row"], a["col"], a["offset"], dtype=TYPES[a["dtype"]]),
    "scatter_value": lambda x, i, a: x.scatter(a["dim"], i, value(x, a)),
    "scatter_reduce": lambda x, i, s, a: x.scatter_reduce(a["dim"], i, s, REDUCTIONS[a["reduction"]], include_self=a["include_self"]),
    "index_copy": lambda x, i, s, a: x.index_copy(a["dim"], i, s),
    "index_fill": lambda x, i, a: x.index_fill(a["dim"], i, value(x, a)),
    "index_fill_tensor": lambda x, i, v, a: x.index_fill(a["dim"], i, v),
    "index_reduce": lambda x, i, s, a: x.index_reduce(a["dim"], i, s, REDUCTIONS[a["reduction"]], include_self=a["include_self"]),
    "index": index,
    "index_put": index_put,
    "take": lambda x, i, a: x.take(i),
    "put": lambda x, i, s, a: x.put(i, s, a["accumulate"]),
    "masked_fill": lambda x, m, a: x.masked_fill(m, value(x, a)),
    "masked_fill_tensor": lambda x, m, v, a: x.masked_fill(m, v),
    "masked_select": lambda x, m, a: x.masked_select(m),
    "masked_scatter": lambda x, m, s, a: x.masked_scatter(m, s),
    "one_hot": lambda i, a: torch.nn.functional.one_hot(i, a["num_classes"]),
}
