/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CSDD on a CUDA device beside the processor's: responses and lists. */

#include "cuda_fixture.h"

#include "core/thread_pool.h"
#include "kernels/image/image_slice.h"
#include "kernels/saliency/cuda/saliency_cuda.h"
#include "random.h"

#define BLOBS 3000
struct row {
    uint32_t width, height;
    enum fovea_format format;
    enum image_pattern pattern;
    bool gaps; /* between pixels and rows, which go up */
    uint32_t scales;
    double sigma_min_px;
    bool slow; /* without a GPU */
};

static struct fovea_blobs_desc desc_of(const struct row *row)
{
    struct fovea_blobs_desc desc;
    fovea_blobs_desc_init(&desc);
    desc.scale_count = row->scales;
    desc.sigma_min_px = row->sigma_min_px;
    desc.blob_max = BLOBS;
    desc.threshold = 0.02;
    desc.cpu_threads = 2;
    desc.log = fixture.log;
    return desc;
}

struct found {
    uint32_t count;
    struct fovea_blob of[BLOBS];
};

static void find(struct fovea_blobs *blobs, const struct fovea_image *image, struct found *out)
{
    assert_ok(fovea_blobs_run(blobs, image, 1, 0, out->of, &out->count, fixture.stream));
}

/* Blobs are the same to the last bit, in the same order. */
static void assert_same_lists(const struct found *a, const struct found *b, const char *what)
{
    assert_that(a->count == b->count, "%s: %u blobs on the processor, %u here", what, a->count,
                b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct fovea_blob *own = &a->of[i];
        assert_that(memcmp(own, &b->of[i], sizeof *own) == 0,
                    "%s: blob %u of the processor's %u (%g %g, sigma %g, %g) is another here", what,
                    i, a->count, (double)own->x_px, (double)own->y_px, (double)own->sigma_px,
                    (double)own->strength);
    }
}

static void assert_same_responses(struct fovea_blobs *cpu, struct fovea_blobs *cuda,
                                  const struct row *row, const char *what)
{
    const size_t count = (size_t)row->width * row->height;
    const ptrdiff_t pitch = (ptrdiff_t)(row->width * sizeof(float));
    OWNED(owned_free) float *a = calloc(count, sizeof *a);
    OWNED(owned_free) float *b = calloc(count, sizeof *b);
    for (uint32_t k = 0; k < row->scales; k++) {
        assert_ok(fovea_blobs_response(cpu, k, a, pitch));
        assert_ok(fovea_blobs_response(cuda, k, b, pitch));
        for (size_t i = 0; i < count; i++) {
            assert_that(a[i] == b[i], "%s: scale %u, number %zu is %g on the processor, %g here",
                        what, k, i, (double)a[i], (double)b[i]);
        }
    }
}

static void compare(const struct row *row)
{
    const struct fovea_blobs_desc desc = desc_of(row);
    const struct image_layout gaps = {.bottom_up = true, .row_gap = 3, .pixel_gap = 1};
    OWNED_IMAGE host = image_make(row->width, row->height, row->format,
                                  row->gaps ? gaps : (struct image_layout){0});
    image_draw(&host.view, row->pattern, 7);
    OWNED(device_image_free) struct device_image device = device_image_make(&host, 0);
    OWNED(fovea_blobs_destroy) struct fovea_blobs *cpu = NULL;
    OWNED(fovea_blobs_destroy) struct fovea_blobs *cuda = NULL;
    OWNED(owned_test_free) struct found *found = test_calloc(2, sizeof *found);
    const char *what = test_text("%ux%u, format %d, %s", row->width, row->height, (int)row->format,
                                 image_pattern_name(row->pattern));
    assert_ok(fovea_blobs_create(&desc, &cpu));
    assert_ok(fovea_blobs_create(&desc, &cuda));
    find(cpu, &host.view, &found[0]);
    find(cuda, &device.view, &found[1]);
    assert_same_responses(cpu, cuda, row, what);
    assert_same_lists(&found[0], &found[1], what);
}

TEST(responses_and_lists_are_the_processors)
{
    static const struct row rows[] = {
        {70, 52, FOVEA_FORMAT_RGB8, IMAGE_PHOTO, true, 11, 2.0, false},
        {33, 90, FOVEA_FORMAT_R32F, IMAGE_ZONE_PLATE, false, 13, 2.0, false},
        {1, 1, FOVEA_FORMAT_RGBA8, IMAGE_RANDOM, false, 19, 2.0, false},
        {5, 3, FOVEA_FORMAT_RGBA16F, IMAGE_RANDOM, false, 25, 1.0, false},
        {40, 37, FOVEA_FORMAT_A2B10G10R10, IMAGE_STROKES, false, 7, 5.0, false},
        {150, 131, FOVEA_FORMAT_RGBA8, IMAGE_PHOTO, false, 10, 1.3, true},
        {67, 201, FOVEA_FORMAT_R8, IMAGE_CHECKER, false, 19, 3.9, true},
        {90, 70, FOVEA_FORMAT_B10G11R11F, IMAGE_RANDOM, false, 8, 2.0, true},
        {64, 64, FOVEA_FORMAT_RGBA32F, IMAGE_PHOTO, true, 9, 2.0, true},
        {64, 65, FOVEA_FORMAT_RGB16F, IMAGE_PHOTO, true, 9, 2.0, true},
        {63, 64, FOVEA_FORMAT_RGB32F, IMAGE_STROKES, false, 25, 64.0, true},
        {64, 63, FOVEA_FORMAT_R16F, IMAGE_PHOTO, false, 9, 2.5, true},
        {640, 480, FOVEA_FORMAT_RGB8, IMAGE_PHOTO, false, 19, 2.0, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!fixture.quick || !rows[i].slow) {
            compare(&rows[i]);
        }
    }
}

#define IMAGES 5
#define SIDE 48
#define PLACES 10 /* of candidates, at first */

/* Lists of the processor and of the device, of images one after the other. */
struct both {
    struct found lists[2];
    struct fovea_blob found[IMAGES * BLOBS];
    uint32_t counts[IMAGES];
    unsigned char bytes[IMAGES * SIDE * SIDE];
};

static void find_on_device(struct saliency_cuda *cuda, const struct fovea_image *image,
                           struct thread_pool *pool, struct both *both)
{
    const struct saliency_cuda_run run = {.src = image,
                                          .image_count = IMAGES,
                                          .src_next_bytes = SIDE * SIDE,
                                          .stream = fixture.stream,
                                          .pool = pool,
                                          .out_blobs = both->found,
                                          .out_counts = both->counts};
    assert_ok(saliency_cuda_find(cuda, &run));
}

static void assert_lists_of(struct saliency_cpu *cpu, const struct fovea_image *image,
                            struct both *both, uint32_t at_once)
{
    for (uint32_t i = 0; i < IMAGES; i++) {
        const struct fovea_image own = image_of_batch(image, SIDE * SIDE, i);
        both->lists[0].count = saliency_cpu_run(cpu, &own, both->lists[0].of);
        both->lists[1].count = both->counts[i];
        memcpy(both->lists[1].of, both->found + (size_t)i * BLOBS, sizeof both->lists[1].of);
        assert_true(both->lists[0].count > PLACES);
        assert_same_lists(&both->lists[0], &both->lists[1],
                          test_text("image %u, %u at once", i, at_once));
    }
}

/* Makes memory for so many of the images at once. */
static void reserve_at_once(struct saliency_cuda *cuda, const struct saliency_plan *plan,
                            uint32_t images)
{
    cuda->most_bytes = 0;
    do {
        saliency_cuda_forget(cuda);
        cuda->most_bytes += 1 << 17;
        assert_ok(saliency_cuda_reserve(cuda, plan, 1, IMAGES));
    } while (cuda->images < images);
    assert_int_equal(cuda->images, images);
}

/* More candidates than come back unasked, and than there are places for; images that are begun
 * while others are done. */
TEST(batches_are_single_images_and_of_many_candidates_none_is_lost)
{
    const struct saliency_numbers numbers = {8, BLOBS, 1.0, -1.0, 1.0};
    OWNED(owned_test_free) struct both *both = test_calloc(1, sizeof *both);
    struct fovea_image image = {.data = both->bytes,
                                .width_px = SIDE,
                                .height_px = SIDE,
                                .format = FOVEA_FORMAT_R8,
                                .row_stride_bytes = SIDE};
    OWNED(thread_pool_destroy) struct thread_pool *pool = NULL;
    OWNED(saliency_plan_destroy) struct saliency_plan *plan = NULL;
    OWNED(saliency_cpu_destroy) struct saliency_cpu *cpu = NULL;
    OWNED(saliency_cuda_destroy) struct saliency_cuda *cuda = NULL;
    CUdeviceptr memory = 0;
    uint64_t random = 3;
    for (size_t i = 0; i < sizeof both->bytes; i++) {
        both->bytes[i] = (unsigned char)random_uniform(&random, 0.0, 255.9);
    }
    CU_ASSERT(fixture.cu->MemAlloc(&memory, sizeof both->bytes));
    cuda_fixture_upload(memory, both->bytes, sizeof both->bytes);
    assert_ok(thread_pool_create(2, &pool));
    assert_ok(saliency_plan_create(&numbers, SIDE, SIDE, &plan));
    assert_ok(saliency_cpu_create(plan, pool, 1, &cpu));
    assert_ok(saliency_cuda_create(fixture.device->ordinal, fixture.log, &cuda));
    struct fovea_image device = image;
    device.data = (void *)(uintptr_t)memory;
    static const uint32_t rows[][2] = {{IMAGES, 7}, {2, 7}, {1, 2000}}; /* at once, reported */
    for (size_t i = 0; i < COUNT(rows); i++) {
        reserve_at_once(cuda, plan, rows[i][0]);
        assert_ok(saliency_cuda_make_candidates(cuda, PLACES));
        cuda->reported = rows[i][1];
        find_on_device(cuda, &device, pool, both);
        assert_lists_of(cpu, &image, both, cuda->images);
    }
    CU_ASSERT(fixture.cu->MemFree(memory));
}

/* Before anything changes, and the capture goes on: as a framework does it, a call that waits or
 * frees memory would end it. */
static void assert_capture_is_refused(struct fovea_blobs *blobs, const struct fovea_image *image,
                                      struct found *found)
{
    struct fovea_image smaller = *image;
    const size_t bytes = fovea_blobs_bytes(blobs);
    CUgraph graph = NULL;
    smaller.width_px -= 3;
    CU_ASSERT(fixture.cu->StreamBeginCapture(fixture.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    assert_int_equal(
        fovea_blobs_run(blobs, &smaller, 1, 0, found->of, &found->count, fixture.stream),
        FOVEA_ERROR_INVALID_STATE);
    assert_int_equal(fovea_blobs_bytes(blobs), bytes);
    CU_ASSERT(fixture.cu->StreamEndCapture(fixture.stream, &graph));
    CU_ASSERT(fixture.cu->GraphDestroy(graph));
}

TEST(memory_counts_whatever_an_image_takes)
{
    static const struct saliency_numbers rows[] = {
        {3, 65536, 2.0, 0.1, 0.5}, /* candidates, and no planes */
        {3, 1000, 4.0, 0.1, 0.5}, /* planes */
        {25, 20000, 1.0, 0.1, 0.5},
    };
    OWNED(saliency_cuda_destroy) struct saliency_cuda *cuda = NULL;
    assert_ok(saliency_cuda_create(fixture.device->ordinal, fixture.log, &cuda));
    for (size_t i = 0; i < COUNT(rows); i++) {
        OWNED(saliency_plan_destroy) struct saliency_plan *plan = NULL;
        assert_ok(saliency_plan_create(&rows[i], 96, 64, &plan));
        assert_ok(saliency_cuda_reserve(cuda, plan, SALIENCY_CHANNELS, 1000));
        const uint64_t bytes = cuda->bytes + cuda->pinned_bytes;
        assert_that(bytes > SALIENCY_CUDA_MOST_BYTES / 10 * 9 &&
                        bytes <= SALIENCY_CUDA_MOST_BYTES + SALIENCY_CUDA_MOST_BYTES / 100,
                    "row %zu: %llu bytes", i, (unsigned long long)bytes);
        saliency_cuda_forget(cuda);
    }
}

TEST(what_cannot_be_read_is_refused_and_the_next_picture_is_not)
{
    static const struct row of = {20, 16, FOVEA_FORMAT_R8, IMAGE_PHOTO, false, 3, 2.0, false};
    const struct fovea_blobs_desc desc = desc_of(&of);
    OWNED_IMAGE host = image_drawn(20, 16, FOVEA_FORMAT_R8, IMAGE_PHOTO, 1);
    OWNED(device_image_free) struct device_image device = device_image_make(&host, 1);
    OWNED(fovea_blobs_destroy) struct fovea_blobs *blobs = NULL;
    OWNED(owned_test_free) struct found *found = test_calloc(2, sizeof *found);
    struct fovea_image wrong = host.view;
    wrong.memory = FOVEA_MEMORY_CUDA;
    assert_ok(fovea_blobs_create(&desc, &blobs));
    assert_int_equal(
        fovea_blobs_run(blobs, &wrong, 1, 0, found[0].of, &found[0].count, fixture.stream),
        FOVEA_ERROR_INVALID_ARGUMENT);
    find(blobs, &device.view, &found[0]);
    find(blobs, &host.view, &found[1]);
    assert_same_lists(&found[1], &found[0], "20x16");
    find(blobs, &device.view, &found[1]);
    assert_int_equal(found[0].count, found[1].count);
    assert_capture_is_refused(blobs, &device.view, &found[1]);
}
