/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How highlights are found that dof spreads as discs (dof.h); what all backends have in common. */
#pragma once

#define DOF_BLOCK_PX 32 /* a side; a mean is one's */
#define DOF_CELL_PX 4 /* a side; a cell of a block becomes a disc */
#define DOF_BLOCK_CELLS 64
/* The widest edge of a disc, sqrt(1 + 6 v) of a cell, is 5.3; half of it is beyond the radius. */
#define DOF_MOST_EDGE_PX 6.0f
#define DOF_BLOCK_DISCS 16 /* at most, of a block and layer */
#define DOF_TIMES_MEAN 3.0f /* light above so many means is a highlight's */
#define DOF_MOST_LIGHT 1e30f /* what is more, or no number, is none */
#define DOF_DISC_COVERAGE 6.2e-5f /* at least, of what is near under a disc: a half above 0 */
