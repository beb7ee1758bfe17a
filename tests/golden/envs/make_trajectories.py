"""Writes the trajectories of Gymnasium's own classic-control classes next to this file.

usage: python3 make_trajectories.py GYMNASIUM_CHECKOUT   (needs numpy only: the rest of the package is replaced by empty stand-ins)
"""
import importlib.util
import math
import pathlib
import random
import sys
import types

import numpy as np

HERE = pathlib.Path(__file__).parent
CHECKOUT = pathlib.Path(sys.argv[1])
CONTROL = CHECKOUT / "gymnasium" / "envs" / "classic_control"


class Stand:
    """Takes part in any expression that the modules run on import or construction."""

    def __init__(self, *args, **kwargs):
        self.high = None

    def __getattr__(self, name):
        return Stand()

    def __call__(self, *args, **kwargs):
        return Stand()

    def contains(self, action):
        return True

    def __class_getitem__(cls, item):
        return cls


def stand_in(name, **values):
    module = types.ModuleType(name)
    module.__dict__.update(values)
    module.__getattr__ = lambda attribute: Stand
    sys.modules[name] = module
    return module


gym = stand_in("gymnasium")
for name in ("spaces", "logger", "envs", "error", "vector", "core", "envs.classic_control", "vector.utils"):
    child = stand_in("gymnasium." + name)
    setattr(gym, name.split(".")[0], sys.modules["gymnasium." + name.split(".")[0]])
sys.modules["gymnasium.envs"].classic_control = sys.modules["gymnasium.envs.classic_control"]


class AutoresetMode:
    NEXT_STEP = "next"


sys.modules["gymnasium.vector"].AutoresetMode = AutoresetMode


def load(name):
    spec = importlib.util.spec_from_file_location("gymnasium.envs.classic_control." + name, CONTROL / (name + ".py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    setattr(sys.modules["gymnasium.envs.classic_control"], name, module)
    spec.loader.exec_module(module)
    return module


load("utils")


def trajectory(file, title, env, start, actions, steps, state_of):
    """One line per step: action, reward, terminated, then the float64 state."""
    env.state = np.array(start, dtype=np.float64)
    with open(HERE / file, "w") as out:
        print("# Gymnasium %s, numpy %s: action, reward, terminated, state in float64" % (title, np.__version__), file=out)
        print("start", *("%.17g" % value for value in start), file=out)
        for k in range(steps):
            action = actions(k, env.state)
            _, reward, terminated, _, _ = env.step(action)
            shown = action[0] if isinstance(action, np.ndarray) else action
            print("%.17g %.17g %d" % (shown, reward, terminated), *("%.17g" % value for value in state_of(env)), file=out)
            if terminated:
                break


def whole(env):
    return env.state


rng = random.Random(7)
cartpole = load("cartpole").CartPoleEnv()
trajectory("cartpole_right.txt", "CartPole-v1", cartpole, [0, 0, 0, 0], lambda k, s: 1, 20, whole)
trajectory("cartpole_balance.txt", "CartPole-v1", cartpole, [0.01, -0.02, 0.03, 0.04],
           lambda k, s: int(s[2] + 0.25 * s[3] + 0.05 * s[0] + 0.1 * s[1] > 0), 500, whole)

mountain_car = load("mountain_car").MountainCarEnv()
trajectory("mountain_car_rock.txt", "MountainCar-v0", mountain_car, [-0.5, 0.0], lambda k, s: 2 if s[1] >= 0 else 0, 200, whole)
trajectory("mountain_car_wall.txt", "MountainCar-v0", mountain_car, [-1.1, -0.05], lambda k, s: rng.randrange(3) if k > 5 else 0, 200, whole)

pendulum = load("pendulum").PendulumEnv()
# Torques are float32 values handed over as float64, so that the oracle does all its arithmetic in float64.
trajectory("pendulum_random.txt", "Pendulum-v1", pendulum, [math.pi * 0.9, 0.3],
           lambda k, s: np.array([float(np.float32(rng.uniform(-3, 3)))]), 200, whole)
trajectory("pendulum_spin.txt", "Pendulum-v1", pendulum, [0.1, 7.5], lambda k, s: np.array([2.0]), 200, whole)

acrobot = load("acrobot").AcrobotEnv()
trajectory("acrobot_random.txt", "Acrobot-v1", acrobot, [0.05, -0.03, 0.02, 0.01], lambda k, s: rng.randrange(3), 100, whole)
trajectory("acrobot_pump.txt", "Acrobot-v1", acrobot, [0.05, -0.03, 0.02, 0.01], lambda k, s: 2 if s[3] > 0 else 0, 500, whole)
