# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Videos by the ffmpeg program: its own, or that of the package imageio-ffmpeg. Sound comes along."""

import contextlib
import functools
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
_HDR = {"smpte2084": "pq", "arib-std-b67": "hlg"}  # ffmpeg's words, and Foveator's


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


@functools.lru_cache(maxsize=8)
def _takes(encoder: str, pixels: str) -> bool:
    """Whether this ffmpeg has the encoder, with that format of pixels."""
    done = subprocess.run([ffmpeg(), "-hide_banner", "-h", f"encoder={encoder}"], capture_output=True, check=False)
    return pixels.encode() in done.stdout.split()


def _encoder(target: pathlib.Path) -> str:
    return "libx264" if target.suffix.lower() in _H264 else "libvpx-vp9"


def _file(path: pathlib.Path) -> str:
    """A file's name for ffmpeg, which takes one that holds a colon for a protocol otherwise."""
    return f"file:{path}"


class Video:
    """What a file says of its video: width and height as shown, frames a second (exact, as text), frames if known, and
    whether colours have more than 8 bits; of high dynamic range, what its levels say of light: "pq" or "hlg", else "srgb"."""

    def __init__(self, path: pathlib.Path) -> None:
        # The format of pixels is said: yuv4mpegpipe has no header for RGB and refuses more than 8 bits.
        command = [ffmpeg(), "-hide_banner", "-nostdin", "-i", _file(path), "-map", "0:v:0", "-frames:v", "1", "-pix_fmt", "yuv420p",
                   "-f", "yuv4mpegpipe", "-"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, check=False)
        header = re.match(rb"YUV4MPEG2 W(\d+) H(\d+) F(\d+):(\d+) ", done.stdout)
        if not header:
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1]
            why = "all of it is sound" if b"matches no streams" in done.stderr else said
            raise ValueError(f"{path}: ffmpeg finds no video: {why}")
        says = re.search(rb"Stream #.*?: Video: (.*)", done.stderr)
        pixels = says[1] if says else b""
        # "(tv, bt2020nc/bt2020/smpte2084, ...)": a matrix, primaries and a transfer function.
        tags = re.search(rb"([\w-]+)/([\w-]+)/(smpte2084|arib-std-b67)", pixels)
        self.colours, self._matrix = ("bt709", "bt709", "bt709"), "auto"
        if tags:
            matrix, primaries, trc = (tag.decode() for tag in tags.groups())
            self.colours = ("bt2020nc", "bt2020" if primaries == "unknown" else primaries, trc)
            self._matrix = "bt2020" if matrix in ("unknown", "unspecified") else "auto"
        self.transfer = _HDR.get(self.colours[2], "srgb")
        self.is_deep = re.search(rb"[a-z0](?:9|10|12|14|16|48|64)(?:le|be)\b", pixels) is not None or self.transfer != "srgb"
        self.path = path
        self.width, self.height = int(header[1]), int(header[2])
        self.rate = f"{int(header[3])}/{int(header[4])}"
        self.fps = int(header[3]) / int(header[4])
        length = re.search(rb"Duration: (\d+):(\d+):([\d.]+)", done.stderr)
        seconds = int(length[1]) * 3600 + int(length[2]) * 60 + float(length[3]) if length else 0
        self.frames = max(1, round(seconds * self.fps))

    def _pixels(self) -> str:
        return "yuv420p" if self.width % 2 == 0 and self.height % 2 == 0 else "yuv444p"

    def stays_deep(self, target: pathlib.Path) -> bool:
        """Whether the colours have more than 8 bits, and the target's codec takes ten. ValueError: it does not, and they need them."""
        takes = self.is_deep and _takes(_encoder(target), self._pixels() + "10le")
        if self.transfer != "srgb" and not takes:
            raise ValueError(f"{self.path}: high dynamic range takes ten bits, which this ffmpeg's {_encoder(target)} does not write")
        return takes

    def read_command(self, deep: bool = False) -> list[str]:
        matrix = ["-vf", f"scale=in_color_matrix={self._matrix}"] if self.transfer != "srgb" else []
        return [ffmpeg(), "-loglevel", "error", "-nostdin", "-i", _file(self.path), "-map", "0:v:0", "-r", self.rate, *matrix,
                "-f", "rawvideo", "-pix_fmt", "rgb48le" if deep else "rgb24", "-"]  # fmt: skip

    def write_command(self, target: pathlib.Path, deep: bool = False) -> list[str]:
        """Sound is copied into a file of the same kind, and encoded anew into others."""
        matrix, primaries, trc = self.colours
        colours = f"scale=out_color_matrix={matrix.removesuffix('nc')}:out_range=tv,format={self._pixels()}{'10le' if deep else ''}"
        command = [ffmpeg(), "-loglevel", "error", "-nostdin", "-y", "-f", "rawvideo", "-pix_fmt", "rgb48le" if deep else "rgb24",
                   "-s", f"{self.width}x{self.height}", "-r", self.rate, "-i", "-", "-i", _file(self.path), "-map", "0:v:0", "-map", "1:a?", "-vf", colours,
                   "-colorspace", matrix, "-color_primaries", primaries, "-color_trc", trc]  # fmt: skip
        if target.suffix.lower() in _H264:
            command += ["-c:v", "libx264", "-crf", "18"]
        elif deep:
            command += ["-c:v", _encoder(target)]
        if target.suffix.lower() == self.path.suffix.lower():
            command += ["-c:a", "copy"]
        return [*command, _file(target)]


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
    # ffmpeg 5 ends with 0 where the disk was full at the end.
    is_cut = re.search("^Error (?:writing trailer|closing file)", said, re.MULTILINE) is not None
    if process.wait() or is_cut:
        raise OSError(f"ffmpeg: {said or process.returncode}")


@contextlib.contextmanager
def written_whole(target: pathlib.Path) -> Iterator[pathlib.Path]:
    """Gives a name to write to, which takes the target's place if no error comes. A link as target stays one."""
    place = pathlib.Path(os.path.realpath(target))
    part = place.with_name(f".{target.stem}.part{target.suffix}")
    try:
        yield part
        os.replace(part, place)
    finally:
        part.unlink(missing_ok=True)


def foveate_file(
    video: Video, target: pathlib.Path, see: Callable[[Any, float], Any], progress: Callable[[int, int], None], is_deep: bool = False
) -> None:
    """Writes see(frame, seconds) of each frame, uint8 or, where deep, uint16. What is not whole never bears the target's name."""
    dtype: Any = np.dtype("<u2" if is_deep else "u1")
    size = video.width * video.height * 3 * dtype.itemsize
    with written_whole(target) as part:
        with (
            _program(video.read_command(is_deep), stdout=subprocess.PIPE) as reader,
            _program(video.write_command(part, is_deep), stdin=subprocess.PIPE) as writer,
        ):  # fmt: skip
            number = 0
            while len(data := reader.stdout.read(size)) == size:
                frame = np.frombuffer(data, dtype).reshape(video.height, video.width, 3)
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
