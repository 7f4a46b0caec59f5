/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Sources say where somebody looks. The settings of a source are those below
 * "gaze." (docs/gaze.md). */
#ifndef FOVEA_GAZE_H
#define FOVEA_GAZE_H

#include "fovea_image.h"
#include "fovea_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One measurement. Sources deliver it in the space and origin of their settings. */
struct fovea_gaze_sample {
    double x;
    double y;
    int64_t t_ns; /* when it was measured, on the clock of fovea_time_ns */
    double confidence; /* 0..1; 1 where a source has none */
    bool blink; /* the eye is closed: x and y mean nothing */
};

enum fovea_gaze_state {
    FOVEA_GAZE_TRACKED = 0,
    /* no valid sample (blink, low confidence, silence): the last one holds */
    FOVEA_GAZE_HELD = 1,
    /* longer than hold_ms: the gaze is at the fallback, or on its way there */
    FOVEA_GAZE_LOST = 2,

    /* Only where the program asks for them (fovea_gaze_source_desc.movements), and
     * "gaze.filter.velocity_deg_s" is above 0. */
    FOVEA_GAZE_FIXATION = 3, /* tracked, and slower than that */
    FOVEA_GAZE_SACCADE = 4, /* tracked, and faster */
    FOVEA_GAZE_BLINK = 5, /* held, because the eye is closed: a sample has said so */
};

/* Whether there is a valid sample, rather than one that stands in for it. */
static inline bool fovea_gaze_is_tracked(enum fovea_gaze_state state)
{
    return state == FOVEA_GAZE_TRACKED || state == FOVEA_GAZE_FIXATION ||
           state == FOVEA_GAZE_SACCADE;
}

/* A frame is foveated with this. */
struct fovea_gaze {
    struct fovea_point_uv point;
    enum fovea_gaze_state state;
    bool usable; /* false: there is no gaze (fallback none); point is the centre */
    /* from the sample behind point to the time asked for; 0 where there is none */
    int64_t age_ns;
    double rate_hz; /* of samples that arrived in the last second; 0 for sources without a rate */
    uint64_t sample_count; /* accepted since the source was opened */
    uint64_t rejected_count; /* unreadable, not finite, out of order or from the future */
};

struct fovea_gaze_source_desc {
    size_t struct_bytes; /* fovea_gaze_source_desc_init */
    const struct fovea_settings *settings; /* required; those below "gaze." count */
    struct fovea_log log;
    /* true: states may be FIXATION, SACCADE and BLINK, if the settings ask for these. false: they
     * are TRACKED and HELD instead, the only ones that programs for 0.2 know. */
    bool movements;
    uint8_t reserved[7]; /* 0 */
};

static inline void fovea_gaze_source_desc_init(struct fovea_gaze_source_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

struct fovea_gaze_source;

/* Opens the source that "gaze.source" names. Allocates; the scanpath source reads its file,
 * sources of trackers start a thread. FOVEA_ERROR_IO: a file or socket cannot be opened.
 * FOVEA_ERROR_CONFIG: a scanpath has a wrong line, named in the log. FOVEA_ERROR_UNSUPPORTED: the
 * library of the lsl or pupil source is not here. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_create(
    const struct fovea_gaze_source_desc *desc, struct fovea_gaze_source **out_source);
/* Waits for the thread of a tracker's source. Contexts that follow the source
 * (fovea_vk_follow_gaze) follow none then; this counts as a call of theirs. */
FOVEA_API void fovea_gaze_source_destroy(struct fovea_gaze_source **source);

/* The UDP port that a udp or osc source listens on; 0 for other kinds. */
FOVEA_API uint16_t fovea_gaze_source_udp_port(const struct fovea_gaze_source *source);

/* Gives a sample to a mouse source, from any thread, while others read. Allocates nothing; threads
 * that push at the same time wait for each other, less than a microsecond.
 * FOVEA_ERROR_INVALID_STATE for other kinds. Not finite, confidence outside 0..1, older than the
 * newest, or stamped more than 20 ms later than now: FOVEA_ERROR_INVALID_ARGUMENT, counted. A gaze
 * that rests must be pushed too: silence is loss. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_push(
    struct fovea_gaze_source *source, const struct fovea_gaze_sample *sample);

/* Shows a picture to a source that uses pictures ("gaze.source" or "gaze.validity.fallback"
 * "saliency"), whose gaze then moves between its blobs. Any format, in CPU memory; it is not kept.
 * The call finds the blobs on the calling thread, in some tens of milliseconds; the first picture
 * of a shape allocates. Any thread, while others read. For frames of Vulkan contexts use
 * fovea_vk_show_frames, which takes no time of the program's threads. FOVEA_ERROR_INVALID_STATE:
 * the source looks at no pictures. FOVEA_ERROR_UNSUPPORTED: the image is in CUDA memory. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_show(
    struct fovea_gaze_source *source, const struct fovea_image *image);

/* The gaze at t_ns, for an image of that size in pixels. Takes no lock, waits for nothing,
 * allocates nothing. The scanpath and saccades sources start at the first t_ns they are asked for
 * and give the same answers for the same times in the same order, as does saliency, for the same
 * pictures between them. Saliency and mouse sources and those of trackers may be read from several
 * threads at once. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_read(
    struct fovea_gaze_source *source, int64_t t_ns, uint32_t width_px, uint32_t height_px,
    struct fovea_gaze *out_gaze);

/* The distance at t_ns, along the view axis in metres, at which the lines of sight of both eyes
 * cross; infinity if they are parallel or diverge; 0: not known. Known if "gaze.vergence.ipd_mm" is
 * above 0, from sources with a line of sight for each eye (docs/gaze.md), smoothed by
 * "gaze.vergence.smooth_ms"; after the loss of an eye the last value holds for
 * "gaze.validity.hold_ms". An error of the angle between them is one in diopters, 1 / metre:
 * half a degree is 0.14, so that a fixation at 2 m is told to be at 1.6 to 2.8. Of a replay, that
 * of the newest answer of fovea_gaze_source_read. Threads and costs are those of
 * fovea_gaze_source_read. */
FOVEA_API double fovea_gaze_source_vergence_m(struct fovea_gaze_source *source, int64_t t_ns);

/* Writes the foveas beside the gaze that fovea_gaze_source_read returned last, in uv like the gaze,
 * and returns their number; there are some if "gaze.saliency.foveas" is above 1 and the gaze comes
 * from the picture. Frames of Vulkan contexts that are shown to the source have them automatically.
 * Any thread, while others read. */
FOVEA_API uint32_t fovea_gaze_source_other_foveas(
    const struct fovea_gaze_source *source, struct fovea_point_uv out_places[FOVEA_FOVEAS_MAX - 1]);

#ifdef __cplusplus
}
#endif

#endif
