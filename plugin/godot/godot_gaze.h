/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Where the eye looks in a frame: a source of Fovea's, or what scripts have set, fed to the source
 * that programs push to, so that lost gazes are held and come back in the same way. */
#ifndef FOVEA_GODOT_GAZE_H
#define FOVEA_GODOT_GAZE_H

#include "fovea_gaze.h"
#include "godot_effect.h"

struct godot_gaze {
    struct fovea_gaze_source *source; /* NULL: none */
    struct fovea_gaze_settings settings; /* that it was opened with */
    bool opened; /* or tried in vain with these settings */
    bool lost;
};

/* Opens the source that the settings name, where it is another than before. */
void godot_gaze_open(struct godot_gaze *gaze, const struct fovea_settings *settings);
void godot_gaze_finish(struct godot_gaze *gaze);

/* The gaze now, and that of a view: 0 is the left eye's or the only one. */
struct fovea_gaze godot_gaze_read(struct godot_gaze *gaze, const struct godot_choices *choices,
                                  struct godot_vector2i size);
struct fovea_point_uv godot_gaze_of_view(const struct godot_gaze *gaze,
                                         const struct fovea_gaze *now,
                                         const struct godot_choices *choices, uint32_t view,
                                         uint32_t view_count);
/* Tells scripts when the gaze was lost or found since it was called last; nobody where the object
 * has ended. */
void godot_gaze_tell(struct godot_gaze *gaze, const struct fovea_gaze *now, uint64_t object_id);

#endif
