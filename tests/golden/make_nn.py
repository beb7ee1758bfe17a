#!/usr/bin/env python3
"""Golden values of distributions, losses and recurrent cells from PyTorch: make_nn.py FILE writes one JSON file with one entry a line.

The same small deterministic inputs are built by tests/core/nn: value(i) = sin(1.3 i + shift).
"""
import json
import math
import sys

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


def wave(shift, *sizes):
    n = math.prod(sizes)
    return torch.tensor([math.sin(1.3 * i + shift) for i in range(n)]).reshape(sizes)


def numbers(x):
    return [float(f"{v:.14g}") for v in x.detach().double().reshape(-1).tolist()]


def categorical(masked):
    logits = (2 * wave(0.2, 4, 5)).requires_grad_()
    mask = torch.tensor([[True, True, False, True, True], [False, True, False, True, False], [True] * 5, [False, False, False, False, True]])
    shown = logits.masked_fill(~mask, -math.inf) if masked else logits
    action = torch.tensor([3, 1, 4, 4])
    log_p = F.log_softmax(shown, -1)
    entropy = -(log_p.exp() * log_p.masked_fill(log_p == -math.inf, 0)).sum(-1)
    log_prob = log_p.gather(1, action[:, None]).squeeze(1)
    (log_prob * wave(0.4, 4)).sum().add((entropy * wave(0.5, 4)).sum()).backward()
    return {"log_prob": numbers(log_prob), "entropy": numbers(entropy), "probs": numbers(log_p.exp()), "gradient": numbers(torch.nan_to_num(logits.grad))}


def normal():
    mean = wave(0.2, 4, 3).requires_grad_()
    log_std = (0.3 * wave(0.6, 3)).requires_grad_()
    d = torch.distributions.Normal(mean, log_std.exp())
    log_prob, entropy = d.log_prob(wave(1.1, 4, 3)).sum(-1), d.entropy().sum(-1)
    ((log_prob * wave(0.4, 4)).sum() + (entropy * wave(0.5, 4)).sum()).backward()
    return {"log_prob": numbers(log_prob), "entropy": numbers(entropy), "mean_gradient": numbers(mean.grad), "log_std_gradient": numbers(log_std.grad)}


def cell(kind):
    module = {"gru": torch.nn.GRUCell, "lstm": torch.nn.LSTMCell}[kind](3, 4)
    for i, parameter in enumerate(module.parameters()):
        parameter.data = wave(0.1 * i, *parameter.shape)
    h, c = wave(0.5, 2, 4), wave(0.6, 2, 4)
    for t in range(3):
        if kind == "gru":
            h = module(wave(0.2 + t, 2, 3), h)
        else:
            h, c = module(wave(0.2 + t, 2, 3), (h, c))
    (h * wave(0.8, 2, 4)).sum().backward()
    return {"h": numbers(h), "gradients": [numbers(p.grad) for p in module.parameters()]}


def losses():
    x, y = 1.5 * wave(0.1, 4, 3), wave(0.9, 4, 3)
    target = torch.tensor([2, 0, 1, 2])
    probability = (y > 0).double()
    out = {}
    for reduction in ("mean", "sum", "none"):
        out[f"mse_{reduction}"] = F.mse_loss(x, y, reduction=reduction)
        out[f"l1_{reduction}"] = F.l1_loss(x, y, reduction=reduction)
        out[f"smooth_l1_{reduction}"] = F.smooth_l1_loss(x, y, reduction=reduction, beta=0.5)
        out[f"huber_{reduction}"] = F.huber_loss(x, y, reduction=reduction, delta=0.7)
        out[f"cross_entropy_{reduction}"] = F.cross_entropy(x, target, reduction=reduction)
        out[f"bce_{reduction}"] = F.binary_cross_entropy_with_logits(x, probability, reduction=reduction)
    return {name: numbers(value) for name, value in out.items()}


def clip():
    p, q = torch.zeros(3, 4), torch.zeros(5)
    p.grad, q.grad = wave(0.1, 3, 4), wave(0.2, 5)
    norm = torch.nn.utils.clip_grad_norm_([p, q], 0.5)
    return {"norm": [float(norm)], "p": numbers(p.grad), "q": numbers(q.grad)}


def main():
    entries = {
        "categorical": categorical(False),
        "categorical_masked": categorical(True),
        "normal": normal(),
        "gru": cell("gru"),
        "lstm": cell("lstm"),
        "losses": losses(),
        "clip": clip(),
    }
    with open(sys.argv[1], "w") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in entries.items()) + "\n}\n")


if __name__ == "__main__":
    main()
