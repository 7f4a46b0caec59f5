# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Makes docs/godot.png: a frame of the sample scene through Godot's extension in the host.

python3 tests/godot/make_picture.py BUILD OUT.png, where BUILD has fovea_demo and godot_picture."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

GAZE = (0.3, 0.55)
WIDTH, HEIGHT = 960, 540
SHOWN = [[], ["debug_view=split", "strength=2"], ["debug_view=heatmap", "strength=2"]]


def drawn(build):
    """A frame as the engine drew it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [build / "sample_scene" / "fovea_demo", "--frames", "1", "--size", f"{WIDTH}x{HEIGHT}", "--no-video",
                   "--quiet", "--set", "foveation.strength=0", "--output", folder]  # fmt: skip
        subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
        pictures = sorted(Path(folder).glob("frame*.png")) or sorted(Path(folder).glob("*.png"))
        return np.asarray(Image.open(pictures[0]).convert("RGB"), dtype=np.float64)[:HEIGHT, :WIDTH] / 255


def to_light(encoded):
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def to_encoded(light):
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def through_godot(build, light, properties):
    pixels = np.ones((HEIGHT, WIDTH, 4), dtype=np.float16)
    pixels[..., :3] = light
    command = [build / "tests" / "godot_picture", WIDTH, HEIGHT, *GAZE, *properties]
    done = subprocess.run([str(part) for part in command], input=pixels.tobytes(), stdout=subprocess.PIPE, check=True)
    result = np.frombuffer(done.stdout, dtype=np.float16).reshape(HEIGHT, WIDTH, 4)
    return to_encoded(result[..., :3].astype(np.float64))


def main():
    build, out = Path(sys.argv[1]), sys.argv[2]
    light = to_light(drawn(build))
    parts = [through_godot(build, light, properties) for properties in SHOWN]
    sheet = np.concatenate([np.pad(part, ((0, 0), (0, 8), (0, 0)), constant_values=1) for part in parts], axis=1)[:, :-8]
    picture = Image.fromarray(np.round(sheet * 255).astype(np.uint8))
    picture = picture.resize((1204, picture.height * 1204 // picture.width), Image.Resampling.LANCZOS)
    picture.save(out, optimize=True)


if __name__ == "__main__":
    main()
