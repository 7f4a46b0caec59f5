/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "pictures.h"

#include "orientation.h"
#include "picture.h"
#include "raw_file.h"
#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wsign-compare"
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#define SIDE_MAX_PX 16384

/* stb says a word or two of a file, which mean little to who does not know it. */
static void say_why(const char *path)
{
    FILE *file = fopen(path, "rb");
    errno = file ? 0 : errno;
    if (!file || (fgetc(file) == EOF && errno)) {
        say_error("%s: %s", path, strerror(errno));
    } else {
        say_error("%s: it is no PNG or JPEG file, or a broken one (%s)", path,
                  picture_problem(stbi_failure_reason()));
    }
    if (file) {
        fclose(file);
    }
}

static unsigned char *decode(const char *path, int *out_width, int *out_height,
                             uint32_t *out_orientation)
{
    size_t count = 0;
    uint8_t *bytes = raw_file_read(path, &count);
    unsigned char *pixels = stbi_load_from_memory(bytes, bytes ? (int)(count & 0x7fffffff) : 0,
                                                  out_width, out_height, NULL, 4);
    *out_orientation = pixels ? orientation_of(bytes, count) : 1;
    free(bytes);
    if (!pixels) {
        say_why(path);
    }
    return pixels;
}

bool sample_load(const char *path, struct sample *out_sample)
{
    int width = 0;
    int height = 0;
    uint32_t orientation = 1;
    unsigned char *pixels = decode(path, &width, &height, &orientation);
    if (!pixels) {
        return false;
    }
    if (width > SIDE_MAX_PX || height > SIDE_MAX_PX) {
        say_error("%s: larger than 16384 pixels", path);
        stbi_image_free(pixels);
        return false;
    }
    const char *name = strrchr(path, '/');
    const bool swapped = orientation_swaps_axes(orientation);
    snprintf(out_sample->name, sizeof out_sample->name, "%s", name ? name + 1 : path);
    out_sample->image = image_make_packed((uint32_t)(swapped ? height : width),
                                          (uint32_t)(swapped ? width : height), FOVEA_FORMAT_RGBA8);
    orientation_apply(orientation, (const uint32_t *)(const void *)pixels, (uint32_t)width,
                      (uint32_t)height, out_sample->image.view.data);
    stbi_image_free(pixels);
    return true;
}
