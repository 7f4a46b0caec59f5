/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The numbers of engines from sigma; docs/blur.md has the closed forms. */

#include "kernels/blur/plan.h"

#include <math.h>
#include <stdio.h>

/* ---- Settings */

struct blur_range blur_range_of(uint32_t engine)
{
    static const struct blur_range ranges[BLUR_ENGINES] = {
        [BLUR_GAUSSIAN] = {"gaussian", 256.0, 256.0, 256.0},
        [BLUR_QUASI] = {"quasi", 256.0, 0.0, 198.0},
        [BLUR_BOX] = {"box", 256.0, 0.0, 256.0},
        [BLUR_DIFFUSION] = {"diffusion", 32.0, 0.0, 8.0},
        [BLUR_SPREAD] = {"spread", 256.0, 64.0, 256.0},
        [BLUR_FFT] = {"fft", 128.0, 0.0, 0.0}};
    return ranges[engine];
}

struct blur_numbers blur_numbers_of(const struct operator_plan_desc *desc)
{
    const struct fovea_operator_settings *own = &desc->settings->own;
    struct blur_numbers numbers = {.engine = own->blur_engine};
    numbers.sigma_px = desc->has_sigmas ? own->blur_sigma_max_px : own->blur_sigma_px;
    switch (numbers.engine) {
    case BLUR_BOX:
        numbers.passes = own->blur_box_passes + 1;
        break;
    case BLUR_DIFFUSION:
        numbers.edge = own->blur_edge;
        break;
    case BLUR_FFT:
        numbers.table = (const struct blur_table *)own->blur_file_data;
        numbers.shape = numbers.table ? BLUR_DISC : own->blur_shape;
        numbers.radius_px = own->blur_radius_px;
        numbers.sigma_px = numbers.radius_px > 0.0 ? 0.0 : numbers.sigma_px;
        break;
    default:
        break;
    }
    return numbers;
}

bool blur_complain(const struct operator_plan_desc *desc, char *out, size_t bytes)
{
    const struct blur_numbers numbers = blur_numbers_of(desc);
    const struct blur_range range = blur_range_of(numbers.engine);
    if (desc->has_sigmas && range.most_pictured_px == 0.0) {
        snprintf(out, bytes,
                 "blur: the frame has a picture of sigmas, which blur.engine %s does not take: "
                 "gaussian and spread do",
                 range.name);
        return true;
    }
    const double most = desc->has_sigmas ? range.most_pictured_px : range.most_sigma_px;
    if (numbers.sigma_px > most) {
        snprintf(out, bytes, "blur: %s is %.6g, and blur.engine %s goes up to %g",
                 desc->has_sigmas ? "blur.sigma_max_px" : "blur.sigma_px", numbers.sigma_px,
                 range.name, most);
        return true;
    }
    int32_t reach_px;
    const bool too_far = blur_kernel_reaches_too_far(&numbers, &reach_px);
    if (too_far) {
        snprintf(
            out, bytes,
            "blur: the weights of blur.file reach %d px with this %s, and blur.engine fft goes "
            "up to %d",
            reach_px, numbers.radius_px > 0.0 ? "blur.radius_px" : "blur.sigma_px",
            BLUR_KERNEL_MOST_REACH_PX);
    }
    return too_far;
}

/* Fft has kernels of its own on CUDA, and none on Vulkan. */
bool blur_numbers_lack(const struct blur_numbers *numbers, bool has_sigmas,
                       enum fovea_backend backend, char *out, size_t bytes)
{
    const struct blur_range range = blur_range_of(numbers->engine);
    const char *name = backend == FOVEA_BACKEND_CUDA ? "cuda" : "vulkan";
    const bool has_passes = range.most_vulkan_px > 0.0;
    if (backend == FOVEA_BACKEND_CPU || numbers->engine == BLUR_GAUSSIAN || blur_copies(numbers) ||
        (!has_passes && backend == FOVEA_BACKEND_CUDA)) {
        return false;
    }
    if (!has_passes) {
        snprintf(out, bytes,
                 "blur.engine %s does not run on the %s backend (docs/blur.md says more)",
                 range.name, name);
        return true;
    }
    if (has_sigmas) {
        snprintf(out, bytes, "blur.engine %s takes no picture of sigmas on the %s backend",
                 range.name, name);
        return true;
    }
    snprintf(out, bytes,
             "blur.sigma_px is %.6g, and blur.engine %s goes up to %g on the %s backend",
             numbers->sigma_px, range.name, range.most_vulkan_px, name);
    return backend == FOVEA_BACKEND_VULKAN && numbers->sigma_px > range.most_vulkan_px;
}

bool blur_lacks(const struct operator_plan_desc *desc, enum fovea_backend backend, char *out,
                size_t bytes)
{
    const struct blur_numbers numbers = blur_numbers_of(desc);
    return blur_numbers_lack(&numbers, desc->has_sigmas, backend, out, bytes);
}

/* ---- Numbers */

/* The widest box of whole pixels that is no wider than that variance, and of what is left the share
 * that brings it there. */
struct blur_box blur_box_of(double sigma_px)
{
    const double variance = sigma_px * sigma_px;
    double half = floor((sqrt(12.0 * variance + 1.0) - 1.0) / 2.0);
    half -= half * (half + 1.0) / 3.0 > variance ? 1.0 : 0.0; /* as the root may be rounded up */
    const double missing = (2.0 * half + 1.0) * (variance - half * (half + 1.0) / 3.0);
    const double end = missing / (2.0 * ((half + 1.0) * (half + 1.0) - variance));
    return (struct blur_box){(int32_t)half, end, 1.0 / (2.0 * half + 1.0 + 2.0 * end)};
}

/* The tents of two whole radii that follow each other, in shares that come to the variance; both
 * together are the tent of a radius between them. */
struct blur_tent blur_tent_of(double sigma_px)
{
    const double square = 6.0 * sigma_px * sigma_px + 1.0;
    const double low = floor(sqrt(square));
    const double more = 2.0 * low + 1.0; /* square of the next whole radius */
    const double share = fmin((square - low * low) / more, 1.0);
    const double next = low * low + more;
    const double part = share * low * low / ((1.0 - share) * next + share * low * low);
    const double radius = low + part;
    return (struct blur_tent){radius, (int32_t)low, part, 1.0 / (low * low + more * part)};
}

/* A step of 1/6 leaves a third of a checkerboard of single pixels; one of 1/4 would leave it all,
 * with the other sign. */
struct blur_heat blur_heat_of(double sigma_px)
{
    const double variance = sigma_px * sigma_px;
    const double steps = fmax(ceil(3.0 * variance - 1e-9), 1.0);
    return (struct blur_heat){.steps = (int32_t)steps, .rate = variance / (2.0 * steps)};
}

/* Variance of a level: 17/16 down and 3/4 up, of pixels that are four times as large each time. */
struct blur_pyramid blur_pyramid_of(double sigma_px)
{
    const double each = 17.0 / 16.0 + 3.0 / 4.0;
    double left = sigma_px * sigma_px;
    struct blur_pyramid pyramid = {0};
    while (left >= each && pyramid.levels < BLUR_MOST_LEVELS) {
        left = (left - each) / 4.0; /* in pixels of the next level */
        pyramid.levels++;
    }
    pyramid.side = left / 6.0;
    return pyramid;
}

/* The last sample of an axis that differs from those beyond it. */
static int32_t last_of(uint32_t length_px, int32_t level)
{
    int32_t last = (int32_t)length_px - 1;
    for (int32_t i = 0; i < level; i++) {
        last = (last + 2) / 2;
    }
    return last;
}

struct blur_pass_level blur_level_of(const struct blur_plan *plan, int32_t number)
{
    const int32_t first = number > 0 ? -2 : 0;
    const int32_t last_x = last_of(plan->machine.width_px, number);
    return (struct blur_pass_level){first, last_x, last_of(plan->machine.height_px, number),
                                    last_x - first + 1};
}

int32_t blur_level_samples_before(const struct blur_plan *plan, int32_t number)
{
    int32_t count = 0;
    for (int32_t i = 1; i < number; i++) {
        const struct blur_pass_level level = blur_level_of(plan, i);
        count += level.pitch * blur_level_rows(&level);
    }
    return count;
}

void blur_pyramid_taps(const struct blur_pyramid *pyramid, float out_taps[BLUR_WIDEN_REACH + 1])
{
    const double side = pyramid->side;
    double taps[2 * BLUR_WIDEN_REACH + 1] = {[BLUR_WIDEN_REACH] = 1.0};
    for (int i = 0; i < BLUR_WIDEN_REACH; i++) {
        double before = 0.0;
        for (int k = 0; k < 2 * BLUR_WIDEN_REACH + 1; k++) {
            const double own = taps[k];
            const double after = k < 2 * BLUR_WIDEN_REACH ? taps[k + 1] : 0.0;
            taps[k] = side * (before + after) + (1.0 - 2.0 * side) * own;
            before = own;
        }
    }
    for (int i = 0; i <= BLUR_WIDEN_REACH; i++) {
        out_taps[i] = (float)taps[BLUR_WIDEN_REACH + i];
    }
}
