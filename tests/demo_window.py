# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The demo in a window of a virtual display: keys go in, pictures of the screen come out."""

import os
import struct
import subprocess
import time
from contextlib import contextmanager

import numpy
import pytest


@contextmanager
def virtual_display():
    """Xvfb on a display number of its own choice."""
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=[write_end],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    try:
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        if not number:
            pytest.fail("Xvfb did not start")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(10)


def screen_picture(display, window):
    """What the X server shows in a window, height x width x blue, green, red."""
    command = ["xwd", "-silent", "-id", str(window)]
    env = {**os.environ, "DISPLAY": display}
    dump = subprocess.run(command, env=env, capture_output=True, timeout=30, check=True).stdout
    head = struct.unpack(">25I", dump[:100])
    start, width, height, pitch, colors = head[0], head[4], head[5], head[12], head[19]
    rows = numpy.frombuffer(dump, numpy.uint8, pitch * height, start + colors * 12)
    return rows.reshape(height, pitch)[:, : width * 4].reshape(height, width, 4)[:, :, :3].astype(int)


class DemoWindow:
    def __init__(self, program, display, flags, folder, preload=()):
        self.environment = {**os.environ, "DISPLAY": display, "SDL_VIDEODRIVER": "x11"}
        preloaded = [*os.environ.get("LD_PRELOAD", "").split(), *map(str, preload)]
        own = {**self.environment, "LD_PRELOAD": ":".join(preloaded)}
        self.output = open(folder / "window.txt", "w+")
        self.process = subprocess.Popen(
            [program, "--window", *flags], env=own, stdout=self.output, stderr=self.output
        )
        self.window = self.until(self.find, "there is no window")

    def find(self):
        found = self.xdotool("search", "--onlyvisible", "--name", "^Fovea demo", check=False)
        return found.split()[-1] if found else None

    def xdotool(self, *words, check=True):
        done = subprocess.run(["xdotool", *words], env=self.environment, capture_output=True, text=True, timeout=30)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def until(self, ask, failure, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            answer = ask()
            if answer:
                return answer
            assert self.process.poll() is None, f"the demo has ended\n{self.text()}"
            time.sleep(0.1)
        pytest.fail(f"{failure}\n{self.text()}")

    def text(self):
        self.output.flush()
        with open(self.output.name) as file:
            return file.read()

    def title(self):
        return self.xdotool("getwindowname", self.window)

    def key(self, *names):
        self.xdotool("key", "--window", self.window, *names)

    def picture(self):
        """What is on the screen in the window, height x width x red, green, blue."""
        return screen_picture(self.environment["DISPLAY"], self.window)[:, :, ::-1]

    def end(self, key="q"):
        self.key(key)
        code = self.process.wait(60)
        return code, self.text()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        self.output.close()


def detail(picture):
    """How much neighbouring pixels differ: large where the picture is sharp."""
    return float(numpy.abs(numpy.diff(picture, axis=1)).mean())
