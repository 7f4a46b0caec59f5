/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients on the cpu: threads share the images of a batch. */

#include "smooth.h"

#include "core/log.h"
#include "core/thread_steps.h"

#include <math.h>

static struct gauss_gradient_cpu *own(struct operator_host *host)
{
    return (struct gauss_gradient_cpu *)host;
}

/* ---- Create and destroy */

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
    struct gauss_gradient_cpu *gradient = own(host);
    gradient->plan = (const struct gauss_plan *)host->plan;
    gradient->loops = gauss_gradient_choose_loops();
    FOVEA_TRY(gauss_gradient_plan_init(&gradient->laws, gradient->plan));
    return gauss_gradient_tables_init(&gradient->tables, &gradient->laws.view);
}

static void finish(struct operator_host *host)
{
    gauss_gradient_tables_finish(&own(host)->tables);
    gauss_gradient_plan_finish(&own(host)->laws);
}

static enum fovea_result reserve(struct operator_host *host,
                                 const struct operator_derivatives *batch)
{
    return worker_floats_grow(&host->workers, host->pool, batch->count,
                              gauss_gradient_smooth_floats(&own(host)->tables));
}

/* ---- A batch */

static void run_image(void *user, uint32_t worker, int32_t index)
{
    const struct gauss_gradient_cpu *gradient = user;
    gauss_gradient_smooth_run(gradient, gradient->base.workers.of[worker], (uint32_t)index);
}

static void run(struct operator_host *host, const struct operator_derivatives *batch)
{
    own(host)->batch = batch;
    thread_chunks_run((int32_t)batch->count, host->pool, host->workers.count, run_image, host);
}

const struct operator_gradient_api gauss_gradient = {
    .kind = {.bytes = sizeof(struct gauss_gradient_cpu), .make = make, .finish = finish},
    .reserve = reserve,
    .run = run};
