#!/usr/bin/env python3
"""Golden values of distributions from PyTorch: make_distributions.py FILE writes one JSON file with one entry a line.

Each case has a kind, which tests/core/distributions/kinds.h knows, its parameters and a value; gradients are those of
sum(result * cos(0.7 i + 0.3)) by the parameters (and by the value where it is floating).
"""
import json
import math
import sys

import torch
import torch.distributions as D

torch.set_default_dtype(torch.float64)


def wave(shift, *sizes, low=-1.0, high=1.0):
    n = math.prod(sizes)
    x = torch.tensor([math.sin(1.3 * i + shift) for i in range(n)]).reshape(sizes)
    return low + (high - low) * (x + 1) / 2


def lower(shift, n):
    x = wave(shift, n, n)
    return torch.tril(x, -1) + torch.diag(torch.diagonal(x).abs() + 0.6)


def spd(shift, n):
    factor = lower(shift, n)
    return factor @ factor.T


MASK = torch.tensor([[True, True, False, True, True], [False, True, False, True, False], [True] * 5, [False, False, False, False, True]])


def squashed(loc, scale):
    return D.TransformedDistribution(D.Normal(loc, scale), [D.TanhTransform(cache_size=1)])


def mixture(logits, loc, scale):
    return D.MixtureSameFamily(D.Categorical(logits=logits), D.Normal(loc, scale))


def mixture_events(probs, loc, scale):
    return D.MixtureSameFamily(D.Categorical(probs=probs), D.Independent(D.Normal(loc, scale), 1))


KINDS = {
    "normal": D.Normal,
    "independent_normal": lambda loc, scale: D.Independent(D.Normal(loc, scale), 1),
    "log_normal": D.LogNormal,
    "laplace": D.Laplace,
    "cauchy": D.Cauchy,
    "uniform": D.Uniform,
    "exponential": D.Exponential,
    "gamma": D.Gamma,
    "chi2": D.Chi2,
    "beta": D.Beta,
    "dirichlet": D.Dirichlet,
    "student_t": D.StudentT,
    "categorical": lambda p: D.Categorical(probs=p),
    "categorical_logits": lambda x: D.Categorical(logits=x),
    "one_hot_categorical": lambda p: D.OneHotCategorical(probs=p),
    "bernoulli": lambda p: D.Bernoulli(probs=p),
    "bernoulli_logits": lambda x: D.Bernoulli(logits=x),
    "geometric": lambda p: D.Geometric(probs=p),
    "geometric_logits": lambda x: D.Geometric(logits=x),
    "binomial": lambda p: D.Binomial(7, probs=p),
    "binomial_logits": lambda x: D.Binomial(torch.tensor([3.0, 5.0, 9.0]), logits=x),
    "poisson": D.Poisson,
    "normal_covariance": lambda m, c: D.MultivariateNormal(m, covariance_matrix=c),
    "normal_precision": lambda m, c: D.MultivariateNormal(m, precision_matrix=c),
    "normal_tril": lambda m, c: D.MultivariateNormal(m, scale_tril=torch.tril(c)),
    "tanh_normal": squashed,
    "sigmoid_affine": lambda loc, scale: D.TransformedDistribution(D.Normal(loc, scale), [D.SigmoidTransform(), D.AffineTransform(3.0, -2.0)]),
    "mixture": mixture,
    "mixture_events": mixture_events,
}


def cases():
    s = lambda shift, *sizes: wave(shift, *sizes, low=0.4, high=2.5)
    p = lambda shift, *sizes: wave(shift, *sizes, low=0.1, high=0.9)
    counts = lambda *rows: torch.tensor(rows, dtype=torch.float64)
    yield "normal", "normal", [wave(0.2, 4, 3), s(0.6, 3)], wave(1.1, 4, 3)
    yield "normal_scalar", "normal", [torch.tensor(0.3), torch.tensor(1.7)], wave(1.1, 2, 3)
    yield "independent_normal", "independent_normal", [wave(0.2, 4, 3), s(0.6, 4, 3)], wave(1.1, 4, 3)
    yield "log_normal", "log_normal", [wave(0.2, 4, 3), s(0.6, 3)], s(1.1, 4, 3)
    yield "laplace", "laplace", [wave(0.2, 4, 1), s(0.6, 3)], wave(1.1, 4, 3, low=-3, high=3)
    yield "cauchy", "cauchy", [wave(0.2, 4, 3), s(0.6, 3)], wave(1.1, 4, 3, low=-3, high=3)
    yield "uniform", "uniform", [wave(0.2, 4, 3, low=-2, high=-1), s(0.6, 3)], wave(1.1, 4, 3, low=-0.9, high=0.3)
    yield "exponential", "exponential", [s(0.2, 4, 3)], s(1.1, 4, 3)
    yield "gamma", "gamma", [s(0.2, 4, 3), s(0.6, 3)], s(1.1, 4, 3)
    yield "gamma_large", "gamma", [s(0.2, 3) * 40, s(0.6, 3)], s(1.1, 4, 3) * 30
    yield "chi2", "chi2", [s(0.2, 4, 3) * 3], s(1.1, 4, 3)
    yield "beta", "beta", [s(0.2, 4, 3), s(0.6, 3)], p(1.1, 4, 3)
    yield "dirichlet", "dirichlet", [s(0.2, 4, 3)], torch.softmax(wave(1.1, 4, 3), -1)
    yield "student_t", "student_t", [s(0.2, 4, 3) * 2, wave(0.5, 3), s(0.9, 4, 1)], wave(1.1, 4, 3)
    yield "categorical", "categorical", [s(0.2, 4, 5)], torch.tensor([3, 1, 4, 4])
    yield "categorical_logits", "categorical_logits", [2 * wave(0.2, 4, 5)], torch.tensor([[3, 1, 4, 4], [0, 0, 2, 1]])
    yield "one_hot_categorical", "one_hot_categorical", [s(0.2, 4, 5)], torch.nn.functional.one_hot(torch.tensor([3, 1, 4, 0]), 5).double()
    yield "bernoulli", "bernoulli", [p(0.2, 4, 3)], (wave(1.1, 4, 3) > 0).double()
    yield "bernoulli_logits", "bernoulli_logits", [4 * wave(0.2, 4, 3)], (wave(1.1, 4, 3) > 0).double()
    yield "geometric", "geometric", [p(0.2, 2, 3)], counts([0, 1, 2], [3, 4, 9])
    yield "geometric_logits", "geometric_logits", [wave(0.2, 2, 3)], counts([0, 1, 2], [3, 4, 9])
    yield "binomial", "binomial", [p(0.2, 2, 3)], counts([0, 1, 2], [3, 6, 7])
    yield "binomial_logits", "binomial_logits", [wave(0.2, 2, 3)], counts([0, 1, 2], [3, 4, 9])
    yield "poisson", "poisson", [s(0.2, 2, 3)], counts([0, 1, 2], [3, 4, 9])
    yield "normal_covariance", "normal_covariance", [wave(0.2, 4, 3), spd(0.5, 3)], wave(1.1, 4, 3)
    yield "normal_precision", "normal_precision", [wave(0.2, 4, 3), spd(0.5, 3)], wave(1.1, 4, 3)
    yield "normal_tril", "normal_tril", [wave(0.2, 2, 4, 3), torch.stack([lower(0.5, 3)] * 4)], wave(1.1, 2, 4, 3)
    yield "tanh_normal", "tanh_normal", [wave(0.2, 4, 3), s(0.6, 3)], wave(1.1, 4, 3, low=-0.97, high=0.97)
    yield "sigmoid_affine", "sigmoid_affine", [wave(0.2, 4, 3), s(0.6, 3)], wave(1.1, 4, 3, low=1.1, high=2.9)
    yield "mixture", "mixture", [wave(0.2, 4, 3), wave(0.5, 4, 3), s(0.6, 4, 3)], wave(1.1, 2, 4)
    yield "mixture_events", "mixture_events", [s(0.2, 3), wave(0.5, 3, 2), s(0.6, 3, 2)], wave(1.1, 5, 2)


def pairs():
    s = lambda shift, *sizes: wave(shift, *sizes, low=0.4, high=2.5)
    p = lambda shift, *sizes: wave(shift, *sizes, low=0.1, high=0.9)
    both = lambda kind, a, b: (kind, a, kind, b)
    yield both("normal", [wave(0.2, 4, 3), s(0.6, 3)], [wave(0.9, 3), s(0.1, 4, 3)])
    yield both("independent_normal", [wave(0.2, 4, 3), s(0.6, 4, 3)], [wave(0.9, 4, 3), s(0.1, 4, 3)])
    yield both("log_normal", [wave(0.2, 3), s(0.6, 3)], [wave(0.9, 3), s(0.1, 3)])
    yield both("tanh_normal", [wave(0.2, 3), s(0.6, 3)], [wave(0.9, 3), s(0.1, 3)])
    yield both("laplace", [wave(0.2, 3), s(0.6, 3)], [wave(0.9, 3), s(0.1, 3)])
    yield both("cauchy", [wave(0.2, 3), s(0.6, 3)], [wave(0.9, 3), s(0.1, 3)])
    yield both("uniform", [wave(0.2, 3), s(0.6, 3) + 1], [wave(0.9, 3) - 3, s(0.1, 3) + 4])
    yield both("exponential", [s(0.2, 3)], [s(0.9, 3)])
    yield both("gamma", [s(0.2, 3), s(0.6, 3)], [s(0.9, 3), s(0.1, 3)])
    yield both("chi2", [s(0.2, 3)], [s(0.9, 3)])
    yield both("beta", [s(0.2, 3), s(0.6, 3)], [s(0.9, 3), s(0.1, 3)])
    yield both("dirichlet", [s(0.2, 4, 3)], [s(0.9, 4, 3)])
    yield both("categorical", [s(0.2, 4, 5)], [s(0.9, 4, 5)])
    yield both("categorical_logits", [wave(0.2, 4, 5)], [wave(0.9, 4, 5)])
    yield both("one_hot_categorical", [s(0.2, 4, 5)], [s(0.9, 4, 5)])
    yield both("bernoulli", [p(0.2, 4, 3)], [p(0.9, 4, 3)])
    yield both("bernoulli_logits", [wave(0.2, 4, 3)], [wave(0.9, 4, 3)])
    yield both("geometric", [p(0.2, 3)], [p(0.9, 3)])
    yield both("binomial", [p(0.2, 3)], [p(0.9, 3)])
    yield both("poisson", [s(0.2, 3)], [s(0.9, 3)])
    yield both("normal_covariance", [wave(0.2, 4, 3), spd(0.5, 3)], [wave(0.9, 4, 3), spd(0.8, 3)])
    yield "gamma", [s(0.2, 3), s(0.6, 3)], "exponential", [s(0.9, 3)]
    yield "exponential", [s(0.9, 3)], "gamma", [s(0.2, 3), s(0.6, 3)]
    yield "uniform", [wave(0.2, 3), s(0.6, 3) + 1], "normal", [wave(0.9, 3), s(0.1, 3)]
    yield "laplace", [wave(0.2, 3), s(0.6, 3)], "normal", [wave(0.9, 3), s(0.1, 3)]
    yield "normal", [wave(0.2, 3), s(0.6, 3)], "laplace", [wave(0.9, 3), s(0.1, 3)]


def array(x):
    return {"sizes": list(x.shape), "values": [float(f"{v:.14g}") for v in x.detach().double().reshape(-1).tolist()]}


def with_grads(function, inputs):
    """The result and its gradients; NaN-free, or none."""
    out = function()
    if not torch.isfinite(out).all():
        return None
    entry = {"value": array(out)}
    if out.requires_grad:
        weights = torch.tensor([math.cos(0.7 * i + 0.3) for i in range(out.numel())]).reshape(out.shape)
        grads = torch.autograd.grad((out * weights).sum(), inputs, allow_unused=True, retain_graph=True)
        entry["grads"] = [array(torch.zeros_like(x) if g is None else g) for x, g in zip(inputs, grads)]
    return entry


def attempt(function, inputs):
    try:
        return with_grads(function, inputs)
    except (NotImplementedError, AttributeError):
        return None


def case(kind, params, value):
    params = [x.clone().requires_grad_() for x in params]
    d = KINDS[kind](*params)
    discrete = kind.split("_")[0] in ("categorical", "one", "bernoulli", "geometric", "binomial", "poisson")
    value = value if discrete else value.clone().requires_grad_()
    inputs = params if discrete else params + [value]
    probability = torch.tensor([0.1, 0.35, 0.8]) if list(d.batch_shape)[-1:] == [3] else torch.tensor(0.35)
    out = {
        "kind": kind,
        "params": [array(x) for x in params],
        "value": array(value),
        "batch_shape": list(d.batch_shape),
        "event_shape": list(d.event_shape),
        "log_prob": with_grads(lambda: d.log_prob(value), inputs),
        "entropy": attempt(lambda: d.entropy(), params),
        "mean": attempt(lambda: d.mean, params),
        "variance": attempt(lambda: d.variance, params),
        "mode": attempt(lambda: d.mode.double(), params),
        "cdf": attempt(lambda: d.cdf(value), inputs),
        "icdf": attempt(lambda: d.icdf(probability), params),
        "probability": array(probability),
    }
    try:
        out["support"] = array(d.enumerate_support())
    except NotImplementedError:
        pass
    return {k: v for k, v in out.items() if v is not None}


def pair(p, p_params, q, q_params):
    p_params, q_params = ([x.clone().requires_grad_() for x in group] for group in (p_params, q_params))
    a, b = KINDS[p](*p_params), KINDS[q](*q_params)
    return {
        "p": p, "q": q, "p_params": [array(x) for x in p_params], "q_params": [array(x) for x in q_params],
        "kl": with_grads(lambda: D.kl_divergence(a, b), p_params + q_params),
    }


def masked():
    logits = (2 * wave(0.2, 4, 5)).requires_grad_()
    log_p = torch.log_softmax(logits.masked_fill(~MASK, -math.inf), -1)
    entropy = -(log_p.exp() * log_p.masked_fill(log_p == -math.inf, 0)).sum(-1)
    log_prob = log_p.gather(1, torch.tensor([3, 1, 4, 4])[:, None]).squeeze(1)
    (log_prob * wave(0.4, 4)).sum().add((entropy * wave(0.5, 4)).sum()).backward()
    return {"logits": array(logits), "mask": array(MASK), "log_prob": array(log_prob), "entropy": array(entropy),
            "probs": array(log_p.exp()), "gradient": array(torch.nan_to_num(logits.grad))}


def main():
    entries = {name: case(kind, params, value) for name, kind, params, value in cases()}
    for p, p_params, q, q_params in pairs():
        entries[f"kl_{p}_{q}"] = pair(p, p_params, q, q_params)
    entries["masked"] = masked()
    with open(sys.argv[1], "w") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in entries.items()) + "\n}\n")


if __name__ == "__main__":
    main()
