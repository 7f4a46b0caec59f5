# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""fovea.gl on a context of OpenGL without a window: textures become what `fovea.foveate` makes of the same arrays."""

import ctypes
import gzip
import json
import os
import time
import warnings

import numpy as np
import pytest

import fovea
import fovea.gl

EGL = {"opengl": 0x30A2, "surfaceless": 0x31DD}
GL = {"2d": 0x0DE1, "rectangle": 0x84F5, "rgba": 0x1908, "alignment": 0x0CF5}
KINDS = {"uint8": (0x8058, 0x1401), "float16": (0x881A, 0x140B), "float32": (0x8814, 0x1406)}  # internal format, type
MODEL = {"foveation.model": "relative", "foveation.strength": 2}


@pytest.fixture(scope="module")
def gl():
    """Functions by name, with a context current."""
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError:
        pytest.skip("libEGL is not here")
    pointers = [ctypes.c_void_p]
    egl.eglGetProcAddress.restype, egl.eglGetProcAddress.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    at = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    display = at and ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)(at)(EGL["surfaceless"], None, None)
    egl.eglInitialize.argtypes = pointers * 3
    egl.eglCreateContext.restype, egl.eglCreateContext.argtypes = ctypes.c_void_p, pointers * 4
    egl.eglMakeCurrent.argtypes = pointers * 4
    if not display or not egl.eglInitialize(display, None, None) or not egl.eglBindAPI(EGL["opengl"]):
        pytest.skip("libEGL has no OpenGL without a window here")
    context = egl.eglCreateContext(display, None, None, None)  # EGL_KHR_no_config_context
    assert context and egl.eglMakeCurrent(display, None, None, context)

    def call(name, *arguments):
        address = egl.eglGetProcAddress(f"gl{name}".encode())
        kinds = [ctypes.c_void_p] * len(arguments)
        return ctypes.CFUNCTYPE(ctypes.c_uint, *kinds)(address)(*arguments)

    call.egl = egl
    yield call
    egl.eglMakeCurrent(display, None, None, None)


def texture_of(gl, array, target="2d"):
    name = ctypes.c_uint()
    internal, kind = KINDS[array.dtype.name]
    gl("GenTextures", 1, ctypes.addressof(name))
    gl("BindTexture", GL[target], name.value)
    gl("PixelStorei", GL["alignment"], 1)
    height, width = array.shape[:2]
    gl("TexImage2D", GL[target], 0, internal, width, height, 0, GL["rgba"], kind, array.ctypes.data)
    return name.value


def array_of(gl, texture, like, target="2d"):
    array = np.empty_like(like)
    gl("BindTexture", GL[target], texture)
    gl("GetTexImage", GL[target], 0, GL["rgba"], KINDS[like.dtype.name][1], array.ctypes.data)
    return array


def picture(dtype="uint8"):
    random = np.random.default_rng(2).integers(0, 256, (45, 64, 4), np.uint8)
    return random if dtype == "uint8" else (random / np.float32(255)).astype(dtype)


@pytest.mark.parametrize("target", ["2d", "rectangle"])
@pytest.mark.parametrize("dtype", KINDS)
def test_a_texture_becomes_what_an_array_becomes(gl, dtype, target):
    """Rows of OpenGL's count from the lowest."""
    shown = picture(dtype)
    expected = fovea.foveate(shown, (0.25, 0.75), config=MODEL)
    with fovea.gl.Foveator(MODEL, way="copied") as foveator:
        assert "copied through the processor" in foveator.way
        below, above = texture_of(gl, shown[::-1].copy(), target), texture_of(gl, shown, target)
        other = texture_of(gl, np.zeros_like(shown), target)
        assert foveator(below, gaze=(0.25, 0.75), target=target) is True
        assert foveator(above, other, gaze=(0.25, 0.75), target=target, top_down=True) is True
    assert (array_of(gl, below, shown, target)[::-1] == expected).all()
    assert (array_of(gl, other, shown, target) == expected).all() and (array_of(gl, above, shown, target) == shown).all()


@pytest.mark.parametrize(
    "settings,gaze",
    [
        ({"gaze.space": "pixels", "gaze.origin": "center"}, (16, 22.5)),
        ({"gaze.space": "ndc", "gaze.origin": "bottom-left"}, (0.5, 1)),
        ({"gaze.space": "degrees", "gaze.origin": "center", "gaze.screen_deg": [90, 60]}, (np.degrees(np.arctan(0.5)), 30)),
        ({"gaze.source": "fixed", "gaze.fixed.x": 0.75, "gaze.fixed.y": 0}, None),
    ],
)
def test_gazes_come_in_the_settings_own_units(gl, settings, gaze):
    shown = picture()
    with fovea.gl.Foveator({**MODEL, **settings}, way="copied") as foveator:
        texture = texture_of(gl, shown)
        assert foveator(texture, gaze=gaze, top_down=True)
    assert (array_of(gl, texture, shown) == fovea.foveate(shown, (0.75, 0), config=MODEL)).all()


def test_gazes_are_open_sources_and_what_was_read_of_them(gl):
    """Whose own settings count, and not the textures'; a child of fork leaves both alone."""
    shown, own = picture(), {"gaze.source": "mouse", "gaze.space": "pixels", "gaze.validity.fallback": "none"}
    expected = fovea.foveate(shown, (0.25, 0.75), config=MODEL)
    with fovea.gl.Foveator({**MODEL, "gaze.space": "degrees", "gaze.screen_deg": [90, 60]}, way="copied") as foveator, fovea.Gaze(own) as gaze:
        assert foveator(texture_of(gl, shown), gaze=gaze) is False, "nobody looks"
        gaze.push(16, 33.75)
        for given in (gaze, gaze.read(size_px=(64, 45))):
            texture = texture_of(gl, shown)
            assert foveator(texture, gaze=given, top_down=True) is True
            assert (array_of(gl, texture, shown) == expected).all()
        child = os.fork()
        if child == 0:
            try:
                foveator(texture, gaze=gaze)
            except fovea.FoveaError as error:
                foveator.close()
                os._exit(7 if "was forked" in str(error) else 1)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        assert foveator(texture, gaze=gaze)


def test_what_goes_wrong_is_said_and_the_texture_stays(gl):
    shown = picture()
    foveator, texture = fovea.gl.Foveator(way="copied"), texture_of(gl, shown)
    assert foveator(ctypes.c_uint(texture), gaze=(np.nan, 0)) is False
    with pytest.raises(ValueError, match="4711 is no texture of the context"):
        foveator(4711, gaze=(0.5, 0.5))
    with pytest.raises(ValueError, match="other values or size"):
        foveator(texture_of(gl, shown[:8]), texture, (0.5, 0.5))
    with pytest.raises(TypeError, match="its name in OpenGL"):
        foveator("picture", gaze=(0.5, 0.5))
    with pytest.raises(ValueError, match="gaze is x and y, .* not \\(1, 2, 3\\)"):
        foveator(texture, gaze=(1, 2, 3))
    with pytest.raises(ValueError, match="it must be 2d or rectangle"):
        foveator(texture, gaze=(0.5, 0.5), target="3d")
    with pytest.raises(ValueError, match="auto, copied, shared"):
        fovea.gl.Foveator(way="fast")
    assert (array_of(gl, texture, shown) == shown).all()
    gl("BindTexture", 0x0500, 1)
    with pytest.warns(UserWarning, match="GL_INVALID_ENUM"):
        assert foveator(texture, gaze=(0.5, 0.5))
    foveator.close()
    foveator.close()
    with pytest.raises(fovea.FoveaError, match="closed"):
        foveator(texture)


def test_functions_may_be_the_callers(gl):
    asked = []
    with fovea.gl.Foveator(way="copied", get_proc_address=lambda name: asked.append(name) or gl.egl.eglGetProcAddress(name)):
        assert b"glTexSubImage2D" in asked
    with pytest.raises(fovea.UnsupportedError, match="OpenGL has no glGetTexImage"):
        fovea.gl.Foveator(get_proc_address=lambda name: 0 if name == b"glGetTexImage" else gl.egl.eglGetProcAddress(name))
    with pytest.raises(ZeroDivisionError):
        fovea.gl.Foveator(get_proc_address=lambda name: 1 // 0)


def test_shared_with_vulkan_it_is_nearly_the_same_and_recorded(gl, tmp_path):
    """Where Vulkan has the device that OpenGL draws with; each frame waits there without semaphores."""
    shown = picture()
    try:
        foveator = fovea.gl.Foveator({**MODEL, "backend": "vulkan", "record.file": str(tmp_path / "x")}, way="shared")
    except fovea.UnsupportedError as error:
        pytest.skip(str(error))
    texture = texture_of(gl, shown)
    with foveator, warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "shared with Vulkan (vulkan backend" in foveator.way
        assert foveator(texture, gaze=(0.25, 0.75), top_down=True)
        before = time.monotonic_ns()
        foveator.shown(before, refresh_s=0.01)
        for wrong in (0, time.monotonic()):  # seconds, as of PsychoPy's flip
            with pytest.raises(ValueError, match=f"t_ns is {wrong}"):
                foveator.shown(wrong)
        with pytest.raises(ValueError, match="of other values or size"):
            foveator(texture_of(gl, shown[:8]), texture, gaze=(0.5, 0.5))
        foveator.shown(before + 10_000_000)  # the picture as it was drawn: no frame was
        assert foveator(texture_of(gl, shown), gaze=(0.5, 0.5))
        foveator.shown(before + 30_000_000, refresh_s=0.01)
    side = json.loads((tmp_path / "x_run-1_recording-eye1_physio.json").read_text())
    with gzip.open(tmp_path / "x_run-1_recording-eye1_physio.tsv.gz", "rt") as table:
        row, after = (dict(zip(side["Columns"], line.rstrip("\n").split("\t"))) for line in table)
    assert (row["refused"], after["refused"], after["repeated"]) == ("0", "1", "n/a")
    assert side["FoveaPresented"] == "as the program says" and row["dropped"] == "0"
    assert round(float(row["presented"]) * 1e9) + side["FoveaStart"]["clock_monotonic_ns"] == before
    expected = fovea.foveate(shown, (0.25, 0.75), config=MODEL)
    assert abs(array_of(gl, texture, shown).astype(int) - expected).max() <= 2
