# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Where agents look: a policy's gazes of several environments, NumPy's or tensors on a device, and what moves them."""

import math
import sys
from typing import Any, Sequence

import numpy as np

from . import _arrays, _numbers
from . import gaze as policies

Array = Any  # NumPy's, or a tensor

MODES = ("absolute", "relative", "velocity", "grid")
_MOST_PLACES = 1 << 24  # of a grid, each way: float32 counts no further
_MOST = 1e100  # of what is multiplied by float32, and squared: that is finite in doubles
_OWN_RANDOM_NUMBERS = tuple(b"gaze")
_HOST = np.zeros(0, np.float32)


def like(values: Any, array: Array) -> Array:
    """Values with the type of an array, of its library and on its device, without their gradients."""
    on_host = isinstance(array, np.ndarray)
    if _arrays.is_torch(values):
        values = values.detach().cpu() if on_host else values.detach()
    if on_host:
        return np.asarray(values, array.dtype)
    return sys.modules["torch"].as_tensor(values, dtype=array.dtype, device=array.device)


def _doubles(array: Array) -> Array:
    return array.astype(np.float64) if isinstance(array, np.ndarray) else array.double()


def _is_on_device(array: Array) -> bool:
    return _arrays.is_torch(array) and array.device.type != _arrays.CPU


def random_numbers(seed: Any, device: Any) -> policies.Random:
    """A policy's: NumPy's, or a torch.Generator on a device."""
    if seed is not None and not isinstance(seed, (int, np.integer)):
        seed = [abs(int(one or 0)) for one in seed]
    # Gymnasium's environments draw from SeedSequence(seed): gazes of the same numbers would follow their targets.
    sequence = np.random.SeedSequence(seed, spawn_key=_OWN_RANDOM_NUMBERS)
    if device is None:
        return np.random.default_rng(sequence)
    return sys.modules["torch"].Generator(device).manual_seed(int(sequence.generate_state(1)[0]))


class Eye:
    """A policy of gaze that actions move."""

    def __init__(
        self,
        mode: str = "absolute",
        start_uv: Sequence[float] = (0.5, 0.5),
        max_step_uv: float = 2.0,
        grid: Sequence[int] = (4, 4),
        velocity_gain: float = 0.1,
    ) -> None:
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}; it must be one of {', '.join(MODES)}")
        self.max_step_uv = _numbers.real_of("max_step_uv", max_step_uv)
        self.velocity_gain = _numbers.real_of("velocity_gain", velocity_gain)
        if not 0 < self.max_step_uv <= _MOST:
            raise ValueError(f"max_step_uv is {self.max_step_uv}; it must be above 0, and {_MOST:g} or less")
        if not abs(self.velocity_gain) <= _MOST:
            raise ValueError(f"velocity_gain is {self.velocity_gain}; it must be {-_MOST:g} to {_MOST:g}")
        self.mode, self.grid = mode, _numbers.whole_pair("grid", grid, "columns and rows, as in (4, 4)", _MOST_PLACES)
        self._host_cells = np.array(self.grid, np.float32)
        self.start_uv = policies.place(start_uv, "start_uv")

    def reset(self, count: int, rng: policies.Random) -> Array:
        self._start = policies.same(rng, count, self.start_uv)
        self._is_on_device = _is_on_device(self._start)
        self._cells = policies.same(rng, count, self.grid)
        self._last_cells = self._cells - 1
        self._velocities = _doubles(self._start) * 0
        self._gazes = self._start + 0
        return self._gazes

    def begin(self, which: Array, rng: policies.Random) -> Array:
        self._gazes = policies.where(which, self._start, self._gazes)
        if self.mode == "velocity":
            self._velocities = policies.where(which, _doubles(self._start) * 0, self._velocities)
        return self._gazes

    def step(self, rng: policies.Random) -> Array:
        return self._gazes

    def look(self, gazes: Array) -> None:
        self._gazes = gazes

    def checked(self, actions: Any) -> Array:
        """Actions of shape (count, 2), or (2,) of one, as move() takes them; what is wrong is said, nothing moves."""
        # To look at values on a device is to wait for it: move() lives with whatever they are.
        is_unseen = self._is_on_device and _is_on_device(actions)
        try:
            with np.errstate(over="ignore"):  # what is then not finite is said
                found = like(actions, self._gazes if is_unseen else _HOST)
        except OverflowError:
            raise ValueError("sensory_action is not finite") from None
        except (TypeError, ValueError, RuntimeError):
            raise ValueError(f"sensory_action is {_numbers.said(actions)}; it must be x and y") from None
        count = len(self._gazes)
        if found.shape != (count, 2):
            if found.shape != (2,) or count > 1:
                of_all = f" in {count} rows" if count > 1 else ""
                raise ValueError(f"sensory_action has shape {tuple(found.shape)}; it must be x and y{of_all}")
            found = found[None]
        if is_unseen:
            return found
        # The sum of squares is quick, but may overflow.
        if not math.isfinite(np.vdot(found, found)) and not np.isfinite(found).all():
            raise ValueError("sensory_action is not finite")
        if self.mode == "grid" and (np.floor(found % self._host_cells) != found).any():
            columns, rows = self.grid
            raise ValueError(f"sensory_action is {actions}; in a grid it is a column, 0 to {columns - 1}, "
                             f"and a row, 0 to {rows - 1}")
        return found if isinstance(self._gazes, np.ndarray) else like(found, self._gazes)

    def move(self, actions: Array) -> Array:
        """The gazes after actions that are checked: x and y. In doubles, where squares of what float32 has are finite."""
        actions = _doubles(actions)
        if self.mode == "grid":
            if self._is_on_device:
                actions = actions.floor().clip(0, None).minimum(self._last_cells)
            wanted = (actions + 0.5) / self._cells - self._gazes
        elif self.mode == "absolute":
            wanted = actions - self._gazes
        elif self.mode == "relative":
            wanted = actions * min(self.max_step_uv, 1)
        else:
            wanted = self._velocities + actions * self.velocity_gain
        length = (wanted * wanted).sum(1)[:, None] ** 0.5
        self._velocities = wanted * (self.max_step_uv / length.clip(self.max_step_uv, None))
        if self._is_on_device:
            # Nobody looked at them. Of what is not finite or overflows comes NaN, in this step and all that follow:
            # such a gaze keeps its place.
            self._velocities = self._velocities.nan_to_num(0.0)
        self._gazes = like((self._gazes + self._velocities).clip(0, 1), self._gazes)
        return self._gazes


class Gazes:
    """Where `count` agents look `now`, by a policy, on one device (None: NumPy's).

    Random numbers come with each call: TorchRL's are the process's own.
    """

    def __init__(self, policy: policies.Policy, count: int, rng: policies.Random) -> None:
        self.policy, self.count = policy, count
        self.none: Array = np.zeros(count, bool)
        self.device = None
        self._like: Array = policies.same(rng, 0, (0, 0))
        if not isinstance(rng, np.random.Generator):
            torch = sys.modules["torch"]
            self.none = torch.zeros(count, dtype=torch.bool, device=rng.device)
            self.device = self.none.device  # with its index, which a generator's may lack
        self.now = self._checked(policy.reset(count, rng), "reset")

    def _checked(self, gazes: Any, method: str) -> Array:
        """Gazes as a policy's method returned them, anybody's: in their place and type."""
        is_right = self.device is None and isinstance(gazes, np.ndarray) and gazes.dtype == np.float32
        found = gazes if is_right else like(gazes, self._like)
        if found.shape != (self.count, 2):
            raise ValueError(f"the policy's {method} returned shape {tuple(found.shape)}; it must be {(self.count, 2)}")
        return found

    def see(self, images: Array, layout: str) -> None:
        """What environments drew, for a policy that looks at it."""
        see = getattr(self.policy, "see", None)
        if see is not None:
            see(images, layout)

    def begin(self, which: Array, rng: policies.Random) -> None:
        """Episodes begin."""
        self.now = self._checked(self.policy.begin(which, rng), "begin")

    def move(self, action: Any, rng: policies.Random) -> None:
        """By an action that an Eye checked where the policy is one."""
        if isinstance(self.policy, Eye):
            self.now = self.policy.move(action)
        else:
            self.now = self._checked(self.policy.step(rng), "step")
