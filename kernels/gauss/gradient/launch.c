/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "launch.h"

#include "core/log.h"
#include "kernels/image/image_slice.h"

static enum fovea_result launch_all(const struct gauss_gradient_slice *slice, CUfunction kernel,
                                    int32_t width, int32_t height)
{
    struct gauss_gradient_params params = slice->params;
    const struct cuda_launch launch = cuda_launch_over(
        kernel, width, height, slice->count, GAUSS_GRADIENT_SIDE_X, GAUSS_GRADIENT_SIDE_Y);
    return cuda_launch(slice->gradient->base.device, slice->stream, &launch, &params);
}

static enum fovea_result launch_pixels(const struct gauss_gradient_slice *slice, CUfunction kernel)
{
    return launch_all(slice, kernel, slice->params.width, slice->params.height);
}

/* Samples in an image's scratch memory. */
struct plane {
    int64_t at;
    int32_t width, height;
};

static struct plane pixels_at(const struct gauss_gradient_slice *slice, int64_t at)
{
    return (struct plane){at, slice->params.width, slice->params.height};
}

static struct plane level_of(const struct gauss_gradient_slice *slice, int32_t k)
{
    const struct gauss_gradient_level *level = &slice->plan->tables.levels[k];
    return (struct plane){slice->plan->levels[k], level->width, level->height};
}

/* One axis of `out` is done, the other one still as it is in `in`. */
static struct plane between(const struct gauss_gradient_slice *slice, int32_t width, int32_t height)
{
    return (struct plane){slice->plan->between, width, height};
}

/* own: what the band has beside its planes. */
static enum fovea_result launch_band(struct gauss_gradient_slice *slice, CUfunction kernel,
                                     struct plane in, struct plane out,
                                     struct gauss_gradient_band_params own)
{
    struct gauss_gradient_band_params *band = &slice->params.band;
    *band = own;
    band->in = in.at;
    band->in_width = in.width;
    band->in_height = in.height;
    band->out = out.at;
    band->out_width = out.width;
    band->out_height = out.height;
    return launch_all(slice, kernel, out.width, out.height);
}

static struct image_linear linear_of(const struct fovea_image *images, ptrdiff_t next_bytes,
                                     uint32_t first)
{
    const struct fovea_image image = image_of_batch(images, next_bytes, first);
    return image_linear_of(&image, next_bytes);
}

static enum fovea_result read_image(struct gauss_gradient_slice *slice,
                                    const struct fovea_image *images, ptrdiff_t next_bytes,
                                    uint32_t first, int64_t out)
{
    slice->params.band = (struct gauss_gradient_band_params){.out = out};
    slice->params.image = linear_of(images, next_bytes, first);
    slice->params.image_next_bytes = next_bytes;
    return launch_pixels(slice, slice->gradient->read.linear[slice->format]);
}

static enum fovea_result write_image(struct gauss_gradient_slice *slice,
                                     const struct operator_derivatives *batch, uint32_t first,
                                     int64_t in)
{
    struct gauss_gradient_params *params = &slice->params;
    params->band = (struct gauss_gradient_band_params){.in = in};
    params->image = linear_of(batch->d_dst, batch->d_dst_next_bytes, first);
    params->image_next_bytes = batch->d_dst_next_bytes;
    params->written = linear_of(batch->d_src, batch->d_src_next_bytes, first);
    params->written_next_bytes = batch->d_src_next_bytes;
    return launch_pixels(slice, slice->gradient->write.linear[slice->format]);
}

/* Brings a level to the size of another. */
static enum fovea_result resample(struct gauss_gradient_slice *slice, int32_t from, int32_t to,
                                  const struct gauss_gradient_bands *bands, bool adds)
{
    const struct gauss_gradient_band_params x = {.first_row = bands->x.first_row};
    const struct gauss_gradient_band_params y = {.first_row = bands->y.first_row, .adds = adds};
    const struct plane in = level_of(slice, from);
    const struct plane out = level_of(slice, to);
    const struct plane across = between(slice, out.width, in.height);
    FOVEA_TRY(launch_band(slice, slice->gradient->columns, in, across, x));
    return launch_band(slice, slice->gradient->rows, across, out, y);
}

/* ---- The image's derivative */

static enum fovea_result gather_node(struct gauss_gradient_slice *slice, int32_t i, bool adds)
{
    const struct gauss_gradient_node *node = &slice->plan->tables.nodes[i];
    const struct gauss_gradient_band_params y = {.first_row = node->gather.y.first_row, .node = i};
    const struct gauss_gradient_band_params x = {.first_row = node->gather.x.first_row,
                                                 .adds = adds};
    const struct plane pixels = pixels_at(slice, slice->params.derivative);
    const struct plane out = level_of(slice, node->level);
    const struct plane down = between(slice, pixels.width, out.height);
    FOVEA_TRY(launch_band(slice, slice->gradient->node_rows, pixels, down, y));
    return launch_band(slice, slice->gradient->columns, down, out, x);
}

/* Whether pixels of one sigma, which the plan has, have nothing of a node. */
static bool is_idle(const struct gauss_gradient_slice *slice, int32_t i)
{
    const struct gauss_plan *plan = slice->plan->plan;
    const float place = gauss_gradient_place((float)plan->one_sigma_px);
    return plan->one_sigma_px > 0.0 &&
           gauss_gradient_weight(place, i, slice->params.node_count) == 0.0f;
}

/* Each level's first node writes what others add to. Leaves it in level 0. */
static enum fovea_result make_d_src(struct gauss_gradient_slice *slice)
{
    const struct gauss_gradient_tables *tables = &slice->plan->tables;
    bool has[GAUSS_MAX_LEVELS] = {false};
    slice->params.law = slice->plan->stepped;
    FOVEA_TRY(launch_pixels(slice, slice->gradient->places));
    for (int32_t i = 0; i < tables->node_count; i++) {
        const int32_t level = tables->nodes[i].level;
        if (!has[level] || !is_idle(slice, i)) {
            FOVEA_TRY(gather_node(slice, i, has[level]));
        }
        has[level] = true;
    }
    for (int32_t k = tables->level_count - 1; k > 0; k--) {
        FOVEA_TRY(resample(slice, k, k - 1, &tables->levels[k].spread, true));
    }
    return FOVEA_OK;
}

/* ---- The derivatives of the gaze and of sigmas */

static enum fovea_result blur_node(struct gauss_gradient_slice *slice, int32_t i)
{
    const struct gauss_gradient_node *node = &slice->plan->tables.nodes[i];
    const struct gauss_gradient_band_params x = {.first_row = node->blur.x.first_row};
    const struct gauss_gradient_band_params y = {
        .first_row = node->blur.y.first_row, .adds = i > 0, .node = i};
    const struct plane in = level_of(slice, node->level);
    const struct plane pixels = pixels_at(slice, slice->params.dots);
    const struct plane across = between(slice, pixels.width, in.height);
    FOVEA_TRY(launch_band(slice, slice->gradient->columns, in, across, x));
    return launch_band(slice, slice->gradient->node_dots, across, pixels, y);
}

/* Sums what all nodes say of the pixels' places. The picture is in level 0. */
static enum fovea_result make_dots(struct gauss_gradient_slice *slice)
{
    const struct gauss_gradient_tables *tables = &slice->plan->tables;
    slice->params.law = slice->plan->even;
    FOVEA_TRY(launch_pixels(slice, slice->gradient->places));
    for (int32_t k = 1; k < tables->level_count; k++) {
        FOVEA_TRY(resample(slice, k - 1, k, &tables->levels[k].reduce, false));
    }
    for (int32_t i = 0; i < tables->node_count; i++) {
        FOVEA_TRY(blur_node(slice, i));
    }
    return FOVEA_OK;
}

static enum fovea_result make_d_gazes(struct gauss_gradient_slice *slice)
{
    const struct cuda_launch gaze = {slice->gradient->gaze,
                                     {1, (uint32_t)slice->params.other_count + 1, slice->count},
                                     {GAUSS_GRADIENT_GAZE_THREADS, 1},
                                     0};
    FOVEA_TRY(make_dots(slice));
    FOVEA_TRY(launch_pixels(slice, slice->gradient->gaze_parts));
    return cuda_launch(slice->gradient->base.device, slice->stream, &gaze, &slice->params);
}

static enum fovea_result make_d_sigmas(struct gauss_gradient_slice *slice, float *d_sigmas,
                                       uint32_t first)
{
    const int64_t pixels = (int64_t)slice->params.width * slice->params.height;
    slice->params.d_sigmas = (uint64_t)(uintptr_t)(d_sigmas + first * pixels);
    FOVEA_TRY(make_dots(slice));
    return launch_pixels(slice, slice->gradient->sigmas);
}

static enum fovea_result no_d_gazes(const struct gauss_gradient_slice *slice)
{
    const struct cuda_device *device = slice->gradient->base.device;
    const size_t foveas = (size_t)slice->count * ((size_t)slice->params.other_count + 1);
    CU_TRY(device->log, device->cu,
           device->cu->MemsetD8Async((CUdeviceptr)slice->params.d_gazes_uv, 0,
                                     foveas * 2 * sizeof(float), slice->stream));
    return FOVEA_OK;
}

/* ---- A slice */

enum fovea_result gauss_gradient_launch(struct gauss_gradient_slice *slice,
                                        const struct operator_derivatives *batch, uint32_t first)
{
    const int64_t picture = slice->plan->levels[0];
    FOVEA_TRY(
        read_image(slice, batch->d_dst, batch->d_dst_next_bytes, first, slice->params.derivative));
    if (batch->sigmas) {
        slice->params.sigmas = linear_of(batch->sigmas, batch->sigmas_next_bytes, first);
        slice->params.sigmas_next_bytes = batch->sigmas_next_bytes;
        slice->params.sigmas_are_halves = batch->sigmas->format == FOVEA_FORMAT_R16F;
    }
    if (batch->d_src) {
        FOVEA_TRY(make_d_src(slice));
        FOVEA_TRY(write_image(slice, batch, first, picture));
    }
    if (batch->d_sigmas) {
        FOVEA_TRY(read_image(slice, batch->src, batch->src_next_bytes, first, picture));
        FOVEA_TRY(make_d_sigmas(slice, batch->d_sigmas, first));
    }
    if (batch->d_gazes_uv && !slice->plan->stepped.looks_at_gaze) {
        return no_d_gazes(slice);
    }
    if (batch->d_gazes_uv) {
        FOVEA_TRY(read_image(slice, batch->src, batch->src_next_bytes, first, picture));
        FOVEA_TRY(make_d_gazes(slice));
    }
    return FOVEA_OK;
}
