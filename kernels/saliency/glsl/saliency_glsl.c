/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "saliency_glsl.h"

#include "core/bounds.h"
#include "core/log.h"
#include "kernels/saliency/cpu/saliency_cpu.h"

#include <math.h>

_Static_assert(sizeof(struct saliency_constants) <= OPERATOR_CONSTANT_BYTES, "more than there is");
_Static_assert(sizeof(struct saliency_candidate) == 4 * SALIENCY_GLSL_CANDIDATE_INTS, "");
_Static_assert(sizeof(struct fovea_blob) == 4 * SALIENCY_GLSL_BLOB_INTS, "");
_Static_assert(SALIENCY_GLSL_SCALE_INTS == 6 + 2 * (SALIENCY_REACH + 1), "");
_Static_assert(SALIENCY_GLSL_PAD_PX > SALIENCY_FINE_REACH, "and whole words");

#define ROW_GROUPS 4096 /* of a dispatch's first direction, where the groups are but numbers */
#define RANK_GROUPS 512
#define PIXELS_PER_CANDIDATE 4 /* twice as near to each other as maxima of the smallest scale */
#define FILTER_GROUPS 4096 /* wanted */
#define FILTER_SHARES_MOST 4
#define STEP_PASSES (2 + SALIENCY_PER_OCTAVE)
#define OTHER_PASSES 16 /* beside level 0's, one for each scale; merge sorts of 2^32 take 6 */

/* ---- Tables */

static int32_t whole(int32_t count, int32_t size)
{
    return (count + size - 1) / size;
}

static int32_t samples_of(const struct saliency_axis *axis)
{
    return axis->last - axis->first + 1;
}

static int32_t outs_of(const struct saliency_axis *axis)
{
    return axis->out_last - axis->out_first + 1;
}

static int32_t pitch_of(const struct saliency_level *level)
{
    return whole(samples_of(&level->x), SALIENCY_GLSL_SAMPLES) * SALIENCY_GLSL_SAMPLES;
}

static uint32_t taps_of(const struct saliency_level *level)
{
    return level->step_px > 1 ? 2 * (uint32_t)level->reach_px + 2 : 0;
}

/* Returns zeros behind what the tables have, which there is memory for. */
static int32_t *append(struct saliency_glsl *glsl, uint32_t count)
{
    int32_t *added = glsl->tables + glsl->table_count;
    glsl->table_count += count;
    return added;
}

static void fill_axis(const struct saliency_axis *axis, int32_t *out)
{
    out[0] = axis->first;
    out[1] = samples_of(axis);
    out[2] = axis->out_first;
    out[3] = outs_of(axis);
}

static void add_levels(const struct saliency_plan *plan, struct saliency_glsl *glsl)
{
    glsl->constants.levels = (int32_t)glsl->table_count;
    int32_t *out = append(glsl, plan->level_count * SALIENCY_GLSL_LEVEL_INTS);
    for (uint32_t i = 0; i < plan->level_count; i++, out += SALIENCY_GLSL_LEVEL_INTS) {
        const struct saliency_level *level = &plan->levels[i];
        const uint32_t count = taps_of(level);
        out[0] = level->step_px;
        out[1] = level->reach_px;
        out[2] = (int32_t)glsl->table_count;
        out[3] = pitch_of(level);
        fill_axis(&level->x, out + 4);
        fill_axis(&level->y, out + 8);
        out[12] = (int32_t)level->scale_first;
        out[13] = (int32_t)level->scale_end;
        int32_t *taps = append(glsl, count);
        for (uint32_t n = 1; n < count; n++) {
            taps[n] = taps[n - 1] + saliency_tap_of(level, (int32_t)n - 1 - level->reach_px);
        }
    }
}

static void add_scales(const struct saliency_plan *plan, struct saliency_glsl *glsl)
{
    glsl->constants.scales = (int32_t)glsl->table_count;
    int32_t *out = append(glsl, plan->scale_count * SALIENCY_GLSL_SCALE_INTS);
    for (uint32_t i = 0; i < plan->scale_count; i++, out += SALIENCY_GLSL_SCALE_INTS) {
        const struct saliency_scale *scale = &plan->scales[i];
        const int32_t whole_numbers[] = {scale->level, scale->reach, scale->width, scale->height,
                                         (int32_t)scale->offset};
        glsl->constants.fine_count += scale->kernels ? 1 : 0;
        memcpy(out, &scale->sigma_px, sizeof *out);
        memcpy(out + 1, whole_numbers, sizeof whole_numbers);
        memcpy(out + 6, scale->p, sizeof scale->p);
        memcpy(out + 6 + SALIENCY_REACH + 1, scale->q, sizeof scale->q);
    }
}

static void add_overlaps(const struct saliency_numbers *numbers, struct saliency_glsl *glsl)
{
    glsl->constants.overlaps = (int32_t)glsl->table_count;
    int32_t *out = append(glsl, SALIENCY_GLSL_OVERLAPS + 1);
    for (int32_t i = 0; i <= SALIENCY_GLSL_OVERLAPS; i++) {
        const float reach =
            (float)saliency_overlap_reach(numbers->overlap, (double)i / SALIENCY_GLSL_OVERLAPS);
        memcpy(&out[i], &reach, sizeof reach);
    }
}

/* ---- Passes */

static struct operator_pass pass_of(const struct shader *shader, uint32_t across, uint32_t down,
                                    const struct saliency_constants *constants)
{
    struct operator_pass pass =
        operator_pass_of((struct operator_shader){.shader = shader, .format = FOVEA_FORMAT_R32F},
                         constants, sizeof *constants);
    pass.groups[0] = across;
    pass.groups[1] = down;
    pass.barrier = true;
    return pass;
}

static struct operator_pass *add_pass(struct saliency_glsl_way *way, const struct shader *shader,
                                      uint32_t across, uint32_t down,
                                      const struct saliency_constants *constants)
{
    struct operator_pass *pass = &way->passes[way->count++];
    *pass = pass_of(shader, across, down, constants);
    return pass;
}

/* The jobs of a step come to this. */
struct step {
    uint64_t words; /* of planes */
    int32_t masks, near, far, tiles; /* near, far: workgroups */
};

/* A way is made with these. */
struct making {
    const struct saliency_plan *plan;
    struct saliency_glsl *glsl;
    struct saliency_glsl_way *way;
    struct saliency_constants constants;
    struct step step;
    int32_t reaches[SALIENCY_PER_OCTAVE]; /* the largest of scales whose number is that, modulo 3 */
    int32_t margin; /* samples around a response that it is made of */
    int32_t masks; /* words, of the step with the most */
};

/* Passes that make planes of other levels may be beside it. */
static void add_planes(struct making *making, const struct shader *shader, int32_t count)
{
    const uint32_t groups = (uint32_t)count;
    const uint32_t across = groups < ROW_GROUPS ? groups : ROW_GROUPS;
    if (groups > 0) {
        add_pass(making->way, shader, across, shader_divide_up(groups, across), &making->constants)
            ->barrier = false;
    }
}

static void add_filters(struct making *making)
{
    const uint32_t tiles = (uint32_t)making->step.tiles;
    const uint32_t shares = FILTER_GROUPS / (tiles * SALIENCY_PER_OCTAVE) + 1;
    for (int32_t i = 0; i < SALIENCY_PER_OCTAVE; i++) {
        making->constants.slot = i;
        if (making->reaches[i] > 0) {
            struct operator_pass *pass = add_pass(
                making->way, &saliency_filter_shader, tiles,
                shares < FILTER_SHARES_MOST ? shares : FILTER_SHARES_MOST, &making->constants);
            pass->shader.special[0] = making->reaches[i];
            pass->barrier = false;
        }
    }
}

static void end_pass(const struct making *making)
{
    making->way->passes[making->way->count - 1].barrier = true;
}

static void end_step(struct making *making)
{
    const struct step *step = &making->step;
    struct saliency_constants *constants = &making->constants;
    if (step->tiles == 0) {
        return;
    }
    int32_t *end = append(making->glsl, SALIENCY_GLSL_JOB_INTS); /* behind the last job */
    end[8] = end[9] = end[10] = INT32_MAX;
    add_planes(making, &saliency_near_shader, step->near);
    add_planes(making, &saliency_planes_shader, step->far);
    end_pass(making);
    add_filters(making);
    end_pass(making);
    if (4 * step->words > making->glsl->plane_bytes) {
        making->glsl->plane_bytes = 4 * step->words;
    }
    making->masks = step->masks > making->masks ? step->masks : making->masks;
    making->step = (struct step){0};
    constants->job = (int32_t)making->glsl->table_count - constants->jobs;
    constants->job /= SALIENCY_GLSL_JOB_INTS;
}

/* A sample of planes at a place of responses, both counted from their first. */
static int32_t sample_at(const struct saliency_axis *axis, int32_t place)
{
    return bounds_clamped(axis->out_first + place - axis->first, 0, samples_of(axis) - 1);
}

/* Rows of responses that fit, of those from `row` on, in whole tiles; planes of one tile's always
 * do. */
static int32_t rows_that_fit(const struct making *making, const struct saliency_level *level,
                             int32_t row, uint64_t words)
{
    const uint64_t row_words = (uint64_t)SALIENCY_BINS * (uint64_t)pitch_of(level) / 2;
    const int32_t left = outs_of(&level->y) - row;
    const int32_t fit = (int32_t)(words / row_words) - 2 * making->margin;
    const int32_t all = sample_at(&level->y, row + left + making->margin) -
                        sample_at(&level->y, row - making->margin) + 1;
    return words / row_words >= (uint64_t)all ? left
           : fit < SALIENCY_GLSL_TILE         ? 0
                                              : fit / SALIENCY_GLSL_TILE * SALIENCY_GLSL_TILE;
}

static void add_job(struct making *making, int32_t channel, int32_t number, int32_t out_row,
                    int32_t out_rows)
{
    const struct saliency_level *level = &making->plan->levels[number];
    const int32_t first = sample_at(&level->y, out_row - making->margin);
    const int32_t rows = sample_at(&level->y, out_row + out_rows - 1 + making->margin) - first + 1;
    const int32_t segments = pitch_of(level) / SALIENCY_GLSL_SAMPLES * rows;
    const bool near = level->step_px <= SALIENCY_GLSL_NEAR_STEP;
    struct step *step = &making->step;
    const int32_t plane = (int32_t)step->words;
    const int32_t mask = step->masks;
    step->words += (uint64_t)SALIENCY_BINS * (uint64_t)pitch_of(level) / 2 * (uint64_t)rows;
    step->masks += 4 * segments;
    step->near += near ? whole(pitch_of(level), SALIENCY_GLSL_NEAR_SAMPLES) * rows : 0;
    step->far += near ? 0 : segments;
    step->tiles +=
        whole(outs_of(&level->x), SALIENCY_GLSL_TILE) * whole(out_rows, SALIENCY_GLSL_TILE);
    const int32_t job[SALIENCY_GLSL_JOB_INTS] = {channel,    number,    out_row,    out_rows,
                                                 first,      rows,      plane,      mask,
                                                 step->near, step->far, step->tiles};
    memcpy(append(making->glsl, SALIENCY_GLSL_JOB_INTS), job, sizeof job);
}

/* In as many parts as it takes. */
static void add_level(struct making *making, int32_t channel, int32_t number)
{
    const struct saliency_level *level = &making->plan->levels[number];
    const uint64_t most = making->glsl->plane_most / 4;
    int32_t row = 0;
    while (level->step_px > 1 && row < outs_of(&level->y)) {
        const uint64_t there = making->step.words < most ? most - making->step.words : 0;
        int32_t rows = rows_that_fit(making, level, row, there);
        if (rows < outs_of(&level->y) - row && making->step.words > 0) {
            end_step(making);
            continue;
        }
        if (rows == 0) { /* more than wanted */
            const int32_t left = outs_of(&level->y) - row;
            rows = left < SALIENCY_GLSL_TILE ? left : SALIENCY_GLSL_TILE;
        }
        add_job(making, channel, number, row, rows);
        row += rows;
    }
}

static void add_order(struct making *making)
{
    struct saliency_constants *constants = &making->constants;
    add_pass(making->way, &saliency_rank_shader, RANK_GROUPS, 1, constants)->shader.special[0] = 1;
    constants->slot = 0;
    for (int64_t run = SALIENCY_GLSL_RUN; run < constants->candidate_capacity;
         run *= SALIENCY_GLSL_RUNS) {
        add_pass(making->way, &saliency_rank_shader, RANK_GROUPS, 1, constants);
        constants->slot++;
    }
}

static void add_lists(struct making *making)
{
    const struct saliency_constants *constants = &making->constants;
    add_pass(making->way, &saliency_maxima_shader, (uint32_t)whole(constants->size_px[0], 32),
             (uint32_t)whole(constants->size_px[1], 16), constants);
    add_order(making);
    for (int32_t is_last = 0; is_last < 2; is_last++) {
        add_pass(making->way, &saliency_prune_shader, is_last ? 1 : RANK_GROUPS, 1, constants)
            ->shader.special[0] = is_last;
    }
}

/* Level 0, a scale each time; what is made of planes is made beside it. */
static void add_fine(struct making *making)
{
    struct saliency_constants constants = making->constants;
    const uint32_t across = (uint32_t)whole(constants.size_px[0], SALIENCY_GLSL_SEGMENT);
    const uint32_t down =
        (uint32_t)(whole(constants.size_px[1], SALIENCY_GLSL_STRIP) * constants.channels);
    for (constants.slot = constants.fine_count - 1; constants.slot >= 0; constants.slot--) {
        struct operator_pass *pass =
            add_pass(making->way, &saliency_fine_shader, across, down, &constants);
        pass->shader.special[0] = making->plan->scales[constants.slot].reach;
        pass->barrier = making->plan->level_count == 1 && constants.slot == 0;
    }
}

static void add_way(const struct saliency_plan *plan, struct saliency_glsl *glsl, uint32_t number,
                    int32_t *masks)
{
    struct making making = {.plan = plan,
                            .glsl = glsl,
                            .way = &glsl->ways[number],
                            .constants = glsl->constants,
                            .margin = 0};
    making.constants.channels = number ? SALIENCY_CHANNELS : 1;
    making.constants.jobs = (int32_t)glsl->table_count;
    for (uint32_t i = 0; i < plan->scale_count; i++) {
        const struct saliency_scale *scale = &plan->scales[i];
        int32_t *reach = &making.reaches[i % SALIENCY_PER_OCTAVE];
        *reach = !scale->kernels && scale->reach > *reach ? scale->reach : *reach;
        making.margin = *reach > making.margin ? *reach : making.margin;
    }
    add_pass(making.way, &saliency_bins_shader, (uint32_t)whole(making.constants.bin_pitch, 64),
             (uint32_t)whole(making.constants.bin_rows, 4), &making.constants);
    add_fine(&making);
    /* Planes of coarse levels take longest, so they come first. */
    for (int32_t level = (int32_t)plan->level_count - 1; level >= 0; level--) {
        for (int32_t channel = 0; channel < making.constants.channels; channel++) {
            add_level(&making, channel, level);
        }
    }
    end_step(&making);
    *masks = making.masks > *masks ? making.masks : *masks;
    add_lists(&making);
}

/* ---- Places */

static int32_t place(uint64_t words, uint64_t *total)
{
    const uint64_t at = *total;
    *total += (words + 63) / 64 * 64;
    return (int32_t)at;
}

/* Masks come last, as the passes are not known yet. */
static void place_all(const struct saliency_plan *plan, struct saliency_glsl *glsl, uint64_t *words)
{
    const uint64_t pixels = (uint64_t)plan->width_px * (uint64_t)plan->height_px;
    const uint32_t most = saliency_candidates_most(plan);
    const uint64_t fit = pixels / PIXELS_PER_CANDIDATE;
    struct saliency_constants *constants = &glsl->constants;
    constants->size_px[0] = plan->width_px;
    constants->size_px[1] = plan->height_px;
    constants->bin_pitch = (whole(plan->width_px, SALIENCY_GLSL_SEGMENT) * SALIENCY_GLSL_SEGMENT +
                            2 * SALIENCY_GLSL_PAD_PX) /
                           4;
    constants->bin_rows = plan->height_px + 2 * SALIENCY_GLSL_PAD_PX;
    constants->response_count = (int32_t)plan->response_count;
    constants->candidate_capacity = (int32_t)(fit > most ? fit : most);
    constants->candidate_most = (int32_t)most;
    constants->blob_max = (int32_t)plan->numbers.blob_max;
    constants->scale_count = (int32_t)plan->scale_count;
    constants->threshold = plan->numbers.threshold > 0.0 ? (float)plan->numbers.threshold : 0.0f;
    const uint64_t bins = (uint64_t)SALIENCY_CHANNELS * (uint64_t)constants->bin_rows *
                          (uint64_t)constants->bin_pitch;
    const uint64_t orders = 2 * (uint64_t)constants->candidate_capacity;
    const uint64_t near = SALIENCY_GLSL_NEAR * (uint64_t)most;
    const uint64_t more = orders > bins ? orders : bins;
    /* Nobody looks at bins any more when candidates are sorted, nor at orders then. */
    constants->orders = constants->near = place(more > near ? more : near, words);
    constants->responses = place(plan->response_count, words);
    constants->counts = place(1, words);
    constants->candidates =
        place(SALIENCY_GLSL_CANDIDATE_INTS * (uint64_t)constants->candidate_capacity, words);
    constants->sorted = place(SALIENCY_GLSL_BLOB_INTS * (uint64_t)most, words);
    constants->states = place(most, words);
    constants->masks = place(0, words);
}

/* ---- Memory */

/* A job has a tile's rows at least, and a step a job. */
static uint32_t most_jobs(const struct saliency_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->level_count; i++) {
        const struct saliency_level *level = &plan->levels[i];
        const int32_t each = level->step_px > 1 ? whole(outs_of(&level->y), SALIENCY_GLSL_TILE) : 0;
        count += SALIENCY_CHANNELS * (uint32_t)each;
    }
    return count;
}

static uint32_t most_ints(const struct saliency_plan *plan)
{
    uint32_t count = plan->level_count * SALIENCY_GLSL_LEVEL_INTS +
                     plan->scale_count * SALIENCY_GLSL_SCALE_INTS + SALIENCY_GLSL_OVERLAPS + 1;
    for (uint32_t i = 0; i < plan->level_count; i++) {
        count += taps_of(&plan->levels[i]);
    }
    return count + SALIENCY_GLSL_WAYS * 2 * most_jobs(plan) * SALIENCY_GLSL_JOB_INTS;
}

static enum fovea_result make_memory(const struct saliency_plan *plan, struct saliency_glsl *glsl)
{
    const size_t passes = OTHER_PASSES + plan->scale_count + (size_t)STEP_PASSES * most_jobs(plan);
    glsl->tables = calloc(most_ints(plan), sizeof *glsl->tables);
    bool made = glsl->tables;
    for (uint32_t i = 0; i < SALIENCY_GLSL_WAYS; i++) {
        glsl->ways[i].passes = calloc(passes, sizeof *glsl->ways[i].passes);
        made = made && glsl->ways[i].passes;
    }
    return made ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

static enum fovea_result fill(const struct saliency_plan *plan, struct saliency_glsl *glsl)
{
    uint64_t words = 0;
    int32_t masks = 0;
    FOVEA_TRY(make_memory(plan, glsl));
    place_all(plan, glsl, &words);
    add_levels(plan, glsl);
    add_scales(plan, glsl);
    add_overlaps(&plan->numbers, glsl);
    for (uint32_t i = 0; i < SALIENCY_GLSL_WAYS; i++) {
        add_way(plan, glsl, i, &masks);
    }
    glsl->work_bytes = 4 * (words + (uint64_t)masks);
    return FOVEA_OK;
}

enum fovea_result saliency_glsl_create(const struct saliency_numbers *numbers, uint32_t width_px,
                                       uint32_t height_px, uint64_t plane_bytes_most,
                                       struct saliency_glsl **out_glsl)
{
    struct saliency_plan *plan = NULL;
    struct saliency_glsl *glsl = calloc(1, sizeof *glsl);
    *out_glsl = NULL;
    if (!glsl) {
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    glsl->plane_most = plane_bytes_most;
    enum fovea_result result = saliency_plan_create(numbers, width_px, height_px, &plan);
    result = result < 0 ? result : fill(plan, glsl);
    saliency_plan_destroy(&plan);
    if (result < 0) {
        saliency_glsl_destroy(&glsl);
    }
    *out_glsl = glsl;
    return result;
}

void saliency_glsl_destroy(struct saliency_glsl **glsl)
{
    if (!*glsl) {
        return;
    }
    for (uint32_t i = 0; i < SALIENCY_GLSL_WAYS; i++) {
        free((*glsl)->ways[i].passes);
    }
    free((*glsl)->tables);
    free(*glsl);
    *glsl = NULL;
}

const struct saliency_glsl_way *saliency_glsl_way_of(const struct saliency_glsl *glsl, bool is_grey)
{
    return &glsl->ways[is_grey ? 0 : 1];
}

void saliency_glsl_map(const struct saliency_glsl *glsl, uint32_t scale,
                       struct operator_pass *out_pass)
{
    struct saliency_constants constants = glsl->constants;
    constants.slot = (int32_t)scale;
    *out_pass = pass_of(&saliency_map_shader, (uint32_t)whole(constants.size_px[0], 16),
                        (uint32_t)whole(constants.size_px[1], 16), &constants);
}
