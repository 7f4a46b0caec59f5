/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A search for pictures and settings that a backend makes something else of than the cpu backend
 * does with packed pictures, one by one (main.c). A point is one picture, batch or frame with its
 * settings: it is drawn from a number, printed as one line, and read from that line again. */
#pragma once

#include "fovea.h"
#include "images.h"
#include "random.h"

#define SEARCH_LINE_BYTES 8192
#define SEARCH_TEXT_BYTES 512
#define SEARCH_SETTINGS_BYTES 4096

/* ---- Chance */

static inline uint32_t search_below(uint64_t *state, uint32_t count)
{
    return (uint32_t)((random_next(state) >> 32) * count >> 32);
}

static inline bool search_one_in(uint64_t *state, uint32_t count)
{
    return search_below(state, count) == 0;
}

/* ---- Points (point.c) ------------------------------------------------------------------------ */

/* How images lie in memory; gaps and shift in channels. */
struct search_layout {
    uint32_t guard_bytes; /* before and behind; a multiple of 16 */
    uint32_t shift; /* off the memory's alignment */
    uint32_t pixel_gap;
    uint32_t row_gap;
    uint32_t plane_gap;
    uint32_t next_gap; /* between images */
    uint32_t bottom_up;
    uint32_t backwards; /* the last image, or plane, has the lowest address */
    uint32_t beside; /* rows of all images interleave */
};

struct search_point {
    uint32_t width_px, height_px; /* of an image of a batch, or a view of a frame */
    uint32_t count; /* images or views; 0: one without a batch, or a frame without views */
    uint32_t format; /* enum fovea_format */
    uint32_t fill; /* what is drawn */
    uint32_t transfer; /* enum fovea_transfer */
    struct fovea_point_uv gaze; /* the first image's */
    uint32_t gazes; /* the others' are drawn from it */
    uint32_t others; /* of a batch: foveas beside each gaze */
    uint32_t map_side,
        field_side; /* a map and a mesh for a lens of that many samples a side; or 0 */
    /* contexts take these */
    struct search_layout src, dst;
    uint32_t planes;
    uint32_t shared; /* one picture for all gazes */
    uint32_t gazeless; /* the batch has no gazes */
    uint32_t earlier; /* it had the settings of that number before; or 0 */
    uint32_t threads; /* of the cpu backend */
    uint32_t cuda_gazes; /* gazes are in CUDA memory */
    uint32_t own_stream;
    uint32_t graph; /* run in a graph that was captured with other gazes */
    uint32_t before; /* the context has made pictures of this format before; or 0 */
    uint32_t sigmas; /* of a batch or frame: pictures of them, R32F 1, R16F 2; or 0 */
    uint32_t one_sigmas; /* one of them for all images */
    struct search_layout of_sigmas;
    uint32_t depths; /* of a batch or frame: pictures of them, enum fovea_depth_format; or 0 */
    uint32_t one_depths;
    uint32_t depths_kind; /* a way of storing distances (pictures.c) */
    uint32_t depths_focus, depths_vergence; /* what the program says of the focus (pictures.c) */
    uint32_t depths_elapsed; /* a first picture that says how long ago the one before was */
    struct search_layout of_depths;
    /* Vulkan frames take these */
    uint32_t vk_format; /* VkFormat */
    uint32_t path; /* enum rig_path */
    uint32_t recorded;
    uint32_t columns; /* of views */
    uint32_t gap_px; /* between views, and around them */
    uint32_t layered; /* each view in a layer of its own */
    uint32_t frusta; /* each view has its eye and its tangents */
    uint32_t depths_x, depths_y; /* a view's first pixel in its image of depths */
    uint32_t depths_attached; /* which is in an attachment's layout */
    char settings[SEARCH_SETTINGS_BYTES]; /* " path=value" for each that is no default */
};

enum search_backend {
    SEARCH_CUDA,
    SEARCH_CPU,
    SEARCH_VULKAN,
    SEARCH_NVIDIA
}; /* frames from VULKAN on */

struct search_limits {
    enum search_backend backend;
    bool small; /* for emulations */
};

struct search_point search_point_draw(uint64_t seed, uint64_t number,
                                      const struct search_limits *limits);
void search_point_print(const struct search_point *point, char out_line[SEARCH_LINE_BYTES]);
/* False: the line is no point; what is not understood is printed. Words behind # do not count. */
bool search_point_read(const char *line, struct search_point *out_point);

uint32_t search_images(const struct search_point *point); /* 1 or more */
bool search_has(const struct search_point *point, const char *word);
/* Blur has another one than that which every backend has. */
bool search_names_engine(const struct search_point *point); /* in the settings' text */
uint32_t search_foveas(const struct search_point *point); /* of an image, 1 or more */
void search_gazes(const struct search_point *point, float *out_gazes_uv); /* x and y of each */
/* NULL: a setting was refused by itself, or there is no memory. */
struct fovea_settings *search_settings(const struct search_point *point);
/* Those that a context had before; NULL: none, or they are refused. */
struct fovea_settings *search_settings_before(const struct search_point *point);

/* ---- Pictures (pictures.c) ------------------------------------------------------------------- */

/* Images of a batch and what lies around and between them. */
struct search_memory {
    struct fovea_image first;
    ptrdiff_t next_bytes;
    ptrdiff_t plane_bytes;
    uint32_t count;
    size_t bytes;
    unsigned char *memory;
};

/* Every byte is the canary. */
struct search_memory search_memory_make(const struct search_point *point,
                                        const struct search_layout *layout, uint32_t count);
void search_memory_free(struct search_memory *memory);
/* A packed picture's, which is then no longer its own. */
struct search_memory search_packed(struct test_image *image);
void search_draw(const struct search_point *point, const struct search_memory *memory);
void search_draw_packed(const struct search_point *point, uint32_t index,
                        const struct fovea_image *packed);
/* The pictures of sigmas of a batch that has any. */
struct search_memory search_sigmas_make(const struct search_point *point);
#define SEARCH_DEPTHS_KINDS 13
#define SEARCH_DEPTHS_FOCUSES 4
/* The pictures of depths of a batch or frame that has any, a value of them, and what values say,
 * where the first lies as an image of floats. */
struct search_memory search_depths_make(const struct search_point *point);
double search_depth_value(const struct search_point *point, const struct fovea_image *image,
                          uint32_t x, uint32_t y);
struct fovea_depth search_depth_of(const struct search_point *point,
                                   const struct fovea_image *first, ptrdiff_t next_bytes);
/* Copies an image to a packed one. */
void search_gather(const struct search_memory *memory, uint32_t index,
                   const struct fovea_image *packed);
/* Copies a packed image there. */
void search_scatter(const struct search_memory *memory, uint32_t index,
                    const struct fovea_image *packed);
/* Whether bytes that are no pixels' are still the canary. Overwrites the pixels. */
bool search_guards_intact(const struct search_memory *memory);
/* Whether what was blurred has no value beyond those of its source, where it is a mean of them. */
bool search_within(const struct search_point *point, const struct fovea_image *made,
                   const struct fovea_image *src, char out_text[SEARCH_TEXT_BYTES]);
/* Whether two packed pictures are the same within 4 levels of 8 bits; a lens may move its edge. Of
 * what is stored alike not a bit may differ. */
bool search_same(const struct search_point *point, const struct fovea_image *actual,
                 const struct fovea_image *expected, bool exactly,
                 char out_text[SEARCH_TEXT_BYTES]);

/* ---- Runs ------------------------------------------------------------------------------------ */

enum search_verdict {
    SEARCH_SAME,
    SEARCH_REFUSED, /* by both */
    SEARCH_DIFFERENT,
    SEARCH_LOST, /* and nothing can be run here any more */
    SEARCH_NO_DEVICE,
};

/* A run reads these, besides the source. */
struct search_given {
    const float *gazes_uv;
    struct search_memory sigmas; /* memory NULL: none */
    struct search_memory depths; /* likewise */
};

/* A packed image of the point by itself, with what is given for it. */
enum fovea_result search_run_alone(const struct search_point *point, struct fovea_context *context,
                                   const struct fovea_image *src, const struct fovea_image *dst,
                                   const struct search_given *given);
/* With the settings, of which it sets backend and cpu_threads. */
enum fovea_result search_context(struct fovea_settings *settings, const char *backend,
                                 uint32_t threads, struct fovea_context **out_context);
enum search_verdict search_run_context(const struct search_limits *limits,
                                       const struct search_point *point,
                                       char out_text[SEARCH_TEXT_BYTES]);
enum search_verdict search_run_frame(const struct search_limits *limits,
                                     const struct search_point *point,
                                     char out_text[SEARCH_TEXT_BYTES]);

/* A batch, or a picture, on the device; src and dst hold what is there afterwards. False: the
 * device has failed (cuda.c). */
bool search_cuda_open(void);
bool search_cuda_run(const struct search_point *point, struct fovea_context *context,
                     struct search_memory *src, struct search_memory *dst,
                     const struct search_given *given, enum fovea_result *out_result);
/* Copies of images on the device, and back, after which the copy is gone; false likewise. */
struct search_copy {
    struct search_memory images;
    unsigned long long address;
};
bool search_cuda_up(const struct search_memory *memory, struct search_copy *out);
bool search_cuda_down(const struct search_copy *copy, const struct search_memory *memory);
enum fovea_result search_batch_run(const struct search_point *point, struct fovea_context *context,
                                   const struct search_memory *src, const struct search_memory *dst,
                                   const struct search_given *given, void *stream);

/* A Vulkan device for all points; false: there is none (frames.c). */
bool search_frames_open(const struct search_limits *limits);
struct engine *search_frames_engine(void);

/* ---- What is no picture of a context: a point is a seed and a number ------------------------- */

enum search_verdict search_run_lightfield(const struct search_limits *limits, uint64_t seed,
                                          uint64_t number, char out_text[SEARCH_TEXT_BYTES]);
enum search_verdict search_run_blobs(const struct search_limits *limits, uint64_t seed,
                                     uint64_t number, char out_text[SEARCH_TEXT_BYTES]);
