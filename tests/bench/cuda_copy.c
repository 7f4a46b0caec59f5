/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "bench_copy.h"
#include "cuda_bench.h"

#define THREADS 256
#define WORD_BYTES 16

static const struct {
    const char *name;
    uint64_t words; /* of a thread */
} shapes[CUDA_COPY_SHAPES] = {{"bench_copy_1", 1}, {"bench_copy_2", 2}, {"bench_copy_4", 4}};

void cuda_copy_load(struct cuda_bench *b)
{
    CUDA_MUST(b, b->cu->ModuleLoadData(&b->copy_module, bench_kernels_ptx));
    for (int i = 0; i < CUDA_COPY_SHAPES; i++) {
        CUDA_MUST(b, b->cu->ModuleGetFunction(&b->copies[i], b->copy_module, shapes[i].name));
        CUDA_MUST(b, b->cu->FuncLoad(b->copies[i]));
    }
}

static size_t picture_bytes(const struct cuda_pictures *pictures)
{
    return bench_image_bytes(pictures->size, pictures->format) * pictures->images;
}

static enum fovea_result enqueue_copy(struct cuda_bench *b, void *user, uint32_t picture)
{
    const int shape = *(const int *)user;
    struct bench_copy_params params = {.words = b->pictures.src[picture],
                                       .count = picture_bytes(&b->pictures) / WORD_BYTES};
    const uint64_t per_block = THREADS * shapes[shape].words;
    const unsigned blocks = (unsigned)((params.count + per_block - 1) / per_block);
    return CU_CHECK(b->device->log, b->cu,
                    b->cu->LaunchKernel(b->copies[shape], blocks, 1, 1, THREADS, 1, 1, 0, b->stream,
                                        (void *[]){&params}, NULL));
}

/* NULL: it was not measured yet. */
static const struct result *find_copy(const struct cuda_bench *b)
{
    for (size_t i = 0; i < b->bench->results.row_count; i++) {
        const struct result *row = &b->bench->results.rows[i];
        if (strcmp(row->backend, "cuda") == 0 && strcmp(row->what, "copy") == 0 &&
            row->size == b->pictures.size && row->format == b->pictures.format &&
            row->images == b->pictures.images) {
            return row;
        }
    }
    return NULL;
}

struct bench_times cuda_time_copy(struct cuda_bench *b, const char **out_way)
{
    struct bench_times best = {0};
    for (int shape = 0; shape < CUDA_COPY_SHAPES; shape++) {
        const struct bench_times times = cuda_time(b, enqueue_copy, &shape, out_way);
        if (shape == 0 || times.median_us < best.median_us) {
            best = times;
        }
    }
    return best;
}

static void time_copy(struct cuda_bench *b)
{
    const struct result *known = find_copy(b);
    if (known) {
        b->pictures.copy_us = known->times.median_us;
        b->pictures.copy_way = known->way;
        return;
    }
    struct result row = {.kind = b->pictures.images > 1 ? RESULT_BATCH : RESULT_PICTURE,
                         .backend = "cuda",
                         .size = b->pictures.size,
                         .what = "copy",
                         .format = b->pictures.format,
                         .images = b->pictures.images};
    row.times = cuda_time_copy(b, &row.way);
    b->pictures.copy_us = row.times.median_us;
    b->pictures.copy_way = row.way;
    row.reference_us = b->pictures.copy_us;
    *results_add(&b->bench->results) = row;
}

static void allocate(struct cuda_bench *b)
{
    const size_t bytes = picture_bytes(&b->pictures);
    OWNED(owned_free) void *pixels = bench_memory(bytes, 1);
    bench_draw(pixels, bytes, b->pictures.format);
    for (int i = 0; i < BENCH_PICTURES; i++) {
        CUDA_MUST(b, b->cu->MemAlloc(&b->pictures.src[i], bytes));
        CUDA_MUST(b, b->cu->MemAlloc(&b->pictures.dst[i], bytes));
        CUDA_MUST(b, b->cu->MemcpyHtoD(b->pictures.src[i], pixels, bytes));
    }
    for (int i = 0; b->pictures.surfaces && i < BENCH_PICTURES; i++) {
        b->pictures.src_arrays[i] = cuda_array_make(b);
        b->pictures.dst_arrays[i] = cuda_array_make(b);
        cuda_array_fill(b, &b->pictures.src_arrays[i], pixels);
    }
    CUDA_MUST(b, b->cu->StreamSynchronize(NULL));
}

void cuda_free_pictures(struct cuda_bench *b)
{
    for (int i = 0; i < BENCH_PICTURES && b->pictures.src[i]; i++) {
        CUDA_MUST(b, b->cu->MemFree(b->pictures.src[i]));
        CUDA_MUST(b, b->cu->MemFree(b->pictures.dst[i]));
        cuda_array_free(b, &b->pictures.src_arrays[i]);
        cuda_array_free(b, &b->pictures.dst_arrays[i]);
    }
    b->pictures = (struct cuda_pictures){0};
}

void cuda_make_pictures(struct cuda_bench *b, const struct bench_size *size,
                        enum fovea_format format, uint32_t images)
{
    cuda_free_pictures(b);
    b->pictures.size = size;
    b->pictures.format = format;
    b->pictures.images = images;
    b->pictures.surfaces =
        b->bench->wishes.surfaces && images == 1 && cuda_format_has_surfaces(format);
    allocate(b);
}

void cuda_need_pictures(struct cuda_bench *b, const struct bench_size *size,
                        enum fovea_format format, uint32_t images)
{
    const struct cuda_pictures *pictures = &b->pictures;
    if (pictures->size == size && pictures->format == format && pictures->images == images) {
        return;
    }
    cuda_make_pictures(b, size, format, images);
    time_copy(b);
}

double cuda_copy_us(const struct cuda_bench *b, const char *way)
{
    return strcmp(way, b->pictures.copy_way) == 0 ? b->pictures.copy_us : 0.0;
}

struct fovea_image cuda_image(const struct cuda_bench *b, CUdeviceptr memory)
{
    return bench_image(b->pictures.size, b->pictures.format, FOVEA_MEMORY_CUDA,
                       (void *)(uintptr_t)memory);
}
