/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "context_place.h"

#include "core/log.h"

CUresult context_place_look(const struct cuda_driver *cu, const void *data,
                            struct context_place *out)
{
    CUmemorytype type = 0;
    int managed = 0;
    *out = (struct context_place){-1, NULL, false};
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_CONTEXT};
    void *values[] = {&type, &managed, &out->ordinal, &out->context};
    const CUresult status =
        cu->PointerGetAttributes(4, attributes, values, (CUdeviceptr)(uintptr_t)data);
    if (status != CUDA_SUCCESS || !(managed || type == CU_MEMORYTYPE_DEVICE)) {
        *out = (struct context_place){-1, NULL, false};
    }
    out->managed = status == CUDA_SUCCESS && managed;
    out->context = managed ? NULL : out->context;
    return status;
}

enum fovea_result context_place_find(struct fovea_log log, const char *name, const void *data,
                                     struct context_place *out)
{
    const struct cuda_driver *cu = NULL;
    if (cuda_driver_get(log, &cu) != FOVEA_OK) {
        log_error(log, "%s is said to lie in CUDA memory, and there is no CUDA", name);
        return FOVEA_ERROR_UNSUPPORTED;
    }
    (void)context_place_look(cu, data, out); /* what fails is no device pointer */
    if (out->ordinal < 0) {
        log_error(log, "%s is not a device pointer", name);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}
