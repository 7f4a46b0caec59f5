/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The operator dof: depth of field, from a picture of depths and what is in focus.
 *
 * A thin lens of focal length f and aperture A = f / N that is focused at distance z0 spreads a
 * point at z over a disc whose diameter on the sensor is A v |1/z0 - 1/z|, v = f / (1 - f/z0): the
 * circle of confusion (Potmesil and Chakravarty 1981). An eye's pupil of diameter p spreads it over
 * p |1/z0 - 1/z| radians (Smith 1982). A disc of diameter d has the variance d^2/16 along an axis,
 * and so has the Gaussian that stands for it: sigma = d/4, in pixels, here negative before what is
 * in focus:
 *
 *     s(z) = sigma_per_diopter (1/z0 - 1/z), within +- dof.sigma_max_px; 0 within +- 1/256 px
 *
 * (Depths in floats leave so little of what is in focus. All of it would weigh in the means below,
 * as much as what is near and far away.)
 *
 * What lies before the focus spreads over what is in focus; what lies behind does not, and nothing
 * sharp spreads into it. So a picture is two layers, of pixels premultiplied with how much they
 * belong to them, each blurred by a Gaussian a pixel (G: foveate's machine):
 *
 *     n = max(-s, 0), f = max(s, 0)                      sigma before and behind the focus
 *     w = min(n / 1 px, 1)                               how much of a pixel is near
 *     d                                                  the largest n whose Gaussian gets here
 *     m = G[d](w n) / max(G[d](w), 1e-4), at most d      the mean n of what gets here
 *     t = (1 - w) m + w n                                sigma of the near layer
 *     near, a = G[t](w color), G[t](w)
 *     b = (1 - w) max(min(f / 1 px, 1), 1/32)            the weight behind: little of what is sharp
 *     u = (1 - w) f + w t                                sigma behind
 *     behind = (G[u](b color) + e color) / (G[u](b) + e),  e = max(1/1024 - G[u](b), 0)
 *     out = near + (1 - a) behind
 *
 * With dof.bokeh "disc" what stands out is left out of both layers and spread over the disc itself:
 *
 *     k = min(max(|s| / 1 px - 1, 0), 1)                 how much of a pixel may be
 *     L = its largest colour, light above black's; 0 where it is no number, or beyond 1e30
 *     m = sum of k L / sum of k                          of blocks of 32x32 pixels; both sums are
 *                                                        linear between the blocks' middles
 *     h = k max(1 - 3 m / L, 0)                          how much of its light stands out
 *
 * In each cell of 4x4 pixels it becomes one disc, of what is near (s < 0) and of the rest apart:
 *
 *     S = sum of h L                                     its strength
 *     l = S of the block's 17th cell
 *     p, R = means of place and of 2 |s|, weighted by h L
 *     e = min(sqrt(1 + 6 v), 2 R)                        width of its edge, a pixel's and the
 *                                                        cell's; v is the variance of p
 *     q = max(1 - l / S, 0)                              how much of it is a disc: 16 of a block
 *     C = q (sum of h color) / (pi (R^2 + e^2 / 12))     its light over its area
 *     D(x) = C min(max((R - |x - p|) / e + 1/2, 0), 1)
 *
 * In both layers color is (1 - q h) color then, and with c = min(max((4 u - 1/2) / R, 0), 1)
 *
 *     out = near + (sum of near D) + (1 - a) (behind + (sum of D c))
 *
 * where a near disc makes a at least 6.2e-5: backends find by it what they compose.
 *
 * All of it is continuous, in light and in places, so that nothing appears at once; alpha is no
 * light.
 *
 * d is made for tiles of 8x8 pixels, whose largest n is n': a tile is reached by the sigma n' of
 * another one at a distance of middles of r tiles, by n' (4 - 8 max(r - 1.5, 0) / n') where that is
 * between 0 and n', d of a tile being the largest of these; of a pixel linear between the middles
 * of tiles. README.md says how near this comes to what a lens does. */
#pragma once

#include "core/log.h"
#include "kernels/gauss/gauss.h"
#include "optics.h"

enum { DOF_BOKEH_GAUSSIAN, DOF_BOKEH_DISC }; /* dof.bokeh */

extern const struct operator_glsl_api dof_operator_glsl;
extern const struct operator_cuda_api dof_operator_cuda; /* where FOVEA_HAVE_CUDA is 1 */

struct dof_plan {
    struct gauss_plan machine; /* begins with the operator's plan; of pictures of sigmas */
    struct dof_optics optics;
};

static inline const struct dof_plan *dof_plan_of(const struct operator_plan *plan)
{
    return (const struct dof_plan *)plan;
}

/* ---- The double-precision reference: from the formula, shares only the settings -------------- */

struct dof_reference {
    const struct fovea_settings *settings;
    const double *depths; /* values, a pixel each */
    enum fovea_depth_kind kind;
    double zero_m, one_m; /* of struct fovea_depth */
    double focus_m; /* what is in focus */
};

/* src and dst are rows of `channels` doubles without gaps, dst apart from src. All channels are
 * treated alike. Values are not rounded and not clamped. */
FOVEA_MUST_CHECK enum fovea_result dof_reference(const struct dof_reference *wanted,
                                                 uint32_t width_px, uint32_t height_px,
                                                 uint32_t channels, const double *src, double *dst);
/* The distance of a value in metres; NaN: unknown. */
double dof_reference_distance(const struct dof_reference *wanted, double value);
