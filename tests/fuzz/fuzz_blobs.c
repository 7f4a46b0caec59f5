/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a picture of any format, for any numbers: blobs lie in the picture, in their order,
 * and no more of them than were asked for. */

#include "fovea_blobs.h"
#include "require.h"

#include <stdlib.h>

#define SIDE_MAX 80
#define BLOB_MOST 40
#define HEAD_BYTES 8

static void check(const struct fovea_image *image, const struct fovea_blob *found, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(found[i].x_px >= 0.0f && found[i].x_px <= (float)(image->width_px - 1));
        REQUIRE(found[i].y_px >= 0.0f && found[i].y_px <= (float)(image->height_px - 1));
        REQUIRE(found[i].sigma_px > 0.5f && found[i].sigma_px < 20000.0f);
        REQUIRE(found[i].strength > 0.0f && found[i].strength < 4.0f);
        REQUIRE(i == 0 || found[i - 1].strength >= found[i].strength);
    }
}

static void run(const uint8_t head[HEAD_BYTES], struct fovea_image *image)
{
    struct fovea_blob found[BLOB_MOST];
    struct fovea_blobs *blobs = NULL;
    struct fovea_blobs_desc desc;
    uint32_t count = 0;
    fovea_blobs_desc_init(&desc);
    desc.scale_count = 3 + head[3] % 23;
    desc.blob_max = 1 + head[4] % BLOB_MOST;
    desc.sigma_min_px = 1.0 + (double)(head[5] % 64) * 63.0 / 64.0;
    desc.threshold = head[6] % 4 - 1;
    desc.overlap = head[7] / 255.0;
    desc.cpu_threads = 1 + head[6] / 4 % 2;
    REQUIRE(fovea_blobs_create(&desc, &blobs) == FOVEA_OK);
    REQUIRE(fovea_blobs_run(blobs, image, 1, 0, found, &count, NULL) == FOVEA_OK);
    REQUIRE(count <= desc.blob_max);
    check(image, found, count);
    fovea_blobs_destroy(&blobs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES) {
        return 0;
    }
    struct fovea_image image = {.width_px = 1 + data[0] % SIDE_MAX,
                                .height_px = 1 + data[1] % SIDE_MAX,
                                .format = (enum fovea_format)(1 + data[2] % FOVEA_FORMAT_R32F)};
    const size_t row = image.width_px * fovea_format_bytes(image.format);
    /* The memory ends with the picture, so that a sanitizer sees each step over it. */
    uint8_t *pixels = malloc(row * image.height_px);
    REQUIRE(pixels);
    for (size_t i = 0; i < row * image.height_px; i++) {
        pixels[i] = size > HEAD_BYTES ? data[HEAD_BYTES + i % (size - HEAD_BYTES)] : 0;
    }
    image.data = pixels;
    image.row_stride_bytes = (ptrdiff_t)row;
    run(data, &image);
    free(pixels);
    return 0;
}
