# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Baselines of gaze, as NumPy arrays and as tensors."""

import re

import numpy as np
import pytest

import fovea
from fovea import _gazes, gaze

COUNT = 7
POLICIES = {
    "middle": gaze.Fixed,
    "saccades": lambda: gaze.RandomSaccades(4, 0.1),
    "generator": lambda: gaze.Generator(114),
}


def numpy_numbers(seed):
    return np.random.default_rng(seed)


def torch_numbers(seed, device="cpu"):
    torch = pytest.importorskip("torch")
    return torch.Generator(device).manual_seed(seed)


def cuda_numbers(seed):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU here")
    return torch_numbers(seed, "cuda")


def path(policy, rng, steps=200):
    found = [policy.reset(COUNT, rng)]
    for _ in range(steps):
        found.append(policy.step(rng))
    return np.stack([np.asarray(gazes.cpu() if hasattr(gazes, "cpu") else gazes) for gazes in found])


@pytest.mark.parametrize("numbers", [numpy_numbers, torch_numbers, cuda_numbers])
@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
def test_gazes_follow_their_seed_and_stay_in_the_picture(make, numbers):
    found = path(make(), numbers(3))
    assert found.shape == (201, COUNT, 2) and found.dtype == np.float32
    assert np.array_equal(found, path(make(), numbers(3)))
    assert ((found >= 0) & (found <= 1)).all()
    if make is not gaze.Fixed:
        assert not np.array_equal(found, path(make(), numbers(4)))
        assert len(np.unique(found[0], axis=0)) == COUNT, "each begins where it likes"


@pytest.mark.parametrize("numbers", [numpy_numbers, torch_numbers, cuda_numbers])
@pytest.mark.parametrize("make", POLICIES.values(), ids=POLICIES)
def test_those_alone_begin_that_begin_an_episode(make, numbers):
    rng, policy = numbers(3), make()
    before = policy.reset(COUNT, rng)
    which = before[:, 0] >= 0
    which[::2] = False
    kept = before + 0
    after = policy.begin(which, rng)
    assert (after[::2] == kept[::2]).all() and (before == kept).all(), "arrays handed out do not change"
    assert make is gaze.Fixed or (after[1::2] != kept[1::2]).any()


@pytest.mark.parametrize("place", [(0.25, 0.75), np.array([0.25, 0.75]), "tensor"])
def test_a_place_is_any_two_numbers(place):
    if isinstance(place, str):
        place = pytest.importorskip("torch").tensor([0.25, 0.75])
    assert (gaze.policy_of(place).reset(COUNT, numpy_numbers(3)) == (0.25, 0.75)).all()


@pytest.mark.parametrize("place", [0.5, (0.5,), (0.1, 0.2, 0.3), "ab", np.zeros((COUNT, 2)), "tensor"])
def test_what_is_no_place_is_said(place):
    if isinstance(place, str) and place == "tensor":
        place = pytest.importorskip("torch").zeros((2, 2))
    with pytest.raises(ValueError, match="(?s)gaze is .*x and y"):
        gaze.policy_of(place)


@pytest.mark.parametrize("place", [(42, 42), (0.5, 2.5), (-1.5, 0.5), np.array([84, 84]), "tensor"])
def test_pixels_are_no_place(place):
    if isinstance(place, str):
        place = pytest.importorskip("torch").tensor([42, 42])
    with pytest.raises(ValueError, match=r"^gaze .* looks like pixels; uv is 0 to 1"):
        gaze.policy_of(place)
    with pytest.raises(ValueError, match=r"^start_uv .* looks like pixels; uv is 0 to 1"):
        _gazes.Eye(start_uv=place)


@pytest.mark.parametrize("place", [(-1, 2), (1.2, -0.3)])
def test_a_place_may_lie_beside_the_picture(place):
    assert gaze.policy_of(place).place_uv == place


@pytest.mark.parametrize("place", [(float("nan"), 0.5), (0.5, float("inf"))])
def test_a_place_is_finite(place):
    with pytest.raises(ValueError, match="start_uv is not finite"):
        _gazes.Eye(start_uv=place)


class Own:
    """A policy whose gazes are what `found` makes of the right ones."""

    def __init__(self, found, of="step"):
        self.found, self.of = found, of

    def _gazes(self, count, of):
        right = np.full((count, 2), 0.25, np.float32)
        return self.found(right) if of == self.of else right

    def reset(self, count, rng):
        self.count = count
        return self._gazes(count, "reset")

    def begin(self, which, rng):
        return self._gazes(self.count, "begin")

    def step(self, rng):
        return self._gazes(self.count, "step")


def use(policy, count, numbers=numpy_numbers):
    rng = numbers(3)
    gazes = _gazes.Gazes(policy, count, rng)
    gazes.begin(~gazes.none, rng)
    gazes.move(None, rng)
    return gazes.now


@pytest.mark.parametrize("of", ["reset", "begin", "step"])
@pytest.mark.parametrize("found, shape", [(lambda right: right[0], "(2,)"), (lambda right: right.T, "(2, 1)"), (lambda right: None, "()")])
def test_what_a_policy_returns_has_its_shape(found, shape, of):
    with pytest.raises(ValueError, match=re.escape(f"the policy's {of} returned shape {shape}; it must be (1, 2)")):
        use(Own(found, of), 1)


@pytest.mark.parametrize("numbers", [numpy_numbers, torch_numbers, cuda_numbers])
@pytest.mark.parametrize("found", [lambda right: right.astype(np.float64), lambda right: right.tolist(), lambda right: right])
def test_what_a_policy_returns_becomes_float32(found, numbers):
    now = use(Own(found), 3, numbers)
    assert now.shape == (3, 2) and str(now.dtype).endswith("float32") and (now == 0.25).all()
    assert now.device.type == numbers(3).device.type if numbers is not numpy_numbers else isinstance(now, np.ndarray)


def test_a_class_is_no_policy():
    with pytest.raises(TypeError, match=r"give an object: RandomSaccades\(\)"):
        gaze.policy_of(gaze.RandomSaccades)


@pytest.mark.parametrize("missing", ["reset", "begin", "step"])
def test_a_policy_has_all_methods(missing):
    has = {name: lambda self, *_: None for name in ("reset", "begin", "step") if name != missing}
    with pytest.raises(TypeError, match=rf"Partly has no {missing}\(\)"):
        gaze.policy_of(type("Partly", (), has)())


def test_the_generator_fixates_and_jumps():
    found = path(gaze.Generator(10), np.random.default_rng(3), 20000)
    steps = np.linalg.norm(np.diff(found, axis=0), axis=2)
    assert np.median(steps) < 0.002 and (steps > 0.03).mean() > 0.01
    assert 0.4 < found.mean() < 0.6 and found.std() > 0.15


def test_the_generators_settings_count():
    def jumps(**settings):
        found = path(gaze.Generator(100, {f"gaze.saccades.{name}": value for name, value in settings.items()}), np.random.default_rng(3), 3000)
        return (np.linalg.norm(np.diff(found, axis=0), axis=2) > 0.03).mean()

    assert jumps(fixation_ms=2000) < 0.5 * jumps()
    with pytest.raises(fovea.ConfigError, match="fixation_ms"):
        gaze.Generator(100, {"gaze.saccades.fixation_s": 1})


@pytest.mark.parametrize("options, text", [({"step_ms": 0}, "step_ms"), ({"step_ms": float("inf")}, "step_ms"), ({"step_ms": 600001}, "step_ms"), ({"size_px": (0, 3)}, "size_px"), ({"size_px": (1,)}, "size_px")])
def test_what_is_wrong_is_said(options, text):
    with pytest.raises(ValueError, match=text):
        gaze.Generator(**options)


def test_a_step_may_be_as_long_as_the_loop():
    generator, rng = gaze.Generator(600000), np.random.default_rng(3)
    assert np.array_equal(generator.reset(2, rng), generator.step(rng))


def discs(places_px, size=96):
    """Pictures with a light disc each."""
    y, x = np.mgrid[:size, :size]
    near = [(x - column) ** 2 + (y - row) ** 2 < 36 for column, row in places_px]
    return np.stack([np.where(disc[..., None], np.uint8(230), np.uint8(60)).repeat(3, 2) for disc in near])


@pytest.mark.filterwarnings("error::DeprecationWarning")
@pytest.mark.parametrize("layout", ["NHWC", "NCHW", "NHW", "NHWF"])
@pytest.mark.parametrize("numbers", [numpy_numbers, torch_numbers, cuda_numbers])
def test_blobs_of_the_environments_pictures_are_looked_at(numbers, layout):
    places = np.array([[12 + 4 * i, 78 - 2 * i] for i in range(COUNT)])  # none in the middle, where they begin
    images = discs(places)
    images = {"NHWC": images, "NCHW": np.moveaxis(images, 3, 1), "NHW": images[..., 0], "NHWF": images}[layout]
    rng = numbers(3)
    if not isinstance(rng, np.random.Generator):
        images = pytest.importorskip("torch").tensor(images, device=rng.device)

    def run(policy, rng):
        found = [policy.reset(COUNT, rng), policy.step(rng)]
        shown = images + 0
        policy.see(shown, layout)
        shown[:] = 0  # an environment draws its next picture there
        found += [policy.step(rng) for _ in range(12)]
        return np.stack([np.asarray(gazes.cpu() if hasattr(gazes, "cpu") else gazes) for gazes in found])

    found = run(gaze.Blobs(2, kept=0), rng)
    assert (found[:2] == 0.5).all(), "nobody has seen anything"
    assert found.dtype == np.float32 and np.array_equal(found, run(gaze.Blobs(2, kept=0), numbers(3)))
    nearest = np.abs(found - (places + 0.5) / 96).max(2).min(0)
    assert (nearest < 0.02).all(), nearest
