/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "smooth.h"

#include "kernels/gauss/cpu/common/lanes.h"
#include "kernels/operator/gaze.h"

#include <string.h>

#define BLOCK GAUSS_GRADIENT_BLOCK
#define MAX_CHANNELS 4
#define GAZE_ROWS 6 /* of scratch memory, for loops->gaze */

/* A thread's memory for one image. Pictures lie in blocks; what is called transposed has rows of
 * places below each other. */
struct work {
    const struct gauss_gradient_cpu *gradient;
    const struct gauss_gradient_tables *tables; /* its */
    ptrdiff_t index; /* of the image */
    const struct pixel_codec *codec;
    int32_t channels; /* averaged channels: 1, 3 or 4 */
    struct gauss_frame frame; /* size, gaze and others */
    struct fovea_image d_dst;
    struct fovea_image sigmas; /* of a plan of pictures of sigmas */
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

const struct gauss_gradient_loops *gauss_gradient_choose_loops(void)
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

/* ---- Memory */

static int32_t whole(int32_t size)
{
    return gauss_gradient_blocks(size) * BLOCK;
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
        at += (floats[i] + BLOCK - 1) / BLOCK * BLOCK;
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

size_t gauss_gradient_smooth_floats(const struct gauss_gradient_tables *tables)
{
    struct work work;
    return lay_out(tables, NULL, &work);
}

/* ---- Pixels */

static struct fovea_image image_of(const struct work *work, const struct fovea_image *first,
                                   ptrdiff_t next_bytes)
{
    return pixel_image_after(first, work->index * next_bytes);
}

static void read_image(const struct work *work, const struct fovea_image *image, float *out)
{
    for (int32_t y = 0; y < work->tables->height_px; y++, out += work->pitch) {
        const struct pixel_codec *codec = work->codec;
        const struct pixel_row row = pixel_row_of(image, codec, 0, y, work->tables->width_px);
        codec->decode(&row, (uint32_t)work->channels, work->values);
        memset(out, 0, (size_t)work->pitch * sizeof *out);
        const float *in = work->values;
        for (int32_t x = 0; x < work->tables->width_px; x++) {
            for (int32_t c = 0; c < work->channels; c++) {
                out[x / BLOCK * work->block + c * BLOCK + x % BLOCK] = *in++;
            }
        }
    }
}

/* Alpha that is kept is the derivative's of dst. */
static void write_image(const struct work *work, const float *in)
{
    const struct pixel_codec *codec = work->codec;
    const struct operator_derivatives *batch = work->gradient->batch;
    const struct fovea_image d_src = image_of(work, batch->d_src, batch->d_src_next_bytes);
    for (int32_t y = 0; y < work->tables->height_px; y++, in += work->pitch) {
        float *out = work->values;
        for (int32_t x = 0; x < work->tables->width_px; x++) {
            for (int32_t c = 0; c < work->channels; c++) {
                *out++ = in[x / BLOCK * work->block + c * BLOCK + x % BLOCK];
            }
        }
        const struct pixel_row from =
            pixel_row_of(&work->d_dst, codec, 0, y, work->tables->width_px);
        const struct pixel_row to = pixel_row_of(&d_src, codec, 0, y, work->tables->width_px);
        codec->encode(work->values, (uint32_t)work->channels, &from, &to);
    }
}

static struct gauss_gradient_view view_of(const struct work *work, const struct gauss_plan *plan,
                                          int32_t y)
{
    struct gauss_gradient_view view = {.plan = plan,
                                       .frame = work->frame,
                                       .sigmas = work->sigmas,
                                       .y = y,
                                       .count = work->blocks * BLOCK};
    view.frame.fragment_px = (int32_t)plan->fragment_px;
    return view;
}

static void find_places(const struct work *work, const struct gauss_plan *plan)
{
    for (int32_t y = 0; y < work->tables->height_px; y++) {
        const struct gauss_gradient_view view = view_of(work, plan, y);
        float *places = work->places + (ptrdiff_t)y * view.count;
        work->gradient->loops->places(&view, places);
        for (int32_t b = 0; b < work->blocks; b++, places += BLOCK) {
            const int32_t left = work->tables->width_px - b * BLOCK;
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
    const int32_t count = work->tables->node_count;
    bool any = false;
    for (int32_t i = 0; i < work->tables->height_px * work->blocks; i++) {
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
    return work->tables->rows + band.first_row + i;
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
    struct gauss_gradient_sum sum = {.weights = work->tables->weights,
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
                work->gradient->loops->sum(&sum, pass->out + i * pitch + b * work->block);
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
    const struct gauss_gradient_node_at at = {node, work->tables->node_count};
    for (ptrdiff_t i = 0; i < (ptrdiff_t)work->tables->height_px * work->blocks; i++) {
        if (work->marks[i]) {
            work->gradient->loops->weigh(&at, work->places + i * BLOCK,
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
    for (int32_t k = 0; k < work->tables->level_count; k++) {
        const struct gauss_gradient_level *level = &work->tables->levels[k];
        const size_t floats = (size_t)whole(level->width) *
                              (size_t)(gauss_gradient_blocks(level->height) * work->block);
        memset(work->levels[k], 0, floats * sizeof(float));
    }
}

static void make_d_src(const struct work *work)
{
    clear_levels(work);
    for (int32_t i = 0; i < work->tables->node_count; i++) {
        const struct gauss_gradient_node *node = &work->tables->nodes[i];
        if (mark_blocks(work, i)) {
            mark_samples(work, node);
            weigh(work, i);
            gather_rows(work, node);
            transpose_marked(work, node, false, work->other, work->third);
            gather_columns(work, node);
        }
    }
    for (int32_t k = work->tables->level_count - 1; k > 0; k--) {
        const struct gauss_gradient_level *level = &work->tables->levels[k];
        apply_both(work, level->spread, level->height, true, work->levels[k], work->levels[k - 1]);
    }
    transpose(work, work->tables->width_px, work->tables->height_px, false, work->levels[0],
              work->one);
    write_image(work, work->one);
}

/* ---- The derivatives of the gaze and of sigmas */

static void make_levels(const struct work *work)
{
    const struct operator_derivatives *batch = work->gradient->batch;
    const struct fovea_image src = image_of(work, batch->src, batch->src_next_bytes);
    read_image(work, &src, work->one);
    transpose(work, work->tables->height_px, work->tables->width_px, false, work->one,
              work->levels[0]);
    for (int32_t k = 1; k < work->tables->level_count; k++) {
        apply_both(work, work->tables->levels[k].reduce, work->tables->levels[k - 1].height, false,
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
    const struct gauss_gradient_node_at at = {index, work->tables->node_count};
    struct gauss_gradient_sum sum = {
        .weights = work->tables->weights, .pitch = work->pitch, .channels = work->channels};
    float pixels[BLOCK * MAX_CHANNELS];
    for (int32_t y = 0; y < work->tables->height_px; y++) {
        sum.row = row_of(work, work->tables->nodes[index].blur.y, y);
        for (int32_t b = 0; b < work->blocks; b++) {
            const ptrdiff_t i = (ptrdiff_t)y * work->blocks + b;
            if (work->marks[i]) {
                sum.in = work->other + b * work->block;
                work->gradient->loops->sum(&sum, pixels);
                work->gradient->loops->dot(&at, work->places + i * BLOCK,
                                           work->derivative + i * work->block, pixels,
                                           work->channels, work->dots + i * BLOCK);
            }
        }
    }
}

/* Sums what all nodes say of the pixels' places. */
static void make_dots(const struct work *work)
{
    const size_t pixels = (size_t)work->tables->height_px * (size_t)work->blocks * BLOCK;
    memset(work->dots, 0, pixels * sizeof *work->dots);
    make_levels(work);
    for (int32_t i = 0; i < work->tables->node_count; i++) {
        const struct gauss_gradient_node *node = &work->tables->nodes[i];
        if (mark_blocks(work, i)) {
            mark_samples(work, node);
            blur_columns(work, node);
            transpose_marked(work, node, true, work->third, work->other);
            blur_rows(work, i);
        }
    }
}

static float per_uv(double per_px, float gaze_uv, int32_t size_px)
{
    const bool moves = gaze_uv >= (float)-GAZE_REACH_UV && gaze_uv <= (float)(1.0 + GAZE_REACH_UV);
    return moves ? (float)(per_px * size_px) : 0.0f;
}

static void write_d_gazes(const struct work *work, const float *foveas_uv, float *out_uv)
{
    double per_px[1 + GAZE_OTHERS_MAX][2] = {{0.0}};
    for (int32_t y = 0; y < work->tables->height_px; y++) {
        const struct gauss_gradient_view view = view_of(work, &work->gradient->laws.view, y);
        work->gradient->loops->gaze(&view, work->dots + (ptrdiff_t)y * view.count,
                                    work->tables->width_px, work->values, per_px);
    }
    for (int32_t k = 0; k <= work->frame.others.count; k++) {
        out_uv[2 * k] = per_uv(per_px[k][0], foveas_uv[2 * k], work->tables->width_px);
        out_uv[2 * k + 1] = per_uv(per_px[k][1], foveas_uv[2 * k + 1], work->tables->height_px);
    }
}

static void write_d_sigmas(const struct work *work, float *out)
{
    for (int32_t y = 0; y < work->tables->height_px; y++, out += work->tables->width_px) {
        const struct gauss_gradient_view view = view_of(work, &work->gradient->laws.view, y);
        work->gradient->loops->sigmas(&view, work->dots + (ptrdiff_t)y * view.count,
                                      work->tables->width_px, work->values, out);
    }
}

/* ---- An image */

static struct work work_of(const struct gauss_gradient_cpu *gradient, uint32_t index)
{
    const struct operator_derivatives *batch = gradient->batch;
    const struct pixel_codec *codec = pixel_codec_of(batch->d_dst->format);
    const bool alpha =
        codec->has_alpha && gradient->plan->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED;
    struct work work = {
        .gradient = gradient,
        .tables = &gradient->tables,
        .index = (ptrdiff_t)index,
        .codec = codec,
        .channels = (int32_t)codec->color_channels + alpha,
        .frame = {.width_px = gradient->tables.width_px, .height_px = gradient->tables.height_px},
        .blocks = gauss_gradient_blocks(gradient->tables.width_px)};
    work.block = (ptrdiff_t)BLOCK * work.channels;
    work.pitch = work.blocks * work.block;
    work.d_dst = image_of(&work, batch->d_dst, batch->d_dst_next_bytes);
    if (batch->sigmas) {
        work.sigmas = image_of(&work, batch->sigmas, batch->sigmas_next_bytes);
    }
    return work;
}

void gauss_gradient_smooth_run(const struct gauss_gradient_cpu *gradient, float *scratch,
                               uint32_t index)
{
    const struct operator_derivatives *batch = gradient->batch;
    const uint32_t foveas = operator_derivatives_foveas(batch);
    const size_t first = 2 * (size_t)foveas * index;
    const size_t pixels = (size_t)gradient->tables.width_px * (size_t)gradient->tables.height_px;
    /* Else no gaze changes anything. */
    const bool looks = gradient->plan->base.api->looks_at_gaze && batch->gazes_uv;
    struct work work = work_of(gradient, index);
    lay_out(&gradient->tables, scratch, &work);
    read_image(&work, &work.d_dst, work.derivative);
    if (looks) {
        gauss_cpu_look(&work.frame, batch->gazes_uv + first, foveas);
    }
    if (batch->d_src) {
        find_places(&work, gradient->plan);
        make_d_src(&work);
    }
    if ((batch->d_gazes_uv && looks) || batch->d_sigmas) {
        find_places(&work, &gradient->laws.view);
        make_dots(&work);
    }
    if (batch->d_sigmas) {
        write_d_sigmas(&work, batch->d_sigmas + pixels * index);
    }
    if (batch->d_gazes_uv && looks) {
        write_d_gazes(&work, batch->gazes_uv + first, batch->d_gazes_uv + first);
    } else if (batch->d_gazes_uv) {
        memset(batch->d_gazes_uv + first, 0, 2 * (size_t)foveas * sizeof(float));
    }
}
