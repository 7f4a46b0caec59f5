/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* docs/examples/minimal_cuda.c on a device (cuda.cmake). */

#include "cuda_fixture.h"

#include <dlfcn.h>

#define WIDTH_PX 640 /* the example's */
#define BYTES ((size_t)WIDTH_PX * 480 * 3)

int minimal_cuda(int argc, char **argv); /* its main */

TEST(the_example_is_sharp_at_the_gaze_alone)
{
    static unsigned char picture[BYTES];
    char path[] = "/tmp/fovea_example_XXXXXX";
    const int made = mkstemp(path);
    assert_true(made >= 0);
    char *arguments[] = {"minimal_cuda", path, NULL};
    assert_non_null(dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL));
    assert_int_equal(minimal_cuda(2, arguments), 0);
    FILE *file = fdopen(made, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, -(long)BYTES, SEEK_END), 0);
    assert_int_equal(fread(picture, 1, BYTES, file), BYTES);
    fclose(file);
    remove(path);
    const int gaze = picture[(242 * WIDTH_PX + 162) * 3];
    const int corner = picture[(4 * WIDTH_PX + 636) * 3];
    assert_true(gaze == 0 || gaze == 255);
    assert_in_range(corner, 64, 250);
}
