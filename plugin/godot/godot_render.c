/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_render.h"

#include "core/log.h"
#include "godot_show.h"
#include "plugin/godot/api/godot_log.h"

#include <stdlib.h>
#include <string.h>

#define SMALL_BYTES 64
#define RETRY_NS INT64_C(1000000000) /* after a frame that found no memory */

struct godot_render *godot_render_create(void)
{
    return calloc(1, sizeof(struct godot_render));
}

/* ---- The end */

static void finish_sets(struct godot_render *render)
{
    for (int i = 0; i < GODOT_SETS_MAX; i++) {
        if (godot_device_set_is_valid(render->device, render->sets[i].rid)) {
            godot_device_free(render->device, &render->sets[i].rid);
        }
    }
}

void godot_render_destroy(struct godot_render *render)
{
    if (render->device) {
        godot_show_finish(render);
        finish_sets(render);
        godot_plans_finish(&render->plans, render->device);
        godot_targets_finish(&render->targets, render->device);
        godot_shaders_finish(&render->shaders, render->device);
        godot_device_free(render->device, &render->no_storage);
        godot_device_free(render->device, &render->no_text);
        godot_device_free(render->device, &render->no_uniforms);
    }
    if (render->has_constants) {
        godot_bytes_finish(&render->constants);
    }
    free(render);
}

/* ---- What every frame needs */

int64_t godot_render_retry_ns(void)
{
    return fovea_time_ns() + RETRY_NS;
}

/* Those that are missing, so that nothing is made twice where one of them cannot be. */
static bool make_small(struct godot_render *render)
{
    if (!render->has_constants) {
        render->constants = godot_bytes_make(NULL, OPERATOR_CONSTANT_BYTES);
        render->has_constants = true;
    }
    if (!render->no_text.id) {
        render->no_text = godot_device_storage(render->device, NULL, sizeof(struct operator_hud));
    }
    if (!render->no_uniforms.id) {
        render->no_uniforms = godot_device_uniforms(render->device, SMALL_BYTES);
    }
    if (!render->no_storage.id) {
        render->no_storage = godot_device_storage(render->device, NULL, SMALL_BYTES);
    }
    return render->no_text.id && render->no_uniforms.id && render->no_storage.id;
}

enum fovea_result godot_render_ready(struct godot_render *render)
{
    if (render->ready_for_frames) {
        return FOVEA_OK;
    }
    if (fovea_time_ns() < render->retry_ns) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    render->device = godot_device_find();
    if (!render->device) {
        godot_render_trouble(&render->said, GODOT_TROUBLE_NO_DEVICE);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    render->ready_for_frames = make_small(render);
    if (!render->ready_for_frames) {
        render->retry_ns = godot_render_retry_ns();
        godot_render_trouble(&render->said, GODOT_TROUBLE_NO_MEMORY);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return FOVEA_OK;
}

void godot_render_trouble(struct said *said, enum godot_trouble trouble)
{
    static const char *const words[GODOT_TROUBLE_COUNT] = {
        [GODOT_TROUBLE_NO_DEVICE] =
            "there is no RenderingDevice: the effect needs the Forward+ renderer and a GPU with "
            "Vulkan, Direct3D 12 or Metal",
        [GODOT_TROUBLE_MISPLACED] = "the effect needs the whole picture: set its callback type to "
                                    "Post Transparent",
        [GODOT_TROUBLE_COLOUR] = "the renderer's colour is no storage image of half floats: the "
                                 "effect needs the Forward+ renderer, not Mobile",
        [GODOT_TROUBLE_NO_BLUR] = "the view and the settings ask for a blur that no image of this "
                                  "size needs",
        [GODOT_TROUBLE_NO_MEMORY] = "there is no memory on the device",
        [GODOT_TROUBLE_REFUSED] = "the engine does not take what the effect records",
        [GODOT_TROUBLE_TOO_LARGE] = "the viewport is larger than 16384 pixels",
        [GODOT_TROUBLE_NO_WAY] =
            "the operators as they are set have no shaders, or need a buffer of "
            "over 128 MiB at this size",
        [GODOT_TROUBLE_VIEWS] = "the viewport has more than four views",
        [GODOT_TROUBLE_DEPTHS] = "one of the operators needs depths, and the engine has none of "
                                 "this view that a shader may read"};
    log_once(said, trouble, FOVEA_LOG_WARNING, godot_log(),
             "%s; frames are shown as they were drawn", words[trouble]);
}

/* ---- Uniform sets */

/* Only what the shader declares counts. */
static bool binds(const struct godot_set *set, const struct godot_pipeline *pipeline,
                  const struct godot_rid bound[GODOT_SPIRV_BINDINGS])
{
    bool same = set->pipeline == pipeline;
    for (int i = 0; same && i < GODOT_SPIRV_BINDINGS; i++) {
        same = pipeline->declared.bindings[i].type == GODOT_UNIFORM_NONE ||
               set->bound[i].id == bound[i].id;
    }
    return same;
}

static struct godot_set *find_place(struct godot_render *render)
{
    struct godot_set *oldest = &render->sets[0];
    for (int i = 1; i < GODOT_SETS_MAX && oldest->pipeline; i++) {
        struct godot_set *set = &render->sets[i];
        if (!set->pipeline || set->last_used < oldest->last_used) {
            oldest = set;
        }
    }
    return oldest;
}

struct godot_rid godot_render_set(struct godot_render *render,
                                  const struct godot_pipeline *pipeline,
                                  const struct godot_rid bound[GODOT_SPIRV_BINDINGS])
{
    struct godot_set *place = NULL;
    for (int i = 0; i < GODOT_SETS_MAX && !place; i++) {
        place = binds(&render->sets[i], pipeline, bound) ? &render->sets[i] : NULL;
    }
    place = place ? place : find_place(render);
    const bool fits = binds(place, pipeline, bound);
    const bool valid = godot_device_set_is_valid(render->device, place->rid);
    if (!fits && valid) {
        godot_device_free(render->device, &place->rid);
    }
    if (!fits || !valid) { /* the engine ends sets with their textures */
        *place = (struct godot_set){.pipeline = pipeline};
        memcpy(place->bound, bound, sizeof place->bound);
        place->rid =
            godot_device_set(render->device, pipeline->shader_rid, &pipeline->declared, bound);
    }
    place->last_used = render->frame;
    return place->rid;
}
