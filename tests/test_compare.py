# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""fovea_quality: pictures to compare by eye, its report, and what it says about wrong arguments."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy
import pytest
from conftest import run_program
from PIL import Image, ImageOps

pytestmark = pytest.mark.turns(2)

LOOKS = ["blockwise-paper", "smooth-paper-encoded", "smooth-paper-linear", "smooth-physical", "smooth-curve",
         "smooth-map-human", "smooth-map-streak", "blockwise-physical"]


@pytest.fixture(scope="session")
def quality(build_dir):
    path = build_dir / "tests" / "fovea_quality"
    assert path.exists(), f"{path} was not built"
    return path


@pytest.fixture
def noise(tmp_path):
    pixels = numpy.random.default_rng(3).integers(0, 256, (48, 64, 3), dtype=numpy.uint8)
    Image.fromarray(pixels).save(tmp_path / "noise.png")
    return tmp_path / "noise.png"


def pixels_of(path):
    return numpy.asarray(Image.open(path).convert("RGB")).astype(int)


def test_ctrl_c_ends_a_light_field_at_once(quality, tmp_path):
    # what a shell starts in the background ignores SIGINT, and so would this
    command = ["env", "--default-signal=INT", quality, "lightfield", "--output", tmp_path / "out"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + 120
            while not (tmp_path / "out" / "refocus-01.png").exists() and process.poll() is None:
                assert time.monotonic() < until
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            assert process.wait(5) == -signal.SIGINT
        finally:
            process.kill()
    assert not (tmp_path / "out" / "gaze-000.png").exists()


def test_a_bundle_has_letters_where_the_machine_has_none(quality, noise, tmp_path):
    """As ./run gpu-bundle lays it out: bin/ beside fonts/."""
    fonts = Path("/usr/share/fonts/truetype/dejavu")
    program = quality.read_bytes()
    assert str(fonts).encode() in program
    (tmp_path / "bin").mkdir()
    bundled = tmp_path / "bin" / "fovea_quality"
    bundled.write_bytes(program.replace(str(fonts).encode(), str(fonts).replace("fonts", "no-no").encode()))
    bundled.chmod(0o755)
    command = [bundled, "compare", noise, "--set", "foveation.model=paper", "--output", tmp_path / "out"]
    done = run_program(*command, check=False)
    assert done.returncode != 0
    assert "/usr/share/no-no/truetype/dejavu/DejaVuSans" in done.stderr
    shutil.copytree(fonts, tmp_path / "fonts")
    run_program(*command)
    assert (tmp_path / "out" / "compare.png").exists()


def test_every_picture_is_written_and_the_error_is_the_difference(quality, noise, tmp_path):
    out = tmp_path / "new" / "folder"
    run_program(quality, "compare", noise, "--gaze", "0.1,0.9", "--output", out)
    assert (pixels_of(out / "original.png") == pixels_of(noise)).all()
    for look in LOOKS:
        error = abs(pixels_of(out / f"{look}.png") - pixels_of(out / f"{look}-exact.png"))
        assert error.max() <= 3, look
        assert (pixels_of(out / f"{look}-error.png") == numpy.minimum(255, 32 * error)).all(), look
    assert Image.open(out / "compare.png").width > 3 * 64


def test_settings_reach_the_pictures(quality, noise, tmp_path):
    run_program(quality, "compare", noise, "--set", "foveation.strength=0", "--output", tmp_path)
    for look in LOOKS:
        assert (pixels_of(tmp_path / f"{look}.png") == pixels_of(noise)).all(), look


def test_engines_of_blur_are_beside_their_difference_from_the_gaussian(quality, noise, tmp_path):
    done = run_program(quality, "engines", noise, "--set", "blur.sigma_px=2", "--output", tmp_path)
    sheet = pixels_of(tmp_path / "engines.png")
    width, height, gap, title, column = 64, 48, 8, 30, 240

    def panel(number):
        left = gap + number % 4 * (gap + column)
        top = title + number // 4 * (title + height)
        return sheet[top : top + height, left : left + width]

    for i, engine in enumerate(["gaussian", "quasi", "box", "diffusion", "spread", "fft"]):
        difference = abs(panel(2 * i) - panel(0))
        assert (panel(2 * i + 1) == numpy.minimum(255, 8 * difference)).all(), engine
        assert difference.max() < 40, engine
        assert (difference.max() > 0) == (i > 0), engine
        assert f"{engine}: {difference.max()} levels" in done.stderr


def test_engines_that_do_not_go_so_far_are_named_and_the_others_are_shown(quality, noise, tmp_path):
    done = run_program(quality, "engines", noise, "--set", "blur.sigma_px=140", "--output", tmp_path)
    assert (tmp_path / "engines.png").exists()
    for engine, most in (("diffusion", 32), ("fft", 128)):
        assert f"{engine} makes no picture: blur: blur.sigma_px is 140, and blur.engine {engine} goes up to {most}" in done.stderr
    for engine in ("gaussian", "quasi", "box", "spread"):
        assert re.search(rf": {engine}: .* levels from gaussian", done.stderr), engine
    assert "error" not in done.stderr


@pytest.mark.parametrize(
    "sets, title",
    [
        (["foveation.model=paper"], "smooth, paper, linear"),
        (["foveation.method=blockwise", "foveation.model=curve"], "blockwise, curve, encoded"),
        (["foveation.map.kind=streak"], "smooth, map streak, linear"),
        (["foveation.light=encoded"], "smooth, paper, encoded"),
    ],
)
def test_what_settings_choose_is_shown_alone(quality, noise, tmp_path, sets, title):
    words = [word for text in sets for word in ("--set", text)]
    done = run_program(quality, "compare", noise, *words, "--output", tmp_path)
    assert f"the settings choose {title}" in done.stderr
    assert re.findall(r"fovea_quality: (.*): .* levels at most", done.stderr) == [title]
    assert not [p for p in tmp_path.iterdir() if "smooth" in p.name]
    error = abs(pixels_of(tmp_path / "chosen.png") - pixels_of(tmp_path / "chosen-exact.png"))
    assert error.max() <= 3


def test_blobs_are_listed_and_drawn_where_they_are(quality, tmp_path):
    y, x = numpy.mgrid[:120, :160]
    pixels = numpy.full((120, 160, 3), (90, 100, 110), numpy.uint8)
    pixels[(x - 50) ** 2 + (y - 70) ** 2 < 14**2] = (200, 60, 40)
    (tmp_path / "in").mkdir()
    Image.fromarray(pixels).save(tmp_path / "in" / "disc.png")
    (tmp_path / "in" / "broken.jpg").write_text("no picture")
    (tmp_path / "in" / "disc-blobs.png").write_text("what an earlier run has written")
    (tmp_path / "own").mkdir()
    for name in ("disc.png", "disc-map.png"):
        Image.fromarray(pixels).save(tmp_path / "own" / name)
    done = run_program(quality, "blobs", tmp_path / "own", "--map", "--output", tmp_path / "own", check=False)
    assert done.returncode == 1 and "would be written over this picture" in done.stderr
    assert len(list((tmp_path / "own").iterdir())) == 2
    done = run_program(quality, "blobs", tmp_path / "in", "--map", "--max", "3", "--output", tmp_path / "out", check=False)
    assert done.returncode == 1, "one of two is none"
    assert "broken.jpg" in done.stderr and "disc-blobs.png is left out" in done.stderr
    head, first, *others = (tmp_path / "out" / "disc-blobs.csv").read_text().splitlines()
    assert head == "x_px,y_px,sigma_px,strength"
    assert len(others) <= 2
    assert [float(v) for v in first.split(",")[:3]] == pytest.approx([50, 70, 14 / 2**0.5], abs=0.5)
    drawn = abs(pixels_of(tmp_path / "out" / "disc-blobs.png") - pixels.astype(int)).max(axis=2)
    assert drawn[70, 36] > 50
    assert drawn[70, 50] == 0
    brightest = pixels_of(tmp_path / "out" / "disc-map.png")[..., 0].argmax()
    assert abs(brightest // 160 - 70) <= 1
    assert abs(brightest % 160 - 50) <= 1


@pytest.mark.parametrize("order", [">", "<"])
def test_pictures_lie_as_their_orientation_tag_says(quality, noise, tmp_path, order):
    for number in range(1, 9):
        exif = Image.Exif()
        exif.endian = order
        exif[0x010E], exif[0x0112] = "a camera", number
        Image.open(noise).save(tmp_path / "held.png", exif=exif)
        Image.open(noise).save(tmp_path / "held.jpg", exif=exif, quality=100, subsampling=0)
        for held, most in (("held.png", 0), ("held.jpg", 8)):
            run_program(quality, "foveate", tmp_path / held, "--set", "foveation.strength=0", "--output", tmp_path / "seen.png")
            shown = ImageOps.exif_transpose(Image.open(tmp_path / held))
            assert abs(pixels_of(tmp_path / "seen.png") - numpy.asarray(shown).astype(int)).max() <= most, (held, number)


@pytest.mark.parametrize("words", ["compare NOISE", "engines NOISE", "blobs NOISE", "lightfield", "lightfield calibrate NOISE"])
def test_a_file_in_place_of_the_folder_is_said_before_anything_is_made(quality, noise, words):
    command = [noise if word == "NOISE" else word for word in words.split()]
    done = run_program(quality, *command, "--output", noise, check=False)
    assert done.returncode == 1 and f"{noise} is not a folder" in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("command, name", [("compare", "original.png"), ("engines", "engines.png"), ("foveate", "mine.png")])
def test_no_result_is_written_over_the_picture(quality, noise, tmp_path, command, name):
    picture, before = tmp_path / name, noise.read_bytes()
    picture.write_bytes(before)
    done = run_program(quality, command, picture, "--output", picture if command == "foveate" else tmp_path, check=False)
    assert done.returncode == 1 and f"{picture} is the picture itself" in done.stderr and picture.read_bytes() == before


def test_help_names_every_command(quality):
    for arguments in (["--help"], ["maps", "--help"]):
        done = run_program(quality, *arguments)
        commands = ("compare", "models", "maps", "draw", "foveate", "blobs", "lightfield")
        assert all(f"fovea_quality {name}" in done.stdout for name in commands)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["compare"], "needs one picture"),
        (["compare", "--set", "operators=lens", "x.png"], "compare has foveate alone"),
        (["engines", "--set", "operators=lens", "x.png"], "compare --blur has blur alone"),
        (["foveate", "--set", "operators=dof", "x.png"], "foveate has foveate alone"),
        (["compare", __file__], "no PNG or JPEG file"),
        (["compare", "/no/such/file.png"], "/no/such/file.png"),
        (["compare", "--gaze", "left", "x.png"], "--gaze is x,y"),
        (["foveate", "--gaze", "80,60", "x.png"], "not '80,60'"),
        (["foveate", "--gaze", "nan,0.5", "x.png"], "not 'nan,0.5'"),
        (["foveate"], "foveate needs one picture"),
        (["models", "x.png"], "models needs"),
        (["blobs"], "blobs needs"),
        (["lightfield", "x.png"], "--geometry FILE"),
        (["lightfield", "--white", "x.png"], "--white is of a raw picture"),
        (["lightfield", "calibrate"], "needs one white picture"),
        (["lightfield", "calibrate", "--rows", "round", "x.png"], "--rows is any, rectangular or hexagonal"),
        (["lightfield", "calibrate", "--pitch", "3", "x.png"], "--pitch is the distance of lenses"),
        (["lightfield", "calibrate", "/no/such/file.png"], "/no/such/file.png"),
        (["lightfield", "calibrate", "/"], "/: Is a directory"),
        (["lightfield", "--near", "3"], "--far is a smaller"),
        (["lightfield", "--photo", "x.png"], "--photo-depth FILE go together"),
        (["lightfield", "--window", "--views"], "--window shows what is blended"),
        (["lightfield", "--set", "gaze.source"], "--set is key.path=value"),
        (["lightfield", "--set", "foveation.strenght=1"], 'did you mean "strength"'),
        (["blobs", "/"], "no PNG or JPEG file"),
        (["blobs", "a/x.png", "b/x.jpg"], "a/x.png and b/x.jpg: the results of both"),
        (["blobs", "--max", "many", "x.png"], "--max is a number"),
        (["blobs", "--max", "2.5", "x.png"], "--max is a whole number"),
        (["--backend", "abacus"], "abacus"),
        (["--size", "640"], "--size is WxH"),
        (["--size", "31x64"], "--size is WxH"),
        (["--size", "640x360px"], "--size is WxH"),
        (["--only", "["], "--only ["),
        (["--quick", "--only", "no such case"], "no such case"),
        (["--only", "paper", "--report", "x.md"], "--only and --pictures have no report"),
        (["--pictures", "noise", "--report", "x.md"], "--only and --pictures have no report"),
        (["draw", "Mona Lisa", "64x48", "x.png"], "Mona Lisa"),
        (["draw", "zone plate", "64", "x.png"], "draw needs"),
        (["foveate", "x.png"], "foveate needs --output"),
    ],
)
def test_wrong_arguments_are_named(quality, arguments, words):
    done = run_program(quality, *arguments, check=False)
    assert done.returncode != 0
    assert words in done.stderr


def test_bytes_of_a_broken_file_are_not_printed(quality, tmp_path):
    png = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]) + bytes(4)
    for name in (b"\0ABC", b"A\xff\x1b[", b"A\nBC"):
        (tmp_path / "x.png").write_bytes(png + bytes(4) + name + bytes(4))
        done = run_program(quality, "blobs", tmp_path / "x.png", check=False)
        assert done.returncode == 1 and "its data is damaged" in done.stderr


@pytest.mark.parametrize("command", [("foveate", "noise.png"), ("draw", "white noise", "300x200")])
def test_a_full_disk_is_an_error(quality, noise, command):
    arguments = [noise if word == noise.name else word for word in command]
    to = ["--output", "/dev/full"] if command[0] == "foveate" else ["/dev/full"]
    done = run_program(quality, *arguments, *to, check=False)
    assert done.returncode == 1 and "cannot write /dev/full: No space left on device" in done.stderr


def test_output_that_cannot_be_written_is_told(quality):
    with open("/dev/full", "w") as full:
        done = subprocess.run([quality, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "standard output" in done.stderr


# White pictures of three microscopes, which come with the package napari-LF 0.1.7: docs/lightfield.md says how to get them.
NAPARI = os.environ.get("FOVEA_NAPARI_LF")


@pytest.mark.skipif(not NAPARI, reason="FOVEA_NAPARI_LF names no folder of napari_lf/examples")
@pytest.mark.parametrize(
    "white, pitch, rotation",
    [
        # 0.26 degrees is the direction of its columns; rows are turned by 0.24, and this is between them.
        ("antleg/radiometry_frame.png", 27.56, 0.247),
        ("seaurchin/radiometry_frame.tif", 17.20, 0.18),
        ("GUVExperim1/Radiometry_GUVExperim1.tif", 15.38, -0.12),
    ],
)
def test_real_white_pictures_have_their_arrays(quality, tmp_path, white, pitch, rotation):
    run_program(quality, "lightfield", "calibrate", f"{NAPARI}/{white}", "--output", tmp_path)
    found = json.loads((tmp_path / "array.json").read_text())
    assert found["pitch"][0] == pytest.approx(pitch, abs=0.02)
    assert found["rotation"] == pytest.approx(rotation, abs=0.01)
    assert found["rows"] == "rectangular"


def test_a_white_picture_becomes_an_array_and_its_raw_pictures_views(quality, tmp_path):
    y, x = numpy.mgrid[:90, :120] + 0.5
    away = numpy.hypot(x % 10 - 5, y % 10 - 5)
    white = numpy.clip(4.5 - away, 0, 1) * 200
    Image.fromarray(white.astype(numpy.uint8)).save(tmp_path / "white.png")
    Image.fromarray((white * (x > 60)).astype(numpy.uint8)).save(tmp_path / "raw.tif")
    done = run_program(quality, "lightfield", "calibrate", tmp_path / "white.png", "--output", tmp_path)
    assert "12x9 lenses in rectangular rows, 10.0" in done.stdout
    run_program(
        quality, "lightfield", tmp_path / "raw.tif", "--geometry", tmp_path / "array.json", "--white", tmp_path / "white.png",
        "--views", "--output", tmp_path,
    )  # fmt: skip
    view = pixels_of(tmp_path / "view.png")[..., 0].astype(int)
    assert view.shape == (36, 48) and view[4:-4, :20].max() == 0 and view[4:-4, 28:].min() > 180
    assert (tmp_path / "refocus-47.png").exists()


def test_a_small_picture_is_refused(quality, tmp_path):
    Image.new("RGB", (31, 40)).save(tmp_path / "small.png")
    done = run_program(quality, "compare", tmp_path / "small.png", "--output", tmp_path, check=False)
    assert done.returncode == 1
    assert "smaller than 32x32" in done.stderr


def test_a_size_and_cases_can_be_chosen(quality):
    done = run_program(quality, "--backend", "cpu", "--size", "48x40", "--only", "PAPER, (8|16) px")
    rows = re.findall(r"^\| (blockwise[^|]*|smooth[^|]*) \| centre", done.stdout, re.MULTILINE)
    assert rows == ["blockwise, paper, 16 px", "blockwise, paper, 8 px"]
    assert "of 48x40 pixels" in done.stdout


def test_a_picture_is_drawn_and_foveated(quality, tmp_path):
    run_program(quality, "draw", "checker, 2 px", "64x48", tmp_path / "checker.png")
    drawn = pixels_of(tmp_path / "checker.png")
    y, x = numpy.indices((48, 64))
    assert (drawn[..., 0] == drawn[0, 0, 0] ^ 255 * ((x // 2 + y // 2) % 2)).all()
    for strength, same in (("0", True), ("1", False)):
        run_program(quality, "foveate", tmp_path / "checker.png", "--gaze", "0.1,0.2",
                    "--set", f"foveation.strength={strength}", "--output", tmp_path / "out.png")
        assert (pixels_of(tmp_path / "out.png") == drawn).all() == same


def test_a_report_keeps_the_sizes_that_were_not_measured(quality, tmp_path):
    report = tmp_path / "report.md"
    kept = "<!-- begin cpu 1280x720 -->\n### 1280x720\n\nkept\n<!-- end cpu 1280x720 -->"
    metric = "<!-- begin fovvideovdp -->\n## FovVideoVDP\n<!-- end fovvideovdp -->"
    report.write_text(f"<!-- begin cpu -->\nold numbers\n{kept}\n<!-- end cpu -->\n\n{metric}\n")
    run_program(quality, "--quick", "--backend", "cpu", "--report", report)
    text = report.read_text()
    assert kept in text and metric in text and "old numbers" not in text
    assert text.index("<!-- begin cpu -->") < text.index(kept) < text.index("<!-- end cpu -->")


def test_a_report_keeps_the_sections_of_other_backends(quality, tmp_path):
    report = tmp_path / "report.md"
    kept = "<!-- begin cuda -->\n## cuda\n\nmeasured elsewhere\n<!-- end cuda -->"
    report.write_text(f"old\n\n{kept}\n\n<!-- begin cpu -->\nold numbers\n<!-- end cpu -->\n")
    run_program(quality, "--quick", "--backend", "cpu", "--report", report)
    text = report.read_text()
    assert kept in text
    assert text.count("<!-- begin cpu -->") == 1
    assert "old numbers" not in text and not text.startswith("old")
