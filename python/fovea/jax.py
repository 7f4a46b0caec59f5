# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Foveation in JAX: under jit, vmap and scan, on XLA's own stream, with no Python in the call.

    import fovea.jax
    seen = jax.jit(fovea.jax.foveate)(images, gaze)

`fovea.foveate` comes here with JAX arrays. JAX 0.6 or newer (jax.ffi; 0.5 works on the CPU). A process that was forked
from one that uses JAX cannot use JAX, nor this: start workers by "spawn".
"""

import ctypes
import functools
import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _arrays, _errors, _foveator, _given, _library, _live, _numbers, _settings, _shape

_FILE = "libfovea_xla.so"
_HANDLERS = {"cpu": "fovea_xla_cpu", "CUDA": "fovea_xla_cuda"}
_TARGET = "fovea"


@functools.lru_cache(maxsize=1)
def _register() -> None:
    """Opens the handlers that were built with the library and gives them to XLA."""
    places = [pathlib.Path(_library.library_path()).with_name(_FILE), pathlib.Path(__file__).with_name(_FILE)]
    found = [place for place in places if place.exists()]
    if not found:
        raise _errors.LibraryError(f"there is no {_FILE} beside the library ({places[0]})")
    handlers = ctypes.CDLL(str(found[0]))
    handlers.fovea_xla_open.restype = ctypes.c_char_p
    lacking = handlers.fovea_xla_open(_library.library()._name.encode())
    if lacking:
        raise _errors.LibraryError(f"{found[0]} and {_library.library_path()} do not fit: {lacking.decode()}")
    for platform, name in _HANDLERS.items():
        jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(getattr(handlers, name)), platform=platform)


@functools.lru_cache(maxsize=16)  # a context that is open has read its files, and goes on where they change
def _check_files(settings: str) -> None:
    """Says where a program is traced, and as a ConfigError, what a handler could say as a JaxRuntimeError alone, when the program runs. The
    handler's check stays: programs run in other processes, and open a context again after it was closed."""
    _settings.check_files(settings)


# A call makes one of these, as native/xla.c has it.
_SEEN, _D_IMAGES, _D_GAZE = range(3)


def _call(wanted: int, like: Any, settings: str, *arrays: Any) -> Any:
    result = jax.ShapeDtypeStruct(like.shape, like.dtype)
    call = jax.ffi.ffi_call(_TARGET, result, vmap_method="broadcast_all")
    return call(*arrays, settings=settings, wanted=np.int64(wanted))


@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def _seen(images: Any, gaze: Any, settings: str) -> Any:
    return _call(_SEEN, images, settings, images, gaze)


def _seen_forward(images: Any, gaze: Any, settings: str) -> tuple[Any, Any]:
    if gaze.perturbed and not jnp.issubdtype(images.value.dtype, jnp.floating):
        raise _errors.UnsupportedError(
            f"foveate has no gradient for images of {images.value.dtype}: give float images (images / 255), or "
            "jax.lax.stop_gradient(gaze)"
        )
    wanted = (images.perturbed, gaze.perturbed)
    return _seen(images.value, gaze.value, settings), (images.value if gaze.perturbed else None, gaze.value, wanted)


def _seen_backward(settings: str, kept: Any, d_seen: Any) -> tuple[Any, Any]:
    images, gaze, (wants_images, wants_gaze) = kept
    if isinstance(d_seen, jax.custom_derivatives.SymbolicZero):
        return None, None
    d_images = _d_images(d_seen, gaze, settings) if wants_images else None
    return d_images, _call(_D_GAZE, gaze, settings, images, d_seen, gaze) if wants_gaze else None


_seen.defvjp(_seen_forward, _seen_backward, symbolic_zeros=True)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def _d_images(d_seen: Any, gaze: Any, settings: str) -> Any:
    """Foveation is linear in the images: this is its adjoint, and the adjoint of this is foveation."""
    return _call(_D_IMAGES, d_seen, settings, d_seen, gaze)


def _d_images_forward(d_seen: Any, gaze: Any, settings: str) -> tuple[Any, Any]:
    return _d_images(d_seen, gaze, settings), (d_seen, gaze)


def _d_images_backward(settings: str, kept: Any, dd: Any) -> tuple[Any, Any]:
    d_seen, gaze = kept
    return _seen(dd, gaze, settings), _call(_D_GAZE, gaze, settings, dd, d_seen, gaze)


_d_images.defvjp(_d_images_forward, _d_images_backward)


@functools.partial(jax.jit, static_argnames=("settings", "layout"))
def _foveate(images: jax.Array, gaze: jax.Array, settings: str, layout: str) -> jax.Array:
    """Brings images into the form that the handlers know: 1, 3 or 4 colours in the last dimension."""
    lead = images.ndim - len(layout) + 1
    # A pair for each image, or for each of its foveas.
    each = gaze.shape[lead:] if gaze.ndim == lead + 2 and gaze.shape[:lead] == images.shape[:lead] else (2,)
    if gaze.ndim == 1:
        gaze = jnp.broadcast_to(gaze, (*images.shape[:lead], 2))
    else:
        gaze = gaze.reshape(*images.shape[:lead], *each)
    if layout == "NHWC" and _shape.are_pixels(layout, images.shape[-1]):
        return _seen(images, gaze, settings)
    # Planes, each with its image's gaze.
    planes = jnp.moveaxis(images, -1, lead) if layout in ("NHWC", "NHWF") else images
    if layout != "NHW":
        colours, rest = planes.shape[lead], planes.shape[lead + 1 :]
        # Three planes are RGB for the library, as they are for `fovea.foveate`; XLA packs them.
        together = 3 if colours % 3 == 0 else 1
        groups = planes.reshape(*planes.shape[:lead], colours // together, together, *rest)
        gaze = jnp.broadcast_to(jnp.expand_dims(gaze, lead), (*groups.shape[: lead + 1], *each))
        seen = jnp.moveaxis(_seen(jnp.moveaxis(groups, lead + 1, -1), gaze, settings), -1, lead + 1).reshape(planes.shape)
    else:
        seen = _seen(planes[..., None], gaze, settings)[..., 0]
    return jnp.moveaxis(seen, lead, -1) if layout in ("NHWC", "NHWF") else seen


def _gaze_array(gaze: Any) -> jax.Array:
    if gaze is None:
        return jnp.full(2, jnp.nan, jnp.float32)
    gaze = _arrays.stacked(gaze)
    try:
        if not isinstance(gaze, (jax.Array, np.ndarray)) and hasattr(gaze, "__dlpack__"):
            gaze = jnp.from_dlpack(gaze)
        given = jnp.asarray(gaze)
        if jnp.iscomplexobj(given):
            raise TypeError(f"values of {given.dtype}")
        found = given.astype(jnp.float32)
    except OverflowError:
        raise ValueError("gaze is not finite") from None
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(f"gaze is x and y for each image, not {_numbers.said(gaze)}: {error}") from None
    if not isinstance(found, jax.core.Tracer) and not isinstance(gaze, jax.Array):
        _shape.check_places(np.asarray(gaze).reshape(-1))
    return found


def foveate(images: Any, gaze: Any = (0.5, 0.5), *, config: _foveator.AnyConfig = None, layout: str = "NHWC") -> jax.Array:
    """Foveates images, each around its gaze, as `fovea.foveate` does; `config` and `layout` are constants of a program.

    images: a JAX array (or what jnp.asarray takes), uint8, uint16, float16 or float32, of shape (..., H, W, C) for "NHWC",
        (..., C, H, W) for "NCHW", (..., H, W) for "NHW"; (..., H, W, F) for "NHWF", frames of which none is alpha.
    gaze: x and y in uv, 0 to 1 from the top left corner; of shape (2,), or a pair for each image: (..., 2) or (N, 2); or
        several for each, (..., foveas, 2), up to four: a pixel has the least blur that any of them asks for. Or a `GazeSample`, which is a
        constant of a program. None, or no gaze there: images are not foveated; operators that look at no gaze are at work.

    Returns an array of the images' shape, type and device. vmap is one call for the whole batch; what is not mapped
    over is repeated for it. Of several devices' shards XLA makes one array first: foveate under shard_map instead.

    Images of floats have gradients (jax.grad, jax.vjp), with respect to images, of any order, and to the gaze, of first
    order. Forward mode (jax.jvp, jax.hessian) is refused by JAX with TypeError, the gaze's gradient with images of
    whole numbers with UnsupportedError.

    Raises TypeError, ValueError and ConfigError when the program is traced. What is found when it runs (a gaze on the
    CPU that is not finite, no CUDA in this build, a map's, kernel's or lens's file that has changed) is an error of JAX's own: ValueError or jax.errors.JaxRuntimeError.
    """
    _register()
    _arrays.check_unmasked(images, "images")
    images = jnp.asarray(images)
    nobody_looks = (gaze := gaze.place if isinstance(gaze, _live.GazeSample) else gaze) is None
    gaze = _gaze_array(gaze)
    shape = _shape.packed_shape_of(images.shape, images.dtype, layout)
    _shape.check_gaze(gaze.shape, shape.lead)
    foveator = _foveator.of_config(config)
    if foveator._settings.given != _given.Given():
        raise _errors.UnsupportedError("maps=, transfer= and bits= with JAX arrays: give arrays of NumPy's")
    if nobody_looks and foveator.get("operators") == "foveate":
        return images
    _check_files(foveator.text)
    foveator._look_at(shape.width, shape.height)
    return _foveate(images, gaze, foveator.text, layout)
