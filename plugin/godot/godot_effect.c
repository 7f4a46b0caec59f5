/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_effect.h"

#include "core/log.h"
#include "godot_render.h"
#include "plugin/godot/api/godot_api.h"

#include <stdlib.h>

/* A script feeds the gaze, unless something else is chosen. */
static enum fovea_result make_settings(struct fovea_settings **out_settings)
{
    const struct fovea_log silent = {0};
    FOVEA_TRY(fovea_settings_create(out_settings));
    return fovea_settings_set(*out_settings, "gaze.source", "mouse", silent);
}

/* ---- Its beginning and its end */

/* On the render thread, or before a frame can be. */
static void destroy(struct godot_effect *effect)
{
    if (effect->render) {
        godot_render_destroy(effect->render);
    }
    fovea_settings_destroy(&effect->settings);
    pthread_mutex_destroy(&effect->lock);
    pthread_mutex_destroy(&effect->turn);
    free(effect);
}

struct godot_effect *godot_effect_create(struct godot_object *object)
{
    const struct godot_vector2 middle = {0.5F, 0.5F};
    struct godot_effect *effect = calloc(1, sizeof *effect);
    if (!effect) {
        return NULL;
    }
    pthread_mutex_init(&effect->turn, NULL);
    pthread_mutex_init(&effect->lock, NULL);
    effect->object_id = godot.object_get_instance_id(object);
    effect->changes = 1;
    effect->choices = (struct godot_choices){.gaze_uv = middle,
                                             .gaze_uv_left = middle,
                                             .gaze_uv_right = middle,
                                             .gaze_valid = 1,
                                             .debug_split = 0.5};
    effect->render = godot_render_create();
    if (!effect->render || make_settings(&effect->settings) < 0) {
        destroy(effect);
        return NULL;
    }
    return effect;
}

static void destroy_call(void *user, const struct godot_variant *const *args, int64_t count,
                         struct godot_variant *out_result, struct godot_call_error *out_error)
{
    (void)args;
    (void)count;
    (void)out_result;
    *out_error = (struct godot_call_error){0};
    destroy(user);
}

static uint8_t is_valid(void *user)
{
    (void)user;
    return 1;
}

void godot_effect_retire(struct godot_effect *effect)
{
    struct godot_callable callable = {{0}};
    struct godot_callable_info info = {
        .user = effect, .token = godot.library, .call = destroy_call, .is_valid = is_valid};
    godot.callable_custom_create2(&callable, &info);
    GODOT_CALL(RenderingServer_call_on_render_thread, godot.rendering_server, NULL, &callable);
    godot.variant_get_ptr_destructor(GODOT_CALLABLE)(&callable);
}

void godot_effects_wait(void)
{
    if (godot.methods[GODOT_RenderingServer_force_sync]) {
        GODOT_GET(RenderingServer_force_sync, godot.rendering_server, NULL);
    }
}

/* ---- What frames take */

bool godot_effect_take(struct godot_effect *effect, struct godot_choices *out_choices,
                       uint64_t *changes, struct fovea_settings *out_settings)
{
    pthread_mutex_lock(&effect->lock);
    const bool changed = *changes != effect->changes;
    *out_choices = effect->choices;
    *changes = effect->changes;
    if (changed) {
        *out_settings = *effect->settings;
    }
    pthread_mutex_unlock(&effect->lock);
    return changed;
}
