/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfields.h"

#include <math.h>
#include <stdio.h>

#define ERROR_MOST 2e-4 /* places are whole parts of a pixel, 1 / 65536 */

/* ---- Beside the definition */

/* Half a step of what a format stores. */
static double step_of(enum fovea_format format, double value)
{
    switch (format) {
    case FOVEA_FORMAT_A2B10G10R10:
        return 0.5 / 1023.0;
    case FOVEA_FORMAT_B10G11R11F:
        return fabs(value) / 64.0;
    case FOVEA_FORMAT_RGBA16F:
    case FOVEA_FORMAT_RGB16F:
    case FOVEA_FORMAT_R16F:
        return fabs(value) / 2048.0;
    case FOVEA_FORMAT_RGBA32F:
    case FOVEA_FORMAT_RGB32F:
    case FOVEA_FORMAT_R32F:
        return 0.0;
    default:
        return 0.5 / 255.0;
    }
}

static double white_of(enum fovea_format format)
{
    return image_is_float(format) ? 1.0 : format == FOVEA_FORMAT_A2B10G10R10 ? 1023.0 : 255.0;
}

/* A place near the edge of a pixel may be in either one, and with it all places of its row. */
static bool compare_picture(struct field_run *run, const char *what)
{
    const struct fovea_image *made = &run->picture.first;
    const uint32_t colors = run->definition.bayer ? 3 : run->definition.colors;
    const uint32_t channels = image_channels(made->format);
    const size_t pixels = (size_t)made->width_px * made->height_px;
    double worst = 0.0;
    size_t wrong = 0;
    for (size_t i = 0; i < pixels; i++) {
        for (uint32_t c = 0; c < channels; c++) {
            const double made_c =
                image_get(made, (uint32_t)(i % made->width_px), (uint32_t)(i / made->width_px), c);
            const double wanted = c == 3 ? 1.0 : run->exact[i * colors + (colors == 3 ? c : 0)];
            const double white =
                c == 3 && made->format == FOVEA_FORMAT_A2B10G10R10 ? 3.0 : white_of(made->format);
            const double error = fabs(made_c / white - wanted);
            worst = error > worst || isnan(error) ? error : worst;
            wrong += !(error < ERROR_MOST + step_of(made->format, wanted));
        }
    }
    const bool nearest = run->point->work != WORK_SUM &&
                         run->point->rendering.filter == FOVEA_LIGHTFIELD_FILTER_NEAREST;
    const size_t row =
        made->width_px > made->height_px ? made->width_px : made->height_px; /* or a column */
    const size_t allowed = nearest ? channels * (3 + row + pixels / 100) : 0;
    snprintf(run->text, SEARCH_TEXT_BYTES, "%s: %zu of %zu numbers differ, %.3g at worst", what,
             wrong, pixels * channels, worst);
    return wrong <= allowed;
}

static bool compare_render(struct field_run *run,
                           const struct fovea_lightfield_rendering *rendering)
{
    const size_t pixels = (size_t)run->size.width_px * run->size.height_px;
    OWNED(owned_free) double *patches = calloc(pixels, sizeof *patches);
    for (size_t i = 0; rendering->patches && i < pixels; i++) {
        patches[i] = image_get(rendering->patches, (uint32_t)(i % run->size.width_px),
                               (uint32_t)(i / run->size.width_px), 0);
    }
    lightfield_reference_render(&run->definition, &run->point->geometry, rendering, run->size,
                                rendering->patches ? patches : NULL, run->exact);
    return compare_picture(run, "picture");
}

/* How sure a size is, of the costs of a pixel. */
static double confidence_of(const struct fovea_lightfield_matching *matching, const double *costs,
                            size_t pixels, uint32_t number)
{
    double other = INFINITY;
    for (uint32_t n = 0; n < lightfield_size_count(matching); n++) {
        if (fabs((double)n - (double)number) * matching->step_px > 1.0 - 1e-6) {
            other = fmin(other, costs[n * pixels]);
        }
    }
    return other > 0.0 && isfinite(other) ? 1.0 - costs[number * pixels] / other : 0.0;
}

/* How wrong a pixel is. Where costs are alike another size may be the least: its cost tells. */
static double depth_off(const struct field_run *run,
                        const struct fovea_lightfield_matching *matching, const double *costs,
                        size_t pixel)
{
    const uint32_t x = (uint32_t)(pixel % run->size.width_px);
    const uint32_t y = (uint32_t)(pixel / run->size.width_px);
    const size_t pixels = (size_t)run->size.width_px * run->size.height_px;
    const double place =
        (image_get(&run->picture.first, x, y, 0) - matching->first_px) / matching->step_px;
    const double best = floor((run->exact[pixel] - matching->first_px) / matching->step_px + 0.5);
    const double number = floor(place + 0.5);
    if (!(number >= 0.0 && number < lightfield_size_count(matching) &&
          fabs(place - number) < 1e-4)) {
        return INFINITY;
    }
    const double more =
        number == best ? 0.0 : costs[(size_t)number * pixels] - costs[(size_t)best * pixels];
    if (!run->point->has_beside || !(more < ERROR_MOST)) {
        return more;
    }
    const double wanted = confidence_of(matching, costs, pixels, (uint32_t)number);
    const double sure = image_get(&run->beside.first, x, y, 0);
    /* It is a ratio of roundings where costs are small. */
    const double scale = fmin(costs[(size_t)number * pixels] + 0.01, 1.0);
    return isnan(sure) ? INFINITY : fmax(more, fabs(sure - wanted) * scale);
}

static bool compare_depth(struct field_run *run)
{
    const struct fovea_lightfield_matching matching = field_matching(run->point);
    const size_t pixels = (size_t)run->size.width_px * run->size.height_px;
    OWNED(owned_free)
    double *costs = calloc((lightfield_size_count(&matching) + 1) * pixels, sizeof *costs);
    size_t wrong = 0;
    double worst = 0.0;
    lightfield_reference_costs(&run->definition, &run->point->geometry, &matching, run->size,
                               costs);
    lightfield_reference_choose(&matching, run->size, costs, run->exact, run->exact_beside);
    for (size_t i = 0; i < pixels; i++) {
        const double off = depth_off(run, &matching, costs + i, i);
        worst = fmax(worst, off);
        wrong += !(off < 1e-3);
    }
    const bool nearest = matching.filter == FOVEA_LIGHTFIELD_FILTER_NEAREST;
    snprintf(run->text, SEARCH_TEXT_BYTES, "depth: %zu of %zu pixels differ, %.3g at worst", wrong,
             pixels, worst);
    return wrong <= (nearest ? 3 + pixels / 20 : 0);
}

/* The focus comes to a frame's patch sizes, and follows what is seen. */
static void follow(struct field_run *run, const struct fovea_lightfield_refocusing *how,
                   uint32_t frame)
{
    const struct fovea_lightfield_matching matching = lightfield_matching_of(how);
    const double last_px = how->first_px + (lightfield_size_count(&matching) - 1) * how->step_px;
    const double seen_px =
        how->foveation
            ? lightfield_reference_seen(&run->definition, &run->point->geometry, how, run->size)
            : (double)NAN;
    const bool follows = frame > 0 && run->is_there;
    const bool is_instant = !follows || how->focus_time_s == 0.0;
    const double left = is_instant ? 0.0 : exp(-how->elapsed_s / how->focus_time_s);
    run->focus_px = fmin(fmax(run->focus_px, how->first_px), last_px);
    run->wanted_px = fmin(fmax(run->wanted_px, how->first_px), last_px);
    if (!follows) {
        run->wanted_px = isnan(seen_px) ? 0.5 * (how->first_px + how->last_px) : seen_px;
    } else if (fabs(seen_px - run->wanted_px) > how->focus_hysteresis_px) {
        run->wanted_px = seen_px;
    }
    run->focus_px = run->wanted_px + left * (run->focus_px - run->wanted_px);
    run->is_there = follows || !isnan(seen_px);
}

static bool compare_refocus(struct field_run *run, uint32_t frame)
{
    const struct fovea_image *focus = &run->beside.first;
    const struct fovea_lightfield_refocusing refocusing =
        field_refocusing(run->point, frame, focus);
    struct fovea_lightfield_rendering rendering = lightfield_rendering_of(&refocusing);
    follow(run, &refocusing, frame);
    rendering.patch_px = run->focus_px;
    if (run->point->has_beside && !(fabs(image_get(focus, 0, 0, 0) - run->focus_px) < 1e-4)) {
        snprintf(run->text, SEARCH_TEXT_BYTES, "frame %u: %.9g in focus, not %.9g", frame,
                 image_get(focus, 0, 0, 0), run->focus_px);
        return false;
    }
    return compare_render(run, &rendering);
}

static bool compare_sum(struct field_run *run)
{
    lightfield_reference_sum(&run->definition, &run->point->geometry, &run->point->sum, run->size,
                             run->exact);
    return compare_picture(run, "sum");
}

bool field_compare(struct field_run *run, uint32_t frame)
{
    const struct fovea_lightfield_rendering rendering =
        field_rendering(run->point, &run->patches.first);
    switch (run->point->work) {
    case WORK_RENDER:
        return compare_render(run, &rendering);
    case WORK_DEPTH:
        return compare_depth(run);
    case WORK_REFOCUS:
        return compare_refocus(run, frame);
    default:
        return compare_sum(run);
    }
}
