/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The images of a frame, of which a block sees its own, and how pixels are read and written, one by
 * one or in runs. */
#pragma once

#include "kernels/cuda/ptx.cuh"
#include "kernels/image/image.cuh"
#include "params.h"

/* The frame of this block's image. */
static __device__ inline gauss_frame frame_of_image(const gauss_frame &frame,
                                                    const gauss_cuda_batch &batch)
{
    gauss_frame own = frame;
    if (batch.gazes) {
        const int2 gaze = ((const int2 *)batch.gazes)[blockIdx.z];
        own.gaze_x_q8 = gaze.x;
        own.gaze_y_q8 = gaze.y;
    }
    return own;
}

/* Returns a place of this block's image that is as sharp as its gaze. */
DEVICE int2 other_q8(const gauss_cuda_others &others, int k)
{
    if (others.table) {
        return ((const int2 *)others.table)[blockIdx.z * others.of.count + k];
    }
    return make_int2(others.of.q8[k][0], others.of.q8[k][1]);
}

/* Whether this block's image is made. All of its threads get the same answer. */
DEVICE bool is_wanted(const gauss_cuda_sigmas &sigmas)
{
    return !sigmas.wanted || __ldg((const uint32_t *)sigmas.wanted + blockIdx.z) != 0;
}

/* This block's image of a batch, and of it what lies from the view's origin on. */
static __device__ inline image_linear view_of(image_linear image, const gauss_frame &frame,
                                              int64_t next_bytes)
{
    image.data += blockIdx.z * next_bytes + frame.origin_y_px * image.row_stride_bytes +
                  frame.origin_x_px * image.pixel_stride_bytes;
    return image;
}

template <typename Pixel, typename Params>
static __device__ inline linear_image<Pixel> linear_src(const Params &params,
                                                        const gauss_frame &frame)
{
    return {view_of(params.src, frame, params.batch.src_next_bytes)};
}

template <typename Pixel, typename Params>
static __device__ inline linear_image<Pixel> linear_dst(const Params &params,
                                                        const gauss_frame &frame)
{
    return {view_of(params.dst, frame, params.batch.dst_next_bytes)};
}

template <typename Pixel, typename Params>
static __device__ inline surface_image<Pixel> surface_src(const Params &params,
                                                          const gauss_frame &frame)
{
    return {params.src.data, frame.origin_x_px, frame.origin_y_px};
}

template <typename Pixel, typename Params>
static __device__ inline surface_image<Pixel> surface_dst(const Params &params,
                                                          const gauss_frame &frame)
{
    return {params.dst.data, frame.origin_x_px, frame.origin_y_px};
}

/* ---- Runs
 *
 * Runs of neighbouring pixels of 32 or 64 bits are read and written at once if memory allows it:
 * rows of whole pixels without gaps whose runs are aligned to their size, and surfaces whose view
 * begins so. All else goes pixel by pixel.
 *
 * Conditions are tested once for a run, and rare cases are loops: unrolled around every pixel, the
 * branches would take more instructions than the blur. */

/* An image can do this. It is the same for all threads. */

/* Runs of `count` pixels that start at multiples of it. */
template <typename Pixel> DEVICE bool has_runs(const linear_image<Pixel> &image, int count)
{
    const uint64_t all = image.view.data | (uint64_t)image.view.row_stride_bytes;
    const int bytes = (int)sizeof(typename Pixel::word);
    return linear_image<Pixel>::has_whole && image.view.whole_pixels &&
           image.view.pixel_stride_bytes == bytes &&
           (all & (uint64_t)(min(bytes * count, 16) - 1)) == 0;
}

template <typename Pixel> DEVICE bool has_runs(const surface_image<Pixel> &image, int count)
{
    const int bytes = (int)sizeof(typename Pixel::word);
    return (image.origin_x * bytes & (min(bytes * count, 16) - 1)) == 0;
}

/* This says at compile time how every pixel is read: whole, or in parts because the format has no
 * whole ones, or through a surface. */
template <typename Pixel> DEVICE bool is_plain(const linear_image<Pixel> &image)
{
    return !linear_image<Pixel>::has_whole || image.view.whole_pixels;
}

template <typename Pixel> DEVICE bool is_plain(const surface_image<Pixel> &)
{
    return true;
}

template <typename Pixel>
DEVICE typename Pixel::word load_plain(const linear_image<Pixel> &image, int x, int y)
{
    if constexpr (linear_image<Pixel>::has_whole) {
        return __ldg((const typename Pixel::word *)image.at(x, y));
    } else {
        return image.load(x, y);
    }
}

template <typename Pixel>
DEVICE typename Pixel::word load_plain(const surface_image<Pixel> &image, int x, int y)
{
    return image.load(x, y);
}

/* ---- Where a run begins: a pointer, or a place of a surface */

struct surface_run {
    cudaSurfaceObject_t surface;
    int x_bytes;
    int y;
};

template <typename Pixel> DEVICE char *run_at(const linear_image<Pixel> &image, int x, int y)
{
    return image.at(x, y);
}

template <typename Pixel> DEVICE surface_run run_at(const surface_image<Pixel> &image, int x, int y)
{
    return {image.surface, (image.origin_x + x) * (int)sizeof(typename Pixel::word),
            image.origin_y + y};
}

template <typename Image> using image_run = decltype(run_at(*(const Image *)nullptr, 0, 0));

template <typename Pixel> DEVICE int64_t row_bytes(const linear_image<Pixel> &image)
{
    return image.view.row_stride_bytes;
}

/* A surface counts its rows itself. */
template <typename Pixel> DEVICE int64_t row_bytes(const surface_image<Pixel> &)
{
    return 0;
}

/* Moves by so many rows, in one instruction: compilers would compute all rows' offsets ahead, and
 * spill them to local memory. */
DEVICE char *rows_on(const char *from, int rows, int stride)
{
    return ptx_mad_wide(rows, stride, from);
}

DEVICE surface_run rows_on(const surface_run &from, int rows, int)
{
    return {from.surface, from.x_bytes, from.y + rows};
}

/* Moves by so many rows whose number the compiler knows. */
DEVICE char *known_rows_on(char *from, int rows, int64_t stride)
{
    return from + rows * stride;
}

DEVICE surface_run known_rows_on(const surface_run &from, int rows, int64_t)
{
    return {from.surface, from.x_bytes, from.y + rows};
}

DEVICE char *bytes_on(char *from, int bytes)
{
    return from + bytes;
}

DEVICE surface_run bytes_on(const surface_run &from, int bytes)
{
    return {from.surface, from.x_bytes + bytes, from.y};
}

template <typename Image> struct stores_plainly;
template <typename Pixel> struct stores_plainly<linear_image<Pixel>> {
    static const bool value = !linear_image<Pixel>::has_whole;
};
template <typename Pixel> struct stores_plainly<surface_image<Pixel>> {
    static const bool value = true;
};

/* ---- Words of neighbouring pixels */

template <typename Word, int COUNT> struct __align__(16) tile_words
{
    static_assert(sizeof(Word) * COUNT % 16 == 0, "a run is read by 16 bytes");
    Word of[COUNT];

    /* Runs of 16 bytes. */
    MEMBER operator uint4() const
    {
        return *(const uint4 *)of;
    }
    /* Selects the one that a loop chooses: an index that is no constant would put all into local
     * memory. */
    MEMBER Word at(int i) const
    {
        Word word = of[0];
#pragma unroll
        for (int k = 1; k < COUNT; k++) {
            word = i == k ? of[k] : word;
        }
        return word;
    }
    MEMBER void set(int i, Word word)
    {
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            of[k] = i == k ? word : of[k];
        }
    }
};

DEVICE uint32_t read_word(const char *from)
{
    return __ldg((const uint32_t *)from);
}

DEVICE uint32_t read_word(const surface_run &from)
{
    return surf2Dread<uint32_t>(from.surface, from.x_bytes, from.y);
}

/* Reads or writes a run of words by the largest accesses there are. */
template <typename Word, int COUNT> DEVICE tile_words<Word, COUNT> read_run(const char *from)
{
    tile_words<Word, COUNT> words;
#pragma unroll
    for (int i = 0; i < (int)sizeof words / 16; i++) {
        const uint4 bits = __ldg((const uint4 *)from + i);
        ((uint4 *)&words)[i] = bits;
    }
    return words;
}

template <typename Word, int COUNT> DEVICE tile_words<Word, COUNT> read_run(const surface_run &from)
{
    tile_words<Word, COUNT> words;
#pragma unroll
    for (int i = 0; i < (int)sizeof words / 16; i++) {
        ((uint4 *)&words)[i] = surf2Dread<uint4>(from.surface, from.x_bytes + 16 * i, from.y);
    }
    return words;
}

template <typename Word, int COUNT>
DEVICE void write_run_at(const surface_run &to, const tile_words<Word, COUNT> &words)
{
#pragma unroll
    for (int i = 0; i < (int)sizeof words / 16; i++) {
        surf2Dwrite(((const uint4 *)&words)[i], to.surface, to.x_bytes + 16 * i, to.y);
    }
}

template <typename Word, int COUNT>
DEVICE void write_run_at(char *to, const tile_words<Word, COUNT> &words)
{
#pragma unroll
    for (int i = 0; i < (int)sizeof words / 16; i++) {
        ((uint4 *)to)[i] = ((const uint4 *)&words)[i];
    }
}

/* ---- Reading. The picture is repeated beyond its edges. */

template <typename Image> struct clamped_image {
    typedef typename Image::word word;
    typedef tile_words<word, 4> four;

    const Image &image;
    int last_x;
    int last_y;

    MEMBER word load(int x, int y) const
    {
        return image.load(min(max(x, 0), last_x), min(max(y, 0), last_y));
    }
    /* For an image that is plain. */
    MEMBER word load_plainly(int x, int y) const
    {
        return load_plain(image, min(max(x, 0), last_x), min(max(y, 0), last_y));
    }
};

/* `runs` means has_runs, and that the four pixels lie in the picture. */
template <typename Image>
DEVICE typename clamped_image<Image>::four load_four(const clamped_image<Image> &clamped, bool runs,
                                                     int x, int y)
{
    if (runs) {
        return read_run<typename Image::word, 4>(run_at(clamped.image, x, y));
    }
    typename clamped_image<Image>::four words = {};
    if (is_plain(clamped.image)) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            words.of[i] = clamped.load_plainly(x + i, y);
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < 4; i++) {
            words.set(i, clamped.load(x + i, y));
        }
    }
    return words;
}

/* ---- Writing, of a run what lies left of `width` */

template <int COUNT, typename Image>
DEVICE void store_run(const Image &image, bool runs, int x, int y, int width,
                      const tile_words<typename Image::word, COUNT> &words)
{
    if (runs && x + COUNT <= width) {
        write_run_at(run_at(image, x, y), words);
    } else if constexpr (stores_plainly<Image>::value) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            if (x + i < width) {
                image.store(x + i, y, words.of[i]);
            }
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < COUNT && x + i < width; i++) {
            image.store(x + i, y, words.at(i));
        }
    }
}
