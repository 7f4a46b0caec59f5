/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This is as much of CUDA's driver as fovea-run --check asks for, with one device, whose UUID
 * FAKE_CUDA_UUID says in 32 digits; FAKE_CUDA_INIT is what cuInit returns. FAKE_CUDA_MARK names a
 * file that is made when it is loaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void on_load(void)
{
    const char *mark = getenv("FAKE_CUDA_MARK");
    FILE *file = mark ? fopen(mark, "w") : NULL;
    if (file) {
        fclose(file);
    }
}

int cuInit(unsigned flags)
{
    const char *result = getenv("FAKE_CUDA_INIT");
    return result ? atoi(result) : 0;
}

int cuDriverGetVersion(int *version)
{
    *version = 12080;
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int length, int device)
{
    strncpy(name, "Pretended GPU", (size_t)length);
    return 0;
}

int cuDeviceGetUuid_v2(unsigned char uuid[16], int device)
{
    const char *digits = getenv("FAKE_CUDA_UUID");
    for (int i = 0; i < 16; i++) {
        unsigned byte = 0;
        if (!digits || sscanf(digits + 2 * i, "%2x", &byte) != 1) {
            return 1;
        }
        uuid[i] = (unsigned char)byte;
    }
    return 0;
}
