# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Arrays in, arrays out: shapes, strides, types, gazes, and what is refused."""

import os
import random
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fovea

RNG = np.random.default_rng(7)


def pictures(*shape, dtype=np.uint8):
    if dtype == np.uint8:
        return RNG.integers(0, 256, shape, dtype=np.uint8)
    return RNG.random(shape, np.float32).astype(dtype)


def gazes(count):
    return RNG.random((count, 2), np.float32)


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32])
@pytest.mark.parametrize("colours", [1, 2, 3, 4, 5])
def test_an_image_does_not_depend_on_its_batch(dtype, colours):
    batch, places = pictures(4, 40, 52, colours, dtype=dtype), gazes(4)
    seen = fovea.foveate(batch, places)
    assert seen.dtype == batch.dtype and seen.shape == batch.shape and (seen != batch).any()
    for i in range(4):
        assert np.array_equal(fovea.foveate(batch[i], places[i]), seen[i])


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32])
def test_views_are_read_where_they_lie(dtype):
    rgba, places = pictures(3, 31, 45, 4, dtype=dtype), gazes(3)
    packed = np.ascontiguousarray(rgba[..., :3])
    seen = fovea.foveate(packed, places)
    assert np.array_equal(fovea.foveate(rgba[..., :3], places), seen)
    out = np.zeros_like(rgba)
    assert fovea.foveate(rgba[..., :3], places, out=out[..., :3]).base is out
    assert np.array_equal(out[..., :3], seen) and not out[..., 3].any()
    upside_down = np.ascontiguousarray(packed[:, ::-1])
    assert np.array_equal(fovea.foveate(upside_down[:, ::-1], places), seen)
    every_other = np.repeat(packed, 2, axis=0)[::2]
    assert np.array_equal(fovea.foveate(every_other, places), seen)
    assert np.array_equal(fovea.foveate(packed[::-1], places[::-1])[::-1], seen)


def test_planes_and_stacks_are_seen_with_their_images_gaze():
    stack, places = pictures(3, 4, 36, 40), gazes(3)
    seen = fovea.foveate(stack, places, layout="NCHW")
    for i in range(3):
        for c in range(4):
            assert np.array_equal(seen[i, c], fovea.foveate(stack[i, c], places[i], layout="NHW"))


def test_colours_in_planes_are_the_colours_of_pixels():
    packed, places = pictures(2, 48, 40, 3), gazes(2)
    planes = np.ascontiguousarray(np.moveaxis(packed, -1, 1))
    seen = np.moveaxis(fovea.foveate(planes, places, layout="NCHW"), 1, -1)
    assert np.abs(seen.astype(int) - fovea.foveate(packed, places)).max() <= 1


def test_leading_dimensions_are_a_batch():
    images, places = pictures(2, 3, 24, 32, 3), gazes(6).reshape(2, 3, 2)
    seen = fovea.foveate(images, places)
    assert np.array_equal(seen.reshape(6, 24, 32, 3), fovea.foveate(images.reshape(6, 24, 32, 3), places.reshape(6, 2)))
    padded = np.zeros((2, 5, 24, 32, 3), np.uint8)
    padded[:, :3] = images
    assert np.array_equal(fovea.foveate(padded[:, :3], places), seen)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_leading_dimensions_of_any_strides_are_a_batch(seed):
    """Cuts, steps, flips, repeats and dimensions of one, in what is read and in what is written."""
    rng = random.Random(seed)
    lead = [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]
    steps = [rng.choice([1, 1, 2, -1]) for _ in lead]
    whole = pictures(*(size * abs(step) + rng.randint(0, 2) for size, step in zip(lead, steps)), 6, 7, 3)

    def cut(array):
        view = array[tuple(slice(None, None, step) for step in steps)]
        return view[tuple(slice(0, size) for size in lead)]

    images = cut(whole)
    if rng.random() < 0.3:
        images = np.broadcast_to(images[:1], images.shape)
    places = gazes(int(np.prod(lead))).reshape(*lead, 2)
    out, touched = np.zeros_like(whole), np.zeros(whole.shape, bool)
    fovea.foveate(images, places, out=cut(out))
    cut(touched)[...] = True
    for index in np.ndindex(*lead):
        assert np.array_equal(cut(out)[index], fovea.foveate(images[index], places[index]))
    assert not out[~touched].any()


def test_an_out_that_overlaps_the_images_is_refused_in_several_batches_too():
    """Planes, and leading dimensions that are no run: what one batch writes is what the next would read."""
    stack, nested = pictures(2, 4, 40, 40), pictures(4, 3, 20, 20, 3)
    before = stack.copy(), nested.copy()
    with pytest.raises(ValueError, match="overlap"):
        fovea.foveate(stack[:, :3], out=stack[:, 1:], layout="NCHW")
    with pytest.raises(ValueError, match="overlap"):
        fovea.foveate(nested[:-1, :2], out=nested[1:, :2])
    assert np.array_equal(stack, before[0]) and np.array_equal(nested, before[1])
    # Between each other, and in no place the same.
    expected = fovea.foveate(stack[:, :2].copy(), layout="NCHW")
    assert np.array_equal(fovea.foveate(stack[:, :2], out=stack[:, 2:], layout="NCHW"), expected)
    expected = fovea.foveate(nested[:, :1].copy())
    assert np.array_equal(fovea.foveate(nested[:, :1], out=nested[:, 2:]), expected)
    assert np.array_equal(nested[:, :2], before[1][:, :2])


@pytest.mark.parametrize("strides", [(1600, 400, 10, 1), (800, 400, 20, 1), (400, 400, 20, 1), (1600, 400, 1, 1), (0, 400, 20, 1)])
def test_an_out_that_has_several_values_in_one_place_is_refused(strides):
    images = pictures(3, 4, 20, 20)
    out = np.lib.stride_tricks.as_strided(np.zeros(5000, np.uint8), images.shape, strides)
    with pytest.raises(ValueError, match="several values"):
        fovea.foveate(images, out=out, layout="NCHW")


def test_what_is_kept_for_the_next_call_is_bounded(monkeypatch):
    monkeypatch.setattr(fovea._shape, "_MOST_KEPT", 1000)
    images = np.zeros((300, 12, 1, 2, 3), np.uint8)
    fovea.foveate(images)
    tracemalloc.start()
    for count in range(2, 12):
        fovea.foveate(images[:, :count])
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 2**19


def test_images_of_many_colours_are_planes():
    """They are no mistaken NCHW: images of few rows have few columns, too, or few colours."""
    for shape in [(9, 9, 200), (1, 64, 5), (4, 4, 80), (24, 40, 60), (2, 300, 3)]:
        images = pictures(*shape)
        planes = fovea.foveate(np.moveaxis(images, -1, 0), layout="NCHW")
        assert np.abs(np.moveaxis(planes, 0, -1).astype(int) - fovea.foveate(images)).max() <= 1


def test_one_picture_for_many_gazes():
    picture, places = pictures(30, 30, 3), gazes(5)
    seen = fovea.foveate(np.broadcast_to(picture, (5, 30, 30, 3)), places)
    for i in range(5):
        assert np.array_equal(seen[i], fovea.foveate(picture, places[i]))


FOVEAS = np.array([[[0.2, 0.3], [0.8, 0.75]], [[0.5, 0.5], [0.1, 0.9]]])


@pytest.mark.parametrize("model", ["relative", {"foveation.model": "paper", "foveation.strength": 0.3}])
def test_a_pixel_has_the_least_blur_of_its_images_foveas(model, blurred):
    foveator = fovea.Foveator(model)
    images = RNG.random((2, 45, 60)).astype(np.float32)
    seen = foveator(images, FOVEAS, layout="NHW")
    for image, foveas, made in zip(images, FOVEAS, seen):
        least = np.minimum(*(foveator.sigma_map(image.shape, place) for place in foveas))
        assert np.abs(made - blurred(image, least)).max() < 4e-3
        assert np.abs(foveator(image, foveas[0], layout="NHW") - blurred(image, least)).max() > 0.05
        assert np.array_equal(foveator(image, foveas, layout="NHW"), made)  # and of one image


def test_foveas_of_images_anyhow_are_those_of_each():
    images = RNG.integers(0, 256, (2, 3, 24, 32, 5), dtype=np.uint8)
    places = RNG.random((2, 3, 3, 2))
    one = np.stack([np.stack([fovea.foveate(image, place) for image, place in zip(*row)]) for row in zip(images, places)])
    assert np.array_equal(fovea.foveate(images, places), one)  # in planes
    foveator, out = fovea.Foveator(), np.empty_like(images)
    for turn in range(3):  # the calls that are kept
        moved = np.roll(places, turn, axis=2).astype(np.float32)
        assert np.array_equal(foveator(images, moved, out=out), one)
    assert np.array_equal(foveator(images[..., :3], places[:, :, :1]), foveator(images[..., :3], places[:, :, 0]))
    assert not np.array_equal(foveator(images, places[:, :, 0]), one)


def test_calls_that_are_kept_are_of_as_many_foveas():
    foveator, images = fovea.Foveator(), RNG.integers(0, 256, (3, 24, 32, 3), dtype=np.uint8)
    places = RNG.random((3, 4, 2), np.float32)
    for gaze in (places[:, 0], *(places[:, :count] for count in (1, 2, 3, 4))) * 3:
        gaze = np.ascontiguousarray(gaze)
        assert np.array_equal(foveator(images, gaze), fovea.Foveator()(images, gaze))
    assert len(foveator._calls._of) == 5


def test_an_empty_batch_is_empty():
    assert fovea.foveate(np.zeros((0, 8, 8, 3), np.uint8)).shape == (0, 8, 8, 3)


def test_sources_are_left_alone_and_may_be_read_only():
    images = pictures(2, 20, 20, 3)
    before = images.copy()
    images.flags.writeable = False
    fovea.foveate(images)
    assert np.array_equal(images, before)


def test_settings_have_an_effect_and_can_be_read():
    images = pictures(64, 64, 3)
    foveator = fovea.Foveator({"foveation.strength": 3, "foveation": {"light": "encoded"}})
    assert foveator.get("foveation.strength") == "3" and foveator.get("foveation.light") == "encoded"
    assert not np.array_equal(foveator(images), fovea.foveate(images))
    assert np.array_equal(fovea.Foveator({"foveation.strength": 0})(images), images)
    assert np.array_equal(fovea.foveate(images, config={"foveation.strength": 3, "foveation.light": "encoded"}), foveator(images))


@pytest.mark.parametrize("side", [84, 128, 224, 640])
def test_by_default_a_quarter_of_half_the_side_stays_as_it_is(side, tmp_path):
    images = RNG.random((side, side, 3), np.float32)
    y, x = np.mgrid[:side, :side] + 0.5 - side / 2
    distance, changed = np.hypot(x, y) / (side / 2), (fovea.foveate(images) != images).any(-1)
    assert not changed[distance <= 0.25].any() and changed[distance > 0.36].all()
    (tmp_path / "fovea.json").write_text('{"foveation": {"light": "encoded"}}')
    for config in ("relative", {"foveation.light": "encoded"}, tmp_path / "fovea.json"):
        foveator = fovea.Foveator(config)
        assert foveator.get("foveation.model") == "relative" and np.array_equal(foveator(images), fovea.foveate(images))
    assert fovea.Foveator("paper").get("foveation.model") == "paper" and fovea.Foveator("paper") != fovea.Foveator()
    assert {setting.path: setting.default for setting in fovea.settings()}["foveation.model"] == "relative"


def test_settings_that_leave_pictures_as_they_are_are_warned_of_once():
    foveator, images = fovea.Foveator({"foveation.model": "physical", "foveation.geometry.ppd": 2}), pictures(84, 84, 3)
    with pytest.warns(UserWarning, match="leave pictures of 84 x 84 as they are"):
        assert np.array_equal(foveator(images), images)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        foveator(images, (0.1, 0.2))
        foveator(pictures(2, 84, 84, 3))
        for config in (None, "paper", {"foveation.strength": 0}, {"operators": "lens"}):
            fovea.Foveator(config)(images)


def test_frames_have_no_alpha():
    stack, places = pictures(2, 40, 40, 4), gazes(2)
    seen = fovea.foveate(stack, places, layout="NHWF")
    for frame in range(4):
        assert np.array_equal(seen[..., frame], fovea.foveate(stack[..., frame], places, layout="NHW"))
    assert np.array_equal(fovea.foveate(stack, places)[..., 3], stack[..., 3]) and not np.array_equal(seen[..., 3], stack[..., 3])
    assert np.array_equal(fovea.foveate(stack[..., :3], places, layout="NHWF"), fovea.foveate(stack[..., :3].copy(), places))


def test_a_row_of_operators_is_a_setting():
    images = pictures(40, 40, 3)
    both = fovea.foveate(images, config={"operators": ["blur", "foveate"], "blur.sigma_px": 3})
    blurred = fovea.foveate(images, config={"operators": ["blur"], "blur.sigma_px": 3})
    assert np.array_equal(both, fovea.foveate(blurred))


BLUR = {"operators": "blur"}


def test_pixels_are_blurred_by_their_own_sigma():
    images = pictures(3, 40, 50, 3)
    levels = [0, 1.5, 6]
    alike = [fovea.foveate(images, config={**BLUR, "blur.sigma_px": sigma_px}) for sigma_px in levels]
    each = np.random.default_rng(1).integers(0, 3, (3, 40, 50))
    for dtype in (np.float16, np.float32):
        sigma = np.array(levels, dtype)[each]
        seen = fovea.foveate(images, config=BLUR, sigma=sigma)
        wanted = np.choose(each[..., None], alike).astype(int)
        assert np.abs(seen - wanted).max() <= 3
        assert np.array_equal(seen[each == 0], images[each == 0])


def test_sigmas_of_all_images_and_of_each_lie_anyhow():
    images = pictures(2, 3, 20, 30, 3)
    sigma = np.random.default_rng(2).uniform(-1, 8, (2, 3, 20, 30)).astype(np.float32)
    sigma[0, 0, 0] = np.nan
    seen = fovea.foveate(images, config=BLUR, sigma=sigma)
    turned = np.ascontiguousarray(sigma[..., ::-1])[..., ::-1]
    assert np.array_equal(fovea.foveate(images, config=BLUR, sigma=turned), seen)
    for i in np.ndindex(2, 3):
        assert np.array_equal(fovea.foveate(images[i], config=BLUR, sigma=sigma[i]), seen[i])
    one = fovea.foveate(images, config=BLUR, sigma=sigma[1, 2])
    assert np.array_equal(one, fovea.foveate(images, config=BLUR, sigma=np.broadcast_to(sigma[1, 2], sigma.shape)))
    planes = np.moveaxis(images, -1, -3)
    assert np.array_equal(fovea.foveate(planes, config=BLUR, sigma=sigma, layout="NCHW"), np.moveaxis(seen, -1, -3))
    frames = np.concatenate([images, images[..., :2]], -1)
    of_frames = fovea.foveate(frames, config=BLUR, sigma=sigma, layout="NHWF")
    assert np.array_equal(of_frames[..., 3], fovea.foveate(images[..., 0], config=BLUR, sigma=sigma, layout="NHW"))


def test_larger_sigmas_count_as_the_largest():
    images = pictures(30, 30, 3)
    most = {**BLUR, "blur.sigma_max_px": 2}
    seen = fovea.foveate(images, config=most, sigma=np.full((30, 30), 2, np.float32))
    for sigma in (7, np.inf):
        assert np.array_equal(fovea.foveate(images, config=most, sigma=np.full((30, 30), sigma, np.float32)), seen)


DOF = {"operators": "dof", "dof.focus": "fixed", "dof.sensor_mm": 2}


def test_what_is_in_focus_stays_and_what_is_behind_is_blurred():
    images = pictures(2, 40, 50, 3)
    far = np.zeros((2, 40, 50), bool)
    far[0, :, 25:] = far[1, 20:] = True
    metres = np.where(far, 8, 2).astype(np.float32)
    seen = fovea.foveate(images, config=DOF, depth=fovea.Depth(metres))
    assert np.array_equal(seen[~far], images[~far])
    assert np.abs(seen[far].astype(int) - images[far]).max() > 30
    for i in range(2):
        assert np.array_equal(fovea.foveate(images[i], config=DOF, depth=fovea.Depth(metres[i])), seen[i])


def test_depths_of_all_types_and_projections_are_the_same():
    images = pictures(40, 50, 3)
    metres = np.linspace(1, 9, 2000).reshape(40, 50)
    wanted = fovea.foveate(images, config=DOF, depth=fovea.Depth(metres.astype(np.float32))).astype(int)
    near, far = 0.5, 40.0
    reversed_z = (near * far / metres - near) / (far - near)
    depths = [
        fovea.Depth((metres / 65.535 * 65535).round().astype(np.uint16), one_m=65.535),
        fovea.Depth((reversed_z * 0xFFFFFF).round().astype(np.uint32) | 0xAB000000, far, near, perspective=True),
        fovea.Depth.of_projection(reversed_z.astype(np.float32), near / (far - near), near * far / (far - near)),
        fovea.Depth.of_projection((near / metres).astype(np.float32), 0.0, near),
        fovea.Depth(metres.astype(np.float32)[:, ::-1].copy()[:, ::-1]),
    ]
    for depth in depths:
        assert np.abs(fovea.foveate(images, config=DOF, depth=depth) - wanted).max() <= 1


def test_the_focus_follows_the_gaze_in_a_foveators_time():
    images = pictures(40, 50, 3)
    metres = np.where(np.arange(50) < 25, 1, 4).astype(np.float32) * np.ones((40, 1), np.float32)
    foveator = fovea.Foveator({**DOF, "dof.focus": "gaze"})
    near = foveator(images, (0.2, 0.5), depth=fovea.Depth(metres))
    assert np.array_equal(near[:, :20], images[:, :20])
    on_the_way = foveator(images, (0.8, 0.5), depth=fovea.Depth(metres, elapsed_s=0.3))
    focus_m = 1 / (0.25 + 0.75 * np.exp(-1))
    assert np.array_equal(on_the_way, fovea.foveate(images, config=DOF, depth=fovea.Depth(metres, focus_m=focus_m)))
    by_eyes, unknown = {**DOF, "dof.focus": "vergence"}, np.where(metres > 2, np.nan, metres)
    seen = fovea.foveate(images, (0.8, 0.5), config=by_eyes, depth=fovea.Depth(unknown, vergence_m=3))
    assert np.array_equal(seen, fovea.foveate(images, config=DOF, depth=fovea.Depth(unknown, focus_m=3)))
    far = foveator(images, (0.8, 0.5), depth=fovea.Depth(metres))
    assert np.abs(far[:, 45:].astype(int) - images[:, 45:]).max() <= 1
    assert np.abs(far[:, :20].astype(int) - images[:, :20]).max() > 30


IMAGE = np.zeros((2, 16, 16, 3), np.uint8)
PLANE = np.ones((16, 16), np.float32)
READ_ONLY = IMAGE.copy()
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda: fovea.foveate("picture"), TypeError, "str"),
        (lambda: fovea.foveate(IMAGE, config=BLUR, sigma=2.0), TypeError, "sigma: float is no array"),
        (lambda: fovea.foveate(IMAGE, config=BLUR, sigma=np.zeros((16, 16))), TypeError, "float16 or float32"),
        (lambda: fovea.foveate(IMAGE, config=BLUR, sigma=np.zeros((16, 15), np.float32)), ValueError, "(2, 16, 16)"),
        (lambda: fovea.foveate(IMAGE, sigma=np.zeros((16, 16), np.float32)), ValueError, "sigma= is given, and no operator"),
        (lambda: fovea.foveate(IMAGE, config=DOF), ValueError, "needs a picture of depths: depth="),
        (lambda: fovea.foveate(IMAGE, config=DOF, depth=PLANE), TypeError, "fovea.Depth"),
        (lambda: fovea.foveate(IMAGE, config=DOF, depth=fovea.Depth(2.0)), TypeError, "depth: float is no array"),
        (lambda: fovea.foveate(IMAGE, config=DOF, depth=fovea.Depth(PLANE[1:])), ValueError, "depth has shape (15, 16)"),
        (lambda: fovea.foveate(IMAGE, config=DOF, depth=fovea.Depth(PLANE, 2, 2)), ValueError, "depth.zero_m and depth.one_m"),
        (lambda: fovea.foveate(IMAGE, depth=fovea.Depth(PLANE)), ValueError, "depth= is given, and no operator of the row takes it"),
        (lambda: fovea.foveate(IMAGE[0], config=DOF, depth=fovea.Depth(PLANE[1:])), ValueError, "it must be (16, 16), one"),
        (lambda: fovea.foveate(IMAGE, np.array([0.5 + 1j, 0.5])), TypeError, "values of complex128"),
        (lambda: fovea.foveate(IMAGE, [0.5, 0.5 + 0j]), TypeError, "values of complex128"),
        (lambda: fovea.foveate(IMAGE, np.array([0, 1], "m8[s]")), TypeError, "values of timedelta64"),
        (lambda: fovea.foveate(IMAGE, (10**400, 0)), ValueError, "gaze is not finite"),
        (lambda: fovea.foveate(IMAGE, (1e300, 0.0)), ValueError, "gaze is not finite"),
        (lambda: fovea.Foveator().sigma_map((9, 9), np.array([0.5 + 1j, 0.5])), TypeError, "values of complex128"),
        (lambda: fovea.foveate(IMAGE[0], (1, 2, 3)), ValueError, "gaze has shape (3,); it must be (2,), x and y"),
        (lambda: fovea.foveate(IMAGE, np.full((2, 5, 2), 0.5)), ValueError, "or (2, foveas, 2) with 1 to 4 foveas"),
        (lambda: fovea.foveate(IMAGE, np.full((3, 2), 0.5)), ValueError, "gaze has shape (3, 2)"),
        (lambda: fovea.foveate(IMAGE[:0], np.full((3, 2), 0.5)), ValueError, "gaze has shape (3, 2); it must be (2,) or (0, 2)"),
        (lambda: fovea.foveate(IMAGE[:0], "left"), TypeError, "gaze is x and y for each image"),
        (lambda: fovea.foveate(IMAGE[0], [(0.5, 0.5), (0.5, np.nan)]), ValueError, "gaze is not finite"),
        (
            lambda: fovea.foveate(np.zeros((9, 9, 5), np.uint8), config=DOF, depth=fovea.Depth(PLANE[:9, :9], elapsed_s=1)),
            ValueError,
            "elapsed_s",
        ),
        (lambda: fovea.foveate(IMAGE.astype(np.float64)), TypeError, "float64"),
        (lambda: fovea.foveate(IMAGE.astype(np.int8)), TypeError, "int8"),
        (lambda: fovea.foveate(IMAGE.astype(">f4")), TypeError, ">f4"),
        (lambda: fovea.foveate(np.ma.array(IMAGE, mask=IMAGE > 0)), TypeError, "images is a masked array"),
        (lambda: fovea.foveate(IMAGE, np.ma.array([0.5, 0.5])), TypeError, "gaze is a masked array"),
        (lambda: fovea.foveate(IMAGE, [np.ma.array([0.5, 0.5])] * 2), TypeError, "gaze is a masked array"),
        (lambda: fovea.foveate(IMAGE, out=np.ma.array(IMAGE)), TypeError, "out is a masked array"),
        (lambda: fovea.foveate(IMAGE, sigma=np.ma.array(np.ones((16, 16), np.float32)), config=BLUR), TypeError, "sigma is a masked array"),
        (lambda: fovea.Foveator().sigma_map((9, 9), np.ma.array([0.5, 0.5])), TypeError, "gaze is a masked array"),
        (lambda: fovea.foveate(IMAGE[0, 0, 0]), ValueError, "(3,)"),
        (lambda: fovea.foveate(np.zeros((2, 0, 16, 3), np.uint8)), ValueError, "(2, 0, 16, 3)"),
        (lambda: fovea.foveate(np.zeros((1, 16385, 1), np.uint8)), ValueError, "16385"),
        (lambda: fovea.foveate(IMAGE, layout="WHNC"), ValueError, "WHNC"),
        (lambda: fovea.foveate(np.zeros((2, 3, 84, 84), np.uint8)), ValueError, 'layout="NCHW"'),
        (lambda: fovea.foveate(np.zeros((4, 84, 96), np.uint8)), ValueError, 'layout="NCHW"'),
        (lambda: fovea.foveate(np.zeros((2, 12, 84, 84), np.uint8)), ValueError, 'layout="NCHW"'),
        (lambda: fovea.foveate(IMAGE, (np.nan, 0.5)), ValueError, "finite"),
        (lambda: fovea.foveate(IMAGE, (320, 240)), ValueError, "gaze (320, 240) looks like pixels"),
        (lambda: fovea.Foveator({"foveation.strength\0junk": 2}), fovea.ConfigError, "value 0"),
        (lambda: fovea.Foveator({"foveation.strength": "2\0"}), fovea.ConfigError, "foveation.strength"),
        (lambda: fovea.Foveator("fovea\0.json"), fovea.ConfigError, "value 0"),
        (lambda: fovea.Foveator().get("foveation.strength\0x"), KeyError, "foveation.strength"),
        (lambda: fovea.foveate(IMAGE, np.zeros((3, 2))), ValueError, "(3, 2)"),
        (lambda: fovea.foveate(IMAGE, "left"), TypeError, "left"),
        (lambda: fovea.foveate(IMAGE, out=IMAGE), ValueError, "overlap"),
        (lambda: fovea.foveate(IMAGE, out=READ_ONLY), ValueError, "written"),
        (lambda: fovea.foveate(IMAGE, out=IMAGE[:1].copy()), ValueError, "(1, 16, 16, 3)"),
        (lambda: fovea.foveate(IMAGE, out=IMAGE.astype(np.float32)), TypeError, "float32"),
        (lambda: fovea.foveate(IMAGE, stream=5), ValueError, "stream"),
        (lambda: fovea.foveate(IMAGE, config="papr"), fovea.ConfigError, '"paper"'),
        (lambda: fovea.Foveator({"foveation.strenght": 1}), fovea.ConfigError, 'did you mean "strength"'),
        (lambda: fovea.Foveator({"foveation.strength": -1}), fovea.ConfigError, "foveation.strength"),
        (lambda: fovea.Foveator({"foveation.strength": object()}), TypeError, "foveation.strength"),
        (lambda: fovea.Foveator({3: 4}), TypeError, "3"),
        (lambda: fovea.Foveator(7), TypeError, "int"),
        (lambda: fovea.Foveator("/nowhere/fovea.json"), OSError, "/nowhere/fovea.json"),
        (lambda: fovea.Foveator().get("nothing"), KeyError, "nothing"),
    ],
)
def test_what_is_wrong_is_said(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_views_give_what_packed_copies_give(seed):
    """Cuts, steps, flips and orders of dimensions at random."""
    rng = random.Random(seed)
    shape = [rng.randint(1, 4), rng.randint(1, 30), rng.randint(1, 30), rng.randint(1, 5)]
    steps = [rng.choice([1, 1, 2, -1, -2]) for _ in shape]
    order = rng.sample(range(4), 4)
    dtype = rng.choice([np.uint8, np.float16, np.float32])
    whole = pictures(*(shape[i] * abs(steps[i]) + 1 for i in order), dtype=dtype)
    view = np.moveaxis(whole, range(4), order)[tuple(slice(None, None, step) for step in steps)]
    view = view[tuple(slice(0, size) for size in shape)]
    places = gazes(len(view))
    seen, expected = fovea.foveate(view, places), fovea.foveate(np.ascontiguousarray(view), places)
    # Colours that do not lie beside each other are planes, which are rounded by themselves.
    bound = 1 if dtype == np.uint8 else 2e-3
    assert np.abs(seen.astype(float) - expected.astype(float)).max() <= bound
    out = np.zeros_like(whole)
    target = np.moveaxis(out, range(4), order)[tuple(slice(None, None, step) for step in steps)]
    target = target[tuple(slice(0, size) for size in shape)]
    fovea.foveate(view, places, out=target)
    assert np.abs(target.astype(float) - expected.astype(float)).max() <= bound
    touched = np.zeros(out.shape, bool)
    np.moveaxis(touched, range(4), order)[tuple(slice(None, None, step) for step in steps)][
        tuple(slice(0, size) for size in shape)
    ] = True
    assert not out[~touched].any()


WHATS = [None, 0, -3, 2**40, float("nan"), "x", b"x", [], {}, (), object(), IMAGE, IMAGE[0], IMAGE.astype(np.float32),
         np.zeros((2, 2), np.float32), np.float32(1), np.zeros(0), [0.5, 0.5], [[0.5, 0.5]] * 2, "NHWC", "NCHW", True, READ_ONLY]


def test_a_gaze_on_a_device_is_known_by_cudas_interface_alone():
    class Places:
        __cuda_array_interface__ = {"version": 3, "shape": (2, 2), "typestr": "<f4", "data": (4096, False), "strides": None}

    with pytest.raises(ValueError, match="gaze lies on cuda"):
        fovea.foveate(pictures(2, 8, 8, 3), Places())


def test_strides_of_a_foreign_arrays_out_are_what_is_wrong_with_it():
    class Places:  # of a library that nobody can ask for memory
        def __init__(self, strides):
            self.__cuda_array_interface__ = {"version": 3, "shape": (2, 8, 8, 3), "typestr": "|u1", "data": (4096, False), "strides": strides}

    with pytest.raises(ValueError, match="out is a Places with these strides: give one without gaps"):
        fovea.foveate(Places(None), out=Places((192, 24, -3, 1)))


def test_thousands_of_senseless_calls_raise_and_crash_nothing():
    rng = random.Random(3)
    done = 0
    for _ in range(3000):
        arguments = {name: rng.choice(WHATS) for name in ("out", "config", "layout", "stream") if rng.random() < 0.3}
        try:
            fovea.foveate(rng.choice(WHATS), rng.choice(WHATS), **arguments)
            done += 1
        except (TypeError, ValueError, fovea.FoveaError, OSError):
            pass
    assert done > 0


@pytest.mark.skipif("CUDA_VISIBLE_DEVICES" in os.environ, reason="somebody chose devices")
def test_arrays_of_dlpack_are_taken_where_they_lie():
    class Foreign:
        def __init__(self, array):
            self._array = array

        def __dlpack__(self, **named):
            return self._array.__dlpack__(**{k: v for k, v in named.items() if k == "stream"})

        def __dlpack_device__(self):
            return self._array.__dlpack_device__()

    images = pictures(2, 24, 24, 3)
    assert np.array_equal(fovea.foveate(Foreign(images)), fovea.foveate(images))


@pytest.mark.parametrize(
    "made_on, run_on, is_fine",
    [
        (None, 7 << 20, True), (7 << 20, 7 << 20, True), (0, None, True), (1, 0, True), (0, 1, True), (2, 2, True),
        (0, 7 << 20, False), (1, 7 << 20, False), (2, 7 << 20, False), (7 << 20, 0, False), (7 << 20, None, False),
        (2, 1, False), (1, 2, False), (8 << 20, 7 << 20, False),
    ],
)  # fmt: skip
def test_what_another_stream_works_on_is_refused(made_on, run_on, is_fine):
    """Addresses stand for streams; 0 and 1 are the legacy default stream, 2 is a thread's own."""
    view = fovea._arrays.View(0, (1, 2), (8, 4), np.dtype(np.float32), "cuda", 0, False, made_on, None)
    if is_fine:
        fovea._foveator._check_order(view, run_on, "gaze")
    else:
        with pytest.raises(ValueError, match="gaze is worked on by another stream"):
            fovea._foveator._check_order(view, run_on, "gaze")
