/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The paper's fourth table on a card with memory of its own: its backward way with the picture
 * copied from the host and the result back, and in memory that host and card share. By the clock
 * of the host, one frame after the other. */

#include "cuda_lens.h"

#define FRAMES 20
#define FRAMES_QUICK 3

struct frame {
    struct cuda_lens *lens;
    CUfunction kernel;
    struct lens_paper_params params;
    size_t bytes;
    void *in; /* the host's, or both's */
    void *out;
    PFN_cuMemcpyDtoHAsync_v3020 copy_back;
};

static void launch(const struct frame *frame, CUdeviceptr src, CUdeviceptr dst)
{
    struct cuda_bench *b = frame->lens->ways.b;
    struct lens_paper_params params = frame->params;
    params.src = src;
    params.dst = dst;
    static const unsigned block[] = {LENS_PAPER_SIDE, LENS_PAPER_SIDE};
    bench_must(cuda_ways_launch_over(b, frame->kernel, params.size.width_px, params.size.height_px,
                                     block, &params),
               "Ours_B");
}

/* The result's rows without a source come back, too, as the paper's do. */
static void run_copied(const struct frame *frame)
{
    struct cuda_bench *b = frame->lens->ways.b;
    const CUdeviceptr src = b->pictures.src[0];
    const CUdeviceptr dst = b->pictures.dst[0];
    CUDA_MUST(b, b->cu->MemcpyHtoDAsync(src, frame->in, frame->bytes, b->stream));
    launch(frame, src, dst);
    CUDA_MUST(b, frame->copy_back(frame->out, dst, frame->bytes, b->stream));
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
}

static void run_shared(const struct frame *frame)
{
    struct cuda_bench *b = frame->lens->ways.b;
    launch(frame, (CUdeviceptr)(uintptr_t)frame->in, (CUdeviceptr)(uintptr_t)frame->out);
    CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
}

/* The host has had both pictures before each frame: it made one, and took the last one of the
 * other. Not counted. */
static void use_on_host(const struct frame *frame, int number)
{
    memset(frame->in, number, frame->bytes);
    memset(frame->out, number, frame->bytes);
}

static void measure(const struct frame *frame, const char *what, void (*run)(const struct frame *))
{
    double us[FRAMES];
    const int count = frame->lens->ways.b->bench->wishes.quick ? FRAMES_QUICK : FRAMES;
    for (int i = -2; i < count; i++) {
        use_on_host(frame, i & 127);
        const int64_t begin_ns = fovea_time_ns();
        run(frame);
        if (i >= 0) {
            us[i] = (double)(fovea_time_ns() - begin_ns) * 1e-3;
        }
    }
    cuda_ways_clocked(&frame->lens->ways, what, us, (size_t)count, 0.0);
}

static void time_copied(struct frame *frame)
{
    struct cuda_bench *b = frame->lens->ways.b;
    if (!cuda_ways_find("cuMemcpyDtoHAsync_v2", &frame->copy_back) ||
        !cuda_ways_want(&frame->lens->ways, "Ours_B, copied there and back")) {
        return;
    }
    CUDA_MUST(b, b->cu->MemHostAlloc(&frame->in, frame->bytes, 0));
    CUDA_MUST(b, b->cu->MemHostAlloc(&frame->out, frame->bytes, 0));
    measure(frame, "Ours_B, copied there and back", run_copied);
    /* The ways that are looked at afterwards read the picture that was written over. */
    CUDA_MUST(b, b->cu->MemcpyHtoD(b->pictures.src[0], frame->lens->src, frame->bytes));
    CUDA_MUST(b, b->cu->MemFreeHost(frame->in));
    CUDA_MUST(b, b->cu->MemFreeHost(frame->out));
}

static void time_shared(struct frame *frame)
{
    struct cuda_bench *b = frame->lens->ways.b;
    PFN_cuMemAllocManaged_v6000 allocate = NULL;
    CUdeviceptr in = 0;
    CUdeviceptr out = 0;
    if (!cuda_ways_find("cuMemAllocManaged", &allocate) ||
        !cuda_ways_want(&frame->lens->ways, "Ours_B, in unified memory")) {
        return;
    }
    CUDA_MUST(b, allocate(&in, frame->bytes, CU_MEM_ATTACH_GLOBAL));
    CUDA_MUST(b, allocate(&out, frame->bytes, CU_MEM_ATTACH_GLOBAL));
    frame->in = (void *)(uintptr_t)in;
    frame->out = (void *)(uintptr_t)out;
    measure(frame, "Ours_B, in unified memory", run_shared);
    CUDA_MUST(b, b->cu->MemFree(in));
    CUDA_MUST(b, b->cu->MemFree(out));
}

void cuda_lens_memory(struct cuda_lens *lens, CUfunction backward,
                      const struct lens_paper_params *params)
{
    struct frame frame = {.lens = lens,
                          .kernel = backward,
                          .params = *params,
                          .bytes =
                              bench_image_bytes(lens->ways.b->pictures.size, FOVEA_FORMAT_RGBA8)};
    time_copied(&frame);
    time_shared(&frame);
}
