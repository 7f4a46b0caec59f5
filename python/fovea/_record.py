# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""A record of the frames that a program shows: a line each, with the gaze, in the files of BIDS."""

import ctypes
import functools
import math
import os
import threading
import time
import weakref
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _errors, _foveator, _gaze_source, _library, _live, _numbers, _settings, _shape

_EXIT_WAIT_S = 5.0
_SIDE_MOST = 16384


class _Desc(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("settings", ctypes.c_void_p), ("log", _library.Log)]


class _Frame(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("t_ns", ctypes.c_int64),
        ("width_px", ctypes.c_uint32),
        ("height_px", ctypes.c_uint32),
        ("view_count", ctypes.c_uint32),
        ("passed_through", ctypes.c_bool),
        ("dropped", ctypes.c_bool),
        ("reserved", ctypes.c_uint8 * 2),
        ("gazes", _gaze_source.Gaze * 2),
        ("took_ns", ctypes.c_int64),
        ("presented_t_ns", ctypes.c_int64),
        ("refused", ctypes.c_uint64),
        ("vergence_m", ctypes.c_double),
        ("refresh_ns", ctypes.c_int64),
    ]


@functools.lru_cache(maxsize=1)
def _functions() -> ctypes.CDLL:
    library, pointers = _gaze_source.functions(), ctypes.POINTER(ctypes.c_void_p)
    library.fovea_record_create.argtypes = [ctypes.POINTER(_Desc), pointers]
    library.fovea_record_destroy.argtypes, library.fovea_record_destroy.restype = [pointers], None
    library.fovea_record_set_settings.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    library.fovea_record_add.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Frame)]
    return library


class _Open:
    """The library's record, for as long as it is open; the finaliser holds it, and not the Record."""

    def __init__(self, settings: _settings.Settings) -> None:
        self.process, self.lock = os.getpid(), threading.RLock()
        self.library, self.messages, self.pointer = _functions(), _library.Messages(), ctypes.c_void_p()
        desc = _Desc(ctypes.sizeof(_Desc), settings.pointer, self.messages.log)
        _library.check(self.library.fovea_record_create(ctypes.byref(desc), ctypes.byref(self.pointer)), self.messages, "record")

    def close(self, wait_s: float = -1.0) -> None:
        # A child of fork has no thread that writes, and leaves the files to its parent.
        if self.process != os.getpid() or not self.lock.acquire(timeout=wait_s):
            return
        try:
            self.library.fovea_record_destroy(ctypes.byref(self.pointer))
        finally:
            self.lock.release()


AnyGaze = Union[_live.GazeSample, Sequence[float], None]


class Record:
    """A record of frames, open until `close`, or the end of a `with`. docs/experiments.md says what is in its files.

        with fovea.Gaze("lsl") as gaze, fovea.Record("data/sub-01_task-look", foveator) as record:
            sample = gaze.read()
            seen = foveator(image, sample)
            ...                                       # show it
            record.add(sample, image.shape, presented_t_ns=when)

    file: the prefix of the files' names, as the setting "record.file"; its folder must exist. Files of an earlier run stay, and
        the new ones get the next number.
    config: the Foveator, or what it takes: the hash of all settings and "foveation.geometry" go into the files.

    Where people look is personal: tell the person at the screen about the recording.

    Raises OSError where the files cannot be made. A thread of the library's writes ten times a second, and ends with
    `close`; where it falls behind, or the disk is full, lines are lost, and counted in the files; `add` and `close` give a UserWarning then.
    """

    def __init__(self, file: Union[str, "os.PathLike[str]"], config: _foveator.AnyConfig = None) -> None:
        name = os.fsdecode(file) if file else ""
        if name.endswith(os.sep):
            raise _errors.ConfigError(f'record.file is {name!r}, a folder; it is what files\' names begin with, as in "data/sub-01_task-look"')
        self.file = name and os.path.abspath(name)
        self._open, self._opened_ns = _Open(self._settings_of(config)), time.monotonic_ns()
        self._finalizer = weakref.finalize(self, self._open.close, _EXIT_WAIT_S)

    def _settings_of(self, config: _foveator.AnyConfig) -> _settings.Settings:
        return _foveator.settings_of(config, (("record.file", _settings.text_of(self.file)),))

    def add(
        self,
        gaze: AnyGaze,
        shape: Sequence[int],
        *,
        t_ns: Optional[int] = None,
        presented_t_ns: Optional[int] = None,
        took_s: Optional[float] = None,
        foveated: bool = True,
        refused: int = 0,
        refresh_s: Optional[float] = None,
        dropped: bool = False,
    ) -> None:
        """Adds a line, of the frame that was shown. Waits for no file; some microseconds.

        gaze: a `GazeSample` as it was read, with its state, age, rate and vergence; or (x, y) in uv; None, or NaN: there was none.
        shape: the picture's, rows and columns first, like NHWC without N. t_ns: when it was foveated, on the clock of
        time.monotonic_ns(); None: the time that the sample was read for (its t_ns), else now. presented_t_ns: when it was on the screen, on that
        clock, if known. took_s: the time of foveation, if known. foveated: False if the picture was shown as it was drawn. refused: number of
        frames since the previous line that were not foveated or not shown; a replay has a gaze for each of them, too. refresh_s: the
        display's refresh interval (1 / win.getActualFrameRate() of PsychoPy), if known, to count repeated pictures. dropped: the frame was
        never on the screen, because another replaced it; it has no presented_t_ns.
        """
        if isinstance(shape, np.ndarray) and shape.ndim == 1:  # PsychoPy's window.size
            shape = shape.tolist()
        if isinstance(shape, str) or not hasattr(shape, "__len__") or len(shape) < 2 or 0 in shape[:2]:
            given = f"an array of shape {tuple(shape.shape)}" if hasattr(shape, "shape") else repr(shape)
            raise ValueError(f"shape is {given}; it is the picture's: rows and columns first, each 1 or more")
        height, width = (_numbers.whole_of("shape", side, 0, _SIDE_MOST) for side in shape[:2])
        frame = _Frame(
            struct_bytes=ctypes.sizeof(_Frame), width_px=width, height_px=height, view_count=1, passed_through=not foveated,
            took_ns=-1 if took_s is None else _numbers.whole_of("took_s in ns", _numbers.real_of("took_s", took_s) * 1e9 + 0.5, 0),
            presented_t_ns=_numbers.whole_of("presented_t_ns", presented_t_ns or 0, 0), refused=_numbers.whole_of("refused", refused, 0),
            refresh_ns=0 if refresh_s is None else _numbers.whole_of("refresh_s in ns", _numbers.real_of("refresh_s", refresh_s) * 1e9 + 0.5, 0), dropped=bool(dropped),
        )  # fmt: skip
        frame.gazes[0] = _gaze_of(gaze)
        frame.vergence_m = gaze.vergence_m if isinstance(gaze, _live.GazeSample) else 0.0
        if t_ns is None:
            t_ns = gaze.t_ns if isinstance(gaze, _live.GazeSample) else 0
        frame.t_ns = _numbers.whole_of("t_ns", t_ns, 0)
        first_ns = min(self._opened_ns, frame.t_ns or self._opened_ns)
        if 0 < frame.presented_t_ns * 1000 < first_ns:  # seconds, which other clocks count
            raise ValueError(f"presented_t_ns is {presented_t_ns!r}, long before its record and frame: it is in nanoseconds, as of time.monotonic_ns()")
        self._run("fovea_record_add", ctypes.byref(frame), f"record: a picture of shape {tuple(shape)}")

    def set_config(self, config: _foveator.AnyConfig) -> None:
        """Settings of the frames to come: the column `settings` says which."""
        settings = self._settings_of(config)
        self._run("fovea_record_set_settings", settings.pointer, "record")

    def _run(self, name: str, argument: Any, what: str) -> None:
        opened = self._open
        if opened.process != os.getpid():
            raise _errors.FoveaError("record: this process was forked from the one that opened it")
        with opened.lock:
            if not opened.pointer:
                raise ValueError("record: it is closed")
            _library.check(getattr(opened.library, name)(opened.pointer, argument), opened.messages, what)
        opened.messages.warn(stacklevel=3)

    @property
    def closed(self) -> bool:
        """Whether it is."""
        return not self._open.pointer

    def close(self) -> None:
        """Writes all lines and ends. Twice is fine."""
        self._open.close()
        if self._open.process == os.getpid():
            self._open.messages.warn(stacklevel=2)

    def __enter__(self) -> "Record":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Record({self.file!r}{', closed' if self.closed else ''})"

    def __reduce__(self) -> Any:
        raise TypeError("a Record is open in this process: it cannot be pickled or copied")


def _gaze_of(gaze: AnyGaze) -> _gaze_source.Gaze:
    if isinstance(gaze, _live.GazeSample):
        return gaze.as_struct()
    x, y = (math.nan, math.nan) if gaze is None else _live.pair_of(gaze)
    if not (math.isfinite(x) and math.isfinite(y)):
        return _gaze_source.Gaze(_library.PointUv(0.5, 0.5), int(_live.GazeState.LOST), False)
    _shape.check_places(np.array((x, y)))  # no picture is foveated around another place
    return _gaze_source.Gaze(_library.PointUv(x, y), int(_live.GazeState.TRACKED), True)
