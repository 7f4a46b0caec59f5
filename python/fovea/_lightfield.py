# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Pictures and depths of light fields: what `fovea.LightField` does."""

import ctypes
import dataclasses
import os
import weakref
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _arrays, _context, _errors, _library, _live, _numbers, _settings, _shape

_FORMATS = {("uint8", 1): 1, ("uint8", 3): 2, ("uint8", 4): 3, ("uint16", 1): 4, ("uint16", 3): 5, ("uint16", 4): 6}
_BAYER = ("", "RGGB", "GRBG", "GBRG", "BGGR")
_FILTERS = ("linear", "nearest")
_ROWS = ("rectangular", "hexagonal")
_IMAGES = ("before", "behind")
_MOST_RANGE = 5  # lenses to each side, LIGHTFIELD_RANGE_MAX


def _one_of(name: str, word: str, words: tuple[str, ...]) -> int:
    if word not in words:
        raise ValueError(f"{name} is {word!r}; it must be one of {', '.join(repr(one) for one in words)}")
    return words.index(word)


@dataclasses.dataclass
class _Raw:
    """A raw picture as the library has it, and where it lies, which is where results go."""

    given: _library.LightFieldRaw
    array: Any
    view: _arrays.View

    @property
    def is_on_device(self) -> bool:
        return self.view.device == _arrays.CUDA

    @property
    def device(self) -> str:
        return "cuda" if self.is_on_device else "cpu"


def _view_of(array: Any, what: str) -> _arrays.View:
    """Without gaps, and where it lies."""
    view = _arrays.view_of(array, what)
    if view.device == _arrays.CPU and not _arrays.is_torch(array):
        numbers = np.asarray(array)
        view = _arrays.view_of(numbers.astype(numbers.dtype.newbyteorder("="), copy=False), what)
    if not (view.is_packed and view.is_aligned):
        view = _arrays.view_of(_arrays.packed(view.owner), what)
    return view


def _image_of(view: _arrays.View) -> _library.Image:
    height, width = view.shape[:2]
    channels = view.shape[2] if len(view.shape) == 3 else 1
    picture_format = _shape._FORMATS[str(view.dtype), channels]
    memory = _library.MEMORY_CUDA if view.device == _arrays.CUDA else _library.MEMORY_CPU
    return _library.Image(view.pointer, width, height, picture_format, memory, width * channels * view.dtype.itemsize, 0)


def _numbers_of(geometry: _library.LightFieldGeometry) -> dict[str, Any]:
    return {
        "raw": (geometry.raw_width_px, geometry.raw_height_px),
        "lenses": (geometry.columns, geometry.rows),
        "pitch": (geometry.pitch_x_px, geometry.pitch_y_px),
        "origin": (geometry.origin_x_px, geometry.origin_y_px),
        "rotation": geometry.rotation_deg,
        "rows": _ROWS[geometry.arrangement],
        "flip": bool(geometry.flip),
        "optics": (geometry.focal_length_m, geometry.main_to_array_m, geometry.array_to_sensor_m) if geometry.focal_length_m else None,
        "image": _IMAGES[geometry.image_behind],
    }


def _place_of(gaze: Any, size: tuple[int, int]) -> Optional[tuple[float, float]]:
    """Gives x and y of what fovea.foveate takes, for a picture of that size, which is foveated with the same gaze; None: nobody looks."""
    if isinstance(gaze, _live.Gaze):
        gaze = gaze.read(size_px=size)
    if isinstance(gaze, _live.GazeSample):
        gaze = gaze.place
    if gaze is None:
        return None
    place = _live.pair_of(gaze)
    _shape.check_places(np.array(place))
    return place


def _foveation_of(gaze: Any, size: tuple[int, int], rings: tuple[float, float]) -> Any:
    """A pointer, or None."""
    gaze = _place_of(gaze, size)
    if gaze is None:
        return None
    one = _library.LightFieldFoveation(
        struct_bytes=ctypes.sizeof(_library.LightFieldFoveation), full_px=rings[0], next_px=rings[1]
    )
    one.gaze.x_uv, one.gaze.y_uv = gaze
    return ctypes.pointer(one)


def _middle(first: Any, last: Any) -> float:
    return (_numbers.real_of("first", first) + _numbers.real_of("last", last)) / 2


_CLOSED = "this fovea.LightField is closed"


class LightFieldFit(NamedTuple):
    """How well the lenses of a white picture lie on the array that was found: the root of the mean square of distances, by how
    much columns are at no right angle to rows, and lenses that were seen, and used."""

    residual_px: float
    shear_deg: float
    lenses_seen: int
    lenses_used: int


def _raw_of(raw: Any, bayer: int, maximum: int, what: str = "raw") -> _Raw:
    view = _view_of(raw, what)
    channels = view.shape[2] if len(view.shape) == 3 else 1
    if len(view.shape) not in (2, 3) or (str(view.dtype), channels) not in _FORMATS:
        raise ValueError(f"{what} is {view.dtype} of shape {view.shape}; it must be (H, W) or (H, W, C) of uint8 or uint16")
    height, width = view.shape[:2]
    given = _library.LightFieldRaw(
        struct_bytes=ctypes.sizeof(_library.LightFieldRaw),
        data=view.pointer,
        width_px=width,
        height_px=height,
        format=_FORMATS[str(view.dtype), channels],
        bayer=bayer,
        memory=_library.MEMORY_CUDA if view.device == _arrays.CUDA else _library.MEMORY_CPU,
        maximum=maximum,
        row_stride_bytes=width * channels * view.dtype.itemsize,
    )
    return _Raw(given, raw, view)


def _white_of(white: Any, bayer: int, maximum: int) -> _Raw:
    taken = _raw_of(white, bayer, maximum, "white")
    if taken.is_on_device:
        raise _errors.UnsupportedError("fovea.LightField: white pictures in CUDA memory are not read in this version")
    return taken


def _destroy_white(pointer: ctypes.c_void_p, process: int) -> None:
    if process == os.getpid():  # a fork may have come while another thread did this
        _library.library().fovea_lightfield_white_destroy(ctypes.byref(pointer))


class _White:
    """A white picture, for all threads at the same time, and for children of fork, whose copy of the memory it is. It goes with the
    last reference, so whoever divides by it has one."""

    def __init__(self, white: Any, bayer: int, maximum: int, black: float) -> None:
        taken = _white_of(white, bayer, maximum)
        self._given, self._wanted = taken.given, f"{taken.view.dtype} of shape {taken.view.shape}"
        desc = _library.LightFieldWhiteDesc(
            struct_bytes=ctypes.sizeof(_library.LightFieldWhiteDesc), white=ctypes.pointer(taken.given), black=black, gain_max=8.0
        )
        # A child must not wait for the lock of these: nothing is said from here on, as only what is of the white picture's kind,
        # which was taken, is divided.
        self._messages = _library.Messages()
        desc.log = self._messages.log
        self._pointer = ctypes.c_void_p()
        result = _library.library().fovea_lightfield_white_create(ctypes.byref(desc), ctypes.byref(self._pointer))
        _library.check(result, self._messages, "fovea.LightField")
        self._given.data = None
        weakref.finalize(self, _destroy_white, self._pointer, os.getpid()).atexit = False  # threads may be at work

    def divide(self, raw: _Raw) -> None:
        if raw.is_on_device:
            raise _errors.UnsupportedError(
                "fovea.LightField: raw pictures in CUDA memory are not divided by a white one in this version"
            )
        given, own = raw.given, self._given
        if (given.width_px, given.height_px, given.format) != (own.width_px, own.height_px, own.format):
            raise ValueError(
                f"raw is {raw.view.dtype} of shape {raw.view.shape}; it must have the white one's size and type: {self._wanted}"
            )
        flat = np.empty(raw.view.shape, raw.view.dtype)
        result = _library.library().fovea_lightfield_white_divide(
            self._pointer, ctypes.byref(given), flat.ctypes.data, given.row_stride_bytes
        )
        _library.check(result, self._messages, "fovea.LightField")
        given.data, raw.view = flat.ctypes.data, _arrays.view_of(flat, "raw")


def _open_field(state: _context.State, geometry: _library.LightFieldGeometry, threads: int) -> None:
    desc = _library.LightFieldDesc(
        struct_bytes=ctypes.sizeof(_library.LightFieldDesc), geometry=ctypes.pointer(geometry), cpu_threads=threads
    )
    desc.log = state.messages.log
    result = _library.library().fovea_lightfield_create(ctypes.byref(desc), ctypes.byref(state.pointer))
    _library.check(result, state.messages, "fovea.LightField")


class LightField:
    """A camera's array of lenses, and what its raw pictures have in them (docs/lightfield.md).

    array: a file in JSON, or nothing and the numbers: raw, lenses and pitch (x and y), origin (the first lens's centre, pixels
    from the raw picture's corner; half a pitch), rotation (degrees), rows ("rectangular" or "hexagonal"), flip, and, for distances,
    optics (the main lens's focal length, from it to the array, from that to the sensor; metres) and image: the main lens's lies
    "before" the array or "behind" it. threads: 0 is one for each core. Raw pictures are arrays (H, W) or (H, W, C) of uint8 or uint16 with 1, 3 or 4 channels; bayer is "" or the
    mosaic of one channel; maximum is what white is (0: all bits). white: a white picture, like the raw ones, in CPU memory:
    their vignetting is divided out, after black, which is what the sensor says of no light. LightField.calibrate finds the array.

    Of PyTorch's and CuPy's arrays in CUDA memory the results are arrays of that library on that device, and their current stream
    does the work, for which nothing waits; of others they are NumPy's, and of tensors in CPU memory tensors
    (divide: NumPy's). A LightField stays with the device of its first raw picture there.

    A gaze is x and y, 0 to 1 over the picture; or, as fovea.foveate takes it, an open fovea.Gaze or a sample of one.

    Calls of several threads wait for each other; after fork a child begins anew; where its parent used CUDA, it takes pictures in
    CPU memory alone. It cannot be pickled or copied. What it holds goes with close, or with the last reference.
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
        optics: Optional[tuple[float, float, float]] = None,
        image: str = "before",
        bayer: str = "",
        maximum: int = 0,
        white: Any = None,
        black: float = 0.0,
        threads: int = 0,
    ) -> None:
        geometry = _library.LightFieldGeometry(struct_bytes=ctypes.sizeof(_library.LightFieldGeometry))
        if array is not None:
            numbers = {"raw": any(raw), "lenses": any(lenses), "pitch": any(pitch), "origin": origin, "rotation": rotation}
            beside = {**numbers, "rows": rows != _ROWS[0], "flip": flip, "optics": optics, "image": image != _IMAGES[0]}
            if given := [name for name, is_given in beside.items() if is_given]:
                raise ValueError(f"{', '.join(given)} beside a file: the array is the file's, or that of the numbers")
            messages = _library.Messages()
            result = _library.library().fovea_lightfield_geometry_read(
                os.fsencode(array), ctypes.byref(messages.log), ctypes.byref(geometry)
            )
            _library.check(result, messages, "fovea.LightField")
        else:
            middle = origin if origin is not None else tuple(_numbers.real_of("pitch", one) / 2 for one in pitch)
            geometry.raw_width_px, geometry.raw_height_px = raw
            geometry.columns, geometry.rows = lenses
            geometry.pitch_x_px, geometry.pitch_y_px = pitch
            geometry.origin_x_px, geometry.origin_y_px = middle
            geometry.rotation_deg, geometry.flip = rotation, flip
            geometry.arrangement = _one_of("rows", rows, _ROWS)
            geometry.focal_length_m, geometry.main_to_array_m, geometry.array_to_sensor_m = optics or (0.0, 0.0, 0.0)
            geometry.image_behind = _one_of("image", image, _IMAGES)
        self._geometry = geometry
        self.fit: Optional[LightFieldFit] = None
        self._bayer, self._maximum = _one_of("bayer", bayer, _BAYER), maximum
        # The threads of one that works on a device would have nothing to do.
        self._kept = _context.EachProcess(
            "fovea_lightfield_destroy", lambda state, device, _: _open_field(state, geometry, threads if device == "cpu" else 1)
        )
        self._kept.open("cpu", 0)  # says what is wrong with the array
        self._white = _White(white, self._bayer, maximum, black) if white is not None else None

    def _run(self, name: str, raw: _Raw, *arguments: Any) -> None:
        with self._kept.held(raw.device, 0) as state:
            state.messages.clear()
            run = getattr(_library.library(), f"fovea_lightfield_{name}")
            result = run(state.pointer, ctypes.byref(raw.given), *arguments, raw.view.stream)
            _library.check(result, state.messages, f"fovea.LightField.{name}")

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
        taken = _white_of(white, _one_of("bayer", bayer, _BAYER), maximum)
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
            ctypes.byref(taken.given), ctypes.byref(wishes), ctypes.byref(found), ctypes.byref(fit)
        )
        _library.check(result, messages, "fovea.LightField.calibrate")
        field = cls(
            **_numbers_of(found), bayer=bayer, maximum=maximum, white=white if divide else None, black=black, threads=threads
        )
        field.fit = LightFieldFit(fit.residual_px, fit.shear_deg, fit.lenses_seen, fit.lenses_used)
        return field

    @property
    def array(self) -> dict[str, Any]:
        """The numbers of the array, as LightField takes them."""
        return _numbers_of(self._geometry)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the array to a file in JSON."""
        messages = _library.Messages()
        result = _library.library().fovea_lightfield_geometry_write(
            os.fsencode(path), ctypes.byref(messages.log), ctypes.byref(self._geometry)
        )
        _library.check(result, messages, "fovea.LightField.save")

    def diopters(self, patch: float) -> float:
        """How far away what has a patch size is: 1 / metres before the main lens. NaN where the optics are not known."""
        return float(_library.library().fovea_lightfield_diopters(ctypes.byref(self._geometry), _numbers.real_of("patch", patch)))

    def patch(self, diopters: float) -> float:
        """The patch size of what is so many dioptres away, for render and refocus."""
        found, messages = ctypes.c_double(), _library.Messages()
        result = _library.library().fovea_lightfield_patch_of(
            ctypes.byref(self._geometry), _numbers.real_of("diopters", diopters), ctypes.byref(messages.log), ctypes.byref(found)
        )
        _library.check(result, messages, "fovea.LightField.patch")
        return found.value

    def rings(
        self, config: _settings.Config, first: float, last: float, *, size: tuple[int, int], range: int = 2
    ) -> tuple[float, float]:
        """Rings for render and refocus with which a picture of a size (width, height), refocused from first to last and foveated with
        these settings (config, as fovea.Foveator has it), looks as without, wherever the gaze is. Once for settings and a size: it takes
        longer than a picture."""
        pitch = self._geometry.pitch_x_px
        first, last, size = _numbers.real_of("first", first), _numbers.real_of("last", last), self._size(size, 1)
        if not 1 <= first <= pitch:
            raise ValueError(f"first is {first:g}; it must be 1 to {pitch:g}, the pitch of the lenses")
        if not first <= last <= pitch:
            raise ValueError(f"last is {last:g}; it must be {first:g}, which is first, to {pitch:g}, the pitch of the lenses")
        if not 1 <= range <= _MOST_RANGE:
            raise ValueError(f"range is {range!r}; it must be 1 to {_MOST_RANGE}")
        settings = _settings.Settings(_settings.as_pairs(config))
        refocusing = _library.LightFieldRefocusing(
            struct_bytes=ctypes.sizeof(_library.LightFieldRefocusing), first_px=first, last_px=last, step_px=last - first or 1.0, range=range
        )
        refocusing.window_px = 1
        found = _library.LightFieldFoveation(struct_bytes=ctypes.sizeof(_library.LightFieldFoveation))
        result = _library.library().fovea_lightfield_rings(
            settings.pointer, ctypes.byref(self._geometry), ctypes.byref(refocusing), *size, ctypes.byref(found)
        )
        _library.check(result, _library.Messages(), "fovea.LightField.rings")  # it says nothing
        return found.full_px, found.next_px

    def __reduce__(self) -> Any:
        raise TypeError("a LightField cannot be pickled or copied: make one where it is needed, of the file that save writes or of its array")

    def close(self) -> None:
        """Frees what it holds, and no later call is taken. Closing twice does nothing. A child of fork leaves its parent's alone."""
        self._kept.close(for_good=_CLOSED)
        self._white = None

    def _take(self, raw: Any) -> _Raw:
        white = self._white  # close forgets it after what open looks at
        taken = _raw_of(raw, self._bayer, self._maximum)
        self._kept.open(taken.device, 0)
        if white is not None:
            white.divide(taken)
        return taken

    def divide(self, raw: Any) -> Any:
        """The raw picture without its vignetting, as render, depth and sum_views take it; without a white picture as it is."""
        return self._take(raw).view.owner

    def _size(self, size: Optional[tuple[int, int]], patch: float) -> tuple[int, int]:
        if size is not None:
            return _numbers.whole_pair("size", size, "width and height", _shape.MOST_PX)
        one = self._geometry
        patch = _numbers.real_of("patch_px", patch)
        if not 1 <= patch <= one.pitch_x_px:
            raise ValueError(f"patch_px is {patch:g}; it must be 1 to {one.pitch_x_px:g}, the pitch of the lenses")
        return max(1, round(one.columns * patch)), max(1, round(one.rows * patch * one.pitch_y_px / one.pitch_x_px))

    def _picture(self, raw: _Raw, size: tuple[int, int], dtype: Any) -> Any:
        colours = len(raw.view.shape) == 3 and raw.view.shape[2] > 1 or self._bayer > 0
        wanted = np.dtype(dtype if dtype is not None else np.uint8 if raw.view.dtype == np.uint8 else np.float32)
        if str(wanted) not in ("uint8", "float16", "float32"):
            raise ValueError(f"dtype is {wanted}; it must be uint8, float16 or float32")
        shape = (size[1], size[0], 3) if colours else (size[1], size[0])
        return _arrays.empty(raw.array, raw.view, shape, wanted)

    def _patches(self, raw: _Raw, patch: Any) -> _arrays.View:
        """Patch sizes where the raw picture is."""
        for part in _arrays.arrays_in(patch):
            _arrays.check_unmasked(part, "patch")
        if _arrays.is_torch(patch):
            patch = patch.detach()
        if not raw.is_on_device:
            patch = np.ascontiguousarray(patch, np.float32)
        view = _view_of(patch, "patch")
        if len(view.shape) != 2 or view.dtype != np.float32 or view.device != raw.view.device:
            raise ValueError(
                f"patch is {view.dtype} of shape {view.shape} in {view.device.upper()} memory; it must be a number or (H, W), and on a "
                "device float32 beside the raw picture"
            )
        return view

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
        gaze: Any = None,
        rings: tuple[float, float] = (0.0, 0.0),
    ) -> Any:
        """A picture focused at a patch size, or at that of each pixel: an array of them, as depth returns. size: (width, height);
        by default as many pixels for each lens as the patch has, or those of the array. Floats are 0 to 1; dtype is uint8 of
        uint8, else float32. gaze: x and y, 0 to 1, of a picture that is foveated afterwards: lenses within rings[0] pixels of it
        blend all micro-images, within rings[1] nine, and beyond that only their own (docs/lightfield.md)."""
        taken = self._take(raw)
        patches = None if np.ndim(patch) == 0 else self._patches(taken, patch)
        wanted = (patches.shape[1], patches.shape[0]) if patches is not None else self._size(size, patch)
        out = self._picture(taken, wanted, dtype)
        rendering = _library.LightFieldRendering(
            struct_bytes=ctypes.sizeof(_library.LightFieldRendering),
            patch_px=1.0 if patches is not None else _numbers.real_of("patch", patch),
            range=range,
            filter=_one_of("filter", filter, _FILTERS),
            sigma_px=sigma,
            view_x_px=view[0],
            view_y_px=view[1],
            foveation=_foveation_of(gaze, wanted, rings),
        )
        if patches is not None:
            rendering.patches = ctypes.pointer(_image_of(patches))
        image = _image_of(_arrays.view_of(out, "out"))
        self._run("render", taken, ctypes.byref(rendering), ctypes.byref(image))
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
        gaze: Any = None,
        ring: float = 0.0,
    ) -> tuple[Any, Any]:
        """The patch size of each pixel, from first to last in steps, and its confidence, 0 to 1. size: (width, height); by default as
        many pixels for each lens as the middle patch size. gaze: x and y, 0 to 1; lenses farther than ring pixels from it try
        only every other patch size, and only the next lenses; without box."""
        taken = self._take(raw)
        width, height = self._size(size, _middle(first, last))
        one = np.dtype(np.float32)
        depths = _arrays.empty(raw, taken.view, (height, width), one)
        sure = _arrays.empty(raw, taken.view, (height, width), one)
        matching = _library.LightFieldMatching(
            struct_bytes=ctypes.sizeof(_library.LightFieldMatching),
            first_px=first,
            last_px=last,
            step_px=step,
            range=range,
            filter=_one_of("filter", filter, _FILTERS),
            box=box,
            foveation=_foveation_of(gaze, (width, height), (ring, ring)),
        )
        images = [ctypes.byref(_image_of(_arrays.view_of(array, "out"))) for array in (depths, sure)]
        self._run("depth", taken, ctypes.byref(matching), *images)
        return depths, sure

    def refocus(
        self,
        raw: Any,
        gaze: Any,
        first: float,
        last: float,
        *,
        elapsed: float = 0.0,
        step: float = 0.25,
        size: Optional[tuple[int, int]] = None,
        rings: Optional[tuple[float, float]] = None,
        range: int = 2,
        window: int = 15,
        time: float = 0.3,
        hysteresis: float = 0.5,
        filter: str = "linear",
        dtype: Any = None,
    ) -> tuple[Any, Any]:
        """A picture whose focus follows the depth under the gaze, and an array (1, 1) of the patch size in focus: a frame, for
        fovea.foveate with the same gaze. That depth is the patch size that fits a square of window pixels, searched from first to last
        in steps. elapsed: seconds since the previous frame; in `time` seconds the focus gets 1 - 1/e of the way; 0: at once.
        The focus ignores depths nearer than the hysteresis to the one that it follows. gaze None: there is no gaze, and the focus stays. rings: as render
        has them; by default all lenses everywhere. size: by default as many pixels for each lens as the middle patch size."""
        taken = self._take(raw)
        wanted = self._size(size, _middle(first, last))
        out = self._picture(taken, wanted, dtype)
        focus = _arrays.empty(raw, taken.view, (1, 1), np.dtype(np.float32))
        refocusing = _library.LightFieldRefocusing(
            struct_bytes=ctypes.sizeof(_library.LightFieldRefocusing),
            first_px=first,
            last_px=last,
            step_px=step,
            elapsed_s=elapsed,
            focus_time_s=time,
            focus_hysteresis_px=hysteresis,
            window_px=window,
            range=range,
            filter=_one_of("filter", filter, _FILTERS),
            foveation=_foveation_of(gaze, wanted, rings if rings is not None else (1e6, 1e6)),
            focus=ctypes.pointer(_image_of(_arrays.view_of(focus, "focus"))),
        )
        image = _image_of(_arrays.view_of(out, "out"))
        self._run("refocus", taken, ctypes.byref(refocusing), ctypes.byref(image))
        return out, focus

    def sum_views(
        self,
        raw: Any,
        shift: float = 0.0,
        radius: float = 0.0,
        *,
        size: Optional[tuple[int, int]] = None,
        view: tuple[float, float] = (0.0, 0.0),
        dtype: Any = None,
    ) -> Any:
        """For arrays with the scene focused on the lenses: the mean of the views within a radius, each shifted by `shift` lenses for
        each pixel. Radius 0 is one view. size: by default one pixel for each lens."""
        taken = self._take(raw)
        out = self._picture(taken, self._size(size if size is not None else (self._geometry.columns, self._geometry.rows), 1.0), dtype)
        one = _library.LightFieldSum(
            struct_bytes=ctypes.sizeof(_library.LightFieldSum), shift=shift, radius_px=radius, view_x_px=view[0], view_y_px=view[1]
        )
        image = _image_of(_arrays.view_of(out, "out"))
        self._run("sum_views", taken, ctypes.byref(one), ctypes.byref(image))
        return out
