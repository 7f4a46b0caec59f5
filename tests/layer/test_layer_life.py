# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Things that come and go under the layer, and programs that are not quite right."""

import json
import re
import signal
import socket
import time

import pytest
from conftest import cases
from layer_rig import wait_until

pytestmark = pytest.mark.turns(2)

VULKAN = {"backend": "vulkan"}


@pytest.mark.parametrize("name", ["never-presents", "nothing-destroyed", "functions", "deferred"])
def test_a_program_ends_well(rig, name):
    done = rig.case(name, sets=VULKAN)
    assert done.code == 0, done.output + done.log


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
@pytest.mark.parametrize("name", [
    "instance-first", "device-left", "returns", "exits-at-once", "exits-in-a-thread", "aborts", "fork-exit",
    "fork-destroy",
])  # fmt: skip
def test_a_program_that_ends_badly_ends_as_without_fovea(rig, name, backend):
    """More often where all cases run: a race shows in one commit or another."""
    for _ in cases(range(2), range(3)):
        done = rig.run(rig.program, name, sets={"backend": backend})
        assert done.code == (-signal.SIGABRT if name == "aborts" else 0), done.output + done.log
        assert f"backend {backend} on" in done.log, done.log


@pytest.mark.parametrize("sets", [
    {"foveation.model": "physical"}, {"foveation.method": "blockwise"}, {"operators": '"foveate,blur,lens"'},
    {"foveation.model": "map"}, {"overlay.hud": "true"},
])  # fmt: skip
def test_a_small_stack_is_enough(rig, sets):
    """Of the thread that presents, which reads the settings, too."""
    done = rig.case("small-stack", sets={"backend": "cpu", **sets})
    assert done.code == 0 and done.foveations == (5, 0), done.output + done.log


def test_a_forgotten_swapchain_does_not_matter(rig):
    """The program is wrong, and leaks; Fovea frees what is its own all the same."""
    alone = rig.run(rig.program, "forgets-its-swapchain", on=False, validate=True)
    done = rig.run(rig.program, "forgets-its-swapchain", validate=True, sets=VULKAN)
    assert done.code == alone.code == 0, done.output + done.log
    assert set(done.messages) <= set(alone.messages), done.validation


def counts(done, when):
    """What the program says that its process has."""
    found = re.search(when + r": threads (\d+), descriptors (\d+), memory_kb (\d+)", done.output)
    assert found, done.output
    return [int(number) for number in found.groups()]


@pytest.mark.parametrize("backend", ["vulkan", "cpu"])
def test_nothing_grows_with_swapchains(rig, backend):
    done = rig.case("many-swapchains", sets={"backend": backend})
    assert done.code == 0, done.output + done.log
    warm, end = counts(done, "warm"), counts(done, "end")
    assert end[0] <= warm[0] and end[1] <= warm[1], done.output
    assert end[2] - warm[2] < 6000, done.output


@pytest.mark.parametrize("backend,threads", [("vulkan", 0), ("cpu", 2), ("cpu", 16), ("cpu", 64)])
def test_a_dragged_window_takes_no_more_threads(rig, backend, threads):
    """Each frame has another size. Alone the program has threads of its driver's."""
    alone = rig.run(rig.program, "drag", on=False)
    sets = {"backend": backend, "cpu_threads": threads}
    done = rig.case("drag", sets=sets, timeout=240)  # 20 s where few others are at work
    assert alone.code == done.code == 0, done.output + done.log
    most = int(re.search(r"most: threads (\d+)", done.output)[1])
    start, rested = counts(done, "start"), counts(done, "rested")
    # The second swapchain takes what the first has left, and so do all the others.
    assert done.log.count(f"backend {backend} on ") == 1, done.log
    # The pool without its first worker, and: the peer's, the watchdog's, the settings', the input's.
    assert most <= counts(alone, "dragged")[0] + max(threads - 1, 0) + 4, done.output
    assert rested[0] <= most and rested[1] <= start[1], done.output
    # The rest that every backend leaves is the heap's, in which the driver has blocks; it is not so much a thread.
    assert rested[2] - start[2] < 90_000, done.output


def test_gaze_sources_change_under_threads_that_present(rig):
    """Which one is followed, by whom and by how many."""
    sources = [{"source": "udp", "udp": {"port": 0}}, {"source": "saccades"}, {"source": "mouse"}, {"source": "fixed"}]
    file = rig.folder / "changing.json"
    file.write_text('{"version": 1}')
    extra = {"FOVEA_CONFIG": str(file), "FOVEA_SET": "backend=cpu,log.level=debug"}
    process, run = rig.start(rig.program, "three-threads", extra=extra)
    for i in range(8):
        gaze = {**sources[i % 4], "late": i % 3 != 2}
        (rig.folder / "changed.json").write_text(json.dumps({"version": 1, "gaze": gaze}))
        (rig.folder / "changed.json").replace(file)
        time.sleep(0.6)
    done = rig.done(process, run)
    assert done.code == 0, done.output + done.log
    assert "cannot be" not in done.log, done.log


class HeldSource:
    """A program that presents while its gaze's scanpath lies on a file system that answers when the test lets it.
    After a test that has failed nobody waits any more, and the program is killed."""

    def __init__(self, rig):
        self.rig, self.file, self.hold_ms = rig, rig.folder / f"gazes{rig.runs}.json", 300
        self.held = rig.folder / f"held{rig.runs}"
        path = rig.folder / "scanpath.csv"
        path.write_text("t,x,y\n" + "".join(f"{t},0.2,0.7\n" for t in range(100)))
        self.source = {"source": "scanpath", "scanpath": {"file": str(path)}}
        self.hold()
        self.save_scanpath()
        extra = {"FOVEA_CONFIG": str(self.file), "FOVEA_SET": "backend=vulkan", "FOVEA_LAYER_DUMP_PICTURES": "0"}
        extra |= {"LD_PRELOAD": rig.preload, "FOVEA_STORM_HOLD": str(self.held)}
        self.process, self.run = rig.start(rig.program, "until-told", extra=extra, dump=True)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.held.unlink(missing_ok=True)
        self.process.stdin.close()
        self.process.kill()
        self.process.wait(10)

    def save(self, gaze):
        other = self.rig.folder / "next.json"
        other.write_text(json.dumps({"version": 1, "gaze": gaze}))
        other.replace(self.file)

    def save_scanpath(self):
        """Opened anew each time."""
        self.hold_ms += 1
        self.save({**self.source, "validity": {"hold_ms": self.hold_ms}})

    def save_fixed(self, x):
        """Settings are read while a source of former ones is being opened."""
        log = self.run / "fovea.log"
        before = log.read_text().count("configuration: ")
        self.save({"source": "fixed", "fixed": {"x": x, "y": 0.5}})
        assert wait_until(lambda: log.read_text().count("configuration: ") > before)

    def hold(self):
        self.held.write_text("")

    def is_held(self):
        """Somebody waits for the file."""
        return wait_until(lambda: self.held.read_text() != "")

    def release(self):
        self.held.unlink()

    def is_at(self, x):
        frames = [frame for frame in self.rig.frames(self.run)[-3:] if "gaze_usable" in frame]
        return any(abs(float(frame["gaze_x"]) - x) < 0.01 for frame in frames)

    def comes_to(self, x):
        return wait_until(lambda: self.is_at(x))

    def count(self):
        return len(list((self.run / "frames").glob("*.txt")))

    def goes_on(self):
        """Frames are presented, more than any queue holds."""
        before = self.count()
        return wait_until(lambda: self.count() > before + 8)

    def end(self):
        done = self.rig.done(self.process, self.run)
        assert done.code == 0, done.output + done.log
        assert "cannot be" not in done.log, done.log
        return done


def test_frames_have_the_former_gaze_until_a_slow_source_is_open(rig):
    """What is not wanted any more when it is open never counts."""
    with HeldSource(rig) as program:
        assert program.is_held() and program.comes_to(0.5) and program.goes_on() and program.is_at(0.5)
        program.release()
        assert program.comes_to(0.2)
        program.save_fixed(0.9)
        assert program.comes_to(0.9)
        program.hold()
        program.save_scanpath()
        assert program.is_held() and program.goes_on() and program.is_at(0.9)
        program.release()
        assert program.comes_to(0.2)
        program.save_fixed(0.9)
        assert program.comes_to(0.9)
        before = program.count()
        program.hold()
        program.save_scanpath()
        assert program.is_held()
        program.save_fixed(0.8)
        program.release()
        assert program.comes_to(0.8) and program.goes_on()
        program.end()
        assert not [frame for frame in rig.frames(program.run)[before:] if frame["gaze_x"].startswith("0.2")]


def test_no_frame_waits_for_a_gaze_source_that_is_slow_to_open(rig):
    """At the start, later, and at the end, which leaves the thread to itself. Who waited would wait for ever."""
    with HeldSource(rig) as program:
        assert program.is_held() and program.goes_on()
        program.release()
        assert program.comes_to(0.2)
        program.hold()
        program.save_scanpath()
        assert program.is_held() and program.goes_on()
        assert program.end().foveated


@pytest.mark.parametrize("backend", ["cpu", "vulkan"])
def test_no_thread_of_ours_reads_the_environment(rig, backend):
    """The program may change it, and who reads it meanwhile crashes. Threads of settings, gazes, input, jobs."""
    if rig.sanitizers:
        pytest.skip("a sanitizer starts the layer's threads in its place")
    file, other = rig.folder / f"environment-{backend}.json", rig.folder / "next.json"
    path = rig.folder / "scanpath.csv"
    path.write_text("t,x,y\n0,0.2,0.7\n9,0.3,0.7\n")
    scanpath = {"source": "scanpath", "scanpath": {"file": str(path)}}
    file.write_text('{"version": 1}')
    extra = {"LD_PRELOAD": rig.preload, "FOVEA_CONFIG": str(file), "FOVEA_SET": f"backend={backend}"}
    process, run = rig.start(rig.program, "until-told", extra=extra)
    for gaze in [{"source": "udp", "udp": {"port": 0}}, scanpath, {"source": "mouse"}, {"source": "saccades"}]:
        other.write_text(json.dumps({"version": 1, "gaze": gaze}))
        other.replace(file)
        time.sleep(0.7)
    done = rig.done(process, run)
    assert done.code == 0 and done.foveated, done.output + done.log
    threads, readings = re.search(r"(\d+) threads of the layer read the environment (\d+) times", done.output).groups()
    assert int(threads) >= 4, "those of the settings, the gazes, a port, the input"
    assert int(readings) == 0, done.output


class Tracker:
    """Sends where somebody looks, to a port that was free."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def is_followed(self, rig, run, x):
        def is_there():
            message = json.dumps({"x": x, "y": 0.5, "t": time.monotonic()}).encode()
            self.socket.sendto(message, ("127.0.0.1", self.port))
            frames = [frame for frame in rig.frames(run)[-3:] if "gaze_usable" in frame]
            return any(abs(float(frame["gaze_x"]) - x) < 0.01 for frame in frames)

        return wait_until(is_there)

    def send(self, x):
        message = json.dumps({"x": x, "y": 0.5, "t": time.monotonic()}).encode()
        self.socket.sendto(message, ("127.0.0.1", self.port))


@pytest.mark.parametrize("name", ["two-windows", "two-devices"])
def test_every_window_and_device_has_late_gazes_of_one_tracker(rig, name):
    """Each context that has foveated a frame says how old its late gazes were."""
    tracker = Tracker()
    sets = "backend=cpu,log.level=debug,gaze.late=true,gaze.source=udp"
    extra = {"FOVEA_SET": f"{sets},gaze.udp.port={tracker.port}"}
    process, run = rig.start(rig.program, name, extra=extra)
    end = time.monotonic() + 3
    while process.poll() is None and time.monotonic() < end:
        tracker.send(0.5)
        time.sleep(0.002)
    done = rig.done(process, run)
    assert done.code == 0, done.output + done.log
    sums = [line for line in done.log.splitlines() if "frames foveated" in line]
    assert len(sums) == 2 and all("late gazes of" in line for line in sums), done.log


def test_a_tracker_is_followed_when_settings_of_the_gaze_change(rig):
    """The port is one and the same, before and after, or one that somebody else has."""
    tracker = Tracker()
    file, other = rig.folder / "tracker.json", rig.folder / "new.json"

    def save(port, hold_ms):
        gaze = {"source": "udp", "udp": {"port": port}, "validity": {"hold_ms": hold_ms}}
        other.write_text(json.dumps({"version": 1, "backend": "cpu", "log": {"level": "debug"}, "gaze": gaze}))
        other.replace(file)

    save(tracker.port, 400)
    extra = {"FOVEA_CONFIG": str(file), "FOVEA_SET": None, "FOVEA_LAYER_DUMP_PICTURES": "0"}
    process, run = rig.start(rig.program, "window-after-window", extra=extra, dump=True)
    log = run / "fovea.log"
    assert wait_until(lambda: log.exists() and "backend" in log.read_text())
    assert tracker.is_followed(rig, run, 0.2)
    save(tracker.port, 500)
    time.sleep(1.5)
    assert tracker.is_followed(rig, run, 0.7)
    assert "cannot be opened" not in log.read_text(), log.read_text()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        save(taken.getsockname()[1], 600)
        assert wait_until(lambda: "the former gaze source stays" in log.read_text()), log.read_text()
        assert tracker.is_followed(rig, run, 0.4)
    save(tracker.port, 600)
    time.sleep(1.5)
    assert tracker.is_followed(rig, run, 0.9)
    done = rig.done(process, run)
    assert done.code == 0, done.output + done.log


def test_presents_that_name_the_one_gpu_of_a_device_are_foveated(rig):
    """Devices of several GPUs are left alone as a whole."""
    done = rig.case("group-present", sets=VULKAN, validate=True)
    assert done.code == 0 and done.foveations == (8, 0), done.output + done.log
    assert not done.messages, done.validation


def test_what_a_runtime_of_openxr_shows_itself_is_left_alone(rig):
    """From when the program has a session, on a device of its own."""
    done = rig.case("beside-openxr", sets=VULKAN, dump=True)
    assert done.code == 0 and len(done.frames) == 1 + 5, done.output + done.log
    assert done.log.count("presents are passed through: the program's session of OpenXR") == 1, done.log


def test_what_cannot_be_had_is_tried_and_told_of_once(rig):
    """However often a window is resized; there is no CUDA beside a CPU that draws."""
    done = rig.case("resize", sets={"backend": "cuda"})
    assert done.code == 0, done.output + done.log
    assert done.log.count("swapchain of") == 1, done.log
    assert done.log.count("frames are presented as they are") == 1, done.log


def test_settings_that_cannot_be_taken_at_first_count_once_they_are_repaired(rig):
    """Without a context frames are as drawn; the next settings are tried with another one."""
    file, other = rig.folder / "repaired.json", rig.folder / "next.json"
    map_of_nothing = {"model": "map", "map": {"kind": "file", "file": "nope.png"}}
    file.write_text(json.dumps({"version": 1, "foveation": map_of_nothing}))
    extra = {"FOVEA_CONFIG": str(file), "FOVEA_SET": "backend=vulkan"}
    process, run = rig.start(rig.program, "until-told", dump=True, extra=extra)
    time.sleep(1.5)
    assert not rig.frames(run)
    other.write_text(json.dumps({"version": 1, "foveation": {"model": "paper"}}))
    other.replace(file)
    assert wait_until(lambda: len(rig.frames(run)) > 2)
    done = rig.done(process, run)
    assert done.code == 0 and done.foveated, done.output + done.log
    assert done.log.count("frames are presented as they are") == 1, done.log


def test_settings_for_which_there_is_no_memory_are_taken_in_the_next_frame(rig):
    """Here a map, whose samples are kept."""
    file, other, short = (rig.folder / name for name in ("short.json", "longer.json", "no memory"))
    file.write_text(json.dumps({"version": 1, "foveation": {"model": "paper", "method": "blockwise"}}))
    extra = {"FOVEA_CONFIG": str(file), "FOVEA_SET": "backend=cpu,gaze.source=fixed",
             "LD_PRELOAD": rig.preload, "FOVEA_STORM_WHILE": str(short)}  # fmt: skip
    process, run = rig.start(rig.program, "until-told", dump=True, extra=extra)
    assert wait_until(lambda: len(rig.frames(run)) > 2)
    short.touch()
    other.write_text(json.dumps({"version": 1, "foveation": {"model": "map", "method": "blockwise"}}))
    other.replace(file)
    assert wait_until(lambda: "out of memory" in (run / "fovea.log").read_text())
    time.sleep(0.5)
    assert "model map" not in (run / "fovea.log").read_text()
    short.unlink()
    assert wait_until(lambda: "model map" in (run / "fovea.log").read_text())
    done = rig.done(process, run)
    assert done.code == 0 and "not taken" not in done.log, done.output + done.log
    assert done.log.count("out of memory") == 1, done.log


def test_auto_begins_at_once_where_a_cpu_draws(rig):
    done = rig.case("plain", sets={"backend": "auto"}, extra={"XDG_CACHE_HOME": str(rig.folder / "empty cache")})
    assert done.code == 0 and "threads are faster" in done.log, done.log
    assert "measured" not in done.log, done.log


def test_a_program_that_is_killed_leaves_nothing_that_hinders_the_next(rig):
    process, run = rig.start(rig.program, "endless", sets=VULKAN)
    time.sleep(1)
    assert process.poll() is None, (run / "output.txt").read_text()
    process.send_signal(signal.SIGKILL)
    assert rig.done(process, run).code == -signal.SIGKILL
    assert rig.case("plain", sets=VULKAN).code == 0
