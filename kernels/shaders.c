/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "shaders.h"

static const uint32_t foveate_1[] =
#include "foveate_1.inc"
    ;
static const uint32_t foveate_4[] =
#include "foveate_4.inc"
    ;
static const uint32_t overlay_1[] =
#include "overlay_1.inc"
    ;
static const uint32_t overlay_4[] =
#include "overlay_4.inc"
    ;

struct shader shader_get(enum shader_operator which, uint32_t words)
{
    static const struct shader table[SHADER_COUNT][2] = {
        [SHADER_FOVEATE] = {{foveate_1, sizeof foveate_1}, {foveate_4, sizeof foveate_4}},
        [SHADER_OVERLAY] = {{overlay_1, sizeof overlay_1}, {overlay_4, sizeof overlay_4}},
    };
    return table[which][words == 4];
}
