/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A finished patch of foveate_tile_near.cuh into the picture: halves become pixels, alpha that is not blurred
 * is kept, and pixels that the law leaves alone are copied. */
#ifndef FOVEA_KERNELS_FOVEATE_TILE_NEAR_WRITER_CUH
#define FOVEA_KERNELS_FOVEATE_TILE_NEAR_WRITER_CUH

#include "foveate_tile_near_patch.cuh"
#include "foveate_tile_window.cuh"

/* A lane's pixels: four pairs, one below the other, of the left and the right half of the upper eight rows,
 * and of the lower eight. */
struct near_words {
    uint4 upper;
    uint4 lower;

    __device__ __forceinline__ uint32_t at(int i) const
    {
        return i < 4 ? word_at(upper, i) : word_at(lower, i - 4);
    }
};

template <enum fovea_format FORMAT, typename Image> struct near_writer {
    const tile_work<FORMAT, Image> &work;
    const tile_encoder<FORMAT> encode;
    bool keeps_alpha; /* and there is some */

    /* `which` of each pair. */
    template <bool LIGHT>
    __device__ __forceinline__ uint32_t word_of(const near_pixels (&colors)[4], int i,
                                                uint32_t which) const
    {
        const __half2 x = colors[0].of[i / 2][i % 2];
        const __half2 y = colors[1].of[i / 2][i % 2];
        const __half2 z = colors[2].of[i / 2][i % 2];
        const __half2 w = colors[3].of[i / 2][i % 2];
        const tile_sample sample = sample_of_bits(__byte_perm(bits_of(x), bits_of(y), which),
                                                  __byte_perm(bits_of(z), bits_of(w), which));
        const uint32_t word = LIGHT ? encode.in_light(sample) : encode.in_levels(sample);
        return needs_alpha<FORMAT>(work.frame) ? word | tile_pixel<FORMAT>::opaque : word;
    }
    template <bool LIGHT>
    __device__ __forceinline__ near_words words_of(const near_pixels (&colors)[4]) const
    {
        const uint32_t first = 0x5410;
        const uint32_t second = 0x7632;
        return {make_uint4(word_of<LIGHT>(colors, 0, first), word_of<LIGHT>(colors, 0, second),
                           word_of<LIGHT>(colors, 1, first), word_of<LIGHT>(colors, 1, second)),
                make_uint4(word_of<LIGHT>(colors, 2, first), word_of<LIGHT>(colors, 2, second),
                           word_of<LIGHT>(colors, 3, first), word_of<LIGHT>(colors, 3, second))};
    }

    /* What was there, of whole words in the picture, `row` bytes a row. */
    static __device__ __forceinline__ near_words words_from(const char *from, int64_t row)
    {
        const char *below = from + 8 * row;
        return {make_uint4(__ldg((const uint32_t *)from), __ldg((const uint32_t *)(from + row)),
                           __ldg((const uint32_t *)(from + 32)),
                           __ldg((const uint32_t *)(from + row + 32))),
                make_uint4(__ldg((const uint32_t *)below), __ldg((const uint32_t *)(below + row)),
                           __ldg((const uint32_t *)(below + 32)),
                           __ldg((const uint32_t *)(below + row + 32)))};
    }
    static __device__ __forceinline__ void words_to(char *to, int64_t row, const near_words &words)
    {
        char *below = to + 8 * row;
        *(uint32_t *)to = words.upper.x;
        *(uint32_t *)(to + row) = words.upper.y;
        *(uint32_t *)(to + 32) = words.upper.z;
        *(uint32_t *)(to + row + 32) = words.upper.w;
        *(uint32_t *)below = words.lower.x;
        *(uint32_t *)(below + row) = words.lower.y;
        *(uint32_t *)(below + 32) = words.lower.z;
        *(uint32_t *)(below + row + 32) = words.lower.w;
    }
    __device__ __forceinline__ uint32_t merged(uint32_t color, uint32_t own, bool copied) const
    {
        const uint32_t kept = keeps_alpha ? pixel<FORMAT>::keep_alpha(color, own) : color;
        return copied ? own : kept;
    }
    __device__ __forceinline__ void merge(near_words &words, const near_words &own,
                                          uint32_t copied) const
    {
        uint4 &a = words.upper;
        uint4 &b = words.lower;
        a = make_uint4(merged(a.x, own.upper.x, copied & 1), merged(a.y, own.upper.y, copied & 2),
                       merged(a.z, own.upper.z, copied & 4), merged(a.w, own.upper.w, copied & 8));
        b = make_uint4(merged(b.x, own.lower.x, copied & 16), merged(b.y, own.lower.y, copied & 32),
                       merged(b.z, own.lower.z, copied & 64),
                       merged(b.w, own.lower.w, copied & 128));
    }
    __device__ __forceinline__ void store_each(int x0, int y0, const near_words &words,
                                               uint32_t copied) const
    {
#pragma unroll 1
        for (int i = 0; i < 8; i++) {
            const int x = x0 + i / 2 % 2 * 8;
            const int y = y0 + i / 4 * 8 + i % 2;
            if (x >= work.frame.width_px || y >= work.frame.height_px) {
                continue;
            }
            uint32_t word = words.at(i);
            const bool copy = copied >> i & 1;
            if (keeps_alpha || copy) {
                word = merged(word, work.src.load(x, y), copy);
            }
            work.dst.store(x, y, word);
        }
    }

    /* Of the patch at (x0, y0) in the picture; a bit for each pixel that is copied. `some`: of any lane. */
    __device__ __forceinline__ void operator()(int x0, int y0, const near_pixels (&colors)[4],
                                               uint32_t copied, bool some) const
    {
        const foveate_frame &frame = work.frame;
        const int lane = near_lane();
        const int x = x0 + lane / 4;
        const int y = y0 + lane % 4 * 2;
        const bool whole = has_runs(work.src, 1) && has_runs(work.dst, 1) &&
                           x0 + NEAR_PATCH <= frame.width_px && y0 + NEAR_PATCH <= frame.height_px;
        const bool needs_own = keeps_alpha || some;
        near_words own = {};
        if (whole && needs_own) {
            own = words_from(run_at(work.src, x, y), run_below(work.src));
        }
        near_words words = frame.light ? words_of<true>(colors) : words_of<false>(colors);
        if (!whole) {
            store_each(x, y, words, copied);
            return;
        }
        if (needs_own) {
            merge(words, own, copied);
        }
        words_to(run_at(work.dst, x, y), run_below(work.dst), words);
    }
};

#endif
