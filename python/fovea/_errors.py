# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What can go wrong, by what the caller can do about it. Wrong arguments are ValueError and TypeError."""


class FoveaError(RuntimeError):
    """The library refused or failed; the text is what it logged."""


class LibraryError(ImportError):
    """The C library was not found, is of another version, or is no library."""


class ConfigError(FoveaError, ValueError):
    """A setting or a configuration file is wrong; the text names it and says what was expected."""


class UnsupportedError(FoveaError):
    """This machine, device, format or build cannot do it."""


class DeviceLostError(FoveaError):
    """The GPU is gone for this process: start a new one."""


class OutOfMemoryError(FoveaError, MemoryError):
    """The host or the device has no memory left for this; smaller batches still work."""
