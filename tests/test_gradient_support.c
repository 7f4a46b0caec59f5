/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "test_gradient_support.h"
#include "cmocka_all.h"

#include "kernels/foveate/foveate.h"

#define CUT_OFF_SIGMAS 4.5

/* Weights of -radius .. radius, and what they gain a pixel of sigma. */
struct kernel {
    long radius;
    double *weights;
    double *slopes;
};

static inline long clamp(long value, long count)
{
    return value < 0 ? 0 : value >= count ? count - 1 : value;
}

static long averaged(const struct gradient_case *c)
{
    const bool keeps = c->foveation->alpha == FOVEA_ALPHA_KEEP;
    return c->channels == 4 && keeps ? 3 : (long)c->channels;
}

/* Returns the sigma by one fovea, moved. */
static double sigma_by(const struct gradient_case *c, uint32_t fovea, long x, long y, double right,
                       double down)
{
    const double *at_px = c->foveas_px + 2 * (size_t)fovea;
    const struct foveate_reference_places places = {(double)x + 0.5, (double)y + 0.5,
                                                    at_px[0] + right, at_px[1] + down};
    return foveate_reference_sigma(c->foveation, c->width_px, c->height_px, places);
}

/* The least, and the first fovea that asks for it. */
static double sigma_at(const struct gradient_case *c, long x, long y, uint32_t *out_owner)
{
    double least = (double)INFINITY;
    if (c->sigmas_px) {
        return c->sigmas_px[y * (long)c->width_px + x];
    }
    for (uint32_t k = 0; k < c->fovea_count; k++) {
        const double sigma = sigma_by(c, k, x, y, 0.0, 0.0);
        *out_owner = sigma < least ? k : *out_owner;
        least = fmin(sigma, least);
    }
    return least;
}

/* w = exp(-i^2 / 2 sigma^2) / S, and dw / dsigma = w (i^2 - sum of w i^2) / sigma^3. */
static struct kernel kernel_of(double sigma)
{
    struct kernel k = {.radius = (long)ceil(CUT_OFF_SIGMAS * sigma)};
    k.weights = calloc((size_t)(2 * k.radius + 1), sizeof *k.weights);
    k.slopes = calloc((size_t)(2 * k.radius + 1), sizeof *k.slopes);
    assert_non_null(k.weights);
    assert_non_null(k.slopes);
    double sum = 0.0;
    double square = 0.0;
    for (long i = -k.radius; i <= k.radius; i++) {
        const double weight = exp(-(double)(i * i) / (2.0 * sigma * sigma));
        k.weights[i + k.radius] = weight;
        sum += weight;
        square += weight * (double)(i * i);
    }
    for (long i = -k.radius; i <= k.radius; i++) {
        double *weight = &k.weights[i + k.radius];
        *weight /= sum;
        k.slopes[i + k.radius] =
            *weight * ((double)(i * i) - square / sum) / (sigma * sigma * sigma);
    }
    return k;
}

static void kernel_free(struct kernel *kernel)
{
    free(kernel->weights);
    free(kernel->slopes);
}

/* Nearly all of the time goes by here and in grows, and sanitizers make it eight times as long:
 * both keep to what is there. */
#define UNSANITIZED __attribute__((no_sanitize("address"), no_sanitize("undefined")))

UNSANITIZED
static void scatter(const struct gradient_case *c, const struct kernel *k, long x, long y,
                    const double *d_dst, double *d_src)
{
    const long width = (long)c->width_px;
    const long used = averaged(c);
    const double *d = d_dst + (y * width + x) * (long)c->channels;
    for (long j = -k->radius; j <= k->radius; j++) {
        double *row = d_src + clamp(y + j, (long)c->height_px) * width * (long)c->channels;
        for (long i = -k->radius; i <= k->radius; i++) {
            const double weight = k->weights[j + k->radius] * k->weights[i + k->radius];
            for (long n = 0; n < used; n++) {
                row[clamp(x + i, width) * (long)c->channels + n] += weight * d[n];
            }
        }
    }
}

void gradient_of_image(const struct gradient_case *c, const double *d_dst, double *out_d_src)
{
    const long count = (long)c->width_px * (long)c->height_px;
    memset(out_d_src, 0, (size_t)count * c->channels * sizeof *out_d_src);
    for (long p = 0; p < count; p++) {
        const long x = p % (long)c->width_px;
        const long y = p / (long)c->width_px;
        uint32_t owner = 0;
        const double sigma = sigma_at(c, x, y, &owner);
        struct kernel k = {.weights = (double[]){1.0}};
        if (sigma > 0.0) {
            k = kernel_of(sigma);
        }
        scatter(c, &k, x, y, d_dst, out_d_src);
        if (sigma > 0.0) {
            kernel_free(&k);
        }
        if (averaged(c) < (long)c->channels) {
            out_d_src[4 * p + 3] = d_dst[4 * p + 3];
        }
    }
}

static void foveate(const struct gradient_case *c, const double *src, double *dst)
{
    const bool smooth = c->foveation->method == FOVEA_METHOD_SMOOTH;
    assert_ok((smooth ? foveate_reference_smooth
                      : foveate_reference)(c->foveation, c->width_px, c->height_px, c->channels,
                                           src, dst, c->foveas_px, c->fovea_count));
}

void gradient_by_impulses(const struct gradient_case *c, const double *d_dst, double *out_d_src)
{
    const size_t count = (size_t)c->width_px * c->height_px * c->channels;
    OWNED(owned_free) double *impulse = calloc(count, sizeof *impulse);
    OWNED(owned_free) double *result = calloc(count, sizeof *result);
    assert_non_null(impulse);
    assert_non_null(result);
    for (size_t i = 0; i < count; i++) {
        impulse[i] = 1.0;
        foveate(c, impulse, result);
        impulse[i] = 0.0;
        out_d_src[i] = 0.0;
        for (size_t j = i % c->channels; j < count; j += c->channels) {
            out_d_src[i] += result[j] * d_dst[j];
        }
    }
}

/* d_dst . d out / d sigma of one pixel */
UNSANITIZED
static double grows(const struct gradient_case *c, const struct kernel *k, long x, long y,
                    const double *src, const double *d_dst)
{
    const long width = (long)c->width_px;
    const long used = averaged(c);
    const double *d = d_dst + (y * width + x) * (long)c->channels;
    double sum = 0.0;
    for (long j = -k->radius; j <= k->radius; j++) {
        const double *row = src + clamp(y + j, (long)c->height_px) * width * (long)c->channels;
        for (long i = -k->radius; i <= k->radius; i++) {
            const double *in = row + clamp(x + i, width) * (long)c->channels;
            const double slope = k->slopes[j + k->radius] * k->weights[i + k->radius] +
                                 k->weights[j + k->radius] * k->slopes[i + k->radius];
            for (long n = 0; n < used; n++) {
                sum += slope * d[n] * in[n];
            }
        }
    }
    return sum;
}

void gradient_of_sigmas(const struct gradient_case *c, const double *src, const double *d_dst,
                        double *out_d_sigmas)
{
    const long count = (long)c->width_px * (long)c->height_px;
    for (long p = 0; p < count; p++) {
        out_d_sigmas[p] = 0.0;
        if (c->sigmas_px[p] > 0.0) {
            OWNED(kernel_free) struct kernel k = kernel_of(c->sigmas_px[p]);
            out_d_sigmas[p] =
                grows(c, &k, p % (long)c->width_px, p / (long)c->width_px, src, d_dst);
        }
    }
}

/* A pixel adds this to a fovea's derivative. */
struct slopes {
    double right, down;
};

static struct slopes slopes_of(const struct gradient_case *c, uint32_t fovea, long x, long y,
                               double dot)
{
    return (struct slopes){
        dot * (sigma_by(c, fovea, x, y, 0.5, 0.0) - sigma_by(c, fovea, x, y, -0.5, 0.0)),
        dot * (sigma_by(c, fovea, x, y, 0.0, 0.5) - sigma_by(c, fovea, x, y, 0.0, -0.5))};
}

void gradient_of_gazes(const struct gradient_case *c, const double *src, const double *d_dst,
                       double out_d_foveas[2 * FOVEA_FOVEAS_MAX], double *out_scale,
                       double *out_tied)
{
    const long count = (long)c->width_px * (long)c->height_px;
    double squares = 0.0;
    *out_tied = 0.0;
    memset(out_d_foveas, 0, 2 * FOVEA_FOVEAS_MAX * sizeof *out_d_foveas);
    for (long p = 0; p < count; p++) {
        const long x = p % (long)c->width_px;
        const long y = p / (long)c->width_px;
        uint32_t owner = 0;
        const double sigma = sigma_at(c, x, y, &owner);
        if (sigma > 0.0) {
            OWNED(kernel_free) struct kernel k = kernel_of(sigma);
            const double dot = grows(c, &k, x, y, src, d_dst);
            const struct slopes own = slopes_of(c, owner, x, y, dot);
            double others = 0.0;
            out_d_foveas[2 * owner] += own.right;
            out_d_foveas[2 * owner + 1] += own.down;
            squares += own.right * own.right + own.down * own.down;
            for (uint32_t i = 0; i < c->fovea_count; i++) {
                const struct slopes slopes = slopes_of(c, i, x, y, dot);
                const bool ties = i != owner && sigma_by(c, i, x, y, 0.0, 0.0) < 1.001 * sigma;
                others +=
                    ties ? fabs(slopes.right) + fabs(slopes.down) + fabs(own.right) + fabs(own.down)
                         : 0.0;
            }
            *out_tied += others;
        }
    }
    *out_scale = sqrt(squares);
}
