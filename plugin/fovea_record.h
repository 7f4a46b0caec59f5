/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A record of the frames that a program shows: a line each, with the gaze, in the files of BIDS
 * (docs/experiments.md).
 *
 * Frames of fovea_vulkan.h are recorded by themselves where "record.file" is set. This is for
 * programs that have frames of their own: images in CPU or CUDA memory, an experiment in Python. It
 * foveates nothing, reads no gaze and presents nothing; it writes what it is told.
 *
 *     struct fovea_record_desc desc;
 *     fovea_record_desc_init(&desc);
 *     desc.settings = settings;
 *     fovea_record_create(&desc, &record);
 *
 *     struct fovea_record_frame frame;
 *     fovea_record_frame_init(&frame);
 *     frame.width_px = 1920;
 *     frame.height_px = 1080;
 *     frame.gazes[0] = gaze;
 *     frame.presented_t_ns = when;
 *     fovea_record_add(record, &frame);
 *
 *     fovea_record_destroy(&record);
 *
 * Add a frame after it was presented, with the gaze that it was foveated with. The time comes from
 * whatever presents it: the flip of an experiment's window, a driver (fovea_present.h).
 *
 * Where people look is personal: say to whoever is before the screen that it is recorded. */
#ifndef FOVEA_RECORD_PUBLIC_H
#define FOVEA_RECORD_PUBLIC_H

#include "fovea_gaze.h"
#include "fovea_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fovea_record_desc {
    size_t struct_bytes; /* fovea_record_desc_init */
    /* Required. "record.file" says what the files' names begin with, and must; the hash of all
     * settings and "foveation.geometry" go into the files. */
    const struct fovea_settings *settings;
    struct fovea_log log;
};

static inline void fovea_record_desc_init(struct fovea_record_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

/* One frame. Times are of fovea_time_ns, CLOCK_MONOTONIC. */
struct fovea_record_frame {
    size_t struct_bytes; /* fovea_record_frame_init */
    int64_t t_ns; /* when the program began to foveate it; 0: now */
    uint32_t width_px; /* of a view, 1..16384 */
    uint32_t height_px;
    uint32_t view_count; /* 1 or 2 */
    bool passed_through; /* the picture was shown as it was drawn */
    bool dropped; /* it was never on the screen: another took its place */
    uint8_t reserved[2]; /* 0 */
    struct fovea_gaze gazes[2]; /* as they were read, one for each view */
    int64_t took_ns; /* what foveation took; negative: not known; -1 */
    int64_t presented_t_ns; /* when it was on the screen; 0: not known */
    /* Frames since the one before that were not foveated or not shown; a replay gives each of them
     * a gaze, too. */
    uint64_t refused;
    double vergence_m; /* fovea_gaze_source_vergence_m; 0: not known */
    /* The display takes this time for a picture; repeated pictures are counted by it. 0: not
     * known. */
    int64_t refresh_ns;
};

static inline void fovea_record_frame_init(struct fovea_record_frame *frame)
{
    memset(frame, 0, sizeof *frame);
    frame->struct_bytes = sizeof *frame;
    frame->view_count = 1;
    frame->took_ns = -1;
}

struct fovea_record;

/* Makes the files; those of an earlier run stay, and these get the next number. Allocates; starts a
 * thread, which writes ten times a second. FOVEA_ERROR_CONFIG: "record.file" is empty
 * or a folder. FOVEA_ERROR_IO: the files cannot be made; the log says why. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_record_create(
    const struct fovea_record_desc *desc, struct fovea_record **out_record);
/* Waits until all lines are written. */
FOVEA_API void fovea_record_destroy(struct fovea_record **record);

/* Sets the settings of later frames; if they differ, the column `settings` gets another number. On
 * the thread that adds frames; may wait for the one that writes. Allocates. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_record_set_settings(
    struct fovea_record *record, const struct fovea_settings *settings);

/* Adds a line. On one thread at a time. Takes no lock, writes no file, allocates nothing: where the
 * writing thread is 4096 frames behind the line is lost, and counted in the files.
 * FOVEA_ERROR_INVALID_ARGUMENT: a size or number of views is none, vergence_m, refresh_ns or a time
 * is below 0, took_ns is beyond 2^62, or a frame that was dropped was presented, too. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_record_add(
    struct fovea_record *record, const struct fovea_record_frame *frame);

#ifdef __cplusplus
}
#endif

#endif
