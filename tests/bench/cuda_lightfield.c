/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields in the device's memory, of the paper's size and of three real arrays: raw pictures
 * of noise, which take turns, so that none of the paper's is in the cache when it is read. */

#include "cuda_bench.h"
#include "lightfield_cases.h"

#include "kernels/lightfield/cuda/lightfield_cuda.h"

struct lightfield_bench {
    struct bench_lightfield of;
    struct lightfield_cuda *cuda;
    CUdeviceptr raws[BENCH_PICTURES];
    CUdeviceptr dst, patches;
    struct fovea_lightfield_raw raw;
    struct cuda_prepared foveate; /* of a chain */
    struct fovea_image image, patch_image;
};

static void describe_raw(struct lightfield_bench *b)
{
    static const ptrdiff_t bytes[] = {0, 1, 3, 4, 2, 6, 8};
    const struct bench_lightfield_case *of = b->of.of;
    fovea_lightfield_raw_init(&b->raw);
    b->raw.width_px = b->of.geometry.raw_width_px;
    b->raw.height_px = b->of.geometry.raw_height_px;
    b->raw.format = of->format;
    b->raw.bayer = of->bayer;
    b->raw.memory = FOVEA_MEMORY_CUDA;
    b->raw.maximum = of->format >= FOVEA_LIGHTFIELD_FORMAT_R16 ? 65535 : 255;
    b->raw.row_stride_bytes = (ptrdiff_t)b->raw.width_px * bytes[of->format];
}

static CUdeviceptr upload(struct cuda_bench *own, const void *data, size_t bytes)
{
    CUdeviceptr memory = 0;
    CUDA_MUST(own, own->cu->MemAlloc(&memory, bytes));
    CUDA_MUST(own, own->cu->MemcpyHtoD(memory, data, bytes));
    return memory;
}

static void make_memory(struct cuda_bench *own, struct lightfield_bench *b)
{
    const size_t bytes = b->raw.height_px * (size_t)b->raw.row_stride_bytes;
    const size_t pixels = (size_t)b->of.size->width_px * b->of.size->height_px;
    OWNED(owned_free) unsigned char *noise = bench_memory(bytes, 1);
    OWNED(owned_free) float *patches = bench_memory(pixels, sizeof *patches);
    bench_lightfield_noise(noise, bytes);
    bench_lightfield_patches(b->of.size, patches);
    for (size_t i = 0; i < BENCH_PICTURES; i++) {
        b->raws[i] = upload(own, noise, bytes);
    }
    b->patches = upload(own, patches, pixels * sizeof *patches);
    b->dst = upload(own, patches, pixels * sizeof *patches);
}

static struct fovea_image image_at(const struct lightfield_bench *b, enum fovea_format format,
                                   CUdeviceptr memory)
{
    return bench_image(b->of.size, format, FOVEA_MEMORY_CUDA, (void *)(uintptr_t)memory);
}

static void open_case(struct cuda_bench *own, struct lightfield_bench *b)
{
    const enum bench_lightfield_kind kind = b->of.of->kind;
    describe_raw(b);
    make_memory(own, b);
    b->image = image_at(b, kind == BENCH_DEPTH ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_RGBA8, b->dst);
    b->patch_image = image_at(b, FOVEA_FORMAT_R32F, b->patches);
    b->of.rendering.patches = kind == BENCH_ALL_IN_FOCUS ? &b->patch_image : NULL;
    if (kind == BENCH_CHAIN) {
        const struct fovea_foveation foveation = bench_foveation(&bench_modes[0]);
        cuda_need_pictures(own, b->of.size, FOVEA_FORMAT_RGBA8, 1);
        bench_must(cuda_prepare(own, &foveation, b->of.foveation.gaze, &b->foveate), "foveate");
    }
    bench_must(lightfield_cuda_create(&b->of.geometry, own->device->ordinal, bench_log(), &b->cuda),
               "light field");
}

static void close_case(struct cuda_bench *own, struct lightfield_bench *b)
{
    lightfield_cuda_destroy(&b->cuda);
    if (b->of.of->kind == BENCH_CHAIN) {
        cuda_unprepare(own, &b->foveate);
    }
    for (size_t i = 0; i < BENCH_PICTURES; i++) {
        CUDA_MUST(own, own->cu->MemFree(b->raws[i]));
    }
    CUDA_MUST(own, own->cu->MemFree(b->patches));
    CUDA_MUST(own, own->cu->MemFree(b->dst));
}

static enum fovea_result enqueue(struct cuda_bench *own, void *user, uint32_t picture)
{
    struct lightfield_bench *b = user;
    b->raw.data = (const void *)(uintptr_t)b->raws[picture];
    switch (b->of.of->kind) {
    case BENCH_DEPTH:
        return lightfield_cuda_depth(b->cuda, &b->raw, &b->of.matching, &b->image, NULL,
                                     own->stream);
    case BENCH_SUM:
        return lightfield_cuda_sum(b->cuda, &b->raw, &b->of.sum, &b->image, own->stream);
    case BENCH_CHAIN:
        b->image.data = (void *)(uintptr_t)own->pictures.src[picture];
        FOVEA_TRY(lightfield_cuda_refocus(b->cuda, &b->raw, &b->of.refocusing, &b->image, NULL,
                                          own->stream));
        return cuda_enqueue(own, &b->foveate, picture);
    case BENCH_REFOCUS:
        return lightfield_cuda_refocus(b->cuda, &b->raw, &b->of.refocusing, &b->image, NULL,
                                       own->stream);
    default:
        return lightfield_cuda_render(b->cuda, &b->raw, &b->of.rendering, &b->image, own->stream);
    }
}

bool cuda_lightfield(struct cuda_bench *own)
{
    const bool quick = own->bench->wishes.quick;
    for (size_t i = 0; i < (quick ? 1 : bench_lightfield_case_count); i++) {
        struct lightfield_bench b = {.cuda = NULL};
        const char *way = NULL;
        if (!bench_lightfield_wants(own->bench, "cuda", i)) {
            continue;
        }
        if (!cuda_open(own)) {
            return false;
        }
        bench_lightfield_make(i, quick, &b.of);
        bench_say("cuda/lightfield/%s", b.of.of->name);
        open_case(own, &b);
        const struct bench_times times = cuda_time(own, enqueue, &b, &way);
        bench_lightfield_add(own->bench, "cuda", way, &b.of, &times);
        close_case(own, &b);
    }
    return true;
}
