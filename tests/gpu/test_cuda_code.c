/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Kernels are launched by what the loaded functions were compiled for, on a card of 9.0 whatever
 * that is: with a driver that only keeps books. */

#include "cmocka_all.h"
#include "fake_cuda_control.h"
#include "kernels/foveate/operator/foveate_operator.h"
#include "kernels/gauss/cuda/gauss_cuda.h"
#include "recorded.h"

static struct fake_cuda *fake;

struct rig {
    struct recorded said;
    struct cuda_device *device;
    struct operator_cuda *foveate;
};

static void open_rig(struct rig *rig, int code_of)
{
    fake_cuda_calm(fake);
    fake->code_of = code_of;
    *rig = (struct rig){0};
    assert_ok(cuda_device_create(0, recorded_log(&rig->said), &rig->device));
    assert_ok(cuda_device_push(rig->device));
    assert_ok(operator_cuda_create(&gauss_operator_cuda.kind, rig->device, &rig->foveate));
}

static void close_rig(struct rig *rig)
{
    operator_cuda_destroy(&rig->foveate);
    cuda_device_pop(rig->device);
    cuda_device_destroy(&rig->device);
    assert_int_equal(fake_cuda_living(fake), 0);
}

struct picture {
    enum fovea_method method;
    enum fovea_light light;
    enum fovea_format format;
    uint32_t width_px, height_px;
    const char *by_products; /* a kernel that there is only with tensor cores */
    const char *without; /* and one in its place */
};

static const struct picture pictures[] = {
    {FOVEA_METHOD_SMOOTH, FOVEA_LIGHT_ENCODED, FOVEA_FORMAT_RGBA8, 1920, 1080,
     "tile_levels_linear_rgba8 ", "nodes_level_1_linear_rgba8 "},
    {FOVEA_METHOD_SMOOTH, FOVEA_LIGHT_LINEAR, FOVEA_FORMAT_RGBA8, 1920, 1080,
     "tile_light_linear_rgba8 ", "nodes_level_1_linear_rgba8 "},
    {FOVEA_METHOD_SMOOTH, FOVEA_LIGHT_LINEAR, FOVEA_FORMAT_RGBA16F, 1920, 1080,
     "tile_levels_linear_rgba16f ", "nodes_level_1_linear_rgba16f "},
};

static int32_t bytes_of(enum fovea_format format)
{
    return format == FOVEA_FORMAT_RGBA16F ? 8 : format == FOVEA_FORMAT_RGB8 ? 3 : 4;
}

static struct fovea_image image_at(uint64_t address, const struct picture *picture)
{
    return (struct fovea_image){.data = (void *)(uintptr_t)address,
                                .width_px = picture->width_px,
                                .height_px = picture->height_px,
                                .format = picture->format,
                                .memory = FOVEA_MEMORY_CUDA,
                                .row_stride_bytes =
                                    (ptrdiff_t)picture->width_px * bytes_of(picture->format)};
}

static void run(struct rig *rig, const struct picture *picture)
{
    struct fovea_foveation foveation = fovea_settings_default().foveation;
    OWNED(foveate_plan_destroy) struct gauss_plan *plan = NULL;
    struct operator_cuda_plan *tables = NULL;
    foveation.method = picture->method;
    foveation.light = picture->light;
    assert_ok(foveate_plan_create(&foveation, picture->width_px, picture->height_px, &plan));
    plan->base.api = &foveate_operator;
    assert_ok(operator_cuda_plan_create(rig->foveate, &plan->base, picture->format, &tables));
    const struct operator_frame frame = {.width_px = (int32_t)picture->width_px,
                                         .height_px = (int32_t)picture->height_px,
                                         .gaze_x_q8 = 128 * (int32_t)picture->width_px,
                                         .gaze_y_q8 = 128 * (int32_t)picture->height_px};
    const struct operator_cuda_run one = {
        .plan = &plan->base, .cuda_plan = tables, .frame = &frame};
    const struct fovea_image src = image_at(0x8000000000000000u, picture);
    const struct fovea_image dst = image_at(0x9000000000000000u, picture);
    const struct operator_images images = {.count = 1, .src = &src, .dst = &dst};
    fake->launched[0] = '\0';
    assert_ok(gauss_operator_cuda.run_linear(rig->foveate, &one, &images));
    operator_cuda_plan_retire(rig->foveate, &tables);
}

static void assert_launched(const struct picture *picture, bool by_products)
{
    const bool with = strstr(fake->launched, picture->by_products) != NULL;
    const bool without = strstr(fake->launched, picture->without) != NULL;
    assert_that(with == by_products && without != by_products,
                "method %d, format %d, %ux%u, by products %d: launched %s", (int)picture->method,
                (int)picture->format, picture->width_px, picture->height_px, by_products,
                fake->launched);
}

TEST(the_loaded_function_decides_and_not_the_card)
{
    static const int codes[] = {75, 80, 90, 120};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        OWNED(close_rig) struct rig rig;
        open_rig(&rig, codes[i]);
        for (size_t k = 0; k < sizeof pictures / sizeof pictures[0]; k++) {
            run(&rig, &pictures[k]);
            assert_launched(&pictures[k], codes[i] >= 80);
            assert_int_equal(fake->early > 0, codes[i] >= 90);
        }
    }
}

TEST(code_that_is_older_than_the_card_is_told_of)
{
    struct rig rig;
    open_rig(&rig, 75);
    assert_non_null(strstr(rig.said.last[FOVEA_LOG_INFO], "code of architecture 7.5"));
    close_rig(&rig);
    open_rig(&rig, 90);
    assert_null(strstr(rig.said.last[FOVEA_LOG_INFO], "code of architecture"));
    close_rig(&rig);
}

/* The attribute cannot be had: nothing is launched on a guess. */
TEST(an_answer_that_does_not_come_is_an_error)
{
    struct cuda_device *device = NULL;
    struct operator_cuda *foveate = NULL;
    fake_cuda_calm(fake);
    assert_ok(cuda_device_create(0, (struct fovea_log){0}, &device));
    assert_ok(cuda_device_push(device));
    for (int n = 1; n <= 3; n++) {
        fake_cuda_fail_at(fake, n, CUDA_ERROR_INVALID_VALUE);
        fake->fails = "FuncGetAttribute";
        assert_int_equal(operator_cuda_create(&gauss_operator_cuda.kind, device, &foveate),
                         FOVEA_ERROR_INTERNAL);
        assert_null(foveate);
    }
    cuda_device_pop(device);
    cuda_device_destroy(&device);
    assert_int_equal(fake_cuda_living(fake), 0);
}

int main(void)
{
    fake = fake_cuda_open();
    return fake ? tests_run(NULL, NULL) : EXIT_FAILURE;
}
