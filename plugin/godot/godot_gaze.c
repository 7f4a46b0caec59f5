/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_gaze.h"

#include "core/log.h"
#include "plugin/gaze/gaze_settings.h"
#include "plugin/godot/api/godot_api.h"
#include "plugin/godot/api/godot_log.h"

void godot_gaze_finish(struct godot_gaze *gaze)
{
    fovea_gaze_source_destroy(&gaze->source);
    *gaze = (struct godot_gaze){0};
}

void godot_gaze_open(struct godot_gaze *gaze, const struct fovea_settings *settings)
{
    struct fovea_settings own = *settings;
    struct fovea_gaze_source_desc desc;
    if (godot.is_editor) { /* a tracker's port is for the game that it starts */
        own.gaze.kind = FOVEA_GAZE_MOUSE;
    }
    if (own.gaze.kind == FOVEA_GAZE_MOUSE) { /* scripts have no other space */
        own.gaze.space = FOVEA_GAZE_SPACE_UV;
        own.gaze.origin = FOVEA_GAZE_ORIGIN_TOP_LEFT;
    }
    if (gaze->opened && gaze_settings_same(&gaze->settings, &own.gaze)) {
        return;
    }
    fovea_gaze_source_destroy(&gaze->source);
    gaze->settings = own.gaze;
    gaze->opened = true;
    fovea_gaze_source_desc_init(&desc);
    desc.settings = &own;
    desc.log = godot_log();
    if (fovea_gaze_source_create(&desc, &gaze->source) < 0) {
        log_error(godot_log(), "the source of gaze cannot be opened");
    }
}

static void push(struct godot_gaze *gaze, const struct godot_choices *choices, int64_t now_ns)
{
    const struct fovea_gaze_sample sample = {.x = (double)choices->gaze_uv.x,
                                             .y = (double)choices->gaze_uv.y,
                                             .t_ns = now_ns,
                                             .confidence = 1,
                                             .blink = !choices->gaze_valid};
    /* It is refused where another viewport's frame came at the same time, which pushed the same. */
    (void)!fovea_gaze_source_push(gaze->source, &sample);
}

struct fovea_gaze godot_gaze_read(struct godot_gaze *gaze, const struct godot_choices *choices,
                                  struct godot_vector2i size)
{
    const int64_t now_ns = fovea_time_ns();
    struct fovea_gaze now = {.point = {0.5, 0.5}, .state = FOVEA_GAZE_LOST};
    if (!gaze->source) {
        return now;
    }
    if (gaze->settings.kind == FOVEA_GAZE_MOUSE) {
        push(gaze, choices, now_ns);
    }
    if (fovea_gaze_source_read(gaze->source, now_ns, (uint32_t)size.x, (uint32_t)size.y, &now) <
        0) {
        now.usable = false;
    }
    return now;
}

struct fovea_point_uv godot_gaze_of_view(const struct godot_gaze *gaze,
                                         const struct fovea_gaze *now,
                                         const struct godot_choices *choices, uint32_t view,
                                         uint32_t view_count)
{
    const struct godot_vector2 *own = view == 0 ? &choices->gaze_uv_left : &choices->gaze_uv_right;
    if (gaze->settings.kind != FOVEA_GAZE_MOUSE || !choices->gaze_per_eye || view_count < 2 ||
        now->state == FOVEA_GAZE_LOST) {
        return now->point;
    }
    return (struct fovea_point_uv){(double)own->x, (double)own->y};
}

/* ---- Signals */

/* Later, on the main thread, where scripts are. */
static void emit(struct godot_object *object, const char *signal)
{
    struct godot_variant words[2];
    struct godot_variant result;
    struct godot_call_error error = {0};
    struct godot_name names[2] = {godot_name_make("emit_signal"), godot_name_make(signal)};
    for (int i = 0; i < 2; i++) {
        godot.get_variant_from_type_constructor(GODOT_STRING_NAME)(&words[i], &names[i]);
    }
    godot.variant_new_nil(&result);
    godot.object_method_bind_call(godot.methods[GODOT_Object_call_deferred], object,
                                  (const struct godot_variant *const[]){&words[0], &words[1]}, 2,
                                  &result, &error);
    godot.variant_destroy(&result);
    for (int i = 0; i < 2; i++) {
        godot.variant_destroy(&words[i]);
        godot_name_finish(&names[i]);
    }
}

void godot_gaze_tell(struct godot_gaze *gaze, const struct fovea_gaze *now, uint64_t object_id)
{
    const bool lost = now->state == FOVEA_GAZE_LOST || !now->usable;
    if (lost != gaze->lost && godot.methods[GODOT_Object_call_deferred]) {
        struct godot_object *object = godot.object_get_instance_from_id(object_id);
        if (object) {
            emit(object, lost ? "gaze_lost" : "gaze_found");
        }
    }
    gaze->lost = lost;
}
