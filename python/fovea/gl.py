# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Foveation of OpenGL textures in the current context: PsychoPy, pyglet, ModernGL and any other program that draws with OpenGL.

    foveator = fovea.gl.Foveator({"foveation.model": "physical", "gaze.space": "pixels", "gaze.origin": "center"})
    foveator(texture, gaze=mouse.getPos())             # in place, after it was drawn and before it is shown

python/examples/psychopy_window.py foveates each frame of a PsychoPy window. The structs repeat plugin/fovea_gl.h.
"""

import ctypes
import os
import time
from typing import Any, Callable, Optional, Sequence, Union

from . import _errors, _gaze_source, _library, _live, _numbers, _settings

_WAYS = ("auto", "copied", "shared")
_TARGETS = {"2d": 0x0DE1, "rectangle": 0x84F5}

AnyGaze = Union[None, _live.Gaze, _live.GazeSample, Sequence[float]]

GetProcAddress = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)


class Desc(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("get_proc_address", GetProcAddress),
        ("get_proc_address_user", ctypes.c_void_p),
        ("settings", ctypes.c_void_p),
        ("log", _library.Log),
        ("way", ctypes.c_int),
        ("reserved", ctypes.c_uint32),
    ]


class Texture(ctypes.Structure):
    _fields_ = [("name", ctypes.c_uint32), ("target", ctypes.c_uint32)]


class Frame(ctypes.Structure):
    _fields_ = [
        ("struct_bytes", ctypes.c_size_t),
        ("src", Texture),
        ("dst", Texture),
        ("gaze", _gaze_source.Gaze),
        ("top_down", ctypes.c_bool),
        ("reserved", ctypes.c_uint8 * 7),
    ]


def _functions() -> ctypes.CDLL:
    library, pointers = _library.library(), ctypes.POINTER(ctypes.c_void_p)
    library.fovea_gl_create.argtypes = [ctypes.POINTER(Desc), pointers]
    library.fovea_gl_destroy.argtypes = [pointers]
    library.fovea_gl_destroy.restype = None
    library.fovea_gl_foveate.argtypes = [ctypes.c_void_p, ctypes.POINTER(Frame)]
    library.fovea_gl_size.argtypes = [ctypes.c_void_p, ctypes.POINTER(Texture), *[ctypes.POINTER(ctypes.c_uint32)] * 2]
    library.fovea_gl_shown.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]
    library.fovea_gl_way_reason.argtypes = [ctypes.c_void_p]
    library.fovea_gl_way_reason.restype = ctypes.c_char_p
    return library


def _name_of(texture: Any) -> int:
    """A texture's name: a number, one of ctypes (PsychoPy), or what pyglet and ModernGL have in .id and .glo."""
    for attribute in ("value", "id", "glo"):
        texture = getattr(texture, attribute, texture)
    if isinstance(texture, bool) or not hasattr(texture, "__index__"):
        raise TypeError(f"a texture is its name in OpenGL, a number, not {texture!r}")
    return int(texture.__index__())


class Foveator:
    """Foveates textures of the OpenGL context that is current where it is made and called, on one thread.

    config: as of `fovea.Foveator`. Of "gaze." count what gazes are given in ("gaze.space", "gaze.origin", "gaze.screen_px",
        "gaze.screen_deg"), the source that is read where none is given, and filters. "backend" "cpu" copies, "vulkan" and
        "cuda" want the shared way.
    way: "shared" on the GPU, through GL_EXT_memory_object_fd and GL_EXT_semaphore_fd, "copied" through the processor, or
        "auto", the first where the driver has it. `way` says which one runs, and why.
    get_proc_address: a function from a name in bytes to an address (0: there is none), for contexts of neither GLX nor EGL.
    """

    def __init__(
        self,
        config: _settings.Config = None,
        *,
        way: str = "auto",
        get_proc_address: Optional[Callable[[bytes], int]] = None,
    ) -> None:
        self._library, self._pointer = _functions(), ctypes.c_void_p()
        self._messages = _library.Messages()
        if way not in _WAYS:
            raise ValueError(f'way is {way!r}; it must be {", ".join(_WAYS)}')
        self._pairs = _settings.as_pairs(config)
        settings = _settings.Settings(self._pairs)
        self._process, self._made_ns = os.getpid(), time.monotonic_ns()
        self._sources: dict[bool, _live.Gaze] = {}
        self._is_mouse = settings.get("gaze.source") == "mouse"
        desc = Desc(
            struct_bytes=ctypes.sizeof(Desc), settings=settings.pointer, log=self._messages.log, way=_WAYS.index(way)
        )
        failed: list[BaseException] = []
        if get_proc_address is not None:
            ask = get_proc_address

            def found(_user: Optional[int], name: bytes) -> Optional[int]:
                try:
                    return ask(name) or None
                except BaseException as error:  # the library goes on as if there were none
                    failed.append(error)
                    return None

            desc.get_proc_address = GetProcAddress(found)
        result = self._library.fovea_gl_create(ctypes.byref(desc), ctypes.byref(self._pointer))
        if failed:
            raise failed[0]
        _library.check(result, self._messages, "fovea.gl.Foveator")

    @property
    def way(self) -> str:
        """Which way textures go, and why, in words."""
        return str(self._library.fovea_gl_way_reason(self._pointer).decode())

    def _source(self, is_given: bool) -> _live.Gaze:
        if is_given not in self._sources:
            more = (("gaze.source", '"mouse"'),) if is_given else ()
            self._sources[is_given] = _live.Gaze.of_pairs((*self._pairs, *more))
        return self._sources[is_given]

    def _gaze(self, gaze: AnyGaze, texture: Texture) -> _gaze_source.Gaze:
        if isinstance(gaze, _live.GazeSample):
            return gaze.as_struct()
        if isinstance(gaze, _live.Gaze):
            return gaze.read(size_px=self._size_of(texture)).as_struct()
        source = self._source(gaze is not None or self._is_mouse)
        if gaze is not None and not source.push(*_live.pair_of(gaze)):
            return _gaze_source.Gaze()
        return source.read(size_px=self._size_of(texture)).as_struct()

    def _size_of(self, texture: Texture) -> tuple[int, int]:
        width, height = ctypes.c_uint32(), ctypes.c_uint32()
        result = self._library.fovea_gl_size(self._pointer, ctypes.byref(texture), ctypes.byref(width), ctypes.byref(height))
        _library.check(result, self._messages, "fovea.gl.Foveator")
        return width.value, height.value

    def __call__(
        self,
        src: Any,
        dst: Any = None,
        gaze: AnyGaze = None,
        *,
        target: str = "2d",
        top_down: bool = False,
    ) -> bool:
        """Foveates the texture src into dst, None: in place. True; False where there is no gaze, and dst gets src as it is.

        src, dst: level 0 of textures of one size and one of the formats of plugin/fovea_gl.h: their names, or objects of pyglet's,
            ModernGL's or ctypes'.
        gaze: x and y in the units of the settings "gaze.space" and "gaze.origin": uv, pixels, degrees; without these uv from the
            upper left corner. NaN: there is none. An open `fovea.Gaze`, whose own settings count: where it is now; a `GazeSample` that
            was read of it, for a `fovea.Record` of the same. None: of the source that "gaze.source" names.
        target: "2d" or "rectangle", of both textures.
        top_down: row 0 of the textures is the picture's topmost; else its lowest, as OpenGL draws.

        An error leaves dst as it was. What OpenGL has bound and set stays as it is.
        """
        if target not in _TARGETS:
            raise ValueError(f'target is {target!r}; it must be {" or ".join(_TARGETS)}')
        if self._process != os.getpid():
            raise _errors.FoveaError("fovea.gl.Foveator: this process was forked from the one that made it, whose OpenGL it has not")
        if not self._pointer:
            raise _errors.FoveaError("this fovea.gl.Foveator is closed")
        source = Texture(_name_of(src), _TARGETS[target])
        written = source if dst is None else Texture(_name_of(dst), _TARGETS[target])
        frame = Frame(ctypes.sizeof(Frame), source, written, self._gaze(gaze, source), top_down)
        result = self._library.fovea_gl_foveate(self._pointer, ctypes.byref(frame))
        _library.check(result, self._messages, "fovea.gl.Foveator")
        self._messages.warn(stacklevel=2)
        return bool(result == _library.OK)

    def shown(self, t_ns: int, refresh_s: float = 0.0) -> None:
        """When the picture that was foveated last was on the screen, by time.monotonic_ns(): for the record that the setting
        "record.file" makes in the shared way. refresh_s: what the display takes for a picture, if known. Once a frame, before the next.

            window.flip()
            foveator.shown(time.monotonic_ns())
        """
        if self._process != os.getpid() or not self._pointer:
            raise _errors.FoveaError("this fovea.gl.Foveator is closed")
        refresh_ns, shown_ns = _numbers.whole_of("refresh_s in ns", _numbers.real_of("refresh_s", refresh_s) * 1e9 + 0.5, 0), _numbers.whole_of("t_ns", t_ns, 1)
        if shown_ns < self._made_ns:
            raise ValueError(f"t_ns is {t_ns!r}, earlier than this Foveator: it is in nanoseconds, as of time.monotonic_ns()")
        result = self._library.fovea_gl_shown(self._pointer, shown_ns, refresh_ns)
        _library.check(result, self._messages, "fovea.gl.Foveator")

    def close(self) -> None:
        """Frees what it holds, with its context current. Closing twice does nothing."""
        for source in self._sources.values():
            source.close()
        self._sources.clear()
        if self._process == os.getpid():  # a child of fork has its parent's pointer, and no context of OpenGL's
            self._library.fovea_gl_destroy(ctypes.byref(self._pointer))

    def __enter__(self) -> "Foveator":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            self.close()
