/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Compiled without fused multiply-adds (kernels/CMakeLists.txt). */

#include "loops.h"

#include <string.h>

#if defined LIGHTFIELD_AVX2
#define NAME(name) name##_avx2
#else
#define NAME(name) name##_base
#endif

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_whole __attribute__((vector_size(16)));
typedef uint8_t sixteen_bytes __attribute__((vector_size(16)));
typedef uint16_t eight_shorts __attribute__((vector_size(16)));
typedef uint64_t two_words __attribute__((vector_size(16)));

#define ALWAYS __attribute__((always_inline)) static inline
#define BLOCK 64 /* pixels whose samples fit into a level of the cache beside everything else */
#define HALF (LIGHTFIELD_ONE / 2)

/* ---- Pixels of a format as numbers. No byte after the last pixel of a row is read. */

#if defined __clang__
#define SHUFFLE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(type, a, b, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif

/* Compilers find no instruction for conversions of so few bytes, but for these. */
ALWAYS four of_eight_shorts(eight_shorts shorts)
{
    const eight_shorts none = {0};
    const four_whole whole =
        (four_whole)SHUFFLE(eight_shorts, shorts, none, 0, 8, 1, 9, 2, 10, 3, 11);
    return __builtin_convertvector(whole, four);
}

ALWAYS four of_shorts(uint64_t word)
{
    return of_eight_shorts((eight_shorts)(two_words){word, 0});
}

ALWAYS four of_bytes(uint32_t word)
{
    const sixteen_bytes none = {0};
    const sixteen_bytes bytes = (sixteen_bytes)(two_words){word, 0};
    return of_eight_shorts((eight_shorts)SHUFFLE(sixteen_bytes, bytes, none, 0, 16, 1, 17, 2, 18, 3,
                                                 19, 4, 20, 5, 21, 6, 22, 7, 23));
}

ALWAYS four splat(float value)
{
    return (four){value, value, value, value};
}

ALWAYS float grey(const unsigned char *at, const bool wide)
{
    uint16_t value = *at;
    if (wide) {
        memcpy(&value, at, sizeof value);
    }
    return (float)value;
}

ALWAYS uint64_t word_at(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

struct pair {
    four left, right;
};

/* Two pixels beside each other; `last` says that none comes after them. */
ALWAYS struct pair pair_at(const unsigned char *at, bool last,
                           const enum fovea_lightfield_format format)
{
    switch (format) {
    case FOVEA_LIGHTFIELD_FORMAT_RGB8: {
        const int back = last ? 2 : 0;
        const uint64_t word = word_at(at - back) >> 8 * back;
        return (struct pair){of_bytes((uint32_t)word), of_bytes((uint32_t)(word >> 24))};
    }
    case FOVEA_LIGHTFIELD_FORMAT_RGBA8: {
        const uint64_t word = word_at(at);
        return (struct pair){of_bytes((uint32_t)word), of_bytes((uint32_t)(word >> 32))};
    }
    case FOVEA_LIGHTFIELD_FORMAT_RGB16:
        return (struct pair){of_shorts(word_at(at)), of_shorts(word_at(at + 4) >> 16)};
    case FOVEA_LIGHTFIELD_FORMAT_RGBA16:
        return (struct pair){of_shorts(word_at(at)), of_shorts(word_at(at + 8))};
    case FOVEA_LIGHTFIELD_FORMAT_R16:
        return (struct pair){splat(grey(at, true)), splat(grey(at + 2, true))};
    default:
        return (struct pair){splat(grey(at, false)), splat(grey(at + 1, false))};
    }
}

ALWAYS ptrdiff_t bytes_of(const enum fovea_lightfield_format format)
{
    static const ptrdiff_t bytes[] = {0, 1, 3, 4, 2, 6, 8};
    return bytes[format];
}

ALWAYS four least(four a, four b)
{
    const four_whole mask = a < b;
    return (four)((mask & (four_whole)a) | (~mask & (four_whole)b));
}

ALWAYS four magnitude(four value)
{
    return (four)((four_whole)value & INT32_MAX);
}

/* ---- Samples */

struct block {
    int32_t x[BLOCK], y[BLOCK]; /* pixels */
    float part_x[BLOCK], part_y[BLOCK]; /* of the next one */
};

ALWAYS int32_t between(int32_t value, int32_t low, int32_t high)
{
    const int32_t above = value > low ? value : low;
    return above < high ? above : high;
}

/* Places samples along an axis of so many pixels. */
ALWAYS void place_linear(const int32_t *a, const int32_t *b, int32_t count, int32_t pixels,
                         int32_t *out, float *out_part)
{
    for (int32_t i = 0; i < count; i++) {
        const int32_t at = between(a[i] + b[i] - HALF, 0, (pixels - 1) * LIGHTFIELD_ONE);
        const int32_t whole = at >> 16;
        out[i] = whole < pixels - 2 ? whole : pixels - 2;
        out_part[i] = (float)(at - out[i] * LIGHTFIELD_ONE) * (1.0f / LIGHTFIELD_ONE);
    }
}

ALWAYS void place_nearest(const int32_t *a, const int32_t *b, int32_t count, int32_t pixels,
                          int32_t *out)
{
    for (int32_t i = 0; i < count; i++) {
        out[i] = between((a[i] + b[i]) >> 16, 0, pixels - 1);
    }
}

ALWAYS void fetch_linear(const struct lightfield_source *source, const struct block *block,
                         int32_t count, four *out, const enum fovea_lightfield_format format)
{
    const four most = splat(source->most);
    for (int32_t i = 0; i < count; i++) {
        const unsigned char *at =
            source->data + block->y[i] * source->stride_bytes + block->x[i] * bytes_of(format);
        const bool last = block->x[i] == source->width_px - 2;
        __builtin_prefetch(at + 2 * source->stride_bytes); /* for the next row of the picture */
        struct pair above = pair_at(at, last, format);
        struct pair below = pair_at(at + source->stride_bytes, last, format);
        if (format >= FOVEA_LIGHTFIELD_FORMAT_R16) {
            above = (struct pair){least(above.left, most), least(above.right, most)};
            below = (struct pair){least(below.left, most), least(below.right, most)};
        }
        const four x = splat(block->part_x[i]);
        const four y = splat(block->part_y[i]);
        const four top = above.left + x * (above.right - above.left);
        const four bottom = below.left + x * (below.right - below.left);
        out[i] = top + y * (bottom - top);
    }
}

ALWAYS void fetch_nearest(const struct lightfield_source *source, const struct block *block,
                          int32_t count, four *out, const enum fovea_lightfield_format format)
{
    const four most = splat(source->most);
    for (int32_t i = 0; i < count; i++) {
        /* It is the right one of a pair at the end of a row. */
        const bool last = block->x[i] == source->width_px - 1;
        const unsigned char *at = source->data + block->y[i] * source->stride_bytes +
                                  (block->x[i] - last) * bytes_of(format);
        const struct pair pair = pair_at(at, block->x[i] >= source->width_px - 2, format);
        out[i] = least(last ? pair.right : pair.left, most);
    }
}

/* ---- Mosaics: each of the four pixels of a square is a lattice of one colour */

struct lattice {
    const struct lightfield_source *source;
    int32_t first_x, first_y;
    int32_t last_x, last_y; /* pixels of the lattice, less one */
};

ALWAYS float lattice_at(const struct lattice *lattice, int32_t x, int32_t y, const bool wide)
{
    const struct lightfield_source *source = lattice->source;
    const float value = grey(source->data + (lattice->first_y + 2 * y) * source->stride_bytes +
                                 (lattice->first_x + 2 * x) * (wide ? 2 : 1),
                             wide);
    return value < source->most ? value : source->most;
}

/* Places are in halves of LIGHTFIELD_ONE: a lattice has a pixel in every second one. */
ALWAYS float lattice_sample(const struct lattice *lattice, int32_t x, int32_t y, const bool wide)
{
    const int32_t one = 2 * LIGHTFIELD_ONE;
    const int32_t at_x =
        between(x - HALF - lattice->first_x * LIGHTFIELD_ONE, 0, lattice->last_x * one);
    const int32_t at_y =
        between(y - HALF - lattice->first_y * LIGHTFIELD_ONE, 0, lattice->last_y * one);
    if (lattice->source->nearest) {
        return lattice_at(lattice, (at_x + LIGHTFIELD_ONE) >> 17, (at_y + LIGHTFIELD_ONE) >> 17,
                          wide);
    }
    const int32_t column = between(at_x >> 17, 0, lattice->last_x - 1);
    const int32_t row = between(at_y >> 17, 0, lattice->last_y - 1);
    const float part_x = (float)(at_x - column * one) / (float)one;
    const float part_y = (float)(at_y - row * one) / (float)one;
    const float above = lattice_at(lattice, column, row, wide);
    const float below = lattice_at(lattice, column, row + 1, wide);
    const float top = above + part_x * (lattice_at(lattice, column + 1, row, wide) - above);
    const float bottom = below + part_x * (lattice_at(lattice, column + 1, row + 1, wide) - below);
    return top + part_y * (bottom - top);
}

ALWAYS void fetch_mosaic(const struct lightfield_source *source, const struct block *block,
                         int32_t count, four *out, const bool wide)
{
    /* Lattices of red, of the two greens, and of blue: x + 2 y of their first pixels */
    static const int32_t order[][4] = {
        {0, 0, 0, 0}, {0, 1, 2, 3}, {1, 0, 3, 2}, {2, 0, 3, 1}, {3, 1, 2, 0}};
    for (int32_t i = 0; i < count; i++) {
        float colors[4];
        for (int32_t l = 0; l < 4; l++) {
            const int32_t first_x = order[source->bayer][l] & 1;
            const int32_t first_y = order[source->bayer][l] >> 1;
            const struct lattice lattice = {source, first_x, first_y,
                                            (source->width_px - 1 - first_x) / 2,
                                            (source->height_px - 1 - first_y) / 2};
            colors[l] = lattice_sample(&lattice, block->x[i], block->y[i], wide);
        }
        out[i] = (four){colors[0], 0.5f * (colors[1] + colors[2]), colors[3], 0.0f};
    }
}

/* ---- Blocks of samples */

#define FORMATS(fetch)                                                                             \
    switch (source->format) {                                                                      \
    case FOVEA_LIGHTFIELD_FORMAT_RGB8:                                                             \
        fetch(source, &block, count, out, FOVEA_LIGHTFIELD_FORMAT_RGB8);                           \
        break;                                                                                     \
    case FOVEA_LIGHTFIELD_FORMAT_RGBA8:                                                            \
        fetch(source, &block, count, out, FOVEA_LIGHTFIELD_FORMAT_RGBA8);                          \
        break;                                                                                     \
    case FOVEA_LIGHTFIELD_FORMAT_R16:                                                              \
        fetch(source, &block, count, out, FOVEA_LIGHTFIELD_FORMAT_R16);                            \
        break;                                                                                     \
    case FOVEA_LIGHTFIELD_FORMAT_RGB16:                                                            \
        fetch(source, &block, count, out, FOVEA_LIGHTFIELD_FORMAT_RGB16);                          \
        break;                                                                                     \
    case FOVEA_LIGHTFIELD_FORMAT_RGBA16:                                                           \
        fetch(source, &block, count, out, FOVEA_LIGHTFIELD_FORMAT_RGBA16);                         \
        break;                                                                                     \
    default:                                                                                       \
        fetch(source, &block, count, out, FOVEA_LIGHTFIELD_FORMAT_R8);                             \
        break;                                                                                     \
    }

static void mosaic(const struct lightfield_source *source, const struct lightfield_part *column,
                   const struct lightfield_part *row, int32_t from, int32_t count, four *out)
{
    struct block block;
    for (int32_t i = 0; i < count; i++) {
        block.x[i] = column->x[from + i] + row->x[from + i];
        block.y[i] = column->y[from + i] + row->y[from + i];
    }
    if (source->format == FOVEA_LIGHTFIELD_FORMAT_R16) {
        fetch_mosaic(source, &block, count, out, true);
    } else {
        fetch_mosaic(source, &block, count, out, false);
    }
}

static void fetch(const struct lightfield_source *source, const struct lightfield_part *column,
                  const struct lightfield_part *row, int32_t from, int32_t count, four *out)
{
    struct block block;
    if (source->bayer != FOVEA_LIGHTFIELD_BAYER_NONE) {
        mosaic(source, column, row, from, count, out);
    } else if (source->nearest) {
        place_nearest(column->x + from, row->x + from, count, source->width_px, block.x);
        place_nearest(column->y + from, row->y + from, count, source->height_px, block.y);
        FORMATS(fetch_nearest)
    } else {
        place_linear(column->x + from, row->x + from, count, source->width_px, block.x,
                     block.part_x);
        place_linear(column->y + from, row->y + from, count, source->height_px, block.y,
                     block.part_y);
        FORMATS(fetch_linear)
    }
}

/* ---- What is done with them */

#define BLOCKS(from, part, count)                                                                  \
    for (int32_t from = 0, part = count < BLOCK ? count : BLOCK; part > 0;                         \
         from += part, part = count - from < BLOCK ? count - from : BLOCK)

static void read_line(const struct lightfield_source *source, const struct lightfield_part *column,
                      const struct lightfield_part *row, int32_t count, float *out)
{
    BLOCKS(from, part, count)
    {
        fetch(source, column, row, from, part, (four *)(void *)(out + LIGHTFIELD_LANES * from));
    }
}

static void blend(const struct lightfield_source *source, const struct lightfield_part *column,
                  const struct lightfield_part *row, int32_t count, float *sum)
{
    four *sums = (four *)(void *)sum;
    BLOCKS(from, part, count)
    {
        four samples[BLOCK];
        fetch(source, column, row, from, part, samples);
        for (int32_t i = 0; i < part; i++) {
            four sample = samples[i];
            sample[3] = 1.0f;
            sums[from + i] += splat(column->weight[from + i] * row->weight[from + i]) * sample;
        }
    }
}

static void differ(const struct lightfield_source *source, const struct lightfield_part *column,
                   const struct lightfield_part *row, int32_t count, const float *main, float *sum)
{
    const four *mains = (const four *)(const void *)main;
    four *sums = (four *)(void *)sum;
    BLOCKS(from, part, count)
    {
        four samples[BLOCK];
        fetch(source, column, row, from, part, samples);
        for (int32_t i = 0; i < part; i++) {
            four apart = magnitude(samples[i] - mains[from + i]);
            apart[3] = 1.0f;
            sums[from + i] += splat(column->weight[from + i] * row->weight[from + i]) * apart;
        }
    }
}

const struct lightfield_loops NAME(lightfield_loops) = {read_line, blend, differ};
