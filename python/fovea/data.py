# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""A transform for data sets and loaders: each image is foveated around a gaze.

    dataset = torchvision.datasets.ImageFolder(root, transform=fovea.data.Foveate({"foveation.strength": 2}))
    loader = torch.utils.data.DataLoader(dataset, num_workers=8)          # in the workers, on the CPU
    foveate = fovea.data.Foveate(gaze=fovea.gaze.RandomSaccades())
    for images, labels in loader:
        images = foveate(images.to("cuda", non_blocking=True))            # or a batch at a time, on the GPU
"""

import os
import sys
from typing import Any, Optional

import numpy as np

from . import _arrays, _foveator, _shape
from . import gaze as policies

_PIL_MODES = ("L", "RGB", "RGBA")


def _layout_of(image: Any) -> str:
    if not _arrays.is_torch(image):
        return "NHWC"
    shape = tuple(image.shape)
    if len(shape) > 2 and shape[-1] in _shape.PIXELS and shape[-3] not in _shape.PIXELS:
        raise ValueError(f"a tensor of shape {shape} may be NHWC, or NCHW with {shape[-3]} planes: say layout=")
    return "NCHW"


class Foveate:
    """Foveates an image, a batch of images, or those of a sample that is a dict.

    config: as fovea.Foveator takes it, or one.
    gaze: (x, y) in uv for all images (None: the middle); a policy as in fovea.gaze, which begins an episode with each image (so not
        Blobs, which begins in the middle); or the name of the entry of dict samples that holds the gaze, (x, y), for batches (N, 2).
    key: the entry of dict samples that is the image.
    layout: None: "NCHW" for torch tensors, as torchvision has them, else "NHWC"; without colours "NHW".
        A tensor of shape (H, W, 3) is a ValueError without it.

    Called with an image (torch tensor, NumPy array, PIL image of mode L, RGB or RGBA; anything that fovea.foveate
    takes) it returns one of that kind on the same device. Further arguments, such as labels, come back beside it.
    Objects can be pickled. Workers of a loader, forked or spawned, open their own contexts; forked workers can use only the CPU
    if their parent has used CUDA. Random gazes come from torch's generator where torch is
    imported, so that torch.manual_seed repeats them and workers differ.
    """

    def __init__(self, config: Any = None, gaze: Any = (0.5, 0.5), *, key: str = "image", layout: Optional[str] = None) -> None:
        self.foveator = _foveator.as_foveator(config)
        self.gaze = gaze if isinstance(gaze, str) else policies.place_or_policy(gaze)
        self.key, self.layout = key, layout
        self._rng: Optional[np.random.Generator] = None
        self._process = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rng": None}

    def __repr__(self) -> str:
        return f"Foveate({self.foveator!r}, gaze={self.gaze!r})"

    def __call__(self, sample: Any, *others: Any) -> Any:
        if isinstance(sample, dict):
            if self.key not in sample:
                raise KeyError(f"a sample with {', '.join(map(repr, sample))} has no image {self.key!r}")
            seen = {**sample, self.key: self._foveate(sample[self.key], sample)}
        else:
            seen = self._foveate(sample, None)
        return (seen, *others) if others else seen

    def _foveate(self, image: Any, sample: Optional[dict[Any, Any]]) -> Any:
        mode = getattr(image, "mode", None)
        if mode is not None and hasattr(image, "getbands"):
            if mode not in _PIL_MODES:
                raise ValueError(f"a PIL image of mode {mode}: convert it to one of {', '.join(_PIL_MODES)}")
            from PIL import Image

            return Image.fromarray(self._foveate_array(np.asarray(image), sample))
        return self._foveate_array(image, sample)

    def _foveate_array(self, image: Any, sample: Optional[dict[Any, Any]]) -> Any:
        layout = self.layout or _layout_of(image)
        if len(image.shape) == 2:
            layout = "NHW"
        seen = self.foveator(image, self._gazes(image.shape[: len(image.shape) - len(layout) + 1], sample), layout=layout)
        # Subclasses of tensors, such as torchvision's images, stay what they are.
        return seen.as_subclass(type(image)) if _arrays.is_torch(image) else seen

    def _gazes(self, lead: tuple[int, ...], sample: Optional[dict[Any, Any]]) -> Any:
        if isinstance(self.gaze, str):
            if sample is None or self.gaze not in sample:
                raise KeyError(f"the gaze is in an entry {self.gaze!r} of the sample, which has none")
            return sample[self.gaze]
        if hasattr(self.gaze, "reset"):
            return self.gaze.reset(int(np.prod(lead)), self._generator()).reshape(*lead, 2)
        return self.gaze

    def _generator(self) -> np.random.Generator:
        torch = sys.modules.get("torch")
        if torch is not None:
            return np.random.default_rng(int(torch.randint(2**62, ())))
        if self._rng is None or self._process != os.getpid():
            self._rng, self._process = np.random.default_rng(), os.getpid()
        return self._rng
