/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The tests on a CUDA device share this: the device, pictures in its memory, and when to skip.
 * Every failure of CUDA fails the running test. */
#pragma once

#include "cmocka_all.h"
#include "images.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/foveate/operator/foveate_operator.h"
#include "kernels/gauss/cuda/gauss_cuda.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct cuda_fixture {
    struct fovea_log log;
    struct cuda_device *device;
    const struct cuda_driver *cu;
    struct operator_cuda *foveate; /* of gauss_operator_cuda */
    /* Those that rigs have wanted, so that each loads its kernels once; by enum fovea_operator. */
    struct operator_cuda *operators[FOVEA_OPERATOR_COUNT];
    CUstream stream;
    bool quick; /* FOVEA_TEST_QUICK=1: fewer cases, for tools that slow everything down */
};

extern struct cuda_fixture fixture;

/* 0, or what main has to return: 77 where there is no device, 1 where FOVEA_REQUIRE_GPU says that
 * there must be one. The device stays pushed until close. */
int cuda_fixture_open(void);
void cuda_fixture_close(void);

/* All of main: the tests between open and close. A program without a main runs those of its file.
 */
int cuda_fixture_run(const struct CMUnitTest *tests, size_t count);

/* A context with these settings, NULL: the defaults, that logs as the fixture does. */
struct fovea_context *cuda_fixture_context(const struct fovea_settings *settings);
/* A picture in linear memory. */
enum fovea_result cuda_fixture_run_linear(const struct operator_cuda_run *run,
                                          const struct fovea_image *src,
                                          const struct fovea_image *dst);
void cuda_fixture_wait(void);
/* The device has it when this returns. */
void cuda_fixture_upload(CUdeviceptr to, const void *from, size_t bytes);

/* A copy of a test image, guards and gaps included, `shift` bytes off the device's own
 * alignment. */
struct device_image {
    CUdeviceptr memory;
    CUdeviceptr copy;
    size_t bytes;
    struct fovea_image view;
};

struct device_image device_image_make(const struct test_image *host, uint32_t shift);
void device_image_download(const struct device_image *image, const struct test_image *host);
void device_image_free(struct device_image *image);

/* A drawn picture and one that takes a result, here and there. */
struct device_pair {
    struct test_image src;
    struct test_image dst;
    struct device_image device_src;
    struct device_image device_dst;
};

struct device_pair device_pair_make(uint32_t width_px, uint32_t height_px, enum fovea_format format,
                                    enum image_pattern pattern, uint64_t seed);
void device_pair_free(struct device_pair *pair);

/* Kernels reach images of these in surfaces, too. */
static inline bool cuda_fixture_has_surface(enum fovea_format format)
{
    return format == FOVEA_FORMAT_RGBA8 || format == FOVEA_FORMAT_A2B10G10R10 ||
           format == FOVEA_FORMAT_B10G11R11F || format == FOVEA_FORMAT_RGBA16F;
}

/* An array, which only surfaces can reach, with a packed picture's pixels. */
struct device_array {
    CUarray array;
    CUsurfObject surface;
};

struct device_array device_array_make(const struct fovea_image *packed);
void device_array_download(const struct device_array *array, const struct fovea_image *packed);
void device_array_free(struct device_array *array);

/* Fails the running test unless the call succeeds. */
#define CU_ASSERT(call) assert_int_equal(CU_CHECK(fixture.log, fixture.cu, call), FOVEA_OK)
