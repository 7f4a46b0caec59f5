# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Gaze that follows no picture and no agent: baselines for active vision.

A policy has `reset(count, rng)`, `begin(which, rng)` and `step(rng)`; each returns all gazes in uv, float32 of shape
(count, 2). `begin` moves those alone that begin an episode, `which` is a bool for each; `step` moves all by a step.
rng is a numpy.random.Generator.
"""

import numpy as np


class Fixed:
    """All gazes stay at one place: the control that looks at the picture's middle."""

    def __init__(self, place_uv=(0.5, 0.5)):
        self.place_uv = tuple(float(v) for v in place_uv)

    def reset(self, count, rng):
        self._gazes = np.tile(np.asarray(self.place_uv, np.float32), (count, 1))
        return self._gazes.copy()

    def begin(self, which, rng):
        return self._gazes.copy()

    def step(self, rng):
        return self._gazes.copy()


class RandomSaccades:
    """Each gaze jumps to a uniformly random place, after fixations of random length (geometric).

    fixation_steps: how long a fixation lasts on average, in steps, 1 or more.
    margin_uv: no fixation is nearer to the picture's edge than this, 0..0.5.
    """

    def __init__(self, fixation_steps=8.0, margin_uv=0.1):
        if not fixation_steps >= 1:
            raise ValueError(f"fixation_steps is {fixation_steps}; it must be 1 or more")
        if not 0 <= margin_uv <= 0.5:
            raise ValueError(f"margin_uv is {margin_uv}; it must be 0 to 0.5")
        self.fixation_steps, self.margin_uv = float(fixation_steps), float(margin_uv)

    def _places(self, count, rng):
        return rng.uniform(self.margin_uv, 1 - self.margin_uv, (count, 2)).astype(np.float32)

    def reset(self, count, rng):
        self._gazes = self._places(count, rng)
        return self._gazes.copy()

    def begin(self, which, rng):
        self._gazes[which] = self._places(len(self._gazes), rng)[which]
        return self._gazes.copy()

    def step(self, rng):
        return self.begin(rng.random(len(self._gazes)) < 1 / self.fixation_steps, rng)
