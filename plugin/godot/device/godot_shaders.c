/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_shaders.h"

#include <string.h>

static const uint32_t colour_to_words[] =
#include "colour_to_words.inc"
    ;
static const uint32_t words_to_colour[] =
#include "words_to_colour.inc"
    ;

const struct shader godot_shader_from_colour = SHADER_CODE(colour_to_words, colour_to_words);
const struct shader godot_shader_to_colour = SHADER_CODE(words_to_colour, words_to_colour);

#define FOUR_WORDS 1 /* of struct shader's words: half floats are four */

static void set_specials(const struct operator_shader *wanted, int32_t out[GODOT_SPIRV_SPECIALS])
{
    memset(out, 0, GODOT_SPIRV_SPECIALS * sizeof *out);
    out[0] = FOVEA_FORMAT_RGBA16F;
    memcpy(out + 1, wanted->special, sizeof wanted->special);
}
_Static_assert(SHADER_SPECIAL_COUNT < GODOT_SPIRV_SPECIALS, "and the format");

static bool make(struct godot_pipeline *pipeline, struct godot_object *device)
{
    const struct shader_code *code = &pipeline->shader->words[FOUR_WORDS];
    if (!godot_spirv_read(code->code, code->bytes, &pipeline->declared)) {
        return false;
    }
    pipeline->shader_rid = godot_device_shader(device, code->code, code->bytes);
    if (pipeline->shader_rid.id) {
        pipeline->rid = godot_device_pipeline(device, pipeline->shader_rid, &pipeline->declared,
                                              pipeline->special);
    }
    return pipeline->rid.id != 0;
}

/* A shader's end is its pipelines'. */
static void finish(struct godot_pipeline *pipeline, struct godot_object *device)
{
    godot_device_free(device, &pipeline->shader_rid);
    *pipeline = (struct godot_pipeline){0};
}

static struct godot_pipeline *find(struct godot_shaders *shaders, const struct shader *shader,
                                   const int32_t special[GODOT_SPIRV_SPECIALS])
{
    for (int i = 0; i < GODOT_PIPELINES_MAX; i++) {
        struct godot_pipeline *pipeline = &shaders->pipelines[i];
        if (pipeline->shader == shader &&
            memcmp(pipeline->special, special, sizeof pipeline->special) == 0) {
            return pipeline;
        }
    }
    return NULL;
}

/* Free, or used longest ago; NULL: this view uses all of them. */
static struct godot_pipeline *find_place(struct godot_shaders *shaders)
{
    struct godot_pipeline *place = &shaders->pipelines[0];
    for (int i = 1; i < GODOT_PIPELINES_MAX && place->shader; i++) {
        struct godot_pipeline *pipeline = &shaders->pipelines[i];
        if (!pipeline->shader || pipeline->last_used < place->last_used) {
            place = pipeline;
        }
    }
    return !place->shader || place->last_used != shaders->view ? place : NULL;
}

const struct godot_pipeline *godot_shaders_find(struct godot_shaders *shaders,
                                                struct godot_object *device,
                                                const struct operator_shader *wanted)
{
    int32_t special[GODOT_SPIRV_SPECIALS];
    set_specials(wanted, special);
    struct godot_pipeline *pipeline = find(shaders, wanted->shader, special);
    if (!pipeline) {
        pipeline = find_place(shaders);
        if (!pipeline) {
            return NULL;
        }
        finish(pipeline, device);
        pipeline->shader = wanted->shader;
        memcpy(pipeline->special, special, sizeof special);
        if (!make(pipeline, device)) {
            finish(pipeline, device);
            return NULL;
        }
    }
    pipeline->last_used = shaders->view;
    return pipeline;
}

void godot_shaders_finish(struct godot_shaders *shaders, struct godot_object *device)
{
    for (int i = 0; i < GODOT_PIPELINES_MAX; i++) {
        finish(&shaders->pipelines[i], device);
    }
}
