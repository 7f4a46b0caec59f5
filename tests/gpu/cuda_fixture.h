/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What the tests on a CUDA device share: the device, pictures in its memory, and when to skip. Every
 * failure of CUDA fails the running test. */
#ifndef FOVEA_TESTS_CUDA_FIXTURE_H
#define FOVEA_TESTS_CUDA_FIXTURE_H

#include "cuda/cuda_device.h"
#include "foveate/foveate_cuda.h"
#include "images.h"

struct cuda_fixture {
    struct fovea_log log;
    struct cuda_device *device;
    const struct cuda_driver *cu;
    struct foveate_cuda *foveate;
    double tile_slope; /* that foveate was given */
    CUstream stream;
    bool quick; /* FOVEA_TEST_QUICK=1: fewer cases, for tools that slow everything down */
};

/* 0, or what main has to return: 77 where there is no device, 1 where FOVEA_REQUIRE_GPU says that
 * there must be one. The device stays pushed until close. */
int cuda_fixture_open(struct cuda_fixture *fixture);
void cuda_fixture_close(struct cuda_fixture *fixture);

void cuda_fixture_wait(const struct cuda_fixture *fixture);

/* A copy of a test image, guards and gaps included, `shift` bytes off the device's own alignment. */
struct device_image {
    CUdeviceptr memory;
    CUdeviceptr copy;
    size_t bytes;
    struct fovea_image view;
};

struct device_image device_image_make(const struct cuda_fixture *fixture,
                                      const struct test_image *host, uint32_t shift);
void device_image_download(const struct cuda_fixture *fixture, const struct device_image *image,
                           const struct test_image *host);
void device_image_free(const struct cuda_fixture *fixture, struct device_image *image);

/* An array, which only surfaces can reach, with a packed picture's pixels. */
struct device_array {
    CUarray array;
    CUsurfObject surface;
};

struct device_array device_array_make(const struct cuda_fixture *fixture,
                                      const struct fovea_image *packed);
void device_array_download(const struct cuda_fixture *fixture, const struct device_array *array,
                           const struct fovea_image *packed);
void device_array_free(const struct cuda_fixture *fixture, struct device_array *array);

/* Fails the running test unless the call succeeds. */
#define CU_ASSERT(fixture, call)                                                                   \
    assert_int_equal(CU_CHECK((fixture)->log, (fixture)->cu, call), FOVEA_OK)

#endif
