# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The tables of docs/foveation-paper.md and docs/blur-thesis.md, for tables.py: from docs/bench/foveation-paper.json and
docs/bench/blur-thesis.json (./run bench --foveation-paper --json, ./run bench --blur-thesis --json)."""

import re


class PaperTables:
    """Of docs/bench/NAME.json; a figure's name begins with PREFIX, as its method's does. load, time, table, device: those of
    tables.py."""

    def __init__(self, load, time, table, device):
        self.load, self.time, self.table, self.device = load, time, table, device
        self.missing = f"(not measured yet: there is no docs/bench/{self.NAME}.json)"

    def all(self):
        figures = {name: getattr(self, name) for name in dir(self) if name.startswith(f"{self.PREFIX}_")}
        return {f"{self.PREFIX}_machine": self.machine, **figures}

    def rows(self, size=None):
        rows = (self.load(self.NAME) or {"rows": []})["rows"]
        return [row for row in rows if row["table"] == self.NAME and size in (None, row["size"])]

    def row(self, way, size):
        return next((row for row in self.rows(size) if row["mode"] == way), None)

    def us(self, way, size):
        row = self.row(way, size)
        return row["us"] if row and row["us"] > 0 else None

    def factor(self, slower, faster, size):
        """How many times as long one way takes as another; None: not measured."""
        a, b = self.us(slower, size), self.us(faster, size)
        return a / b if a and b else None

    def cell(self, row):
        if not row or row["us"] <= 0:
            return row["timed_by"] if row and row["timed_by"] == "not timed" else ""
        return self.time(row["us"]) + (f" ({row['x_copy']:.2f})" if row.get("x_copy") else "")

    def machine(self):
        data = self.load(self.NAME)
        if not data:
            return self.missing
        machine = data["machine"]
        return f"commit {machine['commit'][:7]}, {self.device(machine)}, {machine['processor']}"

    def lines(self, head, lines):
        return self.table(head, lines) if lines else f"\n\n{self.missing}\n\n"

    def judged(self, statements):
        """(what is said, what it is here, pairs of a word and a number, least, most): a line each; a number that was not
        measured is left out, and the verdict counts those within the bounds. least may be the verdict itself."""
        lines = []
        for says, what, numbers, least, most in statements:
            numbers = [(word, number) for word, number in numbers if number is not None]
            if not numbers:
                continue
            judged = not isinstance(least, str)
            held = sum(least <= number <= most for _, number in numbers) if judged else 0
            words = ", ".join(f"{number:.2f}{f' ({word})' if word else ''}" for word, number in numbers)
            verdict = ("yes" if held else "no") if len(numbers) == 1 else f"{held} of {len(numbers)}"
            lines.append([says, f"{what}: {words}", verdict if judged else least])
        return self.lines(["what is said", "here", "held"], lines)


MANY = float("inf")


class FoveationTables(PaperTables):
    NAME, PREFIX = "foveation-paper", "foveation"
    SIZE = "1080p"
    KERNEL = "the paper's kernel"

    def way(self, words, fragment=32, strength="1", gaze="centre", form="RGB8"):
        return f"{words}, F {fragment}, strength {strength}, {gaze}, {form}"

    def kernel(self, **how):
        return self.way(self.KERNEL, **how)

    def against_kernel(self, words):
        """A way without one of what the kernel gained by."""
        return self.factor(self.way(words), self.kernel(), self.SIZE)

    def hertz(self, way, how):
        us = self.us(f"{way}, copied {how}, RGB8", self.SIZE)
        return 1e6 / us if us else None

    def foveation_ways(self):
        lines = [[row["mode"], self.cell(row), self.time(row["us_warm"]) if row.get("us_warm") else "",
                  f"{row['x_fovea']:.2f}" if "x_fovea" in row else "", row.get("note", "")]
                 for row in self.rows(self.SIZE) if row["us"] > 0 or row["timed_by"] == "not timed"]  # fmt: skip
        return self.lines(["way, 1080p", "time (x copy)", "warm", "x Fovea", "against double precision"], lines)

    def foveation_sizes(self):
        sizes = ["720p", "1080p", "4K"]
        ways = [self.kernel(), self.way("Fovea, blockwise"), "Fovea, smooth, strength 1, centre, RGB8", self.kernel(form="RGBA8"),
                self.way("Fovea, blockwise", form="RGBA8"), "Fovea, smooth, strength 1, centre, RGBA8",
                "pyramid, strength 1, centre, RGBA8"]  # fmt: skip
        lines = [[way, *(self.cell(self.row(way, size)) for size in sizes)] for way in ways if self.rows()]
        return self.lines(["way", *sizes], lines)

    def foveation_counts(self):
        lines = [[row["mode"], row["note"]] for row in self.rows(self.SIZE) if row["timed_by"] == "counted"]
        return self.lines(["what, 1080p", "here"], lines)

    def foveation_statements(self):
        f, size = self.factor, self.SIZE
        strengths = ["0.5", "1", "2", "3", "4"]
        times = [(s, f(self.kernel(strength=s), self.kernel(strength=before), size))
                 for before, s in zip(strengths, strengths[1:], strict=False)]  # fmt: skip
        return self.judged([
            ("1.65 ms at 1080p (GTX 1060)", "ms of the kernel",
             [("", (self.us(self.kernel(), size) or 0) / 1000 or None)], "another GPU", MANY),
            ("165 Hz from CPU memory to CPU memory", "Hz, one picture after the other",
             [(way, self.hertz(way, "there and back")) for way in (self.KERNEL, "Fovea, blockwise", "Fovea, smooth")], 165, MANY),
            ("copies and kernels may overlap", "times as many pictures a second as one after the other",
             [(way, f(f"{way}, copied there and back, RGB8", f"{way}, copied beside others, RGB8", size))
              for way in (self.KERNEL, "Fovea, blockwise", "Fovea, smooth")], 1.05, MANY),
            ("copies take longer than the kernel: 4.4 ms and 1.65 ms", "copies alone against the kernel",
             [("", f("copies alone, copied there and back, RGB8", self.kernel(), size))], 1, MANY),
            ("smaller fragments take longer (Fig. 4)", "times as long as F twice as large",
             [(f"F {side}", f(self.kernel(fragment=side), self.kernel(fragment=2 * side), size)) for side in (8, 16, 32)], 1, MANY),
            ("time rises with strength (Fig. 5)", "times as long as the strength before", times, 1, MANY),
            ("a pyramid takes as long at every strength (Fig. 5)", "times as long as at strength 1",
             [(s, f(f"pyramid, strength {s}, centre, RGBA8", "pyramid, strength 1, centre, RGBA8", size))
              for s in ("0.5", "2", "4")], 0.95, 1.05),
            ("beside a pyramid (Fig. 5, whose numbers are not in the text)", "the kernel against the pyramid, RGBA8",
             [(at, f(self.kernel(form="RGBA8"), "pyramid, strength 1, centre, RGBA8", at)) for at in ("720p", "1080p", "4K")], "not said in numbers", MANY),
            ("a gaze at the edge takes longer", "times as long as in the centre",
             [(gaze, f(self.kernel(gaze=gaze), self.kernel(), size)) for gaze in ("edge", "corner")], 1.02, MANY),
            ("shared memory for pixels and for the intermediate result (Fig. 12)", "without, times as long",
             [("pixels", self.against_kernel("pixels in global memory")),
              ("result", self.against_kernel("intermediate result in global memory")),
              ("both", self.against_kernel("pixels and result in global memory"))], 1.02, MANY),
            ("constant memory for weights", "without, times as long",
             [("", self.against_kernel("weights in global memory"))], 1.02, MANY),
            ("blocks that are a line of threads", "16x16, times as long", [("", self.against_kernel("blocks of 16x16"))], 1.02, MANY),
            ("four results a thread: over 2 times as fast", "one result a thread, times as long",
             [("", self.against_kernel("one result a thread"))], 2, MANY),
            ("how many results is found by trying", "times as long as with four",
             [("two", self.against_kernel("two results a thread")), ("eight", self.against_kernel("eight results a thread"))], 1, MANY),
            ("all of these together (Fig. 6)", "without, times as long", [("", self.against_kernel("none of these"))], 2, MANY),
            ("separable convolution is faster (Fig. 9)", "in two dimensions, times as long",
             [("", self.against_kernel("one pass in two dimensions"))], 1, MANY),
            ("any f(x, y) costs no more", "the same filters at shuffled places, times as long",
             [("", self.against_kernel("any f(x, y)"))], 0, 1.03),
            ("", "Fovea's maps, times as long as the paper's law",
             [(kind, f(f"Fovea, smooth, map {kind}, RGB8", "Fovea, smooth, strength 1, centre, RGB8", size))
              for kind in ("human", "streak", "kangaroo", "hawk", "dog")], 0, 1.1),
            ("each pixel by itself takes 550 ms", "ms",
             [("", (self.us("each pixel its own filter, strength 1, centre, RGB8", size) or 0) / 1000 or None)], "another GPU", MANY),
            ("Fovea beside the paper's kernel", "the kernel against Fovea, RGB8",
             [("blockwise", f(self.kernel(), self.way("Fovea, blockwise"), size)),
              ("smooth", f(self.kernel(), "Fovea, smooth, strength 1, centre, RGB8", size))], 1, MANY),
        ])  # fmt: skip


class ThesisTables(PaperTables):
    NAME, PREFIX = "blur-thesis", "thesis"
    SIZE = "1024^2"
    SIZES = ["256^2", "512^2", "1024^2", "2048^2", "4096^2"]
    WIDTHS = [3, 5, 7, 9, 13, 15, 21, 23, 25, 31, 35, 45, 63, 65, 81, 101]
    # These sigmas are about the same: ways of the thesis, and Fovea's.
    SIGMAS = {
        3: ["separable, four planes, sigma 3", "two dimensions, sigma 3", "FFT, sigma 3", "pyramid quasi, 2 levels",
            "spreading, tables by scans, sigma 3", "three boxes, separable, sigma 3", "diffusion, texture units, 18 steps"],
        6: ["separable, four planes, sigma 6", "two dimensions, sigma 6", "FFT, sigma 6", "pyramid quasi, 3 levels",
            "spreading, tables by scans, sigma 6", "three boxes, separable, sigma 6", "diffusion, texture units, 72 steps"],
        12: ["separable, four planes, sigma 12", "two dimensions, sigma 12", "FFT, sigma 12", "pyramid quasi, 4 levels",
             "spreading, tables by scans, sigma 12", "three boxes, separable, sigma 12", "diffusion, texture units, 288 steps"],
    }  # fmt: skip

    def series(self, row):
        return "width" in row["mode"] or "boxes of 9" in row["mode"] or row["mode"].startswith("GLSL beside")

    def thesis_ways(self):
        found = {}
        for row in self.rows():
            if not self.series(row):
                found.setdefault(row["mode"], {})[row["size"]] = row
        lines = []
        for way, sizes in found.items():
            own = sizes.get(self.SIZE, {})
            lines.append([way, *(self.cell(sizes.get(size)) for size in self.SIZES),
                          f"{own['x_fovea']:.2f}" if "x_fovea" in own else "", own.get("note", "")])  # fmt: skip
        return self.lines(["way", *self.SIZES, "x Fovea, 1024^2", "1024^2: against double precision; beside a Gaussian"], lines)

    def thesis_widths(self):
        ways = ["separable, four planes", "separable, texture units", "two dimensions", "two dimensions, texture units",
                "one box, separable", "one box, two dimensions"]  # fmt: skip
        lines = [[width, *(self.cell(self.row(f"{way}, width {width}", self.SIZE)) for way in ways)] for width in self.WIDTHS]
        return self.lines(["width", *ways], [line for line in lines if any(line[1:])])

    def crosses(self, way, constant):
        """The smallest measured width at which a way takes longer than what costs the same at each; 0: at none."""
        at = self.us(constant, self.SIZE)
        measured = [(width, self.us(f"{way}, width {width}", self.SIZE)) for width in self.WIDTHS]
        if not at or not any(us for _, us in measured):
            return None
        return float(next((width for width, us in measured if us and us > at), 0))

    def thesis_statements(self):
        f, size = self.factor, self.SIZE
        one_box = "one box, tables by scans, width 25"

        def grows(way):
            a, b = self.us(way, "512^2"), self.us(way, "1024^2")
            return b / a if a and b else None

        def over(ways, best):
            return [(way, f(way, best, size)) for way in ways]

        def unlike(way, other):
            """How many times as far from 1 one way's SSIM beside the Gaussian of its sigma lies."""
            rows = [self.row(name, size) for name in (way, other)]
            found = [re.search(r"SSIM ([0-9.]+)", row["note"]) if row else None for row in rows]
            far = [1 - float(match[1]) for match in found if match]
            return far[0] / far[1] if len(far) == 2 and far[1] > 0 else None

        def nth(sigma, i):
            return self.SIGMAS[sigma][i]

        return self.judged([
            ("copy, 512^2 to 1024^2, grows with the pixels", "times", [("", grows("copy through texture units"))], 1, 4.5),
            ("512^2 to 1024^2: 2-D 3.57, separable 2.46, FFT 2.85, spreading 3.29, diffusion 3.49 times (CUDA)", "times",
             [("2-D", grows("two dimensions, sigma 3")), ("separable", grows("separable, four planes, sigma 3")),
              ("FFT", grows("FFT, sigma 3")), ("spreading", grows("spreading, tables by scans, sigma 3")),
              ("diffusion", grows("diffusion, shared memory, 10 steps"))], 2.0, 4.3),
            ("2-D grows with the square of the width (Fig. 4.4)", "width 45 against 23 (3.83 is the square)",
             [("", f("two dimensions, width 45", "two dimensions, width 23", size))], 3.0, 4.6),
            ("2-D: texture units have an edge over shared memory", "shared memory against texture units",
             [(w, f(f"two dimensions, width {w}", f"two dimensions, texture units, width {w}", size)) for w in (7, 13, 23)], 1, MANY),
            ("weights in a texture: more than 2 times the slope (Fig. 4.6)", "against constant memory, through texture units",
             [("sigma 6", f("two dimensions, texture units, weights in a texture, sigma 6",
                            "two dimensions, texture units, sigma 6", size))], 2, MANY),
            ("loops that the compiler unrolls have a major effect in a shading language (Fig. 4.18)", "not unrolled, through "
             "texture units", [(f"sigma {s}", f(f"two dimensions, texture units, sigma {s}",
                                                f"two dimensions, texture units, unrolled, sigma {s}", size)) for s in (3, 6)], 1.2, MANY),
            ("and hardly any in CUDA", "not unrolled, shared memory",
             [(f"sigma {s}", f(f"two dimensions, sigma {s}", f"two dimensions, unrolled, sigma {s}", size)) for s in (3, 6)], 0, 1.2),
            ("separable: shared memory is faster than texture units (Fig. 4.7)", "texture units against it",
             [(w, f(f"separable, texture units, width {w}", f"separable, four planes, width {w}", size)) for w in (7, 31, 63)], 1, MANY),
            ("but slightly slower at width 3", "shared memory against texture units",
             [("", f("separable, four planes, width 3", "separable, texture units, width 3", size))], 1, MANY),
            ("float4 has bank conflicts with a severe effect (Fig. 4.7)", "float4 against four planes",
             [(f"sigma {s}", f(f"separable, float4, sigma {s}", f"separable, four planes, sigma {s}", size)) for s in (3, 6, 12)], 1.2, MANY),
            ("pyramids: 2x2 before 4x4 before quasi (CUDA, Fig. 4.9)", "4x4 against 2x2; quasi against 4x4",
             [("4x4", f("pyramid 4x4, 3 levels", "pyramid 2x2, 3 levels", size)),
              ("quasi", f("pyramid quasi, 3 levels", "pyramid 4x4, 3 levels", size))], 1, MANY),
            ("the pyramid of all mip levels takes as long at every level", "5 levels against 2",
             [("", f("pyramid of all mip levels, 5 levels", "pyramid of all mip levels, 2 levels", size))], 0.9, 1.1),
            ("summed-area tables: 4 look-ups a pass are best (Fig. 4.10)", "against 4",
             [(n, f(f"tables of {n} look-ups alone, with a box of 3", "tables of 4 look-ups alone, with a box of 3", size))
              for n in (2, 8)], 1, MANY),
            ("tables by scans (cuDPP) make spreading 1.7 times as fast", "4 look-ups against scans",
             [(f"sigma {s}", f(f"spreading, tables of 4 look-ups, sigma {s}", f"spreading, tables by scans, sigma {s}", size))
              for s in (3, 6, 12)], 1, MANY),
            ("spreading does not depend on its radius (Fig. 4.11)", "sigma 12 against 3",
             [("", f("spreading, tables by scans, sigma 12", "spreading, tables by scans, sigma 3", size))], 0.95, 1.05),
            ("diffusion: texture units before shared memory (Fig. 4.13, 4.14)", "shared memory against texture units",
             [(n, f(f"diffusion, shared memory, {n} steps", f"diffusion, texture units, {n} steps", size)) for n in (1, 5, 50, 150)], 1, MANY),
            ("FFT does not depend on the width (Fig. 4.16)", "sigma 24 against 3",
             [("", f("FFT, sigma 24", "FFT, sigma 3", size))], 0.95, 1.05),
            ("FFT is faster than 2-D from width 13", "smallest measured width (0: none)",
             [("", self.crosses("two dimensions", "FFT, sigma 3"))], 9, 23),
            ("FFT is faster than separable from width 81 (CUDA)", "smallest measured width (0: none)",
             [("", self.crosses("separable, four planes", "FFT, sigma 3"))], 63, 101),
            ("reshuffling is not viable (Fig. 4.18)", "against 2-D",
             [(f"sigma {s}", f(f"reshuffling, sigma {s}", f"two dimensions, sigma {s}", size)) for s in (3, 6, 12)], 0.95, MANY),
            ("boxes by tables beat 2-D from width 9 (CUDA)", "smallest measured width (0: none)",
             [("", self.crosses("one box, two dimensions", one_box))], 7, 15),
            ("boxes by tables beat separable from width 45 (CUDA)", "smallest measured width (0: none)",
             [("", self.crosses("one box, separable", one_box))], 35, 65),
            ("three boxes of 9 take 2.7 times as long as one (CUDA)", "times",
             [("", f("3 boxes of 9, separable", "1 boxes of 9, separable", size))], 2.4, 3.1),
            *((f"sigma {sigma}: pyramids are first (Fig. 4.29 to 4.31)", "the others against quasi-convolution",
               over([way for i, way in enumerate(self.SIGMAS[sigma]) if i != 3], nth(sigma, 3)), 1, MANY) for sigma in self.SIGMAS),
            *((f"sigma {sigma}: separable is second (CUDA)", "those after it against separable",
               over([way for i, way in enumerate(self.SIGMAS[sigma]) if i not in (0, 3)], nth(sigma, 0)), 1, MANY)
              for sigma in self.SIGMAS),
            ("FFT is faster than spreading in every case", "spreading against FFT",
             [(f"sigma {s}", f(nth(s, 4), nth(s, 2), size)) for s in self.SIGMAS], 1, MANY),
            ("quasi-convolution is the most like a Gaussian of the pyramids (HDR-VDP-2)", "1 - SSIM against quasi's, 3 levels",
             [(kind, unlike(f"pyramid {kind}, 3 levels", "pyramid quasi, 3 levels")) for kind in ("2x2", "4x4")], 1, MANY),
            ("with more levels quasi-convolution is less so", "1 - SSIM against that of a level less",
             [(n, unlike(f"pyramid quasi, {n} levels", f"pyramid quasi, {n - 1} levels")) for n in (3, 4, 5)], 1, MANY),
            ("more boxes are more like a Gaussian", "1 - SSIM of a box less against it",
             [(n, unlike(f"{n - 1} boxes of 9, separable", f"{n} boxes of 9, separable")) for n in (2, 3)], 1, MANY),
            ("more steps of diffusion are, too", "1 - SSIM against that of 50 steps",
             [(n, unlike(f"diffusion, shared memory, {n} steps", "diffusion, shared memory, 50 steps")) for n in (1, 3, 10)], 1, MANY),
            ("Fovea beside the thesis", "separable, four planes against Fovea's Gaussian, RGBA32F",
             [(f"sigma {s}", f(nth(s, 0), f"Fovea, gaussian, sigma {s}, RGBA32F", size)) for s in self.SIGMAS], 1, MANY),
            ("", "pyramid quasi against Fovea's quasi, RGBA32F",
             [(f"sigma {s}", f(nth(s, 3), f"Fovea, quasi, sigma {s}, RGBA32F", size)) for s in self.SIGMAS], 1, MANY),
        ])  # fmt: skip

    # Ways that are one text in both languages, and how the thesis has them in each: there GLSL reads through texture units
    # and CUDA through shared memory, but for pyramids and diffusion.
    TWINS = ["copy through texture units", "separable, texture units, sigma 6", "separable, float4, sigma 6",
             "two dimensions, texture units, sigma 6", "two dimensions, sigma 3", "pyramid 2x2, 3 levels", "pyramid quasi, 3 levels",
             "pyramid 4x4, 3 levels", "pyramid of all mip levels, 3 levels", "tables of 4 look-ups alone, with a box of 3",
             "three boxes, tables of 4 look-ups, sigma 6", "spreading, tables of 4 look-ups, sigma 6",
             "diffusion, texture units, 50 steps", "diffusion, shared memory, 50 steps"]  # fmt: skip

    def thesis_twins(self):
        lines = [[way, *(self.cell(self.row(name, self.SIZE)) for name in (way, f"GLSL, {way}")),
                  "" if (times := self.factor(f"GLSL, {way}", way, self.SIZE)) is None else f"{times:.2f}"] for way in self.TWINS]  # fmt: skip
        return self.lines(["the same way, 1024^2", "CUDA", "GLSL", "GLSL against CUDA"], [line for line in lines if line[2]])

    # The same text as a compute shader and as a fragment shader, on one queue: and what the queue makes of the former.
    FRAGMENTS = ["vkCmdCopyImage", "copy through texture units", "separable, texture units, sigma 3", "separable, texture units, sigma 6",
                 "separable, texture units, sigma 12", "two dimensions, texture units, sigma 3", "two dimensions, texture units, sigma 6",
                 "two dimensions, texture units, unrolled, sigma 6", "two dimensions, texture units, weights in a texture, sigma 6",
                 "pyramid 2x2, 3 levels", "pyramid quasi, 3 levels", "pyramid 4x4, 3 levels", "pyramid of all mip levels, 3 levels",
                 "tables of 4 look-ups alone, with a box of 3", "three boxes, separable, sigma 6", "three boxes, tables of 4 look-ups, sigma 6",
                 "spreading, tables of 4 look-ups, sigma 6", "diffusion, texture units, 1 steps", "diffusion, texture units, 50 steps"]  # fmt: skip

    def thesis_fragments(self):
        lines = []
        for way in self.FRAGMENTS:
            rows = [self.row(f"{form}, {way}", self.SIZE) for form in ("GLSL", "GLSL beside fragments", "GLSL fragments")]
            if all(rows):
                us = [row["us"] for row in rows]
                lines.append([way, *map(self.time, us), f"{us[2] / us[1]:.2f}", f"{us[2] / us[0]:.2f}"])
        return self.lines(["the same text, 1024^2", "compute, a queue of it alone", "compute, a queue with graphics",
                           "fragments, that queue", "against compute there", "against compute alone"], lines)  # fmt: skip

    def thesis_glsl(self):
        f, size = self.factor, self.SIZE

        def glsl(way, other):
            return f(f"GLSL, {way}", f"GLSL, {other}", size)

        def grows(way, small="512^2", large="1024^2"):
            a, b = self.us(f"GLSL, {way}", small), self.us(f"GLSL, {way}", large)
            return b / a if a and b else None

        def ways(sigma, levels, steps):
            """(word, GLSL's way of the thesis, CUDA's) of about one sigma."""
            return [("2-D", f"two dimensions, texture units, sigma {sigma}", f"two dimensions, sigma {sigma}"),
                    ("separable", f"separable, texture units, sigma {sigma}", f"separable, four planes, sigma {sigma}"),
                    ("boxes", f"three boxes, tables of 4 look-ups, sigma {sigma}", f"three boxes, tables by scans, sigma {sigma}"),
                    ("spreading", f"spreading, tables of 4 look-ups, sigma {sigma}", f"spreading, tables by scans, sigma {sigma}"),
                    ("quasi", f"pyramid quasi, {levels} levels", f"pyramid quasi, {levels} levels"),
                    ("diffusion", f"diffusion, texture units, {steps} steps", f"diffusion, texture units, {steps} steps")]  # fmt: skip

        sigmas = {3: ways(3, 2, 18), 6: ways(6, 3, 72), 12: ways(12, 4, 288)}

        def against(which, turned=False):
            return [(f"{word}, sigma {sigma}", f(cuda, f"GLSL, {own}", size) if turned else f(f"GLSL, {own}", cuda, size))
                    for sigma, found in sigmas.items() for word, own, cuda in found if word in which]  # fmt: skip

        one_box = "GLSL, one box, tables of 4 look-ups, width 25"
        return self.judged([
            ("CUDA is faster than GLSL but for pyramids and diffusion", "GLSL against CUDA, each as the thesis has it",
             against(("2-D", "separable", "boxes", "spreading")), 1, MANY),
            ("pyramids and diffusion are faster in GLSL", "CUDA against GLSL", against(("quasi", "diffusion"), True), 1, MANY),
            ("a copy is slower in CUDA (Fig. 4.3)", "CUDA against GLSL",
             [("", f("copy through texture units", "GLSL, copy through texture units", size))], 1, MANY),
            ("512^2 to 1024^2: 2-D 4.18, separable 2.22, spreading 4.21, diffusion 4.14 times", "times",
             [("2-D", grows("two dimensions, texture units, sigma 3")), ("separable", grows("separable, texture units, sigma 3")),
              ("spreading", grows("spreading, tables of 4 look-ups, sigma 3")),
              ("diffusion", grows("diffusion, texture units, 10 steps"))], 2.0, 4.6),
            ("weights in a texture buffer: more than 2 times the slope (Fig. 4.6)", "against a uniform buffer",
             [(f"sigma {s}", glsl(f"two dimensions, texture units, weights in a texture, sigma {s}",
                                  f"two dimensions, texture units, sigma {s}")) for s in (3, 6)], 2, MANY),
            ("loops that the compiler unrolls have a major effect (Fig. 4.18)", "not unrolled",
             [(f"sigma {s}", glsl(f"two dimensions, texture units, sigma {s}", f"two dimensions, texture units, unrolled, sigma {s}"))
              for s in (3, 6)], 1.2, MANY),
            ("the pyramid of 4x4 boxes is slower than quasi-convolution, for its further pass", "4x4 against quasi",
             [(f"{n} levels", glsl(f"pyramid 4x4, {n} levels", f"pyramid quasi, {n} levels")) for n in (1, 3, 5)], 1, MANY),
            ("mip levels take as long at every level", "5 levels against 2",
             [("", glsl("pyramid of all mip levels, 5 levels", "pyramid of all mip levels, 2 levels"))], 0.9, 1.1),
            ("summed-area tables: 4 look-ups a pass are best (Fig. 4.10)", "against 4",
             [(n, glsl(f"tables of {n} look-ups alone, with a box of 3", "tables of 4 look-ups alone, with a box of 3")) for n in (2, 8)],
             1, MANY),
            ("boxes by tables beat 2-D from width 7", "smallest measured width (0: none)",
             [("", self.crosses("GLSL, two dimensions, texture units", one_box))], 5, 9),
            ("boxes by tables beat separable from width 25", "smallest measured width (0: none)",
             [("", self.crosses("GLSL, one box, separable", one_box))], 15, 35),
            ("FFT (CUDA) is faster than separable from width 31", "smallest measured width (0: none)",
             [("", self.crosses("GLSL, separable, texture units", "FFT, sigma 3"))], 23, 45),
            ("three boxes of 9 take 2.6 times as long as one", "times", [("", glsl("3 boxes of 9, separable", "1 boxes of 9, separable"))], 2.3, 3.1),
            ("spreading at 256^2 is faster in GLSL", "CUDA against GLSL",
             [("sigma 3", f("spreading, tables by scans, sigma 3", "GLSL, spreading, tables of 4 look-ups, sigma 3", "256^2"))], 1, MANY),
            ("sigma 3: separable loses to boxes and diffusion", "separable against them",
             [("boxes", glsl("separable, texture units, sigma 3", "three boxes, separable, sigma 3")),
              ("diffusion", glsl("separable, texture units, sigma 3", "diffusion, texture units, 18 steps"))], 1, MANY),
            ("sigma 6: FFT passes separable", "separable against FFT (CUDA)",
             [("", f("GLSL, separable, texture units, sigma 6", "FFT, sigma 6", size))], 1, MANY),
            ("sigma 12: separable passes boxes; FFT and spreading pass boxes and diffusion", "the slower against the faster",
             [("boxes, separable", glsl("three boxes, separable, sigma 12", "separable, texture units, sigma 12")),
              ("boxes, FFT", f("GLSL, three boxes, separable, sigma 12", "FFT, sigma 12", size)),
              ("boxes, spreading", glsl("three boxes, separable, sigma 12", "spreading, tables of 4 look-ups, sigma 12")),
              ("diffusion, spreading", glsl("diffusion, texture units, 288 steps", "spreading, tables of 4 look-ups, sigma 12"))], 1, MANY),
            ("what GLSL of today has beside it: shared memory", "texture units against it",
             [(f"separable, sigma {s}", glsl(f"separable, texture units, sigma {s}", f"separable, float4, sigma {s}")) for s in (3, 6, 12)]
             + [("2-D, sigma 3", glsl("two dimensions, texture units, sigma 3", "two dimensions, sigma 3")),
                ("diffusion, 50 steps", glsl("diffusion, texture units, 50 steps", "diffusion, shared memory, 50 steps"))],
             "not in the thesis", MANY),
        ])  # fmt: skip
