# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What one would write with OpenCV: a pyramid, blended by eccentricity. For ./run bench --opencv.

    opencv_pyramid.py WIDTH HEIGHT GAZE_X_UV GAZE_Y_UV THREADS quick|full

prints OpenCV's version, how often it measured, and the median, the 10th and the 90th percentile of a
picture's microseconds. From the coarsest level up: up-sampled once, blended with the level below at that
level's size, and so on, which is less work than bringing every level to full size first. Weights are made
once, for twice the picture's size, and a gaze takes its window of them. All in C++ behind the calls, on
RGBA with 8 bits, as many threads as told.

Level k of cv2.pyrDown is the picture blurred by (4^k - 1) / 3 pixels squared; between two levels the
weight is linear in variance. The blur that is asked for is the paper's law (docs/models.md)."""

import math
import sys
import time

import cv2
import numpy

PICTURES = 8
CT0, ALPHA, E2_DEG, E_MAX_DEG, F_MAX_CPD = 1 / 64, 0.106, 2.3, 100.0, 30.0


def variance_px2(distance_px, half_diagonal_px):
    eccentricity_deg = distance_px * (E_MAX_DEG / half_diagonal_px)
    cutoff_cpd = math.log(1 / CT0) / ALPHA * E2_DEG / (E2_DEG + eccentricity_deg)
    return (F_MAX_CPD / cutoff_cpd / math.pi) ** 2


def level_variance_px2(k):
    return (4.0**k - 1.0) / 3.0


class Foveation:
    def __init__(self, width, height):
        self.size = (width, height)
        self.half_diagonal = math.hypot(width, height) / 2
        most = variance_px2(2 * self.half_diagonal, self.half_diagonal)
        self.levels = 1
        while level_variance_px2(self.levels) < most:
            self.levels += 1
        self.weights = [self.make_weights(k) for k in range(self.levels)]

    def make_weights(self, k):
        """Of level k against the coarser ones, for every distance of a pixel of level k from the gaze."""
        width, height = (2 * (side // 2**k + 2) for side in self.size)
        x = (numpy.arange(width, dtype=numpy.float32) - width / 2) * 2**k
        y = (numpy.arange(height, dtype=numpy.float32) - height / 2) * 2**k
        variance = variance_px2(numpy.hypot(x[None, :], y[:, None]), self.half_diagonal)
        low, high = level_variance_px2(k), level_variance_px2(k + 1)
        coarse = numpy.clip((variance - low) / (high - low), 0, 1).astype(numpy.float32)
        return 1 - coarse, coarse

    def window(self, k, shape, gaze):
        """The weights of a level of that shape with the gaze there, as views."""
        height, width = shape[:2]
        fine, coarse = self.weights[k]
        left = fine.shape[1] // 2 - round(gaze[0] * width)
        top = fine.shape[0] // 2 - round(gaze[1] * height)
        part = slice(top, top + height), slice(left, left + width)
        return fine[part], coarse[part]

    def run(self, picture, gaze):
        levels = [picture]
        for _ in range(self.levels):
            levels.append(cv2.pyrDown(levels[-1]))
        out = levels.pop()
        for k in reversed(range(self.levels)):
            level = levels[k]
            out = cv2.pyrUp(out, dstsize=(level.shape[1], level.shape[0]))
            out = cv2.blendLinear(level, out, *self.window(k, level.shape, gaze))
        return out


def measure(foveation, pictures, gaze, least, enough_s):
    """Microseconds of each repetition; the first runs do not count."""
    times = []
    for picture in pictures[:3]:
        foveation.run(picture, gaze)
    begin = time.perf_counter()
    while len(times) < least or time.perf_counter() - begin < enough_s:
        before = time.perf_counter()
        foveation.run(pictures[len(times) % PICTURES], gaze)
        times.append((time.perf_counter() - before) * 1e6)
    return times


def main(width, height, gaze_x, gaze_y, threads, how):
    cv2.setNumThreads(int(threads))
    size = (int(height), int(width), 4)
    random = numpy.random.default_rng(1)
    pictures = [random.integers(0, 256, size, dtype=numpy.uint8) for _ in range(PICTURES)]
    least, enough_s = (3, 0.0) if how == "quick" else (20, 3.0)
    times = measure(Foveation(int(width), int(height)), pictures, (float(gaze_x), float(gaze_y)), least, enough_s)
    print(cv2.__version__, len(times), *numpy.percentile(times, (50, 10, 90)))


if __name__ == "__main__":
    main(*sys.argv[1:])
