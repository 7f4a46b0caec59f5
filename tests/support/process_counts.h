/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This counts what the process has of the system now: threads, descriptors and memory. Long tests
 * take it when all is warm and again at the end; growth is a leak that time would show. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Memory is what is resident. Sanitizers keep what was freed, to find who uses it, and tables of
 * their own in it: under them it is what is allocated and not freed. */
struct process_counts {
    long threads;
    long descriptors;
    long memory_kb;
};

/* A count that cannot be had is -1, which no comparison accepts. */
struct process_counts process_count(void);

/* False: more threads or descriptors than before, or more memory by more than so much; text says
 * what. */
bool process_counts_hold(struct process_counts before, struct process_counts now, long more_kb,
                         char text[200]);

/* For tests with cmocka. */
#define assert_process_counts(before, more_kb)                                                     \
    do {                                                                                           \
        char counts_text_[200];                                                                    \
        if (!process_counts_hold((before), process_count(), (more_kb), counts_text_)) {            \
            fail_msg("%s", counts_text_);                                                          \
        }                                                                                          \
        printf("report: %s\n", counts_text_);                                                      \
    } while (0)
