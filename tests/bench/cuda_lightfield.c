/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields in the device's memory, of the paper's size and of three real arrays: raw pictures
 * of noise, which take turns, so that none of the paper's is in the cache when it is read. */

#include "cuda_bench.h"
#include "lightfield_arrays.h"

#include "kernels/lightfield/cuda/lightfield_cuda.h"

enum kind { RENDER, ALL_IN_FOCUS, DEPTH, SUM, REFOCUS, CHAIN };

static const struct lightfield_case {
    const char *name, *what;
    enum kind kind;
    enum fovea_lightfield_format format;
    enum fovea_lightfield_bayer bayer;
    enum fovea_lightfield_filter filter;
    bool box;
    bool gaze; /* fewer micro-images away from it, and a coarse search */
    enum bench_array_kind array;
} cases[] = {
#define FORMAT(name) FOVEA_LIGHTFIELD_FORMAT_##name
#define NEAREST FOVEA_LIGHTFIELD_FILTER_NEAREST
    {"render/rgba8", "light field of RGBA8", RENDER, FORMAT(RGBA8), 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"render/rgba8/nearest", "light field of RGBA8, nearest", RENDER, FORMAT(RGBA8), 0, NEAREST,
     false, false, BENCH_ARRAY_PAPER},
    {"render/rgb8", "light field of RGB8", RENDER, FORMAT(RGB8), 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"render/r8", "light field of R8", RENDER, FORMAT(R8), 0, 0, false, false, BENCH_ARRAY_PAPER},
    {"render/rgb16", "light field of RGB16", RENDER, FORMAT(RGB16), 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"render/bayer", "light field of R8, mosaic", RENDER, FORMAT(R8), FOVEA_LIGHTFIELD_BAYER_RGGB,
     0, false, false, BENCH_ARRAY_PAPER},
    {"focus/rgba8", "light field of RGBA8, all in focus", ALL_IN_FOCUS, FORMAT(RGBA8), 0, 0, false,
     false, BENCH_ARRAY_PAPER},
    {"depth/rgba8", "light field's depth of RGBA8", DEPTH, FORMAT(RGBA8), 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"depth/rgba8/nearest", "light field's depth of RGBA8, nearest", DEPTH, FORMAT(RGBA8), 0,
     NEAREST, false, false, BENCH_ARRAY_PAPER},
    {"depth/rgba8/box", "light field's depth of RGBA8, nearest, box", DEPTH, FORMAT(RGBA8), 0,
     NEAREST, true, false, BENCH_ARRAY_PAPER},
    {"depth/r8", "light field's depth of R8", DEPTH, FORMAT(R8), 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"sum/r8", "light field of R8, 81 views", SUM, FORMAT(R8), 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"sum/ant-leg", "light field of R16, the ant leg's 593 views", SUM, FORMAT(R16), 0, 0, false,
     false, BENCH_ARRAY_ANT_LEG},
    {"sum/sea-urchin", "light field of R8, the sea urchin's 233 views", SUM, FORMAT(R8), 0, 0,
     false, false, BENCH_ARRAY_SEA_URCHIN},
    {"sum/vesicles", "light field of R16, the vesicles' 185 views", SUM, FORMAT(R16), 0, 0, false,
     false, BENCH_ARRAY_VESICLES},
    {"render/rgba8/gaze", "light field of RGBA8, a gaze", RENDER, FORMAT(RGBA8), 0, 0, false, true,
     BENCH_ARRAY_PAPER},
    {"focus/rgba8/gaze", "light field of RGBA8, all in focus, a gaze", ALL_IN_FOCUS, FORMAT(RGBA8),
     0, 0, false, true, BENCH_ARRAY_PAPER},
    {"depth/rgba8/nearest/gaze", "light field's depth of RGBA8, nearest, a gaze", DEPTH,
     FORMAT(RGBA8), 0, NEAREST, false, true, BENCH_ARRAY_PAPER},
    {"refocus/rgba8", "light field of RGBA8, refocused", REFOCUS, FORMAT(RGBA8), 0, 0, false, false,
     BENCH_ARRAY_PAPER},
    {"refocus/rgba8/gaze", "light field of RGBA8, refocused, a gaze", REFOCUS, FORMAT(RGBA8), 0, 0,
     false, true, BENCH_ARRAY_PAPER},
    {"chain/rgba8", "light field of RGBA8, refocused, foveated", CHAIN, FORMAT(RGBA8), 0, 0, false,
     false, BENCH_ARRAY_PAPER},
    {"chain/rgba8/gaze", "light field of RGBA8, refocused, a gaze, foveated", CHAIN, FORMAT(RGBA8),
     0, 0, false, true, BENCH_ARRAY_PAPER},
};

struct lightfield_bench {
    const struct lightfield_case *of;
    enum bench_array_kind array;
    const struct bench_size *size;
    struct fovea_lightfield_geometry geometry;
    struct lightfield_cuda *cuda;
    CUdeviceptr raws[BENCH_PICTURES];
    CUdeviceptr dst, patches;
    struct fovea_lightfield_raw raw;
    struct fovea_lightfield_rendering rendering;
    struct fovea_lightfield_matching matching;
    struct fovea_lightfield_sum sum;
    struct fovea_lightfield_foveation foveation;
    struct fovea_lightfield_refocusing refocusing;
    struct cuda_prepared foveate; /* of a chain */
    struct fovea_image image, patch_image;
};

static void describe(struct lightfield_bench *b)
{
    static const ptrdiff_t bytes[] = {0, 1, 3, 4, 2, 6, 8};
    b->geometry = bench_array_of(b->array)->geometry;
    fovea_lightfield_raw_init(&b->raw);
    b->raw.width_px = b->geometry.raw_width_px;
    b->raw.height_px = b->geometry.raw_height_px;
    b->raw.format = b->of->format;
    b->raw.bayer = b->of->bayer;
    b->raw.memory = FOVEA_MEMORY_CUDA;
    b->raw.maximum = b->of->format >= FORMAT(R16) ? 65535 : 255;
    b->raw.row_stride_bytes = (ptrdiff_t)b->raw.width_px * bytes[b->of->format];
    fovea_lightfield_rendering_init(&b->rendering);
    b->rendering.patch_px = 11.0;
    b->rendering.filter = b->of->filter;
    fovea_lightfield_matching_init(&b->matching);
    b->matching.first_px = 7.0;
    b->matching.last_px = 14.0;
    b->matching.filter = b->of->filter;
    b->matching.box = b->of->box;
    /* Rings of docs/lightfield.md. */
    fovea_lightfield_foveation_init(&b->foveation);
    b->foveation.gaze = (struct fovea_point_uv){0.5, 0.5};
    b->foveation.full_px = 0.15 * b->size->width_px;
    b->foveation.next_px = 0.38 * b->size->width_px;
    b->rendering.foveation = b->matching.foveation = b->of->gaze ? &b->foveation : NULL;
    fovea_lightfield_refocusing_init(&b->refocusing);
    b->refocusing.first_px = 7.0;
    b->refocusing.last_px = 14.0;
    b->refocusing.elapsed_s = 1e-3;
    b->refocusing.foveation = &b->foveation;
    if (!b->of->gaze) {
        b->foveation.full_px = b->foveation.next_px = 1e5; /* all lenses everywhere */
    }
    b->sum = bench_array_sum(b->array);
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
    const size_t pixels = (size_t)b->size->width_px * b->size->height_px;
    unsigned char *noise = bench_memory(bytes, 1);
    float *patches = bench_memory(pixels, sizeof *patches);
    bench_array_noise(noise, bytes);
    for (size_t i = 0; i < pixels; i++) {
        patches[i] = 7.0f + 0.5f * (float)(i / 40 % 14);
    }
    for (size_t i = 0; i < BENCH_PICTURES; i++) {
        b->raws[i] = upload(own, noise, bytes);
    }
    b->patches = upload(own, patches, pixels * sizeof *patches);
    b->dst = upload(own, patches, pixels * sizeof *patches);
    free(patches);
    free(noise);
}

static void open_case(struct cuda_bench *own, struct lightfield_bench *b)
{
    const bool depth = b->of->kind == DEPTH;
    describe(b);
    make_memory(own, b);
    b->image = bench_image(b->size, depth ? FOVEA_FORMAT_R32F : FOVEA_FORMAT_RGBA8,
                           FOVEA_MEMORY_CUDA, (void *)(uintptr_t)b->dst);
    b->patch_image =
        bench_image(b->size, FOVEA_FORMAT_R32F, FOVEA_MEMORY_CUDA, (void *)(uintptr_t)b->patches);
    b->rendering.patches = b->of->kind == ALL_IN_FOCUS ? &b->patch_image : NULL;
    if (b->of->kind == CHAIN) {
        const struct fovea_foveation foveation = bench_foveation(&bench_modes[0]);
        cuda_need_pictures(own, b->size, FOVEA_FORMAT_RGBA8, 1);
        bench_must(cuda_prepare(own, &foveation, b->foveation.gaze, &b->foveate), "foveate");
    }
    bench_must(lightfield_cuda_create(&b->geometry, own->device->ordinal, bench_log(), &b->cuda),
               "light field");
}

static void close_case(struct cuda_bench *own, struct lightfield_bench *b)
{
    lightfield_cuda_destroy(&b->cuda);
    if (b->of->kind == CHAIN) {
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
    switch (b->of->kind) {
    case DEPTH:
        return lightfield_cuda_depth(b->cuda, &b->raw, &b->matching, &b->image, NULL, own->stream);
    case SUM:
        return lightfield_cuda_sum(b->cuda, &b->raw, &b->sum, &b->image, own->stream);
    case CHAIN:
        b->image.data = (void *)(uintptr_t)own->pictures.src[picture];
        FOVEA_TRY(lightfield_cuda_refocus(b->cuda, &b->raw, &b->refocusing, &b->image, NULL,
                                          own->stream));
        return cuda_enqueue(own, &b->foveate, picture);
    case REFOCUS:
        return lightfield_cuda_refocus(b->cuda, &b->raw, &b->refocusing, &b->image, NULL,
                                       own->stream);
    default:
        return lightfield_cuda_render(b->cuda, &b->raw, &b->rendering, &b->image, own->stream);
    }
}

static void run_case(struct cuda_bench *own, struct lightfield_bench *b)
{
    const char *way = NULL;
    open_case(own, b);
    const struct bench_times times = cuda_time(own, enqueue, b, &way);
    *results_add(&own->bench->results) = (struct result){.kind = RESULT_BATCH,
                                                         .backend = "cuda",
                                                         .size = b->size,
                                                         .what = b->of->what,
                                                         .format = b->image.format,
                                                         .images = 1,
                                                         .way = way,
                                                         .times = times};
    close_case(own, b);
}

bool cuda_lightfield(struct cuda_bench *own)
{
    const bool quick = own->bench->wishes.quick;
    for (size_t i = 0; i < (quick ? 1 : sizeof cases / sizeof cases[0]); i++) {
        char name[RESULT_NAME_BYTES];
        snprintf(name, sizeof name, "cuda/lightfield/%s", cases[i].name);
        const enum bench_array_kind array = quick ? BENCH_ARRAY_QUICK : cases[i].array;
        struct lightfield_bench b = {
            .of = &cases[i], .array = array, .size = &bench_array_of(array)->size};
        if (!bench_wants(own->bench, name)) {
            continue;
        }
        if (!cuda_open(own)) {
            return false;
        }
        bench_say("%s", name);
        run_case(own, &b);
    }
    return true;
}
