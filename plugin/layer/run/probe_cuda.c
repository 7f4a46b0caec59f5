/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "probe.h"

#include <dlfcn.h>
#include <string.h>

/* The few calls that are needed, as cuda.h declares them, for builds without a toolkit. */
struct cuda {
    int (*init)(unsigned flags);
    int (*driver_version)(int *out_version);
    int (*device_count)(int *out_count);
    int (*device)(int *out_device, int ordinal);
    int (*name)(char *out_name, int length, int device);
    int (*uuid)(uint8_t out_uuid[16], int device);
};

static bool find(void *driver, const char *name, void *out_function)
{
    void *symbol = dlsym(driver, name);
    memcpy(out_function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load(void *driver, struct cuda *cuda)
{
    return find(driver, "cuInit", &cuda->init) &&
           find(driver, "cuDriverGetVersion", &cuda->driver_version) &&
           find(driver, "cuDeviceGetCount", &cuda->device_count) &&
           find(driver, "cuDeviceGet", &cuda->device) &&
           find(driver, "cuDeviceGetName", &cuda->name) &&
           (find(driver, "cuDeviceGetUuid_v2", &cuda->uuid) ||
            find(driver, "cuDeviceGetUuid", &cuda->uuid));
}

void probe_cuda(struct probe *probe)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    struct cuda cuda;
    int count = 0;
    probe->cuda_there = driver && load(driver, &cuda);
    if (!probe->cuda_there) {
        return;
    }
    probe->cuda_result = cuda.init(0);
    if (probe->cuda_result != 0 || cuda.driver_version(&probe->cuda_version) != 0 ||
        cuda.device_count(&count) != 0) {
        return;
    }
    for (int i = 0; i < count && i < PROBE_DEVICES_MAX; i++) {
        struct probe_device *device = &probe->cuda_devices[probe->cuda_device_count];
        int handle;
        if (cuda.device(&handle, i) == 0 &&
            cuda.name(device->name, PROBE_NAME_BYTES, handle) == 0) {
            device->uuid_known = cuda.uuid(device->uuid, handle) == 0;
            probe->cuda_device_count++;
        }
    }
}
