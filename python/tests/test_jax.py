# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""JAX on the CPU: jit, vmap, scan, types and layouts, errors when a program is traced."""

import os
import pathlib
import re
import subprocess
import threading

import numpy as np
import pytest
from places import PACKAGE

import fovea

jax = pytest.importorskip("jax", minversion="0.5")
import jax.numpy as jnp  # noqa: E402

import fovea.jax  # noqa: E402

pytestmark = pytest.mark.usefixtures("jax_on_cpu")
RNG = np.random.default_rng(11)


def pictures(*shape, dtype=np.uint8):
    if np.issubdtype(dtype, np.integer):
        return RNG.integers(0, np.iinfo(dtype).max + 1, shape, dtype=dtype)
    return RNG.random(shape, np.float32).astype(dtype)


def gazes(*lead):
    return RNG.random((*lead, 2), np.float32)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float16, np.float32])
@pytest.mark.parametrize("layout, shape", [
    ("NHWC", (3, 20, 24, 1)), ("NHWC", (3, 20, 24, 2)), ("NHWC", (3, 20, 24, 3)), ("NHWC", (3, 20, 24, 4)), ("NHWC", (20, 24, 3)),
    ("NHWC", (2, 3, 20, 24, 5)), ("NCHW", (3, 4, 20, 24)), ("NCHW", (3, 20, 24)), ("NHW", (3, 20, 24)), ("NHW", (20, 24)),
])
@pytest.mark.parametrize("foveas", [(), (3,)])
@pytest.mark.parametrize("model", [None, "physical", {"foveation.strength": 2, "foveation.light": "encoded"}])
def test_compiled_programs_see_what_numpy_sees(dtype, layout, shape, model, foveas):
    images, places = pictures(*shape, dtype=dtype), gazes(*shape[: len(shape) - len(layout) + 1], *foveas)
    expected = fovea.foveate(images, places, config=model, layout=layout)
    seen = jax.jit(lambda i, g: fovea.jax.foveate(i, g, config=model, layout=layout))(images, places)
    assert isinstance(seen, jax.Array) and seen.dtype == dtype and np.array_equal(seen, expected)


def test_arrays_of_jax_stay_jaxs():
    images, places = jnp.asarray(pictures(3, 20, 24, 3)), gazes(3)
    expected = fovea.foveate(np.asarray(images), places)
    for gaze in (places, jnp.asarray(places), places.tolist(), jax.device_put(places)):
        seen = fovea.foveate(images, gaze)
        assert isinstance(seen, jax.Array) and seen.devices() == images.devices() and np.array_equal(seen, expected)
    assert np.array_equal(jax.jit(fovea.foveate)(images, places), expected)
    out = np.empty_like(expected)
    assert fovea.foveate(images, places, out=out) is out and np.array_equal(out, expected)
    assert fovea.foveate(jnp.zeros((0, 8, 8, 3), jnp.uint8)).shape == (0, 8, 8, 3)


def test_where_nobody_looks_images_are_not_foveated():
    images = jnp.asarray(pictures(2, 20, 24, 3))
    with fovea.Gaze({"gaze.source": "mouse", "gaze.validity.fallback": "none"}) as gaze:
        for nobody in (None, gaze, gaze.read()):
            assert np.array_equal(fovea.foveate(images, nobody), images)
            blurred = fovea.foveate(images, nobody, config={"operators": "foveate,blur"})
            assert np.array_equal(blurred, fovea.foveate(np.asarray(images), config={"operators": "blur"}))
        gaze.push(0.2, 0.7)
        sample = gaze.read()
    expected = fovea.foveate(np.asarray(images), (0.2, 0.7))
    assert np.array_equal(jax.jit(lambda i: fovea.jax.foveate(i, sample))(images), expected)
    assert np.array_equal(jax.jit(lambda i: fovea.jax.foveate(i, None))(images), images)


def test_a_program_is_what_its_foveators_files_were(tmp_path):
    images, file = jnp.asarray(pictures(20, 24, 3)), tmp_path / "lens.pto"
    config = {"operators": "lens", "lens.file": str(file)}
    file.write_text("i w24 h20 f0 v60 a0 b0 c0.1\n")
    opened, not_opened = fovea.Foveator(config), fovea.Foveator({**config, "lens.filter": "nearest"})
    seen = fovea.jax.foveate(images, config=opened)
    file.write_text("i w24 h20 f0 v60 a0 b0 c-0.2\n")
    assert np.array_equal(fovea.jax.foveate(images, config=opened), seen)
    assert not np.array_equal(fovea.jax.foveate(images, config=config), seen)
    with pytest.raises(fovea.ConfigError, match="lens.pto has changed"):
        fovea.jax.foveate(images, config=not_opened)


def test_a_program_does_not_take_a_file_that_changed_before_it_ran(tmp_path):
    """Nor one that changed while its context was closed: handlers keep sixteen open."""
    images, file = jnp.asarray(pictures(20, 24, 3)), tmp_path / "lens.pto"
    one, other = "i w24 h20 f0 v60 a0 b0 c0.1\n", "i w24 h20 f0 v60 a0 b0 c-0.2\n"

    def program(name):
        file.write_text(one)
        foveator = fovea.Foveator({"operators": "lens", "lens.file": str(file), "lens.filter": name})
        return jax.jit(lambda images: fovea.jax.foveate(images, config=foveator))

    compiled = program("bilinear").lower(images).compile()
    file.write_text(other)
    ran, shaped = program("nearest"), program("bicubic")
    seen = ran(images)
    jax.eval_shape(shaped, images)
    file.write_text(other)
    assert np.array_equal(ran(images), seen)
    for i in range(17):
        fovea.jax.foveate(images, config={"foveation.strength": 1 + i / 16}).block_until_ready()
    for changed in (compiled, ran, shaped):
        with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="lens.pto has changed"):
            jax.block_until_ready(changed(images))
    file.write_text(one)
    assert np.array_equal(ran(images), seen) and compiled(images).shape == images.shape


def test_more_images_than_the_library_takes_at_once():
    images, places = pictures(65537, 1, 2, 1), gazes(65537)
    assert np.array_equal(fovea.jax.foveate(images, places), fovea.foveate(images, places))


def test_vmap_is_one_call_for_the_batch():
    images, places = pictures(4, 20, 24, 3), gazes(4)
    expected = fovea.foveate(images, places)
    assert np.array_equal(jax.vmap(fovea.jax.foveate)(images, places), expected)
    mapped = jax.jit(jax.vmap(jax.vmap(fovea.jax.foveate)))
    assert np.array_equal(mapped(images.reshape(2, 2, 20, 24, 3), places.reshape(2, 2, 2)).reshape(4, 20, 24, 3), expected)
    assert mapped.lower(images.reshape(2, 2, 20, 24, 3), places.reshape(2, 2, 2)).as_text().count("custom_call @fovea") == 1
    one = jax.vmap(fovea.jax.foveate, in_axes=(None, 0))(images[0], places)
    assert np.array_equal(one, fovea.foveate(np.broadcast_to(images[0], images.shape), places))
    planes = np.ascontiguousarray(np.moveaxis(images, -1, 1))
    seen = jax.vmap(lambda i, g: fovea.jax.foveate(i, g, layout="NCHW"), in_axes=(1, 0))(np.moveaxis(planes, 0, 1), places)
    assert np.array_equal(seen, fovea.foveate(planes, places, layout="NCHW"))


def test_a_scan_looks_around():
    picture, places = jnp.asarray(pictures(20, 24, 3)), gazes(6)

    @jax.jit
    def look(picture, places):
        return jax.lax.scan(lambda seen, place: (seen + 1, fovea.jax.foveate(picture, place)), 0, places)[1]

    for seen, place in zip(look(picture, places), places):
        assert np.array_equal(seen, fovea.foveate(np.asarray(picture), place))


def test_settings_are_compiled_into_programs(tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"version": 1, "foveation": {"strength": 2}}')
    images, foveator = pictures(20, 24, 3), fovea.Foveator(file)
    lowered = jax.jit(lambda i: fovea.jax.foveate(i, config=foveator)).lower(images)
    assert "foveation.strength=2" in lowered.as_text()
    file.write_text('{"version": 1, "foveation": {"strength": 4}}')
    assert np.array_equal(lowered.compile()(images), foveator(images))
    assert not np.array_equal(foveator(images), fovea.jax.foveate(images, config=file))


def test_threads_call_at_once():
    from concurrent.futures import ThreadPoolExecutor

    images, places = pictures(2, 40, 40, 3), gazes(2)
    expected, call = fovea.foveate(images, places), jax.jit(fovea.jax.foveate)
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: np.array_equal(call(images, places), expected), range(40)))


IMAGE = pictures(2, 16, 16, 3)


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda: jax.jit(fovea.jax.foveate)(IMAGE, np.zeros((3, 2), np.float32)), ValueError, "(3, 2)"),
        (lambda: jax.jit(fovea.jax.foveate)(IMAGE[0, 0], (0.5, 0.5)), ValueError, "few dimensions"),
        (lambda: jax.jit(fovea.jax.foveate)(IMAGE.astype(np.int32), (0.5, 0.5)), TypeError, "int32"),
        (lambda: fovea.jax.foveate(jnp.zeros((8, 8, 3), jnp.bfloat16)), TypeError, "bfloat16"),
        (lambda: fovea.jax.foveate(IMAGE, layout="HWC"), ValueError, "HWC"),
        (lambda: fovea.jax.foveate(IMAGE, layout=3), TypeError, "3"),
        (lambda: fovea.jax.foveate(IMAGE, "left"), TypeError, "left"),
        (lambda: fovea.jax.foveate(jnp.asarray(IMAGE), np.ma.array([0.5, 0.5])), TypeError, "gaze is a masked array"),
        (lambda: fovea.jax.foveate(jnp.asarray(IMAGE), [np.ma.array([0.5, 0.5])] * 2), TypeError, "gaze is a masked array"),
        (lambda: fovea.jax.foveate(IMAGE, np.array([0.5 + 1j, 0.5])), TypeError, "values of complex"),
        (lambda: fovea.jax.foveate(IMAGE, jnp.array([0.5 + 1j, 0.5])), TypeError, "values of complex"),
        (lambda: fovea.jax.foveate(IMAGE, ("0.5", "0.5")), TypeError, "gaze is x and y for each image"),
        (lambda: fovea.jax.foveate(IMAGE, (10**400, 0)), ValueError, "gaze is not finite"),
        (lambda: fovea.jax.foveate(np.ma.array(IMAGE)), TypeError, "images is a masked array"),
        (lambda: fovea.jax.foveate(IMAGE, (np.nan, 0.5)), ValueError, "finite"),
        (lambda: fovea.jax.foveate(IMAGE, config="papr"), fovea.ConfigError, '"paper"'),
        (lambda: fovea.foveate(jnp.asarray(IMAGE), stream=5), ValueError, "stream"),
        (lambda: fovea.foveate(jnp.asarray(IMAGE), np.full((2, 5, 2), 0.5)), ValueError, "1 to 4 foveas"),
        (lambda: fovea.jax.foveate(jnp.zeros((0, 0, 3), jnp.uint8)), ValueError, "pixels"),
    ],
)
def test_what_is_wrong_is_said_when_a_program_is_traced(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_a_gaze_that_is_not_finite_is_found_when_it_runs():
    for _ in range(2):
        with pytest.raises(Exception, match="gaze of image 1 is not finite"):
            jax.jit(fovea.jax.foveate)(IMAGE, jnp.asarray([[0.5, 0.5], [jnp.nan, 0.5]])).block_until_ready()


# Ours, theirs, and fields in their order: ours are compared with theirs one by one.
STRUCTS = {
    "xla_extension": "XLA_FFI_Extension_Base",
    "xla_version": "XLA_FFI_Api_Version",
    "xla_metadata": "XLA_FFI_Metadata",
    "xla_metadata_extension": "XLA_FFI_Metadata_Extension",
    "xla_error_args": "XLA_FFI_Error_Create_Args",
    "xla_stream_args": "XLA_FFI_Stream_Get_Args",
    "xla_ordinal_args": "XLA_FFI_DeviceOrdinal_Get_Args",
    "xla_buffer": "XLA_FFI_Buffer",
    "xla_text": "XLA_FFI_ByteSpan",
    "xla_scalar": "XLA_FFI_Scalar",
    "xla_attributes": "XLA_FFI_Attrs",
}
PLACES = {
    "xla_api": ("XLA_FFI_Api", {"version": "api_version", "internal": "internal_api", "error_create": "XLA_FFI_Error_Create",
                                "stream_get": "XLA_FFI_Stream_Get", "ordinal_get": "XLA_FFI_DeviceOrdinal_Get"}),
    "xla_buffers": ("XLA_FFI_Args", {"size": "size", "types": "types", "items": "args"}),
    "xla_call": ("XLA_FFI_CallFrame", {"api": "api", "execution": "ctx", "arguments": "args", "results": "rets",
                                       "attributes": "attrs", "extensions": "extension_start"}),
    "xla_metadata": ("XLA_FFI_Metadata", {"version": "api_version", "traits": "traits", "state_type": "state_type_id"}),
    "xla_buffer": ("XLA_FFI_Buffer", {"type": "dtype", "data": "data", "rank": "rank", "dims": "dims"}),
    "xla_attributes": ("XLA_FFI_Attrs", {"size": "size", "types": "types", "names": "names", "items": "attrs"}),
    "xla_error_args": ("XLA_FFI_Error_Create_Args", {"message": "message", "code": "errc"}),
}
VALUES = {
    "XLA_INVALID_ARGUMENT": "XLA_FFI_Error_Code_INVALID_ARGUMENT",
    "XLA_RESOURCE_EXHAUSTED": "XLA_FFI_Error_Code_RESOURCE_EXHAUSTED",
    "XLA_UNIMPLEMENTED": "XLA_FFI_Error_Code_UNIMPLEMENTED",
    "XLA_INTERNAL": "XLA_FFI_Error_Code_INTERNAL",
    "XLA_S64": "XLA_FFI_DataType_S64",
    "XLA_U8": "XLA_FFI_DataType_U8",
    "XLA_U16": "XLA_FFI_DataType_U16",
    "XLA_F16": "XLA_FFI_DataType_F16",
    "XLA_F32": "XLA_FFI_DataType_F32",
    "XLA_EXTENSION_METADATA": "XLA_FFI_Extension_Metadata",
    "XLA_ATTRIBUTE_SCALAR": "XLA_FFI_AttrType_SCALAR",
    "XLA_ATTRIBUTE_STRING": "XLA_FFI_AttrType_STRING",
}


def test_our_words_for_xlas_interface_are_those_of_its_header(tmp_path):
    header = pathlib.Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h"
    if not re.search(r"API_MAJOR 0\b.*API_MINOR 3\b", header.read_text(), re.S):
        pytest.skip("jaxlib's header is of another version of the interface than what is compared here")
    same = [f"sizeof(struct {ours}) == sizeof({theirs})" for ours, theirs in STRUCTS.items()]
    for ours, (theirs, fields) in PLACES.items():
        same += [f"offsetof(struct {ours}, {field}) == offsetof({theirs}, {other})" for field, other in fields.items()]
    same += [f"(int){ours} == (int){theirs}" for ours, theirs in VALUES.items()]
    lines = "".join(f'_Static_assert({one}, "{one}");\n' for one in same)
    # C++ is what the header is for: in C it lacks some words.
    source = tmp_path / "same.cc"
    source.write_text(f'#include "xla/ffi/api/c_api.h"\n#include "native/xla_ffi.h"\n{lines.replace("_Static_assert", "static_assert")}')
    subprocess.run(["c++", "-std=c++17", "-fsyntax-only", "-I", jax.ffi.include_dir(), "-I", PACKAGE, source], check=True)


def test_a_map_in_a_program_is_the_one_that_its_file_held(tmp_path):
    from test_foveator import LEFT, write_map

    file, images = tmp_path / "map.png", pictures(64, 64, 3)
    settings = {"foveation.model": "map", "foveation.map.kind": "file", "foveation.map.file": str(file)}
    for samples in (LEFT, LEFT[:, ::-1]):
        write_map(file, samples)
        try:
            expected = fovea.Foveator(settings)(images)
        except fovea.FoveaError as error:
            pytest.skip(f"no map from a picture: {error}")
        assert np.array_equal(fovea.jax.foveate(images, config=settings), expected)


def test_settings_that_were_used_long_ago_hold_no_threads():
    images = pictures(48, 48, 3)

    def see(i):
        return fovea.jax.foveate(images, config={"foveation.strength": 1 + i / 100, "cpu_threads": 3})

    expected, most = np.asarray(see(0)), 0
    for i in range(40):
        see(i).block_until_ready()
        most = max(most, len(os.listdir("/proc/self/task")))
        if i == 20:
            enough = most
    assert most <= enough + 2
    assert np.array_equal(see(0), expected)


def test_threads_may_use_more_settings_than_are_kept():
    images, wrong = pictures(24, 24, 3), []
    expected = [fovea.foveate(images, config={"foveation.strength": 1 + i / 50}) for i in range(40)]

    def work(seed):
        order = np.random.default_rng(seed).permutation(np.tile(np.arange(40), 3))
        for i in order:
            if not np.array_equal(fovea.jax.foveate(images, config={"foveation.strength": 1 + i / 50}), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_tensor_that_learns_is_no_gaze_of_an_array():
    torch = pytest.importorskip("torch")
    images, place = jnp.asarray(pictures(2, 8, 8, 3)), torch.tensor([0.3, 0.4])
    assert np.array_equal(fovea.foveate(images, tuple(place)), fovea.foveate(images, (0.3, 0.4)))
    for gaze in (place.clone().requires_grad_(), tuple(place.clone().requires_grad_())):
        for array in (images, np.asarray(images)):
            with pytest.raises(TypeError, match="grad"):
                fovea.foveate(array, gaze)
