# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Foveation of arrays: what `foveate` and `Foveator` do."""

import functools
import sys
import warnings
import weakref
from typing import Any, Mapping, Optional, Sequence, TypeVar, Union

import numpy as np

from . import _arrays, _calls, _context, _deep, _depth, _errors, _given, _live, _maps, _settings, _shape


Array = TypeVar("Array")  # what comes back is of the images' library

_NO_BLUR_PX = 0.29  # a sigma that leaves 99 % of the finest grating that pixels show
_MOST_LOOKED_AT = 1 << 20  # pixels of a picture: some milliseconds, once for each size


class Foveator:
    """Foveates batches of images with one configuration, and keeps what depends on it.

    config: None (the defaults), a mapping of settings by path, as in
    {"foveation.strength": 2, "foveation.model": "physical"} (groups may be nested mappings), the name of a model
    ("relative", "paper", "physical", "curve", "map"), or the name of a configuration file (a path, or a string that ends
    in .json). `fovea.settings()` lists the paths. Where nothing names a model, it is "relative" (the library's own default is
    "paper"): around the gaze a quarter of half the shorter side stays as it is, and resolution halves over as much again.
    What is wrong raises ConfigError here, with the path that may be meant.

    maps: arrays instead of files, by setting, of NumPy's or torch's; copied here. "foveation.map": samples of the model "map",
        (rows, columns), 2 to 4096 each way, the first row at the top, the middle on the gaze; finite, not negative, in any unit:
        "foveation.map.law" says what they mean, "foveation.map.width_deg" how wide they lie. A PNG's samples are its values
        over the highest (255, 65535). "lens.file": source positions of the operator lens, a `fovea.Field`, or its xy alone.
    transfer: what levels of uint8 and uint16 say of light: "srgb", "pq" (SMPTE ST 2084) or "hlg" (ITU-R BT.2100, of three colours, red first, or
        of grey; "foveation.display.hlg_peak_cd_m2" says the display), over the full range. Floats are averaged as they are.
    bits: of levels in uint16: 9 to 16; 10 are 0 to 1023, in the lower bits.

    Nothing of CUDA is touched before the first image in CUDA memory. There is one context of the library's for each
    process and device, opened with the first images; after fork the child opens its own. Objects can be pickled, and
    used by several threads, whose calls then wait for each other. A file of settings is read here; the files of
    maps, kernels and lenses with the first images, and ConfigError is raised where one has changed meanwhile.
    """

    def __init__(
        self,
        config: _settings.Config = None,
        *,
        maps: Optional[Mapping[str, Any]] = None,
        transfer: str = "srgb",
        bits: int = 16,
    ) -> None:
        given = _given.given_of(maps, transfer, bits)
        settings = _settings.Settings(_settings.as_pairs(config), given)  # now, and not with the first image
        self._open(settings, settings.text())

    def _open(self, settings: _settings.Settings, text: str) -> None:
        # The text is what this is: it says settings and what is in files, and is the same in another process.
        self.text = text
        self._settings = settings
        self._contexts = _context.Contexts(text)
        self._calls = _calls.Calls()
        self._looked_at: set[tuple[int, int]] = set()  # sizes of pictures
        self._is_hlg = settings.given.transfer == "hlg"
        self._bits = settings.given.bits
        _alive[text] = self
        _warn_unused(settings.unused)

    @classmethod
    def _of_text(cls, text: str) -> "Foveator":
        made = cls.__new__(cls)
        made._open(_settings.of_text(text), text)
        return made

    @classmethod
    def _of_text_given(cls, text: str, given: _given.Given) -> "Foveator":
        made = cls.__new__(cls)
        made._open(_settings.Settings(_settings.pairs_of_text(text), _given.remember(given)), text)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        given = self._settings.given
        return (Foveator._of_text_given, (self.text, given)) if given.arrays else (Foveator._of_text, (self.text,))

    def __repr__(self) -> str:
        return f"Foveator({', '.join(f'{path}={value}' for path, value in _settings.pairs_of_text(self.text))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Foveator) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def get(self, path: str) -> str:
        """The text of a setting in force. KeyError: there is no such setting."""
        text = self._settings.get(path)
        if text is None:
            raise KeyError(path)
        return text

    def sigma_map(self, shape: Sequence[int], gaze: Any = (0.5, 0.5)) -> _maps.Map:
        """The blur of foveation at each pixel of a picture of that shape: the standard deviation in pixels.

        shape: rows and columns, as of an image. gaze: (x, y) in uv, or (N, 2), or a `GazeSample` or an open `fovea.Gaze`; with
            several foveas a picture, (N, foveas, 2), of which there are up to four, and not with the method blockwise.

        Returns float32 of (rows, columns), or (N, rows, columns); 0 where the picture is left as it is. Takes about as long as a
        picture on one core, or longer: not for every frame. The same holds for the maps below.
        """
        return self._of_its_files(_maps.made(self._settings, "fovea_sigma_map", shape, gaze))

    def eccentricity_map(self, shape: Sequence[int], gaze: Any = (0.5, 0.5)) -> _maps.Map:
        """Degrees between each pixel's ray and the gaze's, for models with a view; docs/models.md says what others have."""
        return self._of_its_files(_maps.made(self._settings, "fovea_eccentricity_map", shape, gaze))

    def cutoff_map(self, shape: Sequence[int], gaze: Any = (0.5, 0.5)) -> _maps.Map:
        """The model's cutoff at each pixel, in cycles per degree, before strength and method; it may lie beyond what pixels show."""
        return self._of_its_files(_maps.made(self._settings, "fovea_cutoff_map", shape, gaze))

    def gain_map(
        self, shape: Sequence[int], cycles_per_deg: float, direction_deg: float = 0.0, gaze: Any = (0.5, 0.5)
    ) -> _maps.Map:
        """What is left of the amplitude of a grating at each pixel, 0 to 1, all settings included.

        cycles_per_deg: its frequency at the pixel. direction_deg: along which it varies, 0 to the right, 90 down.
        """
        return self._of_its_files(_maps.gain(self._settings, shape, gaze, cycles_per_deg, direction_deg))

    def _of_its_files(self, found: _maps.Map) -> _maps.Map:
        """Returns what was found. ConfigError: the map's file that was read for it is not the one that pictures are made by."""
        _settings.check_files(self.text, only=(_settings.MAP_FILE,))
        return found

    def _look_at(self, width: int, height: int) -> None:
        """Warns, once, of settings that leave pictures of this size as they are."""
        if (width, height) in self._looked_at or width * height > _MOST_LOOKED_AT:
            return
        self._looked_at.add((width, height))
        if "foveate" not in self.get("operators") or float(self.get("foveation.strength")) == 0:
            return
        sigma_px = self._settings.largest_sigma_px(width, height)
        if sigma_px < _NO_BLUR_PX:
            warnings.warn(
                f"these settings leave pictures of {width} x {height} as they are: sigma is at most {sigma_px:.2f} px, and below "
                f'{_NO_BLUR_PX} px there is no blur (model {self.get("foveation.model")}; "relative" goes by the picture\'s size)',
                stacklevel=5,
            )

    def open(self, device: str = "cpu", ordinal: int = 0) -> None:
        """Opens the library's context now instead of with the first images. device: "cpu" or "cuda".

        For "cuda" the GPU's kernels are loaded here: UnsupportedError where there is none.
        """
        if device not in (_arrays.CPU, _arrays.CUDA):
            raise ValueError(f"device is {device!r}; it must be cpu or cuda")
        self._contexts.open_for(device, ordinal)

    def close(self) -> None:
        """Waits for what is under way on devices and frees it. A later call opens it again."""
        self._calls.clear()
        self._contexts.close()

    def __call__(
        self,
        images: Array,
        gaze: Any = (0.5, 0.5),
        *,
        out: Optional[Array] = None,
        layout: str = "NHWC",
        stream: Any = None,
        sigma: Any = None,
        depth: Optional[_depth.Depth] = None,
    ) -> Array:
        """Foveates images around gazes; see `foveate`."""
        if isinstance(gaze, _live.GazeSample):
            gaze = gaze.place
        elif isinstance(gaze, _live.Gaze):
            gaze = gaze.place_for(getattr(images, "shape", ()), layout)
        elif type(gaze) is not np.ndarray:
            gaze = _arrays.stacked(gaze)
        beside = _beside_of(sigma, depth)
        if depth is not None:
            _check_plain(images, gaze, out, beside)
        elif not isinstance(images, np.ndarray) and _arrays.torch_wants_operator(images, gaze, out, sigma):
            from . import _torch

            return _torch.call(images, gaze, self.text, out, layout, stream, sigma)
        elif beside:
            _check_sigma(sigma)
            _check_jax(images, out, beside)
        if beside:
            return self._plain(images, gaze, out, layout, stream, beside)
        if not isinstance(images, np.ndarray):
            if out is None and _arrays.is_jax(images):
                return self._of_jax(images, gaze, layout, stream)
        return self._plain(images, gaze, out, layout, stream, {})

    def _of_jax(self, images: Any, gaze: Any, layout: str, stream: Any) -> Any:
        from . import jax

        if stream is not None:
            raise ValueError("stream= with a JAX array: XLA has streams of its own")
        return jax.foveate(images, gaze, config=self, layout=layout)

    def _plain(
        self, images: Any, gaze: Any, out: Any, layout: str, stream: Any, beside: "_Beside", is_wide: bool = False
    ) -> Any:
        """Foveates arrays that have memory, without gradients. is_wide: those of uint16 have sixteen bits, whatever others have."""
        if isinstance(gaze, (tuple, list)):
            gaze = _calls.as_array(gaze)
        key = _calls.key_of(images, gaze, out, layout) if stream is None and not beside and not is_wide else None
        call = self._calls.get(key)
        if call is not None:
            target = _arrays.empty_like(images) if out is None else out
            if call(images, gaze, target):
                if out is not None:
                    _arrays.mark_written(out)
                return target
        chosen = _stream_of(stream)
        source = _arrays.view_of(images, "images", chosen)
        if chosen is not None and source.device != _arrays.CUDA:
            raise ValueError("a stream is for images in CUDA memory; these lie in the CPU's")
        shape = _shape.shape_of(source, layout)
        if self._is_hlg and source.dtype in (np.uint8, np.uint16):
            _deep.check_hlg(shape)
        if source.dtype == np.uint16 and self._bits < 16 and not is_wide:
            return self._of_fewer_bits(images, source, gaze, out, layout, stream, beside)
        is_ordered = chosen is not None  # by the caller, whose stream waits for whatever it must
        if chosen is None:
            chosen = source.stream
        # Allocations and copies here belong to the stream that the kernels run on.
        with _arrays.on_stream(images, source, chosen):
            return self._run(images, source, shape, gaze, out, layout, chosen, is_ordered, key, beside)

    def _of_fewer_bits(
        self, images: Any, source: _arrays.View, gaze: Any, out: Any, layout: str, stream: Any, beside: "_Beside"
    ) -> Any:
        """Foveates levels of uint16 that have less than sixteen bits."""
        if not _arrays.has_arithmetic(images):
            raise TypeError(f"images of uint16 with bits={self._bits}: Fovea takes those of NumPy, torch and CuPy, not {type(images).__name__}")
        if out is not None:
            _check_out(source, _arrays.view_of(out, "out", _stream_of(stream)))
            if not _arrays.has_arithmetic(out) or _arrays.is_torch(out) != _arrays.is_torch(images):
                raise TypeError(f"out is a {type(out).__name__}: levels of uint16 go into an array of the images' library")
        highest = (1 << self._bits) - 1
        _deep.check_levels(images, source, highest)
        target = _arrays.empty_like(images, source) if out is None else out
        with _arrays.on_stream(images, source, _stream_of(stream)):
            seen = self._plain(_deep.widened(images, highest), gaze, None, layout, stream, beside, is_wide=True)
            target[...] = _deep.narrowed(seen, highest)
        if out is not None:
            _arrays.mark_written(out)
        return target

    def _run(
        self,
        images: Any,
        source: _arrays.View,
        shape: _shape.Shape,
        gaze: Any,
        out: Any,
        layout: str,
        stream: Optional[int],
        is_ordered: bool,
        key: Optional[_calls.Key],
        beside: "_Beside",
    ) -> Any:
        is_given = out is not None
        if not is_given:
            out = _arrays.empty_like(images, source)
        target = _arrays.view_of(out, "out", stream)
        _check_out(source, target)
        if not is_ordered:
            _check_order(target, stream, "out")
        if shape.images == 0:
            if gaze is not None:
                _gazes_of(gaze, shape, source, stream)  # says what is wrong with it
            return out
        if gaze is None and self.get("operators") == "foveate":
            out[...] = images  # nobody looks
            return out
        self._look_at(shape.width, shape.height)
        packed = None
        if not shape.fits(source) or not source.is_aligned:
            source = _arrays.view_of(_arrays.packed(images), "images", stream)
        if not shape.fits(target, written=True) or not target.is_aligned:
            if target.device == _arrays.CUDA and not _arrays.has_arithmetic(out):
                raise ValueError(f"out is a {type(out).__name__} with these strides: give one without gaps")
            packed = _arrays.empty_like(out, target)
            target = _arrays.view_of(packed, "out", stream)
        gazes = _gazes_of(gaze, shape, source, stream)
        if not is_ordered:
            _check_order(gazes, stream, "gaze")
        pictures = {what: _pictures_of(array, what, source, stream) for what, (array, _) in beside.items()}
        for what, view in pictures.items():
            if not is_ordered:
                _check_order(view, stream, what)
        sigmas = shape.sigmas(pictures["sigma"]) if "sigma" in beside else None
        depths = shape.depths(beside["depth"][1], pictures["depth"]) if "depth" in beside else None
        batches = _shape.batches_of(source, target, gazes, layout, sigmas, depths)
        state = self._contexts.run(source.device, source.ordinal, batches, stream)
        if key is not None:
            self._calls.keep(key, (images, out, gaze), (source, target, gazes), batches, state)
        if packed is not None:
            out[...] = packed
        if is_given:
            _arrays.mark_written(out)
        return out

    def _gradient(self, picture: Any, d_seen: Any, gaze: Any, d_gaze: Any, layout: str, sigma: Any = None, d_sigma: Any = None) -> None:
        """Runs `_shape.gradients_of` of torch tensors on torch's current stream. d_sigma: float32 of sigma's shape without gaps."""
        source, weights, gazes = (_arrays.view_of(array, "gradient") for array in (picture, d_seen, gaze))
        d_gazes, d_sigmas = (None if array is None else _arrays.view_of(array, "gradient") for array in (d_gaze, d_sigma))
        shape = _shape.shape_of(source, layout)
        _check_gradient(shape, source, weights, gazes, d_gazes)
        sigmas = None if sigma is None else shape.sigmas(_pictures_of(sigma, "sigma", source, source.stream))
        gradients = _shape.gradients_of(source, weights, gazes, d_gazes, layout, sigmas, d_sigmas)
        self._contexts.run(source.device, source.ordinal, gradients, source.stream)


def _check_gradient(
    shape: _shape.Shape, picture: _arrays.View, d_seen: _arrays.View, gazes: _arrays.View, d_gazes: Optional[_arrays.View]
) -> None:
    """The library is given addresses: what they hold must be as long as it reads and writes."""
    if (d_seen.shape, d_seen.dtype) != (picture.shape, picture.dtype):
        raise ValueError(f"the gradient of {picture.dtype} {picture.shape} is {d_seen.dtype} of shape {d_seen.shape}")
    if shape.goes_in_planes((picture, d_seen)):
        raise ValueError(f"colours of shape {picture.shape} are planes: each is an image of its own for a gradient")
    foveas = _shape.foveas_of(gazes.shape, shape.lead)
    pairs = (*shape.lead, foveas, 2) if len(gazes.shape) == len(shape.lead) + 2 else (*shape.lead, 2)
    for view in (gazes,) if d_gazes is None else (gazes, d_gazes):
        if view.dtype != np.float32 or view.shape != pairs or not view.is_packed or not 1 <= foveas <= _shape.MOST_FOVEAS:
            raise ValueError(f"gazes are {view.dtype} of shape {view.shape}; they must be float32 of {pairs} without gaps")
    beside = [d_seen] if d_gazes is None and gazes.device == _arrays.CPU else [d_seen, gazes, d_gazes or gazes]
    if any((view.device, view.ordinal) != (picture.device, picture.ordinal) for view in beside):
        raise ValueError(f"a gradient's arrays lie on {picture.device}:{picture.ordinal} and elsewhere")


_said: set[str] = set()


def _warn_unused(unused: str) -> None:
    """Warns, once, of settings that do nothing beside the others, where the caller of this package is."""
    if not unused or unused in _said:
        return
    _said.add(unused)
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(f"settings that do nothing: {unused}", stacklevel=level)


_Beside = dict[str, tuple[Any, Any]]  # arrays that come with the images, by their argument, which may say more of them


def _beside_of(sigma: Any, depth: Any) -> _Beside:
    beside: _Beside = {}
    if sigma is not None:
        beside["sigma"] = (sigma, None)
    if depth is not None:
        if not isinstance(depth, _depth.Depth):
            raise TypeError(f"depth is a fovea.Depth, which says what its values mean, not {type(depth).__name__}")
        beside["depth"] = (depth.values, depth)
    return beside


def _check_plain(images: Any, gaze: Any, out: Any, beside: _Beside) -> None:
    """Refuses calls with sigmas or depths that are no plain ones."""
    what = _names_of(beside)
    arrays = [array for array, _ in beside.values()]
    wanted = any(_arrays.is_torch(array) and array.requires_grad for array in (images, gaze, *arrays))
    if _arrays.torch_compiles() or _arrays.torch_wants_operator(images, gaze, out) or (
        wanted and sys.modules["torch"].is_grad_enabled()
    ):
        raise _errors.UnsupportedError(f"{what} has no gradients, and no operator of torch's: call it on plain tensors under no_grad()")
    _check_jax(images, out, beside)


def _names_of(beside: _Beside) -> str:
    return " and ".join(f"{name}=" for name in beside)


def _check_sigma(sigma: Any) -> None:
    """Refuses a tensor that learns beside images that are none."""
    if _arrays.is_torch(sigma) and sigma.requires_grad and sys.modules["torch"].is_grad_enabled():
        raise _errors.UnsupportedError("sigma is a tensor that requires gradients, and images that are no tensors give none: detach() it")


def _check_jax(images: Any, out: Any, beside: _Beside) -> None:
    if _arrays.is_jax(images) and out is None:
        raise _errors.UnsupportedError(f"{_names_of(beside)} with JAX arrays: give out=, or arrays of NumPy's")


def _pictures_of(array: Any, what: str, source: _arrays.View, stream: Optional[int]) -> _arrays.View:
    """What comes with the images as a View without gaps, in their own memory."""
    view = _arrays.view_of(array, what, stream)
    if (view.device, view.ordinal) != (source.device, source.ordinal):
        raise ValueError(f"{what} lies on {view.device}:{view.ordinal}, the images on {source.device}:{source.ordinal}")
    return view if view.is_packed and view.is_aligned else _arrays.view_of(_arrays.packed(array), what, stream)


def _check_order(view: _arrays.View, stream: Optional[int], what: str) -> None:
    """Refuses what may not be there yet. 0, 1 and none that was said are the legacy default stream; it waits for no
    stream that was made without its order, as torch's are, nor is the default stream of a thread (2) the same."""
    if view.stream is not None and (view.stream or 1) != (stream or 1):
        raise ValueError(f"{what} is worked on by another stream than the images: give stream=, and let it wait for that one")


def _check_out(source: _arrays.View, target: _arrays.View) -> None:
    if target.read_only:
        raise ValueError("out cannot be written to")
    if target.dtype != source.dtype:
        raise TypeError(f"out is {target.dtype}, the images are {source.dtype}")
    if target.shape != source.shape:
        raise ValueError(f"out has shape {target.shape}, the images have {source.shape}")
    if (target.device, target.ordinal) != (source.device, source.ordinal):
        raise ValueError(f"out lies on {target.device}:{target.ordinal}, the images on {source.device}:{source.ordinal}")
    if 0 not in target.shape and _shape.may_repeat(target.shape, target.strides, target.dtype.itemsize):
        raise ValueError(f"out of shape {target.shape} and strides {target.strides} has several values in one place")


def _gazes_of(gaze: Any, shape: _shape.Shape, source: _arrays.View, stream: Optional[int]) -> _arrays.View:
    """Gazes as a View of float32, two for each fovea of an image without gaps, in the CPU's or the images' own memory."""
    if gaze is None:
        return _arrays.view_of(np.full((shape.images, 2), np.nan, np.float32), "gaze")
    if _arrays.is_torch(gaze):
        gaze = gaze.resolve_neg()
        if gaze.requires_grad and not sys.modules["torch"].is_grad_enabled():
            gaze = gaze.detach()
    on_device = not isinstance(gaze, (tuple, list, np.ndarray)) and (
        hasattr(gaze, "__dlpack_device__") or hasattr(gaze, "__cuda_array_interface__")
    )
    view = _arrays.view_of(gaze, "gaze", stream) if on_device else None
    if view is not None and view.device == _arrays.CUDA:
        return _device_gazes(view, shape, source)
    if _arrays.is_torch(gaze) and gaze.dtype == sys.modules["torch"].bfloat16:  # NumPy has no such type
        raise TypeError(f"gaze of bfloat16: {_arrays.takes('gaze')}")
    if _arrays.is_torch(gaze) and gaze.requires_grad:
        raise TypeError("gaze is a tensor that requires gradients, and images that are no tensors give none: detach() it")
    host = _shape.real_places(view.owner if view is not None and isinstance(view.owner, np.ndarray) else gaze, np.float32)
    _shape.check_gaze(host.shape, shape.lead)
    _shape.check_places(host.reshape(-1))
    if host.shape == (2,):
        host = np.tile(host, (shape.images, 1))
    host = _arrays.packed(host)
    return _arrays.view_of(host, "gaze")


def _device_gazes(view: _arrays.View, shape: _shape.Shape, source: _arrays.View) -> _arrays.View:
    if (source.device, source.ordinal) != (view.device, view.ordinal):
        raise ValueError(f"gaze lies on {view.device}:{view.ordinal}, the images on {source.device}:{source.ordinal}")
    if view.dtype != np.float32:
        raise TypeError(f"gaze on the device is {view.dtype}; it must be float32")
    _shape.check_gaze(view.shape, shape.lead, may_be_one=False)
    if not view.is_packed:
        raise ValueError("gaze on the device must have no gaps (contiguous())")
    return view


def _stream_of(stream: Any) -> Optional[int]:
    """The caller's stream as a CUstream; None where none was given."""
    for name in ("cuda_stream", "ptr"):
        stream = getattr(stream, name, stream)
    if stream is not None and (not isinstance(stream, int) or isinstance(stream, bool) or not 0 <= stream < 2**64):
        raise TypeError(f"stream is a torch or CuPy stream or a CUstream's address, not {stream!r}")
    return stream


_alive: weakref.WeakValueDictionary[str, Foveator] = weakref.WeakValueDictionary()  # by text


@functools.lru_cache(maxsize=16)
def _kept_of_text(text: str) -> Foveator:
    return Foveator._of_text(text)


def of_text(text: str) -> Foveator:
    """A Foveator of these settings: one that somebody has, whose contexts are open, or one that is kept here."""
    return _alive.get(text) or _kept_of_text(text)


@functools.lru_cache(maxsize=16)
def _kept_of_pairs(pairs: _settings.Pairs, statuses: tuple[_settings.Status, ...]) -> Foveator:
    return Foveator._of_text(_settings.Settings(pairs).text())


AnyConfig = Union[_settings.Config, Foveator]


def of_config(config: AnyConfig) -> Foveator:
    """The Foveator that a configuration means; the last ones are kept."""
    if isinstance(config, Foveator):
        return config
    pairs = _settings.as_pairs(config)
    return _kept_of_pairs(pairs, _settings.statuses_of(pairs))


def settings_of(config: AnyConfig, more: _settings.Pairs = ()) -> _settings.Settings:
    """What is in force with a configuration, and with some settings more."""
    if isinstance(config, Foveator):
        return _settings.Settings((*_settings.pairs_of_text(config.text), *more), config._settings.given)
    return _settings.Settings((*_settings.as_pairs(config), *more))


def as_foveator(config: AnyConfig) -> Foveator:
    """The Foveator that is given, or a new one of its own."""
    return config if isinstance(config, Foveator) else Foveator(config)


def foveate(
    images: Array,
    gaze: Any = (0.5, 0.5),
    *,
    out: Optional[Array] = None,
    config: AnyConfig = None,
    layout: str = "NHWC",
    stream: Any = None,
    sigma: Any = None,
    depth: Optional[_depth.Depth] = None,
) -> Array:
    """Foveates images, each around its gaze.

    images: uint8, uint16, float16 or float32; NumPy, PyTorch, CuPy, JAX or anything with DLPack or
        `__cuda_array_interface__`, read where it lies, with any strides: views such as rgba[..., :3] and flipped
        rows are not copied (flipped columns, and alpha in a plane of its own, are). Never written to. uint16: levels of sixteen bits;
        or, of NumPy, PyTorch and CuPy, as many as the Foveator's `bits` says, which are copied. uint32 in the layout NHW: words of ten
        bits a colour (A2B10G10R10).
    layout: "NHWC", "NCHW", "NHW" or "NHWF". N may be missing (one image) or several dimensions (environments x cameras).
        1, 3 or 4 colours without gaps are a pixel; other numbers of colours, and NCHW, are planes, each foveated with
        its image's gaze (stacked frames), three at a time as RGB where their number is a multiple of three. Of 4 in NHWC the last is alpha and stays as it is
        ("foveation.alpha"); "NHWF" says that they are frames, and all are foveated.
    gaze: (x, y) in uv, 0 to 1 over the image from its top left corner; one for all, or shape (N, 2). With up to four foveas an
        image: (N, foveas, 2), of one image (foveas, 2), the gaze first; a pixel has the least blur that any of them asks for. On the device as
        float32 without gaps, or in the CPU's memory. Outside 0..1 is outside the image and allowed, in the CPU's memory from -1
        to 2: what is farther away is in pixels, ValueError. An open `fovea.Gaze`: where it is now, for all; a `GazeSample` that was read of it. None, or no gaze there: images
        are not foveated; operators that look at no gaze are at work.
    config: what Foveator takes (None, settings by path, a model's name, a file), or a `Foveator`.
    out: where the result goes: shape, type and device of the images, apart from them. None: a new array.
    stream: CUDA: a torch or CuPy stream or a CUstream's address, which waits for what makes images, gaze and out.
        None: the current one of the library that the images are of, which must be that of gaze and out, too. The call
        enqueues and does not wait; what it allocates belongs to that stream. Keep images, gaze and out until the stream
        is past them, as for any kernel. It may be captured into a CUDA graph: a replay reads images and a gaze on the
        device as they are by then, and a gaze in the CPU's memory stays as it was.
    sigma: for the operator blur (config={"operators": "blur"}), which then blurs each pixel by its own: the standard
        deviation in pixels, float16 or float32, of shape (H, W) for all images or (N, H, W), where the images lie. More than
        "blur.sigma_max_px" counts as that, negative values and NaN as 0. In PyTorch both have gradients; of one number it is that of sigma.expand(H, W).
    depth: for the operator dof (config={"operators": "dof"}), depth of field around the gaze: a `fovea.Depth`, whose values lie where
        the images lie. It has no gradients.

    Returns out, or a new array of the images' library on their device. uint8, uint16 and uint32 values are taken as sRGB, or as the
    Foveator's `transfer` says, and averaged as light ("foveation.light"), floats as they are.

    PyTorch (2.4 or newer): tensors of floats that require gradients get them, images (foveation is linear in them, and
    has derivatives of any order) and gaze (a derivative of first order; float32 or float64, (2,) or a pair for each
    image, or for each of its foveas, which gets that of the pixels whose blur is by it); out= has none. torch.func.grad has the same. torch.compile, torch.export and vmap take the operator fovea::foveate; there, and with
    gradients, the stream is torch's current one. JAX: as `fovea.jax.foveate`; arrays, under jit too, come back as such.

    Raises TypeError and ValueError for arguments (with the shape or value in the text), ConfigError for settings,
    UnsupportedError where this build or machine has no CUDA and where there is no gradient, and FoveaError. On an error out is not written, unless it
    is OutOfMemoryError of a batch that goes in several parts.
    """
    if isinstance(gaze, _live.Gaze) and _arrays.torch_compiles():
        raise _errors.UnsupportedError("a fovea.Gaze in code that torch compiles: read() it outside, and give the place")
    if depth is None and _arrays.torch_compiles():
        from . import _torch

        return _torch.traced(images, gaze, out, config, layout, stream, sigma)
    return of_config(config)(images, gaze, out=out, layout=layout, stream=stream, sigma=sigma, depth=depth)
