# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Settings by the library's own table: the same paths, words and errors as in a configuration file."""

import ctypes
import dataclasses
import json
import os
from typing import Any, Mapping, Optional, Union

from . import _library

_TYPES = ("bool", "integer", "number", "word", "text", "file", "keys", "list", "words")

Config = Union[None, str, os.PathLike, Mapping[str, Any]]


@dataclasses.dataclass(frozen=True)
class Setting:
    """One setting of the library: what it is for and what it takes."""

    path: str
    help: str
    unit: str
    type: str
    expected: str
    default: str


def settings() -> list:
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
                info.default_text.decode(),
            )
        )
    return found


def as_pairs(config: Config) -> tuple:
    """A configuration as (path, JSON) pairs, hashable; a file is the pair ("", its path), other strings name a model."""
    if config is None:
        return ()
    if isinstance(config, str) and os.sep not in config and not config.endswith(".json"):
        return (("foveation.model", json.dumps(config)),)
    if isinstance(config, (str, os.PathLike)):
        return (("", os.fspath(config)),)
    if not isinstance(config, Mapping):
        raise TypeError(f"config is a mapping of settings or the name of a file, not {type(config).__name__}")
    pairs = []
    for path, value in config.items():
        if not isinstance(path, str) or not path:
            raise TypeError(f"a setting's path is a string, as in 'foveation.strength', not {path!r}")
        try:
            pairs.append((path, json.dumps(value)))
        except TypeError:
            raise TypeError(f"{path}: {value!r} is nothing that JSON holds") from None
    return tuple(pairs)


class Settings:
    """An object of the library's with these pairs in force. Freed with this object."""

    def __init__(self, pairs):
        self._library = _library.library()
        self.pointer = ctypes.c_void_p()
        self._messages = _library.Messages()
        files = [text for path, text in pairs if not path]
        self._check(self._from_file(files[0]) if files else self._defaults(), files[0] if files else "settings")
        for path, text in pairs:
            if path:
                self._check(
                    self._library.fovea_settings_set(self.pointer, path.encode(), text.encode(), self._messages.log), path
                )
        self._check(self._library.fovea_settings_check(self.pointer, self._messages.log), "settings")

    def _check(self, result, what):
        if result == _library.INVALID_ARGUMENT:
            result = _library.CONFIG
        _library.check(result, self._messages, what)

    def _defaults(self):
        return self._library.fovea_settings_create(ctypes.byref(self.pointer))

    def _from_file(self, file):
        desc = _library.ConfigDesc(
            struct_bytes=ctypes.sizeof(_library.ConfigDesc),
            file=os.fsencode(file),
            ignore_environment=True,
            ignore_changes=True,
            log=self._messages.log,
        )
        config = ctypes.c_void_p()
        result = self._library.fovea_config_create(ctypes.byref(desc), ctypes.byref(config))
        if result >= 0:
            result = self._library.fovea_settings_copy(
                self._library.fovea_config_settings(config), ctypes.byref(self.pointer)
            )
            self._library.fovea_config_destroy(ctypes.byref(config))
        return result

    def get(self, path: str) -> Optional[str]:
        text = ctypes.create_string_buffer(32768)
        result = self._library.fovea_settings_get(self.pointer, path.encode(), text, len(text))
        return text.value.decode() if result == _library.OK else None

    def __del__(self):
        if getattr(self, "pointer", None):
            self._library.fovea_settings_destroy(ctypes.byref(self.pointer))
