/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Programs that the layer stays out of. fovea-run asks too. */
#ifndef FOVEA_LAYER_PROGRAMS_H
#define FOVEA_LAYER_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

/* By the command line: the name of the program's file, without folders, or of the script that an
 * interpreter is given. */
bool layer_programs_left_alone(const char *const *arguments, size_t count);

/* Why this process is left alone; NULL: it is not. */
const char *layer_programs_refusal(void);

#endif
