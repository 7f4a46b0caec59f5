/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Convolution by the fast Fourier transform, with cuFFT where it is installed: the picture as four
 * planes, and the kernel, laid around the corner, as a fifth. What comes out is cyclic. */

#include "thesis.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cuFFT's header, which may not be there, defines these (cufft.h). */
#define CUFFT_R2C_TYPE 0x2a
#define CUFFT_C2R_TYPE 0x2c
typedef int (*plan_many_fn)(int *plan, int rank, int *n, int *in_embed, int in_stride,
                            int in_distance, int *out_embed, int out_stride, int out_distance,
                            int type, int batch);
typedef int (*set_stream_fn)(int plan, CUstream stream);
typedef int (*exec_fn)(int plan, void *in, void *out);
typedef int (*destroy_fn)(int plan);

struct transforms {
    struct thesis *t;
    plan_many_fn plan_many;
    set_stream_fn set_stream;
    exec_fn forward, back;
    destroy_fn destroy;
    int planes_plan, kernel_plan, back_plan;
    bool opened;
    CUdeviceptr planes; /* buffer A, which has four planes' bytes */
    CUdeviceptr spectrum, kernel, kernel_spectrum;
};

static void *open_library(void)
{
    static const char *const files[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so",
                                        "/usr/local/cuda/lib64/libcufft.so"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof files / sizeof files[0]; i++) {
        library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

static bool find(struct transforms *own)
{
    void *library = open_library();
    const struct {
        const char *name;
        void *to;
    } functions[] = {{"cufftPlanMany", &own->plan_many},
                     {"cufftSetStream", &own->set_stream},
                     {"cufftExecR2C", &own->forward},
                     {"cufftExecC2R", &own->back},
                     {"cufftDestroy", &own->destroy}};
    bool all = library != NULL;
    for (size_t i = 0; all && i < sizeof functions / sizeof functions[0]; i++) {
        void *found = dlsym(library, functions[i].name);
        memcpy(functions[i].to, &found, sizeof found);
        all = found != NULL;
    }
    return all;
}

static void must(int status, const char *what)
{
    bench_need(status == 0, "cuFFT: %s: status %d", what, status);
}

static int make_plan(struct transforms *own, int type, int batch)
{
    const int side = own->t->side_px;
    int n[2] = {side, side};
    const int reals = side * side;
    const int numbers = side * (side / 2 + 1);
    const bool forward = type == CUFFT_R2C_TYPE;
    int plan = 0;
    must(own->plan_many(&plan, 2, n, NULL, 1, forward ? reals : numbers, NULL, 1,
                        forward ? numbers : reals, type, batch),
         "plan");
    must(own->set_stream(plan, own->t->ways.b->stream), "stream");
    return plan;
}

static void open_transforms(struct transforms *own)
{
    struct cuda_bench *b = own->t->ways.b;
    const size_t side = (size_t)own->t->side_px;
    const size_t plane_bytes = side * side * sizeof(float);
    const size_t number_bytes = side * (side / 2 + 1) * 2 * sizeof(float);
    own->opened = true;
    own->planes = own->t->buffers[THESIS_A].memory;
    own->spectrum = cuda_ways_upload(b, NULL, 4 * number_bytes);
    own->kernel = cuda_ways_upload(b, NULL, plane_bytes);
    own->kernel_spectrum = cuda_ways_upload(b, NULL, number_bytes);
    own->planes_plan = make_plan(own, CUFFT_R2C_TYPE, 4);
    own->kernel_plan = make_plan(own, CUFFT_R2C_TYPE, 1);
    own->back_plan = make_plan(own, CUFFT_C2R_TYPE, 4);
}

static void close_transforms(struct transforms *own)
{
    struct cuda_bench *b = own->t->ways.b;
    const CUdeviceptr memories[] = {own->spectrum, own->kernel, own->kernel_spectrum};
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        CUDA_MUST(b, b->cu->MemFree(memories[i]));
    }
    must(own->destroy(own->planes_plan), "destroy");
    must(own->destroy(own->kernel_plan), "destroy");
    must(own->destroy(own->back_plan), "destroy");
}

/* ---- A way ----------------------------------------------------------------------------------- */

static enum fovea_result status_of(int status)
{
    return status == 0 ? FOVEA_OK : FOVEA_ERROR_INTERNAL;
}

static enum fovea_result transform_kernel(struct cuda_bench *b, const struct thesis_step *step)
{
    const struct transforms *own = step->call_user;
    return status_of(own->forward(own->kernel_plan, (void *)(uintptr_t)own->kernel,
                                  (void *)(uintptr_t)own->kernel_spectrum));
}

static enum fovea_result transform_planes(struct cuda_bench *b, const struct thesis_step *step)
{
    const struct transforms *own = step->call_user;
    return status_of(own->forward(own->planes_plan, (void *)(uintptr_t)own->planes,
                                  (void *)(uintptr_t)own->spectrum));
}

static enum fovea_result transform_back(struct cuda_bench *b, const struct thesis_step *step)
{
    const struct transforms *own = step->call_user;
    return status_of(own->back(own->back_plan, (void *)(uintptr_t)own->spectrum,
                               (void *)(uintptr_t)own->planes));
}

static void add_call(struct transforms *own, struct thesis_way *way,
                     enum fovea_result (*call)(struct cuda_bench *, const struct thesis_step *))
{
    struct thesis_step *step = thesis_add(way, "blur_thesis_split", THESIS_SRC, THESIS_A);
    step->call = call;
    step->call_user = own;
}

/* A launch whose memory is not the buffers'. */
static enum fovea_result launch_beside(struct cuda_bench *b, const struct thesis_step *step)
{
    struct blur_thesis_params params = step->params;
    return cuda_ways_launch(b, step->kernel, step->grid, step->block, 0, &params);
}

static void upload_kernel(struct transforms *own, const struct exact_blur *exact)
{
    struct cuda_bench *b = own->t->ways.b;
    const int32_t side = own->t->side_px;
    const int32_t reach = exact->taps / 2;
    OWNED(owned_free) float *plane = bench_memory((size_t)side * (size_t)side, sizeof *plane);
    for (int32_t y = -reach; y <= reach; y++) {
        for (int32_t x = -reach; x <= reach; x++) {
            const size_t at =
                (size_t)((y + side) % side) * (size_t)side + (size_t)((x + side) % side);
            plane[at] += (float)(exact->weights[y + reach] * exact->weights[x + reach]);
        }
    }
    CUDA_MUST(b, b->cu->MemcpyHtoD(own->kernel, plane, (size_t)side * (size_t)side * 4));
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

static void add_steps(struct transforms *own, struct thesis_way *way, bool with_kernel)
{
    const int32_t side = own->t->side_px;
    if (with_kernel) {
        add_call(own, way, transform_kernel);
    }
    thesis_add(way, "blur_thesis_split", THESIS_SRC, THESIS_A);
    add_call(own, way, transform_planes);
    struct thesis_step *step = thesis_add(way, "blur_thesis_multiply", THESIS_SRC, THESIS_A);
    step->params.width_px = side / 2 + 1;
    step->params.weights = own->kernel_spectrum;
    step->params.dst = own->spectrum;
    step->params.factor = 1.0f / ((float)side * (float)side);
    thesis_shape(way, step, BLUR_THESIS_TILE, BLUR_THESIS_TILE);
    step->call = launch_beside;
    add_call(own, way, transform_back);
    thesis_add(way, "blur_thesis_merge", THESIS_A, THESIS_DST);
}

static void run(struct transforms *own, double sigma_px, bool with_kernel)
{
    struct thesis *t = own->t;
    const char *what = results_words(&t->ways.b->bench->results, "FFT%s, sigma %g",
                                     with_kernel ? "" : ", the kernel's kept", sigma_px);
    if (!thesis_want(t, what)) {
        return;
    }
    if (!own->opened) {
        open_transforms(own);
    }
    OWNED(thesis_end) struct thesis_way way = thesis_begin(t, what, sigma_px);
    way.exact = exact_gaussian(sigma_px);
    way.exact.kind = EXACT_CYCLIC;
    upload_kernel(own, &way.exact);
    CUDA_MUST(t->ways.b, t->ways.b->cu->StreamSynchronize(NULL));
    must(own->forward(own->kernel_plan, (void *)(uintptr_t)own->kernel,
                      (void *)(uintptr_t)own->kernel_spectrum),
         "kernel");
    add_steps(own, &way, with_kernel);
}

/* cuFFT may be there where its GPU is not. */
static int try_plan(const struct transforms *own)
{
    int n[2] = {16, 16};
    int plan = 0;
    const int status = own->plan_many(&plan, 2, n, NULL, 1, 256, NULL, 1, 144, CUFFT_R2C_TYPE, 1);
    return status != 0 ? status : own->destroy(plan);
}

void thesis_transforms(struct thesis *t)
{
    static const double sigmas[] = {3.0, 6.0, 12.0, 24.0};
    struct transforms own = {.t = t};
    if (!find(&own)) {
        results_absent(&t->ways.b->bench->results, "cuFFT", "libcufft is not here");
        return;
    }
    const int status = try_plan(&own);
    if (status != 0) {
        char words[RESULT_TEXT_BYTES];
        snprintf(words, sizeof words, "it makes no plan: status %d", status);
        results_absent(&t->ways.b->bench->results, "cuFFT", words);
        return;
    }
    for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
        run(&own, sigmas[i], true);
        run(&own, sigmas[i], false);
    }
    if (own.opened) {
        close_transforms(&own);
    }
}
