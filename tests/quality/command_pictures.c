/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* draw and foveate: single pictures, for programs that measure them. */
#include "backends.h"
#include "commands.h"
#include "pictures.h"
#include "say.h"
#include "sheet.h"
#include "wishes.h"

#include <stdio.h>

#define EXIT_USAGE 2
#define SIDE_MAX_PX 16384

static bool write_sample(const struct sample *sample, const char *path)
{
    const struct picture picture = sheet_view(&sample->image);
    return picture_write_png(&picture, path);
}

/* How many are drawn if there is none of that name. */
static size_t find(const char *name)
{
    const size_t count = samples_count(false);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sample_name(i), name) == 0) {
            return i;
        }
    }
    return count;
}

int command_draw(int argc, char **argv)
{
    uint32_t width_px = 0;
    uint32_t height_px = 0;
    char rest;
    if (argc != 4 || sscanf(argv[2], "%5ux%5u%c", &width_px, &height_px, &rest) != 2 ||
        width_px < 1 || height_px < 1 || width_px > SIDE_MAX_PX || height_px > SIDE_MAX_PX) {
        say_error("draw needs the name of a picture, WxH pixels and a file to write");
        return EXIT_USAGE;
    }
    const size_t index = find(argv[1]);
    if (index == samples_count(false)) {
        say_error("no picture is drawn that is called '%s'", argv[1]);
        return EXIT_USAGE;
    }
    struct sample sample;
    if (!sample_draw(index, width_px, height_px, &sample)) {
        return EXIT_FAILURE;
    }
    const bool fine = write_sample(&sample, argv[3]);
    sample_free(&sample);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

int command_foveate(int argc, char **argv)
{
    struct picture_wishes wishes = {.gaze = {0.5, 0.5}};
    if (!picture_wishes_read(argc, argv, &wishes)) {
        return EXIT_USAGE;
    }
    if (!wishes.output) {
        say_error("foveate needs --output FILE");
        return EXIT_USAGE;
    }
    struct fovea_foveation foveation;
    struct sample sample;
    if (!picture_wishes_settings(&wishes, &foveation) ||
        !picture_wishes_spare(&wishes, wishes.output) || !sample_load(wishes.picture, &sample)) {
        return EXIT_FAILURE;
    }
    struct backend cpu = backend_cpu;
    struct sample done = sample;
    const struct fovea_image *src = &sample.image.view;
    done.image = image_make_packed(src->width_px, src->height_px, src->format);
    cpu.open(&cpu);
    cpu.run(&cpu, &foveation, src, wishes.gaze, &done.image.view);
    cpu.close(&cpu);
    const bool fine = write_sample(&done, wishes.output);
    sample_free(&done);
    sample_free(&sample);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
