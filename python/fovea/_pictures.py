# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Pictures for people: the full view with the gaze and where it was, beside what an agent sees."""

import collections
from typing import Any, Iterable, Sequence

import numpy as np

Array = Any
TRAIL = 16  # fixations that are shown


def host(array: Array) -> Array:
    """An array in the CPU's memory."""
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


class Trail:
    """Where agents looked, for as long as it is shown."""

    def __init__(self) -> None:
        self._steps: collections.deque[tuple[Array, Array]] = collections.deque(maxlen=TRAIL)

    def add(self, gazes: Array, begins: Array) -> None:
        """A step's gazes, and which of them begin an episode; None: none."""
        self._steps.append((gazes, begins))

    def of(self, index: int) -> list[tuple[float, float]]:
        """An agent's in its episode, the newest first."""
        found = []
        for gazes, begins in reversed(self._steps):
            x, y = host(gazes[index])
            found.append((float(x), float(y)))
            if begins is not None and begins[index]:
                break
        return found


def beside(frame: Array, trail: Iterable[tuple[float, float]], seen: Sequence[tuple[Array, str]]) -> Array:
    """frame: the full view, (rows, columns, colours). trail: gazes in uv, the newest first. seen: (image, layout)."""
    view = host(frame)
    if view.ndim != 3:
        return frame
    left = view[..., :3].copy()
    _draw_trail(left, trail)
    return np.concatenate([left] + [_scaled(_as_rgb(host(image), layout), len(left)) for image, layout in seen], axis=1)


def _as_rgb(image: Array, layout: str) -> Array:
    if layout == "NCHW":
        image = np.moveaxis(image, 0, -1)
    if layout == "NHWF":
        image = image[..., -1:]  # the newest frame
    if image.ndim == 2:
        image = image[..., None]
    if image.dtype != np.uint8:
        image = (np.clip(image.astype(np.float32), 0, 1) * 255 + 0.5).astype(np.uint8)
    colours = image.shape[-1]
    return image[..., :3] if colours in (3, 4) else np.repeat(image[..., -1:], 3, -1)


def _scaled(image: Array, height: int) -> Array:
    width = max(1, round(image.shape[1] * height / image.shape[0]))
    rows = np.arange(height) * image.shape[0] // height
    columns = np.arange(width) * image.shape[1] // width
    return image[rows][:, columns]


def _draw_trail(picture: Array, trail: Iterable[tuple[float, float]]) -> None:
    height, width = picture.shape[:2]
    radius = max(1, min(height, width) // 64)
    for age, (x, y) in enumerate(trail):
        if not (0 <= x <= 1 and 0 <= y <= 1):
            continue
        column, row = min(int(x * width), width - 1), min(int(y * height), height - 1)
        size = radius * (3 if age == 0 else 1)
        place = picture[max(row - size, 0) : row + size + 1, max(column - size, 0) : column + size + 1]
        place[...] = (255, 255 if age == 0 else 96, 0)
        if age == 0:
            inner = size - radius
            picture[max(row - inner, 0) : row + inner + 1, max(column - inner, 0) : column + inner + 1] = (0, 0, 0)
