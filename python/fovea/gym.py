# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Wrappers for Gymnasium: environments whose agents have a fovea.

    env = fovea.gym.FoveatedObservation(env)                  # looks at the middle; or gaze=fovea.gaze.RandomSaccades()
    env = fovea.gym.ActiveGaze(env, mode="relative")          # where to look is a part of the action

Both take an Env or a VectorEnv and return a wrapper of that kind. Images are uint8, float16 or float32 Boxes of two
or three dimensions, or one entry of a Dict. What is foveated keeps its space. `info["gaze"]` is where the agent looks
in the observation that comes with it, x and y in uv. With render_mode "rgb_array", `render()` shows the full view with
the gaze's trail beside what the agent sees.
"""

import collections
import copy

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from . import _foveator
from . import gaze as policies

_TRAIL = 16  # fixations that render() shows
_MODES = ("absolute", "relative", "velocity", "grid")


class _Sight:
    """What both kinds of wrappers share: which images, what gazes, and pictures of them."""

    def __init__(self, space, count, key, layout, config, policy):
        self.key, self.count = key, count
        self.image_space = space if key is None else _entry(space, key)
        if not isinstance(self.image_space, gymnasium.spaces.Box) or len(self.image_space.shape) not in (2, 3):
            raise ValueError(f"observations are {self.image_space}: images are a Box of two or three dimensions (key=... of a Dict)")
        self.layout = layout or _layout_of(self.image_space)
        self.foveator = config if isinstance(config, _foveator.Foveator) else _foveator.Foveator(config)
        self.policy = policy
        self.gazes = None
        self.seen = None
        self.trails = [collections.deque(maxlen=_TRAIL) for _ in range(count)]

    def note(self, begins):
        for i, trail in enumerate(self.trails):
            if begins[i]:
                trail.clear()
            trail.append(tuple(self.gazes[i]))

    def foveate(self, observation, gazes):
        if self.key is None:
            return self.foveator(observation, gazes, layout=self.layout)
        observation = copy.copy(observation)  # the environment's own dict stays as it is
        observation[self.key] = self.foveator(observation[self.key], gazes, layout=self.layout)
        return observation

    def image(self, observation):
        return observation if self.key is None else observation[self.key]

    def picture(self, frame, index):
        """The full view with the trail, and what the agent sees, side by side."""
        if self.seen is None or not isinstance(frame, np.ndarray) or frame.ndim != 3:
            return frame
        seen = np.asarray(self.image(self.seen))
        seen = _as_rgb(seen if self.count == 1 and seen.ndim == len(self.image_space.shape) else seen[index], self.layout)
        left = frame[..., :3].copy()
        _draw_trail(left, self.trails[index])
        height = left.shape[0]
        width = max(1, round(seen.shape[1] * height / seen.shape[0]))
        rows = np.arange(height) * seen.shape[0] // height
        columns = np.arange(width) * seen.shape[1] // width
        return np.concatenate([left, seen[rows][:, columns]], axis=1)


def _entry(space, key):
    if not isinstance(space, gymnasium.spaces.Dict) or key not in space.spaces:
        raise ValueError(f"observations are {space}, without an entry {key!r}")
    return space[key]


def _layout_of(space):
    if len(space.shape) == 2:
        return "NHW"
    first, last = space.shape[0], space.shape[-1]
    if last in (1, 3, 4):
        return "NHWC"
    if first < min(space.shape[1:]):
        return "NCHW"
    raise ValueError(f"images of shape {space.shape}: say layout='NHWC' or 'NCHW'")


def _as_rgb(image, layout):
    image = np.asarray(image)
    if layout == "NCHW":
        image = np.moveaxis(image, 0, -1)
    if image.ndim == 2:
        image = image[..., None]
    if image.dtype != np.uint8:
        image = (np.clip(image.astype(np.float32), 0, 1) * 255 + 0.5).astype(np.uint8)
    colours = image.shape[-1]
    return image[..., :3] if colours in (3, 4) else np.repeat(image[..., -1:], 3, -1)


def _draw_trail(picture, trail):
    height, width = picture.shape[:2]
    radius = max(1, min(height, width) // 64)
    for age, (x, y) in enumerate(reversed(trail)):
        if not (0 <= x <= 1 and 0 <= y <= 1):
            continue
        column, row = min(int(x * width), width - 1), min(int(y * height), height - 1)
        size = radius * (3 if age == 0 else 1)
        place = picture[max(row - size, 0) : row + size + 1, max(column - size, 0) : column + size + 1]
        place[...] = (255, 255 if age == 0 else 96, 0)
        if age == 0:
            inner = size - radius
            picture[max(row - inner, 0) : row + inner + 1, max(column - inner, 0) : column + inner + 1] = (0, 0, 0)


class _Eye:
    """Gazes that actions move."""

    def __init__(self, mode, start_uv, max_step_uv, grid, velocity_gain):
        if mode not in _MODES:
            raise ValueError(f"mode is {mode!r}; it must be one of {', '.join(_MODES)}")
        if not max_step_uv > 0:
            raise ValueError(f"max_step_uv is {max_step_uv}; it must be above 0")
        self.mode, self.grid = mode, tuple(int(n) for n in grid)
        if len(self.grid) != 2 or min(self.grid) < 1:
            raise ValueError(f"grid is {grid}; it is columns and rows, 1 or more")
        self.start = np.asarray(start_uv, np.float32)
        self.max_step_uv, self.velocity_gain = float(max_step_uv), float(velocity_gain)
        if mode == "grid":
            self.space = gymnasium.spaces.MultiDiscrete(self.grid)
        elif mode == "absolute":
            self.space = gymnasium.spaces.Box(0, 1, (2,), np.float32)
        else:
            self.space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)

    def reset(self, gazes, velocities, which):
        gazes[which], velocities[which] = self.start, 0

    def move(self, gazes, velocities, actions):
        """The gazes after actions of shape (n, 2): x and y."""
        actions = np.asarray(actions, np.float32).reshape(gazes.shape)
        if self.mode == "grid":
            wanted = (actions + np.float32(0.5)) / np.asarray(self.grid, np.float32) - gazes
        elif self.mode == "absolute":
            wanted = actions - gazes
        elif self.mode == "relative":
            wanted = actions * np.float32(min(self.max_step_uv, 1))
        else:
            velocities += actions * np.float32(self.velocity_gain)
            wanted = velocities
        length = np.linalg.norm(wanted, axis=1, keepdims=True)
        step = wanted * np.minimum(1, self.max_step_uv / np.maximum(length, 1e-9))
        if self.mode == "velocity":
            velocities[:] = step
        return np.clip(gazes + step, 0, 1).astype(np.float32)


# ---- One environment


class _One(gymnasium.Wrapper, gymnasium.utils.RecordConstructorArgs):
    def _see(self, observation, info, begins):
        sight = self._sight
        sight.note([begins])
        sight.seen = sight.foveate(observation, sight.gazes[0])
        return sight.seen, {**info, "gaze": sight.gazes[0].copy()}

    def render(self):
        frame = super().render()
        if isinstance(frame, list):
            return frame
        return self._sight.picture(frame, 0)

    @property
    def gaze(self):
        """Where the agent looks now, x and y in uv."""
        return self._sight.gazes[0].copy()


class FoveatedEnv(_One):
    def __init__(self, env, config=None, *, gaze=None, key=None, layout=None):
        gymnasium.utils.RecordConstructorArgs.__init__(self, config=config, gaze=gaze, key=key, layout=layout)
        super().__init__(env)
        self._sight = _Sight(env.observation_space, 1, key, layout, config, _policy_of(gaze))
        self._rng = np.random.default_rng()

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._sight.gazes = self._sight.policy.reset(1, self._rng)
        return self._see(observation, info, True)

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._sight.gazes = self._sight.policy.step(self._rng)
        observation, info = self._see(observation, info, False)
        return observation, reward, terminated, truncated, info


class ActiveGazeEnv(_One):
    def __init__(self, env, config=None, *, mode="absolute", start_uv=(0.5, 0.5), max_step_uv=2.0, grid=(4, 4),
                 velocity_gain=0.1, key=None, layout=None):
        gymnasium.utils.RecordConstructorArgs.__init__(
            self, config=config, mode=mode, start_uv=start_uv, max_step_uv=max_step_uv, grid=grid,
            velocity_gain=velocity_gain, key=key, layout=layout,
        )
        super().__init__(env)
        self._eye = _Eye(mode, start_uv, max_step_uv, grid, velocity_gain)
        self._sight = _Sight(env.observation_space, 1, key, layout, config, None)
        self.action_space = _both(env.action_space, self._eye.space)

    def reset(self, *, seed=None, options=None):
        observation, info = self.env.reset(seed=seed, options=options)
        self._sight.gazes, self._velocities = np.tile(self._eye.start, (1, 1)), np.zeros((1, 2), np.float32)
        return self._see(observation, info, True)

    def step(self, action):
        motor, sensory = _parts(action)
        observation, reward, terminated, truncated, info = self.env.step(motor)
        self._sight.gazes = self._eye.move(self._sight.gazes, self._velocities, sensory)
        observation, info = self._see(observation, info, False)
        return observation, reward, terminated, truncated, info


def _both(motor, sensory):
    return gymnasium.spaces.Dict({"motor_action": motor, "sensory_action": sensory})


def _parts(action):
    try:
        return action["motor_action"], action["sensory_action"]
    except (TypeError, KeyError, IndexError):
        raise ValueError(f"an action is a dict of motor_action and sensory_action, not {action!r}") from None


def _policy_of(gaze):
    if gaze is None:
        return policies.Fixed()
    # A policy has state: each wrapper has its own.
    return policies.Fixed(gaze) if isinstance(gaze, (tuple, list, np.ndarray)) else copy.deepcopy(gaze)


# ---- Several environments at once


class _Many(gymnasium.vector.VectorWrapper, gymnasium.utils.RecordConstructorArgs):
    """No VectorObservationWrapper: that refuses environments that reset in the same step."""

    def _open(self, env, config, key, layout, policy):
        self._autoreset = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._sight = _Sight(env.single_observation_space, env.num_envs, key, layout, config, policy)
        self._done = np.zeros(env.num_envs, bool)

    def _see(self, observations, infos, begins):
        sight = self._sight
        sight.note(begins)
        sight.seen = sight.foveate(observations, sight.gazes)
        return sight.seen, {**infos, "gaze": sight.gazes.copy()}

    def _see_last(self, infos, gazes):
        """Observations that ended an episode in the step that began the next."""
        for name in ("final_obs", "final_observation"):
            if name in infos:
                infos = {**infos, name: self._foveate_last(infos[name], gazes)}
        return infos

    def _foveate_last(self, last, gazes):
        sight = self._sight
        if isinstance(last, np.ndarray) and last.dtype == object:
            seen = last.copy()
            for i, observation in enumerate(last):
                if observation is not None:
                    seen[i] = sight.foveate(observation, gazes[i])
            return seen
        return sight.foveate(last, gazes)

    def _begins(self, terminations, truncations):
        """Which observations of this step are the first of an episode."""
        ended = np.asarray(terminations, bool) | np.asarray(truncations, bool)
        begins = {AutoresetMode.NEXT_STEP: self._done, AutoresetMode.SAME_STEP: ended}.get(
            self._autoreset, np.zeros_like(ended)
        )
        self._done = ended
        return begins

    def _reset_mask(self, options):
        mask = (options or {}).get("reset_mask")
        return np.ones(self.num_envs, bool) if mask is None else np.asarray(mask, bool)

    def render(self):
        frames = self.env.render()
        if not isinstance(frames, (tuple, list)) or len(frames) != self.num_envs:
            return frames
        return tuple(self._sight.picture(frame, i) for i, frame in enumerate(frames))

    @property
    def gaze(self):
        """Where each agent looks now, of shape (environments, 2), x and y in uv."""
        return self._sight.gazes.copy()


class FoveatedVectorEnv(_Many):
    def __init__(self, env, config=None, *, gaze=None, key=None, layout=None):
        gymnasium.utils.RecordConstructorArgs.__init__(self, config=config, gaze=gaze, key=key, layout=layout)
        super().__init__(env)
        self._open(env, config, key, layout, _policy_of(gaze))
        self._rng = np.random.default_rng()

    def reset(self, *, seed=None, options=None):
        observations, infos = self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        mask = self._reset_mask(options)
        if mask.all() or self._sight.gazes is None:
            self._sight.gazes = self._sight.policy.reset(self.num_envs, self._rng)
        else:
            self._sight.gazes = self._sight.policy.begin(mask, self._rng)
        self._done = np.zeros(self.num_envs, bool)
        return self._see(observations, infos, mask)

    def step(self, actions):
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        begins = self._begins(terminations, truncations)
        infos = self._see_last(infos, self._sight.gazes)
        self._sight.policy.step(self._rng)
        self._sight.gazes = self._sight.policy.begin(begins, self._rng)
        observations, infos = self._see(observations, infos, begins)
        return observations, rewards, terminations, truncations, infos


class ActiveGazeVectorEnv(_Many):
    def __init__(self, env, config=None, *, mode="absolute", start_uv=(0.5, 0.5), max_step_uv=2.0, grid=(4, 4),
                 velocity_gain=0.1, key=None, layout=None):
        gymnasium.utils.RecordConstructorArgs.__init__(
            self, config=config, mode=mode, start_uv=start_uv, max_step_uv=max_step_uv, grid=grid,
            velocity_gain=velocity_gain, key=key, layout=layout,
        )
        super().__init__(env)
        self._eye = _Eye(mode, start_uv, max_step_uv, grid, velocity_gain)
        self._open(env, config, key, layout, None)
        self.single_action_space = _both(env.single_action_space, self._eye.space)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(self, *, seed=None, options=None):
        observations, infos = self.env.reset(seed=seed, options=options)
        mask = self._reset_mask(options)
        if self._sight.gazes is None:
            self._sight.gazes = np.tile(self._eye.start, (self.num_envs, 1))
            self._velocities = np.zeros((self.num_envs, 2), np.float32)
        self._eye.reset(self._sight.gazes, self._velocities, mask)
        self._done = np.zeros(self.num_envs, bool)
        return self._see(observations, infos, mask)

    def step(self, actions):
        motor, sensory = _parts(actions)
        observations, rewards, terminations, truncations, infos = self.env.step(motor)
        begins = self._begins(terminations, truncations)
        self._sight.gazes = self._eye.move(self._sight.gazes, self._velocities, sensory)
        infos = self._see_last(infos, self._sight.gazes)
        self._eye.reset(self._sight.gazes, self._velocities, begins)
        observations, infos = self._see(observations, infos, begins)
        return observations, rewards, terminations, truncations, infos


# ---- What users call


def FoveatedObservation(env, config=None, *, gaze=None, key=None, layout=None):
    """Foveates observations around gazes that do not depend on the agent.

    config: as fovea.Foveator takes it, or one. gaze: a place in uv for all (default: the middle), or a policy as in
    fovea.gaze. key: the entry of Dict observations that is the image. layout: of one batch of images, "NHWC", "NCHW"
    or "NHW"; None: by the shape of the space, where channels of 1, 3 or 4 at the end are colours.

    Returns a wrapper of the environment's kind, Env or VectorEnv (every autoreset mode; final_obs is foveated, too).
    """
    kind = FoveatedVectorEnv if isinstance(env, gymnasium.vector.VectorEnv) else FoveatedEnv
    return kind(env, config, gaze=gaze, key=key, layout=layout)


def ActiveGaze(env, config=None, *, mode="absolute", start_uv=(0.5, 0.5), max_step_uv=2.0, grid=(4, 4),
               velocity_gain=0.1, key=None, layout=None):
    """Foveates observations around a gaze that the agent moves: actions are Dict(motor_action, sensory_action).

    mode: what sensory_action is, always x, y. "absolute": the place in uv, 0..1. "relative": how far to move, -1..1 of
    max_step_uv (or of 1 where that is larger). "velocity": added to the gaze's velocity, -1..1 times velocity_gain in
    uv a step. "grid": the column and row of a grid of (columns, rows) places.
    start_uv: where each episode begins. max_step_uv: the farthest a gaze moves in a step, a saccade's speed limit.
    The gaze moves with the action, and the observation that the action brings is seen with it. config, key, layout: as
    for FoveatedObservation.

    Returns a wrapper of the environment's kind, Env or VectorEnv.
    """
    kind = ActiveGazeVectorEnv if isinstance(env, gymnasium.vector.VectorEnv) else ActiveGazeEnv
    return kind(env, config, mode=mode, start_uv=start_uv, max_step_uv=max_step_uv, grid=grid,
                velocity_gain=velocity_gain, key=key, layout=layout)
