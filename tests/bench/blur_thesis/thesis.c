/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "thesis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Textures -------------------------------------------------------------------------------- */

/* Texture units want rows of whole 32 bytes: two pixels. */
static CUtexObject picture_texture(struct cuda_bench *b, CUdeviceptr memory, int32_t width_px,
                                   int32_t height_px)
{
    if (!cuda_ways_has_textures() || width_px % 2 != 0) {
        return 0;
    }
    const CUDA_RESOURCE_DESC resource = cuda_ways_rows(
        memory, CU_AD_FORMAT_FLOAT, 4, (size_t)width_px, (size_t)height_px, (size_t)width_px * 16);
    return cuda_ways_texture(b, &resource);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

int thesis_add_buffer(struct thesis *t, int32_t width_px, int32_t height_px)
{
    struct cuda_bench *b = t->ways.b;
    const size_t bytes = (size_t)width_px * (size_t)height_px * 16;
    if (t->counts) {
        return 0;
    }
    bench_need(t->buffer_count != THESIS_BUFFERS, "too many buffers");
    struct thesis_buffer *buffer = &t->buffers[t->buffer_count];
    *buffer = (struct thesis_buffer){.width_px = width_px, .height_px = height_px};
    CUDA_MUST(b, b->cu->MemAlloc(&buffer->memory, bytes));
    buffer->texture = picture_texture(b, buffer->memory, width_px, height_px);
    return t->buffer_count++;
}

void thesis_open(struct thesis *t, const struct bench_size *size)
{
    struct cuda_bench *b = t->ways.b;
    t->side_px = (int32_t)size->width_px;
    for (int i = 0; i < 2; i++) {
        t->buffers[i] = (struct thesis_buffer){.width_px = t->side_px, .height_px = t->side_px};
    }
    t->buffer_count = 2;
    for (int i = THESIS_A; i <= THESIS_C; i++) {
        thesis_add_buffer(t, t->side_px, t->side_px);
    }
    for (int i = 0; i < BENCH_PICTURES; i++) {
        t->pictures[i] = picture_texture(b, b->pictures.src[i], t->side_px, t->side_px);
    }
    const size_t bytes = BLUR_THESIS_WEIGHTS * sizeof(float);
    t->weights = cuda_ways_upload(b, NULL, bytes);
    if (cuda_ways_has_textures()) {
        const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR,
                                             .res.linear = {.devPtr = t->weights,
                                                            .format = CU_AD_FORMAT_FLOAT,
                                                            .numChannels = 1,
                                                            .sizeInBytes = bytes}};
        t->weights_texture = cuda_ways_texture(b, &resource);
    }
}

void thesis_close(struct thesis *t)
{
    struct cuda_bench *b = t->ways.b;
    for (int i = 2; i < t->buffer_count; i++) {
        cuda_ways_free_texture(b, t->buffers[i].texture);
        CUDA_MUST(b, b->cu->MemFree(t->buffers[i].memory));
    }
    for (int i = 0; i < BENCH_PICTURES; i++) {
        cuda_ways_free_texture(b, t->pictures[i]);
    }
    cuda_ways_free_texture(b, t->weights_texture);
    CUDA_MUST(b, b->cu->MemFree(t->weights));
    free(t->gaussian);
    t->gaussian = NULL;
    t->weights_texture = 0;
    t->buffer_count = 0;
}

static void set_constant(struct thesis *t, CUmodule module, const char *name, const void *data,
                         size_t bytes)
{
    struct cuda_bench *b = t->ways.b;
    size_t room = 0;
    const CUdeviceptr memory = cuda_ways_constant(b, module, name, &room);
    bench_need(bytes <= room, "%s has no room for %zu bytes", name, bytes);
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    CUDA_MUST(b, b->cu->MemcpyHtoD(memory, data, bytes));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

void thesis_set_weights(struct thesis *t, const float *weights, size_t count)
{
    struct cuda_bench *b = t->ways.b;
    const size_t bytes = count * sizeof *weights;
    set_constant(t, t->module, "blur_thesis_weights", weights, bytes);
    if (t->textures) {
        set_constant(t, t->textures, "blur_textures_weights", weights, bytes);
    }
    CUDA_MUST(b, b->cu->MemcpyHtoD(t->weights, weights, bytes));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

void thesis_set_links(struct thesis *t, const int32_t *links, size_t count)
{
    set_constant(t, t->module, "blur_thesis_links", links, count * sizeof *links);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

bool thesis_want(struct thesis *t, const char *what)
{
    if (!t->counts) {
        return cuda_ways_want(&t->ways, what);
    }
    char name[RESULT_NAME_BYTES * 2];
    cuda_ways_case_name(&t->ways, t->counts, what, name, sizeof name);
    t->wanted += wishes_name(&t->ways.b->bench->wishes, name);
    return false;
}

struct thesis_way thesis_begin(struct thesis *t, const char *what, double sigma_px)
{
    return (struct thesis_way){.t = t, .what = what, .sigma_px = sigma_px};
}

static struct thesis_step *grow(struct thesis_way *way)
{
    struct thesis_step *steps =
        realloc(way->steps, (way->count + 1) * sizeof *steps); /* NULL: begins */
    bench_need(steps, "out of memory");
    way->steps = steps;
    memset(&steps[way->count], 0, sizeof *steps);
    return &steps[way->count++];
}

void thesis_shape(struct thesis_way *way, struct thesis_step *step, unsigned width, unsigned height)
{
    step->block[0] = width;
    step->block[1] = height;
    step->grid[0] = ((unsigned)step->params.width_px + width - 1) / width;
    step->grid[1] = ((unsigned)step->params.height_px + height - 1) / height;
}

static struct thesis_step *add(struct thesis_way *way, CUmodule module, const char *kernel,
                               int from, int to)
{
    struct cuda_bench *b = way->t->ways.b;
    struct thesis_step *step = grow(way);
    CUDA_MUST(b, b->cu->ModuleGetFunction(&step->kernel, module, kernel));
    step->from = from;
    step->to = to;
    step->params.width_px = way->t->buffers[to].width_px;
    step->params.height_px = way->t->buffers[to].height_px;
    step->params.from_width_px = way->t->buffers[from].width_px;
    step->params.from_height_px = way->t->buffers[from].height_px;
    thesis_shape(way, step, BLUR_THESIS_TILE, BLUR_THESIS_TILE);
    return step;
}

struct thesis_step *thesis_add(struct thesis_way *way, const char *kernel, int from, int to)
{
    const struct thesis *t = way->t;
    const bool weighs = strstr(kernel, "convolve") || strstr(kernel, "reshuffle") ||
                        strstr(kernel, "_float4") || strstr(kernel, "_planes");
    return add(way, weighs ? t->module : t->tables, kernel, from, to);
}

struct thesis_step *thesis_add_texture(struct thesis_way *way, const char *kernel, int from, int to)
{
    struct thesis_step *step = add(way, way->t->textures, kernel, from, to);
    step->texture = true;
    return step;
}

static uint64_t place_of(const struct thesis *t, int buffer, uint32_t picture, bool texture)
{
    const struct cuda_pictures *pictures = &t->ways.b->pictures;
    if (buffer == THESIS_SRC) {
        return texture ? t->pictures[picture] : pictures->src[picture];
    }
    if (buffer == THESIS_DST) {
        return pictures->dst[picture];
    }
    return texture ? t->buffers[buffer].texture : t->buffers[buffer].memory;
}

enum fovea_result thesis_enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct thesis_way *way = user;
    enum fovea_result result = FOVEA_OK;
    for (size_t i = 0; result == FOVEA_OK && i < way->count; i++) {
        const struct thesis_step *step = &way->steps[i];
        struct blur_thesis_params params = step->params;
        if (step->call) {
            result = step->call(b, step);
            continue;
        }
        params.src = place_of(way->t, step->from, picture, step->texture);
        params.dst = place_of(way->t, step->to, picture, false);
        result =
            cuda_ways_launch(b, step->kernel, step->grid, step->block, step->shared_bytes, &params);
    }
    return result;
}

static void allow_shared(struct thesis_way *way)
{
    struct cuda_bench *b = way->t->ways.b;
    for (size_t i = 0; i < way->count; i++) {
        if (way->steps[i].shared_bytes > 48 * 1024) {
            CUDA_MUST(b, b->cu->FuncSetAttribute(way->steps[i].kernel,
                                                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                 (int)way->steps[i].shared_bytes));
        }
    }
}

static double ours_us(const struct thesis_way *way)
{
    char name[RESULT_TEXT_BYTES];
    const double sigma = way->sigma_px < 4.5 ? 3.0 : way->sigma_px < 9.0 ? 6.0 : 12.0;
    snprintf(name, sizeof name, "Fovea, gaussian, sigma %g, RGBA32F", sigma);
    return cuda_ways_measured_us(&way->t->ways, name);
}

void thesis_drop(struct thesis_way *way)
{
    free(way->steps);
    way->steps = NULL;
    way->count = 0;
}

void thesis_end(struct thesis_way *way)
{
    allow_shared(way);
    cuda_ways_measure(&way->t->ways,
                      &(struct cuda_way){.what = way->what,
                                         .enqueue = thesis_enqueue,
                                         .user = way,
                                         .check = thesis_check,
                                         .check_user = way,
                                         .ours_us = way->sigma_px > 0.0 ? ours_us(way) : 0.0,
                                         .once = way->timed_once});
    thesis_drop(way);
}
