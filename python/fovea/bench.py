# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""python -m fovea.bench: what foveating batches costs here, beside the ways that people write themselves.

On a GPU: PyTorch tensors, a gaze each, between two events; the peer blends a stack of five blurred copies by
eccentricity, all of it on the GPU, as projects that foveate with torch do. `call` is the time of the Python call until
it returns. On the CPU: NumPy arrays; the peer is the same blend with OpenCV's Gaussian blur, if it is installed, and
`svis` the method of SVIS, `svis_once` the same with its maps made beforehand. `python_us` is what Python takes of a call,
on either: the library's function is one that returns at once. --gpus: _bench_gpus.py; --environments:
_bench_environments.py.
"""

import argparse
import contextlib
import functools
import itertools
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Optional

import numpy as np

import fovea

from . import _library

GPU_SIZES = [(64, 64), (84, 84), (96, 96), (128, 128), (120, 160), (224, 224), (256, 256)]
CPU_CASES = [(1, 84, 84), (8, 84, 84), (1, 480, 640)]
DEVICE = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
SIGMAS_PX = (0.0, 1.0, 2.0, 4.0, 8.0)


def _blend_weights(height: int, width: int, gazes: tuple[Any, dict[str, Any]], xp: Any) -> Any:
    """How far each pixel is between the blurred copies: eccentricity in halves of the diagonal times their number."""
    x = (xp.arange(width, **gazes[1]) + 0.5) / width
    y = (xp.arange(height, **gazes[1]) + 0.5) / height
    places = gazes[0]
    far = ((x[None, None, :] - places[:, 0, None, None]) * width) ** 2 + ((y[None, :, None] - places[:, 1, None, None]) * height) ** 2
    return far**0.5 / (0.5 * (width**2 + height**2) ** 0.5) * (len(SIGMAS_PX) - 1)


def torch_peer(images: Any, gazes: Any) -> Any:
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
    blurred = torch.stack(stack)
    level = _blend_weights(images.shape[1], images.shape[2], (gazes, {"device": images.device}), torch)
    level = level.clamp(0, len(SIGMAS_PX) - 1.001)
    below = level.floor().long()
    part = (level - below)[:, None]
    index = below[None, :, None].expand(1, -1, channels, -1, -1)
    low, high = blurred.gather(0, index)[0], blurred.gather(0, index + 1)[0]
    return (low + part * (high - low)).add(0.5).clamp(0, 255).to(torch.uint8).permute(0, 2, 3, 1)


def opencv_peer(images: Any, gazes: Any) -> Any:
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


class Svis:
    """The method of SVIS (J. S. Perry, W. S. Geisler, "Gaze-contingent real-time simulation of arbitrary visual fields",
    2002) with OpenCV and NumPy: a pyramid of copies, each blurred and halved, is brought back to full size; at each pixel
    two neighbours are blended so that the blend passes half of the highest frequency that is seen there.

    How much of each is worked out for every image, as Python code for it does; or with `once` for gazes anywhere, and
    then cut out around the gaze, as SVIS itself does.
    """

    LEVELS = 6
    HALF_RESOLUTION_DEG = 2.3
    HALF_DIAGONAL_DEG = 20.0

    def __init__(self, height: int, width: int, once: bool = False) -> None:
        self.height, self.width = height, width
        self.anywhere = self._weights(np.arange(-height, height + 1), np.arange(-width, width + 1)) if once else None

    def _weights(self, y: Any, x: Any) -> Any:
        """Of each level, for pixels that are so far from the gaze."""
        eccentricity = np.hypot(y[:, None], x[None, :]) * (self.HALF_DIAGONAL_DEG / (0.5 * np.hypot(self.height, self.width)))
        seen = 0.5 * self.HALF_RESOLUTION_DEG / (self.HALF_RESOLUTION_DEG + eccentricity)  # cycles a pixel
        # A pixel of its own passes half of the highest frequency; level i was blurred i times by 1 px of its size.
        sigmas = [np.sqrt(0.374**2 + (4.0**level - 1) / 3) for level in range(self.LEVELS)]
        passed = [np.exp(-2 * (np.pi * sigma * seen) ** 2) for sigma in sigmas]
        weights = np.zeros((self.LEVELS, *seen.shape), np.float32)
        for level in range(1, self.LEVELS):
            between = (passed[level - 1] >= 0.5) & (passed[level] < 0.5)
            part = (passed[level - 1] - 0.5) / np.maximum(passed[level - 1] - passed[level], 1e-9)
            weights[level - 1][between] = 1 - part[between]
            weights[level][between] = part[between]
        weights[-1][passed[-1] >= 0.5] = 1
        return weights

    def _weights_around(self, gaze: Any) -> Any:
        column, row = round(float(gaze[0]) * self.width), round(float(gaze[1]) * self.height)
        if self.anywhere is None:
            return self._weights(np.arange(self.height) - row, np.arange(self.width) - column)
        left, top = self.width - column, self.height - row
        return self.anywhere[:, top : top + self.height, left : left + self.width]

    def __call__(self, images: Any, gazes: Any) -> Any:
        import cv2

        out = np.empty_like(images)
        for i, image in enumerate(images):
            weights = self._weights_around(gazes[i])[..., None]
            level = image.astype(np.float32)
            total = weights[0] * level
            for weight in weights[1:]:
                level = cv2.pyrDown(level)
                total += weight * cv2.resize(level, (self.width, self.height), interpolation=cv2.INTER_LINEAR)
            out[i] = total + 0.5
        return out


def _gpu_us(work: Callable[[], Any], repetitions: int = 20) -> tuple[float, float]:
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


def _several_us(work: Callable[[], Any], repetitions: int = 20, calls: int = 10) -> float:
    """Of one of several calls in a row, so that the GPU does not wait for Python."""

    def several() -> None:
        for _ in range(calls):
            work()

    return _gpu_us(several, repetitions)[0] / calls


def gpu_rows(count: int) -> Iterator[dict[str, Any]]:
    import torch

    foveator = fovea.Foveator("paper")
    for height, width in GPU_SIZES:
        images = torch.randint(0, 256, (count, height, width, 3), dtype=torch.uint8, device="cuda")
        rgba = torch.randint(0, 256, (count, height, width, 4), dtype=torch.uint8, device="cuda")
        planes = images.permute(0, 3, 1, 2).contiguous()
        gazes = torch.rand((count, 2), device="cuda")
        out, flat = torch.empty_like(images), torch.empty_like(planes)
        row: dict[str, Any] = {"device": torch.cuda.get_device_name(), "images": f"{count} x {width}x{height}x3"}
        _, row["call_us"] = _gpu_us(lambda: foveator(images, gazes, out=out))
        row["nhwc_us"] = _several_us(lambda: foveator(images, gazes, out=out))
        row["strided_us"] = _several_us(lambda: foveator(rgba[..., :3], gazes, out=out))
        row["nchw_us"] = _several_us(lambda: foveator(planes, gazes, out=flat, layout="NCHW"))
        row["copy_us"] = _several_us(lambda: out.copy_(images))
        row["peer_us"] = _gpu_us(lambda: torch_peer(images, gazes), 5)[0]
        yield row


def _cpu_us(work: Callable[[], Any], seconds: float = 2.0) -> float:
    """Of the fastest call: whatever else the machine does only ever makes one slower."""
    work()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        before = time.perf_counter()
        work()
        times.append((time.perf_counter() - before) * 1e6)
    return min(times)


def cpu_rows() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(1)
    foveator = fovea.Foveator("paper")
    for count, height, width in CPU_CASES:
        images = rng.integers(0, 256, (count, height, width, 3), dtype=np.uint8)
        gazes, out = rng.random((count, 2), np.float32), np.empty_like(images)
        row: dict[str, Any] = {"device": DEVICE, "images": f"{count} x {width}x{height}x3"}
        row["nhwc_us"] = _cpu_us(lambda: foveator(images, gazes, out=out))
        try:
            row["peer_us"] = _cpu_us(lambda: opencv_peer(images, gazes))
            for name, once in (("svis", False), ("svis_once", True)):
                svis = Svis(height, width, once)
                row[name + "_us"] = _cpu_us(functools.partial(svis, images, gazes))
                row[name + "_ratio"] = row[name + "_us"] / row["nhwc_us"]
        except ImportError:
            row["peer_us"] = None
        yield row


@contextlib.contextmanager
def _library_that_does_nothing() -> Iterator[None]:
    library = _library.library()
    run, at_once = library.fovea_context_run_batch, library["fovea_version"]  # which takes nothing and reads nothing
    at_once.restype, at_once.argtypes = run.restype, run.argtypes
    setattr(library, run.__name__, at_once)
    try:
        yield
    finally:
        setattr(library, run.__name__, run)


def _calls_us(work: Callable[[], Any], rounds: int = 50, calls: int = 200) -> float:
    """Of one of several calls in a row, in the fastest round."""
    work()
    times = []
    for _ in range(rounds):
        before = time.perf_counter()
        for _ in range(calls):
            work()
        times.append((time.perf_counter() - before) / calls * 1e6)
    return min(times)


def call_rows(device: str, torch: Any) -> Iterator[dict[str, Any]]:
    """What Python takes of a call, by the library of the arrays. torch: None where there is none."""
    images, gazes = np.zeros((8, 8, 8, 3), np.uint8), np.full((8, 2), 0.5, np.float32)
    kinds: dict[str, Callable[[Any], Any]] = {"NumPy": np.asarray} if device == "cpu" else {}
    if torch is not None:
        kinds[f"torch {device}"] = functools.partial(torch.as_tensor, device=device)
    for name, of in kinds.items():
        pixels, places, out = of(images), of(gazes), of(images.copy())
        planes, planes_out = of(np.zeros((8, 3, 8, 8), np.uint8)), of(np.zeros((8, 3, 8, 8), np.uint8))
        row: dict[str, Any] = {"device": DEVICE, "arrays": name}
        with _library_that_does_nothing():
            foveator = fovea.Foveator("paper")
            row["python_us"] = _calls_us(lambda: foveator(pixels, places, out=out))
            row["new_python_us"] = _calls_us(lambda: foveator(pixels, places))
            row["nchw_python_us"] = _calls_us(lambda: foveator(planes, places, out=planes_out, layout="NCHW"))
            row["one_gaze_python_us"] = _calls_us(lambda: foveator(pixels, out=out))
            row["foveate_python_us"] = _calls_us(lambda: fovea.foveate(pixels, places, out=out, config=foveator))
        yield row


def table(rows: Sequence[dict[str, Any]]) -> str:
    keys = list(dict.fromkeys(key for row in rows for key in row if key != "device"))
    lines = ["| " + " | ".join(keys) + " |", "|---" * len(keys) + "|"]
    for row in rows:
        said = (row.get(key) for key in keys)
        lines.append("| " + " | ".join("" if v is None else (f"{v:.1f}" if v >= 10 else f"{v:.2f}") if isinstance(v, float) else str(v) for v in said) + " |")
    return "\n".join(lines)


_SERIES = (
    ("copy_us", "a copy", "#bbbbbb"),
    ("nhwc_us", "fovea, NHWC", "#009e73"),
    ("strided_us", "fovea, rgba[..., :3]", "#56b4e9"),
    ("nchw_us", "fovea, NCHW", "#0072b2"),
    ("peer_us", "a stack of blurs in torch", "#d55e00"),
)


def plot(rows: Sequence[dict[str, Any]], path: str) -> None:
    """Draws the times of a GPU's rows as bars, on a logarithmic scale."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = [row for row in rows if "copy_us" in row]
    if not rows:
        raise ValueError("there are no times of a GPU to draw")
    figure, axes = plt.subplots(figsize=(9, 4), dpi=100)
    width = 0.8 / len(_SERIES)
    for i, (key, label, colour) in enumerate(_SERIES):
        places = [at - 0.4 + (i + 0.5) * width for at in range(len(rows))]
        axes.bar(places, [row[key] for row in rows], width, label=label, color=colour)
    axes.set_yscale("log")
    axes.set_ylabel("us a batch")
    axes.set_xticks(range(len(rows)), [row["images"].replace(" x ", " x\n") for row in rows])
    axes.set_title(rows[0]["device"] + ", uint8, a gaze for each image")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncol=3, loc="upper left")
    axes.set_ylim(top=axes.get_ylim()[1] * 6)
    figure.tight_layout()
    figure.savefig(path)


def _tables(arguments: argparse.Namespace) -> Iterator[list[dict[str, Any]]]:
    """Lists of rows, a table each."""
    torch = sys.modules.get("torch")
    if arguments.device != "cpu" or arguments.calls:
        try:
            import torch
        except ImportError:
            torch = None
    devices = [arguments.device] if arguments.device else ["cuda", "cpu"]
    if torch is None or not torch.cuda.is_available():
        devices = ["cpu"] if "cpu" in devices else []
    if arguments.gpus is not None:
        from . import _bench_gpus

        rows = _bench_gpus.rows(arguments.gpus, arguments.count)
        yield from (list(of_way) for _, of_way in itertools.groupby(rows, lambda row: row["way"]))
        return
    if arguments.environments:
        from . import _bench_environments

        yield from _bench_environments.tables()
        return
    if not arguments.calls:
        yield from (list(gpu_rows(arguments.count) if device == "cuda" else cpu_rows()) for device in devices)
    yield [row for device in devices for row in call_rows(device, torch)]


def _gpus_of(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> list[str]:
    """Devices of torch; ends the program where it cannot have them."""
    from . import _bench_gpus

    if arguments.device == "cpu":
        parser.error("--gpus is of GPUs, not of --device cpu")
    try:
        return _bench_gpus.devices_of(None if arguments.gpus is True else arguments.gpus)
    except RuntimeError as error:
        parser.error(str(error))


def main(words: Optional[list[str]] = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m fovea.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("cpu", "cuda"), help="both where there are both")
    parser.add_argument("--count", type=int, default=1024, help="images of a batch on the GPU (1024)")
    parser.add_argument("--calls", action="store_true", help="what Python takes of a call, and nothing else")
    parser.add_argument("--environments", action="store_true", help="what wrappers cost, and ViZDoom's steps a second")
    parser.add_argument("--gpus", type=int, nargs="?", const=True, metavar="N", help="images a second on 1 GPU and on N (all), and nothing else")
    parser.add_argument("--json", help="the rows also go there, with the machine")
    parser.add_argument("--plot", metavar="PNG", help="draws the GPU's rows there, with matplotlib")
    parser.add_argument("--commit", default="", help="what the library was built of, for the JSON")
    arguments = parser.parse_args(words)
    if arguments.count < 1:
        parser.error(f"--count {arguments.count}: at least 1 image")
    if arguments.gpus is not None:
        arguments.gpus = _gpus_of(parser, arguments)
    rows: list[dict[str, Any]] = []
    for found in _tables(arguments):
        if found:
            print(found[0]["device"] + "\n\n" + table(found) + "\n")
        rows += found
    if arguments.plot:
        plot(rows, arguments.plot)
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
