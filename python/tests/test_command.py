# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""python -m fovea with videos."""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from places import PACKAGE

import fovea
from fovea import __main__, _gaze_source, _video

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
    assert far < 7 and far < 0.5 * np.abs(seen.astype(float) - raw).mean()  # the codec's loss
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.mp4", "out.mp4"]


def test_names_that_look_like_protocols_are_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "a:b.mp4")
    assert __main__.main(["a:b.mp4", "-o", "c:d.mp4"]) == 0
    assert len(frames(pathlib.Path("c:d.mp4"))) == len(frames(tmp_path / "a:b.mp4"))


@pytest.mark.parametrize(
    "text, sets",
    [
        ("t,x,y\n0.0,0.1,0.2\n0.5,0.8,0.9\n1,0.3,0.3\n", {}),
        ("# a tracker's\nx,y,t_ms,confidence\n0.1,0.2,100,1\n0.8,0.9,600,1\n0,0,700,0\n0.3,0.3,1100,0.9\n", {}),
        ("t,x,y\n0,6,9\n0.5,51,43\n1,19,14\n", {"gaze.space": "pixels", "gaze.screen_px": [64, 48]}),
    ],
)
def test_gazes_of_a_file_are_read_as_the_library_reads_them(tmp_path, text, sets):
    (tmp_path / "gaze.csv").write_text(text)
    arguments = argparse.Namespace(gaze_file=str(tmp_path / "gaze.csv"), config=None, sets=list(sets.items()))
    with _gaze_source.Source(__main__._gaze_pairs(arguments), (64, 48)) as gaze:
        found = [gaze(round(t * 1e9)) for t in (0, 0.49, 0.5, 0.7, 1, 9)]
    wanted = [(0.1, 0.2)] * 2 + [(0.8, 0.9)] * 2 + [(0.3, 0.3)] * 2
    assert np.abs(np.array(found) - wanted).max() < 0.02


@pytest.mark.parametrize("text, said", [("0,0.5,0.5\n", "gaze.csv:1:1"), ("t,x,y\n", "gaze.csv")])
def test_a_file_of_gazes_that_is_wrong_is_said(tmp_path, text, said):
    (tmp_path / "gaze.csv").write_text(text)
    done = run(make(tmp_path / "in.mp4", sound=False), "--gaze-file", tmp_path / "gaze.csv")
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("far, warning", [("-1.4,0.5", ""), ("-2.4,0.5", "gaze.csv:3: this cannot be uv"), ("320,240", "set gaze.space=pixels")])
def test_a_look_far_beside_the_screen_does_not_end_a_video(tmp_path, far, warning):
    """Trackers say so now and then; fovea.Gaze takes it for the farthest place that pictures are foveated around, too."""
    source, target = make(tmp_path / "in.mkv", sound=False), tmp_path / "out.mkv"
    (tmp_path / "gaze.csv").write_text(f"t,x,y\n0,0.5,0.5\n0.2,{far}\n0.6,0.3,2.7\n")
    done = run(source, "-o", target, "--gaze-file", tmp_path / "gaze.csv")
    assert done.returncode == 0 and warning in done.stderr and done.stderr.count("\n") == bool(warning)
    assert len(frames(target)) == len(frames(source))


def test_there_is_one_gaze(tmp_path):
    done = run("in.mp4", "--saccades", "7", "--gaze", "0.2,0.3")
    assert done.returncode == 2 and "--gaze: not allowed with argument --saccades" in done.stderr


def test_operators_that_look_at_no_gaze_are_at_work_where_there_is_none(tmp_path):
    source, target = make(tmp_path / "in.mkv", sound=False), tmp_path / "out.mkv"
    (tmp_path / "gaze.csv").write_text("t,x,y\n0,nan,nan\n0.5,0.5,0.5\n")
    settings = ("operators=foveate,blur", "blur.sigma_px=9", "gaze.validity.fallback=none")
    done = run(source, "-o", target, "--gaze-file", tmp_path / "gaze.csv", *(word for text in settings for word in ("--set", text)))
    assert done.returncode == 0, done.stderr
    assert frames(target)[0].std() < 0.8 * frames(source)[0].std()


@pytest.mark.parametrize(
    "codec, pixels, suffix, is_deep",
    [("libx264", "yuv420p10le", ".mp4", True), ("ffv1", "gbrp10le", ".mkv", True), ("libx264rgb", "rgb24", ".mp4", False),
     ("qtrle", "rgb24", ".mov", False), ("prores_ks", "yuva444p10le", ".mov", True)],
)  # fmt: skip
def test_videos_of_all_colours_and_depths_are_taken(tmp_path, codec, pixels, suffix, is_deep):
    if not _video._takes(codec, pixels):
        pytest.skip(f"ffmpeg has no {codec} of {pixels}")
    source, target = tmp_path / f"in{suffix}", tmp_path / f"out{suffix}"
    grey = "format=gray16le,geq=lum='32768+X*40'"  # so slow a slope has no two neighbours alike in 10 bits, and many in 8
    subprocess.run([FFMPEG, "-loglevel", "error", "-f", "lavfi", "-i", f"color=size=256x48:rate=5:duration=1,{grey},format={pixels}",
                    "-c:v", codec, "-pix_fmt", pixels, source], check=True)  # fmt: skip
    done = run(source, "-o", target, "--gaze", "0.25,0.5")
    assert done.returncode == 0, done.stderr
    video, after = _video.Video(source), _video.Video(target)
    keeps = is_deep and _video._takes("libx264", "yuv420p10le")
    assert video.is_deep == is_deep and after.is_deep == keeps and (after.width, after.height, after.rate) == (256, 48, "5/1")
    raw, seen = (np.frombuffer(subprocess.run(one.read_command(deep=True), check=True, capture_output=True).stdout, "<u2") for one in (video, after))
    assert raw.shape == seen.shape and np.abs(raw.astype(int) - seen).mean() < (150 if keeps else 400)


def test_gazes_move_in_a_video(tmp_path):
    source = make(tmp_path / "in.mp4", sound=False)
    (tmp_path / "gaze.csv").write_text("t,x,y\n0,0,0\n0.5,1,1\n")
    assert run(source, "-o", tmp_path / "moved.mp4", "--gaze-file", tmp_path / "gaze.csv").returncode == 0
    seen, raw = frames(tmp_path / "moved.mp4"), frames(source)
    expected = [fovea.foveate(frame, (0, 0) if i < 13 else (1, 1)) for i, frame in enumerate(raw)]
    other = [fovea.foveate(frame, (1, 1) if i < 13 else (0, 0)) for i, frame in enumerate(raw)]
    far = [np.abs(seen.astype(float) - np.array(those)).mean() for those in (expected, other)]
    assert far[0] < far[1]
    assert run(source, "-o", tmp_path / "jumps.mkv", "--saccades", "3").returncode == 0
    assert len(frames(tmp_path / "jumps.mkv")) == len(raw)


@pytest.mark.parametrize("trc, transfer", [("smpte2084", "pq"), ("arib-std-b67", "hlg")])
def test_videos_of_high_dynamic_range_are_foveated_as_their_light(tmp_path, monkeypatch, trc, transfer):
    """Bright beside dark: what is averaged as another light is far off. Tags stay."""
    if not _video._takes("libx264", "yuv420p10le"):
        pytest.skip("ffmpeg's libx264 has no ten bits")
    source, target = tmp_path / "in.mp4", tmp_path / "out.mp4"
    stripes = "format=gray16le,geq=lum='if(mod(floor(X/8),2),45000,9000)',scale=out_color_matrix=bt2020:out_range=tv,format=yuv420p10le"
    tags = ["-colorspace", "bt2020nc", "-color_primaries", "bt2020", "-color_trc", trc]
    subprocess.run([FFMPEG, "-loglevel", "error", "-f", "lavfi", "-i", f"color=size=256x64:rate=5:duration=1,{stripes}",
                    "-c:v", "libx264", "-crf", "5", *tags, source], check=True)  # fmt: skip
    done = run(source, "-o", target, "--gaze", "0,0.5", "--set", "foveation.strength=3")
    assert done.returncode == 0, done.stderr
    before, after = _video.Video(source), _video.Video(target)
    assert before.transfer == after.transfer == transfer and after.colours == ("bt2020nc", "bt2020", trc) and after.is_deep
    raw, seen = (np.frombuffer(subprocess.run(one.read_command(deep=True), check=True, capture_output=True).stdout, "<u2") for one in (before, after))
    raw, seen = (levels.reshape(-1, 64, 256, 3)[0] // 64 for levels in (raw, seen))
    wanted, other = (fovea.Foveator({"foveation.strength": 3}, transfer=light, bits=10)(raw, (0, 0.5)) for light in (transfer, "srgb"))
    far, farther = (np.abs(seen.astype(int) - one)[:, 128:].mean() for one in (wanted, other))
    assert far < 8 and farther > 3 * far, (far, farther)
    monkeypatch.setattr(_video, "_takes", lambda encoder, pixels: False)
    with pytest.raises(ValueError, match="high dynamic range takes ten bits"):
        before.stays_deep(target)


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


def test_a_disk_that_is_full_when_a_video_ends_is_said():
    """ffmpeg 5 ends with 0 then."""
    full = "echo 'Error writing trailer of a.mkv: No space left on device' >&2"
    with _video._program(["sh", "-c", full]) as writer, pytest.raises(OSError, match="ffmpeg: Error writing trailer of a.mkv: No space"):
        _video._end(writer)
    with _video._program(["sh", "-c", "echo 'Past duration too large' >&2"]) as writer:
        _video._end(writer)


def test_without_ffmpeg_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_video.shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ImportError, match="pip install imageio-ffmpeg"):
        _video.ffmpeg()


def test_info_says_what_there_is():
    said = run("--info").stdout
    for line in ("package ", "library ", "cpu      yes", "GPUs ", "found    numpy ", "videos "):
        assert line in said
