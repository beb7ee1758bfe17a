"""Stable-Baselines3 PPO on CartPole-v1 with the settings of algorithms/presets/ppo-cartpole.toml (the zoo's hyperparameters).

usage: sb3_ppo_cartpole.py SEED [STEPS]     needs Stable-Baselines3 2.3.2 and Gymnasium 0.29.1 on PYTHONPATH

Trains 8 environments in one process on one thread and evaluates 20 greedy episodes every 5000 steps. Prints one JSON line:
train_cpu_s counts user + system seconds of training alone (evaluations are taken out), first_475 is the first evaluation of 475 or more.
"""
import json
import sys
import time
import types

try:
    import farama_notifications  # noqa: F401
except ImportError:  # only prints deprecation notes at import
    sys.modules["farama_notifications"] = types.ModuleType("farama_notifications")
    sys.modules["farama_notifications"].notifications = {}

import gymnasium
import stable_baselines3
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

EVAL_EVERY_STEPS = 5000
EVAL_EPISODES = 20


class Evaluation(BaseCallback):
    """Evaluates between rollouts and keeps its own cost out of the training clock."""

    def __init__(self, seed):
        super().__init__()
        self.env = Monitor(gymnasium.make("CartPole-v1"))
        self.env.reset(seed=10_000 + seed)
        self.next_at = EVAL_EVERY_STEPS
        self.cpu_spent = self.wall_spent = 0.0
        self.first_475 = None
        self.last = None

    def start(self):
        self.cpu_start, self.wall_start = time.process_time(), time.perf_counter()

    def train_seconds(self):
        return (time.process_time() - self.cpu_start - self.cpu_spent, time.perf_counter() - self.wall_start - self.wall_spent)

    def evaluate(self):
        cpu, wall = time.process_time(), time.perf_counter()
        self.last = float(evaluate_policy(self.model, self.env, EVAL_EPISODES)[0])
        self.cpu_spent += time.process_time() - cpu
        self.wall_spent += time.perf_counter() - wall
        if self.first_475 is None and self.last >= 475:
            self.first_475 = {"steps": self.model.num_timesteps, "train_cpu_s": round(self.train_seconds()[0], 3)}

    def _on_rollout_start(self):
        if self.model.num_timesteps >= self.next_at:
            self.next_at += EVAL_EVERY_STEPS
            self.evaluate()

    def _on_step(self):
        return True


def linear(value):
    return lambda remaining: remaining * value


def main():
    seed = int(sys.argv[1])
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    torch.set_num_threads(1)
    env = make_vec_env("CartPole-v1", n_envs=8, seed=seed)
    model = PPO("MlpPolicy", env, seed=seed, device="cpu", n_steps=32, batch_size=256, n_epochs=20, gamma=0.98, gae_lambda=0.8,
                ent_coef=0.0, learning_rate=linear(0.001), clip_range=linear(0.2))
    evaluation = Evaluation(seed)
    evaluation.start()
    model.learn(steps, callback=evaluation)
    cpu, wall = evaluation.train_seconds()
    evaluation.model = model
    evaluation.evaluate()
    print(json.dumps({
        "peer": f"stable-baselines3 {stable_baselines3.__version__}, gymnasium {gymnasium.__version__}, torch {torch.__version__}",
        "seed": seed, "env_steps": model.num_timesteps, "train_cpu_s": round(cpu, 3), "wall_s": round(wall, 3),
        "steps_per_cpu_s": round(model.num_timesteps / cpu), "first_475": evaluation.first_475, "final_eval": evaluation.last,
    }), flush=True)


if __name__ == "__main__":
    main()
