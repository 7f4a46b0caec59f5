# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The peers of the benchmark do what they are compared for."""

import numpy as np
import pytest

import fovea
from fovea import bench

RNG = np.random.default_rng(12)


@pytest.mark.parametrize("once", [False, True])
def test_svis_is_sharp_at_the_gaze_and_blurred_elsewhere(once):
    pytest.importorskip("cv2")
    images = RNG.integers(0, 256, (1, 96, 128, 3), dtype=np.uint8)
    gazes = np.array([[0.25, 0.5]], np.float32)
    svis = bench.Svis(96, 128, once)
    assert np.allclose(svis._weights_around(gazes[0]).sum(0), 1, atol=1e-5)
    seen = svis(images, gazes)
    assert np.abs(seen[0, 48, 32].astype(int) - images[0, 48, 32]).max() <= 3
    assert seen[0, :, 96:].std() < 0.5 * images[0, :, 96:].std()
    flat = np.full_like(images, 77)
    assert np.array_equal(svis(flat, gazes), flat)


def test_both_ways_of_svis_are_one():
    pytest.importorskip("cv2")
    images, gazes = RNG.integers(0, 256, (3, 40, 56, 3), dtype=np.uint8), RNG.random((3, 2), np.float32)
    assert np.array_equal(bench.Svis(40, 56)(images, gazes), bench.Svis(40, 56, True)(images, gazes))


def test_times_of_a_gpu_become_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    keys = ("copy_us", "nhwc_us", "strided_us", "nchw_us", "peer_us")
    rows = [{"device": "a GPU", "images": f"8 x {n}x{n}x3", **{key: float(n) for key in keys}} for n in (64, 84)]
    bench.plot(rows, str(tmp_path / "times.png"))
    assert (tmp_path / "times.png").stat().st_size > 1000
    with pytest.raises(ValueError, match="no times of a GPU"):
        bench.plot([{"device": "a CPU", "nhwc_us": 1.0}], str(tmp_path / "none.png"))


def test_what_python_takes_of_a_call_is_told_without_the_library(capsys):
    pytest.importorskip("torch")
    bench.main(["--calls", "--device", "cpu"])
    said = capsys.readouterr().out
    assert "| NumPy |" in said and "| torch cpu |" in said and "python_us" in said
    (row,) = bench.call_rows("cpu", None)
    assert all(0.1 < value < 1000 for key, value in row.items() if key.endswith("_us"))
    images = RNG.integers(0, 256, (1, 32, 32, 3), dtype=np.uint8)
    assert fovea.foveate(images, (0, 0)).std() < images.std()  # the library is there again
