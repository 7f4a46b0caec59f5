# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Arrays in CUDA memory: PyTorch, CuPy, JAX. Needs a GPU and a library with CUDA; skipped where there is none."""

import os

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("torch sees no GPU", allow_module_level=True)
try:
    fovea.Foveator({"backend": "cuda"}).open()
except fovea.FoveaError as error:
    pytest.skip(f"no backend cuda: {error}", allow_module_level=True)

BOUND = {torch.uint8: 2, torch.float16: 2e-2, torch.float32: 2e-2}  # of the cpu backend's, as the engine's own tests have it


def pictures(*shape, dtype=torch.uint8):
    generator = torch.Generator("cuda").manual_seed(5)
    if dtype == torch.uint8:
        return torch.randint(0, 256, shape, dtype=dtype, device="cuda", generator=generator)
    return torch.rand(shape, device="cuda", generator=generator).to(dtype)


def gazes(count):
    return torch.rand((count, 2), device="cuda", generator=torch.Generator("cuda").manual_seed(6))


def far(a, b):
    return (a.double().cpu() - b.double().cpu()).abs().max().item()


@pytest.mark.parametrize("dtype", list(BOUND))
@pytest.mark.parametrize("colours", [1, 3, 4, 5])
@pytest.mark.parametrize("size", [(84, 84), (120, 160), (200, 331)])
def test_the_gpu_sees_what_the_cpu_sees(dtype, colours, size):
    images, places = pictures(5, *size, colours, dtype=dtype), gazes(5)
    seen = fovea.foveate(images, places)
    assert seen.device == images.device and seen.dtype == dtype
    expected = fovea.foveate(images.cpu(), places.cpu())
    assert far(seen, expected) <= BOUND[dtype]
    assert torch.equal(fovea.foveate(images, places.cpu()), seen)  # gazes of either memory
    for i in (0, 4):
        assert torch.equal(fovea.foveate(images[i], places[i].cpu()), seen[i])


def test_views_of_simulators_are_not_copied():
    rgba, places = pictures(16, 84, 84, 4), gazes(16)
    rgb = rgba[..., :3]  # Isaac Lab, ManiSkill
    expected = fovea.foveate(rgb.contiguous(), places)
    out = torch.empty_like(expected)
    torch.cuda.reset_peak_memory_stats()
    held = torch.cuda.memory_allocated()
    fovea.foveate(rgb, places, out=out)
    assert torch.cuda.max_memory_allocated() == held
    assert torch.equal(out, expected)
    flipped = rgba.flip(1)  # Habitat's order of rows, read as it lies
    assert far(fovea.foveate(flipped[..., :3], places * torch.tensor([1.0, -1.0], device="cuda") + torch.tensor([0.0, 1.0], device="cuda")).flip(1), expected) <= 2
    stack = pictures(16, 4, 84, 84)  # EnvPool
    seen = fovea.foveate(stack, places, layout="NCHW")
    for c in range(4):
        assert torch.equal(seen[:, c], fovea.foveate(stack[:, c].contiguous(), places, layout="NHW"))
    nested = pictures(4, 8, 64, 64, 3)  # worlds x cameras
    assert torch.equal(fovea.foveate(nested, places.repeat(2, 1).view(4, 8, 2)).view(32, 64, 64, 3),
                       fovea.foveate(nested.view(32, 64, 64, 3), places.repeat(2, 1)))


def test_the_callers_stream_is_used_and_nobody_waits():
    images, places = pictures(64, 128, 128, 3), gazes(64)
    expected = fovea.foveate(images, places)
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)
        copy = images.clone()
        seen = fovea.foveate(copy, places)
        assert not side.query(), "the call waited for its stream"
    other = fovea.foveate(images, places, stream=side)
    side.synchronize()
    assert torch.equal(seen, expected) and torch.equal(other, expected)


def test_what_a_given_stream_makes_belongs_to_it():
    """Alpha in a plane of its own is copied first, and the result back: both on the given stream."""
    planes, places = pictures(8, 4, 96, 96), gazes(8)
    images = planes.permute(0, 2, 3, 1)
    expected = fovea.foveate(images.contiguous(), places)
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    for _ in range(20):
        with torch.cuda.stream(side):
            torch.cuda._sleep(5_000_000)
        out = torch.zeros_like(planes).permute(0, 2, 3, 1)
        side.wait_stream(torch.cuda.current_stream())
        fovea.foveate(images, places, out=out, stream=side)
        torch.cuda.current_stream().wait_stream(side)
        assert torch.equal(out, expected)


def test_a_cuda_graph_is_refused_and_goes_on():
    images, places, out = pictures(32, 84, 84, 3), gazes(32), torch.empty((32, 84, 84, 3), dtype=torch.uint8, device="cuda")
    foveator = fovea.Foveator()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        with pytest.raises(fovea.UnsupportedError, match="graph"):
            foveator(images, places, out=out)
        out.copy_(images)
    graph.replay()
    assert torch.equal(out, images)


def test_an_image_whose_gaze_is_not_finite_is_copied():
    images, places = pictures(3, 64, 64, 3), gazes(3)
    places[1] = float("nan")
    seen = fovea.foveate(images, places)
    assert torch.equal(seen[1], images[1]) and not torch.equal(seen[0], images[0])


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda i, g: fovea.foveate(i, g.double()), TypeError, "float64"),
        (lambda i, g: fovea.foveate(i, g[:1]), ValueError, "(1, 2)"),
        (lambda i, g: fovea.foveate(i.cpu(), g), ValueError, "cuda"),
        (lambda i, g: fovea.foveate(i, g, out=torch.empty_like(i, device="cpu")), ValueError, "cpu"),
        (lambda i, g: fovea.foveate(i, g, out=i), ValueError, "overlap"),
        (lambda i, g: fovea.foveate(i.bfloat16(), g), TypeError, "bfloat16"),
        (lambda i, g: fovea.foveate(i.float().requires_grad_(), g), fovea.UnsupportedError, "gradient"),
        (lambda i, g: fovea.foveate(i, g, stream="mine"), TypeError, "str"),
    ],
)
def test_what_is_wrong_is_said(call, kind, text):
    with pytest.raises(kind) as caught:
        call(pictures(2, 32, 32, 3), gazes(2))
    assert text in str(caught.value)


def test_cupy_arrays_stay_cupys():
    cupy = pytest.importorskip("cupy")
    images, places = pictures(4, 84, 84, 3), gazes(4)
    seen = fovea.foveate(cupy.from_dlpack(images), cupy.from_dlpack(places))
    assert isinstance(seen, cupy.ndarray)
    assert torch.equal(torch.from_dlpack(seen), fovea.foveate(images, places))


def test_jax_arrays_are_read_and_written_elsewhere():
    jax = pytest.importorskip("jax")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    images, places = pictures(4, 84, 84, 3), gazes(4)
    array = jax.dlpack.from_dlpack(images)
    out = torch.empty_like(images)
    assert torch.equal(fovea.foveate(array, places, out=out), fovea.foveate(images, places))
    with pytest.raises(TypeError, match="out"):
        fovea.foveate(array, places)


def _in_child(queue):
    try:
        fovea.foveate(np.zeros((8, 8, 3), np.uint8))
        queue.put("cpu works")
    except Exception as error:  # noqa: BLE001
        queue.put(repr(error))


def test_a_forked_child_still_has_the_cpu():
    import multiprocessing

    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    fovea.foveate(pictures(1, 16, 16, 3))
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == "cpu works"
    child.join(60)
    assert child.exitcode == 0
