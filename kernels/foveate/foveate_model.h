/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The law from distance to blur. A model is a case in each function of foveate_model.c. */
#ifndef FOVEA_KERNELS_FOVEATE_MODEL_H
#define FOVEA_KERNELS_FOVEATE_MODEL_H

#include "fovea.h"

struct foveate_model {
    struct fovea_foveation foveation;
    double d_max_px; /* half the image's diagonal, whatever the gaze */
};

/* False if a setting is out of range, not finite or names something unknown, or if all together ask
 * for more than FOVEATE_MAX_SIGMA_PX. Only the size's own range matters to the answer. */
bool foveate_model_init(struct foveate_model *model, const struct fovea_foveation *foveation,
                        uint32_t width_px, uint32_t height_px);

/* Standard deviation of the Gaussian at that distance from the gaze, strength included. */
double foveate_model_sigma_px(const struct foveate_model *model, double distance_px);

/* Distance from the gaze at which the model puts an eccentricity. */
double foveate_model_distance_px(const struct foveate_model *model, double eccentricity_deg);

#endif
