# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What the engines of blur take (docs/blur.md), for tables.py and plot.py: from docs/bench/cuda.json, vulkan.json and peers.json."""

# Modes of `./run bench`: engine, words, sigma in px.
ENGINES = {
    "blur-4": ("gaussian", "sigma 4", 4),
    "blur-32": ("gaussian", "sigma 32", 32),
    "blur-quasi-20": ("quasi", "sigma 20", 20),
    "blur-box-20": ("box", "four boxes, sigma 20", 20),
    "blur-diffusion-50": ("diffusion", "50 steps, sigma 4.1", (50 / 3) ** 0.5),
    "blur-fft-24": ("fft", "disc of 24 px, sigma 12", 12),
    "blur-fft-200": ("fft", "disc of 200 px, sigma 100", 100),
}


class BlurTables:
    """load, time, table: those of tables.py."""

    def __init__(self, load, time, table):
        self.load, self.time, self.table = load, time, table

    def all(self):
        return {"blur_engines": self.engines, "blur_wanted": self.wanted}

    def us(self, backend, size, mode):
        found = [row["us"] for row in self.load(backend)["rows"]
                 if (row["table"], row["size"], row["mode"], row["format"]) == ("picture", size, mode, "RGBA8")
                 and row.get("gaze", "centre") == "centre"]  # fmt: skip
        return found[0] if found else None

    def peers(self, size):
        return [row for row in self.load("peers")["rows"] if row["task"] == "blur" and row["size"] == size and "us" in row]

    def engines(self):
        columns = [(backend, size) for backend in ("cuda", "vulkan") for size in ("1080p", "4K")]

        def cell(column, mode):
            us = self.us(*column, mode)
            return f"{self.time(us)} ({us / self.us(*column, 'copy'):.1f})" if us else ""

        head = ["engine", "of", *(f"{backend}, {size}" for backend, size in columns)]
        return self.table(head, [[f"`{engine}`", words, *(cell(column, mode) for column in columns)]
                                 for mode, (engine, words, _) in ENGINES.items()])  # fmt: skip

    def wanted(self):
        """What was wanted of an H200, pictures of RGBA8: at least, at best, and what there is."""
        copy = self.us("cuda", "4K", "copy")
        ours = {(size, row["sigma_px"]): row["us"] for size in ("1080p", "4K") for row in self.peers(size) if row["peer"] == "Fovea"}
        factors = {(size, row["sigma_px"], row["peer"]): row["us"] / ours[size, row["sigma_px"]]
                   for size in ("1080p", "4K") for row in self.peers(size) if row["peer"] != "Fovea"}  # fmt: skip
        near = [value for value in factors.values() if value < 3]
        both = self.us("cuda", "1080p", "dof-foveate") / self.us("cuda", "1080p", "smooth-linear")
        far = self.us("cuda", "1080p", "dof-foveate-far") / self.us("cuda", "1080p", "smooth-linear")

        def row(case, least, best, value, form):
            verdict = "yes, the best too" if value <= best else "yes" if value <= least else "no"
            return [case, form(least), form(best), form(value), verdict]

        def copies(value):
            return f"{value:.3g} x copy"

        def more(value):
            return f"{100 * (value - 1):+.0f} %"

        return self.table(["case", "wanted", "at best", "here", "met"], [
            ["`gaussian`, sigma 12, 4K", "what `foveate` takes", copies(1.5), copies(ours["4K", 12.0] / copy),
             ("yes, " if ours["4K", 12.0] <= self.us("cuda", "4K", "smooth") else "no, ")
             + ("the best too" if ours["4K", 12.0] <= 1.5 * copy else "not the best")],
            ["`gaussian` against other packages, same run", "the fastest", "3 times as fast",
             f"{min(factors.values()):.1f} times at least, below 3 in {len(near)} of {len(factors)}", "yes" if min(factors.values()) > 1 else "no"],
            *(row(f"`{ENGINES[mode][0]}`, {ENGINES[mode][1]}, 4K", 3, 1.8, self.us("cuda", "4K", mode) / copy, copies)
              for mode in ("blur-quasi-20", "blur-box-20")),
            row("`fft`, disc of 24 px, 4K", 400, 220, self.us("cuda", "4K", "blur-fft-24"), self.time),
            row("`diffusion`, 50 steps, 1080p", 300, 120, self.us("cuda", "1080p", "blur-diffusion-50"), self.time),
            row("`dof,foveate` beside `foveate`, 1080p", 1.35, 1.15, both, more),
            row("the same, nothing near", 1.35, 1.15, far, more),
        ])  # fmt: skip
