# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Foveation of arrays: what `foveate` and `Foveator` do."""

import atexit
import ctypes
import functools
import os
import threading
import weakref

import numpy as np

from . import _arrays, _errors, _library, _settings

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


class _Handle:
    """A context of the library's, of one process and one device. One thread at a time."""

    def __init__(self, pairs, ordinal):
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.library = _library.library()
        self.messages = _library.Messages()
        self.pointer = ctypes.c_void_p()
        settings = _settings.Settings(pairs)
        desc = _library.ContextDesc(
            struct_bytes=ctypes.sizeof(_library.ContextDesc),
            settings=settings.pointer,
            cuda_device=ordinal,
            log=self.messages.log,
        )
        result = self.library.fovea_context_create(ctypes.byref(desc), ctypes.byref(self.pointer))
        _library.check(result, self.messages, "fovea")

    def run(self, batch, stream):
        self.messages.clear()
        result = self.library.fovea_context_run_batch(self.pointer, ctypes.byref(batch), stream)
        _library.check(result, self.messages, "foveate")

    def close(self):
        # A child of fork has its parent's pointer and none of its threads: it leaves all of it alone.
        if self.pointer and self.process == os.getpid():
            self.library.fovea_context_destroy(ctypes.byref(self.pointer))
        self.pointer = ctypes.c_void_p()


_open_foveators = weakref.WeakSet()


def _renew_locks():
    """A thread that held one is not there after fork."""
    for foveator in list(_open_foveators):
        foveator._lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_locks)


@atexit.register
def _close_all():
    for foveator in list(_open_foveators):
        foveator.close()


class Foveator:
    """Foveates batches of images with one configuration, and keeps what depends on it.

    config: None (the library's defaults), a mapping of settings by path, as in
    {"foveation.strength": 2, "foveation.model": "physical"} (groups may be nested mappings), or the name of a
    configuration file. `fovea.settings()` lists the paths. What is wrong raises ConfigError here, with the path
    that may be meant.

    Nothing of CUDA is touched before the first image in CUDA memory. There is one context of the library's for each
    process and device, opened with the first images; after fork the child opens its own. Objects can be pickled, and
    used by several threads, whose calls then wait for each other.
    """

    def __init__(self, config: _settings.Config = None):
        self._pairs = _settings.as_pairs(config)
        self._handles = {}
        self._lock = threading.Lock()
        self._settings = _settings.Settings(self._pairs)  # now, and not with the first image
        _open_foveators.add(self)

    @classmethod
    def _of_pairs(cls, pairs):
        made = cls.__new__(cls)
        made._pairs, made._handles, made._lock = pairs, {}, threading.Lock()
        made._settings = _settings.Settings(pairs)
        _open_foveators.add(made)
        return made

    def __reduce__(self):
        return (Foveator._of_pairs, (self._pairs,))

    def __repr__(self):
        said = ", ".join(f"{path or 'file'}={text}" for path, text in self._pairs)
        return f"Foveator({said})"

    def __eq__(self, other):
        return isinstance(other, Foveator) and self._pairs == other._pairs

    def __hash__(self):
        return hash(self._pairs)

    def get(self, path: str) -> str:
        """The text of a setting in force. KeyError: there is no such setting."""
        text = self._settings.get(path)
        if text is None:
            raise KeyError(path)
        return text

    def open(self, device="cpu", ordinal=0):
        """Opens the library's context now instead of with the first images. device: "cpu" or "cuda".

        With the setting "backend" cuda the GPU's kernels are loaded here: UnsupportedError where there is none.
        """
        if device not in (_arrays.CPU, _arrays.CUDA):
            raise ValueError(f"device is {device!r}; it must be cpu or cuda")
        self._handle(device, ordinal)

    def close(self):
        """Waits for what is under way on devices and frees it. A later call opens it again."""
        with self._lock:
            for handle in self._handles.values():
                handle.close()
            self._handles.clear()

    def _handle(self, device, ordinal):
        key = (os.getpid(), device, ordinal)
        with self._lock:
            handle = self._handles.get(key)
            if handle is None:
                if device == _arrays.CUDA and any(
                    used == _arrays.CUDA and process != key[0] for process, used, _ in self._handles
                ):
                    raise _errors.FoveaError(
                        "this process was forked from one that uses CUDA, which cannot be used here: start workers by "
                        "'spawn', or foveate on the cpu in them"
                    )
                handle = self._handles[key] = _Handle(self._pairs, ordinal)
        return handle

    def __call__(self, images, gaze=(0.5, 0.5), *, out=None, layout="NHWC", stream=None):
        """Foveates images around gazes; see `foveate`."""
        source = _arrays.view_of(images, "images")
        _refuse_gradients(images)
        shape = _Shape(source, layout)
        made = out is None
        if made:
            out = _arrays.empty_like(images, source)
        target = _arrays.view_of(out, "out")
        _check_out(source, target)
        if shape.images == 0:
            return _arrays.as_given(out, images) if made else out
        packed = None
        if not shape.fits(source):
            source = _arrays.view_of(_arrays.packed(images), "images")
        if not shape.fits(target, written=True):
            packed = _arrays.empty_like(out, target)
            target = _arrays.view_of(packed, "out")
        gazes = _gazes_of(gaze, shape, source)
        handle = self._handle(source.device, source.ordinal)
        with handle.lock:
            for batch in shape.batches(source, target, gazes):
                handle.run(batch, _stream_of(stream, source))
        if packed is not None:
            out[...] = packed
        return _arrays.as_given(out, images) if made else out


def _refuse_gradients(images):
    if _arrays.is_torch(images) and images.requires_grad:
        import torch

        if torch.is_grad_enabled():
            raise _errors.UnsupportedError("foveate has no gradient yet: detach() the images, or work under torch.no_grad()")


def _check_out(source, target):
    if target.read_only:
        raise ValueError("out cannot be written to")
    if target.dtype != source.dtype:
        raise TypeError(f"out is {target.dtype}, the images are {source.dtype}")
    if target.shape != source.shape:
        raise ValueError(f"out has shape {target.shape}, the images have {source.shape}")
    if (target.device, target.ordinal) != (source.device, source.ordinal):
        raise ValueError(f"out lies on {target.device}:{target.ordinal}, the images on {source.device}:{source.ordinal}")


class _Shape:
    """What an array's dimensions mean: images, rows, columns, colours."""

    def __init__(self, view, layout):
        if layout not in _LAYOUTS:
            raise ValueError(f"layout is {layout!r}; it must be one of {', '.join(_LAYOUTS)}")
        own = layout[1:]
        lead = len(view.shape) - len(own)
        if lead < 0:
            raise ValueError(f"images of shape {view.shape} have too few dimensions for layout {layout}")
        self.lead = view.shape[:lead]
        at = {letter: lead + i for i, letter in enumerate(own)}
        self.row, self.column, self.colour = at["H"], at["W"], at.get("C")
        self.height, self.width = view.shape[self.row], view.shape[self.column]
        self.colours = view.shape[self.colour] if self.colour is not None else 1
        self.is_planar = layout == "NCHW"
        self.has_alpha = layout == "NHWC" and self.colours == 4
        self.images = int(np.prod(self.lead, dtype=np.int64))
        if not (1 <= self.height <= _MOST_PX and 1 <= self.width <= _MOST_PX):
            raise ValueError(
                f"images of shape {view.shape} as {layout} are {self.width} x {self.height} pixels; 1 to {_MOST_PX} each way are possible"
            )
        if self.colours < 1:
            raise ValueError(f"images of shape {view.shape} as {layout} have no colours")
        if view.dtype.name not in ("uint8", "float16", "float32"):
            raise TypeError(f"images of {view.dtype}: Fovea takes uint8, float16 and float32")

    def _planes(self, source, target):
        """Whether colours are one pixel in both arrays, or planes of one colour each."""
        if self.colour is None:
            return False
        size = source.dtype.itemsize
        if self.is_planar and self.colours == 4:
            return True
        together = all(v.strides[self.colour] == size for v in (source, target)) or self.colours == 1
        return not (together and (source.dtype.name, self.colours) in _FORMATS)

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
            size == 1 or abs(step) >= row_bytes for size, step in zip(self.lead, view.strides)
        )
        return (self.width == 1 or column >= pixel) and rows_are_apart and images_are_apart

    def _image(self, view, colours, first):
        return _library.Image(
            data=first,
            width_px=self.width,
            height_px=self.height,
            format=_FORMATS[view.dtype.name, colours],
            memory=_library.MEMORY_CUDA if view.device == _arrays.CUDA else _library.MEMORY_HOST,
            row_stride_bytes=view.strides[self.row],
            pixel_stride_bytes=view.strides[self.column],
        )

    def _runs(self, views):
        """Images that are equally far apart in all views: the first's place in lead dimensions, and how many."""
        inner = len(self.lead)
        count = 1
        while inner > 0 and all(
            count == 1 or v.strides[inner - 1] == v.strides[len(self.lead) - 1] * count for v in views
        ):
            inner -= 1
            count *= self.lead[inner]
        for index in np.ndindex(*self.lead[:inner]):
            for first in range(0, count, _MOST_IMAGES):
                yield index, first, min(_MOST_IMAGES, count - first)

    def batches(self, source, target, gazes):
        """A batch of the library's for every run of images and, where colours are planes, every colour."""
        planes = self._planes(source, target)
        step = len(self.lead) - 1
        done = 0
        for index, first, count in self._runs((source, target)):
            for plane in range(self.colours if planes else 1):
                batch = _library.Batch(struct_bytes=ctypes.sizeof(_library.Batch), count=count)
                for view, name in ((source, "src"), (target, "dst")):
                    next_bytes = view.strides[step] if self.lead else 0
                    place = view.pointer + first * next_bytes
                    place += sum(i * s for i, s in zip(index, view.strides))
                    place += plane * view.strides[self.colour] if planes else 0
                    setattr(batch, name, self._image(view, 1 if planes else self.colours, place))
                    setattr(batch, name + "_next_bytes", next_bytes)
                batch.gazes_uv = gazes.pointer + done * 8
                batch.gazes_memory = _library.MEMORY_CUDA if gazes.device == _arrays.CUDA else _library.MEMORY_HOST
                yield batch
            done += count


def _gazes_of(gaze, shape, source):
    """Gazes as a View of float32, two for each image without gaps, in the host's or the images' own memory."""
    on_device = not isinstance(gaze, (tuple, list, np.ndarray)) and hasattr(gaze, "__dlpack_device__")
    view = _arrays.view_of(gaze, "gaze") if on_device else None
    if view is not None and view.device == _arrays.CUDA:
        return _device_gazes(view, shape, source)
    try:
        host = np.asarray(view.owner if view is not None and isinstance(view.owner, np.ndarray) else gaze, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise TypeError(f"gaze is x and y for each image, not {gaze!r}: {error}") from None
    wanted = (*shape.lead, 2)
    if host.shape not in ((2,), wanted, (shape.images, 2)):
        raise ValueError(f"gaze has shape {host.shape}; it must be (2,) or {wanted}, x and y in uv for each image")
    if not np.isfinite(host).all():
        raise ValueError("gaze is not finite")
    host = np.ascontiguousarray(np.broadcast_to(host.reshape(-1, 2), (shape.images, 2)))
    return _arrays.view_of(host, "gaze")


def _device_gazes(view, shape, source):
    if (source.device, source.ordinal) != (view.device, view.ordinal):
        raise ValueError(f"gaze lies on {view.device}:{view.ordinal}, the images on {source.device}:{source.ordinal}")
    if view.dtype != np.float32:
        raise TypeError(f"gaze on the device is {view.dtype}; it must be float32")
    if view.shape not in ((*shape.lead, 2), (shape.images, 2)):
        raise ValueError(f"gaze has shape {view.shape}; on the device it must be {(*shape.lead, 2)}, x and y in uv for each image")
    if view.strides != _arrays._packed_strides(view.shape, 4):
        raise ValueError("gaze on the device must have no gaps (contiguous())")
    return view


def _stream_of(stream, source):
    """The caller's stream as a CUstream; None on the host."""
    if source.device != _arrays.CUDA:
        if stream is not None:
            raise ValueError("a stream is for images in CUDA memory; these lie in the host's")
        return None
    if stream is None:
        return source.stream
    for name in ("cuda_stream", "ptr"):
        stream = getattr(stream, name, stream)
    if not isinstance(stream, int):
        raise TypeError(f"stream is a torch or CuPy stream or a CUstream's address, not {type(stream).__name__}")
    return stream


@functools.lru_cache(maxsize=16)
def _foveator_of(pairs):
    return Foveator._of_pairs(pairs)


def foveate(images, gaze=(0.5, 0.5), *, out=None, model=None, layout="NHWC", stream=None):
    """Foveates images, each around its gaze.

    images: uint8, float16 or float32; NumPy, PyTorch, CuPy, JAX or anything with DLPack or
        `__cuda_array_interface__`, read where it lies, with any strides: views such as rgba[..., :3] and flipped
        rows are not copied (flipped columns, and alpha in a plane of its own, are). Never written to.
    layout: "NHWC", "NCHW" or "NHW". N may be missing (one image) or several dimensions (environments x cameras).
        1, 3 or 4 colours without gaps are a pixel; other numbers of colours, and NCHW, are planes, each foveated with
        its image's gaze (stacked frames). Of 4 in NHWC the last is alpha and stays as it is ("foveation.alpha").
    gaze: (x, y) in uv, 0 to 1 over the image from its top left corner; one for all, or shape (N, 2). On the device as
        float32 without gaps, or in the host's memory. Outside 0..1 is outside the image and allowed.
    model: None (defaults), the name of a model ("paper", "physical", "curve", "map"), a mapping of settings by path,
        or a `Foveator`.
    out: where the result goes: shape, type and device of the images, apart from them. None: a new array.
    stream: CUDA: a torch or CuPy stream or a CUstream's address. None: the current one of the library that the images
        are of. The call enqueues and does not wait; keep images, gaze and out until then, as for any kernel.

    Returns out, or a new array of the images' library on their device. uint8 values are taken as sRGB and averaged as
    light ("foveation.light"), floats as they are.

    Raises TypeError and ValueError for arguments (with the shape or value in the text), ConfigError for settings,
    UnsupportedError where this build or machine has no CUDA, and FoveaError. On an error out is not written, unless it
    is OutOfMemoryError of a batch that goes in several parts.
    """
    if isinstance(model, Foveator):
        foveator = model
    else:
        config = {"foveation.model": model} if isinstance(model, str) else model
        foveator = _foveator_of(_settings.as_pairs(config))
    return foveator(images, gaze, out=out, layout=layout, stream=stream)
