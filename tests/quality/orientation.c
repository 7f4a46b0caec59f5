/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "orientation.h"

#include <string.h>

#define HEAD_BYTES 131072 /* EXIF stands before the pixels, and has 64 KiB at most */
#define ORIENTATION_TAG 0x112
#define ENTRY_BYTES 12
#define VALUE_AT 8

struct exif {
    const uint8_t *begin;
    size_t count;
    bool big_endian;
};

/* A number of some bytes; 0 where the file ends before. */
static uint32_t number_at(const struct exif *exif, size_t at, size_t bytes)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes && at + bytes <= exif->count; i++) {
        const size_t from = at + (exif->big_endian ? i : bytes - 1 - i);
        value = value << 8 | exif->begin[from];
    }
    return value;
}

static bool find_exif(const uint8_t *head, size_t count, struct exif *out)
{
    const uint8_t *jpeg = memmem(head, count, "Exif\0\0", 6);
    const uint8_t *png = memmem(head, count, "eXIf", 4);
    if (!jpeg && !png) {
        return false;
    }
    out->begin = jpeg ? jpeg + 6 : png + 4;
    out->count = count - (size_t)(out->begin - head);
    out->big_endian = out->count > 4 && memcmp(out->begin, "MM\0*", 4) == 0;
    return out->big_endian || (out->count > 4 && memcmp(out->begin, "II*\0", 4) == 0);
}

/* The number from 1 to 8 that EXIF has; 1 where it has none. */
static uint32_t number_of(const struct exif *exif)
{
    const size_t first = number_at(exif, 4, 4);
    const size_t count = number_at(exif, first, 2);
    for (size_t i = 0; i < count; i++) {
        const size_t entry = first + 2 + i * ENTRY_BYTES;
        if (number_at(exif, entry, 2) == ORIENTATION_TAG) {
            return number_at(exif, entry + VALUE_AT, 2);
        }
    }
    return 1;
}

struct orientation orientation_of(FILE *file)
{
    static uint8_t head[HEAD_BYTES];
    struct exif exif;
    const size_t count = fread(head, 1, sizeof head, file);
    const uint32_t number = find_exif(head, count, &exif) ? number_of(&exif) : 1;
    return (struct orientation){
        .swaps_axes = number >= 5 && number <= 8,
        .mirrors_x = number == 2 || number == 3 || number == 7 || number == 8,
        .mirrors_y = number == 3 || number == 4 || number == 6 || number == 7,
    };
}

void orientation_turn(struct orientation orientation, uint32_t width_px, uint32_t height_px,
                      const void *stored, void *out_shown)
{
    const uint32_t shown_px[2] = {orientation.swaps_axes ? height_px : width_px,
                                  orientation.swaps_axes ? width_px : height_px};
    for (uint32_t y = 0; y < shown_px[1]; y++) {
        for (uint32_t x = 0; x < shown_px[0]; x++) {
            const uint32_t column = orientation.swaps_axes ? y : x;
            const uint32_t row = orientation.swaps_axes ? x : y;
            const size_t from_x = orientation.mirrors_x ? width_px - 1 - column : column;
            const size_t from_y = orientation.mirrors_y ? height_px - 1 - row : row;
            memcpy((uint8_t *)out_shown + 4 * ((size_t)y * shown_px[0] + x),
                   (const uint8_t *)stored + 4 * (from_y * width_px + from_x), 4);
        }
    }
}
