/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Measures the way from the CPU's memory to the CPU's memory, which the paper's 165 Hz are: pinned
 * memory, one picture after the other; and with copies of other pictures beside each kernel. The
 * clock on the wall times it. */

#include "cuda_foveation.h"

#define SLOTS 4
#define ROUNDS 9
#define FRAMES 48
#define FRAMES_QUICK 8

struct slot {
    void *in, *out; /* pinned */
    CUevent copied_in, foveated, copied_out;
};

struct traffic {
    struct cuda_foveation *own;
    cuda_enqueue_fn enqueue;
    void *user;
    size_t bytes;
    CUstream in, out;
    struct slot slots[SLOTS];
    PFN_cuMemcpyDtoHAsync_v3020 copy_back;
};

static void open_traffic(struct traffic *t)
{
    struct cuda_bench *b = t->own->ways.b;
    CUDA_MUST(b, b->cu->StreamCreateWithPriority(&t->in, CU_STREAM_NON_BLOCKING, 0));
    CUDA_MUST(b, b->cu->StreamCreateWithPriority(&t->out, CU_STREAM_NON_BLOCKING, 0));
    for (int i = 0; i < SLOTS; i++) {
        struct slot *slot = &t->slots[i];
        CUDA_MUST(b, b->cu->MemHostAlloc(&slot->in, t->bytes, 0));
        CUDA_MUST(b, b->cu->MemHostAlloc(&slot->out, t->bytes, 0));
        memcpy(slot->in, t->own->src, t->bytes);
        CUDA_MUST(b, b->cu->EventCreate(&slot->copied_in, CU_EVENT_DISABLE_TIMING));
        CUDA_MUST(b, b->cu->EventCreate(&slot->foveated, CU_EVENT_DISABLE_TIMING));
        CUDA_MUST(b, b->cu->EventCreate(&slot->copied_out, CU_EVENT_DISABLE_TIMING));
    }
}

static void close_traffic(struct traffic *t)
{
    struct cuda_bench *b = t->own->ways.b;
    for (int i = 0; i < SLOTS; i++) {
        struct slot *slot = &t->slots[i];
        CUDA_MUST(b, b->cu->EventDestroy(slot->copied_in));
        CUDA_MUST(b, b->cu->EventDestroy(slot->foveated));
        CUDA_MUST(b, b->cu->EventDestroy(slot->copied_out));
        CUDA_MUST(b, b->cu->MemFreeHost(slot->in));
        CUDA_MUST(b, b->cu->MemFreeHost(slot->out));
    }
    CUDA_MUST(b, b->cu->StreamDestroy(t->in));
    CUDA_MUST(b, b->cu->StreamDestroy(t->out));
}

static void one_by_one(struct traffic *t, int frames)
{
    struct cuda_bench *b = t->own->ways.b;
    for (int i = 0; i < frames; i++) {
        const struct slot *slot = &t->slots[i % SLOTS];
        const uint32_t picture = (uint32_t)(i % SLOTS);
        CUDA_MUST(b,
                  b->cu->MemcpyHtoDAsync(b->pictures.src[picture], slot->in, t->bytes, b->stream));
        bench_must(t->enqueue(b, t->user, picture), "foveation");
        CUDA_MUST(b, t->copy_back(slot->out, b->pictures.dst[picture], t->bytes, b->stream));
        CUDA_MUST(b, b->cu->StreamSynchronize(b->stream));
    }
}

/* A slot's events say the same of its first picture as of later ones. */
static void overlapped(struct traffic *t, int frames)
{
    struct cuda_bench *b = t->own->ways.b;
    for (int i = 0; i < frames; i++) {
        const struct slot *slot = &t->slots[i % SLOTS];
        const uint32_t picture = (uint32_t)(i % SLOTS);
        CUDA_MUST(b, b->cu->StreamWaitEvent(t->in, slot->foveated, 0));
        CUDA_MUST(b, b->cu->MemcpyHtoDAsync(b->pictures.src[picture], slot->in, t->bytes, t->in));
        CUDA_MUST(b, b->cu->EventRecord(slot->copied_in, t->in));
        CUDA_MUST(b, b->cu->StreamWaitEvent(b->stream, slot->copied_in, 0));
        CUDA_MUST(b, b->cu->StreamWaitEvent(b->stream, slot->copied_out, 0));
        bench_must(t->enqueue(b, t->user, picture), "foveation");
        CUDA_MUST(b, b->cu->EventRecord(slot->foveated, b->stream));
        CUDA_MUST(b, b->cu->StreamWaitEvent(t->out, slot->foveated, 0));
        CUDA_MUST(b, t->copy_back(slot->out, b->pictures.dst[picture], t->bytes, t->out));
        CUDA_MUST(b, b->cu->EventRecord(slot->copied_out, t->out));
    }
    CUDA_MUST(b, b->cu->StreamSynchronize(t->out));
}

static void measure(struct traffic *t, const char *what, void (*run)(struct traffic *, int))
{
    double us[ROUNDS];
    const struct wishes *wishes = &t->own->ways.b->bench->wishes;
    const int frames = wishes->quick || wishes->check ? FRAMES_QUICK : FRAMES;
    if (!cuda_ways_want(&t->own->ways, what)) {
        return;
    }
    run(t, frames);
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t begin_ns = fovea_time_ns();
        run(t, frames);
        us[i] = (double)(fovea_time_ns() - begin_ns) * 1e-3 / frames;
    }
    cuda_ways_clocked(&t->own->ways, what, us, ROUNDS, 0.0);
}

static void run_way(struct cuda_foveation *own, const char *name, cuda_enqueue_fn enqueue,
                    void *user)
{
    struct cuda_bench *b = own->ways.b;
    OWNED(close_traffic)
    struct traffic t = {.own = own,
                        .enqueue = enqueue,
                        .user = user,
                        .bytes = bench_image_bytes(b->pictures.size, b->pictures.format)};
    const char *format = bench_format_name(b->pictures.format);
    if (!cuda_ways_find("cuMemcpyDtoHAsync_v2", &t.copy_back)) {
        return;
    }
    open_traffic(&t);
    measure(&t, results_words(&b->bench->results, "%s, copied there and back, %s", name, format),
            one_by_one);
    measure(&t, results_words(&b->bench->results, "%s, copied beside others, %s", name, format),
            overlapped);
}

static enum fovea_result nothing(struct cuda_bench *b, void *user, uint32_t picture)
{
    return FOVEA_OK;
}

void cuda_foveation_memory(struct cuda_foveation *own)
{
    const struct foveation_case blocks = {.fragment_px = 32, .strength = 1.0};
    const struct foveation_case pixels = {.strength = 1.0};
    struct cuda_bench *b = own->ways.b;
    OWNED(owned_free) struct foveation_kernel *kernel = bench_memory(1, sizeof *kernel);
    struct foveation_ours ours;
    run_way(own, "copies alone", nothing, NULL);
    foveation_kernel_make(own, "foveation_paper_all", FOVEATION_PAPER_THREADS, 1, &blocks, kernel);
    run_way(own, "the paper's kernel", foveation_kernel_enqueue, kernel);
    foveation_kernel_free(kernel);
    foveation_ours_make(own, &blocks, &ours);
    run_way(own, "Fovea, blockwise", cuda_enqueue, &ours.prepared);
    foveation_ours_free(b, &ours);
    foveation_ours_make(own, &pixels, &ours);
    run_way(own, "Fovea, smooth", cuda_enqueue, &ours.prepared);
    foveation_ours_free(b, &ours);
}
