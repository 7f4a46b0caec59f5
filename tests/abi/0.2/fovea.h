/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This header of version 0.2 without its comments: programs that were built with it still run.
 * It stays as it is (tests/test_abi.py). */
#ifndef FOVEA_H
#define FOVEA_H
#include "fovea_base.h"
#include "fovea_gaze.h"
#include "fovea_image.h"
#include "fovea_settings.h"
#endif
