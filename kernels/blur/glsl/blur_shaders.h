/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The compute shaders of blur's engines. Specialization constants from 1 on: light (IMAGE_LIGHT_*),
 * whether alpha is averaged, and BLUR_SHADER_*. Tables are a display's samples, or one number;
 * passes leave four floats a sample for each other. */
#ifndef FOVEA_KERNELS_BLUR_GLSL_BLUR_SHADERS_H
#define FOVEA_KERNELS_BLUR_GLSL_BLUR_SHADERS_H

#include "kernels/operator/shaders.h"

#define BLUR_SHADER_FROM_SOURCE 1 /* it reads the view, not samples */
#define BLUR_SHADER_TO_RESULT 2
#define BLUR_SHADER_WORK 4 /* times what a shader does: */

enum { BLUR_LINE_BOX, BLUR_LINE_TENT }; /* blur_shader_lines */
enum { BLUR_LEVEL_HALVE, BLUR_LEVEL_WIDEN, BLUR_LEVEL_DOUBLE }; /* blur_shader_levels */
enum { BLUR_HEAT_EVERYWHERE, BLUR_HEAT_WITHIN_EDGES }; /* blur_shader_heat */

extern const struct shader blur_shader_lines;
extern const struct shader blur_shader_levels;
extern const struct shader blur_shader_heat;

#define BLUR_LINE_EACH 16 /* places of a thread, at most */
#define BLUR_LINE_GROUP 64 /* lines of a workgroup */
#define BLUR_HEAT_MADE 16 /* pixels of a workgroup, each way */
#define BLUR_HEAT_STEPS 8 /* of a pass, at most */

/* What push constants begin with. */
struct blur_shader_frame {
    int32_t width_px;
    int32_t height_px;
    int32_t origin_x_px;
    int32_t origin_y_px;
    float light_value;
    int32_t from; /* the first sample that is read */
    int32_t to; /* and written */
};

struct blur_line_constants {
    struct blur_shader_frame frame;
    int32_t axis; /* 0: along x */
    int32_t in_first; /* places that are read; those beyond are the outermost ones again */
    int32_t in_count;
    int32_t out_first; /* and made */
    int32_t out_count;
    int32_t reach_px;
    float end;
    float radius_px;
    float scale;
};

struct blur_shader_level {
    int32_t first; /* of both axes */
    int32_t last_x;
    int32_t last_y;
    int32_t pitch;
};

struct blur_level_constants {
    struct blur_shader_frame frame;
    struct blur_shader_level fine; /* that is read */
    struct blur_shader_level made;
    float taps[4];
};

struct blur_heat_constants {
    struct blur_shader_frame frame;
    int32_t steps;
    float rate;
    float edge;
};

#endif
