/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Images of three channels whose samples lie in planes (NCHW), and the same as pixels, whose
 * channels lie together. Operators know pixels only, so the chain packs what it is given in planes
 * and unpacks what it makes. The struct is the parameter of planes.cu, too. */
#pragma once

#include "fovea.h"

#define PLANES_CHANNELS 3
#define PLANES_FOUR 4 /* pixels that a thread of the device packs */
#define PLANES_CUDA_THREADS 128

struct planes {
    uint64_t planes; /* address of the first sample of the first plane */
    int64_t plane_bytes; /* from a channel's sample to the next channel's */
    int64_t sample_bytes; /* to the sample on the right */
    int64_t row_bytes;
    int64_t next_bytes; /* from an image to the next */
    uint64_t pixels; /* address of the first pixel; rows have no gaps between pixels */
    int64_t pixel_row_bytes;
    int64_t pixel_next_bytes;
    int32_t width_px;
    int32_t height_px;
    int32_t fours; /* 1: four neighbours are aligned on both sides, and read and written at once */
    int32_t count; /* images */
};

#ifndef __CUDACC__
/* Bytes of a sample of a format that may lie in planes; 0 for all others. */
size_t planes_sample_bytes(enum fovea_format format);
/* The format of one plane; FOVEA_FORMAT_NONE for formats that have none. */
enum fovea_format planes_channel_format(enum fovea_format format);

struct planes_images {
    const struct fovea_image *first;
    ptrdiff_t next_bytes;
};
/* `count` images of a format with planes, of one size. A planar picture that all images share
 * (next_bytes 0) is one image. */
struct planes planes_of(const struct planes_images *planar, ptrdiff_t plane_bytes,
                        const struct planes_images *pixels, uint32_t count);

/* Packs on the processor, in CPU memory. */
void planes_pack(const struct planes *planes, enum fovea_format format);
void planes_unpack(const struct planes *planes, enum fovea_format format);
#endif
