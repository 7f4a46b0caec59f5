# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
import sys
import time

import numpy as np

import fovea

# Geometry: the picture's width on the screen, the distance, and what the settings make of it.
foveator = fovea.Foveator({
    "foveation.model": "physical",
    "foveation.geometry.screen_width_m": 0.53,
    "foveation.geometry.distance_m": 0.6,
    "foveation.strength": 1,
})
height, width = 270, 480  # of your pictures; small here
eccentricity, sigma = foveator.eccentricity_map((height, width)), foveator.sigma_map((height, width))
left = foveator.gain_map((height, width), cycles_per_deg=4)
print(f"corner: {eccentricity[0, 0]:.1f} degrees, sigma {sigma[0, 0]:.2f} px, of 4 cycles a degree {left[0, 0]:.2f} are left")

# Gaze: `python experiment.py NAME lsl`; without a tracker a model eye.
tracker = {"gaze.source": sys.argv[2] if len(sys.argv) > 2 else "saccades", "gaze.screen_deg": [47.7, 28.0]}
states = {"gaze.filter.velocity_deg_s": 40} if tracker["gaze.source"] != "saccades" else {}
picture = np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8)


def show(image):
    """Here the picture goes to the screen. With PsychoPy: stimulus.image = ...; stimulus.draw(); window.flip()."""
    return time.monotonic_ns()  # when it was there


with (
    fovea.Gaze({**tracker, **states}, size_px=(width, height)) as gaze,
    fovea.Record(sys.argv[1] if len(sys.argv) > 1 else "sub-01_task-look", foveator) as record,
):
    for _ in range(30):
        sample = gaze.read()
        begin = time.perf_counter()
        seen = foveator(picture, sample)
        took_s = time.perf_counter() - begin
        record.add(sample, seen.shape, took_s=took_s, presented_t_ns=show(seen))
