# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Whole numbers of any length, where anything takes a number: a ValueError names what it was given for."""

import re

import numpy as np
import pytest

import fovea
from fovea import _gazes, _numbers, gaze

IMAGE = np.zeros((16, 16, 3), np.uint8)
PLANE = np.ones((16, 16), np.float32)
RAW = np.zeros((50, 60), np.uint8)
ARRAY = {"raw": (60, 50), "lenses": (12, 10), "pitch": (5.0, 5.0)}


def pushed(*place, **more):
    with fovea.Gaze("mouse") as source:
        source.push(*place, **more)


def read(**more):
    with fovea.Gaze() as source:
        source.read(**more)


def recorded(folder, **more):
    with fovea.Record(folder / "a") as record:
        record.add((0.5, 0.5), (9, 9), **more)


def deep(**more):
    fovea.foveate(IMAGE, config={"operators": "dof"}, depth=fovea.Depth(PLANE, **more))


def moved(mode, action):
    eye = _gazes.Eye(mode)
    eye.reset(1, np.random.default_rng(3))
    eye.move(eye.checked(action))


TAKES = {
    "x": lambda n, _: pushed(n, 0),
    "y": lambda n, _: pushed(0, n),
    "confidence": lambda n, _: pushed(0, 0, confidence=n),
    "t_ns": lambda n, _: pushed(0, 0, t_ns=n),
    "t_ns is": lambda n, _: read(t_ns=n),
    "size_px": lambda n, _: read(size_px=(n, 9)),
    "took_s": lambda n, folder: recorded(folder, took_s=n),
    "refresh_s": lambda n, folder: recorded(folder, refresh_s=n),
    "refused": lambda n, folder: recorded(folder, refused=n),
    "gaze": lambda n, folder: fovea.Record(folder / "a").add((n, 0), (9, 9)),
    "gaze is": lambda n, _: gaze.Fixed((n, 0)),
    "start_uv": lambda n, _: _gazes.Eye(start_uv=(n, 0)),
    "max_step_uv": lambda n, _: _gazes.Eye(max_step_uv=n),
    "velocity_gain": lambda n, _: _gazes.Eye(velocity_gain=n),
    "grid": lambda n, _: _gazes.Eye("grid", grid=(abs(n), 2)),
    "sensory_action": lambda n, _: moved("absolute", (n, 0)),
    "sensory_action is": lambda n, _: moved("grid", (0, n)),
    "fixation_steps": lambda n, _: gaze.RandomSaccades(n),
    "fixation_steps is": lambda n, _: gaze.Blobs(n),
    "margin_uv": lambda n, _: gaze.RandomSaccades(margin_uv=n),
    "kept": lambda n, _: gaze.Blobs(kept=n),
    "near_uv": lambda n, _: gaze.Blobs(near_uv=n),
    "step_ms": lambda n, _: gaze.Generator(n),
    "size_px is": lambda n, _: gaze.Generator(size_px=(n, 3)),
    "gaze is x and y|gaze is not finite": lambda n, _: fovea.foveate(IMAGE, (n, 0)),
    "shape": lambda n, _: fovea.Foveator().sigma_map((n, 9)),
    "cycles_per_deg": lambda n, _: fovea.Foveator().gain_map((9, 9), n),
    "direction_deg": lambda n, _: fovea.Foveator().gain_map((9, 9), 1, n),
    "zero_m": lambda n, _: deep(zero_m=n),
    "one_m": lambda n, _: deep(one_m=n),
    "focus_m": lambda n, _: deep(focus_m=n),
    "elapsed_s": lambda n, _: deep(elapsed_s=n),
    "vergence_m": lambda n, _: deep(vergence_m=n),
    "scale": lambda n, _: fovea.Depth.of_projection(PLANE, n, 1),
    "offset": lambda n, _: fovea.Depth.of_projection(PLANE, 1, n),
    "max_count": lambda n, _: fovea.blobs(IMAGE, max_count=n),
    "threshold": lambda n, _: fovea.blobs(IMAGE, threshold=abs(n)),
    "sigma_min_px": lambda n, _: fovea.blobs(IMAGE, sigma_min_px=n),
    "overlap": lambda n, _: fovea.blobs(IMAGE, overlap=n),
    "raw_width_px": lambda n, _: fovea.LightField(**{**ARRAY, "raw": (n, 50)}),
    "columns": lambda n, _: fovea.LightField(**{**ARRAY, "lenses": (n, 10)}),
    "pitch": lambda n, _: fovea.LightField(**{**ARRAY, "pitch": (n, 5)}),
    "origin_x_px": lambda n, _: fovea.LightField(**ARRAY, origin=(n, 2)),
    "rotation_deg": lambda n, _: fovea.LightField(**ARRAY, rotation=n),
    "focal_length_m": lambda n, _: fovea.LightField(**ARRAY, optics=(n, 1, 1)),
    "cpu_threads": lambda n, _: fovea.LightField(**ARRAY, threads=n),
    "maximum": lambda n, _: fovea.LightField(**ARRAY, maximum=n).render(RAW, 3),
    "pitch_px": lambda n, _: fovea.LightField.calibrate(RAW, pitch=n),
    "black": lambda n, _: fovea.LightField(**ARRAY, white=RAW, black=n),
    "patch": lambda n, _: fovea.LightField(**ARRAY).diopters(n),
    "diopters": lambda n, _: fovea.LightField(**ARRAY).patch(n),
    "patch_px": lambda n, _: fovea.LightField(**ARRAY).render(RAW, n),
    "sigma_px": lambda n, _: fovea.LightField(**ARRAY).render(RAW, 3, sigma=n),
    "view_x_px": lambda n, _: fovea.LightField(**ARRAY).render(RAW, 3, view=(n, 0)),
    "size": lambda n, _: fovea.LightField(**ARRAY).render(RAW, 3, size=(n, 9)),
    "first": lambda n, _: fovea.LightField(**ARRAY).depth(RAW, n, 5),
    "step_px": lambda n, _: fovea.LightField(**ARRAY).depth(RAW, 3, 4, step=n),
    "full_px": lambda n, _: fovea.LightField(**ARRAY).render(RAW, 3, gaze=(0, 0), rings=(n, n)),
    "last": lambda n, _: fovea.LightField(**ARRAY).refocus(RAW, (0.5, 0.5), 3, n),
    "window_px": lambda n, _: fovea.LightField(**ARRAY).refocus(RAW, (0.5, 0.5), 3, 4, window=n),
    "size is": lambda n, _: fovea.LightField(**ARRAY).rings(None, 3, 4, size=(n, 9)),
    "first is": lambda n, _: fovea.LightField(**ARRAY).rings(None, n, 4, size=(9, 9)),
    "radius_px": lambda n, _: fovea.LightField(**ARRAY).sum_views(RAW, 0, n),
}  # fmt: skip


@pytest.mark.parametrize("number", [10**400, -(10**400), 10**5000], ids=["long", "negative", "longer than Python writes"])
@pytest.mark.parametrize("name", TAKES)
def test_whole_numbers_beyond_floats_are_refused_by_name(name, number, tmp_path):
    with pytest.raises(ValueError, match=name):
        TAKES[name](number, tmp_path)


def test_what_is_no_number_is_named_too():
    for call, name in ((lambda: pushed("left", 0), "x is 'left'"), (lambda: deep(focus_m=None), "focus_m is None"), (lambda: fovea.blobs(IMAGE, overlap=1j), "overlap")):
        with pytest.raises(TypeError, match=name):
            call()


def test_two_whole_numbers_are_anybodys_and_refused_where_they_are_not():
    assert _numbers.whole_pair("size", np.array([4, 3.0]), "width and height", 9) == (4, 3)
    for pair, words in (((4, 3, 2), "(4, 3, 2)"), ((4, 2.5), "(4, 2.5)"), (("4", 3), "('4', 3)"), ([0, 3], "[0, 3]"), (5, "5"), (None, "None"), (IMAGE, "an array of shape (16, 16, 3)")):
        with pytest.raises(ValueError, match=re.escape(f"size is {words}; it must be width and height, 1 to 9 each")):
            _numbers.whole_pair("size", pair, "width and height", 9)
