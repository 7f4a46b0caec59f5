# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Gaze policies that no agent controls: baselines for active vision.

`Policy` is the interface for your own.
"""

import copy
import functools
import math
import sys
from typing import Any, Mapping, Optional, Protocol, Sequence, Union

import numpy as np

from . import _blobs, _gaze_source, _live, _numbers, _settings

Array = Any  # NumPy's, or a tensor
Random = Any  # numpy.random.Generator or torch.Generator


class Policy(Protocol):
    """What moves the gazes of `count` agents; any object with these methods.

    reset(count, rng): all begin. begin(which, rng): those alone begin an episode where `which`, a bool for each, of
    shape (count,), is true. step(rng): all move by a step. Each returns all gazes as a new array: x and y in uv,
    float32 of shape (count, 2), (1, 2) of one environment; other numbers are converted.

    rng is a numpy.random.Generator, or a torch.Generator where images are tensors: gazes and `which` are then tensors
    on its device. A policy with look(gazes) continues from those gazes. A policy with see(images, layout) gets each
    observation's first image, as the environment made it, before the next step. Wrappers use a deep copy of the policy.
    """

    def reset(self, count: int, rng: Random) -> Array: ...

    def begin(self, which: Array, rng: Random) -> Array: ...

    def step(self, rng: Random) -> Array: ...


_METHODS = ("reset", "begin", "step")
Gaze = Union[None, Sequence[float], "np.ndarray[Any, Any]", Policy, _live.Gaze]


def uniform(rng: Random, *shape: int) -> Array:
    """Random numbers from 0 to 1, float32."""
    if isinstance(rng, np.random.Generator):
        return rng.random(shape, np.float32)
    return sys.modules["torch"].rand(shape, generator=rng, device=rng.device)


def same(rng: Random, count: int, place_uv: Sequence[float]) -> Array:
    """Gazes that are all at one place."""
    places: Array = None
    if isinstance(rng, np.random.Generator):
        places = np.empty((count, 2), np.float32)
    else:
        places = sys.modules["torch"].empty((count, 2), device=rng.device)
    places[:, 0], places[:, 1] = place_uv
    return places


def where(which: Array, new: Array, old: Array) -> Array:
    """The new gazes where `which` is true, the old ones elsewhere."""
    module: Any = np if isinstance(old, np.ndarray) else sys.modules["torch"]
    return module.where(which[:, None], new, old)


def place(gaze: Any, name: str = "gaze") -> tuple[float, float]:
    """One place in uv, of anything that is two numbers."""
    try:
        x, y = (float(v) for v in gaze)
    except OverflowError:
        raise ValueError(f"{name} is not finite") from None
    except (TypeError, ValueError, RuntimeError):  # the last is PyTorch's where a row is no number
        or_policy = ", or a policy" if name == "gaze" else ""
        raise ValueError(f"{name} is {_numbers.said(gaze)}; it must be x and y in uv{or_policy}") from None
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError(f"{name} is not finite")
    if not (-1 <= x <= 2 and -1 <= y <= 2):  # beside the picture by more than its own size
        raise ValueError(f"{name} {gaze!r} looks like pixels; uv is 0 to 1")
    return x, y


class Fixed:
    """All gazes stay at one place: the control that looks at the picture's middle."""

    def __init__(self, place_uv: Any = (0.5, 0.5)) -> None:
        self.place_uv = place(place_uv)

    def reset(self, count: int, rng: Random) -> Array:
        self._gazes = same(rng, count, self.place_uv)
        return self._gazes + 0

    def begin(self, which: Array, rng: Random) -> Array:
        return self._gazes + 0

    def step(self, rng: Random) -> Array:
        return self._gazes + 0


class Live:
    """All gazes are where somebody looks now: an open `fovea.Gaze`, a person before the environment's picture.

    Where there is no gaze ("gaze.validity.fallback" none), the last place stays. Wrappers take a `fovea.Gaze` itself, too. Whoever opened it closes it.
    """

    def __init__(self, source: _live.Gaze) -> None:
        self.source, self._layout = source, "NHWC"
        self._place: tuple[float, float] = (0.5, 0.5)
        self._shape: tuple[int, ...] = ()

    def __deepcopy__(self, _memo: Any) -> "Live":
        return Live(self.source)

    def see(self, images: Array, layout: str) -> None:
        self._shape, self._layout = tuple(images.shape), layout

    def _gazes(self, count: int, rng: Random) -> Array:
        self._place = self.source.place_for(self._shape, self._layout) or self._place
        return same(rng, count, self._place)

    def reset(self, count: int, rng: Random) -> Array:
        self._count = count
        return self._gazes(count, rng)

    def begin(self, which: Array, rng: Random) -> Array:
        return self._gazes(self._count, rng)

    def step(self, rng: Random) -> Array:
        return self._gazes(self._count, rng)


def policy_of(gaze: Gaze = None) -> Policy:
    """What wrappers take: None, a place, or a policy. A policy has state: each wrapper has its own."""
    if gaze is None:
        return Fixed()
    if isinstance(gaze, _live.Gaze):
        return Live(gaze)
    if isinstance(gaze, type):
        raise TypeError(f"gaze is a class; give an object: {gaze.__name__}()")
    missing = [name for name in _METHODS if not callable(getattr(gaze, name, None))]
    if len(missing) == len(_METHODS):
        return Fixed(gaze)
    if missing:
        lacks = " and no ".join(f"{name}()" for name in missing)
        raise TypeError(f"the policy {type(gaze).__name__} has no {lacks}; fovea.gaze.Policy says what it must have")
    made: Any = copy.deepcopy(gaze)
    return made


def place_or_policy(gaze: Gaze) -> Any:
    """The same where no steps are made: a place as (x, y), or a policy of one's own."""
    if isinstance(gaze, Blobs):
        raise ValueError("fovea.gaze.Blobs begins in the middle and goes on by steps of an environment: without them it would stay there")
    policy = policy_of(gaze)
    return policy.place_uv if isinstance(policy, Fixed) else policy


class RandomSaccades:
    """Each gaze jumps to a uniformly random place, after fixations of random length (geometric).

    fixation_steps: how long a fixation lasts on average, in steps, 1 or more.
    margin_uv: no fixation is nearer to the picture's edge than this, 0..0.5.
    """

    def __init__(self, fixation_steps: float = 8.0, margin_uv: float = 0.1) -> None:
        self.fixation_steps = _numbers.real_of("fixation_steps", fixation_steps)
        if not self.fixation_steps >= 1:
            raise ValueError(f"fixation_steps is {fixation_steps}; it must be 1 or more")
        self.margin_uv = _numbers.real_of("margin_uv", margin_uv)
        if not 0 <= self.margin_uv <= 0.5:
            raise ValueError(f"margin_uv is {self.margin_uv}; it must be 0 to 0.5")

    def reset(self, count: int, rng: Random) -> Array:
        self._gazes = self._places(count, rng)
        return self._gazes

    def _places(self, count: int, rng: Random) -> Array:
        return uniform(rng, count, 2) * (1 - 2 * self.margin_uv) + self.margin_uv

    def begin(self, which: Array, rng: Random) -> Array:
        self._gazes = where(which, self._places(len(self._gazes), rng), self._gazes)
        return self._gazes

    def look(self, gazes: Array) -> None:
        self._gazes = gazes

    def step(self, rng: Random) -> Array:
        return self.begin(uniform(rng, len(self._gazes)) < 1 / self.fixation_steps, rng)


class Blobs:
    """Each gaze jumps from blob to blob of what its environment drew, after fixations of random length (geometric).

    Needs no data and no training. A jump chooses one of the blobs (`fovea.blobs`) of the previous observation, as the environment
    made it, sharp everywhere, at random by the square of its strength. Blobs near one of the last places are excluded. It is no
    model of where people look. Episodes begin in the middle; without blobs or pictures, gazes stay.

    fixation_steps: how long a fixation lasts on average, in steps, 1 or more.
    kept: how many of the last places are excluded, 0 or more. near_uv: the distance that counts as near, in widths and heights of the picture.

    Pictures are looked at on the processor, those alone whose gazes jump: tensors on a device are waited for.
    """

    def __init__(self, fixation_steps: float = 3.0, kept: int = 4, near_uv: float = 0.1) -> None:
        self.fixation_steps = _numbers.real_of("fixation_steps", fixation_steps)
        if not self.fixation_steps >= 1:
            raise ValueError(f"fixation_steps is {fixation_steps}; it must be 1 or more")
        self.kept, self.near_uv = _numbers.whole_of("kept", kept, 0, 65536), _numbers.real_of("near_uv", near_uv)
        if not self.near_uv >= 0:
            raise ValueError(f"near_uv is {near_uv}; it must be 0 or more")
        self._finder = _blobs.BlobFinder(max_count=64, threshold=0.05, scales=11)

    def reset(self, count: int, rng: Random) -> Array:
        self._images: Array = None
        self._gazes = same(rng, count, (0.5, 0.5))
        self._past = np.full((count, self.kept, 2), np.inf, np.float32)
        return self._gazes + 0

    def begin(self, which: Array, rng: Random) -> Array:
        self._gazes = where(which, same(rng, len(self._gazes), (0.5, 0.5)), self._gazes)
        self._past[np.asarray(which.cpu() if hasattr(which, "cpu") else which)] = np.inf
        return self._gazes + 0

    def see(self, images: Array, layout: str) -> None:
        self._images = images.clone() if hasattr(images, "clone") else np.array(images)  # theirs may be written again
        self._layout = layout

    def _image(self, index: int) -> Any:
        """One environment's, as (H, W, C)."""
        one = self._images[index] if self._images.ndim == len(self._layout) else self._images
        picture = np.asarray(one.detach().cpu() if hasattr(one, "detach") else one)
        if self._layout == "NHW":
            return picture[..., None]
        if self._layout == "NCHW":
            picture = np.moveaxis(picture, 0, -1)
        is_color = self._layout != "NHWF" and picture.shape[-1] in (1, 3, 4)
        return picture if is_color else picture[..., -1:]  # the newest of several frames

    def _drawn(self, index: int, now: Array, chance: float) -> Array:
        image = self._image(index)
        found: Any = self._finder(image)
        places = np.stack([found["x_px"] + 0.5, found["y_px"] + 0.5], 1) / (image.shape[1], image.shape[0])
        past = np.concatenate([self._past[index], now[None]])
        far = (np.abs(places[:, None] - past).max(2) > self.near_uv).all(1) if len(places) else np.zeros(0, bool)
        sums = np.cumsum(np.where(far, found["strength"].astype(np.float64) ** 2, 0.0))
        if not far.any():
            return now
        if self.kept:
            self._past[index] = past[1:]
        return places[min(np.searchsorted(sums, chance * sums[-1], side="right"), len(sums) - 1)]

    def step(self, rng: Random) -> Array:
        chances = uniform(rng, len(self._gazes), 2)
        chances = np.asarray(chances.cpu() if hasattr(chances, "cpu") else chances)
        gazes = np.asarray(self._gazes.cpu() if hasattr(self._gazes, "cpu") else self._gazes).copy()  # np.array() of a tensor warns
        for i in np.flatnonzero(chances[:, 0] < 1 / self.fixation_steps) if self._images is not None else ():
            gazes[i] = self._drawn(int(i), gazes[i], float(chances[i, 1]))
        if not isinstance(self._gazes, np.ndarray):
            gazes = sys.modules["torch"].tensor(gazes, device=self._gazes.device)
        self._gazes = gazes
        return self._gazes + 0


_LOOP_MS = 600000


class Generator:
    """The eye movements of Fovea's own generator: fixations with drift, and saccades along the main sequence.

    step_ms: the duration of a step of the environment, 2 to 600000; ViZDoom with a frame skip of 4: 114.
    settings: by path those below "gaze.saccades.", as in {"gaze.saccades.fixation_ms": 500,
        "gaze.saccades.width_deg": 90}; docs/gaze.md says what they are. A blink leaves the gaze where it is.
    size_px: the pictures' width and height; their ratio counts.

    Ten minutes are generated at once and played in a loop; each episode begins at a random time in them.
    """

    def __init__(
        self, step_ms: float = 100.0, settings: Optional[Mapping[str, Any]] = None, size_px: Sequence[int] = (4, 3)
    ) -> None:
        self.step_ms = _numbers.real_of("step_ms", step_ms)
        if not 2 <= self.step_ms <= _LOOP_MS:
            raise ValueError(f"step_ms is {self.step_ms:g}; it must be 2 to {_LOOP_MS}, which are made at once")
        self.size_px = _live.size_of(size_px)
        wanted = {"gaze.validity.fallback": "last", **(settings or {}), "gaze.source": "saccades"}
        self._pairs = _settings.as_pairs(wanted)
        _settings.Settings(self._pairs)  # what is wrong is said now

    def reset(self, count: int, rng: Random) -> Array:
        self._places: Array = _loop(self._pairs, self.step_ms, self.size_px)
        if not isinstance(rng, np.random.Generator):
            self._places = sys.modules["torch"].tensor(self._places, device=rng.device)
        self._times = self._random_times(count, rng)
        return self._gazes()

    def _random_times(self, count: int, rng: Random) -> Array:
        times = uniform(rng, count, 1) * len(self._places)
        # A product of a number below 1 may be rounded up to the length.
        return (times.astype(np.int64) if isinstance(times, np.ndarray) else times.long()) % len(self._places)

    def _gazes(self) -> Array:
        return self._places[self._times[:, 0]]

    def begin(self, which: Array, rng: Random) -> Array:
        self._times = where(which, self._random_times(len(self._times), rng), self._times)
        return self._gazes()

    def step(self, rng: Random) -> Array:
        self._times = (self._times + 1) % len(self._places)
        return self._gazes()


@functools.lru_cache(maxsize=8)
def _loop(pairs: _settings.Pairs, step_ms: float, size_px: tuple[int, int]) -> Array:
    made = _gaze_source.places(pairs, round(_LOOP_MS / step_ms), round(step_ms * 1e6), size_px)
    made.flags.writeable = False
    return made
