/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "saliency_glsl.h"

#include "core/bounds.h"
#include "core/log.h"
#include "kernels/saliency/cpu/saliency_cpu.h"

#include <assert.h>
#include <math.h>

_Static_assert(sizeof(struct saliency_constants) <= OPERATOR_CONSTANT_BYTES, "more than there is");
_Static_assert(sizeof(struct saliency_candidate) == 4 * SALIENCY_GLSL_CANDIDATE_INTS, "");
_Static_assert(sizeof(struct fovea_blob) == 4 * SALIENCY_GLSL_BLOB_INTS, "");
_Static_assert(SALIENCY_GLSL_SCALE_INTS == 6 + 2 * (SALIENCY_REACH + 1), "");
_Static_assert(SALIENCY_GLSL_PAD_PX > SALIENCY_FINE_REACH, "and whole words");

#define PLANE_THREADS 256 /* of a workgroup that makes planes */
/* Up to so many threads' work a workgroup has all of a plane, and goes on to the next level: more
 * beside level 0, which hides that it waits. */
#define PLANE_THREADS_OF_ONE 256
#define PLANE_THREADS_OF_ONE_BESIDE 2048
#define RANK_GROUPS 512
#define PIXELS_PER_CANDIDATE 4 /* twice as near to each other as maxima of the smallest scale */
#define FILTER_GROUPS 4096 /* wanted */
#define FILTER_SHARES_MOST 4
#define OTHER_PASSES 16 /* merge sorts of 2^32 take 6 */

/* ---- Tables */

static int32_t samples_of(const struct saliency_axis *axis)
{
    return axis->last - axis->first + 1;
}

static int32_t outs_of(const struct saliency_axis *axis)
{
    return axis->out_last - axis->out_first + 1;
}

/* One behind the last is like it. */
static int32_t pitch_of(const struct saliency_level *level)
{
    return bounds_parts(samples_of(&level->x) + 1, SALIENCY_GLSL_SAMPLES) * SALIENCY_GLSL_SAMPLES;
}

/* Words of a plane */
static uint64_t plane_words_of(const struct saliency_level *level)
{
    return (uint64_t)pitch_of(level) / 2 * (uint64_t)samples_of(&level->y);
}

static int32_t tiles_of(const struct saliency_level *level)
{
    return level->scale_first == level->scale_end
               ? 0
               : bounds_parts(outs_of(&level->x), SALIENCY_GLSL_TILE) *
                     bounds_parts(outs_of(&level->y), SALIENCY_GLSL_TILE);
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

/* Level 0 has no planes. */
static void add_levels(const struct saliency_plan *plan, struct saliency_glsl *glsl,
                       uint64_t planes_at_once, uint64_t *mask_words)
{
    glsl->constants.levels = (int32_t)glsl->table_count;
    int32_t *out = append(glsl, plan->level_count * SALIENCY_GLSL_LEVEL_INTS);
    uint64_t plane = 0;
    for (uint32_t i = 0; i < plan->level_count; i++, out += SALIENCY_GLSL_LEVEL_INTS) {
        const struct saliency_level *level = &plan->levels[i];
        out[0] = level->step_px;
        out[1] = pitch_of(level);
        fill_axis(&level->x, out + 2);
        fill_axis(&level->y, out + 6);
        out[10] = (int32_t)level->scale_first;
        out[11] = (int32_t)level->scale_end;
        out[12] = (int32_t)plane;
        out[13] = (int32_t)*mask_words;
        out[14] = tiles_of(level);
        if (i > 0) {
            plane += planes_at_once * plane_words_of(level);
            *mask_words += (uint64_t)SALIENCY_CHANNELS * 4 * (uint64_t)pitch_of(level) /
                           SALIENCY_GLSL_SAMPLES * (uint64_t)samples_of(&level->y);
        }
    }
    glsl->plane_bytes = 4 * plane;
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
    assert(way->count < way->capacity);
    struct operator_pass *pass = &way->passes[way->count++];
    *pass = pass_of(shader, across, down, constants);
    return pass;
}

/* Planes of so many channels and bins are in memory at once. */
struct at_once {
    int32_t channels, bins;
};

/* One plane always is. */
static struct at_once planes_that_fit(const struct saliency_plan *plan, uint64_t bytes)
{
    uint64_t words = 1;
    for (uint32_t i = 1; i < plan->level_count; i++) {
        words += plane_words_of(&plan->levels[i]);
    }
    const uint64_t planes = bytes / 4 / words;
    const uint64_t channels = planes / SALIENCY_BINS;
    return channels == 0 ? (struct at_once){1, planes > 0 ? (int32_t)planes : 1}
                         : (struct at_once){channels < SALIENCY_CHANNELS ? (int32_t)channels
                                                                         : SALIENCY_CHANNELS,
                                            SALIENCY_BINS};
}

/* A way is made with these. */
struct making {
    const struct saliency_plan *plan;
    struct saliency_glsl_way *way;
    struct saliency_constants constants;
};

static void add_planes_of_pixels(struct making *making)
{
    const struct saliency_level *level = &making->plan->levels[1];
    const uint32_t rows = (uint32_t)(making->constants.channel_count * samples_of(&level->y));
    add_pass(making->way, &saliency_near_shader,
             (uint32_t)bounds_parts(pitch_of(level), SALIENCY_GLSL_NEAR_SAMPLES), rows,
             &making->constants);
}

/* Threads that a plane takes */
static uint32_t threads_of(const struct saliency_level *level)
{
    return (uint32_t)(pitch_of(level) / 2 *
                      bounds_parts(samples_of(&level->y), SALIENCY_GLSL_PLANE_ROWS));
}

/* Level 0 of a scale and of the channels whose planes are made */
static void add_fine_scale(struct making *making, int32_t scale)
{
    struct saliency_constants *constants = &making->constants;
    const uint32_t across = (uint32_t)bounds_parts(constants->size_px[0], SALIENCY_GLSL_SEGMENT);
    const uint32_t strips = (uint32_t)bounds_parts(constants->size_px[1], SALIENCY_GLSL_STRIP);
    constants->slot = scale;
    add_pass(making->way, &saliency_fine_shader, across,
             strips * (uint32_t)constants->channel_count, constants)
        ->shader.special[0] = making->plan->scales[scale].reach;
}

static void end_pass(const struct making *making, bool barrier)
{
    making->way->passes[making->way->count - 1].barrier = barrier;
}

/* Without planes */
static void add_fine(struct making *making)
{
    making->constants.channel_count = making->constants.channels;
    for (int32_t scale = making->constants.fine_count - 1; scale >= 0; scale--) {
        add_fine_scale(making, scale);
        end_pass(making, scale == 0);
    }
}

/* Sums `count` scales of level 0 beside the last pass, whose planes leave most of a GPU idle. No
 * barrier is between them: in the buffer that both write into, level 0 reads bins of pixels and
 * writes responses, and that pass reads which bins there are and has masks. left: how many scales
 * are left, which become less */
static void add_beside(struct making *making, int32_t count, int32_t *left)
{
    for (int32_t i = 0; *left > 0 && i < count; i++) {
        end_pass(making, false);
        add_fine_scale(making, --*left);
    }
}

/* Levels whose planes have little work are made in one pass, which has a workgroup for each plane.
 * fine: how many scales of level 0 are beside them */
static void add_planes(struct making *making, int32_t fine)
{
    struct saliency_constants *constants = &making->constants;
    const uint32_t threads_of_one = fine > 0 ? PLANE_THREADS_OF_ONE_BESIDE : PLANE_THREADS_OF_ONE;
    const uint32_t down = (uint32_t)(constants->channel_count * (constants->bin_count + 1));
    bool goes_on = false;
    for (uint32_t i = 2; i < making->plan->level_count && !goes_on; i++) {
        const uint32_t threads = threads_of(&making->plan->levels[i]);
        constants->slot = (int32_t)i;
        goes_on = threads <= threads_of_one;
        add_pass(making->way, &saliency_planes_shader,
                 goes_on ? 1 : shader_divide_up(threads, PLANE_THREADS), down, constants)
            ->shader.special[0] = goes_on;
        add_beside(making, goes_on ? fine : 1, &fine);
    }
    add_beside(making, fine, &fine);
}

/* The largest reach of scales of coarser levels whose number is that, modulo 3; 0: there is none */
static int32_t reach_of(const struct saliency_plan *plan, uint32_t slot)
{
    int32_t reach = 0;
    for (uint32_t i = plan->levels[0].scale_end; i < plan->scale_count; i++) {
        const int32_t own = i % SALIENCY_PER_OCTAVE == slot ? plan->scales[i].reach : 0;
        reach = own > reach ? own : reach;
    }
    return reach;
}

/* Filters may be beside each other. */
static void add_filters(struct making *making)
{
    struct saliency_constants *constants = &making->constants;
    uint32_t tiles = 0;
    for (uint32_t i = 1; i < making->plan->level_count; i++) {
        tiles += (uint32_t)(tiles_of(&making->plan->levels[i]) * constants->channel_count);
    }
    const uint32_t shares = tiles ? FILTER_GROUPS / (tiles * SALIENCY_PER_OCTAVE) + 1 : 1;
    for (int32_t i = 0; i < SALIENCY_PER_OCTAVE; i++) {
        const int32_t reach = reach_of(making->plan, (uint32_t)i);
        constants->slot = i;
        if (reach > 0) {
            struct operator_pass *pass =
                add_pass(making->way, &saliency_filter_shader, tiles,
                         shares < FILTER_SHARES_MOST ? shares : FILTER_SHARES_MOST, constants);
            pass->shader.special[0] = reach;
            pass->barrier = false; /* but behind the last */
        }
    }
    end_pass(making, true);
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
    add_pass(making->way, &saliency_maxima_shader,
             (uint32_t)bounds_parts(constants->size_px[0], 32),
             (uint32_t)bounds_parts(constants->size_px[1], 16), constants);
    add_order(making);
    for (int32_t is_last = 0; is_last < 2; is_last++) {
        add_pass(making->way, &saliency_prune_shader, is_last ? 1 : RANK_GROUPS, 1, constants)
            ->shader.special[0] = is_last;
    }
}

/* Planes that are in memory at once, and what is made of them. Level 0 is not beside the first, as
 * both add to shared memory. */
static void add_step(struct making *making)
{
    add_planes_of_pixels(making);
    add_planes(making, making->constants.bin_first == 0 ? making->constants.fine_count : 0);
    add_filters(making);
}

static void add_steps(struct making *making, const struct at_once *at_once)
{
    struct saliency_constants *constants = &making->constants;
    for (int32_t channel = 0; channel < constants->channels; channel += at_once->channels) {
        for (int32_t bin = 0; bin < SALIENCY_BINS; bin += at_once->bins) {
            const int32_t channels = constants->channels - channel;
            const int32_t bins = SALIENCY_BINS - bin;
            constants->channel_first = channel;
            constants->channel_count = channels < at_once->channels ? channels : at_once->channels;
            constants->bin_first = bin;
            constants->bin_count = bins < at_once->bins ? bins : at_once->bins;
            add_step(making);
        }
    }
}

static void add_way(const struct saliency_plan *plan, struct saliency_glsl *glsl, uint32_t number,
                    const struct at_once *at_once)
{
    struct making making = {.plan = plan, .way = &glsl->ways[number], .constants = glsl->constants};
    struct saliency_constants *constants = &making.constants;
    constants->channels = number ? SALIENCY_CHANNELS : 1;
    add_pass(making.way, &saliency_bins_shader, (uint32_t)bounds_parts(constants->bin_pitch, 64),
             (uint32_t)bounds_parts(constants->bin_rows, 4), constants);
    if (plan->level_count > 1) {
        add_steps(&making, at_once);
    } else {
        add_fine(&making);
    }
    add_lists(&making);
}

/* ---- Places */

static int32_t place(uint64_t words, uint64_t *total)
{
    const uint64_t at = *total;
    *total += (words + 63) / 64 * 64;
    return (int32_t)at;
}

/* Masks come last, as levels are not known yet. */
static void place_all(const struct saliency_plan *plan, struct saliency_glsl *glsl, uint64_t *words)
{
    const uint64_t pixels = (uint64_t)plan->width_px * (uint64_t)plan->height_px;
    const uint32_t most = saliency_candidates_most(plan);
    const uint64_t fit = pixels / PIXELS_PER_CANDIDATE;
    struct saliency_constants *constants = &glsl->constants;
    constants->size_px[0] = plan->width_px;
    constants->size_px[1] = plan->height_px;
    constants->bin_pitch =
        (bounds_parts(plan->width_px, SALIENCY_GLSL_SEGMENT) * SALIENCY_GLSL_SEGMENT +
         2 * SALIENCY_GLSL_PAD_PX) /
        4;
    constants->bin_rows = plan->height_px + 2 * SALIENCY_GLSL_PAD_PX;
    constants->response_count = (int32_t)plan->response_count;
    constants->candidate_capacity = (int32_t)(fit > most ? fit : most);
    constants->candidate_most = (int32_t)most;
    constants->blob_max = (int32_t)plan->numbers.blob_max;
    constants->scale_count = (int32_t)plan->scale_count;
    constants->level_count = (int32_t)plan->level_count;
    constants->threshold = plan->numbers.threshold > 0.0 ? (float)plan->numbers.threshold : 0.0f;
    const uint64_t bins = (uint64_t)SALIENCY_CHANNELS * (uint64_t)constants->bin_rows *
                          (uint64_t)constants->bin_pitch;
    const uint64_t orders = 2 * (uint64_t)constants->candidate_capacity;
    const uint64_t near = SALIENCY_GLSL_NEAR * (uint64_t)most;
    const uint64_t more = orders > bins ? orders : bins;
    /* Nobody looks at bins any more when candidates are sorted, nor at orders then. */
    constants->orders = constants->near = place(more > near ? more : near, words);
    constants->responses = place(plan->response_count, words);
    constants->counts = place(1 + SALIENCY_CHANNELS * SALIENCY_BINS / 32, words);
    constants->candidates =
        place(SALIENCY_GLSL_CANDIDATE_INTS * (uint64_t)constants->candidate_capacity, words);
    constants->sorted = place(SALIENCY_GLSL_BLOB_INTS * (uint64_t)most, words);
    constants->states = place(most, words);
    constants->masks = place(0, words);
}

/* ---- Memory */

/* Each step has a pass of pixels, one of each coarser level at most, and filters; each channel has
 * one of each scale of level 0. */
static size_t most_passes(const struct saliency_plan *plan, const struct at_once *at_once)
{
    const size_t steps = (size_t)bounds_parts(SALIENCY_CHANNELS, at_once->channels) *
                         (size_t)bounds_parts(SALIENCY_BINS, at_once->bins);
    return OTHER_PASSES + (size_t)SALIENCY_CHANNELS * plan->scale_count +
           steps * (plan->level_count + SALIENCY_PER_OCTAVE);
}

static enum fovea_result make_memory(const struct saliency_plan *plan,
                                     const struct at_once *at_once, struct saliency_glsl *glsl)
{
    const size_t passes = most_passes(plan, at_once);
    const size_t ints = plan->level_count * SALIENCY_GLSL_LEVEL_INTS +
                        plan->scale_count * SALIENCY_GLSL_SCALE_INTS + SALIENCY_GLSL_OVERLAPS + 1;
    glsl->tables = calloc(ints, sizeof *glsl->tables);
    bool made = glsl->tables;
    for (uint32_t i = 0; i < SALIENCY_GLSL_WAYS; i++) {
        glsl->ways[i].passes = calloc(passes, sizeof *glsl->ways[i].passes);
        glsl->ways[i].capacity = (uint32_t)passes;
        made = made && glsl->ways[i].passes;
    }
    return made ? FOVEA_OK : FOVEA_ERROR_OUT_OF_MEMORY;
}

static enum fovea_result fill(const struct saliency_plan *plan, struct saliency_glsl *glsl)
{
    uint64_t words = 0;
    uint64_t mask_words = 0;
    const struct at_once at_once = planes_that_fit(plan, glsl->plane_most);
    FOVEA_TRY(make_memory(plan, &at_once, glsl));
    place_all(plan, glsl, &words);
    add_levels(plan, glsl, (uint64_t)at_once.channels * (uint64_t)at_once.bins, &mask_words);
    add_scales(plan, glsl);
    add_overlaps(&plan->numbers, glsl);
    for (uint32_t i = 0; i < SALIENCY_GLSL_WAYS; i++) {
        add_way(plan, glsl, i, &at_once);
    }
    glsl->work_bytes = 4 * (words + mask_words);
    return FOVEA_OK;
}

enum fovea_result saliency_glsl_create(const struct saliency_numbers *numbers, uint32_t width_px,
                                       uint32_t height_px, uint64_t plane_bytes_most,
                                       struct saliency_glsl **out_glsl)
{
    struct saliency_plan *plan = NULL;
    struct saliency_glsl *glsl = calloc(1, sizeof *glsl);
    *out_glsl = NULL;
    FOVEA_TRY_MEMORY(glsl);
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
    *out_pass = pass_of(&saliency_map_shader, (uint32_t)bounds_parts(constants.size_px[0], 16),
                        (uint32_t)bounds_parts(constants.size_px[1], 16), &constants);
}
