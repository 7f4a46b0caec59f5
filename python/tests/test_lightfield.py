# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""fovea.LightField: what it takes, what comes back."""

import concurrent.futures
import copy
import gc
import multiprocessing
import os
import pickle
import sys
import threading
import time

import numpy as np
import pytest

import fovea

LENSES, PITCH, PATCH = (12, 10), 25, 5
ARRAY = {"raw": (300, 250), "lenses": LENSES, "pitch": (25.0, 25.0)}


def plane(dtype=np.uint8, channels=3):
    """A raw picture of a texture at the patch size 5, and the texture."""
    texture = np.random.default_rng(1).integers(0, 256, (100, 120, channels)).astype(dtype)
    places = np.arange(300)
    across = (places // PITCH * PATCH + 2 + places % PITCH - 12) % 120
    down = (places[:250] // PITCH * PATCH + 2 + places[:250] % PITCH - 12) % 100
    return texture[down[:, None], across[None]], texture[:50, :60]


def test_a_plane_is_exact_and_its_depth_is_known():
    field = fovea.LightField(**ARRAY)
    raw, texture = plane()
    inner = (slice(12, -12), slice(12, -12))
    assert (field.render(raw, PATCH)[inner] == texture[inner]).all()
    depths, sure = field.depth(raw, 3, 8, size=(60, 50))
    assert (depths[inner] == PATCH).all()
    assert (sure[inner] > 0.9).all()
    assert (field.render(raw, depths)[inner] == texture[inner]).all()
    assert abs(field.render(raw, 8, size=(60, 50)).astype(int)[inner] - texture[inner]).mean() > 20
    seen, focus = field.refocus(raw, (0.5, 0.5), 3, 8, size=(60, 50), rings=(20, 30))
    assert focus == PATCH
    assert (seen[inner] == texture[inner]).all()
    assert field.refocus(raw, None, 4, 9, size=(60, 50), elapsed=0.1)[1] == PATCH
    assert field.refocus(raw, None, 6, 9, size=(60, 50), elapsed=0.1)[1] == 6
    assert (field.render(raw, PATCH, gaze=(0.3, 0.5), rings=(9, 20))[inner] == texture[inner]).all()
    assert (field.depth(raw, 3, 8, size=(60, 50), gaze=(0.3, 0.5), ring=20)[0][inner] == PATCH).all()
    assert (field.sum_views(raw) == texture[2::5, 2::5]).all()
    field.close()
    with pytest.raises(fovea.FoveaError, match="closed"):
        field.render(raw, PATCH)


def test_types_and_files(tmp_path):
    file = tmp_path / "array.json"
    file.write_text('{"fovea-lightfield": 1, "raw": [300, 250], "lenses": [12, 10], "pitch": [25, 25]}')
    field = fovea.LightField(file, maximum=1020)
    raw, texture = plane(np.uint16, 1)
    made = field.render(raw[..., 0] * 4, PATCH)
    assert made.dtype == np.float32 and made.shape == (50, 60)
    assert made[12:-12, 12:-12] == pytest.approx(texture[12:-12, 12:-12, 0] / 255, abs=1e-5)
    grey = plane(np.uint8, 1)[0][..., 0]
    assert fovea.LightField(file, bayer="RGGB").render(grey, PATCH).shape == (50, 60, 3)


def test_threads_and_children_of_fork_wait_for_no_one_who_is_gone():
    field = fovea.LightField(**ARRAY, threads=2, white=white_picture(), black=10)
    raw, starting, done = plane(channels=1)[0][..., 0], threading.Barrier(4), threading.Event()

    def pictures():
        return field.render(raw, PATCH).tobytes(), field.divide(raw).tobytes()

    def start_and_render(_=None):
        starting.wait(20)
        return pictures() == wanted

    def render_until_done():
        while not done.is_set():
            if pictures() != wanted:
                return "a picture differs"
        return None

    def be_child():
        sys.setswitchinterval(1e-6)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            is_right = all(pool.map(start_and_render, range(4)))
            list(pool.map(lambda _: field.close(), range(4)))  # its threads are called what its parent's are
        os._exit(0 if is_right else 1)

    wanted = pictures()
    assert wanted[1] != raw.tobytes()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        try:
            busy = [pool.submit(render_until_done) for _ in range(3)]
            for _ in range(12):
                assert exit_code_of_child(be_child) == 0
        finally:
            done.set()
        assert [one.result() for one in busy] == [None] * 3
        done.clear()
        busy = [pool.submit(render_until_done) for _ in range(3)]
        field.close()
        concurrent.futures.wait(busy, 20)
        done.set()
        assert all(isinstance(one.exception(), fovea.FoveaError) and "is closed" in str(one.exception()) for one in busy)


def exit_code_of_child(function):
    child = multiprocessing.get_context("fork").Process(target=function, daemon=True)
    child.start()
    try:
        child.join(20)
        return child.exitcode
    finally:
        child.kill()
        child.join()


def test_divide_gives_no_raw_picture_where_another_thread_closes():
    raw, white, latest = plane(channels=1)[0][..., 0], white_picture(), time.monotonic() + 60

    def divide_until_closed(field, wanted):
        with pytest.raises(fovea.FoveaError, match="is closed"):
            while time.monotonic() < latest:
                assert field.divide(raw).tobytes() == wanted

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for _ in range(20):
            field = fovea.LightField(**ARRAY, threads=2, white=white, black=10)
            wanted = field.divide(raw).tobytes()
            busy = [pool.submit(divide_until_closed, field, wanted) for _ in range(3)]
            field.close()
            for one in busy:
                one.result()


def test_a_child_closes_for_itself_alone_and_what_is_closed_stays_so():
    field, raw = fovea.LightField(**ARRAY), plane()[0]
    wanted = field.render(raw, PATCH)

    def close_and_render():
        field.close()
        field.close()
        for call in (lambda: field.render(raw, PATCH), lambda: field.divide(raw)):
            with pytest.raises(fovea.FoveaError, match="is closed"):
                call()
        os._exit(7)

    assert exit_code_of_child(close_and_render) == 7
    assert (field.render(raw, PATCH) == wanted).all()
    field.close()

    def render():
        with pytest.raises(fovea.FoveaError, match="is closed"):
            field.render(raw, PATCH)
        os._exit(7)

    assert exit_code_of_child(render) == 7


def test_a_call_inside_of_a_call_is_refused_and_so_is_cuda_after_fork():
    field, raw = fovea.LightField(**ARRAY), plane()[0]
    with field._kept.held("cpu", 0):
        for call in (lambda: field.render(raw, PATCH), field.close):
            with pytest.raises(fovea.FoveaError, match="inside of it"):
                call()
    field.render(raw, PATCH)  # it is not closed
    field._kept._of[os.getpid() + 1, "cuda", 0] = field._kept._get("cpu", 0)
    with pytest.raises(fovea.FoveaError, match="spawn"):
        field._kept.open("cuda", 0)


def test_one_that_could_not_be_made_says_nothing_more(monkeypatch):
    said = []
    monkeypatch.setattr(sys, "unraisablehook", said.append)
    for wrong in ({"threads": "a"}, {"bayer": "RGB"}, {"white": white_picture() * 0}, {"pitch": "ab"}):
        with pytest.raises((TypeError, ValueError)):
            fovea.LightField(**{**ARRAY, **wrong})
    gc.collect()
    assert not said


def test_distances_and_rings_are_the_optics_and_the_settings():
    field = fovea.LightField(**ARRAY, optics=(0.08, 0.105, 0.002))
    for patch in (4, 5, 8):
        image = 0.105 - 0.002 * PITCH / patch
        assert field.diopters(patch) == pytest.approx(1 / 0.08 - 1 / image, abs=1e-9)
        assert field.patch(field.diopters(patch)) == pytest.approx(patch, abs=1e-9)
    behind = fovea.LightField(**ARRAY, optics=(0.08, 0.09, 0.002), image="behind")
    assert behind.diopters(5) == pytest.approx(1 / 0.08 - 1 / 0.1, abs=1e-9)
    assert behind.patch(behind.diopters(1)) == behind.patch(5.35715) == 1  # rounding has gone beyond
    assert np.isnan(fovea.LightField(**ARRAY).diopters(5))
    weak, strong = (field.rings({"foveation": {"strength": s}}, 4, 5, size=(120, 100)) for s in (0.5, 8))
    assert 0 < strong[0] < strong[1] < weak[1] and strong[0] < weak[0]


def test_a_gaze_is_what_foveate_takes():
    field, raw = fovea.LightField(**ARRAY), plane()[0]
    fields = [fovea.LightField(**ARRAY) for _ in range(3)]  # each keeps its focus
    with fovea.Gaze({"gaze.source": "mouse", "gaze.validity.fallback": "none"}) as gaze:
        assert np.array_equal(field.render(raw, PATCH, gaze=gaze, rings=(9, 20)), field.render(raw, PATCH))  # nobody looks
        gaze.push(0.3, 0.7)
        sample = gaze.read()
        for ways in (
            [field.render(raw, PATCH, gaze=one, rings=(9, 20)) for one in ((0.3, 0.7), sample, gaze)],
            [field.depth(raw, 4, 8, gaze=one, ring=9)[0] for one in ((0.3, 0.7), sample, gaze)],
            [each.refocus(raw, one, 4, 8)[0] for each, one in zip(fields, ((0.3, 0.7), sample, gaze))],
        ):
            assert all(np.array_equal(way, ways[0]) for way in ways)


def white_picture(dtype=np.uint8):
    """Round micro-images of the array above, moved a little, darker to the right."""
    y, x = np.mgrid[:250, :300] + 0.5
    away = np.hypot((x - 3) % PITCH - PITCH / 2, (y - 1) % PITCH - PITCH / 2)
    level = np.clip(11.0 - away, 0, 1) * (1 - x / 600) * 0.8
    return (10 + level * 200).astype(dtype)


def test_an_array_is_found_in_a_white_picture(tmp_path):
    field = fovea.LightField.calibrate(white_picture(), black=10)
    found = field.array
    assert found["pitch"] == pytest.approx((25, 25), abs=0.02) and abs(found["rotation"]) < 0.02
    assert (np.array(found["origin"]) % PITCH) == pytest.approx((15.5, 13.5), abs=0.1)
    assert found["rows"] == "rectangular" and field.fit.residual_px < 0.1 and field.fit.lenses_used >= 60
    flat = field.divide(white_picture())
    lit = flat[white_picture() > 60]
    assert lit.max() - lit.min() <= 3
    assert np.array_equal(field.sum_views(white_picture()), fovea.LightField(**found).sum_views(flat))
    field.save(tmp_path / "array.json")
    assert fovea.LightField(tmp_path / "array.json").array["pitch"] == pytest.approx(found["pitch"], abs=1e-9)
    again = fovea.LightField.calibrate(white_picture(np.uint16) * 16, rows="rectangular", pitch=25, maximum=4095, divide=False)
    assert again.array["pitch"] == pytest.approx(found["pitch"], abs=1e-6)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda field, raw: field.render(raw[:-1], 5), ValueError, "raw.width_px"),
        (lambda field, raw: field.render(raw, 26), ValueError, "patch_px"),
        (lambda field, raw: field.render(raw, 1e9), ValueError, "patch_px is 1e"),
        (lambda field, raw: field.render(raw, 5, range=2**32 + 2), ValueError, "range is 4294967298"),
        (lambda field, raw: field.sum_views(raw, size=(2**32 + 9, 9)), ValueError, "size is"),
        (lambda field, raw: field.render(raw.astype(float), 5), ValueError, "float64"),
        (lambda field, raw: field.render(np.ma.array(raw), 5), TypeError, "raw is a masked array"),
        (lambda field, raw: field.render(raw, np.ma.array(np.full((9, 9), 5.0))), TypeError, "patch is a masked array"),
        (lambda field, raw: fovea.LightField.calibrate(np.ma.array(raw)), TypeError, "white is a masked array"),
        (lambda field, raw: field.render(raw, 5, filter="cubic"), ValueError, "'nearest'"),
        (lambda field, raw: field.render(raw, 5, dtype=np.int8), ValueError, "int8"),
        (lambda field, raw: field.depth(raw, 6, 5), ValueError, "first_px"),
        (lambda field, raw: field.rings(None, 14, 7, size=(60, 50)), ValueError, "last is 7; it must be 14, which is first, to 25"),
        (lambda field, raw: field.rings(None, 0.5, 7, size=(60, 50)), ValueError, "first is 0.5; it must be 1 to 25"),
        (lambda field, raw: field.rings(None, 4, 26, size=(60, 50)), ValueError, "last is 26"),
        (lambda field, raw: field.rings(None, 4, float("nan"), size=(60, 50)), ValueError, "last is nan"),
        (lambda field, raw: field.rings(None, 4, 5, size=(60, 50), range=6), ValueError, "range is 6; it must be 1 to 5"),
        (lambda field, raw: field.rings(None, 4, 5, size=(60, 50), range=-1), ValueError, "range is -1"),
        (lambda field, raw: fovea.LightField(**{**ARRAY, "lenses": (13, 10)}), ValueError, "columns"),
        (lambda field, raw: fovea.LightField("/no/such/file"), OSError, "no/such/file"),
        (lambda field, raw: fovea.LightField("/no/such/file", rotation=1, image="behind"), ValueError, "rotation, image beside a file"),
        (lambda field, raw: field.render(raw, 5, gaze=(30, 25), rings=(9, 9)), ValueError, "looks like pixels"),
        (lambda field, raw: field.depth(raw, 5, 8, gaze=(float("nan"), 0), ring=9), ValueError, "gaze is not finite"),
        (lambda field, raw: field.refocus(raw, (0.5, 0.5, 1), 5, 8), ValueError, "gaze is x and y"),
        (lambda field, raw: pickle.dumps(field), TypeError, "cannot be pickled or copied"),
        (lambda field, raw: copy.deepcopy(field), TypeError, "cannot be pickled or copied"),
        (lambda field, raw: field.patch(1.0), ValueError, "optics"),
        (lambda field, raw: fovea.LightField(**ARRAY, optics=(0.08, 0.1, 0.002)).patch(20), ValueError, "20 dioptres"),
        (lambda field, raw: fovea.LightField(**ARRAY, optics=(0.08, 0.1, 0)), ValueError, "array_to_sensor_m"),
        (lambda field, raw: fovea.LightField.calibrate(raw * 0 + 7), ValueError, "no regular pattern"),
        (lambda field, raw: fovea.LightField.calibrate(raw, rows="round"), ValueError, "'hexagonal'"),
        (lambda field, raw: fovea.LightField(**ARRAY, white=raw[:-2]).render(raw, 5), ValueError, "white one's size"),
    ],
)
def test_what_is_wrong_is_said(call, error, words):
    with pytest.raises(error, match=words):
        call(fovea.LightField(**ARRAY), plane()[0])


def test_patches_that_learn_are_their_values():
    torch = pytest.importorskip("torch")
    field, raw, patch = fovea.LightField(**ARRAY), plane()[0], torch.full((50, 60), 5.0)
    assert np.array_equal(field.render(raw, patch.clone().requires_grad_()), field.render(raw, patch))
