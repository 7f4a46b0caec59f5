/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Stereo images and arrays, and whole frames of several views through a rig. */
#pragma once

#include "rig.h"

#define STEREO_FORMAT VK_FORMAT_B8G8R8A8_SRGB

/* A stereo image or array, and where its views lie. Layers are kept one below the other. */
struct stereo {
    uint32_t width_px;
    uint32_t height_px;
    uint32_t layer_count;
    struct fovea_vk_view views[FOVEA_VK_MAX_VIEWS];
    uint32_t view_count; /* 0: a frame without views, with the first one's gaze and pictures */
};

/* A view of 67x45 pixels. */
struct fovea_vk_view stereo_view(uint32_t x_px, uint32_t y_px, uint32_t layer, double gaze_x_uv,
                                 double gaze_y_uv);

/* Two of them; the gazes lie by the seam, on either side of it. */
struct stereo stereo_side_by_side(void);

/* ---- Pixels: those of the format, packed ---- */

struct test_image stereo_picture(const struct stereo *scene, enum image_pattern pattern,
                                 uint64_t seed);
/* A rectangle of the size of a view. */
void stereo_copy(const struct fovea_image *from, uint32_t from_x, uint32_t from_y,
                 const struct fovea_image *to, uint32_t to_x, uint32_t to_y,
                 const struct fovea_vk_view *size);
/* Returns where a view starts in a picture of all layers. */
uint32_t stereo_row(const struct stereo *scene, const struct fovea_vk_view *view);
struct test_image stereo_cut_out(const struct stereo *scene, const struct fovea_vk_view *view,
                                 const struct fovea_image *from);

/* ---- Frames ---- */

/* One side of a frame. */
struct stereo_end {
    struct fovea_vk_image *made;
    struct engine_image image; /* of a made one, only what the functions below need */
};

struct stereo_end stereo_end_open(struct rig *rig, const struct stereo *scene,
                                  enum rig_owner owner);
void stereo_end_close(struct rig *rig, struct stereo_end *end);
/* Brings images into GENERAL, and out of TRANSFER_SRC_OPTIMAL, where frames leave them. */
void stereo_fill(struct rig *rig, const struct stereo_end *end, const struct fovea_image *pixels);
void stereo_read(struct rig *rig, const struct stereo_end *end, const struct fovea_image *pixels);
/* Both sides come in GENERAL, dst with contents. */
struct fovea_vk_frame stereo_frame(const struct stereo *scene, const struct stereo_end *src,
                                   const struct stereo_end *dst);

/* If kernels see an image's layer 0, frames from now on show them the others, too, or do not: as it
 * is in the beginning. */
void stereo_see_layers(bool see);

/* Images from now on have another format than STEREO_FORMAT. */
void stereo_set_format(VkFormat format);

/* One frame, waiting. dst: what is there before; its pixels afterwards. In place src is in dst
 * before. Of a frame that failed nothing is read. */
enum fovea_result stereo_run(struct rig *rig, const struct stereo *scene, enum rig_path path,
                             const struct fovea_image *src, const struct fovea_image *dst);
