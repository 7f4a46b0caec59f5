/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The images between the operators of a chain. Jobs run one after the other, so that all of them
 * have the same: as large as the largest image that jobs may be about. They are made where images
 * and plans come to be known, so that a job allocates nothing. */

#include "peer_cuda_state.h"

#include <stdlib.h>

static enum fovea_result make_surface(const struct cuda_device *device,
                                      const struct peer_image_desc *desc, struct peer_image *image)
{
    const CUDA_ARRAY3D_DESCRIPTOR array = peer_cuda_array_desc(desc);
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CU_TRY(device->log, device->cu, device->cu->Array3DCreate(&image->array, &array));
    resource.res.array.hArray = image->array;
    CU_TRY(device->log, device->cu, device->cu->SurfObjectCreate(&image->surface, &resource));
    return FOVEA_OK;
}

static enum fovea_result make_image(const struct cuda_device *device,
                                    const struct peer_image_desc *desc,
                                    struct peer_image **out_image)
{
    *out_image = NULL;
    struct peer_image *image = calloc(1, sizeof *image);
    FOVEA_TRY_MEMORY(image);
    const enum fovea_result result = make_surface(device, desc, image);
    if (result < 0) {
        peer_cuda_unmap_image(device, image);
        free(image);
        return result;
    }
    image->width_px = desc->width_px;
    image->height_px = desc->height_px;
    *out_image = image;
    return FOVEA_OK;
}

/* A job may still use the one that is too small. */
static enum fovea_result grow(struct cuda_peer *peer, const struct peer_image_desc *wanted,
                              struct peer_image **image)
{
    struct peer_image *grown = NULL;
    if (*image && (*image)->width_px >= wanted->width_px &&
        (*image)->height_px >= wanted->height_px) {
        return FOVEA_OK;
    }
    FOVEA_TRY(make_image(peer->device, wanted, &grown));
    if (*image) {
        (*image)->next = peer->outgrown_images;
        peer->outgrown_images = *image;
    }
    *image = grown;
    return FOVEA_OK;
}

/* Grows all images to their size in words: images of a word a pixel serve all formats of one
 * word. */
static enum fovea_result grow_all(struct cuda_peer *peer)
{
    static const enum fovea_format formats[PEER_CUDA_WIDTHS] = {FOVEA_FORMAT_RGBA8,
                                                                FOVEA_FORMAT_RGBA16F};
    for (uint32_t i = 0; i < PEER_CUDA_WIDTHS; i++) {
        struct peer_cuda_between *between = &peer->between[i];
        const struct peer_image_desc wanted = {
            .format = formats[i], .width_px = between->width_px, .height_px = between->height_px};
        for (uint32_t j = 0; j < peer->between_count && wanted.width_px > 0; j++) {
            FOVEA_TRY(grow(peer, &wanted, &between->images[j]));
        }
    }
    return FOVEA_OK;
}

enum fovea_result peer_cuda_between_for_image(struct cuda_peer *peer,
                                              const struct peer_image_desc *desc)
{
    struct peer_cuda_between *between = peer_cuda_between_of(peer, desc->format);
    between->width_px = between->width_px > desc->width_px ? between->width_px : desc->width_px;
    between->height_px =
        between->height_px > desc->height_px ? between->height_px : desc->height_px;
    return grow_all(peer);
}

enum fovea_result peer_cuda_between_for_plan(struct cuda_peer *peer,
                                             const struct operator_plan *plan)
{
    if (plan->images_between > peer->between_count) {
        peer->between_count = plan->images_between;
    }
    return grow_all(peer);
}

void peer_cuda_between_destroy(struct cuda_peer *peer)
{
    peer_cuda_free_images(peer, &peer->outgrown_images);
    for (uint32_t i = 0; i < PEER_CUDA_WIDTHS; i++) {
        for (uint32_t j = 0; j < OPERATOR_MAX_BETWEEN; j++) {
            peer->outgrown_images = peer->between[i].images[j];
            peer->between[i].images[j] = NULL;
            peer_cuda_free_images(peer, &peer->outgrown_images);
        }
    }
}
