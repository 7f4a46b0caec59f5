/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "orientation.h"

#include "raw_file.h"

#include <string.h>

#define JPEG_SCAN 0xda /* here pixels begin */
#define JPEG_APP1 0xe1
#define FIRST_SWAPPED 5 /* orientations from here on exchange rows and columns */

static size_t number(const uint8_t *bytes, size_t count)
{
    size_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

static uint32_t of_jpeg(const uint8_t *bytes, size_t count)
{
    for (size_t at = 2; at + 10 <= count && bytes[at] == 0xff && bytes[at + 1] != JPEG_SCAN;) {
        const size_t length = number(bytes + at + 2, 2);
        const bool fits = length >= 8 && length <= count - at - 2;
        if (fits && bytes[at + 1] == JPEG_APP1 && memcmp(bytes + at + 4, "Exif\0", 6) == 0) {
            return raw_tiff_orientation(bytes + at + 10, length - 8);
        }
        at += 2 + length;
    }
    return 1;
}

static uint32_t of_png(const uint8_t *bytes, size_t count)
{
    for (size_t at = 8; at + 12 <= count;) {
        const size_t length = number(bytes + at, 4);
        if (length > count - at - 12) {
            break;
        }
        if (memcmp(bytes + at + 4, "eXIf", 4) == 0) {
            return raw_tiff_orientation(bytes + at + 8, length);
        }
        at += 12 + length;
    }
    return 1;
}

uint32_t orientation_of(const uint8_t *bytes, size_t count)
{
    if (count > 2 && bytes[0] == 0xff && bytes[1] == 0xd8) {
        return of_jpeg(bytes, count);
    }
    return count > 8 && memcmp(bytes, "\x89PNG", 4) == 0 ? of_png(bytes, count) : 1;
}

bool orientation_swaps_axes(uint32_t orientation)
{
    return orientation >= FIRST_SWAPPED;
}

/* 2: the columns are the other way round; 3: rows too; 4: rows alone; 5 .. 8: the same of 1, 4, 3
 * and 2 with rows and columns exchanged. */
void orientation_apply(uint32_t orientation, const uint32_t *in, uint32_t width_px,
                       uint32_t height_px, uint32_t *out)
{
    const bool swapped = orientation_swaps_axes(orientation);
    const bool right_left =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool bottom_up =
        orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    const uint32_t out_width = swapped ? height_px : width_px;
    for (uint32_t y = 0; y < height_px; y++) {
        for (uint32_t x = 0; x < width_px; x++) {
            const uint32_t column = right_left ? width_px - 1 - x : x;
            const uint32_t row = bottom_up ? height_px - 1 - y : y;
            const size_t to =
                swapped ? (size_t)column * out_width + row : (size_t)row * out_width + column;
            out[to] = in[(size_t)y * width_px + x];
        }
    }
}
