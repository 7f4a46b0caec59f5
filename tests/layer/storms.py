# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Storms: programs under the layer while things go wrong at moments that nobody has chosen. `./run test --only storms`
runs them for FOVEA_STORM_SECONDS (60) in all, with a seed that it prints; FOVEA_STORM_SEED repeats one.

Of every run: it ends as the same run ends without a fault, in time; it has presented every frame; when all of Vulkan
is gone it has no more threads and descriptors than that run, and no object of Fovea's is left; and the log claims no more foveated frames than were
presented, and, where submits are counted, than Fovea has submitted."""

import itertools
import os
import random
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from layer_rig import wait_until

SECONDS = float(os.environ.get("FOVEA_STORM_SECONDS") or 60)
SEED = int(os.environ.get("FOVEA_STORM_SEED") or time.time_ns() % 1_000_000)
WORKERS = os.cpu_count() or 1
# These are parts of the time. There are at least as many runs as entries, however long they take.
SHARES = {"calls": 0.4, "allocations": 0.25, "stops": 0.12, "files": 0.08, "resizes": 0.15}
RUNS_AT_LEAST = {"calls": 8, "allocations": 8, "stops": 2, "files": 2, "resizes": 2}
# A run takes a second or two; on a machine that does much else, some more. Who takes this long hangs.
HANGS_AFTER_S = 60
OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY = -1, -2


class Storm:
    """Runs beside each other until the time of their kind is over; what is wrong is collected with how to repeat it."""

    def __init__(self, rig, kind):
        self.rig, self.kind = rig, kind
        self.random = random.Random(f"{SEED} {kind}")
        self.lock, self.wrong, self.runs = threading.Lock(), [], 0

    def run(self, one):
        """one(random) -> what it was, what is wrong with it or nothing."""
        start = time.monotonic()
        end = start + SECONDS * SHARES[self.kind]
        turns = itertools.count()

        def work():
            while True:
                with self.lock:
                    turn, dice = next(turns), random.Random(self.random.random())
                if (time.monotonic() > end and turn >= RUNS_AT_LEAST[self.kind]) or len(self.wrong) > 10:
                    return
                what, faults = one(dice)
                with self.lock:
                    self.runs += 1
                    self.wrong += [f"{what}: {fault}" for fault in faults]

        with ThreadPoolExecutor(WORKERS) as pool:
            for done in [pool.submit(work) for _ in range(WORKERS)]:
                done.result()
        print(f"\nstorm of {self.kind}: {self.runs} runs in {time.monotonic() - start:.0f} s, seed {SEED}")
        assert not self.wrong, "\n".join(self.wrong)
        assert self.runs >= RUNS_AT_LEAST[self.kind]


class Seen:
    """What a run of the small program has shown."""

    def __init__(self, done):
        self.done = done
        self.presents = self.number(r"fault: (\d+) presents")
        self.submits = self.number(r"presents, (\d+) submits")
        self.failed_submits = self.number(r"(\d+) of its submits failed")
        self.objects = self.number(r"(-?\d+) of its objects are left")
        self.calls = self.number(r"fault: (\d+) calls of Fovea")
        self.allocations = self.number(r"storm: (\d+) allocations")
        self.threads = self.number(r"at the end: (\d+) threads")
        self.descriptors = self.number(r"at the end: \d+ threads, (\d+) descriptors")
        # When a swapchain goes, the numbers are said of what its context has done for it.
        claims = re.findall(r"(\d+) frames foveated, (\d+) passed through", done.log)
        self.foveated = sum(int(foveated) for foveated, _ in claims)
        # A context is counted once: a present of two swapchains is one, and two frames.
        self.claimed = max((int(foveated) for foveated, _ in claims), default=0)
        self.passed = max((int(passed) for _, passed in claims), default=0)

    def number(self, pattern):
        found = re.search(pattern, self.done.output)
        return int(found[1]) if found else None

    def faults(self, calm, frames, more_threads=0):
        """What of it is worse than of the same without a fault."""
        if self.done.code != 0:
            yield f"ended with {self.done.code}: {self.done.output[-600:]}{self.done.log[-600:]}"
            return
        if frames is not None and self.presents != frames:
            yield f"{self.presents} presents of {frames}"
        if self.threads > calm.threads + more_threads or self.descriptors > calm.descriptors:
            yield (f"{self.threads} threads and {self.descriptors} descriptors are left, "
                   f"of {calm.threads} and {calm.descriptors}")  # fmt: skip
        if self.objects != calm.objects:
            yield f"{self.objects} objects of Vulkan's are left, of {calm.objects}"
        if frames is not None and self.claimed + self.passed > frames:
            yield f"{self.claimed} foveated and {self.passed} passed through are claimed, of {frames}"
        if self.submits is not None and self.claimed > self.submits - self.failed_submits:
            yield f"{self.claimed} foveated are claimed with {self.submits - self.failed_submits} submits"


def run_case(rig, lock, case, **options):
    """As rig.case, from any thread."""
    with lock:
        process, run = rig.start(rig.program, case, **options)
    return Seen(rig.done(process, run, HANGS_AFTER_S))


def calm_run(rig, case, **options):
    """The same without a fault: the measure of the others, and frames are foveated in it."""
    seen = run_case(rig, threading.Lock(), case, **options)
    assert seen.done.code == 0, seen.done.output + seen.done.log
    assert seen.foveated > 0 and list(seen.faults(seen, seen.presents)) == []
    return seen


CASES = ["plain", "resize", "two-swapchains", "twelve-waits"]
BACKENDS = ["vulkan", "cpu"]


def test_calls_that_fail(rig):
    """The n-th call of Fovea's that makes, binds, records or submits something, alone or with those after it."""
    storm = Storm(rig, "calls")
    worlds = [(case, backend) for case in CASES for backend in BACKENDS]
    calm = {(case, backend): calm_run(rig, case, fault="nth:0:0:0", sets={"backend": backend})
            for case, backend in worlds}  # fmt: skip
    assert min(seen.calls for seen in calm.values()) > 50

    def one(dice):
        case, backend = world = dice.choice(worlds)
        nth = dice.randint(1, calm[world].calls)
        code = dice.choice([OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY])
        fault = f"nth:{nth}:{dice.choice([1, 1, 2, 5, 100000])}:{code}"
        seen = run_case(rig, storm.lock, case, fault=fault, sets={"backend": backend})
        return f"{case}, {backend}, FOVEA_FAULT={fault}", seen.faults(calm[world], calm[world].presents)

    storm.run(one)


def test_allocations_that_fail(rig):
    """The n-th allocation of the layer, alone or with those after it."""
    storm = Storm(rig, "allocations")
    worlds = [(case, backend) for case in CASES for backend in BACKENDS]
    extra = {"LD_PRELOAD": rig.preload}
    calm = {(case, backend): calm_run(rig, case, fault="nth:0:0:0", sets={"backend": backend}, extra=extra)
            for case, backend in worlds}  # fmt: skip

    def one(dice):
        case, backend = world = dice.choice(worlds)
        assert calm[world].allocations > 20
        failing = f"{dice.randint(1, calm[world].allocations)}:{dice.choice([1, 1, 2, 5, 100000])}"
        own = {**extra, "FOVEA_STORM_ALLOCATION": failing}
        seen = run_case(rig, storm.lock, case, fault="nth:0:0:0", sets={"backend": backend}, extra=own)
        return f"{case}, {backend}, FOVEA_STORM_ALLOCATION={failing}", seen.faults(calm[world], calm[world].presents)

    storm.run(one)


class UntilTold:
    """A program that presents until it is told to end."""

    def __init__(self, rig, lock, **options):
        self.rig = rig
        with lock:
            self.process, self.folder = rig.start(rig.program, "until-told", **options)
        self.ready = wait_until(lambda: "ready" in self.output(), HANGS_AFTER_S)

    def output(self):
        return (self.folder / "output.txt").read_text()

    def tell(self, orders):
        self.process.stdin.write(orders.encode())
        self.process.stdin.flush()

    def end(self):
        seen = Seen(self.rig.done(self.process, self.folder, HANGS_AFTER_S))
        found = re.search(r"frames (\d+), longest ([\d.]+) ms", seen.done.output)
        seen.frames, seen.longest_ms = (int(found[1]), float(found[2])) if found else (None, None)
        return seen


def calm_until_told(rig, **options):
    program = UntilTold(rig, threading.Lock(), **options)
    time.sleep(0.3)
    seen = program.end()
    assert seen.done.code == 0 and seen.foveated > 0, seen.done.output + seen.done.log
    return seen


def test_stops(rig):
    """A program is stopped, as by a debugger or a freezer of containers, and goes on. No part of Fovea may have
    thought in the meantime that another one had died."""
    storm = Storm(rig, "stops")
    calm = {backend: calm_until_told(rig, fault="nth:0:0:0", sets={"backend": backend}) for backend in BACKENDS}

    def one(dice):
        backend = dice.choice(BACKENDS)
        program = UntilTold(rig, storm.lock, fault="nth:0:0:0", sets={"backend": backend})
        times = [(dice.uniform(0, 0.3), dice.choice([0.01, 0.1, 0.5, 2.5, 4.5])) for _ in range(2)]
        for before, stopped in times:
            time.sleep(before)
            program.process.send_signal(signal.SIGSTOP)
            time.sleep(stopped)
            program.process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        seen = program.end()
        faults = list(seen.faults(calm[backend], seen.frames))
        if seen.done.code == 0 and seen.foveated < seen.frames:
            faults.append(f"{seen.foveated} frames of {seen.frames} foveated: {seen.done.log[-600:]}")
        return f"until-told, {backend}, stopped {times}", faults

    storm.run(one)


SLOW_MS = 3000


def test_slow_files(rig):
    """Settings that change, on a file system that takes seconds: no frame waits for it."""
    storm = Storm(rig, "files")
    calm = {backend: calm_until_told(rig, fault="nth:0:0:0", sets={"backend": backend}) for backend in BACKENDS}

    def one(dice):
        backend = dice.choice(BACKENDS)
        with storm.lock:
            folder = rig.folder / f"slow{len(list(rig.folder.glob('slow*')))}"
            folder.mkdir()
        settings = folder / "fovea.json"
        settings.write_text('{"version": 1}')
        own = {"LD_PRELOAD": rig.preload, "FOVEA_CONFIG": str(settings), "FOVEA_STORM_SLOW_MS": str(SLOW_MS)}
        program = UntilTold(rig, storm.lock, fault="nth:0:0:0", sets={"backend": backend}, extra=own)
        for _ in range(dice.randint(1, 3)):
            time.sleep(dice.uniform(0.1, 1.0))
            (folder / "new").write_text(f'{{"version": 1, "foveation": {{"strength": {dice.uniform(0.5, 3):.3f}}}}}')
            (folder / "new").replace(settings)
        time.sleep(SLOW_MS / 1000)
        seen = program.end()
        # The thread that reads files is left to end by itself where the file system keeps it.
        faults = list(seen.faults(calm[backend], seen.frames, more_threads=1))
        if seen.done.code == 0 and seen.longest_ms > SLOW_MS / 2:
            faults.append(f"a frame took {seen.longest_ms} ms")
        return f"until-told, {backend}, FOVEA_STORM_SLOW_MS={SLOW_MS}", faults

    storm.run(one)


def test_resizes(rig):
    """A new size of the window every few frames."""
    storm = Storm(rig, "resizes")
    calm = {backend: calm_until_told(rig, fault="nth:0:0:0", sets={"backend": backend}) for backend in BACKENDS}

    def one(dice):
        backend = dice.choice(BACKENDS)
        program = UntilTold(rig, storm.lock, fault="nth:0:0:0", sets={"backend": backend})
        count = dice.randint(10, 60)
        orders = "".join(dice.choice("rrrn") for _ in range(count))
        program.tell(orders)
        time.sleep(dice.uniform(0.5, 3))
        seen = program.end()
        return f"until-told, {backend}, {count} orders", seen.faults(calm[backend], seen.frames)

    storm.run(one)
