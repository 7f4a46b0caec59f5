/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The class FoveaEffect as the engine sees it. */
#pragma once

#include "fovea_base.h"

FOVEA_MUST_CHECK enum fovea_result godot_class_register(void);
/* Gives an editor the class reference, which it takes from its own level on. */
void godot_class_describe(void);
void godot_class_unregister(void);
