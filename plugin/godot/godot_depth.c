/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_depth.h"

#include "core/log.h"

#include <math.h>

/* ---- The texture */

static bool is_format(int64_t format)
{
    static const int64_t formats[] = {
        GODOT_FORMAT_R16_SFLOAT,        GODOT_FORMAT_R32_SFLOAT, GODOT_FORMAT_D16_UNORM,
        GODOT_FORMAT_X8_D24_UNORM,      GODOT_FORMAT_D32_SFLOAT, GODOT_FORMAT_D24_UNORM_S8_UINT,
        GODOT_FORMAT_D32_SFLOAT_S8_UINT};
    bool found = false;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        found = found || formats[i] == format;
    }
    return found;
}

static bool takes(struct godot_render *render, struct godot_seen *seen, struct godot_rid depth)
{
    if (seen->rid.id != depth.id) {
        const struct godot_texture_format format = godot_device_format(render->device, depth);
        seen->taken = is_format(format.format) && (format.usage & GODOT_USAGE_SAMPLING) != 0;
        seen->rid = depth;
    }
    return seen->taken;
}

/* Resolved, where the viewport has several samples a pixel: the engine has done so at this place of
 * the frame. */
static bool find_picture(struct godot_render *render, struct godot_object *buffers, int64_t index,
                         struct godot_view *view)
{
    static const uint8_t single_sampled = 0;
    if (godot.methods[GODOT_RenderSceneBuffersRD_get_depth_layer]) {
        GODOT_CALL(RenderSceneBuffersRD_get_depth_layer, buffers, &view->depth, &index,
                   &single_sampled);
    }
    return view->depth.id && takes(render, &view->target->depths[index], view->depth);
}

/* ---- What its values mean */

/* The values go from 1 at the nearest to 0. In XR the eye's place is in the matrix too, and changes
 * these terms by its distance from the camera over that of the far plane. */
static bool set_values(const struct godot_projection *projection, struct fovea_depth *out)
{
    const double scale = (double)projection->columns[2][2];
    const double offset = (double)projection->columns[3][2];
    fovea_depth_init(out);
    if (projection->columns[2][3] != 0) {
        fovea_depth_set_projection(out, scale, offset);
        return out->zero_m > 0 && out->one_m > 0 && out->zero_m != out->one_m;
    }
    out->zero_m = offset / scale; /* orthographic, FOVEA_DEPTH_LINEAR: nothing divides by z */
    out->one_m = (offset - 1) / scale;
    return isfinite(out->zero_m) && isfinite(out->one_m) && out->zero_m != out->one_m;
}

/* Views of a frame have one time. */
static double elapsed_s(struct godot_target *target, int64_t index)
{
    if (index == 0) {
        const int64_t now_ns = fovea_time_ns();
        target->elapsed_s =
            target->depths_ns > 0 ? (double)(now_ns - target->depths_ns) * 1e-9 : 0.0;
        target->depths_ns = now_ns;
    }
    return target->elapsed_s;
}

enum fovea_result godot_depth_take(struct godot_render *render, struct godot_object *buffers,
                                   struct godot_object *scene, int64_t index,
                                   struct godot_view *view)
{
    struct godot_projection projection = {{{0}}};
    if (scene) {
        GODOT_CALL(RenderSceneData_get_view_projection, scene, &projection, &index);
    }
    if (!set_values(&projection, &view->depths.values) ||
        !find_picture(render, buffers, index, view)) {
        godot_render_trouble(&view->target->said, GODOT_TROUBLE_DEPTHS);
        return FOVEA_PASSED_THROUGH;
    }
    view->depths.values.elapsed_s = elapsed_s(view->target, index);
    view->depths.values.vergence_m = render->vergence_m;
    view->frame.depths = &view->depths;
    FOVEA_TRY(godot_target_make_focus(view->target, render->device, index));
    view->focus = view->target->focuses[index];
    return FOVEA_OK;
}
