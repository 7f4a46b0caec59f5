# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Pictures and depths of light fields: what `fovea.LightField` does."""

import ctypes
import os
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _arrays, _errors, _library, _shape

Pixels = np.ndarray[Any, Any]

_FORMATS = {("uint8", 1): 1, ("uint8", 3): 2, ("uint8", 4): 3, ("uint16", 1): 4, ("uint16", 3): 5, ("uint16", 4): 6}
_BAYER = ("", "RGGB", "GRBG", "GBRG", "BGGR")
_FILTERS = ("linear", "nearest")
_ROWS = ("rectangular", "hexagonal")


def _one_of(name: str, word: str, words: tuple[str, ...]) -> int:
    if word not in words:
        raise ValueError(f"{name} is {word!r}; it must be one of {', '.join(repr(one) for one in words)}")
    return words.index(word)


def _image_of(array: Pixels) -> _library.Image:
    height, width = array.shape[:2]
    channels = array.shape[2] if array.ndim == 3 else 1
    row_bytes = width * channels * array.itemsize
    picture_format = _shape._FORMATS[str(array.dtype), channels]
    return _library.Image(array.ctypes.data, width, height, picture_format, _library.MEMORY_CPU, row_bytes, 0)


def _numbers(geometry: _library.LightFieldGeometry) -> dict[str, Any]:
    return {
        "raw": (geometry.raw_width_px, geometry.raw_height_px),
        "lenses": (geometry.columns, geometry.rows),
        "pitch": (geometry.pitch_x_px, geometry.pitch_y_px),
        "origin": (geometry.origin_x_px, geometry.origin_y_px),
        "rotation": geometry.rotation_deg,
        "rows": _ROWS[geometry.arrangement],
        "flip": bool(geometry.flip),
    }


class LightFieldFit(NamedTuple):
    """How well the lenses of a white picture lie on the array that was found: the root of the mean square of distances, by how
    much columns are at no right angle to rows, and lenses that were seen, and used."""

    residual_px: float
    shear_deg: float
    lenses_seen: int
    lenses_used: int


def _raw_of(raw: Any, bayer: int, maximum: int) -> tuple[_library.LightFieldRaw, Pixels]:
    if _arrays.view_of(raw, "raw").device != _arrays.CPU:
        raise _errors.UnsupportedError("fovea.LightField: raw pictures in CUDA memory are not read in this version")
    pixels = np.ascontiguousarray(np.asarray(raw))
    pixels = pixels.astype(pixels.dtype.newbyteorder("="), copy=False)
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    if pixels.ndim not in (2, 3) or (str(pixels.dtype), channels) not in _FORMATS:
        raise ValueError(f"raw is {pixels.dtype} of shape {pixels.shape}; it must be (H, W) or (H, W, C) of uint8 or uint16")
    height, width = pixels.shape[:2]
    given = _library.LightFieldRaw(
        struct_bytes=ctypes.sizeof(_library.LightFieldRaw),
        data=pixels.ctypes.data,
        width_px=width,
        height_px=height,
        format=_FORMATS[str(pixels.dtype), channels],
        bayer=bayer,
        maximum=maximum,
        row_stride_bytes=width * channels * pixels.itemsize,
    )
    return given, pixels


class LightField:
    """A camera's array of lenses, and what its raw pictures have in them (docs/lightfield.md).

    array: a file in JSON, or nothing and the numbers: raw, lenses and pitch (x and y), origin (the first lens's centre, pixels
    from the raw picture's corner; half a pitch), rotation (degrees), rows ("rectangular" or "hexagonal"), flip. threads: 0 is
    one for each core. Raw pictures are arrays (H, W) or (H, W, C) of uint8 or uint16 with 1, 3 or 4 channels in CPU memory;
    bayer is "" or the mosaic of one channel; maximum is what white is (0: all bits). white: a white picture, like the raw ones:
    their vignetting is divided out, after black, which is what the sensor says of no light. LightField.calibrate finds the array.

    One thread at a time. What it holds goes with close, or with the last reference.
    """

    def __init__(
        self,
        array: Union[str, "os.PathLike[str]", None] = None,
        *,
        raw: tuple[int, int] = (0, 0),
        lenses: tuple[int, int] = (0, 0),
        pitch: tuple[float, float] = (0.0, 0.0),
        origin: Optional[tuple[float, float]] = None,
        rotation: float = 0.0,
        rows: str = "rectangular",
        flip: bool = False,
        bayer: str = "",
        maximum: int = 0,
        white: Any = None,
        black: float = 0.0,
        threads: int = 0,
    ) -> None:
        self._pointer, self._white = ctypes.c_void_p(), ctypes.c_void_p()
        self._library, self._messages = _library.library(), _library.Messages()
        geometry = _library.LightFieldGeometry(struct_bytes=ctypes.sizeof(_library.LightFieldGeometry))
        if array is not None:
            result = self._library.fovea_lightfield_geometry_read(
                os.fsencode(array), ctypes.byref(self._messages.log), ctypes.byref(geometry)
            )
            _library.check(result, self._messages, "fovea.LightField")
        else:
            middle = origin if origin is not None else (pitch[0] / 2, pitch[1] / 2)
            geometry.raw_width_px, geometry.raw_height_px = raw
            geometry.columns, geometry.rows = lenses
            geometry.pitch_x_px, geometry.pitch_y_px = pitch
            geometry.origin_x_px, geometry.origin_y_px = middle
            geometry.rotation_deg, geometry.flip = rotation, flip
            geometry.arrangement = _one_of("rows", rows, _ROWS)
        self._geometry = geometry
        self.fit: Optional[LightFieldFit] = None
        self._bayer, self._maximum = _one_of("bayer", bayer, _BAYER), maximum
        desc = _library.LightFieldDesc(
            struct_bytes=ctypes.sizeof(_library.LightFieldDesc), geometry=ctypes.pointer(geometry), cpu_threads=threads
        )
        desc.log = self._messages.log
        result = self._library.fovea_lightfield_create(ctypes.byref(desc), ctypes.byref(self._pointer))
        _library.check(result, self._messages, "fovea.LightField")
        if white is not None:
            self._take_white(white, black)

    @classmethod
    def calibrate(
        cls,
        white: Any,
        *,
        rows: str = "",
        pitch: float = 0.0,
        flip: bool = False,
        bayer: str = "",
        maximum: int = 0,
        divide: bool = True,
        black: float = 0.0,
        threads: int = 0,
    ) -> "LightField":
        """The array of lenses that a white picture shows; its fit says how well. rows: "" is as they are found. pitch: lenses are
        so many pixels apart; 0 is found. divide: pictures of this LightField are divided by the white one."""
        library, messages = _library.library(), _library.Messages()
        given, _ = _raw_of(white, _one_of("bayer", bayer, _BAYER), maximum)
        wishes = _library.LightFieldCalibration(
            struct_bytes=ctypes.sizeof(_library.LightFieldCalibration),
            rows=_one_of("rows", rows, ("", *_ROWS)),
            flip=flip,
            pitch_px=pitch,
        )
        wishes.log = messages.log
        found = _library.LightFieldGeometry(struct_bytes=ctypes.sizeof(_library.LightFieldGeometry))
        fit = _library.LightFieldFit(struct_bytes=ctypes.sizeof(_library.LightFieldFit))
        result = library.fovea_lightfield_calibrate(
            ctypes.byref(given), ctypes.byref(wishes), ctypes.byref(found), ctypes.byref(fit)
        )
        _library.check(result, messages, "fovea.LightField.calibrate")
        field = cls(
            **_numbers(found), bayer=bayer, maximum=maximum, white=white if divide else None, black=black, threads=threads
        )
        field.fit = LightFieldFit(fit.residual_px, fit.shear_deg, fit.lenses_seen, fit.lenses_used)
        return field

    @property
    def array(self) -> dict[str, Any]:
        """The numbers of the array, as LightField takes them."""
        return _numbers(self._geometry)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the array to a file in JSON."""
        result = self._library.fovea_lightfield_geometry_write(
            os.fsencode(path), ctypes.byref(self._messages.log), ctypes.byref(self._geometry)
        )
        _library.check(result, self._messages, "fovea.LightField.save")

    def close(self) -> None:
        """Frees what it holds. Closing twice does nothing."""
        self._library.fovea_lightfield_white_destroy(ctypes.byref(self._white))
        if self._pointer:
            self._library.fovea_lightfield_destroy(ctypes.byref(self._pointer))

    def __del__(self) -> None:
        if hasattr(self, "_library"):
            self.close()

    def _take_white(self, white: Any, black: float) -> None:
        given, _ = _raw_of(white, self._bayer, self._maximum)
        desc = _library.LightFieldWhiteDesc(
            struct_bytes=ctypes.sizeof(_library.LightFieldWhiteDesc), white=ctypes.pointer(given), black=black, gain_max=8.0
        )
        desc.log = self._messages.log
        result = self._library.fovea_lightfield_white_create(ctypes.byref(desc), ctypes.byref(self._white))
        _library.check(result, self._messages, "fovea.LightField")

    def _take(self, raw: Any) -> tuple[_library.LightFieldRaw, Pixels]:
        if not self._pointer:
            raise _errors.FoveaError("this fovea.LightField is closed")
        given, pixels = _raw_of(raw, self._bayer, self._maximum)
        if self._white:
            flat = np.empty_like(pixels)
            result = self._library.fovea_lightfield_white_divide(
                self._white, ctypes.byref(given), flat.ctypes.data, given.row_stride_bytes
            )
            _library.check(result, self._messages, "fovea.LightField")
            given.data, pixels = flat.ctypes.data, flat
        return given, pixels

    def divide(self, raw: Any) -> Pixels:
        """The raw picture without its vignetting, as render, depth and sum_views take it; without a white picture as it is."""
        return self._take(raw)[1]

    def _size(self, size: Optional[tuple[int, int]], patch: float) -> tuple[int, int]:
        if size is not None:
            return size
        one = self._geometry
        return max(1, round(one.columns * patch)), max(1, round(one.rows * patch * one.pitch_y_px / one.pitch_x_px))

    def _picture(self, raw: Pixels, size: tuple[int, int], dtype: Any) -> Pixels:
        colours = raw.ndim == 3 and raw.shape[2] > 1 or self._bayer > 0
        wanted = np.dtype(dtype if dtype is not None else np.uint8 if raw.dtype == np.uint8 else np.float32)
        if str(wanted) not in ("uint8", "float16", "float32"):
            raise ValueError(f"dtype is {wanted}; it must be uint8, float16 or float32")
        return np.empty((size[1], size[0], 3) if colours else (size[1], size[0]), wanted)

    def render(
        self,
        raw: Any,
        patch: Union[float, Any],
        *,
        size: Optional[tuple[int, int]] = None,
        range: int = 2,
        view: tuple[float, float] = (0.0, 0.0),
        sigma: float = 0.0,
        filter: str = "linear",
        dtype: Any = None,
    ) -> Pixels:
        """A picture focused at a patch size, or at that of each pixel: an array of them, as depth returns. size: (width, height);
        by default as many pixels for each lens as the patch has, or those of the array. Floats are 0 to 1; dtype is uint8 of
        uint8, else float32."""
        given, pixels = self._take(raw)
        patches = None if np.ndim(patch) == 0 else np.ascontiguousarray(patch, np.float32)
        if patches is not None and patches.ndim != 2:
            raise ValueError(f"patch has shape {patches.shape}; it must be a number or (H, W)")
        wanted = (patches.shape[1], patches.shape[0]) if patches is not None else self._size(size, float(patch))
        out = self._picture(pixels, wanted, dtype)
        rendering = _library.LightFieldRendering(
            struct_bytes=ctypes.sizeof(_library.LightFieldRendering),
            patch_px=1.0 if patches is not None else float(patch),
            range=range,
            filter=_one_of("filter", filter, _FILTERS),
            sigma_px=sigma,
            view_x_px=view[0],
            view_y_px=view[1],
        )
        if patches is not None:
            rendering.patches = ctypes.pointer(_image_of(patches))
        image = _image_of(out)
        result = self._library.fovea_lightfield_render(
            self._pointer, ctypes.byref(given), ctypes.byref(rendering), ctypes.byref(image), None
        )
        _library.check(result, self._messages, "fovea.LightField.render")
        return out

    def depth(
        self,
        raw: Any,
        first: float,
        last: float,
        *,
        step: float = 1.0,
        size: Optional[tuple[int, int]] = None,
        range: int = 2,
        box: bool = False,
        filter: str = "linear",
    ) -> tuple[Pixels, Pixels]:
        """The patch size of each pixel, first to last by steps, and how sure it is, 0 to 1. size: (width, height); by default as
        many pixels for each lens as the middle patch size."""
        given, _ = self._take(raw)
        width, height = self._size(size, (first + last) / 2)
        depths, sure = np.empty((height, width), np.float32), np.empty((height, width), np.float32)
        matching = _library.LightFieldMatching(
            struct_bytes=ctypes.sizeof(_library.LightFieldMatching),
            first_px=first,
            last_px=last,
            step_px=step,
            range=range,
            filter=_one_of("filter", filter, _FILTERS),
            box=box,
        )
        images = _image_of(depths), _image_of(sure)
        result = self._library.fovea_lightfield_depth(
            self._pointer, ctypes.byref(given), ctypes.byref(matching), ctypes.byref(images[0]), ctypes.byref(images[1]), None
        )
        _library.check(result, self._messages, "fovea.LightField.depth")
        return depths, sure

    def sum_views(
        self,
        raw: Any,
        shift: float = 0.0,
        radius: float = 0.0,
        *,
        size: Optional[tuple[int, int]] = None,
        view: tuple[float, float] = (0.0, 0.0),
        dtype: Any = None,
    ) -> Pixels:
        """Of arrays whose lenses the scene is focused on: the mean of the views within a radius, each shifted by so many lenses a
        pixel. Radius 0 is one view. size: by default one pixel for each lens."""
        given, pixels = self._take(raw)
        out = self._picture(pixels, size if size is not None else (self._geometry.columns, self._geometry.rows), dtype)
        one = _library.LightFieldSum(
            struct_bytes=ctypes.sizeof(_library.LightFieldSum), shift=shift, radius_px=radius, view_x_px=view[0], view_y_px=view[1]
        )
        image = _image_of(out)
        result = self._library.fovea_lightfield_sum_views(
            self._pointer, ctypes.byref(given), ctypes.byref(one), ctypes.byref(image), None
        )
        _library.check(result, self._messages, "fovea.LightField.sum_views")
        return out
