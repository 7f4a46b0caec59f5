# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Numbers that anybody may give, of any type and length: each is taken, or refused with its name."""

import math
from typing import Any


def said(value: Any) -> str:
    """A value as messages have it: Python writes no whole number of thousands of digits, and an array fills a page."""
    if isinstance(value, (tuple, list)):
        if len(value) > 16:
            return f"a {type(value).__name__} of {len(value)} values"
        words = ", ".join(said(one) for one in value)
        return f"[{words}]" if isinstance(value, list) else f"({words}{',' * (len(value) == 1)})"
    if isinstance(value, int) and value.bit_length() > 1000:
        return f"a whole number of {value.bit_length()} bits"
    shape = getattr(value, "shape", ())
    return f"an array of shape {tuple(shape)}" if isinstance(shape, tuple) and math.prod(shape) > 16 else repr(value)


def whole_of(what: str, value: Any, least: int = -(2**62), most: int = 2**62) -> int:
    """A number for the library, which would take one beyond its type for another. TypeError, ValueError: it is none."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"{what} is {said(value)}: {error}") from None
    if not least <= number <= most:
        raise ValueError(f"{what} is {said(value)}; it must be {least} to {most}")
    return number


def whole_pair(what: str, value: Any, words: str, most: int) -> tuple[int, int]:
    """Two whole numbers from 1 on, of anything that holds them: a size, a grid. ValueError: they are none; the words say what they are."""
    try:
        first, second = value
        pair = int(first), int(second)
        is_right = pair == (first, second) and 1 <= min(pair) <= max(pair) <= most
    except (TypeError, ValueError, OverflowError, RuntimeError):  # the last is PyTorch's where one is no number
        is_right = False
    if not is_right:
        raise ValueError(f"{what} is {said(value)}; it must be {words}, 1 to {most} each")
    return pair


def real_of(what: str, value: Any) -> float:
    """A number as a float. TypeError, ValueError: it is none."""
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{what} is {said(value)}: that is no finite float") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what} is {said(value)}: {error}") from None
