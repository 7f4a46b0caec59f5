/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_bench.h"
#include "domain.h"

/* Every size is its own pictures, so they go after each point. */
static enum fovea_result time_point(void *user, const struct domain_point *point,
                                    struct domain_result *out_result)
{
    struct cuda_bench *b = user;
    struct cuda_prepared prepared;
    const char *way = NULL;
    cuda_make_pictures(b, &point->size, point->format, point->images);
    const enum fovea_result result = cuda_prepare(b, &point->foveation, point->gaze, &prepared);
    if (result == FOVEA_OK) {
        out_result->copy_us = cuda_time_copy(b, &way).median_us;
        out_result->times = cuda_time(b, cuda_enqueue, &prepared, &way);
    }
    cuda_unprepare(b, &prepared);
    cuda_free_pictures(b);
    return result;
}

bool cuda_domain(struct cuda_bench *b)
{
    const bool quick = b->bench->wishes.quick;
    const struct domain_device device = {
        .backend = "cuda",
        .limits = {.most_pixels = quick ? 320 * 180 : 7680 * 4320,
                   .batch_pixels = quick ? 100000 : 8000000},
        .time = time_point,
        .user = b,
    };
    if (!b->bench->wishes.list && !cuda_open(b)) {
        return false;
    }
    domain_run(b->bench, &device);
    return true;
}
