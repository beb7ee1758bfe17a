#!/usr/bin/env python3
"""Golden trajectories of optimizers and learning rates from PyTorch: make_optim.py FILE writes one JSON file with one entry a line.

LAMB and LARS, which PyTorch has not, and NAdam are written out from their papers. The problem is the one of tests/core/optim/problem.h.
"""
import json
import math
import sys

import torch

torch.set_default_dtype(torch.float64)
STEPS = 40


def wave(shift, *sizes):
    n = math.prod(sizes)
    return torch.tensor([math.sin(1.3 * i + shift) for i in range(n)]).reshape(sizes)


def numbers(x):
    return [float(f"{v:.14g}") for v in x.detach().double().reshape(-1).tolist()]


def loss_of(p, q, step):
    loss = (torch.cos(p) * wave(0.3, 3, 4)).sum() + 0.1 * (p * p).sum()
    if step >= 3:  # q has no gradient before
        loss = loss + (torch.sin(q) * wave(0.9, 5)).sum() + 0.2 * (q * q).sum()
    return loss


def trajectory(make):
    p = wave(0.1, 3, 4).clone().requires_grad_()
    q = wave(0.7, 5).clone().requires_grad_()
    optimizer = make([p, q])
    for step in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        loss_of(p, q, step).backward()
        optimizer.step()
    return {"p": numbers(p), "q": numbers(q)}


def lbfgs(rounds, **options):
    """Rosenbrock's valley in six dimensions."""
    x = wave(0.4, 2, 2).clone().requires_grad_()
    y = wave(0.8, 2).clone().requires_grad_()
    optimizer = torch.optim.LBFGS([x, y], **options)
    losses = []

    def closure():
        optimizer.zero_grad()
        z = torch.cat([x.reshape(-1), y])
        loss = (100 * (z[1:] - z[:-1] ** 2) ** 2 + (1 - z[:-1]) ** 2).sum()
        loss.backward()
        return loss

    for _ in range(rounds):
        losses.append(float(optimizer.step(closure)))
    state = optimizer.state[x]
    return {"p": numbers(x), "q": numbers(y), "losses": losses, "func_evals": state["func_evals"], "n_iter": state["n_iter"]}


class NAdam(torch.optim.Optimizer):
    """Dozat 2016. PyTorch 1.13 multiplies one mu too often into the second product; later ones do not."""

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, decay=momentum_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for x in group["params"]:
                if x.grad is None:
                    continue
                s = self.state[x]
                if not s:
                    s.update(t=0, product=1.0, m=torch.zeros_like(x), v=torch.zeros_like(x))
                s["t"] += 1
                now, following = (b1 * (1 - 0.5 * 0.96 ** (t * group["decay"])) for t in (s["t"], s["t"] + 1))
                s["product"] *= now
                g = x.grad + group["weight_decay"] * x
                s["m"] = b1 * s["m"] + (1 - b1) * g
                s["v"] = b2 * s["v"] + (1 - b2) * g**2
                mean = following * s["m"] / (1 - s["product"] * following) + (1 - now) * g / (1 - s["product"])
                x -= group["lr"] * mean / ((s["v"] / (1 - b2 ** s["t"])).sqrt() + group["eps"])


class LAMB(torch.optim.Optimizer):
    """You et al. 2020, algorithm 2."""

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for x in group["params"]:
                if x.grad is None:
                    continue
                s = self.state[x]
                if not s:
                    s.update(t=0, m=torch.zeros_like(x), v=torch.zeros_like(x))
                s["t"] += 1
                s["m"] = b1 * s["m"] + (1 - b1) * x.grad
                s["v"] = b2 * s["v"] + (1 - b2) * x.grad**2
                m, v = s["m"] / (1 - b1 ** s["t"]), s["v"] / (1 - b2 ** s["t"])
                r = m / (v.sqrt() + group["eps"]) + group["weight_decay"] * x
                trust = x.norm() / r.norm() if x.norm() > 0 and r.norm() > 0 else 1.0
                x -= group["lr"] * trust * r


class LARS(torch.optim.Optimizer):
    """You et al. 2017, algorithm 1."""

    def __init__(self, params, lr, momentum=0.0, weight_decay=0.0, trust=1e-3, eps=1e-8):
        super().__init__(params, dict(lr=lr, momentum=momentum, weight_decay=weight_decay, trust=trust, eps=eps))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for x in group["params"]:
                if x.grad is None:
                    continue
                s = self.state[x]
                decay = group["weight_decay"]
                local = group["trust"] * x.norm() / (x.grad.norm() + decay * x.norm() + group["eps"])
                s["v"] = group["momentum"] * s.get("v", 0) + group["lr"] * local * (x.grad + decay * x)
                x -= s["v"]


def rates(make, steps=24, optimizer=None, momentum=None, metrics=None):
    """Learning rates of two groups (0.5 and 0.25) after construction and after each step."""
    a, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    groups = [{"params": [a], "lr": 0.5}, {"params": [b], "lr": 0.25}]
    optimizer = (optimizer or (lambda g: torch.optim.SGD(g, lr=0.1, momentum=0.9)))(groups)
    scheduler = make(optimizer)
    out = {"lr": [], "momentum": []}

    def note():
        out["lr"].append([group["lr"] for group in optimizer.param_groups])
        if momentum:
            out["momentum"].append([momentum(group) for group in optimizer.param_groups])

    note()
    for i in range(steps):
        optimizer.step()
        scheduler.step(*([metrics[i]] if metrics else []))
        note()
    return out


def libtorch_step_lr(step_size, gamma, steps=24):
    """The rule of the C++ front end, whose first step() counts only."""
    lrs, out = [0.5, 0.25], [[0.5, 0.25]]
    for count in range(steps):
        if count and count % step_size == 0:
            lrs = [lr * gamma for lr in lrs]
        out.append(list(lrs))
    return {"lr": out, "momentum": []}


def main():
    optim, s = torch.optim, torch.optim.lr_scheduler
    entries = {
        "adam": trajectory(lambda p: optim.Adam(p, lr=0.05)),
        "adam_decay": trajectory(lambda p: optim.Adam(p, lr=0.05, betas=(0.8, 0.95), eps=1e-5, weight_decay=0.1)),
        "adam_amsgrad": trajectory(lambda p: optim.Adam(p, lr=0.1, betas=(0.8, 0.9), amsgrad=True)),
        "adam_groups": trajectory(lambda p: optim.Adam([{"params": [p[0]], "lr": 0.1}, {"params": [p[1]]}], lr=0.01)),
        "adamw": trajectory(lambda p: optim.AdamW(p, lr=0.05)),
        "adamw_amsgrad": trajectory(lambda p: optim.AdamW(p, lr=0.1, betas=(0.8, 0.9), weight_decay=0.2, amsgrad=True)),
        "sgd": trajectory(lambda p: optim.SGD(p, lr=0.1)),
        "sgd_decay": trajectory(lambda p: optim.SGD(p, lr=0.1, weight_decay=0.3)),
        "sgd_momentum": trajectory(lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.05)),
        "sgd_dampening": trajectory(lambda p: optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.3)),
        "sgd_nesterov": trajectory(lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True)),
        "adagrad": trajectory(lambda p: optim.Adagrad(p, lr=0.1)),
        "adagrad_decay": trajectory(lambda p: optim.Adagrad(p, lr=0.1, lr_decay=0.05, weight_decay=0.1, initial_accumulator_value=0.2)),
        "rmsprop": trajectory(lambda p: optim.RMSprop(p, lr=0.02)),
        "rmsprop_decay": trajectory(lambda p: optim.RMSprop(p, lr=0.02, alpha=0.9, eps=1e-4, weight_decay=0.1)),
        "rmsprop_momentum": trajectory(lambda p: optim.RMSprop(p, lr=0.01, momentum=0.8)),
        "rmsprop_centered": trajectory(lambda p: optim.RMSprop(p, lr=0.01, centered=True)),
        "rmsprop_both": trajectory(lambda p: optim.RMSprop(p, lr=0.01, momentum=0.8, centered=True, weight_decay=0.1)),
        "adadelta": trajectory(lambda p: optim.Adadelta(p)),
        "adadelta_decay": trajectory(lambda p: optim.Adadelta(p, lr=0.5, rho=0.8, eps=1e-3, weight_decay=0.1)),
        "adamax": trajectory(lambda p: optim.Adamax(p, lr=0.05, weight_decay=0.1)),
        "nadam": trajectory(lambda p: NAdam(p, lr=0.05, weight_decay=0.1)),
        "radam": trajectory(lambda p: optim.RAdam(p, lr=0.05, weight_decay=0.1)),
        "radam_short": trajectory(lambda p: optim.RAdam(p, lr=0.05, betas=(0.8, 0.9))),
        "lamb": trajectory(lambda p: LAMB(p, lr=0.05, weight_decay=0.1)),
        "lars": trajectory(lambda p: LARS(p, lr=20.0, momentum=0.5, weight_decay=0.1)),
        "lbfgs": lbfgs(2, lr=0.1),
        "lbfgs_short": lbfgs(6, lr=0.05, max_iter=4, history_size=3),
        "lbfgs_wolfe": lbfgs(2, line_search_fn="strong_wolfe"),
        "lbfgs_wolfe_lr": lbfgs(3, lr=0.5, max_iter=7, history_size=4, line_search_fn="strong_wolfe"),
        "step_lr": libtorch_step_lr(3, 0.5),
        "multi_step_lr": rates(lambda o: s.MultiStepLR(o, [2, 5, 5, 9], 0.5)),
        "exponential_lr": rates(lambda o: s.ExponentialLR(o, 0.9)),
        "constant_lr": rates(lambda o: s.ConstantLR(o, 0.3, 4)),
        "linear_lr": rates(lambda o: s.LinearLR(o, 0.2, 0.8, 7)),
        "cosine_annealing_lr": rates(lambda o: s.CosineAnnealingLR(o, 10, 0.01)),
        "cosine_annealing_warm_restarts": rates(lambda o: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.01)),
        "cosine_annealing_warm_restarts_even": rates(lambda o: s.CosineAnnealingWarmRestarts(o, 5)),
        "one_cycle_lr": rates(lambda o: s.OneCycleLR(o, 1.0, 26), momentum=lambda g: g["momentum"]),
        "one_cycle_lr_linear": rates(
            lambda o: s.OneCycleLR(o, [1.0, 2.0], 24, pct_start=0.4, anneal_strategy="linear", three_phase=True, div_factor=10, final_div_factor=50),
            steps=23, momentum=lambda g: g["betas"][0], optimizer=lambda g: torch.optim.Adam(g)),
        "polynomial_lr": rates(lambda o: s.PolynomialLR(o, 9, 2.0)),
        "cyclic_lr": rates(lambda o: s.CyclicLR(o, 0.1, 0.6, 4, 3), momentum=lambda g: g["momentum"]),
        "cyclic_lr_triangular2": rates(lambda o: s.CyclicLR(o, 0.1, 0.6, 3, mode="triangular2", cycle_momentum=False)),
        "cyclic_lr_exp_range": rates(lambda o: s.CyclicLR(o, 0.1, 0.6, 3, mode="exp_range", gamma=0.9), momentum=lambda g: g["momentum"]),
        "lambda_lr": rates(lambda o: s.LambdaLR(o, [lambda e: 1 / (1 + e), lambda e: 0.9**e])),
        "multiplicative_lr": rates(lambda o: s.MultiplicativeLR(o, lambda e: 0.95)),
        "plateau": rates(lambda o: s.ReduceLROnPlateau(o, patience=2, factor=0.5, cooldown=1, min_lr=[0.05, 0.02]),
                         metrics=[3, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5]),
        "plateau_max": rates(lambda o: s.ReduceLROnPlateau(o, "max", 0.3, 1, 0.05, "abs"),
                             metrics=[1, 1.04, 1.06, 1.07, 1.08, 1.2, 1.2, 1.2, 1.3] + [1.3] * 15),
        "sequential_lr": rates(lambda o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9), s.CosineAnnealingLR(o, 8)], [4, 11])),
        "warm_up": rates(lambda o: s.SequentialLR(o, [s.LinearLR(o, 0.1, 1.0, 5), s.MultiStepLR(o, [3, 6], 0.5)], [5])),
        "chained_scheduler": rates(lambda o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9), s.MultiStepLR(o, [6], 0.5)])),
    }
    with open(sys.argv[1], "w") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in entries.items()) + "\n}\n")


if __name__ == "__main__":
    main()
