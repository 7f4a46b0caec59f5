# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Gaze-contingent vision for images: each is sharp at its gaze, and blurred elsewhere by a model of peripheral vision.

    import fovea
    seen = fovea.foveate(images, gaze)                 # NumPy, PyTorch, CuPy, DLPack; the result is on the images' device
    foveator = fovea.Foveator({"foveation.strength": 2})
    seen = foveator(images, gaze, out=seen)

    with fovea.Gaze("lsl") as gaze, fovea.Record("data/sub-01", foveator) as record:   # an experiment: docs/experiments.md
        sample = gaze.read()
        seen = foveator(image, sample)
        record.add(sample, image.shape)

The docstring of `foveate` lists shapes, types and gazes. `python -m fovea` foveates files (`--help`). `blobs` finds places to look
at, `LightField` makes pictures from the raw picture of a light-field camera.

Modules, each imported when it is first used: `fovea.gym` (wrappers for Gymnasium), `fovea.gaze` (policies of gazes),
`fovea.jax` (compiled JAX), `fovea.torchrl` (a transform for TorchRL), `fovea.ray` (Ray Data and RLlib), `fovea.data`
(a transform for data sets and loaders), `fovea.gl` (textures of OpenGL programs), `fovea.bench` (the time of a call on this machine).
"""

import importlib
from typing import TYPE_CHECKING, Any

from ._blobs import BlobFinder, blobs
from ._depth import Depth
from ._errors import (
    ConfigError,
    DeviceLostError,
    FoveaError,
    LibraryError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._foveator import Foveator, foveate
from ._given import Field
from ._library import library_path, version
from ._lightfield import LightField
from ._live import Gaze, GazeSample, GazeState
from ._record import Record
from ._settings import Setting, settings

if TYPE_CHECKING:
    from . import bench as bench
    from . import data as data
    from . import gaze as gaze
    from . import gl as gl
    from . import gym as gym
    from . import jax as jax
    from . import ray as ray
    from . import torchrl as torchrl

__all__ = [
    "BlobFinder",
    "ConfigError",
    "Depth",
    "DeviceLostError",
    "Field",
    "FoveaError",
    "Foveator",
    "Gaze",
    "GazeSample",
    "GazeState",
    "LibraryError",
    "LightField",
    "OutOfMemoryError",
    "Record",
    "Setting",
    "UnsupportedError",
    "blobs",
    "foveate",
    "gaze",
    "gl",
    "library_path",
    "settings",
    "version",
]
__version__ = "0.2.0"
_MODULES = frozenset({"bench", "data", "gaze", "gl", "gym", "jax", "ray", "torchrl"})

if not TYPE_CHECKING:  # a checker would take every name for one that is here

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'fovea' has no attribute {name!r}")
        try:
            return importlib.import_module(f"fovea.{name}")
        except ImportError as error:  # hasattr, help and their like expect no other error here
            raise AttributeError(f"fovea.{name} cannot be imported: {error}") from error

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES})
