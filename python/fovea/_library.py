# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The C library: where it is, what its functions take, and its results as exceptions.

The structs repeat plugin/fovea_*.h; python/tests/test_library.py compares sizes and places with a C compiler.
"""

import collections
import ctypes
import functools
import os
import pathlib
import threading
import warnings
from typing import Any, Optional, Union

from . import _errors, _numbers

INTERFACE = (0, 2)  # the minor version that the structs below are of

OK, NOT_READY, PASSED_THROUGH = 0, 1, 2
INVALID_ARGUMENT, INVALID_STATE, UNSUPPORTED, OUT_OF_MEMORY, DEVICE_LOST, CONFIG, IO, INTERNAL = range(-1, -9, -1)

MEMORY_CPU, MEMORY_CUDA = 0, 1

LOG_INFO = 1
LOG_WARNING = 2

LogFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)


class Log(ctypes.Structure):
    _fields_ = [("fn", LogFunction), ("user", ctypes.c_void_p), ("min_level", ctypes.c_int)]


class Numbers(ctypes.Structure):
    """Refuses numbers that its fields do not have, with the field's name: they would be others, or an OverflowError."""

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
        except OverflowError:
            raise ValueError(f"{name} is {_numbers.said(value)}: that is out of its range") from None
        except TypeError as error:
            raise TypeError(f"{name} is {_numbers.said(value)}: {error}") from None
        taken = getattr(self, name)
        if type(taken) is int and isinstance(value, int) and taken != value:
            raise ValueError(f"{name} is {_numbers.said(value)}: that is out of its range")


class Image(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("width_px", ctypes.c_uint32),
        ("height_px", ctypes.c_uint32),
        ("format", ctypes.c_int),
        ("memory", ctypes.c_int),
        ("row_stride_bytes", ctypes.c_ssize_t),
        ("pixel_stride_bytes", ctypes.c_ssize_t),
    ]


class Depth(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("width_px", ctypes.c_uint32),
        ("height_px", ctypes.c_uint32),
        ("format", ctypes.c_int),
        ("memory", ctypes.c_int),
        ("row_stride_bytes", ctypes.c_ssize_t),
        ("pixel_stride_bytes", ctypes.c_ssize_t),
        ("next_bytes", ctypes.c_ssize_t),
        ("kind", ctypes.c_int),
        ("reserved", ctypes.c_uint32),
        ("zero_m", ctypes.c_double),
        ("one_m", ctypes.c_double),
        ("focus_m", ctypes.c_double),
        ("elapsed_s", ctypes.c_double),
        ("vergence_m", ctypes.c_double),
    ]


class Batch(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("count", ctypes.c_uint32),
        ("gazes_memory", ctypes.c_int),
        ("src", Image),
        ("dst", Image),
        ("src_next_bytes", ctypes.c_ssize_t),
        ("dst_next_bytes", ctypes.c_ssize_t),
        ("gazes_uv", ctypes.c_void_p),
        ("src_plane_bytes", ctypes.c_ssize_t),
        ("dst_plane_bytes", ctypes.c_ssize_t),
        ("sigmas", Image),
        ("sigmas_next_bytes", ctypes.c_ssize_t),
        ("depth", ctypes.POINTER(Depth)),
        ("fovea_count", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class BatchGradient(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("count", ctypes.c_uint32),
        ("gazes_memory", ctypes.c_int),
        ("src", Image),
        ("d_dst", Image),
        ("d_src", Image),
        ("src_next_bytes", ctypes.c_ssize_t),
        ("d_dst_next_bytes", ctypes.c_ssize_t),
        ("d_src_next_bytes", ctypes.c_ssize_t),
        ("gazes_uv", ctypes.c_void_p),
        ("d_gazes_uv", ctypes.c_void_p),
        ("fovea_count", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("sigmas", Image),
        ("sigmas_next_bytes", ctypes.c_ssize_t),
        ("d_sigmas", ctypes.c_void_p),
    ]


Work = Union[Batch, BatchGradient]


class ContextDesc(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("settings", ctypes.c_void_p),
        ("cuda_device", ctypes.c_int),
        ("reserved", ctypes.c_uint32),
        ("log", Log),
    ]


class BlobsDesc(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("scale_count", ctypes.c_uint32),
        ("blob_max", ctypes.c_uint32),
        ("sigma_min_px", ctypes.c_double),
        ("threshold", ctypes.c_double),
        ("overlap", ctypes.c_double),
        ("cpu_threads", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("log", Log),
    ]


class LightFieldGeometry(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("raw_width_px", ctypes.c_uint32),
        ("raw_height_px", ctypes.c_uint32),
        ("columns", ctypes.c_uint32),
        ("rows", ctypes.c_uint32),
        ("arrangement", ctypes.c_int),
        ("flip", ctypes.c_uint32),
        ("pitch_x_px", ctypes.c_double),
        ("pitch_y_px", ctypes.c_double),
        ("origin_x_px", ctypes.c_double),
        ("origin_y_px", ctypes.c_double),
        ("rotation_deg", ctypes.c_double),
        ("focal_length_m", ctypes.c_double),
        ("main_to_array_m", ctypes.c_double),
        ("array_to_sensor_m", ctypes.c_double),
        ("image_behind", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class LightFieldRaw(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("width_px", ctypes.c_uint32),
        ("height_px", ctypes.c_uint32),
        ("format", ctypes.c_int),
        ("bayer", ctypes.c_int),
        ("memory", ctypes.c_int),
        ("maximum", ctypes.c_uint32),
        ("row_stride_bytes", ctypes.c_ssize_t),
    ]


class LightFieldCalibration(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("rows", ctypes.c_int),
        ("flip", ctypes.c_uint32),
        ("pitch_px", ctypes.c_double),
        ("progress", ctypes.c_void_p),
        ("progress_user", ctypes.c_void_p),
        ("log", Log),
    ]


class LightFieldFit(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("residual_px", ctypes.c_double),
        ("shear_deg", ctypes.c_double),
        ("lenses_seen", ctypes.c_uint32),
        ("lenses_used", ctypes.c_uint32),
    ]


class LightFieldWhiteDesc(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("white", ctypes.POINTER(LightFieldRaw)),
        ("black", ctypes.c_double),
        ("gain_max", ctypes.c_double),
        ("log", Log),
    ]


class LightFieldDesc(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("geometry", ctypes.POINTER(LightFieldGeometry)),
        ("cpu_threads", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("log", Log),
    ]


class PointUv(ctypes.Structure):
    _fields_ = [("x_uv", ctypes.c_double), ("y_uv", ctypes.c_double)]


class LightFieldFoveation(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("gaze", PointUv),
        ("full_px", ctypes.c_double),
        ("next_px", ctypes.c_double),
    ]


class LightFieldRendering(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("patch_px", ctypes.c_double),
        ("range", ctypes.c_uint32),
        ("filter", ctypes.c_int),
        ("sigma_px", ctypes.c_double),
        ("view_x_px", ctypes.c_double),
        ("view_y_px", ctypes.c_double),
        ("patches", ctypes.POINTER(Image)),
        ("foveation", ctypes.POINTER(LightFieldFoveation)),
    ]


class LightFieldMatching(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("first_px", ctypes.c_double),
        ("last_px", ctypes.c_double),
        ("step_px", ctypes.c_double),
        ("range", ctypes.c_uint32),
        ("filter", ctypes.c_int),
        ("box", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("foveation", ctypes.POINTER(LightFieldFoveation)),
    ]


class LightFieldRefocusing(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("first_px", ctypes.c_double),
        ("last_px", ctypes.c_double),
        ("step_px", ctypes.c_double),
        ("elapsed_s", ctypes.c_double),
        ("focus_time_s", ctypes.c_double),
        ("focus_hysteresis_px", ctypes.c_double),
        ("window_px", ctypes.c_uint32),
        ("range", ctypes.c_uint32),
        ("filter", ctypes.c_int),
        ("reserved", ctypes.c_uint32),
        ("sigma_px", ctypes.c_double),
        ("foveation", ctypes.POINTER(LightFieldFoveation)),
        ("focus", ctypes.POINTER(Image)),
    ]


class LightFieldSum(Numbers):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("shift", ctypes.c_double),
        ("radius_px", ctypes.c_double),
        ("view_x_px", ctypes.c_double),
        ("view_y_px", ctypes.c_double),
    ]


class ConfigDesc(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("file", ctypes.c_char_p),
        ("sets", ctypes.POINTER(ctypes.c_char_p)),
        ("set_count", ctypes.c_size_t),
        ("program_name", ctypes.c_char_p),
        ("ignore_environment", ctypes.c_bool),
        ("ignore_changes", ctypes.c_bool),
        ("defaults_if_wrong", ctypes.c_bool),
        ("reserved", ctypes.c_uint8 * 5),
        ("defaults", ctypes.c_void_p),
        ("log", Log),
    ]


class Field(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("xy", ctypes.c_void_p),
        ("width", ctypes.c_uint32),
        ("height", ctypes.c_uint32),
        ("layers", ctypes.c_uint32),
        ("centered", ctypes.c_bool),
        ("reserved", ctypes.c_uint8 * 3),
        ("point_bytes", ctypes.c_ssize_t),
        ("row_bytes", ctypes.c_ssize_t),
        ("layer_bytes", ctypes.c_ssize_t),
    ]


class Grating(Numbers):
    _fields_ = [("cycles_per_deg", ctypes.c_double), ("direction_deg", ctypes.c_double)]


class SettingInfo(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("path", ctypes.c_char_p),
        ("help", ctypes.c_char_p),
        ("unit", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("elements", ctypes.c_uint32),
        ("least", ctypes.c_double),
        ("most", ctypes.c_double),
        ("above_least", ctypes.c_bool),
        ("below_most", ctypes.c_bool),
        ("or_zero", ctypes.c_bool),
        ("reserved", ctypes.c_uint8 * 5),
        ("words", ctypes.POINTER(ctypes.c_char_p)),
        ("expected", ctypes.c_char * 384),
        ("default_text", ctypes.c_char * 384),
    ]


_PP = ctypes.POINTER(ctypes.c_void_p)
_MAP = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, PointUv]  # settings, width, height, gaze
_FUNCTIONS = {
    "fovea_version": (ctypes.c_uint32, []),
    "fovea_result_name": (ctypes.c_char_p, [ctypes.c_int]),
    "fovea_settings_create": (ctypes.c_int, [_PP]),
    "fovea_settings_copy": (ctypes.c_int, [ctypes.c_void_p, _PP]),
    "fovea_settings_destroy": (None, [_PP]),
    "fovea_settings_set": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, Log]),
    "fovea_settings_get": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]),
    "fovea_settings_check": (ctypes.c_int, [ctypes.c_void_p, Log]),
    "fovea_settings_set_map": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32]),
    "fovea_setting_count": (ctypes.c_size_t, []),
    "fovea_setting_info": (ctypes.c_int, [ctypes.c_size_t, ctypes.POINTER(SettingInfo)]),
    "fovea_config_create": (ctypes.c_int, [ctypes.POINTER(ConfigDesc), _PP]),
    "fovea_config_destroy": (None, [_PP]),
    "fovea_config_settings": (ctypes.c_void_p, [ctypes.c_void_p]),
    "fovea_settings_set_field": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(Field), Log]),
    "fovea_settings_set_transfer": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_int]),
    "fovea_sigma_map": (ctypes.c_int, [*_MAP, ctypes.c_void_p]),
    "fovea_eccentricity_map": (ctypes.c_int, [*_MAP, ctypes.c_void_p]),
    "fovea_cutoff_map": (ctypes.c_int, [*_MAP, ctypes.c_void_p]),
    "fovea_gain_map": (ctypes.c_int, [*_MAP, ctypes.POINTER(Grating), ctypes.c_void_p]),
    "fovea_blobs_create": (ctypes.c_int, [ctypes.POINTER(BlobsDesc), _PP]),
    "fovea_blobs_destroy": (None, [_PP]),
    "fovea_blobs_run": (
        ctypes.c_int,
        [ctypes.c_void_p, ctypes.POINTER(Image), ctypes.c_uint32, ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p],
    ),
    "fovea_lightfield_geometry_read": (ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(Log), ctypes.POINTER(LightFieldGeometry)]),
    "fovea_lightfield_geometry_write": (ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(Log), ctypes.POINTER(LightFieldGeometry)]),
    "fovea_lightfield_diopters": (ctypes.c_double, [ctypes.POINTER(LightFieldGeometry), ctypes.c_double]),
    "fovea_lightfield_patch_of": (
        ctypes.c_int,
        [ctypes.POINTER(LightFieldGeometry), ctypes.c_double, ctypes.POINTER(Log), ctypes.POINTER(ctypes.c_double)],
    ),
    "fovea_lightfield_rings": (
        ctypes.c_int,
        [
            ctypes.c_void_p,
            ctypes.POINTER(LightFieldGeometry),
            ctypes.POINTER(LightFieldRefocusing),
            ctypes.c_uint32,
            ctypes.c_uint32,
            ctypes.POINTER(LightFieldFoveation),
        ],
    ),
    "fovea_lightfield_calibrate": (
        ctypes.c_int,
        [
            ctypes.POINTER(LightFieldRaw),
            ctypes.POINTER(LightFieldCalibration),
            ctypes.POINTER(LightFieldGeometry),
            ctypes.POINTER(LightFieldFit),
        ],
    ),
    "fovea_lightfield_white_create": (ctypes.c_int, [ctypes.POINTER(LightFieldWhiteDesc), _PP]),
    "fovea_lightfield_white_destroy": (None, [_PP]),
    "fovea_lightfield_white_divide": (
        ctypes.c_int,
        [ctypes.c_void_p, ctypes.POINTER(LightFieldRaw), ctypes.c_void_p, ctypes.c_ssize_t],
    ),
    "fovea_lightfield_create": (ctypes.c_int, [ctypes.POINTER(LightFieldDesc), _PP]),
    "fovea_lightfield_destroy": (None, [_PP]),
    "fovea_lightfield_render": (
        ctypes.c_int,
        [ctypes.c_void_p, ctypes.POINTER(LightFieldRaw), ctypes.POINTER(LightFieldRendering), ctypes.POINTER(Image), ctypes.c_void_p],
    ),
    "fovea_lightfield_depth": (
        ctypes.c_int,
        [
            ctypes.c_void_p,
            ctypes.POINTER(LightFieldRaw),
            ctypes.POINTER(LightFieldMatching),
            ctypes.POINTER(Image),
            ctypes.POINTER(Image),
            ctypes.c_void_p,
        ],
    ),
    "fovea_lightfield_refocus": (
        ctypes.c_int,
        [ctypes.c_void_p, ctypes.POINTER(LightFieldRaw), ctypes.POINTER(LightFieldRefocusing), ctypes.POINTER(Image), ctypes.c_void_p],
    ),
    "fovea_lightfield_sum_views": (
        ctypes.c_int,
        [ctypes.c_void_p, ctypes.POINTER(LightFieldRaw), ctypes.POINTER(LightFieldSum), ctypes.POINTER(Image), ctypes.c_void_p],
    ),
    "fovea_context_create": (ctypes.c_int, [ctypes.POINTER(ContextDesc), _PP]),
    "fovea_context_destroy": (None, [_PP]),
    "fovea_context_run_batch": (ctypes.c_int, [ctypes.c_void_p, ctypes.POINTER(Batch), ctypes.c_void_p]),
    "fovea_context_run_batch_gradient": (ctypes.c_int, [ctypes.c_void_p, ctypes.POINTER(BatchGradient), ctypes.c_void_p]),
}


def _places() -> list[str]:
    given = os.environ.get("FOVEA_LIB")
    if given:
        return [given]
    return [str(pathlib.Path(__file__).with_name("libfovea.so")), "libfovea.so.%d.%d" % INTERFACE]


def _open() -> tuple[ctypes.CDLL, str]:
    said = []
    for place in _places():
        if os.sep in place and not os.path.exists(place):
            said.append(f"{place}: there is no such file")
            continue
        try:
            return ctypes.CDLL(place), place
        except OSError as error:
            said.append(str(error))
    raise _errors.LibraryError(
        "Fovea's C library was not found (FOVEA_LIB may name it):\n  " + "\n  ".join(said), name="fovea"
    )


@functools.lru_cache(maxsize=None)
def _loaded() -> tuple[ctypes.CDLL, str]:
    library, place = _open()
    try:
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
            if name == "fovea_version":
                _check_version(function(), place)
    except AttributeError as error:
        raise _errors.LibraryError(f"{place} is no library of Fovea's {INTERFACE[0]}.{INTERFACE[1]}: {error}") from None
    return library, place


def _check_version(number: int, place: str) -> None:
    found = (number // 1000000, number // 1000 % 1000)
    if found != INTERFACE:
        raise _errors.LibraryError(
            f"{place} is Fovea {found[0]}.{found[1]}; this package is for {INTERFACE[0]}.{INTERFACE[1]}"
        )


def library() -> ctypes.CDLL:
    """The loaded library. LibraryError where there is none."""
    return _loaded()[0]


def library_path() -> str:
    """Where the C library was found: FOVEA_LIB, the package's own, or the system's."""
    return _loaded()[1]


def version() -> str:
    """The version of the C library, as in "0.2.0"."""
    number = library().fovea_version()
    return f"{number // 1000000}.{number // 1000 % 1000}.{number % 1000}"


class Messages:
    """Keeps what the library logs, for the texts of exceptions. Messages come from any thread."""

    def __init__(self, min_level: int = LOG_WARNING) -> None:
        self.last: dict[int, str] = {}  # by result: the library says the same problem once
        self._kept: collections.deque[str] = collections.deque(maxlen=16)
        self._lock = threading.RLock()  # a handler of a signal may come again
        self.log = Log(LogFunction(self._take), None, min_level)

    def _take(self, _user: Optional[int], _level: int, message: bytes) -> None:
        with self._lock:
            self._kept.append(message.decode("utf-8", "replace"))

    def clear(self) -> None:
        if self._kept:
            with self._lock:
                self._kept.clear()

    def text(self) -> str:
        with self._lock:
            said = list(self._kept)
            self._kept.clear()
        return "; ".join(dict.fromkeys(said))

    def warn(self, stacklevel: int) -> None:
        """A UserWarning of what was said, if anything. stacklevel: as of warnings.warn, called where this is called."""
        said = self.text() if self._kept else ""
        if said:
            warnings.warn(said, stacklevel=stacklevel + 1)


_EXCEPTIONS = {
    INVALID_ARGUMENT: ValueError,
    UNSUPPORTED: _errors.UnsupportedError,
    OUT_OF_MEMORY: _errors.OutOfMemoryError,
    DEVICE_LOST: _errors.DeviceLostError,
    CONFIG: _errors.ConfigError,
    IO: OSError,
}


# The library says fields of C where Python has arguments.
_ARGUMENTS = (("fovea_batch.depth", "depth="), ("depth is given", "depth= is given"), ("sigmas is given", "sigma= is given"))


def check(result: int, messages: Messages, what: str) -> None:
    """Raises what a negative result means."""
    if result >= 0:
        return
    text = messages.text() or messages.last.get(result) or library().fovea_result_name(result).decode()
    for field, argument in _ARGUMENTS:
        text = text.replace(field, argument)
    messages.last[result] = text
    raise _EXCEPTIONS.get(result, _errors.FoveaError)(text if text.startswith(what) else f"{what}: {text}")
