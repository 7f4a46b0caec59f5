/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "lightfield_shaders.h"

static const uint32_t render_1[] =
#include "lightfield_render_1.inc"
    ;
static const uint32_t render_4[] =
#include "lightfield_render_4.inc"
    ;
static const uint32_t render_floats[] =
#include "lightfield_render_floats_1.inc"
    ;
static const uint32_t search[] =
#include "lightfield_search_1.inc"
    ;
static const uint32_t depth[] =
#include "lightfield_depth_1.inc"
    ;
static const uint32_t sum_1[] =
#include "lightfield_sum_1.inc"
    ;
static const uint32_t sum_4[] =
#include "lightfield_sum_4.inc"
    ;
static const uint32_t sum_floats[] =
#include "lightfield_sum_floats_1.inc"
    ;

const struct shader lightfield_render_shader = SHADER_CODE(render_1, render_4);
const struct shader lightfield_render_floats_shader = SHADER_CODE(render_floats, render_floats);
const struct shader lightfield_search_shader = SHADER_CODE(search, search);
const struct shader lightfield_depth_shader = SHADER_CODE(depth, depth);
const struct shader lightfield_sum_shader = SHADER_CODE(sum_1, sum_4);
const struct shader lightfield_sum_floats_shader = SHADER_CODE(sum_floats, sum_floats);
