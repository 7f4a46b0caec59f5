/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Samples of raw pictures of all formats: red, green and blue in levels. */
#pragma once

#include "place.cuh"

struct color3 {
    float r, g, b;
};

DEVICE color3 color_mix(color3 a, color3 b, float part)
{
    return {a.r + part * (b.r - a.r), a.g + part * (b.g - a.g), a.b + part * (b.b - a.b)};
}

/* ---- Formats: `load` has the pixel at an address; of one colour all three are the same */

struct raw_r8 {
    static const int bytes = 1;
    static const int colors = 1;
    DEVICE color3 load(const lightfield_cuda_raw &, const char *at)
    {
        const float level = (float)__ldg((const unsigned char *)at);
        return {level, level, level};
    }
};

struct raw_rgb8 {
    static const int bytes = 3;
    static const int colors = 3;
    DEVICE color3 load(const lightfield_cuda_raw &, const char *at)
    {
        const unsigned char *from = (const unsigned char *)at;
        return {(float)__ldg(from), (float)__ldg(from + 1), (float)__ldg(from + 2)};
    }
};

struct raw_rgba8 {
    static const int bytes = 4;
    static const int colors = 3;
    DEVICE color3 load(const lightfield_cuda_raw &raw, const char *at)
    {
        if (!raw.whole_pixels) {
            return raw_rgb8::load(raw, at);
        }
        const uint32_t word = __ldg((const uint32_t *)at);
        return {(float)(word & 255u), (float)(word >> 8 & 255u), (float)(word >> 16 & 255u)};
    }
};

struct raw_r16 {
    static const int bytes = 2;
    static const int colors = 1;
    DEVICE color3 load(const lightfield_cuda_raw &raw, const char *at)
    {
        const float level = fminf((float)__ldg((const unsigned short *)at), raw.most);
        return {level, level, level};
    }
};

struct raw_rgb16 {
    static const int bytes = 6;
    static const int colors = 3;
    DEVICE color3 load(const lightfield_cuda_raw &raw, const char *at)
    {
        const unsigned short *from = (const unsigned short *)at;
        return {fminf((float)__ldg(from), raw.most), fminf((float)__ldg(from + 1), raw.most),
                fminf((float)__ldg(from + 2), raw.most)};
    }
};

struct raw_rgba16 {
    static const int bytes = 8;
    static const int colors = 3;
    DEVICE color3 load(const lightfield_cuda_raw &raw, const char *at)
    {
        if (!raw.whole_pixels) {
            return raw_rgb16::load(raw, at);
        }
        const uint2 words = __ldg((const uint2 *)at);
        return {fminf((float)(words.x & 65535u), raw.most), fminf((float)(words.x >> 16), raw.most),
                fminf((float)(words.y & 65535u), raw.most)};
    }
};

/* ---- Samples */

/* The pixel left of a place, or above it, and the part of the next one. */
DEVICE int sample_place(int place, int pixels, float &part)
{
    const int at = min(max(place - PLACE_ONE / 2, 0), (pixels - 1) * PLACE_ONE);
    const int whole = min(at >> 16, pixels - 2);
    part = (float)(at - whole * PLACE_ONE) * (1.0f / PLACE_ONE);
    return whole;
}

template <typename Raw> struct plain_sampler {
    static const int colors = Raw::colors;
    static const bool is_short = true; /* registers have room for the loads of two samples */

    DEVICE const char *at(const lightfield_cuda_raw &raw, int x, int y)
    {
        return (const char *)raw.data + y * raw.row_stride_bytes + x * Raw::bytes;
    }

    DEVICE color3 sample(const lightfield_cuda_raw &raw, int x, int y)
    {
        if (raw.nearest) {
            return Raw::load(raw, at(raw, place_within(x >> 16, raw.width_px),
                                     place_within(y >> 16, raw.height_px)));
        }
        float part_x, part_y;
        const int column = sample_place(x, raw.width_px, part_x);
        const int row = sample_place(y, raw.height_px, part_y);
        const char *above = at(raw, column, row);
        const char *below = above + raw.row_stride_bytes;
        return color_mix(
            color_mix(Raw::load(raw, above), Raw::load(raw, above + Raw::bytes), part_x),
            color_mix(Raw::load(raw, below), Raw::load(raw, below + Raw::bytes), part_x), part_y);
    }
};

/* Each of the four pixels of a square is a lattice of one colour. */
template <typename Raw> struct mosaic_sampler {
    static const int colors = 3;
    static const bool is_short = false;

    DEVICE float lattice(const lightfield_cuda_raw &raw, int number, int x, int y)
    {
        const int one = 2 * PLACE_ONE;
        const int first = (int)(raw.lattices >> (2 * number)) & 3;
        const int first_x = first & 1;
        const int first_y = first >> 1;
        const int last_x = (raw.width_px - 1 - first_x) / 2;
        const int last_y = (raw.height_px - 1 - first_y) / 2;
        const int at_x = min(max(x - PLACE_ONE / 2 - first_x * PLACE_ONE, 0), last_x * one);
        const int at_y = min(max(y - PLACE_ONE / 2 - first_y * PLACE_ONE, 0), last_y * one);
        const char *begin =
            (const char *)raw.data + first_y * raw.row_stride_bytes + first_x * Raw::bytes;
        if (raw.nearest) {
            return Raw::load(raw, begin + ((at_y + PLACE_ONE) >> 17) * 2 * raw.row_stride_bytes +
                                      ((at_x + PLACE_ONE) >> 17) * 2 * Raw::bytes)
                .r;
        }
        const int column = min(at_x >> 17, last_x - 1);
        const int row = min(at_y >> 17, last_y - 1);
        const float part_x = (float)(at_x - column * one) / (float)one;
        const float part_y = (float)(at_y - row * one) / (float)one;
        const char *above = begin + row * 2 * raw.row_stride_bytes + column * 2 * Raw::bytes;
        const char *below = above + 2 * raw.row_stride_bytes;
        const color3 top =
            color_mix(Raw::load(raw, above), Raw::load(raw, above + 2 * Raw::bytes), part_x);
        const color3 bottom =
            color_mix(Raw::load(raw, below), Raw::load(raw, below + 2 * Raw::bytes), part_x);
        return top.r + part_y * (bottom.r - top.r);
    }

    DEVICE color3 sample(const lightfield_cuda_raw &raw, int x, int y)
    {
        const float first_green = lattice(raw, 1, x, y);
        return {lattice(raw, 0, x, y), 0.5f * (first_green + lattice(raw, 2, x, y)),
                lattice(raw, 3, x, y)};
    }
};
