# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""python -m fovea: foveates images and videos, and says what this machine offers."""

import argparse
import contextlib
import ctypes
import importlib.metadata
import io
import json
import os
import pathlib
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Optional

import numpy as np

import fovea

from . import _gaze_source, _settings, _video

_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".ppm"}
_FRAMEWORKS = ("numpy", "torch", "cupy-cuda12x", "cupy-cuda13x", "jax", "gymnasium", "torchrl", "ray", "pillow", "imageio-ffmpeg")
_ERRORS = (fovea.FoveaError, ImportError, OSError, ValueError)  # what is said in a line
_OWN = "-foveated"  # how the stems of results end
_FIXATION_S = 0.3  # how long a gaze of --saccades stays on average


def _point(text: str) -> tuple[float, float]:
    try:
        x, y = (float(v) for v in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not x,y in uv, as in 0.5,0.5") from None
    if not (-1 <= x <= 2 and -1 <= y <= 2):
        raise argparse.ArgumentTypeError(f"({x:g}, {y:g}) looks like pixels; uv is 0 to 1")
    return x, y


def _path(text: str) -> pathlib.Path:
    if not text:  # pathlib takes it for the working directory
        raise argparse.ArgumentTypeError("the name of a file is empty")
    return pathlib.Path(text)


def _setting(text: str) -> tuple[str, Any]:
    path, equals, value = text.partition("=")
    if not equals or not path:
        raise argparse.ArgumentTypeError(f"{text!r} is not key.path=value")
    try:
        return path, json.loads(value)
    except (json.JSONDecodeError, RecursionError):
        return path, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fovea", description="Foveates images and videos around a gaze.")
    parser.add_argument("input", nargs="*", type=_path, help="images and videos, or folders of them")
    parser.add_argument("-o", "--output", type=_path, help="a file for one, else a folder (foveated)")
    gazes = parser.add_mutually_exclusive_group()
    gazes.add_argument("--gaze", type=_point, default=(0.5, 0.5), metavar="X,Y", help="in uv from the top left corner (0.5,0.5)")
    gaze_help = "for videos: a scanpath (docs/gaze.md), whose first row is of the first frame; --set gaze.space=pixels, with gaze.screen_px, and others say how it is read"
    gazes.add_argument("--gaze-file", metavar="CSV", help=gaze_help)
    gazes.add_argument("--saccades", nargs="?", type=int, const=0, metavar="SEED", help="the gaze jumps at random, each 0.3 s on average in a video, and to a place of its own in each picture")
    parser.add_argument("--config", metavar="FILE", help="a configuration file (docs/configuration.md)")
    set_help = "a setting, as in foveation.strength=2; may be given several times (--settings lists all)"
    parser.add_argument("--set", dest="sets", action="append", type=_setting, default=[], metavar="KEY.PATH=VALUE", help=set_help)
    parser.add_argument("--info", action="store_true", help="the library, and what this machine offers")
    parser.add_argument("--settings", action="store_true", help="all settings with their defaults")
    parser.add_argument("--version", action="version", version=f"fovea {fovea.__version__}")
    return parser


def _gpus() -> list[str]:
    """Their names, by CUDA's driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return []
    count, name, names = ctypes.c_int(), ctypes.create_string_buffer(256), []
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return []
    for ordinal in range(count.value):
        driver.cuDeviceGetName(name, len(name), ordinal)
        names.append(name.value.decode())
    return names


def _versions() -> Iterator[str]:
    for name in _FRAMEWORKS:
        try:
            yield f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            pass


def _say_info() -> None:
    print(f"package  {fovea.__version__}")
    print(f"library  {fovea.version()}  {fovea.library_path()}")
    for backend in ("cpu", "cuda"):
        try:
            fovea.Foveator({"backend": backend}).open()
            print(f"{backend:8} yes")
        except fovea.FoveaError as error:
            print(f"{backend:8} no: {error}")
    print(f"GPUs     {', '.join(_gpus()) or 'none'}")
    print(f"found    {', '.join(_versions())}")
    try:
        print(f"videos   {_video.ffmpeg()}")
    except ImportError as error:
        print(f"videos   no: {error}")


def _say_settings() -> None:
    for setting in fovea.settings():
        unit = f" {setting.unit}" if setting.unit else ""
        print(f"{setting.path} = {setting.default}{unit}\n    {setting.help}: {setting.expected}")


def _files(inputs: list[pathlib.Path], output: pathlib.Path) -> Iterator[pathlib.Path]:
    """Those that are named, and those in folders that are no results of this program."""
    for place in inputs:
        if not place.is_dir():
            yield place
            continue
        paths = [path for path in sorted(place.iterdir()) if not path.name.startswith(".")]
        folders = [path for path in paths if path.is_dir() and path.resolve() != output.resolve()]
        if folders:
            print(f"fovea: sub-folders of {place} are not looked into: {len(folders)}", file=sys.stderr)
        suffixes = _SUFFIXES | _video.SUFFIXES
        yield from (path for path in paths if path.suffix.lower() in suffixes and not path.stem.endswith(_OWN) and path.is_file())


def _pixels(image: Any) -> Any:
    """A picture as RGB or RGBA of 8 bits, the way up that it says it is."""
    from PIL import Image, ImageOps

    is_16_bits = image.mode.startswith("I;16") or (image.mode == "I" and image.format in ("PNG", "PPM"))
    image = ImageOps.exif_transpose(image)
    if is_16_bits:
        # Pillow would cut these values off at 255.
        image = Image.fromarray(np.round(np.asarray(image) / 257).astype(np.uint8))
    elif image.mode in ("I", "F"):
        raise ValueError(f"grey of 32 bits ({image.mode}) has no white to scale by: write it with 8 or 16 bits")
    return image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")


def _is_deep(image: Any) -> bool:
    """Whether a picture, opened and not yet loaded, has 16 bits a colour. Its mode says that of grey ones alone."""
    if image.format == "PPM":
        reader, *_, about = image.tile[0]
        return image.mode == "I" or (reader == "ppm" and about[-1] > 255)
    return image.format != "BMP" and ";16" in str(image.tile)  # a BMP's 16 bits are all of its colours


def _losses(image: Any, saver: dict[str, Any]) -> Iterator[str]:
    """What a picture, opened and not yet loaded, has that its result will not have."""
    count = getattr(image, "n_frames", 1)
    if count > 1 and image.format != "MPO":  # a camera's, whose others are previews
        yield f"only the first of its {count} pictures is foveated; make a video of them to have all"
    if _is_deep(image):
        yield "its 16 bits become 8; fovea.foveate takes uint16"
    if saver["format"] == "GIF":
        yield "a GIF file has 256 colours; end the name of --output with .png to keep them all"


def _saver_of(target: pathlib.Path) -> dict[str, Any]:
    """How Pillow writes that file: with little loss, since what is made here is shown to people."""
    from PIL import Image

    name = Image.registered_extensions().get(target.suffix.lower())
    if name is None:
        raise ValueError(f"the name {target.name!r} says no format of pictures: end it with .png")
    if name not in Image.SAVE:
        raise ValueError(f"Pillow reads {target.suffix} and does not write it: end the name with .png")
    more: dict[str, dict[str, Any]] = {"JPEG": {"quality": 95, "subsampling": 0}, "WEBP": {"lossless": True, "exact": True}}
    return {"format": name, **more.get(name, {})}


def _foveate_image(foveator: fovea.Foveator, source: pathlib.Path, target: pathlib.Path, gaze: Any) -> None:
    try:
        from PIL import Image
    except ImportError:
        raise SystemExit("python -m fovea reads images with Pillow: pip install pillow") from None
    saver = _saver_of(target)
    try:
        with Image.open(source) as image:
            for loss in _losses(image, saver):
                print(f"fovea: {source}: {loss}", file=sys.stderr)
            kept, profile = _pixels(image), image.info.get("icc_profile")
    except _ERRORS:
        raise
    except Exception as error:  # SyntaxError, OverflowError, DecompressionBombError: whatever Pillow's readers come upon
        raise ValueError(str(error)) from error
    if saver["format"] == "JPEG":
        kept = kept.convert("RGB")
    # The profile of other colours than these, such as CMYK, does not hold for what is written.
    said = {"icc_profile": profile} if profile and profile[16:20] == b"RGB " else {}
    try:
        with _video.written_whole(target) as part:
            whole = io.BytesIO()  # Pillow does not see that a full disk takes a part of what it writes
            Image.fromarray(foveator(np.asarray(kept), gaze)).save(whole, **said, **saver)
            part.write_bytes(whole.getbuffer())
    except OSError as error:
        raise (OSError(error.errno, error.strerror, str(target)) if error.errno else error) from None


class _Saccades:
    """Gazes that jump; of frames in their order."""

    def __init__(self, seed: int, fps: float) -> None:
        self._rng = np.random.default_rng(seed)
        self._policy = fovea.gaze.RandomSaccades(max(1.0, _FIXATION_S * fps))
        self._next = self._policy.reset(1, self._rng)[0]

    def __call__(self, _seconds: float) -> Any:
        gaze, self._next = self._next, self._policy.step(self._rng)[0]
        return gaze


class _Progress:
    """A bar on a terminal, drawn ten times a second at most."""

    def __init__(self, what: str) -> None:
        self._what, self._drawn = what, 0.0

    def __call__(self, done: int, count: int) -> None:
        if not sys.stderr.isatty() or count < 2 or (done < count and time.monotonic() < self._drawn + 0.1):
            return
        self._drawn = time.monotonic()
        width = 40 * done // count
        end = "\n" if done == count else ""
        print(f"\r[{'#' * width}{' ' * (40 - width)}] {done}/{count} {self._what}", end=end, file=sys.stderr, flush=True)


def _of_hdr(arguments: argparse.Namespace, transfer: str) -> Callable[[Any, Any], Any]:
    """Foveates levels of 16 bits."""
    foveator = fovea.Foveator(arguments.config or dict(arguments.sets), transfer=transfer)
    return lambda frame, gaze: foveator(frame.astype(np.uint16), gaze).astype("<u2")


def _foveate_video(
    arguments: argparse.Namespace, foveator: fovea.Foveator, source: pathlib.Path, target: pathlib.Path
) -> None:
    video = _video.Video(source)
    foveate: Callable[[Any, Any], Any] = foveator if video.transfer == "srgb" else _of_hdr(arguments, video.transfer)
    gaze_at: Callable[[float], Any]
    with contextlib.ExitStack() as open_files:
        if arguments.gaze_file:
            file = open_files.enter_context(_gaze_source.Source(_gaze_pairs(arguments), (video.width, video.height)))
            gaze_at = lambda seconds: file(round(seconds * 1e9))  # noqa: E731
        elif arguments.saccades is not None:
            gaze_at = _Saccades(arguments.saccades, video.fps)
        else:
            gaze_at = lambda _seconds: arguments.gaze  # noqa: E731

        def see(frame: Any, seconds: float) -> Any:
            return foveate(frame, gaze_at(seconds))

        _video.foveate_file(video, target, see, _Progress(f"frames of {source.name}"), video.stays_deep(target))


def _gaze_pairs(arguments: argparse.Namespace) -> _settings.Pairs:
    """The settings of --gaze-file: the user's, where a gaze that is lost, or ends before the video, stays where it was."""
    own = {"gaze.scanpath.loop": False, "gaze.validity.fallback": "last"}
    source = {"gaze.source": "scanpath", "gaze.scanpath.file": os.path.abspath(arguments.gaze_file)}
    return _settings.as_pairs(arguments.config) + _settings.as_pairs({**own, **dict(arguments.sets), **source})


def _targets(arguments: argparse.Namespace) -> list[tuple[pathlib.Path, pathlib.Path]]:
    """Pairs of what is read and what is written."""
    inputs, output = arguments.input, arguments.output
    files = list(_files(inputs, output or pathlib.Path("foveated")))
    if not files:
        raise SystemExit("there is no image or video in " + ", ".join(map(str, inputs)))
    one = len(files) == 1 and not inputs[0].is_dir()
    output = output or (files[0].with_stem(files[0].stem + _OWN) if one else pathlib.Path("foveated"))
    names = [path.name for path in files]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SystemExit(f"several files are called {min(twice)}: foveate their folders one by one")
    if not one and not output.is_dir() and (output.exists() or output.suffix.lower() in _SUFFIXES | _video.SUFFIXES):
        raise SystemExit(f"{output} is a file's name; what is made of {', '.join(map(str, inputs))} goes into a folder")
    pairs = [(source, output if one and not output.is_dir() else output / source.name) for source in files]
    for source, target in pairs:
        if target.exists() and target.resolve() == source.resolve():
            raise SystemExit(f"{target} is the input itself: give another --output")
        if source.suffix.lower() in _video.SUFFIXES and target.suffix.lower() in _SUFFIXES:
            raise SystemExit(f"{target} is a picture's name, and {source.name} a video: give --output the name of a video")
    folder = pairs[0][1].parent
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SystemExit(f"nothing can be written into the folder {folder}")
    return pairs


def _foveate_files(arguments: argparse.Namespace) -> bool:
    """Whether all went well: a file that is wrong does not keep the others from being foveated."""
    config = dict(arguments.sets)
    if arguments.config and config:
        raise SystemExit("--config and --set together: write the settings into the file")
    foveator = fovea.Foveator(arguments.config or config)
    if "dof" in foveator.get("operators"):
        raise SystemExit("the operator dof needs depths, which come with no file here: fovea.foveate(images, depth=fovea.Depth(...))")
    pairs = _targets(arguments)
    pictures = [source for source, _ in pairs if source.suffix.lower() not in _video.SUFFIXES]
    if arguments.gaze_file and pictures:
        raise SystemExit(f"--gaze-file is for videos; {pictures[0]} is none")
    jumps = None if arguments.saccades is None else _Saccades(arguments.saccades, 0)
    progress, wrong = _Progress("files"), 0
    for done, (source, target) in enumerate(pairs, 1):
        try:
            if source in pictures:
                _foveate_image(foveator, source, target, jumps(0) if jumps else arguments.gaze)
            else:
                _foveate_video(arguments, foveator, source, target)
        except _ERRORS as error:
            wrong += 1
            print(f"fovea: {error}" if source.name in str(error) else f"fovea: {source}: {error}", file=sys.stderr)
        progress(done, len(pairs))
    if wrong < len(pairs):
        print(pairs[0][1] if len(pairs) == 1 else pairs[0][1].parent)
    return not wrong


def _with_signs(words: list[str]) -> list[str]:
    """argparse takes the minus of a gaze beside the picture for a flag's."""
    found: list[str] = []
    for word in words:
        if found and found[-1] == "--gaze" and "," in word:
            found[-1] += f"={word}"
        else:
            found.append(word)
    return found


def main(words: Optional[list[str]] = None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may have letters that a terminal has not
    with warnings.catch_warnings():
        warnings.showwarning = _say_warning
        return _run(_with_signs(sys.argv[1:] if words is None else words))


def _run(words: list[str]) -> int:
    parser = _parser()
    arguments = parser.parse_args(words)
    try:
        if arguments.info:
            _say_info()
        elif arguments.settings:
            _say_settings()
        elif arguments.input:
            if not _foveate_files(arguments):
                return 1
        else:
            parser.print_help()
            return 2
        if sys.stdout:  # None where the descriptor is closed
            sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has read enough: head, less
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except _ERRORS as error:
        print(f"fovea: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("fovea: stopped", file=sys.stderr)
        return 130
    return 0


def _say_warning(message: Any, *_: Any, **__: Any) -> None:
    print(f"fovea: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
