# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What an array's dimensions mean: images, rows, columns, colours; and its images as batches of the library's."""

import ctypes
import dataclasses
import functools
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional, Union

import numpy as np

from . import _arrays, _depth, _library, _numbers

# enum fovea_format by type and colours. Other numbers of colours go as planes of one.
_FORMATS = {
    ("uint8", 1): 3,
    ("uint8", 3): 2,
    ("uint8", 4): 1,
    ("uint16", 1): 14,
    ("uint16", 3): 13,
    ("uint16", 4): 12,
    ("float16", 1): 9,
    ("float16", 3): 8,
    ("float16", 4): 6,
    ("float32", 1): 11,
    ("float32", 3): 10,
    ("float32", 4): 7,
}
_WORDS = {("uint32", 1): 4}  # A2B10G10R10, whose colours are no values of their own
LAYOUTS = ("NHWC", "NCHW", "NHW", "NHWF")  # F: frames, of which none is alpha
PIXELS = (1, 3, 4)  # colours that one pixel has
MOST_FOVEAS = 4  # of an image, FOVEA_FOVEAS_MAX
_MOST_IMAGES = 65535  # of one call
MOST_PX = 16384

_MOST_KEPT = 16384  # templates that are kept for the next calls: some megabytes
_MOST_WORK: Any = 1000000  # of NumPy's search for a value that two arrays share

Key = tuple[str, _arrays.Dims, _arrays.Dims, "np.dtype[Any]", int]


def are_pixels(layout: str, colours: int) -> bool:
    """Whether images of this layout are images of the library's; else each of their colours is, with its image's gaze."""
    return layout == "NHW" or (layout == "NHWC" and colours in PIXELS)


def foveas_of(shape: _arrays.Dims, lead: _arrays.Dims) -> int:
    """How many foveas each image has by gazes of this shape: several stand in a dimension between the images' and the pair's."""
    several = len(shape) == len(lead) + 2 and tuple(shape[:-2]) == tuple(lead)
    return int(shape[-2]) if several else 1


def check_gaze(shape: _arrays.Dims, lead: _arrays.Dims, may_be_one: bool = True) -> None:
    """ValueError: a gaze of this shape is neither a pair for each image, in the images' dimensions or in one, nor several for each, nor
    one for all."""
    each = (*lead, 2)
    if shape == each or (may_be_one and shape == (2,)):
        return
    foveas = foveas_of(shape, lead)
    if len(shape) == len(lead) + 2 and shape == (*lead, foveas, 2) and 1 <= foveas <= MOST_FOVEAS:
        return
    count = 1
    for size in lead:
        count *= size
    if shape != (count, 2):
        wanted = f"on the device {each}" if not may_be_one else " or ".join(str(one) for one in dict.fromkeys(((2,), each)))
        several = f"({', '.join((*map(str, lead), 'foveas', '2'))})"
        raise ValueError(
            f"gaze has shape {tuple(shape)}; it must be {wanted}, x and y in uv for each image, or {several} with 1 to {MOST_FOVEAS} foveas"
        )


_least, _most = np.minimum.reduce, np.maximum.reduce  # which make NaN of NaN


def check_places(gazes: np.ndarray[Any, Any]) -> None:
    """ValueError: a gaze is no number, or so far from its image that it is in pixels. Of one dimension, x and y by turns."""
    if not gazes.size or (float(_least(gazes)) >= -1 and float(_most(gazes)) <= 2):
        return
    if not np.isfinite(gazes).all():
        raise ValueError("gaze is not finite")
    x, y = next(pair for pair in gazes.reshape(-1, 2) if not ((-1 <= pair) & (pair <= 2)).all())
    raise ValueError(f"gaze ({x:g}, {y:g}) looks like pixels; uv is 0 to 1, and -1 to 2 is taken")


def real_places(gaze: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """A gaze of anything that NumPy takes as real numbers, a tensor of torch's that learns too. TypeError, ValueError: it is none."""
    try:
        found = np.asarray(gaze.detach() if _arrays.is_torch(gaze) else gaze)
        if found.dtype.kind in "cmM":
            raise TypeError(f"values of {found.dtype}")
        with np.errstate(over="ignore"):  # what is then not finite is said
            return np.asarray(found, dtype)
    except OverflowError:
        raise ValueError("gaze is not finite") from None
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"gaze is x and y for each image, not {_numbers.said(gaze)}: {error}") from None


@dataclasses.dataclass
class Run:
    """Images that lie equally far apart in two arrays."""

    number: int  # of the first, counted over all leading dimensions
    count: int
    offsets: tuple[int, int]  # of the first in either array, bytes
    steps: tuple[int, int]  # to the next


def runs(lead: _arrays.Dims, strides_a: _arrays.Dims, strides_b: _arrays.Dims) -> Iterator[Run]:
    """The fewest runs that leading dimensions of these strides have, in their order."""
    # The stride of a dimension with one image means nothing.
    axes = [axis for axis in zip(lead, strides_a, strides_b) if axis[0] != 1]
    count, a, b = axes.pop() if axes else (1, 0, 0)
    while axes and axes[-1][1:] == (a * count, b * count):
        count *= axes.pop()[0]
    outer = [axis[0] for axis in axes]
    for number, index in enumerate(np.ndindex(*outer)):
        begin_a, begin_b = (sum(i * axis[side] for i, axis in zip(index, axes)) for side in (1, 2))
        for first in range(0, count, _MOST_IMAGES):
            offsets = (begin_a + first * a, begin_b + first * b)
            yield Run(number * count + first, min(_MOST_IMAGES, count - first), offsets, (a, b))


class Template(NamedTuple):
    """A batch without addresses, which others share, and how many bytes after its array's begin each of it begins."""

    batch: _library.Batch
    source_at: int
    target_at: int
    gazes_at: int


class Sigmas(NamedTuple):
    """Pictures of sigmas: one without its address, where the first lies, and how far it is to the next image's."""

    image: _library.Image
    pointer: int
    next_bytes: int


class Shape:
    """The dimensions of a View under a layout."""

    def __init__(self, layout: str, shape: _arrays.Dims, strides: _arrays.Dims, dtype: np.dtype[Any], memory: int) -> None:
        view = _Place(shape, strides, dtype, memory)
        self.source = view
        if layout not in LAYOUTS:
            raise ValueError(f"layout is {layout!r}; it must be one of {', '.join(LAYOUTS)}")
        lead = len(view.shape) - len(layout) + 1
        if lead < 0:
            raise ValueError(f"images of shape {view.shape} have too few dimensions for layout {layout}")
        at = {letter: lead + i for i, letter in enumerate(layout[1:])}
        self.lead = view.shape[:lead]
        self.row, self.column, self.colour = at["H"], at["W"], at.get("C", at.get("F"))
        self.height, self.width = view.shape[self.row], view.shape[self.column]
        self.colours = view.shape[self.colour] if self.colour is not None else 1
        self.layout = layout
        self.has_alpha = layout == "NHWC" and self.colours == 4
        self.images = int(np.prod(self.lead, dtype=np.int64))
        self._check(view, layout)

    def _check(self, view: "_Place", layout: str) -> None:
        if not (1 <= self.height <= MOST_PX and 1 <= self.width <= MOST_PX):
            raise ValueError(
                f"images of shape {view.shape} as {layout} are {self.width} x {self.height} pixels; 1 to {MOST_PX} "
                "each way are possible"
            )
        if self.colours < 1:
            raise ValueError(f"images of shape {view.shape} as {layout} have no colours")
        # Sixteen rows or fewer, wide and of many colours: that is nearly always a mistake, and would be seen in no result.
        if layout in ("NHWC", "NHWF") and self.height <= 16 and min(self.width, self.colours) >= max(8, 2 * self.height):
            raise ValueError(
                f'images of shape {view.shape} as {layout} have {self.height} rows and {self.colours} colours: planes want layout="NCHW" '
                "(for such images, too: move their colours before the rows)"
            )
        is_of_words = view.dtype.name == "uint32" and layout == "NHW"
        if view.dtype.name not in ("uint8", "uint16", "float16", "float32") and not is_of_words:
            to = ("float32", "float()", "") if view.dtype.kind == "f" else ("uint8", "byte()", " with 0 to 255")
            wanted = "; convert them, as astype(np.{}) of NumPy and {} of PyTorch do{}".format(*to) if view.dtype.kind in "fiub" else ""
            raise TypeError(f"images of {view.dtype}: Fovea takes uint8, uint16, float16 and float32; uint32 with layout NHW{wanted}")
        if not view.dtype.isnative:
            raise TypeError(f"images of {view.dtype.str!r}: Fovea takes this machine's order of bytes")

    def fits(self, view: "_Placed", written: bool = False) -> bool:
        """Whether the library takes it where it lies: rows from left to right that do not share memory, and alpha
        beside its colours."""
        size = view.dtype.itemsize
        together = self.colour is not None and view.strides[self.colour] == size
        if self.has_alpha and not together:
            return False
        column = view.strides[self.column]
        pixel = size * (self.colours if together else 1)
        row_bytes = column * (self.width - 1) + pixel
        rows_are_apart = self.height == 1 or abs(view.strides[self.row]) >= row_bytes
        images_are_apart = not written or all(
            count == 1 or abs(step) >= row_bytes for count, step in zip(self.lead, view.strides)
        )
        return (self.width == 1 or column >= pixel) and rows_are_apart and images_are_apart

    def goes_in_planes(self, views: tuple["_Placed", "_Placed"]) -> bool:
        """Whether each colour is an image of its own for the library."""
        if self.colour is None:
            return False
        colour = self.colour
        together = self.colours == 1 or all(view.strides[colour] == view.dtype.itemsize for view in views)
        # Planes of three colours that lie beside each other are pixels, too; of four, the last would be alpha.
        layout = "NHWC" if self.layout in ("NCHW", "NHWF") and self.colours != 4 else self.layout
        return not (together and are_pixels(layout, self.colours))

    def _image(self, view: "_Place", colours: int) -> _library.Image:
        return _library.Image(
            width_px=self.width,
            height_px=self.height,
            format=_FORMATS.get((view.dtype.name, colours)) or _WORDS[view.dtype.name, colours],
            memory=view.memory,
            row_stride_bytes=view.strides[self.row],
            # The stride of a single column means nothing.
            pixel_stride_bytes=view.strides[self.column] if self.width > 1 else 0,
        )

    def _check_beside(self, view: _arrays.View, what: str, types: tuple[str, ...]) -> None:
        """ValueError, TypeError: values are not one for each pixel of each image, or of one for all, or of another type."""
        size = (self.height, self.width)
        if view.shape != size and view.shape != (*self.lead, *size):
            wanted = " or ".join(str(one) for one in dict.fromkeys((size, (*self.lead, *size))))
            raise ValueError(f"{what} has shape {view.shape}; it must be {wanted}, one for each pixel")
        if view.dtype.name not in types or not view.dtype.isnative:
            given = view.dtype.name if view.dtype.isnative else repr(view.dtype.str)
            raise TypeError(f"{what} is {given}; it must be {' or '.join(types)}")

    def _next_bytes(self, view: _arrays.View) -> int:
        return 0 if view.shape == (self.height, self.width) else self.width * self.height * view.dtype.itemsize

    def sigmas(self, sigma: _arrays.View) -> "Sigmas":
        """Pictures of sigmas without gaps. ValueError, TypeError: they are not one for each image, nor one for all."""
        self._check_beside(sigma, "sigma", ("float16", "float32"))
        image = _library.Image(
            width_px=self.width,
            height_px=self.height,
            format=_FORMATS[sigma.dtype.name, 1],
            memory=memory_of(sigma),
            row_stride_bytes=self.width * sigma.dtype.itemsize,
        )
        return Sigmas(image, sigma.pointer, self._next_bytes(sigma))

    def depths(self, depth: _depth.Depth, values: _arrays.View) -> _library.Depth:
        """The same of depths."""
        self._check_beside(values, "depth", tuple(_depth.FORMATS))
        made = depth.struct(values.dtype.name, memory_of(values))
        made.struct_bytes = ctypes.sizeof(made)
        made.data = values.pointer
        made.width_px, made.height_px = self.width, self.height
        made.row_stride_bytes = self.width * values.dtype.itemsize
        made.next_bytes = self._next_bytes(values)
        return made

    def templates(self, target: "_Place") -> list[Template]:
        """One for every run of images and, where colours are planes, every three of them, or every one."""
        source = self.source
        views = (source, target)
        planes = self.goes_in_planes(views)
        lead = len(self.lead)
        batches: dict[int, _library.Batch] = {}  # by count
        plane_steps = [view.strides[self.colour] if self.colour is not None and planes else 0 for view in views]
        # The library takes three planes as pixels of RGB, which costs less than three pictures. A step of 0 says to it
        # that there are no planes; and four planes are no RGB, but pictures of their own.
        together = 3 if planes and self.colours % 3 == 0 and all(plane_steps) else 1
        found = []
        for run in runs(self.lead, source.strides[:lead], target.strides[:lead]):
            batch = batches.get(run.count)
            if batch is None:
                batch = _library.Batch(struct_bytes=ctypes.sizeof(_library.Batch), count=run.count)
                for side, (view, name) in enumerate(zip(views, ("src", "dst"))):
                    setattr(batch, name, self._image(view, together if planes else self.colours))
                    setattr(batch, name + "_next_bytes", run.steps[side])
                    setattr(batch, name + "_plane_bytes", plane_steps[side] if together == 3 else 0)
                batches[run.count] = batch
            for plane in range(0, self.colours if planes else 1, together):
                source_at, target_at = (run.offsets[side] + plane * plane_steps[side] for side in range(2))
                found.append(Template(batch, source_at, target_at, run.number * 8))
        return found


@dataclasses.dataclass
class _Place:
    """What a View says beside its address."""

    shape: _arrays.Dims
    strides: _arrays.Dims
    dtype: np.dtype[Any]
    memory: int


_Placed = Union[_Place, _arrays.View]


# All that depends on shapes and strides alone is worked out once: a call takes microseconds.


@functools.lru_cache(maxsize=256)
def _shape_of(*key: Any) -> Shape:
    return Shape(*key)


class _Kept:
    """The templates of what was asked for last."""

    def __init__(self) -> None:
        self._of: dict[tuple[Key, _arrays.Dims], list[Template]] = {}
        self._count = 0

    def get(self, source: Key, target_strides: _arrays.Dims) -> list[Template]:
        found = self._of.get((source, target_strides))
        if found is None:
            shape = _shape_of(*source)
            found = shape.templates(_Place(shape.source.shape, target_strides, shape.source.dtype, shape.source.memory))
            if len(found) <= _MOST_KEPT:
                self._count += len(found)
                if self._count > _MOST_KEPT or len(self._of) >= 256:
                    self._of, self._count = {}, len(found)
                self._of[source, target_strides] = found
        return found


_kept = _Kept()


def span(view: _arrays.View) -> tuple[int, int]:
    """The bytes from the first to behind the last of an array."""
    ways = [(size - 1) * step for size, step in zip(view.shape, view.strides)]
    return view.pointer + sum(min(way, 0) for way in ways), view.pointer + sum(max(way, 0) for way in ways) + view.dtype.itemsize


class _Bytes:
    """An array for NumPy to look at, and not into: it may lie in a device's memory."""

    def __init__(self, view: _arrays.View) -> None:
        self.__array_interface__ = {
            "version": 3, "data": (view.pointer, True), "shape": view.shape, "strides": view.strides, "typestr": view.dtype.str,
        }  # fmt: skip


def _share(a: _arrays.View, b: _arrays.View) -> bool:
    """Whether two arrays of one device have a value in the same place."""
    (a_first, a_end), (b_first, b_end) = span(a), span(b)
    if a_end <= b_first or b_end <= a_first:
        return False
    try:
        return np.shares_memory(np.asarray(_Bytes(a)), np.asarray(_Bytes(b)), max_work=_MOST_WORK)
    except RuntimeError:  # NumPy has not found it out
        return True


@functools.lru_cache(maxsize=256)
def may_repeat(shape: _arrays.Dims, strides: _arrays.Dims, itemsize: int) -> bool:
    """Whether an array may have several values in one place. What was cut, turned and flipped from one without gaps has not."""
    end = itemsize
    for step, size in sorted((abs(step), size) for size, step in zip(shape, strides) if size != 1):
        if step < end and size:
            return True
        end += step * (size - 1)
    return False


def _key_of(view: _arrays.View, layout: str) -> Key:
    return (layout, view.shape, view.strides, view.dtype, memory_of(view))


def shape_of(view: _arrays.View, layout: str) -> Shape:
    """The Shape of a View. ValueError, TypeError: it is no picture of that layout."""
    if not isinstance(layout, str):
        raise TypeError(f"layout is {layout!r}; it must be one of {', '.join(LAYOUTS)}")
    return _shape_of(*_key_of(view, layout))


def packed_shape_of(shape: _arrays.Dims, dtype: np.dtype[Any], layout: str) -> Shape:
    """The same for an array without gaps that nobody has yet."""
    strides = _arrays.packed_strides(shape, dtype.itemsize)
    return shape_of(_arrays.View(0, shape, strides, dtype, _arrays.CPU, 0, True, None, None), layout)


def _set_sigmas(work: _library.Work, sigmas: Optional[Sigmas], first: int) -> None:
    """Of images from that one on."""
    if sigmas is not None:
        work.sigmas = sigmas.image
        work.sigmas.data = sigmas.pointer + first * sigmas.next_bytes
        work.sigmas_next_bytes = sigmas.next_bytes


def batches_of(
    source: _arrays.View,
    target: _arrays.View,
    gazes: _arrays.View,
    layout: str,
    sigmas: Optional[Sigmas] = None,
    depths: Optional[_library.Depth] = None,
) -> list[_library.Batch]:
    """The library's batches for a source and a target that fit. gazes: a View, two numbers for each fovea of an image."""
    found = []
    foveas = foveas_of(gazes.shape, _shape_of(*_key_of(source, layout)).lead)
    templates = _kept.get(_key_of(source, layout), target.strides)
    # The library looks at one batch at a time: what one writes must not be what the next reads.
    if len(templates) > 1 and _share(source, target):
        raise ValueError("out and the images overlap: give an out of its own")
    if len(templates) > 1 and depths is not None and depths.elapsed_s:
        raise ValueError("elapsed_s: the focus follows images whose colours lie together, and that lie equally far apart")
    for template, source_at, target_at, gazes_at in templates:
        batch = _library.Batch.from_buffer_copy(template)
        batch.src.data = source.pointer + source_at
        batch.dst.data = target.pointer + target_at
        batch.gazes_uv = gazes.pointer + gazes_at * foveas
        batch.gazes_memory = memory_of(gazes)
        batch.fovea_count = foveas
        _set_sigmas(batch, sigmas, gazes_at // 8)
        if depths is not None:
            own = _library.Depth.from_buffer_copy(depths)
            own.data = depths.data + gazes_at // 8 * depths.next_bytes
            batch.depth = ctypes.pointer(own)
        found.append(batch)
    return found


def gradients_of(
    picture: _arrays.View,
    d_seen: _arrays.View,
    gazes: _arrays.View,
    d_gazes: Optional[_arrays.View],
    layout: str,
    sigmas: Optional[Sigmas] = None,
    d_sigmas: Optional[_arrays.View] = None,
) -> list[_library.BatchGradient]:
    """The library's gradients of images whose colours are together. d_gazes and d_sigmas None: with respect to the images,
    written to picture; else with respect to those, where picture is what was foveated."""
    found = []
    foveas = foveas_of(gazes.shape, _shape_of(*_key_of(picture, layout)).lead)
    for template, picture_at, d_seen_at, gazes_at in _kept.get(_key_of(picture, layout), d_seen.strides):
        gradient = _library.BatchGradient(struct_bytes=ctypes.sizeof(_library.BatchGradient), count=template.count)
        gradient.src, gradient.d_dst, gradient.d_src = template.src, template.dst, template.src
        gradient.src_next_bytes = gradient.d_src_next_bytes = template.src_next_bytes
        gradient.d_dst_next_bytes = template.dst_next_bytes
        gradient.d_dst.data = d_seen.pointer + d_seen_at
        gradient.gazes_uv = gazes.pointer + gazes_at * foveas
        gradient.gazes_memory = memory_of(gazes)
        gradient.fovea_count = foveas
        _set_sigmas(gradient, sigmas, gazes_at // 8)
        if d_gazes is None and d_sigmas is None:
            gradient.d_src.data = picture.pointer + picture_at
        else:
            gradient.src.data = picture.pointer + picture_at
        if d_gazes is not None:
            gradient.d_gazes_uv = d_gazes.pointer + gazes_at * foveas
        if d_sigmas is not None:
            first = gazes_at // 8 * gradient.src.width_px * gradient.src.height_px
            gradient.d_sigmas = d_sigmas.pointer + first * d_sigmas.dtype.itemsize
        found.append(gradient)
    return found


def memory_of(view: _arrays.View) -> int:
    return _library.MEMORY_CUDA if view.device == _arrays.CUDA else _library.MEMORY_CPU
