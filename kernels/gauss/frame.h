/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Everything that kernels know of a frame and of a plan. It has no settings and no host functions,
 * so that device code is not compiled anew when those change. */
#pragma once

#include "kernels/operator/gaze.h"
#include "law.h"
#include "pyramid.h"

/* A frame adds this; it is the block of push constants and of kernel parameters. Shared by C, CUDA,
 * GLSL: 32-bit members only. gauss/glsl/frame.glsl declares the same. */
struct gauss_frame {
    int32_t width_px;
    int32_t height_px;
    int32_t fragment_px; /* side of the fragments whose pixels have one sigma; 0: there are none */
    int32_t gaze_x_q8;
    int32_t gaze_y_q8;
    int32_t blur_alpha; /* 1: alpha is filtered like a colour; 0: copied; CUDA: GAUSS_WIDE_* */
    int32_t light; /* IMAGE_LIGHT_* */
    /* The view starts here in the images; all other coordinates are the view's own. */
    int32_t origin_x_px;
    int32_t origin_y_px;
    int32_t late; /* GLSL: 1: the gaze is what the latch has written, not this one */
    float light_value; /* HLG: the system gamma; gamma: it; table: how many samples it has */
    struct gaze_others others; /* a pixel has the least sigma of the gaze and of these; CUDA's
                                  kernels have them in struct gauss_cuda_others */
};

/* Returns the frame with the other place k in the gaze's stead. Its fragments are not those of the
 * frame, which lie by the gaze. */
HOST_DEVICE struct gauss_frame gauss_frame_at_other(const struct gauss_frame *frame, int32_t k)
{
    struct gauss_frame there = *frame;
    there.gaze_x_q8 = frame->others.q8[k][0];
    there.gaze_y_q8 = frame->others.q8[k][1];
    return there;
}

HOST_DEVICE int32_t gauss_frame_gaze_is_inside(const struct gauss_frame *frame)
{
    return frame->gaze_x_q8 >= 0 && frame->gaze_x_q8 <= 256 * frame->width_px &&
           frame->gaze_y_q8 >= 0 && frame->gaze_y_q8 <= 256 * frame->height_px;
}
