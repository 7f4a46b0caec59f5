/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_plan.h"

#include "core/log.h"
#include "kernels/chain/chain.h"

#include <stdlib.h>

#define FORMAT FOVEA_FORMAT_RGBA16F
/* Vulkan promises that a storage buffer may be so large. */
#define BUFFER_BYTES (UINT32_C(1) << 27)

static void finish_plan(struct godot_plan *plan, struct godot_object *device)
{
    for (uint32_t i = 0; i < OPERATOR_MAX_STEPS; i++) {
        godot_device_free(device, &plan->tables[i]);
    }
    godot_device_free(device, &plan->scratch);
    if (plan->glsl) {
        chain_operator.glsl->destroy(&plan->glsl);
    }
    if (plan->plan) {
        chain_operator.plan_destroy(&plan->plan);
    }
    *plan = (struct godot_plan){0};
}

/* The engine binds buffers whole, so that each step has its own. */
static enum fovea_result make_step(struct godot_plan *plan, struct godot_object *device, uint32_t i,
                                   const char *tables)
{
    const struct operator_range *range = &plan->steps[i].tables;
    plan->tables[i] = godot_device_storage(device, tables + range->offset, (size_t)range->bytes);
    return plan->tables[i].id ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

static enum fovea_result make_tables(struct godot_plan *plan, struct godot_object *device)
{
    char *tables = calloc(1, (size_t)chain_operator.glsl->table_bytes(plan->glsl));
    enum fovea_result result = FOVEA_ERROR_OUT_OF_MEMORY;
    plan->step_count = chain_operator.glsl->steps(plan->glsl, plan->steps);
    if (tables) {
        chain_operator.glsl->fill(plan->glsl, tables);
        result = FOVEA_OK;
    }
    for (uint32_t i = 0; i < plan->step_count && result == FOVEA_OK; i++) {
        result = make_step(plan, device, i, tables);
    }
    free(tables);
    return result;
}

static enum fovea_result make_plan(struct godot_plan *plan, struct godot_object *device,
                                   const struct operator_plan_desc *desc)
{
    const struct operator_glsl_limits limits = {.shared_bytes = godot_device_shared_bytes(device),
                                                .buffer_bytes = BUFFER_BYTES};
    FOVEA_TRY(chain_operator.plan_create(desc, &plan->plan));
    FOVEA_TRY(chain_operator.glsl->create(plan->plan, &limits, &plan->glsl));
    FOVEA_TRY(make_tables(plan, device));
    const uint64_t bytes = chain_operator.glsl->scratch_bytes(plan->glsl, FORMAT);
    if (bytes > BUFFER_BYTES) {
        return FOVEA_ERROR_UNSUPPORTED;
    }
    if (bytes > 0) {
        plan->scratch = godot_device_storage(device, NULL, (size_t)bytes);
        return plan->scratch.id ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return FOVEA_OK;
}

static struct godot_plan *oldest(struct godot_plans *plans)
{
    struct godot_plan *found = &plans->plans[0];
    for (int i = 1; i < GODOT_PLANS_MAX; i++) {
        if (plans->plans[i].last_used < found->last_used) {
            found = &plans->plans[i];
        }
    }
    return found;
}

enum fovea_result godot_plans_find(struct godot_plans *plans, struct godot_object *device,
                                   const struct operator_plan_desc *desc,
                                   struct godot_plan **out_plan)
{
    struct godot_plan *place = NULL;
    plans->uses++;
    for (int i = 0; i < GODOT_PLANS_MAX && !place; i++) {
        struct godot_plan *plan = &plans->plans[i];
        place = plan->plan && chain_operator.plan_fits(plan->plan, desc) ? plan : NULL;
    }
    if (!place) {
        place = oldest(plans);
        finish_plan(place, device);
        const enum fovea_result result = make_plan(place, device, desc);
        if (result < 0) {
            finish_plan(place, device);
            return result;
        }
    }
    place->last_used = plans->uses;
    *out_plan = place;
    return FOVEA_OK;
}

void godot_plans_finish(struct godot_plans *plans, struct godot_object *device)
{
    for (int i = 0; i < GODOT_PLANS_MAX; i++) {
        finish_plan(&plans->plans[i], device);
    }
}
