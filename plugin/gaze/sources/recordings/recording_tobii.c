/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tobii Pro Lab's TSV: positions on the display in pixels, of the recording's resolution where that
 * is exported, or else fractions of the medium. Rows of other sensors and of events stand between
 * the samples. */
#include "recording_table.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define PIXELS .space = RECORDING_PIXELS_DOWN
#define FRACTION .space = RECORDING_UV_DOWN

static const struct recording_column columns[] = {
    {.name = "Recording timestamp [ms]",
     .role = RECORDING_TIME,
     .ns_per_unit = RECORDING_NS_PER_MS},
    {.name = "Recording timestamp [\xCE\xBCs]",
     .role = RECORDING_TIME,
     .ns_per_unit = RECORDING_NS_PER_US},
    {.name = "Recording timestamp [\xC2\xB5s]",
     .role = RECORDING_TIME,
     .ns_per_unit = RECORDING_NS_PER_US},
    {.name = "Recording timestamp", .role = RECORDING_TIME}, /* its unit is the exporter's choice */
    {.name = "Gaze point X [DACS px]", .role = RECORDING_X, PIXELS},
    {.name = "Gaze point Y [DACS px]", .role = RECORDING_Y, PIXELS},
    {.name = "Gaze point X", .role = RECORDING_X, PIXELS},
    {.name = "Gaze point Y", .role = RECORDING_Y, PIXELS},
    {.name = "Gaze point X [MCS norm]", .role = RECORDING_X, FRACTION},
    {.name = "Gaze point Y [MCS norm]", .role = RECORDING_Y, FRACTION},
    {.name = "Gaze point X (MCSnorm)", .role = RECORDING_X, FRACTION},
    {.name = "Gaze point Y (MCSnorm)", .role = RECORDING_Y, FRACTION},
    {.name = "Gaze point left X [DACS px]", .role = RECORDING_X_LEFT, PIXELS},
    {.name = "Gaze point left Y [DACS px]", .role = RECORDING_Y_LEFT, PIXELS},
    {.name = "Gaze point left X", .role = RECORDING_X_LEFT, PIXELS},
    {.name = "Gaze point left Y", .role = RECORDING_Y_LEFT, PIXELS},
    {.name = "Gaze point right X [DACS px]", .role = RECORDING_X_RIGHT, PIXELS},
    {.name = "Gaze point right Y [DACS px]", .role = RECORDING_Y_RIGHT, PIXELS},
    {.name = "Gaze point right X", .role = RECORDING_X_RIGHT, PIXELS},
    {.name = "Gaze point right Y", .role = RECORDING_Y_RIGHT, PIXELS},
    {.name = "Validity left", .role = RECORDING_LEFT_UNLESS, .word = "Valid"},
    {.name = "Validity right", .role = RECORDING_RIGHT_UNLESS, .word = "Valid"},
    {.name = "Sensor", .role = RECORDING_ONLY_IF, .word = "Eye Tracker"},
    {.name = "Recording resolution width [px]", .role = RECORDING_WIDTH},
    {.name = "Recording resolution width", .role = RECORDING_WIDTH},
    {.name = "Recording resolution height [px]", .role = RECORDING_HEIGHT},
    {.name = "Recording resolution height", .role = RECORDING_HEIGHT},
};

/* The time's name differs from version to version; one of each pair of marks is there. */
static const char *const times[] = {"Recording timestamp [ms]", "Recording timestamp [\xCE\xBCs]",
                                    "Recording timestamp [\xC2\xB5s]", "Recording timestamp"};

static const struct recording_format tobii = {.columns = columns, .column_count = COUNT(columns)};

static bool knows_tobii(const struct recording *recording)
{
    for (size_t i = 0; i < COUNT(times); i++) {
        const struct recording_format mark = {.marks = {times[i]}};
        if (recording_has_marks(recording, &mark)) {
            return true;
        }
    }
    return false;
}

static enum fovea_result read_tobii(struct recording *recording)
{
    return recording_read_table(recording, &tobii, NULL, 0);
}

const struct recording_reader recording_tobii = {"Tobii Pro Lab", knows_tobii, read_tobii};
