# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Calls that are made again: what types, shapes and strides decide is worked out once, and then addresses alone change.

A learner makes the same call at every step. Working it out takes several times as long as the library takes to begin it.
"""

import ctypes
import dataclasses
import math
import os
from typing import Any, Optional

import numpy as np

from . import _arrays, _context, _errors, _library, _shape

_MOST = 64  # calls that a Foveator keeps
_MOST_BATCHES = 64  # of one that is kept

Key = tuple[Any, ...]
_NUMBERS = (float, np.floating)
_PAIR = ("x", "y")  # the place of a gaze that is two numbers


def _is_pair(gaze: Any) -> bool:
    return type(gaze) is tuple and len(gaze) == 2 and isinstance(gaze[0], _NUMBERS) and isinstance(gaze[1], _NUMBERS)


def as_array(gaze: Any) -> Any:
    """A sequence of numbers that is no pair as an array, whose call can be kept; whatever else it is stays, for whoever says what is wrong."""
    if _is_pair(gaze):
        return gaze
    try:
        found = np.asarray(gaze)
    except (TypeError, ValueError, RuntimeError):
        return gaze
    return found if found.dtype.kind in "fiu" else gaze


def key_of(images: Any, gaze: Any, out: Any, layout: Any) -> Optional[Key]:
    """What a call's arrays and layout are beside addresses; None where that is not known without looking closely."""
    of_images = _arrays.place_of(images)
    if of_images is None or not isinstance(layout, str):
        return None
    of_gaze = _PAIR if _is_pair(gaze) else _arrays.place_of(gaze)
    of_out = of_images if out is None else _arrays.place_of(out)
    if of_gaze is None or of_out is None:
        return None
    return (layout, of_images, of_gaze, out is None, of_out)


class Call:
    """One call without its addresses. Threads share it: batches are filled while the context is held."""

    def __init__(
        self,
        state: _context.State,
        batches: list[_library.Batch],
        views: tuple[_arrays.View, _arrays.View, _arrays.View],
        copied: Optional[np.ndarray[Any, Any]],
    ) -> None:
        source, target, gazes = views
        self._state, self._run = state, _library.library().fovea_context_run_batch
        self._ordinal = source.ordinal if source.device == _arrays.CUDA else None
        self._copied = copied  # the gazes, where they must be of another type or several
        self._copied_at = 0 if copied is None else _arrays.pointer_of(copied)
        # Gazes of the caller's own in the CPU's memory are looked at where they lie.
        self._gazes = (ctypes.c_float * math.prod(gazes.shape)) if copied is None and gazes.device == _arrays.CPU else None
        self._misaligned = source.dtype.itemsize - 1
        self._work = [
            (batch, batch.src, batch.dst, ctypes.byref(batch), batch.src.data - source.pointer, batch.dst.data - target.pointer)
            for batch in batches
        ]
        self._spans = [_shape.span(dataclasses.replace(view, pointer=0)) for view in (source, target)] if len(batches) > 1 else None

    def __call__(self, images: Any, gaze: Any, out: Any) -> bool:
        """Whether it was made. If not, nothing was written: the arrays may overlap, or the context is not open (here)."""
        source, target = _arrays.pointer_of(images), _arrays.pointer_of(out)
        if self._spans is not None:
            (first, end), (target_first, target_end) = self._spans
            if source + first < target + target_end and target + target_first < source + end:
                return False
        # Two numbers are looked at where they are: that costs a tenth.
        is_place = type(gaze) is tuple and -1 <= gaze[0] <= 2 and -1 <= gaze[1] <= 2
        gazes = self._copied_at or _arrays.pointer_of(gaze)
        if (source | target) & self._misaligned or gazes & 3:
            return False
        if self._gazes is not None:
            places: Any = self._gazes.from_address(gazes)
            _shape.check_places(np.frombuffer(places, np.float32))
        stream = None if self._ordinal is None else _arrays.current_stream(self._ordinal)
        state = self._state
        if state.process != os.getpid():
            return False
        with state.lock:
            if not state.pointer:
                return False
            if state.is_busy:
                raise _errors.FoveaError(_context.INSIDE)
            try:
                state.is_busy = True
                if self._copied is not None:
                    self._copied[...] = gaze
                    if not is_place:
                        _shape.check_places(self._copied.reshape(-1))
                for batch, src, dst, reference, source_at, target_at in self._work:
                    src.data, dst.data, batch.gazes_uv = source + source_at, target + target_at, gazes
                    state.run(self._run, reference, stream)
            finally:
                state.is_busy = False
        return True


class Calls:
    """The calls that a Foveator was asked for last."""

    def __init__(self) -> None:
        self._of: dict[Key, Call] = {}

    def get(self, key: Optional[Key]) -> Optional[Call]:
        return None if key is None else self._of.get(key)

    def keep(
        self,
        key: Key,
        arrays: tuple[Any, Any, Any],
        views: tuple[_arrays.View, _arrays.View, _arrays.View],
        batches: list[_library.Batch],
        state: _context.State,
    ) -> None:
        """Keeps a call that was made, if the library was given the arrays themselves: images, out, and the gaze or a copy."""
        images, out, gaze = arrays
        source, target, gazes = views
        if source.owner is not images or target.owner is not out or len(batches) > _MOST_BATCHES:
            return
        # A gaze that is not finite must be found before the first batch writes: of several parts of the gazes, not by the first.
        if any(batch.gazes_uv != gazes.pointer for batch in batches):
            return
        copied = None
        if _is_pair(gaze) or (isinstance(gaze, np.ndarray) and gaze.dtype.kind in "fiu" and gazes.owner is not gaze):
            copied = np.empty(gazes.shape, np.float32)
        elif _arrays.pointer_of(gaze) != gazes.pointer:
            return
        if len(self._of) >= _MOST:
            self._of = {}
        self._of[key] = Call(state, batches, views, copied)

    def clear(self) -> None:
        self._of = {}
