/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* How far the work is: a bar on a terminal, a line for every tenth elsewhere. On stderr. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool shown;
    bool terminal;
    const char *what; /* is counted; "frame". NULL: parts of one thing, of which there is no word */
    uint64_t total;
    int last_tenth;
    int64_t start_ns;
    int64_t last_ns;
};

struct progress progress_start(uint64_t total, bool shown);
void progress_update(struct progress *progress, uint64_t done);
/* Leaves the line of the bar. */
void progress_end(struct progress *progress);
