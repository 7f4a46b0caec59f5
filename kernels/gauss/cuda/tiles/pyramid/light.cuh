/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The first kernel of the tiles for RGBA8 that is averaged as light, sm_80 and later: it does what
 * gauss/cuda/tiles/pyramid/floats.cuh does, with light in the window. Bytes come through
 * registers, and a thread issues all its loads before it waits for the first. */
#pragma once

#include "floats.cuh"

template <typename Image> struct tile_light_filler {
    /* Columns of four pixels, from two before the window's on, at a multiple of four. */
    typedef tile_column<4, TILE_FLOATS_PAIRS / 2 + 1, TILE_FLOATS_PITCH, TILE_FLOATS_ROWS> columns;
    static const int reads = (TILE_FLOATS_ROWS + columns::at_once - 1) / columns::at_once;
    static const int beyond = 2;

    const gauss_frame &frame;
    const Image &image;
    const columns column;
    const int y0;
    uint4 words[reads];
    uint32_t all; /* the AND of all words */

    /* (x, y) is the block's first sample of level 2. */
    MEMBER tile_light_filler(const gauss_frame &of_frame, const Image &of_image, int x, int y)
        : frame(of_frame), image(of_image),
          column(of_frame, of_image, 4 * x - TILE_FLOATS_BEFORE - beyond),
          y0(4 * y - TILE_FLOATS_BEFORE), words(), all(~0u)
    {
    }

    MEMBER void begin(tile_floats_memory &memory)
    {
        if (threadIdx.x == 0) {
            memory.warps_done = 0;
        }
        if (!column.fills || !column.copies) {
            return;
        }
        const int from_x = min(max(column.x, 0), (frame.width_px - 1) / 4 * 4);
#pragma unroll
        for (int i = 0; i < reads; i++) {
            words[i] = read_run<uint32_t, 4>(run_at(image, from_x, row_of(i)));
        }
    }

    MEMBER void end(tile_floats_memory &memory)
    {
        if (column.fills && column.copies) {
#pragma unroll
            for (int i = 0; i < reads; i++) {
                commit(memory, i, column.is_beside(frame) ? repeated(words[i]) : words[i]);
            }
        } else if (column.fills) {
            const clamped_image<Image> clamped = {image, frame.width_px - 1, frame.height_px - 1};
#pragma unroll 1
            for (int i = 0; i < reads; i++) {
                commit(memory, i, load_four(clamped, false, column.x, row_of(i)));
            }
        }
        workers_sync();
    }

    MEMBER void tell(const gauss_tiles &tiles, tile_floats_memory &memory) const
    {
        end_warp(tiles, memory, all);
    }

  private:
    /* The last threads do not store their last row. */
    MEMBER int row_of(int i) const
    {
        return min(max(y0 + column.first + i * columns::at_once, 0), frame.height_px - 1);
    }

    /* Repeats the picture's first or last column. */
    MEMBER uint4 repeated(const uint4 &four) const
    {
        const uint32_t word = column.x < 0 ? four.x : four.w;
        return make_uint4(word, word, word, word);
    }

    MEMBER void commit(tile_floats_memory &memory, int i, const uint4 &four)
    {
        all &= four.x & four.y & four.z & four.w;
        const int row = column.first + i * columns::at_once;
        if (row < TILE_FLOATS_ROWS) {
            put_two(memory.window[row], 2 * column.index - beyond / 2, four.x, four.y);
            put_two(memory.window[row], 2 * column.index - beyond / 2 + 1, four.z, four.w);
        }
    }

    /* Decodes two pixels to samples by arithmetic. */
    DEVICE uint4 light_of_two(uint32_t first, uint32_t second)
    {
        const uint32_t zw = __byte_perm(first, second, 0x7632);
        const __half2 middle = __float2half2_rn(1024.0f + 128.0f);
        const uint32_t z = bits_of(light_of_bytes(zw & 0x00ff00ffu));
        const uint32_t w = bits_of(__hsub2(half2_of(__byte_perm(zw, 0x64646464u, 0x4341)), middle));
        return make_uint4(
            bits_of(light_of_bytes(__byte_perm(first, 0, 0x4140))), __byte_perm(z, w, 0x5410),
            bits_of(light_of_bytes(__byte_perm(second, 0, 0x4140))), __byte_perm(z, w, 0x7632));
    }

    DEVICE void put_two(uint4 *row, int pair, uint32_t first, uint32_t second)
    {
        const uint4 two = light_of_two(first, second);
        if (pair >= 0 && pair < TILE_FLOATS_PAIRS) {
            row[pair] = two;
        }
    }
};
