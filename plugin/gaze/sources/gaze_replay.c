/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The gazes of a record of frames, frame by frame and exactly: each new time that is asked for is
 * the next frame. What is said of validity and hold counts no more: it has. */
#include "gaze_replay_file.h"
#include "plugin/gaze/gaze_source.h"

#include <stdio.h>

struct replay {
    struct fovea_gaze_source base;
    struct gaze_replay_rows file;
    size_t next; /* the frame to come */
    int64_t last_t_ns; /* of the frame before, where next is above 0 */
};

static enum fovea_result replay_init(struct fovea_gaze_source *source)
{
    struct replay *replay = (struct replay *)source;
    return gaze_replay_load(source->settings.scanpath_file, source->log, &replay->file);
}

static void replay_finish(struct fovea_gaze_source *source)
{
    gaze_replay_rows_finish(&((struct replay *)source)->file);
}

static void replay_answer(struct fovea_gaze_source *source, int64_t t_ns,
                          struct fovea_gaze *out_gaze)
{
    struct replay *replay = (struct replay *)source;
    const struct fovea_gaze_settings *settings = &source->settings;
    if (replay->next == 0 || t_ns != replay->last_t_ns) {
        replay->last_t_ns = t_ns;
        replay->next++;
    }
    const size_t count = replay->file.count;
    const size_t frame = replay->next - 1;
    if (count == 0 || (frame >= count && !settings->scanpath_loop)) {
        *out_gaze = (struct fovea_gaze){.point = {0.5, 0.5},
                                        .state = FOVEA_GAZE_LOST,
                                        .usable = settings->fallback != FOVEA_GAZE_FALLBACK_NONE};
    } else {
        *out_gaze = replay->file.rows[frame % count].gaze;
    }
    out_gaze->sample_count = replay->next;
}

static double replay_vergence_m(struct fovea_gaze_source *source, int64_t t_ns)
{
    const struct replay *replay = (struct replay *)source;
    const size_t frame = replay->next - 1;
    (void)t_ns;
    if (replay->next == 0 || (frame >= replay->file.count && !source->settings.scanpath_loop)) {
        return 0.0;
    }
    return replay->file.rows[frame % replay->file.count].vergence_m;
}

static void replay_describe(const struct fovea_gaze_settings *settings, char *out, size_t bytes)
{
    snprintf(out, bytes, "replay of %s", settings->scanpath_file);
}

const struct gaze_source_api gaze_replay = {
    .name = "replay",
    .bytes = sizeof(struct replay),
    .in_uv = true,
    .opens_slowly = true,
    .describe = replay_describe,
    .init = replay_init,
    .finish = replay_finish,
    .answer = replay_answer,
    .vergence_m = replay_vergence_m,
};
