/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Programs tell RenderingDevice by these objects what to make; the scene's are here, too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RDTextureFormat and RDTextureView have these. The engine's defaults that are not 0 are added
 * when the number is read. */
struct fields {
    int64_t values[12];
    bool set[12];
};
enum format_field {
    FORMAT_FORMAT,
    FORMAT_WIDTH,
    FORMAT_HEIGHT,
    FORMAT_DEPTH,
    FORMAT_LAYERS,
    FORMAT_MIPMAPS,
    FORMAT_TYPE,
    FORMAT_SAMPLES,
    FORMAT_USAGE,
};
enum view_field { VIEW_FORMAT = 9 };

#define IDS_AT_MOST 8
struct uniform_data {
    int64_t type, binding;
    uint64_t ids[IDS_AT_MOST];
    uint32_t id_count;
};

struct spirv_data {
    uint8_t *words; /* of the compute stage */
    size_t bytes;
};
void spirv_finish(void *data);

struct constant_data {
    int64_t id;
    int type; /* enum gd_type */
    uint32_t value;
};

struct effect_data {
    bool type_was_set;
    int64_t type; /* 0: POST_TRANSPARENT, the default, else 1 + type */
    bool disabled;
};

struct object;
struct buffers;
struct render_data {
    struct object *buffers, *scene;
};
struct scene_data {
    uint32_t views;
    double fov_y_deg, up_tan, right_tan, aspect, orthographic_m;
};
