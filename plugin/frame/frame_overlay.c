/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame.h"

#include "core/log.h"
#include "kernels/foveate/foveate_operator.h"

#include <math.h>
#include <string.h>

/* The HUD's text is made anew this often. */
#define HUD_PERIOD_NS 250000000

bool frame_overlay_wanted(const struct fovea_overlay *overlay)
{
    return overlay->marker || overlay->rings || overlay->heatmap || overlay->hud ||
           overlay->wipe_uv > 0;
}

/* ---- HUD ---- */

/* Puts lines into the grid of characters; long ones are cut. Returns the rows used so far. */
static uint32_t put_lines(char *grid, uint32_t row, const char *text)
{
    uint32_t column = 0;
    for (; *text && row < OVERLAY_TEXT_ROWS; text++) {
        if (*text == '\n') {
            row++;
            column = 0;
        } else if (column < OVERLAY_TEXT_COLUMNS) {
            grid[row * OVERLAY_TEXT_COLUMNS + column++] = *text;
        }
    }
    return column > 0 ? row + 1 : row;
}

static const char *state_words(const struct frame_work *work, const struct fovea_gaze *gaze)
{
    if (work->desc->hud_gaze) {
        return work->desc->hud_gaze;
    }
    if (!gaze->usable) {
        return "gaze none";
    }
    return gaze->state == FOVEA_GAZE_TRACKED ? "gaze tracked"
           : gaze->state == FOVEA_GAZE_HELD  ? "gaze held"
                                             : "gaze lost";
}

/* "smooth paper  linear light  strength 1.00" */
static void describe(char *out, size_t bytes, const struct frame_work *work, double strength)
{
    static const char *const models[] = {[FOVEA_MODEL_PAPER] = "paper",
                                         [FOVEA_MODEL_PHYSICAL] = "physical",
                                         [FOVEA_MODEL_CURVE] = "curve",
                                         [FOVEA_MODEL_MAP] = "map"};
    const struct foveate_plan *plan = foveate_plan_of(work->views[0].plan->plan);
    const char *model = models[plan->foveation.model];
    static const char *const lights[] = {[FOVEATE_LIGHT_STORED] = "encoded",
                                         [FOVEATE_LIGHT_SRGB] = "linear",
                                         [FOVEATE_LIGHT_PQ] = "linear PQ",
                                         [FOVEATE_LIGHT_HLG] = "linear HLG",
                                         [FOVEATE_LIGHT_HLG_BLUE_FIRST] = "linear HLG",
                                         [FOVEATE_LIGHT_GAMMA] = "gamma",
                                         [FOVEATE_LIGHT_TABLE] = "table"};
    const char *light = lights[foveate_frame_of(plan, &work->views[0].frame).light];
    if (plan->smooth) {
        snprintf(out, bytes, "smooth %s  %s light  strength %.2f", model, light, strength);
    } else {
        snprintf(out, bytes, "blockwise %s  %u px  strength %.2f", model, plan->fragment_px,
                 strength);
    }
}

/* "gpu 0.43 ms p50  0.51 ms p99  caller 40 us": the caller is the thread that hands frames over. */
static void write_times(char *out, size_t bytes, const struct fovea_vk_stats *stats)
{
    if (stats->gpu_time_known) {
        snprintf(out, bytes, "%s %.2f ms p50  %.2f ms p99  caller %.0f us",
                 stats->gpu_is_cpu ? "cpu cores" : "gpu", stats->gpu_p50_us * 1e-3,
                 stats->gpu_p99_us * 1e-3, stats->cpu_p50_us);
    } else {
        snprintf(out, bytes, "gpu -  caller %.0f us", stats->cpu_p50_us);
    }
}

/* "age 21.3 ms", and where gazes are late how old they are when frames start. */
static void write_age(char *out, size_t bytes, const struct frame_work *work,
                      const struct fovea_gaze *gaze, const struct fovea_vk_stats *stats)
{
    const double age_ms = (double)gaze->age_ns * 1e-6;
    if (work->late && stats->late_age_p50_ms > 0) {
        snprintf(out, bytes, "age %.1f late %.1f ms", age_ms, stats->late_age_p50_ms);
    } else {
        snprintf(out, bytes, "age %.1f ms%s", age_ms, work->late ? " late" : "");
    }
}

static void write_hud(struct fovea_vk *fovea, const struct frame_work *work)
{
    const struct fovea_gaze *gaze = work->views[0].gaze;
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    if (fovea_vk_get_stats(fovea, &stats) < 0) {
        return;
    }
    char model[OVERLAY_TEXT_COLUMNS + 1];
    char times[OVERLAY_TEXT_COLUMNS + 1];
    char age[OVERLAY_TEXT_COLUMNS + 1];
    char text[768];
    describe(model, sizeof model, work, fovea->settings.foveation.strength);
    write_times(times, sizeof times, &stats);
    write_age(age, sizeof age, work, gaze, &stats);
    snprintf(text, sizeof text,
             "fovea %d.%d.%d  %s  %ux%u%s\n%s\n%s\n%s\n"
             "%s  %.3f %.3f  %s  %.0f Hz\n",
             FOVEA_VERSION_MAJOR, FOVEA_VERSION_MINOR, FOVEA_VERSION_PATCH,
             fovea_backend_name(stats.backend), work->view_width_px, work->view_height_px,
             work->view_count == 1 ? "" : " a view", stats.device_name, times, model,
             state_words(work, gaze), gaze->point.x_uv, gaze->point.y_uv, age, gaze->rate_hz);
    memset(fovea->hud, 0, sizeof fovea->hud);
    uint32_t row = put_lines(fovea->hud, 0, text);
    if (work->desc->hud) {
        put_lines(fovea->hud, row, work->desc->hud);
    }
}

static void refresh_hud(struct fovea_vk *fovea, const struct frame_work *work)
{
    int64_t now_ns = fovea_time_ns();
    if (now_ns >= fovea->hud_next_ns) {
        fovea->hud_next_ns = now_ns + HUD_PERIOD_NS;
        write_hud(fovea, work);
    }
    memcpy((char *)fovea->text.mapped + work->slot_index * OVERLAY_TEXT_BYTES, fovea->hud,
           OVERLAY_TEXT_BYTES);
}

/* ---- What is drawn ---- */

/* Where the law goes by the angle between rays the shader does, too: the gaze may yet move. */
static void set_rings(const struct foveate_plan *plan, struct overlay_constants *constants)
{
    static const double rings_deg[4] = {2, 5, 10, 20};
    const bool by_angle =
        plan->law.kind == FOVEATE_LAW_PROJECTED || plan->law.kind == FOVEATE_LAW_MAP_PROJECTED;
    const double half_diagonal_px = 0.5 * hypot(plan->width_px, plan->height_px);
    const double per_deg = by_angle ? 1.0 : half_diagonal_px / plan->foveation.paper.e_max_deg;
    constants->flags |= by_angle ? OVERLAY_RINGS_BY_ANGLE : 0;
    for (int i = 0; i < 4; i++) {
        constants->rings[i] = (float)(rings_deg[i] * per_deg);
    }
}

static void set_text(const struct frame_work *work, struct overlay_constants *constants)
{
    constants->text_columns = OVERLAY_TEXT_COLUMNS;
    constants->text_rows = OVERLAY_TEXT_ROWS;
    constants->text_scale = work->view_height_px >= 1440 ? 2 : 1;
}

static void set_marks(const struct frame_work *work, const struct fovea_overlay *overlay,
                      const struct frame_view *view, struct overlay_constants *constants)
{
    constants->wipe_px = (float)(overlay->wipe_uv * work->view_width_px);
    constants->flags |=
        (overlay->marker ? OVERLAY_MARKER : 0) | (overlay->heatmap ? OVERLAY_HEATMAP : 0);
    if (overlay->rings) {
        set_rings(foveate_plan_of(view->plan->plan), constants);
    }
}

/* A view that was passed through has nothing to mark; the first one has the HUD in any case. */
static struct overlay_constants make_constants(const struct fovea_overlay *overlay,
                                               const struct frame_work *work, uint32_t index)
{
    const struct frame_view *view = &work->views[index];
    const struct foveate_plan *plan = foveate_plan_of(view->plan->plan);
    struct overlay_constants constants = {
        .frame = foveate_frame_of(plan, &view->frame),
        .sigma_max_px = plan->sigma_max_px > 0 ? plan->sigma_max_px : 1.0f,
        .flags = (work->src.format->swap_red_blue ? OVERLAY_SWAP_RED_BLUE : 0) |
                 (plan->smooth ? OVERLAY_SMOOTH : 0),
        .text_scale = 1};
    if (view->foveated) {
        set_marks(work, overlay, view, &constants);
    }
    if (overlay->hud && index == 0) {
        set_text(work, &constants);
    }
    return constants;
}

static void record_view(struct fovea_vk *fovea, const struct frame_work *work, uint32_t index,
                        VkCommandBuffer commands)
{
    struct overlay_constants constants = make_constants(&fovea->settings.overlay, work, index);
    struct vk_dispatch dispatch = {.kind = frame_compute_kind(work, SHADER_OVERLAY),
                                   .set = work->slot->sets[index],
                                   .constants = &constants,
                                   .constant_bytes = sizeof constants};
    shader_pixel_groups(work->view_width_px, work->view_height_px, dispatch.groups);
    frame_record_kernel_barrier(fovea, commands);
    vk_compute_record(&fovea->compute, &fovea->device, commands, &dispatch);
}

void frame_overlay_record(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands)
{
    if (!work->overlay) {
        return;
    }
    const bool hud = fovea->settings.overlay.hud;
    if (hud) {
        refresh_hud(fovea, work);
    }
    for (uint32_t i = 0; i < work->view_count; i++) {
        if (work->views[i].foveated || (hud && i == 0)) {
            record_view(fovea, work, i, commands);
        }
    }
}
