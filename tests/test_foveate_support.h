/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The tests of the operator foveate share this. */
#pragma once

#include "cmocka_all.h"
#include "compare.h"
#include "core/thread_pool.h"
#include "images.h"
#include "kernels/foveate/foveate.h"
#include "kernels/gauss/grid.h"

/* The printed paper's settings with fragments of that size. */
struct fovea_foveation paper_settings(uint32_t fragment_px);

/* The smooth method with the models of a real view: Geisler and Perry 1998 on 0.53 m at 0.6 m, and
 * a curve of three points on the same screen. */
struct fovea_foveation smooth_settings(enum fovea_model model);

/* The smooth method with a map on the paper's degrees. The array has 7 x 5 samples over 70 degrees,
 * two peaks and no symmetry. */
struct fovea_foveation map_settings(enum fovea_map_kind kind);

/* A sigma that is nearly the same everywhere: the law is so flat that tiles take it. */
struct fovea_foveation even_settings(double sigma_px);

struct gauss_plan *plan_of(const struct fovea_foveation *foveation, uint32_t width_px,
                           uint32_t height_px);

/* A gaze in pixels, exact where it is a multiple of 1/256. */
struct gauss_frame frame_at(const struct gauss_plan *plan, double x_px, double y_px);

/* A plan on the CPU has threads of its own here. */
struct processor {
    struct thread_pool *pool;
    struct gauss_cpu *cpu; /* NULL: nothing could be created */
};

/* thread_count 0: one for each core. */
enum fovea_result processor_create(const struct gauss_plan *plan, uint32_t thread_count,
                                   struct processor *out);
void processor_finish(struct processor *processor);
void processor_run(const struct processor *processor, const struct fovea_image *src,
                   const struct fovea_image *dst, const struct gauss_frame *frame);

struct rig {
    struct fovea_foveation foveation;
    struct gauss_plan *plan;
    struct processor processor;
};

struct rig rig_make(struct fovea_foveation foveation, uint32_t width_px, uint32_t height_px);
void rig_finish(struct rig *rig);
struct gauss_frame rig_run(struct rig *rig, const struct fovea_image *src,
                           const struct fovea_image *dst, double x_px, double y_px);

/* ---- Pictures against the reference */

struct exact_case {
    uint32_t width_px, height_px;
    enum fovea_format format;
    enum image_pattern pattern;
    double gaze_x_px, gaze_y_px;
};

/* Fails the running test unless the cpu backend makes of the picture what the reference does. */
void assert_exact(struct fovea_foveation foveation, const struct exact_case *c);
/* The same of a picture that is drawn already; the case's pattern does not count. The mean error
 * may be mean_times as large as compare_budget_for says. */
void assert_exact_picture(struct fovea_foveation foveation, const struct exact_case *c,
                          const struct fovea_image *src, double mean_times);

/* Fails unless config_foveation_check lets the first settings through, and the second not, or there
 * is no plan of these for 64x48 pixels; `what` was done to them. */
void assert_no_plan(const struct fovea_foveation *good, const struct fovea_foveation *foveation,
                    const char *what);
/* The last arguments change the settings, which they call f. */
#define REFUSE(of, ...)                                                                            \
    do {                                                                                           \
        struct fovea_foveation f = of;                                                             \
        const struct fovea_foveation good_ = of;                                                   \
        __VA_ARGS__;                                                                               \
        assert_no_plan(&good_, &f, #__VA_ARGS__);                                                  \
    } while (0)

/* Fails unless a plan for the first is one for the others or is not. */
void assert_fit(const struct fovea_foveation *foveation, const struct fovea_foveation *others,
                bool fits, const char *what);
/* The others are those with what the last arguments do to them, which are called f. */
#define FIT(fits, of, ...)                                                                         \
    do {                                                                                           \
        struct fovea_foveation f = of;                                                             \
        __VA_ARGS__;                                                                               \
        assert_fit(&(of), &f, fits, #__VA_ARGS__);                                                 \
    } while (0)
