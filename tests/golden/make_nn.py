#!/usr/bin/env python3
"""Golden values of losses and recurrent cells from PyTorch: make_nn.py FILE writes one JSON file with one entry a line.

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
        "gru": cell("gru"),
        "lstm": cell("lstm"),
        "losses": losses(),
        "clip": clip(),
    }
    with open(sys.argv[1], "w") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in entries.items()) + "\n}\n")


if __name__ == "__main__":
    main()
