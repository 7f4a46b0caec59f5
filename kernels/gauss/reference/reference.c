/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A pixel is the sum of the picture under its Gaussian. The one liberty: samples beyond an edge,
 * which all have the value at the edge, are one product. */

#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct picture {
    long width, height, channels, blurred;
    double *planes; /* of the channels that are blurred */
    double *weights; /* of samples along a line */
    double *across, *down; /* of the pixels that they come from */
};

static long clamp(long value, long low, long high)
{
    return value < low ? low : value > high ? high : value;
}

static void fill_planes(const struct picture *picture, const double *src)
{
    double *out = picture->planes;
    for (long c = 0; c < picture->blurred; c++) {
        for (long i = 0; i < picture->width * picture->height; i++) {
            *out++ = src[i * picture->channels + c];
        }
    }
}

/* Four sums side by side, so that one addition need not wait for the one before. Nearly all of the
 * time goes by here, ten times as much with sanitizers: blur_pixel keeps to what is there. */
__attribute__((no_sanitize("address"), no_sanitize("undefined"))) static double dot(const double *a,
                                                                                    const double *b,
                                                                                    long count)
{
    double sums[4] = {0.0};
    long i = 0;
    for (; i + 4 <= count; i += 4) {
        for (long j = 0; j < 4; j++) {
            sums[j] += a[i + j] * b[i + j];
        }
    }
    for (; i < count; i++) {
        sums[0] += a[i] * b[i];
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

/* weights[i + radius] for i = -radius .. radius; they sum to 1. Sigma may be so small that its
 * square is 0. */
static void fill_weights(const struct picture *picture, double sigma_px, long radius)
{
    double sum = 0.0;
    for (long i = -radius; i <= radius; i++) {
        picture->weights[i + radius] = exp(-0.5 * pow((double)i / sigma_px, 2.0));
        sum += picture->weights[i + radius];
    }
    for (long i = 0; i <= 2 * radius; i++) {
        picture->weights[i] /= sum;
    }
}

/* The pixels from the first on that samples around one of them come from. */
struct span {
    long first;
    long count;
};

/* Beyond its edges a picture goes on as its last pixel, which therefore has the weights of all
 * samples there, too. */
static struct span fold_weights(const struct picture *picture, long radius, long at, long count,
                                double *out)
{
    const long first = clamp(at - radius, 0, count - 1);
    const long last = clamp(at + radius, 0, count - 1);
    memset(out, 0, (size_t)(last - first + 1) * sizeof *out);
    for (long i = -radius; i <= radius; i++) {
        out[clamp(at + i, 0, count - 1) - first] += picture->weights[i + radius];
    }
    return (struct span){first, last - first + 1};
}

static void blur_pixel(const struct picture *picture, long at, double sigma_px, long radius,
                       double *dst)
{
    fill_weights(picture, sigma_px, radius);
    const struct span columns =
        fold_weights(picture, radius, at % picture->width, picture->width, picture->across);
    const struct span rows =
        fold_weights(picture, radius, at / picture->width, picture->height, picture->down);
    for (long c = 0; c < picture->blurred; c++) {
        const double *corner =
            picture->planes + (c * picture->height + rows.first) * picture->width + columns.first;
        double sum = 0.0;
        for (long j = 0; j < rows.count; j++) {
            sum +=
                picture->down[j] * dot(picture->across, corner + j * picture->width, columns.count);
        }
        dst[at * picture->channels + c] = sum;
    }
}

static long radius_of(const struct gauss_reference *wanted, double sigma_px)
{
    if (!(sigma_px > 0.0)) {
        return 0;
    }
    return wanted->radius_px ? wanted->radius_px(wanted->user, sigma_px)
                             : (long)ceil(wanted->cut_off_sigmas * sigma_px);
}

enum fovea_result gauss_reference(const struct gauss_reference *wanted, const double *sigmas_px,
                                  const double *src, double *dst)
{
    const long pixels = (long)wanted->width_px * (long)wanted->height_px;
    struct picture picture = {(long)wanted->width_px,
                              (long)wanted->height_px,
                              (long)wanted->channels,
                              (long)wanted->blurred,
                              NULL,
                              NULL,
                              NULL,
                              NULL};
    long radius = 0;
    for (long i = 0; i < pixels; i++) {
        const long own = radius_of(wanted, sigmas_px[i]);
        radius = own > radius ? own : radius;
    }
    picture.planes =
        calloc((size_t)(pixels * picture.blurred + picture.width + picture.height + 2 * radius + 1),
               sizeof *picture.planes);
    FOVEA_TRY_MEMORY(picture.planes);
    picture.across = picture.planes + pixels * picture.blurred;
    picture.down = picture.across + picture.width;
    picture.weights = picture.down + picture.height;
    fill_planes(&picture, src);
    memcpy(dst, src, (size_t)(pixels * picture.channels) * sizeof *dst);
    for (long i = 0; i < pixels; i++) {
        if (sigmas_px[i] > 0.0) {
            blur_pixel(&picture, i, sigmas_px[i], radius_of(wanted, sigmas_px[i]), dst);
        }
    }
    free(picture.planes);
    return FOVEA_OK;
}
