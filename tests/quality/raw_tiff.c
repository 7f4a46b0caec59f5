/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* TIFF files as microscopes' and cameras' programs write them: one picture in strips, without
 * compression. Every number of the file may be wrong. */

#include "raw_file.h"

#include <stdlib.h>
#include <string.h>

#define SIDE_MAX_PX 16384
#define FIELD_BYTES 12
#define TYPE_SHORT 3

enum {
    TAG_WIDTH = 256,
    TAG_HEIGHT = 257,
    TAG_BITS = 258,
    TAG_COMPRESSION = 259,
    TAG_MEANING = 262, /* 1: 0 is black, 2: red, green and blue */
    TAG_OFFSETS = 273,
    TAG_ORIENTATION = 274,
    TAG_SAMPLES = 277,
    TAG_BYTES = 279,
    TAG_PLANES = 284,
    TAG_TILE_WIDTH = 322,
    TAG_KIND = 339, /* 1: whole numbers */
};

struct tiff {
    const uint8_t *bytes;
    size_t count;
    bool big_end;
};

/* Beyond the end there are zeros. */
static uint32_t number(const struct tiff *tiff, size_t at, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        const size_t place = at + (tiff->big_end ? i : bytes - 1 - i);
        value = value << 8 | (place < tiff->count ? tiff->bytes[place] : 0);
    }
    return value;
}

/* Finds a tag of the first directory; 0: it is nowhere. */
static size_t find(const struct tiff *tiff, uint32_t tag)
{
    const size_t directory = number(tiff, 4, 4);
    const uint32_t fields = number(tiff, directory, 2);
    size_t field = directory + 2;
    for (uint32_t i = 0; i < fields && field < tiff->count; i++, field += FIELD_BYTES) {
        if (number(tiff, field, 2) == tag) {
            return field;
        }
    }
    return 0;
}

static uint32_t value_in(const struct tiff *tiff, size_t field, uint32_t index, uint32_t without)
{
    if (!field || index >= number(tiff, field + 4, 4)) {
        return without;
    }
    const uint32_t bytes = number(tiff, field + 2, 2) == TYPE_SHORT ? 2 : 4;
    const bool inside = (uint64_t)bytes * number(tiff, field + 4, 4) <= 4;
    const size_t at = inside ? field + 8 : number(tiff, field + 8, 4);
    return number(tiff, at + (size_t)bytes * index, bytes);
}

static uint32_t value_of(const struct tiff *tiff, uint32_t tag, uint32_t without)
{
    return value_in(tiff, find(tiff, tag), 0, without);
}

static const char *refusal(const struct tiff *tiff)
{
    const uint32_t samples = value_of(tiff, TAG_SAMPLES, 1);
    const uint32_t bits = value_of(tiff, TAG_BITS, 1);
    if (value_of(tiff, TAG_COMPRESSION, 1) != 1 || find(tiff, TAG_TILE_WIDTH) ||
        value_of(tiff, TAG_PLANES, 1) != 1) {
        return "a TIFF file with compression, tiles or planes; 'convert IN.tif OUT.png' makes a "
               "PNG file of it";
    }
    if ((bits != 8 && bits != 16) || (samples != 1 && samples != 3 && samples != 4)) {
        return "a TIFF file whose pixels are not 1, 3 or 4 numbers of 8 or 16 bits; 'convert "
               "IN.tif OUT.png' makes a PNG file of it";
    }
    const uint32_t meaning = value_of(tiff, TAG_MEANING, 1);
    if ((meaning != 1 && meaning != 2) || value_of(tiff, TAG_KIND, 1) != 1) {
        return "a TIFF file with a palette, black and white swapped, or numbers that are no whole "
               "ones; 'convert IN.tif OUT.png' makes a PNG file of it";
    }
    const uint32_t width = value_of(tiff, TAG_WIDTH, 0);
    const uint32_t height = value_of(tiff, TAG_HEIGHT, 0);
    return width > 0 && height > 0 && width <= SIDE_MAX_PX && height <= SIDE_MAX_PX
               ? NULL
               : "a TIFF file without a size, or larger than 16384 pixels";
}

/* Strip after strip. False where the file ends before the picture does. */
static bool copy_strips(const struct tiff *tiff, uint8_t *to, size_t wanted)
{
    const size_t offsets = find(tiff, TAG_OFFSETS);
    const size_t sizes = find(tiff, TAG_BYTES);
    const uint32_t strips = offsets ? number(tiff, offsets + 4, 4) : 0;
    for (uint32_t i = 0; i < strips && i < SIDE_MAX_PX && wanted > 0; i++) {
        const size_t at = value_in(tiff, offsets, i, 0);
        const size_t given = value_in(tiff, sizes, i, 0);
        const size_t bytes = given < wanted ? given : wanted;
        if (at > tiff->count || bytes > tiff->count - at) {
            return false;
        }
        memcpy(to, tiff->bytes + at, bytes);
        to += bytes;
        wanted -= bytes;
    }
    return wanted == 0;
}

static void swap_bytes(const struct tiff *tiff, uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i + 1 < count; i += 2) {
        const struct tiff own = {bytes, count, tiff->big_end};
        const uint16_t value = (uint16_t)number(&own, i, 2);
        memcpy(bytes + i, &value, sizeof value);
    }
}

uint32_t raw_tiff_orientation(const uint8_t *bytes, size_t count)
{
    const struct tiff tiff = {bytes, count, count > 0 && bytes[0] == 'M'};
    const uint32_t said = value_of(&tiff, TAG_ORIENTATION, 1);
    return said >= 1 && said <= 8 ? said : 1;
}

const char *raw_tiff(const uint8_t *bytes, size_t count, struct fovea_lightfield_raw *out)
{
    static const enum fovea_lightfield_format formats[2][5] = {
        {0, FOVEA_LIGHTFIELD_FORMAT_R8, 0, FOVEA_LIGHTFIELD_FORMAT_RGB8,
         FOVEA_LIGHTFIELD_FORMAT_RGBA8},
        {0, FOVEA_LIGHTFIELD_FORMAT_R16, 0, FOVEA_LIGHTFIELD_FORMAT_RGB16,
         FOVEA_LIGHTFIELD_FORMAT_RGBA16}};
    const struct tiff tiff = {bytes, count, count > 0 && bytes[0] == 'M'};
    const char *why = refusal(&tiff);
    if (why) {
        return why;
    }
    const bool wide = value_of(&tiff, TAG_BITS, 1) == 16;
    const uint32_t samples = value_of(&tiff, TAG_SAMPLES, 1);
    out->width_px = value_of(&tiff, TAG_WIDTH, 0);
    out->height_px = value_of(&tiff, TAG_HEIGHT, 0);
    out->format = formats[wide][samples];
    out->row_stride_bytes = (ptrdiff_t)out->width_px * (ptrdiff_t)samples * (wide ? 2 : 1);
    const size_t wanted = (size_t)out->row_stride_bytes * out->height_px;
    if (wanted > count) {
        return "a TIFF file that ends before its picture does";
    }
    uint8_t *data = malloc(wanted);
    if (!data) {
        return "no memory";
    }
    if (!copy_strips(&tiff, data, wanted)) {
        free(data);
        return "a TIFF file whose strips are not its picture";
    }
    if (wide) {
        swap_bytes(&tiff, data, wanted);
    }
    out->data = data;
    return NULL;
}
