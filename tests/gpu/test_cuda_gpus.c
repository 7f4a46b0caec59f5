/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* One process, a thread and a context for each of several GPUs of one kind: the same bits
 * everywhere, at the same time or one after the other. Skipped where there is one GPU. */

#include "cmocka_all.h"
#include "images.h"
#include "kernels/cuda/cuda_device.h"

#define GPUS_AT_MOST 8
#define FRAMES 12
#define BATCH 24

static const struct cuda_driver *cu;
static uint32_t gpu_count;

static void log_line(void *user, enum fovea_log_level level, const char *message)
{
    fprintf(stderr, "%s\n", message);
}

static const struct fovea_log fovea_says = {.fn = log_line, .min_level = FOVEA_LOG_WARNING};

struct job {
    struct fovea_foveation foveation;
    enum fovea_format format;
    uint32_t width_px;
    uint32_t height_px;
    uint32_t images; /* 1: frames, else a batch */
    const void *pixels; /* of all images */
    size_t bytes; /* of an image */
};

/* A GPU and what it made of a job. */
struct gpu {
    struct cuda_device *device;
    const struct job *job;
    pthread_t thread;
    struct fovea_context *context;
    CUstream stream;
    CUdeviceptr src;
    CUdeviceptr dst;
    char *result; /* of all images, or of all frames */
    bool failed; /* threads cannot fail a test */
};

static struct gpu gpus[GPUS_AT_MOST];

/* ---- A job on a GPU; false where anything fails ---- */

static bool done(CUresult result)
{
    return CU_CHECK(fovea_says, cu, result) == FOVEA_OK;
}

static struct fovea_image image_at(const struct job *job, CUdeviceptr memory)
{
    return (struct fovea_image){.data = (void *)(uintptr_t)memory,
                                .width_px = job->width_px,
                                .height_px = job->height_px,
                                .format = job->format,
                                .memory = FOVEA_MEMORY_CUDA,
                                .row_stride_bytes = (ptrdiff_t)(job->bytes / job->height_px)};
}

static bool prepare(struct gpu *gpu)
{
    const struct job *job = gpu->job;
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    settings.foveation = job->foveation;
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    desc.cuda_device = gpu->device->ordinal;
    desc.log = fovea_says;
    return fovea_context_create(&desc, &gpu->context) == FOVEA_OK &&
           cuda_device_create_stream(gpu->device, &gpu->stream) == FOVEA_OK &&
           done(cu->MemAlloc(&gpu->src, job->bytes * job->images)) &&
           done(cu->MemAlloc(&gpu->dst, job->bytes * job->images)) &&
           done(cu->MemcpyHtoD(gpu->src, job->pixels, job->bytes * job->images)) &&
           done(cu->StreamSynchronize(NULL));
}

/* Another gaze each. */
static bool run_frames(struct gpu *gpu)
{
    const struct job *job = gpu->job;
    const struct fovea_image src = image_at(job, gpu->src);
    const struct fovea_image dst = image_at(job, gpu->dst);
    for (int i = 0; i < FRAMES; i++) {
        const struct fovea_point_uv gaze = {0.05 + 0.08 * i, 0.95 - 0.07 * i};
        if (fovea_context_run(gpu->context, &src, &dst, gaze, gpu->stream) != FOVEA_OK ||
            !done(cu->StreamSynchronize(gpu->stream)) ||
            !done(cu->MemcpyDtoH(gpu->result + (size_t)i * job->bytes, gpu->dst, job->bytes))) {
            return false;
        }
    }
    return true;
}

static bool run_batch(struct gpu *gpu)
{
    const struct job *job = gpu->job;
    float gazes[2 * BATCH];
    for (int i = 0; i < 2 * BATCH; i++) {
        gazes[i] = (float)(i * 7 % 23) / 23.0f;
    }
    const struct fovea_batch batch = {.struct_bytes = sizeof batch,
                                      .count = job->images,
                                      .src = image_at(job, gpu->src),
                                      .dst = image_at(job, gpu->dst),
                                      .src_next_bytes = (ptrdiff_t)job->bytes,
                                      .dst_next_bytes = (ptrdiff_t)job->bytes,
                                      .gazes_uv = gazes};
    return fovea_context_run_batch(gpu->context, &batch, gpu->stream) == FOVEA_OK &&
           done(cu->StreamSynchronize(gpu->stream)) &&
           done(cu->MemcpyDtoH(gpu->result, gpu->dst, job->bytes * job->images));
}

static void finish(struct gpu *gpu)
{
    fovea_context_destroy(&gpu->context);
    gpu->failed = !done(cu->MemFree(gpu->src)) || gpu->failed;
    gpu->failed = !done(cu->MemFree(gpu->dst)) || gpu->failed;
    gpu->failed = !done(cu->StreamDestroy(gpu->stream)) || gpu->failed;
    gpu->src = gpu->dst = 0;
    gpu->stream = NULL;
}

static void *work(void *user)
{
    struct gpu *gpu = user;
    gpu->failed = cuda_device_push(gpu->device) != FOVEA_OK;
    if (!gpu->failed) {
        gpu->failed = !prepare(gpu) || !(gpu->job->images > 1 ? run_batch(gpu) : run_frames(gpu));
        finish(gpu);
        cuda_device_pop(gpu->device);
    }
    return NULL;
}

/* ---- All of them ---- */

static void run_on_all(const struct job *job, bool at_once)
{
    const size_t results = job->images > 1 ? job->images : FRAMES;
    for (uint32_t i = 0; i < gpu_count; i++) {
        gpus[i].job = job;
        gpus[i].result = calloc(results, job->bytes);
        assert_non_null(gpus[i].result);
        gpus[i].thread = test_thread(work, &gpus[i]);
        if (!at_once) {
            assert_int_equal(pthread_join(gpus[i].thread, NULL), 0);
        }
    }
    for (uint32_t i = 0; at_once && i < gpu_count; i++) {
        assert_int_equal(pthread_join(gpus[i].thread, NULL), 0);
    }
    for (uint32_t i = 0; i < gpu_count; i++) {
        assert_false(gpus[i].failed);
        assert_memory_equal(gpus[i].result, gpus[0].result, results * job->bytes);
    }
    /* Foveated, and not what was there before. */
    assert_memory_not_equal(gpus[0].result, job->pixels, job->bytes);
    for (uint32_t i = 0; i < gpu_count; i++) {
        free(gpus[i].result);
        gpus[i].result = NULL;
    }
}

static void expect_the_same(enum fovea_method method, enum fovea_format format, uint32_t width_px,
                            uint32_t height_px, uint32_t images)
{
    OWNED_IMAGE picture = image_make_packed(width_px, height_px * images, format);
    struct job job = {.foveation = fovea_settings_default().foveation,
                      .format = format,
                      .width_px = width_px,
                      .height_px = height_px,
                      .images = images,
                      .pixels = picture.view.data,
                      .bytes = (size_t)width_px * height_px * fovea_format_bytes(format)};
    image_draw(&picture.view, IMAGE_PHOTO, 5);
    job.foveation.method = method;
    run_on_all(&job, false);
    run_on_all(&job, true);
}

TEST(smooth_frames_are_the_same_on_every_gpu)
{
    expect_the_same(FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_RGBA8, 1280, 720, 1);
    expect_the_same(FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_RGBA16F, 333, 221, 1);
}

TEST(blockwise_frames_are_the_same_on_every_gpu)
{
    expect_the_same(FOVEA_METHOD_BLOCKWISE, FOVEA_FORMAT_RGBA8, 640, 360, 1);
}

TEST(batches_are_the_same_on_every_gpu)
{
    expect_the_same(FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_RGB8, 128, 128, BATCH);
}

/* ---- Devices ---- */

static bool open_gpus(void)
{
    int count = 0;
    if (cuda_driver_get(fovea_says, &cu) != FOVEA_OK || !done(cu->DeviceGetCount(&count)) ||
        count < 2) {
        return false;
    }
    gpu_count = count < GPUS_AT_MOST ? (uint32_t)count : GPUS_AT_MOST;
    for (uint32_t i = 0; i < gpu_count; i++) {
        if (cuda_device_create((int)i, fovea_says, &gpus[i].device) != FOVEA_OK) {
            return false;
        }
    }
    return true;
}

int main(void)
{
    if (!open_gpus()) {
        return 77;
    }
    printf("report: %u GPUs, the same bits on all\n", gpu_count);
    const int failed = tests_run(NULL, NULL);
    for (uint32_t i = 0; i < gpu_count; i++) {
        cuda_device_destroy(&gpus[i].device);
    }
    return failed;
}
