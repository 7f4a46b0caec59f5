/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "chain_plan.h"

#include "core/log.h"
#include "kernels/operators.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void plan_destroy(struct operator_plan **plan)
{
    struct chain_plan *chain = (struct chain_plan *)*plan;
    for (uint32_t i = 0; chain && i < chain->count; i++) {
        if (chain->parts[i].plan) {
            chain->parts[i].api->plan_destroy(&chain->parts[i].plan);
        }
    }
    if (chain) {
        free(chain->levels);
    }
    free(chain);
    *plan = NULL;
}

/* The parts of a row for images of 16 bits get floats. */
static struct operator_plan_desc inner_of(const struct chain_plan *chain,
                                          const struct operator_plan_desc *desc)
{
    struct operator_plan_desc inner = *desc;
    inner.levels = chain->levels;
    return inner;
}

static enum fovea_result make_parts(const struct operator_plan_desc *desc, struct chain_plan *chain)
{
    const struct fovea_operators *operators = &desc->settings->operators;
    for (uint32_t i = 0; i < operators->count; i++) {
        struct chain_part *part = &chain->parts[i];
        part->name = operators->order[i];
        part->api = operators_at(part->name);
        chain->count++;
        FOVEA_TRY(part->api->plan_create(desc, &part->plan));
        chain->base.cuda_bytes += part->plan->cuda_bytes;
    }
    return FOVEA_OK;
}

static enum fovea_result make(const struct operator_plan_desc *desc, struct chain_plan *chain)
{
    if (desc->of_16_bits) {
        FOVEA_TRY(levels_light_create(&desc->settings->foveation, &chain->levels));
    }
    const struct operator_plan_desc inner = inner_of(chain, desc);
    return make_parts(&inner, chain);
}

/* Passes on the first complaint of them. */
static bool plan_complain(const struct operator_plan_desc *desc, char *out, size_t bytes)
{
    const struct fovea_operators *operators = &desc->settings->operators;
    bool said = false;
    for (uint32_t i = 0; !said && i < operators->count; i++) {
        const struct operator_api *api = operators_at(operators->order[i]);
        said = api->plan_complain && api->plan_complain(desc, out, bytes);
    }
    return said;
}

bool chain_part_lacks(const struct chain_part *part, enum fovea_backend backend, char *out,
                      size_t bytes)
{
    return part->api->plan_lacks && part->api->plan_lacks(part->plan, backend, out, bytes);
}

/* Likewise. */
static bool plan_lacks(const struct operator_plan *plan, enum fovea_backend backend, char *out,
                       size_t bytes)
{
    const struct chain_plan *chain = chain_plan_of(plan);
    bool said = false;
    for (uint32_t i = 0; !said && i < chain->count; i++) {
        said = chain_part_lacks(&chain->parts[i], backend, out, bytes);
    }
    return said;
}

/* The settings were checked: there are operators, and none comes twice. All are asked before any
 * plan is made: frames that one of them refuses are tried again and again. */
static enum fovea_result plan_create(const struct operator_plan_desc *desc,
                                     struct operator_plan **out_plan)
{
    char words[OPERATOR_DESCRIPTION_BYTES];
    *out_plan = NULL;
    if (plan_complain(desc, words, sizeof words)) {
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    struct chain_plan *chain = calloc(1, sizeof *chain);
    FOVEA_TRY_MEMORY(chain);
    struct operator_plan *plan = &chain->base;
    plan->api = &chain_operator;
    chain->width_px = desc->width_px;
    chain->height_px = desc->height_px;
    chain->has_sigmas = desc->has_sigmas;
    const enum fovea_result result = make(desc, chain);
    if (result < 0) {
        plan_destroy(&plan);
        return result;
    }
    plan->images_between =
        chain->count > OPERATOR_MAX_BETWEEN ? OPERATOR_MAX_BETWEEN : chain->count - 1;
    *out_plan = plan;
    return FOVEA_OK;
}

static bool plan_fits(const struct operator_plan *plan, const struct operator_plan_desc *desc)
{
    const struct chain_plan *chain = chain_plan_of(plan);
    const struct fovea_operators *operators = &desc->settings->operators;
    bool fits = chain->count == operators->count && chain->has_sigmas == desc->has_sigmas &&
                desc->of_16_bits == (chain->levels != NULL) &&
                (!chain->levels || levels_light_fits(chain->levels, &desc->settings->foveation));
    const struct operator_plan_desc inner = inner_of(chain, desc);
    for (uint32_t i = 0; fits && i < chain->count; i++) {
        const struct chain_part *part = &chain->parts[i];
        fits = part->name == operators->order[i] && part->api->plan_fits(part->plan, &inner);
    }
    return fits;
}

/* Joins what each of them says, with "; " between. */
static bool plan_describe(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct chain_plan *chain = chain_plan_of(plan);
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < chain->count; i++) {
        const struct chain_part *part = &chain->parts[i];
        char words[OPERATOR_DESCRIPTION_BYTES];
        if (part->api->plan_describe && part->api->plan_describe(part->plan, words, sizeof words) &&
            used < bytes) {
            snprintf(out + used, bytes - used, "%s%s", used ? "; " : "", words);
            used += strlen(out + used);
        }
    }
    return used > 0;
}

/* "smooth paper  linear light  strength 1.00", with "  + " between those of several. */
static void plan_summarize(const struct operator_plan *plan, char *out, size_t bytes)
{
    const struct chain_plan *chain = chain_plan_of(plan);
    size_t used = 0;
    for (uint32_t i = 0; i < chain->count && used < bytes; i++) {
        const struct chain_part *part = &chain->parts[i];
        char words[OPERATOR_DESCRIPTION_BYTES];
        if (part->api->plan_summarize) {
            part->api->plan_summarize(part->plan, words, sizeof words);
        } else {
            snprintf(words, sizeof words, "%s", part->api->name);
        }
        snprintf(out + used, bytes - used, "%s%s", i ? "  + " : "", words);
        used += strlen(out + used);
    }
}

bool chain_runs_blind(const struct fovea_operators *operators)
{
    bool runs = false;
    for (uint32_t i = 0; i < operators->count; i++) {
        runs = runs || !operators_at(operators->order[i])->looks_at_gaze;
    }
    return runs;
}

bool chain_takes_sigmas(const struct fovea_operators *operators)
{
    bool takes = false;
    for (uint32_t i = 0; i < operators->count; i++) {
        takes = takes || operators_at(operators->order[i])->takes_sigmas;
    }
    return takes;
}

bool chain_needs_depth(const struct fovea_operators *operators)
{
    bool needs = false;
    for (uint32_t i = 0; i < operators->count; i++) {
        needs = needs || operators_at(operators->order[i])->needs_depth;
    }
    return needs;
}

struct chain_way chain_way_of(const struct chain_plan *plan, bool blind)
{
    struct chain_way way = {0};
    for (uint32_t i = 0; i < plan->count; i++) {
        if (!blind || !plan->parts[i].api->looks_at_gaze) {
            way.parts[way.count++] = i;
        }
    }
    return way;
}

/* ---- Places and gazes */

static struct fovea_point_uv inside(struct fovea_point_uv place)
{
    return (struct fovea_point_uv){fmin(fmax(place.x_uv, 0.0), 1.0),
                                   fmin(fmax(place.y_uv, 0.0), 1.0)};
}

/* The first part that looks at the gaze; the chain's count where none does. */
static uint32_t looking_part(const struct chain_plan *chain)
{
    uint32_t part = 0;
    while (part < chain->count && !chain->parts[part].api->looks_at_gaze &&
           !chain->parts[part].api->follows_gaze) {
        part++;
    }
    return part;
}

bool chain_moves_places(const struct operator_plan *plan)
{
    const struct chain_plan *chain = chain_plan_of(plan);
    bool moves = false;
    for (uint32_t i = looking_part(chain) + 1; i < chain->count; i++) {
        moves = moves || chain->parts[i].api->place_before;
    }
    return moves;
}

struct fovea_point_uv chain_gaze_at(const struct operator_plan *plan, struct fovea_point_uv place)
{
    const struct chain_plan *chain = chain_plan_of(plan);
    for (uint32_t i = chain->count; i-- > looking_part(chain) + 1;) {
        const struct chain_part *part = &chain->parts[i];
        if (part->api->place_before) {
            place = part->api->place_before(part->plan, inside(place));
        }
    }
    return place;
}

#define NEWTON_STEPS 12
#define NEWTON_APART_UV 1e-3
#define NEWTON_STEP_UV 0.25 /* at most, along an axis: slopes far away say little of here */

/* How far the gaze is from where a place lets somebody look. */
static struct fovea_point_uv miss(const struct operator_plan *plan, struct fovea_point_uv place,
                                  struct fovea_point_uv gaze)
{
    const struct fovea_point_uv at = chain_gaze_at(plan, place);
    return (struct fovea_point_uv){gaze.x_uv - at.x_uv, gaze.y_uv - at.y_uv};
}

/* Differences towards the middle, so that both places are in the picture. */
static struct fovea_point_uv newton_step(const struct operator_plan *plan,
                                         struct fovea_point_uv place, struct fovea_point_uv gaze)
{
    const double right = place.x_uv < 0.5 ? NEWTON_APART_UV : -NEWTON_APART_UV;
    const double down = place.y_uv < 0.5 ? NEWTON_APART_UV : -NEWTON_APART_UV;
    const struct fovea_point_uv here = miss(plan, place, gaze);
    const struct fovea_point_uv beside =
        miss(plan, (struct fovea_point_uv){place.x_uv + right, place.y_uv}, gaze);
    const struct fovea_point_uv below =
        miss(plan, (struct fovea_point_uv){place.x_uv, place.y_uv + down}, gaze);
    const double xx = (here.x_uv - beside.x_uv) / right;
    const double yx = (here.y_uv - beside.y_uv) / right;
    const double xy = (here.x_uv - below.x_uv) / down;
    const double yy = (here.y_uv - below.y_uv) / down;
    const double area = xx * yy - xy * yx;
    if (!(fabs(area) > 1e-9)) {
        return (struct fovea_point_uv){0.0, 0.0};
    }
    const double x = (here.x_uv * yy - here.y_uv * xy) / area;
    const double y = (here.y_uv * xx - here.x_uv * yx) / area;
    return (struct fovea_point_uv){fmin(fmax(x, -NEWTON_STEP_UV), NEWTON_STEP_UV),
                                   fmin(fmax(y, -NEWTON_STEP_UV), NEWTON_STEP_UV)};
}

struct fovea_point_uv chain_place_of(const struct operator_plan *plan, struct fovea_point_uv gaze)
{
    if (!chain_moves_places(plan)) {
        return gaze;
    }
    struct fovea_point_uv place = inside(gaze);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        const struct fovea_point_uv step = newton_step(plan, place, gaze);
        place = inside((struct fovea_point_uv){place.x_uv + step.x_uv, place.y_uv + step.y_uv});
    }
    return place;
}

const struct operator_plan *chain_only_plan(const struct operator_plan *plan)
{
    const struct chain_plan *chain = chain_plan_of(plan);
    return chain->count == 1 ? chain->parts[0].plan : NULL;
}

const struct operator_api chain_operator = {
    .name = "row",
    .plan_create = plan_create,
    .plan_complain = plan_complain,
    .plan_lacks = plan_lacks,
    .plan_destroy = plan_destroy,
    .plan_fits = plan_fits,
    .plan_describe = plan_describe,
    .plan_summarize = plan_summarize,
    .host = &chain_operator_host,
    .glsl = &chain_operator_glsl,
#if FOVEA_HAVE_CUDA
    .cuda = &chain_operator_cuda,
#endif
};
