/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "fake_cuda_control.h"

#include <dlfcn.h>
#include <stdio.h>

struct fake_cuda *fake_cuda_open(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    struct fake_cuda *fake = library ? dlsym(library, "fake_cuda") : NULL;
    if (!fake) {
        fprintf(stderr, "LD_LIBRARY_PATH has to name the folder of the fake libcuda.so.1: %s\n",
                dlerror());
    }
    return fake;
}

void fake_cuda_calm(struct fake_cuda *fake)
{
    fake->fails = NULL;
    fake->fail_at = 0;
    fake->fail_on = 0;
    fake->busy = false;
    fake->only_recorded = false;
    fake->no_timelines = false;
    fake->no_pools = false;
    fake->maps_wrongly = false;
    fake->capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    fake->captured_elsewhere = false;
    fake->code_of = 0;
    fake->early = 0;
    fake->calls[0] = '\0';
    fake->launched[0] = '\0';
}

void fake_cuda_fail_at(struct fake_cuda *fake, int n, CUresult error)
{
    fake_cuda_calm(fake);
    fake->fail_at = n;
    fake->error = error;
}

bool fake_cuda_has_failed(const struct fake_cuda *fake)
{
    return fake->fail_at == 0;
}

void fake_cuda_end_graphs(struct fake_cuda *fake)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    struct fake_cuda_object *objects = library ? dlsym(library, "fake_cuda_objects") : NULL;
    while (objects && fake->graphs > 0) {
        const struct fake_cuda_object *object = &objects[--fake->graphs];
        object->end(object->user);
    }
}
