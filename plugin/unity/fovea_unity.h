/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* libGfxPluginFovea.so offers this to the scripts of a Unity project: package/Runtime/Native.cs
 * says the same in C#.
 *
 * A frame of a camera is either one plugin event, FOVEA_UNITY_RECORD, or, where
 * fovea_unity_uses_queue says so, three one after the other: BEGIN, QUEUE and END. All of them take
 * the same block as their data. The texture is foveated where it is. Nothing here prints, ends the
 * program or throws; what went wrong is in the log (fovea_unity_log).
 *
 * Threads: events come on Unity's render thread. The other functions are for one thread of the
 * scripts. They read files, open sources and say what is wrong with either; no event waits for
 * them, and none opens a file. */
#pragma once

#include <stdint.h>

#define FOVEA_UNITY_EYES 2

struct fovea_unity_eye {
    /* Over this eye's picture, from its upper left corner; or, with FOVEA_UNITY_BOTTOM_UP, from its
     * lower left corner. Outside 0..1 is outside of the picture; NaN is no gaze. */
    double x_uv;
    double y_uv;
    /* Tangents of the angles from the view axis to the picture's edges, as struct fovea_geometry
     * has them: left, right, up, down. All 0: those of the settings. */
    float tangents[4];
    uint32_t usable; /* 0: there is no gaze, and this eye's picture stays as it is */
    uint32_t reserved; /* 0 */
};

enum fovea_unity_flag {
    /* Row 0 of the texture is the lowest of the picture, as Unity draws into render textures. */
    FOVEA_UNITY_BOTTOM_UP = 1,
    /* The gaze of the settings' source counts, for both eyes, and not the one of the block. */
    FOVEA_UNITY_GAZE_OF_SOURCE = 2,
    /* The block's strength counts, for this camera alone. */
    FOVEA_UNITY_STRENGTH = 4,
    /* With one eye: whose it is, as in multi-pass XR; else the settings say whose map it takes. */
    FOVEA_UNITY_LEFT_EYE = 8,
    FOVEA_UNITY_RIGHT_EYE = 16,
};

/* A camera's depths, for "operators" that need some (fovea_unity_needs_depth). */
struct fovea_unity_depth {
    /* Its native pointer: of depths, or their values in R32_SFloat or R16_SFloat; one sample; rows
     * as the picture's texture has them; with two eyes a layer for each. NULL: there are none. */
    void *texture;
    uint32_t is_linear; /* 1: distances are linear in values, as of orthographic cameras */
    uint32_t reserved; /* 0 */
    /* As in struct fovea_depth: the distances of the values 0 and 1 in metres; what is in focus, 0
     * for the settings' focus; and the time since the camera's frame before, 0 for the first. */
    double zero_m;
    double one_m;
    double focus_m;
    double elapsed_s;
};

/* The data of an event. It must stay as it is until Unity has run the frame's events, up to three
 * frames later, also if its camera has gone by then. */
struct fovea_unity_block {
    uint32_t struct_bytes;
    uint32_t version; /* FOVEA_UNITY_VERSION */
    uint64_t camera; /* whose frame this is; not 0. At most 16 cameras are known at a time */
    void *texture; /* Texture.GetNativeTexturePtr() */
    uint32_t width_px; /* of the picture, from row 0 and column 0 on; 0: the texture's */
    uint32_t height_px;
    uint32_t eyes; /* 1, or 2: an array of two layers, one for each eye */
    uint32_t flags; /* enum fovea_unity_flag */
    struct fovea_unity_eye eye[FOVEA_UNITY_EYES];
    double strength; /* 0..8, in place of foveation.strength, where a flag says so */
    /* Older scripts end here: struct_bytes is 128. */
    struct fovea_unity_depth depth;
};

#define FOVEA_UNITY_LEAST_BYTES 128

#define FOVEA_UNITY_VERSION 2

_Static_assert(sizeof(struct fovea_unity_eye) == 40, "Native.cs says so, too");
_Static_assert(sizeof(struct fovea_unity_depth) == 48, "Native.cs says so, too");
_Static_assert(sizeof(struct fovea_unity_block) == 176, "Native.cs says so, too");

/* Added to fovea_unity_event_base. */
enum fovea_unity_event {
    FOVEA_UNITY_BEGIN = 0, /* brings the texture into a layout that Fovea takes */
    FOVEA_UNITY_QUEUE = 1, /* foveates it, on the queue */
    FOVEA_UNITY_END = 2, /* tells Unity what the texture was used for */
    FOVEA_UNITY_RECORD = 3, /* foveates it in Unity's own commands */
    FOVEA_UNITY_RELEASE = 4, /* the camera is gone: what its frames used is freed after them */
    FOVEA_UNITY_EVENT_COUNT = 5,
};

/* The UnityRenderingEventAndData of all events. */
void *fovea_unity_event_function(void);
/* -1 while there is no Vulkan device of Unity's. */
int32_t fovea_unity_event_base(void);
/* 1: the settings name a backend that needs the queue (cuda, cpu), and Unity's device can have it:
 * frames are BEGIN, QUEUE and END. 0: they are RECORD. */
int32_t fovea_unity_uses_queue(void);
/* 1: "operators" need depths, and frames without stay as they are. */
int32_t fovea_unity_needs_depth(void);

/* Settings, in the form of Fovea's configuration files: docs/configuration.md. json: the text of
 * one. NULL: the person's own files, which is how the plugin starts. 0, or a negative enum
 * fovea_result: then the settings before it stay in force, and out_error, of `bytes` bytes, says
 * what is wrong. The next frame of each camera takes them. */
int32_t fovea_unity_configure(const char *json, char *out_error, int32_t bytes);
/* The same from a file. */
int32_t fovea_unity_configure_file(const char *file, char *out_error, int32_t bytes);
/* One setting of those in force, by its path: "foveation.strength", "2". */
int32_t fovea_unity_set(const char *path, const char *value, char *out_error, int32_t bytes);
int32_t fovea_unity_get(const char *path, char *out_text, int32_t bytes);

/* Takes the oldest message that nobody has taken: its level, as enum fovea_log_level, or -1 where
 * there is none. More than 64 are not kept. */
int32_t fovea_unity_log(char *out_text, int32_t bytes);

struct fovea_unity_stats {
    uint32_t struct_bytes;
    int32_t backend; /* enum fovea_backend; -1: the camera has had no frame */
    uint64_t frames;
    uint64_t frames_passed_through;
    double gpu_p50_us; /* 0: not known */
    double cpu_p50_us;
};

/* Reads the figures of a camera's frames as they were up to 30 frames ago. 0, or FOVEA_NOT_READY
 * for a camera that is not known. */
int32_t fovea_unity_get_stats(uint64_t camera, struct fovea_unity_stats *out_stats);
