# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The library's sources of gaze, read ahead of time. The structs repeat plugin/fovea_gaze.h."""

import ctypes
from typing import Any

import numpy as np

from . import _library, _settings


class PointUv(ctypes.Structure):
    _fields_ = [("x_uv", ctypes.c_double), ("y_uv", ctypes.c_double)]


class Gaze(ctypes.Structure):
    _fields_ = [
        ("point", PointUv),
        ("state", ctypes.c_int),
        ("usable", ctypes.c_bool),
        ("age_ns", ctypes.c_int64),
        ("rate_hz", ctypes.c_double),
        ("sample_count", ctypes.c_uint64),
        ("rejected_count", ctypes.c_uint64),
    ]


class GazeSourceDesc(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("settings", ctypes.c_void_p), ("log", _library.Log)]


def _functions() -> ctypes.CDLL:
    library, pointers = _library.library(), ctypes.POINTER(ctypes.c_void_p)
    library.fovea_gaze_source_create.argtypes = [ctypes.POINTER(GazeSourceDesc), pointers]
    library.fovea_gaze_source_destroy.argtypes = [pointers]
    library.fovea_gaze_source_destroy.restype = None
    library.fovea_gaze_source_read.argtypes = [
        ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint32, ctypes.c_uint32, ctypes.POINTER(Gaze)
    ]
    return library


def places(pairs: _settings.Pairs, count: int, step_ns: int, size_px: tuple[int, int]) -> "np.ndarray[Any, Any]":
    """Where the source of these settings looks at `count` times: float32 of shape (count, 2), uv."""
    library, messages = _functions(), _library.Messages()
    settings = _settings.Settings(pairs)
    desc = GazeSourceDesc(ctypes.sizeof(GazeSourceDesc), settings.pointer, messages.log)
    source, gaze = ctypes.c_void_p(), Gaze()
    _library.check(library.fovea_gaze_source_create(ctypes.byref(desc), ctypes.byref(source)), messages, "gaze")
    found = np.empty((count, 2), np.float32)
    try:
        for i in range(count):
            result = library.fovea_gaze_source_read(source, i * step_ns, *size_px, ctypes.byref(gaze))
            _library.check(result, messages, "gaze")
            found[i] = gaze.point.x_uv, gaze.point.y_uv
    finally:
        library.fovea_gaze_source_destroy(ctypes.byref(source))
    return found
