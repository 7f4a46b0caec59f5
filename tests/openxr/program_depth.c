/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Stripes of near and far things in images of depths, as the colours lie, and what is said of
 * them. */

#include "program.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_M 0.1
#define FAR_M 100.0

/* FOVEA_TEST_XR_DEPTH has that word. */
static bool is_word(const char *word)
{
    const char *words = getenv("FOVEA_TEST_XR_DEPTH");
    return words && strstr(words, word);
}

bool program_has_depths(const struct program *program)
{
    return program_is(program, "depth") || getenv("FOVEA_TEST_XR_DEPTH");
}

int64_t program_depth_format(void)
{
    const char *number = getenv("FOVEA_TEST_XR_DEPTH_FORMAT");
    return number ? strtol(number, NULL, 10) : VK_FORMAT_D32_SFLOAT;
}

/* test_openxr_depth.py has the same. */
static double distance_at(uint32_t view, int32_t x, int32_t width)
{
    static const double distances_m[] = {2.0, 0.8, 8.0};
    return distances_m[((uint32_t)(4 * x / width) + 2 * view) % 3];
}

static XrCompositionLayerDepthInfoKHR sound(void)
{
    const float far_m = is_word("largest")    ? FLT_MAX
                        : is_word("distant")  ? 1e12f
                        : is_word("infinite") ? (float)(1.0 / 0.0)
                                              : (float)FAR_M;
    const bool reversed = is_word("reversed");
    return (XrCompositionLayerDepthInfoKHR){.type = XR_TYPE_COMPOSITION_LAYER_DEPTH_INFO_KHR,
                                            .minDepth = is_word("part") ? 0.25f : 0,
                                            .maxDepth = 1,
                                            .nearZ = reversed ? far_m : (float)NEAR_M,
                                            .farZ = reversed ? (float)NEAR_M : far_m};
}

/* The value from 0 to 1 that stands for a distance. */
static double value_of(double distance_m)
{
    const XrCompositionLayerDepthInfoKHR info = sound();
    const double near_diopters = 1 / (double)info.nearZ;
    const double part = (1 / distance_m - near_diopters) / (1 / (double)info.farZ - near_diopters);
    return (double)info.minDepth + part * (double)(info.maxDepth - info.minDepth);
}

static size_t store(double value, int64_t format, uint8_t *at)
{
    const float number = (float)value;
    const double most = format == VK_FORMAT_D16_UNORM ? 0xffff : 0xffffff;
    const uint32_t whole = (uint32_t)(value * most + 0.5);
    const size_t bytes = format == VK_FORMAT_D16_UNORM ? 2 : 4;
    const bool floats = format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
    memcpy(at, floats ? (const void *)&number : &whole, bytes);
    return bytes;
}

static void paint(const struct program_session *session, uint32_t view)
{
    const XrExtent2Di size = session->depth_places[view].imageRect.extent;
    uint8_t *texel = session->program->gpu.texels;
    for (int32_t y = 0; y < size.height; y++) {
        for (int32_t x = 0; x < size.width; x++) {
            texel +=
                store(value_of(distance_at(view, x, size.width)), program_depth_format(), texel);
        }
    }
}

void program_draw_depths(struct program_session *session, uint32_t frame)
{
    const bool one = session->chain_count == 1;
    for (uint32_t c = 0; c < session->chain_count && session->depths[c].handle; c++) {
        struct program_chain *chain = &session->depths[c];
        if (frame > 0 && is_word("old")) {
            continue;
        }
        program_wait(chain);
        for (uint32_t v = one ? 0 : c; v < (one ? session->view_count : c + 1); v++) {
            const XrSwapchainSubImage *place = &session->depth_places[v];
            paint(session, v);
            gpu_draw_depths(&session->program->gpu, chain->images[chain->image], &place->imageRect,
                            place->imageArrayIndex, program_depth_format());
        }
        chain->acquired = chain->waited = false;
        MUST(xrReleaseSwapchainImage(chain->handle, NULL));
        if (is_word("early")) {
            program_wait(chain);
        }
    }
}

bool program_say_depths(const struct program_session *session, uint32_t view,
                        XrCompositionLayerDepthInfoKHR *out)
{
    *out = sound();
    out->subImage = session->depth_places[view];
    if (is_word("null")) {
        out->subImage.swapchain = XR_NULL_HANDLE;
    } else if (is_word("outside")) {
        out->subImage.imageRect.offset.x = 1000;
    } else if (is_word("layer")) {
        out->subImage.imageArrayIndex = 7;
    } else if (is_word("small")) {
        out->subImage.imageRect.extent.width /= 2;
    } else if (is_word("equal")) {
        out->farZ = out->nearZ;
    } else if (is_word("behind")) {
        out->nearZ = -1;
    } else if (is_word("tiny")) {
        out->nearZ = 1e-9f;
    } else if (is_word("empty")) {
        out->maxDepth = out->minDepth;
    }
    return out->subImage.swapchain || is_word("null") ? !(view == 1 && is_word("one")) : false;
}
