/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plan.h"

#include <math.h>
#include <stdlib.h>

#define ALPHA 0.106
#define E2_DEG 2.3
#define CT0 (1.0 / 64.0)
#define E_MAX_DEG 100.0
#define F_MAX_CPD 30.0
#define RING 1.4 /* of a fragment's side */
#define FOVEATION_REACH 512 /* three sigmas of any strength up to 15 */
#define PI 3.14159265358979323846

/* ---- The law */

static double half_diagonal(int32_t width_px, int32_t height_px)
{
    return hypot(width_px / 2.0, height_px / 2.0);
}

/* Equation 3 and the mapping in one: sigma = f_max alpha (e + e2) / (pi e2 ln(1 / CT0)). */
struct foveation_law foveation_law_of(int32_t width_px, int32_t height_px, double strength)
{
    const double scale = strength * F_MAX_CPD * ALPHA / (PI * E2_DEG * log(1.0 / CT0));
    return (struct foveation_law){
        .at_gaze_px = scale * E2_DEG,
        .slope = scale * E_MAX_DEG / half_diagonal(width_px, height_px),
        .least_px = strength / PI,
        .most_px = scale * (E_MAX_DEG + E2_DEG),
    };
}

double foveation_sigma_px(const struct foveation_law *law, double distance_px)
{
    const double sigma = law->at_gaze_px + law->slope * distance_px;
    return fmin(fmax(sigma, law->least_px), law->most_px);
}

/* How far from the gaze all is resolved: there pixels are copied. */
static double untouched_px(const struct foveation_law *law)
{
    return (law->least_px - law->at_gaze_px) / law->slope;
}

static int32_t length_of(double sigma_px)
{
    return 2 * ((int32_t)ceil(6.0 * sigma_px) / 2) + 1;
}

/* ---- Filters */

static double weight_of(double sigma_px, int32_t length, int32_t tap)
{
    double sum = 0.0;
    for (int32_t i = -(length / 2); i <= length / 2; i++) {
        sum += exp(-0.5 * i * i / (sigma_px * sigma_px));
    }
    const double from = tap - length / 2;
    return exp(-0.5 * from * from / (sigma_px * sigma_px)) / sum;
}

static bool add_filter(struct foveation_plan *plan, double sigma_px)
{
    const int32_t length = length_of(sigma_px);
    const int32_t begin = plan->starts[plan->filters];
    if (begin + length > FOVEATION_PAPER_WEIGHTS || plan->filters + 2 > FOVEATION_FILTERS) {
        return false;
    }
    for (int32_t i = 0; i < length; i++) {
        plan->exact[begin + i] = weight_of(sigma_px, length, i);
        plan->weights[begin + i] = (float)plan->exact[begin + i];
    }
    plan->starts[++plan->filters] = begin + length;
    plan->longest = length > plan->longest ? length : plan->longest;
    return true;
}

static double bound_of(const struct foveation_plan *plan, int32_t ring)
{
    return plan->desc.fragment_px * (0.5 + RING * ring);
}

/* A filter a ring, of the sigma in its middle; the last ring ends at half the diagonal. */
static bool make_filters(struct foveation_plan *plan)
{
    const double last = half_diagonal(plan->desc.width_px, plan->desc.height_px);
    bool made = true;
    for (int32_t ring = 0; made && bound_of(plan, ring) < last; ring++) {
        const double middle = (bound_of(plan, ring) + fmin(bound_of(plan, ring + 1), last)) / 2.0;
        made = add_filter(plan, foveation_sigma_px(&plan->law, middle));
    }
    return made;
}

static int32_t filter_at(const struct foveation_plan *plan, double distance_px)
{
    int32_t ring = 0;
    while (ring < plan->filters && distance_px >= bound_of(plan, ring)) {
        ring++;
    }
    return ring;
}

/* ---- The grid */

/* Shifted to the left and up, so that the gaze lies in a fragment's middle. */
static int32_t first_of(const struct foveation_plan_desc *desc, int axis)
{
    const double share = fmod(desc->gaze_px[axis], desc->fragment_px) / desc->fragment_px;
    const double shift = share <= 0.5 ? 0.5 - share : 1.5 - share;
    return desc->fixed ? 0 : -(int32_t)(desc->fragment_px * shift);
}

static void fill_grid(struct foveation_plan *plan)
{
    const struct foveation_plan_desc *desc = &plan->desc;
    for (int32_t row = 0; row < plan->rows; row++) {
        for (int32_t column = 0; column < plan->columns; column++) {
            const double x = plan->first_x_px + (column + 0.5) * desc->fragment_px;
            const double y = plan->first_y_px + (row + 0.5) * desc->fragment_px;
            const double distance = hypot(x - desc->gaze_px[0], y - desc->gaze_px[1]);
            plan->grid[row * plan->columns + column] = (uint16_t)filter_at(plan, distance);
        }
    }
}

static void shuffle(uint16_t *grid, int32_t count)
{
    uint64_t state = 1;
    for (int32_t i = count - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int32_t other = (int32_t)((state >> 33) % (uint64_t)(i + 1));
        const uint16_t kept = grid[i];
        grid[i] = grid[other];
        grid[other] = kept;
    }
}

static bool make_grid(struct foveation_plan *plan)
{
    const struct foveation_plan_desc *desc = &plan->desc;
    plan->first_x_px = first_of(desc, 0);
    plan->first_y_px = first_of(desc, 1);
    plan->columns = (desc->width_px - plan->first_x_px + desc->fragment_px - 1) / desc->fragment_px;
    plan->rows = (desc->height_px - plan->first_y_px + desc->fragment_px - 1) / desc->fragment_px;
    plan->grid = calloc((size_t)plan->columns * (size_t)plan->rows, sizeof *plan->grid);
    if (!plan->grid) {
        return false;
    }
    fill_grid(plan);
    if (desc->shuffled) {
        shuffle(plan->grid, plan->columns * plan->rows);
    }
    return true;
}

bool foveation_plan_make(const struct foveation_plan_desc *desc, struct foveation_plan *out)
{
    *out = (struct foveation_plan){
        .desc = *desc,
        .law = foveation_law_of(desc->width_px, desc->height_px, desc->strength),
        .longest = 1,
        .exact = malloc(FOVEATION_PAPER_WEIGHTS * sizeof *out->exact)};
    if (out->exact && make_filters(out) && make_grid(out)) {
        return true;
    }
    foveation_plan_free(out);
    return false;
}

void foveation_plan_free(struct foveation_plan *plan)
{
    free(plan->exact);
    free(plan->grid);
    plan->exact = NULL;
    plan->grid = NULL;
}

/* ---- What it costs */

size_t foveation_tile_bytes(const struct foveation_plan *plan)
{
    const size_t side = (size_t)(plan->desc.fragment_px + plan->longest - 1);
    return side * side;
}

size_t foveation_result_bytes(const struct foveation_plan *plan)
{
    const size_t side = (size_t)(plan->desc.fragment_px + plan->longest - 1);
    return side * (size_t)plan->desc.fragment_px * sizeof(float);
}

double foveation_products(const struct foveation_plan *plan)
{
    double products = 0.0;
    for (int32_t i = 0; i < plan->columns * plan->rows; i++) {
        const int32_t filter = plan->grid[i];
        const double side = plan->desc.fragment_px;
        if (filter > 0) {
            const double length = plan->starts[filter] - plan->starts[filter - 1];
            products += 3.0 * length * side * (side + length - 1.0 + side);
        }
    }
    return products;
}

/* ---- Double precision */

static double value_at(const struct foveation_plan *plan, const uint8_t *src, int32_t pixel_bytes,
                       int32_t x, int32_t y, int channel)
{
    const int32_t last_x = plan->desc.width_px - 1;
    const int32_t last_y = plan->desc.height_px - 1;
    const size_t px = (size_t)(x < 0 ? 0 : x > last_x ? last_x : x);
    const size_t py = (size_t)(y < 0 ? 0 : y > last_y ? last_y : y);
    return src[(py * (size_t)plan->desc.width_px + px) * (size_t)pixel_bytes + (size_t)channel];
}

double foveation_exact(const struct foveation_plan *plan, const uint8_t *src, int32_t pixel_bytes,
                       int32_t x, int32_t y, int channel)
{
    const int32_t column = (x - plan->first_x_px) / plan->desc.fragment_px;
    const int32_t row = (y - plan->first_y_px) / plan->desc.fragment_px;
    const int32_t filter = plan->grid[row * plan->columns + column];
    if (filter == 0) {
        return value_at(plan, src, pixel_bytes, x, y, channel);
    }
    const double *weights = plan->exact + plan->starts[filter - 1];
    const int32_t length = plan->starts[filter] - plan->starts[filter - 1];
    double sum = 0.0;
    for (int32_t j = 0; j < length; j++) {
        for (int32_t i = 0; i < length; i++) {
            sum +=
                weights[j] * weights[i] *
                value_at(plan, src, pixel_bytes, x + i - length / 2, y + j - length / 2, channel);
        }
    }
    return sum;
}

double foveation_exact_pixelwise(const struct foveation_plan *plan, const uint8_t *src,
                                 int32_t pixel_bytes, int32_t x, int32_t y, int channel)
{
    const double from_x = x + 0.5 - plan->desc.gaze_px[0];
    const double from_y = y + 0.5 - plan->desc.gaze_px[1];
    const double distance = hypot(from_x, from_y);
    const double law = foveation_sigma_px(&plan->law, distance);
    const bool touched = untouched_px(&plan->law) < distance;
    const bool ramp = plan->desc.ramped && law < 2.0 * plan->law.least_px;
    const double sigma = ramp ? fmax(2.0 * (law - plan->law.least_px), 1e-3) : law;
    const int32_t wished = touched ? length_of(sigma) / 2 : 0;
    const int32_t reach = wished < FOVEATION_REACH ? wished : FOVEATION_REACH;
    double line[FOVEATION_REACH + 1];
    double sum = 0.0;
    double weights = 0.0;
    for (int32_t i = 0; i <= reach; i++) {
        line[i] = exp(-0.5 * i * i / (sigma * sigma));
    }
    for (int32_t j = -reach; j <= reach; j++) {
        for (int32_t i = -reach; i <= reach; i++) {
            const double weight = line[abs(i)] * line[abs(j)];
            sum += weight * value_at(plan, src, pixel_bytes, x + i, y + j, channel);
            weights += weight;
        }
    }
    return sum / weights;
}
