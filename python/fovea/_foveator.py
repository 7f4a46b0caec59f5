# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Foveation of arrays: what `foveate` and `Foveator` do."""

import functools
import os

import numpy as np

from . import _arrays, _context, _errors, _settings, _shape


class Foveator:
    """Foveates batches of images with one configuration, and keeps what depends on it.

    config: None (the library's defaults), a mapping of settings by path, as in
    {"foveation.strength": 2, "foveation.model": "physical"} (groups may be nested mappings), the name of a model
    ("paper", "physical", "curve", "map"), or the name of a configuration file (a path, or a string that ends in .json).
    `fovea.settings()` lists the paths. What is wrong raises ConfigError here, with the path that may be meant.

    Nothing of CUDA is touched before the first image in CUDA memory. There is one context of the library's for each
    process and device, opened with the first images; after fork the child opens its own. Objects can be pickled, and
    used by several threads, whose calls then wait for each other.
    """

    def __init__(self, config: _settings.Config = None):
        self._open_pairs(_settings.as_pairs(config))

    def _open_pairs(self, pairs):
        self._pairs = pairs
        self._contexts = _context.Contexts(pairs)
        self._settings = _settings.Settings(pairs)  # now, and not with the first image

    @classmethod
    def _of_pairs(cls, pairs):
        made = cls.__new__(cls)
        made._open_pairs(pairs)
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
        self._contexts.open(device, ordinal)

    def close(self):
        """Waits for what is under way on devices and frees it. A later call opens it again."""
        self._contexts.close()

    def __call__(self, images, gaze=(0.5, 0.5), *, out=None, layout="NHWC", stream=None):
        """Foveates images around gazes; see `foveate`."""
        chosen = _stream_of(stream)
        source = _arrays.view_of(images, "images", chosen)
        if chosen is not None and source.device != _arrays.CUDA:
            raise ValueError("a stream is for images in CUDA memory; these lie in the CPU's")
        _refuse_gradients(images)
        shape = _shape.shape_of(source, layout)
        if chosen is None:
            chosen = source.stream
        # What is allocated and copied here belongs to the stream that the kernels run on.
        with _arrays.on_stream(images, source, chosen):
            return self._run(images, source, shape, gaze, out, layout, chosen)

    def _run(self, images, source, shape, gaze, out, layout, stream):
        made = out is None
        if made:
            out = _arrays.empty_like(images, source)
        target = _arrays.view_of(out, "out", stream)
        _check_out(source, target)
        _check_order(target, stream, "out")
        if shape.images == 0:
            return _arrays.as_given(out, images) if made else out
        packed = None
        if not shape.fits(source):
            source = _arrays.view_of(_arrays.packed(images), "images", stream)
        if not shape.fits(target, written=True):
            packed = _arrays.empty_like(out, target)
            target = _arrays.view_of(packed, "out", stream)
        gazes = _gazes_of(gaze, shape, source, stream)
        batches = _shape.batches_of(source, target, gazes, layout)
        self._contexts.run(source.device, source.ordinal, batches, stream)
        if packed is not None:
            out[...] = packed
        return _arrays.as_given(out, images) if made else out


def _refuse_gradients(images):
    if not _arrays.is_torch(images):
        return
    import torch

    if images.requires_grad and torch.is_grad_enabled():
        raise _errors.UnsupportedError("foveate has no gradient yet: detach() the images, or work under torch.no_grad()")
    if images.is_cuda and torch.cuda.is_current_stream_capturing():
        raise _errors.UnsupportedError("foveate cannot be captured into a CUDA graph yet")


def _check_order(view, stream, what):
    if view.stream is not None and view.stream != stream and view.stream > 2:
        raise ValueError(f"{what} is worked on by another stream than the images: give stream=, and let it wait for that one")


def _check_out(source, target):
    if target.read_only:
        raise ValueError("out cannot be written to")
    if target.dtype != source.dtype:
        raise TypeError(f"out is {target.dtype}, the images are {source.dtype}")
    if target.shape != source.shape:
        raise ValueError(f"out has shape {target.shape}, the images have {source.shape}")
    if (target.device, target.ordinal) != (source.device, source.ordinal):
        raise ValueError(f"out lies on {target.device}:{target.ordinal}, the images on {source.device}:{source.ordinal}")


def _gazes_of(gaze, shape, source, stream):
    """Gazes as a View of float32, two for each image without gaps, in the CPU's or the images' own memory."""
    on_device = not isinstance(gaze, (tuple, list, np.ndarray)) and hasattr(gaze, "__dlpack_device__")
    view = _arrays.view_of(gaze, "gaze", stream) if on_device else None
    if view is not None and view.device == _arrays.CUDA:
        _check_order(view, stream, "gaze")
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
    if host.shape == (2,):
        host = np.tile(host, (shape.images, 1))
    host = np.ascontiguousarray(host)
    return _arrays.view_of(host, "gaze")


def _device_gazes(view, shape, source):
    if (source.device, source.ordinal) != (view.device, view.ordinal):
        raise ValueError(f"gaze lies on {view.device}:{view.ordinal}, the images on {source.device}:{source.ordinal}")
    if view.dtype != np.float32:
        raise TypeError(f"gaze on the device is {view.dtype}; it must be float32")
    if view.shape not in ((*shape.lead, 2), (shape.images, 2)):
        raise ValueError(f"gaze has shape {view.shape}; on the device it must be {(*shape.lead, 2)}, x and y in uv for each image")
    if view.strides != _arrays.packed_strides(view.shape, 4):
        raise ValueError("gaze on the device must have no gaps (contiguous())")
    return view


def _stream_of(stream):
    """The caller's stream as a CUstream; None where none was given."""
    for name in ("cuda_stream", "ptr"):
        stream = getattr(stream, name, stream)
    if stream is not None and (not isinstance(stream, int) or isinstance(stream, bool) or not 0 <= stream < 2**64):
        raise TypeError(f"stream is a torch or CuPy stream or a CUstream's address, not {stream!r}")
    return stream


@functools.lru_cache(maxsize=16)
def _foveator_of(pairs, stamps):
    return Foveator._of_pairs(pairs)


def _stamps_of(pairs):
    """Changes where a file has changed."""
    found = []
    for path, text in pairs:
        if not path and os.path.exists(text):
            status = os.stat(text)
            found.append((status.st_mtime_ns, status.st_size))
    return tuple(found)


def foveate(images, gaze=(0.5, 0.5), *, out=None, model=None, layout="NHWC", stream=None):
    """Foveates images, each around its gaze.

    images: uint8, float16 or float32; NumPy, PyTorch, CuPy, JAX or anything with DLPack or
        `__cuda_array_interface__`, read where it lies, with any strides: views such as rgba[..., :3] and flipped
        rows are not copied (flipped columns, and alpha in a plane of its own, are). Never written to.
    layout: "NHWC", "NCHW" or "NHW". N may be missing (one image) or several dimensions (environments x cameras).
        1, 3 or 4 colours without gaps are a pixel; other numbers of colours, and NCHW, are planes, each foveated with
        its image's gaze (stacked frames). Of 4 in NHWC the last is alpha and stays as it is ("foveation.alpha").
    gaze: (x, y) in uv, 0 to 1 over the image from its top left corner; one for all, or shape (N, 2). On the device as
        float32 without gaps, or in the CPU's memory. Outside 0..1 is outside the image and allowed.
    model: what Foveator takes (None, settings by path, a model's name, a file), or a `Foveator`.
    out: where the result goes: shape, type and device of the images, apart from them. None: a new array.
    stream: CUDA: a torch or CuPy stream or a CUstream's address. None: the current one of the library that the images
        are of. The call enqueues and does not wait; what it allocates belongs to that stream. Keep images, gaze and
        out until the stream is past them, as for any kernel.

    Returns out, or a new array of the images' library on their device. uint8 values are taken as sRGB and averaged as
    light ("foveation.light"), floats as they are.

    Raises TypeError and ValueError for arguments (with the shape or value in the text), ConfigError for settings,
    UnsupportedError where this build or machine has no CUDA, and FoveaError. On an error out is not written, unless it
    is OutOfMemoryError of a batch that goes in several parts.
    """
    if isinstance(model, Foveator):
        foveator = model
    else:
        pairs = _settings.as_pairs(model)
        foveator = _foveator_of(pairs, _stamps_of(pairs))
    return foveator(images, gaze, out=out, layout=layout, stream=stream)
