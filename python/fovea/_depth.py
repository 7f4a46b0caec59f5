# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Pictures of depths, for the operator dof."""

import dataclasses
import math
from typing import Any

from . import _library, _numbers

FORMATS = {"uint16": 1, "uint32": 2, "float32": 3, "float16": 4}  # enum fovea_depth_format
_LINEAR, _PERSPECTIVE = 0, 1  # enum fovea_depth_kind


@dataclasses.dataclass
class Depth:
    """A distance for each pixel, for config={"operators": "dof"}.

    values: of shape (H, W) for all images or (N, H, W), where the images lie: float32 or float16; uint16, of which 65535 is 1
        (D16); or uint32, of whose lower 24 bits all set are 1 (D24S8).
    zero_m, one_m: the distances along the view axis, in metres, of the values 0 and 1. With the defaults, values are
        metres.
    perspective: True: 1 / distance is linear in the values, instead of the distance, as in depth buffers of perspective projections:
        zero_m=near, one_m=far for near and far planes; the other way round with reversed z; one may be infinite.
    focus_m: the distance in focus, possibly infinity. 0: "dof.focus" decides.
    elapsed_s: seconds since the previous call; in this time the focus of each image approaches the depth under its gaze. 0: it gets
        there at once, or to dof.focus_m if the depth under the gaze is unknown. A Foveator keeps the focus from call
        to call.
    vergence_m: the distance at which both lines of sight cross, as in a GazeSample, possibly infinity. With "dof.focus" vergence it
        replaces an unknown depth under the gaze. 0: not known.

    The array is read on the stream of the images. NaN, and distances that are not above 0, are unknown: such pixels count as in focus.
    """

    values: Any
    zero_m: float = 0.0
    one_m: float = 1.0
    perspective: bool = False
    focus_m: float = 0.0
    elapsed_s: float = 0.0
    vergence_m: float = 0.0

    @classmethod
    def of_projection(cls, values: Any, scale: float, offset: float, focus_m: float = 0.0, elapsed_s: float = 0.0) -> "Depth":
        """Makes a Depth from a projection matrix for eyes that look along -z, with depths (scale z + offset) / -z from 0 to 1."""
        scale, offset = _numbers.real_of("scale", scale), _numbers.real_of("offset", offset)
        zero_m = offset / scale if scale else math.inf
        one_m = offset / (scale + 1) if scale != -1 else math.inf
        return cls(values, zero_m, one_m, True, focus_m, elapsed_s)

    def struct(self, dtype: str, memory: int) -> _library.Depth:
        """The library's, without what depends on the array's shape and place."""
        return _library.Depth(
            format=FORMATS[dtype],
            memory=memory,
            kind=_PERSPECTIVE if self.perspective else _LINEAR,
            zero_m=self.zero_m,
            one_m=self.one_m,
            focus_m=self.focus_m,
            elapsed_s=self.elapsed_s,
            vergence_m=self.vergence_m,
        )
