/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A fovea_context on CUDA with a driver that only keeps books. */
#pragma once

#include "config/settings.h"
#include "fake_cuda_control.h"
#include "recorded.h"

/* The fake driver calls the upper half of the addresses its own. */
#define DEVICE_POINTER(offset) ((void *)(uintptr_t)(0x8000000000000000u + (offset)))

/* RUN_BEGIN and RUN_END enclose what a frame of a known size asks of the driver. */
#define RUN_BEGIN                                                                                  \
    "CtxPushCurrent ThreadExchangeStreamCaptureMode StreamGetCaptureInfo PointerGetAttributes "    \
    "PointerGetAttributes "
#define RUN_END "ThreadExchangeStreamCaptureMode CtxPopCurrent "
/* Level 1, all further ones, and the picture, after the frame before. */
#define FRAME_CALLS "StreamWaitEvent LaunchKernel LaunchKernel LaunchKernel "

extern struct fake_cuda *fake;
extern const struct fovea_point_uv centre;

/* By the context opened last. */
extern struct recorded said;

/* Sets their backend. */
struct fovea_context *context_open_with(struct fovea_settings *settings);
struct fovea_context *context_open_for(enum fovea_method method);
struct fovea_context *context_open(void);
/* Nothing of it may be left in the driver. */
void context_close(struct fovea_context **context);

/* RGBA8, as high as it is wide. */
struct fovea_image image(void *data, uint32_t side_px);

/* All of main. */
int context_run_tests(void);
