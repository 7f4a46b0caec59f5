/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Names of programs: for settings of single programs, and for the list of programs that Fovea
 * leaves alone. A program is named after its file, without folders; one that runs inside something
 * else (Windows programs in Wine, scripts in their interpreter) has its own name. */
#pragma once

#include <stddef.h>

#define PROGRAM_NAME_BYTES 256

struct program_names {
    char name[PROGRAM_NAME_BYTES]; /* Wine's programs: the Windows program's */
    char script[PROGRAM_NAME_BYTES]; /* that an interpreter of that name runs; "": none */
};

/* The kernel's facts about a process; each may be missing (NULL, 0). */
struct program_facts {
    const char *file; /* /proc/self/exe */
    const char *short_name; /* /proc/self/comm: 15 bytes at most */
    const char *const *arguments;
    size_t argument_count;
};

void program_names_from(const struct program_facts *facts, struct program_names *out_names);

/* This process's. Waits for the kernel alone. */
void program_names_find(struct program_names *out_names);

/* For a process that is about to become another program: it counts as that one from now on. */
void program_names_become(const char *const *arguments, size_t count);
