# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""How good a calibrated tracker is: its accuracy and precision while somebody looks at nine targets."""

import sys
import time

import numpy as np

import fovea

SCREEN_DEG = (47.7, 28.0)  # of your screen, across and down: 2 atan(size / (2 distance))
SETTLE_S, LOOK_S = 0.7, 1.0  # the eye needs time to get to a target; then its samples count
TARGETS = [(x, y) for y in (0.1, 0.5, 0.9) for x in (0.1, 0.5, 0.9)]  # uv


def directions(places):
    """Unit vectors from the eye to places of the screen in uv."""
    tangents = (2 * np.asarray(places, float) - 1) * np.tan(np.radians(SCREEN_DEG) / 2)
    rays = np.concatenate([tangents, np.ones((*tangents.shape[:-1], 1))], axis=-1)
    return rays / np.linalg.norm(rays, axis=-1, keepdims=True)


def angles_deg(a, b):
    return np.degrees(2 * np.arcsin(np.linalg.norm(a - b, axis=-1) / 2))


def root_mean_square(values):
    return float(np.sqrt(np.mean(np.square(values))))


def quality(places, target):
    """Accuracy, how far the middle of all samples is from the target; precision as SD, their distance from that middle; and
    precision as RMS-S2S, the distance from sample to sample. In degrees; root mean squares of both axes together."""
    seen = directions(places)
    middle = seen.mean(axis=0) / np.linalg.norm(seen.mean(axis=0))
    return float(angles_deg(middle, directions(target))), root_mean_square(angles_deg(seen, middle)), root_mean_square(angles_deg(seen[1:], seen[:-1]))


def look(gaze, seconds):
    """The places of the samples of some seconds, each once, and how many more had no place."""
    places, lost, newest, end = [], 0, gaze.read().sample_count, time.monotonic() + seconds
    while time.monotonic() < end:
        sample = gaze.read()
        if sample.sample_count != newest:
            newest = sample.sample_count
            places += [sample.uv] if sample.is_tracked else []
            lost += not sample.is_tracked
        time.sleep(0.0002)
    return places, lost


def show(target):
    """Here the target goes to the screen: a dot of half a degree, on the background of your stimuli."""
    print(f"look at {target[0]:.1f}, {target[1]:.1f}", end="  ", flush=True)


if __name__ == "__main__":
    settings = {"gaze.source": sys.argv[1] if len(sys.argv) > 1 else "udp"}  # add those of your tracker; no filter
    with fovea.Gaze(settings, size_px=(1920, 1080)) as gaze:
        for target in TARGETS:
            show(target)
            time.sleep(SETTLE_S)
            places, lost = look(gaze, LOOK_S)
            if len(places) > 1:
                print("accuracy {:.2f}, SD {:.3f}, RMS-S2S {:.3f} degrees".format(*quality(places, target)), end=", ")
            print(f"{len(places)} samples and {lost} lost")
