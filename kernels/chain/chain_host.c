/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A chain on the processor: all images of a slice go through an operator before the next one comes,
 * so that each has the threads to itself. */

#include "chain_plan.h"

#include "core/large_memory.h"
#include "core/log.h"
#include "core/thread_pool.h"
#include "core/thread_steps.h"
#include "kernels/operator/operator_host.h"

struct chain_host {
    struct operator_host base;
    const struct chain_plan *plan;
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
    FOVEA_TRY_MEMORY(grown);
    large_memory_free(host->between);
    host->between = grown;
    host->between_bytes = bytes;
    return FOVEA_OK;
}

static enum fovea_result make(struct operator_host *base)
{
    struct chain_host *host = own(base);
    const struct chain_plan *plan = host->plan = chain_plan_of(base->plan);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct operator_plan *part = plan->parts[i].plan;
        FOVEA_TRY(
            operator_host_create(&operator_host_of(part)->kind, base->pool, part, &host->parts[i]));
    }
    /* The largest that Vulkan shares: for its images nobody calls reserve. */
    const struct fovea_image shared = {
        .format = FOVEA_FORMAT_RGBA16F, .width_px = plan->width_px, .height_px = plan->height_px};
    return grow(host, plan->base.images_between * chain_image_bytes(&shared));
}

static void finish(struct operator_host *base)
{
    struct chain_host *host = own(base);
    for (uint32_t i = 0; i < FOVEA_OPERATOR_COUNT; i++) {
        operator_host_destroy(&host->parts[i]);
    }
    large_memory_free(host->between);
}

/* ---- Frames */

static enum fovea_result reserve(struct operator_host *host, const struct operator_images *images)
{
    struct chain_host *chain = own(host);
    struct chain_images slice;
    FOVEA_TRY(grow(chain, chain_between_bytes(chain->plan, images)));
    const struct chain_way way = chain_way_of(chain->plan, false);
    chain_first_slice(chain->plan, images, &slice);
    for (uint32_t i = 0; i < chain->plan->count; i++) {
        struct chain_images part;
        chain_images_of(chain->plan, &way, i, &slice.images, chain->between, &part);
        FOVEA_TRY(
            operator_host_of(chain->plan->parts[i].plan)->reserve(chain->parts[i], &part.images));
    }
    return FOVEA_OK;
}

/* Images of 16 bits, whose rows threads share. */
struct rows {
    struct levels levels;
    const struct levels_light *light;
    void (*run)(const struct levels *levels, const struct levels_light *light, int64_t first,
                int64_t end);
};

#define CHUNK_ROWS 16

static int64_t row_count(const struct rows *rows)
{
    return (int64_t)rows->levels.count * rows->levels.height_px;
}

static void run_chunk(void *user, uint32_t worker, int32_t chunk)
{
    const struct rows *rows = user;
    const int64_t first = (int64_t)chunk * CHUNK_ROWS;
    const int64_t left = row_count(rows) - first;
    (void)worker;
    rows->run(&rows->levels, rows->light, first, first + (left < CHUNK_ROWS ? left : CHUNK_ROWS));
}

/* Makes what operators work on of the source, or the result of what they made. */
static void convert(const struct chain_host *chain, const struct chain_way *way,
                    const struct operator_images *slice, bool packs)
{
    const struct chain_plan *plan = chain->plan;
    struct planes planes;
    if (plan->levels) {
        struct rows rows = {.levels = chain_levels_of(plan, way, slice, chain->between, packs),
                            .light = plan->levels,
                            .run = packs ? levels_pack : levels_unpack};
        thread_chunks_run((int32_t)((row_count(&rows) + CHUNK_ROWS - 1) / CHUNK_ROWS),
                          chain->base.pool, thread_pool_worker_max(chain->base.pool), run_chunk,
                          &rows);
    } else if (chain_planes_of(plan, way, slice, chain->between, packs, &planes)) {
        (packs ? planes_pack : planes_unpack)(&planes, slice->src->format);
    }
}

static void run_slice(struct chain_host *chain, const struct operator_images *slice,
                      const struct operator_frame *frame)
{
    const struct chain_way way = chain_way_of(chain->plan, frame->blind);
    convert(chain, &way, slice, true);
    for (uint32_t i = 0; i < way.count; i++) {
        const uint32_t part = way.parts[i];
        struct chain_images of_part;
        chain_images_of(chain->plan, &way, i, slice, chain->between, &of_part);
        operator_host_of(chain->plan->parts[part].plan)
            ->run(chain->parts[part], &of_part.images, frame);
    }
    convert(chain, &way, slice, false);
}

static void run(struct operator_host *host, const struct operator_images *images,
                const struct operator_frame *frame)
{
    struct chain_host *chain = own(host);
    const uint32_t count = chain_slice_count(chain->plan, images);
    struct chain_images slice;
    for (uint32_t first = 0; first < images->count; first += slice.images.count) {
        struct operator_frame of_slice = *frame;
        chain_slice_of(images, first, count, &slice);
        of_slice.blind = frame->blind || slice.blind;
        of_slice.of_light = chain->plan->levels != NULL;
        run_slice(chain, &slice.images, &of_slice);
    }
}

const struct operator_host_api chain_operator_host = {
    .kind = {.bytes = sizeof(struct chain_host), .make = make, .finish = finish},
    .reserve = reserve,
    .run = run};
