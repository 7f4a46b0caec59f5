/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The machine on the processor, as an operator: what operator.h asks for in the words of gauss.h.
 */

#include "gauss_operator.h"

static struct gauss_cpu *cpu(struct operator_host *host)
{
    return (struct gauss_cpu *)host;
}

enum fovea_result gauss_host_create(struct thread_pool *pool, const struct operator_plan *plan,
                                    struct operator_host **out_host)
{
    struct gauss_cpu *made = NULL;
    const enum fovea_result result = gauss_cpu_create_in(pool, gauss_plan_of(plan), &made);
    *out_host = (struct operator_host *)made;
    return result;
}

void gauss_host_destroy(struct operator_host **host)
{
    struct gauss_cpu *gone = cpu(*host);
    gauss_cpu_destroy(&gone);
    *host = NULL;
}

enum fovea_result gauss_host_reserve(struct operator_host *host,
                                     const struct operator_images *images)
{
    return gauss_cpu_reserve(cpu(host), images);
}

/* An operator that looks at no gaze takes the frame's, which gauss_frame_of sets. */
void gauss_host_run(struct operator_host *host, const struct operator_images *images,
                    const struct operator_frame *frame)
{
    const struct gauss_plan *plan = gauss_cpu_plan(cpu(host));
    const struct gauss_frame constants = gauss_frame_of(plan, frame);
    struct operator_images seen = *images;
    seen.gazes_uv = plan->base.api->looks_at_gaze ? images->gazes_uv : NULL;
    gauss_cpu_set_of_light(cpu(host), frame->of_light);
    gauss_cpu_run_batch(cpu(host), &seen, &constants);
}
