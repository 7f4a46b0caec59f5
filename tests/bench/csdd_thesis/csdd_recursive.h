/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

/* The thesis takes the recursive filters of Farneback and Westin (JMIV 2006): coefficients for the
 * Gaussian (derivative 0) and its second derivative (2). */
struct csdd_recursive {
    double causal[4]; /* n0 .. n3 */
    double anticausal[4]; /* m1 .. m4 */
    double feedback[4]; /* d1 .. d4 */
};
void csdd_recursive_of(double sigma_px, int derivative, struct csdd_recursive *out);
