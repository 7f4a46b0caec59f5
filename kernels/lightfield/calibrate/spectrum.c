/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The middle of a white picture, made smaller by whole numbers of pixels, goes through a window and
 * a Fourier transform. Its peaks are whole sums of two frequencies, and those are the array's. */

#include "calibrate.h"

#include "core/log.h"
#include "kernels/image/fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE_MAX 1024
#define SCRATCH ((size_t)(2 + 2 * FFT_LANES) * SIDE_MAX) /* numbers: roots and lines */
#define PLACES (2 * SIDE_MAX * sizeof(uint16_t) / sizeof(double)) /* numbers that they are */
#define PEAKS_MAX 16
#define PEAK_REACH 3 /* two maxima within it are one peak */
#define PEAK_PARTS 20.0 /* the least peak is such a part of the largest */
#define STRONG_PARTS 5.0 /* peaks that must be explained */
#define NOISE_TIMES 12.0 /* above the median of the spectrum: noise alone has 5 */
#define HARMONICS 6
#define OVERTONES 4.0 /* what is so many times as fine as both says little */
#define TOLERANCE_BINS 1.3
#define LEAST_SINE 0.34 /* of 20 degrees */
#define LEAST_PITCH_PX 2.5 /* in the smaller picture */

struct spectrum {
    uint32_t width, height; /* powers of two */
    uint32_t used_width, used_height; /* what was not filled up with 0 */
    double *values; /* complex numbers; heights after it is made, each in the real part's place */
    uint16_t *columns, *rows; /* where those of a frequency are */
};

struct peak {
    double frequency[2]; /* cycles a pixel */
    double height;
};

/* ---- The picture in */

static double mean_of(const struct calibrate_picture *picture, size_t x, size_t y, uint32_t side)
{
    double sum = 0.0;
    for (size_t row = y; row < y + side; row++) {
        for (size_t column = x; column < x + side; column++) {
            sum += (double)picture->levels[row * picture->width_px + column];
        }
    }
    return sum / ((double)side * side);
}

static void fill(const struct calibrate_picture *picture, uint32_t reduction,
                 const struct spectrum *spectrum)
{
    const size_t left = (picture->width_px - reduction * spectrum->used_width) / 2;
    const size_t top = (picture->height_px - reduction * spectrum->used_height) / 2;
    double sum = 0.0;
    for (size_t y = 0; y < spectrum->used_height; y++) {
        for (size_t x = 0; x < spectrum->used_width; x++) {
            double *to = spectrum->values + 2 * (y * spectrum->width + x);
            *to = mean_of(picture, left + x * reduction, top + y * reduction, reduction);
            sum += *to;
        }
    }
    const double mean = sum / ((double)spectrum->used_width * spectrum->used_height);
    for (size_t y = 0; y < spectrum->used_height; y++) {
        const double down = 0.5 - 0.5 * cos(2.0 * M_PI * ((double)y + 0.5) / spectrum->used_height);
        for (size_t x = 0; x < spectrum->used_width; x++) {
            const double across =
                0.5 - 0.5 * cos(2.0 * M_PI * ((double)x + 0.5) / spectrum->used_width);
            double *to = spectrum->values + 2 * (y * spectrum->width + x);
            *to = (*to - mean) * down * across;
        }
    }
}

static uint32_t power_of_two(uint32_t length)
{
    uint32_t power = FFT_LANES;
    while (power < length) {
        power *= 2;
    }
    return power;
}

static void reverse_bits(uint32_t length, uint16_t *places)
{
    places[0] = 0;
    for (uint32_t i = 1; i < length; i++) {
        places[i] = (uint16_t)(places[i / 2] / 2 + i % 2 * (length / 2));
    }
}

static struct spectrum spectrum_of(const struct calibrate_picture *picture, uint32_t reduction)
{
    const uint32_t width = picture->width_px / reduction;
    const uint32_t height = picture->height_px / reduction;
    struct spectrum spectrum = {.used_width = width < SIDE_MAX ? width : SIDE_MAX,
                                .used_height = height < SIDE_MAX ? height : SIDE_MAX};
    spectrum.width = power_of_two(spectrum.used_width);
    spectrum.height = power_of_two(spectrum.used_height);
    return spectrum;
}

static void make(const struct calibrate_picture *picture, uint32_t reduction,
                 const struct spectrum *spectrum, double *scratch)
{
    const size_t count = (size_t)spectrum->width * spectrum->height;
    double *roots[2] = {scratch, scratch + spectrum->width};
    const struct fft_rectangle all = {(int32_t)spectrum->width,
                                      (int32_t)spectrum->height,
                                      spectrum->values,
                                      scratch + 2 * SIDE_MAX,
                                      {roots[0], roots[1]}};
    reverse_bits(spectrum->width, spectrum->columns);
    reverse_bits(spectrum->height, spectrum->rows);
    memset(spectrum->values, 0, 2 * count * sizeof *spectrum->values);
    fill(picture, reduction, spectrum);
    fft_fill_roots(all.width, roots[0]);
    fft_fill_roots(all.height, roots[1]);
    fft_go(&all);
    for (size_t i = 0; i < count; i++) {
        spectrum->values[2 * i] = hypot(spectrum->values[2 * i], spectrum->values[2 * i + 1]);
    }
}

/* ---- Peaks */

static double height_at(const struct spectrum *spectrum, int32_t x, int32_t y)
{
    const uint32_t column = (uint32_t)(x + (int32_t)spectrum->width) % spectrum->width;
    const uint32_t row = (uint32_t)(y + (int32_t)spectrum->height) % spectrum->height;
    return spectrum
        ->values[2 * ((size_t)spectrum->rows[row] * spectrum->width + spectrum->columns[column])];
}

static bool is_top(const struct spectrum *spectrum, int32_t x, int32_t y)
{
    const double height = height_at(spectrum, x, y);
    for (int32_t i = -PEAK_REACH; i <= PEAK_REACH; i++) {
        for (int32_t j = -PEAK_REACH; j <= PEAK_REACH; j++) {
            const double other = height_at(spectrum, x + j, y + i);
            if (other > height || (other == height && (i < 0 || (i == 0 && j < 0)))) {
                return false;
            }
        }
    }
    return true;
}

/* The top of a parabola through three logarithms: a Gaussian's own, and nearly the window's. */
static double top_between(double before, double at, double after)
{
    const double a = log(before + 1e-300);
    const double b = log(at + 1e-300);
    const double c = log(after + 1e-300);
    const double curve = a - 2.0 * b + c;
    return curve < 0.0 ? fmax(-0.5, fmin(0.5, 0.5 * (a - c) / curve)) : 0.0;
}

static void insert(struct peak *peaks, uint32_t *count, struct peak peak)
{
    uint32_t at = *count < PEAKS_MAX ? (*count)++ : PEAKS_MAX;
    while (at > 0 && peaks[at - 1].height < peak.height) {
        if (at < PEAKS_MAX) {
            peaks[at] = peaks[at - 1];
        }
        at--;
    }
    if (at < PEAKS_MAX) {
        peaks[at] = peak;
    }
}

static struct peak peak_at(const struct spectrum *spectrum, int32_t x, int32_t y)
{
    const double at = height_at(spectrum, x, y);
    const double right =
        top_between(height_at(spectrum, x - 1, y), at, height_at(spectrum, x + 1, y));
    const double below =
        top_between(height_at(spectrum, x, y - 1), at, height_at(spectrum, x, y + 1));
    return (struct peak){{(x + right) / spectrum->width, (y + below) / spectrum->height}, at};
}

/* Finds waves that are as long as a fifth of the picture, or shorter. */
static uint32_t find_peaks(const struct spectrum *spectrum, struct peak peaks[PEAKS_MAX])
{
    uint32_t count = 0;
    const int32_t right = (int32_t)spectrum->width / 2;
    const int32_t down = (int32_t)spectrum->height / 2;
    for (int32_t y = 0; y < down; y++) {
        for (int32_t x = 1 - right; x < right; x++) {
            const double waves = hypot((double)x / spectrum->width * spectrum->used_width,
                                       (double)y / spectrum->height * spectrum->used_height);
            if ((y > 0 || x > 0) && waves >= CALIBRATE_LENSES_LEAST - 0.5 &&
                is_top(spectrum, x, y)) {
                insert(peaks, &count, peak_at(spectrum, x, y));
            }
        }
    }
    while (count > 0 && peaks[count - 1].height * PEAK_PARTS < peaks[0].height) {
        count--;
    }
    return count;
}

/* Roughly: the median of some thousand values. */
static double noise_of(const struct spectrum *spectrum, double *scratch)
{
    const size_t count = (size_t)spectrum->width * spectrum->height;
    const size_t wanted = count < SIDE_MAX ? count : SIDE_MAX;
    for (size_t i = 0; i < wanted; i++) {
        const size_t at = i * 7919 % count;
        scratch[i] =
            height_at(spectrum, (int32_t)(at % spectrum->width), (int32_t)(at / spectrum->width));
    }
    return calibrate_median(scratch, wanted);
}

/* ---- Steps */

/* Makes the two shortest of such steps, the shorter one first, at no more than a right angle. */
static void shorten(struct calibrate_steps *steps)
{
    double *a = steps->a;
    double *b = steps->b;
    for (int i = 0; i < 64; i++) {
        if (calibrate_dot(a, a) > calibrate_dot(b, b)) {
            const double kept[2] = {a[0], a[1]};
            memcpy(a, b, sizeof kept);
            memcpy(b, kept, sizeof kept);
        }
        const double times = round(calibrate_dot(a, b) / calibrate_dot(a, a));
        if (times == 0.0) {
            break;
        }
        b[0] -= times * a[0];
        b[1] -= times * a[1];
    }
    if (calibrate_dot(a, b) < 0.0) {
        b[0] = -b[0];
        b[1] = -b[1];
    }
}

/* The steps of frequencies: each is at a right angle to one of them, and one wave of the other. */
static struct calibrate_steps steps_of(const double f[2], const double g[2])
{
    const double cross = calibrate_cross(f, g);
    struct calibrate_steps steps = {{g[1] / cross, -g[0] / cross}, {-f[1] / cross, f[0] / cross}};
    shorten(&steps);
    return steps;
}

/* How far a frequency is from a whole sum of two, each of which may be a little off. */
static bool explains(const double f[2], const double g[2], const double peak[2], double tolerance)
{
    const double cross = calibrate_cross(f, g);
    const double m = round(calibrate_cross(peak, g) / cross);
    const double n = round(calibrate_cross(f, peak) / cross);
    const double away[2] = {peak[0] - m * f[0] - n * g[0], peak[1] - m * f[1] - n * g[1]};
    return fabs(m) <= HARMONICS && fabs(n) <= HARMONICS &&
           sqrt(calibrate_dot(away, away)) <= tolerance * (1.0 + 0.15 * (fabs(m) + fabs(n)));
}

static bool fits_pitch(const struct calibrate_steps *steps, double pitch_px)
{
    const double a = sqrt(calibrate_dot(steps->a, steps->a));
    return pitch_px == 0.0 || fabs(a - pitch_px) <= 0.15 * pitch_px;
}

static double fineness(const double f[2])
{
    return sqrt(calibrate_dot(f, f));
}

/* Strong peaks that are no sums of the two. */
static uint32_t unexplained(const struct peak *peaks, uint32_t count, const double f[2],
                            const double g[2], double tolerance)
{
    uint32_t left = 0;
    const double finest = OVERTONES * fmax(fineness(f), fineness(g));
    for (uint32_t i = 0; i < count && peaks[i].height * STRONG_PARTS >= peaks[0].height; i++) {
        const double *peak = peaks[i].frequency;
        left += fineness(peak) > finest || explains(f, g, peak, tolerance) ? 0 : 1;
    }
    return left;
}

struct choice {
    struct calibrate_steps steps;
    double cross;
    uint32_t left;
    bool any, tilted; /* two directions are there */
};

/* Takes, of pairs that explain as much, the one whose sums are fewest. */
static struct choice choose(const struct peak *peaks, uint32_t count, double tolerance,
                            double pitch_px)
{
    struct choice choice = {.left = count + 1};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = i + 1; j < count; j++) {
            const double *f = peaks[i].frequency;
            const double *g = peaks[j].frequency;
            const double cross = fabs(calibrate_cross(f, g));
            if (cross < LEAST_SINE * fineness(f) * fineness(g)) {
                continue;
            }
            const struct calibrate_steps steps = steps_of(f, g);
            choice.tilted = true;
            if (!fits_pitch(&steps, pitch_px)) {
                continue;
            }
            const uint32_t left = unexplained(peaks, count, f, g, tolerance);
            if (left < choice.left || (left == choice.left && cross > choice.cross * 1.02)) {
                choice = (struct choice){steps, cross, left, true, true};
            }
        }
    }
    return choice;
}

static enum fovea_result judge(const struct choice *choice, const struct peak *peaks,
                               const struct calibrate_wishes *wishes, char *out)
{
    if (!choice->tilted) {
        return CALIBRATE_PROBLEM(
            out,
            "there are lines %.1f px apart, and no rows of lenses: the white picture "
            "needs to show the micro-images of the lenses, bright, with dark "
            "between them",
            1.0 / fineness(peaks[0].frequency));
    }
    if (!choice->any) {
        return CALIBRATE_PROBLEM(out,
                                 "no lenses are %g px apart: leave the pitch away, or give another",
                                 wishes->pitch_px);
    }
    if (choice->left > 0 && wishes->pitch_px == 0.0) {
        return CALIBRATE_PROBLEM(
            out, "several patterns lie over each other: take a white picture without a "
                 "scene or screen in it, or say which is the array's by its pitch");
    }
    return FOVEA_OK;
}

static enum fovea_result find(const struct spectrum *spectrum, uint32_t reduction, double noise,
                              const struct calibrate_wishes *wishes, struct calibrate_steps *out,
                              char *out_problem)
{
    struct peak peaks[PEAKS_MAX];
    const uint32_t count = find_peaks(spectrum, peaks);
    if (count == 0 || peaks[0].height <= NOISE_TIMES * noise) {
        return CALIBRATE_PROBLEM(out_problem,
                                 "no regular pattern is there: a white picture shows the "
                                 "micro-images of evenly lit, white paper or of a diffuser");
    }
    const uint32_t side =
        spectrum->used_width < spectrum->used_height ? spectrum->used_width : spectrum->used_height;
    const struct choice choice =
        choose(peaks, count, TOLERANCE_BINS / side, wishes->pitch_px / reduction);
    FOVEA_TRY(judge(&choice, peaks, wishes, out_problem));
    if (calibrate_dot(choice.steps.a, choice.steps.a) < LEAST_PITCH_PX * LEAST_PITCH_PX) {
        return CALIBRATE_PROBLEM(out_problem,
                                 "lenses are %.1f px apart, fewer than can be told apart",
                                 reduction * sqrt(calibrate_dot(choice.steps.a, choice.steps.a)));
    }
    for (int i = 0; i < 2; i++) {
        out->a[i] = reduction * choice.steps.a[i];
        out->b[i] = reduction * choice.steps.b[i];
    }
    return FOVEA_OK;
}

enum fovea_result calibrate_steps_find(const struct calibrate_picture *picture, uint32_t reduction,
                                       const struct calibrate_wishes *wishes,
                                       struct calibrate_steps *out,
                                       char out_problem[LIGHTFIELD_PROBLEM_BYTES])
{
    struct spectrum spectrum = spectrum_of(picture, reduction);
    const size_t count = (size_t)spectrum.width * spectrum.height;
    double *scratch = malloc((SCRATCH + PLACES + 2 * count) * sizeof *scratch);
    FOVEA_TRY_MEMORY(scratch);
    spectrum.columns = (uint16_t *)(void *)(scratch + SCRATCH);
    spectrum.rows = spectrum.columns + SIDE_MAX;
    spectrum.values = scratch + SCRATCH + PLACES;
    make(picture, reduction, &spectrum, scratch);
    const double noise = noise_of(&spectrum, scratch);
    const enum fovea_result result = find(&spectrum, reduction, noise, wishes, out, out_problem);
    free(scratch);
    return result;
}
