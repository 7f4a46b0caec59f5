/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* unity_frames IN.ppm OUT.ppm X Y [FRAMES]: a picture through the Unity plugin in host.h, with the
 * gaze at X, Y from the upper left corner and the settings of FOVEA_SET; what the frames cost is
 * printed. docs/unity.md has a picture of it. */

#include "cmocka_all.h"
#include "host.h"

struct request {
    const char *in;
    const char *out;
    double x_uv;
    double y_uv;
    int frames;
};

static struct test_image read_picture(const char *path)
{
    unsigned width = 0;
    unsigned height = 0;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "P6 %u %u 255", &width, &height), 2);
    assert_int_equal(fgetc(file), '\n');
    assert_in_range(width, 1, 8192);
    assert_in_range(height, 1, 8192);
    struct test_image image = image_make_packed(width, height, FOVEA_FORMAT_RGBA8);
    for (size_t i = 0; i < (size_t)width * height; i++) {
        assert_int_equal(fread((uint8_t *)image.view.data + 4 * i, 3, 1, file), 1);
        ((uint8_t *)image.view.data)[4 * i + 3] = 255;
    }
    assert_int_equal(fclose(file), 0);
    return image;
}

static void write_picture(const char *path, const struct fovea_image *image)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "P6\n%u %u\n255\n", image->width_px, image->height_px);
    for (size_t i = 0; i < (size_t)image->width_px * image->height_px; i++) {
        assert_int_equal(fwrite((const uint8_t *)image->data + 4 * i, 3, 1, file), 1);
    }
    assert_int_equal(fclose(file), 0);
}

static void foveate(void **state)
{
    const struct request *request = *state;
    OWNED(host_close) struct host host;
    assert_true(host_open(&host, &(struct host_options){.engine = {.no_validation = true}}));
    OWNED_IMAGE image = read_picture(request->in);
    OWNED_IMAGE out =
        image_make_packed(image.view.width_px, image.view.height_px, FOVEA_FORMAT_RGBA8);
    struct host_texture texture = host_texture_create(&host, VK_FORMAT_R8G8B8A8_SRGB,
                                                      image.view.width_px, image.view.height_px, 1);
    struct fovea_unity_block block = host_block(&texture, request->x_uv, request->y_uv);
    for (int i = 0; i < request->frames; i++) {
        host_frame(&host, &texture, &image.view, &block, host.plugin.uses_queue() != 0);
        /* lavapipe waits for the device where it is asked for timestamps, which is no cost of ours
         */
        engine_idle(&host.engine);
    }
    host_read(&host, &texture, &out.view);
    write_picture(request->out, &out.view);
    struct fovea_unity_stats stats = {.struct_bytes = sizeof stats};
    if (host.plugin.stats(1, &stats) == FOVEA_OK) {
        printf("%ux%u, backend %s: %.0f us of the render thread, %.0f us of the device\n",
               image.view.width_px, image.view.height_px,
               fovea_backend_name((enum fovea_backend)stats.backend), stats.cpu_p50_us,
               stats.gpu_p50_us);
    }
    host_texture_destroy(&host, &texture);
}

int main(int argc, char **argv)
{
    static struct request request;
    if (argc < 5) {
        fprintf(stderr, "unity_frames IN.ppm OUT.ppm X Y [FRAMES]\n");
        return 2;
    }
    request = (struct request){argv[1], argv[2], strtod(argv[3], NULL), strtod(argv[4], NULL),
                               argc > 5 ? (int)strtol(argv[5], NULL, 10) : 1};
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(foveate, &request)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
