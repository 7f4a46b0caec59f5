# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What an agent with a fovea sees: the core of the wrappers for environments.

Works on the observations of `count` environments at once, NumPy arrays or tensors on any device. Gazes and what moves
them are of the images' kind and on their device; nothing waits for a device but render() and object arrays.
"""

import copy
import sys
from typing import Any, Mapping, Optional, Sequence, cast

import numpy as np

from . import _arrays, _foveator, _pictures, _shape
from . import gaze as policies
from ._gazes import Array, Gazes, like, random_numbers

Observation = Any  # an Array, or a Dict of them
Info = dict[str, Any]
Path = tuple[Any, ...]

SAME_STEP, NEXT_STEP, DISABLED = "SameStep", "NextStep", "Disabled"
_LAST = ("final_obs", "final_observation")  # Gymnasium since 1.1 and Isaac Lab; ManiSkill


def layout_of(shape: Sequence[int]) -> str:
    """The layout that images of a shape are taken to have."""
    if len(shape) == 2:
        return "NHW"
    if len(shape) == 3 and shape[-1] == 4:
        raise ValueError(f"images of shape {tuple(shape)} may be RGBA, whose alpha stays as it is, or four frames: say layout='NHWC' or 'NHWF'")
    if len(shape) == 3 and shape[-1] in _shape.PIXELS:
        return "NHWC"
    if len(shape) == 3 and shape[0] < min(shape[1:]):
        return "NCHW"
    raise ValueError(f"images of shape {tuple(shape)}: say layout='NHWC', 'NHWF' (frames) or 'NCHW'")


def leaf(observation: Observation, path: Path) -> Array:
    for name in path:
        observation = observation[name]
    return observation


def replaced(observation: Observation, path: Path, image: Array) -> Observation:
    """The observation with another image; the environment's own dicts stay as they are."""
    if not path:
        return image
    observation = copy.copy(observation)
    observation[path[0]] = replaced(observation[path[0]], path[1:], image)
    return observation


class Episodes:
    """Where the episodes of several environments begin and end.

    autoreset: SAME_STEP, NEXT_STEP, DISABLED, or None where nobody said: NEXT_STEP, until an observation that ended an
    episode shows that it is SAME_STEP.
    """

    def __init__(self, autoreset: Optional[str]) -> None:
        self.autoreset = autoreset or NEXT_STEP
        self._is_known = autoreset is not None
        self._ended: Array = None  # in the step before

    def partial(self, options: Optional[Mapping[str, Any]]) -> Array:
        """Which a reset begins, by Gymnasium's mask or ManiSkill's indices; None: all. A reset may change options."""
        if not options or self._ended is None:
            return None
        none = self._ended & False
        if options.get("reset_mask") is not None:
            return none | like(options["reset_mask"], none)
        if options.get("env_idx") is not None:
            none[options["env_idx"]] = True
            return none
        return None

    def reset(self, none: Array) -> None:
        self._ended = none

    def reset_some(self, which: Array) -> None:
        self._ended = self._ended & ~which

    def show_last(self) -> None:
        """A step had observations that ended an episode."""
        if not self._is_known:
            self.autoreset = SAME_STEP

    def begins(self, ended: Array) -> Array:
        """Which observations of a step are the first of an episode; None: none."""
        begins = {NEXT_STEP: self._ended, SAME_STEP: ended}.get(self.autoreset)
        self._ended = ended
        return begins


class Sight:
    """Foveates observations and keeps where each agent looks.

    places: (path, layout) of each image in an observation. count: of environments; None: observations are of one, and
    have no dimension for it. policy: as in fovea.gaze, or an Eye. autoreset: as for Episodes.
    """

    def __init__(
        self,
        places: Sequence[tuple[Path, str]],
        count: Optional[int],
        foveator: _foveator.Foveator,
        policy: policies.Policy,
        autoreset: Optional[str] = DISABLED,
    ) -> None:
        self.places, self.foveator, self.policy = places, foveator, policy
        self.batched, self.count = count is not None, count or 1
        self.episodes = Episodes(autoreset)
        self._gazes: Optional[Gazes] = None  # what they are of is known with the first image
        self._rng: policies.Random = None
        self._seen: Observation = None
        self._trail = _pictures.Trail()

    def check_reset(self) -> None:
        if self._gazes is None:
            raise RuntimeError("nobody looks anywhere before reset(): call reset() first")

    @property
    def gazes(self) -> Gazes:
        self.check_reset()
        return cast(Gazes, self._gazes)

    @property
    def gaze(self) -> Array:
        now = self.gazes.now
        return (now if self.batched else now[0]) + 0  # a copy, whoever's array it is

    def foveate(self, observation: Observation, gazes: Array) -> Observation:
        for path, layout in self.places:
            observation = replaced(observation, path, self.foveator(leaf(observation, path), gazes, layout=layout))
        return observation

    def reset(
        self, observation: Observation, info: Info, seed: Any = None, which: Array = None
    ) -> tuple[Observation, Info]:
        """What reset() returns, seen. which: of episodes.partial(), before the environment's own reset."""
        image, gazes = leaf(observation, self.places[0][0]), self._gazes
        device = image.device if _arrays.is_torch(image) else None
        if gazes is not None and gazes.device != device:
            gazes = None
        if gazes is None or seed is not None:
            self._rng = random_numbers(seed, device)
        if gazes is None or which is None:
            gazes = self._gazes = Gazes(self.policy, self.count, self._rng)
            which = ~gazes.none
            self.episodes.reset(gazes.none)
        else:
            gazes.begin(which, self._rng)
            self.episodes.reset_some(which)
        return self._see(observation, info, which)

    def step(self, result: tuple[Any, Any, Any, Any, Info], action: Any = None) -> tuple[Any, Any, Any, Any, Info]:
        """What step() returns, seen. action: an Eye's, checked."""
        observation, reward, terminated, truncated, info = result
        gazes = self.gazes
        gazes.move(action, self._rng)
        begins = None
        if self.batched:
            ended = gazes.none | like(terminated, gazes.none) | like(truncated, gazes.none)
            info = self._see_last(info, ended)
            begins = self.episodes.begins(ended)
            # Whether there are any is not asked of tensors: that would wait for the device.
            if begins is not None and (gazes.device is not None or begins.any()):
                gazes.begin(begins, self._rng)
        observation, info = self._see(observation, info, begins)
        return observation, reward, terminated, truncated, info

    def _see(self, observation: Observation, info: Info, begins: Array) -> tuple[Observation, Info]:
        now = self.gazes.now
        self._trail.add(now, begins)
        path, layout = self.places[0]
        self.gazes.see(leaf(observation, path), layout)
        self._seen = self.foveate(observation, now)
        return self._seen, {**info, "gaze": self.gaze}

    def _see_last(self, infos: Info, ended: Array) -> Info:
        """Foveates observations that ended an episode in the step that began the next, and says where they looked."""
        for name in _LAST:
            if infos.get(name) is not None:
                infos = {**infos, name: self._foveate_last(infos[name])}
                last = infos.get("final_info", {})
                if isinstance(last, Mapping):
                    infos["final_info"] = {**last, "gaze": self.gaze, "_gaze": ended | False}  # copies
                self.episodes.show_last()
        return infos

    def _foveate_last(self, last: Observation) -> Observation:
        if not (isinstance(last, np.ndarray) and last.dtype == object):
            return self.foveate(last, self.gazes.now)
        which = [i for i, observation in enumerate(last) if observation is not None]
        seen = last.copy()
        for path, layout in self.places if which else ():
            images = [leaf(last[i], path) for i in which]
            module: Any = sys.modules["torch"] if _arrays.is_torch(images[0]) else np
            for i, image in zip(which, self.foveator(module.stack(images), self.gazes.now[which], layout=layout)):
                seen[i] = replaced(seen[i], path, image)
        return seen

    def picture(self, frames: Any) -> Any:
        """What render() returns: full views with the gaze's trail, and what the agents see, beside each other."""
        if self._seen is None or frames is None or (isinstance(frames, list) and not self.batched):
            return frames
        if not self.batched:
            return self._picture(frames, 0)
        if len(frames) != self.count or not (isinstance(frames, (tuple, list)) or frames.ndim == 4):
            return frames
        pictures = tuple(self._picture(frame, i) for i, frame in enumerate(frames))
        return pictures if isinstance(frames, (tuple, list)) else np.stack(pictures)

    def _picture(self, frame: Array, index: int) -> Array:
        images = [(leaf(self._seen, path), layout) for path, layout in self.places]
        seen = [(image[index] if self.batched else image, layout) for image, layout in images]
        return _pictures.beside(frame, self._trail.of(index), seen)
