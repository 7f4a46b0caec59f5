/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* GazeBase: a row each millisecond, degrees from the middle of the screen. */
#include "recording_table.h"

static const struct recording_column columns[] = {
    {.name = "n", .role = RECORDING_TIME, .ns_per_unit = RECORDING_NS_PER_MS},
    {.name = "x", .role = RECORDING_X, .space = RECORDING_SET_DEGREES},
    {.name = "y", .role = RECORDING_Y, .space = RECORDING_SET_DEGREES},
    {.name = "val", .role = RECORDING_LOST_UNLESS, .word = "0"},
};

static const struct recording_format format = {
    .marks = {"n", "val", "x"},
    .columns = columns,
    .column_count = sizeof columns / sizeof columns[0],
};

static bool knows(const struct recording *recording)
{
    return recording_has_marks(recording, &format);
}

static enum fovea_result read(struct recording *recording)
{
    return recording_read_table(recording, &format, NULL, 0);
}

const struct recording_reader recording_gazebase = {"GazeBase", knows, read};
