/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "png_samples.h"

#include "core/log.h"

#include <stdlib.h>
#include <string.h>

#if FOVEA_HAVE_STB

/* Twice what any map needs, decoded: a few bytes may stand for as much as they like. */
#define MEMORY_MAX ((size_t)512 << 20)

static void *bounded_realloc(void *memory, size_t bytes)
{
    return bytes <= MEMORY_MAX ? realloc(memory, bytes) : NULL;
}

/* Its functions are this file's own: a program may have its own copy. What is unused of them is
 * found at the end of the file, so that is not put back. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wsign-compare"
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS 4096
#define STBI_MALLOC(bytes) bounded_realloc(NULL, bytes)
#define STBI_REALLOC(memory, bytes) bounded_realloc(memory, bytes)
#define STBI_FREE(memory) free(memory)
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#define SIDE_MIN 2
#define SIDE_MAX 4096
#define WHITE 65535.0f

static enum fovea_result wrong(struct fovea_log log, const char *path, const char *what)
{
    log_error(log, "foveation.map.file: %s: %s", path, what);
    return FOVEA_ERROR_CONFIG;
}

static uint32_t number_at(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Every part says its length, which stb would make room for unseen. */
static enum fovea_result check_parts(const unsigned char *bytes, size_t count, const char *path,
                                     struct fovea_log log)
{
    size_t at = 8;
    size_t pixel_bytes = 0;
    while (at + 12 <= count && memcmp(bytes + at + 4, "IEND", 4) != 0) {
        const size_t length = number_at(bytes + at);
        pixel_bytes += memcmp(bytes + at + 4, "IDAT", 4) == 0 ? length : 0;
        at += 12 + length;
    }
    if (at + 12 > count) {
        return wrong(log, path, "the picture is broken (it has no end)");
    }
    return pixel_bytes > 0 ? FOVEA_OK : wrong(log, path, "the picture is broken (no IDAT)");
}

/* Width and height stand where every PNG has them: before anything is decoded. */
static enum fovea_result check_head(const unsigned char *bytes, size_t count, const char *path,
                                    struct fovea_log log)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    if (count < 33 || memcmp(bytes, signature, sizeof signature) != 0 ||
        memcmp(bytes + 12, "IHDR", 4) != 0) {
        return wrong(log, path, "it is not a PNG picture");
    }
    const uint32_t sides[2] = {number_at(bytes + 16), number_at(bytes + 20)};
    if (sides[0] < SIDE_MIN || sides[0] > SIDE_MAX || sides[1] < SIDE_MIN || sides[1] > SIDE_MAX) {
        log_error(log, "foveation.map.file: %s: it is %ux%u; a map is %d to %d each way", path,
                  sides[0], sides[1], SIDE_MIN, SIDE_MAX);
        return FOVEA_ERROR_CONFIG;
    }
    return FOVEA_OK;
}

static enum fovea_result out_of_memory(struct fovea_log log, const char *path)
{
    log_error(log, "foveation.map.file: %s: out of memory", path);
    return FOVEA_ERROR_OUT_OF_MEMORY;
}

static enum fovea_result not_decoded(struct fovea_log log, const char *path)
{
    char what[96];
    if (strcmp(stbi_failure_reason(), "outofmem") == 0) {
        return out_of_memory(log, path);
    }
    snprintf(what, sizeof what, "the picture is broken (%s)", stbi_failure_reason());
    return wrong(log, path, what);
}

enum fovea_result image_png_decode(const unsigned char *bytes, size_t count, const char *path,
                                   struct fovea_log log, struct image_png *out_picture)
{
    *out_picture = (struct image_png){0};
    FOVEA_TRY(check_head(bytes, count, path, log));
    FOVEA_TRY(check_parts(bytes, count, path, log));
    int width = 0;
    int height = 0;
    /* stb has no words for data without a block's kind: NULL, or those about a picture before. */
    stbi__g_failure_reason = "its data is damaged";
    stbi_us *grey = stbi_load_16_from_memory(bytes, (int)count, &width, &height, NULL, 1);
    if (!grey) {
        return not_decoded(log, path);
    }
    const size_t samples = (size_t)width * (size_t)height;
    float *values = calloc(samples, sizeof *values);
    for (size_t i = 0; values && i < samples; i++) {
        values[i] = (float)grey[i] / WHITE;
    }
    stbi_image_free(grey);
    if (!values) {
        return out_of_memory(log, path);
    }
    *out_picture = (struct image_png){values, (uint32_t)width, (uint32_t)height};
    return FOVEA_OK;
}

#else

enum fovea_result image_png_decode(const unsigned char *bytes, size_t count, const char *path,
                                   struct fovea_log log, struct image_png *out_picture)
{
    (void)bytes;
    (void)count;
    *out_picture = (struct image_png){0};
    log_error(log, "foveation.map.file: %s: this build of Fovea reads no pictures (libstb-dev)",
              path);
    return FOVEA_ERROR_UNSUPPORTED;
}

#endif
