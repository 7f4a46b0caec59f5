# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Blobs of colour and texture in arrays: what `fovea.blobs` does."""

import ctypes
import dataclasses
from typing import Any, Optional, Union

import numpy as np

from . import _arrays, _context, _library, _numbers, _shape

_BLOB = np.dtype([("x_px", np.float32), ("y_px", np.float32), ("sigma_px", np.float32), ("strength", np.float32)])
_DEFAULT_MAX = 1000

Found = np.ndarray[Any, Any]


def _desc(count: Optional[int], threshold: float, scales: int, sigma_min_px: float, overlap: float, threads: int) -> _library.BlobsDesc:
    if overlap == 0:
        overlap = 1e-9  # 0 is the library's default
    # The library has 32 bits of each, in which larger ones would be others.
    if count is not None and not 1 <= count <= 65536:
        raise ValueError(f"max_count is {_numbers.said(count)}; it must be 1 or more, and 65536 or less")
    if not (0 <= scales <= 25 and 0 <= threads <= 1024):
        raise ValueError(f"scales is {_numbers.said(scales)} and threads {_numbers.said(threads)}; they must be 3 to 25, and 0 to 1024")
    return _library.BlobsDesc(
        struct_bytes=ctypes.sizeof(_library.BlobsDesc),
        scale_count=scales,
        blob_max=_DEFAULT_MAX if count is None else count,
        sigma_min_px=sigma_min_px,
        threshold=-1.0 if threshold <= 0 else threshold,  # 0 is the library's default; NaN it refuses
        overlap=overlap,
        cpu_threads=threads,
    )


def images_of(images: Any) -> tuple[_arrays.View, bool]:
    """As (N, H, W, C) without gaps, and whether there was more than one dimension of images."""
    if _arrays.is_torch(images):
        images = images.detach().resolve_neg()  # whose gradients do not matter here
    view = _arrays.view_of(images, "images")
    if view.device == _arrays.CPU and not isinstance(images, np.ndarray):
        view = _arrays.view_of(np.asarray(images), "images")
    if not (view.is_packed and view.is_aligned):
        view = _arrays.view_of(_arrays.packed(images if view.device == _arrays.CUDA else view.owner), "images")
    shape = (*view.shape, 1) if len(view.shape) == 2 else view.shape
    if len(shape) not in (3, 4):
        raise ValueError(f"images have shape {view.shape}; they must be (H, W), (H, W, C) or (N, H, W, C)")
    if (str(view.dtype), shape[-1]) not in _shape._FORMATS or view.dtype == np.uint16:
        given = f"images of {view.dtype} and shape {view.shape}, so of {shape[-1]} channels"
        raise ValueError(f"{given}: uint8, float16 or float32 with 1, 3 or 4 channels, which come last, are taken")
    return dataclasses.replace(view, shape=shape if len(shape) == 4 else (1, *shape)), len(shape) == 4


def image_of(batch: _arrays.View) -> _library.Image:
    """The first of what `images_of` gave, as the library has it."""
    _, height, width, channels = batch.shape
    memory = _library.MEMORY_CUDA if batch.device == _arrays.CUDA else _library.MEMORY_CPU
    row_bytes = width * channels * batch.dtype.itemsize
    return _library.Image(batch.pointer, width, height, _shape._FORMATS[str(batch.dtype), channels], memory, row_bytes, 0)


class BlobFinder:
    """Finds blobs, as `blobs` does, with the same numbers each time, and keeps its memory and tables from call to call.

    The numbers are those of `blobs`. A call takes images as that does. What is kept grows to what the largest image needs
    (docs/saliency.md); `close` frees it, and so does the end of the object, or of a `with`. Calls of several threads wait
    for each other; after fork the child begins anew; where its parent used CUDA, it takes pictures in CPU memory alone. Objects can
    be pickled, without what they keep.
    """

    def __init__(
        self,
        *,
        max_count: Optional[int] = None,
        threshold: float = 0.15,
        scales: int = 19,
        sigma_min_px: float = 2.0,
        overlap: float = 0.5,
        threads: int = 0,
    ) -> None:
        self._numbers = (max_count, threshold, scales, sigma_min_px, overlap, threads)
        self._blob_max = _desc(*self._numbers).blob_max
        self._open()

    def _open(self) -> None:
        numbers = self._numbers
        self._kept = _context.EachProcess("fovea_blobs_destroy", lambda state, *_: _open_finder(state, numbers))

    def __getstate__(self) -> tuple[Any, ...]:
        return (self._numbers, self._blob_max)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._numbers, self._blob_max = state
        self._open()

    def __enter__(self) -> "BlobFinder":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Frees what is kept. A later call makes it again."""
        self._kept.close()

    def __call__(self, images: Any) -> Union[Found, list[Found]]:
        batch, several = images_of(images)
        if 0 in batch.shape:
            raise ValueError(f"images have shape {batch.shape}: nothing is in them")
        device, has_begun = "cuda" if batch.device == _arrays.CUDA else "cpu", False
        try:
            with self._kept.held(device, 0) as state:
                has_begun = True
                found = self._find(batch, state)
        except BaseException:
            if has_begun:  # what failed may not be fit for another call
                self._kept.close_one(device, 0)
            raise
        return found if several else found[0]

    def _find(self, batch: _arrays.View, state: _context.State) -> list[Found]:
        count, height = batch.shape[:2]
        image = image_of(batch)
        found = np.empty((count, self._blob_max), _BLOB)
        counts = np.zeros(count, np.uint32)
        state.messages.clear()
        result = _library.library().fovea_blobs_run(
            state.pointer, ctypes.byref(image), count, height * image.row_stride_bytes, found.ctypes.data, counts.ctypes.data, batch.stream
        )
        _library.check(result, state.messages, "fovea.blobs")
        return [blobs[:number].copy() for blobs, number in zip(found, counts)]


def _open_finder(state: _context.State, numbers: tuple[Any, ...]) -> None:
    desc = _desc(*numbers)
    desc.log = state.messages.log
    made = _library.library().fovea_blobs_create(ctypes.byref(desc), ctypes.byref(state.pointer))
    _library.check(made, state.messages, "fovea.blobs")


def blobs(
    images: Any,
    *,
    max_count: Optional[int] = None,
    threshold: float = 0.15,
    scales: int = 19,
    sigma_min_px: float = 2.0,
    overlap: float = 0.5,
    threads: int = 0,
) -> Union[Found, list[Found]]:
    """Finds blobs of colour and texture: discs that differ from their surroundings (docs/saliency.md).

    images: (H, W), (H, W, C) or (N, H, W, C) of uint8, float16 or float32 with 1, 3 or 4 channels: NumPy's, PyTorch's, CuPy's,
    DLPack's. If they lie in CUDA memory, that device does the work, on the array's stream, and the call waits for it. The
    result is NumPy's. Alpha is ignored; floats are 0 to 1. Returns an array for one image, and a list of arrays for (N, H, W, C):
    structured, with the fields x_px, y_px, sigma_px (the disc's radius is sqrt(2) times that) and strength, the strongest
    first. 0 is the centre of the leftmost and of the topmost pixel, so the uv of a gaze at a blob is ((x_px + 0.5) / width, (y_px + 0.5) /
    height). It is no model of where people look.

    max_count: the most blobs of an image (1000). threshold: the least strength, 0 to 3; 0.05 suits grey
    images. scales: number of sigmas, each 2^(1/3) times the one before, from sigma_min_px on. overlap: the largest part of a
    disc that it may share with a stronger one. threads: 0 is one for each core.

    Many images in one call cost less than single calls, which allocate and make tables each time; `BlobFinder` keeps
    these.
    """
    with BlobFinder(
        max_count=max_count, threshold=threshold, scales=scales, sigma_min_px=sigma_min_px, overlap=overlap, threads=threads
    ) as finder:
        return finder(images)
