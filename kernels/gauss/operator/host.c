/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine on the processor, as an operator: what operator.h asks for in the words of gauss.h.
 */

#include "gauss_operator.h"

#include "kernels/operator/operator_host.h"

struct gauss_host {
    struct operator_host base;
    struct gauss_cpu *cpu;
};

static struct gauss_cpu *cpu(struct operator_host *host)
{
    return ((struct gauss_host *)host)->cpu;
}

static enum fovea_result make(struct operator_host *host)
{
    return gauss_cpu_create(host->pool, gauss_plan_of(host->plan),
                            &((struct gauss_host *)host)->cpu);
}

static void finish(struct operator_host *host)
{
    gauss_cpu_destroy(&((struct gauss_host *)host)->cpu);
}

static enum fovea_result reserve(struct operator_host *host, const struct operator_images *images)
{
    return gauss_cpu_reserve(cpu(host), images);
}

/* An operator that looks at no gaze takes the frame's, which gauss_frame_of sets. */
static void run(struct operator_host *host, const struct operator_images *images,
                const struct operator_frame *frame)
{
    const struct gauss_plan *plan = gauss_plan_of(host->plan);
    const struct gauss_frame constants = gauss_frame_of(plan, frame);
    struct operator_images seen = *images;
    seen.gazes_uv = plan->base.api->looks_at_gaze ? images->gazes_uv : NULL;
    gauss_cpu_set_of_light(cpu(host), frame->of_light);
    gauss_cpu_run_batch(cpu(host), &seen, &constants);
}

const struct operator_host_api gauss_operator_host = {
    .kind = {.bytes = sizeof(struct gauss_host), .make = make, .finish = finish},
    .reserve = reserve,
    .run = run};
