/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_gradient.h"

#include "context_batch.h"

/* Gazes of images that nothing looks for may not be there. */
static bool check_gazes(const struct context_gradient *g, bool runs_blind, char *out)
{
    const struct context_gazes gazes = {g->gazes_uv,     g->count,   g->gazes_memory,
                                        g->d_dst.memory, runs_blind, g->fovea_count};
    return (runs_blind && !g->gazes_uv && !g->d_gazes_uv) || context_gazes_check(&gazes, out);
}

static bool meet(const float *one, uintptr_t one_bytes, const float *other, uintptr_t other_bytes)
{
    const uintptr_t a = (uintptr_t)one;
    const uintptr_t b = (uintptr_t)other;
    return one && other && (a < b ? b - a < one_bytes : a - b < other_bytes);
}

static bool check_sigmas_apart(const struct context_gradient *g, char *out)
{
    const uintptr_t bytes = 2 * sizeof(float) * (uintptr_t)g->count * g->fovea_count;
    const uintptr_t sigmas =
        sizeof(float) * (uintptr_t)g->count * g->d_dst.width_px * g->d_dst.height_px;
    const bool fits = !meet(g->d_sigmas, sigmas, g->gazes_uv, bytes) &&
                      !meet(g->d_sigmas, sigmas, g->d_gazes_uv, bytes);
    return fits || CONTEXT_PROBLEM(out, "d_sigmas and gazes overlap");
}

static bool take_d_gazes(const struct fovea_batch_gradient *batch, uint32_t foveas, char *out)
{
    const uintptr_t bytes = 2 * sizeof(float) * (uintptr_t)batch->count * foveas;
    if (!batch->d_gazes_uv) {
        return true;
    }
    if (!context_floats_check(batch->d_gazes_uv, "d_gazes_uv", out)) {
        return false;
    }
    const bool overlap = meet(batch->gazes_uv, bytes, batch->d_gazes_uv, bytes);
    return overlap ? CONTEXT_PROBLEM(out, "gazes_uv and d_gazes_uv overlap") : true;
}

/* The images have passed their checks. */
static bool check_d_sigmas(const struct context_gradient *g, const struct context_images *others,
                           size_t other_count, char *out)
{
    struct fovea_image first = {.data = g->d_sigmas,
                                .width_px = g->d_dst.width_px,
                                .height_px = g->d_dst.height_px,
                                .format = FOVEA_FORMAT_R32F,
                                .memory = g->d_dst.memory,
                                .row_stride_bytes = (ptrdiff_t)(g->d_dst.width_px * sizeof(float))};
    const struct context_images d_sigmas = {
        "d_sigmas", &first, first.row_stride_bytes * (ptrdiff_t)first.height_px, g->count};
    bool fits = !g->d_sigmas || context_images_check(&d_sigmas, out);
    for (size_t i = 0; g->d_sigmas && fits && i < other_count; i++) {
        fits = !others[i].first->data || context_images_check_apart(&others[i], &d_sigmas, out);
    }
    return fits;
}

/* src, d_dst and d_src, of which two may not be there. */
static bool check_images(struct context_gradient *g, char *out)
{
    const struct context_images src = {"src", &g->src, g->src_next_bytes, g->count};
    const struct context_images d_dst = {"d_dst", &g->d_dst, g->d_dst_next_bytes, g->count};
    const struct context_images d_src = {"d_src", &g->d_src, g->d_src_next_bytes, g->count};
    const struct context_images sigmas = {"sigmas", &g->sigmas, g->sigmas_next_bytes, g->count};
    if (!context_images_check(&d_dst, out)) {
        return false;
    }
    if (g->has_src &&
        !(context_images_check(&src, out) && context_images_alike(&src, &d_dst, out))) {
        return false;
    }
    const struct context_images others[] = {d_dst, sigmas, g->has_src ? src : d_dst,
                                            g->has_d_src ? d_src : d_dst};
    const size_t other_count = sizeof others / sizeof *others;
    if (!g->has_d_src) {
        return context_sigmas_check(&sigmas, &d_dst, out) &&
               check_d_sigmas(g, others, other_count, out);
    }
    return context_images_check(&d_src, out) && context_images_alike(&d_dst, &d_src, out) &&
           context_images_check_written(&d_src, out) &&
           context_images_check_apart(&d_dst, &d_src, out) &&
           (!g->has_src || context_images_check_apart(&src, &d_src, out)) &&
           context_sigmas_check(&sigmas, &d_src, out) &&
           check_d_sigmas(g, others, other_count, out);
}

bool context_gradient_take(const struct fovea_batch_gradient *batch, bool runs_blind,
                           struct context_gradient *out, char out_problem[CONTEXT_PROBLEM_BYTES])
{
    const bool several = batch->count > 1;
    if (!context_count_check(batch->count, out_problem) ||
        !context_foveas_check(batch->fovea_count, batch->reserved, out_problem)) {
        return false;
    }
    if (!batch->d_src.data && !batch->d_gazes_uv && !batch->d_sigmas) {
        return CONTEXT_PROBLEM(out_problem, "d_src.data, d_gazes_uv and d_sigmas are NULL: no"
                                            " gradient is asked for");
    }
    *out = (struct context_gradient){
        .count = batch->count,
        .has_src = batch->d_gazes_uv || batch->d_sigmas,
        .has_d_src = batch->d_src.data,
        .src = batch->src,
        .d_dst = batch->d_dst,
        .d_src = batch->d_src,
        .src_next_bytes = several ? batch->src_next_bytes : 0,
        .d_dst_next_bytes = several ? batch->d_dst_next_bytes : 0,
        .d_src_next_bytes = several ? batch->d_src_next_bytes : 0,
        .gazes_uv = batch->gazes_uv,
        .d_gazes_uv = batch->d_gazes_uv,
        .gazes_memory = batch->gazes_memory,
        .fovea_count = batch->fovea_count > 0 ? batch->fovea_count : 1,
        .sigmas = batch->sigmas,
        .sigmas_next_bytes = several ? batch->sigmas_next_bytes : 0,
        .d_sigmas = batch->d_sigmas,
    };
    return check_images(out, out_problem) && check_gazes(out, runs_blind, out_problem) &&
           take_d_gazes(batch, out->fovea_count, out_problem) &&
           check_sigmas_apart(out, out_problem);
}

bool context_gradient_has_format(enum fovea_format format)
{
    switch (format) {
    case FOVEA_FORMAT_RGBA16F:
    case FOVEA_FORMAT_RGBA32F:
    case FOVEA_FORMAT_RGB16F:
    case FOVEA_FORMAT_R16F:
    case FOVEA_FORMAT_RGB32F:
    case FOVEA_FORMAT_R32F:
        return true;
    case FOVEA_FORMAT_NONE:
    case FOVEA_FORMAT_RGBA8:
    case FOVEA_FORMAT_RGB8:
    case FOVEA_FORMAT_R8:
    case FOVEA_FORMAT_A2B10G10R10:
    case FOVEA_FORMAT_B10G11R11F:
    case FOVEA_FORMAT_RGBA16:
    case FOVEA_FORMAT_RGB16:
    case FOVEA_FORMAT_R16:
        break;
    }
    return false;
}

struct operator_derivatives context_derivatives(const struct context_gradient *gradient)
{
    return (struct operator_derivatives){
        .count = gradient->count,
        .src = gradient->has_src ? &gradient->src : NULL,
        .d_dst = &gradient->d_dst,
        .d_src = gradient->has_d_src ? &gradient->d_src : NULL,
        .src_next_bytes = gradient->src_next_bytes,
        .d_dst_next_bytes = gradient->d_dst_next_bytes,
        .d_src_next_bytes = gradient->d_src_next_bytes,
        .gazes_uv = gradient->gazes_uv,
        .d_gazes_uv = gradient->d_gazes_uv,
        .foveas = gradient->fovea_count,
        .gazes_on_device = gradient->gazes_memory == FOVEA_MEMORY_CUDA,
        .sigmas = gradient->sigmas.data ? &gradient->sigmas : NULL,
        .sigmas_next_bytes = gradient->sigmas_next_bytes,
        .d_sigmas = gradient->d_sigmas,
    };
}
