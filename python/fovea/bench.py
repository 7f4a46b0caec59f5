# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""python -m fovea.bench: what foveating batches costs here, beside the ways that people write themselves.

On a GPU: PyTorch tensors, a gaze each, between two events; the peer blends a stack of five blurred copies by
eccentricity, all of it on the GPU, as projects that foveate with torch do. `call` is the time of the Python call until
it returns. On the CPU: NumPy arrays; the peer is the same blend with OpenCV's Gaussian blur, if it is installed.
"""

import argparse
import json
import platform
import statistics
import sys
import time

import numpy as np

import fovea

GPU_SIZES = [(64, 64), (84, 84), (96, 96), (128, 128), (120, 160), (224, 224), (256, 256)]
CPU_CASES = [(1, 84, 84), (8, 84, 84), (1, 480, 640)]
SIGMAS_PX = (0.0, 1.0, 2.0, 4.0, 8.0)


def _blend_weights(height, width, gazes, xp):
    """How far each pixel is between the blurred copies: eccentricity in halves of the diagonal times their number."""
    x = (xp.arange(width, **gazes[1]) + 0.5) / width
    y = (xp.arange(height, **gazes[1]) + 0.5) / height
    places = gazes[0]
    far = ((x[None, None, :] - places[:, 0, None, None]) * width) ** 2 + ((y[None, :, None] - places[:, 1, None, None]) * height) ** 2
    return far**0.5 / (0.5 * (width**2 + height**2) ** 0.5) * (len(SIGMAS_PX) - 1)


def torch_peer(images, gazes):
    """Blends a stack of blurred copies, images (N, H, W, C) uint8."""
    import torch
    import torch.nn.functional as functional

    planes = images.permute(0, 3, 1, 2).float()
    channels = planes.shape[1]
    stack = [planes]
    for sigma in SIGMAS_PX[1:]:
        radius = int(3 * sigma)
        taps = torch.exp(-0.5 * (torch.arange(-radius, radius + 1, device=images.device) / sigma) ** 2)
        taps = (taps / taps.sum()).view(1, 1, 1, -1).repeat(channels, 1, 1, 1)
        radius_y, radius_x = min(radius, planes.shape[2] - 1), min(radius, planes.shape[3] - 1)
        padded = functional.pad(planes, (radius_x, radius_x, radius_y, radius_y), mode="replicate")
        padded = functional.pad(padded, (radius - radius_x,) * 2 + (radius - radius_y,) * 2, mode="replicate")
        rows = functional.conv2d(padded, taps, groups=channels)
        stack.append(functional.conv2d(rows, taps.transpose(2, 3), groups=channels))
    stack = torch.stack(stack)
    level = _blend_weights(images.shape[1], images.shape[2], (gazes, {"device": images.device}), torch)
    level = level.clamp(0, len(SIGMAS_PX) - 1.001)
    below = level.floor().long()
    part = (level - below)[:, None]
    index = below[None, :, None].expand(1, -1, channels, -1, -1)
    low, high = stack.gather(0, index)[0], stack.gather(0, index + 1)[0]
    return (low + part * (high - low)).add(0.5).clamp(0, 255).to(torch.uint8).permute(0, 2, 3, 1)


def opencv_peer(images, gazes):
    """The same with OpenCV and NumPy, an image at a time."""
    import cv2

    out = np.empty_like(images)
    levels = _blend_weights(images.shape[1], images.shape[2], (gazes, {}), np)
    for i, image in enumerate(images):
        level = np.clip(levels[i], 0, len(SIGMAS_PX) - 1.001)
        below = level.astype(np.int64)
        part = (level - below)[..., None].astype(np.float32)
        stack = np.stack([image.astype(np.float32)] + [cv2.GaussianBlur(image, (0, 0), s).astype(np.float32) for s in SIGMAS_PX[1:]])
        low = np.take_along_axis(stack, below[None, ..., None], 0)[0]
        high = np.take_along_axis(stack, below[None, ..., None] + 1, 0)[0]
        out[i] = low + part * (high - low) + 0.5
    return out


def _gpu_us(work, repetitions=20):
    import torch

    for _ in range(3):
        work()
    torch.cuda.synchronize()
    times, calls = [], []
    for _ in range(repetitions):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        before = time.perf_counter()
        work()
        calls.append((time.perf_counter() - before) * 1e6)
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return statistics.median(times), statistics.median(calls)


def _several_us(work, repetitions=20, calls=10):
    """Of one of several calls in a row, so that the GPU does not wait for Python."""

    def several():
        for _ in range(calls):
            work()

    return _gpu_us(several, repetitions)[0] / calls


def gpu_rows(count):
    import torch

    foveator = fovea.Foveator()
    for height, width in GPU_SIZES:
        images = torch.randint(0, 256, (count, height, width, 3), dtype=torch.uint8, device="cuda")
        rgba = torch.randint(0, 256, (count, height, width, 4), dtype=torch.uint8, device="cuda")
        planes = images.permute(0, 3, 1, 2).contiguous()
        gazes = torch.rand((count, 2), device="cuda")
        out, flat = torch.empty_like(images), torch.empty_like(planes)
        row = {"device": torch.cuda.get_device_name(), "images": f"{count} x {width}x{height}x3"}
        _, row["call_us"] = _gpu_us(lambda: foveator(images, gazes, out=out))
        row["nhwc_us"] = _several_us(lambda: foveator(images, gazes, out=out))
        row["strided_us"] = _several_us(lambda: foveator(rgba[..., :3], gazes, out=out))
        row["nchw_us"] = _several_us(lambda: foveator(planes, gazes, out=flat, layout="NCHW"))
        row["copy_us"] = _several_us(lambda: out.copy_(images))
        row["peer_us"] = _gpu_us(lambda: torch_peer(images, gazes), 5)[0]
        yield row


def _cpu_us(work, seconds=0.5):
    work()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        before = time.perf_counter()
        work()
        times.append((time.perf_counter() - before) * 1e6)
    return statistics.median(times)


def cpu_rows():
    rng = np.random.default_rng(1)
    foveator = fovea.Foveator()
    for count, height, width in CPU_CASES:
        images = rng.integers(0, 256, (count, height, width, 3), dtype=np.uint8)
        gazes, out = rng.random((count, 2), np.float32), np.empty_like(images)
        row = {"device": platform.processor() or "cpu", "images": f"{count} x {width}x{height}x3"}
        row["nhwc_us"] = _cpu_us(lambda: foveator(images, gazes, out=out))
        try:
            row["peer_us"] = _cpu_us(lambda: opencv_peer(images, gazes))
        except ImportError:
            row["peer_us"] = None
        yield row


def table(rows):
    keys = list(dict.fromkeys(key for row in rows for key in row if key != "device"))
    lines = ["| " + " | ".join(keys) + " |", "|---" * len(keys) + "|"]
    for row in rows:
        said = (row.get(key) for key in keys)
        lines.append("| " + " | ".join("" if v is None else f"{v:.1f}" if isinstance(v, float) else str(v) for v in said) + " |")
    return "\n".join(lines)


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m fovea.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), help="both where there are both")
    parser.add_argument("--count", type=int, default=1024, help="images of a batch on the GPU (1024)")
    parser.add_argument("--json", help="the rows also go there, with the machine")
    parser.add_argument("--commit", default="", help="what the library was built of, for the JSON")
    arguments = parser.parse_args(arguments)
    torch = sys.modules.get("torch")
    if arguments.device != "cpu":
        try:
            import torch
        except ImportError:
            torch = None
    rows = []
    if arguments.device != "cpu" and torch is not None and torch.cuda.is_available():
        found = list(gpu_rows(arguments.count))
        print(found[0]["device"] + "\n\n" + table(found) + "\n")
        rows += found
    if arguments.device != "cuda":
        found = list(cpu_rows())
        print(found[0]["device"] + "\n\n" + table(found))
        rows += found
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            machine = {
                "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
                "commit": arguments.commit,
                "library": fovea.version(),
                "devices": sorted({row["device"] for row in rows}),
            }
            json.dump({"machine": machine, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
