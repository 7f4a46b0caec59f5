# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The transform for data sets, in workers of torch's loader and by itself."""

import pickle

import numpy as np
import pytest

import fovea
import fovea.data

MODEL = {"foveation.strength": 2}
RNG = np.random.default_rng(9)


def picture(*shape):
    return RNG.integers(0, 256, shape, dtype=np.uint8)


def test_images_of_every_kind_stay_what_they_are():
    image = pytest.importorskip("PIL.Image")
    pixels, foveate = picture(40, 56, 3), fovea.data.Foveate(MODEL, (0.2, 0.7))
    expected = fovea.foveate(pixels, (0.2, 0.7), config=MODEL)
    assert np.array_equal(foveate(pixels), expected)
    seen = foveate(image.fromarray(pixels))
    assert isinstance(seen, image.Image) and np.array_equal(np.asarray(seen), expected)
    grey = foveate(image.fromarray(pixels[..., 0]))
    assert grey.mode == "L" and np.array_equal(np.asarray(grey), fovea.foveate(pixels[..., 0], (0.2, 0.7), config=MODEL, layout="NHW"))
    with pytest.raises(ValueError, match="CMYK"):
        foveate(image.new("CMYK", (8, 8)))


def test_labels_and_other_entries_come_back():
    pixels, foveate = picture(24, 24, 3), fovea.data.Foveate(MODEL, "look", key="view")
    seen = foveate({"view": pixels, "look": [0.1, 0.9], "label": 5})
    assert seen["label"] == 5 and np.array_equal(seen["view"], fovea.foveate(pixels, (0.1, 0.9), config=MODEL))
    assert fovea.data.Foveate()(pixels, "cat")[1] == "cat"
    for sample, named in (({"view": pixels}, "look"), ({"image": pixels}, "view"), (pixels, "look")):
        with pytest.raises(KeyError, match=named):
            foveate(sample)


def test_a_policy_is_asked_for_each_image():
    foveate = fovea.data.Foveate(MODEL, fovea.gaze.RandomSaccades())
    batch = np.repeat(picture(1, 24, 24, 3), 4, axis=0)
    seen = pickle.loads(pickle.dumps(foveate))(batch)
    assert len({image.tobytes() for image in seen}) == 4 and len({foveate(batch[0]).tobytes() for _ in range(4)}) == 4


class Half:
    """A policy that cannot begin anew."""

    def reset(self, count, rng):
        return np.full((count, 2), 0.5, np.float32)

    def step(self, rng):
        return np.full((1, 2), 0.5, np.float32)


@pytest.mark.parametrize("gaze, kind, text", [
    (Half(), TypeError, r"no begin\(\)"), (fovea.gaze.RandomSaccades, TypeError, "is a class"), ((40, 40), ValueError, "looks like pixels"),
    (fovea.gaze.Blobs(), ValueError, "begins in the middle"),
])  # fmt: skip
def test_a_gaze_is_what_wrappers_take(gaze, kind, text):
    for make in (fovea.data.Foveate, fovea.ray.FoveateBatch):
        with pytest.raises(kind, match=text):
            make(MODEL, gaze=gaze)


class Pictures:
    """Module level, so that workers that are spawned find it. All images are one: gazes make them differ."""

    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 16

    def __getitem__(self, index):
        import torch

        image = torch.arange(3 * 32 * 40, dtype=torch.int64).mul_(7919).remainder_(256).to(torch.uint8).view(3, 32, 40)
        return self.transform(image, index)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_loader_foveate(method):
    torch = pytest.importorskip("torch")
    foveate = fovea.data.Foveate(MODEL, (0.3, 0.3))
    expected, _ = Pictures(foveate)[0]  # the parent has a context before it forks
    assert expected.shape == (3, 32, 40)
    loader = torch.utils.data.DataLoader(Pictures(foveate), batch_size=4, num_workers=2, multiprocessing_context=method)
    seen = list(loader)
    assert torch.equal(torch.cat([labels for _, labels in seen]), torch.arange(16))
    assert all(torch.equal(image, expected) for images, _ in seen for image in images)


def test_workers_draw_different_gazes_that_a_seed_repeats():
    torch = pytest.importorskip("torch")
    foveate = fovea.data.Foveate(MODEL, fovea.gaze.RandomSaccades())

    def epoch():
        torch.manual_seed(3)
        loader = torch.utils.data.DataLoader(Pictures(foveate), batch_size=8, num_workers=2, multiprocessing_context="fork")
        return torch.cat([images for images, _ in loader])

    first = epoch()
    assert len({image.numpy().tobytes() for image in first}) == 16 and torch.equal(first, epoch())


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_batch_after_transfer_is_foveated_where_it_lies(device):
    torch = pytest.importorskip("torch")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("torch sees no GPU")
    images, gazes = torch.from_numpy(picture(5, 3, 32, 32)).to(device), torch.rand((5, 2), device=device)
    seen = fovea.data.Foveate(MODEL, "gaze")({"image": images, "gaze": gazes})["image"]
    assert seen.device == images.device
    assert torch.equal(seen, fovea.foveate(images, gazes, config=MODEL, layout="NCHW"))


def test_subclasses_of_tensors_stay_what_they_are():
    torch = pytest.importorskip("torch")

    class Image(torch.Tensor):
        pass

    assert type(fovea.data.Foveate()(torch.zeros((3, 8, 8), dtype=torch.uint8).as_subclass(Image))) is Image


def test_tensors_that_may_be_nhwc_want_a_layout():
    torch = pytest.importorskip("torch")
    pixels = torch.from_numpy(picture(24, 32, 3))
    for images in (pixels, pixels[None], pixels[..., :1]):
        with pytest.raises(ValueError, match="say layout="):
            fovea.data.Foveate(MODEL)(images)
    seen = fovea.data.Foveate(MODEL, layout="NHWC")(pixels)
    assert np.array_equal(seen.numpy(), fovea.foveate(pixels.numpy(), config=MODEL))
    assert fovea.data.Foveate(MODEL)(torch.zeros((3, 24, 3))).shape == (3, 24, 3)
    assert fovea.data.Foveate(MODEL, layout="NCHW")(pixels).shape == pixels.shape
