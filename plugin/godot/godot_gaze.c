/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_gaze.h"

#include "plugin/godot/api/godot_api.h"

struct fovea_gaze godot_gaze_read(struct engine_feed *feed, const struct godot_choices *choices,
                                  struct godot_vector2i size)
{
    const struct fovea_gaze_sample sample = {.x = (double)choices->gaze_uv.x,
                                             .y = (double)choices->gaze_uv.y,
                                             .t_ns = fovea_time_ns(),
                                             .confidence = 1,
                                             .blink = !choices->gaze_valid};
    return engine_feed_gaze(feed, (uint32_t)size.x, (uint32_t)size.y, &sample);
}

struct fovea_point_uv godot_gaze_of_view(const struct engine_settings *settings,
                                         const struct fovea_gaze *now,
                                         const struct godot_choices *choices, uint32_t view,
                                         uint32_t view_count)
{
    const struct godot_vector2 *own = view == 0 ? &choices->gaze_uv_left : &choices->gaze_uv_right;
    if (settings->asked.gaze.kind != FOVEA_GAZE_MOUSE || !choices->gaze_per_eye || view_count < 2 ||
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

void godot_gaze_tell(bool *was_lost, const struct fovea_gaze *now, uint64_t object_id)
{
    const bool lost = now->state == FOVEA_GAZE_LOST || !now->usable;
    if (lost != *was_lost && godot.methods[GODOT_Object_call_deferred]) {
        struct godot_object *object = godot.object_get_instance_from_id(object_id);
        if (object) {
            emit(object, lost ? "gaze_lost" : "gaze_found");
        }
    }
    *was_lost = lost;
}
