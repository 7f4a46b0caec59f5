/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a light field's file: an array whose lenses lie in its picture, or one line of
 * words. The same bytes as a TIFF file of a raw picture. */

#include "kernels/lightfield/lightfield.h"
#include "quality/raw_file.h"

#include "require.h"

#include <stdlib.h>
#include <string.h>

static void read_geometry(const char *bytes, size_t size)
{
    char problem[LIGHTFIELD_PROBLEM_BYTES];
    struct fovea_lightfield_geometry made;
    fovea_lightfield_geometry_init(&made);
    const bool good = lightfield_geometry_parse(bytes, size, &made, problem);
    REQUIRE(good == (problem[0] == '\0') && !strchr(problem, '\n'));
    if (good) {
        double center[2];
        REQUIRE(lightfield_geometry_check(&made, problem));
        lightfield_lens_center(&made, (int32_t)made.columns - 1, (int32_t)made.rows - 1, center);
        REQUIRE(center[0] >= 0.0 && center[0] <= made.raw_width_px);
        REQUIRE(center[1] >= 0.0 && center[1] <= made.raw_height_px);
    }
}

static void read_tiff(const uint8_t *bytes, size_t size)
{
    struct fovea_lightfield_raw raw;
    fovea_lightfield_raw_init(&raw);
    const char *why = raw_tiff(bytes, size, &raw);
    REQUIRE((why == NULL) == (raw.data != NULL));
    if (!why) {
        const size_t count = (size_t)raw.row_stride_bytes * raw.height_px;
        REQUIRE(count > 0 && raw.format != FOVEA_LIGHTFIELD_FORMAT_NONE);
        /* A sanitizer sees whether all of it is there. */
        REQUIRE(((const uint8_t *)raw.data)[0] + ((const uint8_t *)raw.data)[count - 1] >= 0);
    }
    free((void *)(uintptr_t)raw.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = exact_copy(data, size);
    read_geometry(bytes, size);
    read_tiff((const uint8_t *)bytes, size);
    free(bytes);
    return 0;
}
