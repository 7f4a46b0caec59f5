# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Settings by the library's own table: the same paths, words and errors as in a configuration file."""

import ctypes
import dataclasses
import functools
import hashlib
import json
import os
import re
import sys
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _errors, _given, _library

_TYPES = ("bool", "integer", "number", "word", "text", "file", "keys", "list", "words")
_TEXT_MAX = 32768  # FOVEA_SETTING_TEXT_MAX

Config = Union[None, str, "os.PathLike[str]", Mapping[str, Any]]
Pairs = tuple[tuple[str, str], ...]  # path and JSON
Status = tuple[Union[int, str], ...]  # of a file, by which one sees that it has changed

# Contexts read the files that settings name when they are opened, but for those of these groups. A text of settings has what
# each held in a line of its own, behind this mark: texts are the same where the settings and the files are, and only there.
_READ_BY_OTHERS = ("gaze.", "record.")
_MARK = "#"

# A context opens a file only where each of these settings names this word; a file that is not here counts always.
MAP_FILE = "foveation.map.file"
_READ_WHERE = {
    MAP_FILE: {"operators": "foveate", "foveation.model": "map", "foveation.map.kind": "file"},
    "blur.file": {"operators": "blur", "blur.engine": "fft"},
    "lens.file": {"operators": "lens"},
}

# Its file becomes numbers when it is set, and nothing says then that there was one.
_TABLE = "foveation.display.table"

# Arrays count where these settings name these words; the kind of a map is then that of an array.
_GIVEN_FOR = {_given.MAP: ("foveation.model", "map", "it must be map"), _given.LENS: ("operators", "lens", "it must list lens")}
_OF_ARRAY = ("foveation.map.kind", "array")

# The package's own default: the library's, `paper`, leaves 1.5 pixels sharp in a picture of 84x84.
_MODEL = "foveation.model"
_DEFAULT_MODEL = "relative"


@dataclasses.dataclass(frozen=True)
class Setting:
    """One setting of the library: what it is for and what it takes."""

    path: str
    help: str
    unit: str
    type: str
    expected: str
    default: str


@functools.lru_cache(maxsize=1)
def _defaults() -> dict[str, str]:
    return {setting.path: setting.default for setting in settings()}


@functools.lru_cache(maxsize=1)
def _file_paths() -> frozenset[str]:
    return frozenset(setting.path for setting in settings() if setting.type == "file")


def settings() -> list[Setting]:
    """All settings that there are, as a list of Setting, in the order of docs/configuration.md."""
    library = _library.library()
    found = []
    for index in range(library.fovea_setting_count()):
        info = _library.SettingInfo(struct_bytes=ctypes.sizeof(_library.SettingInfo))
        if library.fovea_setting_info(index, ctypes.byref(info)) != _library.OK:
            break
        found.append(
            Setting(
                info.path.decode(),
                info.help.decode(),
                info.unit.decode(),
                _TYPES[info.type] if info.type < len(_TYPES) else "text",
                info.expected.decode(),
                _DEFAULT_MODEL if info.path.decode() == _MODEL else info.default_text.decode(),
            )
        )
    return found


@functools.lru_cache(maxsize=1)
def _read_paths() -> tuple[str, ...]:
    return tuple(sorted(path for path in _file_paths() if not path.startswith(_READ_BY_OTHERS)))


def _absolute(path: str, value: Any) -> Any:
    """The value with the names of files in full: they mean the same after os.chdir and in another process."""
    if isinstance(value, Mapping):
        return {name: _absolute(f"{path}.{name}", part) for name, part in value.items()}
    if isinstance(value, (str, os.PathLike)) and value and path in _file_paths():
        return os.path.abspath(os.fsdecode(value))
    return value


@functools.lru_cache(maxsize=16)
def _model_pairs(name: str) -> Pairs:
    pairs = ((_MODEL, json.dumps(name)),)
    try:
        Settings(pairs)
    except _errors.ConfigError as error:
        raise _errors.ConfigError(f"{error} (or a file: a path, or a name ending in .json)") from None
    return pairs


def _plain(value: Any) -> Any:
    """What JSON holds instead of a value that it does not."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(value, jax.core.Tracer):
        raise TypeError("settings are constants of a program: close over them or use static_argnames")
    raise TypeError(f"{value!r} is nothing that JSON holds")


def text_of(value: Any) -> str:
    """A value as JSON."""
    return json.dumps(value)


def as_pairs(config: Config) -> Pairs:
    """A configuration as (path, JSON) pairs, hashable; a file is the pair ("", its path), other strings name a model."""
    if config is None:
        return ()
    if isinstance(config, str) and os.sep not in config and not config.endswith(".json"):
        return _model_pairs(config)
    if isinstance(config, (str, os.PathLike)):
        return (("", os.path.abspath(os.fsdecode(config))),)
    if not isinstance(config, Mapping):
        raise TypeError(f"config is a mapping of settings or the name of a file, not {type(config).__name__}")
    pairs = []
    for path, value in config.items():
        if not isinstance(path, str) or not path:
            raise TypeError(f"a setting's path is a string, as in 'foveation.strength', not {path!r}")
        value = _absolute(path, value)
        try:
            text = json.dumps(value, default=_plain, ensure_ascii=False)
            text.encode()
            pairs.append((path, text))
        except UnicodeEncodeError:
            raise _errors.ConfigError(f"{path}: {value!r} is not UTF-8, as settings are") from None
        except TypeError as error:
            raise TypeError(f"{path}: {error}") from None
    return tuple(pairs)


def _lines_of(text: str, marked: bool) -> Pairs:
    lines = (line for line in text.split("\t") if line and line.startswith(_MARK) == marked)
    return tuple((path, value) for path, _, value in (line.partition("=") for line in lines))


def pairs_of_text(text: str) -> Pairs:
    """The pairs that Settings.text stands for."""
    return _lines_of(text, marked=False)


def given_of_text(text: str) -> _given.Given:
    """What the text says was given beside the settings."""
    return _given.given_of_lines({path.removeprefix(_MARK): value for path, value in _lines_of(text, marked=True)})


def of_text(text: str) -> "Settings":
    """The settings that a text stands for."""
    return Settings(pairs_of_text(text), given_of_text(text))


def _digest_of(file: str) -> str:
    """Says what is in a file, and nothing where it cannot be read: who opens it says why. A pipe would keep us waiting, and a device has no end."""
    if not os.path.isfile(file):
        return ""
    try:
        with open(file, "rb") as opened:
            return hashlib.sha256(opened.read()).hexdigest()[:32]
    except OSError:
        return ""


def check_files(text: str, only: Sequence[str] = ()) -> None:
    """ConfigError: a file is not what it was when the text was made. only: paths of the settings whose files count; none: all do."""
    files = dict(pairs_of_text(text))
    for marked, digest in _lines_of(text, marked=True):
        path = marked.removeprefix(_MARK)
        if path in files and (not only or path in only) and _digest_of(files[path]) != digest:
            raise _errors.ConfigError(f"{path}: {files[path]} has changed since the Foveator was made: make a new one")


def _status_of(file: str) -> Status:
    try:
        status = os.stat(file)
    except OSError:
        return ()
    return (status.st_mtime_ns, status.st_size, status.st_ino)


@functools.lru_cache(maxsize=16)
def _read_by(pairs: Pairs, statuses: tuple[Status, ...]) -> tuple[tuple[str, ...], bool]:
    """The files that are read, and whether there is a table, which may be of a file."""
    settings = Settings(pairs)
    return tuple(settings.files().values()), settings.get(_TABLE) != _defaults()[_TABLE]


def statuses_of(pairs: Pairs) -> tuple[Status, ...]:
    """Changes where a file that the pairs stand for has changed: their own and those that it names."""
    if not pairs:
        return ()
    own = tuple(_status_of(text) for path, text in pairs if not path)
    files, has_table = _read_by(pairs, own)
    table = ((Settings(pairs).get(_TABLE) or "",),) if has_table else ()
    return (*own, *map(_status_of, files), *table)


def _bytes_of(text: str) -> bytes:
    """Text for C, which would take it to end at a NUL."""
    if "\0" in text:
        raise _errors.ConfigError(f"{text!r} has a character of value 0")
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        raise _errors.ConfigError(f"{text!r} is not UTF-8, as settings are") from None


class Settings:
    """An object of the library's with these pairs in force. Freed with this object."""

    def __init__(self, pairs: Pairs, given: _given.Given = _given.Given()) -> None:
        self._library, self.given = _library.library(), given
        self.pointer = ctypes.c_void_p()
        self._messages = _library.Messages()
        files = [text for path, text in pairs if not path]
        self._check(self._defaults(), "settings")
        if files:
            self._check(self._read(files[0]), files[0])
        for path, text in pairs:
            if path:
                self._check(
                    self._library.fovea_settings_set(self.pointer, _bytes_of(path), _bytes_of(text), self._messages.log), path
                )
        for result, path in given.add_to(self.pointer, self._messages.log):
            self._check(result, path)
        self._check_given()
        # The library says which settings do nothing beside the others; "" where all count.
        self.unused = self._checked()

    def _check_given(self) -> None:
        """ConfigError: no picture would be made by an array that was given."""
        for path, _ in self.given.arrays:
            setting, wanted, must = _GIVEN_FOR[path]
            if not self._names(setting, wanted):
                raise _errors.ConfigError(f"maps: {path} is given, and {setting} is {self.get(setting)}: {must}")

    def _checked(self) -> str:
        self._messages, before = _library.Messages(_library.LOG_INFO), self._messages
        self._check(self._library.fovea_settings_check(self.pointer, self._messages.log), "settings")
        said, self._messages = self._messages.text(), before
        return said.replace("configuration: ", "")

    def _check(self, result: int, what: str) -> None:
        said = self._messages.text() if result in (_library.INVALID_ARGUMENT, _library.CONFIG) else ""
        if said:
            # Which function was told what: the path that is wrong says enough.
            said = re.sub(rf'fovea_settings_set ".*?": (?={re.escape(what)})', "", said, flags=re.DOTALL)
            raise _errors.ConfigError(said if said.startswith(what) else f"{what}: {said}")
        _library.check(_library.CONFIG if result == _library.INVALID_ARGUMENT else result, self._messages, what)

    def _defaults(self) -> int:
        result = int(self._library.fovea_settings_create(ctypes.byref(self.pointer)))
        if result < 0:
            return result
        return int(self._library.fovea_settings_set(self.pointer, _MODEL.encode(), _DEFAULT_MODEL.encode(), self._messages.log))

    def _read(self, file: str) -> int:
        """Puts a file's settings over those that there are."""
        _bytes_of(file)
        desc = _library.ConfigDesc(
            struct_bytes=ctypes.sizeof(_library.ConfigDesc),
            file=os.fsencode(file),
            ignore_environment=True,
            ignore_changes=True,
            defaults=self.pointer,
            log=self._messages.log,
        )
        config = ctypes.c_void_p()
        result = int(self._library.fovea_config_create(ctypes.byref(desc), ctypes.byref(config)))
        if result >= 0:
            found = ctypes.c_void_p()
            result = self._library.fovea_settings_copy(self._library.fovea_config_settings(config), ctypes.byref(found))
            self._library.fovea_config_destroy(ctypes.byref(config))
            self._library.fovea_settings_destroy(ctypes.byref(self.pointer))
            self.pointer = found
        if result == _library.IO:
            # This raises what Python says of a file that is not there, and waits for nobody where it is a pipe.
            with open(file, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)):
                pass
        return result

    def get(self, path: str) -> Optional[str]:
        if "\0" in path:
            return None
        text = ctypes.create_string_buffer(_TEXT_MAX)
        result = self._library.fovea_settings_get(self.pointer, path.encode(), text, _TEXT_MAX)
        return text.value.decode() if result == _library.OK else None

    def _names(self, path: str, word: str) -> bool:
        """Whether a setting is this word, or a list that has it."""
        return word in (self.get(path) or "").strip("[]").replace('"', "").replace(" ", "").split(",")

    def files(self) -> dict[str, str]:
        """The files that contexts read, by the settings that name them."""
        found = {path: file for path in _read_paths() if (file := self.get(path))}
        return {path: file for path, file in found.items() if all(self._names(*word) for word in _READ_WHERE.get(path, {}).items())}

    def largest_sigma_px(self, width: int, height: int) -> float:
        """Of a picture of that size, while somebody looks at its corner. Infinite where the library cannot say."""
        sigmas = np.empty((height, width), np.float32)
        result = self._library.fovea_sigma_map(self.pointer, width, height, _library.PointUv(0, 0), sigmas.ctypes.data)
        return float(sigmas.max()) if result == _library.OK else float("inf")

    def text(self) -> str:
        """What is not as by default, as path=value with tabs between, and what is in files: all that makes the same
        settings in another process. (torch's inductor may write a newline into code as it is.) The model is always named:
        for those who begin with the library's defaults, as XLA's handlers do."""
        lines, value = [], ctypes.create_string_buffer(_TEXT_MAX)
        for path, default in _defaults().items():
            self._library.fovea_settings_get(self.pointer, path.encode(), value, _TEXT_MAX)
            text = value.value.decode()
            if "\t" in text:
                raise _errors.ConfigError(f"{path}: {text!r} has a tab in it")
            if (path, text) == _OF_ARRAY:
                continue  # as the array makes it
            if text != default or path == _MODEL:
                lines.append(f"{path}={text}")
        lines += [f"{_MARK}{path}={_digest_of(file)}" for path, file in self.files().items()]
        lines += [_MARK + line for line in self.given.lines()]
        return "\t".join(lines)

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self._library.fovea_settings_destroy(ctypes.byref(self.pointer))
