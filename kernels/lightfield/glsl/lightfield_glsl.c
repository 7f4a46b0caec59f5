/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_glsl.h"

#include "kernels/lightfield/sum_block.h"
#include "kernels/operator/focus.h"

#include <float.h>
#include <math.h>

_Static_assert(sizeof(struct lightfield_constants) <= OPERATOR_CONSTANT_BYTES,
               "more than there is");
_Static_assert(LIGHTFIELD_SIZES_MAX <= LIGHTFIELD_SEARCH_THREADS, "a thread for each cost");

#define STEPS (2 * LIGHTFIELD_RANGE_MAX + 1)
#define ENTRY_INTS 4
#define KINDS 2 /* of rows of lenses: straight and shifted */

/* ---- Tables */

/* Lenses' centres are in the raw picture; pixels are no farther from them than a pitch. */
static int32_t place_bits(const struct fovea_lightfield_geometry *geometry)
{
    const double side_px = fmax(geometry->raw_width_px, geometry->raw_height_px);
    const double reach_px = side_px + 2.0 * fmax(geometry->pitch_x_px, geometry->pitch_y_px);
    return (int32_t)floor(log2(2147483647.0 / reach_px));
}

struct axis {
    uint32_t pixels, lenses;
    double pitch; /* of a place's whole numbers */
    double direction[2];
};

static struct axis columns_of(const struct lightfield_glsl *glsl)
{
    const struct fovea_lightfield_geometry *geometry = &glsl->geometry;
    const double turn = geometry->rotation_deg * M_PI / 180.0;
    const double pitch = ldexp(geometry->pitch_x_px, place_bits(geometry));
    return (struct axis){glsl->width_px, geometry->columns, pitch, {cos(turn), sin(turn)}};
}

static struct axis rows_of(const struct lightfield_glsl *glsl)
{
    const struct fovea_lightfield_geometry *geometry = &glsl->geometry;
    const double turn = geometry->rotation_deg * M_PI / 180.0;
    const double pitch = ldexp(geometry->pitch_y_px, place_bits(geometry));
    return (struct axis){glsl->height_px, geometry->rows, pitch, {-sin(turn), cos(turn)}};
}

static void fill_lens(const struct axis *axis, double lens, double shift, const double origin[2],
                      int32_t out[ENTRY_INTS])
{
    out[0] = (int32_t)lens;
    out[1] = 0;
    for (int i = 0; i < 2; i++) {
        out[2 + i] = (int32_t)lround((lens + shift) * axis->pitch * axis->direction[i] + origin[i]);
    }
}

/* The nearest lens is the one that it is on the processor, where nothing is fused, either. */
static void fill_pixel(const struct axis *axis, uint32_t pixel, double shift,
                       const double origin[2], int32_t out[ENTRY_INTS])
{
    const double lenses = (pixel + 0.5) / axis->pixels;
    const double scaled = lenses * axis->lenses;
    const double at = scaled - 0.5 - shift;
    const double lens = fmin(fmax(floor(at + 0.5), 0.0), axis->lenses - 1.0);
    const float from = (float)(at - lens);
    fill_lens(axis, lens, shift, origin, out);
    memcpy(&out[1], &from, sizeof from);
}

static void fill_steps(const struct axis *axis, int32_t *out)
{
    for (int32_t i = 0; i < STEPS; i++) {
        const double step = (i - LIGHTFIELD_RANGE_MAX) * axis->pitch;
        out[ENTRY_INTS * i] = (int32_t)lround(step * axis->direction[0]);
        out[ENTRY_INTS * i + 1] = (int32_t)lround(step * axis->direction[1]);
    }
}

size_t lightfield_glsl_table_bytes(const struct lightfield_glsl *glsl)
{
    const size_t columns = (size_t)glsl->width_px + glsl->geometry.columns;
    const size_t rows = (size_t)glsl->height_px + glsl->geometry.rows;
    return (STEPS + KINDS * columns + rows) * ENTRY_INTS * sizeof(int32_t);
}

void lightfield_glsl_fill(const struct lightfield_glsl *glsl, void *tables)
{
    const struct axis columns = columns_of(glsl);
    const struct axis rows = rows_of(glsl);
    const double nowhere[2] = {0.0, 0.0};
    const int32_t bits = place_bits(&glsl->geometry);
    const double origin[2] = {ldexp(glsl->geometry.origin_x_px, bits),
                              ldexp(glsl->geometry.origin_y_px, bits)};
    int32_t *at = tables;
    fill_steps(&columns, at);
    fill_steps(&rows, at + 2);
    at += ENTRY_INTS * STEPS;
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint32_t x = 0; x < glsl->width_px; x++, at += ENTRY_INTS) {
            fill_pixel(&columns, x, 0.5 * kind, nowhere, at);
        }
    }
    for (uint32_t y = 0; y < glsl->height_px; y++, at += ENTRY_INTS) {
        fill_pixel(&rows, y, 0.0, origin, at);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint32_t column = 0; column < columns.lenses; column++, at += ENTRY_INTS) {
            fill_lens(&columns, column, 0.5 * kind, nowhere, at);
        }
    }
    for (uint32_t row = 0; row < rows.lenses; row++, at += ENTRY_INTS) {
        fill_lens(&rows, row, 0.0, origin, at);
    }
}

/* ---- Passes */

static struct lightfield_constants constants_of(const struct lightfield_glsl *glsl)
{
    const struct fovea_lightfield_geometry *geometry = &glsl->geometry;
    const struct axis columns = columns_of(glsl);
    return (struct lightfield_constants){
        .size_px = {(int32_t)glsl->width_px, (int32_t)glsl->height_px},
        .lenses = {(int32_t)geometry->columns, (int32_t)geometry->rows},
        .turn = {(float)columns.direction[0], (float)columns.direction[1]},
        .sign = geometry->flip ? -1.0f : 1.0f,
        .tall = (float)(geometry->pitch_y_px / geometry->pitch_x_px),
        .reach_px = (float)lightfield_reach_px(geometry->pitch_x_px),
        .pitch_px = (float)geometry->pitch_x_px,
        .place_bits = place_bits(geometry),
    };
}

static void add_raw(const struct lightfield_glsl_raw *raw, struct lightfield_constants *constants)
{
    constants->most = (float)raw->most;
    constants->white = (float)raw->maximum;
}

static void add_rings(const struct lightfield_glsl *glsl,
                      const struct fovea_lightfield_foveation *foveation,
                      struct lightfield_constants *constants)
{
    const struct lightfield_rings rings =
        lightfield_rings_of(foveation, glsl->width_px, glsl->height_px);
    constants->gaze_px[0] = (float)rings.gaze_x_px;
    constants->gaze_px[1] = (float)rings.gaze_y_px;
    constants->full_square = rings.is_on ? (float)(rings.full_px * rings.full_px) : FLT_MAX;
    constants->next_square = (float)(rings.next_px * rings.next_px);
}

static void add_sizes(const struct fovea_lightfield_matching *matching,
                      struct lightfield_constants *constants)
{
    constants->patch_px = (float)matching->first_px;
    constants->step_px = (float)matching->step_px;
    constants->size_count = (int32_t)lightfield_size_count(matching);
    constants->apart = lightfield_steps_apart(matching->step_px, LIGHTFIELD_SIZES_MAX);
}

static int32_t way_of(const struct lightfield_glsl *glsl, const struct lightfield_glsl_raw *raw,
                      enum fovea_lightfield_filter filter)
{
    return (filter == FOVEA_LIGHTFIELD_FILTER_NEAREST ? LIGHTFIELD_WAY_NEAREST : 0) |
           (raw->is_grey ? LIGHTFIELD_WAY_GREY : 0) |
           (glsl->geometry.arrangement == FOVEA_LIGHTFIELD_ROWS_HEXAGONAL ? LIGHTFIELD_WAY_HEXAGONAL
                                                                          : 0) |
           (int32_t)raw->bayer * LIGHTFIELD_WAY_BAYER;
}

static struct operator_pass pass_of(const struct shader *shader, int32_t way,
                                    enum fovea_format format,
                                    const struct lightfield_constants *constants)
{
    struct operator_pass pass = operator_pass_of(
        (struct operator_shader){.shader = shader, .special = {0, 1, way}, .format = format},
        constants, sizeof *constants);
    pass.barrier = true;
    return pass;
}

static void set_groups(const struct lightfield_glsl *glsl, uint32_t rows,
                       struct operator_pass *pass)
{
    pass->groups[0] = shader_divide_up(glsl->width_px, LIGHTFIELD_GROUP_WIDTH);
    pass->groups[1] = shader_divide_up(rows, LIGHTFIELD_GROUP_HEIGHT);
}

void lightfield_glsl_render(const struct lightfield_glsl *glsl,
                            const struct lightfield_glsl_raw *raw,
                            const struct fovea_lightfield_rendering *rendering,
                            const struct lightfield_glsl_picture *picture,
                            struct operator_pass *out_pass)
{
    const double sigma_px = lightfield_sigma_of(rendering, glsl->geometry.pitch_x_px);
    const int32_t way = way_of(glsl, raw, rendering->filter) |
                        (picture->blue_first ? LIGHTFIELD_WAY_BLUE_FIRST : 0) |
                        (picture->has_patches ? LIGHTFIELD_WAY_PATCHES : 0);
    struct lightfield_constants constants = constants_of(glsl);
    add_raw(raw, &constants);
    add_rings(glsl, rendering->foveation, &constants);
    constants.patch_px = (float)rendering->patch_px;
    constants.range = (int32_t)rendering->range;
    constants.view_px[0] = (float)rendering->view_x_px;
    constants.view_px[1] = (float)rendering->view_y_px;
    constants.factor = (float)(-0.5 / (sigma_px * sigma_px));
    *out_pass = pass_of(picture->format == FOVEA_FORMAT_RGBA32F ? &lightfield_render_floats_shader
                                                                : &lightfield_render_shader,
                        way, picture->format, &constants);
    set_groups(glsl, glsl->height_px, out_pass);
}

void lightfield_glsl_sum(const struct lightfield_glsl *glsl, const struct lightfield_glsl_raw *raw,
                         const struct fovea_lightfield_sum *sum,
                         const struct lightfield_glsl_picture *picture,
                         struct operator_pass *out_pass)
{
    const int32_t way = way_of(glsl, raw, FOVEA_LIGHTFIELD_FILTER_LINEAR) |
                        (picture->blue_first ? LIGHTFIELD_WAY_BLUE_FIRST : 0);
    struct lightfield_constants constants = constants_of(glsl);
    const struct lightfield_sum_block block =
        lightfield_sum_block_of(constants.size_px, constants.lenses);
    add_raw(raw, &constants);
    constants.step_px = (float)sum->shift;
    constants.range = (int32_t)floor(sum->radius_px);
    constants.full_square = (float)floor(sum->radius_px * sum->radius_px);
    constants.view_px[0] = (float)sum->view_x_px;
    constants.view_px[1] = (float)sum->view_y_px;
    constants.size_count = block.views;
    constants.window[0] = block.columns;
    constants.window[1] = block.rows;
    constants.window[2] = block.array_columns;
    constants.window[3] = block.array_rows;
    *out_pass = pass_of(picture->format == FOVEA_FORMAT_RGBA32F ? &lightfield_sum_floats_shader
                                                                : &lightfield_sum_shader,
                        way, picture->format, &constants);
    out_pass->groups[0] = shader_divide_up(glsl->width_px, (uint32_t)block.columns);
    out_pass->groups[1] = shader_divide_up(glsl->height_px, (uint32_t)block.rows);
}

void lightfield_glsl_refocus(const struct lightfield_glsl *glsl,
                             const struct lightfield_glsl_raw *raw,
                             const struct fovea_lightfield_refocusing *refocusing,
                             const struct lightfield_glsl_picture *picture,
                             struct operator_pass out_passes[LIGHTFIELD_GLSL_REFOCUS_PASSES])
{
    const struct fovea_lightfield_matching matching = lightfield_matching_of(refocusing);
    const struct fovea_lightfield_rendering rendering = lightfield_rendering_of(refocusing);
    const int32_t way = way_of(glsl, raw, refocusing->filter);
    struct lightfield_constants constants = constants_of(glsl);
    add_raw(raw, &constants);
    add_sizes(&matching, &constants);
    constants.range = (int32_t)refocusing->range;
    constants.left = (float)operator_left_after(refocusing->elapsed_s, refocusing->focus_time_s);
    constants.hysteresis_px =
        refocusing->elapsed_s > 0.0 ? (float)refocusing->focus_hysteresis_px : -1.0f;
    constants.start_px = (float)(0.5 * (refocusing->first_px + refocusing->last_px));
    if (refocusing->foveation) {
        const struct fovea_point_uv gaze = refocusing->foveation->gaze;
        lightfield_window(gaze.x_uv, glsl->width_px, refocusing->window_px, constants.window);
        lightfield_window(gaze.y_uv, glsl->height_px, refocusing->window_px, constants.window + 2);
    }
    out_passes[0] = pass_of(&lightfield_search_shader, way, FOVEA_FORMAT_R32F, &constants);
    out_passes[0].groups[0] = refocusing->foveation ? (uint32_t)constants.size_count : 1;
    out_passes[0].groups[1] = 1;
    out_passes[1] =
        pass_of(&lightfield_search_shader, LIGHTFIELD_WAY_CHOOSE, FOVEA_FORMAT_R32F, &constants);
    out_passes[1].groups[0] = out_passes[1].groups[1] = 1;
    lightfield_glsl_render(glsl, raw, &rendering, picture, &out_passes[2]);
    out_passes[2].shader.special[2] |= LIGHTFIELD_WAY_FOCUS;
}

/* ---- Depths */

struct lightfield_glsl_rows lightfield_glsl_rows_from(
    const struct lightfield_glsl *glsl, const struct fovea_lightfield_matching *matching,
    uint32_t first, uint32_t cost_rows)
{
    const uint32_t reach = matching->box ? LIGHTFIELD_BOX_REACH : 0;
    const uint32_t from = first > reach ? first - reach : 0;
    const uint32_t below = glsl->height_px - from;
    const uint32_t costs = below < cost_rows ? below : cost_rows;
    const uint32_t end = costs == below ? glsl->height_px : from + costs - reach;
    return (struct lightfield_glsl_rows){from, costs, first, end - first};
}

static struct lightfield_constants depth_constants(const struct lightfield_glsl *glsl,
                                                   const struct fovea_lightfield_matching *matching,
                                                   const struct lightfield_glsl_rows *rows)
{
    struct lightfield_constants constants = constants_of(glsl);
    add_rings(glsl, matching->foveation, &constants);
    add_sizes(matching, &constants);
    constants.range = (int32_t)matching->range;
    constants.window[0] = (int32_t)rows->cost_first;
    constants.window[1] = (int32_t)rows->cost_count;
    constants.window[2] = (int32_t)rows->first;
    constants.window[3] = (int32_t)rows->count;
    return constants;
}

void lightfield_glsl_match(const struct lightfield_glsl *glsl,
                           const struct lightfield_glsl_raw *raw,
                           const struct fovea_lightfield_matching *matching,
                           const struct lightfield_glsl_rows *rows, bool keep,
                           struct operator_pass *out_pass)
{
    const int32_t way = way_of(glsl, raw, matching->filter) | (keep ? LIGHTFIELD_WAY_KEEP : 0);
    struct lightfield_constants constants = depth_constants(glsl, matching, rows);
    add_raw(raw, &constants);
    *out_pass = pass_of(&lightfield_depth_shader, way, FOVEA_FORMAT_R32F, &constants);
    set_groups(glsl, rows->cost_count, out_pass);
}

void lightfield_glsl_choose(const struct lightfield_glsl *glsl,
                            const struct fovea_lightfield_matching *matching,
                            const struct lightfield_glsl_rows *rows,
                            enum lightfield_glsl_output output, struct operator_pass *out_pass)
{
    const int32_t way = LIGHTFIELD_WAY_CHOOSE | (matching->box ? LIGHTFIELD_WAY_BOX : 0) |
                        (output == LIGHTFIELD_GLSL_CONFIDENCE ? LIGHTFIELD_WAY_CONFIDENCE : 0);
    const struct lightfield_constants constants = depth_constants(glsl, matching, rows);
    *out_pass = pass_of(&lightfield_depth_shader, way, FOVEA_FORMAT_R32F, &constants);
    set_groups(glsl, rows->count, out_pass);
}
