/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Calibrations from text, and where they have the sources of pixels. */
#pragma once

#include "kernels/lens/calibration.h"
#include "kernels/lens/lens.h"

#include "support/owned.h"

/* Fails the running test with the reader's words if there is none. */
struct lens_calibration *lens_read_text(const char *text);
/* Takes the points' memory. */
struct lens_calibration *lens_of_points(const struct lens_points *points);
void lens_release(struct lens_calibration **calibration);
#define OWNED_LENS OWNED(lens_release) struct lens_calibration *
#define OWNED_LENS_PLAN OWNED(lens_plan_release) struct lens_plan *

void lens_plan_release(struct lens_plan **plan);
struct lens_plan *lens_plan_made(const struct operator_plan_desc *desc);
/* Makes one of default settings with the calibration. */
struct lens_plan *lens_plan_of_eye(struct lens_calibration *calibration, enum fovea_map_eye eye,
                                   uint32_t width_px, uint32_t height_px);
/* The calibration is both eyes'. */
struct lens_plan *lens_plan_for(struct lens_calibration *calibration, uint32_t width_px,
                                uint32_t height_px);

/* Finds the middle of a pixel's source, in pixels. */
void lens_place_at(const struct lens_plan *plan, int32_t color, int32_t x, int32_t y,
                   double out_place[2]);

/* Fails the running test unless the text is refused with those words. Nothing is read behind it. */
void lens_assert_wrong(const char *text, size_t count, const char *words);
