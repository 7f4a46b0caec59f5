/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients on the cpu: threads share the images of a batch. */

#include "gradient.h"

#include "core/log.h"
#include "core/thread_pool.h"
#include "kernels/gauss/cpu/common/picture.h"
#include "kernels/operator/gaze.h"
#include "kernels/operator/operator_host.h"
#include "smooth.h"

#include <math.h>
#include <stdatomic.h>

struct gradient {
    struct operator_host base;
    const struct gauss_plan *plan;
    struct gauss_gradient_plan laws;
    struct gauss_gradient_smooth smooth;
    /* The batch under way. */
    const struct operator_derivatives *batch;
    atomic_uint next;
};

static struct gradient *own(struct operator_host *host)
{
    return (struct gradient *)host;
}

/* ---- Create and destroy */

static void finish(struct operator_host *host)
{
    gauss_gradient_smooth_finish(&own(host)->smooth);
    gauss_gradient_plan_finish(&own(host)->laws);
}

enum fovea_result gauss_gradient_plan_init(struct gauss_gradient_plan *own,
                                           const struct gauss_plan *plan)
{
    own->own = NULL;
    own->view = *plan;
    own->view.fragment_px = 0;
    if (plan->law.kind != GAUSS_LAW_RINGS) {
        return FOVEA_OK;
    }
    own->view.foveation.method = FOVEA_METHOD_SMOOTH;
    FOVEA_TRY(plan->make_even(&own->view, &own->own));
    own->view = *own->own;
    own->view.sigma_bound_px = fmaxf(own->own->sigma_bound_px, plan->sigma_bound_px);
    return FOVEA_OK;
}

void gauss_gradient_plan_finish(struct gauss_gradient_plan *own)
{
    struct operator_plan *gone = own->own ? &own->own->base : NULL;
    if (gone) {
        gone->api->plan_destroy(&gone);
    }
    own->own = NULL;
}

static enum fovea_result make(struct operator_host *host)
{
    struct gradient *gradient = own(host);
    gradient->plan = (const struct gauss_plan *)host->plan;
    FOVEA_TRY(gauss_gradient_plan_init(&gradient->laws, gradient->plan));
    return gauss_gradient_smooth_init(&gradient->smooth, gradient->plan, &gradient->laws.view);
}

static enum fovea_result reserve(struct operator_host *host,
                                 const struct operator_derivatives *batch)
{
    return worker_floats_grow(&host->workers, host->pool, batch->count,
                              gauss_gradient_smooth_floats(&own(host)->smooth));
}

/* ---- A batch */

static float per_uv(double per_px, float gaze_uv, int32_t size_px)
{
    const bool moves = gaze_uv >= (float)-GAZE_REACH_UV && gaze_uv <= (float)(1.0 + GAZE_REACH_UV);
    return moves ? (float)(per_px * size_px) : 0.0f;
}

static void run_image(const struct gradient *gradient, float *scratch, uint32_t index)
{
    const struct operator_derivatives *batch = gradient->batch;
    const ptrdiff_t i = (ptrdiff_t)index;
    const int32_t width = (int32_t)gradient->plan->width_px;
    const int32_t height = (int32_t)gradient->plan->height_px;
    const uint32_t foveas = operator_derivatives_foveas(batch);
    const ptrdiff_t first = 2 * (ptrdiff_t)foveas * i;
    const float *foveas_uv = batch->gazes_uv ? batch->gazes_uv + first : NULL;
    /* Else no gaze changes anything. */
    const bool looks = gradient->plan->base.api->looks_at_gaze && foveas_uv;
    const struct pixel_codec *codec = pixel_codec_of(batch->d_dst->format);
    const bool alpha =
        codec->has_alpha && gradient->plan->foveation.alpha == FOVEA_ALPHA_PREMULTIPLIED;
    struct fovea_image src, d_src;
    const struct fovea_image d_dst = pixel_image_after(batch->d_dst, i * batch->d_dst_next_bytes);
    struct gauss_gradient_image image = {
        .d_dst = &d_dst,
        .codec = codec,
        .channels = (int32_t)codec->color_channels + alpha,
        .frame = {.width_px = width, .height_px = height},
    };
    if (looks) {
        gauss_cpu_look(&image.frame, foveas_uv, foveas);
    }
    if (batch->sigmas) {
        image.sigmas = pixel_image_after(batch->sigmas, i * batch->sigmas_next_bytes);
    }
    if (batch->d_src) {
        d_src = pixel_image_after(batch->d_src, i * batch->d_src_next_bytes);
        image.d_src = &d_src;
    }
    if (batch->d_sigmas) {
        image.d_sigmas = batch->d_sigmas + (size_t)i * (size_t)width * (size_t)height;
    }
    if ((batch->d_gazes_uv && looks) || batch->d_sigmas) {
        src = pixel_image_after(batch->src, i * batch->src_next_bytes);
        image.src = &src;
    }
    gauss_gradient_smooth_run(&gradient->smooth, scratch, &image);
    for (uint32_t k = 0; batch->d_gazes_uv && foveas_uv && k < foveas; k++) {
        float *out_uv = batch->d_gazes_uv + first + 2 * (ptrdiff_t)k;
        out_uv[0] = per_uv(image.d_gazes_px[k][0], foveas_uv[2 * k], width);
        out_uv[1] = per_uv(image.d_gazes_px[k][1], foveas_uv[2 * k + 1], height);
    }
}

static void work(void *user, uint32_t worker)
{
    struct gradient *gradient = user;
    uint32_t index = atomic_fetch_add(&gradient->next, 1);
    while (index < gradient->batch->count) {
        run_image(gradient, gradient->base.workers.of[worker], index);
        index = atomic_fetch_add(&gradient->next, 1);
    }
}

static void run(struct operator_host *host, const struct operator_derivatives *batch)
{
    struct gradient *gradient = own(host);
    gradient->batch = batch;
    atomic_store(&gradient->next, 0);
    const uint32_t workers =
        batch->count < gradient->base.workers.count ? batch->count : gradient->base.workers.count;
    thread_pool_share(gradient->base.pool, workers, work, gradient);
}

const struct operator_gradient_api gauss_gradient = {
    .kind = {.bytes = sizeof(struct gradient), .make = make, .finish = finish},
    .reserve = reserve,
    .run = run};
