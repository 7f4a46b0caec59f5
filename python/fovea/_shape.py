# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What an array's dimensions mean: images, rows, columns, colours; and its images as batches of the library's."""

import ctypes
import dataclasses
import functools

import numpy as np

from . import _arrays, _library

# enum fovea_format by type and colours. Other numbers of colours go as planes of one.
_FORMATS = {
    ("uint8", 1): 3,
    ("uint8", 3): 2,
    ("uint8", 4): 1,
    ("float16", 1): 9,
    ("float16", 3): 8,
    ("float16", 4): 6,
    ("float32", 1): 11,
    ("float32", 3): 10,
    ("float32", 4): 7,
}
_LAYOUTS = ("NHWC", "NCHW", "NHW")
_MOST_IMAGES = 65535  # of one call
_MOST_PX = 16384


@dataclasses.dataclass
class Run:
    """Images that lie equally far apart in two arrays."""

    number: int  # of the first, counted over all leading dimensions
    count: int
    offsets: tuple  # of the first in either array, bytes
    steps: tuple  # to the next


def runs(lead, strides_a, strides_b):
    """The fewest runs that leading dimensions of these strides have, in their order."""
    # Where a dimension has one image, its stride means nothing.
    axes = [axis for axis in zip(lead, strides_a, strides_b) if axis[0] != 1]
    count, steps = 1, (0, 0)
    if axes:
        count, *steps = axes.pop()
    while axes and all(axes[-1][1 + i] == steps[i] * count for i in range(2)):
        count *= axes.pop()[0]
    outer = [axis[0] for axis in axes]
    for number, index in enumerate(np.ndindex(*outer)):
        begin = [sum(i * axis[1 + side] for i, axis in zip(index, axes)) for side in range(2)]
        for first in range(0, count, _MOST_IMAGES):
            offsets = tuple(begin[side] + first * steps[side] for side in range(2))
            yield Run(number * count + first, min(_MOST_IMAGES, count - first), offsets, tuple(steps))


class Shape:
    """The dimensions of a View under a layout."""

    def __init__(self, layout, shape, strides, dtype, memory):
        view = _Place(shape, strides, dtype, memory)
        self.source = view
        if layout not in _LAYOUTS:
            raise ValueError(f"layout is {layout!r}; it must be one of {', '.join(_LAYOUTS)}")
        lead = len(view.shape) - len(layout) + 1
        if lead < 0:
            raise ValueError(f"images of shape {view.shape} have too few dimensions for layout {layout}")
        at = {letter: lead + i for i, letter in enumerate(layout[1:])}
        self.lead = view.shape[:lead]
        self.row, self.column, self.colour = at["H"], at["W"], at.get("C")
        self.height, self.width = view.shape[self.row], view.shape[self.column]
        self.colours = view.shape[self.colour] if self.colour is not None else 1
        self.is_planar = layout == "NCHW"
        self.has_alpha = layout == "NHWC" and self.colours == 4
        self.images = int(np.prod(self.lead, dtype=np.int64))
        self._check(view, layout)

    def _check(self, view, layout):
        if not (1 <= self.height <= _MOST_PX and 1 <= self.width <= _MOST_PX):
            raise ValueError(
                f"images of shape {view.shape} as {layout} are {self.width} x {self.height} pixels; 1 to {_MOST_PX} "
                "each way are possible"
            )
        if self.colours < 1:
            raise ValueError(f"images of shape {view.shape} as {layout} have no colours")
        if view.dtype.name not in ("uint8", "float16", "float32"):
            raise TypeError(f"images of {view.dtype}: Fovea takes uint8, float16 and float32")
        if not view.dtype.isnative:
            raise TypeError(f"images of {view.dtype.str!r}: Fovea takes this machine's order of bytes")

    def fits(self, view, written=False):
        """Whether the library takes it where it lies: rows from left to right that do not share memory, and alpha
        beside its colours."""
        size = view.dtype.itemsize
        if self.has_alpha and view.strides[self.colour] != size:
            return False
        column = view.strides[self.column]
        pixel = size * (self.colours if self.colour is not None and view.strides[self.colour] == size else 1)
        row_bytes = column * (self.width - 1) + pixel
        rows_are_apart = self.height == 1 or abs(view.strides[self.row]) >= row_bytes
        images_are_apart = not written or all(
            count == 1 or abs(step) >= row_bytes for count, step in zip(self.lead, view.strides)
        )
        return (self.width == 1 or column >= pixel) and rows_are_apart and images_are_apart

    def _goes_in_planes(self, views):
        if self.colour is None:
            return False
        together = self.colours == 1 or all(view.strides[self.colour] == view.dtype.itemsize for view in views)
        known = (views[0].dtype.name, self.colours) in _FORMATS and not (self.is_planar and self.colours == 4)
        return not (together and known)

    def _image(self, view, colours):
        return _library.Image(
            width_px=self.width,
            height_px=self.height,
            format=_FORMATS[view.dtype.name, colours],
            memory=view.memory,
            row_stride_bytes=view.strides[self.row],
            # Where there is one column, its stride means nothing.
            pixel_stride_bytes=view.strides[self.column] if self.width > 1 else 0,
        )

    def templates(self, target):
        """A batch for every run of images and, where colours are planes, every colour, without addresses; with each
        the bytes from where source, target and gazes begin to where it does."""
        source = self.source
        views = (source, target)
        planes = self._goes_in_planes(views)
        lead = len(self.lead)
        found = []
        for run in runs(self.lead, source.strides[:lead], target.strides[:lead]):
            for plane in range(self.colours if planes else 1):
                batch = _library.Batch(struct_bytes=ctypes.sizeof(_library.Batch), count=run.count)
                places = []
                for side, (view, name) in enumerate(zip(views, ("src", "dst"))):
                    place = run.offsets[side] + (plane * view.strides[self.colour] if planes else 0)
                    places.append(place)
                    setattr(batch, name, self._image(view, 1 if planes else self.colours))
                    setattr(batch, name + "_next_bytes", run.steps[side])
                found.append((batch, *places, run.number * 8))
        return found


@dataclasses.dataclass
class _Place:
    """What a View says beside its address."""

    shape: tuple
    strides: tuple
    dtype: np.dtype
    memory: int


# What depends on shapes and strides alone is worked out once: a call takes microseconds.


@functools.lru_cache(maxsize=256)
def _shape_of(*key):
    return Shape(*key)


@functools.lru_cache(maxsize=256)
def _templates_of(source, target_strides):
    shape = _shape_of(*source)
    return shape.templates(_Place(shape.source.shape, target_strides, shape.source.dtype, shape.source.memory))


def _key_of(view, layout):
    return (layout, view.shape, view.strides, view.dtype, memory_of(view))


def shape_of(view, layout):
    """The Shape of a View. ValueError, TypeError: it is no picture of that layout."""
    if not isinstance(layout, str):
        raise TypeError(f"layout is {layout!r}; it must be one of {', '.join(_LAYOUTS)}")
    return _shape_of(*_key_of(view, layout))


def batches_of(source, target, gazes, layout):
    """The library's batches for a source and a target that fit. gazes: a View, two numbers an image."""
    found = []
    for template, source_at, target_at, gazes_at in _templates_of(_key_of(source, layout), target.strides):
        batch = _library.Batch.from_buffer_copy(template)
        batch.src.data = source.pointer + source_at
        batch.dst.data = target.pointer + target_at
        batch.gazes_uv = gazes.pointer + gazes_at
        batch.gazes_memory = memory_of(gazes)
        found.append(batch)
    return found


def memory_of(view):
    return _library.MEMORY_CUDA if view.device == _arrays.CUDA else _library.MEMORY_CPU
