/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A whole program: a picture in CPU memory, twice the usual blur, the gaze left of the middle.
 *
 *     cc minimal_cpu.c $(pkg-config --cflags --libs fovea) -o minimal_cpu
 *     ./minimal_cpu foveated.ppm */
#include <fovea.h>

#include <stdio.h>
#include <stdlib.h>

#define WIDTH_PX 640
#define HEIGHT_PX 480

static void say(void *user, enum fovea_log_level level, const char *message)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", message);
}

/* A chequered picture shows blur well. */
static void draw(unsigned char *pixels)
{
    for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
        const int x = i % WIDTH_PX;
        const int y = i / WIDTH_PX;
        const unsigned char value = (x / 8 + y / 8) % 2 ? 255 : 0;
        pixels[3 * i] = value;
        pixels[3 * i + 1] = pixels[3 * i + 2] = (unsigned char)(255 - value);
    }
}

static enum fovea_result foveate(const struct fovea_settings *settings, struct fovea_log log,
                                 unsigned char *pixels, unsigned char *result)
{
    struct fovea_context_desc desc;
    fovea_context_desc_init(&desc);
    desc.settings = settings;
    desc.log = log;
    struct fovea_context *context = NULL;
    enum fovea_result done = fovea_context_create(&desc, &context);
    if (done == FOVEA_OK) {
        const struct fovea_image src = {.data = pixels,
                                        .width_px = WIDTH_PX,
                                        .height_px = HEIGHT_PX,
                                        .format = FOVEA_FORMAT_RGB8,
                                        .row_stride_bytes = WIDTH_PX * 3};
        struct fovea_image dst = src;
        dst.data = result;
        const struct fovea_point_uv gaze = {0.25, 0.5};
        done = fovea_context_run(context, &src, &dst, gaze, NULL);
    }
    fovea_context_destroy(&context);
    return done;
}

static int write_picture(const char *path, const unsigned char *pixels)
{
    FILE *file = fopen(path, "wb");
    if (!file) {
        return 1;
    }
    fprintf(file, "P6\n%d %d\n255\n", WIDTH_PX, HEIGHT_PX);
    const size_t written = fwrite(pixels, 3, (size_t)WIDTH_PX * HEIGHT_PX, file);
    return fclose(file) != 0 || written != (size_t)WIDTH_PX * HEIGHT_PX;
}

int main(int argc, char **argv)
{
    static unsigned char pixels[WIDTH_PX * HEIGHT_PX * 3];
    static unsigned char result[WIDTH_PX * HEIGHT_PX * 3];
    const struct fovea_log log = {.fn = say, .min_level = FOVEA_LOG_WARNING};
    struct fovea_settings *settings = NULL;
    draw(pixels);
    enum fovea_result done = fovea_settings_create(&settings);
    if (done == FOVEA_OK) {
        done = fovea_settings_set(settings, "foveation.strength", "2", log);
    }
    if (done == FOVEA_OK) {
        done = foveate(settings, log, pixels, result);
    }
    fovea_settings_destroy(&settings);
    if (done != FOVEA_OK) {
        fprintf(stderr, "%s\n", fovea_result_name(done));
        return 1;
    }
    return write_picture(argc > 1 ? argv[1] : "foveated.ppm", result);
}
