"""What PyTorch calls the ops of networks: activations, losses, distances."""
import math

import torch
import torch.nn.functional as F

REDUCTION = ["none", "mean", "sum"]


def numbers(a, *names):
    return [float(a[name]) for name in names]


def plain(function, *names):
    return lambda x, a: function(x, *numbers(a, *names))


def grad_of(function):
    """The gradient of a function of one operand as a function of (gradient, operand), itself differentiable."""
    def run(g, x, a):
        if not x.requires_grad:
            x = x.clone().requires_grad_()
        return torch.autograd.grad(function(x, a), x, g, create_graph=True)[0]
    return run


def elu_scaled(x, a):
    negative, positive, scale = numbers(a, "negative", "positive", "input_scale")
    return torch.where(x > 0, x * positive, negative * torch.expm1(torch.clamp(x * scale, max=0.0)))


ACTIVATIONS = {
    "elu_scaled": elu_scaled,
    "silu": plain(F.silu),
    "mish": plain(F.mish),
    "gelu_erf": plain(F.gelu),
    "gelu_tanh": lambda x, a: F.gelu(x, approximate="tanh"),
    "softplus_beta": plain(F.softplus, "beta", "threshold"),
    "log_sigmoid": plain(F.logsigmoid),
    "softsign": plain(F.softsign),
    "tanhshrink": plain(F.tanhshrink),
    "leaky_relu": plain(F.leaky_relu, "negative_slope"),
    "hardsigmoid": lambda x, a: (x + 3).clamp(0, 6) / 6,  # PyTorch rounds the gradient 1/6 to float
    "hardswish": plain(F.hardswish),
    "hardtanh": plain(F.hardtanh, "min_val", "max_val"),
    "hardshrink": plain(F.hardshrink, "lambd"),
    "softshrink": plain(F.softshrink, "lambd"),
    "threshold": plain(F.threshold, "threshold", "value"),
}


def smoothed(function):
    return lambda x, t, a: function(*torch.broadcast_tensors(x, t), reduction=REDUCTION[a["reduction"]])


def kl(log_target):
    def run(x, t, a):
        loss = F.kl_div(x, t, reduction="none", log_target=log_target)
        return [loss, loss.mean(), loss.sum()][a["reduction"]]
    return run


PAIR_LOSSES = {
    "mse_loss": smoothed(F.mse_loss),
    "l1_loss": smoothed(F.l1_loss),
    "smooth_l1_loss": lambda x, t, a: F.smooth_l1_loss(x, t, reduction=REDUCTION[a["reduction"]], beta=float(a["parameter"])),
    "huber_loss": lambda x, t, a: F.huber_loss(x, t, reduction=REDUCTION[a["reduction"]], delta=float(a["parameter"])),
    "binary_cross_entropy": lambda x, t, a: F.binary_cross_entropy(x, t.expand_as(x), reduction=REDUCTION[a["reduction"]]),
    "binary_cross_entropy_with_logits": lambda x, t, a: F.binary_cross_entropy_with_logits(x, t.expand_as(x), reduction=REDUCTION[a["reduction"]]),
    "soft_margin_loss": lambda x, t, a: [lambda l: l, torch.mean, torch.sum][a["reduction"]](F.softplus(-x * t, threshold=50)),
    "kl_div": kl(False),
    "kl_div_log_target": kl(True),
}


def pair_backward(function):
    def run(g, x, t, a):
        if not x.requires_grad:
            x = x.clone().requires_grad_()
        wide = x.expand(torch.broadcast_shapes(x.shape, t.shape))
        return torch.autograd.grad(function(wide, t, a), wide, g, create_graph=True)[0]
    return run


def prelu_backward(g, x, w, a):
    shaped = w if x.dim() < 2 else w.reshape([-1] + [1] * (x.dim() - 2))
    positive = x > 0
    terms = torch.where(positive, torch.zeros_like(x), g * x)
    dims = [d for d in range(x.dim()) if d != 1 or w.numel() == 1]
    gw = terms.sum(dims) if dims else terms
    return torch.where(positive, g, g * shaped), gw.reshape(w.shape)


def gathered(x, t, w, a):
    """-x[target] * weight and the weights, both 0 where the target is ignored."""
    dim = 0 if x.dim() == 1 else 1
    mask = (t != a["ignore_index"]).to(x.dtype)
    safe = torch.where(t == a["ignore_index"], torch.zeros_like(t), t)
    weight = (w[safe] if w is not None else torch.ones_like(mask)) * mask
    return -x.gather(dim, safe.unsqueeze(dim)).squeeze(dim) * weight, weight, mask


def finished(loss, weight, a):
    return [loss, loss.sum() / weight.sum(), loss.sum()][a["reduction"]]


def nll_loss(x, t, w, a):
    loss, weight, _ = gathered(x, t, w, a)
    out = finished(loss, weight, a)
    expected = F.nll_loss(x.detach(), t, None if w is None else w.detach(), ignore_index=a["ignore_index"], reduction=REDUCTION[a["reduction"]])
    assert torch.allclose(out, expected)
    return out


def cross_entropy(x, t, w, a):
    dim = 0 if x.dim() == 1 else 1
    logp = x.log_softmax(dim)
    e = float(a["label_smoothing"])
    loss, weight, mask = gathered(logp, t, w, a)
    if e > 0:
        ws = torch.ones(x.shape[dim], dtype=x.dtype) if w is None else w
        shaped = ws if x.dim() == 1 else ws.reshape([-1] + [1] * (x.dim() - 2))
        loss = (1 - e) * loss - e / x.shape[dim] * (logp * shaped).sum(dim) * mask
    out = finished(loss, weight, a)
    expected = F.cross_entropy(x.detach(), t, None if w is None else w.detach(), ignore_index=a["ignore_index"], reduction=REDUCTION[a["reduction"]],
                               label_smoothing=e)
    assert torch.allclose(out, expected)
    return out, x.logsumexp(dim)


def cross_entropy_backward(g, g_low, x, t, w, low, a):
    """The formula, as L is an operand of its own."""
    dim = 0 if x.dim() == 1 else 1
    classes = x.shape[dim]
    e = float(a["label_smoothing"])
    p = (x - low.unsqueeze(dim)).exp()
    mask = (t != a["ignore_index"]).to(x.dtype)
    safe = torch.where(t == a["ignore_index"], torch.zeros_like(t), t)
    ws = torch.ones(classes, dtype=x.dtype) if w is None else w
    wt = ws[safe] * mask
    scale = g / wt.sum() if a["reduction"] == 1 else g
    one_hot = F.one_hot(safe, classes).to(x.dtype).movedim(-1, dim)
    shaped = ws if x.dim() == 1 else ws.reshape([-1] + [1] * (x.dim() - 2))
    out = (p * ((1 - e) * wt + e / classes * ws.sum() * mask).unsqueeze(dim) - one_hot * ((1 - e) * wt).unsqueeze(dim)
           - shaped * (mask * e / classes).unsqueeze(dim)) * (scale.unsqueeze(dim) if scale.dim() else scale)
    return out if g_low is None else out + p * g_low.unsqueeze(dim)


def class_backward(function):
    def run(g, x, *rest):
        if not x.requires_grad:
            x = x.clone().requires_grad_()
        return torch.autograd.grad(function(x, *rest), x, g, create_graph=True)[0]
    return run


def multi_margin(x, t, w, a):
    own = x.gather(-1, t.unsqueeze(-1))
    z = (float(a["margin"]) - own + x).clamp(min=0) ** a["p"]
    z = z * (1 - F.one_hot(t, x.shape[-1]).to(x.dtype))
    loss = z.sum(-1) / x.shape[-1] * (w[t] if w is not None else 1)
    out = [loss, loss.mean(), loss.sum()][a["reduction"]]
    expected = F.multi_margin_loss(x.detach(), t, p=a["p"], margin=float(a["margin"]), weight=None if w is None else w.detach(),
                                   reduction=REDUCTION[a["reduction"]])
    assert torch.allclose(out, expected)
    return out


def multilabel_margin(x, t, a):
    counts = torch.zeros_like(x)
    for row, named in zip(counts.reshape(-1, x.shape[-1]), t.reshape(-1, x.shape[-1])):
        for k in named.tolist():
            if k < 0:
                break
            row[k] += 1
    z = (1 - x.unsqueeze(-1) + x.unsqueeze(-2)).clamp(min=0) * counts.unsqueeze(-1) * (counts == 0).unsqueeze(-2)
    loss = z.sum((-2, -1)) / x.shape[-1]
    out = [loss, loss.mean(), loss.sum()][a["reduction"]]
    assert torch.allclose(out, F.multilabel_margin_loss(x.detach(), t, reduction=REDUCTION[a["reduction"]]))
    return out


def slopes(difference, g, d, p):
    zero = (d == 0).unsqueeze(-1)
    g, d = g.unsqueeze(-1), torch.where(zero, torch.ones_like(d.unsqueeze(-1)), d.unsqueeze(-1))
    if p == 0:
        return difference * 0
    if p == 1:
        return difference.sign() * g
    return difference.sign() * difference.abs() ** (p - 1) * g * d ** (1 - p)


def cdist_backward(g, x, y, d, a):
    s = slopes(x.unsqueeze(-2) - y.unsqueeze(-3), g, d, float(a["p"]))
    return s.sum(-2), -s.sum(-3)


def pdist_backward(g, x, d, a):
    i, j = torch.triu_indices(x.shape[0], x.shape[0], 1)
    s = slopes(x[i] - x[j], g, d, float(a["p"]))
    return torch.zeros_like(x).index_add(0, i, s).index_add(0, j, -s)


def euclid(x, y, p):
    if p == 2:  # with a second gradient
        return (x.unsqueeze(-2) - y.unsqueeze(-3)).square().sum(-1).sqrt()
    return torch.cdist(x, y, p)


TWICE = {  # whose second derivatives PyTorch lacks
    "hardswish": lambda x, a: x * (x + 3).clamp(0, 6) / 6,
    "hardtanh": lambda x, a: x.clamp(*numbers(a, "min_val", "max_val")),
}

OPS = dict(ACTIVATIONS)
OPS |= {name + "_backward": grad_of(function) for name, function in (ACTIVATIONS | TWICE).items()}
OPS |= PAIR_LOSSES
OPS |= {name + "_backward": pair_backward(function) for name, function in PAIR_LOSSES.items()}
OPS |= {
    "softmax": lambda x, a: torch.softmax(x, a["dim"]),
    "log_softmax": lambda x, a: torch.log_softmax(x, a["dim"]),
    "softmax_backward": lambda g, y, a: y * (g - (g * y).sum(a["dim"], keepdim=True)),
    "log_softmax_backward": lambda g, y, a: g - y.exp() * g.sum(a["dim"], keepdim=True),
    "glu": lambda x, a: F.glu(x, a["dim"]),
    "glu_backward": grad_of(lambda x, a: F.glu(x, a["dim"])),
    "prelu": lambda x, w, a: torch.where(x > 0, x, x * (w if x.dim() < 2 else w.reshape([-1] + [1] * (x.dim() - 2)))).reshape(x.shape),
    "prelu_backward": prelu_backward,
    "nll_loss": nll_loss,
    "nll_loss_backward": lambda g, x, t, w, a: class_backward(nll_loss)(g, x, t, w, a),
    "cross_entropy_loss": cross_entropy,
    "cross_entropy_loss_backward": cross_entropy_backward,
    "multi_margin_loss": multi_margin,
    "multi_margin_loss_backward": class_backward(multi_margin),
    "multilabel_margin_loss": multilabel_margin,
    "multilabel_margin_loss_backward": class_backward(multilabel_margin),
    "cdist": lambda x, y, a: euclid(x, y, float(a["p"])),
    "cdist_backward": cdist_backward,
    "pdist": lambda x, a: F.pdist(x, float(a["p"])),
    "pdist_backward": pdist_backward,
}


def embedding_dense_backward(g, i, a):
    mask = (i != a["padding_idx"]).to(g.dtype)
    if a["scale_grad_by_freq"]:
        mask = mask / torch.bincount(i.reshape(-1), minlength=a["num_weights"])[i]
    rows = (g * mask.unsqueeze(-1)).reshape(-1, g.shape[-1])
    out = torch.zeros(a["num_weights"], g.shape[-1], dtype=g.dtype).index_add(0, i.reshape(-1), rows)
    assert torch.allclose(out, torch.ops.aten.embedding_dense_backward(g.detach(), i, a["num_weights"], a["padding_idx"], a["scale_grad_by_freq"]))
    return out


def renorm(w, i, a):
    with torch.no_grad():
        return torch.embedding_renorm_(w.detach().clone(), i, float(a["max_norm"]), float(a["norm_type"]))


BAG = ["sum", "mean", "max"]


def embedding_bag(w, i, o, p, a):
    """The sizes and maxima are those of the definition: PyTorch leaves some of them out."""
    out = F.embedding_bag(i, w, o, mode=BAG[a["mode"]], per_sample_weights=p, include_last_offset=a["include_last_offset"])
    ends = o.tolist()[1:] + ([] if a["include_last_offset"] else [i.shape[0]])
    starts = o.tolist()[:len(ends)]
    sizes = torch.tensor([e - s for s, e in zip(starts, ends)])
    bag = torch.repeat_interleave(torch.arange(len(ends)), sizes)
    maxima = torch.zeros(len(ends), w.shape[1] if a["mode"] == 2 else 1, dtype=torch.int64)
    for b, (s, e) in enumerate(zip(starts, ends)):
        if a["mode"] == 2 and e > s:
            maxima[b] = i[s:e][w[i[s:e]].argmax(0)]
    return out, bag, sizes, maxima if a["mode"] == 2 else maxima[:, 0]


def embedding_bag_backward(g, i, bag, size, maxima, p, a):
    out = torch.zeros(a["num_weights"], g.shape[1], dtype=g.dtype)
    if a["mode"] == 2:
        return out.scatter_add(0, maxima, g * (size > 0).to(g.dtype).unsqueeze(1))
    factor = (i != a["padding_idx"]).to(g.dtype)
    if a["mode"] == 1:
        factor = factor / size[bag]
    if a["scale_grad_by_freq"]:
        factor = factor / torch.bincount(i, minlength=a["num_weights"])[i]
    if p is not None:
        factor = factor * p
    return out.index_add(0, i, g[bag] * factor.unsqueeze(1))


OPS |= {
    "native_dropout_backward": lambda g, m, a: g * m * float(a["scale"]),
    "embedding": lambda w, i, a: F.embedding(i, w),
    "embedding_dense_backward": embedding_dense_backward,
    "embedding_renorm": renorm,
    "embedding_bag": embedding_bag,
    "embedding_bag_backward": embedding_bag_backward,
    "embedding_bag_weights_backward": lambda g, w, i, bag, a: (g[bag] * w[i]).sum(1) * (i != a["padding_idx"]),
}


def attention_scores(q, k, mask, a):
    s = q @ k.transpose(-1, -2) * float(a["scale"])
    if mask is not None:
        s = s.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else s + mask
    if a["causal"]:
        s = s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(), -math.inf)
    return s


def attention(q, k, v, mask, a):
    s = attention_scores(q, k, mask, a)
    return torch.softmax(s, -1) @ v, s.logsumexp(-1)


def attention_backward(g, g_low, q, k, v, mask, out, low, a):
    p = (attention_scores(q, k, mask, a) - low.unsqueeze(-1)).exp()
    g = torch.zeros_like(out) if g is None else g
    shift = (g * out).sum(-1, keepdim=True) - (0 if g_low is None else g_low.unsqueeze(-1))
    ds = p * (g @ v.transpose(-1, -2) - shift)
    scale = float(a["scale"])
    results = [ds @ k * scale, ds.transpose(-1, -2) @ q * scale, p.transpose(-1, -2) @ g]
    if mask is not None and mask.dtype != torch.bool:
        results.append(ds.sum_to_size(mask.shape))
    return results


OPS |= {"scaled_dot_product_attention": attention, "scaled_dot_product_attention_backward": attention_backward}


def steps_of(rows, n, sizes, reverse):
    counts = sizes.tolist() if sizes is not None else [n] * (rows // n)
    steps, row = [], 0
    for count in counts:
        steps.append((row, count))
        row += count
    return steps[::-1] if reverse else steps


def rnn_step(kind, a, gates, state, w, bias):
    """One step: (output, new states, workspace row)."""
    h = state[0]
    hidden = h @ w.T if bias is None else h @ w.T + bias
    if kind == "lstm":
        i, f, g, o = (gates + hidden).chunk(4, 1)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c = f * state[1] + i * g
        y = o * c.tanh()
        return y, [y, c], torch.cat([i, f, g, o, c], 1)
    if kind == "gru":
        (xr, xz, xn), (hr, hz, hn) = gates.chunk(3, 1), hidden.chunk(3, 1)
        r, z = (xr + hr).sigmoid(), (xz + hz).sigmoid()
        n = (xn + r * hn).tanh()
        y = n + z * (h - n)
        return y, [y], torch.cat([r, z, n, hn], 1)
    y = gates + hidden
    y = y.relu() if a["relu"] else y.tanh()
    return y, [y], None


def check_layer(kind, a, gates, state, w, bias, y):
    with torch.no_grad():
        x = gates.reshape(-1, state[0].shape[0], gates.shape[1])
        x = x.flip(0) if a["reverse"] else x
        bias = torch.zeros(w.shape[0], dtype=w.dtype) if bias is None else bias
        params = [torch.eye(w.shape[0], dtype=w.dtype), w, torch.zeros_like(bias), bias]
        hx = tuple(s.unsqueeze(0) for s in state) if kind == "lstm" else state[0].unsqueeze(0)
        run = {"lstm": torch.lstm, "gru": torch.gru, "rnn": torch.rnn_relu if a.get("relu") else torch.rnn_tanh}[kind]
        expected = run(x, hx, params, True, 1, 0.0, False, False, False)[0]
        expected = expected.flip(0) if a["reverse"] else expected
        assert torch.allclose(expected.reshape(y.shape), y)


def layer(kind):
    def run(gates, *rest):
        rest = list(rest)
        a, sizes = rest.pop(), None
        state = [rest.pop(0)]
        if kind == "lstm":
            state.append(rest.pop(0))
        first = state
        w = rest.pop(0)
        bias = rest.pop(0) if kind == "gru" else None
        sizes = rest.pop(0)
        y, kept = {}, {}
        for row, count in steps_of(gates.shape[0], state[0].shape[0], sizes, a["reverse"]):
            out, new, workspace = rnn_step(kind, a, gates[row:row + count], [s[:count] for s in state], w, bias)
            state = [torch.cat([n, s[count:]]) for n, s in zip(new, state)]
            y[row], kept[row] = out, workspace
        results = [torch.cat([y[row] for row in sorted(y)])] + state
        if sizes is None:
            check_layer(kind, a, gates, first, w, bias, results[0])
        if kind != "rnn":
            results.append(torch.cat([kept[row] for row in sorted(kept)]))
        return results
    return run


def layer_backward(kind):
    """Step by step, from the values that forward kept."""
    def run(*rest):
        rest = list(rest)
        a = rest.pop()
        take = lambda: rest.pop(0)
        g_y, g_h = take(), take()
        g_c = take() if kind == "lstm" else None
        g_w = take() if kind != "rnn" else None
        h0 = take()
        c0 = take() if kind == "lstm" else None
        w, y = take(), take()
        kept = take() if kind != "rnn" else None
        sizes = take()
        n, h = h0.shape
        steps = steps_of(y.shape[0], n, sizes, a["reverse"])
        dh = torch.zeros_like(h0) if g_h is None else g_h
        dc = None if kind != "lstm" else torch.zeros_like(c0) if g_c is None else g_c
        dw = torch.zeros_like(w)
        db = torch.zeros(w.shape[0], dtype=w.dtype)
        pieces = {}

        def before(k, rows, first):
            m = 0 if k == 0 else min(steps[k][1], steps[k - 1][1])
            past = rows[steps[k - 1][0]:steps[k - 1][0] + m] if m else rows[:0]
            return torch.cat([past, first[m:steps[k][1]]])

        for k in reversed(range(len(steps))):
            row, count = steps[k]
            d = dh[:count] + (0 if g_y is None else g_y[row:row + count])
            hp = before(k, y, h0)
            own = [0] * 5 if g_w is None else g_w[row:row + count].split(h, 1)
            gates = () if kept is None else kept[row:row + count].split(h, 1)
            direct = 0
            if kind == "lstm":
                i, f, g, o, c = gates
                cp = before(k, kept[:, 4 * h:], c0)
                t = c.tanh()
                e = dc[:count] + d * o * (1 - t * t) + own[4]
                dx = torch.cat([(e * g + own[0]) * i * (1 - i), (e * cp + own[1]) * f * (1 - f), (e * i + own[2]) * (1 - g * g),
                                (d * t + own[3]) * o * (1 - o)], 1)
                ds = dx
                dc = torch.cat([e * f, dc[count:]])
            elif kind == "gru":
                r, z, m, hn = gates
                dn = (d * (1 - z) + own[2]) * (1 - m * m)
                dz = (d * (hp - m) + own[1]) * z * (1 - z)
                dr = (dn * hn + own[0]) * r * (1 - r)
                dx, ds = torch.cat([dr, dz, dn], 1), torch.cat([dr, dz, dn * r + own[3]], 1)
                direct = d * z
            else:
                value = y[row:row + count]
                dx = ds = d * ((value > 0).to(d.dtype) if a["relu"] else 1 - value * value)
            dh = torch.cat([ds @ w + direct, dh[count:]])
            dw, db = dw + ds.T @ hp, db + ds.sum(0)
            pieces[row] = dx
        results = [torch.cat([pieces[row] for row in sorted(pieces)]), dh] + ([dc] if kind == "lstm" else []) + [dw]
        return results + ([db] if kind == "gru" else [])
    return run


for kind in ("lstm", "gru", "rnn"):
    OPS |= {kind + "_layer": layer(kind), kind + "_layer_backward": layer_backward(kind)}


def ctc(x, targets, inputs, lengths, a):
    """With probabilities instead of their logarithms, which is exact enough for short sequences."""
    losses, at = [], 0
    for n, (steps, length) in enumerate(zip(inputs.tolist(), lengths.tolist())):
        own = targets[n, :length].tolist() if targets.dim() == 2 else targets[at:at + length].tolist()
        at += length
        labels = [a["blank"]]
        for label in own:
            labels += [label, a["blank"]]
        p = x[:, n].exp()
        alpha = [p[0, labels[s]] if s < 2 else torch.zeros((), dtype=x.dtype) for s in range(len(labels))]
        for t in range(1, steps):
            now = []
            for s, label in enumerate(labels):
                total = alpha[s] + (alpha[s - 1] if s else 0)
                if s > 2 and s % 2 and label != labels[s - 2]:
                    total = total + alpha[s - 2]
                now.append(total * p[t, label])
            alpha = now
        losses.append(-torch.log(alpha[-1] + (alpha[-2] if len(alpha) > 1 else 0)))
    out = torch.stack(losses)
    expected = F.ctc_loss(x.detach(), targets, inputs, lengths, a["blank"], "none")
    assert torch.allclose(out, expected)
    return out


def ctc_backward(g, x, targets, inputs, lengths, a):
    if not x.requires_grad:
        x = x.clone().requires_grad_()
    return torch.autograd.grad(ctc(x, targets, inputs, lengths, a), x, g, create_graph=True)[0]


OPS |= {"ctc_loss": ctc, "ctc_loss_backward": ctc_backward}
