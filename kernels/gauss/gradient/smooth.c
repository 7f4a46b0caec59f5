/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "smooth.h"

#include "core/log.h"
#include "kernels/gauss/cpu/common/lanes.h"

#include <string.h>

#define BLOCK GAUSS_GRADIENT_BLOCK
#define MAX_CHANNELS 4
#define GAZE_ROWS 6 /* of scratch memory, for loops->gaze */

/* A thread's memory for one image. Pictures lie in blocks; what is called transposed has rows of
 * places below each other. */
struct work {
    const struct gauss_gradient_smooth *smooth;
    const struct gauss_gradient_image *image;
    int32_t channels;
    ptrdiff_t block; /* floats */
    int32_t blocks; /* of a row of pixels */
    ptrdiff_t pitch; /* of a row of pixels */
    float *places; /* of pixels, and with them the least and the largest of each block */
    float *lows, *highs;
    float *dots;
    float *values; /* a row as the codec has it, or those of loops->gaze */
    float *derivative; /* of dst */
    float *one, *other, *third; /* pictures of the largest size that any level has */
    float *levels[GAUSS_MAX_LEVELS]; /* transposed */
    uint8_t *marks; /* blocks of pixels that have a node */
    uint8_t *touched; /* blocks of a row of samples that those reach */
    uint8_t *transposed; /* the same of 16 rows each, transposed */
};

/* The loops that the processor runs. */
static const struct gauss_gradient_loops *choose_loops(void)
{
#ifdef GAUSS_CPU_HAVE_AVX2
    if (gauss_cpu_runs_avx512()) {
        return &gauss_gradient_loops_avx512;
    }
    if (gauss_cpu_runs_avx2()) {
        return &gauss_gradient_loops_avx2;
    }
#endif
    return &gauss_gradient_loops_base;
}

enum fovea_result gauss_gradient_smooth_init(struct gauss_gradient_smooth *smooth,
                                             const struct gauss_plan *plan,
                                             const struct gauss_plan *even)
{
    *smooth = (struct gauss_gradient_smooth){.plan = plan, .even = even, .loops = choose_loops()};
    return gauss_gradient_tables_init(&smooth->tables, even);
}

void gauss_gradient_smooth_finish(struct gauss_gradient_smooth *smooth)
{
    gauss_gradient_tables_finish(&smooth->tables);
}

/* ---- Memory */

static int32_t whole(int32_t size)
{
    return gauss_gradient_blocks(size) * BLOCK;
}

static size_t part(size_t floats)
{
    return (floats + BLOCK - 1) / BLOCK * BLOCK;
}

/* The levels of a small picture, with what they keep beyond their edges, may be larger. */
static void largest(const struct gauss_gradient_tables *tables, int32_t *out_width,
                    int32_t *out_height)
{
    *out_width = *out_height = 0;
    for (int32_t k = 0; k < tables->level_count; k++) {
        const struct gauss_gradient_level *level = &tables->levels[k];
        *out_width = level->width > *out_width ? level->width : *out_width;
        *out_height = level->height > *out_height ? level->height : *out_height;
    }
}

/* With memory NULL the floats are only counted. */
static size_t lay_out(const struct gauss_gradient_tables *tables, float *memory, struct work *out)
{
    int32_t width, height;
    largest(tables, &width, &height);
    const size_t row = (size_t)whole(width);
    const size_t picture = row * (size_t)whole(height) * MAX_CHANNELS;
    const size_t pixels = (size_t)whole(tables->width_px) * (size_t)tables->height_px;
    const size_t marks = row / BLOCK * (size_t)whole(height) / sizeof(float) + BLOCK;
    float *bytes[3];
    float **const parts[] = {&out->places, &out->lows,       &out->highs, &out->dots,
                             &out->values, &out->derivative, &out->one,   &out->other,
                             &out->third,  &bytes[0],        &bytes[1],   &bytes[2]};
    const size_t floats[] = {
        pixels,  pixels / BLOCK, pixels / BLOCK, pixels,  (size_t)GAZE_ROWS * row,
        picture, picture,        picture,        picture, marks,
        marks,   row / BLOCK};
    size_t at = 0;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        *parts[i] = memory ? memory + at : NULL;
        at += part(floats[i]);
    }
    for (int32_t k = 0; k < tables->level_count; k++) {
        const struct gauss_gradient_level *level = &tables->levels[k];
        out->levels[k] = memory ? memory + at : NULL;
        at += (size_t)whole(level->width) * (size_t)whole(level->height) * MAX_CHANNELS;
    }
    out->marks = (uint8_t *)bytes[0];
    out->transposed = (uint8_t *)bytes[1];
    out->touched = (uint8_t *)bytes[2];
    return at;
}

size_t gauss_gradient_smooth_floats(const struct gauss_gradient_smooth *smooth)
{
    struct work work;
    return lay_out(&smooth->tables, NULL, &work);
}

/* ---- Pixels */

static void read_image(const struct work *work, const struct fovea_image *image, float *out)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    for (int32_t y = 0; y < tables->height_px; y++, out += work->pitch) {
        const struct pixel_codec *codec = work->image->codec;
        const struct pixel_row row = pixel_row_of(image, codec, 0, y, tables->width_px);
        codec->decode(&row, (uint32_t)work->channels, work->values);
        memset(out, 0, (size_t)work->pitch * sizeof *out);
        const float *in = work->values;
        for (int32_t x = 0; x < tables->width_px; x++) {
            for (int32_t c = 0; c < work->channels; c++) {
                out[x / BLOCK * work->block + c * BLOCK + x % BLOCK] = *in++;
            }
        }
    }
}

/* Alpha that is kept is the derivative's of dst. */
static void write_image(const struct work *work, const float *in)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    const struct pixel_codec *codec = work->image->codec;
    for (int32_t y = 0; y < tables->height_px; y++, in += work->pitch) {
        float *out = work->values;
        for (int32_t x = 0; x < tables->width_px; x++) {
            for (int32_t c = 0; c < work->channels; c++) {
                *out++ = in[x / BLOCK * work->block + c * BLOCK + x % BLOCK];
            }
        }
        const struct pixel_row from =
            pixel_row_of(work->image->d_dst, codec, 0, y, tables->width_px);
        const struct pixel_row to = pixel_row_of(work->image->d_src, codec, 0, y, tables->width_px);
        codec->encode(work->values, (uint32_t)work->channels, &from, &to);
    }
}

static struct gauss_gradient_view view_of(const struct work *work, const struct gauss_plan *plan,
                                          int32_t y)
{
    struct gauss_gradient_view view = {.plan = plan,
                                       .frame = work->image->frame,
                                       .sigmas = work->image->sigmas,
                                       .y = y,
                                       .count = work->blocks * BLOCK};
    view.frame.fragment_px = (int32_t)plan->fragment_px;
    return view;
}

static void find_places(const struct work *work, const struct gauss_plan *plan)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    for (int32_t y = 0; y < tables->height_px; y++) {
        const struct gauss_gradient_view view = view_of(work, plan, y);
        float *places = work->places + (ptrdiff_t)y * view.count;
        work->smooth->loops->places(&view, places);
        for (int32_t b = 0; b < work->blocks; b++, places += BLOCK) {
            const int32_t left = tables->width_px - b * BLOCK;
            float low = places[0];
            float high = places[0];
            for (int32_t i = 1; i < BLOCK; i++) {
                places[i] = i < left ? places[i] : places[i - 1];
                low = places[i] < low ? places[i] : low;
                high = places[i] > high ? places[i] : high;
            }
            work->lows[y * work->blocks + b] = low;
            work->highs[y * work->blocks + b] = high;
        }
    }
}

/* ---- A node's blocks */

static bool mark_blocks(const struct work *work, int32_t node)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    const int32_t count = tables->node_count;
    bool any = false;
    for (int32_t i = 0; i < tables->height_px * work->blocks; i++) {
        const bool in = gauss_gradient_first(work->lows[i], count) <= node &&
                        gauss_gradient_first(work->highs[i], count) + 3 >= node;
        work->marks[i] = in;
        any = any || in;
    }
    return any;
}

static const struct gauss_gradient_row *row_of(const struct work *work,
                                               struct gauss_gradient_band band, int32_t i)
{
    return work->smooth->tables.rows + band.first_row + i;
}

/* Marks blocks of 16 rows of samples that marked blocks of pixels reach. */
static void mark_samples(const struct work *work, const struct gauss_gradient_node *node)
{
    const int32_t rows = node->gather.y.row_count;
    const int32_t tiles = gauss_gradient_blocks(rows);
    memset(work->transposed, 0, (size_t)tiles * (size_t)work->blocks);
    for (int32_t i = 0; i < rows; i++) {
        const struct gauss_gradient_row *row = row_of(work, node->gather.y, i);
        const uint8_t *marks = work->marks + (ptrdiff_t)row->first * work->blocks;
        memset(work->touched, 0, (size_t)work->blocks);
        for (int32_t t = 0; t < row->count; t++, marks += work->blocks) {
            for (int32_t b = 0; b < work->blocks; b++) {
                work->touched[b] |= marks[b];
            }
        }
        for (int32_t b = 0; b < work->blocks; b++) {
            work->transposed[b * tiles + i / BLOCK] |= work->touched[b];
        }
    }
}

/* ---- Bands of pictures, transposed and back */

/* A band's rows, of rows of so many blocks. */
struct pass {
    struct gauss_gradient_band band;
    const float *in;
    float *out;
    int32_t blocks;
    struct gauss_gradient_marks marks; /* of `in`; of its first block */
    const uint8_t *wanted; /* blocks of 16 rows that are made; NULL: all are */
    bool adds; /* to `out` */
};

static void apply(const struct work *work, const struct pass *pass)
{
    const ptrdiff_t pitch = pass->blocks * work->block;
    struct gauss_gradient_sum sum = {.weights = work->smooth->tables.weights,
                                     .pitch = pitch,
                                     .marks = pass->marks,
                                     .channels = work->channels,
                                     .adds = pass->adds};
    for (int32_t i = 0; i < pass->band.row_count; i++) {
        sum.row = row_of(work, pass->band, i);
        for (int32_t b = 0; b < pass->blocks; b++) {
            if (!pass->wanted || pass->wanted[i / BLOCK * pass->blocks + b]) {
                sum.in = pass->in + b * work->block;
                sum.marks.of = pass->marks.of ? pass->marks.of + b : NULL;
                work->smooth->loops->sum(&sum, pass->out + i * pitch + b * work->block);
            }
        }
    }
}

static void transpose(const struct work *work, int32_t rows, int32_t columns, bool adds,
                      const float *in, float *out)
{
    const struct gauss_gradient_transpose all = {rows, columns, work->channels, adds};
    gauss_gradient_transpose(&all, in, out);
}

/* Both axes of transposed `in`, whose rows are `height` long, to transposed `out`. */
static void apply_both(const struct work *work, struct gauss_gradient_bands bands, int32_t height,
                       bool adds, const float *in, float *out)
{
    const int32_t width = bands.x.row_count;
    apply(work, &(struct pass){.band = bands.x,
                               .in = in,
                               .out = work->one,
                               .blocks = gauss_gradient_blocks(height)});
    transpose(work, width, height, false, work->one, work->other);
    apply(work, &(struct pass){.band = bands.y,
                               .in = work->other,
                               .out = work->one,
                               .blocks = gauss_gradient_blocks(width)});
    transpose(work, bands.y.row_count, width, adds, work->one, out);
}

/* ---- The image's derivative */

static void weigh(const struct work *work, int32_t node)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    const struct gauss_gradient_node_at at = {node, tables->node_count};
    for (ptrdiff_t i = 0; i < (ptrdiff_t)tables->height_px * work->blocks; i++) {
        if (work->marks[i]) {
            work->smooth->loops->weigh(&at, work->places + i * BLOCK,
                                       work->derivative + i * work->block, work->channels,
                                       work->one + i * work->block);
        }
    }
}

/* Gathers pixels in `one` into rows of samples in `other`. */
static void gather_rows(const struct work *work, const struct gauss_gradient_node *node)
{
    const int32_t rows = node->gather.y.row_count;
    const ptrdiff_t beyond = whole(rows) - rows;
    apply(work, &(struct pass){.band = node->gather.y,
                               .in = work->one,
                               .out = work->other,
                               .blocks = work->blocks,
                               .marks = {.of = work->marks, .pitch = work->blocks}});
    memset(work->other + rows * work->pitch, 0,
           (size_t)(beyond * work->pitch) * sizeof *work->other);
}

/* Transposes the tiles of `in` that are marked. */
static void transpose_marked(const struct work *work, const struct gauss_gradient_node *node,
                             bool back, const float *in, float *out)
{
    const int32_t tiles = gauss_gradient_blocks(node->gather.y.row_count);
    const ptrdiff_t transposed_pitch = tiles * work->block;
    for (int32_t b = 0; b < work->blocks; b++) {
        for (int32_t t = 0; t < tiles; t++) {
            const ptrdiff_t plain = (ptrdiff_t)t * BLOCK * work->pitch + b * work->block;
            const ptrdiff_t transposed = (ptrdiff_t)b * BLOCK * transposed_pitch + t * work->block;
            if (!work->transposed[b * tiles + t]) {
                continue;
            }
            if (back) {
                gauss_gradient_transpose_tile(in + transposed, transposed_pitch, work->channels,
                                              out + plain, work->pitch);
            } else {
                gauss_gradient_transpose_tile(in + plain, work->pitch, work->channels,
                                              out + transposed, transposed_pitch);
            }
        }
    }
}

/* Gathers columns of transposed samples in `third` into the level. */
static void gather_columns(const struct work *work, const struct gauss_gradient_node *node)
{
    const int32_t tiles = gauss_gradient_blocks(node->gather.y.row_count);
    apply(work, &(struct pass){.band = node->gather.x,
                               .in = work->third,
                               .out = work->levels[node->level],
                               .blocks = tiles,
                               .marks = {.of = work->transposed, .pitch = tiles, .rows_log2 = 4},
                               .adds = true});
}

static void clear_levels(const struct work *work)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    for (int32_t k = 0; k < tables->level_count; k++) {
        const struct gauss_gradient_level *level = &tables->levels[k];
        const size_t floats = (size_t)whole(level->width) *
                              (size_t)(gauss_gradient_blocks(level->height) * work->block);
        memset(work->levels[k], 0, floats * sizeof(float));
    }
}

static void make_d_src(const struct work *work)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    clear_levels(work);
    for (int32_t i = 0; i < tables->node_count; i++) {
        const struct gauss_gradient_node *node = &tables->nodes[i];
        if (mark_blocks(work, i)) {
            mark_samples(work, node);
            weigh(work, i);
            gather_rows(work, node);
            transpose_marked(work, node, false, work->other, work->third);
            gather_columns(work, node);
        }
    }
    for (int32_t k = tables->level_count - 1; k > 0; k--) {
        const struct gauss_gradient_level *level = &tables->levels[k];
        apply_both(work, level->spread, level->height, true, work->levels[k], work->levels[k - 1]);
    }
    transpose(work, tables->width_px, tables->height_px, false, work->levels[0], work->one);
    write_image(work, work->one);
}

/* ---- The derivatives of the gaze and of sigmas */

static void make_levels(const struct work *work)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    read_image(work, work->image->src, work->one);
    transpose(work, tables->height_px, tables->width_px, false, work->one, work->levels[0]);
    for (int32_t k = 1; k < tables->level_count; k++) {
        apply_both(work, tables->levels[k].reduce, tables->levels[k - 1].height, false,
                   work->levels[k - 1], work->levels[k]);
    }
}

/* Blurs the level into columns of transposed samples in `third`. */
static void blur_columns(const struct work *work, const struct gauss_gradient_node *node)
{
    apply(work, &(struct pass){.band = node->blur.x,
                               .in = work->levels[node->level],
                               .out = work->third,
                               .blocks = gauss_gradient_blocks(node->gather.y.row_count),
                               .wanted = work->transposed});
}

/* Blurs rows of samples in `other` into pixels, and sums what they say of the pixels' places. */
static void blur_rows(const struct work *work, int32_t index)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    const struct gauss_gradient_node_at at = {index, tables->node_count};
    struct gauss_gradient_sum sum = {
        .weights = tables->weights, .pitch = work->pitch, .channels = work->channels};
    float pixels[BLOCK * MAX_CHANNELS];
    for (int32_t y = 0; y < tables->height_px; y++) {
        sum.row = row_of(work, tables->nodes[index].blur.y, y);
        for (int32_t b = 0; b < work->blocks; b++) {
            const ptrdiff_t i = (ptrdiff_t)y * work->blocks + b;
            if (work->marks[i]) {
                sum.in = work->other + b * work->block;
                work->smooth->loops->sum(&sum, pixels);
                work->smooth->loops->dot(&at, work->places + i * BLOCK,
                                         work->derivative + i * work->block, pixels, work->channels,
                                         work->dots + i * BLOCK);
            }
        }
    }
}

/* Sums what all nodes say of the pixels' places. */
static void make_dots(const struct work *work)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    const size_t pixels = (size_t)tables->height_px * (size_t)work->blocks * BLOCK;
    memset(work->dots, 0, pixels * sizeof *work->dots);
    make_levels(work);
    for (int32_t i = 0; i < tables->node_count; i++) {
        const struct gauss_gradient_node *node = &tables->nodes[i];
        if (mark_blocks(work, i)) {
            mark_samples(work, node);
            blur_columns(work, node);
            transpose_marked(work, node, true, work->third, work->other);
            blur_rows(work, i);
        }
    }
}

static void sum_d_gazes(const struct work *work, double (*out)[2])
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    memset(out, 0, sizeof work->image->d_gazes_px);
    for (int32_t y = 0; y < tables->height_px; y++) {
        const struct gauss_gradient_view view = view_of(work, work->smooth->even, y);
        work->smooth->loops->gaze(&view, work->dots + (ptrdiff_t)y * view.count, tables->width_px,
                                  work->values, out);
    }
}

static void write_d_sigmas(const struct work *work, float *out)
{
    const struct gauss_gradient_tables *tables = &work->smooth->tables;
    for (int32_t y = 0; y < tables->height_px; y++, out += tables->width_px) {
        const struct gauss_gradient_view view = view_of(work, work->smooth->even, y);
        work->smooth->loops->sigmas(&view, work->dots + (ptrdiff_t)y * view.count, tables->width_px,
                                    work->values, out);
    }
}

/* ---- An image */

void gauss_gradient_smooth_run(const struct gauss_gradient_smooth *smooth, float *scratch,
                               struct gauss_gradient_image *image)
{
    const int32_t blocks = gauss_gradient_blocks(smooth->tables.width_px);
    const ptrdiff_t block = (ptrdiff_t)BLOCK * image->channels;
    struct work work = {.smooth = smooth,
                        .image = image,
                        .channels = image->channels,
                        .block = block,
                        .blocks = blocks,
                        .pitch = blocks * block};
    lay_out(&smooth->tables, scratch, &work);
    read_image(&work, image->d_dst, work.derivative);
    if (image->d_src) {
        find_places(&work, smooth->plan);
        make_d_src(&work);
    }
    if (image->src) {
        find_places(&work, smooth->even);
        make_dots(&work);
        if (image->d_sigmas) {
            write_d_sigmas(&work, image->d_sigmas);
        } else {
            sum_d_gazes(&work, image->d_gazes_px);
        }
    }
}
