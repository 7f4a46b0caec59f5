/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Measures fovea_gl_foveate on the OpenGL that is here, for each way it can go: the median of the
 * call, and of the call until GL has finished.
 *
 *     ninja -C build/release bench_gl && build/release/tests/bench_gl [width height [frames]] */
#include "gl_context.h"

#include <stdio.h>
#include <stdlib.h>

enum { GL_RGBA32F = 0x8814, FRAMES_MOST = 10000 };

static void say(void *user, enum fovea_log_level level, const char *message)
{
    fprintf(stderr, "%s\n", message);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double median_ms(int64_t *times_ns, int count)
{
    qsort(times_ns, (size_t)count, sizeof *times_ns, compare);
    return (double)times_ns[count / 2] * 1e-6;
}

static uint32_t texture_of(int32_t internal, int width, int height)
{
    const size_t bytes = (size_t)width * (size_t)height * 4;
    unsigned char *pixels = malloc(bytes);
    uint32_t texture = 0;
    for (size_t i = 0; pixels && i < bytes; i++) {
        pixels[i] = (unsigned char)(i * 2654435761U >> 13);
    }
    gl.GenTextures(1, &texture);
    gl.BindTexture(GL_TEXTURE_2D, texture);
    gl.TexImage2D(GL_TEXTURE_2D, 0, internal, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    free(pixels);
    return texture;
}

static void measure(struct fovea_gl *fovea, const struct fovea_gl_frame *given, int frames,
                    const char *what)
{
    static int64_t calls[FRAMES_MOST];
    static int64_t whole[FRAMES_MOST];
    struct fovea_gl_frame frame = *given;
    for (int i = -10; i < frames; i++) {
        frame.gaze.point.x_uv = 0.5 + 0.001 * (i % 100);
        const int64_t start = fovea_time_ns();
        const enum fovea_result result = fovea_gl_foveate(fovea, &frame);
        const int64_t called = fovea_time_ns();
        gl.Finish();
        if (result != FOVEA_OK) {
            printf("| %s | %s |\n", what, fovea_result_name(result));
            return;
        }
        if (i >= 0) {
            calls[i] = called - start;
            whole[i] = fovea_time_ns() - start;
        }
    }
    printf("| %s | %.2f | %.2f | %s |\n", what, median_ms(calls, frames), median_ms(whole, frames),
           fovea_gl_way_reason(fovea));
}

static void measure_way(enum fovea_gl_way way, const char *backend, int width, int height,
                        int frames)
{
    static const struct {
        int32_t internal;
        const char *name;
    } formats[] = {{GL_RGBA8, "RGBA8"}, {GL_RGBA16F, "RGBA16F"}, {GL_RGBA32F, "RGBA32F"}};
    const struct fovea_log log = {.fn = say, .min_level = FOVEA_LOG_WARNING};
    struct fovea_settings *settings = NULL;
    struct fovea_gl *fovea = NULL;
    struct fovea_gl_desc desc;
    fovea_gl_desc_init(&desc);
    if (fovea_settings_create(&settings) < 0 ||
        fovea_settings_set(settings, "backend", backend, log) < 0) {
        return;
    }
    desc.settings = settings;
    desc.way = way;
    desc.log = log;
    if (fovea_gl_create(&desc, &fovea) < 0) {
        fovea_settings_destroy(&settings);
        return;
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct fovea_gl_frame frame;
        fovea_gl_frame_init(&frame);
        frame.src.name = frame.dst.name = texture_of(formats[i].internal, width, height);
        frame.gaze = (struct fovea_gaze){.point = {0.5, 0.4}, .usable = true};
        measure(fovea, &frame, frames, formats[i].name);
        gl.DeleteTextures(1, &frame.src.name);
    }
    fovea_gl_destroy(&fovea);
    fovea_settings_destroy(&settings);
}

int main(int argc, char **argv)
{
    const int width = argc > 2 ? atoi(argv[1]) : 1920;
    const int height = argc > 2 ? atoi(argv[2]) : 1080;
    const int frames = argc > 3 ? atoi(argv[3]) : 100;
    if (frames < 1 || frames > FRAMES_MOST || !gl_context_make(GL_KIND_CORE)) {
        fprintf(stderr, "there is no OpenGL here, or no such number of frames\n");
        return 77;
    }
    printf("%s, %s, %dx%d, medians of %d frames\n\n", (const char *)gl.GetString(GL_RENDERER),
           (const char *)gl.GetString(GL_VERSION), width, height, frames);
    printf("| format | call ms | until GL is done ms | |\n| --- | --- | --- | --- |\n");
    measure_way(FOVEA_GL_WAY_COPIED, "\"auto\"", width, height, frames);
    measure_way(FOVEA_GL_WAY_SHARED, "\"vulkan\"", width, height, frames);
    measure_way(FOVEA_GL_WAY_SHARED, "\"cuda\"", width, height, frames);
    gl_context_drop();
    return 0;
}
