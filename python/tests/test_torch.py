# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""PyTorch's operator on the CPU: compiled code, vmap, autocast, and tensors that nobody should hand over."""

import random
import subprocess
import sys

import numpy as np
import pytest
from places import PACKAGE

import fovea

torch = pytest.importorskip("torch")
DTYPES = [torch.uint8, torch.float16, torch.float32]


def pictures(*shape, dtype=torch.uint8, seed=5):
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.uint8:
        return torch.randint(0, 256, shape, dtype=dtype, generator=generator)
    return torch.rand(shape, generator=generator).to(dtype)


def gazes(*lead):
    return torch.rand((*lead, 2), generator=torch.Generator().manual_seed(6))


MODELS = [None, "physical", {"foveation.strength": 2.5}, fovea.Foveator({"foveation.strength": 3, "foveation.light": "encoded"})]


def test_who_looks_at_operators_sees_the_operator():
    """make_fx and dispatch modes: what they make of a call that they did not see would be without foveation."""
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.utils._python_dispatch import TorchDispatchMode

    class Names(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            names.append(str(function))
            return function(*args, **(kwargs or {}))

    names, images, places, others = [], pictures(2, 16, 16, 3), gazes(2), pictures(2, 16, 16, 3, seed=8)
    traced = make_fx(lambda images, places: fovea.foveate(images + 1, places))(images, places)
    assert torch.equal(traced(others, places), fovea.foveate(others + 1, places))
    with Names():
        seen = fovea.foveate(images, places)
    assert "fovea.foveate.default" in names and torch.equal(seen, fovea.foveate(images, places))


def test_where_nobody_looks_images_that_learn_are_not_foveated():
    images = pictures(2, 16, 16, 3, dtype=torch.float32)
    learning, out = images.clone().requires_grad_(), torch.zeros_like(images)
    with fovea.Gaze({"gaze.source": "mouse", "gaze.validity.fallback": "none"}) as gaze:
        for nobody in (None, gaze, gaze.read()):
            seen = fovea.foveate(learning, nobody)
            assert torch.equal(seen, images) and seen.data_ptr() != learning.data_ptr()
        gaze.push(0.2, 0.7)
        sample = gaze.read()
    assert torch.equal(torch.autograd.grad(seen.sum(), learning)[0], torch.ones_like(images))
    assert torch.equal(torch.vmap(lambda image: fovea.foveate(image, None))(images), images)
    with torch.no_grad():
        assert fovea.foveate(learning, None, out=out) is out and torch.equal(out, images)
    for gaze in (None, sample):
        compiled = torch.compile(lambda images, gaze=gaze: fovea.foveate(images, gaze), backend="eager", fullgraph=True)
        assert torch.equal(compiled(images), fovea.foveate(images, gaze))
    with pytest.raises(fovea.UnsupportedError, match="gaze None, with operators beside foveate"):
        fovea.foveate(learning, None, config={"operators": "foveate,blur"})


WAYS_OF_NOBODY = {
    "a gradient": lambda images, **more: fovea.foveate(images.requires_grad_(images.is_floating_point()), None, **more).detach(),
    "vmap": lambda images, **more: torch.vmap(lambda image: fovea.foveate(image, None, **more))(images),
    "compile": lambda images, **more: torch.compile(lambda images: fovea.foveate(images, None, **more), backend="eager", fullgraph=True)(images),
}


@pytest.mark.parametrize("way", WAYS_OF_NOBODY)
def test_where_nobody_looks_images_are_taken_and_refused_as_others(way):
    call, images = WAYS_OF_NOBODY[way], pictures(2, 16, 16, 3, dtype=torch.float32)
    blur = {"operators": "blur"}
    assert torch.equal(call(images.clone(), config=blur), fovea.foveate(images, config=blur))
    seen = call(images.clone().permute(0, 2, 1, 3))
    assert torch.equal(seen, images.permute(0, 2, 1, 3)) and seen.is_contiguous()
    wrong = [(images.double(), TypeError, "float64"), (torch.zeros(2, 16, 0, 3), ValueError, "shape")]
    for given, kind, said in wrong + ([] if way == "a gradient" else [(images.long(), TypeError, "int64")]):
        with pytest.raises(kind, match=said):
            call(given)


def test_operators_that_look_at_no_gaze_do_without_one_where_it_was_lost():
    images, blur = pictures(2, 16, 16, 3, dtype=torch.float32), {"operators": "blur"}
    with fovea.Gaze({"gaze.source": "mouse", "gaze.validity.fallback": "none"}) as lost:
        seen = torch.vmap(lambda image: fovea.foveate(image, lost, config=blur))(images)
        learning = fovea.foveate(images.clone().requires_grad_(), lost, config=blur)
    assert torch.equal(seen, fovea.foveate(images, config=blur)) and torch.equal(learning, seen)


@pytest.mark.parametrize("finder", [fovea.blobs, fovea.BlobFinder()])
def test_blobs_of_images_that_learn_are_those_of_others(finder):
    images = pictures(1, 40, 40, 3, dtype=torch.float32)
    assert np.array_equal(finder(images.clone().requires_grad_())[0], finder(images.numpy())[0])


@pytest.mark.filterwarnings("ignore")  # torch.jit is deprecated
@pytest.mark.parametrize("layout, shape", [("NHWC", (2, 16, 16, 3)), ("NCHW", (2, 4, 16, 16)), ("NHWF", (2, 16, 16, 4))])
def test_traced_code_sees_what_plain_code_sees(layout, shape):
    images, others, places = pictures(*shape), pictures(*shape, seed=8), gazes(2)
    traced = torch.jit.trace(lambda images, places: fovea.foveate(images, places, layout=layout), (images, places))
    assert torch.equal(traced(others, 1 - places), fovea.foveate(others, 1 - places, layout=layout))


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("model", MODELS, ids=["default", "name", "settings", "foveator"])
def test_compiled_code_sees_what_plain_code_sees(backend, model):
    images, places = pictures(3, 20, 24, 3), gazes(3)

    def agent(images, places, planes, out):
        seen = fovea.foveate(images, places, config=model)
        stack = fovea.foveate(planes, (0.25, 0.75), config=model, layout="NCHW")
        return seen.float() / 255, stack + 0, fovea.foveate(images, places, config=model, out=out) + 0

    planes = pictures(3, 4, 20, 24)
    out = torch.empty_like(images)
    compiled = torch.compile(agent, fullgraph=True, backend=backend)(images, places, planes, out)
    for a, b in zip(compiled, agent(images, places, planes, torch.empty_like(images))):
        assert torch.equal(a, b) and a.stride() == b.stride()
    assert torch.equal(out, fovea.foveate(images, places, config=model))


def test_a_foveator_is_called_in_compiled_code_with_batches_of_any_size():
    foveator = fovea.Foveator({"foveation.strength": 2})
    compiled = torch.compile(lambda i, g: foveator(i, g), fullgraph=True, backend="aot_eager", dynamic=True)
    for count in (2, 3, 7):
        images, places = pictures(count, 16, 18, 3), gazes(count)
        assert torch.equal(compiled(images, places), foveator(images, places))


def test_a_file_of_settings_goes_into_an_operator_as_what_it_says(tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"version": 1, "foveation": {"strength": 2, "curve": [[0, 50], [20, 5]], "model": "curve"}}')
    foveator = fovea.Foveator(file)
    again = fovea.Foveator({line.partition("=")[0]: _value(line.partition("=")[2]) for line in foveator.text.split("\t")})
    assert again.text == foveator.text and "strength=2" in foveator.text and fovea.Foveator().text == "foveation.model=relative"
    images, places = pictures(2, 24, 24, 3), gazes(2)
    program = torch.export.export(_Module(foveator), (images, places))
    expected = foveator(images, places)
    del foveator
    assert torch.equal(program.module()(images, places), expected)
    assert torch.equal(again(images, places), expected)


def _value(text):
    import json

    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


class _Module(torch.nn.Module):
    def __init__(self, foveator):
        super().__init__()
        self.foveator = foveator

    def forward(self, images, places):
        return self.foveator(images, places)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_operator_keeps_torchs_rules(dtype):
    from fovea import _torch

    images = pictures(2, 12, 14, 3, dtype=dtype)
    torch.library.opcheck(_torch.foveate, (images, gazes(2), "", "NHWC"))
    torch.library.opcheck(_torch.foveate, (images.movedim(-1, 1), gazes(2), "foveation.strength=2", "NCHW"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_autocast_changes_neither_type_nor_result(dtype):
    images, places = pictures(2, 20, 24, 3, dtype=dtype), gazes(2)
    expected = fovea.foveate(images, places)
    compiled = torch.compile(fovea.foveate, fullgraph=True, backend="aot_eager")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for call in (fovea.foveate, compiled):
            seen = call(images, places)
            assert seen.dtype == dtype and torch.equal(seen, expected)


def test_vmap_maps_over_images_gazes_or_both():
    images, places = pictures(4, 20, 24, 3), gazes(4)
    expected = fovea.foveate(images, places)
    assert torch.equal(torch.vmap(fovea.foveate)(images, places), expected)
    assert torch.equal(torch.vmap(fovea.foveate, in_dims=(2, 1))(images.movedim(0, 2), places.T), expected)
    one = torch.vmap(fovea.foveate, in_dims=(None, 0))(images[0], places)
    assert torch.equal(one, fovea.foveate(images[:1].expand(4, -1, -1, -1), places))
    assert torch.equal(torch.vmap(fovea.foveate)(images)[1], fovea.foveate(images[1]))
    twice = torch.vmap(torch.vmap(fovea.foveate))(images.view(2, 2, 20, 24, 3), places.view(2, 2, 2))
    assert torch.equal(twice.view(4, 20, 24, 3), expected)


def test_importing_fovea_imports_no_torch_nor_jax():
    code = "import sys; import fovea; assert 'torch' not in sys.modules and 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=PACKAGE, check=True, timeout=60)


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda i, g: fovea.foveate(i, g[:1]), ValueError, "(1, 2)"),
        (lambda i, g: fovea.foveate(i, torch.full_like(g, float("nan"))), ValueError, "finite"),
        (lambda i, g: fovea.foveate(i.to("meta"), g), TypeError, "meta"),
        (lambda i, g: fovea.foveate(i.float(), g.to("meta").requires_grad_()), ValueError, "gaze lies on meta, the images on cpu"),
        (lambda i, g: fovea.foveate(i.to_sparse(), g), TypeError, "sparse"),
        (lambda i, g: fovea.foveate(torch.nested.nested_tensor([*i]), g), TypeError, "nested"),
        (lambda i, g: fovea.foveate(i.float().bfloat16(), g), TypeError, "images of bfloat16"),
        (lambda i, g: fovea.foveate(i, g.bfloat16()), TypeError, "gaze of bfloat16: Fovea takes float32"),
        (lambda i, g: fovea.foveate(i.to(torch.complex64), g), TypeError, "complex64"),
        (lambda i, g: fovea.foveate(i.float().requires_grad_(), np.ma.array([0.5, 0.5])), TypeError, "gaze is a masked array"),
        (lambda i, g: fovea.foveate(i, g * 1j), TypeError, "complex64"),
        (lambda i, g: fovea.foveate(i.float().requires_grad_(), np.array([0.5 + 1j, 0.5])), TypeError, "values of complex128"),
        (lambda i, g: fovea.foveate(i.float().requires_grad_(), (10**400, 0)), ValueError, "gaze is not finite"),
        (lambda i, g: fovea.foveate(i, [g[0], np.ma.array([0.5, 0.5])]), TypeError, "gaze is a masked array"),
        (lambda i, g: fovea.foveate(torch.quantize_per_tensor(i.float(), 1.0, 0, torch.quint8), g), TypeError, "quint8"),
        (lambda i, g: fovea.foveate(i[0, 0, 0, 0], g), ValueError, "()"),
        (lambda i, g: fovea.foveate(i, g, out=i), ValueError, "overlap"),
        (lambda i, g: fovea.foveate(i, g, stream=7), ValueError, "stream"),
        (lambda i, g: fovea.foveate(i, g, layout="HWC"), ValueError, "HWC"),
        (lambda i, g: fovea.foveate(i.float().requires_grad_(), g.requires_grad_(), stream=7), ValueError, "stream"),
    ],
)
def test_what_is_wrong_is_said(call, kind, text):
    with pytest.raises(kind) as caught:
        call(pictures(2, 16, 16, 3), gazes(2))
    assert text in str(caught.value)


class _Sub(torch.Tensor):
    pass


def _random_tensor(rng):
    shape = [rng.choice([0, 1, 2, 3, 4, 7, 16]) for _ in range(rng.randint(0, 5))]
    dtype = rng.choice([*DTYPES, *DTYPES, torch.int32, torch.bool, torch.float64, torch.bfloat16, torch.complex64])
    whole = torch.zeros([n + rng.randint(0, 2) for n in shape]).to(dtype)
    kind = rng.randint(0, 11)
    if kind == 0 and whole.numel():
        strides = [rng.choice([0, 1, 2, 3, 5]) for _ in shape]
        need = 1 + sum((n - 1) * s for n, s in zip(shape, strides)) if 0 not in shape else 1
        return torch.zeros(need).to(dtype).as_strided(shape, strides)
    if kind == 1:
        return whole.to("meta")
    if kind == 2:
        return whole.to_sparse() if dtype not in (torch.bfloat16, torch.bool) else whole
    if kind == 3 and dtype in (torch.float32, torch.float16):
        return whole.requires_grad_()
    if kind == 4:
        return whole.as_subclass(_Sub)
    if kind == 5 and dtype == torch.float32:
        return torch.quantize_per_tensor(whole, 0.5, 0, torch.qint8)
    if kind == 6 and whole.dim() > 1:
        return whole.transpose(0, rng.randrange(whole.dim()))
    if kind == 7 and whole.dim():
        return whole.expand(2, *whole.shape)
    if kind == 8:
        return whole.numpy() if dtype != torch.bfloat16 else whole
    if kind == 9:
        return torch.nn.Parameter(whole, requires_grad=False)
    return whole


def test_thousands_of_odd_tensors_raise_and_crash_nothing():
    rng, done, refused = random.Random(4), 0, 0
    for _ in range(4000):
        images = _random_tensor(rng)
        gaze = rng.choice([(0.5, 0.5), torch.rand(2), _random_tensor(rng), torch.rand(2).requires_grad_()])
        if isinstance(images, torch.Tensor) and images.dim() > 3 and rng.random() < 0.5:
            gaze = torch.rand((*images.shape[:-3], 2))
        out = rng.choice([None] * 4 + [images, _random_tensor(rng)])
        layout = rng.choice(["NHWC", "NCHW", "NHW"])
        try:
            seen = fovea.foveate(images, gaze, out=out, layout=layout)
        except (TypeError, ValueError, fovea.FoveaError):
            refused += 1
            continue
        done += 1
        assert seen.shape == images.shape and seen.dtype == images.dtype
    assert done > 300 and refused > 300


def test_tensors_that_overlap_are_refused():
    for shift in range(0, 60, 7):
        memory = torch.zeros(4 * 8 * 8 * 3, dtype=torch.uint8)
        images = memory[: 2 * 192].view(2, 8, 8, 3)
        out = memory[shift : shift + 2 * 192].view(2, 8, 8, 3)
        with pytest.raises(ValueError, match="overlap"):
            fovea.foveate(images, out=out)
    same = torch.zeros(192, dtype=torch.uint8).as_strided((2, 8, 8, 3), (0, 24, 3, 1))
    seen = fovea.foveate(same)
    assert seen.shape == (2, 8, 8, 3)
    assert np.array_equal(seen[0].numpy(), seen[1].numpy())


@pytest.mark.parametrize(
    "gaze",
    [torch.rand(2), torch.rand(1, 2), torch.rand(3, 2).double(), torch.rand(3, 3), torch.rand(3, 5, 2), torch.rand(1, 2, 2), torch.rand(2, 3), torch.rand(6)],
)
def test_operators_take_a_pair_of_float32_for_each_image(gaze):
    """torch.ops.fovea is there for everybody, and the library reads and writes what an address is said to hold."""
    images, weights = pictures(3, 8, 9, 3, dtype=torch.float32), pictures(3, 8, 9, 3, dtype=torch.float32)
    fovea.foveate(images.requires_grad_(), gazes(3))
    for device in ("cpu", "meta"):
        images, weights, gaze = (tensor.detach().to(device) for tensor in (images, weights, gaze))
        for call in (
            lambda: torch.ops.fovea.foveate(images, gaze, "", "NHWC"),
            lambda: torch.ops.fovea.foveate_d_images(weights, gaze, "", "NHWC"),
            lambda: torch.ops.fovea.foveate_d_gaze(images, weights, gaze, "", "NHWC"),
        ):
            with pytest.raises((TypeError, ValueError), match="gaze"):
                call()


@pytest.mark.parametrize("weights", [pictures(2, 8, 9, 3, dtype=torch.float32), pictures(3, 8, 9, 3, dtype=torch.float16)])
def test_operators_take_derivatives_that_are_like_the_images(weights):
    images = pictures(3, 8, 9, 3, dtype=torch.float32)
    fovea.foveate(images.requires_grad_(), gazes(3))
    for device in ("cpu", "meta"):
        with pytest.raises(ValueError, match="d_seen"):
            torch.ops.fovea.foveate_d_gaze(images.detach().to(device), weights.to(device), gazes(3).to(device), "", "NHWC")


def test_a_gradient_checks_what_it_is_given():
    foveator, images = fovea.Foveator(), pictures(3, 8, 9, 3, dtype=torch.float32)
    for gaze in (torch.rand(1, 2), torch.rand(3, 2).double(), torch.rand(3, 4)[:, :2]):
        with pytest.raises(ValueError, match="gazes"):
            foveator._gradient(images, images.clone(), gaze, torch.zeros(3, 2), "NHWC")
        with pytest.raises(ValueError, match="gazes"):
            foveator._gradient(images, images.clone(), torch.rand(3, 2), gaze, "NHWC")
    with pytest.raises(ValueError, match="gradient"):
        foveator._gradient(images, images[:2].clone(), torch.rand(3, 2), torch.zeros(3, 2), "NHWC")


def test_planes_have_no_gradient_of_their_own():
    """Each plane would write its image's gaze's derivative over the one before."""
    images = pictures(3, 5, 8, 9, dtype=torch.float32)
    with pytest.raises(ValueError, match="planes"):
        fovea.Foveator()._gradient(images, images.clone(), torch.rand(3, 2), torch.zeros(3, 2), "NCHW")


def test_strides_of_one_gaze_mean_nothing():
    from fovea import _arrays, _foveator, _shape

    source = _arrays.view_of(pictures(1, 8, 9, 3), "images")
    view = _arrays.view_of(torch.zeros(1, 8)[:, 2:4], "gaze")
    assert _foveator._device_gazes(view, _shape.shape_of(source, "NHWC"), source) is view


def test_tensors_that_are_negated_when_they_are_read_are_seen_so():
    images, places = pictures(2, 12, 14, 3, dtype=torch.float32), gazes(2)
    negated, minus = torch.complex(images, images).conj().imag, torch.complex(places, -places).conj().imag
    assert negated.is_neg() and minus.is_neg()
    expected = fovea.foveate(negated.resolve_neg(), places)
    assert torch.equal(fovea.foveate(negated, places), expected)
    assert torch.equal(fovea.foveate(negated, minus), expected)
    assert torch.equal(fovea.foveate(negated, places.requires_grad_()), expected)
    with pytest.raises(ValueError, match="written"):
        fovea.foveate(images, out=negated)


def test_what_is_written_over_is_known_to_torch():
    images, out, factor = pictures(2, 12, 14, 3, dtype=torch.float32), torch.ones(2, 12, 14, 3), torch.ones((), requires_grad=True)
    product = (factor * out).sum()  # its gradient is the sum of out as it was
    fovea.foveate(images, out=out)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
    version = images._version
    fovea.foveate(images)
    assert images._version == version
    with torch.inference_mode():
        inside = torch.empty_like(images)
        assert torch.equal(fovea.foveate(images, out=inside), out)


def test_an_operator_has_its_own_foveators_map(tmp_path):
    """Two Foveators of one file that has changed between them."""
    from test_foveator import LEFT, write_map

    file, images = tmp_path / "map.png", pictures(64, 64, 3, dtype=torch.float32)
    settings = {"foveation.model": "map", "foveation.map.kind": "file", "foveation.map.file": str(file)}
    foveators, expected = [], []
    for samples in (LEFT, LEFT[:, ::-1]):
        write_map(file, samples)
        foveators.append(fovea.Foveator(settings))
        try:
            expected.append(foveators[-1](images))
        except fovea.FoveaError as error:
            pytest.skip(f"no map from a picture: {error}")
    for foveator, seen in zip(foveators, expected):
        assert torch.equal(foveator(images.clone().requires_grad_()).detach(), seen)
    assert not torch.equal(*expected)
