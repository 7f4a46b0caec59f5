/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_context_run_batch with channels in planes: the same as with pixels, bit for bit. */

#include "test_context_support.h"

#include "sheet.h"

#define PLANES 3
#define COUNT 7 /* images */

struct kind {
    enum fovea_method method;
    enum fovea_format format;
    uint32_t count;
    uint32_t width_px;
    uint32_t height_px;
};

static const struct kind usual = {.method = FOVEA_METHOD_SMOOTH,
                                  .format = FOVEA_FORMAT_RGB8,
                                  .count = COUNT,
                                  .width_px = 37,
                                  .height_px = 29};

/* Where the planes of an image lie. */
enum plane_order {
    PLANES_BY_IMAGE, /* NCHW */
    PLANES_BY_CHANNEL, /* CNHW: all images of a channel, and then the next channel's */
    PLANES_BACKWARD, /* the last channel first */
    PLANES_IN_PIXELS, /* samples lie together, with a byte or more after three */
    PLANE_ORDER_COUNT,
};

struct planes_scene {
    struct said said;
    struct fovea_context *context;
    struct sheet pixels; /* what the planes say */
    struct sheet expected; /* what a batch of pixels gives */
    unsigned char *memory[2]; /* planes of src and dst */
    struct fovea_batch batch;
    float gazes_uv[2 * COUNT];
};

static size_t sample_bytes(enum fovea_format format)
{
    return fovea_format_bytes(format) / PLANES;
}

/* Fills in what the batch says of one side. */
static void lay_out(struct kind kind, enum plane_order order, unsigned char *memory,
                    struct fovea_image *image, ptrdiff_t *next_bytes, ptrdiff_t *plane_bytes)
{
    const ptrdiff_t sample = (ptrdiff_t)sample_bytes(kind.format);
    const ptrdiff_t pixel = order == PLANES_IN_PIXELS ? sample * 5 : sample;
    const ptrdiff_t row = pixel * (ptrdiff_t)kind.width_px;
    const ptrdiff_t plane = row * (ptrdiff_t)kind.height_px;
    *image = (struct fovea_image){.data = memory,
                                  .width_px = kind.width_px,
                                  .height_px = kind.height_px,
                                  .format = kind.format,
                                  .row_stride_bytes = row,
                                  .pixel_stride_bytes = order == PLANES_IN_PIXELS ? pixel : 0};
    *next_bytes = order == PLANES_IN_PIXELS || order == PLANES_BY_CHANNEL ? plane : PLANES * plane;
    *plane_bytes = order == PLANES_IN_PIXELS    ? sample
                   : order == PLANES_BY_CHANNEL ? plane * (ptrdiff_t)kind.count
                                                : plane;
    if (order == PLANES_BACKWARD) {
        image->data = memory + 2 * plane;
        *plane_bytes = -plane;
    }
}

static size_t planes_bytes(struct kind kind)
{
    return 5 * sample_bytes(kind.format) * kind.width_px * kind.height_px * kind.count;
}

static unsigned char *sample_at(const struct fovea_image *first, ptrdiff_t next_bytes,
                                ptrdiff_t plane_bytes, const uint32_t at[4])
{
    const ptrdiff_t pixel = first->pixel_stride_bytes ? first->pixel_stride_bytes
                                                      : (ptrdiff_t)sample_bytes(first->format);
    return (unsigned char *)first->data + at[0] * next_bytes + at[1] * plane_bytes +
           at[2] * first->row_stride_bytes + at[3] * pixel;
}

static unsigned char *sample_of_pixel(const struct sheet *sheet, const uint32_t at[4])
{
    const struct fovea_image image = sheet_image(sheet, at[0]);
    const ptrdiff_t pixel = image.pixel_stride_bytes ? image.pixel_stride_bytes
                                                     : (ptrdiff_t)fovea_format_bytes(image.format);
    return (unsigned char *)image.data + at[2] * image.row_stride_bytes + at[3] * pixel +
           at[1] * sample_bytes(image.format);
}

/* Returns whether `at` was not the last sample, and is the next one: image, channel, y, x. */
static bool next_sample(struct kind kind, uint32_t at[4])
{
    const uint32_t ends[4] = {kind.count, PLANES, kind.height_px, kind.width_px};
    for (int i = 3; i >= 0; i--) {
        if (++at[i] < ends[i]) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

static struct planes_scene *planes_make(struct kind kind, enum plane_order src_order,
                                        enum plane_order dst_order)
{
    struct fovea_settings settings = fovea_settings_default();
    struct planes_scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    settings.cpu_threads = 2;
    settings.foveation.method = kind.method;
    settings.foveation.paper.fragment_px = 8;
    s->context = context_of(&settings, &s->said);
    s->pixels = sheet_make(kind.count, kind.width_px, kind.height_px, kind.format, SHEET_STACKED);
    s->expected = sheet_make(kind.count, kind.width_px, kind.height_px, kind.format, SHEET_STACKED);
    sheet_draw(&s->pixels, IMAGE_RANDOM, 5);
    sheet_gazes(s->gazes_uv, kind.count, 5);
    for (int i = 0; i < 2; i++) {
        s->memory[i] = malloc(planes_bytes(kind));
        assert_non_null(s->memory[i]);
        memset(s->memory[i], 0x5a, planes_bytes(kind));
    }
    fovea_batch_init(&s->batch);
    s->batch.count = kind.count;
    s->batch.gazes_uv = s->gazes_uv;
    lay_out(kind, src_order, s->memory[0], &s->batch.src, &s->batch.src_next_bytes,
            &s->batch.src_plane_bytes);
    lay_out(kind, dst_order, s->memory[1], &s->batch.dst, &s->batch.dst_next_bytes,
            &s->batch.dst_plane_bytes);
    uint32_t at[4] = {0};
    do {
        memcpy(sample_at(&s->batch.src, s->batch.src_next_bytes, s->batch.src_plane_bytes, at),
               sample_of_pixel(&s->pixels, at), sample_bytes(kind.format));
    } while (next_sample(kind, at));
    return s;
}

static void planes_free(struct planes_scene *s)
{
    assert_silent(&s->said);
    fovea_context_destroy(&s->context);
    sheet_free(&s->pixels);
    sheet_free(&s->expected);
    free(s->memory[0]);
    free(s->memory[1]);
    free(s);
}

/* The same images as pixels, with the same gazes. */
static void run_pixels(struct planes_scene *s)
{
    struct fovea_batch pixels = s->batch;
    pixels.src = s->pixels.first;
    pixels.dst = s->expected.first;
    pixels.src_next_bytes = s->batch.src_next_bytes ? s->pixels.next_bytes : 0;
    pixels.dst_next_bytes = s->expected.next_bytes;
    pixels.src_plane_bytes = pixels.dst_plane_bytes = 0;
    assert_int_equal(fovea_context_run_batch(s->context, &pixels, NULL), FOVEA_OK);
}

static void assert_planes_as_pixels(struct planes_scene *s, struct kind kind)
{
    uint32_t at[4] = {0};
    run_pixels(s);
    do {
        const unsigned char *made =
            sample_at(&s->batch.dst, s->batch.dst_next_bytes, s->batch.dst_plane_bytes, at);
        if (memcmp(made, sample_of_pixel(&s->expected, at), sample_bytes(kind.format)) != 0) {
            fail_msg("image %u, channel %u, pixel %u, %u", at[0], at[1], at[3], at[2]);
        }
    } while (next_sample(kind, at));
}

static void check_planes(struct kind kind, enum plane_order src_order, enum plane_order dst_order)
{
    struct planes_scene *s = planes_make(kind, src_order, dst_order);
    assert_int_equal(fovea_context_run_batch(s->context, &s->batch, NULL), FOVEA_OK);
    assert_planes_as_pixels(s, kind);
    planes_free(s);
}

TEST(planes_in_every_order_are_as_pixels)
{
    static const enum fovea_format formats[] = {FOVEA_FORMAT_RGB8, FOVEA_FORMAT_RGB16F,
                                                FOVEA_FORMAT_RGB32F};
    for (int method = FOVEA_METHOD_BLOCKWISE; method <= FOVEA_METHOD_SMOOTH; method++) {
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
            for (int order = 0; order < PLANE_ORDER_COUNT * PLANE_ORDER_COUNT; order++) {
                struct kind kind = usual;
                kind.method = (enum fovea_method)method;
                kind.format = formats[i];
                kind.width_px = order % 2 ? 36 : 37;
                kind.count = 3;
                check_planes(kind, (enum plane_order)(order / PLANE_ORDER_COUNT),
                             (enum plane_order)(order % PLANE_ORDER_COUNT));
            }
        }
    }
}

TEST(planes_of_one_picture_and_planes_on_one_side_are_as_pixels)
{
    struct kind kind = usual;
    kind.format = FOVEA_FORMAT_RGB8;
    struct planes_scene *s = planes_make(kind, PLANES_BY_IMAGE, PLANES_BY_IMAGE);
    s->batch.src_next_bytes = 0; /* many gazes */
    assert_int_equal(fovea_context_run_batch(s->context, &s->batch, NULL), FOVEA_OK);
    assert_planes_as_pixels(s, kind);
    s->batch.src = s->pixels.first;
    s->batch.src_next_bytes = s->pixels.next_bytes;
    s->batch.src_plane_bytes = 0;
    assert_int_equal(fovea_context_run_batch(s->context, &s->batch, NULL), FOVEA_OK);
    assert_planes_as_pixels(s, kind);
    s->batch.count = kind.count = 1; /* a batch of one needs no distances */
    s->batch.src_next_bytes = s->batch.dst_next_bytes = 7;
    assert_int_equal(fovea_context_run_batch(s->context, &s->batch, NULL), FOVEA_OK);
    s->batch.src_next_bytes = s->batch.dst_next_bytes = 0;
    assert_planes_as_pixels(s, kind);
    planes_free(s);
}

static void refuse_planes(struct planes_scene *s, struct fovea_batch batch, const char *words)
{
    /* What is refused in the same words again is not said again, unless a good one came between. */
    assert_int_equal(fovea_context_run_batch(s->context, &s->batch, NULL), FOVEA_OK);
    assert_int_equal(fovea_context_run_batch(s->context, &batch, NULL),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_said(&s->said, words);
}

TEST(planes_that_are_none_are_refused)
{
    struct kind kind = usual;
    kind.format = FOVEA_FORMAT_RGB16F;
    struct planes_scene *s = planes_make(kind, PLANES_BY_IMAGE, PLANES_BY_IMAGE);
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
