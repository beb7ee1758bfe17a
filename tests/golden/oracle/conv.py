"""Convolution, pooling, padding, normalisation and resampling in PyTorch's words."""
import torch
import torch.nn.functional as F


def grad_of(function):
    """The gradient of function(x, a) as a function of (gradient, a), x being zeros of a["sizes"]: for linear functions."""
    def run(g, a):
        x = torch.zeros(a["sizes"], dtype=g.dtype, requires_grad=True)
        return torch.autograd.grad(function(x, a), x, g, create_graph=True)[0]
    return run


CONVS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}


def conv(x, w, b, a):
    return CONVS[x.dim() - 2](x, w, b, a["stride"], a["padding"], a["dilation"], a["groups"])


def conv_backward_input(g, w, a):
    return grad_of(lambda x, _: conv(x, w, None, a))(g, a)


def conv_backward_weight(g, x, a):
    return grad_of(lambda w, _: conv(x, w, None, a))(g, a)


def max_pool(dims, indices):
    function = [F.max_pool1d, F.max_pool2d, F.max_pool3d][dims - 1]
    return lambda x, a: function(x, a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], return_indices=indices)


def max_backward(g, i, a):
    out = torch.zeros(a["sizes"], dtype=g.dtype).flatten(2)
    return out.scatter_add(2, i.flatten(2), g.flatten(2)).reshape(a["sizes"])


def max_unpool(g, i, a):
    if g.dim() == 4:
        return torch._C._nn.max_unpool2d(g, i, a["sizes"][2:])
    return torch._C._nn.max_unpool3d(g, i, a["sizes"][2:], [1, 1, 1], [0, 0, 0])


def avg_pool(x, a):
    if x.dim() == 3:
        return F.avg_pool1d(x, a["kernel_size"], a["stride"], a["padding"], a["ceil_mode"], a["count_include_pad"])
    function = [F.avg_pool2d, F.avg_pool3d][x.dim() - 4]
    return function(x, a["kernel_size"], a["stride"], a["padding"], a["ceil_mode"], a["count_include_pad"], a["divisor"] or None)


def adaptive_avg_pool(x, a):
    return [F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d][x.dim() - 3](x, a["output_size"])


def adaptive_avg_pool_backward(g, a):
    return grad_of(lambda x, _: adaptive_avg_pool(x, {"output_size": list(g.shape[2:])}))(g, a)


def adaptive_max_pool(x, a):
    if x.shape[0] == 0:  # PyTorch takes no empty batch
        return x.new_zeros(list(x.shape[:2]) + a["output_size"], requires_grad=True) + 0, torch.zeros(list(x.shape[:2]) + a["output_size"], dtype=torch.long)
    function = [F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d][x.dim() - 3]
    return function(x, a["output_size"], return_indices=True)


def fractional(x, s, a):
    function = [torch._C._nn.fractional_max_pool2d, torch._C._nn.fractional_max_pool3d][x.dim() - 4]
    return function(x, a["kernel_size"], a["output_size"], s.detach())


def mirror(mode):
    return lambda x, a: F.pad(x, a["pad"], mode)


def norm(x, dims, eps):
    mean = x.mean(dims, keepdim=True)
    return mean, 1 / (((x - mean) ** 2).mean(dims, keepdim=True) + eps).sqrt()


def affine(n, w, b):
    n = n if w is None else n * w
    return n if b is None else n + b


def layer_norm(x, w, b, a):
    mean, rstd = norm(x, tuple(range(x.dim() - a["dims"], x.dim())), float(a["eps"]))
    if x.numel() == 0:  # PyTorch has no gradient here
        return affine((x - mean) * rstd, w, b), mean, rstd
    return F.layer_norm(x, x.shape[-a["dims"]:], w, b, float(a["eps"])), mean, rstd


def norm_backward(g, x, mean, rstd, w, over, rows, shape, mask, own=True):
    """The formula of the three backward ops on arrays that broadcast."""
    n = (x - mean) * rstd
    h = g if w is None else g * w
    dx = rstd * (h - h.mean(over, keepdim=True) - n * (h * n).mean(over, keepdim=True)) if own else rstd * h
    out = [dx, (g * n).sum(rows).reshape(shape), g.sum(rows).reshape(shape)]
    return [o if mask & 1 << i else o.new_zeros(0) for i, o in enumerate(out)]


def layer_norm_backward(g, x, mean, rstd, w, a):
    outer = x.dim() - a["dims"]
    return norm_backward(g, x, mean, rstd, w, tuple(range(outer, x.dim())), tuple(range(outer)), x.shape[outer:], a["mask"])


def group_norm(x, w, b, a):
    grouped = x.reshape(x.shape[0], a["groups"], -1)
    mean, rstd = norm(grouped, (2,), float(a["eps"]))
    w = x.new_ones(x.shape[1]) if w is None else w  # PyTorch has no gradient with only one of them
    b = x.new_zeros(x.shape[1]) if b is None else b
    return F.group_norm(x, a["groups"], w, b, float(a["eps"])), mean.squeeze(2), rstd.squeeze(2)


def group_norm_backward(g, x, mean, rstd, w, a):
    shape = (x.shape[0], a["groups"], x.shape[1] // a["groups"], -1)
    statistics = (x.shape[0], a["groups"], 1, 1)
    w = None if w is None else w.reshape(1, a["groups"], -1, 1)
    out = norm_backward(g.reshape(shape), x.reshape(shape), mean.reshape(statistics), rstd.reshape(statistics), w, (2, 3), (0, 3), x.shape[1:2], a["mask"])
    return [out[0].reshape(x.shape) if a["mask"] & 1 else out[0], out[1], out[2]]


def per_channel(t, x):
    return None if t is None else t.reshape([1, -1] + [1] * (x.dim() - 2))


def batch_norm(x, w, b, m, v, a):
    eps = float(a["eps"])
    if a["training"]:
        mean, rstd = norm(x, (0,) + tuple(range(2, x.dim())), eps)
        return F.batch_norm(x, None, None, w, b, True, 0.1, eps), mean.flatten(), rstd.flatten()
    y = affine((x - per_channel(m, x)) / (per_channel(v, x) + eps).sqrt(), per_channel(w, x), per_channel(b, x))
    return y, x.new_zeros(0), x.new_zeros(0)


def batch_norm_backward(g, x, w, m, v, mean, rstd, a):
    if not a["training"]:
        mean, rstd = m, 1 / (v + float(a["eps"])).sqrt()
    over = (0,) + tuple(range(2, x.dim()))
    return norm_backward(g, x, per_channel(mean, x), per_channel(rstd, x), per_channel(w, x), over, over, x.shape[1:2], a["mask"], a["training"])


def running_var(r, s, a):
    return (1 - float(a["momentum"])) * r + float(a["momentum"]) * (1 / s ** 2 - float(a["eps"])) * float(a["correction"])


def conv_transpose(x, w, b, a):
    function = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][x.dim() - 3]
    return function(x, w, b, a["stride"], a["padding"], a["output_padding"], a["groups"], a["dilation"])


def upsample(name, corners=False):
    function = getattr(torch._C._nn, name)

    def run(x, a):
        dims = len(a["output_size"])
        scales = [float(a[f"scale{i}"]) or None for i in range(3)][3 - dims:]
        return function(x, a["output_size"], *([a["align_corners"]] if corners else []), *scales)
    return run


def im2col(x, a):
    return F.unfold(x, a["kernel_size"], a["dilation"], a["padding"], a["stride"])


def col2im(x, a):
    return F.fold(x, a["output_size"], a["kernel_size"], a["dilation"], a["padding"], a["stride"])


def affine_grid(t, a):
    return F.affine_grid(t, a["size"], a["align_corners"])


def affine_grid_backward(g, a):
    dims = len(a["size"]) - 2
    t = torch.zeros(a["size"][0], dims, dims + 1, dtype=g.dtype, requires_grad=True)
    return torch.autograd.grad(affine_grid(t, a), t, g, create_graph=True)[0]


GRID_MODES, GRID_PADDINGS = ["bilinear", "nearest", "bicubic"], ["zeros", "border", "reflection"]


def grid_sample(x, grid, a):
    return F.grid_sample(x, grid, GRID_MODES[a["mode"]], GRID_PADDINGS[a["padding"]], a["align_corners"])


def grid_pad(p, size, a):
    if a["padding"] == 2:
        low, span = (0.0, size - 1.0) if a["align_corners"] else (-0.5, float(size))
        if span == 0:
            return p * 0
        d = (p - low).abs()
        flips = (d / span).floor().detach()
        rest = d - flips * span
        p = torch.where(flips % 2 == 0, rest + low, span - rest + low)
    return p.clamp(0, size - 1) if a["padding"] else p


def grid_axis(c, size, a):
    """Places, weights of the taps of one axis."""
    p = (c + 1) / 2 * (size - 1) if a["align_corners"] else ((c + 1) * size - 1) / 2
    if a["mode"] == 1:
        return [(grid_pad(p, size, a).round().detach(), torch.ones_like(p) + 0 * p)]
    if a["mode"] == 0:
        p = grid_pad(p, size, a)
        f = p.floor().detach()
        return [(f, 1 - (p - f)), (f + 1, p - f)]
    f = p.floor().detach()
    t, k = p - f, -0.75
    near = lambda t: ((k + 2) * t - (k + 3)) * t * t + 1
    far = lambda t: ((k * t - 5 * k) * t + 8 * k) * t - 4 * k
    weights = [far(t + 1), near(t), near(1 - t), far(2 - t)]
    return [(grid_pad(f + i - 1, size, a), w) for i, w in enumerate(weights)]


def grid_composed(x, grid, a):
    """grid_sample from elementary functions, which have all orders of gradients."""
    dims = x.dim() - 2
    axes = [grid_axis(grid[..., d], x.shape[-1 - d], a) for d in range(dims)]
    flat, total = x.flatten(2), 0
    for tap in torch.cartesian_prod(*[torch.arange(len(axis)) for axis in axes]).tolist():
        at, weight, inside = 0, 1, True
        for d in reversed(range(dims)):
            size = x.shape[-1 - d]
            place, w = axes[d][tap[d]]
            inside = inside & (place >= 0) & (place < size)
            at = at * size + place.clamp(0, size - 1).long()
            weight = weight * w
        value = flat.gather(2, at.reshape(x.shape[0], 1, -1).expand(-1, x.shape[1], -1)).reshape(*x.shape[:2], *grid.shape[1:-1])
        total = total + value * (weight * inside).unsqueeze(1)
    assert torch.allclose(total, grid_sample(x, grid, a))
    return total


def with_gradient(*tensors):
    return [t if t.requires_grad else t.clone().requires_grad_() for t in tensors]


def grid_backward(g, x, grid, a):
    x, grid = with_gradient(x, grid)
    grads = torch.autograd.grad(grid_composed(x, grid, a), (x, grid), g, create_graph=True)
    for composed, direct in zip(grads, torch.autograd.grad(grid_sample(x, grid, a), (x, grid), g)):
        assert torch.allclose(composed, direct)
    return [t if a["mask"] & 1 << i else t.new_zeros(0) for i, t in enumerate(grads)]


def grid_derivative(x, grid, a):
    x, grid = with_gradient(x, grid)
    out = grid_composed(x, grid, a)
    channels = []
    for c in range(x.shape[1]):
        y = out[:, c]
        for d, order in enumerate(a["orders"]):
            for _ in range(order):
                y = torch.autograd.grad(y.sum(), grid, create_graph=True)[0][..., d] if y.requires_grad else y * 0
        channels.append(y)
    return torch.stack(channels, 1)


def grid_adjoint(g, grid, a):
    x = torch.zeros(a["sizes"], dtype=g.dtype, requires_grad=True)
    y = grid_derivative(x, grid, a)
    out = torch.autograd.grad(y, x, g, create_graph=True, allow_unused=True)[0] if y.requires_grad else None
    return torch.zeros_like(x) if out is None else out


OPS = {}
for d in (1, 2, 3):
    if d != 2:  # those of conv2d are in core.py
        OPS |= {f"conv{d}d": conv, f"conv{d}d_backward_input": conv_backward_input, f"conv{d}d_backward_weight": conv_backward_weight}
    OPS |= {
        f"max_pool{d}d": max_pool(d, False),
        f"max_pool{d}d_with_indices": max_pool(d, True),
        f"max_pool{d}d_with_indices_backward": max_backward,
        f"adaptive_max_pool{d}d_backward": max_backward,
        f"avg_pool{d}d": avg_pool,
        f"avg_pool{d}d_backward": grad_of(avg_pool),
        f"adaptive_avg_pool{d}d": adaptive_avg_pool,
        f"adaptive_avg_pool{d}d_backward": adaptive_avg_pool_backward,
        f"adaptive_max_pool{d}d": adaptive_max_pool,
        f"reflection_pad{d}d": mirror("reflect"),
        f"reflection_pad{d}d_backward": grad_of(mirror("reflect")),
        f"replication_pad{d}d": mirror("replicate"),
        f"replication_pad{d}d_backward": grad_of(mirror("replicate")),
    }
for d in (2, 3):
    OPS |= {f"fractional_max_pool{d}d": fractional, f"fractional_max_pool{d}d_backward": max_backward, f"max_unpool{d}d": max_unpool}
OPS |= {
    "constant_pad_nd": lambda x, a: F.pad(x, a["pad"], value=float(a["value"])),
    "_pad_circular": mirror("circular"),
    "_pad_circular_backward": grad_of(mirror("circular")),
    "native_layer_norm": layer_norm,
    "native_layer_norm_backward": layer_norm_backward,
    "native_group_norm": group_norm,
    "native_group_norm_backward": group_norm_backward,
    "native_batch_norm": batch_norm,
    "native_batch_norm_backward": batch_norm_backward,
    "running_mean": lambda r, m, a: (1 - float(a["momentum"])) * r + float(a["momentum"]) * m,
    "running_var": running_var,
    "im2col": im2col,
    "col2im": col2im,
    "affine_grid_generator": affine_grid,
    "affine_grid_generator_backward": affine_grid_backward,
    # PyTorch has no gradient for an empty batch.
    "pixel_shuffle": lambda x, a: F.pixel_shuffle(x, a["factor"]) if x.numel() else x.reshape(0, 1, 4, 4),
    "pixel_unshuffle": lambda x, a: F.pixel_unshuffle(x, a["factor"]),
    # torch.channel_shuffle has no gradient.
    "native_channel_shuffle": lambda x, a: x.unflatten(1, (a["groups"], -1)).transpose(1, 2).reshape(x.shape),
}
for d in (1, 2, 3):
    OPS[f"conv_transpose{d}d"] = conv_transpose
for name, corners in {"upsample_nearest1d": False, "upsample_nearest2d": False, "upsample_nearest3d": False, "_upsample_nearest_exact1d": False,
                      "_upsample_nearest_exact2d": False, "_upsample_nearest_exact3d": False, "upsample_linear1d": True, "upsample_bilinear2d": True,
                      "upsample_trilinear3d": True, "upsample_bicubic2d": True, "_upsample_bilinear2d_aa": True, "_upsample_bicubic2d_aa": True}.items():
    OPS[name] = upsample(name, corners)
    OPS[f"{name}_backward"] = grad_of(OPS[name])
for d in (2, 3):
    OPS |= {f"grid_sampler_{d}d": grid_sample, f"grid_sampler_{d}d_backward": grid_backward,
            f"grid_sampler_{d}d_derivative": grid_derivative, f"grid_sampler_{d}d_adjoint": grid_adjoint}
