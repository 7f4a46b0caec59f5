/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "pixel.h"

#include "pixel_float.h"

static uint32_t to_level(float value, float highest)
{
    const float clamped = value < 0.0f ? 0.0f : value > highest ? highest : value;
    return (uint32_t)(clamped + 0.5f);
}

/* ---- 8 bits a channel */

/* These are inlined with constants, so that the loops over channels unroll. */
static inline void decode_bytes(const struct pixel_row *src, uint32_t channels, float *out)
{
    const unsigned char *pixel = src->data;
    for (uint32_t i = 0; i < src->count; i++, pixel += src->stride_bytes) {
        for (uint32_t c = 0; c < channels; c++) {
            *out++ = pixel[c];
        }
    }
}

static inline void encode_bytes(const float *in, uint32_t channels, const struct pixel_row *dst)
{
    unsigned char *pixel = dst->data;
    for (uint32_t i = 0; i < dst->count; i++, pixel += dst->stride_bytes) {
        for (uint32_t c = 0; c < channels; c++) {
            pixel[c] = (unsigned char)to_level(*in++, 255.0f);
        }
    }
}

static void decode_rgba8(const struct pixel_row *src, uint32_t channels, float *out)
{
    if (channels == 4) {
        decode_bytes(src, 4, out);
    } else {
        decode_bytes(src, 3, out);
    }
}

static void encode_rgba8(const float *in, uint32_t channels, const struct pixel_row *src,
                         const struct pixel_row *dst)
{
    if (channels == 4) {
        encode_bytes(in, 4, dst);
        return;
    }
    encode_bytes(in, 3, dst);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)dst->count; i++) {
        dst->data[i * dst->stride_bytes + 3] = src->data[i * src->stride_bytes + 3];
    }
}

static void decode_rgb8(const struct pixel_row *src, uint32_t channels, float *out)
{
    (void)channels;
    decode_bytes(src, 3, out);
}

static void encode_rgb8(const float *in, uint32_t channels, const struct pixel_row *src,
                        const struct pixel_row *dst)
{
    (void)channels;
    (void)src;
    encode_bytes(in, 3, dst);
}

static void decode_r8(const struct pixel_row *src, uint32_t channels, float *out)
{
    (void)channels;
    decode_bytes(src, 1, out);
}

static void encode_r8(const float *in, uint32_t channels, const struct pixel_row *src,
                      const struct pixel_row *dst)
{
    (void)channels;
    (void)src;
    encode_bytes(in, 1, dst);
}

/* ---- 16 bits a channel */

static inline void decode_words(const struct pixel_row *src, uint32_t channels, float *out)
{
    const unsigned char *pixel = src->data;
    for (uint32_t i = 0; i < src->count; i++, pixel += src->stride_bytes) {
        uint16_t words[4];
        memcpy(words, pixel, channels * sizeof *words);
        for (uint32_t c = 0; c < channels; c++) {
            *out++ = words[c];
        }
    }
}

static inline void encode_words(const float *in, uint32_t size, uint32_t channels,
                                const struct pixel_row *src, const struct pixel_row *dst)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)dst->count; i++) {
        uint16_t words[4];
        memcpy(words, src->data + i * src->stride_bytes, size * sizeof *words);
        for (uint32_t c = 0; c < channels; c++) {
            words[c] = (uint16_t)to_level(*in++, 65535.0f);
        }
        memcpy(dst->data + i * dst->stride_bytes, words, size * sizeof *words);
    }
}

static void encode_rgba16(const float *in, uint32_t channels, const struct pixel_row *src,
                          const struct pixel_row *dst)
{
    encode_words(in, 4, channels, src, dst);
}

static void encode_words_alone(const float *in, uint32_t channels, const struct pixel_row *src,
                               const struct pixel_row *dst)
{
    encode_words(in, channels, channels, src, dst);
}

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

/* ---- A float a channel */

/* `size` floats lie in a pixel, of which `channels` are asked for. */
static inline void decode_halves(const struct pixel_row *src, uint32_t size, uint32_t channels,
                                 float *out)
{
    const unsigned char *pixel = src->data;
    for (uint32_t i = 0; i < src->count; i++, pixel += src->stride_bytes) {
        uint16_t halves[4];
        memcpy(halves, pixel, size * sizeof *halves);
        for (uint32_t c = 0; c < channels; c++) {
            *out++ = pixel_half_to_float(halves[c]);
        }
    }
}

static inline void encode_halves(const float *in, uint32_t size, uint32_t channels,
                                 const struct pixel_row *src, const struct pixel_row *dst)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)dst->count; i++) {
        uint16_t halves[4];
        memcpy(halves, src->data + i * src->stride_bytes, size * sizeof *halves);
        for (uint32_t c = 0; c < channels; c++) {
            halves[c] = pixel_float_to_half(*in++);
        }
        memcpy(dst->data + i * dst->stride_bytes, halves, size * sizeof *halves);
    }
}

static void decode_floats(const struct pixel_row *src, uint32_t channels, float *out)
{
    const unsigned char *pixel = src->data;
    for (uint32_t i = 0; i < src->count; i++, pixel += src->stride_bytes, out += channels) {
        memcpy(out, pixel, channels * sizeof *out);
    }
}

static inline void encode_floats(const float *in, uint32_t size, uint32_t channels,
                                 const struct pixel_row *src, const struct pixel_row *dst)
{
    for (ptrdiff_t i = 0; i < (ptrdiff_t)dst->count; i++, in += channels) {
        float pixel[4];
        memcpy(pixel, src->data + i * src->stride_bytes, size * sizeof *pixel);
        memcpy(pixel, in, channels * sizeof *pixel);
        memcpy(dst->data + i * dst->stride_bytes, pixel, size * sizeof *pixel);
    }
}

#define CODEC_OF_FLOATS(name, size)                                                                \
    static void decode_##name##16f(const struct pixel_row *src, uint32_t channels, float *out)     \
    {                                                                                              \
        decode_halves(src, size, channels, out);                                                   \
    }                                                                                              \
    static void encode_##name##16f(const float *in, uint32_t channels,                             \
                                   const struct pixel_row *src, const struct pixel_row *dst)       \
    {                                                                                              \
        encode_halves(in, size, channels, src, dst);                                               \
    }                                                                                              \
    static void encode_##name##32f(const float *in, uint32_t channels,                             \
                                   const struct pixel_row *src, const struct pixel_row *dst)       \
    {                                                                                              \
        encode_floats(in, size, channels, src, dst);                                               \
    }

CODEC_OF_FLOATS(rgba, 4)
CODEC_OF_FLOATS(rgb, 3)
CODEC_OF_FLOATS(r, 1)

static const struct pixel_codec codecs[] = {
    [FOVEA_FORMAT_RGBA8] = {4, 1, 3, true, decode_rgba8, encode_rgba8},
    [FOVEA_FORMAT_RGB8] = {3, 1, 3, false, decode_rgb8, encode_rgb8},
    [FOVEA_FORMAT_R8] = {1, 1, 1, false, decode_r8, encode_r8},
    [FOVEA_FORMAT_A2B10G10R10] = {4, 4, 3, true, decode_a2b10g10r10, encode_a2b10g10r10},
    [FOVEA_FORMAT_B10G11R11F] = {4, 4, 3, false, decode_b10g11r11f, encode_b10g11r11f},
    [FOVEA_FORMAT_RGBA16F] = {8, 2, 3, true, decode_rgba16f, encode_rgba16f},
    [FOVEA_FORMAT_RGBA32F] = {16, 4, 3, true, decode_floats, encode_rgba32f},
    [FOVEA_FORMAT_RGB16F] = {6, 2, 3, false, decode_rgb16f, encode_rgb16f},
    [FOVEA_FORMAT_R16F] = {2, 2, 1, false, decode_r16f, encode_r16f},
    [FOVEA_FORMAT_RGB32F] = {12, 4, 3, false, decode_floats, encode_rgb32f},
    [FOVEA_FORMAT_R32F] = {4, 4, 1, false, decode_floats, encode_r32f},
    [FOVEA_FORMAT_RGBA16] = {8, 2, 3, true, decode_words, encode_rgba16},
    [FOVEA_FORMAT_RGB16] = {6, 2, 3, false, decode_words, encode_words_alone},
    [FOVEA_FORMAT_R16] = {2, 2, 1, false, decode_words, encode_words_alone},
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
