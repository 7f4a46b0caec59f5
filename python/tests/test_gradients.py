# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Gradients in PyTorch and JAX, beside differences of what the plain call gives. gradcheck wants doubles, which Fovea
does not take: these are derivatives along a direction, of float32."""

import warnings

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

SHAPES = [
    ("NHWC", (2, 44, 40, 3)), ("NHWC", (2, 44, 40, 4)), ("NHWC", (2, 44, 40, 5)), ("NHWC", (2, 3, 44, 40, 1)), ("NHWC", (44, 40, 3)),
    ("NCHW", (2, 4, 44, 40)), ("NCHW", (3, 44, 40)), ("NHW", (2, 44, 40)), ("NHW", (44, 40)),
]  # fmt: skip


def pictures(shape, layout, dtype=torch.float32, seed=5):
    """Smooth enough that a gaze that moves a little changes them a little."""
    generator = torch.Generator().manual_seed(seed)
    order = len(shape) - 3 if layout == "NHWC" else None
    flat = torch.rand((int(np.prod(shape)) // (44 * 40), 1, 9, 8), generator=generator)
    planes = torch.nn.functional.interpolate(flat, (44, 40), mode="bicubic")
    if order is None:
        return planes.reshape(shape).to(dtype)
    return planes.reshape(*shape[:-3], shape[-1], 44, 40).movedim(-3, -1).contiguous().to(dtype)


def gazes(*lead, seed=6):
    return torch.rand((*lead, 2), generator=torch.Generator().manual_seed(seed)) * 0.5 + 0.25


def along(gradient, direction):
    return (gradient.double() * direction.double()).sum().item()


def case(layout, shape, dtype=torch.float32):
    images, places = pictures(shape, layout, dtype), gazes(*shape[: len(shape) - len(layout) + 1])
    return images, places, pictures(shape, layout, dtype, seed=8)


def loss(images, places, weights, layout, config=None):
    return (fovea.foveate(images, places, layout=layout, config=config).double() * weights.double()).sum()


@pytest.mark.parametrize("layout, shape", SHAPES)
@pytest.mark.parametrize("dtype, bound", [(torch.float32, 1e-3), (torch.float16, 2e-2)])
def test_the_gradient_of_images_is_what_differences_say(layout, shape, dtype, bound):
    images, places, weights = case(layout, shape, dtype)
    images.requires_grad_()
    loss(images, places, weights, layout).backward()
    assert images.grad.shape == images.shape and images.grad.dtype == dtype
    with torch.no_grad():  # foveation is linear in the images: the step may be long
        step = pictures(shape, layout, dtype, seed=9)
        zero = torch.zeros_like(images)
        expected = (loss(step, places, weights, layout) - loss(zero, places, weights, layout)).item()
    assert abs(along(images.grad, step) - expected) <= bound * abs(expected)


@pytest.mark.parametrize("layout, shape", SHAPES)
@pytest.mark.parametrize("model", [None, "curve", {"foveation.strength": 0.3}])
def test_the_gradient_of_gazes_is_what_differences_say(layout, shape, model):
    images, places, weights = case(layout, shape)
    wanted = places.clone().requires_grad_()
    loss(images, wanted, weights, layout, model).backward()
    assert wanted.grad.shape == places.shape
    most = wanted.grad.abs().max().item()
    for axis in range(2):
        step = torch.zeros_like(places)
        step[..., axis] = 1e-2
        expected = (loss(images, places + step, weights, layout, model) - loss(images, places - step, weights, layout, model)).item() / 2e-2
        assert abs(along(wanted.grad, step / 1e-2) - expected) <= 0.06 * most * places.numel() / 2


def test_the_gradient_of_several_foveas_is_that_of_the_least_sigma(blurred):
    """Beside the definition, in double precision: one Gaussian a pixel, of the least sigma of the maps."""
    foveator = fovea.Foveator({"foveation.relative.sharp": 0, "foveation.strength": 2})
    image, weights, step = (pictures((44, 40), "NHW", seed=seed) for seed in (5, 8, 9))
    places = np.array([[0.3, 0.3], [0.7, 0.65], [2.0, -1.0]])  # the last one is of no pixel

    def defined(picture, at):
        least = np.minimum.reduce([foveator.sigma_map((44, 40), place) for place in at])
        return (weights.numpy() * blurred(picture.numpy(), least)).sum()

    leaf, gaze = image.clone().requires_grad_(), torch.tensor(places, requires_grad=True)
    loss(leaf, gaze, weights, "NHW", foveator).backward()
    expected = defined(step, places) - defined(torch.zeros_like(step), places)
    assert abs(along(leaf.grad, step) - expected) <= 3e-3 * abs(expected)
    differences = np.zeros_like(places)
    for at in np.ndindex(2, 2):
        move = np.zeros_like(places)
        move[at] = 0.01
        differences[at] = (defined(image, places + move) - defined(image, places - move)) / 0.02
    assert gaze.grad.dtype == torch.float64 and not gaze.grad[2].any()
    assert np.abs(gaze.grad.numpy() - differences).max() <= 0.06 * np.abs(differences).max()


@pytest.mark.parametrize("at, wrong, words", [((1, 0), float("nan"), "not finite"), ((0, 1), float("nan"), "not finite"), ((1, 1), 3.0, "pixels")])
def test_gradients_of_several_foveas_refuse_gazes_in_cpu_memory_as_calls_do(at, wrong, words):
    images, places, weights = case("NHWC", (2, 44, 40, 3))
    foveas = torch.stack((places, places.flip(0)), 1)
    foveas[at] = wrong
    text = fovea.Foveator().text
    with pytest.raises(ValueError, match=words):
        loss(images.requires_grad_(), foveas, weights, "NHWC")
    for call in (lambda: torch.ops.fovea.foveate_d_images(weights, foveas, text, "NHWC"), lambda: torch.ops.fovea.foveate_d_gaze(images.detach(), weights, foveas, text, "NHWC")):
        with pytest.raises(ValueError, match=words):
            call()


@pytest.mark.parametrize("layout, shape", [SHAPES[1], SHAPES[2], SHAPES[3], SHAPES[5], SHAPES[8]])
@pytest.mark.parametrize("dtype, bound", [(torch.float32, 1e-3), (torch.float16, 2e-2)])
def test_gradients_of_several_foveas_have_all_layouts(layout, shape, dtype, bound):
    images, weights, step = (pictures(shape, layout, dtype, seed=seed) for seed in (5, 8, 9))
    lead = shape[: len(shape) - len(layout) + 1]
    places = gazes(*lead, 2)
    leaf, gaze = images.clone().requires_grad_(), places.clone().requires_grad_()
    loss(leaf, gaze, weights, layout).backward()
    assert leaf.grad.dtype == dtype and gaze.grad.shape == places.shape and gaze.grad.any()
    expected = (loss(step, places, weights, layout) - loss(torch.zeros_like(step), places, weights, layout)).item()
    assert abs(along(leaf.grad, step) - expected) <= bound * abs(expected)
    again = places.clone().requires_grad_()
    if lead:
        torch.vmap(lambda i, g, w: loss(i, g, w, layout))(images, again, weights).sum().backward()
        assert torch.allclose(gaze.grad, again.grad, rtol=1e-4, atol=1e-5 if dtype == torch.float32 else 1e-2)


def test_views_have_the_gradients_of_copies():
    images, places, weights = case("NHWC", (2, 44, 40, 4))
    whole = images.clone().requires_grad_()
    loss(whole[..., :3], places, weights[..., :3], "NHWC").backward()
    packed = images[..., :3].contiguous().requires_grad_()
    loss(packed, places, weights[..., :3], "NHWC").backward()
    assert torch.equal(whole.grad[..., :3], packed.grad) and not whole.grad[..., 3].any()
    last = images.clone().to(memory_format=torch.channels_last).requires_grad_()
    flat = images.clone().requires_grad_()
    gaze_a, gaze_b = places.clone().requires_grad_(), places.clone().requires_grad_()
    for leaf, gaze in ((last, gaze_a), (flat, gaze_b)):
        (fovea.foveate(leaf.flip(1), gaze) * weights.flip(1)).sum().backward()
    assert torch.equal(last.grad, flat.grad) and torch.equal(gaze_a.grad, gaze_b.grad)
    colours_apart = images.movedim(-1, 1).contiguous().requires_grad_()
    gaze_a, gaze_b = places.clone().requires_grad_(), places.clone().requires_grad_()
    loss(colours_apart.movedim(1, -1), gaze_a, weights, "NHWC").backward()
    packed = images.clone().requires_grad_()
    loss(packed, gaze_b, weights, "NHWC").backward()
    assert torch.allclose(colours_apart.grad.movedim(1, -1), packed.grad, atol=1e-6)
    assert torch.allclose(gaze_a.grad, gaze_b.grad, rtol=1e-4)
    summed = images.clone().requires_grad_()
    fovea.foveate(summed, places).sum().backward()  # the gradient that comes back has strides of 0
    plain = images.clone().requires_grad_()
    (fovea.foveate(plain, places) * torch.ones_like(plain)).sum().backward()
    assert torch.equal(summed.grad, plain.grad)


def test_one_gaze_and_one_picture_gather_the_gradients_of_all():
    images, places, weights = case("NHWC", (3, 44, 40, 3))
    one = places[0].clone().requires_grad_()
    loss(images, one, weights, "NHWC").backward()
    each = places[:1].repeat(3, 1).requires_grad_()
    loss(images, each, weights, "NHWC").backward()
    assert torch.allclose(one.grad, each.grad.sum(0), rtol=1e-5)
    picture = images[0].clone().requires_grad_()
    loss(picture.expand(3, -1, -1, -1), places, weights, "NHWC").backward()
    apart = images[:1].repeat(3, 1, 1, 1).requires_grad_()
    loss(apart, places, weights, "NHWC").backward()
    assert torch.allclose(picture.grad, apart.grad.sum(0), atol=1e-5)
    doubles = places.double().requires_grad_()
    loss(images, doubles, weights, "NHWC").backward()
    assert doubles.grad.dtype == torch.float64
    nested = places.reshape(3, 1, 2)[:, 0].requires_grad_()
    loss(images, nested, weights, "NHWC").backward()


@pytest.mark.parametrize("layout, shape", SHAPES[:1] + SHAPES[2:3] + SHAPES[5:6])
def test_compiled_code_and_vmap_have_the_same_gradients(layout, shape):
    images, places, weights = case(layout, shape)
    leaves = images.clone().requires_grad_(), places.clone().requires_grad_()
    loss(*leaves, weights, layout).backward()
    others = images.clone().requires_grad_(), places.clone().requires_grad_()
    compiled = torch.compile(lambda i, g, w: loss(i, g, w, layout), fullgraph=True, backend="aot_eager")
    compiled(*others, weights).backward()
    mapped = images.clone().requires_grad_(), places.clone().requires_grad_()
    torch.vmap(lambda i, g, w: loss(i, g, w, layout))(*mapped, weights).sum().backward()
    for leaf, other, one in zip(leaves, others, mapped):
        assert torch.equal(leaf.grad, other.grad) and torch.allclose(leaf.grad, one.grad, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("layout, shape", SHAPES[:3] + SHAPES[5:7])
def test_torch_func_has_the_same_gradients(layout, shape):
    func, (images, places, weights) = torch.func, case(layout, shape)
    leaves = images.clone().requires_grad_(), places.clone().requires_grad_()
    loss(*leaves, weights, layout).backward()
    both = func.grad(lambda *given: loss(*given, layout), argnums=(0, 1))
    assert all(torch.equal(leaf.grad, one) for leaf, one in zip(leaves, both(images, places, weights)))
    seen, backward = func.vjp(lambda i: fovea.foveate(i, places, layout=layout), images)
    assert torch.equal(seen, fovea.foveate(images, places, layout=layout)) and torch.equal(backward(weights)[0], leaves[0].grad)
    inside = func.grad(lambda i: torch.vmap(lambda one: loss(one, places, weights, layout))(i[None]).sum())
    assert torch.equal(inside(images), leaves[0].grad)
    if len(shape) > 3:
        for leaf, one in zip(leaves, torch.vmap(both)(images, places, weights)):
            assert torch.allclose(leaf.grad, one, rtol=1e-5, atol=1e-6)


def test_torch_func_has_derivatives_of_derivatives_and_jacobians():
    images, places, weights = case("NHWC", (2, 44, 40, 3))

    def grown(picture):
        return (fovea.foveate(picture, places) ** 2 * weights).sum()

    leaf = images.clone().requires_grad_()
    first = torch.autograd.grad(grown(leaf), leaf, create_graph=True)[0]
    first.pow(2).sum().backward()
    assert torch.equal(leaf.grad, torch.func.grad(lambda i: torch.func.grad(grown)(i).pow(2).sum())(images))
    jacobian = torch.func.jacrev(lambda g: (fovea.foveate(images, g) * weights).sum((1, 2)))(places)
    for at in np.ndindex(2, 3):
        gaze = places.clone().requires_grad_()
        (fovea.foveate(images, gaze) * weights).sum((1, 2))[at].backward()
        assert torch.allclose(jacobian[at], gaze.grad, rtol=1e-5, atol=1e-6)


def test_the_operators_keep_torchs_rules():
    from fovea import _torch

    images, places, weights = case("NHWC", (2, 44, 40, 3))
    leaves = images[:, :12, :12].clone().requires_grad_(), places.requires_grad_()
    torch.library.opcheck(_torch.foveate, (*leaves, "", "NHWC"))
    torch.library.opcheck(_torch.d_images, (*leaves, "", "NHWC"))
    torch.library.opcheck(_torch.d_gaze, (leaves[0].detach(), weights[:, :12, :12].contiguous(), places.detach(), "", "NHWC"))


def test_second_derivatives_of_images_are_there_and_those_of_gazes_are_refused():
    images, places, weights = case("NHWC", (2, 44, 40, 3))

    def penalty(images, places):
        (first,) = torch.autograd.grad((fovea.foveate(images, places) ** 2).sum(), images, create_graph=True)
        return (first**2).sum()

    leaf, gaze = images.clone().requires_grad_(), places.clone().requires_grad_()
    penalty(leaf, gaze).backward()
    step = pictures(images.shape, "NHWC", seed=9) * 1e-2
    plus, minus = ((images + sign * step).requires_grad_() for sign in (1, -1))
    expected = (penalty(plus, places) - penalty(minus, places)).item() / 2
    assert abs(along(leaf.grad, step) - expected) <= 1e-2 * abs(expected)
    turn = torch.zeros_like(places)
    turn[..., 0] = 1e-2
    expected = (penalty(leaf, places + turn) - penalty(leaf, places - turn)).item() / 2e-2
    assert abs(along(gaze.grad, turn / 1e-2) - expected) <= 0.06 * gaze.grad.abs().max().item() * 2
    with pytest.raises(fovea.UnsupportedError, match="derivative"):
        (first,) = torch.autograd.grad(loss(images, gaze, weights, "NHWC"), gaze, create_graph=True)
        first.sum().backward()


def test_a_gaze_learns_where_the_detail_is():
    """One patch is sharp, the rest is even: what the agent sees is nearest to the picture where it looks at the patch."""
    picture = torch.full((1, 96, 96, 3), 0.5)
    picture[:, 60:76, 24:40] = (torch.arange(16)[:, None, None] + torch.arange(16)[None, :, None]).remainder(4).float() / 3
    place = torch.tensor([[0.7, 0.35]], requires_grad=True)
    optimiser = torch.optim.Adam([place], lr=0.02)
    losses = []
    for _ in range(80):
        optimiser.zero_grad()
        away = ((fovea.foveate(picture, place, config={"foveation.relative.sharp": 0}) - picture) ** 2).sum()
        away.backward()
        optimiser.step()
        losses.append(away.item())
    assert losses[-1] < 0.05 * losses[0]
    assert (place.detach() - torch.tensor([[32 / 96, 68 / 96]])).abs().max() < 0.05


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda i, g: fovea.foveate((i * 255).byte(), g.requires_grad_()), "float images"),
        (lambda i, g: torch.func.hessian(lambda g: fovea.foveate(i, g).sum())(g), "forward mode"),
        (lambda i, g: torch.func.grad(lambda g: torch.func.grad(lambda g: fovea.foveate(i, g).sum())(g).sum())(g), "no derivative of its own"),
        (lambda i, g: fovea.foveate(i.requires_grad_(), g, out=torch.empty_like(i)), "out="),
        (lambda i, g: fovea.foveate(i, g, out=torch.empty_like(i).requires_grad_()), "out="),
        (lambda i, g: fovea.foveate(i, g.requires_grad_(), config={"operators": ["blur", "foveate"]}).sum().backward(), "operators"),
    ],
)
def test_gradients_that_there_are_not_are_refused(call, text):
    with pytest.raises(fovea.UnsupportedError, match=text):
        call(*case("NHWC", (2, 44, 40, 3))[:2])


def test_images_of_whole_numbers_are_seen_among_others_that_learn():
    images, places, _ = case("NHWC", (2, 44, 40, 3))
    factor = torch.ones((), requires_grad=True)
    (fovea.foveate((images * 255).byte(), places) * factor).sum().backward()
    assert factor.grad > 0
    with torch.no_grad():
        fovea.foveate((images * 255).byte(), places.requires_grad_())


# ---- JAX


@pytest.fixture
def jax_and_package(jax_on_cpu):
    import fovea.jax

    return jax_on_cpu, fovea.jax


@pytest.mark.parametrize("layout, shape", SHAPES)
@pytest.mark.parametrize("foveas", [(), (3,)])
def test_jax_has_torchs_gradients(jax_and_package, layout, shape, foveas):
    jax, package = jax_and_package
    images, _, weights = case(layout, shape)
    places = gazes(*shape[: len(shape) - len(layout) + 1], *foveas)
    leaves = images.clone().requires_grad_(), places.clone().requires_grad_()
    (fovea.foveate(*leaves, layout=layout) * weights).sum().backward()
    arrays = [tensor.numpy() for tensor in (images, places, weights)]
    gradient = jax.grad(lambda i, g, w: (package.foveate(i, g, layout=layout) * w).sum(), argnums=(0, 1))
    atol = 1e-4 if foveas else 1e-6  # a fovea's own pixels leave less of the sums than was rounded off them
    for leaf, found, only in zip(leaves, jax.jit(gradient)(*arrays), gradient(*arrays)):
        assert np.allclose(leaf.grad.numpy(), found, rtol=1e-5, atol=atol) and np.allclose(found, only, rtol=1e-5, atol=atol)
    if len(layout) - 1 < len(shape):
        for leaf, found in zip(leaves, jax.vmap(gradient)(*arrays)):
            assert np.allclose(leaf.grad.numpy(), found, atol=atol)


def test_jax_differentiates_through_programs(jax_and_package):
    jax, package = jax_and_package
    images, places, _ = (tensor.numpy() for tensor in case("NHWC", (3, 44, 40, 3)))

    def scanned(picture, places):
        return jax.lax.scan(lambda s, g: (s + (package.foveate(picture, g) ** 2).sum(), None), 0.0, places)[0]

    def batched(picture, places):
        return (jax.vmap(package.foveate, in_axes=(None, 0))(picture, places) ** 2).sum()

    for a, b in zip(jax.jit(jax.grad(scanned, argnums=(0, 1)))(images[0], places), jax.grad(batched, argnums=(0, 1))(images[0], places)):
        assert np.allclose(a, b, rtol=1e-3, atol=1e-3)
    one = jax.grad(lambda g: package.foveate(images, g).sum())(places[0])
    assert one.shape == (2,)

    def penalty(images):
        return (jax.grad(lambda i: (package.foveate(i, places) ** 2).sum())(images) ** 2).sum()

    step = np.random.default_rng(3).random(images.shape, np.float32) * np.float32(1e-2)
    expected = (penalty(images + step) - penalty(images - step)) / 2
    assert np.allclose((jax.grad(penalty)(images) * step).sum(), expected, rtol=1e-2)


def test_jax_images_of_whole_numbers_have_no_gradient_and_are_in_nobodys_way(jax_and_package):
    jax, package = jax_and_package
    images, places, _ = (tensor.numpy() for tensor in case("NHWC", (2, 44, 40, 3)))
    whole = (images * 255).astype(np.uint8)
    with pytest.raises(fovea.UnsupportedError, match="float images"):
        jax.grad(lambda g: package.foveate(whole, g).astype(np.float32).sum())(places)
    found = jax.grad(lambda f: (package.foveate((f * images * 255).astype(np.uint8), places) * f).sum())(np.float32(1))
    assert found > 0
    with pytest.raises(TypeError):
        jax.jvp(lambda i: package.foveate(i, places), (images,), (images,))


def test_forward_mode_is_refused():
    images, places, _ = case("NHWC", (2, 44, 40, 3))
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        for arguments in (
            (forward.make_dual(images, torch.ones_like(images)), places),
            (images, forward.make_dual(places, torch.ones_like(places))),
        ):
            with pytest.raises(fovea.UnsupportedError, match="forward mode"):
                fovea.foveate(*arguments)
        assert torch.equal(fovea.foveate(images, places), fovea.foveate(images.numpy(), places.numpy(), out=torch.empty_like(images)))
    with pytest.raises(fovea.UnsupportedError):
        torch.func.jvp(fovea.foveate, (images,), (torch.ones_like(images),))


@pytest.mark.parametrize("compiled", [False, True])
def test_places_that_are_learned_as_numbers_have_gradients(compiled):
    images, places, weights = case("NHWC", (2, 44, 40, 3))
    leaf = places.clone().requires_grad_()
    loss(images, leaf, weights, "NHWC").backward()
    call = torch.compile(fovea.foveate, backend="aot_eager") if compiled else fovea.foveate
    for images_learn in (False, True):
        numbers = [[value.clone().requires_grad_() for value in place] for place in places]
        (call(images.clone().requires_grad_(images_learn), numbers).double() * weights.double()).sum().backward()
        found = torch.stack([value.grad for place in numbers for value in place])
        assert torch.allclose(found, leaf.grad.flatten(), rtol=1e-4)
    x = places[0, 0].clone().requires_grad_()
    call(images, (x, 0.5)).sum().backward()
    assert x.grad.isfinite() and x.grad != 0
    for odd in ((x, "left"), (x, torch.rand(2))):
        with pytest.raises(TypeError, match="gaze"):
            fovea.foveate(images, odd)


# ---- The operator blur

BLUR = {"operators": "blur", "blur.sigma_px": 2.5, "blur.sigma_max_px": 5}


def sigmas(kind, lead):
    """One for all pixels, a picture for all images, or one for each."""
    drawn = torch.rand((*lead, 44, 40), generator=torch.Generator().manual_seed(3)) * 7 - 0.5
    return {"one": None, "picture": drawn.reshape(-1, 44, 40)[0].half(), "each": drawn}[kind]


@pytest.mark.parametrize("layout, shape", [*SHAPES, ("NHWF", (2, 44, 40, 4))])
@pytest.mark.parametrize("kind", ["one", "picture", "each"])
def test_the_gradient_of_a_blur_is_what_differences_say(layout, shape, kind):
    lead = shape[: len(shape) - len(layout) + 1]
    images, weights, step = (pictures(shape, layout if layout != "NHWF" else "NHWC", seed=seed) for seed in (5, 8, 9))
    sigma = sigmas(kind, lead)

    def blurred_loss(picture):
        return (fovea.foveate(picture, None, layout=layout, config=BLUR, sigma=sigma).double() * weights.double()).sum()

    images.requires_grad_()
    blurred_loss(images).backward()
    with torch.no_grad():
        expected = blurred_loss(step).item()
    assert abs(along(images.grad, step) - expected) <= 1e-4 * abs(expected)
    again = images.detach().clone().requires_grad_()  # a derivative of second order: of the square of the gradient's length
    (first,) = torch.autograd.grad((fovea.foveate(again, layout=layout, config=BLUR, sigma=sigma) ** 2).sum(), again, create_graph=True)
    (second,) = torch.autograd.grad((first**2).sum() / 2, again)
    assert abs(along(second, again.detach()) - (first.detach().double() ** 2).sum().item()) <= 1e-3 * (first**2).sum().item()


@pytest.mark.parametrize("kind", ["one", "picture"])
def test_the_gradient_of_a_blur_is_the_definitions(blurred, kind):
    image, weights, step = (pictures((44, 40), "NHW", seed=seed) for seed in (5, 8, 9))
    sigma = sigmas(kind, ())
    counted = np.full((44, 40), 2.5) if sigma is None else np.where(sigma.numpy() >= 0.1, sigma.numpy().astype(float).clip(None, 5), 0)
    image.requires_grad_()
    (fovea.foveate(image, layout="NHW", config=BLUR, sigma=sigma) * weights).sum().backward()
    expected = (weights.numpy() * blurred(step.numpy(), counted)).sum()
    assert abs(along(image.grad, step) - expected) <= 1e-3 * abs(expected)


def test_blurs_in_compiled_code_and_vmap_have_plain_codes_gradients():
    images, weights = pictures((2, 44, 40, 3), "NHWC"), pictures((2, 44, 40, 3), "NHWC", seed=8)
    sigma = sigmas("each", (2,))

    def gradient(call, *more):
        leaf = images.clone().requires_grad_()
        (call(leaf, *more) * weights).sum().backward()
        return leaf.grad

    def blur(picture, sigma=None):
        return fovea.foveate(picture, config=BLUR, sigma=sigma)

    for more in ((), (sigma,), (sigma[0],)):
        expected = gradient(blur, *more)
        assert torch.equal(gradient(torch.compile(blur, fullgraph=True, backend="aot_eager"), *more), expected)
        mapped = torch.vmap(blur, in_dims=(0, *(0 if one.dim() == 3 else None for one in more)))
        assert torch.equal(gradient(mapped, *more), expected)
        assert torch.equal(torch.func.grad(lambda i: (blur(i, *more) * weights).sum())(images), expected)
    frozen = sigma.numpy().copy()
    frozen.flags.writeable = False
    for other in (sigma.numpy()[:, ::-1], frozen):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # PyTorch warns of memory that nobody may write into
            found = gradient(blur, other)
        assert torch.equal(found, gradient(blur, torch.tensor(other.copy())))


def test_no_gaze_changes_a_blur_and_what_has_no_gradient_is_said():
    images, places, _ = case("NHWC", (2, 44, 40, 3))
    for sigma in (None, sigmas("picture", ())):
        gaze = places.clone().requires_grad_()
        leaf = images.clone().requires_grad_()
        fovea.foveate(leaf, gaze, config=BLUR, sigma=sigma).sum().backward()
        assert not gaze.grad.any() and leaf.grad.any()
    learned = sigmas("picture", ()).float().requires_grad_()
    with pytest.raises(fovea.UnsupportedError, match="images that are no tensors give none"):
        fovea.foveate(images.numpy(), config=BLUR, sigma=learned)
    with pytest.raises(fovea.UnsupportedError, match="float images"):
        fovea.foveate((images * 255).byte(), config=BLUR, sigma=learned)
    with pytest.raises(fovea.UnsupportedError, match="out= has no gradient"):
        fovea.foveate(images, config=BLUR, sigma=learned, out=torch.empty_like(images))
    slope = torch.autograd.grad(fovea.foveate(images, config=BLUR, sigma=learned).pow(2).sum(), learned, create_graph=True)[0]
    with pytest.raises(fovea.UnsupportedError, match="no derivative of its own"):
        slope.sum().backward()
    for sigma in (None, sigmas("picture", ())):
        with pytest.raises(fovea.UnsupportedError, match="several operators have no gradient"):
            fovea.foveate(images, gaze, config={**BLUR, "operators": "blur,foveate"}, sigma=sigma).sum().backward()
    with pytest.raises(fovea.UnsupportedError, match="blur.engine has no gradient"):
        fovea.foveate(images.clone().requires_grad_(), config={**BLUR, "blur.engine": "box"}).sum().backward()
    for odd, error in ((torch.zeros(44, 39), ValueError), (torch.zeros(3, 44, 40), ValueError), (torch.zeros(44, 40).double(), TypeError), (2.0, TypeError)):
        with pytest.raises(error, match="sigma"):
            fovea.foveate(images.clone().requires_grad_(), config=BLUR, sigma=odd)
    torch.library.opcheck(torch.ops.fovea.foveate_d_images.default, (images.requires_grad_(), places, fovea.Foveator(BLUR).text, "NHWC", sigmas("each", (2,))))


def learned_sigmas(*shape, seed=12):
    """Less than the largest that counts, and not so small that a step goes beyond the least."""
    return 0.5 + 4 * torch.rand(shape, generator=torch.Generator().manual_seed(seed))


def test_the_gradient_of_sigmas_is_the_definitions(blurred):
    image, weights = pictures((44, 40), "NHW"), pictures((44, 40), "NHW", seed=8)
    sigma, step = learned_sigmas(44, 40).requires_grad_(), learned_sigmas(44, 40, seed=13)
    (fovea.foveate(image, layout="NHW", config=BLUR, sigma=sigma) * weights).sum().backward()
    for direction in (step, torch.ones_like(step), (step > 4).float()):
        moved = [blurred(image.numpy(), (sigma.detach() + side * 1e-3 * direction).numpy()) for side in (1, -1)]
        expected = (weights.numpy() * (moved[0] - moved[1])).sum() / 2e-3
        assert abs(along(sigma.grad, direction) - expected) <= 1e-2 * abs(sigma.grad).sum().item()
    one = torch.tensor(2.1, requires_grad=True)
    (fovea.foveate(image, layout="NHW", config=BLUR, sigma=one.expand(44, 40)) * image).sum().backward()  # pixels' parts are of one sign
    moved = [blurred(image.numpy(), np.full((44, 40), 2.1 + side)) for side in (1e-3, -1e-3)]
    assert abs(one.grad.item() - (image.numpy() * (moved[0] - moved[1])).sum() / 2e-3) <= 1e-2 * abs(one.grad.item())


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_gradients_are_float32_whatever_torchs_default_is(dtype):
    image, gaze, sigma = pictures((44, 40), "NHW").float(), torch.tensor([0.4, 0.6]), learned_sigmas(44, 40)

    def found():
        leaf, learned = gaze.clone().requires_grad_(), sigma.clone().requires_grad_()
        (fovea.foveate(image, leaf, layout="NHW") ** 2).sum().backward()
        (fovea.foveate(image, layout="NHW", config=BLUR, sigma=learned) ** 2).sum().backward()
        return leaf.grad, learned.grad

    usual, before = found(), torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        assert all(torch.equal(one, other) for one, other in zip(found(), usual))
    finally:
        torch.set_default_dtype(before)


def test_sigmas_that_do_not_count_have_no_gradient():
    image, odd = pictures((44, 40), "NHW"), sigmas("each", ()).float().clone()
    odd[0, :4] = torch.tensor([float("nan"), -1, 0.05, 6])
    odd.requires_grad_()
    (fovea.foveate(image, layout="NHW", config=BLUR, sigma=odd) ** 2).sum().backward()
    counts = (odd >= 0.1) & (odd <= 5)
    assert not odd.grad[~counts].any() and not counts[0, :4].any() and odd.grad[counts].count_nonzero() > counts.sum() / 2


@pytest.mark.parametrize("layout, shape", SHAPES)
@pytest.mark.parametrize("dtype, bound", [(torch.float32, 5e-5), (torch.float16, 2e-2)])
def test_gradients_of_sigmas_have_all_layouts(layout, shape, dtype, bound):
    images, weights = pictures(shape, layout, dtype), pictures(shape, layout, dtype, seed=8)
    lead = shape[: len(shape) - len(layout) + 1]
    each, one = learned_sigmas(*lead, 44, 40).requires_grad_(), learned_sigmas(44, 40).to(dtype).requires_grad_()

    def gradient(sigma):
        (fovea.foveate(images, layout=layout, config=BLUR, sigma=sigma) * weights).sum().backward()
        return sigma.grad

    found, of_all = gradient(each), gradient(one)
    assert found.shape == each.shape and of_all.dtype == dtype
    planes = images if layout == "NCHW" else images[..., None, :, :] if layout == "NHW" else images.movedim(-1, -3)
    others = weights if layout == "NCHW" else weights[..., None, :, :] if layout == "NHW" else weights.movedim(-1, -3)
    if layout == "NHWC" and shape[-1] == 4:
        planes, others = planes[..., :3, :, :], others[..., :3, :, :]  # alpha stays
    again = each.detach().clone().requires_grad_()
    (fovea.foveate(planes.contiguous(), layout="NHW", config=BLUR, sigma=again.unsqueeze(len(lead)).expand(planes.shape)) * others).sum().backward()
    assert torch.allclose(found, again.grad, rtol=0, atol=bound * found.abs().max().item())
    every = one.detach().expand(*lead, 44, 40).clone().requires_grad_()
    expected = gradient(every).reshape(-1, 44, 40).float().sum(0)
    assert torch.allclose(of_all.float(), expected, rtol=0, atol=2e-3 * expected.abs().max().item())


def test_gradients_of_sigmas_in_compiled_code_vmap_and_torch_func():
    images, weights, sigma = pictures((2, 44, 40, 3), "NHWC"), pictures((2, 44, 40, 3), "NHWC", seed=8), learned_sigmas(2, 44, 40)

    def blur(picture, sigma):
        return fovea.foveate(picture, config=BLUR, sigma=sigma)

    def gradient(call):
        leaf = sigma.clone().requires_grad_()
        (call(images, leaf) * weights).sum().backward()
        return leaf.grad

    expected = gradient(blur)
    assert torch.equal(gradient(torch.compile(blur, fullgraph=True, backend="aot_eager")), expected)
    assert torch.equal(gradient(torch.vmap(blur)), expected)
    slope = torch.func.grad(lambda s, i, w: (blur(i, s) * w).sum())
    assert torch.equal(slope(sigma, images, weights), expected) and torch.equal(torch.vmap(slope)(sigma, images, weights), expected)
    text, places = fovea.Foveator(BLUR).text, gazes(2)
    torch.library.opcheck(torch.ops.fovea.foveate_d_sigma.default, (images, weights, places, text, "NHWC", sigma))


def test_images_and_sigmas_have_a_derivative_of_both():
    """The product of the images' gradient with pictures is foveation of these, whose gradient of sigmas is there."""
    images, weights, others = (pictures((2, 44, 40, 3), "NHWC", seed=seed) for seed in (5, 8, 9))
    sigma = learned_sigmas(2, 44, 40).requires_grad_()
    leaf = images.clone().requires_grad_()
    first = torch.autograd.grad((fovea.foveate(leaf, config=BLUR, sigma=sigma) * weights).sum(), leaf, create_graph=True)[0]
    found = torch.autograd.grad((first * others).sum(), sigma)[0]
    expected = torch.autograd.grad((fovea.foveate(others, config=BLUR, sigma=sigma) * weights).sum(), sigma)[0]
    assert torch.equal(found, expected)


def test_a_sigma_learns_how_blurred_a_picture_is():
    picture = torch.rand((1, 64, 64, 3), generator=torch.Generator().manual_seed(3))
    goal = fovea.foveate(picture, config={**BLUR, "blur.sigma_px": 2.5})
    sigma = torch.tensor(0.8, requires_grad=True)
    optimiser = torch.optim.Adam([sigma], lr=0.1)
    for _ in range(60):
        optimiser.zero_grad()
        ((fovea.foveate(picture, config=BLUR, sigma=sigma.expand(64, 64)) - goal) ** 2).sum().backward()
        optimiser.step()
    assert abs(sigma.item() - 2.5) < 0.02


def test_jax_has_torchs_gradient_of_a_blur(jax_and_package):
    jax, package = jax_and_package
    images, _, weights = case("NHWC", (2, 44, 40, 3))
    found = jax.grad(lambda i: (package.foveate(i, None, config=BLUR) * weights.numpy()).sum())(images.numpy())
    leaf = images.clone().requires_grad_()
    (fovea.foveate(leaf, config=BLUR) * weights).sum().backward()
    assert np.array_equal(np.asarray(found), leaf.grad.numpy())
