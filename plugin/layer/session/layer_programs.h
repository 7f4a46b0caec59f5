/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Programs that the layer stays out of. fovea-run asks too. */
#pragma once

#include "core/program.h"

#include <stdbool.h>

/* A script counts instead of its interpreter. */
bool layer_programs_left_alone(const struct program_names *names);

/* Why this process, which has these names, is left alone; NULL: it is not. */
const char *layer_programs_refusal(const struct program_names *names);
