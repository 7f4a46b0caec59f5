/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The test's hand on the fake driver that the library under test loads. */
#pragma once

#include "fake_cuda.h"

/* The library that "libcuda.so.1" is in this process; NULL, after a message, if it is not the
 * fake. */
struct fake_cuda *fake_cuda_open(void);

/* Nothing fails, nothing is written down; what lives stays. */
void fake_cuda_calm(struct fake_cuda *fake);

/* The n-th call from now fails, whatever it is. */
void fake_cuda_fail_at(struct fake_cuda *fake, int n, CUresult error);

/* The failure has come. */
bool fake_cuda_has_failed(const struct fake_cuda *fake);

/* Nobody has a graph any more of what was captured. */
void fake_cuda_end_graphs(struct fake_cuda *fake);
