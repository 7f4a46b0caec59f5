# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Gaze sources of trackers, fed by programs that are not ours: what these send is what a frame gets."""

import asyncio
import ctypes
import importlib
import importlib.util
import math
import os
import socket
import struct
import sys
import time
import types
from contextlib import closing, contextmanager

import pytest
from neon_companion import Companion, unix_time

PATIENCE_S = 15


class Log(ctypes.Structure):
    CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p)
    _fields_ = [("fn", CALL), ("user", ctypes.c_void_p), ("min_level", ctypes.c_int)]


class SourceDesc(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("settings", ctypes.c_void_p), ("log", Log)]


class Gaze(ctypes.Structure):
    _fields_ = [
        ("x", ctypes.c_double),
        ("y", ctypes.c_double),
        ("state", ctypes.c_int),
        ("usable", ctypes.c_bool),
        ("age_ns", ctypes.c_int64),
        ("rate_hz", ctypes.c_double),
        ("sample_count", ctypes.c_uint64),
        ("rejected_count", ctypes.c_uint64),
    ]


TRACKED = 0


class Source:
    """A gaze source of the library, with the log that it wrote."""

    def __init__(self, library, **settings):
        self.fovea = ctypes.CDLL(str(library))
        self.fovea.fovea_time_ns.restype = ctypes.c_int64
        self.fovea.fovea_gaze_source_udp_port.restype = ctypes.c_uint16
        self.fovea.fovea_gaze_source_vergence_m.restype = ctypes.c_double
        self.said = []
        call = Log.CALL(lambda _, level, text: self.said.append((level, text.decode())))
        self.log = Log(call, None, 0)
        chosen = ctypes.c_void_p()
        assert self.fovea.fovea_settings_create(ctypes.byref(chosen)) == 0
        for path, value in settings.items():
            path = "gaze." + path.replace("__", ".")
            assert self.fovea.fovea_settings_set(chosen, path.encode(), str(value).encode(), self.log) == 0, self.said
        desc = SourceDesc(ctypes.sizeof(SourceDesc), chosen, self.log)
        self.source = ctypes.c_void_p()
        self.result = self.fovea.fovea_gaze_source_create(ctypes.byref(desc), ctypes.byref(self.source))
        self.fovea.fovea_settings_destroy(ctypes.byref(chosen))

    def read(self):
        gaze = Gaze()
        now = ctypes.c_int64(self.fovea.fovea_time_ns())
        assert self.fovea.fovea_gaze_source_read(self.source, now, 1000, 500, ctypes.byref(gaze)) == 0
        return gaze

    def diopters(self):
        """Where both lines of sight cross; None: it is not known."""
        distance_m = self.fovea.fovea_gaze_source_vergence_m(self.source, ctypes.c_int64(self.fovea.fovea_time_ns()))
        return 1 / distance_m if distance_m else None

    def port(self):
        return self.fovea.fovea_gaze_source_udp_port(self.source)

    def warnings(self):
        return [text for level, text in self.said if level >= 2]

    def close(self):
        self.fovea.fovea_gaze_source_destroy(ctypes.byref(self.source))


@contextmanager
def opened(library, **settings):
    source = Source(library, **settings)
    assert source.result == 0, source.said
    try:
        yield source
    finally:
        source.close()


def wait_until(condition, between=lambda: None, pause_s=0.01):
    """What the condition returns as soon as that is true; calls `between` before each look."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        between()
        found = condition()
        if found:
            return found
        assert time.monotonic() < deadline, "what was waited for did not come"
        time.sleep(pause_s)


def look(source, x, y):
    """True where a frame's gaze is there, now."""
    gaze = source.read()
    return gaze.state == TRACKED and abs(gaze.x - x) < 1e-5 and abs(gaze.y - y) < 1e-5 and gaze


# ---- The Lab Streaming Layer, by pylsl


@pytest.fixture(scope="module")
def pylsl(tmp_path_factory):
    """With a configuration that keeps it on this machine: no packet leaves it."""
    config = tmp_path_factory.mktemp("lsl") / "lsl_api.cfg"
    config.write_text("[multicast]\nResolveScope = machine\n[log]\nlevel = -2\n")
    os.environ["LSLAPICFG"] = str(config)
    pylsl = pytest.importorskip("pylsl", reason="pylsl is not installed")
    os.environ["PYLSL_LIB"] = pylsl.lib.lib._name
    return pylsl


def gaze_outlet(pylsl, name, labels, unit=None, kind="Gaze"):
    info = pylsl.StreamInfo(name, kind, len(labels), 250, pylsl.cf_double64, f"{name}-{os.getpid()}")
    channels = info.desc().append_child("channels")
    for label in labels:
        channel = channels.append_child("channel")
        channel.append_child_value("label", label)
        if unit:
            channel.append_child_value("unit", unit)
    return pylsl.StreamOutlet(info)


def test_an_lsl_stream_is_found_mapped_to_our_clock_and_found_again(pylsl, library):
    name = f"fovea-{os.getpid()}"
    outlet = gaze_outlet(pylsl, name, ["other", "norm_pos_x", "norm_pos_y", "confidence"], unit="normalized")
    eyes = {"vergence__ipd_mm": 63, "vergence__smooth_ms": 0, "screen_deg": "[40,25]"}
    with opened(library, source="lsl", lsl__name=name, origin="bottom-left", **eyes) as source:
        wait_until(lambda: look(source, 0.25, 0.9), lambda: outlet.push_sample([9, 0.25, 0.1, 1]))
        # A sample that was taken 40 ms before it was sent is that old, once the clocks are related.
        wait_until(
            lambda: look(source, 0.5, 0.5) and 40e6 < source.read().age_ns < 80e6,
            lambda: outlet.push_sample([9, 0.5, 0.5, 1], pylsl.local_clock() - 0.04),
        )
        outlet.push_sample([9, 0.75, 0.75, 0.1])
        assert wait_until(lambda: source.read().state != TRACKED)
        assert source.read().x == 0.5
        del outlet
        assert source.diopters() is None
        outlet = gaze_outlet(pylsl, name, ["ScreenX", "ScreenY"] * 2)
        wait_until(lambda: look(source, 0.5, 0.75), lambda: outlet.push_sample([0.52, 0.25, 0.48, 0.25]))
        assert abs(source.diopters() - 0.04 * 2 * math.tan(math.radians(20)) / 0.063) < 1e-9
        assert not any("gaze.space" in text for text in source.warnings())


# ---- Open Gaze, by a server of our own: Gazepoint's is not to be had


@contextmanager
def connection(server):
    """The next client, once it has asked for the gaze."""
    client, _ = server.accept()
    asked = b""
    while asked.count(b"\n") < 5:
        asked += client.recv(1024)
    whats = [b"TIME", b"POG_BEST", b"POG_LEFT", b"POG_RIGHT", b"DATA"]
    assert asked.split(b"\r\n")[:5] == [b'<SET ID="ENABLE_SEND_%s" STATE="1" />' % what for what in whats]
    client.sendall(b'<ACK ID="ENABLE_SEND_DATA" STATE="1" />\r\n')
    with client:
        yield client


def record(x, y, valid=1):
    eyes = b"".join(b'%sPOGX="%.5f" %sPOGY="%.5f" %sPOGV="1" ' % (eye, at, eye, y, eye) for eye, at in ((b"L", x - 0.01), (b"R", x + 0.01)))
    return b'<REC TIME="%.5f" BPOGX="%.5f" BPOGY="%.5f" BPOGV="%d" %s/>\r\n' % (time.monotonic() + 100, x, y, valid, eyes)


def test_an_open_gaze_server_may_send_garbage_end_and_come_back(library):
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(PATIENCE_S)
    settings = {"source": "opengaze", "opengaze__address": "localhost", "opengaze__port": server.getsockname()[1], "origin": "center",
                "screen_deg": "[40,30]", "vergence__ipd_mm": 63, "vergence__distance_m": 0.7, "vergence__smooth_ms": 0}  # fmt: skip
    with server, opened(library, **settings) as source:
        with connection(server) as client:
            whole = record(0.25, 0.75)
            client.sendall(whole[:30])
            time.sleep(0.02)  # a line in two pieces is one
            client.sendall(whole[30:])
            wait_until(lambda: source.read().sample_count == 1)
            wait_until(lambda: look(source, 0.25, 0.75), lambda: client.sendall(record(0.25, 0.75)))
            client.sendall(b"\0garbage\n" + b"x" * 5000 + b"\n" + record(0.5, 0.5, 0))
            wait_until(lambda: source.read().rejected_count >= 2 and source.read().state != TRACKED)
            assert abs(source.read().x - 0.25) < 1e-5
        with connection(server) as client:
            wait_until(lambda: look(source, 0.5, 1.25), lambda: client.sendall(record(0.5, 1.25)))
            assert abs(source.diopters() - (1 / 0.7 - 0.04 * math.tan(math.radians(20)) / 0.063)) < 1e-3


@pytest.mark.parametrize("tracker", ["opengaze", "neon", "pupil"])
def test_what_is_no_machine_is_refused_and_a_name_that_nobody_has_is_said(library, tracker):
    for wrong in ("127.0.0.256", "127.0.0.1:4242", "my phone", "rtsp://neon.local"):
        refused = Source(library, source=tracker, screen_px="[16,12]", **{f"{tracker}__address": wrong})
        assert refused.result != 0
        assert f'gaze.{tracker}.address is "{wrong}"; it must be an address' in refused.said[-1][1]
    with opened(library, source=tracker, screen_px="[16,12]", **{f"{tracker}__address": "nobody.invalid"}) as source:
        wait_until(lambda: any(f"nobody.invalid (gaze.{tracker}.address)" in text for text in source.warnings()))
        began = time.monotonic()
    assert time.monotonic() - began < 0.5


# ---- Open Sound Control, by python-osc


def test_eyes_over_osc_are_places_on_a_screen_of_given_angles(library):
    udp_client = pytest.importorskip("pythonosc.udp_client", reason="python-osc is not installed")
    settings = {"source": "osc", "osc__port": 0, "space": "degrees", "screen_deg": "[90,90]", "vergence__ipd_mm": 63}
    with opened(library, **settings) as source:
        eyes = udp_client.SimpleUDPClient("127.0.0.1", source.port())
        up = 0.5 - math.tan(math.radians(10)) / 2
        right = 0.5 + math.tan(math.radians(20)) / 2

        def look_up_right():
            eyes.send_message("/tracking/eye/LeftRightPitchYaw", [-10.0, 20.1, -10.0, 19.9])

        wait_until(lambda: look(source, right, up), look_up_right)
        across = [math.tan(math.radians(yaw)) for yaw in (20.1, 19.9)]
        assert abs(source.diopters() - (across[0] - across[1]) / 0.063) < 1e-4
        eyes.send_message("/tracking/eye/EyesClosedAmount", 0.9)
        wait_until(lambda: source.read().state != TRACKED)
        eyes.send_message("/avatar/parameters/v2/EyeLidRight", 0.75)
        eyes.send_message("/avatar/parameters/v2/EyeX", 0.5)
        eyes.send_message("/avatar/parameters/v2/EyeY", -0.5)  # tangents; y is up
        wait_until(lambda: look(source, 0.75, 0.75), lambda: eyes.send_message("/avatar/parameters/v2/EyeX", 0.5))
        assert source.read().rejected_count == 0 and source.warnings() == []


# ---- Pupil Core, by pyzmq and msgpack: Capture itself is not packaged


class Capture:
    """What Pupil Capture's network says of a surface: Pupil Remote answers, the surface is published."""

    def __init__(self, zmq, msgpack, port=0):
        self.zmq, self.msgpack = zmq, msgpack
        self.context = zmq.Context()
        self.remote = self.context.socket(zmq.REP)
        self.port = port or self.remote.bind_to_random_port("tcp://127.0.0.1")
        if port:
            self.remote.bind(f"tcp://127.0.0.1:{port}")
        self.published = self.context.socket(zmq.PUB)
        self.published_port = self.published.bind_to_random_port("tcp://127.0.0.1")

    @staticmethod
    def clock():
        return time.monotonic() - 1000

    def answer(self):
        while self.remote.poll(0):
            asked = self.remote.recv_string()
            self.remote.send_string({"SUB_PORT": str(self.published_port), "t": repr(self.clock())}[asked])

    def publish(self, x, y, confidence=1.0, age_s=0.0, name="screen"):
        self.answer()
        gaze = {"topic": "gaze.3d.01._on_surface", "norm_pos": [x, y], "confidence": confidence, "on_surf": True}
        gaze |= {"base_data": ["gaze.3d.01.", 1.5], "timestamp": self.clock() - age_s}
        surface = {"name": name, "surf_to_img_trans": [[1.0, 0.0], [0.0, 1.0]], "gaze_on_surfaces": [gaze]}
        self.send(self.msgpack.packb(surface), name)

    def send(self, message, name="screen"):
        self.published.send_multipart([b"surfaces." + name.encode(), message])

    def publish_eyes(self):
        """The right eye is number 0. Both look at a place 0.8 m before them."""
        self.answer()
        gaze = {"topic": "gaze.3d.01.", "confidence": 0.9, "timestamp": self.clock(), "norm_pos": [0.5, 0.5]}
        gaze |= {"eye_centers_3d": {"0": [30.0, 15.0, -20.0], "1": [-30.0, 15.0, -20.0]}}
        gaze |= {"gaze_normals_3d": {"0": [-0.03, 0.1, 0.8], "1": [0.03, 0.1, 0.8]}}
        self.published.send_multipart([b"gaze.3d.01.", self.msgpack.packb(gaze)])

    def close(self):
        self.context.destroy(linger=0)


def test_a_surface_of_pupil_core_is_the_screen_and_its_clock_ours(library):
    zmq = pytest.importorskip("zmq", reason="pyzmq is not installed")
    msgpack = pytest.importorskip("msgpack", reason="msgpack is not installed")
    capture = Capture(zmq, msgpack)
    settings = {"source": "pupil", "pupil__address": "localhost", "pupil__port": capture.port, "pupil__surface": "screen", "vergence__ipd_mm": 63}
    with opened(library, **settings) as source:
        wait_until(lambda: look(source, 0.25, 0.9), lambda: capture.publish(0.25, 0.1))
        wait_until(
            lambda: look(source, 0.5, 0.5) and 40e6 < source.read().age_ns < 80e6,
            lambda: capture.publish(0.5, 0.5, age_s=0.04),
        )
        wait_until(lambda: abs((source.diopters() or 0) - 1 / 0.8) < 1e-6, capture.publish_eyes)
        capture.publish(0.9, 0.9, name="screen of another")
        capture.send(b"garbage")
        capture.publish(0.75, 0.75, confidence=0.1)
        wait_until(lambda: source.read().state != TRACKED and source.read().rejected_count > 0, capture.answer)
        assert source.read().x == 0.5
        port = capture.port
        capture.close()
        wait_until(lambda: any("(gaze.pupil.address)" in text for text in source.warnings()))
        capture = Capture(zmq, msgpack, port)
        wait_until(lambda: look(source, 0.1, 0.2), lambda: capture.publish(0.1, 0.8))
    capture.close()


# ---- Neon and Invisible, by a companion of our own that a client of Pupil Labs understands: the app runs on phones


@pytest.fixture(scope="module")
def gaze_client():
    """pupil_labs.realtime_api.streaming.gaze without what its packages load beside it: video, audio, discovery."""
    pytest.importorskip("dpkt", reason="dpkt is not installed")
    pytest.importorskip("aiortsp", reason="pupil-labs-realtime-api is not installed")
    (folder,) = importlib.util.find_spec("pupil_labs").submodule_search_locations
    for name in ("realtime_api", "realtime_api/streaming"):
        package = types.ModuleType("pupil_labs." + name.replace("/", "."))
        package.__path__ = [f"{folder}/{name}"]
        sys.modules[package.__name__] = package
    return importlib.import_module("pupil_labs.realtime_api.streaming.gaze")


@pytest.mark.parametrize("scheme", ["rtsp", "rtspt"])
def test_pupil_labs_own_client_understands_the_companion(gaze_client, scheme):
    """So that what the source is tested with is what the app sends, as far as its maker's client tells."""
    layouts = {"!ffB": 9, "!ffBff": 17, "!ffB4f": 25, "!ffB14f": 65, "!ffB20f": 89, "!ffB24f": 105}

    async def receive(companion):
        url = companion.url.replace("rtsp", scheme, 1)
        async with gaze_client.RTSPGazeStreamer(url) as streamer:
            got = streamer.receive().__aiter__()
            for layout, size in layouts.items():
                numbers = [float(i) for i in range(layout.count("f") if size == 17 else 2 + (size - 9) // 4)]
                payload = struct.pack(layout, *numbers[:2], 255, *numbers[2:])
                assert len(payload) == size
                coming = asyncio.ensure_future(got.__anext__())
                while not coming.done():
                    companion.report()
                    companion.send(payload, age_s=0.5)
                    await asyncio.sleep(0.02)
                datum = coming.result()
                if type(datum).__name__ != expected[size] or abs(unix_time() - datum.timestamp_unix_seconds - 0.5) > 0.4:
                    return datum
                while not streamer.reader.queue.empty():
                    streamer.reader.queue.get_nowait()

    expected = {9: "GazeData", 17: "DualMonocularGazeData", 25: "BinoAndDualMonoGazeData", 65: "EyestateGazeData"}
    expected |= {89: "EyestateEyelidGazeData", 105: "EyestateEyelidDualMonoGazeData"}
    with closing(Companion()) as companion:
        assert asyncio.run(asyncio.wait_for(receive(companion), PATIENCE_S)) is None


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_gaze_of_neon_is_a_place_in_the_scene_and_its_clock_ours(library, transport):
    companion = Companion()
    port, echo_port = companion.port, companion.echo_port
    settings = {"source": "neon", "neon__address": "localhost", "neon__port": port, "neon__transport": transport, "screen_px": "[1600,1200]"}
    with opened(library, neon__echo_port=echo_port, origin="center", **settings) as source:
        wait_until(lambda: look(source, 0.25, 0.75), lambda: companion.look(400, 900))
        # A sample that was measured 40 ms before it was sent is that old, once the echo has told the phone's clock.
        wait_until(
            lambda: look(source, 0.5, 0.5) and 39e6 < source.read().age_ns < 80e6,
            lambda: companion.look(800, 600, age_s=0.04),
        )
        rejected = source.read().rejected_count
        companion.look(1, 1, sequence=companion.sequence)  # twice
        companion.send(b"garbage")
        companion.put(0, b"garbage")
        companion.put(1, b"garbage")
        wait_until(lambda: source.read().rejected_count >= rejected + 4)
        companion.look(1, 1, worn=0)
        wait_until(lambda: source.read().state != TRACKED)
        assert source.read().x == 0.5
        companion.close()
        wait_until(lambda: any("it is tried again" in text for text in source.warnings()))
        with closing(Companion(port)) as companion:
            wait_until(lambda: look(source, 1.25, 0.0), lambda: companion.look(2000, 0))
            url = companion.url.replace("127.0.0.1", "localhost")
            assert companion.asked[:4] == [("OPTIONS", url), ("DESCRIBE", url), ("SETUP", url + "/trackID=0"), ("PLAY", url)]
