/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "frame_record.h"
#include "frame_watch.h"

#include "core/log.h"

#include <string.h>

/* The HUD's text is made anew this often. */
#define HUD_PERIOD_NS 250000000

bool frame_overlay_wanted(const struct fovea_overlay *overlay)
{
    return overlay->marker || overlay->rings || overlay->heatmap || overlay->hud ||
           overlay->wipe_uv > 0 || overlay->patch != FOVEA_PATCH_OFF;
}

bool frame_overlay_tells(const struct fovea_overlay *overlay)
{
    return overlay->hud || overlay->patch != FOVEA_PATCH_OFF;
}

/* ---- HUD ---- */

/* Puts lines into the grid of characters; long ones are cut. Returns the rows used so far. */
static uint32_t put_lines(char *grid, uint32_t row, const char *text)
{
    uint32_t column = 0;
    for (; *text && row < OPERATOR_TEXT_ROWS; text++) {
        if (*text == '\n') {
            row++;
            column = 0;
        } else if (column < OPERATOR_TEXT_COLUMNS) {
            grid[row * OPERATOR_TEXT_COLUMNS + column++] = *text;
        }
    }
    return column > 0 ? row + 1 : row;
}

void fovea_vk_set_hud_text(struct fovea_vk *fovea, const char *lines, const char *gaze)
{
    if (fovea) {
        snprintf(fovea->hud_lines, sizeof fovea->hud_lines, "%s", lines ? lines : "");
        snprintf(fovea->hud_gaze, sizeof fovea->hud_gaze, "%s", gaze ? gaze : "");
    }
}

static const char *state_words(const struct fovea_vk *fovea, const struct fovea_gaze *gaze)
{
    if (fovea->hud_gaze[0]) {
        return fovea->hud_gaze;
    }
    if (!gaze->usable) {
        return "gaze none";
    }
    switch (gaze->state) {
    case FOVEA_GAZE_TRACKED:
        return "gaze tracked";
    case FOVEA_GAZE_HELD:
        return "gaze held";
    case FOVEA_GAZE_FIXATION:
        return "gaze fixation";
    case FOVEA_GAZE_SACCADE:
        return "gaze saccade";
    case FOVEA_GAZE_BLINK:
        return "gaze blink";
    case FOVEA_GAZE_LOST:
        break;
    }
    return "gaze lost";
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

/* "  0.52 D": where both lines of sight cross, in diopters. */
static void write_vergence(char *out, size_t bytes, double vergence_m)
{
    snprintf(out, bytes, "%s", "");
    if (vergence_m > 0.0) {
        snprintf(out, bytes, "  %.2f D", 1.0 / vergence_m);
    }
}

static void write_hud(struct fovea_vk *fovea, const struct frame_work *work)
{
    const struct fovea_gaze *gaze = work->views[0].gaze;
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    if (fovea_vk_get_stats(fovea, &stats) < 0) {
        return;
    }
    char model[OPERATOR_TEXT_COLUMNS + 1];
    char times[OPERATOR_TEXT_COLUMNS + 1];
    char age[OPERATOR_TEXT_COLUMNS + 1];
    char vergence[24];
    char text[768];
    chain_operator.plan_summarize(work->views[0].plan->plan, model, sizeof model);
    write_times(times, sizeof times, &stats);
    write_age(age, sizeof age, work, gaze, &stats);
    write_vergence(vergence, sizeof vergence, work->desc->vergence_m);
    snprintf(text, sizeof text,
             "fovea %d.%d.%d  %s  %ux%u%s%s\n%s\n%s\n%s\n"
             "%s  %.3f %.3f%s  %s  %.0f Hz\n",
             FOVEA_VERSION_MAJOR, FOVEA_VERSION_MINOR, FOVEA_VERSION_PATCH,
             fovea_backend_name(stats.backend), work->view_width_px, work->view_height_px,
             work->view_count == 1 ? "" : " a view", fovea->record ? "  REC" : "",
             stats.device_name, times, model, state_words(fovea, gaze), gaze->point.x_uv,
             gaze->point.y_uv, vergence, age, gaze->rate_hz);
    memset(fovea->hud.text, 0, sizeof fovea->hud.text);
    uint32_t row = put_lines(fovea->hud.text, 0, text);
    put_lines(fovea->hud.text, row, fovea->hud_lines);
}

static void refresh_hud(struct fovea_vk *fovea, const struct frame_work *work)
{
    int64_t now_ns = fovea_time_ns();
    if (now_ns >= fovea->hud_next_ns) {
        fovea->hud_next_ns = now_ns + HUD_PERIOD_NS;
        write_hud(fovea, work);
    }
    frame_watch_show(fovea, work, &fovea->hud);
    struct operator_hud *huds = fovea->text.mapped;
    huds[work->slot_index] = fovea->hud;
}

/* ---- What is drawn ---- */

/* All views go through the same operators. */
struct vk_compute_kind frame_overlay_kind(const struct frame_work *work)
{
    const struct shader *draws = NULL;
    for (uint32_t i = 0; i < work->view_count && !draws; i++) {
        const struct frame_plan *plan = work->views[i].plan;
        draws = plan ? chain_operator.glsl->draws(plan->glsl) : NULL;
    }
    return (struct vk_compute_kind){.shader.shader = draws, .format = work->src.format->pixel};
}

/* It shows the number that the frame will have. */
static void set_patch(const struct fovea_vk *fovea, const struct frame_work *work,
                      struct operator_marks *marks)
{
    const struct fovea_overlay *overlay = &fovea->settings.overlay;
    if (overlay->patch == FOVEA_PATCH_OFF) {
        return;
    }
    marks->patch_px = (int32_t)(overlay->patch_size * work->view_height_px + 0.5);
    marks->patch_white = overlay->patch == FOVEA_PATCH_FRAME && (fovea->frame + 1) % 2 == 1;
    marks->patch_by_gaze = overlay->patch == FOVEA_PATCH_GAZE && work->views[0].sighted;
}

/* A view that was passed through has nothing to mark; the first one has HUD and patch in any case.
 */
static struct operator_marks make_marks(const struct fovea_vk *fovea, const struct frame_work *work,
                                        uint32_t index)
{
    const struct fovea_overlay *overlay = &fovea->settings.overlay;
    struct operator_marks marks = {.text_scale = 1};
    if (work->views[index].sighted) {
        marks.marker = overlay->marker;
        marks.rings = overlay->rings;
        marks.heatmap = overlay->heatmap;
        marks.wipe_px = (float)(overlay->wipe_uv * work->view_width_px);
    }
    if (index == 0) {
        set_patch(fovea, work, &marks);
    }
    if (overlay->hud && index == 0) {
        marks.text_columns = OPERATOR_TEXT_COLUMNS;
        marks.text_rows = OPERATOR_TEXT_ROWS;
        marks.text_scale = work->view_height_px >= 1440 ? 2 : 1;
        marks.seen = true;
    }
    return marks;
}

static void record_view(struct fovea_vk *fovea, const struct frame_work *work, uint32_t index,
                        VkCommandBuffer commands)
{
    const struct frame_view *view = &work->views[index];
    const struct operator_marks marks = make_marks(fovea, work, index);
    struct operator_pass pass;
    chain_operator.glsl->draw(view->plan->glsl, &view->frame, &marks, &pass);
    const struct vk_dispatch dispatch = {.kind = frame_overlay_kind(work),
                                         .set = work->slot->sets[index][pass.step],
                                         .constants = pass.constants,
                                         .constant_bytes = pass.constant_bytes,
                                         .groups = {pass.groups[0], pass.groups[1]}};
    frame_record_kernel_barrier(fovea, commands);
    vk_compute_record(&fovea->compute, &fovea->device, commands, &dispatch);
}

void frame_overlay_record(struct fovea_vk *fovea, const struct frame_work *work,
                          VkCommandBuffer commands)
{
    if (!work->overlay) {
        return;
    }
    if (fovea->settings.overlay.hud) {
        refresh_hud(fovea, work);
    }
    for (uint32_t i = 0; i < work->view_count; i++) {
        if (work->views[i].sighted || (i == 0 && frame_overlay_tells(&fovea->settings.overlay))) {
            record_view(fovea, work, i, commands);
        }
    }
}
