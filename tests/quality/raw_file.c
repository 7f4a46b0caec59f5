/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "raw_file.h"

#include "picture.h"
#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wundef"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

#define SIDE_MAX_PX 16384
#define FILE_MAX_BYTES ((size_t)2 << 30)
#define VALUES 65536

uint8_t *raw_file_read(const char *path, size_t *out_count)
{
    errno = 0;
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long count = 0;
    struct stat found;
    if (!file) {
        return NULL;
    }
    if (fstat(fileno(file), &found) == 0 && S_ISDIR(found.st_mode)) {
        fclose(file);
        errno = EISDIR;
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (count = ftell(file)) > 0 &&
        (size_t)count < FILE_MAX_BYTES && fseek(file, 0, SEEK_SET) == 0) {
        bytes = malloc((size_t)count);
    }
    if (bytes && fread(bytes, 1, (size_t)count, file) != (size_t)count) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    *out_count = (size_t)count;
    return bytes;
}

/* Decodes as many channels as the file has; grey with alpha becomes grey. */
static const char *decode(const uint8_t *bytes, int count, struct fovea_lightfield_raw *out)
{
    static const enum fovea_lightfield_format formats[2][5] = {
        {0, FOVEA_LIGHTFIELD_FORMAT_R8, 0, FOVEA_LIGHTFIELD_FORMAT_RGB8,
         FOVEA_LIGHTFIELD_FORMAT_RGBA8},
        {0, FOVEA_LIGHTFIELD_FORMAT_R16, 0, FOVEA_LIGHTFIELD_FORMAT_RGB16,
         FOVEA_LIGHTFIELD_FORMAT_RGBA16}};
    int width = 0;
    int height = 0;
    int channels = 0;
    if (!stbi_info_from_memory(bytes, count, &width, &height, &channels)) {
        return picture_problem(stbi_failure_reason());
    }
    if (width > SIDE_MAX_PX || height > SIDE_MAX_PX) {
        return "larger than 16384 pixels";
    }
    const bool wide = stbi_is_16_bit_from_memory(bytes, count) != 0;
    channels = channels == 2 ? 1 : channels;
    out->data =
        wide ? (void *)stbi_load_16_from_memory(bytes, count, &width, &height, NULL, channels)
             : (void *)stbi_load_from_memory(bytes, count, &width, &height, NULL, channels);
    out->width_px = (uint32_t)width;
    out->height_px = (uint32_t)height;
    out->format = formats[wide][channels];
    out->row_stride_bytes = (ptrdiff_t)width * channels * (wide ? 2 : 1);
    return out->data ? NULL : picture_problem(stbi_failure_reason());
}

bool raw_load(const char *path, struct fovea_lightfield_raw *out)
{
    size_t count = 0;
    fovea_lightfield_raw_init(out);
    uint8_t *bytes = raw_file_read(path, &count);
    if (!bytes) {
        say_error("%s: %s", path, errno ? strerror(errno) : "it is empty, or too large");
        return false;
    }
    const bool tiff =
        count > 8 && (memcmp(bytes, "II*\0", 4) == 0 || memcmp(bytes, "MM\0*", 4) == 0);
    const char *why =
        tiff ? raw_tiff(bytes, count, out) : decode(bytes, (int)(count & 0x7fffffff), out);
    free(bytes);
    if (why) {
        say_error("%s: %s", path, why);
        raw_free(out);
    }
    return why == NULL;
}

void raw_free(struct fovea_lightfield_raw *raw)
{
    free((void *)(uintptr_t)raw->data);
    raw->data = NULL;
}

void raw_choose_maximum(struct fovea_lightfield_raw *raw)
{
    static uint32_t counts[VALUES];
    if (raw->format < FOVEA_LIGHTFIELD_FORMAT_R16 || raw->maximum > 0) {
        return;
    }
    const size_t all = (size_t)raw->row_stride_bytes / 2 * raw->height_px;
    memset(counts, 0, sizeof counts);
    const bool has_alpha = raw->format == FOVEA_LIGHTFIELD_FORMAT_RGBA16;
    for (size_t i = 0; i < all; i++) {
        counts[((const uint16_t *)raw->data)[i]] += !has_alpha || i % 4 != 3;
    }
    size_t above = 0;
    uint32_t value = VALUES - 1;
    while (value > 1 && above + counts[value] <= all / 1000) {
        above += counts[value--];
    }
    raw->maximum = value;
}
