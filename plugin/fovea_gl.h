/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Foveation of OpenGL textures: PsychoPy, Psychtoolbox, and every program that draws with OpenGL on
 * Linux into a texture (a framebuffer object) before it shows the picture.
 *
 * Fovea makes no GL context and no window here, draws nothing, and links no library of GL's or
 * Vulkan's. OpenGL ES is not supported.
 *
 * Usage, without error checks:
 *
 *     // once, with the program's context current
 *     struct fovea_gl_desc desc;
 *     fovea_gl_desc_init(&desc);
 *     desc.settings = settings;
 *     struct fovea_gl *fovea = NULL;
 *     fovea_gl_create(&desc, &fovea);
 *
 *     // each frame, after the program has drawn into the texture `color` of its framebuffer
 *     struct fovea_gl_frame frame;
 *     fovea_gl_frame_init(&frame);
 *     frame.src.name = frame.dst.name = color; // in place; or another texture
 *     fovea_gl_size(fovea, &frame.src, &width_px, &height_px);
 *     fovea_gaze_source_read(source, fovea_time_ns(), width_px, height_px, &frame.gaze);
 *     fovea_gl_foveate(fovea, &frame);
 *     ... show `color` ...
 *
 *     fovea_gl_destroy(&fovea);
 *
 * The way of a picture: enum fovea_gl_way. Which one runs, and why, is logged once, as an
 * information.
 *
 * Formats: RGBA8 and RGB8, SRGB8_ALPHA8 and SRGB8, RGB10_A2, R11F_G11F_B10F, RGBA16F and RGB16F,
 * RGBA32F and RGB32F, also those that the driver chose for GL_RGBA and GL_RGB. What a texture
 * stores is what is foveated, as of every other picture: "foveation.light" says what stored values
 * mean, and sRGB formats are not decoded before.
 *
 * Threads: one at a time, on which the context is current that was at fovea_gl_create. Of the
 * copied way, one that shares its textures will do.
 *
 * GL state: a call changes none that the program can see, but for the content of dst. An error flag
 * of GL's that was set before the call is logged, as a warning, and taken (glGetError). */
#ifndef FOVEA_GL_H
#define FOVEA_GL_H

#include "fovea_gaze.h"
#include "fovea_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a texture comes to be foveated. */
enum fovea_gl_way {
    FOVEA_GL_WAY_AUTO = 0, /* shared where the driver can, else copied */
    /* Through the processor: GL waits for what was drawn, hands the pixels out, the cpu backend
     * foveates them, GL takes them back. Every driver can. */
    FOVEA_GL_WAY_COPIED = 1,
    /* On the GPU: a Vulkan device of Fovea's and GL have two images in common
     * (GL_EXT_memory_object_fd), and semaphores (GL_EXT_semaphore_fd). GL blits src into one, the
     * backend of "backend" foveates it into the other, GL blits that into dst; nobody waits on the
     * processor. Where GL has no semaphores each frame waits for both sides: that is not AUTO's
     * choice. For each size and format a picture is sent through both sides first: where it does
     * not arrive, or anything else of this way fails, AUTO copies from then on and warns. RGBA32F
     * is foveated in half floats here. */
    FOVEA_GL_WAY_SHARED = 2,
};

typedef void (*fovea_gl_function_fn)(void);
/* The address of a function of GL's by its name; NULL: there is none. */
typedef fovea_gl_function_fn (*fovea_gl_get_proc_address_fn)(void *user, const char *name);

struct fovea_gl_desc {
    size_t struct_bytes; /* fovea_gl_desc_init */
    /* As glXGetProcAddressARB, eglGetProcAddress, SDL_GL_GetProcAddress. NULL: Fovea looks which
     * of libGLX.so.0 (or libGL.so.1) and libEGL.so.1 the program has loaded and has a context
     * current, and asks that. */
    fovea_gl_get_proc_address_fn get_proc_address;
    void *get_proc_address_user;
    /* NULL: the defaults. "operators" and what is below their names, "foveation.", "backend" and
     * "cpu_threads" count; of the shared way all that count in fovea_vk_create. With "backend" cpu
     * AUTO copies; the copied way has no other. */
    const struct fovea_settings *settings;
    struct fovea_log log;
    enum fovea_gl_way way;
    uint32_t reserved; /* 0 */
};

static inline void fovea_gl_desc_init(struct fovea_gl_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

struct fovea_gl;

/* With a context current. Loads Vulkan's driver unless pixels are to be copied. Allocates.
 * FOVEA_ERROR_INVALID_STATE: no context is current. FOVEA_ERROR_UNSUPPORTED: OpenGL ES, or older
 * than OpenGL 3.0, or a way or "backend" that this machine does not have. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gl_create(const struct fovea_gl_desc *desc,
                                                             struct fovea_gl **out_fovea);

/* With the context current that was at fovea_gl_create: of the shared way, some objects of GL's
 * stay until it ends else. Waits for the frames that are under way. */
FOVEA_API void fovea_gl_destroy(struct fovea_gl **fovea);

/* Settings for the frames after this call; those of "operators" and below their names, and
 * "foveation.". On failure the old ones stay in force. Needs no context. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gl_set_settings(
    struct fovea_gl *fovea, const struct fovea_settings *settings);

/* Level 0 of a texture, which belongs to the program. */
struct fovea_gl_texture {
    uint32_t name; /* of glGenTextures */
    uint32_t target; /* GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE; 0: GL_TEXTURE_2D */
};

/* How large it is, for fovea_gaze_source_read. Results and state are those of fovea_gl_foveate. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gl_size(struct fovea_gl *fovea,
                                                           const struct fovea_gl_texture *texture,
                                                           uint32_t *out_width_px,
                                                           uint32_t *out_height_px);

struct fovea_gl_frame {
    size_t struct_bytes; /* fovea_gl_frame_init */
    struct fovea_gl_texture src; /* read */
    /* Written: the same texture, or another one of the same size and kind of values. */
    struct fovea_gl_texture dst;
    /* Not usable, or not finite: nothing is foveated. "operators" that do not look at the gaze (all
     * but foveate) are at work all the same; without one dst gets src as it is. */
    struct fovea_gaze gaze;
    /* False: row 0 of the textures is the picture's lowest, as GL draws it. True: its topmost, as
     * in files of pictures that were loaded as they are. The gaze's y runs down the picture in
     * either. */
    bool top_down;
    uint8_t reserved[7]; /* 0 */
};

static inline void fovea_gl_frame_init(struct fovea_gl_frame *frame)
{
    memset(frame, 0, sizeof *frame);
    frame->struct_bytes = sizeof *frame;
}

/* Foveates src into dst, before whatever the program draws next. Allocates in the first frame after
 * one of another size or format: give each window an object of its own. Copied: waits for what the
 * program has drawn into src, and foveates on the calling thread and those of "cpu_threads".
 * Shared: the first frame of a size or format waits, others do so only where more than 8 frames are
 * unfinished.
 *
 * FOVEA_OK, or FOVEA_PASSED_THROUGH: dst gets src as it is. On failure dst is as it was: show src.
 * The log says why, as an error; the same again only after a frame that was right.
 * FOVEA_ERROR_INVALID_ARGUMENT:
 * no texture of that name, of other size or format than the other one's, another target.
 * FOVEA_ERROR_UNSUPPORTED: a format that is not in the list above. FOVEA_ERROR_INVALID_STATE: no
 * context is current, where Fovea found GL by itself. FOVEA_ERROR_INTERNAL: GL's own error, which
 * is named; of dst some pixels may have been written. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gl_foveate(struct fovea_gl *fovea,
                                                              const struct fovea_gl_frame *frame);

/* When the picture of the newest frame was on the screen, as the program's own flip says: for the
 * record of the shared way ("record.file"). t_ns is of fovea_time_ns, CLOCK_MONOTONIC; refresh_ns
 * is what the display takes for a picture, 0: not known. Once a frame, before the next one. Nothing
 * happens without a record. FOVEA_ERROR_INVALID_ARGUMENT: t_ns is not above 0, or refresh_ns is
 * below it. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gl_shown(struct fovea_gl *fovea, int64_t t_ns,
                                                            int64_t refresh_ns);

/* In words, which way runs and why; until the next frame. */
FOVEA_API const char *fovea_gl_way_reason(const struct fovea_gl *fovea);

#ifdef __cplusplus
}
#endif

#endif
