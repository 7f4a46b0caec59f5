#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The tables of docs/benchmarks.md and the figures of other pages, from what was measured:

    python3 tests/bench/tables.py            writes them into the pages
    python3 tests/bench/tables.py --check    status 1 where a page says something else

Sources: docs/bench/BACKEND.json (fovea_bench --backend BACKEND --json), docs/bench/domain-BACKEND.json
(with --domain, too), docs/bench/lens-paper.json (with --lens-paper, all backends), docs/bench/foveation-paper.json
docs/bench/blur-thesis.json, docs/bench/lightfield-paper.json and docs/bench/csdd-thesis.json (with --foveation-paper,
--blur-thesis, --lightfield-paper, --csdd-thesis), docs/bench/peers.json (./run bench --peers), and
docs/gpu-results.md (./run gpu-test) for frames. A page holds a figure between `<!-- bench NAME -->` and `<!-- end -->`; NAME is
a key of TABLES."""

import json
import re
import statistics
import sys
from pathlib import Path

from blur_tables import BlurTables
from companion_tables import CsddTables, LightfieldTables
from lens_tables import LensTables
from paper_tables import FoveationTables, ThesisTables
from peer_tables import PeerTables

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "bench"
PAGES = ["README.md", "docs/benchmarks.md", "docs/layer.md", "docs/gaze.md", "docs/images.md", "docs/lens-performance.md",
         "docs/lens-paper.md", "docs/foveation-paper.md", "docs/blur-thesis.md", "docs/blur.md", "docs/lightfield.md", "docs/saliency.md"]  # fmt: skip
BACKENDS = ["cuda", "vulkan", "cpu"]
SIZES = ["720p", "1080p", "1440p", "4K", "8K"]
DEFAULT, ENCODED = "smooth-linear", "smooth"
OTHER_MODES = {
    "smooth-mild": "`physical`, a desktop seen as it is",
    "smooth-strong": "strength 2",
    "smooth-rgba16f": "RGBA16F",
    "blockwise-32": "`blockwise`, 32 px",
    "blockwise-16": "`blockwise`, 16 px",
    "blockwise-8": "`blockwise`, 8 px",
}
WORST = 5


def load(name):
    file = DATA / f"{name}.json"
    return json.loads(file.read_text()) if file.exists() else None


def device(machine):
    for backend in ("CUDA device", "Vulkan device"):
        if backend in machine:
            return machine[backend]
    cores = re.search(r"\d+ cores", machine["processor"])
    return f"CPU, {cores[0]}"


def time(us):
    """Three digits: 27.4 us, 7.36 ms."""
    value, unit = (us, "us") if us < 1000 else (us / 1000, "ms")
    return f"{value:.{max(0, 2 - (value >= 10) - (value >= 100))}f} {unit}"


def picture(backend, size, mode, gaze=None):
    """The first row of its kind, or None."""
    for row in (load(backend) or {"rows": []})["rows"]:
        if row["table"] == "picture" and row["size"] == size and row["mode"] == mode and row.get("gaze") == gaze:
            return row
    return None


def at_gazes(backend, size, mode, value):
    """The gaze in the centre, and where it was measured in the corner."""
    rows = [picture(backend, size, mode, gaze) for gaze in ("centre", "corner")]
    return " / ".join(value(row) for row in rows if row)


def in_times(backend, size, mode):
    return at_gazes(backend, size, mode, lambda row: time(row["us"]))


def in_copies(backend, size, mode):
    return at_gazes(backend, size, mode, lambda row: f"{row['x_copy']:.1f}")


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n\n" + "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n\n"


def machines():
    rows = []
    for name in [*BACKENDS, *(f"domain-{backend}" for backend in BACKENDS)]:
        data = load(name)
        if data:
            machine = data["machine"]
            rows.append([f"[{name}.json](bench/{name}.json)", device(machine), machine.get("NVIDIA driver", ""),
                         machine["commit"][:7], machine["date"]])  # fmt: skip
    return table(["data", "device", "driver", "commit", "date"], rows)


def pictures():
    rows = []
    for size in SIZES:
        for backend in BACKENDS:
            copy = picture(backend, size, "copy")
            if copy and picture(backend, size, DEFAULT, "centre"):
                cells = [f(backend, size, mode) for mode in (DEFAULT, ENCODED) for f in (in_times, in_copies)]
                rows.append([size, backend, *cells, time(copy["us"])])
    return table(["picture", "backend", "default: linear light", "x copy", "encoded", "x copy", "copy"], rows)


def modes():
    columns = [(backend, size) for backend in BACKENDS for size in ("1080p", "4K", "8K")
               if any(picture(backend, size, mode, "centre") for mode in OTHER_MODES)]  # fmt: skip
    rows = []
    for mode, words in OTHER_MODES.items():
        cells = [in_times(backend, size, mode) for backend, size in columns]
        if any(cells):
            rows.append([words, *cells])
    return table(["picture", *(f"{backend} {size}" for backend, size in columns)], rows)


def batch_rows(backend):
    rows = (load(backend) or {"rows": []})["rows"]
    return [row for row in rows if row["table"] == "batch" and row["mode"] == "smooth"]


def batches():
    rows = [[f"{row['pictures']:,} x {row['size']} {row['format']}", backend, time(row["us"]), f"{row['x_copy']:.1f}",
             f"{row['pictures_per_s'] / 1e6:.2f} million"]
            for backend in BACKENDS for row in batch_rows(backend)]  # fmt: skip
    return table(["batch", "backend", "time", "x copy", "pictures a second"], rows)


def domain_points(backend):
    return [row for row in (load(f"domain-{backend}") or {"domain": []})["domain"] if "refused" not in row]


def domain():
    rows = []
    for backend in BACKENDS:
        points = domain_points(backend)
        for bound in dict.fromkeys(row["bound"] for row in points):
            parts = [row["of_bound"] for row in points if row["bound"] == bound]
            rows.append([backend, bound.removeprefix("cpu: "), len(parts), sum(part <= 1 for part in parts),
                         f"{statistics.median(parts):.2f}", f"{max(parts):.2f}"])  # fmt: skip
    return table(["backend", "bound", "points", "within it", "median part of it", "worst"], rows)


def worst():
    rows = []
    for backend in BACKENDS:
        broken = [row for row in domain_points(backend) if row["of_bound"] > 1]
        for row in sorted(broken, key=lambda row: -row["of_bound"])[:WORST]:
            rows.append([backend, row["words"], time(row["us"]), row["bound"].split(": ")[-1], f"{row['of_bound']:.2f}"])
    return table(["backend", "point", "time", "bound", "part of its bound"], rows)


def frames():
    """From the list in gpu-results.md: what a frame of the layer adds on the GPU. With cuda, a batch of copies goes before the
    kernels and another one after them; with vulkan one batch holds all."""
    text = (ROOT / "docs" / "gpu-results.md").read_text()
    found = re.findall(r"^- on the GPU, (\S+): Fovea, (.*): adds (\S+) us p50, .*; kernels alone (\S+?); first batch (\S+?), "
                       r"then until the second (\S+?) p50, .*, second (\S+)$", text, re.M)  # fmt: skip
    rows = []
    for size, path, *numbers in found:
        added, kernels, first, between, second = map(float, numbers)
        if path.startswith("cuda"):
            rows.append([size, path, time(added), time(kernels), time(first + second), time(between - kernels)])
        elif kernels > 0:
            rows.append([size, path, time(added), time(kernels), time(first - kernels), ""])
    return table(["frame", "backend", "added", "kernels", "copies", "hand-over to CUDA and back"], rows)


def late_gaze():
    text = (ROOT / "docs" / "gpu-results.md").read_text()
    found = re.findall(r"^- (\w+): age of the sample when frames start, .*: (\S+) ms p50, (\S+) p99; "
                       r"late (\S+) ms p50, (\S+) p99$", text, re.M)  # fmt: skip
    backends = {"nvidia": "vulkan"}
    rows = [[backends.get(backend, backend), f"{p50} ms / {p99} ms", f"{late_p50} ms / {late_p99} ms"]
            for backend, p50, p99, late_p50, late_p99 in found]  # fmt: skip
    return table(["backend", "without", "late"], rows)


def commit_of_frames():
    return re.search(r"^\| commit \| (\w{7})", (ROOT / "docs" / "gpu-results.md").read_text(), re.M)[1]


def numbers():
    """The three of the README."""
    batch = batch_rows("cuda")[0]
    gpu, cpu = load("cuda")["machine"], load("cpu")["machine"]
    rows = [["1920x1080, default settings", device(gpu), time(picture("cuda", "1080p", DEFAULT, "centre")["us"])],
            [f"{batch['pictures']:,} pictures of {batch['size']} {batch['format']}, each with its gaze, stored values",
             device(gpu), time(batch["us"])],
            ["1920x1080, default settings", device(cpu), time(picture("cpu", "1080p", DEFAULT, "centre")["us"])]]  # fmt: skip
    return table(["", "on", "time"], rows)


def batch_in_words():
    row = batch_rows("cuda")[0]
    return (f"{row['pictures']:,} images of {row['size']} {row['format']} take {time(row['us'])} in one batch on an "
            f"{device(load('cuda')['machine'])}")  # fmt: skip


TABLES = {f.__name__: f for f in (machines, pictures, modes, batches, domain, worst, frames, late_gaze, commit_of_frames, numbers,
                                  batch_in_words)}  # fmt: skip
TABLES |= LensTables(load, time, table, device).all()
TABLES |= FoveationTables(load, time, table, device).all() | ThesisTables(load, time, table, device).all()
TABLES |= PeerTables(load, time, table).all() | BlurTables(load, time, table).all()
TABLES |= LightfieldTables(load, time, table, device).all() | CsddTables(load, time, table, device).all()


def fill(text):
    """The page with its figures as they are measured."""
    return re.sub(r"(<!-- bench (\w+) -->)(.*?)(<!-- end -->)",
                  lambda found: found[1] + TABLES[found[2]]() + found[4], text, flags=re.S)  # fmt: skip


def main():
    stale = []
    for page in PAGES:
        path = ROOT / page
        text = path.read_text()
        filled = fill(text)
        if filled != text:
            stale.append(page)
            if "--check" not in sys.argv[1:]:
                path.write_text(filled)
    print("\n".join(stale))
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
