/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "blockwise.h"

#include "core/log.h"
#include "kernels/foveate/cpu/common/lanes.h"
#include "kernels/foveate/grid.h"
#include "kernels/foveate/plan/smooth.h"

static void choose_loops(struct foveate_cpu_blockwise *own)
{
    own->fragments = &foveate_cpu_fragments_base;
    own->line = foveate_cpu_line_base;
#ifdef FOVEATE_CPU_HAVE_AVX2
    if (!foveate_cpu_runs_avx2()) {
        return;
    }
    own->fragments = &foveate_cpu_fragments_avx2;
    own->line = foveate_cpu_line_avx2;
    if (foveate_cpu_runs_avx512()) {
        own->fragments = &foveate_cpu_fragments_avx512;
    }
#endif
}

enum fovea_result foveate_cpu_blockwise_init(struct foveate_cpu_blockwise *own,
                                             const struct foveate_plan *plan)
{
    const bool has_fragments =
        plan->ring_count > 0 && !image_light_is_wide(foveate_plan_light(plan));
    int32_t levels = 0;
    choose_loops(own);
    for (int i = 0; i < FOVEATE_CPU_DEPTHS && has_fragments; i++) {
        FOVEA_TRY(foveate_fragment_filters_init(&own->filters[i], plan, i == 0 ? 8 : 10));
        levels = own->filters[i].level_count > levels ? own->filters[i].level_count : levels;
    }
    own->plan = *plan;
    foveate_plan_lay_levels(&own->plan, (uint32_t)levels);
    return FOVEA_OK;
}

void foveate_cpu_blockwise_finish(struct foveate_cpu_blockwise *own)
{
    for (int i = 0; i < FOVEATE_CPU_DEPTHS; i++) {
        foveate_fragment_filters_finish(&own->filters[i]);
    }
}

size_t foveate_cpu_blockwise_floats(const struct foveate_cpu_blockwise *own)
{
    size_t most = 0;
    for (int i = 0; i < FOVEATE_CPU_DEPTHS; i++) {
        const size_t floats = foveate_cpu_fragments_floats(&own->plan, &own->filters[i]);
        most = floats > most ? floats : most;
    }
    return most;
}

void foveate_cpu_blockwise_fragments(const struct foveate_cpu_blockwise *own,
                                     const struct foveate_cpu_picture *picture, float *scratch,
                                     int32_t index_y)
{
    const bool deep = picture->view.src.format == FOVEA_FORMAT_A2B10G10R10;
    own->fragments->row(picture, &own->filters[deep ? 1 : 0], scratch, index_y);
}

void foveate_cpu_blockwise_band(const struct foveate_cpu_blockwise *own,
                                const struct foveate_cpu_picture *picture,
                                struct foveate_cpu_scratch *scratch, int32_t index_y)
{
    const struct foveate_frame *frame = &picture->view.frame;
    const struct foveate_cpu_job job = {
        .plan = &own->plan,
        .frame = frame,
        .src = &picture->view.src,
        .dst = &picture->view.dst,
        .codec = picture->codec,
        .light = picture->light,
        .line = own->line,
        .channels = (uint32_t)picture->channels,
        .shift_x_px = foveate_grid_shift_px(frame->gaze_x_q8, frame->fragment_px),
        .shift_y_px = foveate_grid_shift_px(frame->gaze_y_q8, frame->fragment_px),
    };
    if (index_y < foveate_grid_count(frame->height_px, frame->fragment_px, job.shift_y_px)) {
        foveate_cpu_band(&job, scratch, index_y);
    }
}
