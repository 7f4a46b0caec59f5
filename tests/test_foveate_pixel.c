/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The codec of pixels against one that is written from the formats' definitions in doubles. */

#include "test_foveate_support.h"

#include "kernels/image/pixel.h"
#include "kernels/image/pixel_float.h"

static bool same_float(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static struct pixel_row row_of(const struct test_image *image)
{
    return (struct pixel_row){.data = image->view.data,
                              .stride_bytes = (ptrdiff_t)image_bytes(image->view.format),
                              .count = image->view.width_px};
}

/* Every code of every channel: decodes to its value, and encodes back to itself. */
static void check_all_codes(enum fovea_format format, uint32_t code_bits)
{
    const uint32_t codes = 1u << code_bits;
    const struct pixel_codec *codec = pixel_codec_of(format);
    const uint32_t channels = image_channels(format);
    OWNED_IMAGE src = image_make_packed(1, 1, format);
    OWNED_IMAGE dst = image_make_packed(1, 1, format);
    const struct pixel_row in = row_of(&src);
    const struct pixel_row out = row_of(&dst);
    for (uint32_t code = 0; code < codes; code++) {
        for (uint32_t i = 0; i < image_bytes(format); i += code_bits / 8) {
            memcpy((unsigned char *)src.view.data + i, &code, code_bits / 8);
        }
        float values[4];
        codec->decode(&in, channels, values);
        for (uint32_t c = 0; c < channels; c++) {
            assert_true(same_float(values[c], image_get(&src.view, 0, 0, c)));
        }
        codec->encode(values, channels, &in, &out);
        for (uint32_t c = 0; c < channels; c++) {
            assert_true(same_float(image_get(&dst.view, 0, 0, c), image_get(&src.view, 0, 0, c)));
        }
    }
}

TEST(bytes_and_halves_decode_and_encode_every_code)
{
    check_all_codes(FOVEA_FORMAT_RGBA8, 8);
    check_all_codes(FOVEA_FORMAT_RGB8, 8);
    check_all_codes(FOVEA_FORMAT_R8, 8);
    check_all_codes(FOVEA_FORMAT_RGBA16F, 16);
    check_all_codes(FOVEA_FORMAT_RGB16F, 16);
    check_all_codes(FOVEA_FORMAT_R16F, 16);
}

TEST(words_decode_and_encode_every_code_of_a_channel)
{
    static const struct {
        enum fovea_format format;
        uint32_t shift, bits;
    } fields[] = {
        {FOVEA_FORMAT_A2B10G10R10, 0, 10},  {FOVEA_FORMAT_A2B10G10R10, 10, 10},
        {FOVEA_FORMAT_A2B10G10R10, 20, 10}, {FOVEA_FORMAT_A2B10G10R10, 30, 2},
        {FOVEA_FORMAT_B10G11R11F, 0, 11},   {FOVEA_FORMAT_B10G11R11F, 11, 11},
        {FOVEA_FORMAT_B10G11R11F, 22, 10},
    };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        const struct pixel_codec *codec = pixel_codec_of(fields[f].format);
        const uint32_t channels = image_channels(fields[f].format);
        OWNED_IMAGE image = image_make_packed(1, 1, fields[f].format);
        const struct pixel_row row = row_of(&image);
        for (uint32_t code = 0; code < 1u << fields[f].bits; code++) {
            const uint32_t word = code << fields[f].shift;
            memcpy(image.view.data, &word, sizeof word);
            float values[4];
            codec->decode(&row, channels, values);
            for (uint32_t c = 0; c < channels; c++) {
                assert_true(same_float(values[c], image_get(&image.view, 0, 0, c)));
            }
            codec->encode(values, channels, &row, &row);
            uint32_t back = 0;
            memcpy(&back, image.view.data, sizeof back);
            float again[4];
            codec->decode(&row, channels, again);
            assert_true(back == word || isnan(again[f % 4 == 3 ? 3 : f < 4 ? f : f - 4]));
        }
    }
}

/* Tries three values between any two neighbouring halves: a little below the middle, the middle, a
 * little above. */
TEST(halves_round_to_the_nearest_and_ties_to_even)
{
    for (uint32_t code = 0; code < 0x7bffu; code++) {
        const float low = pixel_half_to_float((uint16_t)code);
        const float high = pixel_half_to_float((uint16_t)(code + 1));
        const float middle = 0.5f * (low + high);
        const uint32_t even = code % 2 == 0 ? code : code + 1;
        assert_int_equal(pixel_float_to_half(middle), even);
        assert_int_equal(pixel_float_to_half(nextafterf(middle, low)), code);
        assert_int_equal(pixel_float_to_half(nextafterf(middle, high)), code + 1);
        assert_int_equal(pixel_float_to_half(-middle), even | 0x8000u);
    }
}

TEST(floats_beyond_the_range_become_the_largest_finite)
{
    assert_int_equal(pixel_float_to_half(65520.0f), 0x7bff);
    assert_int_equal(pixel_float_to_half(-3e38f), 0xfbff);
    assert_int_equal(pixel_float_to_half(INFINITY), 0x7c00);
    assert_int_equal(pixel_float_to_half(-INFINITY), 0xfc00);
    assert_int_equal(pixel_float_to_half(NAN) & 0x7fff, 0x7e00);
    assert_int_equal(pixel_float_to_unsigned(1e30f, 6), 0x7bf);
    assert_int_equal(pixel_float_to_unsigned(INFINITY, 6), 0x7c0);
    assert_int_equal(pixel_float_to_unsigned(-INFINITY, 6), 0);
    assert_int_equal(pixel_float_to_unsigned(-1.0f, 5), 0);
    assert_int_equal(pixel_float_to_unsigned(NAN, 5), 0x3f0);
    assert_int_equal(pixel_float_to_unsigned(-NAN, 5), 0x3f0);
}

TEST(levels_round_halves_up_and_stay_in_range)
{
    static const float in[] = {-3.0f, 0.4999f, 0.5f, 1.5f, 254.5f, 255.4f, 300.0f, 7.49f};
    static const unsigned char expected[] = {0, 0, 1, 2, 255, 255, 255, 7};
    unsigned char out[8];
    const struct pixel_row row = {.data = out, .stride_bytes = 1, .count = 8};
    pixel_codec_of(FOVEA_FORMAT_R8)->encode(in, 1, &row, &row);
    assert_memory_equal(out, expected, sizeof out);
}

TEST(numbers_that_are_no_format_have_no_codec)
{
    assert_null(pixel_codec_of(FOVEA_FORMAT_NONE));
    assert_null(pixel_codec_of((enum fovea_format)(FOVEA_FORMAT_R16 + 1)));
    assert_null(pixel_codec_of((enum fovea_format) - 1));
}
