/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Exports of Pupil Player and Pupil Cloud: Core's positions are fractions of the world camera, or
 * of a surface, with y up; Neon's are pixels of its scene camera. */
#include "recording_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct recording_column pupil_columns[] = {
    {.name = "gaze_timestamp", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_S},
    {.name = "timestamp", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_S},
    {.name = "norm_pos_x", .role = RECORDING_X, .space = RECORDING_UV_UP},
    {.name = "norm_pos_y", .role = RECORDING_Y, .space = RECORDING_UV_UP},
    {.name = "x_norm", .role = RECORDING_X, .space = RECORDING_UV_UP},
    {.name = "y_norm", .role = RECORDING_Y, .space = RECORDING_UV_UP},
    {.name = "confidence", .role = RECORDING_CONFIDENCE},
};

static const struct recording_format pupil = {
    .marks = {"norm_pos_x", "norm_pos_y", "confidence"},
    .columns = pupil_columns,
    .column_count = COUNT(pupil_columns),
};

static const struct recording_format surface = {
    .marks = {"x_norm", "y_norm", "on_surf"},
    .columns = pupil_columns,
    .column_count = COUNT(pupil_columns),
};

static const struct recording_column neon_columns[] = {
    {.name = "timestamp [ns]", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_NS},
    {.name = "gaze x [px]", .role = RECORDING_X, .space = RECORDING_PIXELS_DOWN},
    {.name = "gaze y [px]", .role = RECORDING_Y, .space = RECORDING_PIXELS_DOWN},
    {.name = "worn", .role = RECORDING_LOST_IF, .word = "0"},
    {.name = "blink id", .role = RECORDING_LOST_UNLESS, .word = ""},
};

static const struct recording_format neon = {
    .marks = {"timestamp [ns]", "gaze x [px]", "gaze y [px]"},
    .columns = neon_columns,
    .column_count = COUNT(neon_columns),
};

static bool knows_pupil(const struct recording *recording)
{
    return recording_has_marks(recording, &pupil);
}

static enum fovea_result read_pupil(struct recording *recording)
{
    return recording_read_table(recording, &pupil, NULL, 0);
}

const struct recording_reader recording_pupil = {"Pupil Core", knows_pupil, read_pupil};

static bool knows_surface(const struct recording *recording)
{
    return recording_has_marks(recording, &surface);
}

static enum fovea_result read_surface(struct recording *recording)
{
    return recording_read_table(recording, &surface, NULL, 0);
}

const struct recording_reader recording_pupil_surface = {"Pupil Core, a surface", knows_surface,
                                                         read_surface};

static bool knows_neon(const struct recording *recording)
{
    return recording_has_marks(recording, &neon);
}

static enum fovea_result read_neon(struct recording *recording)
{
    return recording_read_table(recording, &neon, NULL, 0);
}

const struct recording_reader recording_neon = {"Pupil Neon", knows_neon, read_neon};
