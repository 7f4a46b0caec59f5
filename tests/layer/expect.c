/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Makes of a dumped picture what the layer must have made of it, on the CPU and without the layer:
 *
 *     layer_expect IN.raw OUT.raw WIDTH HEIGHT GAZE_X GAZE_Y [A2B10G10R10 | RGBA16F]
 *     layer_expect IN.raw OUT.raw WIDTH HEIGHT GAZE_X GAZE_Y RGBA8 METRES.raw FOCUS_M
 *
 * without a format for RGBA8. Depths are floats. The settings are those of FOVEA_CONFIG and
 * FOVEA_SET. */

#include "config/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
    fprintf(stderr, "layer_expect: %s\n", what);
    exit(1);
}

static void *read_file(const char *name, size_t size)
{
    FILE *file = fopen(name, "rb");
    void *bytes = malloc(size);
    if (!file || !bytes || fread(bytes, size, 1, file) != 1 || fgetc(file) != EOF) {
        fail("the picture has another size, or is not there");
    }
    fclose(file);
    return bytes;
}

static struct fovea_settings settings_in_force(void)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    struct fovea_config *config = NULL;
    if (fovea_config_create(&desc, &config) < 0) {
        fail("the settings are wrong");
    }
    struct fovea_settings settings = *fovea_config_settings(config);
    fovea_config_destroy(&config);
    settings.backend = FOVEA_BACKEND_CPU;
    return settings;
}

static enum fovea_format format_of(const char *name)
{
    return !name || strcmp(name, "RGBA8") == 0 ? FOVEA_FORMAT_RGBA8
           : strcmp(name, "A2B10G10R10") == 0  ? FOVEA_FORMAT_A2B10G10R10
                                               : FOVEA_FORMAT_RGBA16F;
}

/* Without a file of depths only operators that need none run. */
static enum fovea_result run(struct fovea_context *context, const struct fovea_image *src,
                             const struct fovea_image *dst, struct fovea_point_uv gaze,
                             char **metres)
{
    struct fovea_depth depth;
    const float gaze_uv[2] = {(float)gaze.x_uv, (float)gaze.y_uv};
    struct fovea_batch batch;
    if (!metres) {
        return fovea_context_run(context, src, dst, gaze, NULL);
    }
    fovea_depth_init(&depth);
    depth.width_px = src->width_px;
    depth.height_px = src->height_px;
    depth.format = FOVEA_DEPTH_FORMAT_R32F;
    depth.row_stride_bytes = 4 * (ptrdiff_t)src->width_px;
    depth.focus_m = atof(metres[1]);
    void *values = read_file(metres[0], (size_t)4 * src->width_px * src->height_px);
    depth.data = values;
    fovea_batch_init(&batch);
    batch.count = 1;
    batch.src = *src;
    batch.dst = *dst;
    batch.gazes_uv = gaze_uv;
    batch.depth = &depth;
    const enum fovea_result result = fovea_context_run_batch(context, &batch, NULL);
    free(values);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 7 && argc != 8 && argc != 10) {
        fail("six arguments, seven or nine");
    }
    const enum fovea_format format = format_of(argv[7]);
    const size_t texel_bytes = format == FOVEA_FORMAT_RGBA16F ? 8 : 4;
    const uint32_t width_px = (uint32_t)atoi(argv[3]), height_px = (uint32_t)atoi(argv[4]);
    const size_t size = (size_t)width_px * height_px * texel_bytes;
    const struct fovea_point_uv gaze = {atof(argv[5]), atof(argv[6])};
    struct fovea_image src = {.data = read_file(argv[1], size),
                              .width_px = width_px,
                              .height_px = height_px,
                              .format = format,
                              .row_stride_bytes = (ptrdiff_t)(width_px * texel_bytes)};
    struct fovea_image dst = src;
    dst.data = calloc(size, 1);
    const struct fovea_settings settings = settings_in_force();
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &settings;
    struct fovea_context *context = NULL;
    if (!dst.data || fovea_context_create(&desc, &context) < 0 ||
        run(context, &src, &dst, gaze, argc == 10 ? argv + 8 : NULL) != FOVEA_OK) {
        fail("the picture cannot be foveated");
    }
    FILE *out = fopen(argv[2], "wb");
    if (!out || fwrite(dst.data, size, 1, out) != 1 || fclose(out) != 0) {
        fail("the result cannot be written");
    }
    fovea_context_destroy(&context);
    free(src.data);
    free(dst.data);
    return 0;
}
