/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Memory for what the layer must keep of every instance and device, wanted or not. Where the
 * allocator has none there are a few of each in the layer itself, so that a program starts as it
 * would without Fovea; it is then left alone. */
#pragma once

#include "plugin/layer/layer.h"

/* So many at a time may be without memory. */
#define LAYER_RESERVE 8

/* All zero, inert where it is of the reserve; NULL: that is used up. */
struct layer_instance *layer_reserve_instance(void);
void layer_reserve_free_instance(struct layer_instance *instance);
struct layer_device *layer_reserve_device(void);
void layer_reserve_free_device(struct layer_device *device);
