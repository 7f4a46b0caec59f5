/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine that blurs: a picture and a field of sigma in, a picture out. What depends on size
 * and settings is the plan; each backend runs it. It knows no models: operators make plans, by
 * models of their own or by the functions below, whose law is the field (gauss/law.h).
 *
 * The gaze is rounded to 1/256 px ("q8"), and a fragment's ring is found by comparing whole
 * numbers, so that every backend and the reference choose the same ring for the same fragment, ties
 * included. */
#pragma once

#include "config/settings.h"
#include "frame.h"
#include "kernels/operator/gaze.h"
#include "kernels/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gauss_extremes;

/* Immutable once made; may be read from any thread. */
struct gauss_plan {
    struct operator_plan base;
    struct fovea_foveation foveation;
    const struct levels_light *levels_light; /* struct operator_plan_desc's levels */
    uint32_t width_px;
    uint32_t height_px;
    float sigma_max_px; /* anywhere, while the gaze is in the picture; for scales of colours */
    double one_sigma_px; /* that every pixel has; 0: they have sigmas of their own */
    char description[OPERATOR_DESCRIPTION_BYTES]; /* of the model at this size */

    /* Makes the plan of plan->foveation, whose method the caller has made smooth, so that it has no
     * steps; the operator's plan_destroy frees it. NULL: no law of the operator's has rings. */
    enum fovea_result (*make_even)(const struct gauss_plan *plan, struct gauss_plan **out_even);
    uint32_t fragment_px; /* the blockwise method's (gauss/grid.h); 0: every pixel has its own
                             sigma */
    struct gauss_law law; /* gauss/law.h says what it means */
    float *law_table; /* law.table_count of them */
    /* Slopes need this of a law_table that is another's and outlives the plan; NULL: the table is
     * the plan's own. */
    const struct gauss_extremes *shared;
    float sigma_bound_px; /* for every gaze */
    uint32_t level_count; /* that any gaze can use; 0 when nothing is blurred, else at least 1 */
    struct gauss_level levels[GAUSS_MAX_LEVELS];
    uint32_t level_samples; /* of all levels together */
};

/* Makes a plan in the caller's memory, zeroed before but for levels_light, that blurs every pixel
 * by one sigma, 0 to 1024 px. Of the settings its light, alpha and transfer count, as they do for
 * the smooth method. On failure finish it all the same. */
FOVEA_MUST_CHECK enum fovea_result gauss_plan_init_even(struct gauss_plan *plan,
                                                        const struct fovea_foveation *foveation,
                                                        double sigma_px, uint32_t width_px,
                                                        uint32_t height_px);
/* The same, where each frame comes with a picture of sigmas, of which none counts as more than
 * sigma_max_px, 0 to 1024 px. */
FOVEA_MUST_CHECK enum fovea_result gauss_plan_init_pictured(struct gauss_plan *plan,
                                                            const struct fovea_foveation *foveation,
                                                            double sigma_max_px, uint32_t width_px,
                                                            uint32_t height_px);
/* Fills the levels, and sigma_bound_px, for a law whose largest sigma of any gaze is sigma_px. The
 * plan's size and light are known. */
void gauss_plan_fill_levels(struct gauss_plan *plan, double sigma_px);
/* Frees what the plan has, but for a table that is shared, and not the plan itself. */
void gauss_plan_finish(struct gauss_plan *plan);
/* True if the plan is the one that these arguments would make with its sigma, or its largest. */
bool gauss_plan_fits_even(const struct gauss_plan *plan, const struct fovea_foveation *foveation,
                          uint32_t width_px, uint32_t height_px);

/* Returns about what its levels take on a CUDA device. */
uint64_t gauss_plan_cuda_bytes(const struct gauss_plan *plan);

/* uv -> q8, clamped to four image sizes outside the image so that squares fit in 64 bits. */
struct gauss_frame gauss_frame_make(const struct gauss_plan *plan, struct fovea_point_uv gaze);

/* Makes what kernels get of an operator's frame; the plan's api is there. */
struct gauss_frame gauss_frame_of(const struct gauss_plan *plan,
                                  const struct operator_frame *frame);

/* A plan of an operator that is this machine. */
static inline const struct gauss_plan *gauss_plan_of(const struct operator_plan *plan)
{
    return (const struct gauss_plan *)plan;
}

/* Returns the light of a plan's frames. The kernels that are fast because of what sRGB is take
 * IMAGE_LIGHT_STORED and IMAGE_LIGHT_SRGB; the plain ones take all. */
int32_t gauss_plan_light(const struct gauss_plan *plan);
/* Returns the same to tell people: of floats that were levels, the light that those stand for. */
int32_t gauss_plan_light_told(const struct gauss_plan *plan);
/* The parts of a plan that struct gauss_frame lacks. */
float gauss_plan_light_value(const struct gauss_plan *plan);
/* Samples of the display's table, as kernels have them: behind the law's table; 0: the plan's light
 * has none. */
uint32_t gauss_plan_light_samples(const struct gauss_plan *plan);
/* There are so many of them, black 0 and white 1: a mean does not depend on what black gives
 * off. */
void gauss_plan_fill_light(const struct gauss_plan *plan, float *out_samples);

/* Returns sigma at pixel x, y; 0 if the pixel is copied. Heat maps show it. */
float gauss_sigma_at(const struct gauss_plan *plan, const struct gauss_frame *frame, int32_t x,
                     int32_t y);

/* ---- cpu ------------------------------------------------------------------------------------- */

struct gauss_cpu;
struct thread_pool;

/* Creates one in others' threads, which run their owners' jobs at other times; the pool, and the
 * plan, which is none of pictures of sigmas, must outlive it. It starts as many of the pool's
 * threads as the plan has work for. */
FOVEA_MUST_CHECK enum fovea_result gauss_cpu_create(struct thread_pool *pool,
                                                    const struct gauss_plan *plan,
                                                    struct gauss_cpu **out_cpu);
void gauss_cpu_destroy(struct gauss_cpu **cpu);

/* Allocates threads and memory for batches of that kind. A larger one than was reserved for runs
 * too, slower. On failure everything is as it was. */
FOVEA_MUST_CHECK enum fovea_result gauss_cpu_reserve(struct gauss_cpu *cpu,
                                                     const struct operator_images *batch);
/* Says of pictures of floats to come whether they are light of which nothing is below 0, as layers
 * of UNORM pixels are: wide light is then blended by its square roots, as that of pixels is. */
void gauss_cpu_set_of_light(struct gauss_cpu *cpu, bool of_light);
/* Runs all of them, in host memory, shared out among the threads by images and rows; returns when
 * the last one is written. */
void gauss_cpu_run_batch(struct gauss_cpu *cpu, const struct operator_images *batch,
                         const struct gauss_frame *frame);

/* The CUDA backend of operators that are this machine, where FOVEA_HAVE_CUDA is 1. */
extern const struct operator_cuda_api gauss_operator_cuda;

#ifdef __cplusplus
}
#endif
