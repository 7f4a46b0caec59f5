/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Variables that end with their block, the last one first: `end` gets the variable's address, as
 * x_destroy(&x) does. A failed assertion leaves the test and ends none of them. */
#pragma once

#include <stdlib.h>
#include <string.h>

#define OWNED(end) __attribute__((cleanup(end)))

/* Frees a pointer whose memory free() takes: OWNED(owned_free) char *text = ...; */
static inline void owned_free(void *pointer)
{
    void *memory = NULL;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}
