/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "pixel.h"

#include "pixel_float.h"

static uint32_t to_level(float value, float highest)
{
    const float clamped = value < 0.0f ? 0.0f : value > highest ? highest : value;
    return (uint32_t)(clamped + 0.5f);
}

/* ---- Channels of one type */

static uint8_t to_byte(float value)
{
    return (uint8_t)to_level(value, 255.0f);
}

static uint16_t to_word(float value)
{
    return (uint16_t)to_level(value, 65535.0f);
}

/* `size` of them lie in a pixel, of which `channels` are asked for; alpha that is not is the
 * source's. Inlined with constants, so that the loops over channels unroll. */
#define CHANNELS(kind, type, value_of, channel_of)                                                 \
    static inline void decode_##kind(const struct pixel_row *src, uint32_t channels, float *out)   \
    {                                                                                              \
        const unsigned char *pixel = src->data;                                                    \
        for (uint32_t i = 0; i < src->count; i++, pixel += src->stride_bytes) {                    \
            for (uint32_t c = 0; c < channels; c++) {                                              \
                type channel;                                                                      \
                memcpy(&channel, pixel + c * sizeof channel, sizeof channel);                      \
                *out++ = value_of(channel);                                                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static inline void encode_##kind(const float *in, uint32_t size, uint32_t channels,            \
                                     const struct pixel_row *src, const struct pixel_row *dst)     \
    {                                                                                              \
        const unsigned char *from = src->data;                                                     \
        unsigned char *to = dst->data;                                                             \
        for (uint32_t i = 0; i < dst->count; i++) {                                                \
            for (uint32_t c = 0; c < channels; c++) {                                              \
                const type channel = channel_of(*in++);                                            \
                memcpy(to + c * sizeof channel, &channel, sizeof channel);                         \
            }                                                                                      \
            if (channels < size) {                                                                 \
                memcpy(to + channels * sizeof(type), from + channels * sizeof(type),               \
                       sizeof(type));                                                              \
            }                                                                                      \
            from += src->stride_bytes;                                                             \
            to += dst->stride_bytes;                                                               \
        }                                                                                          \
    }

CHANNELS(bytes, uint8_t, (float), to_byte)
CHANNELS(words, uint16_t, (float), to_word)
CHANNELS(halves, uint16_t, pixel_half_to_float, pixel_float_to_half)
CHANNELS(floats, float, (float), (float))

/* One channel fewer than there are: alpha is left out. */
#define CODEC(name, kind, size)                                                                    \
    static void decode_##name(const struct pixel_row *src, uint32_t channels, float *out)          \
    {                                                                                              \
        if (channels < (size)) {                                                                   \
            decode_##kind(src, (size)-1, out);                                                     \
        } else {                                                                                   \
            decode_##kind(src, size, out);                                                         \
        }                                                                                          \
    }                                                                                              \
    static void encode_##name(const float *in, uint32_t channels, const struct pixel_row *src,     \
                              const struct pixel_row *dst)                                         \
    {                                                                                              \
        if (channels < (size)) {                                                                   \
            encode_##kind(in, size, (size)-1, src, dst);                                           \
        } else {                                                                                   \
            encode_##kind(in, size, size, src, dst);                                               \
        }                                                                                          \
    }

CODEC(rgba8, bytes, 4)
CODEC(rgb8, bytes, 3)
CODEC(r8, bytes, 1)
CODEC(rgba16, words, 4)
CODEC(rgb16, words, 3)
CODEC(r16, words, 1)
CODEC(rgba16f, halves, 4)
CODEC(rgb16f, halves, 3)
CODEC(r16f, halves, 1)
CODEC(rgba32f, floats, 4)
CODEC(rgb32f, floats, 3)
CODEC(r32f, floats, 1)

/* ---- One 32-bit word */

static uint32_t load_word(const struct pixel_row *row, uint32_t i)
{
    uint32_t word = 0;
    memcpy(&word, row->data + (ptrdiff_t)i * row->stride_bytes, sizeof word);
    return word;
}

static void store_word(const struct pixel_row *row, uint32_t i, uint32_t word)
{
    memcpy(row->data + (ptrdiff_t)i * row->stride_bytes, &word, sizeof word);
}

static void decode_a2b10g10r10(const struct pixel_row *src, uint32_t channels, float *out)
{
    for (uint32_t i = 0; i < src->count; i++, out += channels) {
        const uint32_t word = load_word(src, i);
        out[0] = (float)(word & 1023u);
        out[1] = (float)(word >> 10 & 1023u);
        out[2] = (float)(word >> 20 & 1023u);
        if (channels == 4) {
            out[3] = (float)(word >> 30);
        }
    }
}

static void encode_a2b10g10r10(const float *in, uint32_t channels, const struct pixel_row *src,
                               const struct pixel_row *dst)
{
    for (uint32_t i = 0; i < dst->count; i++, in += channels) {
        const uint32_t alpha = channels == 4 ? to_level(in[3], 3.0f) : load_word(src, i) >> 30;
        store_word(dst, i,
                   to_level(in[0], 1023.0f) | to_level(in[1], 1023.0f) << 10 |
                       to_level(in[2], 1023.0f) << 20 | alpha << 30);
    }
}

static void decode_b10g11r11f(const struct pixel_row *src, uint32_t channels, float *out)
{
    (void)channels;
    for (uint32_t i = 0; i < src->count; i++, out += 3) {
        const uint32_t word = load_word(src, i);
        out[0] = pixel_small_to_float(word & 2047u, 6);
        out[1] = pixel_small_to_float(word >> 11 & 2047u, 6);
        out[2] = pixel_small_to_float(word >> 22, 5);
    }
}

static void encode_b10g11r11f(const float *in, uint32_t channels, const struct pixel_row *src,
                              const struct pixel_row *dst)
{
    (void)channels;
    (void)src;
    for (uint32_t i = 0; i < dst->count; i++, in += 3) {
        store_word(dst, i,
                   pixel_float_to_unsigned(in[0], 6) | pixel_float_to_unsigned(in[1], 6) << 11 |
                       pixel_float_to_unsigned(in[2], 5) << 22);
    }
}

static const struct pixel_codec codecs[] = {
    [FOVEA_FORMAT_RGBA8] = {4, 1, 3, true, decode_rgba8, encode_rgba8},
    [FOVEA_FORMAT_RGB8] = {3, 1, 3, false, decode_rgb8, encode_rgb8},
    [FOVEA_FORMAT_R8] = {1, 1, 1, false, decode_r8, encode_r8},
    [FOVEA_FORMAT_A2B10G10R10] = {4, 4, 3, true, decode_a2b10g10r10, encode_a2b10g10r10},
    [FOVEA_FORMAT_B10G11R11F] = {4, 4, 3, false, decode_b10g11r11f, encode_b10g11r11f},
    [FOVEA_FORMAT_RGBA16F] = {8, 2, 3, true, decode_rgba16f, encode_rgba16f},
    [FOVEA_FORMAT_RGBA32F] = {16, 4, 3, true, decode_rgba32f, encode_rgba32f},
    [FOVEA_FORMAT_RGB16F] = {6, 2, 3, false, decode_rgb16f, encode_rgb16f},
    [FOVEA_FORMAT_R16F] = {2, 2, 1, false, decode_r16f, encode_r16f},
    [FOVEA_FORMAT_RGB32F] = {12, 4, 3, false, decode_rgb32f, encode_rgb32f},
    [FOVEA_FORMAT_R32F] = {4, 4, 1, false, decode_r32f, encode_r32f},
    [FOVEA_FORMAT_RGBA16] = {8, 2, 3, true, decode_rgba16, encode_rgba16},
    [FOVEA_FORMAT_RGB16] = {6, 2, 3, false, decode_rgb16, encode_rgb16},
    [FOVEA_FORMAT_R16] = {2, 2, 1, false, decode_r16, encode_r16},
};

const struct pixel_codec *pixel_codec_of(enum fovea_format format)
{
    const size_t index = (size_t)format;
    if (index >= sizeof codecs / sizeof *codecs || !codecs[index].bytes) {
        return NULL;
    }
    return &codecs[index];
}

void pixel_copy_row(const struct pixel_codec *codec, const struct pixel_row *src,
                    const struct pixel_row *dst)
{
    const ptrdiff_t bytes = (ptrdiff_t)codec->bytes;
    if (src->stride_bytes == bytes && dst->stride_bytes == bytes) {
        memcpy(dst->data, src->data, (size_t)src->count * codec->bytes);
        return;
    }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)src->count; i++) {
        memcpy(dst->data + i * dst->stride_bytes, src->data + i * src->stride_bytes, codec->bytes);
    }
}
