/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The configuration and the gaze source that it names, kept together while both change. */
#pragma once

#include "foveation.h"
#include "options.h"

struct settings {
    struct fovea_config *config;
    struct fovea_settings *now; /* what is in force, with what keys have changed */
    struct fovea_settings *files; /* as the files said last */
    struct fovea_gaze_source *source;
    struct foveation *follower; /* follows the source; NULL: nobody does */
    bool live; /* the source is read in real time, not in the scene's */
    bool shown; /* its positions lie on the picture that is shown */
    bool sees; /* its gazes, or those of a lost one, are over the first eye's picture */
    bool frozen; /* --frozen */
    bool hmd; /* --hmd: there is one such picture for each eye */
};

/* False with a message. */
bool settings_init(struct settings *settings, const struct options *options);
void settings_finish(struct settings *settings);
/* Frames of this foveation may take the newest gaze of whatever source is open; NULL: no longer.
 * Before the foveation goes. */
void settings_follow(struct settings *settings, struct foveation *follower);
/* Opens what settings->now says. On failure the old source stays. */
bool settings_open_gaze(struct settings *settings);
/* Looks whether the files have changed. True: new settings are in force, and the keys' are gone;
 * `now` is another object. */
bool settings_poll(struct settings *settings);
/* Reads the files now. False with a message: the old settings stay. */
bool settings_reload(struct settings *settings, const struct options *options);
/* Over the picture as it is drawn, of that size; with --hmd the one between the eyes, as large as
 * one's. scene_ns: for sources that are played back; the others have a clock of their own. */
struct fovea_gaze settings_gaze(struct settings *settings, int64_t scene_ns, uint32_t width_px,
                                uint32_t height_px);
/* How far away both eyes look, after settings_gaze; 0: not known. */
double settings_vergence_m(struct settings *settings, int64_t scene_ns);

/* Says so and is false where settings are frozen, and another backend than the one that they name
 * has made frames: one whose device was lost on the way is replaced, which is no frozen run. */
bool settings_kept_backend(const struct settings *settings, enum fovea_backend made);
