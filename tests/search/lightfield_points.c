/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfields.h"

#include <math.h>

#define FRAMES_MOST 3

/* ---- Points */

double field_number(uint64_t *state, double least, double most)
{
    static const double odd[] = {(double)NAN, (double)INFINITY, -1.0, 0.0, 1e30};
    const uint32_t kind = search_below(state, 400);
    return kind == 0   ? odd[search_below(state, 5)]
           : kind < 20 ? least
           : kind < 40 ? most
                       : least + (most - least) * pow(random_uniform(state, 0.0, 1.0), 1.5);
}

static double pitch_of(uint64_t *state)
{
    const double pitch_px = random_uniform(state, 0.0, 1.0) < 0.3
                                ? 2.0 + 20.0 * search_below(state, 3)
                                : random_uniform(state, 2.0, 36.0);
    return search_one_in(state, 3) ? floor(pitch_px) : pitch_px;
}

/* All centres lie in the raw picture, most of the time just so. */
static struct fovea_lightfield_geometry geometry_of(uint64_t *state)
{
    struct fovea_lightfield_geometry g;
    fovea_lightfield_geometry_init(&g);
    g.columns = 1 + search_below(state, search_one_in(state, 3) ? 14 : 6);
    g.rows = 1 + search_below(state, 6);
    g.arrangement = search_one_in(state, 3);
    g.flip = search_one_in(state, 3);
    g.pitch_x_px = pitch_of(state);
    g.pitch_y_px = search_one_in(state, 2)
                       ? g.pitch_x_px
                       : fmin(fmax(g.pitch_x_px * random_uniform(state, 0.4, 3.0), 2.0), 60.0);
    const double most_deg = search_one_in(state, 4) ? 45.0 : 2.0;
    g.rotation_deg = search_one_in(state, 2) ? 0.0 : random_uniform(state, -most_deg, most_deg);
    const double turn = g.rotation_deg * M_PI / 180.0;
    const double right = (g.columns - (g.arrangement ? 0.5 : 1.0)) * g.pitch_x_px;
    const double down = (g.rows - 1.0) * g.pitch_y_px;
    const double edge = search_one_in(state, 4) ? 0.0 : random_uniform(state, 0.0, g.pitch_x_px);
    g.origin_x_px = edge + fmax(sin(turn) * down, 0.0);
    g.origin_y_px = edge + fmax(-sin(turn) * right, 0.0);
    const double width = g.origin_x_px + cos(turn) * right - fmin(sin(turn) * down, 0.0);
    const double height = g.origin_y_px + cos(turn) * down + fmax(sin(turn) * right, 0.0);
    const double more = search_one_in(state, 3) ? 1.0 : random_uniform(state, 1.0, g.pitch_x_px);
    g.raw_width_px = (uint32_t)fmax(width + more, 8.0);
    g.raw_height_px = (uint32_t)fmax(height + more, 8.0);
    return g;
}

static struct search_layout layout_of(uint64_t *state)
{
    struct search_layout layout = {.guard_bytes = 64 * search_below(state, 3)};
    if (search_one_in(state, 2)) {
        layout.shift = search_below(state, 8);
        layout.row_gap = search_below(state, 20);
        layout.bottom_up = search_one_in(state, 2);
    }
    return layout;
}

static void draw_raw(uint64_t *state, struct field_point *p)
{
    static const uint32_t formats[] = {0,
                                       FOVEA_FORMAT_R8,
                                       FOVEA_FORMAT_RGB8,
                                       FOVEA_FORMAT_RGBA8,
                                       FOVEA_FORMAT_R16,
                                       FOVEA_FORMAT_RGB16,
                                       FOVEA_FORMAT_RGBA16};
    p->format = 1 + search_below(state, 6);
    const bool is_grey =
        p->format == FOVEA_LIGHTFIELD_FORMAT_R8 || p->format == FOVEA_LIGHTFIELD_FORMAT_R16;
    p->bayer = is_grey && search_one_in(state, 2) ? 1 + search_below(state, 4) : 0;
    p->maximum = p->format >= FOVEA_LIGHTFIELD_FORMAT_R16 && search_one_in(state, 2)
                     ? (search_one_in(state, 8) ? 1 + search_below(state, 9)
                                                : 1023u << search_below(state, 5))
                     : 0;
    p->raw = (struct search_point){.width_px = p->geometry.raw_width_px,
                                   .height_px = p->geometry.raw_height_px,
                                   .format = formats[p->format],
                                   .fill = (uint32_t)random_next(state),
                                   .src = layout_of(state)};
}

static void draw_picture(uint64_t *state, struct field_point *p)
{
    static const uint32_t formats[] = {FOVEA_FORMAT_RGB32F, FOVEA_FORMAT_R32F};
    const bool is_float = search_one_in(state, 2);
    p->picture = (struct search_point){
        .width_px = 1 + search_below(state, search_one_in(state, 8) ? 300 : 40),
        .height_px = 1 + search_below(state, 30),
        .format = is_float ? formats[search_one_in(state, 4)]
                           : FOVEA_FORMAT_RGBA8 + search_below(state, 11),
        .dst = layout_of(state),
        .src = layout_of(state)};
    p->picture.dst.pixel_gap = search_one_in(state, 4) ? 1 + search_below(state, 3) : 0;
    if (p->work == WORK_DEPTH) {
        p->picture.format = FOVEA_FORMAT_R32F;
        p->picture.dst.pixel_gap = search_one_in(state, 4);
    }
}

static void draw_work(uint64_t *state, struct field_point *p)
{
    const double pitch_px = p->geometry.pitch_x_px;
    struct fovea_lightfield_rendering *r = &p->rendering;
    fovea_lightfield_rendering_init(r);
    r->patch_px = field_number(state, 1.0, pitch_px);
    r->range = search_below(state, search_one_in(state, 4) ? 6 : 3);
    r->filter = search_one_in(state, 3);
    r->sigma_px = search_one_in(state, 2) ? 0.0 : field_number(state, pitch_px / 24.0, pitch_px);
    if (r->filter == FOVEA_LIGHTFIELD_FILTER_NEAREST) { /* borders of pixels are nobody's places */
        p->geometry.origin_x_px += random_uniform(state, 0.003, 0.02);
        p->geometry.origin_y_px += random_uniform(state, 0.003, 0.02);
    }
    p->has_patches = search_one_in(state, 3);
    p->has_foveation = search_one_in(state, 3);
    p->has_beside = search_one_in(state, 2);
    if (!p->has_foveation && search_one_in(state, 2)) {
        r->view_x_px = field_number(state, -pitch_px / 2.0, pitch_px / 2.0);
        r->view_y_px = field_number(state, -pitch_px / 2.0, pitch_px / 2.0);
    }
    fovea_lightfield_foveation_init(&p->foveation);
    p->foveation.gaze.x_uv = search_one_in(state, 20) ? 1e30 : field_number(state, -0.5, 1.5);
    p->foveation.gaze.y_uv = field_number(state, 0.0, 1.0);
    p->foveation.full_px = field_number(state, 0.0, p->picture.width_px);
    p->foveation.next_px = p->foveation.full_px + field_number(state, 0.0, p->picture.width_px);
}

static void draw_search(uint64_t *state, struct field_point *p)
{
    const double pitch_px = p->geometry.pitch_x_px;
    struct fovea_lightfield_refocusing *r = &p->refocusing;
    fovea_lightfield_refocusing_init(r);
    r->first_px = field_number(state, 1.0, pitch_px);
    r->last_px = search_one_in(state, 9)
                     ? r->first_px
                     : fmin(r->first_px + field_number(state, 0.0, 8.0), pitch_px);
    r->step_px = search_one_in(state, 3) ? 1.0 : field_number(state, 0.5, 2.0);
    r->range = 1 + search_below(state, 3);
    r->filter = p->rendering.filter;
    r->sigma_px = p->rendering.sigma_px;
    r->window_px =
        search_one_in(state, 3) ? 1 + search_below(state, 63) : 1 + search_below(state, 16);
    r->focus_time_s = search_one_in(state, 4) ? 0.0 : 0.3;
    r->focus_hysteresis_px = search_one_in(state, 3) ? 0.0 : 0.5;
    p->box = search_one_in(state, 3);
    p->frames = 1 + search_below(state, FRAMES_MOST);
    fovea_lightfield_sum_init(&p->sum);
    p->sum.shift = field_number(state, -1.0, 1.0);
    p->sum.radius_px = field_number(state, 0.0, fmin(pitch_px / 2.0, 6.0));
    p->sum.view_x_px = search_one_in(state, 2) ? 0.0 : field_number(state, -pitch_px, pitch_px);
    p->sum.view_y_px = search_one_in(state, 2) ? 0.0 : field_number(state, -pitch_px, pitch_px);
}

struct field_point field_point_draw(uint64_t seed, uint64_t number)
{
    uint64_t state = seed;
    state = random_next(&state) + number;
    struct field_point p = {.geometry = geometry_of(&state),
                            .work = search_below(&state, WORK_COUNT)};
    p.threads = 1 + search_below(&state, 3);
    draw_raw(&state, &p);
    draw_picture(&state, &p);
    draw_work(&state, &p);
    draw_search(&state, &p);
    return p;
}

/* ---- What the library is given */

struct fovea_lightfield_matching field_matching(const struct field_point *p)
{
    struct fovea_lightfield_matching matching = lightfield_matching_of(&p->refocusing);
    matching.box = p->box && !p->has_foveation;
    matching.foveation = p->has_foveation ? &p->foveation : NULL;
    return matching;
}

struct fovea_lightfield_rendering field_rendering(const struct field_point *p,
                                                  const struct fovea_image *patches)
{
    struct fovea_lightfield_rendering rendering = p->rendering;
    rendering.patches = p->has_patches ? patches : NULL;
    rendering.foveation = p->has_foveation ? &p->foveation : NULL;
    return rendering;
}

struct fovea_lightfield_refocusing field_refocusing(const struct field_point *p, uint32_t frame,
                                                    const struct fovea_image *focus)
{
    struct fovea_lightfield_refocusing refocusing = p->refocusing;
    refocusing.elapsed_s = frame ? 0.1 : 0.0;
    refocusing.first_px = fmin(refocusing.first_px + 0.25 * frame, refocusing.last_px);
    refocusing.foveation = p->has_foveation || frame == 1 ? &p->foveation : NULL;
    refocusing.focus = p->has_beside ? focus : NULL;
    return refocusing;
}
