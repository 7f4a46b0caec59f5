/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CSDD: what is found (CS6, CS7, CS9), and what comes of pictures that are none of the usual
 * ones. */

#include "blobs_run.h"
#include "random.h"

#include "kernels/saliency/saliency.h"
#include "sanitized.h"

#define BLOBS 500

/* Kernels on the host take long: then a run has one case in four. That lists are the processor's,
 * test_cuda_blobs says. */
static int turns(void)
{
    return getenv("FOVEA_TEST_QUICK") ? 4 : 1;
}

static struct fovea_blobs_desc desc_of(uint32_t scales)
{
    struct fovea_blobs_desc desc;
    fovea_blobs_desc_init(&desc);
    desc.scale_count = scales;
    desc.blob_max = BLOBS;
    desc.cpu_threads = 2;
    desc.threshold = 0.03;
    return desc;
}

static uint32_t find(const struct fovea_blobs_desc *desc, const struct fovea_image *image,
                     struct fovea_blob *out)
{
    struct fovea_blobs *blobs = NULL;
    uint32_t count = UINT32_MAX;
    assert_ok(fovea_blobs_create(desc, &blobs));
    assert_ok(blobs_run(blobs, image, 1, 0, out, &count));
    fovea_blobs_destroy(&blobs);
    return count;
}

static struct fovea_image image_of(void *data, uint32_t side, enum fovea_format format)
{
    return (struct fovea_image){.data = data,
                                .width_px = side,
                                .height_px = side,
                                .format = format,
                                .row_stride_bytes = (ptrdiff_t)(side * fovea_format_bytes(format))};
}

/* ---- Blobs of a known place and size */

#define SIDE 160

enum kind {
    GAUSS, /* of standard deviation size */
    DISC, /* of radius size: sigma is size / sqrt(2) */
    TEXTURE, /* coarse noise in fine noise of the same mean (CS7) */
};

static float value_at(enum kind kind, double distance, double size, uint64_t *random)
{
    const bool inside = distance < size;
    switch (kind) {
    case GAUSS:
        return (float)(0.2 + 0.6 * exp(-0.5 * pow(distance / size, 2.0)));
    case DISC:
        return inside ? 0.7f : 0.3f;
    default:
        return (float)(0.5 + random_uniform(random, -1.0, 1.0) * (inside ? 60.0 : 10.0) / 255.0);
    }
}

static void draw(enum kind kind, double x_px, double y_px, double size, float *out)
{
    uint64_t random = 5;
    for (int i = 0; i < SIDE * SIDE; i++) {
        out[i] = value_at(kind, hypot(i % SIDE - x_px, i / SIDE - y_px), size, &random);
    }
}

TEST(blobs_are_found_where_they_are_and_as_large_as_they_are) /* CS6, CS7 */
{
    static const struct {
        enum kind kind;
        double x_px, y_px, size, sigma_px;
        double off_px, off_factor; /* at most */
    } rows[] = {
        {GAUSS, 70.0, 81.0, 5.0, 5.0, 0.1, 1.07},
        {GAUSS, 80.3, 77.6, 8.0, 8.0, 0.2, 1.07},
        {GAUSS, 90.0, 70.5, 13.0, 13.0, 0.3, 1.07},
        {DISC, 80.0, 80.0, 6.0, 6.0 / M_SQRT2, 0.2, 1.07},
        {DISC, 75.4, 84.7, 12.0, 12.0 / M_SQRT2, 0.3, 1.07},
        {DISC, 81.0, 78.0, 25.0, 25.0 / M_SQRT2, 0.5, 1.07},
        {TEXTURE, 80.0, 78.0, 15.0, 15.0 / M_SQRT2, 1.5, 1.2},
        {TEXTURE, 76.0, 83.0, 24.0, 24.0 / M_SQRT2, 2.0, 1.2},
    };
    const struct fovea_blobs_desc desc = desc_of(15);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        if (!test_turn((int)r, (int)(sizeof rows / sizeof rows[0]), turns())) {
            continue;
        }
        OWNED(owned_test_free) float *values = test_calloc(SIDE * SIDE, sizeof *values);
        struct fovea_blob found[BLOBS];
        draw(rows[r].kind, rows[r].x_px, rows[r].y_px, rows[r].size, values);
        const struct fovea_image image = image_of(values, SIDE, FOVEA_FORMAT_R32F);
        const uint32_t count = find(&desc, &image, found);
        const double off =
            hypot((double)found[0].x_px - rows[r].x_px, (double)found[0].y_px - rows[r].y_px);
        const double factor = (double)found[0].sigma_px / rows[r].sigma_px;
        if (count == 0 || off > rows[r].off_px || fmax(factor, 1.0 / factor) > rows[r].off_factor) {
            fail_msg("row %zu: %u blobs, the strongest %.2f px off, of %.3f times the sigma", r,
                     count, off, factor);
        }
    }
}

/* The texture's middle: the definition takes long where a sanitizer is. */
#define CROP 56
#define CROP_SIGMA_PX 8.0

TEST(a_texture_of_the_same_mean_is_nothing_to_a_laplacian) /* CS7 */
{
    OWNED(owned_test_free) float *values = test_calloc(SIDE * SIDE, sizeof *values);
    double levels[CROP * CROP];
    double signed_sum[CROP * CROP];
    double absolute[CROP * CROP];
    draw(TEXTURE, 80.0, 80.0, 1.5 * CROP_SIGMA_PX, values);
    for (size_t i = 0; i < CROP * CROP; i++) {
        const size_t row = i / CROP + (SIDE - CROP) / 2;
        levels[i] = (double)values[row * SIDE + i % CROP + (SIDE - CROP) / 2];
    }
    const struct saliency_picture picture = {levels, CROP, CROP, 1, 1.0};
    const size_t middle = CROP / 2 * (CROP + 1);
    assert_ok(saliency_reference(&picture, 0, CROP_SIGMA_PX, SALIENCY_SIGNED, signed_sum));
    assert_ok(saliency_reference(&picture, 0, CROP_SIGMA_PX, SALIENCY_ABSOLUTE, absolute));
    assert_true(absolute[middle] > 10.0 * fabs(signed_sum[middle]));
    assert_true(absolute[middle] > 0.05);
}

/* ---- Again in a turned picture and in one of half the size (CS9) */

static void draw_field(float *out)
{
    uint64_t random = 11;
    for (int i = 0; i < SIDE * SIDE; i++) {
        out[i] = 0.4f;
    }
    for (int blob = 0; blob < 40; blob++) {
        const double x = random_uniform(&random, 0.0, SIDE);
        const double y = random_uniform(&random, 0.0, SIDE);
        const double size = random_uniform(&random, 4.0, 12.0);
        const double more = random_uniform(&random, -0.3, 0.4);
        for (int i = 0; i < SIDE * SIDE; i++) {
            const double u = (pow(i % SIDE - x, 2.0) + pow(i / SIDE - y, 2.0)) / (size * size);
            out[i] += (float)(more * exp(-0.5 * u));
        }
    }
}

/* The part of a's blobs that b has: within half a sigma, and of nearly its sigma. */
static double found_again(const struct fovea_blob *a, uint32_t a_count, const struct fovea_blob *b,
                          uint32_t b_count)
{
    uint32_t again = 0;
    for (uint32_t i = 0; i < a_count; i++) {
        for (uint32_t j = 0; j < b_count; j++) {
            const float factor = a[i].sigma_px / b[j].sigma_px;
            if (hypotf(a[i].x_px - b[j].x_px, a[i].y_px - b[j].y_px) < 0.5f * a[i].sigma_px &&
                factor < 1.25f && factor > 0.8f) {
                again++;
                break;
            }
        }
    }
    return (double)again / a_count;
}

static void turn(const float *values, float *out)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        out[i % SIDE * SIDE + SIDE - 1 - i / SIDE] = values[i];
    }
}

static struct fovea_blob turn_back(struct fovea_blob blob)
{
    return (struct fovea_blob){blob.y_px, SIDE - 1 - blob.x_px, blob.sigma_px, blob.strength};
}

static void halve(const float *values, float *out)
{
    for (int i = 0; i < SIDE * SIDE / 4; i++) {
        const float *at = values + i / (SIDE / 2) * 2 * SIDE + i % (SIDE / 2) * 2;
        out[i] = 0.25f * (at[0] + at[1] + at[SIDE] + at[SIDE + 1]);
    }
}

static struct fovea_blob enlarge(struct fovea_blob blob)
{
    return (struct fovea_blob){2.0f * blob.x_px + 0.5f, 2.0f * blob.y_px + 0.5f,
                               2.0f * blob.sigma_px, blob.strength};
}

TEST(blobs_are_found_again_in_turned_and_smaller_pictures) /* CS9 */
{
    static const struct {
        const char *name;
        void (*change)(const float *values, float *out);
        struct fovea_blob (*back)(struct fovea_blob blob);
        uint32_t side;
        double least; /* of the blobs */
    } rows[] = {{"turned", turn, turn_back, SIDE, 0.9}, {"halved", halve, enlarge, SIDE / 2, 0.7}};
    const struct fovea_blobs_desc desc = desc_of(13);
    OWNED(owned_test_free) float *values = test_calloc(SIDE * SIDE, sizeof *values);
    OWNED(owned_test_free) float *other = test_calloc(SIDE * SIDE, sizeof *values);
    struct fovea_blob found[BLOBS];
    struct fovea_blob again[BLOBS];
    draw_field(values);
    const struct fovea_image image = image_of(values, SIDE, FOVEA_FORMAT_R32F);
    const uint32_t count = find(&desc, &image, found);
    assert_true(count > 20);
    for (size_t r = 0; r < 2; r++) {
        if (!test_turn((int)r, 2, turns())) {
            continue;
        }
        rows[r].change(values, other);
        const struct fovea_image changed = image_of(other, rows[r].side, FOVEA_FORMAT_R32F);
        const uint32_t others = find(&desc, &changed, again);
        for (uint32_t i = 0; i < others; i++) {
            again[i] = rows[r].back(again[i]);
        }
        const double part = found_again(found, count, again, others);
        assert_that(part > rows[r].least, "%s: %.2f of %u blobs are found again", rows[r].name,
                    part, count);
    }
}

/* ---- Pictures that are none of the usual ones */

TEST(pictures_without_contrast_have_no_blobs)
{
    static const struct {
        uint32_t side;
        float value;
    } rows[] = {{1, 0.5f}, {2, 0.0f}, {64, 0.5f}, {64, 7.0f}, {9, -1.0f}, {9, NAN}, {9, INFINITY}};
    struct fovea_blobs_desc desc = desc_of(19);
    desc.threshold = -1.0;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        float values[64 * 64];
        struct fovea_blob found[BLOBS];
        for (uint32_t i = 0; i < rows[r].side * rows[r].side; i++) {
            values[i] = rows[r].value;
        }
        const struct fovea_image image = image_of(values, rows[r].side, FOVEA_FORMAT_R32F);
        assert_int_equal(find(&desc, &image, found), 0);
    }
}

TEST(nan_is_black_and_a_small_picture_may_have_large_scales)
{
    float values[24 * 24];
    float black[24 * 24];
    struct fovea_blob found[2][BLOBS];
    struct fovea_blobs_desc desc = desc_of(19);
    desc.threshold = -1.0;
    for (int i = 0; i < 24 * 24; i++) {
        const bool inside = hypot(i % 24 - 11.0, i / 24 - 12.0) < 4.0;
        values[i] = inside ? NAN : 0.6f;
        black[i] = inside ? 0.0f : 0.6f;
    }
    const struct fovea_image a = image_of(values, 24, FOVEA_FORMAT_R32F);
    const struct fovea_image b = image_of(black, 24, FOVEA_FORMAT_R32F);
    const uint32_t count = find(&desc, &a, found[0]);
    assert_true(count > 0);
    assert_int_equal(find(&desc, &b, found[1]), count);
    assert_memory_equal(found[0], found[1], count * sizeof found[0][0]);
    assert_true(hypotf(found[0][0].x_px - 11.0f, found[0][0].y_px - 12.0f) < 0.3f);
}

#define FEW 4

TEST(of_more_blobs_than_asked_for_the_strongest_come_and_batches_are_single_images)
{
    unsigned char bytes[2 * 64 * 64];
    struct fovea_blob all[BLOBS];
    struct fovea_blob few[2 * FEW];
    uint32_t counts[2];
    uint64_t random = 3;
    OWNED(fovea_blobs_destroy) struct fovea_blobs *blobs = NULL;
    struct fovea_blobs_desc desc = desc_of(7);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)random_uniform(&random, 0.0, 255.9);
    }
    const struct fovea_image image = image_of(bytes, 64, FOVEA_FORMAT_R8);
    const uint32_t count = find(&desc, &image, all);
    assert_true(count > FEW);
    desc.blob_max = FEW;
    assert_ok(fovea_blobs_create(&desc, &blobs));
    assert_ok(blobs_run(blobs, &image, 2, 64 * 64, few, counts));
    assert_int_equal(counts[0], FEW);
    assert_int_equal(counts[1], FEW);
    assert_memory_equal(all, few, FEW * sizeof few[0]);
    const struct fovea_image second = image_of(bytes + 64 * 64, 64, FOVEA_FORMAT_R8);
    find(&desc, &second, all);
    assert_memory_equal(all, few + FEW, FEW * sizeof few[0]);
}

#define LARGE 512

TEST(memory_is_what_the_header_says)
{
    unsigned char *bytes = test_calloc(LARGE * LARGE, 3);
    struct fovea_blobs_desc desc = desc_of(19);
    struct fovea_blobs *blobs = NULL;
    struct fovea_image image = image_of(bytes, LARGE, FOVEA_FORMAT_RGB8);
    struct fovea_blob found[BLOBS];
    uint32_t count = 0;
    assert_ok(fovea_blobs_create(&desc, &blobs));
    assert_true(fovea_blobs_bytes(blobs) < 4096);
    assert_ok(fovea_blobs_run(blobs, &image, 1, 0, found, &count, NULL));
    assert_true(fovea_blobs_bytes(blobs) <
                53 * LARGE * LARGE + (5 + 2) * 1024 * LARGE + 2 * (2 << 20));
    fovea_blobs_destroy(&blobs);
    test_free(bytes);
}

TEST(what_cannot_be_is_refused)
{
    static const struct fovea_blobs_desc rows[] = {
        {.struct_bytes = 4},
        {.struct_bytes = sizeof rows[0], .scale_count = 2},
        {.struct_bytes = sizeof rows[0], .scale_count = 26},
        {.struct_bytes = sizeof rows[0], .blob_max = 65537},
        {.struct_bytes = sizeof rows[0], .sigma_min_px = 0.5},
        {.struct_bytes = sizeof rows[0], .sigma_min_px = 65.0},
        {.struct_bytes = sizeof rows[0], .sigma_min_px = NAN},
        {.struct_bytes = sizeof rows[0], .threshold = 3.5},
        {.struct_bytes = sizeof rows[0], .threshold = NAN},
        {.struct_bytes = sizeof rows[0], .overlap = -0.1},
        {.struct_bytes = sizeof rows[0], .overlap = NAN},
        {.struct_bytes = sizeof rows[0], .reserved = 1},
    };
    struct fovea_blobs *blobs = NULL;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        assert_int_equal(fovea_blobs_create(&rows[r], &blobs), FOVEA_ERROR_INVALID_ARGUMENT);
        assert_null(blobs);
    }
    const struct fovea_blobs_desc desc = desc_of(3);
    unsigned char bytes[16] = {0};
    struct fovea_blob found[BLOBS];
    uint32_t count = 0;
    assert_ok(fovea_blobs_create(&desc, &blobs));
    struct fovea_image image = image_of(bytes, 4, FOVEA_FORMAT_R8);
    assert_int_equal(fovea_blobs_run(blobs, &image, 0, 0, found, &count, NULL),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    image.row_stride_bytes = 3;
    assert_int_equal(fovea_blobs_run(blobs, &image, 1, 0, found, &count, NULL),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    image = image_of(bytes, 2, FOVEA_FORMAT_R16);
    assert_int_equal(fovea_blobs_run(blobs, &image, 1, 0, found, &count, NULL),
                     FOVEA_ERROR_UNSUPPORTED);
    image = image_of(bytes, 4, FOVEA_FORMAT_R8);
    image.memory = FOVEA_MEMORY_CUDA; /* which it is not, or there is no CUDA */
    const enum fovea_result no_device = fovea_blobs_run(blobs, &image, 1, 0, found, &count, NULL);
    assert_true(no_device == FOVEA_ERROR_INVALID_ARGUMENT || no_device == FOVEA_ERROR_UNSUPPORTED);
    image.data = NULL;
    assert_int_equal(fovea_blobs_run(blobs, &image, 1, 0, found, &count, NULL),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fovea_blobs_run(blobs, NULL, 1, 0, found, &count, NULL),
                     FOVEA_ERROR_INVALID_ARGUMENT);
    fovea_blobs_destroy(&blobs);
    fovea_blobs_destroy(&blobs);
    fovea_blobs_destroy(NULL);
}
