/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A plan is what settings come to at a size, with its tables on the engine's device. It is kept for
 * as long as views use it. */
#pragma once

#include "godot_device.h"

#define GODOT_PLANS_MAX 32 /* of views of a few viewports at a time */

struct godot_plan {
    struct operator_plan *plan; /* NULL: none */
    struct operator_glsl *glsl;
    struct operator_step steps[OPERATOR_MAX_STEPS];
    uint32_t step_count;
    struct godot_rid tables[OPERATOR_MAX_STEPS];
    struct godot_rid scratch;
    uint64_t last_used;
};

struct godot_plans {
    struct godot_plan plans[GODOT_PLANS_MAX];
    uint64_t uses;
};

FOVEA_MUST_CHECK enum fovea_result godot_plans_find(struct godot_plans *plans,
                                                    struct godot_object *device,
                                                    const struct operator_plan_desc *desc,
                                                    struct godot_plan **out_plan);
void godot_plans_finish(struct godot_plans *plans, struct godot_object *device);
