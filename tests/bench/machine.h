/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#ifndef FOVEA_BENCH_MACHINE_H
#define FOVEA_BENCH_MACHINE_H

#include "results.h"

/* Date, commit, processor, NVIDIA's driver where there is one. */
void machine_note(struct results *results);

#endif
