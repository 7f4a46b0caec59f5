# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""python -m fovea: foveates image files, and says what this machine offers."""

import argparse
import json
import pathlib
import sys

import numpy as np

import fovea

_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".ppm"}


def _point(text):
    try:
        x, y = (float(v) for v in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not x,y in uv, as in 0.5,0.5") from None
    return x, y


def _setting(text):
    path, equals, value = text.partition("=")
    if not equals or not path:
        raise argparse.ArgumentTypeError(f"{text!r} is not key.path=value")
    try:
        return path, json.loads(value)
    except json.JSONDecodeError:
        return path, value


def _parser():
    parser = argparse.ArgumentParser(prog="python -m fovea", description="Foveates images around a gaze.")
    parser.add_argument("input", nargs="*", type=pathlib.Path, help="image files, or folders of them")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="a file for one image, else a folder (foveated)")
    parser.add_argument("--gaze", type=_point, default=(0.5, 0.5), metavar="X,Y", help="in uv from the top left corner (0.5,0.5)")
    parser.add_argument("--config", metavar="FILE", help="a configuration file (docs/configuration.md)")
    parser.add_argument("--set", dest="sets", action="append", type=_setting, default=[], metavar="KEY.PATH=VALUE")
    parser.add_argument("--info", action="store_true", help="the library, and what this machine offers")
    parser.add_argument("--settings", action="store_true", help="all settings with their defaults")
    parser.add_argument("--version", action="version", version=f"fovea {fovea.__version__}")
    return parser


def _say_info():
    print(f"package  {fovea.__version__}")
    print(f"library  {fovea.version()}  {fovea.library_path()}")
    for backend in ("cpu", "cuda"):
        try:
            fovea.Foveator({"backend": backend}).open()
            print(f"{backend:8} yes")
        except fovea.FoveaError as error:
            print(f"{backend:8} no: {error}")


def _say_settings():
    for setting in fovea.settings():
        unit = f" {setting.unit}" if setting.unit else ""
        print(f"{setting.path} = {setting.default}{unit}\n    {setting.help}: {setting.expected}")


def _files(inputs):
    for place in inputs:
        if place.is_dir():
            yield from (path for path in sorted(place.iterdir()) if path.suffix.lower() in _SUFFIXES)
        else:
            yield place


def _foveate_file(foveator, source, target, gaze, image_module):
    with image_module.open(source) as image:
        kept = image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")
    if target.suffix.lower() in (".jpg", ".jpeg"):
        kept = kept.convert("RGB")
    image_module.fromarray(foveator(np.asarray(kept), gaze)).save(target)


def _progress(done, count):
    if sys.stderr.isatty() and count > 1:
        width = 40 * done // count
        print(f"\r[{'#' * width}{' ' * (40 - width)}] {done}/{count}", end="\n" if done == count else "", file=sys.stderr, flush=True)


def _foveate_files(arguments):
    try:
        from PIL import Image
    except ImportError:
        raise SystemExit("python -m fovea reads images with Pillow: pip install pillow") from None
    files = list(_files(arguments.input))
    if not files:
        raise SystemExit("there is no image in " + ", ".join(map(str, arguments.input)))
    one = len(files) == 1 and not arguments.input[0].is_dir()
    output = arguments.output or pathlib.Path(files[0].with_stem(files[0].stem + "-foveated") if one else "foveated")
    config = dict(arguments.sets)
    if arguments.config and config:
        raise SystemExit("--config and --set together: write the settings into the file")
    foveator = fovea.Foveator(arguments.config or config)
    names = [path.name for path in files]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SystemExit(f"several images are called {min(twice)}: foveate their folders one by one")
    if not one:
        output.mkdir(parents=True, exist_ok=True)
    for done, source in enumerate(files, 1):
        target = output if one and not output.is_dir() else output / source.name
        if target.exists() and target.resolve() == source.resolve():
            raise SystemExit(f"{target} is the input itself: give another --output")
        _foveate_file(foveator, source, target, arguments.gaze, Image)
        _progress(done, len(files))
    print(output)


def main(arguments=None):
    parser = _parser()
    arguments = parser.parse_args(arguments)
    try:
        if arguments.info:
            _say_info()
        elif arguments.settings:
            _say_settings()
        elif arguments.input:
            _foveate_files(arguments)
        else:
            parser.print_help()
            return 2
    except (fovea.FoveaError, fovea.LibraryError, OSError, ValueError) as error:
        print(f"fovea: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
