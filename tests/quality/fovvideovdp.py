#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What a viewer would notice of foveation, by FovVideoVDP; prints the table of docs/quality.md.

    python3 tests/quality/fovvideovdp.py FOVEA_QUALITY [PICTURE...]

FOVEA_QUALITY is build/release/tests/fovea_quality, PICTURE a PNG or JPEG file of 1920x1080 pixels. Needs
pyfvvdp from the Python package index, whose licence is non-commercial: nothing of Fovea depends on it.
"""

import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import imageio.v3 as imageio
import pyfvvdp
import torch

# 24 inches from 0.6 m, as the default of foveation.geometry; 200 cd/m2, contrast 1000, 250 lux in the room
DISPLAY = "standard_fhd"
SIZE_PX = (1920, 1080)
GAZE = (0.5, 0.5)
AWAY = (0.15, 0.8)
DRAWN = ["landscape 1", "landscape 5", "text, black on white", "edges in all directions 1"]
CASES = [
    ("smooth, physical", ["method=smooth", "model=physical"]),
    ("blockwise, physical, 32 px", ["method=blockwise", "model=physical"]),
    ("smooth, paper", ["method=smooth", "model=paper"]),
    ("blockwise, paper, 32 px", ["method=blockwise", "model=paper"]),
]


def foveated(program, picture, sets, folder):
    words = [word for text in sets for word in ("--set", f"foveation.{text}")]
    gaze = ",".join(str(part) for part in GAZE)
    out = folder / "foveated.png"
    subprocess.run([program, "foveate", picture, "--gaze", gaze, *words, "--output", out], check=True)
    return imageio.imread(out)[..., :3]


def pictures(program, folder, files):
    for name in DRAWN:
        out = folder / "drawn.png"
        subprocess.run([program, "draw", name, "{}x{}".format(*SIZE_PX), out], check=True)
        yield name, out
    for file in files:
        yield Path(file).name, Path(file)


def score(metric, test, reference, fixation_uv):
    """Just-objectionable differences: 10 is none."""
    fixation_px = torch.tensor([part * side for part, side in zip(fixation_uv, SIZE_PX)])
    jod, _ = metric.predict(test, reference, dim_order="HWC", fixation_point=fixation_px)
    return float(jod)


def main(program, files):
    metric = pyfvvdp.fvvdp(display_name=DISPLAY, foveated=True, quiet=True)
    everywhere = pyfvvdp.fvvdp(display_name=DISPLAY, foveated=False, quiet=True)
    print(f"pyfvvdp {version('pyfvvdp')}, torch {version('torch')}", file=sys.stderr)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, picture in pictures(program, folder, files):
            reference = imageio.imread(picture)[..., :3]
            cells = [f"{score(metric, reference, reference, GAZE):.2f}"]
            for _, sets in CASES:
                test = foveated(program, picture, sets, folder)
                scores = [score(metric, test, reference, at) for at in (GAZE, AWAY)]
                scores.append(score(everywhere, test, reference, GAZE))
                cells.append(" / ".join(f"{jod:.2f}" for jod in scores))
            rows.append([title, *cells])
            print(" | ".join(rows[-1]), file=sys.stderr)
    heads = ["picture", "untouched", *(title for title, _ in CASES)]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
