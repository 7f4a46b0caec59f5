# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Videos by the ffmpeg program: its own, or that of the package imageio-ffmpeg. Sound comes along."""

import contextlib
import csv
import os
import pathlib
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

SUFFIXES = {".mp4", ".mkv", ".mov", ".webm", ".avi", ".m4v"}
_H264 = {".mp4", ".mkv", ".mov", ".m4v", ".avi"}


def ffmpeg() -> str:
    """The program's path. ImportError: there is none."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg
    except ImportError:
        raise ImportError("videos need the ffmpeg program: pip install imageio-ffmpeg") from None
    return imageio_ffmpeg.get_ffmpeg_exe()


class Video:
    """What a file says of its video: width and height as shown, frames a second (exact, as text), frames if known."""

    def __init__(self, path: pathlib.Path) -> None:
        command = [ffmpeg(), "-hide_banner", "-nostdin", "-i", str(path), "-map", "0:v:0", "-frames:v", "1", "-f", "yuv4mpegpipe", "-"]
        done = subprocess.run(command, capture_output=True, check=False)
        header = re.match(rb"YUV4MPEG2 W(\d+) H(\d+) F(\d+):(\d+) ", done.stdout)
        if not header:
            raise ValueError(f"{path}: ffmpeg finds no video: {done.stderr.decode(errors='replace').strip().splitlines()[-1]}")
        self.path = path
        self.width, self.height = int(header[1]), int(header[2])
        self.rate = f"{int(header[3])}/{int(header[4])}"
        self.fps = int(header[3]) / int(header[4])
        length = re.search(rb"Duration: (\d+):(\d+):([\d.]+)", done.stderr)
        seconds = int(length[1]) * 3600 + int(length[2]) * 60 + float(length[3]) if length else 0
        self.frames = max(1, round(seconds * self.fps))

    def read_command(self) -> list[str]:
        return [ffmpeg(), "-loglevel", "error", "-nostdin", "-i", str(self.path), "-map", "0:v:0", "-r", self.rate,
                "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]  # fmt: skip

    def write_command(self, target: pathlib.Path) -> list[str]:
        """Sound is copied into a file of the same kind, and encoded anew into others."""
        even = self.width % 2 == 0 and self.height % 2 == 0
        colours = "scale=out_color_matrix=bt709:out_range=tv,format=" + ("yuv420p" if even else "yuv444p")
        command = [ffmpeg(), "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{self.width}x{self.height}",
                   "-r", self.rate, "-i", "-", "-i", str(self.path), "-map", "0:v:0", "-map", "1:a?", "-vf", colours,
                   "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]  # fmt: skip
        if target.suffix.lower() in _H264:
            command += ["-c:v", "libx264", "-crf", "18"]
        if target.suffix.lower() == self.path.suffix.lower():
            command += ["-c:a", "copy"]
        return [*command, str(target)]


@contextlib.contextmanager
def _program(command: list[str], **pipes: Any) -> Iterator[Any]:
    """Away from the terminal's Ctrl-C, and ended with the block."""
    process: Any = subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, **pipes)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _end(process: Any) -> None:
    said = process.stderr.read().decode(errors="replace").strip()
    if process.wait():
        raise OSError(f"ffmpeg: {said or process.returncode}")


def foveate_file(
    video: Video, target: pathlib.Path, see: Callable[[Any, float], Any], progress: Callable[[int, int], None]
) -> None:
    """Writes see(frame, seconds) of each frame. What is not whole never bears the target's name."""
    part = target.with_name(f".{target.stem}.part{target.suffix}")
    size = video.width * video.height * 3
    try:
        with (
            _program(video.read_command(), stdout=subprocess.PIPE) as reader,
            _program(video.write_command(part), stdin=subprocess.PIPE) as writer,
        ):  # fmt: skip
            number = 0
            while len(data := reader.stdout.read(size)) == size:
                frame = np.frombuffer(data, np.uint8).reshape(video.height, video.width, 3)
                try:
                    writer.stdin.write(see(frame, number / video.fps).data)
                except BrokenPipeError:
                    break
                number += 1
                progress(number, max(number, video.frames))
            writer.stdin.close()
            writer.stdin = None
            _end(writer)
            _end(reader)
            progress(number, number)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


class GazeFile:
    """Gazes of a CSV file with rows of t, x, y: seconds and uv. A gaze holds until the next; a header is skipped, and
    so are rows that are not finite (blinks)."""

    def __init__(self, path: str) -> None:
        rows = []
        with open(path, newline="", encoding="utf-8") as file:
            for number, row in enumerate(csv.reader(file), 1):
                try:
                    seconds, x, y = (float(value) for value in row[:3])
                    rows.append((seconds, x, y))
                except ValueError:
                    if row and number > 1:
                        raise ValueError(f"{path}:{number}: {','.join(row)!r} is not t,x,y") from None
        found = np.array([row for row in rows if np.isfinite(row).all()], np.float64).reshape(-1, 3)
        if not len(found):
            raise ValueError(f"{path} has no gaze: rows of t,x,y are wanted")
        found = found[np.argsort(found[:, 0], kind="stable")]
        self._times, self._places = found[:, 0], found[:, 1:]

    def __call__(self, seconds: float) -> Any:
        return self._places[max(0, int(np.searchsorted(self._times, seconds + 1e-9, side="right")) - 1)]
