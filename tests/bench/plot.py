#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The pictures of docs/benchmarks.md from the JSON of a bench run:

    python3 -m venv venv && venv/bin/pip install -r tests/bench/plot-requirements.txt
    venv/bin/python tests/bench/plot.py bench.json bench.png
    venv/bin/python tests/bench/plot.py --domain docs/bench/domain-cuda.json docs/bench/domain-cuda.png
    venv/bin/python tests/bench/plot.py --blur docs/bench docs/blur-times.png

Three panels: time a pixel over the picture's size, over strength, and the time of a batch over its count. With
--domain, random points; with --blur, time over sigma of the engines of blur and of other packages, from cuda.json and peers.json."""

import argparse
import json
import sys
from pathlib import Path

import matplotlib
from blur_tables import ENGINES

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import LogNorm  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: E402

# In the order of the legend: mode, words, colour, line. Colours of Okabe and Ito.
MODES = [
    ("copy", "copy in place", "#000000", "--"),
    ("smooth", "smooth", "#0072b2", "-"),
    ("smooth-linear", "smooth, linear light", "#56b4e9", "-"),
    ("smooth-mild", "smooth, mild", "#009e73", "-"),
    ("smooth-strong", "smooth, sigma doubled", "#cc79a7", "-"),
    ("smooth-rgba16f", "smooth, half floats", "#e69f00", "-"),
    ("blockwise-32", "blockwise, 32 px", "#d55e00", ":"),
    ("blockwise-16", "blockwise, 16 px", "#d55e00", "-."),
    ("blockwise-8", "blockwise, 8 px", "#d55e00", "-"),
]
STRENGTHS = {"smooth-x0.5": 0.5, "smooth": 1.0, "smooth-strong": 2.0, "smooth-x4": 4.0}


def pictures(rows, mode):
    """Of RGBA8's copy there is one; floats are compared with nothing here."""
    wanted = [row for row in rows if row["table"] == "picture" and row["mode"] == mode]
    wanted = [row for row in wanted if row.get("gaze", "centre") == "centre"]
    if mode == "copy":
        wanted = [row for row in wanted if row["format"] == "RGBA8"]
    return sorted(wanted, key=lambda row: row["width_px"])


def plain(axis):
    """1 and 10 and 200, no powers of ten."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def plot_sizes(axes, rows):
    ticks = {}
    for mode, words, colour, line in MODES:
        found = pictures(rows, mode)
        ticks |= {row["width_px"] * row["height_px"]: row["size"] for row in found}
        if found:
            axes.plot([row["width_px"] * row["height_px"] for row in found], [row["ps_per_pixel"] for row in found],
                      line, color=colour, label=words, marker="o", markersize=3.5, linewidth=1.4)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="picture", ylabel="picoseconds a pixel")
    axes.set_title("Time a pixel over size, gaze in the middle")
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.xaxis.set_minor_formatter(NullFormatter())
    plain(axes.yaxis)
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.02), frameon=False)


def plot_strengths(axes, rows):
    for size, colour in (("1080p", "#0072b2"), ("4K", "#d55e00")):
        points = [(strength, row["ps_per_pixel"]) for mode, strength in STRENGTHS.items()
                  for row in pictures(rows, mode) if row["size"] == size]  # fmt: skip
        copies = [row["ps_per_pixel"] for row in pictures(rows, "copy") if row["size"] == size]
        if points:
            axes.plot(*zip(*sorted(points)), color=colour, marker="o", markersize=3.5, label=f"{size} smooth")
        if copies:
            axes.axhline(copies[0], color=colour, linestyle="--", linewidth=1, label=f"{size} copy")
    axes.set(xscale="log", xlabel="strength: sigma times", ylabel="picoseconds a pixel")
    axes.set_ylim(0, 1.35 * axes.get_ylim()[1])  # room for the legend
    axes.set_xticks([0.5, 1, 2, 4])
    axes.set_title("Over strength")
    plain(axes.xaxis)
    axes.legend(fontsize=7, loc="upper left", ncols=2)


def plot_batches(axes, rows):
    rows = [row for row in rows if row["table"] == "batch" and row["format"] == "RGB8"]
    for mode, colour, line in (("smooth", "#0072b2", "-"), ("copy", "#000000", "--")):
        found = sorted((row["pictures"], row["us"]) for row in rows if row["mode"] == mode)
        if not found:
            continue
        axes.plot(*zip(*found), line, color=colour, marker="o", markersize=3.5, label=mode)
        if mode == "smooth":
            most, us = found[-1]
            counts = [count for count, _ in found]
            axes.plot(counts, [us * count / most for count in counts], ":", color="#999999", label="proportional")
    counts = sorted({row["pictures"] for row in rows})
    axes.set(xscale="log", yscale="log", xlabel="pictures of 128x128 RGB8", ylabel="microseconds")
    axes.set_title("A batch in one go")
    axes.set_xticks(counts)
    plain(axes.xaxis)
    plain(axes.yaxis)
    axes.legend(fontsize=7)


def title(machine):
    device = machine.get("CUDA device", machine.get("processor", ""))
    driver = machine.get("NVIDIA driver")
    return ", ".join(part for part in (device, driver and f"driver {driver}", machine["date"][:10],
                                       "commit " + machine["commit"][:12]) if part)  # fmt: skip


def draw(data, backend, file):
    rows = [row for row in data["rows"] if row["backend"] == backend]
    if not rows:
        sys.exit(f"nothing of the {backend} backend was measured")
    plt.rcParams.update({"font.size": 8, "axes.titlesize": 9, "axes.grid": True, "grid.alpha": 0.3})
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), width_ratios=(2, 1, 1), layout="constrained")
    plot_sizes(axes[0], rows)
    plot_strengths(axes[1], rows)
    plot_batches(axes[2], rows)
    figure.suptitle(f"{backend}: {title(data['machine'])}", fontsize=9)
    figure.savefig(file, dpi=120, metadata={"Software": None})


def draw_domain(data, backend, file):
    """Size across, strength down, colour: times a copy. A domain without cliffs has one colour."""
    rows = [row for row in data["domain"] if row["backend"] == backend and "refused" not in row]
    if not rows:
        sys.exit(f"no points of the domain were measured with the {backend} backend")
    words, price = "times a copy of the same bytes", lambda row: row["x_copy"]
    if backend == "cpu":  # where a copy is free
        words, price = "nanoseconds a pixel", lambda row: 1e3 * row["us"] / row["pictures"] / row["width_px"] / row["height_px"]
    plt.rcParams.update({"font.size": 8, "axes.titlesize": 9, "axes.grid": True, "grid.alpha": 0.3})
    figure, axes = plt.subplots(figsize=(8, 4.4), layout="constrained")
    for marker, label, chosen in (("o", "picture", [row for row in rows if row["pictures"] == 1]),
                                  ("s", "batch, size of one image", [row for row in rows if row["pictures"] > 1])):
        points = axes.scatter([row["width_px"] * row["height_px"] for row in chosen], [row["strength"] for row in chosen],
                              c=[price(row) for row in chosen], marker=marker, s=42, cmap="viridis", edgecolors="#444444",
                              linewidths=0.4, label=label, norm=LogNorm(vmin=2, vmax=200))  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="pixels of an image", ylabel="strength")
    axes.set_yticks([0.5, 1, 2, 4, 8])
    axes.invert_yaxis()
    plain(axes.yaxis)
    figure.legend(fontsize=7, loc="outside lower center", ncols=2)  # where it hides no point
    bar = figure.colorbar(points, label=words)
    plain(bar.ax.yaxis)
    broken = sum(row["of_bound"] > 1 for row in rows)
    figure.suptitle(f"{backend}: {len(rows)} random points, {broken} beyond their bound\n{title(data['machine'])}", fontsize=9)
    figure.savefig(file, dpi=120, metadata={"Software": None})


def draw_blur(folder, file, size="4K"):
    """Lines are Gaussians, over six sigmas; points are engines that were timed at one or two."""
    cuda, peers = (json.loads((folder / f"{name}.json").read_text()) for name in ("cuda", "peers"))
    plt.rcParams.update({"font.size": 8, "axes.titlesize": 9, "axes.grid": True, "grid.alpha": 0.3})
    figure, axes = plt.subplots(figsize=(8, 4.4), layout="constrained")
    found = [row for row in peers["rows"] if row["task"] == "blur" and row["size"] == size and "us" in row]
    for number, peer in enumerate(dict.fromkeys(row["peer"] for row in found)):
        own = peer == "Fovea"
        axes.plot(*zip(*[(row["sigma_px"], row["us"]) for row in found if row["peer"] == peer]), "-" if own else ":",
                  color="#0072b2" if own else f"{0.75 - 0.12 * number:.2f}", marker="o" if own else "v^<>"[number % 4], markersize=4,
                  linewidth=2 if own else 1, label="Fovea, gaussian" if own else peer)  # fmt: skip
    colours = {"quasi": "#009e73", "box": "#d55e00", "diffusion": "#cc79a7", "fft": "#e69f00"}
    times = {row["mode"]: row["us"] for row in pictures_of(cuda["rows"], size)}
    for engine, colour in colours.items():
        points = [(sigma, times[mode]) for mode, (name, _, sigma) in ENGINES.items() if name == engine]
        axes.plot(*zip(*points), "s", color=colour, markersize=7, label=f"Fovea, {engine}")
    axes.axhline(times["copy"], color="#000000", linestyle="--", linewidth=1, label="copy of the picture")
    axes.set(xscale="log", yscale="log", xlabel="sigma in pixels", ylabel="microseconds")
    plain(axes.xaxis)
    plain(axes.yaxis)
    figure.legend(fontsize=7, loc="outside right upper")
    axes.set_title(f"One blur of a {size} picture: {title(cuda['machine'])}", fontsize=8)
    figure.savefig(file, dpi=120, metadata={"Software": None})


def pictures_of(rows, size):
    return [row for row in rows if row["table"] == "picture" and row["size"] == size and row["format"] == "RGBA8"
            and row["backend"] == "cuda"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("json", type=Path, help="what ./run bench --json wrote")
    parser.add_argument("png", type=Path)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--domain", action="store_true", help="points of ./run bench --domain instead of the tables")
    parser.add_argument("--blur", action="store_true", help="the engines of blur; JSON is the folder of cuda.json and peers.json")
    arguments = parser.parse_args()
    if arguments.blur:
        draw_blur(arguments.json, arguments.png)
        return
    draw_one = draw_domain if arguments.domain else draw
    draw_one(json.loads(arguments.json.read_text()), arguments.backend, arguments.png)


if __name__ == "__main__":
    main()
