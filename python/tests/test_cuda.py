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


def test_several_foveas_are_the_cpus_with_their_gradients():
    images, places, weights = pictures(3, 84, 96, 3, dtype=torch.float32), gazes(6).reshape(3, 2, 2), pictures(3, 84, 96, 3, dtype=torch.float32)
    leaves = [(images.detach().to(device).requires_grad_(), places.detach().to(device).requires_grad_()) for device in ("cuda", "cpu")]
    seen = [fovea.foveate(*leaf) for leaf in leaves]
    assert far(*seen) <= BOUND[torch.float32] and torch.equal(fovea.foveate(images, places.cpu()), seen[0].detach())
    for one in seen:
        (one * weights.to(one.device)).sum().backward()
    for on_gpu, on_cpu in zip(*leaves):
        assert on_gpu.grad.device == images.device and far(on_gpu.grad, on_cpu.grad) <= 2e-2 * on_cpu.grad.abs().max().item()


def test_gradients_of_several_foveas_take_blinks_and_gazes_far_away():
    images, weights = (pictures(4, 84, 96, 3, dtype=torch.float32) for _ in range(2))
    places = gazes(8).reshape(4, 2, 2)
    places[1, 0], places[2, 1], places[3] = float("nan"), 3.0, torch.tensor([[3.0, 0.5], [1.5, 0.5]], device="cuda")
    leaf, gaze = images.clone().requires_grad_(), places.clone().requires_grad_()
    (fovea.foveate(leaf, gaze) * weights).sum().backward()
    assert torch.equal(leaf.grad[1], weights[1]) and not gaze.grad[1].any()  # the image is copied
    assert leaf.grad.isfinite().all() and gaze.grad.isfinite().all() and gaze.grad[0].any()
    for image, fovea_of in ((2, 0), (3, 1)):  # the other one has no pixel
        one, alone = images[image].clone().requires_grad_(), places[image, fovea_of].clone().requires_grad_()
        (fovea.foveate(one, alone) * weights[image]).sum().backward()
        assert far(leaf.grad[image], one.grad) <= 1e-5 * weights.abs().max().item()
        assert not gaze.grad[image, 1 - fovea_of].any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_depths_lie_where_the_images_lie(dtype):
    images, places = pictures(3, 90, 110, 3), gazes(3)
    metres = (1 + 4 * pictures(3, 90, 110, dtype=torch.float32)).to(dtype)
    config = {"operators": "dof,foveate", "dof.sensor_mm": 3}
    seen = fovea.foveate(images, places, config=config, depth=fovea.Depth(metres))
    expected = fovea.foveate(images.cpu(), places.cpu(), config=config, depth=fovea.Depth(metres.cpu()))
    assert far(seen, expected) <= 2 * BOUND[torch.uint8]
    one = fovea.foveate(images, places, config=config, depth=fovea.Depth(metres[0]))
    assert torch.equal(one[0], seen[0])
    with pytest.raises(ValueError, match="depth lies on cpu"):
        fovea.foveate(images, places, config=config, depth=fovea.Depth(metres.cpu()))


@pytest.mark.parametrize("dtype", list(BOUND))
def test_blobs_are_those_of_the_cpu(dtype):
    images = pictures(3, 20, 30, 3, dtype=torch.float32).repeat_interleave(4, 1).repeat_interleave(4, 2)
    images = (images * 255 if dtype == torch.uint8 else images).to(dtype)
    for view in (images, images.transpose(1, 2)):  # without gaps, and with
        for blobs, others in zip(fovea.blobs(view), fovea.blobs(view.cpu())):
            assert len(blobs) == len(others) > 5
            assert np.abs(blobs["strength"] - others["strength"]).max() < 2e-5
    assert (fovea.blobs(images)[1] == fovea.blobs(images[1])).all()


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
    colours = pictures(16, 6, 84, 84)  # two frames of RGB in planes: each three are pixels
    seen = fovea.foveate(colours, places, layout="NCHW")
    for c in (0, 3):
        expected = fovea.foveate(colours[:, c : c + 3].movedim(1, -1).contiguous(), places)
        assert torch.equal(seen[:, c : c + 3].movedim(1, -1), expected)
    assert torch.equal(fovea.foveate(colours.flip(0)[:, :3], places.flip(0), layout="NCHW").flip(0), seen[:, :3])
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


@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize("size", [(84, 84), (120, 160), (600, 900)])
def test_a_cuda_graph_replays_what_calls_give(size, warm):
    images, places = pictures(6, *size, 3), gazes(6)
    given = torch.empty_like(images)
    foveator = fovea.Foveator()
    if warm:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            foveator(images, places, out=given)
        torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        foveator(images, places, out=given)
        made = foveator(images, places)  # in the graph's own memory
        middle = foveator(images, (0.5, 0.5))
    other = torch.cuda.Stream()
    for i in range(10):
        images.copy_(torch.randint(0, 256, images.shape, dtype=torch.uint8, device="cuda"))
        places.copy_(torch.rand((6, 2), device="cuda"))
        other.wait_stream(torch.cuda.current_stream())
        graph.replay()
        with torch.cuda.stream(other):  # at the same time
            expected = foveator(images, places)
        torch.cuda.synchronize()
        assert torch.equal(given, expected) and torch.equal(made, expected)
        assert torch.equal(middle, foveator(images))
        fovea.foveate(images, places, config={"foveation.strength": 0.5 + 0.1 * i})
    foveator.close()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(given, expected)


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
        (lambda i, g: fovea.foveate(i, g.requires_grad_()), fovea.UnsupportedError, "gradient"),
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


def test_jax_arrays_stay_jaxs():
    jax = pytest.importorskip("jax")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    images, places = pictures(4, 84, 84, 3), gazes(4)
    expected = fovea.foveate(images, places)
    array, gaze = jax.dlpack.from_dlpack(images), jax.dlpack.from_dlpack(places)
    for found in (gaze, places, places.cpu().numpy()):
        seen = fovea.foveate(array, found)
        assert isinstance(seen, jax.Array) and seen.devices() == array.devices()
        assert torch.equal(torch.from_dlpack(seen), expected)
    out = torch.empty_like(images)
    assert torch.equal(fovea.foveate(array, places, out=out), expected)


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32"])
def test_jax_programs_run_on_the_gpu(dtype):
    """In the middle of a program, on the stream that XLA gives; jit, vmap and scan, twice in a row."""
    jax = pytest.importorskip("jax")
    import fovea.jax

    images, places = pictures(6, 96, 80, 3, dtype=getattr(torch, dtype)), gazes(6)
    array, gaze = jax.dlpack.from_dlpack(images), jax.dlpack.from_dlpack(places)
    one, half = (1, 2) if dtype == "uint8" else (0.5, 0.5)

    @jax.jit
    def program(array, gaze):
        before = (array // half) if dtype == "uint8" else array * half
        return fovea.jax.foveate(before.astype(array.dtype), gaze), jax.vmap(fovea.jax.foveate)(array, gaze)

    @jax.jit
    def scan(array, gaze):
        return jax.lax.scan(lambda n, g: (n + one, fovea.jax.foveate(array[0], g)), one, gaze)[1]

    before = (images // half) if dtype == "uint8" else images * half
    for _ in range(2):
        first, second = program(array, gaze)
        assert torch.equal(torch.from_dlpack(first), fovea.foveate(before, places))
        assert torch.equal(torch.from_dlpack(second), fovea.foveate(images, places))
        for i, seen in enumerate(scan(array, gaze)):
            assert torch.equal(torch.from_dlpack(seen), fovea.foveate(images[0], places[i]))
    planes = array.transpose(0, 3, 1, 2)
    seen = jax.jit(lambda i, g: fovea.jax.foveate(i, g, layout="NCHW"))(planes, gaze)
    expected = fovea.foveate(images.movedim(-1, 1).contiguous(), places, layout="NCHW")
    assert torch.equal(torch.from_dlpack(seen), expected)


def test_jax_programs_of_more_settings_than_are_kept_run_on_the_gpu():
    """The contexts that were used long ago are closed in the middle of what is under way."""
    jax = pytest.importorskip("jax")
    import fovea.jax

    images, places = pictures(6, 96, 80, 3), gazes(6)
    array, gaze = jax.dlpack.from_dlpack(images), jax.dlpack.from_dlpack(places)
    models = [{"foveation.strength": 1 + i / 50} for i in range(40)]
    for _ in range(2):
        seen = [fovea.jax.foveate(array, gaze, config=model) for model in models]
        for one, model in zip(seen, models):
            assert torch.equal(torch.from_dlpack(one), fovea.foveate(images, places, config=model))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_code_sees_what_plain_code_sees(backend):
    images, places = pictures(6, 96, 80, 3), gazes(6)
    foveator = fovea.Foveator({"foveation.strength": 2})

    def agent(images, places):
        return foveator(images + 1, places).float() / 255

    for mode in (None, "reduce-overhead") if backend == "inductor" else (None,):
        torch._dynamo.reset()
        compiled = torch.compile(agent, fullgraph=True, backend=backend, mode=mode)
        for _ in range(4):
            assert torch.equal(compiled(images, places), agent(images, places))


@pytest.mark.parametrize("layout, shape", [("NHWC", (5, 96, 80, 3)), ("NHWC", (5, 96, 80, 4)), ("NCHW", (5, 4, 96, 80)), ("NHW", (5, 96, 80))])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_gradients_are_the_cpus(layout, shape, dtype):
    images, places, weights = pictures(*shape, dtype=dtype), gazes(5), pictures(*shape, dtype=torch.float32)

    def gradients(images, places, weights):
        images, places = images.clone().requires_grad_(), places.clone().requires_grad_()
        (fovea.foveate(images, places, layout=layout).float() * weights).sum().backward()
        return images.grad, places.grad

    d_images, d_gaze = gradients(images, places, weights)
    assert d_images.device == images.device and d_gaze.device == places.device and d_images.dtype == dtype
    for_cpu, for_cpus_gaze = gradients(images.cpu(), places.cpu(), weights.cpu())
    assert far(d_images, for_cpu) <= 2e-2 * for_cpu.abs().max().item()
    assert far(d_gaze, for_cpus_gaze) <= 2e-2 * for_cpus_gaze.abs().max().item()
    _, from_cpus_memory = gradients(images, places.cpu(), weights)
    assert from_cpus_memory.device.type == "cpu" and torch.allclose(from_cpus_memory, d_gaze.cpu(), rtol=1e-3)


@pytest.mark.parametrize("layout, shape", [("NHWC", (5, 96, 80, 3)), ("NCHW", (5, 4, 96, 80))])
@pytest.mark.parametrize("lead", [(), (5,)])
def test_gradients_of_sigmas_are_the_cpus(layout, shape, lead):
    images, weights, sigma = pictures(*shape, dtype=torch.float32), pictures(*shape, dtype=torch.float32), 0.5 + 4 * torch.rand((*lead, 96, 80), device="cuda")

    def gradient(images, weights, sigma):
        sigma = sigma.clone().requires_grad_()
        (fovea.foveate(images, layout=layout, config={"operators": "blur"}, sigma=sigma) * weights).sum().backward()
        return sigma.grad

    found, for_cpu = gradient(images, weights, sigma), gradient(images.cpu(), weights.cpu(), sigma.cpu())
    assert found.device == sigma.device and far(found, for_cpu) <= 1e-3 * for_cpu.abs().max().item()


def test_gradients_follow_the_stream_of_the_forward_pass():
    images, places = pictures(16, 96, 80, 3, dtype=torch.float32), gazes(16)
    expected = places.clone().requires_grad_()
    (fovea.foveate(images, expected) ** 2).sum().backward()
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        late, wanted = images.clone(), places.clone().requires_grad_()
        (fovea.foveate(late, wanted) ** 2).sum().backward()
    side.synchronize()
    assert torch.allclose(wanted.grad, expected.grad, rtol=1e-3)


@pytest.mark.parametrize("layout, shape", [("NHWC", (6, 96, 80, 3)), ("NCHW", (6, 4, 96, 80))])
@pytest.mark.parametrize("warm", [True, False])
def test_a_cuda_graph_replays_gradients(layout, shape, warm):
    """Forward and backward in one graph; new images and gazes for each replay, and other calls beside it."""
    images, places = pictures(*shape, dtype=torch.float32).requires_grad_(), gazes(6).requires_grad_()
    foveator = fovea.Foveator()

    def loss(images, places):
        return (foveator(images, places, layout=layout) ** 2).sum()

    if warm:
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            loss(images, places).backward()
        torch.cuda.current_stream().wait_stream(side)
    images.grad = places.grad = None
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = loss(images, places)
        found.backward()
    for i in range(5):
        with torch.no_grad():
            images.copy_(torch.rand(shape, device="cuda"))
            places.copy_(torch.rand((6, 2), device="cuda"))
        graph.replay()
        others = images.detach().clone().requires_grad_(), places.detach().clone().requires_grad_()
        expected = loss(*others)
        expected.backward()
        assert torch.allclose(found, expected, rtol=1e-5)
        assert torch.allclose(images.grad, others[0].grad, rtol=1e-5)
        assert torch.allclose(places.grad, others[1].grad, rtol=1e-4, atol=1e-5)
        beside = others[0].detach().requires_grad_()
        fovea.foveate(beside, others[1].detach(), config={"foveation.strength": 0.5 + 0.1 * i}, layout=layout).sum().backward()
    foveator.close()
    images.grad.zero_()
    graph.replay()
    assert torch.allclose(images.grad, others[0].grad, rtol=1e-5)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_code_has_plain_codes_gradients(backend):
    images, places = pictures(6, 96, 80, 3, dtype=torch.float32), gazes(6)

    def loss(images, places):
        return (fovea.foveate(images, places) ** 2).sum()

    torch._dynamo.reset()
    leaves, others = ((images.clone().requires_grad_(), places.clone().requires_grad_()) for _ in range(2))
    loss(*leaves).backward()
    torch.compile(loss, fullgraph=True, backend=backend)(*others).backward()
    for leaf, other in zip(leaves, others):
        assert torch.allclose(leaf.grad, other.grad, rtol=1e-3, atol=1e-4)


def test_jax_gradients_on_the_gpu_are_torchs():
    jax = pytest.importorskip("jax")
    import fovea.jax

    images, places = pictures(6, 96, 80, 3, dtype=torch.float32), gazes(6)
    leaves = images.clone().requires_grad_(), places.clone().requires_grad_()
    (fovea.foveate(*leaves) ** 2).sum().backward()
    gradient = jax.jit(jax.grad(lambda i, g: (fovea.jax.foveate(i, g) ** 2).sum(), argnums=(0, 1)))
    for _ in range(2):
        for leaf, found in zip(leaves, gradient(jax.dlpack.from_dlpack(images), jax.dlpack.from_dlpack(places))):
            assert torch.allclose(leaf.grad, torch.from_dlpack(found), rtol=1e-3, atol=1e-4)


def test_gazes_of_another_stream_need_one_that_waits_for_it():
    """What says by __cuda_array_interface__ that it is made on the default stream, beside images of a stream of their own."""

    class Default:
        def __init__(self, tensor):
            self.tensor = tensor
            self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, "stream": 1}

    images, places = pictures(4, 64, 64, 3), gazes(4)
    expected = fovea.foveate(images, Default(places))
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        with pytest.raises(ValueError, match="another stream"):
            fovea.foveate(images, Default(places))
        seen = fovea.foveate(images, Default(places), stream=side)
    side.synchronize()
    assert torch.equal(seen, expected)


def test_a_tensor_may_go_while_it_is_in_flight():
    """torch's allocator gives memory again in the order of the stream: what comes after does not change what was asked."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for round_ in range(5):
            images, places = pictures(64, 128, 128, 3), gazes(64)
            expected = fovea.foveate(images, places)
            torch.cuda._sleep(50_000_000)
            seen = fovea.foveate(images.clone(), places.clone())
            del images, places
            for _ in range(20):
                torch.full((64, 128, 128, 3), round_, dtype=torch.uint8, device="cuda")
            side.synchronize()
            assert torch.equal(seen, expected)


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
