# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Levels of sixteen bits and fewer, PQ and HLG, beside sums in double precision that are written from the formulas."""

import types

import numpy as np
import pytest

import fovea

RNG = np.random.default_rng(5)
GAZE = (0.3, 0.6)
TABLE = [0.5, 0.6, 0.9, 3, 9, 40, 41, 120]


def pq(v):
    """SMPTE ST 2084, equation 4.1."""
    n = v ** (32 / 2523)
    return (np.maximum(n - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * n)) ** (16384 / 2610)


def pq_of(y):
    n = y ** (2610 / 16384)
    return ((3424 / 4096 + 2413 / 128 * n) / (1 + 2392 / 128 * n)) ** (2523 / 32)


def scene(v):
    """ITU-R BT.2100, table 5."""
    return np.where(v <= 0.5, v * v / 3, (np.exp((v - 0.55991073) / 0.17883277) + 0.28466892) / 12)


def scene_of(e):
    return np.where(e <= 1 / 12, np.sqrt(3 * e), 0.17883277 * np.log(np.maximum(12 * e - 0.28466892, 1e-9)) + 0.55991073)


def luminance(rgb):
    return rgb @ (0.2627, 0.678, 0.0593) if rgb.shape[-1] == 3 else rgb[..., 0]


def hlg(v):
    e = scene(v)
    return e * luminance(e)[..., None] ** 0.2


def hlg_of(light):
    y = np.maximum(luminance(light), 1e-30)[..., None]
    return scene_of(np.clip(light * y ** (1 / 1.2 - 1), 0, 1))


def srgb(v):
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def srgb_of(y):
    return np.where(y <= 0.0031308, y * 12.92, 1.055 * y ** (1 / 2.4) - 0.055)


def screen(v):
    return np.interp(v, np.linspace(0, 1, len(TABLE)), TABLE)


def screen_of(y):
    return np.interp(y, TABLE, np.linspace(0, 1, len(TABLE)))


CURVES = {
    "srgb": ({}, "srgb", srgb, srgb_of),
    "pq": ({}, "pq", pq, pq_of),
    "hlg": ({}, "hlg", hlg, hlg_of),
    "gamma": ({"foveation.light": "gamma", "foveation.display.gamma": 2.35}, "srgb", lambda v: v**2.35, lambda y: y ** (1 / 2.35)),
    "table": ({"foveation.light": "table", "foveation.display.table": TABLE}, "srgb", screen, screen_of),
    "encoded": ({"foveation.light": "encoded"}, "srgb", lambda v: v, lambda y: y),
}


def blurred(image, sigmas):
    """The mean under each pixel's Gaussian at whole pixels, beyond an edge the edge's."""

    def weights(count, place, sigma):
        at = np.arange(place - 60, place + 61)
        w = np.exp(-0.5 * ((at - place) / sigma) ** 2) if sigma > 0 else (at == place).astype(float)
        row = np.zeros(count)
        np.add.at(row, at.clip(0, count - 1), w / w.sum())
        return row

    height, width = sigmas.shape
    rows = np.array([weights(height, y, s) for y, line in enumerate(sigmas) for s in line])
    columns = np.array([weights(width, x, s) for line in sigmas for x, s in enumerate(line)])
    return np.einsum("ph,hwc,pw->pc", rows, image, columns, optimize=True).reshape(image.shape)


def difference(curve, levels, bits, layout="NHWC"):
    config, transfer, light_of, value_of = CURVES[curve]
    foveator = fovea.Foveator(config, transfer=transfer, bits=bits if levels.dtype == np.uint16 else 16)
    seen = foveator(levels if layout == "NHWC" else np.moveaxis(levels, -1, 0), GAZE, layout=layout)
    seen = seen if layout == "NHWC" else np.moveaxis(seen, 0, -1)
    assert seen.dtype == levels.dtype and seen.shape == levels.shape and (seen != levels).any()
    highest = 2**bits - 1
    sigmas = foveator.sigma_map(levels.shape[:2], GAZE).astype(float)
    exact = highest * value_of(blurred(light_of(levels / highest), sigmas))
    exact[sigmas == 0] = levels[sigmas == 0]
    return np.abs(seen - exact).max()


# Levels of ten bits and of sixteen: about twice what twelve seeds had.
LIMITS = {"srgb": (1.2, 20), "pq": (1.5, 50), "hlg": (1.2, 24), "gamma": (1.2, 16), "table": (2.5, 160), "encoded": (1.2, 16)}
SIZE = (25, 33)


@pytest.mark.parametrize("curve", CURVES)
def test_sixteen_bits_are_means_of_light(curve):
    """Noise, and black and white, whose darkest means are a millionth of the brightest."""
    noise = RNG.integers(0, 65536, (*SIZE, 3), dtype=np.uint16)
    sharp = np.where(RNG.random((*SIZE, 3)) < 0.5, 0, 65535).astype(np.uint16)
    assert difference(curve, noise, 16) < LIMITS[curve][1]
    assert difference(curve, sharp, 16, "NCHW") < LIMITS[curve][1]


@pytest.mark.parametrize("curve", ["srgb", "pq", "hlg"])
def test_ten_bits_and_eight_are_means_of_light_too(curve):
    noise = RNG.integers(0, 1024, (*SIZE, 3), dtype=np.uint16)
    assert difference(curve, noise, 10) < LIMITS[curve][0]
    assert difference(curve, noise, 10, "NCHW") < LIMITS[curve][0]
    assert difference(curve, noise[..., :1] // 4 * 4, 10) < LIMITS[curve][0]
    assert difference(curve, (noise // 4).astype(np.uint8), 8) < 1.5


@pytest.mark.parametrize("bits", [10, 16])
def test_levels_keep_alpha_and_what_is_sharp(bits):
    """And go by batches, each image for itself, into out= or not."""
    images = RNG.integers(0, 2**bits, (2, 40, 52, 4), dtype=np.uint16)
    foveator, gazes = fovea.Foveator(transfer="hlg", bits=bits), [[0.2, 0.2], [0.9, 0.5]]
    out = np.zeros((2, 40, 104, 4), np.uint16)[:, :, ::2]
    seen = foveator(images, gazes, out=out)
    assert seen is out and np.array_equal(seen, foveator(images, gazes)) and (seen[..., :3] != images[..., :3]).any()
    assert np.array_equal(seen[..., 3], images[..., 3])
    assert np.array_equal(seen[1], foveator(images[1], gazes[1]))
    sharp = foveator.sigma_map((40, 52), gazes) == 0
    assert sharp.any() and np.array_equal(seen[sharp], images[sharp])


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("bits", [10, 16])
@pytest.mark.parametrize("curve", ["hlg", "table"])
def test_tensors_are_levels_too(device, bits, curve):
    """Of the same values, but for what powers and sums round on another device."""
    torch = pytest.importorskip("torch")
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU here")
    images = RNG.integers(0, 2**bits, (2, 40, 52, 3), dtype=np.uint16)
    foveator = fovea.Foveator(CURVES[curve][0], transfer=CURVES[curve][1], bits=bits)
    tensor, near = torch.from_numpy(images).to(device), 1 if device == "cpu" else 400 if bits == 16 else 8 if curve == "table" else 2
    for layout, given in (("NHWC", tensor), ("NCHW", tensor.to(torch.int32).movedim(-1, 1).to(torch.uint16).contiguous())):
        seen = foveator(given, GAZE, layout=layout)
        assert seen.dtype == torch.uint16 and seen.device == tensor.device
        seen = seen.cpu().to(torch.int32).numpy()
        seen = seen if layout == "NHWC" else np.moveaxis(seen, 1, -1)
        assert np.abs(seen - foveator(images, GAZE).astype(int)).max() <= near


def test_levels_that_cannot_be_are_said():
    ten = fovea.Foveator(transfer="hlg", bits=10)
    with pytest.raises(ValueError, match="levels of 1024; with bits=10 they are 0 to 1023"):
        ten(np.full((8, 8, 3), 1024, np.uint16))
    for levels in (np.zeros((8, 8, 2), np.uint16), np.zeros((8, 8, 2), np.uint8)):
        with pytest.raises(ValueError, match="red, green and blue together, or of grey"):
            ten(levels)
    with pytest.raises(TypeError, match="out is uint8, the images are uint16"):
        ten(np.zeros((8, 8, 3), np.uint16), out=np.zeros((8, 8, 3), np.uint8))
    levels = np.zeros((8, 8, 3), np.uint16)
    with pytest.raises(TypeError, match="levels of uint16 go into an array of the images' library"):
        ten(levels, out=types.SimpleNamespace(__array_interface__=levels.__array_interface__))
    for wrong in ({"transfer": "rec709"}, {"bits": 8}, {"bits": True}):
        with pytest.raises(ValueError, match="transfer is|bits is"):
            fovea.Foveator(**wrong)
    assert fovea.Foveator(transfer="pq") != fovea.Foveator() != fovea.Foveator(bits=10)


if __name__ == "__main__":  # what docs/rl.md says of twelve seeds
    for name in CURVES:
        worst = np.zeros(2)
        for seed in range(12):
            rng = np.random.default_rng(100 + seed)
            noise = rng.integers(0, 65536, (36, 44, 3), dtype=np.uint16)
            sharp = np.where(rng.random((36, 44, 3)) < 0.5, 0, 65535).astype(np.uint16)
            found = [max(difference(name, one >> 16 - bits, bits) for one in (noise, sharp)) for bits in (10, 16)]
            worst = np.maximum(worst, found)
        print(f"{name}: ten bits {worst[0]:.2f}, sixteen {worst[1]:.0f}")
