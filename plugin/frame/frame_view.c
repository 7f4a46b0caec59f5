/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_depth.h"
#include "frame_image.h"
#include "frame_work.h"

#include "core/ending.h"
#include "core/log.h"
#include "core/struct_bytes.h"

#include <math.h>
#include <string.h>

_Static_assert(FOVEA_VK_MAX_VIEWS == PEER_MAX_VIEWS, "a frame is one job of a peer");

/* ---- What may be handed over ---- */

static bool spans_overlap(uint32_t a, uint32_t b, uint32_t length)
{
    return (a < b ? b - a : a - b) < length;
}

static bool overlap(const struct fovea_vk_view *a, const struct fovea_vk_view *b)
{
    return a->layer == b->layer && spans_overlap(a->x_px, b->x_px, a->width_px) &&
           spans_overlap(a->y_px, b->y_px, a->height_px);
}

static enum fovea_result check_place(struct fovea_vk *fovea, const struct frame_work *work,
                                     uint32_t index)
{
    const struct fovea_vk_view *view = &work->desc->views[index];
    const struct frame_end *image = &work->src;
    if (view->width_px == 0 || view->height_px == 0) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "view %u is %ux%u", index,
                            view->width_px, view->height_px);
    }
    if (view->x_px > image->width_px || view->width_px > image->width_px - view->x_px ||
        view->y_px > image->height_px || view->height_px > image->height_px - view->y_px) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "view %u, %ux%u at %u, %u, is not inside the image of %ux%u", index,
                            view->width_px, view->height_px, view->x_px, view->y_px,
                            image->width_px, image->height_px);
    }
    if (view->layer >= work->src.layer_count || view->layer >= work->dst.layer_count) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "view %u is in layer %u; src has %u layers, dst %u", index, view->layer,
                            work->src.layer_count, work->dst.layer_count);
    }
    return FOVEA_OK;
}

static enum fovea_result check_others(struct fovea_vk *fovea, const struct fovea_vk_view *views,
                                      uint32_t index)
{
    const struct fovea_vk_view *view = &views[index];
    if (view->width_px != views[0].width_px || view->height_px != views[0].height_px) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "view %u is %ux%u, view 0 %ux%u; they must be the same size", index,
                            view->width_px, view->height_px, views[0].width_px, views[0].height_px);
    }
    for (uint32_t other = 0; other < index; other++) {
        if (overlap(view, &views[other])) {
            return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                                "views %u and %u overlap in layer %u", other, index, view->layer);
        }
    }
    return FOVEA_OK;
}

/* ---- An eye's own frustum ---- */

/* With tangents or pixels per degree the screen does not matter, and may be left 0. */
static struct fovea_geometry own_geometry(const struct fovea_vk *fovea,
                                          const struct fovea_geometry *given)
{
    const struct fovea_geometry *settings = &fovea->settings.foveation.geometry;
    struct fovea_geometry geometry = *given;
    if (geometry.screen_width_m == 0 && geometry.distance_m == 0) {
        geometry.screen_width_m = settings->screen_width_m;
        geometry.distance_m = settings->distance_m;
    }
    return geometry;
}

static void keep_message(void *user, enum fovea_log_level level, const char *message)
{
    (void)level;
    snprintf(user, FRAME_REFUSAL_BYTES / 2, "%s", message);
}

/* Checked as a setting is; an engine's frustums seldom change, so those of the frame before are not
 * checked again. */
static enum fovea_result check_geometry(struct fovea_vk *fovea, const struct fovea_vk_view *given,
                                        uint32_t index, struct frame_view *view)
{
    if (!given->geometry) {
        view->geometry = fovea->settings.foveation.geometry;
        return FOVEA_OK;
    }
    view->geometry = own_geometry(fovea, given->geometry);
    struct fovea_geometry *checked = &fovea->checked_geometries[index];
    if (memcmp(checked, &view->geometry, sizeof *checked) == 0) {
        return FOVEA_OK;
    }
    char message[FRAME_REFUSAL_BYTES / 2] = "";
    if (config_geometry_check(&view->geometry, &fovea->scratch_settings,
                              (struct fovea_log){keep_message, message, 0}) < 0) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "view %u: %s", index, message);
    }
    *checked = view->geometry;
    return FOVEA_OK;
}

static enum fovea_result check_eye(struct fovea_vk *fovea, enum fovea_map_eye given, uint32_t index,
                                   struct frame_view *view)
{
    if (given != 0 && given != FOVEA_MAP_EYE_LEFT && given != FOVEA_MAP_EYE_RIGHT) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "view %u: eye is %d; it must be 0, left or right", index, (int)given);
    }
    view->eye = given != 0 ? given : fovea->settings.foveation.map.eye;
    return FOVEA_OK;
}

/* ---- Sigmas ---- */

static enum fovea_result check_sigmas(struct fovea_vk *fovea, const struct fovea_vk_sigmas *given,
                                      uint32_t index, struct frame_view *view)
{
    view->sigmas = *given;
    if (!given->view) {
        return FOVEA_OK;
    }
    if (!chain_takes_sigmas(&fovea->settings.operators)) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                            "view %u has sigmas, and no operator of the row takes them", index);
    }
    return vk_image_layout_is_read(given->layout)
               ? FOVEA_OK
               : frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT,
                              "sigmas of view %u are in layout %d; GENERAL,"
                              " SHADER_READ_ONLY_OPTIMAL and READ_ONLY_OPTIMAL are possible",
                              index, (int)given->layout);
}

/* ---- Packed side by side, where both images are the engine's ---- */

struct packing {
    uint32_t columns;
    uint32_t rows; /* 0: they do not fit into one image */
};

/* A row; else two columns, which for three and four views are two rows; else a column. */
static struct packing pack(const struct fovea_vk *fovea, const struct frame_work *work)
{
    const uint64_t most_px = fovea->device.properties.limits.maxImageDimension2D;
    const uint32_t columns[] = {work->view_count, 2, 1};
    for (int i = 0; i < 3; i++) {
        const uint32_t rows = (work->view_count + columns[i] - 1) / columns[i];
        if ((uint64_t)work->view_width_px * columns[i] <= most_px &&
            (uint64_t)work->view_height_px * rows <= most_px) {
            return (struct packing){columns[i], rows};
        }
    }
    return (struct packing){0};
}

/* Views of one layer always fit, since they do in that layer; so nothing is refused that would not
 * have been packed: images that Fovea made have one layer. */
static enum fovea_result check_packing(struct fovea_vk *fovea, const struct frame_work *work)
{
    if (pack(fovea, work).rows > 0) {
        return FOVEA_OK;
    }
    return frame_refuse(fovea, FOVEA_ERROR_UNSUPPORTED,
                        "%u views of %ux%u do not fit side by side into an image of this device,"
                        " which takes %u pixels each way",
                        work->view_count, work->view_width_px, work->view_height_px,
                        fovea->device.properties.limits.maxImageDimension2D);
}

/* ---- Resolved ---- */

static void view_everything(const struct fovea_vk *fovea, struct frame_work *work)
{
    work->view_count = 1;
    work->view_width_px = work->src.width_px;
    work->view_height_px = work->src.height_px;
    work->views[0].gaze = &work->desc->gaze;
    work->views[0].geometry = fovea->settings.foveation.geometry;
    work->views[0].eye = fovea->settings.foveation.map.eye;
    work->views[0].src_raw_view = work->src.raw_view;
    work->views[0].dst_raw_view = work->dst.raw_view;
}

/* Kernels see the layer by a view of its own, or layer 0 by the image's. */
static VkImageView raw_view_of(const struct frame_end *end, uint32_t layer, VkImageView given)
{
    return given ? given : layer == 0 ? end->raw_view : VK_NULL_HANDLE;
}

static enum fovea_result resolve(struct fovea_vk *fovea, struct frame_work *work, uint32_t index)
{
    const struct fovea_vk_view *given = &work->desc->views[index];
    struct frame_view *view = &work->views[index];
    FOVEA_TRY(check_place(fovea, work, index));
    FOVEA_TRY(check_others(fovea, work->desc->views, index));
    view->gaze = &given->gaze;
    view->x_px = given->x_px;
    view->y_px = given->y_px;
    view->layer = given->layer;
    view->src_raw_view = raw_view_of(&work->src, given->layer, given->src_raw_view);
    view->dst_raw_view = raw_view_of(&work->dst, given->layer, given->dst_raw_view);
    FOVEA_TRY(check_sigmas(fovea, &given->sigmas, index, view));
    FOVEA_TRY(frame_depth_check(fovea, work, &given->depth, index, view));
    FOVEA_TRY(check_eye(fovea, given->eye, index, view));
    return check_geometry(fovea, given, index, view);
}

enum fovea_result frame_views_check(struct fovea_vk *fovea, struct frame_work *work)
{
    const struct fovea_vk_frame *desc = work->desc;
    if (!desc->views && desc->view_count == 0) {
        view_everything(fovea, work);
        FOVEA_TRY(check_sigmas(fovea, &desc->sigmas, 0, &work->views[0]));
        return frame_depth_check(fovea, work, &desc->depth, 0, &work->views[0]);
    }
    if (!desc->views || desc->view_count == 0 || desc->view_count > FOVEA_VK_MAX_VIEWS) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "%u views%s; 1 to %d are possible",
                            desc->view_count, desc->views ? "" : " at NULL", FOVEA_VK_MAX_VIEWS);
    }
    work->view_count = desc->view_count;
    work->view_width_px = desc->views[0].width_px;
    work->view_height_px = desc->views[0].height_px;
    for (uint32_t i = 0; i < desc->view_count; i++) {
        FOVEA_TRY(resolve(fovea, work, i));
    }
    return check_packing(fovea, work);
}

/* ---- Placed ---- */

static void place(struct frame_view *view, uint32_t x_px, uint32_t y_px)
{
    view->kernel_x_px = x_px;
    view->kernel_y_px = y_px;
    view->frame.origin_x_px = (int32_t)x_px;
    view->frame.origin_y_px = (int32_t)y_px;
}

void frame_views_place(const struct fovea_vk *fovea, struct frame_work *work)
{
    /* Kernels know one place for both images: where either is the engine's own, that of the
     * views. */
    const bool packed = work->copy_in && work->copy_out;
    const struct packing packing = packed ? pack(fovea, work) : (struct packing){1, 1};
    const uint32_t columns = packing.columns > 0 ? packing.columns : 1; /* 0: refused before */
    for (uint32_t i = 0; i < work->view_count; i++) {
        struct frame_view *view = &work->views[i];
        if (packed) {
            place(view, i % columns * work->view_width_px, i / columns * work->view_height_px);
        } else {
            place(view, view->x_px, view->y_px);
        }
    }
    work->kernel_width_px = packed ? packing.columns * work->view_width_px : work->src.width_px;
    work->kernel_height_px = packed ? packing.rows * work->view_height_px : work->src.height_px;
}

/* ---- What a view shows ---- */

STRUCT_ENDS_WITH(struct fovea_vk_view, depth.focus_offset);

static enum fovea_result gaze_at(struct fovea_vk *fovea, const struct fovea_vk_view *given,
                                 struct fovea_point_uv place, struct fovea_point_uv *out_gaze)
{
    struct frame_view view = {0};
    struct frame_plan *plan = NULL;
    if (given->width_px == 0 || given->width_px > OPERATOR_MAX_SIZE_PX || given->height_px == 0 ||
        given->height_px > OPERATOR_MAX_SIZE_PX) {
        return frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "view 0 is %ux%u", given->width_px,
                            given->height_px);
    }
    FOVEA_TRY(check_eye(fovea, given->eye, 0, &view));
    FOVEA_TRY(check_geometry(fovea, given, 0, &view));
    FOVEA_TRY(check_sigmas(fovea, &given->sigmas, 0, &view));
    FOVEA_TRY(frame_plan_find(fovea, &view, given->width_px, given->height_px, FRAME_PLAN_FOR_CALL,
                              &plan));
    *out_gaze = chain_gaze_at(plan->plan, place);
    return FOVEA_OK;
}

enum fovea_result fovea_vk_gaze_at(struct fovea_vk *fovea, const struct fovea_vk_view *view,
                                   struct fovea_point_uv place, struct fovea_point_uv *out_gaze)
{
    struct fovea_vk_view taken;
    if (!fovea || !view || !out_gaze || !isfinite(place.x_uv) || !isfinite(place.y_uv)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!frame_is_parents(fovea) && fovea->device_lost) {
        return FOVEA_ERROR_DEVICE_LOST;
    }
    if (frame_is_parents(fovea) || !ending_enter()) {
        return FOVEA_ERROR_INVALID_STATE;
    }
    const enum fovea_result result =
        struct_take(&taken, sizeof taken, view)
            ? gaze_at(fovea, &taken, place, out_gaze)
            : frame_refuse(fovea, FOVEA_ERROR_INVALID_ARGUMENT, "view 0: %s", struct_refusal(view));
    ending_leave();
    return result;
}
