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
    zero_m, one_m: the distance along the view axis where a value is 0, and where it is 1, in metres. As they stand, values are
        metres.
    perspective: 1 / distance is linear in the values, as in depth buffers of perspective projections, and not the distance: with
        near and far planes zero_m=near, one_m=far; of reversed z the other way round; one may be infinite.
    focus_m: the distance that is sharp; infinity too. 0: "dof.focus" says what is.
    elapsed_s: seconds since the call before, in which the focus of each image comes nearer to the depth under its gaze. 0: it is
        there at once, and at dof.focus_m where the depth under the gaze is unknown. A Foveator keeps what has been in focus from call
        to call.
    vergence_m: where both lines of sight cross, as a GazeSample says; infinity too. With "dof.focus" vergence it stands in for the depth
        under the gaze where that is unknown. 0: not known.

    The array is read on the stream of the images. NaN, and distances that are not above 0, are unknown: such pixels are as sharp as what is in focus.
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
        """Of a projection matrix for eyes that look along -z, whose depths are (scale z + offset) / -z: within 0 to 1."""
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
