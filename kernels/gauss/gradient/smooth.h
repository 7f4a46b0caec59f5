/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Gradients on the cpu, image by image. */
#pragma once

#include "gradient.h"
#include "kernels/operator/operator_host.h"
#include "loops.h"

struct gauss_gradient_cpu {
    struct operator_host base;
    const struct gauss_plan *plan;
    struct gauss_gradient_plan laws; /* the plan without steps */
    struct gauss_gradient_tables tables;
    const struct gauss_gradient_loops *loops;
    const struct operator_derivatives *batch; /* that is under way */
};

/* The loops that the processor runs. */
const struct gauss_gradient_loops *gauss_gradient_choose_loops(void);

/* Floats of scratch memory of a thread. */
size_t gauss_gradient_smooth_floats(const struct gauss_gradient_tables *tables);
/* Makes what is wanted of the batch's image of that index. */
void gauss_gradient_smooth_run(const struct gauss_gradient_cpu *gradient, float *scratch,
                               uint32_t index);
