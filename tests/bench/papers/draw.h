/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures to judge ways by. */
#pragma once

#include "cases.h"

/* RGBA8, opaque. Numbers 0, 2, 3, 4: discs upon discs, whose sizes and edges are those of natural
 * pictures; 1, 6: strokes as of text; 5: shades with noise; 7: rings of all frequencies. */
void papers_draw(void *pixels, const struct bench_size *size, int number);
