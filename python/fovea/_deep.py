# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Levels of nine to fifteen bits in uint16. The library's are of sixteen: those of fewer become the nearest of these, and come back as they were."""

import sys
from typing import Any

import numpy as np

from . import _arrays, _shape

Array = Any  # NumPy's, torch's or CuPy's

_HIGHEST = 65535


def _scaled(levels: Array, highest: int, other: int) -> Array:
    """The nearest levels of another depth. Products of two depths, of which one has fifteen bits at most, are below 2^31."""
    if _arrays.is_torch(levels):
        torch = sys.modules["torch"]
        return ((levels.to(torch.int32) * other + highest // 2) // highest).to(torch.uint16)
    return ((levels.astype(np.uint32) * np.uint32(other) + np.uint32(highest // 2)) // np.uint32(highest)).astype(np.uint16)


def widened(levels: Array, highest: int) -> Array:
    """Levels of 0 to `highest` as those of sixteen bits; higher ones, which nobody has looked for on a device, as the highest."""
    if _arrays.is_torch(levels):
        levels = levels.to(sys.modules["torch"].int32)
    return _scaled(levels.clip(0, highest), highest, _HIGHEST)


def narrowed(levels: Array, highest: int) -> Array:
    """The way back."""
    return _scaled(levels, _HIGHEST, highest)


def check_levels(images: Array, view: _arrays.View, highest: int) -> None:
    """ValueError: levels of images in the CPU's memory are above the highest."""
    if view.device != _arrays.CPU or 0 in view.shape:
        return
    found = int((images.to(sys.modules["torch"].int32) if _arrays.is_torch(images) else images).max())
    if found > highest:
        bits = highest.bit_length()
        raise ValueError(f"images have levels of {found}; with bits={bits} they are 0 to {highest}, in the lower bits")


def check_hlg(shape: _shape.Shape) -> None:
    """ValueError: HLG's light is of three colours together, or of grey."""
    if shape.layout == "NHWF" or shape.colours not in (1, 3) and not shape.has_alpha:
        raise ValueError(
            f"images of shape {shape.source.shape} as {shape.layout} with transfer=\"hlg\": its light is of red, green and blue together, or of grey"
        )
