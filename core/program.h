/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* What programs are called: for settings of single programs, and for the list of those to stay out
 * of. A program is called by its file, without folders; what runs inside something else (Windows
 * programs in Wine, scripts in their interpreter) by its own. */
#ifndef FOVEA_CORE_PROGRAM_H
#define FOVEA_CORE_PROGRAM_H

#include <stddef.h>

#define PROGRAM_NAME_BYTES 256

struct program_names {
    char name[PROGRAM_NAME_BYTES]; /* Wine's programs: the Windows program's */
    char script[PROGRAM_NAME_BYTES]; /* that an interpreter of that name runs; "": none */
};

/* What the kernel tells of a process; each may be missing (NULL, 0). */
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

#endif
