# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""fovea.blobs: what it takes, what comes back."""

import concurrent.futures
import os
import pickle

import numpy as np
import pytest

import fovea
from fovea import _library


def disc(x, y, radius, dtype=np.uint8):
    rows, columns = np.mgrid[:90, :120]
    inside = (columns - x) ** 2 + (rows - y) ** 2 < radius**2
    levels = np.where(inside[..., None], (210, 60, 40), (80, 90, 100))
    return levels.astype(np.uint8) if dtype == np.uint8 else (levels / 255).astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32])
@pytest.mark.parametrize("channels", [3, 4, 1, None])
def test_a_disc_is_found_in_every_type(dtype, channels):
    images = disc(40, 50, 12, dtype)
    if channels == 4:
        images = np.concatenate([images, images[..., :1]], axis=2)
    elif channels != 3:
        images = images[..., :1] if channels else images[..., 0]
    first = fovea.blobs(images)[0]
    assert (first["x_px"], first["y_px"]) == pytest.approx((40, 50), abs=0.5)
    assert first["sigma_px"] == pytest.approx(12 / 2**0.5, rel=0.1)


def test_batches_are_lists_of_what_single_images_have():
    images = np.stack([disc(30, 40, 8), disc(70, 30, 15), np.zeros((90, 120, 3), np.uint8)])
    found = fovea.blobs(images, max_count=5, threshold=0)
    assert [len(blobs) for blobs in found][2] == 0
    for image, blobs in zip(images, found):
        assert (blobs == fovea.blobs(image, max_count=5, threshold=0)).all()
        assert len(blobs) <= 5 and (np.diff(blobs["strength"]) <= 0).all()
    turned = np.ascontiguousarray(images.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)  # with gaps
    assert all((a == b).all() for a, b in zip(fovea.blobs(turned, max_count=5, threshold=0), found))


@pytest.mark.parametrize(
    "images, wishes, error, words",
    [
        (np.zeros((4, 4, 2), np.uint8), {}, ValueError, "2 channels"),
        (np.zeros((4, 4), np.float64), {}, ValueError, "float64"),
        (np.zeros(4, np.uint8), {}, ValueError, "shape"),
        (np.zeros((0, 4), np.uint8), {}, ValueError, "nothing"),
        (np.zeros((4, 4), np.uint8), {"max_count": 0}, ValueError, "max_count"),
        (np.zeros((4, 4), np.uint8), {"max_count": 2**32}, ValueError, "max_count"),
        (np.zeros((4, 4), np.uint8), {"threads": -1}, ValueError, "threads"),
        (np.zeros((4, 4), np.uint8), {"scales": 2}, ValueError, "scale_count"),
        (np.zeros((4, 4), np.uint8), {"sigma_min_px": 0.5}, ValueError, "sigma_min_px"),
        (np.zeros((4, 4), np.uint8), {"threshold": 3.5}, ValueError, "threshold"),
        (np.zeros((4, 4), np.uint8), {"threshold": float("nan")}, ValueError, "threshold"),
        ("picture.png", {}, TypeError, ""),
        (np.zeros((4, 4), np.uint16), {}, ValueError, "uint8, float16 or float32"),
        (np.ma.array(np.zeros((4, 4), np.uint8), mask=True), {}, TypeError, "images is a masked array"),
    ],
)
def test_what_is_wrong_is_said(images, wishes, error, words):
    with pytest.raises(error, match=words):
        fovea.blobs(images, **wishes)


def test_a_finder_finds_the_same_whatever_it_found_before():
    pictures = [disc(30, 40, 8), disc(70, 30, 15)[:70], disc(40, 50, 12, np.float32)[..., :1], disc(30, 40, 8)]
    with fovea.BlobFinder(max_count=5, threshold=0) as finder:
        for picture in pictures:
            assert (finder(picture) == fovea.blobs(picture, max_count=5, threshold=0)).all()
        with pytest.raises(ValueError, match="shape"):
            finder(np.zeros(4, np.uint8))
        again = pickle.loads(pickle.dumps(finder))
        finder.close()
        assert (finder(pictures[0]) == again(pictures[0])).all()
    with pytest.raises(ValueError, match="scale_count"):
        fovea.BlobFinder(scales=2)(pictures[0])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_of_fork_begins_anew_in_all_of_its_threads():
    picture = disc(30, 40, 8)
    finder = fovea.BlobFinder(max_count=5)
    expected = finder(picture)

    def same(_):
        return bool((finder(picture) == expected).all())

    child = os.fork()
    if child == 0:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            os._exit(0 if all(pool.map(same, range(8))) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert same(0)


def test_a_call_inside_of_a_call_is_refused_and_so_is_cuda_after_fork():
    picture, finder = disc(30, 40, 8), fovea.BlobFinder(max_count=5)
    expected = finder(picture)
    with finder._kept.held("cpu", 0), pytest.raises(fovea.FoveaError, match="inside of it"):
        finder(picture)
    assert (finder(picture) == expected).all()
    finder._kept._of[os.getpid() + 1, "cuda", 0] = finder._kept._get("cpu", 0)
    with pytest.raises(fovea.FoveaError, match="spawn"), finder._kept.held("cuda", 0):
        pass


def test_a_call_that_fails_closes_what_it_used_alone_and_says_why(monkeypatch):
    picture, finder = disc(30, 40, 8), fovea.BlobFinder(max_count=5)
    expected = finder(picture)
    used = finder._kept._get("cpu", 0)
    with finder._kept.held("cpu", 1) as other:  # which stands for another device's
        with monkeypatch.context() as failing:
            failing.setattr(_library.library(), "fovea_blobs_run", lambda *_: _library.DEVICE_LOST)
            with pytest.raises(fovea.DeviceLostError):
                finder(picture)
        assert other.pointer and not used._state.pointer
        with pytest.raises(ValueError, match="shape"):  # which is said before anything is used
            finder(np.zeros(4, np.uint8))
        assert (finder(picture) == expected).all()
        again = finder._kept._get("cpu", 0)
        with finder._kept.held("cpu", 0), pytest.raises(fovea.FoveaError, match="inside of it"):
            finder(picture)
        assert again._state.pointer
