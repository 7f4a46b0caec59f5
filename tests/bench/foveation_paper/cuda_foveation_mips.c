/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The pyramid of the paper's Figure 5 (foveation_mips.cu): what makes its levels and what reads
 * them is timed, as the paper does. */

#include "cuda_foveation.h"
#include "foveation_mips.h"

#include <math.h>

#define LEVELS_MOST 14
#define STEP_PX 13
/* The texture units have 8 bits of a weight for each of three axes; and the result is rounded. */
#define OFF_BY_TEXTURES 3.0

/* ---- Arrays ---------------------------------------------------------------------------------- */

struct mips {
    CUmipmappedArray array;
    CUsurfObject levels[LEVELS_MOST];
    CUtexObject texture;
};

struct mips_peer {
    struct cuda_foveation *own;
    struct foveation_law law;
    double gaze_px[2];
    CUfunction level;
    CUfunction sample;
    unsigned level_count;
    struct mips pictures[BENCH_PICTURES];
};

static PFN_cuMipmappedArrayCreate_v5000 find_create(void)
{
    PFN_cuMipmappedArrayCreate_v5000 create = NULL;
    (void)cuda_ways_find("cuMipmappedArrayCreate", &create);
    return create;
}

static void fill_finest(const struct mips_peer *peer, CUarray finest)
{
    struct cuda_bench *b = peer->own->ways.b;
    const struct bench_size *size = b->pictures.size;
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = peer->own->src,
                                .srcPitch = size->width_px * 4u,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = finest,
                                .WidthInBytes = size->width_px * 4u,
                                .Height = size->height_px};
    CUDA_MUST(b, b->cu->Memcpy2D(&copy));
}

static void make_mips(struct mips_peer *peer, struct mips *mips)
{
    struct cuda_bench *b = peer->own->ways.b;
    const CUDA_ARRAY3D_DESCRIPTOR form = {.Width = b->pictures.size->width_px,
                                          .Height = b->pictures.size->height_px,
                                          .Format = CU_AD_FORMAT_UNSIGNED_INT8,
                                          .NumChannels = 4,
                                          .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    CUDA_MUST(b, find_create()(&mips->array, &form, peer->level_count));
    for (unsigned i = 0; i < peer->level_count; i++) {
        CUarray level = NULL;
        CUDA_MUST(b, b->cu->MipmappedArrayGetLevel(&level, mips->array, i));
        const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                             .res.array.hArray = level};
        CUDA_MUST(b, b->cu->SurfObjectCreate(&mips->levels[i], &resource));
        if (i == 0) {
            fill_finest(peer, level);
        }
    }
    const CUDA_RESOURCE_DESC all = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                                    .res.mipmap.hMipmappedArray = mips->array};
    mips->texture = cuda_ways_texture_as(
        b, &all,
        (CUDA_TEXTURE_DESC){.filterMode = CU_TR_FILTER_MODE_LINEAR,
                            .mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR,
                            .maxMipmapLevelClamp = (float)(peer->level_count - 1),
                            .flags = CU_TRSF_NORMALIZED_COORDINATES});
}

static void free_mips(struct mips_peer *peer, struct mips *mips)
{
    struct cuda_bench *b = peer->own->ways.b;
    cuda_ways_free_texture(b, mips->texture);
    for (unsigned i = 0; i < peer->level_count; i++) {
        CUDA_MUST(b, b->cu->SurfObjectDestroy(mips->levels[i]));
    }
    CUDA_MUST(b, b->cu->MipmappedArrayDestroy(mips->array));
}

/* ---- Launches -------------------------------------------------------------------------------- */

static enum fovea_result launch(struct cuda_bench *b, CUfunction kernel,
                                struct foveation_mips_params params)
{
    static const unsigned block[] = {FOVEATION_MIPS_SIDE, FOVEATION_MIPS_SIDE};
    return cuda_ways_launch_over(b, kernel, params.width_px, params.height_px, block, &params);
}

static int32_t size_at(uint32_t px, unsigned level)
{
    const int32_t at = (int32_t)(px >> level);
    return at > 0 ? at : 1;
}

static enum fovea_result make_levels(struct cuda_bench *b, const struct mips_peer *peer,
                                     const struct mips *mips)
{
    const struct bench_size *size = b->pictures.size;
    enum fovea_result result = FOVEA_OK;
    for (unsigned i = 1; result == FOVEA_OK && i < peer->level_count; i++) {
        const struct foveation_mips_params params = {.from = mips->levels[i - 1],
                                                     .to = mips->levels[i],
                                                     .width_px = size_at(size->width_px, i),
                                                     .height_px = size_at(size->height_px, i)};
        result = launch(b, peer->level, params);
    }
    return result;
}

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct mips_peer *peer = user;
    const struct mips *mips = &peer->pictures[picture];
    const enum fovea_result result = make_levels(b, peer, mips);
    const struct foveation_mips_params params = {.from = mips->texture,
                                                 .to = b->pictures.dst[picture],
                                                 .width_px = (int32_t)b->pictures.size->width_px,
                                                 .height_px = (int32_t)b->pictures.size->height_px,
                                                 .gaze_x_px = (float)peer->gaze_px[0],
                                                 .gaze_y_px = (float)peer->gaze_px[1],
                                                 .sigma_at_gaze_px = (float)peer->law.at_gaze_px,
                                                 .slope = (float)peer->law.slope,
                                                 .least_px = (float)peer->law.least_px,
                                                 .most_px = (float)peer->law.most_px};
    return result == FOVEA_OK ? launch(b, peer->sample, params) : result;
}

/* ---- In double precision --------------------------------------------------------------------- */

struct pyramid {
    int32_t width[LEVELS_MOST], height[LEVELS_MOST];
    uint8_t *levels[LEVELS_MOST];
    unsigned count;
};

static void make_pyramid(const struct mips_peer *peer, struct pyramid *out)
{
    const struct bench_size *size = peer->own->ways.b->pictures.size;
    out->count = peer->level_count;
    for (unsigned i = 0; i < out->count; i++) {
        const int32_t width = out->width[i] = size_at(size->width_px, i);
        const int32_t height = out->height[i] = size_at(size->height_px, i);
        out->levels[i] = bench_memory((size_t)width * (size_t)height, 4);
        if (i == 0) {
            memcpy(out->levels[0], peer->own->src, (size_t)width * (size_t)height * 4);
            continue;
        }
        const size_t row = 4 * (size_t)out->width[i - 1];
        for (int32_t y = 0; y < height; y++) {
            for (int32_t x = 0; x < 4 * width; x++) {
                const uint8_t *a =
                    out->levels[i - 1] + 2 * (size_t)y * row + (size_t)(x / 4 * 8 + x % 4);
                out->levels[i][(size_t)y * 4 * (size_t)width + (size_t)x] =
                    (uint8_t)((a[0] + a[4] + a[row] + a[row + 4] + 2) / 4);
            }
        }
    }
}

static double tap(const struct pyramid *p, unsigned level, int32_t x, int32_t y, int channel)
{
    const int32_t last_x = p->width[level] - 1;
    const int32_t last_y = p->height[level] - 1;
    const size_t px = (size_t)(x < 0 ? 0 : x > last_x ? last_x : x);
    const size_t py = (size_t)(y < 0 ? 0 : y > last_y ? last_y : y);
    return p->levels[level][(py * (size_t)p->width[level] + px) * 4 + (size_t)channel];
}

static double bilinear(const struct pyramid *p, unsigned level, double u, double v, int channel)
{
    const double x = u * p->width[level] - 0.5;
    const double y = v * p->height[level] - 0.5;
    const int32_t left = (int32_t)floor(x);
    const int32_t above = (int32_t)floor(y);
    const double right = x - left;
    const double below = y - above;
    return (1.0 - below) * ((1.0 - right) * tap(p, level, left, above, channel) +
                            right * tap(p, level, left + 1, above, channel)) +
           below * ((1.0 - right) * tap(p, level, left, above + 1, channel) +
                    right * tap(p, level, left + 1, above + 1, channel));
}

static double exact_at(const struct mips_peer *peer, const struct pyramid *p, int32_t x, int32_t y,
                       int channel)
{
    const double distance = hypot(x + 0.5 - peer->gaze_px[0], y + 0.5 - peer->gaze_px[1]);
    const double sigma = foveation_sigma_px(&peer->law, distance);
    const double level = fmin(fmax(log2(3.14159265358979 * sigma), 0.0), p->count - 1);
    const unsigned finer = (unsigned)level < p->count - 1 ? (unsigned)level : p->count - 2;
    const double part = level - finer;
    const double u = (x + 0.5) / p->width[0];
    const double v = (y + 0.5) / p->height[0];
    return (1.0 - part) * bilinear(p, finer, u, v, channel) +
           part * bilinear(p, finer + 1, u, v, channel);
}

static bool check(void *user, const void *made, char *words, size_t bytes)
{
    const struct mips_peer *peer = user;
    const uint8_t *pixels = made;
    struct pyramid pyramid = {0};
    double worst = 0.0;
    make_pyramid(peer, &pyramid);
    for (int32_t y = 0; y < pyramid.height[0]; y += STEP_PX) {
        for (int32_t x = y % STEP_PX; x < pyramid.width[0]; x += STEP_PX) {
            const size_t i = ((size_t)y * (size_t)pyramid.width[0] + (size_t)x) * 4;
            worst = fmax(worst, fabs(pixels[i] - exact_at(peer, &pyramid, x, y, 0)));
        }
    }
    for (unsigned i = 0; i < pyramid.count; i++) {
        free(pyramid.levels[i]);
    }
    return foveation_judge(worst, OFF_BY_TEXTURES, words, bytes);
}

/* ---- All ------------------------------------------------------------------------------------- */

static void open_peer(struct mips_peer *peer)
{
    struct cuda_bench *b = peer->own->ways.b;
    const struct bench_size *size = b->pictures.size;
    const struct foveation_plan_desc desc =
        foveation_desc_of(peer->own, &(struct foveation_case){.fragment_px = 32, .strength = 1.0});
    if (!peer->own->mips) {
        CUDA_MUST(b, b->cu->ModuleLoadData(&peer->own->mips, bench_foveation_mips_ptx));
    }
    CUDA_MUST(b, b->cu->ModuleGetFunction(&peer->level, peer->own->mips, "foveation_mips_level"));
    CUDA_MUST(b, b->cu->ModuleGetFunction(&peer->sample, peer->own->mips, "foveation_mips_sample"));
    memcpy(peer->gaze_px, desc.gaze_px, sizeof peer->gaze_px);
    peer->level_count = 1;
    while ((size->height_px >> peer->level_count) >= 2 && peer->level_count < LEVELS_MOST) {
        peer->level_count++;
    }
    for (int i = 0; i < BENCH_PICTURES; i++) {
        make_mips(peer, &peer->pictures[i]);
    }
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

static void run(struct mips_peer *peer, double strength)
{
    struct cuda_bench *b = peer->own->ways.b;
    const struct bench_size *size = b->pictures.size;
    const char *what = results_words(&b->bench->results, "pyramid, strength %g, centre, %s",
                                     strength, bench_format_name(b->pictures.format));
    if (!cuda_ways_want(&peer->own->ways, what)) {
        return;
    }
    if (!peer->level_count) {
        open_peer(peer);
    }
    peer->law = foveation_law_of((int32_t)size->width_px, (int32_t)size->height_px, strength);
    cuda_ways_measure(
        &peer->own->ways,
        &(struct cuda_way){
            .what = what, .enqueue = enqueue, .user = peer, .check = check, .check_user = peer});
}

void cuda_foveation_mips(struct cuda_foveation *own)
{
    static const double strengths[] = {1.0, 0.5, 2.0, 4.0};
    struct mips_peer peer = {.own = own};
    if (!find_create()) {
        results_absent(&own->ways.b->bench->results, "pyramid",
                       "the driver has no cuMipmappedArrayCreate");
        return;
    }
    for (size_t i = 0; i < sizeof strengths / sizeof strengths[0]; i++) {
        run(&peer, strengths[i]);
    }
    for (int i = 0; peer.level_count && i < BENCH_PICTURES; i++) {
        free_mips(&peer, &peer.pictures[i]);
    }
}
