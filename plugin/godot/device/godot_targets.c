/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_targets.h"

#define KEPT_FRAMES 240 /* of the effect, all viewports counted */

static void finish_images(struct godot_target *target, struct godot_object *device)
{
    for (int i = 0; i < GODOT_IMAGES_MAX; i++) {
        godot_device_free(device, &target->images[i]);
    }
}

static void finish_target(struct godot_target *target, struct godot_object *device)
{
    finish_images(target, device);
    for (int i = 0; i < GODOT_VIEWS_MAX; i++) {
        godot_device_free(device, &target->focuses[i]);
    }
    *target = (struct godot_target){0};
}

static void forget_old(struct godot_targets *targets, struct godot_object *device, uint64_t frame)
{
    for (int i = 0; i < GODOT_TARGETS_MAX; i++) {
        struct godot_target *target = &targets->targets[i];
        if (target->render_target.id && target->last_frame + KEPT_FRAMES < frame) {
            finish_target(target, device);
        }
    }
}

/* NULL: the viewport is new. */
static struct godot_target *find(struct godot_targets *targets, struct godot_rid render_target)
{
    for (int i = 0; i < GODOT_TARGETS_MAX; i++) {
        if (targets->targets[i].render_target.id == render_target.id) {
            return &targets->targets[i];
        }
    }
    return NULL;
}

static struct godot_target *oldest(struct godot_targets *targets)
{
    struct godot_target *found = &targets->targets[0];
    for (int i = 1; i < GODOT_TARGETS_MAX; i++) {
        if (targets->targets[i].last_frame < found->last_frame) {
            found = &targets->targets[i];
        }
    }
    return found;
}

struct godot_target *godot_targets_find(struct godot_targets *targets, struct godot_object *device,
                                        struct godot_rid render_target, struct godot_vector2i size,
                                        uint64_t frame)
{
    forget_old(targets, device, frame);
    struct godot_target *const known = find(targets, render_target);
    struct godot_target *target = known ? known : oldest(targets);
    if (!known) {
        finish_target(target, device);
        target->render_target = render_target;
    }
    if (target->size.x != size.x || target->size.y != size.y) {
        finish_images(target, device);
        target->size = size;
        target->retry_ns = 0;
    }
    target->last_frame = frame;
    return target;
}

enum fovea_result godot_target_make(struct godot_target *target, struct godot_object *device,
                                    uint32_t between)
{
    for (uint32_t i = 0; i < OPERATOR_BETWEEN + between; i++) {
        if (!target->images[i].id) {
            target->images[i] = godot_device_texture(device, target->size, GODOT_FORMAT_RGBA16_UINT,
                                                     GODOT_USAGE_STORAGE | GODOT_USAGE_SAMPLING);
        }
        FOVEA_TRY_MEMORY(target->images[i].id);
    }
    return FOVEA_OK;
}

enum fovea_result godot_target_make_focus(struct godot_target *target, struct godot_object *device,
                                          int64_t view)
{
    static const char zeros[SHADER_FOCUS_BYTES];
    struct godot_rid *focus = &target->focuses[view];
    if (!focus->id) {
        *focus = godot_device_storage(device, zeros, sizeof zeros);
    }
    return focus->id ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

void godot_targets_finish(struct godot_targets *targets, struct godot_object *device)
{
    for (int i = 0; i < GODOT_TARGETS_MAX; i++) {
        finish_target(&targets->targets[i], device);
    }
}

void godot_targets_retry(struct godot_targets *targets)
{
    for (int i = 0; i < GODOT_TARGETS_MAX; i++) {
        targets->targets[i].retry_ns = 0;
    }
}
