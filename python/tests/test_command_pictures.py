# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""python -m fovea with pictures and folders of them."""

import os
import resource
import subprocess
import sys

import numpy as np
import pytest
from places import PACKAGE

import fovea
from fovea.__main__ import _Saccades, main

Image = pytest.importorskip("PIL.Image")
ImageCms = pytest.importorskip("PIL.ImageCms")
RNG = np.random.default_rng(4)
MODEL = {"foveation.strength": 2}


def save(path, *shape, **options):
    path.parent.mkdir(exist_ok=True)
    pixels = RNG.integers(0, 256, shape or (24, 32, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path, **options)
    return pixels


def run(*arguments):
    """The exit status; a text that ends the program is 1."""
    try:
        return main([*map(str, arguments)])
    except SystemExit as ended:
        print(ended.code)
        return ended.code if isinstance(ended.code, int) else 1


def test_a_picture_that_says_it_lies_on_its_side_is_turned(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    pixels = save(tmp_path / "a.png", exif=exif)
    assert run(tmp_path / "a.png", "-o", tmp_path / "b.png", "--gaze", "0.1,0.2", "--set", "foveation.strength=2") == 0
    seen = Image.open(tmp_path / "b.png")
    assert np.array_equal(np.asarray(seen), fovea.foveate(np.rot90(pixels, -1).copy(), (0.1, 0.2), config=MODEL))
    assert seen.getexif().get(0x0112, 1) == 1


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif", ".webp"])
def test_colours_keep_their_profile(tmp_path, suffix):
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    save(tmp_path / "a.png", icc_profile=profile)
    assert run(tmp_path / "a.png", "-o", tmp_path / f"b{suffix}") == 0
    assert Image.open(tmp_path / f"b{suffix}").info["icc_profile"] == profile
    other = profile[:16] + b"CMYK" + profile[20:]
    Image.new("CMYK", (16, 16)).save(tmp_path / "c.jpg", icc_profile=other)
    assert run(tmp_path / "c.jpg", "-o", tmp_path / f"d{suffix}") == 0
    assert "icc_profile" not in Image.open(tmp_path / f"d{suffix}").info


def test_grey_of_16_bits_is_scaled(tmp_path, capsys):
    values = RNG.integers(0, 65536, (24, 32), dtype=np.uint16)
    for name in ("a.png", "a.tif"):
        Image.fromarray(values).save(tmp_path / name)
        assert run(tmp_path / name, "-o", tmp_path / "b.png", "--set", "foveation.strength=2") == 0
        grey = np.repeat(np.round(values / 257).astype(np.uint8)[..., None], 3, -1)
        assert np.array_equal(np.asarray(Image.open(tmp_path / "b.png")), fovea.foveate(grey, config=MODEL))
    for dtype in (np.float32, np.int32):
        Image.fromarray(np.zeros((8, 8), dtype)).save(tmp_path / "f.tif")
        assert run(tmp_path / "f.tif", "-o", tmp_path / "g.png") == 1
        assert "f.tif: grey of 32 bits" in capsys.readouterr().err and not (tmp_path / "g.png").exists()


@pytest.mark.parametrize("mode", ["L", "LA", "P", "CMYK", "1", "RGBA"])
def test_other_kinds_are_written_as_rgb(tmp_path, mode):
    name = "a.tif" if mode == "CMYK" else "a.png"
    Image.effect_noise((32, 24), 90).convert("RGB").convert(mode).save(tmp_path / name)
    kept = Image.open(tmp_path / name).convert("RGBA" if mode in ("LA", "RGBA") else "RGB")
    assert run(tmp_path / name, "-o", tmp_path / "b.png") == 0
    assert np.array_equal(np.asarray(Image.open(tmp_path / "b.png")), fovea.foveate(np.asarray(kept)))


@pytest.mark.parametrize("suffix, most", [(".png", 0), (".webp", 0), (".jpg", 32)])
def test_results_lose_little_to_their_format(tmp_path, suffix, most):
    """Noise of all colours: Pillow's own JPEG, of quality 75 and a quarter of the colours, loses 223 levels."""
    pixels = save(tmp_path / "a.png").astype(int)
    assert run(tmp_path / "a.png", "-o", tmp_path / f"b{suffix}", "--set", "foveation.strength=0") == 0
    assert abs(np.asarray(Image.open(tmp_path / f"b{suffix}").convert("RGB")) - pixels).max() <= most


def test_webp_keeps_the_colours_of_clear_pixels_and_jpeg_of_any_name_leaves_alpha_away(tmp_path):
    pixels = RNG.integers(0, 256, (24, 32, 4), dtype=np.uint8)
    pixels[:12, :, 3] = 0
    Image.fromarray(pixels).save(tmp_path / "a.png")
    for suffix in (".webp", ".jpe", ".jfif"):
        assert run(tmp_path / "a.png", "-o", tmp_path / f"b{suffix}", "--set", "foveation.strength=0") == 0
    assert np.array_equal(np.asarray(Image.open(tmp_path / "b.webp")), pixels)


def test_what_a_result_lacks_is_said(tmp_path, capsys):
    frames = [Image.fromarray(RNG.integers(0, 256, (24, 32), dtype=np.uint8)) for _ in range(3)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    Image.fromarray(RNG.integers(0, 65536, (24, 32), dtype=np.uint16)).save(tmp_path / "b.png")
    frames[0].save(tmp_path / "c.png")
    (tmp_path / "d.ppm").write_bytes(b"P6 32 24 65535\n" + RNG.bytes(24 * 32 * 6))
    frames[0].save(tmp_path / "e.ppm")
    few, deep = "only the first of its 3 pictures", "its 16 bits become 8"
    for name, said in [("a.gif", f"a.gif: {few}"), ("b.png", f"b.png: {deep}"), ("c.png", ""), ("d.ppm", f"d.ppm: {deep}"), ("e.ppm", "")]:
        assert run(tmp_path / name, "-o", tmp_path / "seen" / "x.png") == 0
        assert said in (err := capsys.readouterr().err) and bool(said) == bool(err)
    assert run(tmp_path / "c.png", "-o", tmp_path / "seen" / "x.gif") == 0
    assert "c.png: a GIF file has 256 colours" in capsys.readouterr().err


def test_several_files_go_into_a_folder(tmp_path, capsys):
    save(tmp_path / "a.png")
    save(tmp_path / "b.jpg")
    assert run(tmp_path / "a.png", tmp_path / "b.jpg", "-o", tmp_path / "one.png") == 1
    assert "one.png is a file's name" in capsys.readouterr().out and not (tmp_path / "one.png").exists()
    (tmp_path / "there").write_text("a file")
    assert run(tmp_path / "a.png", tmp_path / "b.jpg", "-o", tmp_path / "there") == 1
    assert run(tmp_path / "a.png", tmp_path / "b.jpg", "-o", tmp_path / "out") == 0
    assert capsys.readouterr().out.strip().endswith(str(tmp_path / "out"))


@pytest.mark.parametrize(
    "name, more, said",
    [
        ("a.png", ["--set", "operators=foveate,dof"], "dof needs depths"),
        ("a.mp4", ["-o", "seen.png"], "seen.png is a picture's name"),
        ("a.png", ["-o", "seen"], "the name 'seen' says no format of pictures"),
        ("a.png", ["-o", "seen.psd"], "Pillow reads .psd and does not write it"),
        ("a.png", ["-o", "/proc/seen.png"], "No such file or directory: '/proc/seen.png'"),
    ],
)
def test_what_files_cannot_be_is_said(tmp_path, capsys, name, more, said):
    save(tmp_path / name, format="PNG")
    assert run(tmp_path / name, *more) == 1 and said in "".join(capsys.readouterr())


def test_what_is_written_is_printed_and_its_folder_made(tmp_path, capsys):
    save(tmp_path / "a.png")
    assert run(tmp_path / "a.png", "-o", tmp_path / "new" / "sub" / "x.png") == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "new" / "sub" / "x.png")
    assert run(tmp_path / "a.png", "-o", tmp_path / "new") == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "new" / "a.png")


def test_a_folder_s_own_results_are_not_foveated_again(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "a.png")
    save(tmp_path / "inside" / "b.png")
    for name in ("a.png", ".", "."):
        assert run(name) == 0
    said = capsys.readouterr()
    assert said.err.count("sub-folders of . are not looked into: 1\n") == 2
    assert [path.name for path in (tmp_path / "foveated").iterdir()] == ["a.png"]


def test_a_file_that_is_wrong_does_not_stop_the_others(tmp_path, capsys):
    save(tmp_path / "in" / "a.png")
    (tmp_path / "in" / "b.png").write_bytes(b"no picture")
    save(tmp_path / "in" / "c.png")
    (tmp_path / "in" / "d.ppm").write_bytes(b"P6 40000 40000 255\n")  # Pillow raises an Exception of its own
    assert run(tmp_path / "in", tmp_path / "gone.png", "-o", tmp_path / "out") == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.png", "c.png"]
    said = capsys.readouterr()
    assert "b.png" in said.err and "d.ppm: Image size" in said.err and "gone.png" in said.err and said.out.strip() == str(tmp_path / "out")


def test_a_gaze_in_pixels_is_refused(tmp_path, capsys):
    assert run("a.png", "--gaze", "200,240") == 2
    assert "(200, 240) looks like pixels; uv is 0 to 1" in capsys.readouterr().err
    save(tmp_path / "a.png")
    assert run(tmp_path / "a.png", "--gaze=-0.5,1.5") == 0


def test_each_picture_has_a_place_of_its_own_by_saccades(tmp_path):
    images = [save(tmp_path / name) for name in ("a.png", "b.png")]
    assert run(tmp_path / "a.png", tmp_path / "b.png", "-o", tmp_path / "seen", "--saccades", "3") == 0
    jumps, seen = _Saccades(3, 0), [np.asarray(Image.open(tmp_path / "seen" / name)) for name in ("a.png", "b.png")]
    for image, found in zip(images, seen):
        assert np.array_equal(found, fovea.foveate(image, jumps(0))) and not np.array_equal(found, fovea.foveate(image))


def test_help_says_what_set_is_for(capsys):
    assert run("--help") == 0
    assert "foveation.strength=2" in capsys.readouterr().out


def program(*arguments, **environment):
    """The program in a process of its own."""
    command = [sys.executable, "-m", "fovea", *map(str, arguments)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(PACKAGE), **environment}, stdout=-1, stderr=-1, text=True)


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_gaze_may_lie_to_the_left_of_the_picture(tmp_path, sign):
    pixels = save(tmp_path / "a.png")
    assert run(tmp_path / "a.png", "--gaze", f"{sign}0.25,0.5", "-o", tmp_path / "b.png") == 0
    assert np.array_equal(np.asarray(Image.open(tmp_path / "b.png")), fovea.foveate(pixels, (float(f"{sign}0.25"), 0.5)))


@pytest.mark.parametrize("arguments", [("", "-o", "seen"), ("a.png", "-o", "")])
def test_an_empty_name_is_no_folder(tmp_path, monkeypatch, capfd, arguments):
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "a.png")
    assert run(*arguments) == 2
    assert "empty" in capfd.readouterr().err and [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_whoever_reads_may_stop():
    with program("--settings") as process:
        process.stdout.close()
        assert (process.wait(60), process.stderr.read()) == (141, "")


def test_standard_output_may_be_closed(tmp_path):
    save(tmp_path / "a.png")
    command = [sys.executable, "-m", "fovea", str(tmp_path / "a.png")]
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], env={**os.environ, "PYTHONPATH": str(PACKAGE)}, stderr=-1, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "a-foveated.png").exists()


def test_a_name_that_the_terminal_has_no_letters_for_is_printed(tmp_path):
    save(tmp_path / "\N{GREEK SMALL LETTER PI}.png")
    with program(tmp_path / "\N{GREEK SMALL LETTER PI}.png", PYTHONIOENCODING="ascii") as process:
        said, wrong = process.communicate(timeout=60)
    assert (process.returncode, wrong) == (0, "") and said.endswith("\\u03c0-foveated.png\n")


def test_a_link_as_output_stays_one(tmp_path):
    save(tmp_path / "a.png")
    (tmp_path / "link.png").symlink_to("kept.png")
    assert run(tmp_path / "a.png", "-o", tmp_path / "link.png") == 0
    assert (tmp_path / "link.png").is_symlink() and Image.open(tmp_path / "kept.png").size == Image.open(tmp_path / "a.png").size


@pytest.mark.parametrize("suffix", [".bmp", ".png", ".tif"])
def test_a_full_disk_leaves_no_half_file(tmp_path, capsys, suffix):
    save(tmp_path / "a.png", 48, 64, 3)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))  # takes a part, as a disk does that is nearly full
    try:
        assert run(tmp_path / "a.png", "-o", tmp_path / f"b{suffix}") == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    said = capsys.readouterr()
    assert f"b{suffix}" in said.err and not said.out and [path.name for path in tmp_path.iterdir()] == ["a.png"]
