/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "foveate_model.h"

#include "foveate_limits.h"

#include <math.h>

static bool positive(double value)
{
    return isfinite(value) && value > 0.0;
}

static bool paper_valid(const struct fovea_paper *paper)
{
    return positive(paper->ct0) && paper->ct0 < 1.0 && positive(paper->alpha) &&
           positive(paper->e2_deg) && positive(paper->e_max_deg) && positive(paper->f_max_cpd) &&
           paper->fragment_px >= FOVEATE_MIN_FRAGMENT_PX &&
           paper->fragment_px <= FOVEATE_MAX_FRAGMENT_PX &&
           (paper->filter_length == FOVEA_FILTER_LENGTH_CODE ||
            paper->filter_length == FOVEA_FILTER_LENGTH_PRINTED);
}

static bool foveation_valid(const struct fovea_foveation *foveation)
{
    return foveation->model == FOVEA_MODEL_PAPER && foveation->method == FOVEA_METHOD_BLOCKWISE &&
           (foveation->alpha == FOVEA_ALPHA_KEEP ||
            foveation->alpha == FOVEA_ALPHA_PREMULTIPLIED) &&
           foveation->strength >= 0.0 && foveation->strength <= FOVEATE_MAX_STRENGTH &&
           paper_valid(&foveation->paper);
}

bool foveate_model_init(struct foveate_model *model, const struct fovea_foveation *foveation,
                        uint32_t width_px, uint32_t height_px)
{
    if (!foveation_valid(foveation) || width_px < 1 || width_px > FOVEATE_MAX_SIZE_PX ||
        height_px < 1 || height_px > FOVEATE_MAX_SIZE_PX) {
        return false;
    }
    *model = (struct foveate_model){
        .foveation = *foveation,
        .d_max_px = 0.5 * hypot(width_px, height_px),
    };
    return foveate_model_sigma_px(model, model->d_max_px) <= FOVEATE_MAX_SIGMA_PX;
}

/* Contrast threshold CT0 exp(alpha f (e + e2) / e2), Geisler and Perry 1998, set to 1 and solved for
 * f; then f_max is put at Nyquist, and f is the Gaussian's standard deviation in frequency. */
static double paper_sigma_px(const struct foveate_model *model, double distance_px)
{
    const struct fovea_paper *paper = &model->foveation.paper;
    const double e_deg = paper->e_max_deg * distance_px / model->d_max_px;
    const double cutoff_cpd =
        paper->e2_deg / (paper->alpha * (e_deg + paper->e2_deg)) * log(1.0 / paper->ct0);
    const double cutoff_cpp = 0.5 * fmin(cutoff_cpd, paper->f_max_cpd) / paper->f_max_cpd;
    return 1.0 / (2.0 * M_PI * cutoff_cpp);
}

double foveate_model_sigma_px(const struct foveate_model *model, double distance_px)
{
    return model->foveation.strength * paper_sigma_px(model, distance_px);
}

double foveate_model_distance_px(const struct foveate_model *model, double eccentricity_deg)
{
    return eccentricity_deg / model->foveation.paper.e_max_deg * model->d_max_px;
}
