/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "planes.h"

/* Formats whose channels may lie in planes have a size and a format of one channel. */
static const struct channel {
    size_t bytes;
    enum fovea_format format;
} channels[] = {
    [FOVEA_FORMAT_RGB8] = {1, FOVEA_FORMAT_R8},
    [FOVEA_FORMAT_RGB16F] = {2, FOVEA_FORMAT_R16F},
    [FOVEA_FORMAT_RGB32F] = {4, FOVEA_FORMAT_R32F},
    [FOVEA_FORMAT_RGB16] = {2, FOVEA_FORMAT_R16},
};

static struct channel channel_of(enum fovea_format format)
{
    const size_t index = (size_t)format;
    return index < sizeof channels / sizeof *channels ? channels[index]
                                                      : (struct channel){.bytes = 0};
}

size_t planes_sample_bytes(enum fovea_format format)
{
    return channel_of(format).bytes;
}

enum fovea_format planes_channel_format(enum fovea_format format)
{
    return channel_of(format).format;
}

/* Rows of pixels begin at multiples of a four's bytes, so only the planes decide. */
static bool has_fours(const struct planes *planes, size_t sample_bytes)
{
    const int64_t unit = (int64_t)sample_bytes * PLANES_FOUR;
    /* A power of two divides them all if it divides the bits of any of them. */
    const uint64_t all = planes->planes | (uint64_t)planes->plane_bytes |
                         (uint64_t)planes->row_bytes | (uint64_t)planes->next_bytes |
                         planes->pixels | (uint64_t)planes->pixel_row_bytes |
                         (uint64_t)planes->pixel_next_bytes;
    return planes->sample_bytes == (int64_t)sample_bytes && (all & (uint64_t)(unit - 1)) == 0;
}

struct planes planes_of(const struct planes_images *planar, ptrdiff_t plane_bytes,
                        const struct planes_images *pixels, uint32_t count)
{
    const struct fovea_image *image = planar->first;
    const size_t sample_bytes = planes_sample_bytes(image->format);
    struct planes planes = {
        .planes = (uintptr_t)image->data,
        .plane_bytes = plane_bytes,
        .sample_bytes = image->pixel_stride_bytes,
        .row_bytes = image->row_stride_bytes,
        .next_bytes = planar->next_bytes,
        .pixels = (uintptr_t)pixels->first->data,
        .pixel_row_bytes = pixels->first->row_stride_bytes,
        .pixel_next_bytes = pixels->next_bytes,
        .width_px = (int32_t)image->width_px,
        .height_px = (int32_t)image->height_px,
        .count = planar->next_bytes == 0 ? 1 : (int32_t)count,
    };
    planes.fours = has_fours(&planes, sample_bytes);
    return planes;
}

/* ---- Rows. The usual stride has a loop of its own, which compilers make vectors of. */

#define COPY_ROW(name, type, to, from)                                                             \
    static void name(char *planes, int64_t sample_bytes, char *pixels, int32_t width_px)           \
    {                                                                                              \
        if (sample_bytes == (int64_t)sizeof(type)) {                                               \
            for (int64_t x = 0; x < width_px; x++) {                                               \
                type *sample = (type *)planes + x;                                                 \
                type *pixel = (type *)pixels + x * PLANES_CHANNELS;                                \
                *(to) = *(from);                                                                   \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (int64_t x = 0; x < width_px; x++) {                                                   \
            type *sample = (type *)(planes + x * sample_bytes);                                    \
            type *pixel = (type *)pixels + x * PLANES_CHANNELS;                                    \
            *(to) = *(from);                                                                       \
        }                                                                                          \
    }

COPY_ROW(pack_8, uint8_t, pixel, sample)
COPY_ROW(pack_16, uint16_t, pixel, sample)
COPY_ROW(pack_32, uint32_t, pixel, sample)
COPY_ROW(unpack_8, uint8_t, sample, pixel)
COPY_ROW(unpack_16, uint16_t, sample, pixel)
COPY_ROW(unpack_32, uint32_t, sample, pixel)

typedef void copy_row(char *planes, int64_t sample_bytes, char *pixels, int32_t width_px);

static void copy(const struct planes *planes, size_t sample_bytes, copy_row *row)
{
    for (int64_t i = 0; i < planes->count; i++) {
        for (int64_t y = 0; y < planes->height_px; y++) {
            const uint64_t samples =
                planes->planes + (uint64_t)(i * planes->next_bytes + y * planes->row_bytes);
            const uint64_t pixels = planes->pixels + (uint64_t)(i * planes->pixel_next_bytes +
                                                                y * planes->pixel_row_bytes);
            for (int64_t c = 0; c < PLANES_CHANNELS; c++) {
                row((char *)(uintptr_t)(samples + (uint64_t)(c * planes->plane_bytes)),
                    planes->sample_bytes, (char *)(uintptr_t)pixels + c * (int64_t)sample_bytes,
                    planes->width_px);
            }
        }
    }
}

void planes_pack(const struct planes *planes, enum fovea_format format)
{
    const size_t bytes = planes_sample_bytes(format);
    copy(planes, bytes, bytes == 1 ? pack_8 : bytes == 2 ? pack_16 : pack_32);
}

void planes_unpack(const struct planes *planes, enum fovea_format format)
{
    const size_t bytes = planes_sample_bytes(format);
    copy(planes, bytes, bytes == 1 ? unpack_8 : bytes == 2 ? unpack_16 : unpack_32);
}
