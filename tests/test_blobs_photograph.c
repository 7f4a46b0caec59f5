/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* CS5: the definition's peaks in a photograph, which is not here. FOVEA_TEST_ASTRONAUT names a file
 * of its 512x512 pixels of three bytes (skimage.data.astronaut().tofile(...)); without it this is
 * skipped. Takes one or two minutes. */

#include "cmocka_all.h"

#include "kernels/saliency/saliency.h"

#define VARIABLE "FOVEA_TEST_ASTRONAUT"
#define SKIPPED 77
#define PHOTO 512

struct peak {
    double value;
    uint32_t scale;
    size_t place;
};

static bool is_peak(double *const *responses, uint32_t scale, size_t place)
{
    for (long i = 0; i < 27; i++) {
        const long x = (long)(place % PHOTO) + i % 3 - 1;
        const long y = (long)(place / PHOTO) + i / 3 % 3 - 1;
        if (x >= 0 && x < PHOTO && y >= 0 && y < PHOTO &&
            responses[scale + (uint32_t)(i / 9) - 1][y * PHOTO + x] > responses[scale][place]) {
            return false;
        }
    }
    return true;
}

static int stronger_first(const void *a, const void *b)
{
    const double difference = ((const struct peak *)b)->value - ((const struct peak *)a)->value;
    return difference > 0.0 ? 1 : difference < 0.0 ? -1 : 0;
}

static double *read_photo(const char *path)
{
    unsigned char *bytes = test_calloc(PHOTO * PHOTO, 3);
    double *levels = test_calloc(PHOTO * PHOTO * 3, sizeof *levels);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 3, PHOTO * PHOTO, file), PHOTO * PHOTO);
    fclose(file);
    for (size_t i = 0; i < PHOTO * PHOTO * 3; i++) {
        levels[i] = bytes[i];
    }
    test_free(bytes);
    return levels;
}

#define PHOTO_SCALES 13

TEST(the_definition_has_the_peaks_of_a_photograph) /* CS5 */
{
    static const struct {
        double value, sigma_px;
        size_t y_px, x_px;
    } strongest[] = {{0.8901, 10.08, 443, 358},
                     {0.6281, 10.08, 362, 437},
                     {0.6274, 12.70, 357, 390},
                     {0.6066, 10.08, 389, 469},
                     {0.5942, 2.52, 506, 121}};
    const struct saliency_numbers numbers = {.sigma_min_px = 2.0};
    double *levels = read_photo(getenv(VARIABLE));
    const struct saliency_picture photo = {levels, PHOTO, PHOTO, 3, 255.0};
    double *responses[PHOTO_SCALES];
    OWNED(owned_test_free) struct peak *peaks = test_calloc(4000, sizeof *peaks);
    size_t count = 0;
    for (uint32_t k = 0; k < PHOTO_SCALES; k++) {
        responses[k] = test_calloc(PHOTO * PHOTO, sizeof(double));
        const double sigma = saliency_sigma_px(&numbers, k);
        assert_ok(saliency_reference(&photo, 0, sigma, SALIENCY_ABSOLUTE, responses[k]));
    }
    for (uint32_t k = 1; k < PHOTO_SCALES - 1; k++) {
        for (size_t i = 0; i < PHOTO * PHOTO && count < 4000; i++) {
            if (responses[k][i] > 0.05 && is_peak(responses, k, i)) {
                peaks[count++] = (struct peak){responses[k][i], k, i};
            }
        }
    }
    assert_int_equal(count, 1290);
    qsort(peaks, count, sizeof *peaks, stronger_first);
    for (size_t i = 0; i < sizeof strongest / sizeof strongest[0]; i++) {
        assert_true(fabs(peaks[i].value - strongest[i].value) < 0.5e-4);
        assert_true(fabs(saliency_sigma_px(&numbers, peaks[i].scale) - strongest[i].sigma_px) <
                    0.005);
        assert_int_equal(peaks[i].place, strongest[i].y_px * PHOTO + strongest[i].x_px);
    }
    for (uint32_t k = 0; k < PHOTO_SCALES; k++) {
        test_free(responses[k]);
    }
    test_free(levels);
}

int main(void)
{
    return getenv(VARIABLE) ? tests_run(NULL, NULL) : SKIPPED;
}
