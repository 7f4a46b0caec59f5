# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What settings do to pictures, as maps of numbers: what a paper states of its stimuli."""

import ctypes
from typing import Any, Sequence

import numpy as np

from . import _arrays, _library, _live, _numbers, _settings, _shape

Map = np.ndarray[Any, Any]

_LEAST_BLUR = {"fovea_sigma_map": np.minimum, "fovea_eccentricity_map": np.minimum, "fovea_cutoff_map": np.maximum, "fovea_gain_map": np.maximum}


def made(settings: _settings.Settings, name: str, shape: Sequence[int], gaze: Any, *more: Any) -> Map:
    """The map of that function of the library's: float32 of (rows, columns), of a gaze; of (N, 2), one for each. Of (N, foveas, 2), one for
    each N, in which a pixel is that of the fovea that asks for the least blur there."""
    height, width = _numbers.whole_pair("shape", shape, "rows and columns of the picture", _shape.MOST_PX)
    if isinstance(gaze, _live.Gaze):
        gaze = gaze.read(size_px=(width, height))
    if isinstance(gaze, _live.GazeSample):
        gaze = gaze.place
    if gaze is None:
        raise ValueError("there is no gaze, and so no map around it")
    gazes = _shape.real_places(_arrays.stacked(gaze), np.float64)
    if gazes.ndim not in (1, 2, 3) or gazes.shape[-1] != 2:
        raise ValueError(f"gaze has shape {gazes.shape}; it must be (2,), (N, 2) or (N, foveas, 2), x and y in uv")
    if gazes.ndim == 3:
        _check_foveas(settings, gazes.shape[1])
    _shape.check_places(gazes.reshape(-1))
    found = np.empty((*gazes.shape[:-1], height, width), np.float32)
    for place, out in zip(gazes.reshape(-1, 2), found.reshape(-1, height, width)):
        write(settings, name, place, out, *more)
    return found if gazes.ndim < 3 else _LEAST_BLUR[name].reduce(found, axis=1)


def write(settings: _settings.Settings, name: str, place: Map, out: Map, *more: Any) -> None:
    """Writes the map around one gaze, x and y, which is finite and may be as far away as it likes, to float32 of (rows, columns) without gaps."""
    height, width = out.shape
    at = _library.PointUv(float(place[0]), float(place[1]))
    result = getattr(_library.library(), name)(settings.pointer, width, height, at, *more, out.ctypes.data)
    _library.check(result, _library.Messages(), name.removeprefix("fovea_"))


def _check_foveas(settings: _settings.Settings, count: int) -> None:
    if not 1 <= count <= _shape.MOST_FOVEAS:
        raise ValueError(f"gaze has {count} foveas for each picture; there are 1 to {_shape.MOST_FOVEAS}")
    if count > 1 and settings.get("foveation.method") == "blockwise":
        raise ValueError("foveation.method blockwise: its fragments lie by the first fovea, and there is no map of several; smooth has one")


def gain(settings: _settings.Settings, shape: Sequence[int], gaze: Any, cycles_per_deg: float, direction_deg: float) -> Map:
    """The gain of a grating."""
    cycles_per_deg, direction_deg = _numbers.real_of("cycles_per_deg", cycles_per_deg), _numbers.real_of("direction_deg", direction_deg)
    if not (0 <= cycles_per_deg < float("inf")):
        raise ValueError(f"cycles_per_deg is {cycles_per_deg}; it must be 0 or more, and finite")
    if not abs(direction_deg) < float("inf"):
        raise ValueError(f"direction_deg is {direction_deg}; it must be finite")
    grating = _library.Grating(cycles_per_deg, direction_deg)
    return made(settings, "fovea_gain_map", shape, gaze, ctypes.byref(grating))
