# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What no text of settings says: maps and lenses of the program's own, and what stored values say of light."""

import ctypes
import dataclasses
import hashlib
import weakref
from collections.abc import Iterator
from typing import Any, Mapping, Optional

import numpy as np

from . import _arrays, _errors, _library

MAP, LENS = "foveation.map", "lens.file"
TRANSFERS = ("srgb", "pq", "hlg")  # enum fovea_transfer
_BITS = range(9, 17)
_MAP_SIDES = range(2, 4097)
_LAYERS = (1, 2, 3, 6)


@dataclasses.dataclass(frozen=True)
class Field:
    """A lens from an array: where in the drawn picture each point of the shown picture comes from.

    xy: source positions in uv, 0 to 1 over the drawn picture from its top left corner, of shape (rows, columns, 2) for
        all colours, (3, rows, columns, 2) for red, green and blue; (2, ...) or (6, ...) are the left eye's, then the
        right eye's. Of any real type; the library takes float32. 2 to 16385 points each way.
    centered: False: the outermost points are on the picture's edges, as meshes have them. True: each point is in the
        middle of its part of the picture, as pixels are: a dense map has one for each pixel.
    """

    xy: Any
    centered: bool = False


class Kept:
    """An array's values as the library takes them, the same for all who give the same."""

    def __init__(self, values: "np.ndarray[Any, Any]", centered: bool) -> None:
        self.values, self.centered = values, centered
        self.digest = hashlib.sha256(repr((values.shape, centered)).encode() + values.tobytes()).hexdigest()[:32]


_all: weakref.WeakValueDictionary[str, Kept] = weakref.WeakValueDictionary()  # by digest


def _numbers(path: str, array: Any) -> "np.ndarray[Any, Any]":
    for part in _arrays.arrays_in(array):
        _arrays.check_unmasked(part, f"maps: {path}")
    try:
        if hasattr(array, "detach"):
            array = array.detach().cpu()
        found = np.asarray(array)
        if found.dtype.kind not in "fiu":
            raise TypeError(f"values of {found.dtype}")
        with np.errstate(over="ignore"):  # the library says which value is none of float32's
            return np.array(found, np.float32, order="C")  # a copy: what is given may change later
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"maps: {path} is an array of real numbers, not {type(array).__name__}: {error}") from None


def _map_of(array: Any) -> Kept:
    values = _numbers(MAP, array)
    if values.ndim != 2 or any(size not in _MAP_SIDES for size in values.shape):
        raise ValueError(f"maps: {MAP} has shape {values.shape}; it must be (rows, columns), 2 to 4096 each way")
    return Kept(values, False)


def _lens_of(array: Any) -> Kept:
    field = array if isinstance(array, Field) else Field(array)
    values = _numbers(LENS, field.xy)
    layered = values[None] if values.ndim == 3 else values
    if layered.ndim != 4 or layered.shape[3] != 2 or layered.shape[0] not in _LAYERS:
        raise ValueError(
            f"maps: {LENS} has shape {values.shape}; it must be (rows, columns, 2), x and y in uv, or 2, 3 or 6 of these"
        )
    return Kept(layered, bool(field.centered))


_TAKES = {MAP: _map_of, LENS: _lens_of}


def _add_map(settings: Any, kept: Kept, _log: _library.Log) -> int:
    height, width = kept.values.shape
    return int(_library.library().fovea_settings_set_map(settings, kept.values.ctypes.data, width, height))


def _add_lens(settings: Any, kept: Kept, log: _library.Log) -> int:
    layers, height, width, _ = kept.values.shape
    field = _library.Field(
        struct_bytes=ctypes.sizeof(_library.Field), xy=kept.values.ctypes.data, width=width, height=height, layers=layers,
        centered=kept.centered,
    )  # fmt: skip
    return int(_library.library().fovea_settings_set_field(settings, LENS.encode(), ctypes.byref(field), log))


_ADDS = {MAP: _add_map, LENS: _add_lens}


@dataclasses.dataclass(frozen=True)
class Given:
    """What a Foveator was given beside its settings."""

    arrays: tuple[tuple[str, Kept], ...] = ()  # by path
    transfer: str = TRANSFERS[0]
    bits: int = _BITS[-1]  # of values in uint16

    def lines(self) -> Iterator[str]:
        """It as lines of a text of settings: the same only for the same."""
        for path, kept in self.arrays:
            yield f"maps {path}={kept.digest}"
        if self.transfer != TRANSFERS[0]:
            yield f"transfer={self.transfer}"
        if self.bits != _BITS[-1]:
            yield f"bits={self.bits}"

    def add_to(self, settings: Any, log: _library.Log) -> Iterator[tuple[int, str]]:
        """Puts it into an object of settings: results of the library's, with what each is of."""
        if self.transfer != TRANSFERS[0]:
            number = TRANSFERS.index(self.transfer)
            yield int(_library.library().fovea_settings_set_transfer(settings, number)), "transfer"
        for path, kept in self.arrays:
            yield _ADDS[path](settings, kept, log), path


def given_of(maps: Optional[Mapping[str, Any]], transfer: str, bits: int) -> Given:
    """ValueError, TypeError: these are no arguments of Foveator's."""
    if transfer not in TRANSFERS:
        raise ValueError(f"transfer is {transfer!r}; it must be one of {', '.join(TRANSFERS)}")
    if isinstance(bits, bool) or bits not in _BITS:
        raise ValueError(f"bits is {bits!r}; values in uint16 have 9 to 16")
    if maps is not None and not isinstance(maps, Mapping):
        raise TypeError(f"maps is a mapping of settings to arrays, not {type(maps).__name__}")
    arrays = []
    for path, array in sorted((maps or {}).items(), key=lambda item: str(item[0])):
        if path not in _TAKES:
            raise ValueError(f"maps: {path!r} takes no array; {' and '.join(_TAKES)} do")
        kept = _TAKES[path](array)
        arrays.append((path, _all.setdefault(kept.digest, kept)))
    return Given(tuple(arrays), str(transfer), int(bits))


def remember(given: Given) -> Given:
    """The same, of another process, with the arrays that are here already."""
    return dataclasses.replace(given, arrays=tuple((path, _all.setdefault(kept.digest, kept)) for path, kept in given.arrays))


def given_of_lines(lines: Mapping[str, str]) -> Given:
    """What `Given.lines` stands for. ConfigError: whoever had the arrays is gone."""
    arrays = []
    for path in _TAKES:
        digest = lines.get(f"maps {path}")
        kept = _all.get(digest) if digest else None
        if digest and kept is None:
            raise _errors.ConfigError(f"maps: {path}: the Foveator that the array was given to is gone, or of another process: keep it, or pickle it")
        if kept is not None:
            arrays.append((path, kept))
    return Given(tuple(arrays), lines.get("transfer", TRANSFERS[0]), int(lines.get("bits", _BITS[-1])))
