/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Blobs of colour and texture in a picture: where a disc differs from what surrounds it.
 *
 * The detector is CSDD, the centre-surround distribution distance (R. T. Collins, W. Ge, "CSDD
 * Features: Center-Surround Distribution Distance for Feature Extraction and Matching", ECCV 2008).
 * A Laplacian of a Gaussian compares the mean of a disc with that of its surround; CSDD compares
 * the distributions of three colour channels, so that a coarse texture on a fine one of the same
 * mean is found, too. It is for interest points, and for proposals where to look when no tracker is
 * there. It is no model of where people look: nobody has compared it with fixations.
 *
 * Usage, without error checks:
 *
 *     struct fovea_blobs_desc desc;
 *     fovea_blobs_desc_init(&desc);
 *     struct fovea_blobs *blobs = NULL;
 *     fovea_blobs_create(&desc, &blobs);
 *
 *     struct fovea_blob *found = malloc(FOVEA_BLOBS_DEFAULT * sizeof *found);
 *     uint32_t count = 0;
 *     fovea_blobs_run(blobs, &image, 1, 0, found, &count, NULL);
 *
 *     fovea_blobs_destroy(&blobs);
 *
 * The rules of fovea.h hold. Needs no context and no settings. */
#ifndef FOVEA_BLOBS_H
#define FOVEA_BLOBS_H

#include "fovea_image.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FOVEA_BLOBS_DEFAULT 1000 /* blob_max where it is 0 */

struct fovea_blobs_desc {
    size_t struct_bytes; /* fovea_blobs_desc_init */
    /* Scales that are looked at, sigma_min_px 2^(k/3) for k from 0; 3..25, 0: 19, which is up to
     * 128 px. Blobs are found at all but the first and the last. Scales larger than the picture
     * are allowed, and hardly find any. */
    uint32_t scale_count;
    uint32_t blob_max; /* the most blobs of an image, the strongest; 1..65536, 0: 1000 */
    double sigma_min_px; /* 1..64, 0: 2 */
    /* Blobs of less strength are left out; 0..3, where 3 is more than any has. Below 0: none is
     * left out for that. 0: 0.15 */
    double threshold;
    /* If two discs of radius sqrt(2) sigma have more than this part of the smaller one's area in
     * common, the weaker is left out; 0..1, 0: 0.5, 1: none is left out */
    double overlap;
    uint32_t cpu_threads; /* 0: one for each core; more than 256 and the cores are as many */
    uint32_t reserved; /* 0 */
    struct fovea_log log;
};

static inline void fovea_blobs_desc_init(struct fovea_blobs_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

/* Places are pixels between the pixels' centres: 0 is the centre of the leftmost and of the topmost
 * one. */
struct fovea_blob {
    float x_px;
    float y_px;
    float sigma_px; /* the disc that it stands for has a radius of sqrt(2) sigma_px */
    float strength; /* the response there: 0..1 from each of three channels */
};

/* Finds blobs. Keeps memory for the largest picture that it has seen. One thread at a time. */
struct fovea_blobs;

/* Allocates little. FOVEA_ERROR_INVALID_ARGUMENT: a number is out of its range, or NaN. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_blobs_create(const struct fovea_blobs_desc *desc,
                                                                struct fovea_blobs **out_blobs);
FOVEA_API void fovea_blobs_destroy(struct fovea_blobs **blobs);

/* Finds the blobs of `image_count` images of one size and format, src_next_bytes from one to the
 * next, and writes those of image i, out_counts[i] many, from out_blobs[i * blob_max] on: the
 * strongest first, of equal ones that of the smaller scale, then the upper one, then the left one.
 * The caller owns both arrays, which have image_count * blob_max and image_count elements.
 *
 * All formats but RGBA16, RGB16 and R16 (FOVEA_ERROR_UNSUPPORTED): stored values count as they are,
 * sRGB or not; alpha does not count; R8, R16F and R32F have one channel. In floats 0..1 is the
 * whole range, values beyond it count as its ends, and NaN as 0. Beyond its edges a picture is its
 * outermost pixel again. A picture of one colour, or one of 1x1 pixels, has no blobs: FOVEA_OK and
 * a count of 0.
 *
 * Images in CPU memory: returns when everything is written. The first picture of a size allocates,
 * and other pictures' memory goes then: 53 bytes a pixel (43 of one channel), 5 KiB for each row
 * and 2 for each column, 2 MiB a thread, and 200 bytes a thread for each blob of blob_max beyond
 * 1000.
 *
 * Images in CUDA memory: works behind what cuda_stream has, on streams of its own, on the device
 * that has them; NULL is the legacy default stream. Waits before it returns, because the lists are
 * the processor's to read. Responses and lists are those of images in CPU memory, to the last bit.
 * The first call of a size, one with more images than ever, and a picture with more candidates than
 * ever allocate: of the device's memory 88 to 115 bytes for each pixel of a channel (0.4 MB a
 * channel of 1x1 pixels, 1.4 of 64x64, 6.5 of 224x224), 20 more for each pixel, and 200 KiB an
 * image or 192 bytes for each blob of blob_max; and 48 KiB an image of CPU memory that the device
 * writes. This of images that come to 512 MiB, and of one channel of one image at least: more
 * images come after each other, and those at once have all but the first of these twice.
 * FOVEA_ERROR_UNSUPPORTED: there is no CUDA in the build or on the machine, or the device, or the
 * code that the build has for it, is older than compute capability 8.0. FOVEA_ERROR_INVALID_STATE:
 * the stream is being captured. On failure nothing that was written counts. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_blobs_run(
    struct fovea_blobs *blobs, const struct fovea_image *src, uint32_t image_count,
    ptrdiff_t src_next_bytes, struct fovea_blob *out_blobs, uint32_t *out_counts,
    void *cuda_stream);

/* The response of the last image of the last run at scale number `scale`, for every pixel: out, in
 * CPU memory, has that image's height in rows of its width, row_stride_bytes apart. After a run in
 * CUDA memory the first call copies, and allocates what images in CPU memory take.
 * FOVEA_ERROR_INVALID_ARGUMENT also where these lie over each other. FOVEA_ERROR_INVALID_STATE:
 * there was no run that succeeded. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_blobs_response(struct fovea_blobs *blobs,
                                                                  uint32_t scale, float *out,
                                                                  ptrdiff_t row_stride_bytes);

/* Bytes that it holds in CPU memory, with what a device writes, without its threads' stacks. */
FOVEA_API size_t fovea_blobs_bytes(const struct fovea_blobs *blobs);

#ifdef __cplusplus
}
#endif

#endif
