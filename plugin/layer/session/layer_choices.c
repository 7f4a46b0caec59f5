/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_choices.h"

#define STRENGTH_STEP 1.189207115002721 /* four presses double it */

void layer_choices_take(struct layer_choices *choices, const struct fovea_settings *files)
{
    struct fovea_settings *now = &choices->now;
    struct fovea_settings *former = &choices->files;
    /* The keys' changes go into the settings of the former files, which go anyway. */
#define KEEP(member) former->member = files->member == former->member ? now->member : files->member;
    KEEP(foveation.model)
    KEEP(foveation.strength)
    KEEP(overlay.marker)
    KEEP(overlay.rings)
    KEEP(overlay.heatmap)
    KEEP(overlay.hud)
    KEEP(overlay.wipe_uv)
#undef KEEP
    *now = *files;
    now->foveation.model = former->foveation.model;
    now->foveation.strength = former->foveation.strength;
    now->overlay = former->overlay;
    *former = *files;
}

static void scale_strength(struct layer_choices *choices, double factor)
{
    const double strength = choices->now.foveation.strength;
    const double least = 0.125;
    double scaled = (strength > 0.0 ? strength : least) * factor;
    scaled = scaled < least ? least : scaled;
    choices->now.foveation.strength = scaled > 8.0 ? 8.0 : scaled;
}

static void flip(bool *value)
{
    *value = !*value;
}

/* The published model, and from there back to what the files say, or where they say the same to a
 * view's. */
static void change_model(struct layer_choices *choices)
{
    const enum fovea_model own = choices->files.foveation.model;
    enum fovea_model *model = &choices->now.foveation.model;
    if (*model != FOVEA_MODEL_PAPER) {
        *model = FOVEA_MODEL_PAPER;
    } else {
        *model = own == FOVEA_MODEL_PAPER ? FOVEA_MODEL_PHYSICAL : own;
    }
}

void layer_choices_act(struct layer_choices *choices, enum layer_action action)
{
    struct fovea_overlay *overlay = &choices->now.overlay;
    switch (action) {
    case LAYER_ACTION_TOGGLE:
        flip(&choices->off);
        break;
    case LAYER_ACTION_HUD:
        flip(&overlay->hud);
        break;
    case LAYER_ACTION_MARKER:
        flip(&overlay->marker);
        break;
    case LAYER_ACTION_RINGS:
        flip(&overlay->rings);
        break;
    case LAYER_ACTION_HEATMAP:
        flip(&overlay->heatmap);
        break;
    case LAYER_ACTION_WIPE:
        flip(&choices->wiping);
        overlay->wipe_uv = choices->files.overlay.wipe_uv;
        break;
    case LAYER_ACTION_HELP:
        flip(&choices->help);
        break;
    case LAYER_ACTION_STRONGER:
        scale_strength(choices, STRENGTH_STEP);
        break;
    case LAYER_ACTION_WEAKER:
        scale_strength(choices, 1.0 / STRENGTH_STEP);
        break;
    case LAYER_ACTION_MODEL:
        change_model(choices);
        break;
    case LAYER_ACTION_RELOAD: /* the session's */
    case LAYER_ACTION_COMPARE: /* for as long as it is held */
    case LAYER_ACTION_COUNT:
        break;
    }
}
