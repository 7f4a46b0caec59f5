/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Lights of images of 16 bits, and how far the processor's are from the reference. */
#pragma once

#include "compare.h"

#define LEVELS_ROWS 8

static const struct levels_row {
    const char *name;
    enum fovea_light light;
    enum fovea_transfer transfer;
    enum fovea_method method;
    int display; /* compare_display's; -1: none */
    double most; /* levels; blockwise's definition cuts its filters off */
} levels_rows[LEVELS_ROWS] = {
    {"sRGB", FOVEA_LIGHT_AUTO, FOVEA_TRANSFER_SRGB, FOVEA_METHOD_SMOOTH, -1, 16},
    {"sRGB, blockwise", FOVEA_LIGHT_LINEAR, FOVEA_TRANSFER_SRGB, FOVEA_METHOD_BLOCKWISE, -1, 500},
    {"stored", FOVEA_LIGHT_ENCODED, FOVEA_TRANSFER_SRGB, FOVEA_METHOD_SMOOTH, -1, 12},
    {"stored, blockwise", FOVEA_LIGHT_AUTO, FOVEA_TRANSFER_PQ, FOVEA_METHOD_BLOCKWISE, -1, 12},
    {"PQ", FOVEA_LIGHT_AUTO, FOVEA_TRANSFER_PQ, FOVEA_METHOD_SMOOTH, -1, 140},
    {"HLG", FOVEA_LIGHT_AUTO, FOVEA_TRANSFER_HLG, FOVEA_METHOD_SMOOTH, -1, 45},
    {"gamma", FOVEA_LIGHT_GAMMA, FOVEA_TRANSFER_SRGB, FOVEA_METHOD_SMOOTH, 2, 36},
    {"table", FOVEA_LIGHT_TABLE, FOVEA_TRANSFER_SRGB, FOVEA_METHOD_SMOOTH, 5, 24},
};

static inline struct fovea_settings levels_settings(const struct levels_row *row)
{
    struct fovea_settings settings = fovea_settings_default();
    settings.foveation.method = row->method;
    settings.foveation.transfer = row->transfer;
    settings.foveation.strength = 1.5;
    if (row->display >= 0) {
        compare_display(row->display, &settings.foveation.display);
    }
    settings.foveation.light = row->light;
    return settings;
}
