# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Gaze-contingent vision for images: each is sharp where its gaze is and blurred as an eye sees it elsewhere.

    import fovea
    seen = fovea.foveate(images, gaze)                 # NumPy, PyTorch, CuPy, DLPack; the result lies where the images lie
    foveator = fovea.Foveator({"foveation.strength": 2})
    seen = foveator(images, gaze, out=seen)

`foveate` says what shapes, types and gazes it takes. `python -m fovea --help` foveates files.
`fovea.gym` has wrappers for Gymnasium.
"""

from . import gaze
from ._errors import (
    ConfigError,
    DeviceLostError,
    FoveaError,
    LibraryError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._foveator import Foveator, foveate
from ._library import library_path, version
from ._settings import Setting, settings

__all__ = [
    "ConfigError",
    "DeviceLostError",
    "FoveaError",
    "Foveator",
    "LibraryError",
    "OutOfMemoryError",
    "Setting",
    "UnsupportedError",
    "foveate",
    "gaze",
    "library_path",
    "settings",
    "version",
]
__version__ = "0.2.0"
