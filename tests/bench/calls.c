/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_calls: what a batch in CUDA memory costs the processor, until the call returns, and which
 * functions of the driver it calls. The device has time to do all work before the next few calls
 * come, so that nobody waits for a queue.
 *
 *     fovea_calls          1,024 images, as agents see them
 *     fovea_calls --quick  four, once: that it runs
 *     fovea_calls --dry    launches nothing: what is Fovea's own, on a driver that stands for one
 */

#include "fovea.h"

#include "kernels/cuda/cuda_device.h"
#include "tests/support/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call) must((call) == 0, #call)
#define ROUNDS 64
#define CALLS_A_ROUND 4 /* before the device is waited for */

static void must(bool worked, const char *what)
{
    if (!worked) {
        fprintf(stderr, "fovea_calls: %s failed\n", what);
        exit(EXIT_FAILURE);
    }
}

/* ---- The driver, counted */

static struct cuda_driver real; /* before that */
static double driver_us;
static bool dry;

/* X(name, parameters, arguments) */
#define COUNTED(X)                                                                                 \
    X(CtxPushCurrent, (CUcontext a), (a))                                                          \
    X(CtxPopCurrent, (CUcontext * a), (a))                                                         \
    X(CtxGetCurrent, (CUcontext * a), (a))                                                         \
    X(ThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * a), (a))                             \
    X(StreamGetCaptureInfo,                                                                        \
      (CUstream a, CUstreamCaptureStatus * b, cuuint64_t * c, CUgraph * d, const CUgraphNode **e,  \
       size_t *f),                                                                                 \
      (a, b, c, d, e, f))                                                                          \
    X(PointerGetAttributes, (unsigned a, CUpointer_attribute *b, void **c, CUdeviceptr d),         \
      (a, b, c, d))                                                                                \
    X(StreamQuery, (CUstream a), (a))                                                              \
    X(StreamWaitEvent, (CUstream a, CUevent b, unsigned c), (a, b, c))                             \
    X(EventQuery, (CUevent a), (a))                                                                \
    X(EventRecord, (CUevent a, CUstream b), (a, b))                                                \
    X(MemAlloc, (CUdeviceptr * a, size_t b), (a, b))                                               \
    X(MemFree, (CUdeviceptr a), (a))                                                               \
    X(MemsetD8Async, (CUdeviceptr a, unsigned char b, size_t c, CUstream d), (a, b, c, d))         \
    X(LaunchKernel,                                                                                \
      (CUfunction a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g,       \
       unsigned h, CUstream i, void **j, void **k),                                                \
      (a, b, c, d, e, f, g, h, i, j, k))                                                           \
    X(LaunchKernelEx, (const CUlaunchConfig *a, CUfunction b, void **c, void **d), (a, b, c, d))

#define PLACE(name, parameters, arguments) AT_##name,
enum { COUNTED(PLACE) PLACES };

static struct {
    const char *name;
    unsigned count;
} called[PLACES] = {
#define ENTRY(name, parameters, arguments) {#name, 0},
    COUNTED(ENTRY)};

#define WRAPPER(name, parameters, arguments)                                                       \
    static CUresult CUDAAPI counted_##name parameters                                              \
    {                                                                                              \
        const double begin_us = now_us();                                                          \
        const CUresult result = real.name arguments;                                               \
        driver_us += now_us() - begin_us;                                                          \
        called[AT_##name].count++;                                                                 \
        return result;                                                                             \
    }
/* The parameters are CUDA's. NOLINTBEGIN(readability-function-size) */
COUNTED(WRAPPER)

static CUresult CUDAAPI launch_nothing(CUfunction function, unsigned grid_x, unsigned grid_y,
                                       unsigned grid_z, unsigned block_x, unsigned block_y,
                                       unsigned block_z, unsigned shared_bytes, CUstream stream,
                                       void **params, void **extra)
{
    return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
/* NOLINTEND(readability-function-size) */

static CUresult CUDAAPI launch_nothing_early(const CUlaunchConfig *config, CUfunction function,
                                             void **params, void **extra)
{
    return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Contexts copy this table when they open a device; nobody has opened one yet. */
static void count_the_driver(const struct cuda_driver *driver)
{
    struct cuda_driver *counted = (struct cuda_driver *)(uintptr_t)driver;
    real = *driver;
    if (dry) {
        real.LaunchKernel = launch_nothing;
        real.LaunchKernelEx = launch_nothing_early;
    }
#define REPLACE(name, parameters, arguments) counted->name = counted_##name;
    COUNTED(REPLACE)
}

/* ---- Batches */

struct kind {
    uint32_t width_px;
    uint32_t height_px;
    bool gazes_on_device;
};

static const struct kind kinds[] = {
    {64, 64, true},   {84, 84, true},   {84, 84, false},  {96, 96, true},
    {128, 128, true}, {160, 120, true}, {224, 224, true}, {256, 256, true},
};

struct calls {
    struct fovea_context *context;
    CUstream stream;
    uint32_t count;
    uint32_t rounds;
};

static double call(const struct calls *c, const struct fovea_batch *batch)
{
    const double begin_us = now_us();
    MUST(fovea_context_run_batch(c->context, batch, c->stream));
    return now_us() - begin_us;
}

static void report(const struct kind *kind, const struct calls *c, double *us, uint32_t number)
{
    printf("%u x %ux%ux3, gazes on the %s: %.1f us (nine in ten below %.1f); in the driver %.1f:",
           c->count, kind->width_px, kind->height_px, kind->gazes_on_device ? "device" : "host",
           quantile(us, number, 0.5), quantile(us, number, 0.9), driver_us / number);
    for (int i = 0; i < PLACES; i++) {
        if (called[i].count > 0) {
            printf(" %s %.3g", called[i].name, (double)called[i].count / number);
        }
    }
    printf("\n");
}

/* The first calls make what later ones find. */
static void measure(const struct kind *kind, const struct calls *c, const struct fovea_batch *batch)
{
    double us[ROUNDS * CALLS_A_ROUND];
    uint32_t number = 0;
    for (uint32_t round = 0; round <= c->rounds; round++) {
        if (round == 1) {
            driver_us = 0.0;
            for (int i = 0; i < PLACES; i++) {
                called[i].count = 0;
            }
        }
        for (int i = 0; i < CALLS_A_ROUND; i++) {
            const double took_us = call(c, batch);
            if (round > 0) {
                us[number++] = took_us;
            }
        }
        MUST(real.StreamSynchronize(c->stream));
    }
    report(kind, c, us, number);
}

static void *memory_of(size_t bytes, int value)
{
    CUdeviceptr memory = 0;
    MUST(real.MemAlloc(&memory, bytes));
    MUST(real.MemsetD8(memory, (unsigned char)value, bytes));
    return (void *)(uintptr_t)memory;
}

static void free_memory(const void *memory)
{
    MUST(real.MemFree((CUdeviceptr)(uintptr_t)memory));
}

static void run_kind(const struct kind *kind, const struct calls *c)
{
    const size_t image_bytes = (size_t)3 * kind->width_px * kind->height_px;
    const size_t gaze_bytes = 2 * sizeof(float) * c->count;
    struct fovea_batch batch;
    fovea_batch_init(&batch);
    batch.count = c->count;
    batch.src = (struct fovea_image){.data = memory_of(image_bytes * c->count, 128),
                                     .width_px = kind->width_px,
                                     .height_px = kind->height_px,
                                     .format = FOVEA_FORMAT_RGB8,
                                     .memory = FOVEA_MEMORY_CUDA,
                                     .row_stride_bytes = (ptrdiff_t)kind->width_px * 3};
    batch.dst = batch.src;
    batch.dst.data = memory_of(image_bytes * c->count, 0);
    batch.src_next_bytes = batch.dst_next_bytes = (ptrdiff_t)image_bytes;
    float *host = calloc(1, gaze_bytes);
    must(host, "memory");
    void *device = memory_of(gaze_bytes, 0);
    batch.gazes_uv = kind->gazes_on_device ? device : host;
    batch.gazes_memory = kind->gazes_on_device ? FOVEA_MEMORY_CUDA : FOVEA_MEMORY_CPU;
    measure(kind, c, &batch);
    free_memory(batch.src.data);
    free_memory(batch.dst.data);
    free_memory(device);
    free(host);
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    dry = argc > 1 && strcmp(argv[1], "--dry") == 0;
    struct calls c = {.count = quick ? 4 : 1024, .rounds = quick ? 1 : ROUNDS};
    struct cuda_device *device = NULL;
    const struct cuda_driver *driver = NULL;
    const struct fovea_log none = {0};
    if (cuda_driver_get(none, &driver) != FOVEA_OK) {
        fprintf(stderr, "fovea_calls: no CUDA driver\n");
        return 77;
    }

    count_the_driver(driver);
    MUST(cuda_device_create(0, none, &device));
    MUST(cuda_device_push(device));
    MUST(cuda_device_create_stream(device, &c.stream));
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    MUST(fovea_context_create(&desc, &c.context));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        run_kind(&kinds[i], &c);
    }
    fovea_context_destroy(&c.context);
    MUST(real.StreamDestroy(c.stream));
    cuda_device_pop(device);
    cuda_device_destroy(&device);
    return 0;
}
