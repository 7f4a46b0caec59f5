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
    engine_feed_finish(&effect->feed);
    godot_journal_finish(&effect->journal);
    fovea_settings_destroy(&effect->settings);
    pthread_mutex_destroy(&effect->lock);
    pthread_mutex_destroy(&effect->turn);
    free(effect);
}

/* The first settings are in force before a frame asks for them. */
static bool start(struct godot_effect *effect)
{
    struct godot_note note = {0};
    const struct fovea_settings first = *effect->settings;
    godot_effect_set(effect, &first, &note);
    const bool started = engine_feed_take(&effect->feed) != NULL;
    if (!started) {
        destroy(effect);
    }
    return started;
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
    engine_feed_init(&effect->feed);
    godot_journal_init(&effect->journal);
    effect->object_id = godot.object_get_instance_id(object);
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
    effect->render->choices = effect->choices;
    return start(effect) ? effect : NULL;
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

/* No frame can be using it as long as there is no server. */
void godot_effect_retire(struct godot_effect *effect)
{
    struct godot_object *server = godot_rendering_server();
    struct godot_callable callable = {{0}};
    if (!server) {
        destroy(effect);
        return;
    }
    struct godot_callable_info info = {
        .user = effect, .token = godot.library, .call = destroy_call, .is_valid = is_valid};
    godot.callable_custom_create2(&callable, &info);
    GODOT_CALL(RenderingServer_call_on_render_thread, server, NULL, &callable);
    godot.variant_get_ptr_destructor(GODOT_CALLABLE)(&callable);
}

/* Nothing was given to a server that nobody asked for. */
void godot_effects_wait(void)
{
    struct godot_object *server = atomic_load(&godot.rendering_server);
    if (server && godot.methods[GODOT_RenderingServer_force_sync]) {
        GODOT_GET(RenderingServer_force_sync, server, NULL);
    }
}

/* ---- Settings */

/* A tracker's port and a record are for the game that the editor starts; scripts have one space
 * alone. */
static struct fovea_settings with_own_gaze(const struct fovea_settings *settings)
{
    struct fovea_settings own = *settings;
    if (godot.is_editor) {
        own.gaze.kind = FOVEA_GAZE_MOUSE;
        own.record.file[0] = '\0';
    }
    if (own.gaze.kind == FOVEA_GAZE_MOUSE) {
        own.gaze.space = FOVEA_GAZE_SPACE_UV;
        own.gaze.origin = FOVEA_GAZE_ORIGIN_TOP_LEFT;
    }
    return own;
}

void godot_effect_set(struct godot_effect *effect, const struct fovea_settings *settings,
                      struct godot_note *note)
{
    const struct fovea_settings own = with_own_gaze(settings);
    struct godot_note said = {0};
    const bool feeds =
        engine_feed_set(&effect->feed, &own, godot_note_log(&said), godot_log()) == FOVEA_OK;
    /* A record ends when it is asked to, whatever else is wrong. */
    const bool records =
        godot_journal_set(&effect->journal, &own, godot_note_log(&said), godot_log()) == FOVEA_OK;
    const bool right = feeds && records;
    pthread_mutex_lock(&effect->lock);
    *effect->settings = *settings;
    effect->wrong = right ? (struct godot_note){0} : said;
    atomic_store(&effect->is_wrong, !right);
    pthread_mutex_unlock(&effect->lock);
    if (right && said.words[0]) {
        *note = said;
    }
}

/* ---- What frames take */

static void say_what_is_wrong(struct godot_effect *effect)
{
    struct godot_note said = {0};
    if (atomic_load(&effect->is_wrong) && pthread_mutex_trylock(&effect->lock) == 0) {
        said = effect->wrong;
        atomic_store(&effect->is_wrong, false);
        pthread_mutex_unlock(&effect->lock);
        godot_note_print(&said);
    }
}

void godot_effect_take(struct godot_effect *effect, struct godot_choices *choices)
{
    say_what_is_wrong(effect);
    if (pthread_mutex_trylock(&effect->lock) == 0) {
        *choices = effect->choices;
        pthread_mutex_unlock(&effect->lock);
    }
}
