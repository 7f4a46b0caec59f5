/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context_run_batch with channels in planes: the same as with pixels, bit for bit, and what
 * is refused. The search (search/) tries orders, formats and layouts. */

#include "test_context_support.h"

#include "sheet.h"

#define PLANES 3
#define COUNT 7 /* images */
#define WIDTH_PX 37
#define HEIGHT_PX 29

/* Images of RGB16F as pixels, and as planes that lie one behind the other (NCHW). */
struct planes_scene {
    struct said said;
    struct fovea_context *context;
    struct sheet pixels, expected; /* of pixels */
    struct sheet planes, made; /* PLANES pictures for each of the others */
    struct fovea_batch batch;
    float gazes_uv[2 * COUNT];
};

static struct sheet sheet_of_planes(void)
{
    return sheet_make(PLANES * COUNT, WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_R16F, SHEET_STACKED);
}

static struct sheet sheet_of_pixels(void)
{
    return sheet_make(COUNT, WIDTH_PX, HEIGHT_PX, FOVEA_FORMAT_RGB16F, SHEET_STACKED);
}

/* Number i of all samples, in the order of planes. */
static unsigned char *sample_of_plane(const struct sheet *planes, uint32_t i)
{
    const struct fovea_image plane = sheet_image(planes, i / (WIDTH_PX * HEIGHT_PX));
    return image_pixel(&plane, i % WIDTH_PX, i / WIDTH_PX % HEIGHT_PX);
}

static unsigned char *sample_of_pixel(const struct sheet *pixels, uint32_t i)
{
    const uint32_t plane = i / (WIDTH_PX * HEIGHT_PX);
    const struct fovea_image image = sheet_image(pixels, plane / PLANES);
    return image_pixel(&image, i % WIDTH_PX, i / WIDTH_PX % HEIGHT_PX) + 2 * (plane % PLANES);
}

#define SAMPLES ((uint32_t)(PLANES * COUNT * WIDTH_PX * HEIGHT_PX))

static struct planes_scene *planes_make(void)
{
    struct fovea_settings settings = fovea_settings_default();
    struct planes_scene *s = test_memory(1, sizeof *s);
    settings.cpu_threads = 2;
    s->context = context_of(&settings, &s->said);
    s->pixels = sheet_of_pixels();
    s->expected = sheet_of_pixels();
    s->planes = sheet_of_planes();
    s->made = sheet_of_planes();
    sheet_draw(&s->pixels, IMAGE_RANDOM, 5);
    sheet_gazes(s->gazes_uv, COUNT, 5);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        memcpy(sample_of_plane(&s->planes, i), sample_of_pixel(&s->pixels, i), 2);
    }
    fovea_batch_init(&s->batch);
    s->batch.count = COUNT;
    s->batch.gazes_uv = s->gazes_uv;
    s->batch.src = s->planes.first;
    s->batch.dst = s->made.first;
    s->batch.src.format = s->batch.dst.format = FOVEA_FORMAT_RGB16F;
    s->batch.src_plane_bytes = s->planes.next_bytes;
    s->batch.dst_plane_bytes = s->made.next_bytes;
    s->batch.src_next_bytes = PLANES * s->planes.next_bytes;
    s->batch.dst_next_bytes = PLANES * s->made.next_bytes;
    return s;
}

static void planes_free(struct planes_scene *s)
{
    assert_silent(&s->said);
    fovea_context_destroy(&s->context);
    sheet_free(&s->pixels);
    sheet_free(&s->expected);
    sheet_free(&s->planes);
    sheet_free(&s->made);
    free(s);
}

/* The batch, and the same images as pixels with the same gazes. */
static void check(struct planes_scene *s)
{
    struct fovea_batch pixels = s->batch;
    pixels.src = s->pixels.first;
    pixels.dst = s->expected.first;
    pixels.src_next_bytes = s->batch.src_next_bytes ? s->pixels.next_bytes : 0;
    pixels.dst_next_bytes = s->expected.next_bytes;
    pixels.src_plane_bytes = pixels.dst_plane_bytes = 0;
    assert_ok(fovea_context_run_batch(s->context, &s->batch, NULL));
    assert_ok(fovea_context_run_batch(s->context, &pixels, NULL));
    for (uint32_t i = 0; i < SAMPLES / COUNT * s->batch.count; i++) {
        assert_memory_equal(sample_of_plane(&s->made, i), sample_of_pixel(&s->expected, i), 2);
    }
}

TEST(planes_are_as_pixels)
{
    struct planes_scene *s = planes_make();
    check(s);
    s->batch.src_next_bytes = 0; /* one picture, many gazes */
    check(s);
    s->batch.src = s->pixels.first; /* planes on one side */
    s->batch.src_next_bytes = s->pixels.next_bytes;
    s->batch.src_plane_bytes = 0;
    check(s);
    s->batch.count = 1; /* a batch of one needs no distances */
    s->batch.src_next_bytes = s->batch.dst_next_bytes = 6;
    check(s);
    planes_free(s);
}

static void refuse_planes(struct planes_scene *s, struct fovea_batch batch, const char *words)
{
    /* A refusal in the same words is not said again, unless a good one came between. */
    assert_ok(fovea_context_run_batch(s->context, &s->batch, NULL));
    assert_invalid(fovea_context_run_batch(s->context, &batch, NULL));
    assert_said(&s->said, words);
}

TEST(planes_that_are_none_are_refused)
{
    struct planes_scene *s = planes_make();
    struct fovea_batch bad = s->batch;
    bad.dst_plane_bytes = bad.dst.row_stride_bytes; /* in the first plane */
    refuse_planes(s, bad, "overlap");
    bad = s->batch;
    bad.dst_next_bytes = 2 * bad.dst_plane_bytes; /* the last plane is the next image's first */
    refuse_planes(s, bad, "overlap");
    bad = s->batch;
    bad.src_plane_bytes = 3;
    refuse_planes(s, bad, "src_plane_bytes is 3");
    bad.src_plane_bytes = PTRDIFF_MIN;
    refuse_planes(s, bad, "src_plane_bytes");
    bad = s->batch;
    bad.src.data = (char *)bad.dst.data + 2 * bad.dst_plane_bytes; /* read where dst is written */
    bad.count = 1;
    refuse_planes(s, bad, "overlap");
    bad = s->batch;
    bad.src.format = bad.dst.format = FOVEA_FORMAT_RGBA8;
    refuse_planes(s, bad, "has none");
    planes_free(s);
}
