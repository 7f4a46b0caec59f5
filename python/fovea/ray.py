# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Foveation in the processes of a Ray cluster: batches of Ray Data, and environments for RLlib.

    seen = dataset.map_batches(fovea.ray.FoveateBatch, fn_constructor_kwargs={"config": {"foveation.strength": 2}},
                               batch_size=256, compute=ray.data.ActorPoolStrategy(size=2), zero_copy_batch=True)
    seen = dataset.map_batches(fovea.ray.FoveateBatch, fn_constructor_kwargs={"device": "cuda"}, batch_size=1024,
                               compute=ray.data.ActorPoolStrategy(size=2), num_gpus=1)      # two actors with a GPU each

    ray.tune.register_env("foveated", fovea.ray.make_env)
    config.environment("foveated", env_config={"env": "ALE/Pong-v5", "config": {"foveation.strength": 0.3}, "mode": "relative"})

Ray gives each actor its GPU by CUDA_VISIBLE_DEVICES; there it is device 0, and the actor opens a context of its own.
"""

from typing import Any, Mapping, Optional

import numpy as np

from . import _errors, _foveator
from . import gaze as policies


class FoveateBatch:
    """A class, or an object, for Ray Data's map_batches with batch_format="numpy", the default.

    config: as fovea.Foveator takes it, or one.
    image_column: images (N, H, W, C) or (N, H, W); or an array of objects, images of different sizes. They are read where
        they lie, also from Ray's shared memory (zero_copy_batch=True), and never written to.
    gaze_column: the column of gazes, (x, y) in uv. None: `gaze` for all images, a place or a policy as in fovea.gaze.
    output_column: where the result goes; None: in the place of the images.
    layout: of images with colours, "NHWC" or "NCHW"; of frames beside each other, "NHWF".
    device: "cpu"; or "cuda": the images go to the actor's GPU and back with torch.
    """

    def __init__(
        self,
        config: Any = None,
        image_column: str = "image",
        gaze_column: Optional[str] = None,
        *,
        gaze: Any = (0.5, 0.5),
        output_column: Optional[str] = None,
        layout: str = "NHWC",
        device: str = "cpu",
    ) -> None:
        if device not in ("cpu", "cuda"):
            raise ValueError(f"device is {device!r}; it must be cpu or cuda")
        self.foveator = _foveator.as_foveator(config)
        self.image_column, self.gaze_column = image_column, gaze_column
        self.output_column = output_column or image_column
        self.gaze = policies.place_or_policy(gaze)
        self.layout, self.device = layout, device

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        for column in (self.image_column, self.gaze_column):
            if column is not None and column not in batch:
                raise KeyError(f"a batch with {', '.join(map(repr, batch))} has no column {column!r}")
        images = batch[self.image_column]
        gazes = self._gazes(batch, len(images))
        if images.dtype != object:
            seen = self._foveate(images, gazes)
        else:
            seen = np.empty(len(images), object)
            for i, (image, gaze) in enumerate(zip(images, gazes)):
                if not isinstance(image, np.ndarray):
                    raise TypeError(f"{self.image_column!r} has {type(image).__name__}: decode images to arrays first")
                seen[i] = self._foveate(image, gaze, lead=0)
        return {**batch, self.output_column: seen}

    def _gazes(self, batch: Mapping[str, Any], count: int) -> Any:
        if self.gaze_column is not None:
            column = batch[self.gaze_column]
            return np.stack(list(column)) if column.dtype == object and count else np.asarray(column, np.float32)
        if hasattr(self.gaze, "reset"):
            return self.gaze.reset(count, np.random.default_rng())
        return np.tile(np.asarray(self.gaze, np.float32), (count, 1))

    def _foveate(self, images: Any, gazes: Any, lead: int = 1) -> Any:
        layout = self.layout if images.ndim == lead + 3 else "NHW"
        if self.device == "cpu":
            return self.foveator(images, gazes, layout=layout)
        import torch

        if not torch.cuda.is_available():  # asked here: an object may be made where there is no GPU, for where there is
            raise _errors.UnsupportedError('device="cuda": torch sees no GPU here; Ray gives an actor one by num_gpus=1')
        # Memory of the driver's own, from where and to where the GPU copies by itself; torch keeps it for the next batch.
        sent = torch.from_numpy(np.zeros((), images.dtype)).new_empty(images.shape, pin_memory=True)
        sent.numpy()[...] = images
        seen = self.foveator(sent.to("cuda", non_blocking=True), gazes, layout=layout)
        fetched = torch.empty_like(sent, pin_memory=True).copy_(seen, non_blocking=True)
        torch.cuda.current_stream().synchronize()
        return fetched.numpy()


def make_env(env_config: Mapping[str, Any]) -> Any:
    """An environment that foveates, for ray.tune.register_env. env_config:

    "env": the name of a Gymnasium environment, or what makes one, called with "env_args" (a mapping; none).
    "config": the configuration, as fovea.Foveator takes it.
    "mode": a mode of fovea.gym.ActiveGaze; None or missing: fovea.gym.FoveatedObservation.
    All other entries go to the wrapper: "gaze", "key", "layout", "max_step_uv" and so on.
    """
    import gymnasium

    from . import gym

    given = dict(env_config)
    try:
        env = given.pop("env")
    except KeyError:
        raise KeyError('env_config has no "env": the name of a Gymnasium environment, or what makes one') from None
    arguments = given.pop("env_args", {})
    env = env(**arguments) if callable(env) else gymnasium.make(env, **arguments)
    config, mode = given.pop("config", None), given.pop("mode", None)
    if mode is None:
        return gym.FoveatedObservation(env, config, **given)
    return gym.ActiveGaze(env, config, mode=mode, **given)
