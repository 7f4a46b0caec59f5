/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A plan as the kernels of gauss_nodes.cu see it: where its levels lie, which nodes it needs, and
 * their matrices. */
#ifndef FOVEA_KERNELS_GAUSS_CUDA_NODES_PLAN_H
#define FOVEA_KERNELS_GAUSS_CUDA_NODES_PLAN_H

#include "kernels/gauss/gauss.h"
#include "params.h"

#include <stddef.h>

/* Fills all but addresses and next_bytes, for a plan that blurs. In wide light its nodes are those
 * of floats, which are no light. */
void gauss_nodes_fill(const struct gauss_plan *plan, struct gauss_nodes *out_nodes);

/* Returns the bytes of an image's levels, a multiple of 16. */
size_t gauss_nodes_level_bytes(const struct gauss_nodes *nodes);
/* Returns the bytes that a picture's levels of so many channels have, with level 0. */
size_t gauss_nodes_whole_bytes(const struct gauss_nodes *nodes, uint32_t channels);

size_t gauss_nodes_matrix_bytes(const struct gauss_nodes *nodes);
void gauss_nodes_fill_matrices(const struct gauss_plan *plan, const struct gauss_nodes *nodes,
                               uint16_t *out_halves);

#endif
