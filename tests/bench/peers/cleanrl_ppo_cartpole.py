"""CleanRL's ppo.py, unchanged, on CartPole-v1 with 8 environments and its other defaults (4 epochs).

usage: cleanrl_ppo_cartpole.py FILE SEED [STEPS]     FILE: CleanRL's ppo.py; needs Gymnasium 0.29.1 on PYTHONPATH

Its command line parser and its writer for TensorBoard are replaced by ones that cost next to nothing. Prints one JSON line:
train_cpu_s counts user + system seconds behind the imports, mean_100 is the mean return of the last 100 episodes.
"""
import collections
import contextlib
import dataclasses
import io
import json
import runpy
import sys
import time
import types

try:
    import farama_notifications  # noqa: F401
except ImportError:  # only prints deprecation notes at import
    sys.modules["farama_notifications"] = types.ModuleType("farama_notifications")
    sys.modules["farama_notifications"].notifications = {}

import gymnasium  # noqa: F401
import numpy
import torch

last_returns = collections.deque(maxlen=100)


class SummaryWriter:
    def __init__(self, *args, **kwargs):
        pass

    def add_text(self, *args, **kwargs):
        pass

    def add_scalar(self, tag, value, step, *args, **kwargs):
        if tag == "charts/episodic_return":
            last_returns.append(float(numpy.asarray(value).reshape(-1)[0]))

    def close(self):
        pass


def cli(kind):
    return dataclasses.replace(kind(), seed=seed, total_timesteps=steps, num_envs=8)


def stub(name, **members):
    sys.modules[name] = types.ModuleType(name)
    for key, value in members.items():
        setattr(sys.modules[name], key, value)


file, seed = sys.argv[1], int(sys.argv[2])
steps = int(sys.argv[3]) if len(sys.argv) > 3 else 200_000
stub("tyro", cli=cli)
stub("torch.utils.tensorboard", SummaryWriter=SummaryWriter)
torch.set_num_threads(1)
wall, cpu = time.perf_counter(), time.process_time()
with contextlib.redirect_stdout(io.StringIO()):
    done = runpy.run_path(file, run_name="__main__")
cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
steps = done["global_step"]
print(json.dumps({"peer": "cleanrl ppo.py", "seed": seed, "env_steps": steps, "train_cpu_s": round(cpu, 2), "wall_s": round(wall, 2),
                  "steps_per_cpu_s": round(steps / cpu), "mean_100": round(float(numpy.mean(last_returns)), 1)}))
