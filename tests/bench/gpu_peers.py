#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""./run bench --peers: what Fovea does in CUDA memory beside the Python packages that can do it, on one GPU in one run.

Blurring with one sigma, rendering a light field and finding blobs, by PyTorch, torchvision, kornia, CuPy, cuCIM and NVIDIA's NPP,
as far as they are installed; what is not is named. Each package gets pictures in the layout and type that it is fastest with, made
before the clock runs, blurs three channels and writes what it likes; Fovea reads and writes RGBA8, whose alpha it keeps. A time is the median of graphs that eight pictures
take turns in, for one picture. A package that cannot be captured is timed by calls in a row ("calls").

Errors are the largest differences from the Gaussian in double precision, in levels of 255, away from the edges, beyond which packages see
different things. Packages with a kernel's size as their argument get one that reaches 4 sigma.

    PYTHONPATH=python FOVEA_LIB=build/release/plugin/libfovea.so python3 tests/bench/gpu_peers.py --json docs/bench/peers.json
"""

import argparse
import ctypes
import functools
import importlib
import importlib.metadata
import json
import math
import statistics
import sys
import time

import numpy as np

SIZES = {"1080p": (1080, 1920), "4K": (2160, 3840)}
SIGMAS_PX = (0.8, 2.0, 4.0, 12.0, 40.0, 128.0)
TURNS = 8  # pictures, so that the GPU's cache has none
REACH = 4  # sigmas that a kernel reaches to each side
EXACT_REACH = 7  # the same of the definition
TOO_LONG_S = 0.02  # a call that takes so long is timed once
ENOUGH_S = 0.25  # of rounds of one way


def optional(name):
    try:
        return importlib.import_module(name)
    except Exception:  # a package without its libraries may raise anything
        return None


torch = optional("torch")
fovea = optional("fovea")
cupy = optional("cupy")
ndimage = optional("cupyx.scipy.ndimage")
tv = optional("torchvision.transforms.v2.functional")
kornia = optional("kornia.filters")
cucim_filters = optional("cucim.skimage.filters")
cucim_feature = optional("cucim.skimage.feature")


# ---- Time


def once_s(run):
    torch.cuda.synchronize()
    start = time.perf_counter()
    run(0)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def between_events_us(work, count, rounds):
    times = []
    for _ in range(rounds):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        work()
        last.record()
        last.synchronize()
        times.append(first.elapsed_time(last) * 1e3 / count)
    return statistics.median(times)


def measured(run):
    """Microseconds of run(i), and how they were measured."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        run(0)
        took_s = once_s(run)
        if took_s > TOO_LONG_S:
            return took_s * 1e6, "one call"
        rounds = int(min(30, max(5, ENOUGH_S / (TURNS * took_s))))
        for i in range(TURNS):
            run(i)
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph, stream=stream):
                kept = [run(i) for i in range(TURNS)]
            graph.replay()
            us = between_events_us(graph.replay, TURNS, rounds)
            del kept
            return us, "graph"
        except Exception:  # what cannot be captured says so in many ways
            torch.cuda.synchronize()
        return between_events_us(lambda: [run(i) for i in range(TURNS)], TURNS, rounds), "calls"


def on_torchs_stream(work):
    """CuPy's work on PyTorch's stream, so that both are in one graph."""

    def run(i):
        with cupy.cuda.Stream.from_external(torch.cuda.current_stream()):
            return work(i)

    return run


# ---- Blurring


def gaussian_taps(sigma, reach, dtype, device):
    """Those of a kernel that reaches so many sigmas to each side; their sum is 1."""
    radius = math.ceil(reach * sigma)
    taps = torch.exp(-0.5 * (torch.arange(-radius, radius + 1, device=device, dtype=dtype) / sigma) ** 2)
    return taps / taps.sum()


def exact_blur(picture, sigma):
    """In double precision; (H, W, 4) uint8 in, float64 out."""
    taps = gaussian_taps(sigma, EXACT_REACH, torch.float64, picture.device)
    radius = len(taps) // 2
    planes = picture.permute(2, 0, 1).double()
    for axis in (1, 2):  # by transforms: 128 px would take 1,793 taps a pixel
        length = planes.shape[axis] + 2 * radius
        shape = [1, 1, 1]
        shape[axis] = -1
        spectrum = torch.fft.rfft(planes, n=length, dim=axis) * torch.fft.rfft(taps, n=length).view(shape)
        planes = torch.fft.irfft(spectrum, n=length, dim=axis).narrow(axis, radius, planes.shape[axis])
    return planes.permute(1, 2, 0)


def blur_of_fovea(pictures, sigma):
    foveator = fovea.Foveator({"operators": "blur", "blur": {"sigma_px": sigma}, "foveation": {"light": "encoded"}})
    outs = [torch.empty_like(picture)[None] for picture in pictures]
    return lambda i: foveator(pictures[i][None], out=outs[i])[0]


def planar(pictures):
    """Of the three colours: Fovea keeps alpha as it is, others would blur it."""
    return [picture[..., :3].permute(2, 0, 1)[None].contiguous() for picture in pictures]


def taps_of(sigma):
    return 2 * math.ceil(REACH * sigma) + 1


def blur_of_torchvision(pictures, sigma):
    given, size = planar(pictures), taps_of(sigma)
    if size // 2 >= min(given[0].shape[2:]):
        raise ValueError("a kernel that is larger than the picture")
    return lambda i: tv.gaussian_blur(given[i], [size, size], [sigma, sigma])[0].permute(1, 2, 0)


def blur_of_kornia(pictures, sigma):
    given, size = [planes.float() for planes in planar(pictures)], taps_of(sigma)
    return lambda i: kornia.gaussian_blur2d(given[i], (size, size), (sigma, sigma), "replicate")[0].permute(1, 2, 0)


def blur_of_torch(pictures, sigma):
    """Two convolutions, channels as a batch, as people write it."""
    given = [planes.float().transpose(0, 1).contiguous() for planes in planar(pictures)]
    taps = gaussian_taps(sigma, REACH, torch.float32, given[0].device).view(1, 1, 1, -1)
    radius = taps.numel() // 2
    conv = torch.nn.functional.conv2d

    def run(i):
        rows = conv(given[i], taps, padding=(0, radius))
        return conv(rows, taps.transpose(2, 3), padding=(radius, 0))[:, 0].permute(1, 2, 0)

    return run


def blur_by_transforms(pictures, sigma):
    """A product of transforms by cuFFT; the picture goes on at its other end."""
    given = [planes.float()[0] for planes in planar(pictures)]
    height, width = given[0].shape[1:]

    def factors(n):
        distance = torch.fft.fftfreq(n, 1 / n, device=given[0].device)
        return torch.fft.rfft(torch.exp(-0.5 * (distance / sigma) ** 2)).real

    x, y = factors(width), factors(height)
    y = torch.cat([y, y[1 : height - len(y) + 1].flip(0)])
    factor = (y[:, None] / y[0]) * (x[None, :] / x[0])
    return lambda i: torch.fft.irfft2(torch.fft.rfft2(given[i]) * factor, s=(height, width)).permute(1, 2, 0)


def blur_of_cupy(pictures, sigma):
    given = [cupy.asarray(picture[..., :3].float().contiguous()) for picture in pictures]
    return on_torchs_stream(lambda i: ndimage.gaussian_filter(given[i], (sigma, sigma, 0), mode="nearest", truncate=REACH))


def blur_of_cucim(pictures, sigma):
    given = [cupy.asarray(picture[..., :3].float().contiguous()) for picture in pictures]
    return on_torchs_stream(lambda i: cucim_filters.gaussian(
        given[i], sigma, mode="nearest", truncate=REACH, channel_axis=-1, preserve_range=True))  # fmt: skip


class NppStream(ctypes.Structure):
    """NppStreamContext of nppdefs.h."""

    _fields_ = [("stream", ctypes.c_void_p), *((name, ctypes.c_int) for name in ("device", "count", "threads", "block_threads")),
                ("shared", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int), ("flags", ctypes.c_uint),
                ("reserved", ctypes.c_int)]  # fmt: skip


class NppSize(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


@functools.lru_cache
def npp_library(name):
    for number in ("13", "12"):
        for folder in ("", "/usr/local/cuda/lib64/"):
            try:
                return ctypes.CDLL(f"{folder}lib{name}.so.{number}")
            except OSError:
                pass
    return None


def npp():
    return getattr(npp_library("nppif"), "nppiFilterGaussAdvancedBorder_8u_C3R_Ctx", None)


def npp_version():
    """Three numbers."""
    call = getattr(npp_library("nppc"), "nppGetLibVersion", None)
    if not call:
        return "of an unknown version"
    call.restype = ctypes.POINTER(ctypes.c_int * 3)
    return ".".join(map(str, call().contents))


def blur_of_npp(pictures, sigma):
    given = [picture[..., :3].contiguous() for picture in pictures]
    outs = [torch.empty_like(picture) for picture in given]
    taps = gaussian_taps(sigma, REACH, torch.float32, given[0].device)
    of = torch.cuda.get_device_properties(0)
    height, width = given[0].shape[:2]
    size, step = NppSize(width, height), ctypes.c_int(3 * width)
    call, replicate = npp(), 2

    def run(i):
        stream = NppStream(torch.cuda.current_stream().cuda_stream, 0, of.multi_processor_count, 2048, 1024, 49152, of.major, of.minor, 0, 0)
        status = call(ctypes.c_void_p(given[i].data_ptr()), step, size, NppSize(0, 0), ctypes.c_void_p(outs[i].data_ptr()), step, size,
                      ctypes.c_int(taps.numel()), ctypes.c_void_p(taps.data_ptr()), ctypes.c_int(replicate), stream)  # fmt: skip
        if status:
            raise RuntimeError(f"NPP's status {status}")
        return outs[i]

    return run


BLURS = [
    ("Fovea", lambda: fovea, blur_of_fovea),
    ("NPP, GaussAdvancedBorder", npp, blur_of_npp),
    ("cuCIM, gaussian", lambda: cucim_filters, blur_of_cucim),
    ("CuPy, gaussian_filter", lambda: ndimage, blur_of_cupy),
    ("PyTorch, two convolutions", lambda: torch, blur_of_torch),
    ("PyTorch, rfft2 and irfft2", lambda: torch, blur_by_transforms),
    ("kornia, gaussian_blur2d", lambda: kornia, blur_of_kornia),
    ("torchvision, gaussian_blur", lambda: tv, blur_of_torchvision),
]


def drawn(height, width, seed, device):
    """Noise, a gradient and blocks; opaque."""
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, 256, (height, width, 4), dtype=np.uint8)
    picture[: height // 2, : width // 2] = np.kron(rng.integers(0, 256, (height // 2 // 9 + 1, width // 2 // 9 + 1, 4), dtype=np.uint8),
                                                   np.ones((9, 9, 1), np.uint8))[: height // 2, : width // 2]  # fmt: skip
    picture[..., 3] = 255
    return torch.from_numpy(picture).to(device)


def largest_error(out, exact, sigma):
    margin = min(math.ceil(EXACT_REACH * sigma), min(exact.shape[:2]) // 2 - 8)
    inner = slice(margin, -margin or None)
    return float((torch.as_tensor(out, device=exact.device).double() - exact[..., : out.shape[2]])[inner, inner].abs().max())


def tries(rows, task, size, measure=measured, **case):
    """A function that times one peer and adds its row; one that fails has its reason there."""

    def one(peer, make, error=None):
        row = {"task": task, "size": size, **case, "peer": peer}
        try:
            run = make()
            if error:
                row["error_levels"] = round(error(run(0)), 4)
            row["us"], row["how"] = measure(run)
        except Exception as failure:
            row["failed"] = f"{type(failure).__name__}: {failure}".split("\n")[0][:120]
        torch.cuda.empty_cache()
        rows.add(row)

    return one


def blurring(rows, sizes, until):
    for size in sizes:
        height, width = SIZES[size]
        slow = set()
        pictures = [drawn(height, width, i, "cuda") for i in range(TURNS)]
        for sigma in SIGMAS_PX:
            exact = exact_blur(pictures[0], sigma)
            one = tries(rows, "blur", size, sigma_px=sigma)
            for peer, there, make in BLURS:
                if there() is not None and peer not in slow and time.monotonic() < until:
                    one(peer, lambda make=make, sigma=sigma: make(pictures, sigma),
                        lambda out, sigma=sigma: largest_error(out, exact, sigma))  # fmt: skip
                    if rows.rows[-1].get("us", 0) > TOO_LONG_S * 1e6:
                        slow.add(peer)  # a larger sigma would take longer still


# ---- Light fields

LENSES, PITCH_PX, PATCH_PX, RANGE = (96, 72), 74.75, 11, 2
SIGMA_PARTS = 6.0  # sigma of the blend: the pitch divided by that


def places(device, dtype=None):
    """For each of 25 lenses around a pixel: where its micro-image has the pixel, and its weight."""
    width, height = LENSES[0] * PATCH_PX, LENSES[1] * PATCH_PX
    x = (torch.arange(width, device=device, dtype=dtype or torch.float32) + 0.5) / PATCH_PX - 0.5
    y = (torch.arange(height, device=device, dtype=dtype or torch.float32) + 0.5) / PATCH_PX - 0.5
    for down in range(-RANGE, RANGE + 1):
        for right in range(-RANGE, RANGE + 1):
            column, row = (torch.floor(x + 0.5) + right)[None, :], (torch.floor(y + 0.5) + down)[:, None]
            from_x, from_y = (x[None, :] - column) * PATCH_PX, (y[:, None] - row) * PATCH_PX
            there = (column >= 0) & (column < LENSES[0]) & (row >= 0) & (row < LENSES[1])
            weight = torch.exp(-(from_x**2 + from_y**2) / (2 * (PITCH_PX / SIGMA_PARTS) ** 2)) * there
            yield (column + 0.5) * PITCH_PX + from_x, (row + 0.5) * PITCH_PX + from_y, weight


def render_of_fovea(raws):
    height, width = raws[0].shape[:2]
    field = fovea.LightField(raw=(width, height), lenses=LENSES, pitch=(PITCH_PX, PITCH_PX))
    return lambda i: field.render(raws[i % len(raws)], float(PATCH_PX))


def render_of_torch(raws, dtype=None):
    height, width = raws[0].shape[:2]
    given = [raw.permute(2, 0, 1)[None].to(dtype or torch.float32) for raw in raws[:2]]
    parts = [(torch.stack(torch.broadcast_tensors(2 * x / width - 1, 2 * y / height - 1), -1)[None], weight)
             for x, y, weight in places(raws[0].device, dtype)]  # fmt: skip
    total = sum(weight for _, weight in parts)

    def run(i):
        picture = given[i % len(given)]
        sums = sum(weight * torch.nn.functional.grid_sample(picture, grid, padding_mode="border", align_corners=False) for grid, weight in parts)
        return (sums / total)[0].permute(1, 2, 0)

    return run


def render_of_cupy(raws):
    given = [[cupy.asarray(raw[..., c].float().contiguous()) for c in range(3)] for raw in raws[:2]]
    parts = [(cupy.asarray(torch.stack(torch.broadcast_tensors(y - 0.5, x - 0.5))), cupy.asarray(weight))
             for x, y, weight in places(raws[0].device)]  # fmt: skip
    total = sum(weight for _, weight in parts)

    def run(i):
        return cupy.stack([sum(weight * ndimage.map_coordinates(plane, at, order=1, mode="nearest") for at, weight in parts) / total
                           for plane in given[i % len(given)]], -1)  # fmt: skip

    return on_torchs_stream(run)


def rendering(rows):
    width, height = (round(count * PITCH_PX) for count in LENSES)
    raws = [drawn(height, width, 100 + i, "cuda") for i in range(4)]
    exact = render_of_torch(raws[:1], torch.float64)(0)
    one = tries(rows, "lightfield", f"{width}x{height}")
    for peer, there, make in (
        ("Fovea", fovea, render_of_fovea),
        ("PyTorch, 25 of grid_sample", torch, render_of_torch),
        ("CuPy, 75 of map_coordinates", ndimage, render_of_cupy),
    ):
        if there is not None:
            one(peer, lambda make=make: make(raws), lambda out: float(
                (torch.as_tensor(out, device="cuda").double()[..., :3] - exact[..., :3]).abs().max()))  # fmt: skip


# ---- Blobs


def finding(rows):
    """Fovea finds blobs of colour and texture, the others those of brightness: another task of the same size."""
    scales, least, ratio = 19, 2.0, 2 ** (1 / 3)
    picture = torch.from_numpy(np.random.default_rng(5).integers(0, 256, (480, 640, 3), dtype=np.uint8)).cuda()
    for _ in range(3):  # noise alone has blobs of all sizes, and few of them large
        picture = (0.5 * picture.float() + 0.5 * torch.nn.functional.avg_pool2d(picture.permute(2, 0, 1)[None].float(), 31, 1, 15)[0].permute(1, 2, 0)).byte()

    def clocked(work):
        """These calls wait for the GPU themselves."""
        work(0)
        return statistics.median(once_s(work) for _ in range(7)) * 1e6, "clock"

    one = tries(rows, "blobs", "640x480", measure=clocked)
    if fovea is not None:
        finder = fovea.BlobFinder(scales=scales, sigma_min_px=least)
        one("Fovea, BlobFinder: 3 channels, 19 scales", lambda: lambda i: finder(picture))
        one("Fovea, blobs: the same, nothing kept", lambda: lambda i: fovea.blobs(picture, scales=scales, sigma_min_px=least))
    if cucim_feature is not None:
        grey = cupy.asarray(picture.float().mean(2) / 255)
        one("cuCIM, blob_log, brightness, 19 scales", lambda: lambda i: cucim_feature.blob_log(
            grey, min_sigma=least, max_sigma=least * ratio ** (scales - 1), num_sigma=scales, threshold=0.05, log_scale=True))  # fmt: skip
    if ndimage is not None:
        planes = [cupy.asarray(picture[..., c].float().contiguous() / 255) for c in range(3)]
        one("CuPy, gaussian_laplace of 3 channels and 19 scales, nothing more", lambda: lambda i: [
            ndimage.gaussian_laplace(plane, least * ratio**scale) for plane in planes for scale in range(scales)])  # fmt: skip


# ---- The run


class Rows:
    """They are in the file as soon as they are measured."""

    def __init__(self, path, commit):
        self.path, self.machine, self.rows = path, {**machine(), "commit": commit}, []

    def add(self, row):
        self.rows.append(row)
        print(json.dumps(row), flush=True)
        if self.path:
            with open(self.path, "w") as file:
                json.dump({"machine": self.machine, "rows": self.rows}, file, indent="\t")
                file.write("\n")


def machine():
    packages = ("torch", "torchvision", "kornia", "cupy-cuda13x", "cupy-cuda12x", "cucim-cu13", "cucim-cu12", "numpy")
    found = {}
    for name in packages:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    if npp():
        found["NPP"] = npp_version()
    absent = [name for name, there in (("NPP", npp()), ("torchvision", tv), ("kornia", kornia), ("CuPy", ndimage),
                                       ("cuCIM", cucim_filters)) if there is None]  # fmt: skip
    return {"CUDA device": torch.cuda.get_device_name(0), "packages": found, "absent": absent,
            "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", metavar="FILE", help="the rows also go there")
    parser.add_argument("--seconds", type=float, default=math.inf, metavar="N", help="no row of blurring begins after so many")
    parser.add_argument("--only", choices=("blur", "lightfield", "blobs"), help="one of the three alone")
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=list(SIZES), help="of the pictures that are blurred")
    parser.add_argument("--commit", default="", help="what the JSON says that the library was made of")
    flags = parser.parse_args()
    if torch is None or not torch.cuda.is_available():
        sys.exit("gpu_peers.py: PyTorch is not installed, or sees no GPU")
    if fovea is None:
        sys.exit("gpu_peers.py: the package fovea is not there: PYTHONPATH=python, and FOVEA_LIB names the library")
    until = time.monotonic() + flags.seconds
    rows = Rows(flags.json, flags.commit)
    if flags.only in (None, "lightfield"):
        rendering(rows)
    if flags.only in (None, "blur"):
        blurring(rows, flags.sizes, until)
    if flags.only in (None, "blobs"):
        finding(rows)


if __name__ == "__main__":
    main()
