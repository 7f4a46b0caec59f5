# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Levels of up to sixteen bits as light and back. The library takes no such pictures, but floats of what is averaged.

Light runs from 0 to 1: of the display, by sRGB (IEC 61966-2-1), PQ (SMPTE ST 2084, 1 is 10,000 cd/m^2), HLG (ITU-R
BT.2100, table 5: the inverse of its OETF, then the OOTF of a display whose black is 0) or the display's own curve.
"""

import dataclasses
import functools
import json
import sys
from typing import Any, Optional

import numpy as np

from . import _arrays, _given, _settings, _shape

Array = Any  # NumPy's, torch's or CuPy's

_OCTAVES = 48  # of light that has levels of its own: below 2^-48 is black
_STEP_BITS = 13  # of a float below those that say its place in an octave: straight lines between places are 0.01 levels off
_STEPS = 1 << (23 - _STEP_BITS)
_FIRST_BITS = (127 - _OCTAVES) << 23

_PQ_M1, _PQ_M2, _PQ_C1, _PQ_C2, _PQ_C3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
_HLG_A, _HLG_B, _HLG_C = 0.17883277, 0.28466892, 0.55991073
_LUMINANCE = (0.2627, 0.6780, 0.0593)  # of BT.2020's red, green and blue


def _decoded(value: Array, kind: str, gamma: float, samples: Array) -> Array:
    """Light of values of 0 to 1; HLG's is the scene's."""
    if kind == "pq":
        root = value ** (1 / _PQ_M2)
        return (np.maximum(root - _PQ_C1, 0) / (_PQ_C2 - _PQ_C3 * root)) ** (1 / _PQ_M1)
    if kind == "hlg":
        return np.where(value <= 0.5, value**2 / 3, (np.exp((value - _HLG_C) / _HLG_A) + _HLG_B) / 12)
    if kind == "gamma":
        return value**gamma
    if kind == "table":
        return np.interp(value, np.linspace(0, 1, len(samples)), samples)
    if kind == "srgb":
        return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return value


def _encoded(light: Array, kind: str, gamma: float) -> Array:
    if kind == "pq":
        power = light**_PQ_M1
        return ((_PQ_C1 + _PQ_C2 * power) / (1 + _PQ_C3 * power)) ** _PQ_M2
    if kind == "hlg":
        return np.where(light <= 1 / 12, (3 * light) ** 0.5, _HLG_A * np.log(np.maximum(12 * light, 1) - _HLG_B) + _HLG_C)
    if kind == "gamma":
        return light ** (1 / gamma)
    if kind == "srgb":
        return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return light


def _system_gamma(peak_cd_m2: float) -> float:
    """HLG's, of a display of that peak: ITU-R BT.2100, note 5f, and BT.2390, 6.2, beyond 400 to 2000."""
    peak = (peak_cd_m2 or 1000) / 1000
    return float(1.2 + 0.42 * np.log10(peak) if 0.4 <= peak <= 2 else 1.2 * 1.111 ** np.log2(peak))


@dataclasses.dataclass(frozen=True)
class _Tables:
    """In one library and on one device."""

    light: Array  # of each level
    levels: Array  # where a place of an octave begins
    samples: Optional[Array]  # of the display, for the way back


class Light:
    """What levels say of what is averaged, by the settings of a Foveator."""

    def __init__(self, settings: _settings.Settings) -> None:
        def number(path: str) -> float:
            return float(settings.get(path) or 0)

        light, given = settings.get("foveation.light"), settings.given
        is_light = light in ("linear", "gamma", "table") or (light == "auto" and settings.get("foveation.method") == "smooth")
        own = light if light in ("gamma", "table") else given.transfer
        self.kind = "stored" if not is_light else own if given.transfer == "srgb" else given.transfer
        self.highest = (1 << given.bits) - 1
        self._is_premultiplied = settings.get("foveation.alpha") == "premultiplied"
        self._gamma = number("foveation.display.gamma") or 2.2
        self._system_gamma = _system_gamma(number("foveation.display.hlg_peak_cd_m2")) if self.kind == "hlg" else 1.0
        self._samples = np.zeros(2)
        if self.kind == "table":
            samples = np.array(json.loads(settings.get("foveation.display.table") or "[]"))
            self._samples = (samples - samples[0]) / (samples[-1] - samples[0])
        self._tables: dict[Any, _Tables] = {}

    def is_of_words(self, shape: _shape.Shape) -> bool:
        """Whether the library has pictures of these levels, as words of ten bits a colour."""
        has_words = shape.colours in (1, 3) if not shape.has_alpha else not self._is_premultiplied
        return self.highest == 1023 and has_words and shape.layout != "NHWF"

    def _made(self) -> _Tables:
        values = np.minimum(np.arange(65536) / self.highest, 1)
        light = _decoded(values, self.kind, self._gamma, self._samples).astype(np.float32)
        begins = (_FIRST_BITS + (np.arange(_OCTAVES * _STEPS + 2, dtype=np.int64) << _STEP_BITS)).astype(np.int32).view(np.float32)
        levels = (self.highest * _encoded(begins.astype(np.float64), self.kind, self._gamma)).astype(np.float32)
        return _Tables(light, levels, self._samples.astype(np.float32) if self.kind == "table" else None)

    def _tables_for(self, array: Array, view: _arrays.View) -> _Tables:
        key = (type(array), view.device, view.ordinal)
        if key not in self._tables:
            made = dataclasses.astuple(self._made())
            as_own = functools.partial(_as_own, array)
            self._tables[key] = _Tables(*(None if table is None else as_own(table) for table in made))
        return self._tables[key]

    def _ootf(self, light: Array, shape: _shape.Shape, exponent: float) -> None:
        """Multiplies the colours of each pixel by a power of their luminance, in place."""
        light = _last(light, shape)
        colours = [light[..., c] for c in range(min(shape.colours, 3))] if shape.colour is not None else [light]
        luminance = sum(w * c for w, c in zip(_LUMINANCE, colours)) if len(colours) == 3 else colours[0]
        # What is black stays so: 0 to a negative power would not.
        factor = luminance.clip(2.0**-126, None) ** exponent
        for colour in colours:
            colour *= factor

    def of(self, images: Array, view: _arrays.View, shape: _shape.Shape) -> Array:
        """Floats for the library, of images of levels; of the images' library."""
        tables = self._tables_for(images, view)
        found = tables.light[_numbers(images)]
        if self._system_gamma != 1:
            self._ootf(found, shape, self._system_gamma - 1)
        if shape.has_alpha:
            found[..., 3] = _as_floats(images[..., 3]) / self.highest
        return found

    def levels(self, seen: Array, given: Array, images: Array, view: _arrays.View, shape: _shape.Shape) -> Array:
        """The levels of such floats, made of `given`, which images became. Where nothing was blurred they are the images'."""
        is_same = seen == given
        tables, alpha = self._tables_for(seen, view), seen[..., 3] + 0 if shape.has_alpha else None
        if self._system_gamma != 1:
            seen = seen.clip(0, 2)
            self._ootf(seen, shape, 1 / self._system_gamma - 1)
        seen = seen.clip(0, 1)
        if tables.samples is not None:
            found = self.highest * _sampled(seen, tables.samples)
        elif self.kind == "stored":
            found = seen * self.highest
        else:
            place = (seen.view(_int32_of(seen)) - _FIRST_BITS).clip(0, None)
            entry = place >> _STEP_BITS
            part = _as_floats(place & ((1 << _STEP_BITS) - 1)) * (1.0 / (1 << _STEP_BITS))
            below = tables.levels[entry]
            found = below + part * (tables.levels[entry + 1] - below)
            found = found * (seen >= 2.0**-_OCTAVES)
        if alpha is not None:
            found[..., 3] = alpha.clip(0, 1) * self.highest
        return _where(is_same, images, _as_levels(found + 0.5))


# ---- Ten bits, which the library has as words of 32: three colours, and alpha, of which it keeps two


def words_of(images: Array, shape: _shape.Shape) -> Array:
    """Images of three colours, or of grey, as the library's words, in the layout NHW. Alpha is left out."""
    levels = _last(_as_int32(images), shape)
    if shape.colour is None:
        red = green = blue = levels
    else:
        red, green, blue = (levels[..., c] for c in (0, 1, 2)) if shape.colours > 1 else (levels[..., 0],) * 3
    words = red | green << 10 | blue << 20 | -(1 << 30)
    return words.view(sys.modules["torch"].uint32) if _arrays.is_torch(words) else words.view(np.uint32)


def write_words(words: Array, images: Array, out: Array, shape: _shape.Shape) -> None:
    """Writes what words of the library's hold, and the images' alpha."""
    words, to = words.view(_int32_of(words)), _last(out, shape)
    if shape.colour is None:
        to[...] = _as_levels(words & 1023)
        return
    for colour in range(min(shape.colours, 3)):
        to[..., colour] = _as_levels(words >> 10 * colour & 1023)
    if shape.has_alpha:
        to[..., 3] = images[..., 3]



def _sampled(light: Array, samples: Array) -> Array:
    """The lowest value that gives the light, of a display's samples."""
    module = sys.modules["torch"] if _arrays.is_torch(light) else sys.modules[type(light).__module__.partition(".")[0]]
    low = (module.searchsorted(samples, light) - 1).clip(0, len(samples) - 2)
    below = samples[low]
    step = samples[low + 1] - below
    part = ((light - below) / (step + (step == 0))).clip(0, 1) * (step > 0)
    return (low + part) / (len(samples) - 1)


def _last(array: Array, shape: _shape.Shape) -> Array:
    """The array with its colours last."""
    if shape.colour is None or shape.colour == len(shape.source.shape) - 1:
        return array
    return array.movedim(shape.colour, -1) if _arrays.is_torch(array) else np.moveaxis(array, shape.colour, -1)


def _as_own(array: Array, table: "np.ndarray[Any, Any]") -> Array:
    if _arrays.is_torch(array):
        return sys.modules["torch"].from_numpy(table).to(array.device)
    return table if isinstance(array, np.ndarray) else sys.modules["cupy"].asarray(table)


def _numbers(images: Array) -> Array:
    return images.to(sys.modules["torch"].int64) if _arrays.is_torch(images) else images


def _as_floats(images: Array) -> Array:
    return images.to(sys.modules["torch"].float32) if _arrays.is_torch(images) else images.astype(np.float32)


def _as_int32(images: Array) -> Array:
    return images.to(sys.modules["torch"].int32) if _arrays.is_torch(images) else images.astype(np.int32)


def _where(condition: Array, images: Array, levels: Array) -> Array:
    if _arrays.is_torch(levels):
        torch = sys.modules["torch"]
        # torch chooses among integers that it computes with.
        return torch.where(condition, images.to(torch.int32), levels.to(torch.int32)).to(torch.uint16)
    levels[condition] = images[condition]
    return levels


def _as_levels(values: Array) -> Array:
    # torch has no way from floats to uint16 on every device.
    if _arrays.is_torch(values):
        return values.to(sys.modules["torch"].int32).to(sys.modules["torch"].uint16)
    return values.astype(np.uint16)


def _int32_of(values: Array) -> Any:
    return sys.modules["torch"].int32 if _arrays.is_torch(values) else np.int32


def check_levels(images: Array, view: _arrays.View, highest: int) -> None:
    """ValueError: levels of images in the CPU's memory are above the highest."""
    if highest == 65535 or view.device != _arrays.CPU or 0 in view.shape:
        return
    found = int(_numbers(images).max())
    if found > highest:
        bits = highest.bit_length()
        raise ValueError(f"images have levels of {found}; with bits={bits} they are 0 to {highest}, in the lower bits")


def check_hlg(shape: _shape.Shape) -> None:
    """ValueError: HLG's light is of three colours together, or of grey."""
    if shape.layout == "NHWF" or shape.colours not in (1, 3) and not shape.has_alpha:
        raise ValueError(
            f"images of shape {shape.source.shape} as {shape.layout} with transfer=\"hlg\": its light is of red, green and blue together, or of grey"
        )


def settings_of(settings: _settings.Settings) -> tuple[_settings.Pairs, _given.Given]:
    """Those that foveate floats of light as exactly as the library can: as for PQ, beside whose white a millionth shows."""
    pairs = _settings.pairs_of_text(settings.text())
    return (*pairs, ("foveation.light", "linear")), dataclasses.replace(settings.given, transfer="pq", bits=16)
