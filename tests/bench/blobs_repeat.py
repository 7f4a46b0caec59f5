# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""How many blobs of a picture are found again in the same picture from elsewhere: ours beside other detectors.

    python3 tests/bench/blobs_repeat.py FOLDER [REGEX]

FOLDER has graf1.png, graf3.png and H1to3p.xml, as Debian's opencv-doc brings them; REGEX chooses detectors. Needs opencv-python-headless and
scikit-image beside what tests/requirements.txt names. Prints the table of docs/saliency.md.

A region is a disc. It is found again if a disc of the other picture, brought back by the homography (its affine part at
the centre: an ellipse), overlaps it by more than 60 % of their union, each with one partner at most, the best pairs
first (Mikolajczyk and others 2005, without their rescaling). Repeatability is the number of pairs over the smaller
number of regions that lie whole in both pictures."""

import re
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import skimage.data
import skimage.feature

import fovea

STRONGEST = 500
OVERLAP = 0.6
GRID = np.stack(np.meshgrid(np.linspace(-1, 1, 61), np.linspace(-1, 1, 61)), -1).reshape(-1, 2)


def of_fovea(picture):
    found = fovea.blobs(picture, max_count=STRONGEST)
    return np.stack([found["x_px"], found["y_px"], np.sqrt(2) * found["sigma_px"]], 1)


def of_skimage(detect, **settings):
    def run(picture):
        grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY) / 255
        found = np.vstack([detect(one, **settings) for one in (grey, 1 - grey)])  # it finds bright blobs alone
        strength = [abs(response_of(grey, x, y, sigma)) for y, x, sigma in found]
        found = found[np.argsort(strength)[::-1][:STRONGEST]]
        return found[:, [1, 0, 2]] * [1, 1, np.sqrt(2)]

    return run


def response_of(grey, x, y, sigma):
    """The centre less its surround, since scikit-image keeps no strengths."""
    def mean(radius):
        x0, x1 = max(int(x - radius), 0), int(x + radius) + 1
        y0, y1 = max(int(y - radius), 0), int(y + radius) + 1
        return grey[y0:y1, x0:x1].mean()

    return mean(sigma) - mean(2 * sigma)


def of_opencv(create):
    def run(picture):
        points = create().detect(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), None)
        points = sorted(points, key=lambda point: -point.response)[:STRONGEST]
        return np.array([[*point.pt, point.size / 2] for point in points]).reshape(-1, 3)

    return run


def of_mser(picture):
    regions, _ = cv2.MSER_create().detectRegions(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY))
    return np.array([[*region.mean(0), np.sqrt(len(region) / np.pi)] for region in regions])[:STRONGEST]


DETECTORS = {
    "Fovea, three channels": of_fovea,
    "scikit-image blob_log": of_skimage(skimage.feature.blob_log, min_sigma=2, max_sigma=64, num_sigma=16, threshold=0.05),
    "scikit-image blob_dog": of_skimage(skimage.feature.blob_dog, min_sigma=2, max_sigma=64, threshold=0.05),
    "scikit-image blob_doh": of_skimage(skimage.feature.blob_doh, min_sigma=2, max_sigma=64, num_sigma=16, threshold=0.002),
    "OpenCV SIFT": of_opencv(cv2.SIFT_create),
    "OpenCV MSER, discs of equal area": of_mser,
    "OpenCV SimpleBlobDetector": of_opencv(cv2.SimpleBlobDetector_create),
}


def bring(homography, points):
    mapped = np.c_[points, np.ones(len(points))] @ homography.T
    return mapped[:, :2] / mapped[:, 2:]


def affine_at(homography, point):
    step = 0.5
    moved = bring(homography, point + step * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]))
    return np.stack([moved[0] - moved[1], moved[2] - moved[3]], 1) / (2 * step)


def lies_within(homography, regions, shape):
    """Whole, in the other picture: its box's corners do."""
    inside = np.ones(len(regions), bool)
    for dx, dy in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        corner = bring(homography, regions[:, :2] + regions[:, 2:] * [dx, dy])
        inside &= ((corner >= 0) & (corner <= [shape[1], shape[0]])).all(1)
    return inside


def overlap(disc, centre, inverse):
    """Of the disc, and of the ellipse {centre + A u, |u| < 1}, whose A has that inverse."""
    extent = max(disc[2], 1 / np.linalg.svd(inverse, compute_uv=False)[1])
    at = disc[:2] + GRID * (extent + np.hypot(*(centre - disc[:2])))
    in_disc = ((at - disc[:2]) ** 2).sum(1) < disc[2] ** 2
    in_ellipse = (((at - centre) @ inverse.T) ** 2).sum(1) < 1
    return (in_disc & in_ellipse).sum() / max((in_disc | in_ellipse).sum(), 1)


def count_pairs(first, second, back):
    """back brings the second picture's places to the first's."""
    centres = bring(back, second[:, :2])
    pairs = []
    for j, (centre, region) in enumerate(zip(centres, second)):
        shape = affine_at(back, region[:2]) * region[2]
        radius = np.sqrt(abs(np.linalg.det(shape)))
        inverse = np.linalg.inv(shape)
        near = np.hypot(*(first[:, :2] - centre).T) < np.minimum(first[:, 2], radius)
        similar = np.maximum(first[:, 2], radius) < 1.6 * np.minimum(first[:, 2], radius)
        pairs += [(overlap(first[i], centre, inverse), i, j) for i in np.flatnonzero(near & similar)]
    taken = [set(), set()]
    count = 0
    for part, i, j in sorted(pairs, reverse=True):
        if part > OVERLAP and i not in taken[0] and j not in taken[1]:
            taken[0].add(i)
            taken[1].add(j)
            count += 1
    return count


def repeatability(detect, picture, other, there):
    first, second = detect(picture), detect(other)
    back = np.linalg.inv(there)
    first = first[lies_within(there, first, other.shape)]
    second = second[lies_within(back, second, picture.shape)]
    fewest = min(len(first), len(second))
    pairs = count_pairs(first, second, back) if fewest else 0
    return pairs / max(fewest, 1), pairs


def turned(picture, degrees, scale):
    height, width = picture.shape[:2]
    there = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), degrees, scale), [0, 0, 1]])
    smooth = cv2.GaussianBlur(picture, (0, 0), 0.5 * np.sqrt(1 / scale**2 - 1)) if scale < 1 else picture
    return cv2.warpPerspective(smooth, there, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE), there


def scenes(folder):
    read = lambda name: cv2.cvtColor(cv2.imread(str(folder / name)), cv2.COLOR_BGR2RGB)
    graf = read("graf1.png")
    storage = cv2.FileStorage(str(folder / "H1to3p.xml"), cv2.FILE_STORAGE_READ)
    homography = storage.getNode("H13").mat()
    yield "graf 1 to 3", graf, read("graf3.png"), homography
    for name, picture in (("graf", graf), ("astronaut", skimage.data.astronaut())):
        for degrees, scale in ((30, 1), (0, 0.7), (0, 0.5)):
            yield f"{name}, {degrees} degrees" if degrees else f"{name} x {scale}", picture, *turned(picture, degrees, scale)


def main():
    all_scenes = list(scenes(Path(sys.argv[1])))
    print("| detector |", " | ".join(scene[0] for scene in all_scenes), "| s a picture |")
    print("|---" * (len(all_scenes) + 2) + "|")
    for name, detect in DETECTORS.items():
        if not re.search(sys.argv[2] if len(sys.argv) > 2 else "", name):
            continue
        start = time.process_time()
        results = [repeatability(detect, picture, other, there) for _, picture, other, there in all_scenes]
        start_alone = time.process_time()
        detect(all_scenes[0][1])
        alone_s = time.process_time() - start_alone
        cells = [f"{100 * part:.0f} % ({pairs})" for part, pairs in results]
        print(f"| {name} |", " | ".join(cells), f"| {alone_s:.2f} |", flush=True)
        print(f"{name}: {time.process_time() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
