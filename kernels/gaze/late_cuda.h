/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Late gazes on a CUDA device: the block, a latch for each job in flight, and how old the samples were.
 * The device is pushed around create, destroy and latch. One thread at a time, but for who writes the
 * block. */
#ifndef FOVEA_KERNELS_FOVEATE_CUDA_LATE_H
#define FOVEA_KERNELS_FOVEATE_CUDA_LATE_H

#include "kernels/cuda/cuda_device.h"
#include "late.h"

struct foveate_cuda_late;

/* Waits for a few launches of its own on the stream, to compare the two clocks. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_late_create(const struct cuda_device *device,
                                                            CUstream stream, uint32_t slot_count,
                                                            struct foveate_cuda_late **out_late);
/* No launch may be under way. */
void foveate_cuda_late_destroy(struct foveate_cuda_late **late);
/* The device is stuck: what it may still use is left to the end of the process, the block too. */
void foveate_cuda_late_abandon(struct foveate_cuda_late **late);

uint32_t *foveate_cuda_late_block(struct foveate_cuda_late *late);

/* Enqueues the latch of a slot; *out_gazes is for struct foveate_cuda_run. */
FOVEA_MUST_CHECK enum fovea_result foveate_cuda_late_latch(struct foveate_cuda_late *late,
                                                           CUstream stream, uint32_t slot,
                                                           const struct foveate_late_own *own,
                                                           CUdeviceptr *out_gazes);

/* How old the sample was when it was read; what followed the slot's latch is over. False: the latch did not
 * run. */
bool foveate_cuda_late_age(struct foveate_cuda_late *late, uint32_t slot, int64_t *out_age_ns);

#endif
