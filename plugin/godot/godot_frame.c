/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_frame.h"

#include "core/log.h"
#include "godot_depth.h"
#include "godot_show.h"
#include "kernels/chain/chain.h"
#include "plugin/engine/frustum.h"

#include <math.h>

/* The facts of a RenderData. */
struct viewport {
    struct godot_object *buffers;
    struct godot_object *scene;
    struct godot_rid render_target;
    struct godot_vector2i size;
    int64_t view_count;
};

/* ---- Settings */

static void take_settings(struct godot_effect *effect)
{
    struct godot_render *render = effect->render;
    godot_effect_take(effect, &render->choices);
    render->settings = engine_feed_take(&effect->feed);
    if (render->serial != render->settings->serial) {
        render->serial = render->settings->serial;
        godot_targets_retry(&render->targets);
    }
}

/* ---- What a view is foveated with */

/* False: this is no perspective projection, has no angles and takes the settings'. The engine turns
 * the sign of y, as Vulkan has it. */
static bool geometry_of(const struct godot_projection *projection, struct fovea_geometry *out)
{
    const double scale_x = (double)projection->columns[0][0];
    const double scale_y = (double)projection->columns[1][1];
    const double shift_x = (double)projection->columns[2][0];
    const double shift_y = (double)projection->columns[2][1] * (scale_y < 0 ? -1 : 1);
    if (!(scale_x > 0) || !(fabs(scale_y) > 0) || projection->columns[2][3] != -1.0F) {
        return false;
    }
    const double tangents[4] = {(1 - shift_x) / scale_x, (1 + shift_x) / scale_x,
                                (1 + shift_y) / fabs(scale_y), (1 - shift_y) / fabs(scale_y)};
    return frustum_geometry(tangents, out);
}

static struct fovea_settings settings_of_view(const struct godot_render *render,
                                              const struct godot_choices *choices,
                                              const struct viewport *viewport, int64_t view)
{
    struct fovea_settings settings = render->settings->taken;
    struct godot_projection projection = {{{0}}};
    if (choices->geometry_from_camera && viewport->scene) {
        struct fovea_geometry geometry = settings.foveation.geometry;
        GODOT_CALL(RenderSceneData_get_view_projection, viewport->scene, &projection, &view);
        if (geometry_of(&projection, &geometry)) {
            settings.foveation.geometry = geometry;
        }
    }
    if (viewport->view_count == 2 && settings.foveation.map.eye == FOVEA_MAP_EYE_BOTH) {
        settings.foveation.map.eye = view == 0 ? FOVEA_MAP_EYE_LEFT : FOVEA_MAP_EYE_RIGHT;
    }
    return settings;
}

static struct operator_marks marks_of(const struct godot_choices *choices,
                                      const struct viewport *viewport)
{
    const double split_px = choices->debug_split * viewport->size.x;
    return (struct operator_marks){
        .marker = choices->debug_view == GODOT_DEBUG_MARKER,
        .rings = choices->debug_view == GODOT_DEBUG_RINGS,
        .heatmap = choices->debug_view == GODOT_DEBUG_HEATMAP,
        .wipe_px = choices->debug_view == GODOT_DEBUG_SPLIT ? (float)split_px : 0,
        .text_scale = 1};
}

/* ---- A frame */

/* The engine's memory is what storage images need: Forward+ has it, Mobile has not. */
static bool takes_colour(struct godot_render *render, struct godot_target *target, int64_t view,
                         struct godot_rid colour)
{
    if (target->colours[view].rid.id != colour.id) {
        const struct godot_texture_format format = godot_device_format(render->device, colour);
        target->colours[view].taken = format.format == GODOT_FORMAT_RGBA16_SFLOAT &&
                                      (format.usage & GODOT_USAGE_STORAGE) != 0;
        target->colours[view].rid = colour;
    }
    if (!target->colours[view].taken) {
        godot_render_trouble(&target->said, GODOT_TROUBLE_COLOUR);
    }
    return target->colours[view].taken;
}

/* Without a usable gaze operators that look at it do nothing. */
static struct operator_frame frame_of(const struct godot_render *render, uint32_t width_px,
                                      uint32_t height_px, const struct fovea_gaze *gaze,
                                      struct fovea_point_uv point)
{
    struct fovea_point_uv others[GAZE_OTHERS];
    const struct fovea_point_uv middle = {0.5, 0.5};
    struct operator_frame frame =
        operator_frame_make(width_px, height_px, gaze->usable ? point : middle);
    frame.blind = !gaze->usable;
    operator_frame_set_others(&frame, others, godot_show_others(render, others));
    return frame;
}

/* FOVEA_PASSED_THROUGH: the engine has not got what the operators need; said. */
static enum fovea_result find_textures(struct godot_render *render, const struct viewport *viewport,
                                       const struct fovea_settings *settings, int64_t index,
                                       struct godot_view *view)
{
    static const uint8_t single_sampled = 0;
    GODOT_CALL(RenderSceneBuffersRD_get_color_layer, viewport->buffers, &view->colour, &index,
               &single_sampled);
    if (!view->colour.id || !takes_colour(render, view->target, index, view->colour)) {
        return FOVEA_PASSED_THROUGH;
    }
    return chain_needs_depth(&settings->operators)
               ? godot_depth_take(render, viewport->buffers, viewport->scene, index, view)
               : FOVEA_OK;
}

/* FOVEA_PASSED_THROUGH: there is no way to run it; said. */
static enum fovea_result find_plan(struct godot_render *render, struct godot_view *view,
                                   const struct operator_plan_desc *desc)
{
    const enum fovea_result result =
        godot_plans_find(&render->plans, render->device, desc, &view->plan);
    if (result != FOVEA_ERROR_UNSUPPORTED) {
        return result;
    }
    view->target->retry_ns = godot_render_retry_ns();
    godot_render_trouble(&view->target->said, GODOT_TROUBLE_NO_WAY);
    return FOVEA_PASSED_THROUGH;
}

/* The gaze source sees the first view. */
static enum fovea_result record_view(struct godot_render *render, int64_t index,
                                     struct godot_view *view)
{
    FOVEA_TRY(godot_target_make(view->target, render->device, view->plan->plan->images_between));
    view->shown = index == 0 && godot_show_choose(render, (uint32_t)view->frame.width_px,
                                                  (uint32_t)view->frame.height_px);
    const enum fovea_result result = godot_record_view(render, view);
    if (view->shown && result == FOVEA_OK) {
        godot_show_fetch(render);
    } else if (view->shown) {
        godot_show_take_back(render);
    }
    return result;
}

static enum fovea_result render_view(struct godot_render *render,
                                     const struct godot_choices *choices,
                                     const struct viewport *viewport, struct godot_target *target,
                                     int64_t index, const struct fovea_gaze *gaze)
{
    const uint32_t width = (uint32_t)viewport->size.x;
    const uint32_t height = (uint32_t)viewport->size.y;
    const struct fovea_settings settings = settings_of_view(render, choices, viewport, index);
    const struct operator_plan_desc desc = {
        .settings = &settings, .width_px = width, .height_px = height};
    const struct fovea_point_uv point = godot_gaze_of_view(
        render->settings, gaze, choices, (uint32_t)index, (uint32_t)viewport->view_count);
    struct godot_view view = {.target = target,
                              .frame = frame_of(render, width, height, gaze, point),
                              .marks = marks_of(choices, viewport),
                              .marked = gaze->usable && choices->debug_view != GODOT_DEBUG_OFF};
    enum fovea_result result = find_textures(render, viewport, &settings, index, &view);
    result = result == FOVEA_OK ? find_plan(render, &view, &desc) : result;
    return result == FOVEA_OK ? record_view(render, index, &view) : result;
}

/* The next frame may have another projection and is tried at once; others in a second. */
static void say_failure(struct godot_target *target, enum fovea_result result)
{
    if (result == FOVEA_ERROR_INVALID_ARGUMENT) {
        godot_render_trouble(&target->said, GODOT_TROUBLE_NO_BLUR);
        return;
    }
    target->retry_ns = godot_render_retry_ns();
    godot_render_trouble(&target->said, result == FOVEA_ERROR_OUT_OF_MEMORY
                                            ? GODOT_TROUBLE_NO_MEMORY
                                            : GODOT_TROUBLE_REFUSED);
}

static enum fovea_result render_views(struct godot_render *render,
                                      const struct godot_choices *choices,
                                      const struct viewport *viewport, struct godot_target *target,
                                      const struct fovea_gaze *gaze)
{
    enum fovea_result result = FOVEA_OK;
    for (int64_t i = 0; i < viewport->view_count && result == FOVEA_OK; i++) {
        result = render_view(render, choices, viewport, target, i, gaze);
    }
    if (result < 0) {
        say_failure(target, result);
    } else if (result == FOVEA_OK) {
        said_clear(&target->said);
        said_clear(&render->said);
    }
    return result;
}

/* Nobody tells when the engine shows the picture, nor what the GPU takes for it. */
static void note_frame(struct godot_effect *effect, const struct viewport *viewport,
                       const struct fovea_gaze *gaze, int64_t t_ns, bool foveated)
{
    struct godot_render *render = effect->render;
    struct fovea_record_frame frame;
    fovea_record_frame_init(&frame);
    frame.t_ns = t_ns;
    frame.width_px = (uint32_t)viewport->size.x;
    frame.height_px = (uint32_t)viewport->size.y;
    frame.view_count = viewport->view_count > 1 ? 2 : 1;
    frame.passed_through = !foveated;
    frame.vergence_m = render->vergence_m;
    for (uint32_t i = 0; i < frame.view_count; i++) {
        frame.gazes[i] = *gaze;
        frame.gazes[i].point = godot_gaze_of_view(render->settings, gaze, &render->choices, i,
                                                  (uint32_t)viewport->view_count);
    }
    godot_journal_add(&effect->journal, &frame);
}

/* A viewport that is too large, or has too many views, says so. */
static bool fits(const struct viewport *viewport, struct godot_target *target)
{
    const bool too_large =
        viewport->size.x > OPERATOR_MAX_SIZE_PX || viewport->size.y > OPERATOR_MAX_SIZE_PX;
    if (too_large || viewport->view_count > GODOT_VIEWS_MAX) {
        godot_render_trouble(&target->said,
                             too_large ? GODOT_TROUBLE_TOO_LARGE : GODOT_TROUBLE_VIEWS);
        return false;
    }
    return true;
}

static void render_viewport(struct godot_effect *effect, const struct viewport *viewport)
{
    struct godot_render *render = effect->render;
    take_settings(effect);
    if (viewport->size.x <= 0 || viewport->size.y <= 0 || viewport->view_count <= 0) {
        return; /* the window is minimized, say */
    }
    const int64_t t_ns = fovea_time_ns();
    render->frame++;
    godot_show_follow(render, &effect->feed);
    const struct fovea_gaze gaze = godot_gaze_read(&effect->feed, &render->choices, viewport->size);
    render->vergence_m = engine_feed_vergence_m(&effect->feed);
    godot_gaze_tell(&render->lost, &gaze, effect->object_id);
    struct godot_target *target = godot_targets_find(
        &render->targets, render->device, viewport->render_target, viewport->size, render->frame);
    const bool runs = gaze.usable || chain_runs_blind(&render->settings->taken.operators);
    const bool foveated =
        fits(viewport, target) && runs && fovea_time_ns() >= target->retry_ns &&
        render_views(render, &render->choices, viewport, target, &gaze) == FOVEA_OK;
    note_frame(effect, viewport, &gaze, t_ns, foveated);
}

void godot_frame_misplaced(struct godot_effect *effect)
{
    godot_render_trouble(&effect->render->said, GODOT_TROUBLE_MISPLACED);
}

void godot_frame_render(struct godot_effect *effect, struct godot_object *data)
{
    struct viewport viewport = {0};
    if (godot_render_ready(effect->render) < 0) {
        return;
    }
    GODOT_GET(RenderData_get_render_scene_buffers, data, &viewport.buffers);
    GODOT_GET(RenderData_get_render_scene_data, data, &viewport.scene);
    if (!viewport.buffers) {
        return;
    }
    GODOT_GET(RenderSceneBuffersRD_get_internal_size, viewport.buffers, &viewport.size);
    GODOT_GET(RenderSceneBuffersRD_get_view_count, viewport.buffers, &viewport.view_count);
    GODOT_GET(RenderSceneBuffersRD_get_render_target, viewport.buffers, &viewport.render_target);
    render_viewport(effect, &viewport);
    godot_object_release(viewport.buffers);
}
