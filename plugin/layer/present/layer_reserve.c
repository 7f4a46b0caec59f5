/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_reserve.h"

#include "core/log.h"
#include "plugin/layer/session/layer_session.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct layer_instance instances[LAYER_RESERVE];
static struct layer_device devices[LAYER_RESERVE];
static atomic_bool instance_used[LAYER_RESERVE], device_used[LAYER_RESERVE];

/* LAYER_RESERVE: none is left. */
static size_t take(atomic_bool used[LAYER_RESERVE])
{
    size_t i = 0;
    while (i < LAYER_RESERVE && atomic_exchange(&used[i], true)) {
        i++;
    }
    return i;
}

struct layer_instance *layer_reserve_instance(void)
{
    struct layer_instance *instance = calloc(1, sizeof *instance);
    const size_t i = instance ? LAYER_RESERVE : take(instance_used);
    if (i < LAYER_RESERVE) {
        instance = &instances[i];
        memset(instance, 0, sizeof *instance);
        instance->inert = true;
    }
    return instance;
}

void layer_reserve_free_instance(struct layer_instance *instance)
{
    if (instance >= instances && instance < instances + LAYER_RESERVE) {
        atomic_store(&instance_used[instance - instances], false);
    } else {
        free(instance);
    }
}

struct layer_device *layer_reserve_device(void)
{
    struct layer_device *device = calloc(1, sizeof *device);
    const size_t i = device ? LAYER_RESERVE : take(device_used);
    if (i < LAYER_RESERVE) {
        log_warning(layer_log(), "a device is left alone: out of memory");
        device = &devices[i];
        memset(device, 0, sizeof *device);
        device->inert = true;
    }
    return device;
}

void layer_reserve_free_device(struct layer_device *device)
{
    if (device >= devices && device < devices + LAYER_RESERVE) {
        atomic_store(&device_used[device - devices], false);
    } else {
        free(device);
    }
}
