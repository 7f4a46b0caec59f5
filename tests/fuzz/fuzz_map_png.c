/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Any bytes as a map's picture: samples from 0 to 1 of a size that a map may have, or one
 * message. */

#include "kernels/image/png_samples.h"

#include "require.h"

static void count_message(void *user, enum fovea_log_level level, const char *message)
{
    REQUIRE(strlen(message) > 0);
    ++*(size_t *)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = exact_copy(data, size);
    size_t messages = 0;
    struct fovea_log log = {.fn = count_message, .user = &messages};
    struct image_png picture;
    const enum fovea_result result = image_png_decode(bytes, size, "fuzz.png", log, &picture);
    REQUIRE(messages == (result == FOVEA_OK ? 0 : 1));
    REQUIRE((picture.values != NULL) == (result == FOVEA_OK));
    for (size_t i = 0; i < (size_t)picture.width * picture.height; i++) {
        REQUIRE(picture.values[i] >= 0.0f && picture.values[i] <= 1.0f);
    }
    free(picture.values);
    free(bytes);
    return 0;
}
