# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Arrays instead of files, and what settings do to a picture as maps."""

import json
import pickle
import struct
import zlib

import numpy as np
import pytest

import fovea

RNG = np.random.default_rng(9)
IMAGES = RNG.integers(0, 256, (2, 48, 64, 3), dtype=np.uint8)
GAZES = [[0.3, 0.6], [0.8, 0.2]]
MAP = {"foveation.model": "map", "foveation.map.law": "sqrt"}


def write_png(path, values):
    """Grey of 8 or 16 bits."""
    rows = values.astype(values.dtype.newbyteorder(">"))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", *values.shape[::-1], 8 * values.itemsize, 0, 0, 0, 0)),
             (b"IDAT", zlib.compress(b"".join(b"\0" + row.tobytes() for row in rows))), (b"IEND", b"")]  # fmt: skip
    chunks = (struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("law", ["sqrt", "linear"])
def test_a_map_is_that_of_a_file_bit_for_bit(tmp_path, kind, law):
    values = RNG.integers(0, np.iinfo(kind).max, (21, 34), dtype=kind)
    write_png(tmp_path / "map.png", values)
    from_file = fovea.Foveator({**MAP, "foveation.map": {"law": law, "kind": "file", "file": tmp_path / "map.png"}})
    given = values / np.float32(np.iinfo(kind).max)
    from_array = fovea.Foveator({**MAP, "foveation.map.law": law}, maps={"foveation.map": given})
    assert np.array_equal(from_file.sigma_map((48, 64), GAZES), from_array.sigma_map((48, 64), GAZES))
    seen = from_array(IMAGES, GAZES)
    assert (seen != IMAGES).any() and np.array_equal(seen, from_file(IMAGES, GAZES))
    assert np.array_equal(from_array(IMAGES[1], GAZES[1]), seen[1])


@pytest.mark.parametrize("colours", [1, 3])
def test_a_lens_is_that_of_a_file_bit_for_bit(tmp_path, colours):
    y, x = np.mgrid[0:1:17j, 0:1:25j].astype(np.float32)
    r2 = (x - 0.5) ** 2 + (y - 0.5) ** 2
    layers = [np.stack([0.5 + (x - 0.5) * (0.9 + k * r2), 0.5 + (y - 0.5) * (0.9 + k * r2)], -1) for k in (0.2, 0.21, 0.22)[:colours]]
    names = dict(zip(("green",) if colours == 1 else ("red", "green", "blue"), (layer.ravel().astype(float).tolist() for layer in layers)))
    (tmp_path / "lens.json").write_text(json.dumps({"fovea-lens": 1, "grid": {"points": [25, 17], "between": "linear", **names}}))
    config = {"operators": "foveate,lens", "foveation.strength": 2}
    from_file = fovea.Foveator({**config, "lens.file": tmp_path / "lens.json"})
    from_array = fovea.Foveator(config, maps={"lens.file": layers[0] if colours == 1 else np.stack(layers)})
    seen = from_array(IMAGES, GAZES)
    assert np.array_equal(seen, from_file(IMAGES, GAZES)) and not np.array_equal(seen, fovea.Foveator(config)(IMAGES, GAZES))
    assert np.array_equal(seen[0], from_array(IMAGES[0], GAZES[0]))


def test_a_dense_lens_has_a_point_for_each_pixel():
    """Which takes the pixel beside its own."""
    y, x = np.mgrid[0:48, 0:64]
    field = fovea.Field(np.stack([(x + 1.5) / 64, (y + 0.5) / 48], -1), centered=True)
    seen = fovea.foveate(IMAGES, config=fovea.Foveator({"operators": "lens", "lens.filter": "bilinear"}, maps={"lens.file": field}))
    assert np.array_equal(seen[:, :, :-1], IMAGES[:, :, 1:])


def test_arrays_go_along_to_other_processes_and_make_foveators_differ():
    samples = RNG.random((8, 8))
    foveator = fovea.Foveator(MAP, maps={"foveation.map": samples})
    seen, bytes_of_it = foveator(IMAGES), pickle.dumps(foveator)
    samples[0] = 7  # it was copied
    other = fovea.Foveator(MAP, maps={"foveation.map": samples})
    assert foveator != other and not np.array_equal(other(IMAGES), seen)
    assert foveator == pickle.loads(bytes_of_it) and hash(foveator) == hash(pickle.loads(bytes_of_it))
    assert foveator == fovea.Foveator(MAP, maps={"foveation.map": foveator._settings.given.arrays[0][1].values.astype(np.float64)})
    text = foveator.text
    del foveator
    again = pickle.loads(bytes_of_it)
    assert again.text == text and np.array_equal(again(IMAGES), seen)


@pytest.mark.parametrize(
    "config, maps, error, text",
    [
        (None, {"foveation.map": np.ones((4, 4))}, fovea.ConfigError, "maps: foveation.map is given, and foveation.model is relative: it must be map"),
        (None, {"lens.file": np.moveaxis(np.mgrid[0:1:4j, 0:1:4j][::-1], 0, -1)}, fovea.ConfigError, "operators is foveate: it must list lens"),
        ("map", {"foveation.map": [[1, 2], [np.nan, 1]]}, fovea.ConfigError, "foveation.map.values: column 0 of row 1 is nan"),
        ("map", {"foveation.map": [[1, 2, 3]]}, ValueError, r"maps: foveation.map has shape \(1, 3\); it must be \(rows, columns\), 2 to 4096"),
        ("map", {"foveation.map": [["a", "b"]] * 2}, TypeError, "maps: foveation.map is an array of real numbers, not list"),
        ("map", {"foveation.map": np.ma.array(np.ones((4, 4)))}, TypeError, "maps: foveation.map is a masked array"),
        ("map", {"foveation.map": [np.ones(4), np.ma.array(np.ones(4))]}, TypeError, "maps: foveation.map is a masked array"),
        ("map", {"foveation.mpa": 1}, ValueError, "maps: 'foveation.mpa' takes no array; foveation.map and lens.file do"),
        ({"operators": "lens"}, {"lens.file": np.zeros((4, 4, 2))}, fovea.ConfigError, "lens.file: the field: .* folds over"),
        ({"operators": "lens"}, {"lens.file": np.zeros((5, 4, 4, 2))}, ValueError, r"maps: lens.file has shape \(5, 4, 4, 2\)"),
        ("map", {3: 1, "foveation.map": np.ones((4, 4))}, ValueError, "maps: 3 takes no array"),
        ("map", {"foveation.map": np.full((4, 4), 1e300)}, fovea.ConfigError, "column 0 of row 0 is inf"),
        ("map", [1], TypeError, "maps is a mapping of settings to arrays, not list"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_arrays_is_said_with_their_setting(config, maps, error, text):
    with pytest.raises(error, match=text):
        fovea.Foveator(config, maps=maps)


def test_maps_are_the_models_formulas():
    """Those of `paper` in docs/models.md: half the diagonal is 100 degrees, half a cycle a pixel 30 cycles a degree."""
    foveator = fovea.Foveator({"foveation.model": "paper", "foveation.strength": 1.5})
    (rows, columns), gazes = (45, 80), np.array(GAZES)
    eccentricity, cutoff, sigma = (f((rows, columns), gazes) for f in (foveator.eccentricity_map, foveator.cutoff_map, foveator.sigma_map))
    gain = foveator.gain_map((rows, columns), 3.0, 30.0, gaze=gazes)
    assert {m.shape for m in (eccentricity, cutoff, sigma, gain)} == {(2, rows, columns)} and gain.dtype == np.float32
    y, x = np.mgrid[0:rows, 0:columns] + 0.5
    distance = np.stack([np.hypot(x - gx, y - gy) for gx, gy in np.round(gazes * (columns, rows) * 256) / 256])
    degrees = np.minimum(100 * distance / (np.hypot(rows, columns) / 2), 100)
    assert np.allclose(eccentricity, degrees, atol=1e-3)
    cycles = np.minimum(30, 2.3 * np.log(64) / (0.106 * (degrees + 2.3)))
    assert np.allclose(cutoff, cycles, rtol=1e-4)
    wide = np.sqrt(2 * np.log(1 / 0.607)) / (2 * np.pi * 0.5 * cycles / 30)  # the model's, where the cutoff is below a quarter of a cycle a pixel
    far = cycles < 14
    assert far.mean() > 0.9 and np.allclose(sigma[far], 1.5 * wide[far], rtol=1e-3)
    assert np.allclose(gain[far], np.exp(-2 * (np.pi * sigma[far] * 0.05) ** 2), atol=1e-3)
    assert np.array_equal(sigma[1], foveator.sigma_map((rows, columns), GAZES[1]))
    several = [f((rows, columns), gaze=[GAZES, GAZES[::-1]]) for f in (foveator.eccentricity_map, foveator.cutoff_map, foveator.sigma_map)]
    several.append(foveator.gain_map((rows, columns), 3.0, 30.0, gaze=[GAZES]))
    assert np.allclose(several[0][1], degrees.min(axis=0), atol=1e-3) and several[0].shape == (2, rows, columns)
    for found, one, least in zip(several, (eccentricity, cutoff, sigma, gain), (np.min, np.max, np.min, np.max)):
        assert np.array_equal(found[0], least(one, axis=0))
    for taken, gaze, text in ((foveator, np.full((1, 5, 2), 0.5), "5 foveas"), (fovea.Foveator({"foveation.method": "blockwise"}), [GAZES], "blockwise")):
        with pytest.raises(ValueError, match=text):
            taken.sigma_map((rows, columns), gaze)
    own = {"gaze.fixed.x": GAZES[1][0], "gaze.fixed.y": GAZES[1][1]}
    with fovea.Gaze(own) as gaze, fovea.Gaze({"gaze.source": "mouse", "gaze.validity.fallback": "none"}) as nobody:
        for given in (gaze, gaze.read()):
            assert np.array_equal(sigma[1], foveator.sigma_map((rows, columns), given))
        with pytest.raises(ValueError, match="there is no gaze"):
            foveator.sigma_map((rows, columns), nobody)
    for wrong in (((0, 5),), ((5, 5), (400, 300)), ((5,),), ((5, 5), [1, 2, 3])):
        with pytest.raises(ValueError, match="shape is|pixels|gaze has"):
            foveator.sigma_map(*wrong)
    with pytest.raises(ValueError, match="cycles_per_deg is -1"):
        foveator.gain_map((5, 5), -1)
