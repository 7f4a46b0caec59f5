/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_ways.h"

#include <dlfcn.h>
#include <stdio.h>

#define LONG_US 50000.0 /* of what takes longer no cache makes a difference */

bool cuda_ways_find(const char *name, void *out_function)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    memcpy(out_function, &found, sizeof found);
    return found != NULL;
}

enum fovea_result cuda_ways_launch(struct cuda_bench *b, CUfunction kernel, const unsigned grid[2],
                                   const unsigned block[2], unsigned shared_bytes, void *params)
{
    return CU_CHECK(b->device->log, b->cu,
                    b->cu->LaunchKernel(kernel, grid[0], grid[1], 1, block[0], block[1], 1,
                                        shared_bytes, b->stream, (void *[]){params}, NULL));
}

enum fovea_result cuda_ways_launch_over(struct cuda_bench *b, CUfunction kernel, int32_t width_px,
                                        int32_t height_px, const unsigned block[2], void *params)
{
    const unsigned grid[2] = {((unsigned)width_px + block[0] - 1) / block[0],
                              ((unsigned)height_px + block[1] - 1) / block[1]};
    return cuda_ways_launch(b, kernel, grid, block, 0, params);
}

CUdeviceptr cuda_ways_constant(struct cuda_bench *b, CUmodule module, const char *name,
                               size_t *out_bytes)
{
    PFN_cuModuleGetGlobal_v3020 get = NULL;
    CUdeviceptr memory = 0;
    bench_need(cuda_ways_find("cuModuleGetGlobal_v2", &get), "cuModuleGetGlobal is not there");
    CUDA_MUST(b, get(&memory, out_bytes, module, name));
    return memory;
}

CUdeviceptr cuda_ways_upload(struct cuda_bench *b, const void *data, size_t bytes)
{
    CUdeviceptr memory = 0;
    CUDA_MUST(b, b->cu->MemAlloc(&memory, bytes));
    CUDA_MUST(b, data ? b->cu->MemcpyHtoD(memory, data, bytes) : b->cu->MemsetD8(memory, 0, bytes));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
    return memory;
}

static PFN_cuTexObjectCreate_v5000 find_texture_create(void)
{
    PFN_cuTexObjectCreate_v5000 create = NULL;
    (void)cuda_ways_find("cuTexObjectCreate", &create);
    return create;
}

bool cuda_ways_has_textures(void)
{
    return find_texture_create() != NULL;
}

CUtexObject cuda_ways_texture_as(struct cuda_bench *b, const CUDA_RESOURCE_DESC *resource,
                                 CUDA_TEXTURE_DESC how)
{
    CUtexObject texture = 0;
    for (size_t i = 0; i < sizeof how.addressMode / sizeof *how.addressMode; i++) {
        how.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    }
    CUDA_MUST(b, find_texture_create()(&texture, resource, &how, NULL));
    return texture;
}

CUtexObject cuda_ways_texture(struct cuda_bench *b, const CUDA_RESOURCE_DESC *resource)
{
    const bool whole = resource->resType == CU_RESOURCE_TYPE_LINEAR;
    return cuda_ways_texture_as(b, resource,
                                (CUDA_TEXTURE_DESC){.filterMode = whole
                                                                      ? CU_TR_FILTER_MODE_POINT
                                                                      : CU_TR_FILTER_MODE_LINEAR});
}

void cuda_ways_free_texture(struct cuda_bench *b, CUtexObject texture)
{
    PFN_cuTexObjectDestroy_v5000 destroy = NULL;
    if (texture && cuda_ways_find("cuTexObjectDestroy", &destroy)) {
        CUDA_MUST(b, destroy(texture));
    }
}

CUDA_RESOURCE_DESC cuda_ways_rows(CUdeviceptr memory, CUarray_format format, unsigned channels,
                                  size_t width, size_t height, size_t row_bytes)
{
    return (CUDA_RESOURCE_DESC){.resType = CU_RESOURCE_TYPE_PITCH2D,
                                .res.pitch2D = {.devPtr = memory,
                                                .format = format,
                                                .numChannels = channels,
                                                .width = width,
                                                .height = height,
                                                .pitchInBytes = row_bytes}};
}

void cuda_ways_case_name(const struct cuda_ways *ways, const struct bench_size *size,
                         const char *what, char *out, size_t bytes)
{
    snprintf(out, bytes, "cuda/%s/%s/%s", size->name, ways->name, what);
}

bool cuda_ways_want(const struct cuda_ways *ways, const char *what)
{
    char name[RESULT_NAME_BYTES + RESULT_TEXT_BYTES];
    cuda_ways_case_name(ways, ways->b->pictures.size, what, name, sizeof name);
    if (!bench_wants(ways->b->bench, name)) {
        return false;
    }
    bench_say("%s", name);
    return true;
}

double cuda_ways_measured_us(const struct cuda_ways *ways, const char *what)
{
    const struct results *results = &ways->b->bench->results;
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *row = &results->rows[i];
        if (row->size == ways->b->pictures.size && strcmp(row->what, what) == 0) {
            return row->times.median_us;
        }
    }
    return 0.0;
}

static enum fovea_result enqueue_warm(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct cuda_way *way = user;
    return way->enqueue(b, way->user, 0);
}

static bool look(struct cuda_ways *ways, const struct cuda_way *way, char *words, size_t bytes)
{
    struct cuda_bench *b = ways->b;
    const size_t picture_bytes = bench_image_bytes(b->pictures.size, b->pictures.format);
    OWNED(owned_free) void *made = bench_memory(picture_bytes, 1);
    CUDA_MUST(b, b->cu->MemsetD8(b->pictures.dst[0], 0, picture_bytes));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
    bench_must(way->enqueue(b, way->user, 0), way->what);
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    CUDA_MUST(b, b->cu->MemcpyDtoH(made, b->pictures.dst[0], picture_bytes));
    const bool right = way->check(way->check_user, made, words, bytes);
    if (!right) {
        bench_say("WRONG: %s: %s", way->what, words);
        b->bench->results.wrong_count++;
    }
    return right;
}

static struct result row_of(const struct cuda_ways *ways, const char *what)
{
    return (struct result){.kind = ways->kind,
                           .backend = "cuda",
                           .size = ways->b->pictures.size,
                           .what = what,
                           .format = ways->b->pictures.format,
                           .images = 1};
}

static void time_both(struct cuda_ways *ways, const struct cuda_way *way, struct result *row)
{
    struct cuda_bench *b = ways->b;
    const char *warm_way = NULL;
    struct cuda_way own = *way;
    if (b->bench->wishes.check) {
        return;
    }
    row->times = cuda_time(b, way->enqueue, way->user, &row->way);
    row->reference_us = cuda_copy_us(b, row->way);
    if (!way->once && row->times.median_us < LONG_US) {
        if (way->renew) {
            way->renew(b, way->user);
        }
        row->warm = cuda_time(b, enqueue_warm, &own, &warm_way);
    }
}

double cuda_ways_measure(struct cuda_ways *ways, const struct cuda_way *way)
{
    struct result row = row_of(ways, way->what);
    row.ours_us = way->ours_us;
    row.way = "not timed";
    const bool right = !way->check || look(ways, way, row.note, sizeof row.note);
    if (right) {
        if (way->check && way->renew) {
            way->renew(ways->b, way->user);
        }
        time_both(ways, way, &row);
    }
    *results_add(&ways->b->bench->results) = row;
    return row.times.median_us;
}

void cuda_ways_pictures(struct cuda_ways *ways, const struct bench_size *size,
                        enum fovea_format format)
{
    struct cuda_bench *b = ways->b;
    if (!b->bench->wishes.check) {
        cuda_need_pictures(b, size, format, 1);
    } else if (b->pictures.size != size || b->pictures.format != format) {
        cuda_make_pictures(b, size, format, 1);
    }
}

void cuda_ways_clocked(struct cuda_ways *ways, const char *what, double *us, size_t count,
                       double ours_us)
{
    struct result row = row_of(ways, what);
    row.way = "clock";
    row.ours_us = ours_us;
    row.times = bench_times_of(us, count);
    *results_add(&ways->b->bench->results) = row;
}

void cuda_ways_note(struct cuda_ways *ways, const char *what, const char *words)
{
    struct result row = row_of(ways, what);
    row.way = "counted";
    snprintf(row.note, sizeof row.note, "%s", words);
    *results_add(&ways->b->bench->results) = row;
}
