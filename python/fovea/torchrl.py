# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""A Transform for TorchRL: images of a TensorDict, foveated on their device.

    env = TransformedEnv(env, fovea.torchrl.FoveatedTransform(["pixels"]))                        # looks at the middle
    env = TransformedEnv(env, fovea.torchrl.FoveatedTransform(["pixels"], action_key="sensory_action"))
"""

import inspect
from typing import Any, Iterable, Optional, Sequence, Union

import torch
from torchrl.data import Bounded, MultiCategorical, Unbounded
from torchrl.envs.transforms import Transform

from . import _foveator, _gazes, _sight
from . import gaze as policies


def _random_numbers(device: torch.device) -> torch.Generator:
    """PyTorch's own, which torch.manual_seed seeds."""
    if device.type == "cuda":
        return torch.cuda.default_generators[torch.cuda.current_device() if device.index is None else device.index]
    return torch.default_generator


_OF_ACTIONS = tuple(inspect.signature(_gazes.Eye).parameters)


def _keys(keys: Any) -> list[Any]:
    return [keys] if isinstance(keys, str) else list(keys)


def _no_entry(key: Any, names: Iterable[Any]) -> ValueError:
    return ValueError(f"no entry {key!r}; there are {', '.join(sorted(map(repr, names)))}")


def _image(tensordict: Any, key: Any) -> torch.Tensor:
    image = tensordict.get(key, None)
    if image is None:
        raise _no_entry(key, tensordict.keys(True, True))
    return image


class FoveatedTransform(Transform):  # type: ignore[misc]
    """Foveates images, each environment's around its gaze.

    in_keys: the images, uint8, float16 or float32 (before or after ToTensorImage), all with the same gaze; a str: one.
    out_keys: where they go, with their specs; None: in their place.
    config, gaze, layout: as for fovea.gym.FoveatedObservation.
    action_key: gaze is moved by this entry of actions, which the transform adds to the environment's actions where
        there is none. eye: how, as fovea.gym.ActiveGaze takes it: mode, start_uv, max_step_uv, grid, velocity_gain.
    gaze_key: where each environment looks in the observation beside it goes there, (..., 2) in uv; None: nowhere.

    An episode's gaze begins with its reset, in TransformedEnv around one environment or around ParallelEnv, and in
    their workers. A step goes on from the gaze_key in its TensorDict; what else a policy knows (a velocity, the time of
    fovea.gaze.Generator) goes on from the step before. A policy's random numbers are those that torch.manual_seed
    seeds. As a module, or in a replay buffer, it foveates around the TensorDict's gaze_key, or the fixed gaze.
    """

    invertible = False

    def __init__(
        self,
        in_keys: Union[str, Sequence[Any]] = ("pixels",),
        out_keys: Union[None, str, Sequence[Any]] = None,
        config: Any = None,
        *,
        gaze: policies.Gaze = None,
        action_key: Any = None,
        layout: Optional[str] = None,
        gaze_key: Any = "gaze",
        **eye: Any,
    ) -> None:
        if gaze is not None and action_key is not None:
            raise ValueError("gaze is by a policy or by actions (action_key), not by both")
        for name in eye:
            if name not in _OF_ACTIONS:
                raise TypeError(f"FoveatedTransform has no option {name!r}; what actions do is {', '.join(_OF_ACTIONS)}")
        if eye and action_key is None:
            raise TypeError(f"{', '.join(eye)}: what actions do needs their action_key")
        images = _keys(in_keys)
        seen = images if out_keys is None else _keys(out_keys)
        if len(seen) != len(images):
            raise ValueError(f"out_keys are {len(seen)}, in_keys {len(images)}: each image goes to one key")
        super().__init__(in_keys=images, out_keys=seen)
        self.foveator = _foveator.as_foveator(config)
        self.action_key, self.gaze_key, self.layout = action_key, gaze_key, layout
        self.policy: Any = policies.policy_of(gaze) if action_key is None else _gazes.Eye(**eye)
        self._gazes: Optional[_gazes.Gazes] = None

    # ---- Specs

    def transform_observation_spec(self, observation_spec: Any) -> Any:
        lead = observation_spec.shape
        for in_key, out_key in zip(self.in_keys, self.out_keys):
            if in_key not in observation_spec.keys(True, True):
                raise _no_entry(in_key, observation_spec.keys(True, True))
            if out_key != in_key:
                observation_spec[out_key] = observation_spec[in_key].clone()
        if self.gaze_key is not None:
            observation_spec[self.gaze_key] = Unbounded((*lead, 2), device=observation_spec.device, dtype=torch.float32)
        return observation_spec

    def transform_action_spec(self, action_spec: Any) -> Any:
        if self.action_key is None or self.action_key in action_spec.keys(True, True):
            return action_spec
        shape, device, eye = (*action_spec.shape, 2), action_spec.device, self.policy
        if eye.mode == "grid":
            spec = MultiCategorical(eye.grid, device=device).expand(shape)
        else:
            spec = Bounded(0 if eye.mode == "absolute" else -1, 1, shape, device=device, dtype=torch.float32)
        action_spec[self.action_key] = spec
        return action_spec

    # ---- Observations

    def _foveate(self, tensordict: Any, gazes: Any) -> Any:
        for in_key, out_key in zip(self.in_keys, self.out_keys):
            images = _image(tensordict, in_key)
            layout = self.layout or _sight.layout_of(images.shape[tensordict.ndim :])
            tensordict.set(out_key, self.foveator(images, gazes, layout=layout))
        return tensordict

    def _see(self, tensordict: Any, gazes: _gazes.Gazes) -> Any:
        if self.gaze_key is not None:
            tensordict.set(self.gaze_key, gazes.now.reshape(*tensordict.batch_size, 2) + 0)
        images = _image(tensordict, self.in_keys[0])
        shape = images.shape[tensordict.ndim :]
        gazes.see(images.reshape(-1, *shape), self.layout or _sight.layout_of(shape))
        return self._foveate(tensordict, gazes.now)

    def _known(self, tensordict: Any) -> Optional[_gazes.Gazes]:
        """The gazes, where they are of as many environments as it has and on its images' device."""
        of, gazes = (tensordict.batch_size.numel(), _image(tensordict, self.in_keys[0]).device), self._gazes
        return gazes if gazes is not None and (gazes.count, gazes.device) == of else None

    def _begin(self, tensordict: Any, which: Any = None) -> _gazes.Gazes:
        gazes, rng = self._known(tensordict), _random_numbers(_image(tensordict, self.in_keys[0]).device)
        if gazes is None or which is None:
            gazes = self._gazes = _gazes.Gazes(self.policy, tensordict.batch_size.numel(), rng)
        else:
            gazes.begin(which.reshape(gazes.count), rng)
        return gazes

    def _reset(self, tensordict: Any, tensordict_reset: Any) -> Any:
        key = self.parent.reset_keys[0] if self.parent is not None else "_reset"
        gazes = self._begin(tensordict_reset, None if tensordict is None else tensordict.get(key, None))
        return self._see(tensordict_reset, gazes)

    def _reset_on_native_autoreset(self, tensordict: Any, tensordict_reset: Any) -> Any:
        return self._reset(tensordict, tensordict_reset)

    def _step(self, tensordict: Any, next_tensordict: Any) -> Any:
        gazes = self._known(next_tensordict) or self._begin(next_tensordict)
        before = None if self.gaze_key is None else tensordict.get(self.gaze_key, None)
        if before is not None and hasattr(self.policy, "look"):
            self.policy.look(_gazes.like(before, gazes.now).reshape(gazes.now.shape))
        action = None if self.action_key is None else tensordict.get(self.action_key)
        if action is not None:
            action = self.policy.checked(action.reshape(-1, *action.shape[tensordict.ndim :]))
        gazes.move(action, _random_numbers(gazes.now.device))
        return self._see(next_tensordict, gazes)

    def forward(self, tensordict: Any) -> Any:
        gazes = None if self.gaze_key is None else tensordict.get(self.gaze_key, None)
        if gazes is None and not isinstance(self.policy, policies.Fixed):
            raise KeyError(f"{self}: {self.gaze_key!r} not found in tensordict {tensordict}")
        return self._foveate(tensordict, self.policy.place_uv if gazes is None else gazes)
