# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What the library has open: one for each process and device of a Foveator, a BlobFinder or a LightField,
opened when it is needed."""

import contextlib
import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Optional

from . import _errors, _library, _settings

_EXIT_WAIT_S = 5.0  # for a thread that is inside of the library when the interpreter ends
_FOR_EVER = -1.0


INSIDE = "fovea: a call of this thread is under way, and this one comes from inside of it (a signal's handler, __del__)"


class State:
    """What is open, with what it needs for so long; the finaliser holds it, and not the Opened."""

    def __init__(self, destroy: str) -> None:
        self.process, self._destroy = os.getpid(), destroy
        # Whoever holds the lock is busy. A thread that comes again, from a signal's handler or from __del__ where garbage is
        # collected, gets the lock and finds that out; it would wait for itself otherwise.
        self.lock, self.is_busy = threading.RLock(), False
        self.messages = _library.Messages()
        self.pointer = ctypes.c_void_p()

    def run(self, function: Any, work: Any, stream: Optional[int]) -> None:
        """Runs a batch, or a gradient, by reference. The caller holds the lock."""
        self.messages.clear()
        _library.check(function(self.pointer, work, stream), self.messages, "foveate")

    def destroy(self, wait_s: float) -> None:
        # A child of fork has its parent's pointer and none of its threads: it leaves all of it alone.
        if self.process != os.getpid() or not self.lock.acquire(timeout=wait_s):
            return
        try:
            if self.pointer and not self.is_busy:
                getattr(_library.library(), self._destroy)(ctypes.byref(self.pointer))
                self.pointer = ctypes.c_void_p()
        finally:
            self.lock.release()


class Opened:
    """What open_one made of a new State. It is destroyed by close, with the last reference, or when the interpreter ends."""

    def __init__(self, destroy: str, open_one: Callable[[State], None]) -> None:
        self._state = State(destroy)
        weakref.finalize(self, self._state.destroy, _EXIT_WAIT_S)
        open_one(self._state)

    def close(self) -> None:
        """Waits for the thread that is inside of the library, however long it works."""
        self._state.destroy(_FOR_EVER)

    @contextlib.contextmanager
    def held(self) -> Iterator[Optional[State]]:
        """The state, for one thread at a time; None where somebody has closed it."""
        state = self._state
        with state.lock:
            if state.is_busy:
                raise _errors.FoveaError(INSIDE)
            try:
                state.is_busy = True
                yield state if state.pointer else None
            finally:
                state.is_busy = False

    def check_outside(self) -> None:
        """FoveaError: this thread is inside of a call. A child's threads never are in its parent's, whose locks they may seem to hold:
        what threads are known by comes again."""
        if self._state.process == os.getpid() and self._state.lock.acquire(blocking=False):
            is_busy = self._state.is_busy
            self._state.lock.release()
            if is_busy:
                raise _errors.FoveaError(INSIDE)


class EachProcess:
    """What open_one(state, device, ordinal) opens, and the library's function `destroy` closes: one for each process and device."""

    def __init__(self, destroy: str, open_one: Callable[[State, str, int], None]) -> None:
        self._destroy, self._open_one = destroy, open_one
        self._of: dict[tuple[int, str, int], Opened] = {}
        self._lock, self._is_opening = threading.RLock(), False
        self._why_closed = ""  # for good
        _all[id(self)] = self

    def renew_lock(self) -> None:
        """After fork: a thread that held it is not there."""
        self._lock, self._is_opening = threading.RLock(), False

    def _get(self, device: str, ordinal: int, open_one: Optional[Callable[[State, str, int], None]] = None) -> Opened:
        key, make = (os.getpid(), device, ordinal), open_one or self._open_one
        with self._lock:
            if key not in self._of:
                if self._why_closed:
                    raise _errors.FoveaError(self._why_closed)
                if device == "cuda" and any(used == "cuda" and process != key[0] for process, used, _ in self._of):
                    raise _errors.FoveaError(
                        "this process was forked from one that uses CUDA, which cannot be used here: start workers by "
                        "'spawn', or use the cpu in them"
                    )
                if self._is_opening:
                    raise _errors.FoveaError(INSIDE)
                try:
                    self._is_opening = True
                    self._of[key] = Opened(self._destroy, lambda state: make(state, device, ordinal))
                finally:
                    self._is_opening = False
            return self._of[key]

    def open(self, device: str, ordinal: int) -> None:
        """Now, and not with the first use. FoveaError: it is closed for good, or not for this process."""
        self._get(device, ordinal)

    @contextlib.contextmanager
    def held(self, device: str, ordinal: int) -> Iterator[State]:
        """The state, for one thread at a time, opened if it is not."""
        while True:
            opened = self._get(device, ordinal)
            with opened.held() as state:
                if state is not None:
                    yield state
                    return
                if opened in self._of.values():
                    raise _errors.FoveaError("fovea: the interpreter is ending")
            # Closed by another thread meanwhile: a new one is opened.

    def close(self, for_good: str = "") -> None:
        """for_good: what later calls in this process and its children say, which open it again otherwise."""
        with self._lock:
            if self._is_opening:  # by this thread, which has come again
                raise _errors.FoveaError(INSIDE)
            for opened in self._of.values():
                opened.check_outside()
            self._why_closed = for_good or self._why_closed
            all_opened, self._of = list(self._of.values()), {}
        for opened in all_opened:
            opened.close()

    def close_one(self, device: str, ordinal: int) -> None:
        """After a call on a device that failed; this thread may be inside of one on another device."""
        with self._lock:
            opened = self._of.pop((os.getpid(), device, ordinal), None)
        if opened is not None:
            opened.close()


class Contexts(EachProcess):
    """The contexts of one Foveator."""

    def __init__(self, text: str) -> None:
        self._text = text  # of settings
        super().__init__("fovea_context_destroy", lambda state, _, ordinal: _open_context(state, text, ordinal))

    def open_for(self, device: str, ordinal: int) -> None:
        """Opens the backend that the settings name, or else the device's: later images in CUDA memory are CUDA's alone."""
        is_named = any(path == "backend" for path, _ in _settings.pairs_of_text(self._text))
        text = self._text + ('\tbackend="cuda"' if device == "cuda" and not is_named else "")
        self._get(device, ordinal, lambda state, _, at: _open_context(state, text, at))

    def run(self, device: str, ordinal: int, batches: Sequence[_library.Work], stream: Optional[int]) -> State:
        """Runs batches, or gradients of batches, one after the other; other threads wait until all are enqueued.

        Returns the state of the context that did it."""
        library = _library.library()
        is_gradient = isinstance(batches[0], _library.BatchGradient)
        run = library.fovea_context_run_batch_gradient if is_gradient else library.fovea_context_run_batch
        with self.held(device, ordinal) as state:
            for batch in batches:
                state.run(run, ctypes.byref(batch), stream)
            return state


def _open_context(state: State, text: str, ordinal: int) -> None:
    settings = _settings.of_text(text)
    desc = _library.ContextDesc(
        struct_bytes=ctypes.sizeof(_library.ContextDesc),
        settings=settings.pointer,
        cuda_device=ordinal,
        log=state.messages.log,
    )
    result = _library.library().fovea_context_create(ctypes.byref(desc), ctypes.byref(state.pointer))
    _library.check(result, state.messages, "fovea")
    _settings.check_files(text)  # now that they have been read


_all: weakref.WeakValueDictionary[int, EachProcess] = weakref.WeakValueDictionary()  # by identity


def _after_fork() -> None:
    for opened in list(_all.values()):
        opened.renew_lock()


os.register_at_fork(after_in_child=_after_fork)
