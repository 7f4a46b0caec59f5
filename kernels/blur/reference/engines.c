/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The engines by their definitions. Those that work along lines get each line with so much of its
 * repeated ends that these reach no pixel changed; then the same along the other axis. */

#include "kernels/blur/reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A line's margin is a multiple of it, since pyramids halve lines eight times. */
#define MARGIN_STEP 256

/* ---- Weights from sigma */

typedef double (*weight_fn)(double extent, long place);

/* 1 within the extent, and at the next place beyond what is left of it. */
static double weight_of_box(double extent, long place)
{
    return fmin(fmax(extent + 1.0 - fabs((double)place), 0.0), 1.0);
}

static double weight_of_tent(double extent, long place)
{
    return fmax(extent - fabs((double)place), 0.0);
}

static double variance_of(weight_fn weight, double extent)
{
    double sum = 0.0;
    double squares = 0.0;
    for (long i = -(long)extent - 1; i <= (long)extent + 1; i++) {
        sum += weight(extent, i);
        squares += (double)(i * i) * weight(extent, i);
    }
    return squares / sum;
}

/* The extent from `least` on whose weights have that variance. */
static double extent_for(weight_fn weight, double least, double variance)
{
    double low = least;
    double high = least + 1.0;
    while (variance_of(weight, high) < variance) {
        high *= 2.0;
    }
    for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
        const double middle = 0.5 * (low + high);
        *(variance_of(weight, middle) < variance ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

/* ---- Lines */

/* Takes `length` values and leaves as many; there is room for as many more. */
typedef void (*line_fn)(const struct blur_numbers *numbers, double *line, long length,
                        double *scratch);

/* Places beyond the ends are the outermost ones. */
static double at_end_of(const double *line, long length, long at, ptrdiff_t next)
{
    return line[(at < 0 ? 0 : at >= length ? length - 1 : at) * next];
}

static double at_end(const double *line, long length, long at)
{
    return at_end_of(line, length, at, 1);
}

static void weigh_line(weight_fn weight, double extent, double *line, long length, double *before)
{
    const long reach = (long)extent + 1;
    memcpy(before, line, (size_t)length * sizeof *before);
    for (long i = 0; i < length; i++) {
        double sum = 0.0;
        double weights = 0.0;
        for (long d = -reach; d <= reach; d++) {
            sum += weight(extent, d) * at_end(before, length, i + d);
            weights += weight(extent, d);
        }
        line[i] = sum / weights;
    }
}

static void boxes(const struct blur_numbers *numbers, double *line, long length, double *scratch)
{
    const double variance = pow(numbers->sigma_px, 2.0) / numbers->passes;
    const double extent = extent_for(weight_of_box, 0.0, variance);
    for (uint32_t i = 0; i < numbers->passes; i++) {
        weigh_line(weight_of_box, extent, line, length, scratch);
    }
}

static void spread(const struct blur_numbers *numbers, double *line, long length, double *scratch)
{
    weigh_line(weight_of_tent, extent_for(weight_of_tent, 1.0, pow(numbers->sigma_px, 2.0)), line,
               length, scratch);
}

/* Half as many, and back. */
static void halve(const double *fine, long length, double *coarse)
{
    for (long i = 0; i < length / 2; i++) {
        coarse[i] = (13.0 * at_end(fine, length, 2 * i - 1) + 19.0 * fine[2 * i] +
                     19.0 * fine[2 * i + 1] + 13.0 * at_end(fine, length, 2 * i + 2)) /
                    64.0;
    }
}

static void double_up(const double *coarse, long length, double *fine)
{
    for (long i = 0; i < length; i++) {
        fine[2 * i] = 0.75 * coarse[i] + 0.25 * at_end(coarse, length, i - 1);
        fine[2 * i + 1] = 0.75 * coarse[i] + 0.25 * at_end(coarse, length, i + 1);
    }
}

static void widen(double *line, long length, double side)
{
    double before = line[0];
    for (long i = 0; i < length; i++) {
        const double own = line[i];
        line[i] = side * before + (1.0 - 2.0 * side) * own + side * at_end(line, length, i + 1);
        before = own;
    }
}

/* The variance of so many whole levels: 17/16 each way down and 3/4 up, in pixels of each level. */
static double variance_of_levels(int levels)
{
    return (17.0 / 16.0 + 3.0 / 4.0) * (pow(4.0, levels) - 1.0) / 3.0;
}

/* The coarsest level makes the variance that whole levels leave. */
static void pyramid_from(double variance, int level, double *line, long length, double *coarse)
{
    if (variance >= variance_of_levels(level + 1)) {
        halve(line, length, coarse);
        pyramid_from(variance, level + 1, coarse, length / 2, coarse + length / 2);
        double_up(coarse, length / 2, line);
    } else {
        const double left = (variance - variance_of_levels(level)) / pow(4.0, level);
        for (int i = 0; i < 3; i++) {
            widen(line, length, left / 6.0);
        }
    }
}

static void quasi(const struct blur_numbers *numbers, double *line, long length, double *scratch)
{
    pyramid_from(pow(numbers->sigma_px, 2.0), 0, line, length, scratch);
}

struct lines {
    const struct blur_numbers *numbers;
    line_fn make;
    long margin; /* before a line and after it */
    double *scratch; /* for a line with them, and as much again */
};

static long whole_length(const struct lines *lines, long length)
{
    return (length + MARGIN_STEP - 1) / MARGIN_STEP * MARGIN_STEP + 2 * lines->margin;
}

/* One of a picture, whose values lie `next` apart. */
static void make_line(const struct lines *lines, double *values, long length, ptrdiff_t next)
{
    const long whole = whole_length(lines, length);
    for (long i = 0; i < whole; i++) {
        lines->scratch[i] = at_end_of(values, length, i - lines->margin, next);
    }
    lines->make(lines->numbers, lines->scratch, whole, lines->scratch + whole);
    for (long i = 0; i < length; i++) {
        values[i * next] = lines->scratch[lines->margin + i];
    }
}

static enum fovea_result make_lines(const struct blur_numbers *numbers, line_fn make,
                                    const struct blur_picture *picture, double *values)
{
    const long width = (long)picture->width_px;
    const long height = (long)picture->height_px;
    const long channels = (long)picture->channels;
    struct lines lines = {numbers, make, 0, NULL};
    lines.margin = (1 + (long)(8.0 * numbers->sigma_px + 16.0) / MARGIN_STEP) * MARGIN_STEP;
    lines.scratch = malloc(2 * (size_t)whole_length(&lines, width > height ? width : height) *
                           sizeof *lines.scratch);
    FOVEA_TRY_MEMORY(lines.scratch);
    for (long i = 0; i < height * channels; i++) {
        make_line(&lines, values + i / channels * width * channels + i % channels, width, channels);
    }
    for (long i = 0; i < width * channels; i++) {
        make_line(&lines, values + i, height, width * channels);
    }
    free(lines.scratch);
    return FOVEA_OK;
}

/* ---- Heat */

/* The flow from a neighbour of a pixel, as a share of their difference. It is the smaller the more
 * the colours differ (Perona and Malik 1990, their second function). */
static double flow(const struct blur_numbers *numbers, const struct blur_picture *picture,
                   const double *own, const double *neighbour)
{
    double squares = 0.0;
    for (uint32_t c = 0; c < picture->colors; c++) {
        squares += pow((neighbour[c] - own[c]) / picture->white, 2.0) / picture->colors;
    }
    return numbers->edge > 0.0 ? 1.0 / (1.0 + squares / pow(numbers->edge, 2.0)) : 1.0;
}

/* Nothing flows over the picture's edges. */
static void step(const struct blur_numbers *numbers, const struct blur_picture *picture,
                 double rate, const double *src, double *dst)
{
    static const long around[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const long width = (long)picture->width_px;
    const long height = (long)picture->height_px;
    const long channels = (long)picture->channels;
    for (long i = 0; i < width * height; i++) {
        const double *own = src + i * channels;
        memcpy(dst + i * channels, own, (size_t)channels * sizeof *dst);
        for (int n = 0; n < 4; n++) {
            const long x = i % width + around[n][0];
            const long y = i / width + around[n][1];
            if (x < 0 || x >= width || y < 0 || y >= height) {
                continue;
            }
            const double *neighbour = src + (y * width + x) * channels;
            const double share = rate * flow(numbers, picture, own, neighbour);
            for (long c = 0; c < channels; c++) {
                dst[i * channels + c] += share * (neighbour[c] - own[c]);
            }
        }
    }
}

static enum fovea_result diffuse(const struct blur_numbers *numbers,
                                 const struct blur_picture *picture, double *values)
{
    const size_t bytes =
        (size_t)picture->width_px * picture->height_px * picture->channels * sizeof *values;
    const double variance = pow(numbers->sigma_px, 2.0);
    /* 1/6 is the most that flows from a neighbour in a step: what alternates from pixel to pixel
     * then falls to a third or less, while 1/4 would keep it. */
    const double steps = fmax(ceil(variance / (2.0 / 6.0) - 1e-9), 1.0);
    double *before = malloc(bytes);
    FOVEA_TRY_MEMORY(before);
    for (long i = 0; i < (long)steps; i++) {
        memcpy(before, values, bytes);
        step(numbers, picture, variance / (2.0 * steps), before, values);
    }
    free(before);
    return FOVEA_OK;
}

/* ---- Each pixel spreads by its own sigma */

/* A source at (x, y), which may lie beyond the picture, adds to the pixels that it reaches. */
static void scatter(const struct blur_picture *picture, const double *value, const double *radii,
                    long x, long y, double *dst)
{
    const long width = (long)picture->width_px;
    const long height = (long)picture->height_px;
    const long at_x = x < 0 ? 0 : x >= width ? width - 1 : x;
    const long at_y = y < 0 ? 0 : y >= height ? height - 1 : y;
    const double radius = radii[at_y * width + at_x];
    const long reach = (long)radius;
    double sum = 0.0;
    for (long d = -reach; d <= reach; d++) {
        sum += weight_of_tent(radius, d);
    }
    for (long j = y - reach < 0 ? 0 : y - reach; j <= y + reach && j < height; j++) {
        for (long i = x - reach < 0 ? 0 : x - reach; i <= x + reach && i < width; i++) {
            const double weight =
                weight_of_tent(radius, i - x) * weight_of_tent(radius, j - y) / (sum * sum);
            for (uint32_t c = 0; c < picture->channels; c++) {
                dst[(j * width + i) * picture->channels + c] +=
                    weight * value[(at_y * width + at_x) * picture->channels + c];
            }
        }
    }
}

static enum fovea_result spread_pictured(const struct blur_numbers *numbers,
                                         const struct blur_picture *picture, const double *src,
                                         double *dst)
{
    const long width = (long)picture->width_px;
    const long height = (long)picture->height_px;
    double *radii = calloc((size_t)(width * height), sizeof *radii);
    double most = 1.0;
    FOVEA_TRY_MEMORY(radii);
    for (long i = 0; i < width * height; i++) {
        const double own = picture->sigmas_px[i];
        const double sigma = own > 0.0 ? fmin(own, numbers->sigma_px) : 0.0;
        radii[i] = extent_for(weight_of_tent, 1.0, sigma * sigma);
        most = fmax(most, radii[i]);
    }
    const long margin = (long)most;
    memset(dst, 0, (size_t)(width * height) * picture->channels * sizeof *dst);
    for (long y = -margin; y < height + margin; y++) {
        for (long x = -margin; x < width + margin; x++) {
            scatter(picture, src, radii, x, y, dst);
        }
    }
    free(radii);
    return FOVEA_OK;
}

enum fovea_result blur_reference_of(const struct blur_numbers *numbers,
                                    const struct blur_picture *picture, const double *src,
                                    double *dst)
{
    static const line_fn lines[BLUR_ENGINES] = {
        [BLUR_QUASI] = quasi, [BLUR_BOX] = boxes, [BLUR_SPREAD] = spread};
    if (numbers->engine == BLUR_FFT) {
        return blur_reference_convolve(numbers, picture, src, dst);
    }
    if (picture->sigmas_px) {
        return spread_pictured(numbers, picture, src, dst);
    }
    memcpy(dst, src,
           (size_t)picture->width_px * picture->height_px * picture->channels * sizeof *dst);
    if (numbers->engine == BLUR_DIFFUSION) {
        return diffuse(numbers, picture, dst);
    }
    return make_lines(numbers, lines[numbers->engine], picture, dst);
}
