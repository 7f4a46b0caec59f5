/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A row on the processor: all images of a slice go through an operator before the next one comes,
 * so that each has the threads to itself. */

#include "row_plan.h"

#include "core/large_memory.h"
#include "core/log.h"

#include <stdlib.h>

struct row_host {
    const struct row_plan *plan;
    struct operator_host *parts[FOVEA_OPERATOR_COUNT];
    void *between; /* NULL where the row is of one operator */
    uint64_t between_bytes;
};

static struct row_host *own(struct operator_host *host)
{
    return (struct row_host *)host;
}

static enum fovea_result grow(struct row_host *host, uint64_t bytes)
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

static enum fovea_result make(struct thread_pool *pool, struct row_host *host)
{
    const struct row_plan *plan = host->plan;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct row_part *part = &plan->parts[i];
        FOVEA_TRY(part->api->host.create(pool, part->plan, &host->parts[i]));
    }
    /* The largest that Vulkan shares: for its images nobody calls reserve. */
    const struct fovea_image shared = {
        .format = FOVEA_FORMAT_RGBA16F, .width_px = plan->width_px, .height_px = plan->height_px};
    return grow(host, plan->base.images_between * row_image_bytes(&shared));
}

enum fovea_result row_host_create(struct thread_pool *pool, const struct operator_plan *plan,
                                  struct operator_host **out_host)
{
    struct row_host *host = calloc(1, sizeof *host);
    struct operator_host *made = (struct operator_host *)host;
    *out_host = NULL;
    if (!host) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    host->plan = row_plan_of(plan);
    const enum fovea_result result = make(pool, host);
    if (result < 0) {
        row_host_destroy(&made);
        return result;
    }
    *out_host = made;
    return FOVEA_OK;
}

void row_host_destroy(struct operator_host **host)
{
    struct row_host *gone = own(*host);
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

enum fovea_result row_host_reserve(struct operator_host *host, const struct operator_images *images)
{
    struct row_host *row = own(host);
    struct row_images slice;
    FOVEA_TRY(grow(row, row_between_bytes(row->plan, images)));
    const struct row_way way = row_way_of(row->plan, false);
    row_first_slice(row->plan, images, &slice);
    for (uint32_t i = 0; i < row->plan->count; i++) {
        struct row_images part;
        row_images_of(row->plan, &way, i, &slice.images, row->between, &part);
        FOVEA_TRY(row->plan->parts[i].api->host.reserve(row->parts[i], &part.images));
    }
    return FOVEA_OK;
}

static void run_slice(struct row_host *row, const struct operator_images *slice,
                      const struct operator_frame *frame)
{
    const struct row_way way = row_way_of(row->plan, frame->blind);
    struct planes planes;
    if (row_planes_to_pack(row->plan, &way, slice, row->between, &planes)) {
        planes_pack(&planes, slice->src->format);
    }
    for (uint32_t i = 0; i < way.count; i++) {
        const uint32_t part = way.parts[i];
        struct row_images of_part;
        row_images_of(row->plan, &way, i, slice, row->between, &of_part);
        row->plan->parts[part].api->host.run(row->parts[part], &of_part.images, frame);
    }
    if (row_planes_to_unpack(row->plan, &way, slice, row->between, &planes)) {
        planes_unpack(&planes, slice->dst->format);
    }
}

void row_host_run(struct operator_host *host, const struct operator_images *images,
                  const struct operator_frame *frame)
{
    struct row_host *row = own(host);
    const uint32_t count = row_slice_count(row->plan, images);
    struct row_images slice;
    for (uint32_t first = 0; first < images->count; first += slice.images.count) {
        struct operator_frame own = *frame;
        row_slice_of(images, first, count, &slice);
        own.blind = own.blind || slice.blind;
        run_slice(row, &slice.images, &own);
    }
}
