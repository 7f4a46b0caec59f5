/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A chain on the processor: all images of a slice go through an operator before the next one comes,
 * so that each has the threads to itself. */

#include "chain_plan.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "core/thread_pool.h"

#include <stdatomic.h>
#include <stdlib.h>

struct chain_host {
    const struct chain_plan *plan;
    struct thread_pool *pool;
    struct operator_host *parts[FOVEA_OPERATOR_COUNT];
    void *between; /* NULL: one operator reads and writes the frame's own images */
    uint64_t between_bytes;
};

static struct chain_host *own(struct operator_host *host)
{
    return (struct chain_host *)host;
}

static enum fovea_result grow(struct chain_host *host, uint64_t bytes)
{
    if (bytes <= host->between_bytes) {
        return FOVEA_OK;
    }
    void *grown = bytes <= SIZE_MAX ? large_memory_make((size_t)bytes, 1) : NULL;
    if (!grown) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    large_memory_free(host->between);
    host->between = grown;
    host->between_bytes = bytes;
    return FOVEA_OK;
}

static enum fovea_result make(struct thread_pool *pool, struct chain_host *host)
{
    const struct chain_plan *plan = host->plan;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct chain_part *part = &plan->parts[i];
        FOVEA_TRY(part->api->host.create(pool, part->plan, &host->parts[i]));
    }
    /* The largest that Vulkan shares: for its images nobody calls reserve. */
    const struct fovea_image shared = {
        .format = FOVEA_FORMAT_RGBA16F, .width_px = plan->width_px, .height_px = plan->height_px};
    return grow(host, plan->base.images_between * chain_image_bytes(&shared));
}

enum fovea_result chain_host_create(struct thread_pool *pool, const struct operator_plan *plan,
                                    struct operator_host **out_host)
{
    struct chain_host *host = calloc(1, sizeof *host);
    struct operator_host *made = (struct operator_host *)host;
    *out_host = NULL;
    if (!host) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    host->plan = chain_plan_of(plan);
    host->pool = pool;
    const enum fovea_result result = make(pool, host);
    if (result < 0) {
        chain_host_destroy(&made);
        return result;
    }
    *out_host = made;
    return FOVEA_OK;
}

void chain_host_destroy(struct operator_host **host)
{
    struct chain_host *gone = own(*host);
    for (uint32_t i = 0; i < gone->plan->count; i++) {
        if (gone->parts[i]) {
            gone->plan->parts[i].api->host.destroy(&gone->parts[i]);
        }
    }
    large_memory_free(gone->between);
    free(gone);
    *host = NULL;
}

/* ---- Frames */

enum fovea_result chain_host_reserve(struct operator_host *host,
                                     const struct operator_images *images)
{
    struct chain_host *chain = own(host);
    struct chain_images slice;
    FOVEA_TRY(grow(chain, chain_between_bytes(chain->plan, images)));
    const struct chain_way way = chain_way_of(chain->plan, false);
    chain_first_slice(chain->plan, images, &slice);
    for (uint32_t i = 0; i < chain->plan->count; i++) {
        struct chain_images part;
        chain_images_of(chain->plan, &way, i, &slice.images, chain->between, &part);
        FOVEA_TRY(chain->plan->parts[i].api->host.reserve(chain->parts[i], &part.images));
    }
    return FOVEA_OK;
}

/* Rows that threads take of images of 16 bits. */
struct rows {
    const struct levels *levels;
    const struct levels_light *light;
    void (*run)(const struct levels *levels, const struct levels_light *light, int64_t first,
                int64_t end);
    atomic_llong next;
};

#define ROWS_AT_A_TIME 16

static void take_rows(void *user, uint32_t worker)
{
    struct rows *rows = user;
    const int64_t count = (int64_t)rows->levels->count * rows->levels->height_px;
    int64_t first = atomic_fetch_add(&rows->next, ROWS_AT_A_TIME);
    (void)worker;
    while (first < count) {
        const int64_t end = first + ROWS_AT_A_TIME < count ? first + ROWS_AT_A_TIME : count;
        rows->run(rows->levels, rows->light, first, end);
        first = atomic_fetch_add(&rows->next, ROWS_AT_A_TIME);
    }
}

static void share_rows(const struct chain_host *chain, struct rows *rows)
{
    thread_pool_share(chain->pool, thread_pool_worker_max(chain->pool), take_rows, rows);
}

static void pack(const struct chain_host *chain, const struct chain_way *way,
                 const struct operator_images *slice)
{
    struct planes planes;
    if (chain->plan->levels) {
        const struct levels levels = chain_levels_to_pack(chain->plan, way, slice, chain->between);
        struct rows rows = {.levels = &levels, .light = chain->plan->levels, .run = levels_pack};
        share_rows(chain, &rows);
    } else if (chain_planes_to_pack(chain->plan, way, slice, chain->between, &planes)) {
        planes_pack(&planes, slice->src->format);
    }
}

static void unpack(const struct chain_host *chain, const struct chain_way *way,
                   const struct operator_images *slice)
{
    struct planes planes;
    if (chain->plan->levels) {
        const struct levels levels =
            chain_levels_to_unpack(chain->plan, way, slice, chain->between);
        struct rows rows = {.levels = &levels, .light = chain->plan->levels, .run = levels_unpack};
        share_rows(chain, &rows);
    } else if (chain_planes_to_unpack(chain->plan, way, slice, chain->between, &planes)) {
        planes_unpack(&planes, slice->dst->format);
    }
}

static void run_slice(struct chain_host *chain, const struct operator_images *slice,
                      const struct operator_frame *frame)
{
    const struct chain_way way = chain_way_of(chain->plan, frame->blind);
    pack(chain, &way, slice);
    for (uint32_t i = 0; i < way.count; i++) {
        const uint32_t part = way.parts[i];
        struct chain_images of_part;
        chain_images_of(chain->plan, &way, i, slice, chain->between, &of_part);
        chain->plan->parts[part].api->host.run(chain->parts[part], &of_part.images, frame);
    }
    unpack(chain, &way, slice);
}

void chain_host_run(struct operator_host *host, const struct operator_images *images,
                    const struct operator_frame *frame)
{
    struct chain_host *chain = own(host);
    const uint32_t count = chain_slice_count(chain->plan, images);
    struct chain_images slice;
    for (uint32_t first = 0; first < images->count; first += slice.images.count) {
        struct operator_frame own = *frame;
        chain_slice_of(images, first, count, &slice);
        own.blind = own.blind || slice.blind;
        own.of_light = chain->plan->levels != NULL;
        run_slice(chain, &slice.images, &own);
    }
}
