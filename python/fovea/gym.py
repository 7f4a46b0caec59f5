# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Wrappers for Gymnasium: environments whose agents have a fovea.

    env = fovea.gym.FoveatedObservation(env)                  # looks at the middle; or gaze=fovea.gaze.RandomSaccades()
    env = fovea.gym.ActiveGaze(env, mode="relative")          # where to look is a part of the action

Both take an Env, a VectorEnv, or a batched Env that is no VectorEnv (num_envs and tensors: ManiSkill, Isaac Lab) and
return a wrapper of that kind. Images are uint8, float16 or float32 Boxes of two or three dimensions, or entries of
Dicts. What is foveated keeps its space. `info["gaze"]` is where the agent looks in the observation that comes with it,
x and y in uv, of the images' library and on their device. With render_mode "rgb_array", `render()` shows the full view
with the gaze's trail beside what the agent sees.
"""

import copy
from typing import Any, ClassVar, Iterator, Optional, Sequence

import numpy as np

try:
    import gymnasium
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise ImportError("fovea.gym needs Gymnasium: pip install gymnasium (the extra [gym] of fovea)") from error

from . import _foveator, _gazes, _live, _sight
from . import gaze as policies

_DTYPES = ("uint8", "float16", "float32")
Key = Any  # None, a name, a path as a string or a tuple of names, or a list of those


def _paths_of(space: Any, key: Key) -> list[_sight.Path]:
    """The ways to the images: names of entries of Dicts."""
    if key is None:
        return [()]
    paths = []
    for one in key if isinstance(key, list) else [key]:
        if isinstance(one, str):
            whole = isinstance(space, gymnasium.spaces.Dict) and one in space.spaces
            one = (one,) if whole else tuple(one.split("/"))
        paths.append(tuple(one))
    return paths


def _entries(space: Any, path: _sight.Path = ()) -> Iterator[tuple[str, Any]]:
    """What is in Dicts, by its path as a string."""
    if isinstance(space, gymnasium.spaces.Dict):
        for name, part in space.spaces.items():
            yield from _entries(part, (*path, name))
    elif path:
        yield "/".join(map(str, path)), space


def _is_image(space: Any) -> bool:
    return isinstance(space, gymnasium.spaces.Box) and len(space.shape) in (2, 3)


def _image_space(space: Any, path: _sight.Path) -> Any:
    found, key = space, "/".join(map(str, path))
    for name in path:
        if not isinstance(found, gymnasium.spaces.Dict) or name not in found.spaces:
            names = sorted(repr(name) for name, _ in _entries(space))
            are = f"there are {', '.join(names)}" if names else f"observations are {space}"
            raise ValueError(f"no entry {key!r}; {are}")
        found = found[name]
    what = f"{key!r} is" if path else "observations are"
    if isinstance(found, gymnasium.spaces.Dict):
        images = sorted(repr(name) for name, part in _entries(found, path) if _is_image(part))
        say = f": say key={' or '.join(images)}" if images else " without an image"
        raise ValueError(f"{what} a Dict{say} (images are a Box of two or three dimensions)")
    if not _is_image(found):
        dimensions = len(getattr(found, "shape", None) or ())
        hint = {1: "; AddRenderObservation(env) observes pictures", 4: "; foveate frames before FrameStackObservation stacks them"}.get(dimensions, "")
        raise ValueError(f"{what} {found}: images are a Box of two or three dimensions (key=... of a Dict){hint}")
    if found.dtype not in _DTYPES:
        fits = np.issubdtype(found.dtype, np.integer) and found.low.min() >= 0 and found.high.max() <= 255
        to = "np.uint8" if fits else "np.float32"
        raise TypeError(f"{what} {found.dtype}; images are uint8, float16 or float32: "
                        f"convert them first, as gymnasium.wrappers.DtypeObservation(env, {to}) does")
    return found


def _gaze_space(eye: _gazes.Eye) -> Any:
    if eye.mode == "grid":
        return gymnasium.spaces.MultiDiscrete(list(eye.grid))
    return gymnasium.spaces.Box(0 if eye.mode == "absolute" else -1, 1, (2,), np.float32)


def _both(motor: Any, sensory: Any) -> gymnasium.spaces.Dict:
    return gymnasium.spaces.Dict({"motor_action": motor, "sensory_action": sensory})


def _said_of_batch(env: Any, name: str) -> Any:
    """A VectorEnv has it; of a batched Env some wrapper may."""
    return getattr(env, name) if isinstance(env, gymnasium.vector.VectorEnv) else env.get_wrapper_attr(name)


def _autoreset_of(env: Any, unsaid: Optional[str]) -> Optional[str]:
    said = env.metadata.get("autoreset_mode", unsaid)
    return getattr(said, "value", said)


class _Wrapper(gymnasium.utils.RecordConstructorArgs):
    """What all wrappers do. options: of `_policy`."""

    _kind: ClassVar[Any]  # Gymnasium's wrapper
    _policy: ClassVar[Any]  # makes what moves the gaze
    env: Any

    def __init__(self, env: Any, config: Any = None, *, key: Key = None, layout: Optional[str] = None, **options: Any):
        if isinstance(options.get("gaze"), _live.Gaze):  # what is recorded is copied, and an open source is not
            options["gaze"] = policies.Live(options["gaze"])
        gymnasium.utils.RecordConstructorArgs.__init__(self, config=config, key=key, layout=layout, **options)
        self._kind.__init__(self, env)
        is_vector = isinstance(env, gymnasium.vector.VectorEnv)
        is_batched = is_vector or env.has_wrapper_attr("num_envs")
        count: Optional[int] = None
        autoreset: Optional[str] = _sight.DISABLED
        space = env.observation_space
        if is_batched:
            count, space = int(_said_of_batch(env, "num_envs")), _said_of_batch(env, "single_observation_space")
            autoreset = _autoreset_of(env, None if is_vector else _sight.DISABLED)
        places = []
        for path in _paths_of(space, key):
            image = _image_space(space, path)
            places.append((path, layout or _sight.layout_of(image.shape)))
        foveator = _foveator.as_foveator(config)
        self._sight = _sight.Sight(places, count, foveator, self._policy(**options), autoreset)

    def reset(self, *, seed: Any = None, options: Optional[dict[str, Any]] = None) -> tuple[Any, dict[str, Any]]:
        which = self._sight.episodes.partial(options) if self._sight.batched else None
        observation, info = self.env.reset(seed=seed, options=copy.copy(options))
        return self._sight.reset(observation, info, seed, which)

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        self._sight.check_reset()
        return self._sight.step(self.env.step(action))

    def render(self) -> Any:
        return self._sight.picture(self.env.render())

    @property
    def gaze(self) -> Any:
        """Where the agent looks now, x and y in uv; of several environments, a row for each."""
        return self._sight.gaze


class _Active(_Wrapper):
    """Gaze that actions move."""

    _policy = _gazes.Eye

    action_space: Any
    single_action_space: Any

    def __init__(self, env: Any, config: Any = None, **options: Any) -> None:
        super().__init__(env, config, **options)
        sight, eye = self._sight, self._sight.policy
        assert isinstance(eye, _gazes.Eye)
        self._eye = eye
        sensory = _gaze_space(eye)
        if not sight.batched:
            self.action_space = _both(env.action_space, sensory)
            return
        self.single_action_space = _both(_said_of_batch(env, "single_action_space"), sensory)
        self.action_space = batch_space(self.single_action_space, sight.count)

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        try:
            motor, sensory = action["motor_action"], action["sensory_action"]
        except (TypeError, KeyError, IndexError):
            raise ValueError(f"an action is a dict of motor_action and sensory_action, not {action!r}") from None
        self._sight.check_reset()
        sensory = self._eye.checked(sensory)  # before the environment steps
        return self._sight.step(self.env.step(motor), sensory)


class FoveatedEnv(_Wrapper, gymnasium.Wrapper[Any, Any, Any, Any]):
    """FoveatedObservation of an Env; arguments as for that."""

    _kind, _policy = gymnasium.Wrapper, staticmethod(policies.policy_of)


class ActiveGazeEnv(_Active, gymnasium.Wrapper[Any, Any, Any, Any]):
    """ActiveGaze of an Env; arguments as for that."""

    _kind = gymnasium.Wrapper


# No VectorObservationWrapper: that refuses environments that reset in the same step.


class FoveatedVectorEnv(_Wrapper, gymnasium.vector.VectorWrapper):
    """FoveatedObservation of a VectorEnv; arguments as for that."""

    _kind, _policy = gymnasium.vector.VectorWrapper, staticmethod(policies.policy_of)


class ActiveGazeVectorEnv(_Active, gymnasium.vector.VectorWrapper):
    """ActiveGaze of a VectorEnv; arguments as for that."""

    _kind = gymnasium.vector.VectorWrapper


def FoveatedObservation(
    env: Any, config: Any = None, *, gaze: policies.Gaze = None, key: Key = None, layout: Optional[str] = None
) -> Any:
    """Foveates observations around gazes that do not depend on the agent.

    config: as fovea.Foveator takes it, or one. gaze: a place in uv for all (default: the middle), or a policy as in
    fovea.gaze. key: the entry of Dict observations that is the image; of Dicts in Dicts a path, as in
    "sensor_data/base_camera/rgb" or a tuple of names; a list of them: several images with one gaze. layout: of one
    batch of images, "NHWC", "NCHW", "NHW" or "NHWF" (frames at the end); None: by the shape of the space, where channels
    of 1 or 3 at the end are colours. Four may be either: say layout.

    Returns a wrapper of the environment's kind. Every autoreset mode of VectorEnvs works; `final_obs` and
    `final_observation` are foveated, too, and info["final_info"]["gaze"] is where they were looked at. A batched Env
    without "autoreset_mode" in its metadata is assumed to leave resets to its caller, with ManiSkill's
    options={"env_idx": ...}.
    """
    kind = FoveatedVectorEnv if isinstance(env, gymnasium.vector.VectorEnv) else FoveatedEnv
    return kind(env, config, gaze=gaze, key=key, layout=layout)


def ActiveGaze(
    env: Any,
    config: Any = None,
    *,
    mode: str = "absolute",
    start_uv: Sequence[float] = (0.5, 0.5),
    max_step_uv: float = 2.0,
    grid: Sequence[int] = (4, 4),
    velocity_gain: float = 0.1,
    key: Key = None,
    layout: Optional[str] = None,
) -> Any:
    """Foveates observations around a gaze that the agent moves: actions are Dict(motor_action, sensory_action).

    mode: what sensory_action is, always x, y. "absolute": the place in uv, 0..1. "relative": how far to move, -1..1 of
    max_step_uv (or of 1 where that is larger). "velocity": added to the gaze's velocity, -1..1 times velocity_gain in
    uv a step. "grid": the column and row of a grid of (columns, rows) places.
    start_uv: where each episode begins. max_step_uv: the farthest a gaze moves in a step, a saccade's speed limit.
    The gaze moves with the action, and the observation that the action brings is seen with it. config, key, layout: as
    for FoveatedObservation.

    Returns a wrapper of the environment's kind, as FoveatedObservation does.
    """
    kind = ActiveGazeVectorEnv if isinstance(env, gymnasium.vector.VectorEnv) else ActiveGazeEnv
    return kind(env, config, mode=mode, start_uv=start_uv, max_step_uv=max_step_uv, grid=grid,
                velocity_gain=velocity_gain, key=key, layout=layout)
