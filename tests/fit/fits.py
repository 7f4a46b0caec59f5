# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Where the numbers of the kernels' polynomials come from. `python3 tests/fit/fits.py` prints them and their errors;
tests/test_fits.py compares them with the sources."""

import numpy as np


def minimax(function, low, high, degree):
    """The polynomial with the smallest largest error on low..high, by Remez' exchange; lowest power first."""
    count = degree + 2
    x = (low + high) / 2 - (high - low) / 2 * np.cos(np.linspace(0.0, np.pi, 20001))
    wanted, powers = function(x), x[:, None] ** np.arange(degree + 1)
    chosen = np.linspace(0, len(x) - 1, count).astype(int)
    for _ in range(50):
        signs = (-1.0) ** np.arange(count)[:, None]
        solved = np.linalg.solve(np.hstack([powers[chosen], signs]), wanted[chosen])[:-1]
        error = wanted - powers @ solved
        runs = np.split(np.arange(len(x)), np.flatnonzero(np.diff(np.sign(error))) + 1)
        extremes = [run[np.argmax(np.abs(error[run]))] for run in runs]
        while len(extremes) > count:
            extremes.pop(0 if abs(error[extremes[0]]) < abs(error[extremes[-1]]) else -1)
        if np.array_equal(extremes, chosen):
            break
        chosen = np.array(extremes)
    return solved


# ---- Weights g^(i^2) of a narrow Gaussian: cpu/tiles/blur.c, glsl/tile_blur.glsl

SAMPLED_FROM = 0.6  # from this variance on exp(-1 / (2 v)) is right


def variance_of_weights(g):
    i = np.arange(1, 12)[:, None] ** 2
    weights = g**i
    return 2.0 * (i * weights).sum(axis=0) / (1.0 + 2.0 * weights.sum(axis=0))


def first_weight(variance):
    """g whose weights have that variance, by halving the interval."""
    low, high = np.zeros_like(variance), np.full_like(variance, 0.99)
    for _ in range(60):
        middle = (low + high) / 2
        below = variance_of_weights(middle) < variance
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return low


def first_weight_error(coefficients):
    """Of a polynomial v (c0 + c1 v + ..): the largest error of a weight, in shares of it."""
    variance = np.linspace(1e-3, SAMPLED_FROM, 5001)
    return np.abs(variance * np.polyval(coefficients[::-1], variance) / first_weight(variance) - 1.0).max()


# ---- sRGB's curve (IEC 61966-2-1)

LINE_ENDS = 0.0031308


def srgb_of_light(light):
    return np.where(light <= LINE_ENDS, 12.92 * light, 1.055 * np.maximum(light, LINE_ENDS) ** (1 / 2.4) - 0.055)


def levels_of_light():
    """cpu/common/words.h: sRGB from the fourth root q of light, on the part of the curve that is no line."""
    return minimax(lambda q: 1.055 * q ** (5 / 3) - 0.055, LINE_ENDS**0.25, 1.0, 5)


def levels_of_light_error(coefficients):
    q = np.linspace(LINE_ENDS**0.25, 1.0, 20001)
    return 255.0 * np.abs(np.polyval(coefficients[::-1], q) - srgb_of_light(q**4)).max()


def half(value):
    """Rounded to half precision, as doubles: sums and products of halves are then exact, and those of a fused step too."""
    return np.float64(np.float16(value))


def light_of_levels(coefficients):
    """kernels/image/light.cuh: light of level n from x = n / 512 in half precision, each step a fused one."""
    x = half(np.arange(256) / 512)
    light = half(coefficients[-1])
    for c in coefficients[-2::-1]:
        light = half(x * light + half(c))
    return np.where(x <= half(10 / 512), half(x * half(512 / (12.92 * 255))), light)


def light_of_levels_error(coefficients):
    """The largest error, in levels."""
    return np.abs(255.0 * srgb_of_light(light_of_levels(coefficients)) - np.arange(256)).max()


def light_sums_error(coefficients, weights, levels):
    """kernels/lens/cuda/sums.cuh: levels of sums of four in half precision, red's and blue's, and the others'. Weights
    and levels are [4, count]. The largest error, in levels."""
    exact = np.where(levels <= 10, levels / (12.92 * 255), ((levels / 255 + 0.055) / 1.055) ** 2.4)
    light, w = light_of_levels(coefficients)[levels], half(weights)
    chain = half(w[0] * light[0])
    for i in (1, 2, 3):
        chain = half(w[i] * light[i] + chain)
    columns = [half(w[i + 2] * light[i + 2] + half(w[i] * light[i])) for i in (0, 1)]
    right = 255.0 * srgb_of_light((weights * exact).sum(0))
    return max(np.abs(255.0 * srgb_of_light(light) - right).max() for light in (chain, columns[0] + columns[1]))


# ---- Nodes of the ladder


def ladder_sigma(node):
    """glsl/ladder.glsl: the sigma at which the sum of the sampled Gaussian is 2^(node / 16)."""
    k = np.arange(1, 30)
    low, high = 0.05, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        below = 1.0 + 2.0 * np.exp(-(k**2) / (2.0 * middle**2)).sum() < 2.0 ** (node / 16)
        low, high = (middle, high) if below else (low, middle)
    return low


CLOSE_APART = 3  # of a row of nodes that begins with the picture


def gaussian_square(sigma):
    """Weights of a pixel and of those on one side of it along both axes, each times how many are alike."""
    line = np.exp(-(np.arange(12) ** 2) / (2.0 * max(sigma, 1e-3) ** 2))
    line /= line[0] + 2.0 * line[1:].sum()
    line[1:] *= 2.0
    return np.outer(line, line).ravel()


def close_row(numbers, place):
    """What four nodes blend for a place of them, less the pixel's own Gaussian; without numbers as Lagrange has it."""
    others = [np.delete(np.arange(4), i) for i in range(4)]
    weights = np.array([((place - k) / (i - k)).prod() for i, k in enumerate(others)])
    factor = place * (place - 1.0) * (place - 2.0) * (place - 3.0)
    squares = [gaussian_square(ladder_sigma(CLOSE_APART * i) if i else 0.0) for i in range(4)]
    return (weights + factor * np.array(numbers)) @ squares - gaussian_square(ladder_sigma(CLOSE_APART * place)), factor, squares


def close_excess(numbers):
    """The most that white neighbours have too much in a pixel, at places up to the second node behind the picture."""
    return max(np.maximum(close_row(numbers, place)[0][1:], 0.0).sum() for place in np.linspace(0.02, 1.98, 50))


def ladder_close():
    """plan/ladder.h: the numbers, whose sum is 0, that leave the least squares of weights; a pixel's own counts less."""
    rows = [close_row(np.zeros(4), place) for place in np.linspace(1 / 30, 59 / 30, 59)]
    count = np.ones(144)
    count[0] = 0.3
    left = np.vstack([factor * (count * (np.array(squares[1:]) - squares[0])).T for _, factor, squares in rows])
    solved = np.linalg.lstsq(left, np.concatenate([-count * error for error, _, _ in rows]), rcond=None)[0]
    return np.concatenate([[-solved.sum()], solved])


if __name__ == "__main__":
    print("levels of light:", levels_of_light(), "off by", levels_of_light_error(levels_of_light()), "levels")
    best = minimax(lambda v: first_weight(v) / v, 1e-3, SAMPLED_FROM, 5)
    print("first weight, the best of its degree for g / v:", best, "off by", first_weight_error(best))
    print("what rows from the picture on add:", ladder_close(), "off by", close_excess(ladder_close()), "not", close_excess(np.zeros(4)))
    print("sigmas of the first nodes:", [0.0] + [ladder_sigma(node) for node in range(1, 17)])
