# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Gaze as it comes: the library's sources (trackers, recordings, the network), open in Python."""

import ctypes
import enum
import os
import threading
import weakref
from typing import Any, NamedTuple, Optional, Sequence

from . import _arrays, _blobs, _errors, _gaze_source, _library, _numbers, _settings, _shape

_EXIT_WAIT_S = 5.0
_SIDES = range(1, _shape.MOST_PX + 1)
_ANY_SIZE = (16, 9)  # of a picture, where its shape alone counts


class GazeState(enum.IntEnum):
    """What is known of a gaze."""

    TRACKED = 0
    HELD = 1  # no valid sample: the last one holds
    LOST = 2  # longer than "gaze.validity.hold_ms": the gaze is at the fallback, or on its way there
    FIXATION = 3  # tracked; these three where "gaze.filter.velocity_deg_s" is above 0
    SACCADE = 4  # tracked, and faster than that
    BLINK = 5  # held, because the eye is closed


class GazeSample(NamedTuple):
    """Where somebody looks, at the time that was asked for."""

    x: float  # uv, 0 to 1 over the picture from its top left corner
    y: float
    state: GazeState
    usable: bool  # False: there is no gaze; x and y are the middle
    t_ns: int  # that was asked for, on the clock of time.monotonic_ns()
    age_ns: int  # from the sample behind the gaze to that time; 0 where there is none, and where it is made up for the time
    rate_hz: float  # of samples that arrived in the last second; 0 for sources without a rate
    sample_count: int  # taken in since the source was opened
    rejected_count: int  # not understood, not finite, out of order or of the future
    # The distance at which both lines of sight cross; infinity: they do not; 0: not known ("gaze.vergence.ipd_mm").
    vergence_m: float = 0.0
    others: tuple[tuple[float, float], ...] = ()  # foveas beside the gaze, in uv ("gaze.saliency.foveas")

    @property
    def uv(self) -> tuple[float, float]:
        """(x, y), as `fovea.foveate` takes it."""
        return (self.x, self.y)

    @property
    def place(self) -> Optional[tuple[float, float]]:
        """The place that pictures are foveated around, clamped to -1 to 2; None: there is no gaze."""
        return _gaze_source.taken(self.x, self.y) if self.usable else None

    @property
    def places(self) -> Optional[tuple[tuple[float, float], ...]]:
        """`place` and the foveas beside it, which `fovea.foveate` takes for one picture."""
        return None if self.place is None else (self.place, *self.others)

    @property
    def sample_t_ns(self) -> int:
        """When the sample behind the gaze was measured, as far as the source's clock is known, else when it arrived."""
        return self.t_ns - self.age_ns

    def as_struct(self) -> _gaze_source.Gaze:
        """As the library's functions take it."""
        point = _library.PointUv(self.x, self.y)
        return _gaze_source.Gaze(
            point, int(self.state), self.usable, self.age_ns, self.rate_hz, self.sample_count, self.rejected_count
        )

    @property
    def is_tracked(self) -> bool:
        """Whether there is a valid sample, rather than one that stands in for it."""
        return self.state in (GazeState.TRACKED, GazeState.FIXATION, GazeState.SACCADE)


class _Sample(_library.Numbers):
    _fields_ = [
        ("x", ctypes.c_double),
        ("y", ctypes.c_double),
        ("t_ns", ctypes.c_int64),
        ("confidence", ctypes.c_double),
        ("blink", ctypes.c_bool),
    ]


class _Open:
    """The library's source, for as long as it is open; the finaliser holds it, and not the Gaze."""

    def __init__(self, pairs: _settings.Pairs, name: str) -> None:
        self._name = name
        self.process, self.lock = os.getpid(), threading.RLock()
        self.library, self.messages = _gaze_source.functions(), _library.Messages()
        self.pointer = ctypes.c_void_p()
        settings = _settings.Settings(pairs)
        desc = _gaze_source.GazeSourceDesc(ctypes.sizeof(_gaze_source.GazeSourceDesc), settings.pointer, self.messages.log, True)
        result = self.library.fovea_gaze_source_create(ctypes.byref(desc), ctypes.byref(self.pointer))
        if result == _library.INVALID_ARGUMENT:  # settings that do not fit each other
            raise _errors.ConfigError(self.messages.text())
        _library.check(result, self.messages, self._name)

    def close(self, wait_s: float = -1.0) -> None:
        # A child of fork has none of its parent's threads, and leaves the source alone.
        if self.process != os.getpid() or not self.lock.acquire(timeout=wait_s):
            return
        try:
            self.library.fovea_gaze_source_destroy(ctypes.byref(self.pointer))
        finally:
            self.lock.release()


class Gaze:
    """A source of gaze, open until `close`, or the end of a `with`.

        with fovea.Gaze({"gaze.source": "udp", "gaze.udp.port": 5005}) as gaze:
            sample = gaze.read()                      # .uv, .state, .age_ns
            seen = fovea.foveate(image, gaze)         # or the newest gaze at once

    config: settings by path ({"gaze.source": "lsl", "gaze.lsl.name": "Tobii"}), the name of a source ("lsl"), or of a
        configuration file. docs/gaze.md has the sources and what belongs to each: "fixed", "scanpath", "replay", "saccades", "udp",
        "lsl", "pupil", "neon", "opengaze", "osc", "saliency", which uses the pictures of `show`, and "mouse", which gets its samples from `push`. "fixed" is the default. Names of files are
        relative to the working directory.
    size_px: width and height of the pictures that the gaze is for. Needed by "gaze.space" "pixels" without
        "gaze.screen_px"; where a picture is foveated its own counts.

    What is wrong raises ConfigError with the setting's path; a file or socket that cannot be opened OSError, a
    recording's wrong line ConfigError, and a library (liblsl, libzmq) that is not there UnsupportedError. What the library
    has to say later, as of positions that cannot be uv, is a UserWarning of the next reading.

    Sources of trackers have a thread of the library's, which takes no part in Python's lock and ends with `close`. Any
    thread may read; one waits for another. Which eye counts says "gaze.filter.eye" ("both": the middle). Fixations,
    saccades and blinks are told where "gaze.filter.velocity_deg_s" is above 0. After fork a child opens its own.
    """

    def __init__(self, config: Any = None, *, size_px: Optional[Sequence[int]] = None) -> None:
        is_source = isinstance(config, str) and os.sep not in config and not config.endswith(".json")
        try:
            self._begin(_settings.as_pairs({"gaze.source": config} if is_source else config), None if size_px is None else size_of(size_px))
        except _errors.ConfigError as error:
            if isinstance(config, str) and config.endswith((".csv", ".tsv", ".asc", ".txt")):
                said = f'{error}; a recording is {{"gaze.source": "scanpath", "gaze.scanpath.file": {config!r}}}'
                raise _errors.ConfigError(said) from None
            raise

    @classmethod
    def of_pairs(cls, pairs: _settings.Pairs) -> "Gaze":
        """The source of settings that somebody has taken in already."""
        made = cls.__new__(cls)
        made._begin(pairs, None)
        return made

    def _begin(self, pairs: _settings.Pairs, size_px: Optional[tuple[int, int]]) -> None:
        self.size_px = size_px
        settings = _settings.Settings(pairs)
        self.source = settings.get("gaze.source") or ""
        lacks_size = settings.get("gaze.space") == "pixels" and 0 in _numbers_of(settings.get("gaze.screen_px"))
        self._lacks_size = lacks_size and self.source not in ("saccades", "saliency")
        self._open = _Open(pairs, f"Gaze({self.source!r})")
        self._out, self._others = _gaze_source.Gaze(), (_library.PointUv * (_shape.MOST_FOVEAS - 1))()
        self._finalizer = weakref.finalize(self, self._open.close, _EXIT_WAIT_S)

    def read(self, t_ns: Optional[int] = None, *, size_px: Optional[Sequence[int]] = None) -> GazeSample:
        """The gaze at a time: now, or on the clock of time.monotonic_ns(). Waits for no sample; some microseconds.

        Recordings and simulated eyes start at the first time that is read; "replay" advances by a frame with each read.
        """
        size = self.size_px if size_px is None else size_of(size_px)
        if size is None and self._lacks_size:
            raise ValueError('gaze: "gaze.space" is pixels: set "gaze.screen_px", or give size_px, the picture\'s width and height')
        opened = self._opened()
        with opened.lock:
            self._check(opened)
            now = int(opened.library.fovea_time_ns()) if t_ns is None else _numbers.whole_of("t_ns", t_ns)
            result = opened.library.fovea_gaze_source_read(opened.pointer, now, *(size or _ANY_SIZE), ctypes.byref(self._out))
            _library.check(result, opened.messages, "gaze")
            out = self._out
            count = opened.library.fovea_gaze_source_other_foveas(opened.pointer, self._others)
            sample = GazeSample(
                out.point.x_uv, out.point.y_uv, GazeState(out.state), out.usable, now, out.age_ns, out.rate_hz, out.sample_count,
                out.rejected_count, opened.library.fovea_gaze_source_vergence_m(opened.pointer, now),
                tuple((place.x_uv, place.y_uv) for place in self._others[:count]),
            )  # fmt: skip
        opened.messages.warn(stacklevel=2)
        return sample

    def push(self, x: float, y: float, *, confidence: float = 1.0, blink: bool = False, t_ns: Optional[int] = None) -> bool:
        """Gives a sample of a tracker or pointer to the source "mouse", in the coordinates of "gaze.space" and "gaze.origin".

        t_ns: when it was measured, on the clock of time.monotonic_ns(); None: now. A gaze that rests must be pushed
        too: silence is loss. Any thread. False: it is not finite, older than the newest or of the future, and was counted as rejected.
        """
        opened = self._opened()
        when = int(opened.library.fovea_time_ns()) if t_ns is None else _numbers.whole_of("t_ns", t_ns)
        sample = _Sample(x, y, when, confidence, blink)
        with opened.lock:
            self._check(opened)
            result = int(opened.library.fovea_gaze_source_push(opened.pointer, ctypes.byref(sample)))
        if result == _library.INVALID_STATE:
            raise ValueError(f'gaze: samples are pushed to the source "mouse", and "gaze.source" is {self.source}')
        opened.messages.warn(stacklevel=2)
        return result >= 0

    def show(self, image: Any) -> None:
        """Shows a picture to a source that uses pictures ("gaze.source" or "gaze.validity.fallback" "saliency"). Its gaze then moves between
        blobs of the picture, and with "gaze.saliency.foveas" samples have `others`.

        image: (H, W) or (H, W, C) of uint8, float16 or float32 with 1, 3 or 4 colours, in the CPU's memory; not kept. Takes some tens of
        milliseconds, in which readings wait: a few times a second is enough.
        """
        view, is_batch = _blobs.images_of(image)
        if is_batch:
            raise ValueError(f"the picture has shape {view.shape}; it must be (H, W) or (H, W, C)")
        given = _blobs.image_of(view)
        opened = self._opened()
        with opened.lock:
            self._check(opened)
            result = int(opened.library.fovea_gaze_source_show(opened.pointer, ctypes.byref(given)))
        if result == _library.INVALID_STATE:
            raise ValueError(f'gaze: pictures are shown to the source or the fallback "saliency", and "gaze.source" is {self.source}')
        _library.check(result, opened.messages, "gaze")

    def place_for(self, shape: Sequence[int], layout: str) -> Optional[tuple[float, float]]:
        """`GazeSample.place` for images of that shape."""
        return self.read(size_px=_size_in(shape, layout)).place

    @property
    def udp_port(self) -> int:
        """The port that a "udp" or "osc" source listens on; 0 for others."""
        opened = self._opened()
        with opened.lock:
            self._check(opened)
            return int(opened.library.fovea_gaze_source_udp_port(opened.pointer))

    @property
    def closed(self) -> bool:
        """Whether the source is closed."""
        return not self._open.pointer

    def close(self) -> None:
        """Ends the source and waits for its thread. Twice is fine."""
        self._open.close()

    def _opened(self) -> _Open:
        if self._open.process != os.getpid():
            raise _errors.FoveaError("gaze: this process was forked from the one that opened the source: open it here")
        return self._open

    def _check(self, opened: _Open) -> None:
        if not opened.pointer:
            raise ValueError("gaze: it is closed")

    def __enter__(self) -> "Gaze":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Gaze({self.source!r}{', closed' if self.closed else ''})"

    def __reduce__(self) -> Any:
        raise TypeError("a Gaze is a source that is open in this process: it cannot be pickled or copied")


def pair_of(gaze: Sequence[float]) -> tuple[float, float]:
    """x and y. TypeError, ValueError: it is no such pair."""
    try:
        x, y = (_numbers.real_of("gaze", value) for value in _arrays.stacked(gaze))
    except (TypeError, ValueError) as error:
        raise type(error)(f"gaze is x and y, a fovea.GazeSample or None, not {_numbers.said(gaze)}: {error}") from None
    return x, y


def _numbers_of(text: Optional[str]) -> list[float]:
    return [float(part) for part in (text or "0").strip("[]").split(",")]


def _size_in(shape: Sequence[int], layout: str) -> Optional[tuple[int, int]]:
    """Width and height of images of that shape; None where they are none, which whoever foveates them says."""
    row = -3 if layout in ("NHWC", "NHWF") else -2
    if len(shape) < -row or shape[row] not in _SIDES or shape[row + 1] not in _SIDES:
        return None
    return int(shape[row + 1]), int(shape[row])


def size_of(size_px: Sequence[int]) -> tuple[int, int]:
    return _numbers.whole_pair("size_px", size_px, "width and height", _shape.MOST_PX)
