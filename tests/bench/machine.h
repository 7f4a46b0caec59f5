/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#pragma once

#include "results.h"

/* Date, commit, processor, NVIDIA's driver where there is one. */
void machine_note(struct results *results);
