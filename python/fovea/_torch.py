# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""PyTorch's operator `fovea::foveate`, for what the plain call cannot do: torch.compile, torch.export, vmap, gradients.

An operator takes tensors and plain values. A Foveator goes into it as the text of its settings and not as a number of
a table: the text means the same in another process, so that exported programs and the caches of compiled graphs hold.
Imported when a tensor needs it, never by `import fovea`. PyTorch 2.4 or newer (torch.library.custom_op).
"""

from typing import Any, NoReturn, Optional

import numpy as np
import torch
from torch import Tensor

from . import _arrays, _errors, _foveator, _live, _shape


def _lead(images: Tensor, layout: str) -> torch.Size:
    return images.shape[: images.dim() - len(layout) + 1]


def _check(images: Tensor, gaze: Tensor, layout: str) -> None:
    """What an operator is given may come from anybody: torch.ops.fovea is there for all. A gaze is a pair for each image, or several."""
    lead = _lead(images, layout)
    if gaze.dtype != torch.float32:
        raise TypeError(f"gaze is {gaze.dtype}; the operator takes float32")
    if gaze.device.type == "meta" and images.device.type != "meta":  # torch would take this for a call on meta, and give memory as it was
        raise ValueError(f"gaze lies on meta, the images on {images.device}")
    foveas = gaze.shape[-2] if gaze.dim() == len(lead) + 2 else 1
    several = (*lead, foveas, 2) if gaze.dim() == len(lead) + 2 else (*lead, 2)
    if gaze.shape != several or not 1 <= foveas <= _shape.MOST_FOVEAS:
        raise ValueError(f"gaze has shape {tuple(gaze.shape)}; the images are {tuple(images.shape)} as {layout}: a pair for each")


def _check_sigma(images: Tensor, sigma: Optional[Tensor], layout: str) -> None:
    """Pictures of sigmas are one for each image."""
    if sigma is None:
        return
    rows = images.dim() - len(layout) + 1 + layout.index("H") - 1
    wanted = (*_lead(images, layout), *images.shape[rows : rows + 2])
    if sigma.dtype not in (torch.float16, torch.float32):
        raise TypeError(f"sigma is {sigma.dtype}; it must be float16 or float32")
    if sigma.shape != wanted or sigma.device != images.device:
        raise ValueError(f"sigma has shape {tuple(sigma.shape)} on {sigma.device}; it must be {wanted} on {images.device}, one for each pixel")


def _check_alike(images: Tensor, d_seen: Tensor) -> None:
    if (images.shape, images.dtype, images.device) != (d_seen.shape, d_seen.dtype, d_seen.device):
        raise ValueError(
            f"images are {images.dtype} of shape {tuple(images.shape)} on {images.device}, d_seen is {d_seen.dtype} of "
            f"{tuple(d_seen.shape)} on {d_seen.device}"
        )


@torch.library.custom_op("fovea::foveate", mutates_args=())
def foveate(images: torch.Tensor, gaze: torch.Tensor, settings: str, layout: str, sigma: Optional[torch.Tensor] = None) -> torch.Tensor:
    _check(images, gaze, layout)
    _check_sigma(images, sigma, layout)
    beside = {} if sigma is None else {"sigma": (sigma.detach(), None)}
    with torch.no_grad():
        seen: torch.Tensor = _foveator.of_text(settings)._plain(images.detach(), gaze.detach().contiguous(), None, layout, None, beside)
    return seen


@foveate.register_fake
def _(images: Tensor, gaze: Tensor, settings: str, layout: str, sigma: Optional[Tensor] = None) -> Tensor:
    _check(images, gaze, layout)
    _check_sigma(images, sigma, layout)
    return images.new_empty(images.shape)


NO_FORWARD_MODE = "foveate in forward mode (make_dual, jvp, jacfwd, hessian): it has gradients by backward(), torch.autograd.grad and torch.func.grad"


def _mapped(operator: Any, info: Any, in_dims: tuple[Optional[int], ...], *arguments: Any) -> tuple[Tensor, int]:
    """vmap: what is mapped over is one more leading dimension of all tensors."""
    moved = []
    for argument, dim in zip(arguments, in_dims):
        if isinstance(argument, torch.Tensor):
            one = argument.unsqueeze(0).expand(info.batch_size, *argument.shape)
            argument = one if dim is None else argument.movedim(dim, 0)
        moved.append(argument)
    return operator(*moved), 0


class _Differentiable:
    """An operator with a gradient, also under torch.func's transforms: these take no gradient that is registered with an operator, but that of
    an autograd.Function, which code that torch compiles does not need."""

    def __init__(self, operator: Any, backward: Any, keep: Any = None) -> None:
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
            if keep is not None:
                keep(ctx, inputs, output)

        def vmap(info: Any, in_dims: Any, *arguments: Any) -> tuple[Tensor, int]:
            return _mapped(self, info, in_dims, *arguments)

        def forward(*arguments: Any) -> Any:
            return operator(*arguments)

        def jvp(*_: Any) -> NoReturn:
            raise _errors.UnsupportedError(NO_FORWARD_MODE)

        methods = {"forward": forward, "setup_context": setup_context, "backward": backward, "jvp": jvp, "vmap": vmap}
        static = {name: staticmethod(method) for name, method in methods.items()}
        of_torch_func: Any = type("OfTorchFunc", (torch.autograd.Function,), static)
        self._operator, self._of_torch_func = operator, of_torch_func
        operator.register_autograd(backward, setup_context=keep)
        if hasattr(operator, "register_vmap"):  # PyTorch 2.5
            operator.register_vmap(lambda info, in_dims, *arguments: _mapped(operator, info, in_dims, *arguments))

    def __call__(self, *arguments: Any) -> Tensor:
        is_looked_at = not torch.compiler.is_compiling() and torch._C._functorch.maybe_current_level() is not None
        seen: Tensor = (self._of_torch_func.apply if is_looked_at else self._operator)(*arguments)
        return seen


@torch.library.custom_op("fovea::unseen", mutates_args=())
def unseen(images: torch.Tensor, layout: str) -> torch.Tensor:
    """Images that nobody looks at stay as they are; those that Fovea does not take are refused as others."""
    _shape.shape_of(_arrays.view_of(images.detach(), "images"), layout)
    return images.detach().clone(memory_format=torch.contiguous_format)


@unseen.register_fake
def _(images: Tensor, layout: str) -> Tensor:
    return images.new_empty(images.shape)


left_alone = _Differentiable(unseen, lambda ctx, d_seen: (d_seen, None))


# ---- Gradients. Foveation is linear in the images.

NO_GRADIENT = "foveate has no gradient for images of {}: give float images (images.float() / 255), or detach() the gaze and the sigma"


def _fitting(tensor: Tensor, layout: str) -> Tensor:
    view = _arrays.view_of(tensor, "images")
    together = layout == "NHW" or tensor.stride(-1) == 1
    return tensor if together and _shape.shape_of(view, layout).fits(view) else tensor.contiguous()


# Layouts are NHWC with 1, 3 or 4 colours and NHW; colours of others are images of their own. Results have no gaps.


def _check_places(gaze: Tensor) -> None:
    """Says of gazes in the CPU's memory what the forward call says; those on a device may be anywhere, and NaN."""
    if gaze.device.type == "cpu":
        _shape.check_places(gaze.detach().reshape(-1).numpy())


@torch.library.custom_op("fovea::foveate_d_images", mutates_args=())
def d_images(d_seen: torch.Tensor, gaze: torch.Tensor, settings: str, layout: str, sigma: Optional[torch.Tensor] = None) -> torch.Tensor:
    _check(d_seen, gaze, layout)
    _check_sigma(d_seen, sigma, layout)
    _check_places(gaze)
    found = torch.empty(d_seen.shape, dtype=d_seen.dtype, device=d_seen.device)
    sigma = None if sigma is None else sigma.contiguous()
    if found.numel():
        _foveator.of_text(settings)._gradient(found, _fitting(d_seen, layout), gaze.contiguous(), None, layout, sigma)
    return found


@torch.library.custom_op("fovea::foveate_d_gaze", mutates_args=())
def d_gaze(images: torch.Tensor, d_seen: torch.Tensor, gaze: torch.Tensor, settings: str, layout: str) -> torch.Tensor:
    _check(images, gaze, layout)
    _check_alike(images, d_seen)
    _check_places(gaze)
    places = gaze.to(images.device).contiguous()
    found = torch.zeros(places.shape, dtype=torch.float32, device=places.device)
    if images.numel():
        _foveator.of_text(settings)._gradient(_fitting(images, layout), _fitting(d_seen, layout), places, found, layout)
    return found.to(gaze.device)


@torch.library.custom_op("fovea::foveate_d_sigma", mutates_args=())
def d_sigma(images: torch.Tensor, d_seen: torch.Tensor, gaze: torch.Tensor, settings: str, layout: str, sigma: torch.Tensor) -> torch.Tensor:
    _check(images, gaze, layout)
    _check_alike(images, d_seen)
    _check_sigma(images, sigma, layout)
    found = torch.zeros(sigma.shape, dtype=torch.float32, device=sigma.device)
    if found.numel():
        places = gaze.contiguous()
        _foveator.of_text(settings)._gradient(
            _fitting(images, layout), _fitting(d_seen, layout), places, None, layout, sigma.contiguous(), found
        )
    return found.to(sigma.dtype)


@d_images.register_fake
def _(d_seen: Tensor, gaze: Tensor, settings: str, layout: str, sigma: Optional[Tensor] = None) -> Tensor:
    _check(d_seen, gaze, layout)
    _check_sigma(d_seen, sigma, layout)
    return d_seen.new_empty(d_seen.shape)


@d_gaze.register_fake
def _(images: Tensor, d_seen: Tensor, gaze: Tensor, settings: str, layout: str) -> Tensor:
    _check(images, gaze, layout)
    _check_alike(images, d_seen)
    return gaze.new_empty(gaze.shape)


@d_sigma.register_fake
def _(images: Tensor, d_seen: Tensor, gaze: Tensor, settings: str, layout: str, sigma: Tensor) -> Tensor:
    _check(images, gaze, layout)
    _check_alike(images, d_seen)
    _check_sigma(images, sigma, layout)
    return sigma.new_empty(sigma.shape)


def _wants_sigma(ctx: Any) -> bool:
    return len(ctx.needs_input_grad) > 4 and bool(ctx.needs_input_grad[4])


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    images, gaze, ctx.settings, ctx.layout, sigma = inputs
    wants_images = ctx.needs_input_grad[1] or _wants_sigma(ctx)
    if wants_images and not images.is_floating_point():
        raise _errors.UnsupportedError(NO_GRADIENT.format(images.dtype))
    ctx.save_for_backward(gaze, images if wants_images else None, sigma)


def _images_of_planes(tensor: Tensor, layout: str) -> Tensor:
    return tensor if layout == "NCHW" else tensor.movedim(-1, -3)


def _for_gaze_beside_sigma(gaze: Tensor, settings: str) -> Tensor:
    """0, for the operator blur looks at no gaze. UnsupportedError: another operator, which may, is in the row."""
    if _operators_of(settings) != "blur":
        raise _errors.UnsupportedError("foveate: several operators have no gradient")
    return torch.zeros_like(gaze)


def _foveate_backward(ctx: Any, d_seen: Tensor) -> tuple[Optional[Tensor], ...]:
    gaze, images, sigma = ctx.saved_tensors
    settings, layout = ctx.settings, ctx.layout
    planes = not _shape.are_pixels(layout, d_seen.shape[-1])
    if planes:
        lead = len(_lead(d_seen, layout))
        d_seen = _images_of_planes(d_seen, layout)
        gaze = gaze.unsqueeze(lead).expand(*d_seen.shape[:-2], *gaze.shape[lead:])
        sigma = None if sigma is None else sigma.unsqueeze(lead).expand(d_seen.shape)
    if planes and images is not None:
        images = _images_of_planes(images, layout)
    as_images = "NHW" if planes else layout
    for_images = for_gaze = for_sigma = None
    if ctx.needs_input_grad[0]:
        for_images = images_gradient(d_seen, gaze, settings, as_images, sigma)
        for_images = for_images.movedim(-3, -1) if planes and layout != "NCHW" else for_images
    if ctx.needs_input_grad[1] and sigma is not None:
        for_gaze = _for_gaze_beside_sigma(ctx.saved_tensors[0], settings)
    elif ctx.needs_input_grad[1]:
        for_gaze = gaze_gradient(images, d_seen, gaze, settings, as_images)
        for_gaze = for_gaze.sum(lead) if planes else for_gaze
    if _wants_sigma(ctx):
        for_sigma = sigma_gradient(images, d_seen, gaze, settings, as_images, sigma)
        for_sigma = for_sigma.sum(lead) if planes else for_sigma
    return for_images, for_gaze, None, None, for_sigma


foveated = _Differentiable(foveate, _foveate_backward, _keep)


def _keep_d_images(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    d_seen, gaze, ctx.settings, ctx.layout, sigma = inputs
    ctx.save_for_backward(gaze, d_seen if ctx.needs_input_grad[1] or _wants_sigma(ctx) else None, sigma)


def _d_images_backward(ctx: Any, dd: Tensor) -> tuple[Optional[Tensor], ...]:
    """d_images(d_seen) . dd is d_seen . foveate(dd): its derivatives with respect to the gaze and to sigma are what d_gaze and d_sigma give."""
    gaze, d_seen, sigma = ctx.saved_tensors
    settings, layout = ctx.settings, ctx.layout
    for_d_seen = foveated(dd, gaze, settings, layout, sigma) if ctx.needs_input_grad[0] else None
    for_gaze = None
    if ctx.needs_input_grad[1]:
        for_gaze = gaze_gradient(dd, d_seen, gaze, settings, layout) if sigma is None else _for_gaze_beside_sigma(gaze, settings)
    for_sigma = sigma_gradient(dd, d_seen, gaze, settings, layout, sigma) if _wants_sigma(ctx) else None
    return for_d_seen, for_gaze, None, None, for_sigma


images_gradient = _Differentiable(d_images, _d_images_backward, _keep_d_images)


def _d_gaze_backward(ctx: Any, dd: Tensor) -> NoReturn:
    raise _errors.UnsupportedError("foveate: the gradient with respect to the gaze has no derivative of its own")


def _d_sigma_backward(ctx: Any, dd: Tensor) -> NoReturn:
    raise _errors.UnsupportedError("foveate: the gradient with respect to sigma has no derivative of its own")


gaze_gradient = _Differentiable(d_gaze, _d_gaze_backward)
sigma_gradient = _Differentiable(d_sigma, _d_sigma_backward)


# ---- What Foveator calls


def _gaze_tensor(gaze: Any, images: Tensor, layout: str) -> Tensor:
    """The gaze as a tensor of float32 with a pair for each image, or for each of its foveas, in a way that gradients follow."""
    if not isinstance(gaze, torch.Tensor):
        if isinstance(gaze, (tuple, list, np.ndarray)) and not torch.compiler.is_compiling():
            gaze = _shape.real_places(gaze, np.float32)
        gaze = torch.as_tensor(gaze, dtype=torch.float32)
    elif gaze.is_complex():
        raise TypeError(f"gaze is {gaze.dtype}; it is x and y for each image")
    elif gaze.dtype != torch.float32:
        gaze = gaze.to(torch.float32)
    lead = _lead(images, layout)
    _shape.check_gaze(gaze.shape, lead)
    if _shape.foveas_of(gaze.shape, lead) > 1:
        return gaze
    return gaze.reshape(*lead, 2) if gaze.dim() > 1 else gaze.expand(*lead, 2)


def _sigma_tensor(sigma: Any, images: Tensor, layout: str) -> Optional[Tensor]:
    """Pictures of sigmas as a tensor with one for each image."""
    if sigma is None:
        return None
    if not isinstance(sigma, torch.Tensor):
        _arrays.view_of(sigma, "sigma")  # TypeError: it is no array, or a masked one
        sigma = torch.as_tensor(np.require(sigma, requirements=("C", "W")) if isinstance(sigma, np.ndarray) else sigma)
    lead = _lead(images, layout)
    return sigma.expand(*lead, *sigma.shape) if sigma.dim() == 2 and len(lead) else sigma


def _operators_of(text: str) -> str:
    for line in text.split("\t"):
        if line.startswith("operators="):
            return line.removeprefix("operators=")
    return "foveate"


def _seen_by_nobody(images: Tensor, text: str, layout: str, sigma: Optional[Tensor]) -> Tensor:
    """What images without a gaze become. UnsupportedError: foveate stands among operators that are still at work."""
    operators = _operators_of(text)
    if "foveate" not in operators:  # these look at no gaze
        return foveated(images, _gaze_tensor((0.5, 0.5), images, layout), text, layout, sigma)
    if operators != "foveate":
        raise _errors.UnsupportedError(
            "gaze None, with operators beside foveate: call it on plain tensors under no_grad(), outside of code that torch compiles"
        )
    return left_alone(images, layout)


def _learns(array: Any) -> bool:
    return isinstance(array, torch.Tensor) and array.requires_grad


def call(images: Any, gaze: Any, text: str, out: Any, layout: str, stream: Any, sigma: Any = None) -> Any:
    """Foveates by the operator. Its stream is torch's current one."""
    if stream is not None:
        raise ValueError("stream= with gradients, in compiled code or where operators are looked at: work under torch.cuda.stream(stream) instead")
    _arrays.check_strided(images)
    if not isinstance(layout, str) or layout not in _shape.LAYOUTS or images.dim() < len(layout) - 1:
        raise ValueError(f"images of shape {tuple(images.shape)} with layout {layout!r}; it must be one of {', '.join(_shape.LAYOUTS)}")
    if not torch.compiler.is_compiling() and any(map(_arrays.has_tangent, (images, gaze, out, sigma))):
        raise _errors.UnsupportedError(NO_FORWARD_MODE)
    if torch.is_grad_enabled():
        if (_learns(gaze) or _learns(sigma)) and not images.is_floating_point():
            raise _errors.UnsupportedError(NO_GRADIENT.format(images.dtype))
        if out is not None and any(map(_learns, (images, gaze, sigma, out))):
            raise _errors.UnsupportedError("out= has no gradient: leave it away, or work under torch.no_grad()")
    pictured = _sigma_tensor(sigma, images, layout)
    if gaze is None:
        seen = _seen_by_nobody(images, text, layout, pictured)
    else:
        seen = foveated(images, _gaze_tensor(gaze, images, layout), text, layout, pictured)
    if out is None:
        return seen
    if not isinstance(out, torch.Tensor):
        raise TypeError(f"out is {type(out).__name__}, the images are a tensor of torch")
    if out.shape != seen.shape or out.dtype != seen.dtype or out.device != seen.device:
        raise ValueError(f"out is {out.dtype} of shape {tuple(out.shape)}; the images are {images.dtype} of {tuple(images.shape)}")
    return out.copy_(seen)


@torch.compiler.assume_constant_result
def _text_of(config: _foveator.AnyConfig) -> str:
    return _foveator.of_config(config).text


def traced(images: Any, gaze: Any, out: Any, config: _foveator.AnyConfig, layout: str, stream: Any, sigma: Any = None) -> Any:
    """`fovea.foveate` in code that torch.compile reads: a configuration is a constant of the graph."""
    text = config.text if isinstance(config, _foveator.Foveator) else _text_of(config)
    if isinstance(gaze, _live.GazeSample):
        gaze = gaze.place
    return call(images, _arrays.stacked(gaze), text, out, layout, stream, sigma)
