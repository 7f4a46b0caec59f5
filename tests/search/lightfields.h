/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light fields that the search draws (lightfields.c). */
#pragma once

#include "kernels/lightfield/lightfield.h"
#include "search.h"

enum work { WORK_RENDER, WORK_DEPTH, WORK_REFOCUS, WORK_SUM, WORK_COUNT };

struct field_point {
    struct fovea_lightfield_geometry geometry;
    struct search_point raw, picture; /* sizes, formats, layouts */
    enum fovea_lightfield_format format;
    enum fovea_lightfield_bayer bayer;
    uint32_t maximum;
    enum work work;
    uint32_t box, frames, threads;
    struct fovea_lightfield_rendering rendering; /* range, filter and sigma are all works' */
    bool has_foveation, has_patches, has_beside;
    struct fovea_lightfield_foveation foveation;
    struct fovea_lightfield_refocusing refocusing; /* its sizes are those of a search of depths */
    struct fovea_lightfield_sum sum;
};

struct field_run {
    const struct search_limits *limits;
    const struct field_point *point;
    struct fovea_lightfield *field;
    struct fovea_lightfield_raw raw;
    struct search_memory raw_memory, picture, beside, patches; /* beside: confidence or focus */
    double *levels, *exact, *exact_beside;
    struct lightfield_levels definition;
    struct lightfield_size size;
    double focus_px, wanted_px; /* of the frames before */
    bool is_there;
    char said[SEARCH_TEXT_BYTES];
    char *text;
};

struct field_point field_point_draw(uint64_t seed, uint64_t number);
/* A number near one of the ends, or between them, and now and then one that is refused. */
double field_number(uint64_t *state, double least, double most);

/* These are what the library is given. */
struct fovea_lightfield_matching field_matching(const struct field_point *point);
struct fovea_lightfield_rendering field_rendering(const struct field_point *point,
                                                  const struct fovea_image *patches);
struct fovea_lightfield_refocusing field_refocusing(const struct field_point *point, uint32_t frame,
                                                    const struct fovea_image *focus);

/* Whether what was made is the definition's; run->text says by how much it is not. */
bool field_compare(struct field_run *run, uint32_t frame);
