# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The tables of docs/lens-performance.md and docs/lens-paper.md, for tables.py: from
docs/bench/lens-paper.json (./run bench --lens-paper --json)."""

import statistics

from paper_tables import PaperTables

SIZES = ["720p", "1080p", "4K", "8K"]

NAIVE, POW = "GPU_naive in doubles", "GPU_naive in doubles, by pow"
LUT, BACKWARD, FORWARD = "GPU_LUT, two tables", "Ours_B, one table", "Ours_F, one table"
PAIRS, ONE_COLOR = "GPU_LUT, an array of pairs", "Ours_B, pictures of one colour"
BLOCKS = {shape: f"Ours_B, blocks of {shape}" for shape in ("16x16", "8x8", "32x8", "128x1", "32x32")}
COPIED, UNIFIED = "Ours_B, copied there and back", "Ours_B, in unified memory"


class LensTables(PaperTables):
    NAME, PREFIX = "lens-paper", "lens"

    def of(self, backend):
        data = self.load(self.NAME) or {"rows": []}
        return [row for row in data["rows"] if row["table"] == "lens" and row["backend"] == backend]

    def ways_of(self, backend):
        found = {}
        for row in self.of(backend):
            if row["size"] in SIZES and row["mode"] != "copy":
                found.setdefault(row["mode"], {})[row["size"]] = row
        return found

    def ways(self, backend):
        lines = []
        for way, sizes in self.ways_of(backend).items():
            last = sizes.get("4K", {})
            warm = sizes.get("1080p", {}).get("us_warm")
            lines.append([way, *(self.cell(sizes.get(size)) for size in SIZES), self.time(warm) if warm else "",
                          f"{last['x_fovea']:.2f}" if "x_fovea" in last else "", last.get("note", "")])  # fmt: skip
        head = ["way", *SIZES, "1080p, warm", "x Fovea, 4K", "pixels at 4K"]
        return self.lines(head, lines)

    def lens_on_cuda(self):
        return self.ways("cuda")

    def lens_on_processor(self):
        return self.ways("cpu")

    def flat(self):
        return [row for row in self.of("cuda") if row["mode"] == "any lens" and "x_fovea" in row]

    def lens_flat(self):
        lines = [[row["note"], self.cell(row), f"{row['x_fovea']:.2f}"] for row in self.flat()]
        return self.lines(["size and lens", "time (x copy)", "a pixel, x 4K's"], lines)

    def lens_flat_in_words(self):
        parts = [row["x_fovea"] for row in self.flat()]
        if not parts:
            return self.missing
        within = sum(part <= 1.5 for part in parts)
        return f"{within} of {len(parts)} within 1.5 times, median {statistics.median(parts):.2f}, worst {max(parts):.2f}"

    def factors(self, backend, slower, faster):
        """How many times as long one way takes as another, at each size."""
        ways = self.ways_of(backend)
        pairs = [(ways.get(slower, {}).get(size), ways.get(faster, {}).get(size)) for size in SIZES]
        return [a["us"] / b["us"] for a, b in pairs if a and b]

    def words(self, factors):
        return ", ".join(f"{factor:.2f}" for factor in factors) + " times at " + ", ".join(SIZES[: len(factors)])

    def lens_statements(self):
        """What the paper says of kernels and of memory, against the ways above."""
        statements = [
            ("two tables are up to 67.16 times as fast as the naive way on GPUs; 4 to 4.3 on the card, kernels alone",
             "in doubles", self.factors("cuda", NAIVE, LUT), 1.05),
            ("", "in doubles, by pow()", self.factors("cuda", POW, LUT), 1.05),
            ("one table is up to 1.72 times as fast as two, 1.35 in the mean; 1.33 to 1.6 on the card, kernels alone", "",
             self.factors("cuda", LUT, BACKWARD), 1.05),
            ("mapping forward takes 13.91 % longer in the mean; 0 to 9 % on the card, kernels alone", "",
             self.factors("cuda", FORWARD, BACKWARD), 1.02),
            ("a GPU with memory of its own should copy: unified memory takes 70.47 times as long in the mean", "",
             self.factors("cuda", UNIFIED, COPIED), 1.05),
            ("such a GPU waits for copies, not for its kernels", "with copies against the kernel",
             self.factors("cuda", COPIED, BACKWARD), 2.0),
            ("on processors a table is up to 8.82 times as fast as the naive way", "all cores",
             self.factors("cpu", "CPU_naive in doubles", "CPU_LUT, two tables"), 1.05),
            ("keys of equation 2 are worth what they cost to decode", "decoding against addresses, which need none",
             self.factors("cuda", BACKWARD, "one table of addresses"), 0.0),
            ("an array of pairs is slower than two arrays", "", self.factors("cuda", PAIRS, LUT), 1.05),
            *(("blocks of 16x16 are generally best" if shape == "8x8" else "", f"of {shape} against them",
               self.factors("cuda", way, BLOCKS["16x16"]), 1.0) for shape, way in BLOCKS.items() if shape != "16x16"),
            ("time depends on a picture's size, not on what it shows", "of one colour, against one of noise",
             self.factors("cuda", ONE_COLOR, BACKWARD), (0.95, 1.05)),
        ]  # fmt: skip
        lines = []
        for says, what, factors, least in statements:
            if factors:
                least, most = least if isinstance(least, tuple) else (least, float("inf"))
                held = sum(least <= factor <= most for factor in factors)
                verdict = "beside the point: an address is as small" if least == 0 else f"{held} of {len(factors)} sizes"
                lines.append([says, f"{what}: {self.words(factors)}".removeprefix(": "), verdict])
        return self.lines(["the paper says", "here", "held"], lines)
