"""What PyTorch calls each op of core/ops: OPS maps its name to a function of (inputs..., attrs)."""
import torch
import torch.nn.functional as F

from types_of import TYPES


def dims(a):
    return a["dims"]


def reduce(function):
    return lambda x, a: x.clone() if x.dim() == 0 else function(x, dims(a), a["keepdim"])


def any_all(function):
    def run(x, a):
        for d in sorted(dims(a), reverse=True):
            x = function(x, d, keepdim=a["keepdim"])
        return x
    return run


def prod(x, a):
    for d in sorted(dims(a), reverse=True):
        x = torch.prod(x, d, keepdim=a["keepdim"])
    return x


def number(a):
    return float(a["number"])


def grad_of(function):
    """The gradient of a function as a function of (gradient, operand), itself differentiable."""
    def run(g, x, a):
        if not x.requires_grad:
            x = x.clone().requires_grad_()
        return torch.autograd.grad(function(x, a), x, g, create_graph=True)[0]
    return run


def linear(x, w, b, a):
    activation = [lambda y: y, torch.relu, torch.tanh, torch.sigmoid][a["activation"]]
    return activation(F.linear(x, w, b))


def conv(x, w, b, a):
    return F.conv2d(x, w, b, a["stride"], a["padding"], a["dilation"], a["groups"])


def conv_backward_input(g, w, a):
    x = torch.zeros(a["sizes"], dtype=g.dtype, requires_grad=True)
    return torch.autograd.grad(conv(x, w, None, a), x, g, create_graph=True)[0]


def conv_backward_weight(g, x, a):
    w = torch.zeros(a["sizes"], dtype=g.dtype, requires_grad=True)
    return torch.autograd.grad(conv(x, w, None, a), w, g, create_graph=True)[0]


def slice_of(x, a):
    return x.narrow(a["dim"], a["start"], (a["count"] - 1) * a["step"] + 1 if a["count"] else 0)[tuple([slice(None)] * a["dim"] + [slice(None, None, a["step"])])]


def slice_backward(g, a):
    out = torch.zeros(a["sizes"], dtype=g.dtype)
    at = [slice(None)] * len(a["sizes"])
    end = a["start"] + (g.shape[a["dim"]] - 1) * a["step"] + 1
    at[a["dim"]] = slice(a["start"], end, a["step"])
    out[tuple(at)] = g
    return out


def cumsum(x, a):
    if a["reverse"]:
        return x.flip(a["dim"]).cumsum(a["dim"]).flip(a["dim"])
    return x.cumsum(a["dim"])


def scatter_add(x, i, s, a):
    return x.scatter_add(a["dim"], i, s)


def amax(function):
    return lambda x, a: function(x, dims(a), keepdim=a["keepdim"])


UNARY = ["neg", "abs", "sign", "square", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "reciprocal", "tanh", "sigmoid", "relu", "sin", "cos", "erf",
         "floor", "ceil", "round", "isnan", "isfinite", "logical_not"]
BINARY = ["add", "sub", "mul", "div", "pow", "minimum", "maximum", "eq", "ne", "lt", "le", "logical_and", "logical_or", "logical_xor", "mm", "bmm"]

OPS = {name: (lambda f: lambda x, a: f(x))(getattr(torch, name)) for name in UNARY}
OPS |= {name: (lambda f: lambda x, y, a: f(x, y))(getattr(torch, name)) for name in BINARY}
OPS |= {
    "gelu": lambda x, a: F.gelu(x),
    "softplus": lambda x, a: F.softplus(x),
    "elu": lambda x, a: F.elu(x, number(a)),
    "tanh_backward": lambda g, y, a: g * (1 - y * y),
    "sigmoid_backward": lambda g, y, a: g * y * (1 - y),
    "relu_backward": lambda g, y, a: g * (y > 0),
    "gelu_backward": grad_of(lambda x, a: F.gelu(x)),
    "softplus_backward": grad_of(lambda x, a: F.softplus(x)),
    "elu_backward": lambda g, y, a: g * torch.where(y > 0, torch.ones_like(y), y + number(a)),
    "add_number": lambda x, a: x + number(a),
    "mul_number": lambda x, a: x * number(a),
    "div_number": lambda x, a: x / number(a),
    "reverse_sub_number": lambda x, a: number(a) - x,
    "reverse_div_number": lambda x, a: number(a) / x,
    "pow_number": lambda x, a: x ** number(a),
    "clamp": lambda x, a: x.clamp(float(a["min"]), float(a["max"])),
    "where": lambda c, x, y, a: torch.where(c, x, y),
    "to": lambda x, a: x.to(TYPES[a["dtype"]]),
    "clone": lambda x, a: x.clone(),
    "copy": lambda x, y, a: x.clone().copy_(y),
    "fill": lambda x, a: x.clone().fill_(number(a)),
    "full": lambda a: torch.full(a["sizes"], float(a["number"]), dtype=TYPES[a["dtype"]]),
    "arange": lambda a: (float(a["start"]) + torch.arange(a["count"]) * float(a["step"])).to(TYPES[a["dtype"]]),
    "sum": reduce(torch.sum),
    "prod": prod,
    "amax": amax(torch.amax),
    "amin": amax(torch.amin),
    "any": any_all(torch.any),
    "all": any_all(torch.all),
    "argmax": lambda x, a: torch.argmax(x, a["dim"], a["keepdim"]),
    "argmin": lambda x, a: torch.argmin(x, a["dim"], a["keepdim"]),
    "cumsum": cumsum,
    "view": lambda x, a: x.reshape(a["sizes"]),
    "permute": lambda x, a: x.permute(a["dims"]),
    "expand": lambda x, a: x.expand(a["sizes"]),
    "slice": slice_of,
    "slice_backward": slice_backward,
    "linear": linear,
    "logsumexp": lambda x, a: torch.logsumexp(x, -1),
    "gather": lambda x, i, a: x.gather(a["dim"], i),
    "scatter": lambda x, i, s, a: x.scatter(a["dim"], i, s),
    "scatter_add": scatter_add,
    "index_select": lambda x, i, a: x.index_select(a["dim"], i),
    "index_add": lambda x, i, s, a: x.index_add(a["dim"], i, s, alpha=float(a["number"])),
    "cat": lambda *x: torch.cat(x[:-1], x[-1]["dim"]),
    "conv2d": conv,
    "conv2d_backward_input": conv_backward_input,
    "conv2d_backward_weight": conv_backward_weight,
}
