/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "cuda_fft.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The library. Its header need not be there to build. */

typedef int handle; /* cufftHandle */

enum { R2C = 0x2a, C2R = 0x2c, D2Z = 0x6a, Z2D = 0x6c }; /* cufftType */

enum {
    SUCCESS = 0,
    ALLOC_FAILED = 2,
    SETUP_FAILED = 7,
    INVALID_DEVICE = 11,
    NOT_IMPLEMENTED = 14,
    NOT_SUPPORTED = 16
}; /* cufftResult */

#define FUNCTIONS(X)                                                                               \
    X(Create, (handle * out))                                                                      \
    X(Destroy, (handle of))                                                                        \
    X(SetAutoAllocation, (handle of, int whether))                                                 \
    X(MakePlanMany,                                                                                \
      (handle of, int rank, int *sides, int *in_sides, int in_next, int in_plane, int *out_sides,  \
       int out_next, int out_plane, int type, int count, size_t *out_work_bytes))                  \
    X(SetWorkArea, (handle of, void *work))                                                        \
    X(SetStream, (handle of, CUstream stream))                                                     \
    X(ExecR2C, (handle of, void *from, void *to))                                                  \
    X(ExecC2R, (handle of, void *from, void *to))                                                  \
    X(ExecD2Z, (handle of, void *from, void *to))                                                  \
    X(ExecZ2D, (handle of, void *from, void *to))

struct library {
#define FIELD(name, arguments) int(*name) arguments;
    FUNCTIONS(FIELD)
#undef FIELD
};

static const struct {
    const char *name;
    size_t at;
} functions[] = {
#define ENTRY(name, arguments) {"cufft" #name, offsetof(struct library, name)},
    FUNCTIONS(ENTRY)
#undef ENTRY
};

/* Never closed, as the driver. */
static struct {
    pthread_once_t once;
    struct library library;
    char problem[128];
} shared = {.once = PTHREAD_ONCE_INIT};

/* Opens the library of CUDA 13 or 12; what the program has loaded itself comes first. */
static void *open_library(void)
{
    static const char *const names[] = {"libcufft.so.12", "libcufft.so.11"};
    void *opened = NULL;
    for (int i = 0; i < 4 && !opened; i++) {
        opened = dlopen(names[i % 2], RTLD_NOW | RTLD_LOCAL | (i < 2 ? RTLD_NOLOAD : 0));
    }
    return opened;
}

static void load(void)
{
    void *opened = open_library();
    if (!opened) {
        snprintf(shared.problem, sizeof shared.problem,
                 "NVIDIA's cuFFT, and neither libcufft.so.12 nor libcufft.so.11 is there");
        return;
    }
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(opened, functions[i].name);
        if (!function) {
            snprintf(shared.problem, sizeof shared.problem,
                     "NVIDIA's cuFFT, and this libcufft.so has no %s", functions[i].name);
            dlclose(opened);
            return;
        }
        memcpy((char *)&shared.library + functions[i].at, &function, sizeof function);
    }
}

bool cuda_fft_is_there(char *out_problem, size_t bytes)
{
    pthread_once(&shared.once, load);
    snprintf(out_problem, bytes, "%s", shared.problem);
    return shared.problem[0] == '\0';
}

static enum fovea_result check(const struct cuda_device *device, int result, const char *call)
{
    if (result == SUCCESS) {
        return FOVEA_OK;
    }
    log_error(device->log, "cuda: cuFFT: %s: error %d", call, result);
    switch (result) {
    case ALLOC_FAILED:
        return FOVEA_ERROR_OUT_OF_MEMORY;
    case SETUP_FAILED: /* the driver is older than the library, for one */
    case INVALID_DEVICE:
    case NOT_IMPLEMENTED:
    case NOT_SUPPORTED:
        return FOVEA_ERROR_UNSUPPORTED;
    default:
        return FOVEA_ERROR_INTERNAL;
    }
}

#define CUFFT_TRY(device, call) FOVEA_TRY(check(device, shared.library.call, "cufft" #call))

/* ---- Sizes */

int32_t cuda_fft_length(int32_t least)
{
    for (int32_t length = least + least % 2;; length += 2) {
        int32_t left = length;
        for (int32_t factor = 2; factor <= 7; factor++) {
            while (left > 0 && left % factor == 0) {
                left /= factor;
            }
        }
        if (left == 1) {
            return length;
        }
    }
}

/* Planes that go through a transform stay in caches of 40 MB and more for the next one. */
#define TOGETHER_BYTES ((uint64_t)32 << 20)
#define TOGETHER_EACH 4 /* times as many as the next fewer */
#define MOST_PARTS 10

/* Transforms of so many planes at once. */
struct part {
    uint32_t planes;
    bool has[2];
    handle ways[2];
};

struct cuda_fft {
    struct cuda_fft_shape shape;
    uint64_t work_bytes;
    uint32_t part_count;
    struct part parts[MOST_PARTS]; /* from one plane on */
};

static void add_part(struct cuda_fft *fft, uint64_t planes)
{
    const uint64_t bytes = planes * cuda_fft_plane_bytes(&fft->shape);
    const bool fits = planes <= fft->shape.most && bytes <= TOGETHER_BYTES;
    if (fft->part_count < MOST_PARTS && (planes == 1 || fits)) {
        fft->parts[fft->part_count++].planes = (uint32_t)planes;
    }
}

static void add_parts(struct cuda_fft *fft)
{
    add_part(fft, 1);
    if (fft->shape.unit > 1) {
        add_part(fft, fft->shape.unit);
    }
    for (uint64_t planes = TOGETHER_EACH * (uint64_t)fft->shape.unit; planes <= fft->shape.most;
         planes *= TOGETHER_EACH) {
        add_part(fft, planes);
    }
}

/* ---- Making them */

static enum fovea_result make_way(const struct cuda_device *device, struct cuda_fft *fft,
                                  struct part *part, enum cuda_fft_way way)
{
    const struct cuda_fft_shape *shape = &fft->shape;
    const int types[2][2] = {{R2C, C2R}, {D2Z, Z2D}};
    int sides[2] = {shape->height, shape->width};
    int reals[2] = {shape->height, shape->width + 2};
    int complexes[2] = {shape->height, shape->width / 2 + 1};
    int *in = way == CUDA_FFT_THERE ? reals : complexes;
    int *out = way == CUDA_FFT_THERE ? complexes : reals;
    size_t work_bytes = 0;
    CUFFT_TRY(device, Create(&part->ways[way]));
    part->has[way] = true;
    CUFFT_TRY(device, SetAutoAllocation(part->ways[way], 0));
    CUFFT_TRY(device,
              MakePlanMany(part->ways[way], 2, sides, in, 1, in[0] * in[1], out, 1, out[0] * out[1],
                           types[shape->precise][way], (int)part->planes, &work_bytes));
    fft->work_bytes = work_bytes > fft->work_bytes ? work_bytes : fft->work_bytes;
    return FOVEA_OK;
}

static enum fovea_result make_parts(const struct cuda_device *device, struct cuda_fft *fft)
{
    add_parts(fft);
    for (uint32_t i = 0; i < fft->part_count; i++) {
        FOVEA_TRY(make_way(device, fft, &fft->parts[i], CUDA_FFT_THERE));
        FOVEA_TRY(make_way(device, fft, &fft->parts[i], CUDA_FFT_BACK));
    }
    return FOVEA_OK;
}

enum fovea_result cuda_fft_create(const struct cuda_device *device,
                                  const struct cuda_fft_shape *shape, struct cuda_fft **out_fft)
{
    char problem[sizeof shared.problem];
    *out_fft = NULL;
    if (!cuda_fft_is_there(problem, sizeof problem)) {
        log_error(device->log, "cuda: Fourier transforms need %s", problem);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    *out_fft = calloc(1, sizeof **out_fft);
    if (!*out_fft) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    (*out_fft)->shape = *shape;
    const enum fovea_result result = make_parts(device, *out_fft);
    if (result < 0) {
        cuda_fft_destroy(device, out_fft);
    }
    return result;
}

void cuda_fft_destroy(const struct cuda_device *device, struct cuda_fft **fft)
{
    struct cuda_fft *gone = *fft;
    for (uint32_t i = 0; gone && i < 2 * gone->part_count; i++) {
        const struct part *part = &gone->parts[i / 2];
        if (part->has[i % 2]) {
            (void)check(device, shared.library.Destroy(part->ways[i % 2]), "cufftDestroy");
        }
    }
    cuda_fft_abandon(fft);
}

void cuda_fft_abandon(struct cuda_fft **fft)
{
    free(*fft);
    *fft = NULL;
}

uint64_t cuda_fft_work_bytes(const struct cuda_fft *fft)
{
    return fft->work_bytes;
}

enum fovea_result cuda_fft_set_work(const struct cuda_device *device, const struct cuda_fft *fft,
                                    CUdeviceptr work)
{
    for (uint32_t i = 0; i < 2 * fft->part_count; i++) {
        CUFFT_TRY(device, SetWorkArea(fft->parts[i / 2].ways[i % 2], (void *)(uintptr_t)work));
    }
    return FOVEA_OK;
}

/* ---- Running them */

static const struct part *part_of(const struct cuda_fft *fft, uint32_t planes)
{
    uint32_t i = fft->part_count - 1;
    while (i > 0 && fft->parts[i].planes > planes) {
        i--;
    }
    return &fft->parts[i];
}

uint32_t cuda_fft_together(const struct cuda_fft *fft, uint32_t planes)
{
    return part_of(fft, planes)->planes;
}

/* The stream is a number in the handle until the next run. */
enum fovea_result cuda_fft_run(const struct cuda_device *device, const struct cuda_fft *fft,
                               enum cuda_fft_way way, uint32_t together, CUdeviceptr planes,
                               CUstream stream)
{
    const handle of = part_of(fft, together)->ways[way];
    void *memory = (void *)(uintptr_t)planes;
    CUFFT_TRY(device, SetStream(of, stream));
    if (fft->shape.precise && way == CUDA_FFT_THERE) {
        CUFFT_TRY(device, ExecD2Z(of, memory, memory));
    } else if (fft->shape.precise) {
        CUFFT_TRY(device, ExecZ2D(of, memory, memory));
    } else if (way == CUDA_FFT_THERE) {
        CUFFT_TRY(device, ExecR2C(of, memory, memory));
    } else {
        CUFFT_TRY(device, ExecC2R(of, memory, memory));
    }
    return FOVEA_OK;
}
