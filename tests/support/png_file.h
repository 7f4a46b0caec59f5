/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* PNG pictures for tests: not compressed, of any size and kind that the format has. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct png_picture {
    uint32_t width, height;
    unsigned depth; /* bits of a channel: 8 or 16 */
    unsigned channels; /* 1 grey, 2 with alpha, 3 colours, 4 with alpha */
    const uint16_t *samples; /* a depth of 8 takes their low bytes */
};

/* The bytes of the file; the caller frees them. */
unsigned char *png_file_bytes(const struct png_picture *picture, size_t *out_count);

/* Fails the running test where it cannot be written. */
void png_file_write(const char *path, const void *bytes, size_t count);
