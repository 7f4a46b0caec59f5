/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "stand.h"

#include "compare.h"

#include <limits.h>
#include <stdio.h>

struct stand_look {
    struct fovea_settings settings;
    struct fovea_context *context;
    struct fovea_image expected;
    double worst; /* of all frames, in levels or values */
    uint32_t foveated; /* frames that are not what was drawn */
    uint32_t frames;
};

/* Those of the layer's environment, for images of that colour space. */
static struct fovea_settings settings_in_force(uint32_t space)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    struct fovea_config *config = NULL;
    if (fovea_config_create(&desc, &config) < 0) {
        stand_fail("the settings are wrong", 0);
    }
    struct fovea_settings settings = *fovea_config_settings(config);
    fovea_config_destroy(&config);
    settings.backend = FOVEA_BACKEND_CPU;
    settings.cpu_threads = 0;
    if (space == VK_COLOR_SPACE_HDR10_ST2084_EXT) {
        settings.foveation.transfer = FOVEA_TRANSFER_PQ;
    } else if (space == VK_COLOR_SPACE_HDR10_HLG_EXT) {
        settings.foveation.transfer = FOVEA_TRANSFER_HLG;
    }
    return settings;
}

struct stand_look *stand_look_open(const struct stand *stand)
{
    struct stand_look *look = calloc(1, sizeof *look);
    if (!look) {
        stand_fail("memory", 0);
    }
    look->settings = settings_in_force(stand->options.space);
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = &look->settings;
    look->expected = stand_drawn(stand, 0);
    look->expected.row_stride_bytes =
        (ptrdiff_t)stand->options.width * image_bytes(look->expected.format);
    look->expected.data =
        malloc((size_t)look->expected.row_stride_bytes * look->expected.height_px);
    if (!look->expected.data || fovea_context_create(&desc, &look->context) < 0) {
        stand_fail("a context", 0);
    }
    return look;
}

/* Reads what the layer says that it made the frame with. */
static void read_logged(const struct stand *stand, uint32_t number, struct fovea_point_uv *out_gaze,
                        bool *out_foveated)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%06u.txt", getenv("FOVEA_LAYER_DUMP"), number + 1);
    FILE *file = fopen(name, "r");
    if (!file && !stand->options.foveated) {
        *out_foveated = false; /* nothing was there to do */
        return;
    }
    char key[64], value[64];
    bool known = false;
    while (file && fscanf(file, "%63s %63s", key, value) == 2) {
        if (strcmp(key, "gaze_x") == 0) {
            out_gaze->x_uv = strtod(value, NULL);
        } else if (strcmp(key, "gaze_y") == 0) {
            out_gaze->y_uv = strtod(value, NULL);
            known = true;
        } else if (strcmp(key, "result") == 0) {
            *out_foveated = strcmp(value, "FOVEA_OK") == 0;
        }
    }
    if (!known) {
        stand_fail(name, 0);
    }
    fclose(file);
}

/* Eight bits a channel are most of what is compared, and many pixels. */
static double farthest(const struct fovea_image *a, const struct fovea_image *b)
{
    if (a->format != FOVEA_FORMAT_RGBA8) {
        struct compare_rect where;
        return compare_largest(a, b, &where);
    }
    int farthest = 0;
    for (uint32_t y = 0; y < a->height_px; y++) {
        const unsigned char *p = (const unsigned char *)a->data + y * a->row_stride_bytes;
        const unsigned char *q = (const unsigned char *)b->data + y * b->row_stride_bytes;
        for (size_t x = 0; x < (size_t)a->width_px * 4; x++) {
            const int far = abs(p[x] - q[x]);
            farthest = far > farthest ? far : farthest;
        }
    }
    return farthest;
}

void stand_look_at(struct stand_look *look, const struct stand *stand, uint32_t number,
                   uint32_t image)
{
    struct fovea_image shown = look->expected;
    shown.data = (void *)stand->picture_of(image);
    const struct fovea_image drawn = stand_drawn(stand, number);
    struct fovea_point_uv gaze = {look->settings.gaze.fixed.x_uv, look->settings.gaze.fixed.y_uv};
    bool foveated = stand->options.foveated;
    if (stand->options.logged) {
        read_logged(stand, number, &gaze, &foveated);
    }
    if (foveated &&
        fovea_context_run(look->context, &drawn, &look->expected, gaze, NULL) != FOVEA_OK) {
        stand_fail("fovea_context_run", 0);
    }
    const double far = farthest(&shown, foveated ? &look->expected : &drawn);
    look->worst = far > look->worst ? far : look->worst;
    look->foveated += !compare_are_same(&shown, &drawn);
    look->frames++;
}

void stand_look_close(struct stand_look *look)
{
    const enum fovea_format format = look->expected.format;
    printf("frames_compared %u\nframes_changed %u\nworst %.6g\nwhite %g\n", look->frames,
           look->foveated, look->worst, image_white(format, 0));
    fovea_context_destroy(&look->context);
    free(look->expected.data);
    free(look);
}
