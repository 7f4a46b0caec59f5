/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A source that looks at pictures shares this with those who show it frames. Both own it, and
 * either may go first, on any thread. Pictures come one at a time: a shower that is let have one
 * drawn, which takes some frames, gives it, and a thread of the watch's copies it and looks for
 * blobs. Who draws and who reads what was found wait for nobody and take no lock. */
#pragma once

#include "gaze_seen.h"

#include "fovea_base.h"

struct gaze_watch;

/* Starts a thread. The first owner is the caller. */
FOVEA_MUST_CHECK enum fovea_result gaze_watch_create(const struct fovea_gaze_settings *settings,
                                                     struct fovea_log log,
                                                     struct gaze_watch **out_watch);
/* The source goes: nothing is looked at any more. Waits for the thread, which may be at a
 * picture. In the child of a fork there is none. */
void gaze_watch_close(struct gaze_watch *watch);

struct gaze_watch *gaze_watch_keep(struct gaze_watch *watch);
/* Sets *watch to NULL; the last owner frees it. */
void gaze_watch_leave(struct gaze_watch **watch);

bool gaze_watch_is_closed(const struct gaze_watch *watch);
struct gaze_seen_size gaze_watch_size(const struct gaze_watch *watch, uint32_t width_px,
                                      uint32_t height_px);

/* ---- Showing, of whoever draws frames ---- */

/* A kernel draws words: first the picture's mark, which shows that it has run, then the pixels. */
#define GAZE_WATCH_HEAD_WORDS 1
#define GAZE_WATCH_PIXELS_MAX (2u * 320u * 320u) /* of the largest gaze.saliency.width_px */

static inline uint32_t gaze_watch_mark_of(uint64_t number)
{
    return (uint32_t)number | 1u << 31; /* never 0, which is there before */
}

/* Not 0: a picture is wanted now, and the caller alone draws it, by that number: as often as the
 * settings say, but so seldom that looking has a fiftieth of the cores' time. Of several showers
 * the one that was the last to show goes on, unless it has shown nothing for a second more. */
FOVEA_MUST_CHECK uint64_t gaze_watch_wants(struct gaze_watch *watch, const void *shower,
                                           int64_t now_ns);
/* It is drawn: pixels as gaze_seen_pixels has them, in memory of a driver's that stays as it is
 * until another one is wanted, or until gaze_watch_take_back. */
void gaze_watch_give(struct gaze_watch *watch, uint64_t number, const uint32_t *pixels,
                     struct gaze_seen_size size);
/* It is not drawn after all, and the next one is wanted as if this one had not been; or its memory
 * goes, which waits until the thread has copied it if it was given. */
void gaze_watch_take_back(struct gaze_watch *watch, uint64_t number);

/* Looks at an image in CPU memory before it returns, on the calling thread. The image is right. */
FOVEA_MUST_CHECK enum fovea_result gaze_watch_show(struct gaze_watch *watch,
                                                   const struct fovea_image *image);

/* ---- Reading ---- */

/* The newest list, where it is another one than number *number, which becomes its number. Takes no
 * lock and never waits. */
void gaze_watch_read(struct gaze_watch *watch, uint64_t *number, struct gaze_proposals *proposals);
/* These places are where the source looks beside its gaze, and whoever draws frames reads them. The
 * source's reader sets them, of whom there is one at a time. A reader may get some of one set and
 * some of the next. */
void gaze_watch_set_others(struct gaze_watch *watch, const struct fovea_point_uv *places,
                           uint32_t count);
uint32_t gaze_watch_others(const struct gaze_watch *watch,
                           struct fovea_point_uv out_places[GAZE_OTHERS]);
/* Pictures that were looked at, and how many a second. */
uint64_t gaze_watch_count(const struct gaze_watch *watch);
double gaze_watch_rate_hz(struct gaze_watch *watch);
