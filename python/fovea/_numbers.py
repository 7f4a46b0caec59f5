# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Numbers that anybody may give, of any type and length: each is taken, or refused with its name."""

from typing import Any


def of_any_length(number: Any) -> str:
    """A number as messages have it: Python writes no whole number of thousands of digits."""
    is_long = isinstance(number, int) and number.bit_length() > 1000
    return f"a whole number of {number.bit_length()} bits" if is_long else repr(number)


def whole_of(what: str, value: Any, least: int = -(2**62), most: int = 2**62) -> int:
    """A number for the library, which would take one beyond its type for another. TypeError, ValueError: it is none."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"{what} is {value!r}: {error}") from None
    if not least <= number <= most:
        raise ValueError(f"{what} is {of_any_length(value)}; it must be {least} to {most}")
    return number


def real_of(what: str, value: Any) -> float:
    """A number as a float. TypeError, ValueError: it is none."""
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{what} is {of_any_length(value)}: that is no finite float") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what} is {value!r}: {error}") from None
