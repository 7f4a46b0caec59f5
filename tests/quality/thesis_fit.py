#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Sigmas that fit the ways of Ernst 2013 best, as the thesis finds them; prints the table of docs/blur-thesis.md.

    python3 tests/quality/thesis_fit.py

Of each picture a way's blur and Gaussians of 6 sigma width, each 0.25 px apart, are compared by the sum of absolute differences; the
Gaussian that differs least has the sigma that fits; SSIM is beside that one. Pictures are 256x256 from the middles of those that scikit-image brings, grey,
and two drawn ones. The outermost pixels go on, and 48 px at each edge do not count.

Needs numpy, scipy and scikit-image of the Python package index. Takes half a minute.
"""

import numpy as np
import skimage.data
from scipy.ndimage import convolve1d
from skimage.metrics import structural_similarity

SIDE, MARGIN, STEP = 256, 48, 0.25
NAMES = "astronaut brick camera chelsea coffee coins grass gravel hubble_deep_field immunohistochemistry moon page rocket text".split()


def pictures():
    found = []
    for name in NAMES:
        picture = getattr(skimage.data, name)().astype(float)
        picture = picture[..., :3] @ (0.299, 0.587, 0.114) if picture.ndim == 3 else picture
        grown = np.pad(picture, [(max(SIDE - n + 1, 0) // 2,) * 2 for n in picture.shape], mode="reflect")
        y, x = ((n - SIDE) // 2 for n in grown.shape)
        found.append(grown[y : y + SIDE, x : x + SIDE])
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    return [*found, 255.0 * (x // 11 % 2), 255.0 * (np.hypot(x % 64 - 32, y % 64 - 32) < 20)]


def lines(picture, weights):
    return convolve1d(convolve1d(picture, weights, 0, mode="nearest"), weights, 1, mode="nearest")


def gaussian(sigma):
    reach = max(int(np.ceil(6 * sigma)) // 2, 1)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return weights / weights.sum()


def boxes(width, count):
    def blur(picture):
        for _ in range(count):
            picture = lines(picture, np.full(width, 1 / width))
        return picture

    return blur, np.sqrt(count * (width**2 - 1) / 12)


def tent(radius):
    weights = np.maximum(radius - np.abs(np.arange(-radius, radius + 1.0)), 0)
    return lambda picture: lines(picture, weights / weights.sum()), np.sqrt((radius**2 - 1) / 6)


def diffusion(steps):
    def blur(picture):
        for _ in range(steps):
            wide = np.pad(picture, 1, mode="edge")
            picture = (wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]) / 4
        return picture

    return blur, np.sqrt(steps / 2)


def pyramid(taps, levels):
    def down(picture):
        for axis in (0, 1):
            reach = len(taps) // 2 - 1
            wide = np.pad(picture, [(reach, reach) if i == axis else (0, 0) for i in (0, 1)], mode="edge")
            middles = np.arange(0, picture.shape[axis], 2)
            picture = sum(weight * np.take(wide, middles + k, axis) for k, weight in enumerate(taps))
        return picture

    def up(picture):
        for axis in (0, 1):
            wide = np.pad(picture, [(1, 1) if i == axis else (0, 0) for i in (0, 1)], mode="edge")
            first, middle, last = (np.take(wide, np.arange(k, wide.shape[axis] - 2 + k), axis) for k in (0, 1, 2))
            both = np.stack([0.25 * first + 0.75 * middle, 0.75 * middle + 0.25 * last], axis + 1)
            picture = both.reshape([2 * n if i == axis else n for i, n in enumerate(picture.shape)])
        return picture

    def blur(picture):
        for _ in range(levels):
            picture = down(picture)
        for _ in range(levels):
            picture = up(picture)
        return picture

    variance = {2: 1 / 4, 4: 17 / 16 if taps[0] < 0.25 else 5 / 4}[len(taps)]
    return blur, np.sqrt((variance + 3 / 4) * (4**levels - 1) / 3)


QUASI, BOX_2, BOX_4 = np.array([13, 19, 19, 13]) / 64, np.full(2, 1 / 2), np.full(4, 1 / 4)
WAYS = [
    *((f"box {w}, {n} times", *boxes(w, n), d) for w, all_of in ((3, (0.97, 1.25, 1.5, 1.75)), (9, (2.88, 3.75, 4.59, 5.25)),
      (15, (4.78, 6.38, 7.75, 8.77)), (21, (6.73, 8.98, 10.78, 12.32))) for n, d in enumerate(all_of, 1)),
    *((f"spreading, radius {r}", *tent(r), d) for r, d in ((6, 2.51), (12, 5.06), (20, 8.54))),
    *((f"diffusion, {n} steps", *diffusion(n), d) for n, d in ((1, 1), (2, 1.25), (5, 1.75), (10, 2.25), (50, 5))),
    *((f"pyramid {name}, {n} levels", *pyramid(taps, n), d) for name, taps, all_of in (("2x2", BOX_2, (1.14, 2.25, 4.51)),
      ("quasi", QUASI, (1.5, 3.0, 6.24)), ("4x4", BOX_4, (1.5, 3.25, 6.53))) for n, d in enumerate(all_of, 1)),
]  # fmt: skip


def fit(blurred, candidates):
    inner = np.s_[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return min(candidates, key=lambda s: np.abs(candidates[s][inner] - blurred[inner]).sum())


def alike(blurred, gaussian_of_fit):
    inner = np.s_[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return structural_similarity(blurred[inner], gaussian_of_fit[inner], data_range=255)


def main():
    sigmas = np.arange(STEP, 15, STEP)
    all_of = [(picture, {s: lines(picture, gaussian(s)) for s in sigmas}) for picture in pictures()]
    print("| way | by second moments | fits best: mean, median, least to largest | the thesis | SSIM: mean, least |")
    print("| --- | --- | --- | --- | --- |")
    for name, blur, exact, theirs in WAYS:
        made = [blur(picture) for picture, _ in all_of]
        found = [fit(picture, candidates) for picture, (_, candidates) in zip(made, all_of)]
        ssim = [alike(picture, candidates[s]) for picture, s, (_, candidates) in zip(made, found, all_of)]
        print(f"| {name} | {exact:.2f} | {np.mean(found):.2f}, {np.median(found):.2f}, {min(found):g} to {max(found):g} | {theirs:g} "
              f"| {np.mean(ssim):.4f}, {min(ssim):.4f} |")  # fmt: skip
    weights = np.exp(-0.5 * (np.arange(-60, 61) / 3) ** 2)
    for width in (3, 9, 18):
        inside = np.abs(np.arange(-60, 61)) <= width / 2
        kept = weights * inside / (weights * inside).sum()
        sigma = np.sqrt((kept * np.arange(-60, 61) ** 2).sum())
        print(f"A Gaussian of sigma 3, {inside.sum()} wide: {100 * (weights * inside).sum() / weights.sum():.1f} % of it, sigma {sigma:.2f}")


if __name__ == "__main__":
    main()
