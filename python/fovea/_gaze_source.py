# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The library's sources of gaze, read ahead of time. The structs repeat plugin/fovea_gaze.h."""

import ctypes
from typing import Any, Optional

import numpy as np

from . import _library, _settings


class Gaze(ctypes.Structure):
    _fields_ = [
        ("point", _library.PointUv),
        ("state", ctypes.c_int),
        ("usable", ctypes.c_bool),
        ("age_ns", ctypes.c_int64),
        ("rate_hz", ctypes.c_double),
        ("sample_count", ctypes.c_uint64),
        ("rejected_count", ctypes.c_uint64),
    ]


class GazeSourceDesc(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("settings", ctypes.c_void_p),
        ("log", _library.Log),
        ("movements", ctypes.c_bool),
        ("reserved", ctypes.c_uint8 * 7),
    ]


def functions() -> ctypes.CDLL:
    """The library, with the functions of plugin/fovea_gaze.h."""
    library, pointers = _library.library(), ctypes.POINTER(ctypes.c_void_p)
    library.fovea_gaze_source_create.argtypes = [ctypes.POINTER(GazeSourceDesc), pointers]
    library.fovea_gaze_source_destroy.argtypes = [pointers]
    library.fovea_gaze_source_destroy.restype = None
    library.fovea_gaze_source_read.argtypes = [
        ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint32, ctypes.c_uint32, ctypes.POINTER(Gaze)
    ]
    library.fovea_gaze_source_push.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.fovea_gaze_source_show.argtypes = [ctypes.c_void_p, ctypes.POINTER(_library.Image)]
    library.fovea_gaze_source_other_foveas.argtypes = [ctypes.c_void_p, ctypes.POINTER(_library.PointUv)]
    library.fovea_gaze_source_other_foveas.restype = ctypes.c_uint32
    library.fovea_gaze_source_udp_port.argtypes = [ctypes.c_void_p]
    library.fovea_gaze_source_udp_port.restype = ctypes.c_uint16
    library.fovea_gaze_source_vergence_m.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    library.fovea_gaze_source_vergence_m.restype = ctypes.c_double
    library.fovea_time_ns.argtypes, library.fovea_time_ns.restype = [], ctypes.c_int64
    return library


def taken(x: float, y: float) -> tuple[float, float]:
    """The place that pictures are foveated around: beyond -1 and 2 it is as at -1 and 2."""
    return min(max(x, -1.0), 2.0), min(max(y, -1.0), 2.0)


class Source:
    """The source that settings name, open for as long as a `with` lasts. Called with rising times it says where it looks."""

    def __init__(self, pairs: _settings.Pairs, size_px: tuple[int, int]) -> None:
        self._library, self._messages, self._size_px = functions(), _library.Messages(), size_px
        settings = _settings.Settings(pairs)
        desc = GazeSourceDesc(ctypes.sizeof(GazeSourceDesc), settings.pointer, self._messages.log)
        self._source, self._gaze = ctypes.c_void_p(), Gaze()
        result = self._library.fovea_gaze_source_create(ctypes.byref(desc), ctypes.byref(self._source))
        _library.check(result, self._messages, "gaze")

    def __call__(self, t_ns: int) -> Optional[tuple[float, float]]:
        """Says what pictures are foveated around, x and y in uv; None where there is no gaze. Of places that are no uv the library has warned."""
        result = self._library.fovea_gaze_source_read(self._source, t_ns, *self._size_px, ctypes.byref(self._gaze))
        _library.check(result, self._messages, "gaze")
        point = self._gaze.point
        return taken(point.x_uv, point.y_uv) if self._gaze.usable else None

    def __enter__(self) -> "Source":
        try:
            self._messages.warn(stacklevel=3)
        except Warning:  # an error, as its user wants it
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._library.fovea_gaze_source_destroy(ctypes.byref(self._source))


def places(pairs: _settings.Pairs, count: int, step_ns: int, size_px: tuple[int, int]) -> "np.ndarray[Any, Any]":
    """Where the source of these settings looks at `count` times: float32 of shape (count, 2), uv."""
    with Source(pairs, size_px) as source:
        return np.array([source(i * step_ns) or (0.5, 0.5) for i in range(count)], np.float32).reshape(-1, 2)
