/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fovea: gaze-contingent foveation of real-time images.
 *
 * An image is kept sharp where the eye looks and blurred elsewhere by a model of what the eye
 * resolves there; the default model is an emulation, several times as strong as an eye would miss
 * (docs/models.md). This header includes settings and configuration files (fovea_settings.h), gaze
 * sources (fovea_gaze.h), and foveation of images that lie in CPU or CUDA memory (fovea_image.h).
 * Programs that render with Vulkan also include fovea_vulkan.h, which foveates a VkImage without a
 * copy through the CPU; programs that draw with OpenGL include fovea_gl.h. Complete programs are in
 * docs/examples.
 *
 * Fovea does not render, does not open windows, does not talk to eye trackers over vendor SDKs,
 * and does not save rendering time: it costs GPU time to show what the retina would receive.
 *
 * Usage, without error checks:
 *
 *     struct fovea_settings *settings = NULL;
 *     fovea_settings_create(&settings);
 *     fovea_settings_set(settings, "foveation.strength", "2", log);
 *
 *     struct fovea_context_desc desc;
 *     fovea_context_desc_init(&desc);
 *     desc.settings = settings;
 *     struct fovea_context *context = NULL;
 *     fovea_context_create(&desc, &context);
 *     fovea_settings_destroy(&settings);
 *
 *     struct fovea_image src = {.data = pixels, .width_px = 640, .height_px = 480,
 *                               .format = FOVEA_FORMAT_RGBA8, .row_stride_bytes = 640 * 4};
 *     struct fovea_image dst = src;
 *     dst.data = result;
 *     struct fovea_point_uv gaze = {0.5, 0.5};
 *     fovea_context_run(context, &src, &dst, gaze, NULL);
 *
 *     fovea_context_destroy(&context);
 *
 * Rules that hold everywhere:
 *
 * - Results: FOVEA_OK is 0, positive is not an error, negative is an error named by what the caller
 *   can do about it. Details go to the log.
 * - A descriptor and everything it points to needs to live only until the call returns.
 * - X_create gives *out to the caller and writes NULL there on failure; X_destroy takes a pointer
 *   to the pointer, accepts NULL twice over, and writes NULL.
 * - A struct whose first member is struct_bytes grows in later versions, at its end. Its X_init
 *   function makes all else 0, which is the default of every member there will ever be, and says
 *   how large the struct is for this program; a library that knows more members takes those as 0,
 *   and one that knows fewer refuses what it does not know (FOVEA_ERROR_INVALID_ARGUMENT), unless
 *   it is 0. What such a struct calls reserved is 0. Other structs never change.
 * - Different objects may be used from different threads at the same time. One object may be used
 *   from one thread at a time, except where a function says otherwise.
 * - Fovea never exits, aborts, prints or throws. It logs only to the fovea_log it was given.
 * - A comment that does not speak of waiting or allocating means a call that does neither.
 * - Coordinates called uv run from 0 to 1 over the image, origin in its top left corner, y down.
 *   Values outside 0..1 lie outside the image and are allowed. Lengths in pixels say _px, angles in
 *   degrees of visual angle _deg, spatial frequencies in cycles per degree _cpd, times _ns or
 * _ms. */
#ifndef FOVEA_H
#define FOVEA_H

#include "fovea_base.h"
#include "fovea_gaze.h"
#include "fovea_image.h"
#include "fovea_settings.h"

#endif
