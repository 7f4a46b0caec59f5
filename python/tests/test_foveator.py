# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Foveators: files and what they name, pickles, processes, threads, ends."""

import gc
import multiprocessing
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import threading
import time
import zlib

import numpy as np
import pytest
from places import PACKAGE

import fovea

RNG = np.random.default_rng(8)


def pictures(*shape):
    return RNG.integers(0, 256, shape, dtype=np.uint8)


def gazes(count):
    return RNG.random((count, 2), np.float32)


def test_a_file_is_a_configuration(tmp_path):
    file = tmp_path / "fovea.json"
    file.write_text('{"version": 1, "foveation": {"strength": 2}} // as people write them')
    assert fovea.Foveator(file).get("foveation.strength") == "2"


def test_a_foveator_shows_what_is_for_its_users_alone():
    names = {name for name in dir(fovea.Foveator) if not name.startswith("_")}
    assert names == {"close", "get", "open", "sigma_map", "eccentricity_map", "cutoff_map", "gain_map"}


def test_foveators_are_pickled_and_compared():
    foveator = fovea.Foveator({"foveation.strength": 2})
    copy = pickle.loads(pickle.dumps(foveator))
    assert copy == foveator and hash(copy) == hash(foveator) and "strength" in repr(copy)
    images = pictures(16, 16, 3)
    assert np.array_equal(copy(images), foveator(images))


def _foveate_in_child(foveator, images, expected, queue):
    queue.put(bool(np.array_equal(foveator(images), expected)))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_open_their_own(method):
    context = multiprocessing.get_context(method)
    foveator, images = fovea.Foveator(), pictures(32, 32, 3)
    expected = foveator(images)
    queue = context.Queue()
    child = context.Process(target=_foveate_in_child, args=(foveator, images, expected, queue))
    child.start()
    assert queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0 and np.array_equal(foveator(images), expected)


def test_threads_share_a_foveator():
    foveator, images = fovea.Foveator(), pictures(4, 40, 40, 3)
    expected, wrong = foveator(images), []

    def work():
        for _ in range(20):
            if not np.array_equal(foveator(images), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_foveator_may_be_closed_while_others_use_it():
    foveator, images = fovea.Foveator(), pictures(2, 64, 64, 3)
    expected, wrong = foveator(images), []

    def work():
        for _ in range(40):
            if not np.array_equal(foveator(images), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(60):
        foveator.close()
    for thread in threads:
        thread.join()
    assert not wrong


def test_close_waits_for_a_call_however_long_it_takes(monkeypatch):
    """A lock that is held stands for a batch of minutes."""
    monkeypatch.setattr(fovea._context, "_EXIT_WAIT_S", 0.05)
    foveator, images = fovea.Foveator(), pictures(8, 8, 3)
    foveator(images)
    (context,) = foveator._contexts._of.values()
    is_held = threading.Event()

    def work():
        with context.held():
            is_held.set()
            time.sleep(0.5)

    thread = threading.Thread(target=work)
    thread.start()
    is_held.wait()
    foveator.close()
    thread.join()
    assert not context._state.pointer
    foveator(images)


def test_a_foveator_that_nobody_has_is_freed():
    def count_threads():
        return len(os.listdir("/proc/self/task"))

    images = pictures(200, 200, 3)
    before = count_threads()
    for _ in range(5):
        fovea.Foveator({"cpu_threads": 2})(images)
    gc.collect()
    assert count_threads() <= before + 1


def test_equal_foveators_are_each_usable_after_fork():
    """Both hold their lock while the process forks."""
    code = """
import os, threading, numpy as np, fovea
images = np.zeros((16, 16, 3), np.uint8)
two = [fovea.Foveator(), fovea.Foveator()]
for foveator in two:
    foveator(images)
    foveator._contexts._lock.acquire()
child = os.fork()
if child == 0:
    for foveator in two:
        foveator(images)
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, timeout=60)
    assert done.returncode == 0


@pytest.mark.parametrize("what", ["__del__", "signal", "close"])
def test_a_call_from_inside_of_a_call_is_refused(what):
    code = """
import gc, signal, sys, time, numpy as np, fovea
foveator, images, refused = fovea.Foveator({"cpu_threads": 1}), np.zeros((48, 48, 3), np.float32), []
def inside(*_):
    try:
        foveator.close() if sys.argv[1] == "close" else foveator(images[:8, :8].copy())
    except fovea.FoveaError as error:
        refused.append(str(error))
    if sys.argv[1] != "__del__":
        signal.setitimer(signal.ITIMER_REAL, 0.001)  # not before: handlers that take longer would be inside of one another
class Rubbish:
    def __init__(self): self.me = self
    __del__ = inside
if sys.argv[1] == "__del__":
    gc.set_threshold(3)
else:
    signal.signal(signal.SIGALRM, inside)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
end = time.monotonic() + 20
while len(refused) < 3 and time.monotonic() < end:
    Rubbish() if sys.argv[1] == "__del__" else None
    foveator(images, (0.5, 0.5))
    foveator(images[None], np.float32([[0.25, 0.5]]))
signal.signal(signal.SIGALRM, signal.SIG_IGN)
assert len(refused) >= 3 and all("inside" in said for said in refused), refused
foveator(images)
"""
    done = subprocess.run([sys.executable, "-c", code, what], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, timeout=60)
    assert done.returncode == 0


def test_threads_that_work_at_the_end_end_nothing_badly():
    code = """
import threading, numpy as np, fovea
images = np.zeros((300, 300, 3), np.uint8)
foveator = fovea.Foveator()
def work():
    while True:
        foveator(images)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
foveator(images)
"""
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, timeout=60)
        assert done.returncode == 0


def test_a_file_that_changes_is_read_again(tmp_path):
    file, images = tmp_path / "fovea.json", pictures(48, 48, 3)
    file.write_text('{"foveation": {"strength": 0}}')
    assert np.array_equal(fovea.foveate(images, config=file), images)
    file.write_text('{"foveation": {"strength": 2.0}}')
    assert not np.array_equal(fovea.foveate(images, config=file), images)


def write_map(file, samples):
    """A PNG of 8-bit grey."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in samples)
    head = struct.pack(">IIBBBBB", samples.shape[1], samples.shape[0], 8, 0, 0, 0, 0)
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


LEFT = np.repeat([255, 0], 32).astype(np.uint8) * np.ones((32, 1), np.uint8)


@pytest.fixture
def of_map(tmp_path):
    def settings_of(name="map.png", **more):
        return {"foveation.model": "map", "foveation.map.kind": "file", "foveation.map.file": str(tmp_path / name), **more}

    write_map(tmp_path / "map.png", LEFT)
    try:
        fovea.Foveator(settings_of()).open()
    except fovea.FoveaError as error:
        pytest.skip(f"no map from a picture: {error}")
    return settings_of


def test_a_map_that_changes_is_read_again(of_map, tmp_path):
    images = pictures(64, 64, 3)
    first = fovea.foveate(images, config=of_map())
    write_map(tmp_path / "map.png", LEFT[:, ::-1])
    second = fovea.foveate(images, config=of_map())
    assert np.array_equal(second, fovea.Foveator(of_map())(images)) and not np.array_equal(first, second)
    file = tmp_path / "fovea.json"
    file.write_text('{"foveation": {"model": "map", "map": {"kind": "file", "file": "map.png"}}}')
    assert np.array_equal(fovea.foveate(images, config=file), second)
    write_map(tmp_path / "map.png", LEFT)
    assert np.array_equal(fovea.foveate(images, config=file), first)


def test_a_foveator_is_what_it_was_made_of(of_map, tmp_path):
    images = pictures(64, 64, 3)
    opened, not_opened = fovea.Foveator(of_map()), fovea.Foveator(of_map())
    expected = opened(images)
    write_map(tmp_path / "map.png", LEFT[:, ::-1])
    assert opened == not_opened and opened != fovea.Foveator(of_map())
    assert np.array_equal(opened(images), expected)
    copy = pickle.loads(pickle.dumps(opened))
    assert copy == opened
    for of_file in (opened.sigma_map, opened.eccentricity_map, opened.cutoff_map, lambda shape: opened.gain_map(shape, 2)):
        with pytest.raises(fovea.ConfigError, match="map.png has changed"):  # it would not be that of the pictures
            of_file((64, 64))
    for foveator in (not_opened, copy):
        with pytest.raises(fovea.ConfigError, match="map.png has changed"):
            foveator(images)
    write_map(tmp_path / "map.png", LEFT)
    assert np.array_equal(copy(images), expected)


PTO = "i w48 h40 f0 v60 a0 b0 c0.1\n"
OF_FILES = {  # settings with a file that is no map's, by its path, and two texts for it
    "blur.file": ({"operators": "blur", "blur.engine": "fft"}, "0 1 0\n1 1 1\n0 1 0\n", "1 0 0\n0 0 0\n0 0 1\n"),
    "lens.file": ({"operators": "lens"}, PTO, PTO.replace("c0.1", "c-0.1")),
    "foveation.display.table": ({"foveation.light": "table"}, "0 0.5 1\n", "0 0.1 1\n"),
}


@pytest.mark.parametrize("path", OF_FILES)
def test_other_files_are_what_they_were_too(tmp_path, path):
    settings, one, other = OF_FILES[path]
    images, file = pictures(40, 48, 3), tmp_path / "file"
    config = {**settings, path: str(file)}
    file.write_text(one)
    opened, not_opened = fovea.Foveator(config), fovea.Foveator(config)
    expected = opened(images)
    assert opened == not_opened and np.array_equal(fovea.foveate(images, config=config), expected)
    file.write_text(other)
    changed = fovea.Foveator(config)
    assert changed != opened and not np.array_equal(changed(images), expected)
    assert np.array_equal(fovea.foveate(images, config=config), changed(images))
    assert np.array_equal(opened(images), expected)
    if path.endswith(".file"):  # a table has become numbers
        with pytest.raises(fovea.ConfigError, match="has changed"):
            not_opened(images)


@pytest.mark.filterwarnings("ignore:settings that do nothing")
@pytest.mark.parametrize(
    "config, path",
    [
        ({}, "blur.file"),
        ({}, "lens.file"),
        ({}, "foveation.map.file"),
        ({"operators": "blur"}, "blur.file"),
        ({"operators": "blur", "blur.engine": "box"}, "blur.file"),
        ({"operators": "foveate,blur"}, "lens.file"),
        ({"foveation.model": "map", "foveation.map.kind": "human"}, "foveation.map.file"),
        ({"foveation.model": "map", "foveation.map.kind": "file", "operators": "blur"}, "foveation.map.file"),
    ],
)
def test_files_that_no_setting_in_force_uses_do_not_count(tmp_path, config, path):
    images, file = pictures(40, 48, 3), tmp_path / "file"
    config = {**config, path: str(file)}
    before = fovea.Foveator(config)
    file.write_text("0 1 0\n")
    after = fovea.Foveator(config)
    assert before == after and np.array_equal(before(images), after(images))


def test_maps_of_foveation_look_at_no_file_of_a_lens(tmp_path):
    file = tmp_path / "lens.pto"
    file.write_text(PTO)
    foveator = fovea.Foveator({"operators": "foveate,lens", "lens.file": str(file)})
    expected = foveator.sigma_map((40, 48))
    file.write_text(PTO.replace("c0.1", "c-0.1"))
    assert np.array_equal(foveator.sigma_map((40, 48)), expected)


def test_files_mean_the_same_in_another_folder(of_map, tmp_path, monkeypatch):
    images, below = pictures(64, 64, 3), tmp_path / "below"
    below.mkdir()
    (tmp_path / "fovea.json").write_text('{"foveation": {"strength": 2, "model": "map", "map": {"kind": "file", "file": "map.png"}}}')
    expected = fovea.foveate(images, config=of_map())
    monkeypatch.chdir(tmp_path)
    relative = {**of_map(), "foveation.map.file": "map.png"}
    nested = {"foveation": {"model": "map", "map": {"kind": "file", "file": "map.png"}}}
    foveators = [fovea.Foveator(relative), fovea.Foveator(nested), fovea.Foveator({**nested, "foveation.map.file": pathlib.Path("map.png")})]
    of_file = fovea.Foveator("./fovea.json")
    monkeypatch.chdir(below)
    for foveator in foveators:
        assert np.array_equal(foveator(images), expected)
    assert of_file.get("foveation.map.file") == str(tmp_path / "map.png") and of_file(images).shape == images.shape
    with pytest.raises(OSError):
        fovea.foveate(images, config=relative)


@pytest.mark.parametrize("character", ["\u2028", "\x0b", "\x0c", "\x85", "\r", "=", "#", " "])
def test_files_have_any_names(of_map, tmp_path, character):
    name = f"#a{character}b.png"
    write_map(tmp_path / name, LEFT)
    images = pictures(64, 64, 3)
    assert np.array_equal(fovea.Foveator(of_map(name))(images), fovea.Foveator(of_map())(images))


def test_a_configuration_that_changes_leaves_foveators_as_they_are(tmp_path):
    file, images = tmp_path / "fovea.json", pictures(48, 48, 3)
    file.write_text('{"foveation": {"strength": 1.5}}')
    first = fovea.Foveator(file)
    kept = pickle.dumps(first)
    file.write_text('{"foveation": {"strength": 3.5}}')
    second = fovea.Foveator(file)
    assert first != second and pickle.loads(kept) == first and pickle.loads(kept).get("foveation.strength") == "1.5"
    assert first == fovea.Foveator({"foveation.strength": 1.5}) and np.array_equal(pickle.loads(kept)(images), first(images))
