# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Gratings and a zone plate, foveated: what is left of them, beside the number to expect."""

import math

import numpy as np

import fovea

SCREEN_M, DISTANCE_M, GAZE = 0.53, 0.6, (0.25, 0.5)  # of your room; the gaze is at the left
height, width = 240, 1920  # as wide as your screen, in pixels
geometry = {"foveation.geometry.screen_width_m": SCREEN_M, "foveation.geometry.distance_m": DISTANCE_M}
# Averaged as they are stored, values stay a grating; as light they would become one of other contrast.
foveator = fovea.Foveator({"foveation.model": "physical", "foveation.light": "encoded", **geometry})
eccentricity_deg = foveator.eccentricity_map((height, width), GAZE)
x, y = np.arange(width)[None] + 0.5 - width / 2, np.arange(height)[:, None] + 0.5 - height / 2
distance_px = width * DISTANCE_M / SCREEN_M


def amplitude(phase):
    """At each pixel, of pictures with this phase in radians and one a quarter later: what is left of an amplitude of 1."""
    waves = [np.broadcast_to(wave(phase), (height, width)) for wave in (np.cos, np.sin)]
    seen = [foveator((0.5 + 0.5 * wave[..., None]).astype(np.float32).repeat(3, -1), GAZE)[..., 0] for wave in waves]
    return 2 * np.hypot(*[picture - 0.5 for picture in seen])


def expected(row, column, fx, fy):
    """The same at one pixel, of a grating with so many cycles a pixel there, from the model."""
    at_x, at_y, f = x[0, column], y[row, 0], math.hypot(fx, fy)
    ray2 = at_x**2 + at_y**2 + distance_px**2
    across = math.sqrt(ray2 - ((at_x * fx + at_y * fy) / f) ** 2)
    cycles_per_deg = f * math.radians(1) * ray2 / across
    return foveator.gain_map((height, width), cycles_per_deg, math.degrees(math.atan2(fy, fx)), GAZE)[row, column]


def compare(name, phase, frequency):
    left = amplitude(phase)
    for column in range(width // 3, width, width // 4):
        row = height // 4
        wanted = expected(row, column, *frequency(row, column))
        print(f"{name:>20} at {eccentricity_deg[row, column]:4.1f} degrees: {left[row, column]:.3f}, expected {wanted:.3f}")
        assert abs(left[row, column] - wanted) < 0.02


for f in (0.05, 0.1, 0.2):  # cycles a pixel
    compare(f"columns, {f} c/px", 2 * np.pi * f * x, lambda row, column, f=f: (f, 0.0))
k = 0.2 / width  # 0.2 cycles a pixel at the left and right edge
compare("zone plate", 2 * np.pi * k * (x**2 + y**2), lambda row, column: (2 * k * x[0, column], 2 * k * y[row, 0]))
