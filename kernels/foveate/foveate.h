/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator foveate: what depends on size and settings (the plan), and how each backend runs it.
 *
 * The gaze is rounded to 1/256 px ("q8"), and a fragment's ring is found by comparing whole
 * numbers, so that every backend and the reference choose the same ring for the same fragment, ties
 * included. */
#ifndef FOVEA_KERNELS_FOVEATE_FOVEATE_H
#define FOVEA_KERNELS_FOVEATE_FOVEATE_H

#include "config/settings.h"
#include "frame.h"
#include "kernels/gaze/gaze.h"
#include "kernels/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Immutable once made; may be read from any thread. */
struct foveate_plan {
    struct operator_plan base;
    struct fovea_foveation foveation;
    uint32_t width_px;
    uint32_t height_px;
    float sigma_max_px; /* anywhere, while the gaze is in the picture; for scales of colours */
    double one_sigma_px; /* that every pixel has; 0: they have sigmas of their own */
    char description[OPERATOR_DESCRIPTION_BYTES]; /* of the model at this size */

    uint32_t fragment_px; /* the blockwise method's (foveate/grid.h); 0: every pixel has its own
                             sigma */
    struct foveate_law law; /* foveate/smooth.h says what it means */
    float *law_table; /* law.table_count of them */
    struct fovea_map_ready *ready; /* a share; law_table may be its; NULL: there is none */
    float sigma_bound_px; /* for every gaze */
    uint32_t level_count; /* that any gaze can use; 0 when nothing is blurred, else at least 1 */
    struct foveate_level levels[FOVEATE_MAX_LEVELS];
    uint32_t level_samples; /* of all levels together */
};

/* FOVEA_ERROR_INVALID_ARGUMENT: a size or setting is out of range, or the settings together ask for
 * a sigma of more than 1024 px. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_create(const struct fovea_foveation *foveation,
                                                       uint32_t width_px, uint32_t height_px,
                                                       struct foveate_plan **out_plan);
void foveate_plan_destroy(struct foveate_plan **plan);
/* True if the law's table is plan->ready's. */
bool foveate_plan_shares_table(const struct foveate_plan *plan);
/* True if the plan is the one that these arguments would make. */
bool foveate_plan_fits(const struct foveate_plan *plan, const struct fovea_foveation *foveation,
                       uint32_t width_px, uint32_t height_px);

/* Makes a plan in the caller's memory, zeroed before, that blurs every pixel by one sigma, 0 to
 * 1024 px. Of the settings its light, alpha and transfer count, as they do for the smooth method.
 * On failure finish it all the same. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_init_even(struct foveate_plan *plan,
                                                          const struct fovea_foveation *foveation,
                                                          double sigma_px, uint32_t width_px,
                                                          uint32_t height_px);
/* The same, where each frame comes with a picture of sigmas, of which none counts as more than
 * sigma_max_px, 0 to 1024 px. */
FOVEA_MUST_CHECK enum fovea_result foveate_plan_init_pictured(
    struct foveate_plan *plan, const struct fovea_foveation *foveation, double sigma_max_px,
    uint32_t width_px, uint32_t height_px);
void foveate_plan_finish(struct foveate_plan *plan);
/* True if the plan is the one that these arguments would make with its sigma, or its largest. */
bool foveate_plan_fits_even(const struct foveate_plan *plan,
                            const struct fovea_foveation *foveation, uint32_t width_px,
                            uint32_t height_px);

/* Returns about what its levels take on a CUDA device. */
uint64_t foveate_plan_cuda_bytes(const struct foveate_plan *plan);

/* uv -> q8, clamped to four image sizes outside the image so that squares fit in 64 bits. */
struct foveate_frame foveate_frame_make(const struct foveate_plan *plan,
                                        struct fovea_point_uv gaze);

/* What kernels get of an operator's frame; the plan's api is there. */
struct foveate_frame foveate_frame_of(const struct foveate_plan *plan,
                                      const struct operator_frame *frame);

/* A plan of an operator that is this machine. */
static inline const struct foveate_plan *foveate_plan_of(const struct operator_plan *plan)
{
    return (const struct foveate_plan *)plan;
}

/* Returns the light of a plan's frames. The kernels that are fast because of what sRGB is take
 * IMAGE_LIGHT_STORED and IMAGE_LIGHT_SRGB; the plain ones take all. */
int32_t foveate_plan_light(const struct foveate_plan *plan);
/* The parts of a plan that struct foveate_frame lacks. */
float foveate_plan_light_value(const struct foveate_plan *plan);
/* Samples of the display's table, as kernels have them: behind the law's table; 0: the plan's light
 * has none. */
uint32_t foveate_plan_light_samples(const struct foveate_plan *plan);
/* There are so many of them, black 0 and white 1: a mean does not depend on what black gives
 * off. */
void foveate_plan_fill_light(const struct foveate_plan *plan, float *out_samples);

/* Returns sigma at pixel x, y; 0 if the pixel is copied. Heat maps show it. */
float foveate_sigma_at(const struct foveate_plan *plan, const struct foveate_frame *frame,
                       int32_t x, int32_t y);

/* ---- The double-precision reference: from the formula, shares only the settings -------------- */

/* src and dst are rows of `channels` doubles without gaps, dst apart from src; channel 3, where
 * there is one, is alpha. Values are not rounded and not clamped. */
FOVEA_MUST_CHECK enum fovea_result foveate_reference(const struct fovea_foveation *foveation,
                                                     uint32_t width_px, uint32_t height_px,
                                                     uint32_t channels, const double *src,
                                                     double *dst, double gaze_x_px,
                                                     double gaze_y_px);

/* Does the same for the smooth method and every model: one Gaussian a pixel, cut off at 4.5 sigma
 * (7.5 for light that is not sRGB's), edges replicated. Values are averaged as they are: linear
 * light if the caller decoded it. */
FOVEA_MUST_CHECK enum fovea_result foveate_reference_smooth(const struct fovea_foveation *foveation,
                                                            uint32_t width_px, uint32_t height_px,
                                                            uint32_t channels, const double *src,
                                                            double *dst, double gaze_x_px,
                                                            double gaze_y_px);

/* sigma of its pixels, at any place; all in pixels from the top left corner. */
struct foveate_reference_places {
    double x_px, y_px;
    double gaze_x_px, gaze_y_px;
};
double foveate_reference_sigma(const struct fovea_foveation *foveation, uint32_t width_px,
                               uint32_t height_px, struct foveate_reference_places places);

/* ---- cpu ------------------------------------------------------------------------------------- */

struct foveate_cpu;
struct thread_pool;

/* Creates one in others' threads, which run their owners' jobs at other times; the pool must
 * outlive it. It starts as many of the pool's threads as the plan has work for. */
FOVEA_MUST_CHECK enum fovea_result foveate_cpu_create_in(struct thread_pool *pool,
                                                         const struct foveate_plan *plan,
                                                         struct foveate_cpu **out_cpu);
/* Creates one with its own pool; thread_count 0: one for each core. */
FOVEA_MUST_CHECK enum fovea_result foveate_cpu_create(const struct foveate_plan *plan,
                                                      uint32_t thread_count,
                                                      struct foveate_cpu **out_cpu);
void foveate_cpu_destroy(struct foveate_cpu **cpu);
const struct foveate_plan *foveate_cpu_plan(const struct foveate_cpu *cpu);
/* Host images only; returns when dst is written. The plan, which is none of pictures of sigmas,
 * must outlive it. */
void foveate_cpu_run(struct foveate_cpu *cpu, const struct fovea_image *src,
                     const struct fovea_image *dst, const struct foveate_frame *frame);

/* Allocates threads and memory for batches of that kind. A larger one than was reserved for runs
 * too, slower. On failure everything is as it was. */
FOVEA_MUST_CHECK enum fovea_result foveate_cpu_reserve(struct foveate_cpu *cpu,
                                                       const struct operator_images *batch);
/* Says of pictures of floats to come whether they are light of which nothing is below 0, as layers
 * of UNORM pixels are: wide light is then blended by its square roots, as that of pixels is. */
void foveate_cpu_set_of_light(struct foveate_cpu *cpu, bool of_light);
/* Runs all of them, shared out among the threads by images and rows. */
void foveate_cpu_run_batch(struct foveate_cpu *cpu, const struct operator_images *batch,
                           const struct foveate_frame *frame);

/* ---- As an operator -------------------------------------------------------------------------- */

/* Of an operator that is this machine: what it keeps of settings, what it can say of them, and its
 * CUDA backend, which is there if FOVEA_HAVE_CUDA is 1. */
extern const struct operator_settings_api foveate_settings;
extern const struct operator_maps_api foveate_maps;
extern const struct operator_cuda_api foveate_operator_cuda;

#ifdef __cplusplus
}
#endif

#endif
