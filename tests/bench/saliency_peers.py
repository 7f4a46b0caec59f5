# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Maps of saliency beside Fovea's largest response, and the thesis's filters beside ITK's.

    python3 tests/bench/saliency_peers.py FOLDER

FOLDER as for blobs_repeat.py. Needs opencv-contrib-python-headless, scikit-image and SimpleITK, and a C compiler. Prints two tables of
docs/saliency.md: how a map correlates with that of the same picture from elsewhere, brought back, where both have it; and how far
tests/bench/csdd_thesis/csdd_recursive.c is from ITK's LaplacianRecursiveGaussianImageFilter, which has the same coefficients."""

import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np
import SimpleITK
from blobs_repeat import scenes

import fovea

ROOT = Path(__file__).parents[2]
SCALES = 19


def map_of_fovea(picture):
    """The largest response of all scales, as `./run blobs --map` writes it."""
    finder = fovea.BlobFinder()
    finder(picture)
    response, most = np.empty(picture.shape[:2], np.float32), np.zeros(picture.shape[:2], np.float32)
    with finder._kept.held("cpu", 0) as state:
        function = fovea._library.library().fovea_blobs_response
        for scale in range(SCALES):
            assert function(state.pointer, ctypes.c_uint32(scale), response.ctypes.data_as(ctypes.c_void_p), ctypes.c_ssize_t(response.strides[0])) == 0
            np.maximum(most, response, out=most)
    return most


def map_of_opencv(create):
    return lambda picture: create().computeSaliency(cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))[1].astype(np.float32)


MAPS = {
    "Fovea, largest response": map_of_fovea,
    "OpenCV StaticSaliencyFineGrained": map_of_opencv(cv2.saliency.StaticSaliencyFineGrained_create),
    "OpenCV StaticSaliencySpectralResidual": map_of_opencv(cv2.saliency.StaticSaliencySpectralResidual_create),
}


def correlation(find, picture, other, there):
    height, width = picture.shape[:2]
    there = np.asarray(there, np.float64)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    back = cv2.warpPerspective(find(other), there, (width, height), flags=flags)
    both = cv2.warpPerspective(np.ones(other.shape[:2], np.float32), there, (width, height), flags=flags) > 0.99
    return np.corrcoef(find(picture)[both], back[both])[0, 1]


class Recursive(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double * 4) for name in ("causal", "anticausal", "feedback")]


def filtered(lines, one):
    """Along the first axis; zeros come before and behind."""
    n, m, d = (np.array(numbers) for numbers in (one.causal, one.anticausal, one.feedback))
    length = len(lines)
    x, there, back = (np.zeros((length + 8, *lines.shape[1:])) for _ in range(3))
    x[4:-4] = lines
    for i in range(4, length + 4):
        there[i] = np.tensordot(n, x[i - 3 : i + 1][::-1], 1) - np.tensordot(d, there[i - 4 : i][::-1], 1)
    for i in range(length + 3, 3, -1):
        back[i] = np.tensordot(m, x[i + 1 : i + 5], 1) - np.tensordot(d, back[i + 1 : i + 5], 1)
    return (there + back)[4:-4]


def beside_itk(library, sigma):
    """The largest difference, as a part of the largest value, of a picture whose border is wide and black."""
    picture = np.zeros((512, 512))
    picture[200:312, 200:312] = np.random.default_rng(1).random((112, 112)) > 0.5
    gauss, second = Recursive(), Recursive()
    library.csdd_recursive_of(ctypes.c_double(sigma), 0, ctypes.byref(gauss))
    library.csdd_recursive_of(ctypes.c_double(sigma), 2, ctypes.byref(second))
    ours = sum(filtered(filtered(picture, one).T, other).T for one, other in ((gauss, second), (second, gauss)))
    image = SimpleITK.GetImageFromArray(picture)
    theirs = SimpleITK.GetArrayFromImage(SimpleITK.LaplacianRecursiveGaussian(image, sigma, False))
    return abs(ours - theirs).max() / abs(theirs).max()


def main():
    all_scenes = list(scenes(Path(sys.argv[1])))
    print("| map |", " | ".join(scene[0] for scene in all_scenes), "| CPU s a picture |")
    print("|---" * (len(all_scenes) + 2) + "|")
    for name, find in MAPS.items():
        cells = [f"{correlation(find, *scene[1:]):.2f}" for scene in all_scenes]
        start = time.process_time()
        find(all_scenes[0][1])
        print(f"| {name} |", " | ".join(cells), f"| {time.process_time() - start:.2f} |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        source, built = ROOT / "tests/bench/csdd_thesis/csdd_recursive.c", f"{folder}/recursive.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", f"-I{ROOT}", f"-I{ROOT}/plugin", "-o", built, source, "-lm"], check=True)
        library = ctypes.CDLL(built)
        sigmas = (2.0, 4.0, 8.0, 16.0)
        print("\n| sigma |", " | ".join(f"{sigma:g}" for sigma in sigmas), "|\n" + "|---" * (len(sigmas) + 1) + "|")
        print("| largest difference |", " | ".join(f"{beside_itk(library, sigma):.1e}" for sigma in sigmas), "|")


if __name__ == "__main__":
    main()
