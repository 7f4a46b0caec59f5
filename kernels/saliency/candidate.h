/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs before any is left out because of another one. Included by C and CUDA. */
#pragma once

#include "fovea_blobs.h"

struct saliency_candidate {
    struct fovea_blob blob;
    uint32_t scale;
    uint32_t place; /* x + y width, of the pixel that is above its neighbours */
};
