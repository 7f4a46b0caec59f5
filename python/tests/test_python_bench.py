# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The peers of the benchmark do what they are compared for."""

import sys

import numpy as np
import pytest
from places import PACKAGE

import fovea
from fovea import _bench_gpus, bench

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


def wanted_of_gpus(rows):
    for row in rows:
        assert row["images"] == "2 x 24x16x3" and row["images_a_second"] > 0 and row["of_one"] > 0
    return [(row["way"], row["gpus"]) for row in rows]


@pytest.mark.slow
def test_several_devices_are_measured_by_threads_and_by_processes(monkeypatch):
    """The CPU stands in for two GPUs."""
    pytest.importorskip("torch")
    monkeypatch.setattr(_bench_gpus, "_ray_rows", lambda batches: ())
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE))
    rows = list(_bench_gpus.rows(["cpu", "cpu"], 2, [(16, 24)], seconds=0.05))
    assert wanted_of_gpus(rows) == [("threads", 1), ("threads", 2), ("processes", 1), ("processes", 2)]
    assert rows[0]["of_one"] == 1 and "of_one" in bench.table(rows)


@pytest.mark.slow
def test_several_devices_are_measured_through_ray(monkeypatch):
    pytest.importorskip("torch")
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("PYTHONPATH", str(PACKAGE))
    rows = list(_bench_gpus._ray_rows([[("cpu", 2, (16, 24), 0.05)] * 2]))
    assert wanted_of_gpus(rows) == [("ray", 1), ("ray", 2)]


@pytest.mark.slow
def test_a_device_that_fails_is_said_and_nobody_waits_for_it():
    pytest.importorskip("torch")
    jobs = [("cpu", 2, (16, 24), 0.05), ("cpu", 2, (0, -1), 0.05)]
    for of in (_bench_gpus.of_threads, _bench_gpus.of_processes):
        with pytest.raises(RuntimeError, match="negative"):
            of(jobs)


@pytest.mark.parametrize(
    "words, seen, text",
    [
        (["--gpus"], 0, "sees none"),
        (["--gpus", "3"], 2, "--gpus 3: PyTorch sees 2"),
        (["--gpus", "0"], 2, "--gpus 0: PyTorch sees 2"),
        (["--gpus", "--device", "cpu"], 2, "--device cpu"),
        (["--gpus", "--count", "0"], 2, "--count 0"),
    ],
)
def test_gpus_that_are_not_there_are_an_error_of_the_command(monkeypatch, capsys, words, seen, text):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: seen > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: seen)
    with pytest.raises(SystemExit) as ended:
        bench.main(words)
    assert ended.value.code == 2 and text in capsys.readouterr().err


def test_the_gpus_of_a_machine_are_all_of_them(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert _bench_gpus.devices_of(None) == ["cuda:0", "cuda:1"] and _bench_gpus.devices_of(1) == ["cuda:0"]


def test_gpus_without_torch_are_an_error_of_the_command(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SystemExit):
        bench.main(["--gpus"])
    assert "PyTorch, which is not installed" in capsys.readouterr().err
