# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The kernels' polynomials and the ladder's first nodes are those of tests/fit/fits.py, within the errors that comments state."""

import re
import sys

import pytest
from conftest import ROOT

np = pytest.importorskip("numpy")
sys.path.insert(0, str(ROOT / "tests" / "fit"))
import fits  # noqa: E402

GAUSS = ROOT / "kernels" / "gauss"
NUMBER = r"-?\b\d+\.\d+(?:e-?\d+)?"


def numbers(path, function):
    """Those of a function's body, or of a table, in their order."""
    text = (GAUSS / path).read_text()
    body = text[text.index(function) :]
    return [float(number) for number in re.findall(NUMBER, body[: body.index("\n}")])]


def test_first_weights_are_one_polynomial_within_its_error():
    cpu = numbers("cpu/tiles/blur.c", "lanes solved(")
    assert len(cpu) == 6
    assert {abs(number) for number in cpu} <= {abs(number) for number in numbers("glsl/tile_blur.glsl", "vec4 first_weights(")}
    assert fits.first_weight_error(cpu) < 1e-3
    variance = np.linspace(1e-3, fits.SAMPLED_FROM, 1001)
    weights = variance * np.polyval(cpu[::-1], variance)
    assert np.abs(fits.variance_of_weights(weights) - variance).max() < 7e-4


def test_levels_of_light_are_the_best_polynomial():
    found = numbers("cpu/common/words.h", "gauss_cpu_level_of_light(")
    coefficients = [number for number in found if number not in (1e-30, 255.0, 12.92, 0.0031308)]
    assert coefficients == pytest.approx(list(fits.levels_of_light()), abs=1e-6)
    assert fits.levels_of_light_error(coefficients) < 0.002


def light_of_bytes():
    text = (GAUSS.parent / "image/light.cuh").read_text()
    body = text[text.index(" light_of_bytes(uint32_t two)") :]
    terms = re.findall(rf"rn\(({NUMBER})f(?: \* (\d+))?\)", body[: body.index("const uint32_t dark")])
    coefficients = [float(number) * float(scale or 1) for number, scale in terms[1:]]
    assert len(coefficients) == 6
    return coefficients[::-1]


def test_light_of_levels_is_within_its_error():
    assert fits.light_of_levels_error(light_of_bytes()) < 0.07


@pytest.mark.parametrize("sharpness", [1, 6])
def test_sums_of_light_are_within_their_error(sharpness):
    random = np.random.default_rng(sharpness)
    x, y = random.random((2, 200000)) ** sharpness
    weights = np.array([(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y])
    for levels in (random.integers(0, 256, weights.shape), random.choice([0, 3, 10, 11, 30, 254, 255], weights.shape),
                   np.tile(random.integers(0, 256, len(x)), (4, 1))):  # fmt: skip
        assert 0.05 < fits.light_sums_error(light_of_bytes(), weights, levels) < 0.2


def test_nodes_of_the_ladder():
    text = (GAUSS / "glsl/ladder.glsl").read_text()
    table = text[text.index("ladder_close_px[LADDER_CLOSE] =") :].split(";")[0]
    found = [float(number) for number in re.findall(NUMBER, table)]
    assert found == pytest.approx([0.0] + [fits.ladder_sigma(node) for node in range(1, 17)], abs=2e-7)


def test_rows_of_nodes_from_the_picture_on():
    found = [float(n) for n in re.findall(rf"GAUSS_LADDER_CLOSE_\d ({NUMBER})f", (GAUSS / "plan/ladder.h").read_text())]
    assert found == numbers("glsl/ladder.glsl", "float ladder_close(")[-4:]
    assert abs(sum(found)) < 1e-9
    assert found == pytest.approx(list(fits.ladder_close()), abs=2e-4)
    assert fits.close_excess(found) < 3.3e-5 < 1.7e-4 < fits.close_excess(np.zeros(4))


def test_narrow_nodes_reach_alike():
    header = (GAUSS / "plan/ladder.h").read_text()
    least, reach = (re.search(rf"{name} ({NUMBER})", header)[1] for name in ("GAUSS_LADDER_REACH_FROM", "GAUSS_LADDER_REACH"))
    assert f"residual >= {least} ? max(reach, {reach})" in (GAUSS / "glsl/smooth_nodes.comp").read_text()
