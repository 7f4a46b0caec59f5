/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* malloc, calloc and mmap that fail when they are told to, for a program that is linked with
 * --wrap= of all three: calls of Fovea's own code come here. */
#pragma once

extern int failing_after; /* so many calls succeed, and no other does; -1: all do */
extern int failing_calls; /* that came, ever */
