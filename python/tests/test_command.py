# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""python -m fovea with videos."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from conftest import PACKAGE

import fovea
from fovea import _video

try:
    FFMPEG = _video.ffmpeg()
except ImportError:
    pytest.skip("no ffmpeg", allow_module_level=True)

COMMAND = [sys.executable, "-m", "fovea"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGE)}


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *map(str, arguments)], env=ENVIRONMENT, capture_output=True, text=True, check=False, **options)


def make(path, *, size="64x48", seconds=1, rate="25", sound=True):
    inputs = ["-f", "lavfi", "-i", f"testsrc=size={size}:rate={rate}:duration={seconds}"]
    if sound:
        inputs += ["-f", "lavfi", "-i", f"sine=duration={seconds}"]
    subprocess.run([FFMPEG, "-loglevel", "error", "-y", *inputs, "-pix_fmt", "yuv444p", "-c:v", "libx264", path], check=True)
    return path


def frames(path):
    video = _video.Video(path)
    data = subprocess.run(video.read_command(), check=True, capture_output=True).stdout
    return np.frombuffer(data, np.uint8).reshape(-1, video.height, video.width, 3)


def has_sound(path):
    return "Audio:" in subprocess.run([FFMPEG, "-i", path], capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize("size, rate", [("64x48", "25"), ("63x47", "30000/1001")])
def test_a_video_keeps_its_size_rate_and_sound(tmp_path, size, rate):
    source, target = make(tmp_path / "in.mp4", size=size, rate=rate), tmp_path / "out.mp4"
    done = run(source, "-o", target, "--gaze", "0.25,0.5", "--set", "foveation.strength=2")
    assert done.returncode == 0 and done.stdout.strip() == str(target), done.stderr
    before, after = _video.Video(source), _video.Video(target)
    assert (after.width, after.height, after.rate) == (before.width, before.height, before.rate)
    assert has_sound(target)
    seen, raw = frames(target), frames(source)
    assert seen.shape == raw.shape
    expected = fovea.foveate(raw, (0.25, 0.5), config={"foveation.strength": 2})
    far = np.abs(seen.astype(float) - expected).mean()
    assert far < 6 and far < 0.5 * np.abs(seen.astype(float) - raw).mean()  # the codec's loss
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.mp4", "out.mp4"]


def test_gazes_of_a_file_hold_until_the_next(tmp_path):
    table = tmp_path / "gaze.csv"
    table.write_text("t,x,y\n0.0,0.1,0.2\n0.5,0.8,0.9\n0.6,nan,nan\n1,0.3,0.3\n")
    gaze = _video.GazeFile(table)
    assert [tuple(gaze(t)) for t in (-1, 0, 0.49, 0.5, 0.7, 9)] == [
        (0.1, 0.2), (0.1, 0.2), (0.1, 0.2), (0.8, 0.9), (0.8, 0.9), (0.3, 0.3)]  # fmt: skip
    for text, said in (("0,0.5,0.5\nnow,0,0\n", ":2: 'now,0,0'"), ("t,x,y\n", "has no gaze"), ("0,1,2\n5,6\n", ":2: '5,6'")):
        table.write_text(text)
        with pytest.raises(ValueError, match=said):
            _video.GazeFile(table)


def test_gazes_move_in_a_video(tmp_path):
    source = make(tmp_path / "in.mp4", sound=False)
    (tmp_path / "gaze.csv").write_text("0,0,0\n0.5,1,1\n")
    assert run(source, "-o", tmp_path / "moved.mp4", "--gaze-file", tmp_path / "gaze.csv").returncode == 0
    seen, raw = frames(tmp_path / "moved.mp4"), frames(source)
    expected = [fovea.foveate(frame, (0, 0) if i < 13 else (1, 1)) for i, frame in enumerate(raw)]
    other = [fovea.foveate(frame, (1, 1) if i < 13 else (0, 0)) for i, frame in enumerate(raw)]
    far = [np.abs(seen.astype(float) - np.array(those)).mean() for those in (expected, other)]
    assert far[0] < far[1]
    assert run(source, "-o", tmp_path / "jumps.mkv", "--saccades", "3").returncode == 0
    assert len(frames(tmp_path / "jumps.mkv")) == len(raw)


def test_ctrl_c_leaves_no_half_file(tmp_path):
    source = make(tmp_path / "in.mp4", size="640x480", seconds=20)
    (tmp_path / "out.mp4").write_text("what was there")
    # A shell has its background jobs ignore Ctrl-C, and so all that they start.
    child = subprocess.Popen([*COMMAND, source, "-o", tmp_path / "out.mp4"], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # fmt: skip
    end = time.monotonic() + 60
    while not (tmp_path / ".out.part.mp4").exists() and time.monotonic() < end:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130 and said.strip().endswith("fovea: stopped")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.mp4", "out.mp4"]
    assert (tmp_path / "out.mp4").read_text() == "what was there"


def test_what_is_no_video_is_said(tmp_path):
    (tmp_path / "broken.mp4").write_bytes(b"no video" * 100)
    done = run(tmp_path / "broken.mp4")
    assert done.returncode == 1 and "broken.mp4: ffmpeg finds no video" in done.stderr and "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["broken.mp4"]


def test_without_ffmpeg_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_video.shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ImportError, match="pip install imageio-ffmpeg"):
        _video.ffmpeg()


def test_info_says_what_there_is():
    said = run("--info").stdout
    for line in ("package ", "library ", "cpu      yes", "GPUs ", "found    numpy ", "videos "):
        assert line in said
