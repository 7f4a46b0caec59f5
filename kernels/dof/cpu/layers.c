/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The layers of dof.h, which the machine blurs, and the picture that is composed of them. */

#include "steps.h"

#include <math.h>

void dof_read_row(const struct dof_cpu *cpu, int32_t y, float *pixels)
{
    const struct pixel_row row = pixel_row_of(&cpu->src, cpu->codec, 0, y, dof_width(cpu));
    cpu->codec->decode(&row, cpu->channels, pixels);
    if (cpu->light) {
        pixel_light_from_levels(cpu->light, pixels, row.count, cpu->channels,
                                cpu->codec->color_channels);
    }
}

/* A pixel that a layer has nothing of does not get into it, though it be no number. */
static void put(const struct dof_cpu *cpu, size_t at, const float *pixel, float coverage)
{
    const uint32_t colors = cpu->codec->color_channels;
    float *out = cpu->layer + DOF_LAYER_CHANNELS * at;
    for (uint32_t c = 0; c < DOF_COVERAGE; c++) {
        out[c] = c < colors && coverage > 0.0f ? coverage * pixel[c] : 0.0f;
    }
    out[DOF_COVERAGE] = coverage;
    if (cpu->channels > colors) {
        cpu->alpha_layer[at] = coverage > 0.0f ? coverage * pixel[colors] : 0.0f;
    }
}

void dof_layer_of_near(const struct dof_cpu *cpu, int32_t tile_row, float *pixels)
{
    for (int32_t y = tile_row * DOF_TILE_PX; y < dof_end_of_rows(cpu, tile_row); y++) {
        const size_t first = dof_row(cpu, y);
        dof_read_row(cpu, y, pixels);
        for (int32_t x = 0; x < dof_width(cpu); x++) {
            const size_t at = first + (size_t)x;
            const float offset_px = cpu->offset_px[at];
            const float *sums = cpu->near + DOF_LAYER_CHANNELS * at;
            cpu->near_px[at] =
                dof_near_sigma(offset_px, sums[0], sums[DOF_COVERAGE], cpu->reach_px[at]);
            put(cpu, at, pixels + (size_t)x * cpu->channels, dof_nearness(offset_px));
        }
    }
}

void dof_layer_behind(const struct dof_cpu *cpu, int32_t tile_row, float *pixels)
{
    for (int32_t y = tile_row * DOF_TILE_PX; y < dof_end_of_rows(cpu, tile_row); y++) {
        const size_t first = dof_row(cpu, y);
        dof_read_row(cpu, y, pixels);
        for (int32_t x = 0; x < dof_width(cpu); x++) {
            const size_t at = first + (size_t)x;
            const float offset_px = cpu->offset_px[at];
            cpu->sigma_px[at] = dof_sigma_behind(offset_px, cpu->near_px[at]);
            put(cpu, at, pixels + (size_t)x * cpu->channels, dof_weight_behind(offset_px));
        }
    }
}

/* ---- Out */

struct layers {
    const float *near;
    const float *behind;
};

/* A channel that has `own` in the picture, of a pixel whose coverages these are. */
static float composed(float own, float near, float behind, const struct layers *coverage)
{
    const float there = *coverage->behind;
    const float lacking = fmaxf(DOF_LEAST_COVERAGE - there, 0.0f);
    const float mean = (lacking > 0.0f ? behind + lacking * own : behind) / (there + lacking);
    const float open = 1.0f - dof_clamped(*coverage->near, 0.0f, 1.0f);
    return open > 0.0f ? near + open * mean : near;
}

static void compose_pixel(const struct dof_cpu *cpu, size_t at, float *pixel)
{
    const uint32_t colors = cpu->codec->color_channels;
    const float *near = cpu->near + DOF_LAYER_CHANNELS * at;
    const float *behind = cpu->behind + DOF_LAYER_CHANNELS * at;
    const struct layers coverage = {near + DOF_COVERAGE, behind + DOF_COVERAGE};
    for (uint32_t c = 0; c < colors; c++) {
        pixel[c] = composed(pixel[c], near[c], behind[c], &coverage);
    }
    if (cpu->channels > colors) {
        pixel[colors] =
            composed(pixel[colors], cpu->alpha_near[at], cpu->alpha_behind[at], &coverage);
    }
}

/* Nothing near gets there, and it is not blurred itself. */
static bool is_sharp(const struct dof_cpu *cpu, size_t at)
{
    return cpu->near[DOF_LAYER_CHANNELS * at + DOF_COVERAGE] == 0.0f && cpu->sigma_px[at] < 0.1f;
}

/* Levels, of which the blend of nodes may go beyond the ends. */
static void clamp_levels(const struct dof_cpu *cpu, float *pixels)
{
    const uint32_t colors = cpu->codec->color_channels;
    const bool is_10_bits = cpu->src.format == FOVEA_FORMAT_A2B10G10R10;
    const float highest = is_10_bits ? 1023.0f : 255.0f;
    for (uint32_t i = 0; i < (uint32_t)dof_width(cpu) * cpu->channels; i++) {
        const bool is_alpha = i % cpu->channels >= colors;
        pixels[i] = dof_clamped(pixels[i], 0.0f, is_alpha && is_10_bits ? 3.0f : highest);
    }
}

static void write_row(const struct dof_cpu *cpu, int32_t y, float *pixels)
{
    const struct pixel_row src = pixel_row_of(&cpu->src, cpu->codec, 0, y, dof_width(cpu));
    const struct pixel_row dst = pixel_row_of(&cpu->dst, cpu->codec, 0, y, dof_width(cpu));
    if (cpu->light) {
        pixel_light_to_levels(cpu->light, pixels, src.count, cpu->channels,
                              cpu->codec->color_channels);
    }
    if (pixel_light_known(cpu->src.format)) {
        clamp_levels(cpu, pixels);
    }
    cpu->codec->encode(pixels, cpu->channels, &src, &dst);
}

/* Pixels of a run that is sharp are as they were, bit for bit. */
static void copy_sharp(const struct dof_cpu *cpu, int32_t y)
{
    const size_t first = dof_row(cpu, y);
    for (int32_t x = 0; x < dof_width(cpu); x++) {
        const int32_t start = x;
        while (x < dof_width(cpu) && is_sharp(cpu, first + (size_t)x)) {
            x++;
        }
        if (x > start) {
            const struct pixel_row src = pixel_row_of(&cpu->src, cpu->codec, start, y, x - start);
            const struct pixel_row dst = pixel_row_of(&cpu->dst, cpu->codec, start, y, x - start);
            pixel_copy_row(cpu->codec, &src, &dst);
        }
    }
}

void dof_compose(const struct dof_cpu *cpu, int32_t tile_row, float *pixels)
{
    for (int32_t y = tile_row * DOF_TILE_PX; y < dof_end_of_rows(cpu, tile_row); y++) {
        dof_read_row(cpu, y, pixels);
        for (int32_t x = 0; x < dof_width(cpu); x++) {
            compose_pixel(cpu, dof_row(cpu, y) + (size_t)x, pixels + (size_t)x * cpu->channels);
        }
        write_row(cpu, y, pixels);
        copy_sharp(cpu, y);
    }
}
