# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The library's contexts: one for each process and device of a Foveator, opened when it is needed."""

import contextlib
import ctypes
import os
import threading
import weakref

from . import _errors, _library, _settings

_EXIT_WAIT_S = 5.0  # for a thread that is inside of the library when the interpreter ends


class _State:
    """What a context needs for as long as it is open; the finaliser holds it, and not the context."""

    def __init__(self):
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.messages = _library.Messages()
        self.pointer = ctypes.c_void_p()

    def destroy(self):
        # A child of fork has its parent's pointer and none of its threads: it leaves all of it alone.
        if self.process != os.getpid() or not self.lock.acquire(timeout=_EXIT_WAIT_S):
            return
        try:
            if self.pointer:
                _library.library().fovea_context_destroy(ctypes.byref(self.pointer))
                self.pointer = ctypes.c_void_p()
        finally:
            self.lock.release()


class Context:
    """A context of the library's. It is destroyed by close, with the last reference, or when the interpreter ends."""

    def __init__(self, pairs, ordinal):
        self._state = _State()
        settings = _settings.Settings(pairs)
        desc = _library.ContextDesc(
            struct_bytes=ctypes.sizeof(_library.ContextDesc),
            settings=settings.pointer,
            cuda_device=ordinal,
            log=self._state.messages.log,
        )
        result = _library.library().fovea_context_create(ctypes.byref(desc), ctypes.byref(self._state.pointer))
        _library.check(result, self._state.messages, "fovea")
        self.close = weakref.finalize(self, self._state.destroy)

    @contextlib.contextmanager
    def held(self):
        """The state, for one thread at a time; None where somebody has closed it."""
        with self._state.lock:
            yield self._state if self._state.pointer else None


class Contexts:
    """Those of one Foveator."""

    def __init__(self, pairs):
        self._pairs = pairs
        self._of = {}
        self._lock = threading.Lock()
        _all[id(self)] = self

    def renew_lock(self):
        """After fork: a thread that held it is not there."""
        self._lock = threading.Lock()

    def _get(self, device, ordinal):
        key = (os.getpid(), device, ordinal)
        with self._lock:
            if key not in self._of:
                if device == "cuda" and any(used == "cuda" and process != key[0] for process, used, _ in self._of):
                    raise _errors.FoveaError(
                        "this process was forked from one that uses CUDA, which cannot be used here: start workers by "
                        "'spawn', or foveate on the cpu in them"
                    )
                self._of[key] = Context(self._pairs, ordinal)
            return self._of[key]

    def open(self, device, ordinal):
        self._get(device, ordinal)

    def run(self, device, ordinal, batches, stream):
        """Runs batches one after the other; other threads wait until all are enqueued."""
        while True:
            context = self._get(device, ordinal)
            with context.held() as state:
                if state is None and context in self._of.values():
                    raise _errors.FoveaError("foveate: the interpreter is ending")
                if state is None:
                    continue  # closed by another thread meanwhile: a new one is opened
                for batch in batches:
                    state.messages.clear()
                    result = _library.library().fovea_context_run_batch(state.pointer, ctypes.byref(batch), stream)
                    _library.check(result, state.messages, "foveate")
                return

    def close(self):
        with self._lock:
            contexts, self._of = list(self._of.values()), {}
        for context in contexts:
            context.close()


_all = weakref.WeakValueDictionary()  # by identity


def _after_fork():
    for contexts in list(_all.values()):
        contexts.renew_lock()


os.register_at_fork(after_in_child=_after_fork)
