# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Tables of docs/lightfield.md and docs/saliency.md, for tables.py: from docs/bench/lightfield-paper.json and
docs/bench/csdd-thesis.json (./run bench --lightfield-paper --json, ./run bench --csdd-thesis --json)."""

from paper_tables import MANY, PaperTables

SAID = 1.02  # one that gains gains this much


class LightfieldTables(PaperTables):
    NAME, PREFIX = "lightfield-paper", "lightfield"
    SIZE = "96x72 lenses"
    TWO = ", 2 blocks a row"

    def lightfield_ways(self):
        lines = [[row["mode"], self.cell(row), self.time(row["us_warm"]) if row.get("us_warm") else "",
                  f"{row['x_fovea']:.2f}" if "x_fovea" in row else "", row.get("note", "")]
                 for row in self.rows(self.SIZE) if row["us"] > 0]  # fmt: skip
        return self.lines(["way", "time (x copy of the raw picture)", "warm", "x Fovea", "against double precision"], lines)

    def against(self, *pairs):
        return [(word, self.factor(a, b, self.SIZE)) for word, a, b in pairs]

    def pictures_a_second(self, *ways):
        return [(way, 1e6 / us) for way in ways if (us := self.us(f"rendering: {way}", self.SIZE))]

    def gb_a_second(self, *ways):
        two_raws = 2 * 7200 * 4 * 5382
        return [(way, two_raws / us / 1e3) for way in ways if (us := self.us(f"raw picture, {way}", self.SIZE))]

    def lightfield_statements(self):
        r, d, two = "rendering: ", "depth: ", self.TWO
        against = self.against

        def lines(words, other=""):
            """Sync and NoSync, with and without it."""
            return [("Sync", f"{r}Sync{words}{two}", f"{r}Sync{other}{two}"), ("NoSync", f"{r}NoSync{words}{two}", f"{r}NoSync{other}{two}")]

        def us(*ways):
            return [(way, self.us(way, self.SIZE)) for way in ways]

        return self.judged([
            ("596 us of rendering (GTX-780, NoSync), 4,840 of depth (GTX-980, NoSync)", "us",
             us(f"{r}base", f"{r}NoSync, 4 blocks a row", f"{d}base", f"{d}NoSync{two}"), "other GPUs", MANY),
            ("NoSync renders 1.3 times as fast as base (GTX-780), not on the newer GTX-980", "base against it, best widths",
             against(("Sync", f"{r}base", f"{r}Sync, 4 blocks a row"), ("NoSync", f"{r}base", f"{r}NoSync, 4 blocks a row")), SAID, MANY),
            ("depth: Sync 1.82 (GTX-780), NoSync 1.18 times as fast as base (GTX-980)", "base against it",
             against(("Sync", f"{d}base", f"{d}Sync{two}"), ("NoSync", f"{d}base", f"{d}NoSync{two}"),
                     ("base with default loads against NoSync", f"{d}base, default loads", f"{d}NoSync{two}")), SAID, MANY),
            ("ResVect gains", "without",
             against(("base", f"{r}base, without ResVect", f"{r}base"), *lines(", without ResVect"),
                     ("depth", f"{d}base, without ResVect", f"{d}base")), SAID, MANY),
            ("DivAsMul gains in base", "without", against(("", f"{r}base", f"{r}base, DivAsMul")), SAID, MANY),
            ("but not where sums lie in shared memory", "with", against(*lines(", DivAsMul")), 1, MANY),
            ("SyncAtEnd hardly matters", "with",
             against(("rendering", f"{r}base, SyncAtEnd", f"{r}base"), ("depth", f"{d}base, SyncAtEnd", f"{d}base")), 0.97, 1.03),
            ("base: blocks of 128 are best (Kepler), 320 (Maxwell)", "against 128",
             against(*((str(n), f"{r}base, blocks of {n}", f"{r}base") for n in (64, 96, 160, 320))), 1, MANY),
            ("texture loads gain in base", "default loads",
             against(("rendering", f"{r}base, default loads", f"{r}base"), ("depth", f"{d}base, default loads", f"{d}base")), SAID, MANY),
            ("default loads in lines, on GPUs that cache them", "texture loads",
             against(*lines(", texture loads"), ("depth, Sync", f"{d}Sync, texture loads{two}", f"{d}Sync{two}"),
                     ("depth, NoSync", f"{d}NoSync, texture loads{two}", f"{d}NoSync{two}")), SAID, MANY),
            ("RGBx before RGB (Fig. 4)", "RGB, default loads",
             against(("rendering", f"{r}base, RGB, default loads", f"{r}base, default loads"),
                     ("depth", f"{d}base, RGB, default loads", f"{d}base, default loads")), SAID, MANY),
            ("AoS before SoA", "SoA", against(*lines(", SoA")), SAID, MANY),
            ("NoSync: sums in shared memory, for registers are few", "in registers",
             against(("", f"{r}NoSync, sums in registers{two}", f"{r}NoSync{two}")), 1, MANY),
            ("unrolling hurts Sync", "unrolled", against(("rendering", f"{r}Sync, unrolled{two}", f"{r}Sync{two}"),
                                                         ("depth", f"{d}Sync, unrolled{two}", f"{d}Sync{two}")), SAID, MANY),
            ("and helps NoSync", "not unrolled; depth: against unrolled", against(("rendering", f"{r}NoSync, not unrolled{two}", f"{r}NoSync{two}"),
                                                         ("depth", f"{d}NoSync{two}", f"{d}NoSync, unrolled{two}")), SAID, MANY),
            ("the first four micro-images in a loop of their own", "one loop",
             against(*lines(", one loop"), ("depth, Sync", f"{d}Sync, one loop{two}", f"{d}Sync{two}")), SAID, MANY),
            ("a barrier behind it helps NoSync", "without",
             against(("rendering", f"{r}NoSync, no barrier{two}", f"{r}NoSync{two}"), ("depth", f"{d}NoSync, no barrier{two}", f"{d}NoSync{two}")), SAID, MANY),
            ("1 or 2 blocks a row", "against 2", against(
                *((f"{n}", f"{r}NoSync, {n} a row", f"{r}NoSync{two}") for n in ("1 block", "4 blocks", "8 blocks", "16 blocks")),
                *((f"depth, {n}", f"{d}NoSync, {n} a row", f"{d}NoSync{two}") for n in ("8 blocks", "16 blocks"))), 1, MANY),
            ("blocks of 55x2", "against 55x1", [(word, self.factor(f"{r}{word}, blocks of 55x2, 2 a row", f"{r}{word}{two}", self.SIZE))
                                                for word in ("Sync", "NoSync")], 0, 0.98),
            ("registers are limited", "with a limit", against(
                *((f"Sync, {n}", f"{r}Sync, {n} registers{two}", f"{r}Sync{two}") for n in (48, 40)),
                *((f"NoSync, {n}", f"{r}NoSync, {n} registers{two}", f"{r}NoSync{two}") for n in (60, 48)),
                *((f"depth, Sync, {n}", f"{d}Sync, {n} registers{two}", f"{d}Sync{two}") for n in (48, 64)),
                *((f"depth, NoSync, {n}", f"{d}NoSync, {n} registers{two}", f"{d}NoSync{two}") for n in (64, 80))), 0, 0.98),
            ("most of the cache as L1 for Sync (16/48)", "least and most shared memory, against the driver's choice",
             against(("least", f"{r}Sync, least shared memory{two}", f"{r}Sync{two}"), ("most", f"{r}Sync, most shared memory{two}", f"{r}Sync{two}")), 0, 0.98),
            ("SAD as short on Kepler, as int on Maxwell", "short",
             against(("Sync", f"{d}Sync, short sums{two}", f"{d}Sync{two}"), ("NoSync", f"{d}NoSync, short sums{two}", f"{d}NoSync{two}")), "by GPU", MANY),
            ("vabsdiff4", "without", against(("", f"{d}base, without vabsdiff4", f"{d}base")), SAID, MANY),
            ("Fig. 8: GB a second, read and written", "a copy and a transposition", self.gb_a_second("copied", "transposed"), "other GPUs", MANY),
            ("Lumsdaine, Chunev, Georgiev 2012: more than 500 pictures a second", "pictures a second",
             self.pictures_a_second("base, default loads", "NoSync, 4 blocks a row", "Fovea, nearest pixels", "Fovea, interpolated"), 500, MANY),
            ("Fovea beside the paper", "the paper's fastest against Fovea, nearest pixels",
             against(("rendering, base", f"{r}base, default loads", f"{r}Fovea, nearest pixels"),
                     ("depth, NoSync", f"{d}NoSync{two}", f"{d}Fovea, nearest pixels")), 1, MANY),
        ])  # fmt: skip


class CsddTables(PaperTables):
    NAME, PREFIX = "csdd-thesis", "csdd"
    SIZE = "480x640"
    WHOLE = "the thesis's kernels"
    SIZES = ["320x240", "480x640", "512x768", "800x600", "768x768", "1280x1024", "1600x1200"]

    def on(self, backend, way, size):
        row = next((row for row in self.rows(size) if row["mode"] == way and row["backend"] == backend), None)
        return row["us"] if row else None

    def csdd_ways(self):
        lines = [[row["backend"], row["mode"], self.time(row["us"]), f"{row['x_fovea']:.2f}" if "x_fovea" in row else "", row.get("note", "")]
                 for row in self.rows(self.SIZE)]  # fmt: skip
        return self.lines(["on", f"way, {self.SIZE}", "time", "x Fovea", "against double precision"], lines)

    def csdd_sizes(self):
        ways = [self.WHOLE, "kernel 1", "kernel 2", "kernel 3", "nothing in shared memory"]
        lines = [[size, *(self.time(us) if (us := self.on("cuda", way, size)) else "" for way in ways),
                  *(self.time(us) if (us := self.on("cpu", way, size)) else "" for way in ("the thesis's loops, one thread", "the thesis's loops"))]
                 for size in self.SIZES if self.rows(size)]  # fmt: skip
        return self.lines(["size", *ways, "processor, one thread", "processor, all cores"], lines)

    def csdd_statements(self):
        size, whole = self.SIZE, self.WHOLE

        def against(*pairs):
            return [(word, a / b if (a := self.on("cuda", first, size)) and (b := self.on("cuda", second, size)) else None)
                    for word, first, second in pairs]  # fmt: skip

        def over_sizes(first, second):
            return [(at, a / b) for at in self.SIZES if (a := self.on(*first, at)) and (b := self.on(*second, at))]

        def without(*words):
            return against(*((word, word, whole) for word in words))

        loops, cpu = "the thesis's loops, one thread", "cpu"
        squares = [self.on(cpu, loops, at) for at in ("768x768", "760x760")]
        return self.judged([
            ("the GPU is 10 to 30 times as fast as the processor (Fig. 5-1 to 5-3)", "one thread", over_sizes((cpu, loops), ("cuda", whole)), 10, MANY),
            ("", "all cores", over_sizes((cpu, "the thesis's loops"), ("cuda", whole)), 1, MANY),
            ("sides that are multiples of 256 cost the processor 3 times as much", "768x768 against 760x760, a pixel",
             [("", squares[0] / squares[1] * (760 / 768) ** 2 if all(squares) else None)], 1.5, MANY),
            ("kernel 2 takes longest on the GPU (Fig. 5-5)", "kernel 2 against kernel 1", over_sizes(("cuda", "kernel 2"), ("cuda", "kernel 1")), 1, MANY),
            ("", "kernel 2 against kernel 3", over_sizes(("cuda", "kernel 2"), ("cuda", "kernel 3")), 1, MANY),
            ("shared memory: 30 % (Fig. 5-2, 5-3)", "without", over_sizes(("cuda", "nothing in shared memory"), ("cuda", whole)), 1.1, MANY),
            ("filters' numbers in shared memory: 15 %", "in global memory (kernel 1: the edge, too)",
             against(("kernel 1", "kernel 1, filters in global memory", "kernel 1")), 1.1, MANY),
            ("kernel 1, edge in shared memory: 35 %", "in global memory", against(("", "kernel 1, edge in global memory", "kernel 1")), 1.1, MANY),
            ("kernel 2, output in shared memory: 25 %", "in global memory, four loops", against(("", "kernel 2, output in global memory", "kernel 2")), 1.1, MANY),
            ("kernel 3, output in shared memory: 25 %", "in global memory", against(("", "kernel 3, output in global memory", "kernel 3")), 1.1, MANY),
            ("a tree in kernel 3 is slower", "8 groups of bins", without("a tree of 8 groups"), 1, MANY),
            ("volatile shared memory: 1 %", "with it", without("filters in volatile shared memory"), 0, 0.995),
            ("unrolling is no use", "by 4", without("loops unrolled by 4"), 1, MANY),
            ("floats between kernels", "doubles", without("doubles between kernels"), 1, MANY),
            ("20 registers are best (of 26)", "at most", without("20 registers", "26 registers", "32 registers", "48 registers"), 0, 1),
            ("64 to 256 threads; more are slower (Table 4-1)", "against its choice, 256 and 128", without(*(f"blocks of {n}" for n in (64, 128, 192, 256, 320, 512))), 1, MANY),
            ("no multiple of 64: up to 12 % slower (Fig. 4-5)", "against 64",
             against(*((str(n), f"blocks of {n}", "blocks of 64") for n in (32, 48, 80, 96))), 1.02, MANY),
            ("streams where memory is short (1 to 8)", "bins in parts", without("2 streams", "4 streams", "8 streams"), "memory is not short", MANY),
            ("the longer side as columns: up to 14 %", "640x480 against 480x640",
             [("", a / b if (a := self.on("cuda", whole, "640x480")) and (b := self.on("cuda", whole, size)) else None)], 1.02, MANY),
            ("a thread a pixel in kernel 3 (not the thesis's)", "with it", without("kernel 3 with a thread a pixel"), "ours", MANY),
            ("74 s for 3 channels, 19 scales (GTX 280)", "ms", [(way, us / 1000) for way in ("3 channels, 19 scales", "Fovea, 3 channels, 19 scales, with the list")
                                                              if (us := self.on("cuda", way, size))], "another GPU", MANY),
        ])  # fmt: skip
