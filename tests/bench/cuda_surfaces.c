/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures in arrays, which lie in memory by blocks of pixels and which kernels reach through
 * surface objects: an engine's frames are such. */

#include "cuda_bench.h"

static bool format_of(enum fovea_format format, CUDA_ARRAY3D_DESCRIPTOR *out)
{
    switch (format) {
    case FOVEA_FORMAT_RGBA8:
        out->Format = CU_AD_FORMAT_UNSIGNED_INT8;
        out->NumChannels = 4;
        return true;
    case FOVEA_FORMAT_RGBA16F:
        out->Format = CU_AD_FORMAT_HALF;
        out->NumChannels = 4;
        return true;
    case FOVEA_FORMAT_A2B10G10R10:
    case FOVEA_FORMAT_B10G11R11F:
        out->Format = CU_AD_FORMAT_UNSIGNED_INT32;
        out->NumChannels = 1;
        return true;
    default:
        return false;
    }
}

bool cuda_format_has_surfaces(enum fovea_format format)
{
    CUDA_ARRAY3D_DESCRIPTOR desc;
    return format_of(format, &desc);
}

struct cuda_array cuda_array_make(struct cuda_bench *b)
{
    const struct bench_size *size = b->pictures.size;
    struct cuda_array made = {0};
    CUDA_ARRAY3D_DESCRIPTOR desc = {
        .Width = size->width_px, .Height = size->height_px, .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    bench_must(format_of(b->pictures.format, &desc) ? FOVEA_OK : FOVEA_ERROR_UNSUPPORTED, "array");
    CUDA_MUST(b, b->cu->Array3DCreate(&made.array, &desc));
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = made.array};
    CUDA_MUST(b, b->cu->SurfObjectCreate(&made.surface, &resource));
    return made;
}

void cuda_array_fill(struct cuda_bench *b, const struct cuda_array *array, const void *pixels)
{
    const struct bench_size *size = b->pictures.size;
    const size_t row_bytes = size->width_px * fovea_format_bytes(b->pictures.format);
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = pixels,
                                .srcPitch = row_bytes,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = array->array,
                                .WidthInBytes = row_bytes,
                                .Height = size->height_px};
    CUDA_MUST(b, b->cu->Memcpy2D(&copy));
}

void cuda_array_free(struct cuda_bench *b, struct cuda_array *array)
{
    if (!array->array) {
        return;
    }
    CUDA_MUST(b, b->cu->SurfObjectDestroy(array->surface));
    CUDA_MUST(b, b->cu->ArrayDestroy(array->array));
    *array = (struct cuda_array){0};
}
