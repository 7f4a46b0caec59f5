# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""python -m fovea.bench --environments: what a fovea costs an environment.

The wrappers: their step less the environment's own and less a bare call of a Foveator on the same array and gazes, with
an environment that does nothing and one thread; the median of rounds in which all three were timed. ViZDoom: health
gathering, 8 environments, a frame skip of 4, random actions; steps of all environments a second, with the wrapper and
without it by turns in the same processes. The best round counts, as other work on the machine only ever makes it
slower; `*_median` is the median round.
"""

import functools
import os
import platform
import statistics
import tempfile
import time
from typing import Any, Callable, Iterator, Optional

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.vector.utils import batch_space

import fovea
import fovea.gym

COUNT, FRAME_SKIP = 8, 4
SCREENS: dict[str, tuple[str, int, Optional[int]]] = {"84x84x1": ("GRAY8", 160, 84), "160x120x3": ("RGB24", 160, None), "320x240x3": ("RGB24", 320, None)}
DEVICE = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"


class Idle(gymnasium.Env[Any, Any]):
    """Says the same at every step."""

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(0, 255, (8, 8, 3), np.uint8)
        self.action_space = gymnasium.spaces.Discrete(3)
        self.said = self.observation_space.sample()

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.said, {}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        return self.said, 0.0, False, False, {}


class IdleVector(gymnasium.vector.VectorEnv):
    def __init__(self, count: int) -> None:
        one, self.num_envs = Idle(), count
        self.single_observation_space, self.single_action_space = one.observation_space, one.action_space
        self.observation_space = batch_space(one.observation_space, count)
        self.action_space = batch_space(one.action_space, count)
        self.said, self.zeros = self.observation_space.sample(), np.zeros(count)
        self.never = np.zeros(count, bool)

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return self.said, {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        return self.said, self.zeros, self.never, self.never, {}


def _wrappers(env: Any, foveator: fovea.Foveator) -> Iterator[tuple[str, Any]]:
    yield "FoveatedObservation", fovea.gym.FoveatedObservation(env, foveator)
    policies: list[fovea.gaze.Policy] = [fovea.gaze.RandomSaccades(), fovea.gaze.Generator()]
    for gaze in policies:
        yield f"FoveatedObservation, {type(gaze).__name__}", fovea.gym.FoveatedObservation(env, foveator, gaze=gaze)
    for mode in ("absolute", "relative", "velocity", "grid"):
        yield f"ActiveGaze, {mode}", fovea.gym.ActiveGaze(env, foveator, mode=mode)


def _round_us(work: Callable[[], Any], calls: int = 10) -> float:
    before = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - before) / calls * 1e6


def _bare(foveator: fovea.Foveator, images: Any, wrapped: Any) -> Any:
    """With the wrapper's gazes: what foveation costs depends on them."""
    return foveator(images, wrapped._sight.gazes.now)


def wrapper_rows(rounds: int = 400) -> Iterator[dict[str, Any]]:
    for count in (1, COUNT):
        env: Any = Idle() if count == 1 else IdleVector(count)
        foveator, action = fovea.Foveator({"foveation.model": "paper", "cpu_threads": 1}), env.action_space.sample()
        for name, wrapped in _wrappers(env, foveator):
            wrapped.reset(seed=1)
            works = [
                functools.partial(wrapped.step, wrapped.action_space.sample()),
                functools.partial(env.step, action),
                functools.partial(_bare, foveator, env.said, wrapped),
            ]
            times = [[_round_us(work) for work in works] for _ in range(rounds)]
            yield {
                "device": DEVICE,
                "wrapper": name,
                "environments": count,
                "bare_us": statistics.median(bare for _, _, bare in times),
                "wrapper_us": statistics.median(step - own - bare for step, own, bare in times),
            }


def _screen(observation: Any, size: Optional[int]) -> Any:
    screen = observation["screen"]
    if size is None:
        return screen
    rows, columns = (np.arange(size) * length // size for length in screen.shape[:2])
    return screen[rows][:, columns]


def doom(colours: str, width: int, size: Optional[int]) -> Any:
    """ViZDoom's screen alone, of size x size pixels where that is given."""
    import vizdoom
    import vizdoom.gymnasium_wrapper  # noqa: F401

    env = gymnasium.make(
        "VizdoomHealthGathering-v1",
        frame_skip=FRAME_SKIP,
        screen_resolution=getattr(vizdoom.ScreenResolution, f"RES_{width}X{width * 3 // 4}"),
        screen_format=getattr(vizdoom.ScreenFormat, colours),
        doom_config_path=os.devnull,
        disable_env_checker=True,
    )
    whole: Any = env.observation_space
    space = whole["screen"]
    if size is not None:
        space = gymnasium.spaces.Box(0, 255, (size, size, space.shape[2]), np.uint8)
    return gymnasium.wrappers.TransformObservation(env, functools.partial(_screen, size=size), space)


def _rate(env: Any, actions: list[Any], seconds: float) -> float:
    """Steps of all environments a second."""
    steps, begin = 0, time.perf_counter()
    while (now := time.perf_counter()) < begin + seconds:
        env.step(actions[steps % len(actions)])
        steps += 1
    return steps * COUNT / (now - begin)


def vizdoom_rows(rounds: int = 7, seconds: float = 1.0) -> Iterator[dict[str, Any]]:
    # Not forked: this process has threads by now.
    kinds: list[Any] = [functools.partial(AsyncVectorEnv, context="spawn"), SyncVectorEnv]
    for kind in kinds:
        for screen, arguments in SCREENS.items():
            plain = kind([functools.partial(doom, *arguments)] * COUNT)
            strength = plain.single_observation_space.shape[1] / 1000
            foveated = fovea.gym.FoveatedObservation(plain, {"foveation.strength": strength})
            foveated.reset(seed=1)
            plain.action_space.seed(1)
            actions = [plain.action_space.sample() for _ in range(64)]
            rates: dict[str, list[float]] = {"plain": [], "foveated": []}
            for _ in range(rounds):
                rates["plain"].append(_rate(plain, actions, seconds))
                rates["foveated"].append(_rate(foveated, actions, seconds))
            plain.close()
            row: dict[str, Any] = {"device": DEVICE, "vizdoom": screen, "environments": COUNT, "in": type(plain).__name__}
            row.update({f"{name}_steps_s": max(found) for name, found in rates.items()})
            row.update({f"{name}_median": statistics.median(found) for name, found in rates.items()})
            row["foveated_percent"] = 100 * row["foveated_steps_s"] / row["plain_steps_s"]
            yield row


def tables() -> Iterator[list[dict[str, Any]]]:
    """Lists of rows, a table each."""
    yield list(wrapper_rows())
    try:
        import vizdoom  # noqa: F401
    except ImportError:
        print("vizdoom is not installed: no table of it\n")
        return
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:  # it leaves files where it starts
        os.makedirs(os.path.join(folder, "_vizdoom"))  # which several that start at once would all make
        os.chdir(folder)
        try:
            yield list(vizdoom_rows())
        finally:
            os.chdir(here)
