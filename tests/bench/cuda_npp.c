/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What one would use without Fovea: the same Gaussian everywhere, by NVIDIA's NPP where it is
 * installed. sigma is 5 px, about the middle of what the paper's law asks for; 31 taps each way. */

#include "cuda_bench.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIGMA_PX 5.0
#define RADIUS_PX 15
#define TAPS (2 * RADIUS_PX + 1)
#define BORDER_REPLICATE 2

/* As NPP's headers have it (nppi_filtering_functions.h). */
struct npp_point {
    int x;
    int y;
};

typedef int (*gauss_fn)(const void *src, int src_step, struct npp_size src_size,
                        struct npp_point src_offset, void *dst, int dst_step,
                        struct npp_size dst_size, int tap_count, const float *taps, int border,
                        struct npp_stream stream);

struct npp {
    gauss_fn gauss;
    struct npp_stream stream;
    CUdeviceptr taps;
};

void *cuda_npp_function(const char *library, const char *name)
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

struct npp_stream cuda_npp_stream(struct cuda_bench *b)
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

static void upload_taps(struct cuda_bench *b, struct npp *npp)
{
    float taps[TAPS];
    double sum = 0.0;
    for (int i = 0; i < TAPS; i++) {
        const double x = (i - RADIUS_PX) / SIGMA_PX;
        taps[i] = (float)exp(-0.5 * x * x);
        sum += taps[i];
    }
    for (int i = 0; i < TAPS; i++) {
        taps[i] = (float)(taps[i] / sum);
    }
    CUDA_MUST(b, b->cu->MemAlloc(&npp->taps, sizeof taps));
    CUDA_MUST(b, b->cu->MemcpyHtoD(npp->taps, taps, sizeof taps));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

static enum fovea_result enqueue(struct cuda_bench *b, void *user, uint32_t picture)
{
    const struct npp *npp = user;
    const struct npp_size size = {(int)b->pictures.size->width_px,
                                  (int)b->pictures.size->height_px};
    const int step = size.width * 4;
    const int status =
        npp->gauss((const void *)(uintptr_t)b->pictures.src[picture], step, size,
                   (struct npp_point){0, 0}, (void *)(uintptr_t)b->pictures.dst[picture], step,
                   size, TAPS, (const float *)(uintptr_t)npp->taps, BORDER_REPLICATE, npp->stream);
    return status >= 0 ? FOVEA_OK : FOVEA_ERROR_INTERNAL;
}

static double ours_us(const struct results *results, const struct bench_size *size)
{
    for (size_t i = 0; i < results->row_count; i++) {
        const struct result *row = &results->rows[i];
        if (strcmp(row->backend, "cuda") == 0 && row->size == size && row->gaze &&
            strcmp(row->gaze, "centre") == 0 && strcmp(row->what, "smooth") == 0) {
            return row->times.median_us;
        }
    }
    return 0.0;
}

static void run_size(struct cuda_bench *b, struct npp *npp, const struct bench_size *size)
{
    cuda_need_pictures(b, size, FOVEA_FORMAT_RGBA8, 1);
    struct result row = {.kind = RESULT_BESIDE,
                         .backend = "npp",
                         .size = size,
                         .what = "Gaussian, sigma 5 px everywhere",
                         .format = FOVEA_FORMAT_RGBA8,
                         .images = 1,
                         .reference_us = ours_us(&b->bench->results, size)};
    row.times = cuda_time(b, enqueue, npp, &row.way);
    *results_add(&b->bench->results) = row;
}

static void open_npp(struct cuda_bench *b, struct npp *npp)
{
    void *found = cuda_npp_function("nppif", "nppiFilterGaussAdvancedBorder_8u_C4R_Ctx");
    memcpy(&npp->gauss, &found, sizeof found);
    if (npp->gauss) {
        npp->stream = cuda_npp_stream(b);
        upload_taps(b, npp);
    } else {
        results_absent(&b->bench->results, "NPP", "libnppif is not here");
    }
}

bool cuda_npp(struct cuda_bench *b)
{
    struct npp npp = {0};
    size_t count = 0;
    const struct bench_size *sizes = bench_sizes(b->bench->wishes.quick, &count);
    for (size_t i = 0; i < count; i++) {
        char name[RESULT_NAME_BYTES];
        snprintf(name, sizeof name, "npp/%s/gauss", sizes[i].name);
        if (!bench_wants(b->bench, name)) {
            continue;
        }
        if (!cuda_open(b)) {
            return false;
        }
        if (!npp.gauss) {
            open_npp(b, &npp);
        }
        if (!npp.gauss) {
            return true;
        }
        bench_say("%s", name);
        run_size(b, &npp, &sizes[i]);
    }
    if (npp.taps) {
        CUDA_MUST(b, b->cu->MemFree(npp.taps));
    }
    return true;
}
