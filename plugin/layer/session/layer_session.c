/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_session.h"

#include "layer_choices.h"
#include "layer_defaults.h"
#include "layer_log.h"
#include "layer_redraw.h"
#include "layer_windows.h"

#include "core/log.h"
#include "plugin/gaze/gaze_source.h"
#include "plugin/gaze/gaze_switch.h"
#include "plugin/layer/input/layer_input.h"

#include <math.h>
#include <stdio.h>

/* All of it behind one lock. A frame holds it for a look. It is held for longer while the settings
 * are read for the first time, then up to 0.1 s for the gaze source; and at the end, up to 0.3 s
 * for the input's thread, 0.5 s each for the settings' and the gaze sources' one. */
struct session {
    uint32_t instances;
    bool begun;
    bool config_tried; /* what has hindered it was said */
    struct fovea_settings defaults;
    struct fovea_config *config; /* NULL: there is no memory; the defaults are in force */
    struct layer_choices choices; /* what the files and the keys say */
    uint64_t serial; /* of those */
    struct gaze_switch gaze; /* the files may ask for another than it has */
    struct layer_context *asked; /* those whose GPU is to read a source itself; gaze.late */
    struct layer_input *input; /* NULL: there is none */
    struct layer_input_state seen;
    struct layer_windows windows; /* with the gaze in each where the pointer is it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session session;

/* No source goes while it is written here. A frame whose context follows one reads here during its
 * submit (layer_session_hold), as many at a time as there are. The lock above is taken first. */
static pthread_rwlock_t sources = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

/* ---- Settings -------------------------------------------------------------------------------- */

static void open_config(void)
{
    session.config_tried = true;
    layer_defaults(&session.defaults);
    const struct fovea_config_desc desc = {.struct_bytes = sizeof desc,
                                           .defaults_if_wrong = true,
                                           .defaults = &session.defaults,
                                           .log = layer_log()};
    if (fovea_config_create(&desc, &session.config) < 0) {
        log_error(layer_log(), "the configuration cannot be taken; the defaults are in force");
    }
}

static void take_away(struct layer_context *context)
{
    if (context->follows) {
        (void)!fovea_vk_follow_gaze(context->fovea, NULL); /* does not fail */
    }
    context->follows = false;
    context->asked = NULL;
}

/* Their next frames ask again. */
static void stop_following(void)
{
    pthread_rwlock_wrlock(&sources);
    while (session.asked) {
        struct layer_context *context = session.asked;
        session.asked = context->next_asked;
        take_away(context);
    }
    layer_redraw_forget();
    pthread_rwlock_unlock(&sources);
}

static void on_source_close(void *user)
{
    (void)user;
    stop_following();
    layer_windows_feed(&session.windows, session.input, NULL);
}

static void on_source_open(void *user, const struct fovea_gaze_settings *gaze)
{
    (void)user;
    layer_windows_feed(&session.windows, session.input, gaze);
}

static bool is_frozen(void)
{
    return session.choices.files.layer.frozen;
}

/* A frozen session has no keys. */
static const struct fovea_layer_keys *keys_in_force(void)
{
    static const struct fovea_layer_keys none;
    return is_frozen() ? &none : &session.choices.files.layer.keys;
}

/* The files have changed, or are read for the first time. */
static void take_files(void)
{
    const struct fovea_settings *files =
        session.config ? fovea_config_settings(session.config) : &session.defaults;
    if (session.serial == 0) {
        session.choices.now = session.choices.files = *files;
    } else {
        layer_choices_take(&session.choices, files);
    }
    session.serial++;
    layer_log_set_level(files->log_level);
    if (session.input) {
        layer_input_set_keys(session.input, keys_in_force());
    }
    if (!gaze_switch_has(&session.gaze, &files->gaze)) {
        gaze_switch_open(&session.gaze, &files->gaze);
    }
}

/* If there is no configuration this tries anew, and waits for the files as the first frame does. */
static void reload_config(void)
{
    if (!session.config) {
        open_config();
        take_files();
    } else if (fovea_config_reload(session.config) < 0) {
        log_warning(layer_log(), "the configuration cannot be read again");
    }
}

/* ---- Begin and end --------------------------------------------------------------------------- */

/* On the input's thread, which waits for no frame: one that changes its source is about to come. */
static bool wants_frame(uint32_t slot, const struct layer_input_state *now)
{
    if (pthread_rwlock_tryrdlock(&sources) != 0) {
        return false;
    }
    const bool old = layer_redraw_is_old(slot, now) || layer_redraw_gaze_moved(slot);
    pthread_rwlock_unlock(&sources);
    return old && layer_redraw_ask(slot, fovea_time_ns());
}

static void open_input(void)
{
    const struct layer_input_desc desc = {
        .keys = keys_in_force(), .wants_frame = wants_frame, .log = layer_log()};
    if (layer_input_create(&desc, &session.input) < 0) {
        return; /* it has said why */
    }
    layer_input_read(session.input, &session.seen);
}

static void begin(void)
{
    if (session.begun) {
        return;
    }
    const struct gaze_switch_desc gaze = {
        .log = layer_log, .on_open = on_source_open, .on_close = on_source_close};
    session.begun = true;
    gaze_switch_begin(&session.gaze, &gaze);
    if (!session.config_tried) {
        open_config();
    }
    take_files();
    gaze_switch_wait(&session.gaze);
    open_input();
}

static void end(void)
{
    stop_following();
    layer_input_destroy(&session.input);
    layer_windows_feed(&session.windows, NULL, NULL);
    gaze_switch_end(&session.gaze);
    fovea_config_destroy(&session.config);
    layer_log_close();
    session = (struct session){0};
}

void layer_session_enter(void)
{
    pthread_mutex_lock(&lock);
    if (session.instances++ == 0) {
        layer_log_open();
    }
    pthread_mutex_unlock(&lock);
}

/* The threads end: the library stays (-z nodelete), but nothing of ours shall run after the
 * program's use of it. */
void layer_session_leave(void)
{
    pthread_mutex_lock(&lock);
    if (--session.instances == 0) {
        end();
    }
    pthread_mutex_unlock(&lock);
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static void act(enum layer_action action)
{
    if (action == LAYER_ACTION_RELOAD) {
        reload_config();
    } else {
        layer_choices_act(&session.choices, action);
    }
    session.serial++;
}

static void take_input(void)
{
    if (!session.input) {
        return;
    }
    struct layer_input_state state;
    layer_input_read(session.input, &state);
    for (int i = 0; i < LAYER_ACTION_COUNT; i++) {
        for (uint32_t n = session.seen.presses[i]; n != state.presses[i]; n++) {
            act((enum layer_action)i);
        }
    }
    session.serial += state.compare_held != session.seen.compare_held;
    if (session.choices.wiping && state.pointer_known &&
        state.pointer_x_uv != session.choices.now.overlay.wipe_uv) {
        session.choices.now.overlay.wipe_uv = fmin(fmax(state.pointer_x_uv, 0.0), 1.0);
        session.serial++;
    }
    session.seen = state;
}

/* Strength 0 leaves the picture as it is where no other operator is at work: then nothing needs to
 * be copied or submitted either, unless a record is to have the frames. What is off has its HUD
 * still, which says so. */
static bool is_anything_to_do(void)
{
    const struct fovea_settings *now = &session.choices.now;
    const struct fovea_overlay *overlay = &now->overlay;
    const bool wanted = now->foveation.strength > 0.0 || now->record.file[0] ||
                        !config_operators_are_standard(&now->operators);
    const bool drawn = overlay->hud || overlay->marker || overlay->rings || overlay->heatmap ||
                       overlay->patch || session.choices.help;
    const bool told = overlay->hud || session.choices.help;
    return session.choices.off ? told : wanted || drawn;
}

bool layer_session_tick(void)
{
    pthread_mutex_lock(&lock);
    begin();
    if (session.config && !is_frozen() && fovea_config_poll(session.config) == FOVEA_OK) {
        take_files();
    }
    gaze_switch_poll(&session.gaze);
    take_input();
    const bool on = is_anything_to_do();
    const struct layer_redraw_taken taken = {
        .settings_serial = session.serial,
        .config = session.config,
        .wanted = session.choices.now.layer.redraw,
        .gaze_counts =
            on && !session.choices.off && config_operators_foveate(&session.choices.now.operators),
        .wiping = session.choices.wiping,
        .waits = session.gaze.opening};
    layer_redraw_take(&taken, &session.seen);
    pthread_mutex_unlock(&lock);
    return on;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Finds what the values of UNORM formats say of light. No function of each value alone decodes
 * Dolby Vision's, and linear values are light already: both are averaged as they are stored. */
static void take_color_space(VkColorSpaceKHR color_space, struct fovea_foveation *foveation)
{
    foveation->transfer = FOVEA_TRANSFER_SRGB;
    switch (color_space) {
    case VK_COLOR_SPACE_HDR10_ST2084_EXT:
        foveation->transfer = FOVEA_TRANSFER_PQ;
        break;
    case VK_COLOR_SPACE_HDR10_HLG_EXT:
        foveation->transfer = FOVEA_TRANSFER_HLG;
        break;
    case VK_COLOR_SPACE_DOLBYVISION_EXT:
    case VK_COLOR_SPACE_EXTENDED_SRGB_LINEAR_EXT:
    case VK_COLOR_SPACE_DISPLAY_P3_LINEAR_EXT:
    case VK_COLOR_SPACE_BT709_LINEAR_EXT:
    case VK_COLOR_SPACE_BT2020_LINEAR_EXT:
    case VK_COLOR_SPACE_ADOBERGB_LINEAR_EXT:
        foveation->light = FOVEA_LIGHT_ENCODED;
        break;
    default:
        break;
    }
}

/* Foveation's own settings may be wrong, or name a file that is not there, where it is none of the
 * operators: nobody has looked at them. */
static void leave_as_drawn(struct fovea_settings *settings)
{
    const struct fovea_settings *standard = config_settings_standard();
    if (!config_operators_foveate(&settings->operators)) {
        settings->foveation = standard->foveation;
    }
    settings->foveation.strength = 0.0;
    settings->operators = standard->operators;
}

static void settings_for(VkColorSpaceKHR color_space, struct fovea_settings *out_settings)
{
    *out_settings = session.choices.now;
    if (session.seen.compare_held) {
        out_settings->overlay.wipe_uv = 1.0;
        if (!config_operators_foveate(&out_settings->operators)) { /* there is no wipe */
            leave_as_drawn(out_settings);
        }
    }
    if (session.choices.help) {
        out_settings->overlay.hud = true;
    }
    if (session.choices.off) {
        out_settings->overlay = (struct fovea_overlay){.hud = out_settings->overlay.hud};
        leave_as_drawn(out_settings);
    }
    take_color_space(color_space, &out_settings->foveation);
}

uint64_t layer_session_settings(VkColorSpaceKHR color_space, struct fovea_settings *out_settings)
{
    pthread_mutex_lock(&lock);
    begin();
    if (out_settings) {
        settings_for(color_space, out_settings);
    }
    const uint64_t serial = session.serial;
    pthread_mutex_unlock(&lock);
    return serial;
}

bool layer_session_direct(void)
{
    pthread_mutex_lock(&lock);
    begin();
    const bool direct = session.choices.now.layer.direct;
    pthread_mutex_unlock(&lock);
    return direct;
}

bool layer_session_records(void)
{
    pthread_mutex_lock(&lock);
    if (!session.config_tried) {
        open_config();
    }
    const bool records =
        session.config && fovea_config_settings(session.config)->record.file[0] != '\0';
    pthread_mutex_unlock(&lock);
    return records;
}

/* Settings that a context refuses leave the ones it has in force; it has said why. Those for which
 * there is no memory are tried again in the next frame. */
static void update(struct layer_context *context, VkColorSpaceKHR color_space)
{
    if (context->settings_serial == session.serial) {
        return;
    }
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    const enum fovea_backend former = context->settings.backend;
    settings_for(color_space, &context->settings);
    if (context->settings.backend != former &&
        fovea_vk_get_stats(context->fovea, &stats) == FOVEA_OK &&
        stats.backend != context->settings.backend) {
        log_info(layer_log(), "backend: it counts from the program's next start");
    }
    const enum fovea_result result = fovea_vk_set_settings(context->fovea, &context->settings);
    if (result == FOVEA_ERROR_OUT_OF_MEMORY) {
        return;
    }
    context->settings_serial = session.serial;
    if (result < 0) {
        log_warning(layer_log(), "the new settings are not taken: %s", fovea_result_name(result));
    }
}

static struct fovea_gaze_source *source_of(const struct layer_swapchain *swapchain)
{
    const struct layer_window_slot *slot = layer_windows_find(&session.windows, swapchain->window);
    return slot && slot->mouse ? slot->mouse : session.gaze.source;
}

static void part(struct layer_context *context)
{
    struct layer_context **at = &session.asked;
    while (*at && *at != context) {
        at = &(*at)->next_asked;
    }
    if (*at) {
        *at = context->next_asked;
        take_away(context);
    }
}

/* On the thread that presents, so that no frame of this context is being submitted. A context is
 * asked once for a source, whether that can be followed or not. */
static void follow(struct layer_context *context, struct fovea_gaze_source *source)
{
    /* On failure the source sees nothing, and goes its way. */
    (void)!fovea_vk_show_frames(context->fovea, source, false);
    if (!session.choices.now.gaze.late || !source || context->asked == source) {
        return;
    }
    part(context);
    context->asked = source;
    context->follows = fovea_vk_follow_gaze(context->fovea, source) == FOVEA_OK;
    context->next_asked = session.asked;
    session.asked = context;
}

static void read_gaze(const struct layer_swapchain *swapchain, struct fovea_gaze_source *source,
                      struct layer_frame *out_frame)
{
    const struct fovea_gaze none = {.point = {0.5, 0.5}};
    const int64_t now_ns = fovea_time_ns();
    out_frame->gaze = none;
    if (source && fovea_gaze_source_read(source, now_ns, swapchain->width_px, swapchain->height_px,
                                         &out_frame->gaze) < 0) {
        out_frame->gaze = none;
    }
    out_frame->vergence_m = fovea_gaze_source_vergence_m(source, now_ns);
}

/* A mouse is not lost: it is where the window does not see it. */
static const char *words_for_gaze(const struct layer_swapchain *swapchain,
                                  const struct fovea_gaze *gaze)
{
    if (session.gaze.used.kind != FOVEA_GAZE_MOUSE || gaze->state != FOVEA_GAZE_LOST) {
        return NULL;
    }
    const struct layer_window_slot *slot = layer_windows_find(&session.windows, swapchain->window);
    if (!slot) {
        return "no pointer";
    }
    const bool over =
        session.seen.pointer_over && &session.windows.slots[session.seen.pointer_slot] == slot;
    return over ? NULL : "pointer outside";
}

/* Under the HUD's own lines: whether it is off, and the keys. */
static void write_hud(char *text, size_t size)
{
    const char *toggle = session.choices.files.layer.keys.toggle;
    const int used = !session.choices.off ? snprintf(text, size, "%s", "")
                                          : snprintf(text, size, "off%s%s%s", toggle[0] ? ": " : "",
                                                     toggle, session.choices.help ? "\n" : "");
    if (session.choices.help && used >= 0 && (size_t)used < size) {
        layer_input_help(&session.choices.files.layer.keys, text + used, size - (size_t)used);
    }
}

void layer_session_frame(const struct layer_swapchain *swapchain, struct layer_context *context,
                         struct layer_frame *out_frame)
{
    pthread_mutex_lock(&lock);
    update(context, swapchain->color_space);
    out_frame->settings_serial = context->settings_serial;
    struct fovea_gaze_source *source = source_of(swapchain);
    follow(context, source);
    read_gaze(swapchain, source, out_frame);
    const struct layer_window_slot *slot = layer_windows_find(&session.windows, swapchain->window);
    if (slot) {
        const uint32_t size_px[2] = {swapchain->width_px, swapchain->height_px};
        layer_redraw_note_gaze((uint32_t)(slot - session.windows.slots), source, size_px,
                               &out_frame->gaze);
    }
    out_frame->hud_gaze = words_for_gaze(swapchain, &out_frame->gaze);
    write_hud(out_frame->hud, sizeof out_frame->hud);
    pthread_mutex_unlock(&lock);
}

bool layer_session_hold(const struct layer_context *context)
{
    pthread_rwlock_rdlock(&sources);
    const bool follows = context->follows;
    if (!follows) {
        pthread_rwlock_unlock(&sources);
    }
    return follows;
}

void layer_session_release(void)
{
    pthread_rwlock_unlock(&sources);
}

/* The GPU may follow the source that the slot has had. */
static void watch(struct layer_window_slot *slot, uint32_t window)
{
    if (slot->mouse) {
        stop_following();
    }
    session.seen.lost &= ~(1u << (slot - session.windows.slots));
    layer_windows_watch(&session.windows, slot, window, session.input, &session.gaze.used);
}

/* A window that is lost and presented in all the same is not asked for again and again. */
void layer_session_watch(struct layer_swapchain *swapchain)
{
    pthread_mutex_lock(&lock);
    if (session.input && swapchain->window) {
        struct layer_window_slot *slot = layer_windows_choose(
            &session.windows, swapchain->window, session.seen.lost, !swapchain->watched);
        swapchain->watched = true;
        if (slot) {
            watch(slot, swapchain->window);
        }
        slot = layer_windows_find(&session.windows, swapchain->window);
        if (slot) {
            layer_redraw_note_frame((uint32_t)(slot - session.windows.slots));
        }
    }
    pthread_mutex_unlock(&lock);
}

void layer_session_part(struct layer_context *context)
{
    pthread_mutex_lock(&lock);
    part(context);
    pthread_mutex_unlock(&lock);
}
