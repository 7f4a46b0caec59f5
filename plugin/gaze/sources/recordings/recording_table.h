/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tables: a line of columns' names, then a line of values for each sample. What the columns of a
 * format mean is data; the reading is here, once. */
#pragma once

#include "recording.h"

enum recording_role {
    RECORDING_TIME,
    RECORDING_X,
    RECORDING_Y,
    RECORDING_X_LEFT,
    RECORDING_Y_LEFT,
    RECORDING_X_RIGHT,
    RECORDING_Y_RIGHT,
    RECORDING_CONFIDENCE,
    RECORDING_LOST_IF, /* the sample is lost where the value is the column's word */
    RECORDING_LOST_UNLESS, /* where it is not */
    RECORDING_LEFT_UNLESS, /* the left eye is lost where it is not */
    RECORDING_RIGHT_UNLESS,
    RECORDING_ONLY_IF, /* the row is no sample where it is not */
    RECORDING_WIDTH, /* of the screen in pixels */
    RECORDING_HEIGHT,
    RECORDING_ROLES
};

struct recording_column {
    const char *name;
    enum recording_role role;
    double ns_per_unit; /* of TIME; 0: the name does not say */
    enum recording_space space; /* of X and Y of all kinds */
    const char *word;
};

/* Among columns of one role the first that is there counts; y is of the same space as x. */
struct recording_format {
    const char *marks[3]; /* a file that has all these columns is of this format; NULL: no more */
    const struct recording_column *columns;
    size_t column_count;
    bool is_strict; /* two columns of one role are an error */
    double period; /* of samples, in units of time, where no column has it; 0: not known */
};

/* Whether the first line names the marks. */
bool recording_has_marks(const struct recording *recording, const struct recording_format *format);
/* names: of the columns, where the file's first line is a sample; NULL: it names them. */
enum fovea_result recording_read_table(struct recording *recording,
                                       const struct recording_format *format,
                                       const char *const *names, size_t name_count);
