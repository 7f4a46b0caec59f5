/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "saliency_shaders.h"

static const uint32_t bins[] =
#include "saliency_bins_1.inc"
    ;
static const uint32_t fine[] =
#include "saliency_fine_1.inc"
    ;
static const uint32_t planes[] =
#include "saliency_planes_1.inc"
    ;
static const uint32_t filter[] =
#include "saliency_filter_1.inc"
    ;
static const uint32_t maxima[] =
#include "saliency_maxima_1.inc"
    ;
static const uint32_t rank[] =
#include "saliency_rank_1.inc"
    ;
static const uint32_t prune[] =
#include "saliency_prune_1.inc"
    ;
static const uint32_t map[] =
#include "saliency_map_1.inc"
    ;

const struct shader saliency_bins_shader = SHADER_CODE(bins, bins);
const struct shader saliency_fine_shader = SHADER_CODE(fine, fine);
const struct shader saliency_planes_shader = SHADER_CODE(planes, planes);
const struct shader saliency_filter_shader = SHADER_CODE(filter, filter);
const struct shader saliency_maxima_shader = SHADER_CODE(maxima, maxima);
const struct shader saliency_rank_shader = SHADER_CODE(rank, rank);
const struct shader saliency_prune_shader = SHADER_CODE(prune, prune);
const struct shader saliency_map_shader = SHADER_CODE(map, map);
