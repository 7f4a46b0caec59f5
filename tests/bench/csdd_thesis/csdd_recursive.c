/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Coefficients of Deriche's recursive filters of the fourth order, with the constants of Farneback
 * and Westin, "Improving Deriche-style recursive Gaussian filters", JMIV 2006. Those of the second
 * derivative are made such that a constant gives 0 and half a square 1. */

#include "csdd_recursive.h"

#include <math.h>
#include <string.h>

/* Two damped cosines: amplitudes of cosine and sine by derivative, frequency, damping. */
static const double A1[3] = {1.3530, -0.6724, -1.3563};
static const double B1[3] = {1.8151, -3.4327, 5.2318};
static const double A2[3] = {-0.3531, 0.6724, 0.3446};
static const double B2[3] = {0.0902, 0.6100, -2.2355};
#define W1 0.6681
#define L1 (-1.3932)
#define W2 2.0787
#define L2 (-1.3732)

struct waves {
    double c1, s1, e1, c2, s2, e2;
};

struct sums {
    double plain, first, second; /* of values, of k times them, of k^2 times them */
};

static struct waves waves_of(double sigma)
{
    return (struct waves){cos(W1 / sigma), sin(W1 / sigma), exp(L1 / sigma),
                          cos(W2 / sigma), sin(W2 / sigma), exp(L2 / sigma)};
}

static struct sums sums_of(const double *values, int first)
{
    struct sums sums = {0};
    for (int i = 0; i < 4; i++) {
        const double k = first + i;
        sums.plain += values[i];
        sums.first += k * values[i];
        sums.second += k * k * values[i];
    }
    return sums;
}

static void fill_feedback(const struct waves *w, double out[4])
{
    out[0] = -2.0 * (w->e2 * w->c2 + w->e1 * w->c1);
    out[1] = 4.0 * w->c1 * w->c2 * w->e1 * w->e2 + w->e1 * w->e1 + w->e2 * w->e2;
    out[2] = -2.0 * w->e1 * w->e2 * (w->c1 * w->e2 + w->c2 * w->e1);
    out[3] = w->e1 * w->e1 * w->e2 * w->e2;
}

static void fill_causal(const struct waves *w, int order, double out[4])
{
    const double a1 = A1[order];
    const double b1 = B1[order];
    const double a2 = A2[order];
    const double b2 = B2[order];
    out[0] = a1 + a2;
    out[1] = w->e2 * (b2 * w->s2 - (a2 + 2.0 * a1) * w->c2) +
             w->e1 * (b1 * w->s1 - (a1 + 2.0 * a2) * w->c1);
    out[2] = 2.0 * w->e1 * w->e2 *
                 ((a1 + a2) * w->c1 * w->c2 - b1 * w->c2 * w->s1 - b2 * w->c1 * w->s2) +
             a2 * w->e1 * w->e1 + a1 * w->e2 * w->e2;
    out[3] = w->e2 * w->e1 * w->e1 * (b2 * w->s2 - a2 * w->c2) +
             w->e1 * w->e2 * w->e2 * (b1 * w->s1 - a1 * w->c1);
}

static void scale(double values[4], double factor)
{
    for (int i = 0; i < 4; i++) {
        values[i] *= factor;
    }
}

/* D of the feedback with its leading 1. */
static struct sums feedback_sums(const double feedback[4])
{
    struct sums d = sums_of(feedback, 1);
    d.plain += 1.0;
    return d;
}

static void make_gauss(const double feedback[4], double n[4])
{
    const struct sums d = feedback_sums(feedback);
    scale(n, 1.0 / (2.0 * sums_of(n, 0).plain / d.plain - n[0]));
}

static void make_second(const struct waves *w, const double feedback[4], double n[4])
{
    const struct sums d = feedback_sums(feedback);
    double zero[4];
    fill_causal(w, 0, zero);
    const double beta = -(2.0 * sums_of(n, 0).plain - d.plain * n[0]) /
                        (2.0 * sums_of(zero, 0).plain - d.plain * zero[0]);
    for (int i = 0; i < 4; i++) {
        n[i] += beta * zero[i];
    }
    const struct sums s = sums_of(n, 0);
    const double alpha = (s.second * d.plain * d.plain - d.second * s.plain * d.plain -
                          2.0 * s.first * d.first * d.plain + 2.0 * d.first * d.first * s.plain) /
                         (d.plain * d.plain * d.plain);
    scale(n, 1.0 / alpha);
}

void csdd_recursive_of(double sigma_px, int derivative, struct csdd_recursive *out)
{
    const struct waves waves = waves_of(sigma_px);
    double *n = out->causal;
    fill_feedback(&waves, out->feedback);
    fill_causal(&waves, derivative, n);
    if (derivative == 0) {
        make_gauss(out->feedback, n);
    } else {
        make_second(&waves, out->feedback, n);
    }
    for (int k = 1; k <= 3; k++) {
        out->anticausal[k - 1] = n[k] - out->feedback[k - 1] * n[0];
    }
    out->anticausal[3] = -out->feedback[3] * n[0];
}
