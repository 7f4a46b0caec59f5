# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The library's contexts: one for each process and device of a Foveator, opened when it is needed."""

import contextlib
import ctypes
import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Optional

from . import _errors, _library, _settings

_EXIT_WAIT_S = 5.0  # for a thread that is inside of the library when the interpreter ends
_FOR_EVER = -1.0


INSIDE = "foveate: a call of this thread is under way, and this one comes from inside of it (a signal's handler, __del__)"


class State:
    """What a context needs for as long as it is open; the finaliser holds it, and not the context."""

    def __init__(self) -> None:
        self.process = os.getpid()
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
                _library.library().fovea_context_destroy(ctypes.byref(self.pointer))
                self.pointer = ctypes.c_void_p()
        finally:
            self.lock.release()


class Context:
    """A context of the library's. It is destroyed by close, with the last reference, or when the interpreter ends."""

    def __init__(self, text: str, ordinal: int) -> None:
        self._state = State()
        settings = _settings.of_text(text)
        desc = _library.ContextDesc(
            struct_bytes=ctypes.sizeof(_library.ContextDesc),
            settings=settings.pointer,
            cuda_device=ordinal,
            log=self._state.messages.log,
        )
        result = _library.library().fovea_context_create(ctypes.byref(desc), ctypes.byref(self._state.pointer))
        _library.check(result, self._state.messages, "fovea")
        weakref.finalize(self, self._state.destroy, _EXIT_WAIT_S)
        _settings.check_files(text)  # now that they have been read

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
        """FoveaError: this thread is inside of a call."""
        if self._state.lock.acquire(blocking=False):
            is_busy = self._state.is_busy
            self._state.lock.release()
            if is_busy:
                raise _errors.FoveaError(INSIDE)


class Contexts:
    """Those of one Foveator."""

    def __init__(self, text: str) -> None:
        self._text = text  # of settings
        self._of: dict[tuple[int, str, int], Context] = {}
        self._lock, self._is_opening = threading.RLock(), False
        _all[id(self)] = self

    def renew_lock(self) -> None:
        """After fork: a thread that held it is not there."""
        self._lock, self._is_opening = threading.RLock(), False

    def _get(self, device: str, ordinal: int, more: str = "") -> Context:
        key = (os.getpid(), device, ordinal)
        with self._lock:
            if key not in self._of:
                if device == "cuda" and any(used == "cuda" and process != key[0] for process, used, _ in self._of):
                    raise _errors.FoveaError(
                        "this process was forked from one that uses CUDA, which cannot be used here: start workers by "
                        "'spawn', or foveate on the cpu in them"
                    )
                if self._is_opening:
                    raise _errors.FoveaError(INSIDE)
                try:
                    self._is_opening = True
                    self._of[key] = Context(self._text + more, ordinal)
                finally:
                    self._is_opening = False
            return self._of[key]

    def open(self, device: str, ordinal: int) -> None:
        # A backend that is named is opened at once; where none is, images in CUDA memory are CUDA's alone.
        is_named = any(path == "backend" for path, _ in _settings.pairs_of_text(self._text))
        self._get(device, ordinal, '\tbackend="cuda"' if device == "cuda" and not is_named else "")

    def run(self, device: str, ordinal: int, batches: Sequence[_library.Work], stream: Optional[int]) -> State:
        """Runs batches, or gradients of batches, one after the other; other threads wait until all are enqueued.

        Returns the state of the context that did it."""
        library = _library.library()
        is_gradient = isinstance(batches[0], _library.BatchGradient)
        run = library.fovea_context_run_batch_gradient if is_gradient else library.fovea_context_run_batch
        while True:
            context = self._get(device, ordinal)
            with context.held() as state:
                if state is None and context in self._of.values():
                    raise _errors.FoveaError("foveate: the interpreter is ending")
                if state is None:
                    continue  # closed by another thread meanwhile: a new one is opened
                for batch in batches:
                    state.run(run, ctypes.byref(batch), stream)
                return state

    def close(self) -> None:
        with self._lock:
            for context in self._of.values():
                context.check_outside()
            contexts, self._of = list(self._of.values()), {}
        for context in contexts:
            context.close()


_all: weakref.WeakValueDictionary[int, Contexts] = weakref.WeakValueDictionary()  # by identity


def _after_fork() -> None:
    for contexts in list(_all.values()):
        contexts.renew_lock()


os.register_at_fork(after_in_child=_after_fork)
