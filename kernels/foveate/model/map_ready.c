/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "map_ready.h"

#include "core/large_memory.h"
#include "core/log.h"

#include <math.h>
#include <stdlib.h>

/* ---- The table */

static float entry_of(const struct foveate_map_line *line, double limit, double sample)
{
    const double entry = line->at_zero + line->per_sample * sample;
    return (float)(line->root ? fmax(entry, limit) : fmin(entry, limit));
}

/* The table is linear in the samples, so that linear between entries is linear between samples. */
void foveate_map_fill_table(const struct foveate_model *model, double highest, float *out_entries)
{
    const struct foveate_map_line line = foveate_model_map_line(model);
    const double limit = line.root ? 1.0 / (highest * highest) : highest;
    for (int32_t j = -1; j <= model->map.height; j++) {
        for (int32_t i = -1; i <= model->map.width; i++) {
            *out_entries++ = entry_of(&line, limit, foveate_map_sample(&model->map, i, j));
        }
    }
}

static bool same_line(const struct foveate_map_line *a, const struct foveate_map_line *b)
{
    return a->root == b->root && a->floor == b->floor && a->at_zero == b->at_zero &&
           a->per_sample == b->per_sample;
}

float *foveate_map_ready_table(const struct foveate_model *model, double highest)
{
    const struct fovea_map_ready *ready = model->map.ready;
    const struct foveate_map_line line = foveate_model_map_line(model);
    const bool fits = ready && same_line(&ready->line, &line) &&
                      foveate_model_map_law(model, model->map.smallest) <= highest;
    return fits ? ready->table : NULL;
}

/* ---- Making it */

static enum fovea_result make_blocks(struct fovea_map_ready *ready, const struct fovea_map *map)
{
    const uint32_t columns = (map->width + FOVEATE_MAP_BLOCK - 1) / FOVEATE_MAP_BLOCK;
    const uint32_t rows = (map->height + FOVEATE_MAP_BLOCK - 1) / FOVEATE_MAP_BLOCK;
    ready->block_columns = (int32_t)columns;
    ready->smallest_of_blocks = calloc((size_t)columns * rows, sizeof(float));
    FOVEA_TRY_MEMORY(ready->smallest_of_blocks);
    ready->smallest = INFINITY;
    for (size_t i = 0; i < (size_t)columns * rows; i++) {
        ready->smallest_of_blocks[i] = INFINITY;
    }
    for (uint32_t y = 0; y < map->height; y++) {
        float *blocks = ready->smallest_of_blocks + (size_t)(y / FOVEATE_MAP_BLOCK) * columns;
        const float *row = map->values + (size_t)y * map->width;
        for (uint32_t x = 0; x < map->width; x++) {
            float *smallest = &blocks[x / FOVEATE_MAP_BLOCK];
            *smallest = row[x] < *smallest ? row[x] : *smallest;
            ready->smallest = row[x] < ready->smallest ? row[x] : ready->smallest;
        }
    }
    return FOVEA_OK;
}

static enum fovea_result make_table(struct fovea_map_ready *ready,
                                    const struct foveate_model *model)
{
    const struct gauss_law law = {.map_width = model->map.width + 2,
                                  .map_height = model->map.height + 2,
                                  .map_root = model->foveation.map.law == FOVEA_MAP_LAW_SQRT};
    ready->table =
        large_memory_make((size_t)law.map_width * (size_t)law.map_height, sizeof *ready->table);
    FOVEA_TRY_MEMORY(ready->table);
    foveate_map_fill_table(model, (double)INFINITY, ready->table);
    ready->line = foveate_model_map_line(model);
    ready->extremes = gauss_cpu_extremes_of_map(&law, ready->table);
    return FOVEA_OK;
}

/* The law from samples to sigma is the same for a picture of one pixel. */
static enum fovea_result model_without_picture(const struct fovea_foveation *foveation,
                                               struct fovea_map_ready *ready,
                                               struct foveate_model **out_model)
{
    struct foveate_model *model = malloc(sizeof *model);
    FOVEA_TRY_MEMORY(model);
    model->foveation = *foveation;
    model->foveation.map.ready = ready;
    if (!foveate_model_init(model, &model->foveation, 1, 1)) {
        free(model);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    *out_model = model;
    return FOVEA_OK;
}

static enum fovea_result fill(struct fovea_map_ready *ready,
                              const struct fovea_foveation *foveation)
{
    struct foveate_model *model;
    FOVEA_TRY(model_without_picture(foveation, NULL, &model));
    ready->serial = foveation->map.serial;
    ready->largest = (float)model->map.largest;
    enum fovea_result result = make_blocks(ready, &foveation->map);
    if (result == FOVEA_OK) {
        result = make_table(ready, model);
    }
    free(model);
    return result;
}

static void free_ready(struct shared_data *data)
{
    struct fovea_map_ready *own = (struct fovea_map_ready *)data;
    free(own->smallest_of_blocks);
    large_memory_free(own->table);
    free(own);
}

enum fovea_result foveate_map_ready_make(const struct fovea_foveation *foveation,
                                         struct fovea_map_ready **out_ready)
{
    *out_ready = NULL;
    struct fovea_map_ready *ready = calloc(1, sizeof *ready);
    FOVEA_TRY_MEMORY(ready);
    shared_data_init(&ready->base, free_ready);
    const enum fovea_result result = fill(ready, foveation);
    if (result < 0) {
        foveate_map_ready_release(&ready);
    }
    *out_ready = ready;
    return result;
}

bool foveate_map_ready_fits(struct fovea_map_ready *ready, const struct fovea_foveation *foveation)
{
    struct foveate_model *model;
    if (!ready || ready->serial != foveation->map.serial ||
        model_without_picture(foveation, ready, &model) < 0) {
        return false;
    }
    const struct foveate_map_line line = foveate_model_map_line(model);
    free(model);
    return same_line(&ready->line, &line);
}

/* ---- Shares */

struct fovea_map_ready *foveate_map_ready_share(struct fovea_map_ready *ready)
{
    return (struct fovea_map_ready *)shared_data_share((struct shared_data *)ready);
}

void foveate_map_ready_release(struct fovea_map_ready **ready)
{
    struct shared_data *own = (struct shared_data *)*ready;
    *ready = NULL;
    shared_data_release(&own);
}
