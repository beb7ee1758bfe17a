#!/usr/bin/env python3
"""Golden values of ops from PyTorch: dump_samples | make_ops.py FOLDER [OP...] writes FOLDER/<op>.json, of all ops or those named.

What an op is called in PyTorch stands in oracle/*.py: each file has a dict OPS from the op's name to a function of (inputs..., attrs).
Each file lists, per sample, the results and the gradients of sum(result * cos(0.7 i + 0.3 + r)) for every floating input, in float64.
"""
import importlib.util
import json
import math
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
from types_of import TYPES  # noqa: E402


def oracle():
    ops = {}
    for path in sorted((HERE / "oracle").glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        twice = ops.keys() & module.OPS.keys()
        if twice:
            sys.exit(f"{path.name}: {sorted(twice)} stand in another file, too")
        ops |= module.OPS
    return ops


OPS = oracle()


def make(sample):
    inputs = []
    for spec in sample["inputs"]:
        if spec is None:
            inputs.append(None)
            continue
        x = torch.tensor(spec["values"], dtype=TYPES[spec["dtype"]]).reshape(spec["sizes"])
        inputs.append(x.requires_grad_() if x.dtype == torch.float64 and sample["differentiable"] else x)
    outputs = OPS[sample["op"]](*inputs, sample["attrs"])
    return inputs, tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)


def weighted(outputs):
    total = None
    for r, out in enumerate(outputs):
        if not out.dtype.is_floating_point or not out.requires_grad:
            continue
        weights = torch.tensor([math.cos(0.7 * i + 0.3 + r) for i in range(out.numel())], dtype=torch.float64).reshape(out.shape)
        part = (out.double() * weights).sum()
        total = part if total is None else total + part
    return total


def numbers(x):
    if x._is_zerotensor():  # of a derivative that is 0 everywhere
        x = torch.zeros(x.shape)
    return [v if not isinstance(v, float) else float(f"{v:.12g}") for v in x.detach().reshape(-1).tolist()]


def golden(sample):
    inputs, outputs = make(sample)
    entry = {"results": [{"dtype": str(o.dtype).replace("torch.", ""), "sizes": list(o.shape), "values": numbers(o)} for o in outputs]}
    total = weighted(outputs) if sample["differentiable"] else None
    if total is not None:
        wanted = [x for x in inputs if x is not None and x.requires_grad]
        grads = iter(torch.autograd.grad(total, wanted, allow_unused=True))
        entry["gradients"] = []
        for x in inputs:
            g = next(grads) if x is not None and x.requires_grad else None
            entry["gradients"].append(numbers(g if g is not None else torch.zeros_like(x)) if x is not None and x.requires_grad else None)
    return entry


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for sample in json.load(sys.stdin):
        if not sample["random"] and (len(sys.argv) == 2 or sample["op"] in sys.argv[2:]):
            files.setdefault(sample["op"], []).append(golden(sample))
    for op, entries in files.items():
        lines = ",\n".join(json.dumps(entry) for entry in entries)
        (folder / f"{op}.json").write_text(f"[\n{lines}\n]\n")
    print(f"{len(files)} ops written to {folder}")


if __name__ == "__main__":
    main()
