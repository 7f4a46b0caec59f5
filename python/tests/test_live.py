# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Sources of gaze that are open in Python."""

import os
import pathlib
import pickle
import socket
import struct
import threading
import time

import numpy as np
import pytest

import fovea
from fovea import GazeState

UDP = {"gaze.source": "udp", "gaze.udp.port": 0}
IMAGE = np.random.default_rng(3).integers(0, 256, (60, 80, 3), dtype=np.uint8)


def count_threads():
    return len(os.listdir("/proc/self/task"))


def read_until(gaze, is_right, timeout_s=5.0):
    end = time.monotonic() + timeout_s
    while not is_right(sample := gaze.read()):
        assert time.monotonic() < end, sample
        time.sleep(0.001)
    return sample


def send(gaze, *datagrams):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for datagram in datagrams:
            out.sendto(datagram, ("127.0.0.1", gaze.udp_port))


def osc(address, *numbers):
    padded = [text + b"\0" * (4 - len(text) % 4) for text in (address, b"," + b"f" * len(numbers))]
    return b"".join(padded) + struct.pack(f">{len(numbers)}f", *numbers)


@pytest.mark.parametrize(
    "config, datagram, uv",
    [
        (UDP, b'{"x": 0.25, "y": 0.75}', (0.25, 0.75)),
        ({**UDP, "gaze.udp.format": "doubles", "gaze.space": "pixels", "gaze.screen_px": [200, 100]}, struct.pack("<2d", 50, 25), (0.25, 0.25)),
        ({"gaze.source": "osc", "gaze.osc.port": 0, "gaze.space": "degrees", "gaze.screen_deg": [90, 90]},
         osc(b"/tracking/eye/CenterPitchYaw", 0.0, 45.0), (1.0, 0.5)),
    ],
)  # fmt: skip
def test_samples_arrive_and_no_thread_is_left(config, datagram, uv):
    before = count_threads()
    with fovea.Gaze(config) as gaze:
        assert gaze.read().state == GazeState.LOST and count_threads() == before + 1
        first = time.monotonic_ns()
        send(gaze, datagram)
        sample = read_until(gaze, lambda one: one.sample_count == 1)
        assert sample.is_tracked and sample.usable and np.allclose(sample.uv, uv, atol=1e-6)
        assert first <= sample.sample_t_ns <= sample.t_ns <= time.monotonic_ns() and sample.rejected_count == 0
        send(gaze, b"\xff" * 5)
        with pytest.warns(UserWarning, match="a message is rejected") as said:
            assert read_until(gaze, lambda one: one.rejected_count == 1).sample_count == 1
            read_until(gaze, lambda _: len(said) > 0)  # the source's thread counts first
    assert gaze.closed and count_threads() == before
    gaze.close()
    with pytest.raises(ValueError, match="it is closed"):
        gaze.read()


def test_states_of_eyes_are_told():
    """By times of our own, of a source that Python feeds: each sample 2 ms after the one before."""
    config = {"gaze.source": "mouse", "gaze.screen_deg": [48, 28], "gaze.filter.velocity_deg_s": 40}
    with fovea.Gaze(config) as gaze:
        begin, seen = time.monotonic_ns() - 2_000_000_000, []
        for i, x in enumerate([0.5] * 20 + [0.5 + 0.04 * n for n in range(8)]):
            assert gaze.push(x, 0.5, t_ns=begin + i * 2_000_000)
            seen.append(gaze.read(begin + i * 2_000_000).state)
        last = begin + i * 2_000_000
        assert gaze.push(0, 0, blink=True, t_ns=last + 2_000_000) and not gaze.push(0.5, 0.5, t_ns=begin)
        seen += [gaze.read(last + ms * 1_000_000).state for ms in (20, 900)]
        assert seen[19] == GazeState.FIXATION and seen[27] == GazeState.SACCADE and seen[28:] == [GazeState.BLINK, GazeState.LOST]
        assert gaze.read(last).rejected_count == 1
    with fovea.Gaze("fixed") as gaze, pytest.raises(ValueError, match='"gaze.source" is fixed'):
        gaze.push(0.5, 0.5)


def test_a_picture_that_is_shown_draws_the_gaze_and_foveas_beside_it():
    y, x = np.mgrid[:90, :160]
    centres = np.array([(40, 60), (120, 25)])
    picture = np.full((90, 160, 3), 60, np.uint8)
    for centre in centres:
        picture[np.hypot(x - centre[0], y - centre[1]) < 8] = (250, 40, 40)
    config = {"gaze.source": "saliency", "gaze.saliency.foveas": 2, "gaze.saliency.inhibition_s": 0}
    with fovea.Gaze(config, size_px=(160, 90)) as gaze:
        assert gaze.read(0).others == ()
        gaze.show(picture)
        sample = next(one for t_ms in range(0, 3000, 20) if (one := gaze.read(t_ms * 1_000_000)).others)
        places = np.array(sample.places) * (160, 90)
        assert places.shape == (2, 2) and sorted(np.argmin(np.linalg.norm(places[:, None] - centres, axis=2), axis=1)) == [0, 1]
        assert np.linalg.norm(places[:, None] - centres, axis=2).min(axis=1).max() < 12
        seen = fovea.foveate(picture, sample.places, config={"foveation.strength": 4})
        assert all(np.array_equal(seen[y - 3 : y + 4, x - 3 : x + 4], picture[y - 3 : y + 4, x - 3 : x + 4]) for x, y in centres)
        with pytest.raises(ValueError, match="the picture has shape"):
            gaze.show(picture[None])
    with fovea.Gaze("fixed") as gaze, pytest.raises(ValueError, match='"gaze.source" is fixed'):
        gaze.show(picture)


def test_positions_in_pixels_and_times_of_no_clock_are_told():
    with fovea.Gaze("mouse") as gaze:
        with pytest.warns(UserWarning, match="400, 300 of mouse cannot be uv.* set gaze.space=pixels"):
            gaze.push(400, 300)
        for t_ns in (2**64, float("nan")):
            with pytest.raises(ValueError, match="t_ns is"):
                gaze.read(t_ns)


def test_pictures_are_foveated_where_the_gaze_is():
    with fovea.Gaze({"gaze.source": "mouse", "gaze.space": "pixels", "gaze.validity.fallback": "none"}) as gaze:
        with pytest.raises(ValueError, match='"gaze.space" is pixels: set "gaze.screen_px", or give size_px'):
            gaze.read()
        assert np.array_equal(fovea.foveate(IMAGE, gaze), IMAGE), "nobody looks"
        both = {"operators": "foveate,blur"}
        assert np.array_equal(fovea.foveate(IMAGE, None, config=both), fovea.foveate(IMAGE, config={"operators": "blur"}))
        gaze.push(20, 45)
        assert gaze.read(size_px=(80, 60)).uv == (0.25, 0.75)
        for image, layout in ((IMAGE, "NHWC"), (np.stack([IMAGE] * 2).transpose(0, 3, 1, 2).copy(), "NCHW"), (IMAGE.astype(np.uint16) * 257, "NHWC")):
            assert np.array_equal(fovea.foveate(image, gaze, layout=layout), fovea.foveate(image, (0.25, 0.75), layout=layout))


def test_environments_take_it_as_a_policy():
    with fovea.Gaze("mouse") as gaze:
        policy = fovea.gaze.policy_of(gaze)
        gaze.push(0.25, 0.75)
        assert policy.reset(3, np.random.default_rng(0)).tolist() == [[0.25, 0.75]] * 3
        gaze.push(0.5, 0.25)
        assert policy.step(np.random.default_rng(0)).tolist() == [[0.5, 0.25]] * 3


def test_threads_read_while_another_closes():
    gaze, said = fovea.Gaze(UDP), []

    def read():
        try:
            while True:
                gaze.read()
        except ValueError as error:
            said.append(str(error))

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    gaze.close()
    for thread in threads:
        thread.join(5)
    assert said == ["gaze: it is closed"] * 3


def test_a_child_of_fork_opens_its_own():
    with fovea.Gaze(UDP) as gaze:
        child = os.fork()
        if child == 0:
            try:
                gaze.read()
            except fovea.FoveaError as error:
                gaze.close()
                os._exit(7 if "was forked" in str(error) else 1)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        send(gaze, b'{"x": 0.25, "y": 0.75}')
        assert read_until(gaze, lambda one: one.sample_count == 1).uv == (0.25, 0.75)
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            pickle.dumps(gaze)


@pytest.mark.parametrize(
    "config, error, text",
    [
        ("nope", fovea.ConfigError, 'gaze.source: expected one of "fixed", .*; found "nope"'),
        ("eye.asc", fovea.ConfigError, "a recording is .*'eye.asc'"),
        ({"gaze.lsl.nme": "x"}, fovea.ConfigError, 'did you mean "name"'),
        ({"gaze.source": "scanpath", "gaze.scanpath.file": "/nowhere.csv"}, OSError, "gaze.scanpath.file /nowhere.csv cannot be read"),
        ({**UDP, "gaze.filter.velocity_deg_s": 40}, fovea.ConfigError, "set gaze.screen_deg"),
        ("openxr", fovea.UnsupportedError, "only the OpenXR layer has"),
    ],
)
def test_what_is_wrong_is_said_with_its_setting(config, error, text):
    with pytest.raises(error, match=text):
        fovea.Gaze(config)


def test_a_recording_begins_when_it_is_first_read(tmp_path):
    pathlib.Path(tmp_path / "a.csv").write_text("t,x,y\n5.0,0.1,0.2\n5.5,0.3,0.4\n")
    with fovea.Gaze({"gaze.source": "scanpath", "gaze.scanpath.file": tmp_path / "a.csv"}) as gaze:
        assert [gaze.read(t).uv for t in (1_000, 400_001_000, 500_001_000)] == [(0.1, 0.2), (0.1, 0.2), (0.3, 0.4)]
