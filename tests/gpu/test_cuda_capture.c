/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Batches that are captured into a CUDA graph: replays with other pixels and gazes give what calls
 * give, bit for bit, whatever the context does in between. */

#include "cuda_fixture.h"

#include "compare.h"
#include "kernels/blur/blur.h"
#include "sheet.h"

#define REPLAYS 10

struct kind {
    const char *name;
    enum fovea_method method;
    enum fovea_format format;
    uint32_t count;
    uint32_t width_px;
    uint32_t height_px;
    struct fovea_operators operators;
    bool one_source;
};

#define FOVEATE                                                                                    \
    {                                                                                              \
        1,                                                                                         \
        {                                                                                          \
            FOVEA_OPERATOR_foveate                                                                 \
        }                                                                                          \
    }
#define ROW                                                                                        \
    {                                                                                              \
        2,                                                                                         \
        {                                                                                          \
            FOVEA_OPERATOR_blur, FOVEA_OPERATOR_foveate                                            \
        }                                                                                          \
    }

#define FFT                                                                                        \
    {                                                                                              \
        1,                                                                                         \
        {                                                                                          \
            FOVEA_OPERATOR_blur                                                                    \
        }                                                                                          \
    }

static const struct kind kinds[] = {
    {"nodes", FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_RGBA8, 9, 91, 67, FOVEATE, false},
    {"small", FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_RGB8, 9, 64, 64, FOVEATE, false},
    {"wide", FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_R32F, 5, 91, 67, FOVEATE, false},
    {"blockwise", FOVEA_METHOD_BLOCKWISE, FOVEA_FORMAT_RGBA16F, 5, 91, 67, FOVEATE, false},
    {"row", FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_RGB8, 5, 91, 67, ROW, false},
    {"one picture", FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_RGBA8, 5, 91, 67, FOVEATE, true},
    {"fft", FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_RGBA8, 5, 91, 67, FFT, false},
    {"tiles", FOVEA_METHOD_SMOOTH, FOVEA_FORMAT_RGBA8, 2, 999, 575, FOVEATE, false},
};

/* The pictures, what the graph makes of them, and what calls make of them. */
enum { SRC, CAPTURED, CALLED, SHEETS };

struct scene {
    struct fovea_settings settings;
    struct fovea_context *context;
    struct sheet sheets[SHEETS];
    struct device_image images[SHEETS];
    float *gazes_uv;
    CUdeviceptr device_gazes;
    CUstream other;
};

static struct fovea_settings settings_of(const struct kind *kind)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.backend = FOVEA_BACKEND_CUDA;
    settings.foveation.method = kind->method;
    settings.operators = kind->operators;
    if (strcmp(kind->name, "fft") == 0) {
        settings.own.blur_engine = BLUR_FFT;
        settings.own.blur_radius_px = 6.0;
    }
    return settings;
}

static struct scene scene_make(const struct kind *kind)
{
    struct scene s = {.settings = settings_of(kind)};
    const size_t gaze_bytes = 2 * (size_t)kind->count * sizeof *s.gazes_uv;
    s.context = cuda_fixture_context(&s.settings);
    for (int i = 0; i < SHEETS; i++) {
        s.sheets[i] =
            sheet_make(kind->count, kind->width_px, kind->height_px, kind->format, SHEET_STACKED);
        s.images[i] = device_image_make(&s.sheets[i].all, 0);
    }
    s.gazes_uv = test_memory(1, gaze_bytes);
    CU_ASSERT(fixture.cu->MemAlloc(&s.device_gazes, gaze_bytes));
    assert_ok(cuda_device_create_stream(fixture.device, &s.other));
    return s;
}

static void scene_free(struct scene *s)
{
    fovea_context_destroy(&s->context);
    for (int i = 0; i < SHEETS; i++) {
        device_image_free(&s->images[i]);
        sheet_free(&s->sheets[i]);
    }
    CU_ASSERT(fixture.cu->MemFree(s->device_gazes));
    CU_ASSERT(fixture.cu->StreamDestroy(s->other));
    free(s->gazes_uv);
}

/* Other pictures and other gazes. */
static void change(struct scene *s, uint64_t seed)
{
    const uint32_t count = s->sheets[SRC].count;
    const struct test_image *all = &s->sheets[SRC].all;
    const struct device_image *image = &s->images[SRC];
    sheet_draw(&s->sheets[SRC], IMAGE_RANDOM, seed);
    sheet_gazes(s->gazes_uv, count, seed);
    cuda_fixture_upload(image->copy, all->memory, all->memory_bytes);
    cuda_fixture_upload(s->device_gazes, s->gazes_uv, 2 * (size_t)count * sizeof *s->gazes_uv);
    for (int i = CAPTURED; i <= CALLED; i++) {
        CU_ASSERT(fixture.cu->MemsetD8(s->images[i].copy, 0xa5, s->images[i].bytes));
    }
    CU_ASSERT(fixture.cu->StreamSynchronize(NULL));
}

static struct fovea_image on_device(const struct scene *s, int sheet)
{
    struct fovea_image image = sheet_image(&s->sheets[sheet], 0);
    const ptrdiff_t offset = (unsigned char *)image.data - s->sheets[sheet].all.memory;
    image.data = (void *)(uintptr_t)(s->images[sheet].copy + (CUdeviceptr)offset);
    image.memory = FOVEA_MEMORY_CUDA;
    return image;
}

static void enqueue(struct scene *s, const struct kind *kind, int dst, CUstream stream)
{
    const struct fovea_batch batch = {.struct_bytes = sizeof batch,
                                      .count = kind->count,
                                      .gazes_memory = FOVEA_MEMORY_CUDA,
                                      .src = on_device(s, SRC),
                                      .dst = on_device(s, dst),
                                      .src_next_bytes =
                                          kind->one_source ? 0 : s->sheets[SRC].next_bytes,
                                      .dst_next_bytes = s->sheets[dst].next_bytes,
                                      .gazes_uv = (const float *)(uintptr_t)s->device_gazes};
    assert_ok(fovea_context_run_batch(s->context, &batch, stream));
}

/* A framework begins so: any call that waits would end the capture. */
static void begin(void)
{
    CU_ASSERT(fixture.cu->StreamBeginCapture(fixture.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
}

static CUgraphExec end(void)
{
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    CU_ASSERT(fixture.cu->StreamEndCapture(fixture.stream, &graph));
    CU_ASSERT(fixture.cu->GraphInstantiateWithFlags(&exec, graph, 0));
    CU_ASSERT(fixture.cu->GraphDestroy(graph));
    return exec;
}

static CUgraphExec capture(struct scene *s, const struct kind *kind)
{
    begin();
    enqueue(s, kind, CAPTURED, fixture.stream);
    return end();
}

static void wait_for_all(const struct scene *s)
{
    cuda_fixture_wait();
    CU_ASSERT(fixture.cu->StreamSynchronize(s->other));
}

static void assert_same(struct scene *s, const char *what)
{
    for (int i = CAPTURED; i <= CALLED; i++) {
        device_image_download(&s->images[i], &s->sheets[i].all);
    }
    for (uint32_t i = 0; i < s->sheets[CALLED].count; i++) {
        const struct fovea_image captured = sheet_image(&s->sheets[CAPTURED], i);
        const struct fovea_image called = sheet_image(&s->sheets[CALLED], i);
        compare_assert_all_same(&captured, &called, what);
    }
}

/* Settings that are new each time, so that plans come and go in the context. */
static void use_other_settings(struct scene *s, const struct kind *kind, int round)
{
    struct fovea_settings other = s->settings;
    other.foveation.strength = 0.5 + 0.05 * round;
    other.own.blur_radius_px = 2.0 + 0.5 * round;
    assert_ok(fovea_context_set_settings(s->context, &other));
    enqueue(s, kind, CALLED, s->other);
    assert_ok(fovea_context_set_settings(s->context, &s->settings));
}

static void check(const struct kind *kind, bool warm)
{
    OWNED(scene_free) struct scene s = scene_make(kind);
    if (warm) {
        change(&s, 99);
        enqueue(&s, kind, CALLED, fixture.stream);
        cuda_fixture_wait();
    }
    CUgraphExec exec = capture(&s, kind);
    for (int i = 0; i < (fixture.quick ? 2 : REPLAYS); i++) {
        change(&s, (uint64_t)i);
        CU_ASSERT(fixture.cu->GraphLaunch(exec, fixture.stream));
        use_other_settings(&s, kind, i); /* at the same time, on another stream */
        enqueue(&s, kind, CALLED, s.other);
        wait_for_all(&s);
        assert_same(&s, kind->name);
    }
    CU_ASSERT(fixture.cu->GraphExecDestroy(exec));
}

TEST(replays_are_as_calls)
{
    for (size_t i = 0; i < COUNT(kinds) - (fixture.quick ? 1 : 0); i++) {
        check(&kinds[i], true);
    }
}

TEST(a_context_that_has_done_nothing_yet_is_captured_too)
{
    for (size_t i = 0; i < (fixture.quick ? 1 : COUNT(kinds)); i++) {
        check(&kinds[i], false);
    }
}

/* One after the other on two streams of one capture, which share what the capture has. */
TEST(calls_of_a_capture_follow_each_other)
{
    const struct kind *kind = &kinds[0];
    OWNED(scene_free) struct scene s = scene_make(kind);
    CUevent forked = NULL;
    CUevent joined = NULL;
    CU_ASSERT(fixture.cu->EventCreate(&forked, CU_EVENT_DISABLE_TIMING));
    CU_ASSERT(fixture.cu->EventCreate(&joined, CU_EVENT_DISABLE_TIMING));
    begin();
    CU_ASSERT(fixture.cu->EventRecord(forked, fixture.stream));
    CU_ASSERT(fixture.cu->StreamWaitEvent(s.other, forked, CU_EVENT_WAIT_DEFAULT));
    enqueue(&s, kind, CAPTURED, fixture.stream);
    enqueue(&s, kind, CALLED, s.other);
    for (int i = 0; i < (fixture.quick ? 2 : 20); i++) {
        enqueue(&s, kind, i % 2 ? CALLED : CAPTURED, i % 2 ? s.other : fixture.stream);
    }
    CU_ASSERT(fixture.cu->EventRecord(joined, s.other));
    CU_ASSERT(fixture.cu->StreamWaitEvent(fixture.stream, joined, CU_EVENT_WAIT_DEFAULT));
    CUgraphExec exec = end();
    for (int i = 0; i < (fixture.quick ? 1 : 3); i++) {
        change(&s, (uint64_t)i);
        CU_ASSERT(fixture.cu->GraphLaunch(exec, fixture.stream));
        cuda_fixture_wait();
        assert_same(&s, "two streams");
        change(&s, (uint64_t)i);
        CU_ASSERT(fixture.cu->GraphLaunch(exec, fixture.stream));
        cuda_fixture_wait();
        enqueue(&s, kind, CALLED, fixture.stream);
        cuda_fixture_wait();
        assert_same(&s, "two streams and a call");
    }
    CU_ASSERT(fixture.cu->GraphExecDestroy(exec));
    CU_ASSERT(fixture.cu->EventDestroy(forked));
    CU_ASSERT(fixture.cu->EventDestroy(joined));
}

/* Gazes in the CPU's memory are a part of the graph, and that memory may go. */
TEST(gazes_in_cpu_memory_stay_as_they_were)
{
    OWNED(scene_free) struct scene s = scene_make(&kinds[0]);
    const struct fovea_image src = on_device(&s, SRC);
    const struct fovea_image dst[2] = {on_device(&s, CAPTURED), on_device(&s, CALLED)};
    const float then[2] = {0.25f, 0.75f};
    float gazes_uv[2];
    memcpy(gazes_uv, then, sizeof then);
    const struct fovea_batch batch = {
        .struct_bytes = sizeof batch, .count = 1, .src = src, .dst = dst[0], .gazes_uv = gazes_uv};
    begin();
    assert_ok(fovea_context_run_batch(s.context, &batch, fixture.stream));
    memset(gazes_uv, 0, sizeof gazes_uv);
    CUgraphExec exec = end();
    change(&s, 1);
    CU_ASSERT(fixture.cu->GraphLaunch(exec, fixture.stream));
    const struct fovea_point_uv gaze = {(double)then[0], (double)then[1]};
    assert_ok(fovea_context_run(s.context, &src, &dst[1], gaze, fixture.stream));
    cuda_fixture_wait();
    assert_same(&s, "gazes of then");
    CU_ASSERT(fixture.cu->GraphExecDestroy(exec));
}

/* Memory on the device is the graph's. */
TEST(a_graph_may_outlive_its_context)
{
    const struct kind *kind = &kinds[0];
    OWNED(scene_free) struct scene s = scene_make(kind);
    change(&s, 5);
    enqueue(&s, kind, CALLED, fixture.stream);
    CUgraphExec exec = capture(&s, kind);
    fovea_context_destroy(&s.context);
    CU_ASSERT(fixture.cu->GraphLaunch(exec, fixture.stream));
    cuda_fixture_wait();
    assert_same(&s, "without its context");
    CU_ASSERT(fixture.cu->GraphExecDestroy(exec));
}
