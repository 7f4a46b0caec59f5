#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Writes overlay_font.glsl: the printable ASCII characters of DejaVu Sans Mono Bold as bitmaps.

Run by hand when the font should change; the result is committed, so that a build needs no font.
Needs Pillow and Debian's fonts-dejavu-core. DejaVu's licence (Bitstream Vera, public domain
changes) allows embedding.
"""

import pathlib

from PIL import Image, ImageDraw, ImageFont

WIDTH_PX, HEIGHT_PX, SIZE_PX = 8, 16, 13
FIRST, LAST = 32, 126
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf"


def glyph_rows(font, character):
    """One byte a row, the leftmost pixel in the lowest bit."""
    image = Image.new("L", (WIDTH_PX, HEIGHT_PX))
    ImageDraw.Draw(image).text((0, 0), character, fill=255, font=font)
    return [
        sum((image.getpixel((x, y)) > 110) << x for x in range(WIDTH_PX)) for y in range(HEIGHT_PX)
    ]


def words():
    font = ImageFont.truetype(FONT, SIZE_PX)
    for code in range(FIRST, LAST + 1):
        rows = glyph_rows(font, chr(code))
        for i in range(0, HEIGHT_PX, 4):
            yield sum(row << (8 * j) for j, row in enumerate(rows[i : i + 4]))


def main():
    numbers = [f"0x{word:08x}u" for word in words()]
    lines = [", ".join(numbers[i : i + 8]) for i in range(0, len(numbers), 8)]
    body = ",\n    ".join(lines)
    text = f"""/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Made by make_font.py from DejaVu Sans Mono Bold. A glyph is four words, four rows a word, the
 * leftmost pixel in the lowest bit. */

const int FONT_WIDTH_PX = {WIDTH_PX};
const int FONT_HEIGHT_PX = {HEIGHT_PX};
const uint FONT_FIRST = {FIRST}u;
const uint FONT_LAST = {LAST}u;
const uint font_words[{len(numbers)}] = uint[{len(numbers)}](
    {body});

bool font_bit(uint character, ivec2 at)
{{
    if (character < FONT_FIRST || character > FONT_LAST) {{
        return false;
    }}
    uint word = font_words[(character - FONT_FIRST) * 4u + uint(at.y >> 2)];
    return (word >> ((at.y & 3) * 8 + at.x) & 1u) != 0u;
}}
"""
    pathlib.Path(__file__).with_name("overlay_font.glsl").write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
