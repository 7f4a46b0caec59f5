# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""PPO on a ViZDoom scenario by an agent that sees through a fovea.

    python python/examples/ppo_vizdoom.py train --view active --seed 1 --out runs     # three minutes on a core
    python python/examples/ppo_vizdoom.py plot runs --out curves.png

--view full: the picture as it is; centre: foveated around the middle; saccades: around random places; active: around
the place that the agent chose, which is a part of its action. All four see 84x84 grey pixels, four frames of them, and
the gaze, with one network, one set of hyperparameters and as many steps.

Needs: pip install torch vizdoom "gymnasium>=1.0" opencv-python-headless matplotlib
"""

import argparse
import csv
import dataclasses
import os
import pathlib
import time

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from torch import nn

import fovea
import fovea.gym
import fovea.gaze

SIZE_PX = 84
STACK = 4
GRID = (5, 3)  # columns and rows of places to look at
VIEWS = ("full", "centre", "saccades", "active")


@dataclasses.dataclass
class Options:
    scenario: str = "VizdoomBasic-v1"
    view: str = "active"
    seed: int = 1
    model: str = "relative"  # of foveation; "paper" blurs the corners by 10.8 px times the strength, this by 1.8
    strength: float = 1.0
    steps: int = 45_000
    environments: int = 8
    rollout: int = 64
    epochs: int = 4
    minibatches: int = 4
    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    reward_scale: float = 0.01
    out: str = "runs"


# ---- The environment


class Screen(gymnasium.ObservationWrapper):
    """The screen alone, in grey and small."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(0, 255, (SIZE_PX, SIZE_PX, 1), np.uint8)

    def observation(self, observation):
        import cv2

        grey = cv2.cvtColor(observation["screen"], cv2.COLOR_RGB2GRAY)
        return cv2.resize(grey, (SIZE_PX, SIZE_PX), interpolation=cv2.INTER_AREA)[..., None]


def make_environments(options):
    import vizdoom.gymnasium_wrapper  # noqa: F401  it registers the scenarios

    def make():
        return Screen(gymnasium.make(options.scenario, frame_skip=4))

    env = SyncVectorEnv([make] * options.environments, autoreset_mode=AutoresetMode.SAME_STEP)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    if options.view == "full":
        return env
    config = {"foveation.model": options.model, "foveation.strength": options.strength}
    if options.view == "active":
        return fovea.gym.ActiveGaze(env, config, mode="grid", grid=GRID)
    gaze = fovea.gaze.RandomSaccades() if options.view == "saccades" else (0.5, 0.5)
    return fovea.gym.FoveatedObservation(env, config, gaze=gaze)


class Eyes:
    """What the network is given: the last frames and the gaze, as tensors."""

    def __init__(self, env):
        self.env, self.frames = env, None

    def _see(self, images, info, begins):
        images = torch.from_numpy(np.ascontiguousarray(images[..., 0]))
        if self.frames is None:
            self.frames = images[:, None].repeat(1, STACK, 1, 1)
        else:
            self.frames = torch.cat([self.frames[:, 1:], images[:, None]], 1)
            self.frames[begins] = images[begins, None]
        gaze = info.get("gaze", np.full((len(images), 2), 0.5, np.float32))
        return self.frames, torch.from_numpy(np.asarray(gaze, np.float32))

    def reset(self, seed):
        images, info = self.env.reset(seed=seed)
        return self._see(images, info, torch.ones(len(images), dtype=torch.bool))

    def step(self, motor, sensory):
        active = "sensory_action" in getattr(self.env.single_action_space, "spaces", {})
        action = {"motor_action": motor, "sensory_action": sensory} if active else motor
        images, rewards, ended, cut, info = self.env.step(action)
        over = torch.from_numpy(ended | cut)
        returns = info["episode"]["r"][info["_episode"]] if "episode" in info else ()
        return self._see(images, info, over), torch.from_numpy(rewards).float(), over, list(returns)


# ---- The agent


def layer(module, gain=2**0.5):
    nn.init.orthogonal_(module.weight, gain)
    nn.init.zeros_(module.bias)
    return module


class Agent(nn.Module):
    """Mnih's network in half its width; heads for what to do, where to look (column and row) and the value."""

    def __init__(self, motor_actions, active):
        super().__init__()
        self.look = nn.Sequential(
            layer(nn.Conv2d(STACK, 16, 8, 4)), nn.ReLU(),
            layer(nn.Conv2d(16, 32, 4, 2)), nn.ReLU(),
            layer(nn.Conv2d(32, 32, 3, 1)), nn.ReLU(), nn.Flatten(),
        )  # fmt: skip
        self.think = nn.Sequential(layer(nn.Linear(32 * 7 * 7 + 2, 256)), nn.ReLU())
        sizes = (motor_actions, *GRID) if active else (motor_actions,)
        self.heads = nn.ModuleList(layer(nn.Linear(256, size), 0.01) for size in sizes)
        self.value = layer(nn.Linear(256, 1), 1.0)

    def forward(self, frames, gaze):
        hidden = self.think(torch.cat([self.look(frames.float() / 255), gaze], 1))
        return [torch.distributions.Categorical(logits=head(hidden)) for head in self.heads], self.value(hidden)[:, 0]


def log_probability(choices, actions):
    return sum(choice.log_prob(actions[:, i]) for i, choice in enumerate(choices))


# ---- PPO


def advantages_of(rewards, values, overs, last_value, options):
    """Generalised advantage estimation."""
    advantages, carried = torch.zeros_like(rewards), 0.0
    for t in reversed(range(len(rewards))):
        following = values[t + 1] if t + 1 < len(values) else last_value
        goes_on = 1.0 - overs[t].float()
        error = rewards[t] + options.gamma * following * goes_on - values[t]
        carried = error + options.gamma * options.gae_lambda * goes_on * carried
        advantages[t] = carried
    return advantages


def collect(eyes, agent, seen, options):
    """A rollout: lists over time of what was seen, done and got."""
    steps = {name: [] for name in ("frames", "gaze", "actions", "log_p", "values", "rewards", "overs")}
    returns = []
    for _ in range(options.rollout):
        with torch.no_grad():
            choices, value = agent(*seen)
            actions = torch.stack([choice.sample() for choice in choices], 1)
            log_p = log_probability(choices, actions)
        following, rewards, overs, ended = eyes.step(actions[:, 0].numpy(), actions[:, 1:].numpy())
        for name, what in zip(steps, (*seen, actions, log_p, value, rewards * options.reward_scale, overs)):
            steps[name].append(what)
        returns += ended
        seen = following
    with torch.no_grad():
        last_value = agent(*seen)[1]
    steps = {name: torch.stack(what) for name, what in steps.items()}
    steps["advantages"] = advantages_of(steps["rewards"], steps["values"], steps["overs"], last_value, options)
    return {name: what.flatten(0, 1) for name, what in steps.items()}, returns, seen


def learn(agent, optimiser, data, options):
    count = len(data["actions"])
    targets = data["advantages"] + data["values"]
    for _ in range(options.epochs):
        for chosen in torch.randperm(count).split(count // options.minibatches):
            choices, value = agent(data["frames"][chosen], data["gaze"][chosen])
            ratio = (log_probability(choices, data["actions"][chosen]) - data["log_p"][chosen]).exp()
            advantage = data["advantages"][chosen]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
            policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            value_loss = 0.5 * (value - targets[chosen]).square().mean()
            entropy = sum(choice.entropy().mean() for choice in choices)
            optimiser.zero_grad()
            (policy_loss + 0.5 * value_loss - options.entropy * entropy).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimiser.step()


def train(options):
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)
    env = make_environments(options)
    eyes = Eyes(env)
    spaces = env.single_action_space
    motor = spaces["motor_action"] if options.view == "active" else spaces
    agent = Agent(motor.n, options.view == "active")
    optimiser = torch.optim.Adam(agent.parameters(), lr=options.learning_rate, eps=1e-5)
    path = pathlib.Path(options.out) / f"{options.view}-{options.seed}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    seen, done, recent, begin = eyes.reset(options.seed), 0, [], time.monotonic()
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["steps", "episodes", "return", "seconds"])
        while done < options.steps:
            for group in optimiser.param_groups:
                group["lr"] = options.learning_rate * (1 - done / options.steps)
            data, returns, seen = collect(eyes, agent, seen, options)
            learn(agent, optimiser, data, options)
            done += len(data["actions"])
            recent = (recent + returns)[-100:]
            if returns:
                seconds = time.monotonic() - begin
                rows.writerow([done, len(returns), f"{np.mean(returns):.2f}", f"{seconds:.0f}"])
                file.flush()
                print(f"{done:7d} steps  return {np.mean(recent):7.1f}  {done / seconds:5.0f} steps/s", flush=True)
    torch.save(agent.state_dict(), path.with_suffix(".pt"))
    env.close()


# ---- The curves


def smoothed(rows, grid, width):
    """The mean return of the episodes that ended within `width` steps before each point."""
    steps, count, value = (np.array([float(row[name]) for row in rows]) for name in ("steps", "episodes", "return"))
    means = []
    for point in grid:
        near = (steps > point - width) & (steps <= point)
        means.append(np.average(value[near], weights=count[near]) if near.any() else np.nan)
    return np.array(means)


def draw(axes, folder):
    """The runs of a folder: the mean over seeds, and each of them thinly."""
    curves = {}
    for path in sorted(folder.glob("*.csv")):
        with path.open() as file:
            curves.setdefault(path.stem.rsplit("-", 1)[0], []).append(list(csv.DictReader(file)))
    last = min(float(rows[-1]["steps"]) for runs in curves.values() for rows in runs)
    grid = np.linspace(last / 50, last, 50)
    colours = dict(zip(VIEWS, ("#444444", "#0072b2", "#e69f00", "#009e73")))
    for view in [view for view in VIEWS if view in curves]:
        runs = np.array([smoothed(rows, grid, last / 12) for rows in curves[view]])
        mean = np.nanmean(runs, 0)
        axes.plot(grid / 1e3, mean, color=colours[view], lw=2.2, label=f"{view}, {len(runs)} seeds")
        axes.plot(grid / 1e3, runs.T, color=colours[view], lw=0.7, alpha=0.6)
        print(f"{folder.name}, {view}: last {mean[-1]:.1f}, of each seed " + ", ".join(f"{run[-1]:.1f}" for run in runs))
    axes.set(xlabel="thousand steps", title=folder.name)
    axes.spines[["top", "right"]].set_visible(False)


def plot(folders, out):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(folders), figsize=(1 + 4.5 * len(folders), 3.8), dpi=100, squeeze=False, sharey=True)
    for place, folder in zip(axes[0], folders):
        draw(place, pathlib.Path(folder))
    axes[0, 0].set_ylabel("return of an episode")
    axes[0, -1].legend(frameon=False, loc="lower center", ncol=2)
    figure.tight_layout()
    figure.savefig(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    trains = commands.add_parser("train", help="one run; writes OUT/VIEW-SEED.csv")
    for field in dataclasses.fields(Options):
        choices = VIEWS if field.name == "view" else None
        trains.add_argument("--" + field.name.replace("_", "-"), type=field.type, default=field.default, choices=choices)
    plots = commands.add_parser("plot", help="learning curves; a folder's runs are one diagram")
    plots.add_argument("folders", nargs="+")
    plots.add_argument("--out", default="curves.png")
    arguments = vars(parser.parse_args())
    if arguments.pop("command") == "plot":
        plot(**arguments)
    else:
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 1)))
        train(Options(**arguments))


if __name__ == "__main__":
    main()
