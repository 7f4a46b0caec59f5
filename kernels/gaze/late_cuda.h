/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Late gazes on a CUDA device: the block, a latch for each job in flight, and how old the samples
 * were. The device is pushed around create, destroy and latch. One thread at a time, but for who
 * writes the block. */
#pragma once

#include "kernels/cuda/cuda_device.h"
#include "late.h"

struct late_cuda;

/* Waits for a few launches of its own on the stream, to compare the two clocks. */
FOVEA_MUST_CHECK enum fovea_result late_cuda_create(const struct cuda_device *device,
                                                    CUstream stream, uint32_t slot_count,
                                                    struct late_cuda **out_late);
/* No launch may be under way. */
void late_cuda_destroy(struct late_cuda **late);
/* The device is stuck: what it may still use is left to the end of the process, the block too. */
void late_cuda_abandon(struct late_cuda **late);

uint32_t *late_cuda_block(struct late_cuda *late);

/* Enqueues the latch of a slot; *out_gazes is for struct operator_cuda_run. */
FOVEA_MUST_CHECK enum fovea_result late_cuda_latch(struct late_cuda *late, CUstream stream,
                                                   uint32_t slot, const struct late_own *own,
                                                   CUdeviceptr *out_gazes);

/* Returns how old the sample was when it was read; the work after the slot's latch is over. False:
 * the latch did not run. */
bool late_cuda_age(struct late_cuda *late, uint32_t slot, int64_t *out_age_ns);
