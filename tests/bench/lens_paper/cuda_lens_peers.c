/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Ways of others to warp for a lens: a grid of floats and a map of floats through the texture units
 * (lens_peers.cu), and remap of NVIDIA's NPP where it is installed. */

#include "cuda_lens.h"
#include "lens_peers.h"

#include <dlfcn.h>

/* ---- Textures -------------------------------------------------------------------------------- */

static CUtexObject texture_of_picture(struct cuda_bench *b, CUdeviceptr memory)
{
    const struct bench_size *size = b->pictures.size;
    const CUDA_RESOURCE_DESC resource =
        cuda_ways_rows(memory, CU_AD_FORMAT_UNSIGNED_INT8, 4, size->width_px, size->height_px,
                       size->width_px * 4u);
    return cuda_ways_texture(b, &resource);
}

struct grid {
    CUarray array;
    CUtexObject texture;
};

/* Says where the grid's points have their source, from 0 to 1. */
static void fill_grid(const struct cuda_lens *lens, double k1, float *out)
{
    const struct lens_paper_size size = lens->tables.size;
    struct lens_paper_lens own = lens->tables.lens;
    own.k1 = k1;
    for (int y = 0; y < LENS_PEERS_GRID; y++) {
        for (int x = 0; x < LENS_PEERS_GRID; x++) {
            double px[2];
            const double last = LENS_PEERS_GRID - 1;
            lens_paper_source(size, &own, x / last * size.width_px, y / last * size.height_px, px);
            *out++ = (float)(px[0] / size.width_px);
            *out++ = (float)(px[1] / size.height_px);
        }
    }
}

static struct grid make_grid(const struct cuda_lens *lens, double k1)
{
    struct cuda_bench *b = lens->ways.b;
    struct grid grid = {0};
    const size_t row_bytes = LENS_PEERS_GRID * 2 * sizeof(float);
    OWNED(owned_free) float *places = bench_memory(LENS_PEERS_GRID, row_bytes);
    const CUDA_ARRAY3D_DESCRIPTOR form = {.Width = LENS_PEERS_GRID,
                                          .Height = LENS_PEERS_GRID,
                                          .Format = CU_AD_FORMAT_FLOAT,
                                          .NumChannels = 2};
    fill_grid(lens, k1, places);
    CUDA_MUST(b, b->cu->Array3DCreate(&grid.array, &form));
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = places,
                                .srcPitch = row_bytes,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = grid.array,
                                .WidthInBytes = row_bytes,
                                .Height = LENS_PEERS_GRID};
    CUDA_MUST(b, b->cu->Memcpy2D(&copy));
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = grid.array};
    grid.texture = cuda_ways_texture(b, &resource);
    return grid;
}

static void free_grid(struct cuda_bench *b, struct grid *grid)
{
    cuda_ways_free_texture(b, grid->texture);
    CUDA_MUST(b, b->cu->ArrayDestroy(grid->array));
}

/* ---- Grids and maps -------------------------------------------------------------------------- */

struct peers {
    CUmodule module;
    CUfunction kernel;
    struct lens_peers_params params;
    CUtexObject pictures[BENCH_PICTURES];
    struct grid grids[LENS_PEERS_COLORS];
    CUdeviceptr map;
};

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct peers *peers = user;
    struct lens_peers_params params = peers->params;
    params.src = peers->pictures[picture];
    params.dst = b->pictures.dst[picture];
    static const unsigned block[] = {LENS_PEERS_SIDE, LENS_PEERS_SIDE};
    return cuda_ways_launch_over(b, peers->kernel, params.width_px, params.height_px, block,
                                 &params);
}

/* A place of two floats a pixel, or two maps of one: x first. */
static float *make_map(const struct cuda_lens *lens, size_t stride, size_t y_at, double off_px)
{
    const struct lens_paper_size size = lens->tables.size;
    const size_t count = (size_t)size.width_px * (size_t)size.height_px;
    float *map = bench_memory(2 * count, sizeof *map);
    for (int32_t y = 0; y < size.height_px; y++) {
        for (int32_t x = 0; x < size.width_px; x++) {
            const size_t i = (size_t)y * (size_t)size.width_px + (size_t)x;
            double px[2];
            lens_paper_source(size, &lens->tables.lens, x + 0.5, y + 0.5, px);
            map[i * stride] = (float)(px[0] + off_px);
            map[i * stride + y_at] = (float)(px[1] + off_px);
        }
    }
    return map;
}

static CUdeviceptr upload_map(struct cuda_lens *lens, size_t stride, size_t y_at, double off_px)
{
    struct cuda_bench *b = lens->ways.b;
    const size_t bytes = 2 * bench_image_bytes(b->pictures.size, FOVEA_FORMAT_RGBA8);
    OWNED(owned_free) float *map = make_map(lens, stride, y_at, off_px);
    const CUdeviceptr memory = cuda_ways_upload(b, map, bytes);
    return memory;
}

static void open_peers(struct cuda_lens *lens, struct peers *peers)
{
    static const double k1[LENS_PEERS_COLORS] = {LENS_PAPER_K1 - LENS_APART_K1, LENS_PAPER_K1,
                                                 LENS_PAPER_K1 + LENS_APART_K1};
    struct cuda_bench *b = lens->ways.b;
    CUDA_MUST(b, b->cu->ModuleLoadData(&peers->module, bench_lens_peers_ptx));
    for (int i = 0; i < BENCH_PICTURES; i++) {
        peers->pictures[i] = texture_of_picture(b, b->pictures.src[i]);
    }
    peers->params.width_px = lens->tables.size.width_px;
    peers->params.height_px = lens->tables.size.height_px;
    for (int i = 0; i < LENS_PEERS_COLORS; i++) {
        peers->grids[i] = make_grid(lens, k1[i]);
        peers->params.grids[i] = peers->grids[i].texture;
    }
    peers->map = upload_map(lens, 2, 1, 0.0);
    peers->params.map = peers->map;
}

static void close_peers(struct cuda_lens *lens, struct peers *peers)
{
    struct cuda_bench *b = lens->ways.b;
    for (int i = 0; i < BENCH_PICTURES; i++) {
        cuda_ways_free_texture(b, peers->pictures[i]);
    }
    for (int i = 0; i < LENS_PEERS_COLORS; i++) {
        free_grid(b, &peers->grids[i]);
    }
    CUDA_MUST(b, b->cu->MemFree(peers->map));
    CUDA_MUST(b, b->cu->ModuleUnload(peers->module));
}

static void run_textures(struct cuda_lens *lens)
{
    const struct {
        const char *kernel;
        const char *what;
        double ours_us;
        cuda_ways_check_fn check;
    } ways[] = {
        {"lens_peers_grid", "grid of 128x128, texture units", lens->ours.bilinear_us,
         cuda_lens_check_bilinear},
        {"lens_peers_grid_3", "three grids of 128x128, colours of their own", lens->ours.colors_us,
         cuda_lens_check_colors},
        {"lens_peers_map", "map of two floats a pixel, texture units", lens->ours.bilinear_us,
         cuda_lens_check_bilinear},
    };
    struct cuda_bench *b = lens->ways.b;
    struct peers peers = {0};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (!cuda_ways_want(&lens->ways, ways[i].what)) {
            continue;
        }
        if (!peers.module) {
            open_peers(lens, &peers);
        }
        CUDA_MUST(b, b->cu->ModuleGetFunction(&peers.kernel, peers.module, ways[i].kernel));
        cuda_ways_measure(&lens->ways, &(struct cuda_way){.what = ways[i].what,
                                                          .enqueue = enqueue,
                                                          .user = &peers,
                                                          .check = ways[i].check,
                                                          .check_user = lens,
                                                          .ours_us = ways[i].ours_us});
    }
    if (peers.module) {
        close_peers(lens, &peers);
    }
}

/* ---- NPP ------------------------------------------------------------------------------------- */

/* NPP's headers, which may not be there, declare these (nppdefs.h). */
struct npp_size {
    int width;
    int height;
};

struct npp_stream {
    CUstream stream;
    int device;
    int processors;
    int threads_per_processor;
    int threads_per_block;
    size_t shared_bytes_per_block;
    int capability_major;
    int capability_minor;
    unsigned stream_flags;
    int reserved;
};

/* NULL: the library is not here. */
static void *npp_function(const char *library, const char *name)
{
    static const char *const versions[] = {".so.13", ".so.12", ".so"};
    void *found = NULL;
    for (size_t i = 0; !found && i < sizeof versions / sizeof versions[0]; i++) {
        char file[64];
        snprintf(file, sizeof file, "lib%s%s", library, versions[i]);
        void *opened = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        found = opened ? dlsym(opened, name) : NULL;
    }
    return found;
}

static int attribute(struct cuda_bench *b, CUdevice_attribute which)
{
    int value = 0;
    CUDA_MUST(b, b->cu->DeviceGetAttribute(&value, which, b->device->handle));
    return value;
}

static struct npp_stream npp_stream_of(struct cuda_bench *b)
{
    return (struct npp_stream){
        .stream = b->stream,
        .device = b->device->ordinal,
        .processors = attribute(b, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .threads_per_processor = attribute(b, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        .threads_per_block = attribute(b, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .shared_bytes_per_block =
            (size_t)attribute(b, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .capability_major = attribute(b, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        .capability_minor = attribute(b, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        .stream_flags = CU_STREAM_NON_BLOCKING,
    };
}

/* NPP's headers declare this (nppi_geometry_transforms.h). */
struct npp_rect {
    int x;
    int y;
    int width;
    int height;
};

typedef int (*remap_fn)(const void *src, struct npp_size src_size, int src_step,
                        struct npp_rect src_part, const float *x, int x_step, const float *y,
                        int y_step, void *dst, int dst_step, struct npp_size dst_size,
                        int interpolation, struct npp_stream stream);

struct npp {
    remap_fn remap;
    int interpolation;
    CUdeviceptr maps;
    struct npp_stream stream;
};

static enum fovea_result enqueue_npp(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct npp *npp = user;
    const struct npp_size size = {(int)b->pictures.size->width_px,
                                  (int)b->pictures.size->height_px};
    const int step = size.width * 4;
    const float *x = (const float *)(uintptr_t)npp->maps;
    const float *y = x + (size_t)size.width * (size_t)size.height;
    const int status = npp->remap((const void *)(uintptr_t)b->pictures.src[picture], size, step,
                                  (struct npp_rect){0, 0, size.width, size.height}, x, step, y,
                                  step, (void *)(uintptr_t)b->pictures.dst[picture], step, size,
                                  npp->interpolation, npp->stream);
    return status >= 0 ? FOVEA_OK : FOVEA_ERROR_INTERNAL;
}

/* A whole number is a pixel's centre to NPP. */
static void run_npp(struct cuda_lens *lens)
{
    static const char *const names[] = {"NPP remap, nearest", "NPP remap, bilinear"};
    struct cuda_bench *b = lens->ways.b;
    struct npp npp = {0};
    void *found = npp_function("nppig", "nppiRemap_8u_C4R_Ctx");
    memcpy(&npp.remap, &found, sizeof found);
    for (int i = 0; i < 2; i++) {
        if (!cuda_ways_want(&lens->ways, names[i])) {
            continue;
        }
        if (!npp.remap) {
            results_absent(&b->bench->results, "NPP", "libnppig is not here");
            return;
        }
        if (!npp.maps) {
            const size_t count = (size_t)b->pictures.size->width_px * b->pictures.size->height_px;
            npp.maps = upload_map(lens, 1, count, -0.5);
            npp.stream = npp_stream_of(b);
        }
        npp.interpolation = i + 1; /* NPPI_INTER_NN, NPPI_INTER_LINEAR */
        cuda_ways_measure(
            &lens->ways, &(struct cuda_way){
                             .what = names[i],
                             .enqueue = enqueue_npp,
                             .user = &npp,
                             .check = i == 0 ? cuda_lens_check_untouched : cuda_lens_check_bilinear,
                             .check_user = lens,
                             .ours_us = i == 0 ? lens->ours.nearest_us : lens->ours.bilinear_us});
    }
    if (npp.maps) {
        CUDA_MUST(b, b->cu->MemFree(npp.maps));
    }
}

void cuda_lens_peers(struct cuda_lens *lens)
{
    run_textures(lens);
    run_npp(lens);
}
