/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "compare.h"
#include "cmocka_all.h"

#include "images.h"

struct compare_budget compare_budget_of(enum fovea_format format)
{
    switch (format) {
    case FOVEA_FORMAT_RGBA16F:
    case FOVEA_FORMAT_RGB16F:
    case FOVEA_FORMAT_R16F:
        return (struct compare_budget){.max_abs = 1e-6, .max_rel = 1e-3, .max_mean_abs = 0.01};
    case FOVEA_FORMAT_B10G11R11F:
        return (struct compare_budget){.max_abs = 1e-5, .max_rel = 1.0 / 32, .max_mean_abs = 0.2};
    case FOVEA_FORMAT_RGBA32F:
    case FOVEA_FORMAT_RGB32F:
    case FOVEA_FORMAT_R32F:
        return (struct compare_budget){.max_abs = 1e-5, .max_rel = 1e-5, .max_mean_abs = 1e-5};
    default:
        return (struct compare_budget){.rounding = 0.5, .max_abs = 0.5, .max_mean_abs = 0.05};
    }
}

/* The smooth method, whose decimation is an approximation, keeps to this: 3 levels of 8 bits beside
 * the rounded reference, 0.012 of white in float formats. */
static struct compare_budget budget_smooth(enum fovea_format format)
{
    const double white = image_white(format, 0);
    if (!image_is_float(format)) {
        return (struct compare_budget){.rounding = 0.5,
                                       .max_abs = 3.0 / 255.0 * white - 0.5,
                                       .max_mean_abs = 0.12 / 255.0 * white};
    }
    struct compare_budget budget = compare_budget_of(format);
    budget.max_abs = 0.012 * white;
    budget.max_mean_abs = fmax(budget.max_mean_abs, 0.001 * white);
    return budget;
}

/* The same where UNORM images are averaged in a light that is not sRGB's: 3 levels of the format's
 * own beside the rounded reference. */
static struct compare_budget budget_wide(void)
{
    return (struct compare_budget){.rounding = 0.5, .max_abs = 2.5, .max_mean_abs = 0.05};
}

struct compare_budget compare_budget_for(const struct fovea_foveation *foveation,
                                         enum fovea_format format)
{
    const bool blockwise = foveation->method == FOVEA_METHOD_BLOCKWISE;
    const bool as_stored = foveation->light == FOVEA_LIGHT_ENCODED ||
                           (foveation->light == FOVEA_LIGHT_AUTO && blockwise);
    const bool as_srgb =
        foveation->transfer == FOVEA_TRANSFER_SRGB && foveation->light <= FOVEA_LIGHT_LINEAR;
    if (image_is_float(format)) {
        return budget_smooth(format);
    }
    if (!as_stored && !as_srgb) {
        return budget_wide();
    }
    struct compare_budget budget = budget_smooth(format);
    if (blockwise) {
        const double level = image_white(format, 0) / 255.0;
        const bool cut = foveation->paper.filter_length == FOVEA_FILTER_LENGTH_PRINTED;
        budget.max_mean_abs *= 2.0; /* a fragment may have the sigma that is met worst */
        budget.max_abs = as_stored ? level : (cut ? 5.0 : 3.0) * level - 0.5;
    }
    return budget;
}

/* ---- The reference */

/* The transfer function of sRGB, IEC 61966-2-1. */
static double light_of(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

static double encoded_of(double light)
{
    return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1.0 / 2.4) - 0.055;
}

/* PQ: SMPTE ST 2084, 1 is 10,000 cd/m^2. m1, m2, c1, c2, c3 as decimal fractions. */
static double light_of_pq(double encoded)
{
    const double e = pow(encoded, 1.0 / 78.84375);
    const double above = e > 0.8359375 ? e - 0.8359375 : 0.0;
    return pow(above / (18.8515625 - 18.6875 * e), 1.0 / 0.1593017578125);
}

static double pq_of(double light)
{
    const double y = pow(light < 0.0 ? 0.0 : light, 0.1593017578125);
    return pow((0.8359375 + 18.8515625 * y) / (1.0 + 18.6875 * y), 78.84375);
}

/* HLG: ITU-R BT.2100, table 5, from and to light of the scene. b = 1 - 4a, c = 0.5 - a ln(4a). */
static const double hlg_a = 0.17883277;

static double light_of_hlg(double encoded)
{
    const double c = 0.5 - hlg_a * log(4.0 * hlg_a);
    return encoded <= 0.5 ? encoded * encoded / 3.0
                          : (exp((encoded - c) / hlg_a) + 1.0 - 4.0 * hlg_a) / 12.0;
}

static double hlg_of(double light)
{
    const double c = 0.5 - hlg_a * log(4.0 * hlg_a);
    return light <= 1.0 / 12.0 ? sqrt(3.0 * light)
                               : hlg_a * log(12.0 * light - 1.0 + 4.0 * hlg_a) + c;
}

struct transfer {
    double (*decode)(double encoded);
    double (*encode)(double light);
};

static struct transfer transfer_of(enum fovea_transfer which)
{
    return which == FOVEA_TRANSFER_PQ    ? (struct transfer){light_of_pq, pq_of}
           : which == FOVEA_TRANSFER_HLG ? (struct transfer){light_of_hlg, hlg_of}
                                         : (struct transfer){light_of, encoded_of};
}

/* A display's own curve: luminance over stored values, above that of black. */
static double own_luminance(const struct fovea_foveation *foveation, double encoded)
{
    const struct fovea_display *display = &foveation->display;
    if (foveation->light == FOVEA_LIGHT_GAMMA) {
        return pow(encoded, display->gamma == 0.0 ? 2.2 : display->gamma);
    }
    const double at = encoded * (display->table_count - 1);
    const uint32_t left = (uint32_t)fmin(floor(at), display->table_count - 2);
    const double rise = (double)display->table[left + 1] - (double)display->table[left];
    return (double)display->table[left] + rise * (at - left) - (double)display->table[0];
}

static double own_value(const struct fovea_foveation *foveation, double above_black)
{
    const struct fovea_display *display = &foveation->display;
    const double luminance = above_black + (double)display->table[0];
    if (foveation->light == FOVEA_LIGHT_GAMMA) {
        return pow(fmax(above_black, 0.0), 1.0 / (display->gamma == 0.0 ? 2.2 : display->gamma));
    }
    uint32_t right = 1;
    while (right + 1 < display->table_count && (double)display->table[right] < luminance) {
        right++;
    }
    const double below = (double)display->table[right - 1];
    const double rise = (double)display->table[right] - below;
    const double part = rise > 0.0 ? fmin(fmax((luminance - below) / rise, 0.0), 1.0) : 0.0;
    return (right - 1 + part) / (display->table_count - 1);
}

static bool is_own(const struct fovea_foveation *foveation)
{
    return foveation->transfer == FOVEA_TRANSFER_SRGB &&
           (foveation->light == FOVEA_LIGHT_GAMMA || foveation->light == FOVEA_LIGHT_TABLE);
}

static double light_of_value(const struct fovea_foveation *foveation, double encoded)
{
    return is_own(foveation) ? own_luminance(foveation, encoded)
                             : transfer_of(foveation->transfer).decode(encoded);
}

static double value_of_light(const struct fovea_foveation *foveation, double light)
{
    return is_own(foveation) ? own_value(foveation, light)
                             : transfer_of(foveation->transfer).encode(light);
}

static void convert(const struct fovea_foveation *foveation, const struct fovea_image *image,
                    double *values, bool to_light)
{
    const uint32_t channels = image_channels(image->format);
    const double white = image_white(image->format, 0);
    for (size_t i = 0; i < (size_t)image->width_px * image->height_px; i++) {
        for (uint32_t c = 0; c < channels && c < 3; c++) {
            double *value = &values[i * channels + c];
            *value = to_light ? light_of_value(foveation, *value / white)
                              : white * value_of_light(foveation, *value);
        }
    }
}

/* BT.2100, note 5f, for the range that it is given for; BT.2390's beyond. */
static double system_gamma(double peak_cd_m2)
{
    peak_cd_m2 = peak_cd_m2 == 0.0 ? 1000.0 : peak_cd_m2;
    return peak_cd_m2 >= 400.0 && peak_cd_m2 <= 2000.0
               ? 1.2 + 0.42 * log(peak_cd_m2 / 1000.0) / log(10.0)
               : 1.2 * pow(1.111, log(peak_cd_m2 / 1000.0) / log(2.0));
}

static double luminance(const double *colors, uint32_t channels, bool blue_first)
{
    if (channels == 1) {
        return colors[0];
    }
    const double red = colors[blue_first ? 2 : 0];
    const double blue = colors[blue_first ? 0 : 2];
    return 0.2627 * red + 0.6780 * colors[1] + 0.0593 * blue;
}

/* HLG's OOTF, F_d = Y_s^(gamma - 1) E_s, and its inverse, E_s = Y_d^((1 - gamma) / gamma) F_d. */
static void apply_ootf(const struct fovea_image *image, double *values, double exponent,
                       bool blue_first)
{
    const uint32_t channels = image_channels(image->format);
    for (size_t i = 0; i < (size_t)image->width_px * image->height_px; i++) {
        double *colors = &values[i * channels];
        const double y = luminance(colors, channels, blue_first);
        for (uint32_t c = 0; c < channels && c < 3; c++) {
            colors[c] = y > 0.0 ? fmax(colors[c], 0.0) * pow(y, exponent) : 0.0;
        }
    }
}

/* Stored values become light of the display. */
static void decode(const struct fovea_foveation *foveation, const struct fovea_image *image,
                   double *values, bool blue_first)
{
    const double gamma = system_gamma(foveation->display.hlg_peak_cd_m2);
    convert(foveation, image, values, true);
    if (foveation->transfer == FOVEA_TRANSFER_HLG) {
        apply_ootf(image, values, gamma - 1.0, blue_first);
    }
}

static void encode(const struct fovea_foveation *foveation, const struct fovea_image *image,
                   double *values, bool blue_first)
{
    const double gamma = system_gamma(foveation->display.hlg_peak_cd_m2);
    if (foveation->transfer == FOVEA_TRANSFER_HLG) {
        apply_ootf(image, values, (1.0 - gamma) / gamma, blue_first);
    }
    convert(foveation, image, values, false);
}

double *compare_expected_by(const struct fovea_foveation *foveation, const struct fovea_image *src,
                            int32_t light_kind, compare_reference_fn reference, const void *user)
{
    const uint32_t channels = image_channels(src->format);
    const size_t count = (size_t)src->width_px * src->height_px * channels;
    const bool light = light_kind && !image_is_float(src->format);
    const bool blue_first = light_kind == IMAGE_LIGHT_HLG_BLUE_FIRST;
    OWNED(owned_free) double *in = image_to_doubles(src);
    double *out = test_memory(count, sizeof *out);
    if (light) {
        decode(foveation, src, in, blue_first);
    }
    reference(user, src, in, out);
    if (light) {
        encode(foveation, src, out, blue_first);
    }
    return out;
}

struct foveation_of_frame {
    const struct fovea_foveation *foveation;
    const struct gauss_frame *frame;
};

static void foveate_by_reference(const void *user, const struct fovea_image *src, const double *in,
                                 double *out)
{
    const struct foveation_of_frame *of = user;
    enum fovea_result (*const reference)(const struct fovea_foveation *, uint32_t, uint32_t,
                                         uint32_t, const double *, double *, const double *,
                                         uint32_t) =
        of->foveation->method == FOVEA_METHOD_SMOOTH ? foveate_reference_smooth : foveate_reference;
    const struct gaze_others *others = &of->frame->others;
    double foveas_px[2 * (1 + GAZE_OTHERS_MAX)] = {of->frame->gaze_x_q8 / 256.0,
                                                   of->frame->gaze_y_q8 / 256.0};
    for (int32_t i = 0; i < 2 * others->count; i++) {
        foveas_px[2 + i] = others->q8[i / 2][i % 2] / 256.0;
    }
    assert_ok(reference(of->foveation, src->width_px, src->height_px, image_channels(src->format),
                        in, out, foveas_px, 1 + (uint32_t)others->count));
}

double *compare_expected(const struct fovea_foveation *foveation, const struct fovea_image *src,
                         const struct gauss_frame *frame)
{
    const struct foveation_of_frame of = {foveation, frame};
    return compare_expected_by(foveation, src, frame->light, foveate_by_reference, &of);
}

enum fovea_light compare_display(int which, struct fovea_display *out_display)
{
    static const double gammas[] = {2.2, 1.0, 2.8};
    static const uint32_t counts[] = {256, 17, FOVEA_DISPLAY_MAX};
    *out_display = (struct fovea_display){.hlg_peak_cd_m2 = 1000};
    if (which < 3) {
        out_display->gamma = gammas[which];
        return FOVEA_LIGHT_GAMMA;
    }
    out_display->table_count = counts[which - 3];
    for (uint32_t i = 0; i < out_display->table_count; i++) {
        const double x = (double)i / (out_display->table_count - 1);
        /* Black that is not quite dark, a gamma of 2.3 and a wave, as a panel may have it. */
        out_display->table[i] = (float)(0.08 + 120 * (pow(x, 2.3) + 0.01 * sin(9 * x) * x * x));
    }
    return FOVEA_LIGHT_TABLE;
}

/* ---- Close */

struct tally {
    double largest;
    double sum;
    size_t finite;
    size_t beyond;
    struct compare_rect first; /* x and y of the first value beyond the budget */
    uint32_t left, right, bottom; /* where such values lie, the outermost included */
    uint32_t first_channel;
    double first_actual;
    double first_expected;
};

/* Infinite where the two are not of one kind. */
static double distance(double actual, double expected)
{
    if (isnan(expected) || isnan(actual)) {
        return isnan(expected) && isnan(actual) ? 0.0 : (double)INFINITY;
    }
    if (isinf(expected) || isinf(actual)) {
        return actual == expected ? 0.0 : (double)INFINITY;
    }
    return fabs(actual - expected);
}

static void count_value(struct tally *tally, double actual, double expected,
                        struct compare_budget budget, struct compare_rect where, uint32_t channel)
{
    const double error = fmax(distance(actual, expected) - budget.rounding, 0.0);
    tally->largest = fmax(tally->largest, error);
    if (isfinite(error)) {
        tally->sum += error;
        tally->finite++;
    }
    const bool within = error == 0.0 || error <= budget.max_abs + budget.max_rel * fabs(expected);
    if (within) {
        return;
    }
    tally->left = tally->beyond > 0 && tally->left < where.x ? tally->left : where.x;
    tally->right = tally->beyond > 0 && tally->right > where.x ? tally->right : where.x;
    tally->bottom = where.y;
    if (tally->beyond++ == 0) {
        tally->first = where;
        tally->first_channel = channel;
        tally->first_actual = actual;
        tally->first_expected = expected;
    }
}

static struct tally count_all(const struct fovea_image *actual, const double *expected,
                              struct compare_budget budget)
{
    struct tally tally = {0};
    for (uint32_t y = 0; y < actual->height_px; y++) {
        for (uint32_t x = 0; x < actual->width_px; x++) {
            for (uint32_t c = 0; c < image_channels(actual->format); c++) {
                count_value(&tally, image_get(actual, x, y, c), *expected++, budget,
                            (struct compare_rect){.x = x, .y = y}, c);
            }
        }
    }
    return tally;
}

void compare_assert_close(const struct fovea_image *actual, const double *expected,
                          struct compare_budget budget, const char *what)
{
    const struct tally tally = count_all(actual, expected, budget);
    const double mean = tally.finite ? tally.sum / (double)tally.finite : 0.0;
    assert_that(tally.beyond == 0,
                "%s: %zu values are beyond the budget, the first at x %u, y %u, channel %u: %.9g, "
                "expected %.9g; all at x %u to %u, y %u to %u; largest error %.3g, mean %.3g",
                what, tally.beyond, tally.first.x, tally.first.y, tally.first_channel,
                tally.first_actual, tally.first_expected, tally.left, tally.right, tally.first.y,
                tally.bottom, tally.largest, mean);
    assert_that(mean <= budget.max_mean_abs, "%s: mean error %.4g, at most %.4g is allowed", what,
                mean, budget.max_mean_abs);
}

/* ---- The same */

static void print_pixel(const struct fovea_image *image, uint32_t x, uint32_t y, char out[128])
{
    size_t used = 0;
    for (uint32_t c = 0; c < image_channels(image->format); c++) {
        used += (size_t)snprintf(out + used, 128 - used, " %.7g", image_get(image, x, y, c));
    }
}

void compare_assert_same(const struct fovea_image *actual, const struct fovea_image *expected,
                         struct compare_rect rect, const char *what)
{
    const size_t bytes = image_bytes(actual->format);
    for (uint32_t y = rect.y; y < rect.y + rect.height; y++) {
        for (uint32_t x = rect.x; x < rect.x + rect.width; x++) {
            if (memcmp(image_pixel(actual, x, y), image_pixel(expected, x, y), bytes) == 0) {
                continue;
            }
            char got[128];
            char wanted[128];
            print_pixel(actual, x, y, got);
            print_pixel(expected, x, y, wanted);
            fail_msg("%s: pixel x %u, y %u is%s, expected%s", what, x, y, got, wanted);
        }
    }
}

bool compare_are_same(const struct fovea_image *a, const struct fovea_image *b)
{
    bool same = true;
    for (uint32_t y = 0; y < a->height_px && same; y++) {
        for (uint32_t x = 0; x < a->width_px && same; x++) {
            same = memcmp(image_pixel(a, x, y), image_pixel(b, x, y), image_bytes(a->format)) == 0;
        }
    }
    return same;
}

void compare_assert_all_same(const struct fovea_image *actual, const struct fovea_image *expected,
                             const char *what)
{
    const struct compare_rect all = {0, 0, actual->width_px, actual->height_px};
    compare_assert_same(actual, expected, all, what);
}

double compare_largest(const struct fovea_image *a, const struct fovea_image *b,
                       struct compare_rect *out_where)
{
    double largest = 0.0;
    for (uint32_t y = 0; y < a->height_px; y++) {
        for (uint32_t x = 0; x < a->width_px; x++) {
            for (uint32_t c = 0; c < image_channels(a->format); c++) {
                const double error = distance(image_get(a, x, y, c), image_get(b, x, y, c));
                if (error > largest) {
                    largest = error;
                    *out_where = (struct compare_rect){x, y, 1, 1};
                }
            }
        }
    }
    return largest;
}
