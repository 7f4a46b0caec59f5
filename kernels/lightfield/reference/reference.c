/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This follows the formulas of README.md, pixel by pixel. */

#include "kernels/lightfield/lightfield.h"

#include <math.h>
#include <stdlib.h>

static uint32_t colors_of(const struct lightfield_levels *raw)
{
    return raw->bayer != FOVEA_LIGHTFIELD_BAYER_NONE ? 3 : raw->colors;
}

/* ---- Samples of the raw picture */

static double clamp(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* Pixels step apart from first on, of which the last is in the picture, as a picture of their own.
 */
struct lattice {
    const struct lightfield_levels *raw;
    uint32_t color;
    int step, first_x, first_y;
};

static double lattice_at(const struct lattice *lattice, double column, double row)
{
    const int step = lattice->step;
    const double last_x = floor((lattice->raw->width_px - 1.0 - lattice->first_x) / step);
    const double last_y = floor((lattice->raw->height_px - 1.0 - lattice->first_y) / step);
    const size_t x = (size_t)(lattice->first_x + step * clamp(column, 0.0, last_x));
    const size_t y = (size_t)(lattice->first_y + step * clamp(row, 0.0, last_y));
    return lattice->raw
        ->levels[(y * lattice->raw->width_px + x) * lattice->raw->colors + lattice->color];
}

static double lattice_sample(const struct lattice *lattice, enum fovea_lightfield_filter filter,
                             const double place[2])
{
    const double x = (place[0] - 0.5 - lattice->first_x) / lattice->step;
    const double y = (place[1] - 0.5 - lattice->first_y) / lattice->step;
    if (filter == FOVEA_LIGHTFIELD_FILTER_NEAREST) {
        return lattice_at(lattice, floor(x + 0.5), floor(y + 0.5));
    }
    const double column = floor(x);
    const double row = floor(y);
    const double above = lattice_at(lattice, column, row) * (1.0 - (x - column)) +
                         lattice_at(lattice, column + 1.0, row) * (x - column);
    const double below = lattice_at(lattice, column, row + 1.0) * (1.0 - (x - column)) +
                         lattice_at(lattice, column + 1.0, row + 1.0) * (x - column);
    return above * (1.0 - (y - row)) + below * (y - row);
}

/* A colour of a mosaic is what its pixels say; the green ones are two lattices, which are averaged.
 */
static double mosaic_sample(const struct lightfield_levels *raw,
                            enum fovea_lightfield_filter filter, uint32_t color,
                            const double place[2])
{
    static const char *const mosaics[] = {"", "RGGB", "GRBG", "GBRG", "BGGR"};
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < 4; i++) {
        if (mosaics[raw->bayer][i] == "RGB"[color]) {
            const struct lattice lattice = {raw, 0, 2, i % 2, i / 2};
            sum += lattice_sample(&lattice, filter, place);
            count++;
        }
    }
    return sum / count;
}

static double sample(const struct lightfield_levels *raw, enum fovea_lightfield_filter filter,
                     uint32_t color, const double place[2])
{
    if (raw->bayer != FOVEA_LIGHTFIELD_BAYER_NONE) {
        return mosaic_sample(raw, filter, color, place);
    }
    const struct lattice all = {raw, color, 1, 0, 0};
    return lattice_sample(&all, filter, place);
}

/* ---- Lenses around a pixel */

struct spot {
    double x, y; /* in lenses; the centre of the first one is at 0, 0 */
    int32_t row; /* the nearest row of lenses */
};

static struct spot spot_of(const struct fovea_lightfield_geometry *geometry,
                           struct lightfield_size size, uint32_t x_px, uint32_t y_px)
{
    const double y = (y_px + 0.5) / size.height_px * geometry->rows;
    return (struct spot){(x_px + 0.5) / size.width_px * geometry->columns - 0.5, y - 0.5,
                         (int32_t)floor(y)};
}

/* The nearest lens of a row. */
static int32_t column_of(const struct fovea_lightfield_geometry *geometry, const struct spot *spot,
                         int32_t row)
{
    const double shift = lightfield_row_is_shifted(geometry, row) ? 0.5 : 0.0;
    return (int32_t)clamp(floor(spot->x - shift + 0.5), 0.0, geometry->columns - 1.0);
}

static bool exists(const struct fovea_lightfield_geometry *geometry, int32_t column, int32_t row)
{
    return column >= 0 && column < (int32_t)geometry->columns && row >= 0 &&
           row < (int32_t)geometry->rows;
}

/* Finds where a lens has the spot's place: from its centre along the array's axes, and in the raw.
 */
static void place_in(const struct fovea_lightfield_geometry *geometry, const struct spot *spot,
                     double patch_px, int32_t column, int32_t row, double out_from[2],
                     double out_place[2])
{
    const double shift = lightfield_row_is_shifted(geometry, row) ? 0.5 : 0.0;
    const double turn = geometry->rotation_deg * M_PI / 180.0;
    const double sign = geometry->flip ? -1.0 : 1.0;
    double center[2];
    lightfield_lens_center(geometry, column, row, center);
    out_from[0] = sign * (spot->x - column - shift) * patch_px;
    out_from[1] = sign * (spot->y - row) * patch_px * geometry->pitch_y_px / geometry->pitch_x_px;
    out_place[0] = center[0] + cos(turn) * out_from[0] - sin(turn) * out_from[1];
    out_place[1] = center[1] + sin(turn) * out_from[0] + cos(turn) * out_from[1];
}

/* ---- Rendering */

/* The Gaussian is exp(-exponent). */
static double exponent_of(const struct fovea_lightfield_geometry *geometry,
                          const struct fovea_lightfield_rendering *rendering, const double from[2])
{
    const double sigma = rendering->sigma_px > 0.0 ? rendering->sigma_px
                                                   : geometry->pitch_x_px / LIGHTFIELD_SIGMA_PARTS;
    const double x = from[0] - rendering->view_x_px;
    const double y = from[1] - rendering->view_y_px;
    return (x * x + y * y) / (2.0 * sigma * sigma);
}

static double patch_of(const struct fovea_lightfield_geometry *geometry,
                       const struct fovea_lightfield_rendering *rendering, double given)
{
    return given >= 1.0 && given <= geometry->pitch_x_px ? given : rendering->patch_px;
}

/* Distance in the picture of the nearest lens's place from the gaze. */
static double eccentricity_px(const struct fovea_lightfield_geometry *geometry,
                              const struct fovea_lightfield_foveation *foveation,
                              struct lightfield_size size, const struct spot *spot)
{
    const double shift = lightfield_row_is_shifted(geometry, spot->row) ? 0.5 : 0.0;
    const double x = (column_of(geometry, spot, spot->row) + shift + 0.5) / geometry->columns;
    const double y = (spot->row + 0.5) / geometry->rows;
    return hypot((x - foveation->gaze.x_uv) * size.width_px,
                 (y - foveation->gaze.y_uv) * size.height_px);
}

static int32_t range_of(const struct fovea_lightfield_geometry *geometry,
                        const struct fovea_lightfield_rendering *rendering,
                        struct lightfield_size size, const struct spot *spot)
{
    const struct fovea_lightfield_foveation *foveation = rendering->foveation;
    const int32_t all = (int32_t)rendering->range;
    if (!foveation) {
        return all;
    }
    const double away_px = eccentricity_px(geometry, foveation, size, spot);
    const int32_t most = away_px <= foveation->full_px   ? all
                         : away_px <= foveation->next_px ? 1
                                                         : 0;
    return most < all ? most : all;
}

/* The weight is exp(-least): the sums' quotient has no underflow. */
struct blend {
    double colors[3];
    double weight;
    double least;
};

static void blend_add(struct blend *blend, double exponent, const double colors[3])
{
    const double least = fmin(blend->least, exponent);
    const double before = blend->weight > 0.0 ? exp(least - blend->least) : 0.0;
    const double weight = exp(least - exponent);
    blend->least = least;
    blend->weight = before * blend->weight + weight;
    for (int c = 0; c < 3; c++) {
        blend->colors[c] = before * blend->colors[c] + weight * colors[c];
    }
}

static struct blend blend_at(const struct lightfield_levels *raw,
                             const struct fovea_lightfield_geometry *geometry,
                             const struct fovea_lightfield_rendering *rendering,
                             const struct spot *spot, double patch_px, int32_t range)
{
    struct blend blend = {.least = INFINITY};
    for (int32_t i = 0; i < (2 * range + 1) * (2 * range + 1); i++) {
        const int32_t right = i % (2 * range + 1) - range;
        const int32_t down = i / (2 * range + 1) - range;
        const uint32_t away = (uint32_t)(abs(right) > abs(down) ? abs(right) : abs(down));
        const int32_t row = spot->row + down;
        const int32_t column = column_of(geometry, spot, row) + right;
        double from[2];
        double place[2];
        double colors[3] = {0.0, 0.0, 0.0};
        if ((away > 0 && !lightfield_in_range(away, patch_px, geometry->pitch_x_px)) ||
            !exists(geometry, column, row)) {
            continue;
        }
        place_in(geometry, spot, patch_px, column, row, from, place);
        for (uint32_t c = 0; c < colors_of(raw); c++) {
            colors[c] = sample(raw, rendering->filter, c, place);
        }
        blend_add(&blend, exponent_of(geometry, rendering, from), colors);
    }
    return blend;
}

void lightfield_reference_render(const struct lightfield_levels *raw,
                                 const struct fovea_lightfield_geometry *geometry,
                                 const struct fovea_lightfield_rendering *rendering,
                                 struct lightfield_size size, const double *patches, double *out)
{
    const uint32_t colors = colors_of(raw);
    for (size_t i = 0; i < (size_t)size.width_px * size.height_px; i++) {
        const struct spot spot =
            spot_of(geometry, size, (uint32_t)(i % size.width_px), (uint32_t)(i / size.width_px));
        const double patch_px = patch_of(geometry, rendering, patches ? patches[i] : 0.0);
        const struct blend blend = blend_at(raw, geometry, rendering, &spot, patch_px,
                                            range_of(geometry, rendering, size, &spot));
        for (uint32_t c = 0; c < colors; c++) {
            out[colors * i + c] = blend.colors[c] / blend.weight;
        }
    }
}

/* ---- Depth */

static double difference(const struct lightfield_levels *raw, enum fovea_lightfield_filter filter,
                         const double a[2], const double b[2])
{
    double sum = 0.0;
    for (uint32_t c = 0; c < colors_of(raw); c++) {
        sum += fabs(sample(raw, filter, c, a) - sample(raw, filter, c, b));
    }
    return sum;
}

struct difference_sum {
    double sum;
    int count;
};

static struct difference_sum differences_at(const struct lightfield_levels *raw,
                                            const struct fovea_lightfield_geometry *geometry,
                                            const struct fovea_lightfield_matching *matching,
                                            const struct spot *spot, double patch_px, int32_t range)
{
    const int32_t middle = column_of(geometry, spot, spot->row);
    double from[2];
    double main[2];
    struct difference_sum all = {0.0, 0};
    place_in(geometry, spot, patch_px, middle, spot->row, from, main);
    for (int32_t i = 0; i < (2 * range + 1) * (2 * range + 1); i++) {
        const int32_t right = i % (2 * range + 1) - range;
        const int32_t down = i / (2 * range + 1) - range;
        const uint32_t away = (uint32_t)(abs(right) > abs(down) ? abs(right) : abs(down));
        const int32_t row = spot->row + down;
        const int32_t column = column_of(geometry, spot, row) + right;
        double place[2];
        /* The lenses next to it count always, or there would be nothing to compare. */
        if ((away > 1 && !lightfield_in_range(away, patch_px, geometry->pitch_x_px)) ||
            !exists(geometry, column, row) || (column == middle && row == spot->row)) {
            continue;
        }
        place_in(geometry, spot, patch_px, column, row, from, place);
        all.sum += difference(raw, matching->filter, main, place);
        all.count++;
    }
    return all;
}

/* Rounding makes no difference of pixels that are alike. */
static double mean_of(const struct difference_sum *all)
{
    return all->sum > 1e-12 * all->count ? all->sum / all->count : 0.0;
}

static double cost_at(const struct lightfield_levels *raw,
                      const struct fovea_lightfield_geometry *geometry,
                      const struct fovea_lightfield_matching *matching, const struct spot *spot,
                      double patch_px, int32_t range)
{
    const struct difference_sum all =
        differences_at(raw, geometry, matching, spot, patch_px, range);
    return mean_of(&all);
}

static void box(struct lightfield_size size, const double *costs, double *out)
{
    for (int64_t i = 0; i < (int64_t)size.width_px * size.height_px; i++) {
        double sum = 0.0;
        int count = 0;
        for (int64_t y = i / size.width_px - 2; y <= i / size.width_px + 2; y++) {
            for (int64_t x = i % size.width_px - 2; x <= i % size.width_px + 2; x++) {
                if (x >= 0 && y >= 0 && x < size.width_px && y < size.height_px) {
                    sum += costs[y * size.width_px + x];
                    count++;
                }
            }
        }
        out[i] = sum / count;
    }
}

static double size_of(const struct fovea_lightfield_matching *matching, uint32_t number)
{
    return matching->first_px + number * matching->step_px;
}

void lightfield_reference_costs(const struct lightfield_levels *raw,
                                const struct fovea_lightfield_geometry *geometry,
                                const struct fovea_lightfield_matching *matching,
                                struct lightfield_size size, double *costs)
{
    const size_t pixels = (size_t)size.width_px * size.height_px;
    const uint32_t sizes = lightfield_size_count(matching);
    double *plain = costs + (matching->box ? sizes * pixels : 0); /* one more picture */
    for (uint32_t n = 0; n < sizes; n++) {
        double *to = matching->box ? plain : costs + n * pixels;
        for (size_t i = 0; i < pixels; i++) {
            const struct spot spot = spot_of(geometry, size, (uint32_t)(i % size.width_px),
                                             (uint32_t)(i / size.width_px));
            const bool coarse =
                matching->foveation && eccentricity_px(geometry, matching->foveation, size, &spot) >
                                           matching->foveation->full_px;
            to[i] = coarse && n % 2 == 1
                        ? INFINITY
                        : cost_at(raw, geometry, matching, &spot, size_of(matching, n),
                                  coarse ? 1 : (int32_t)matching->range);
        }
        if (matching->box) {
            box(size, plain, costs + n * pixels);
        }
    }
}

void lightfield_reference_choose(const struct fovea_lightfield_matching *matching,
                                 struct lightfield_size size, const double *costs, double *depths,
                                 double *confidences)
{
    const size_t pixels = (size_t)size.width_px * size.height_px;
    const uint32_t sizes = lightfield_size_count(matching);
    for (size_t i = 0; sizes > 0 && i < pixels; i++) {
        uint32_t best = sizes - 1;
        double other = INFINITY;
        for (uint32_t n = sizes - 1; n-- > 0;) {
            best = costs[n * pixels + i] < costs[best * pixels + i] ? n : best;
        }
        for (uint32_t n = 0; n < sizes; n++) {
            if (fabs((double)n - (double)best) * matching->step_px > 1.0 - 1e-6) {
                other = fmin(other, costs[n * pixels + i]);
            }
        }
        depths[i] = size_of(matching, best);
        confidences[i] =
            other > 0.0 && isfinite(other) ? 1.0 - costs[best * pixels + i] / other : 0.0;
    }
}

/* ---- Under the gaze */

double lightfield_reference_seen(const struct lightfield_levels *raw,
                                 const struct fovea_lightfield_geometry *geometry,
                                 const struct fovea_lightfield_refocusing *refocusing,
                                 struct lightfield_size size)
{
    struct fovea_lightfield_matching matching;
    double costs[LIGHTFIELD_SIZES_MAX] = {0.0};
    double seen = 0.0;
    double confidence = 0.0;
    fovea_lightfield_matching_init(&matching);
    matching.first_px = refocusing->first_px;
    matching.last_px = refocusing->last_px;
    matching.step_px = refocusing->step_px;
    matching.filter = refocusing->filter;
    const int64_t side = refocusing->window_px;
    const int64_t x = (int64_t)clamp(floor(refocusing->foveation->gaze.x_uv * size.width_px), 0.0,
                                     size.width_px - 1.0);
    const int64_t y = (int64_t)clamp(floor(refocusing->foveation->gaze.y_uv * size.height_px), 0.0,
                                     size.height_px - 1.0);
    for (uint32_t n = 0; n < lightfield_size_count(&matching); n++) {
        struct difference_sum all = {0.0, 0};
        for (int64_t i = 0; i < side * side; i++) {
            const int64_t at_x = x + i % side - side / 2;
            const int64_t at_y = y + i / side - side / 2;
            if (at_x >= 0 && at_y >= 0 && at_x < size.width_px && at_y < size.height_px) {
                const struct spot spot = spot_of(geometry, size, (uint32_t)at_x, (uint32_t)at_y);
                const struct difference_sum one =
                    differences_at(raw, geometry, &matching, &spot, size_of(&matching, n),
                                   (int32_t)refocusing->range);
                all.sum += one.sum;
                all.count += one.count;
            }
        }
        costs[n] = mean_of(&all);
    }
    lightfield_reference_choose(&matching, (struct lightfield_size){1, 1}, costs, &seen,
                                &confidence);
    return confidence >= 0.1 ? seen : NAN;
}

/* ---- Shifted sums of views */

/* Takes what the lens has at a place from its centre, along the array's axes; beyond the array's
 * edge, what the outermost one has. */
static double micro_image_at(const struct lightfield_levels *raw,
                             const struct fovea_lightfield_geometry *geometry, uint32_t color,
                             int32_t column, int32_t row, const double from[2])
{
    const double turn = geometry->rotation_deg * M_PI / 180.0;
    double center[2];
    lightfield_lens_center(geometry, (int32_t)clamp(column, 0.0, geometry->columns - 1.0),
                           (int32_t)clamp(row, 0.0, geometry->rows - 1.0), center);
    const double place[2] = {center[0] + cos(turn) * from[0] - sin(turn) * from[1],
                             center[1] + sin(turn) * from[0] + cos(turn) * from[1]};
    return sample(raw, FOVEA_LIGHTFIELD_FILTER_LINEAR, color, place);
}

static double view_row(const struct lightfield_levels *raw,
                       const struct fovea_lightfield_geometry *geometry, uint32_t color, double x,
                       int32_t row, const double from[2])
{
    const int32_t inside = (int32_t)clamp(row, 0.0, geometry->rows - 1.0);
    const double at = x - (lightfield_row_is_shifted(geometry, inside) ? 0.5 : 0.0);
    const int32_t column = (int32_t)floor(at);
    const double part = at - column;
    return micro_image_at(raw, geometry, color, column, inside, from) * (1.0 - part) +
           micro_image_at(raw, geometry, color, column + 1, inside, from) * part;
}

static double view_at(const struct lightfield_levels *raw,
                      const struct fovea_lightfield_geometry *geometry, uint32_t color,
                      const double spot[2], const double from[2])
{
    const int32_t row = (int32_t)floor(spot[1]);
    const double part = spot[1] - row;
    return view_row(raw, geometry, color, spot[0], row, from) * (1.0 - part) +
           view_row(raw, geometry, color, spot[0], row + 1, from) * part;
}

static double sum_at(const struct lightfield_levels *raw,
                     const struct fovea_lightfield_geometry *geometry,
                     const struct fovea_lightfield_sum *sum, uint32_t color,
                     const struct spot *spot)
{
    const int reach = (int)floor(sum->radius_px);
    const double sign = geometry->flip ? -1.0 : 1.0;
    const double tall = geometry->pitch_x_px / geometry->pitch_y_px;
    double total = 0.0;
    int count = 0;
    for (int dy = -reach; dy <= reach; dy++) {
        for (int dx = -reach; dx <= reach; dx++) {
            if (dx * dx + dy * dy > sum->radius_px * sum->radius_px) {
                continue;
            }
            const double from[2] = {sign * (dx + sum->view_x_px), sign * (dy + sum->view_y_px)};
            const double at[2] = {spot->x - sum->shift * dx, spot->y - sum->shift * dy * tall};
            total += view_at(raw, geometry, color, at, from);
            count++;
        }
    }
    return total / count;
}

void lightfield_reference_sum(const struct lightfield_levels *raw,
                              const struct fovea_lightfield_geometry *geometry,
                              const struct fovea_lightfield_sum *sum, struct lightfield_size size,
                              double *out)
{
    const uint32_t colors = colors_of(raw);
    for (size_t i = 0; i < (size_t)size.width_px * size.height_px; i++) {
        const struct spot spot =
            spot_of(geometry, size, (uint32_t)(i % size.width_px), (uint32_t)(i / size.width_px));
        for (uint32_t c = 0; c < colors; c++) {
            out[colors * i + c] = sum_at(raw, geometry, sum, c, &spot);
        }
    }
}
