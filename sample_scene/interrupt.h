/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Ctrl-C and SIGTERM: the frame at hand is finished, what there is is written. A second one ends
 * the program at once. */
#pragma once

#include <stdbool.h>

void interrupt_watch(void);
bool interrupt_seen(void);
