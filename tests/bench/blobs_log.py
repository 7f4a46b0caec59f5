# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""How long Fovea's detector of blobs takes beside scikit-image's blob_log at equal scales, on this machine's processor.

    python3 tests/bench/blobs_log.py [--sizes 320x240,640x480] [--rounds 7] [--threads 2]

skimage's astronaut, made as large as asked: Fovea takes its colours, three channels of 128 bins, blob_log the grey picture, one channel
without bins, both at 19 scales from 2 to 128 px, blobs from 0.15 on (Fovea) and from 0.05 on. Prints the table of docs/saliency.md: of so
many rounds, in which the two take turns, the least time that went by and the least time of the processor. Needs scikit-image beside what
tests/requirements.txt names."""

import argparse
import time

import numpy as np
import skimage
import skimage.color
import skimage.data
import skimage.feature
import skimage.transform

import fovea

SCALES = 19
SIGMA_MIN_PX = 2.0
SIGMA_MAX_PX = SIGMA_MIN_PX * 2 ** ((SCALES - 1) / 3)


def picture_of(size):
    width, height = (int(side) for side in size.split("x"))
    astronaut = skimage.data.astronaut()
    return np.rint(255 * skimage.transform.resize(astronaut, (height, width), anti_aliasing=True)).astype(np.uint8)


def timed(call):
    """Seconds that went by, and seconds of the processor."""
    by, of_processor = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - by, time.process_time() - of_processor


def best_of(calls, rounds):
    """The least of each number, the calls one after the other in every round."""
    return np.min([[timed(call) for call in calls] for _ in range(rounds)], 0)


def row_of(size, options):
    picture = picture_of(size)
    grey = skimage.color.rgb2gray(picture)

    def of_fovea():
        return fovea.blobs(picture, scales=SCALES, sigma_min_px=SIGMA_MIN_PX, threads=options.threads)

    def of_skimage():
        return skimage.feature.blob_log(grey, SIGMA_MIN_PX, SIGMA_MAX_PX, SCALES, threshold=0.05, log_scale=True)

    of_fovea()  # memory is taken by the first
    ours, theirs = best_of([of_fovea, of_skimage], options.rounds)
    return (f"| {size} | {ours[0]:.3f} | {ours[1]:.3f} | {theirs[0]:.2f} | {theirs[1]:.2f} | {theirs[0] / ours[0]:.1f} |"
            f" {theirs[1] / ours[1]:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="320x240,640x480")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print(f"scikit-image {skimage.__version__}, {options.threads} threads, the best of {options.rounds}")
    print("| size | Fovea s | its processor s | blob_log s | its processor s | times as fast | of processor time |")
    print("|---|---|---|---|---|---|---|")
    for size in options.sizes.split(","):
        print(row_of(size, options), flush=True)


if __name__ == "__main__":
    main()
