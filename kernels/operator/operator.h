/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* An operator: what makes one picture of another. Whoever runs operators (contexts, peers, the
 * frame loop) knows this header and the table of operators.h, and no operator's name.
 *
 *     settings, size -> plan                      what does not change from frame to frame
 *     plan -> host                                threads and memory of the processor's
 *     plan -> operator_cuda.h                     kernels, and tables on a CUDA device
 *     plan -> operator_glsl.h                     compute passes as data
 *     run(frame, images)                          allocates nothing and waits for nothing
 *
 * A new operator is a folder with a struct operator_api, and a line in kernels/operators.def. */
#pragma once

#include "config/settings.h"
#include "gaze.h"

struct operator_api;
struct operator_cuda_api;
struct operator_cuda_gradient_api;
struct operator_glsl_api;
struct operator_host;
struct operator_host_api;
struct operator_kept;
struct shared_data;
struct thread_pool;

/* The first member of each operator's own plan, which is immutable once made and may be read from
 * any thread. */
struct operator_plan {
    const struct operator_api *api;
    const struct operator_host_api *host; /* runs it on the processor; NULL: the operator's own */
    const char *lacks_gradient; /* says so, where others of the operator have one; NULL: it has */
    uint64_t cuda_bytes; /* about what it takes on a CUDA device */
    /* On Vulkan and on CUDA surfaces, for whoever has the images: how many more of their size and
     * format a frame works on; up to OPERATOR_MAX_BETWEEN, 0 for an operator that is no chain. */
    uint32_t images_between;
};

#define OPERATOR_DESCRIPTION_BYTES 512
#define OPERATOR_PROBLEM_BYTES 256
#define OPERATOR_MAX_SIZE_PX 16384 /* of an image's sides */
#define OPERATOR_MAX_BETWEEN 2

struct operator_plan_desc {
    const struct fovea_settings *settings; /* an operator reads its own, and copies what it keeps */
    uint32_t width_px; /* of what one eye sees */
    uint32_t height_px;
    bool has_sigmas; /* frames come with pictures of sigmas; for operators that take them */
    bool of_16_bits; /* for the chain alone: frames are whole numbers of 16 bits */
    /* Frames are floats that the chain made of these levels of 16 bits, which outlive the plan;
     * NULL: they are not. */
    const struct levels_light *levels;
};

/* Says what the values of a view's picture of depths mean, and where in it the view starts. */
struct operator_depths {
    struct fovea_depth values; /* checked; a picture on a device has no data */
    int32_t x_px;
    int32_t y_px;
    bool focus_stays; /* as another view has left it */
};

/* A frame adds this, for each view. */
struct operator_frame {
    int32_t width_px; /* the plan's */
    int32_t height_px;
    int32_t gaze_x_q8; /* 1/256 px, from the view's top left corner */
    int32_t gaze_y_q8;
    struct gaze_others others; /* which an operator that blurs by the gaze leaves as sharp */
    int32_t origin_x_px; /* where the view starts in the images */
    int32_t origin_y_px;
    bool blue_first; /* the images have red and blue exchanged */
    bool late; /* GLSL: the gaze is what the latch has written, not this one */
    bool of_light; /* images of 32-bit floats are light; less than none counts as none */
    /* For the chain alone: there is no gaze, and operators that look at it do nothing. */
    bool blind;
    const struct operator_depths *depths; /* GLSL, where an operator needs them (needs_depth) */
};

/* Says what has been in focus in an image, and what comes next. */
struct operator_focus {
    bool is_there; /* false: nothing has been */
    double diopters; /* in focus */
    double wanted_diopters; /* what it goes to */
};

/* Images of one size and format, apart from each other and from those of dst. */
struct operator_images {
    uint32_t count; /* 1..65535 */
    const struct fovea_image *src; /* the first */
    const struct fovea_image *dst;
    ptrdiff_t src_next_bytes; /* from an image to the next; 0: one picture for all */
    ptrdiff_t dst_next_bytes;
    /* The step from a channel's plane to the next channel's; 0: channels lie together. For the
     * chain alone, which gives operators pixels: those ignore it. */
    ptrdiff_t src_plane_bytes;
    ptrdiff_t dst_plane_bytes;
    /* x and y for each image; NULL: the frame's for all. An operator that looks at gazes copies an
     * image without a finite one; it sees none such in host memory, which is the chain's to sort.
     */
    const float *gazes_uv;
    /* So many x and y for each image: its gaze, then the other places that are as sharp; up to 1 +
     * GAZE_OTHERS_MAX. 0: the gaze alone. */
    uint32_t foveas;
    bool gazes_on_device; /* CUDA: read on the stream */
    /* R16F or R32F, of the view's size and in the memory of src: the sigma of each of the view's
     * pixels, in pixels. Given where the plan was made for it (has_sigmas), and nowhere else. */
    const struct fovea_image *sigmas;
    ptrdiff_t sigmas_next_bytes; /* from an image's to the next one's; 0: one picture for all */
    /* It has the view's size, is in the memory of src, and checked. Given where an operator of the
     * chain needs it (needs_depth), with what has been in focus in each image, which its frame
     * changes and which lies in that memory too. */
    const struct fovea_depth *depth;
    struct operator_focus *focuses;
};

static inline uint32_t operator_foveas_of(const struct operator_images *images)
{
    return images->foveas > 0 ? images->foveas : 1;
}

/* Returns an image's gaze, which has one of its own. */
static inline const float *operator_gaze_of(const struct operator_images *images, size_t index)
{
    return images->gazes_uv + 2 * operator_foveas_of(images) * index;
}

/* Memory and threads for a plan on the processor: an operator's, or those of derivatives. One
 * thread at a time for each operator_host. */
struct operator_host_kind {
    size_t bytes; /* the size of its own struct, which begins with a struct operator_host */
    enum fovea_result (*make)(struct operator_host *host); /* the rest, which is zeros */
    void (*finish)(struct operator_host *host); /* frees it, though it may not be made whole */
};

/* In threads of others', who run their jobs at other times. The pool and the plan outlive it. */
FOVEA_MUST_CHECK enum fovea_result operator_host_create(const struct operator_host_kind *kind,
                                                        struct thread_pool *pool,
                                                        const struct operator_plan *plan,
                                                        struct operator_host **out_host);
void operator_host_destroy(struct operator_host **host); /* NULL-safe, sets NULL */

/* Frames on the processor. */
struct operator_host_api {
    struct operator_host_kind kind;
    /* Threads and memory for images of that kind. On failure everything is as it was. */
    enum fovea_result (*reserve)(struct operator_host *host, const struct operator_images *images);
    /* Returns when dst is written. */
    void (*run)(struct operator_host *host, const struct operator_images *images,
                const struct operator_frame *frame);
};

/* A loss's derivative with respect to images that run wrote is made from this, and this is made
 * into. Images of floats, of the plan's size; the first of each. */
struct operator_derivatives {
    uint32_t count; /* 1..65535 */
    const struct fovea_image *src; /* as it was run; NULL where d_gazes_uv and d_sigmas are */
    const struct fovea_image *d_dst; /* with respect to what run wrote; read */
    const struct fovea_image *d_src; /* with respect to what run read; NULL: not wanted */
    ptrdiff_t src_next_bytes; /* from an image to the next; 0: one picture for all */
    ptrdiff_t d_dst_next_bytes;
    ptrdiff_t d_src_next_bytes;
    /* x and y for each fovea of each image; finite in host memory. NULL too, and not finite, for an
     * operator that looks at none. */
    const float *gazes_uv;
    float *d_gazes_uv; /* with respect to them; NULL: not wanted */
    uint32_t foveas; /* as struct operator_images has them */
    bool gazes_on_device; /* CUDA: both */
    const struct fovea_image *sigmas; /* as struct operator_images has them */
    ptrdiff_t sigmas_next_bytes;
    /* With respect to the sigma of each pixel, image after image without gaps, in the images'
     * memory; NULL: not wanted. For an operator that takes sigmas and looks at no gaze: d_gazes_uv
     * is 0 beside it. */
    float *d_sigmas;
};

static inline uint32_t operator_derivatives_foveas(const struct operator_derivatives *batch)
{
    return batch->foveas > 0 ? batch->foveas : 1;
}

/* Derivatives on the processor, as operator_host_api has frames. */
struct operator_gradient_api {
    struct operator_host_kind kind;
    enum fovea_result (*reserve)(struct operator_host *host,
                                 const struct operator_derivatives *batch);
    void (*run)(struct operator_host *host, const struct operator_derivatives *batch);
};

/* An operator keeps this beside settings that were taken, because plans refer to it and the program
 * may change or free its own: samples of maps. */
struct operator_settings_api {
    /* Reads and makes where settings are saved what `take` then finds. Any thread. */
    enum fovea_result (*prepare)(struct fovea_settings *settings, struct fovea_log log);
    /* The settings then refer to *out_fresh and to what `kept` has already (NULL: nothing), and to
     * nothing of the program's. The log has what is wrong: FOVEA_ERROR_IO, a file cannot be read;
     * FOVEA_ERROR_CONFIG, it is none that the operator knows; FOVEA_ERROR_INVALID_ARGUMENT, they
     * ask together for what no image needs. *out_fresh is NULL then, and where they need nothing
     * that is kept. */
    enum fovea_result (*take)(struct fovea_settings *settings, struct operator_kept *kept,
                              struct fovea_log log, struct operator_kept **out_fresh);
    /* The settings are in force: *fresh, which is there and becomes NULL, joins *kept or takes its
     * place. */
    void (*keep)(struct operator_kept **kept, struct operator_kept **fresh);
    void (*release)(struct operator_kept **kept); /* NULL-safe, sets NULL */
};

#define OPERATOR_SHARP_SIGMAS 2
#define OPERATOR_SHARP_STEP_PX 6

/* Gives what settings do to an image of that size while the gaze is there, for each pixel; the
 * arguments are right (fovea.h has what each says). FOVEA_ERROR_INVALID_ARGUMENT: the settings are
 * not. */
struct operator_maps_api {
    enum fovea_result (*sigma_px)(const struct operator_plan_desc *desc, struct fovea_point_uv gaze,
                                  float *out);
    enum fovea_result (*eccentricity_deg)(const struct operator_plan_desc *desc,
                                          struct fovea_point_uv gaze, float *out);
    enum fovea_result (*cutoff_cpd)(const struct operator_plan_desc *desc,
                                    struct fovea_point_uv gaze, float *out);
    enum fovea_result (*gain)(const struct operator_plan_desc *desc, struct fovea_point_uv gaze,
                              const struct fovea_grating *grating, float *out);
    /* How far from the gaze the centre of the farthest pixel is that has less than a sigma, or up
     * to OPERATOR_SHARP_STEP_PX farther; 0, or as much, where none has. */
    enum fovea_result (*sharp_px)(const struct operator_plan_desc *desc, struct fovea_point_uv gaze,
                                  const double sigmas_px[OPERATOR_SHARP_SIGMAS],
                                  double out_px[OPERATOR_SHARP_SIGMAS]);
    /* How many pixels an eccentricity is in a direction; negative: the settings are wrong. */
    double (*reach_px)(const struct operator_plan_desc *desc, struct fovea_point_uv gaze,
                       double direction_deg, double eccentricity_deg);
};

/* No entry is NULL, except where said. */
struct operator_api {
    const char *name;
    bool looks_at_gaze; /* without a gaze it has nothing to do, and the picture goes past it */
    bool follows_gaze; /* it looks at one where there is one, and runs without */
    bool takes_sigmas; /* its frames may come with a picture of sigmas */
    bool needs_depth; /* its frames come with a picture of depths */

    /* FOVEA_ERROR_INVALID_ARGUMENT: the settings ask for what no image of that size needs. */
    enum fovea_result (*plan_create)(const struct operator_plan_desc *desc,
                                     struct operator_plan **out_plan);
    /* Says what is wrong with such settings at this size; false: nothing. NULL: it has no words. */
    bool (*plan_complain)(const struct operator_plan_desc *desc, char *out, size_t bytes);
    /* Says why that backend has no way to run the plan, naming a setting; false: it has one. NULL:
     * all run all plans. Elsewhere such a plan is FOVEA_ERROR_UNSUPPORTED. */
    bool (*plan_lacks)(const struct operator_plan *plan, enum fovea_backend backend, char *out,
                       size_t bytes);
    void (*plan_destroy)(struct operator_plan **plan); /* NULL-safe, sets NULL */
    /* True if the plan is the one that these arguments would make. */
    bool (*plan_fits)(const struct operator_plan *plan, const struct operator_plan_desc *desc);
    /* A sentence for the log on what the settings come to at this size; false: there is none. NULL:
     * there never is. */
    bool (*plan_describe)(const struct operator_plan *plan, char *out, size_t bytes);

    /* Finds the place of the picture it reads from which a place of the result has its value, both
     * in uv; of colours that lie apart, green's. The place is in the picture. NULL: it is the
     * same. */
    struct fovea_point_uv (*place_before)(const struct operator_plan *plan,
                                          struct fovea_point_uv place);

    /* A line for a display over the picture; NULL: there is none. */
    void (*plan_summarize)(const struct operator_plan *plan, char *out, size_t bytes);

    /* Makes of a program's field, whose strides are all given, what plans take as of a file
     * (struct operators_file's read_file). NULL: it has no use for any. */
    enum fovea_result (*read_field)(const struct fovea_field *field,
                                    char out_problem[OPERATOR_PROBLEM_BYTES],
                                    struct shared_data **out_data);

    const struct operator_settings_api *settings; /* NULL: settings are all that plans take */
    const struct operator_maps_api *maps; /* NULL: it has none */

    const struct operator_host_api *host;
    const struct operator_gradient_api *gradient; /* NULL: it has no derivative */
    /* NULL: chains with it are FOVEA_ERROR_UNSUPPORTED there. */
    const struct operator_glsl_api *glsl;
    const struct operator_cuda_api *cuda; /* NULL too: a build without CUDA */
    const struct operator_cuda_gradient_api *cuda_gradient; /* likewise */
};

static inline const struct operator_host_api *operator_host_of(const struct operator_plan *plan)
{
    return plan->host ? plan->host : plan->api->host;
}

/* The gaze is clamped to four image sizes outside the image, so that squares fit in 64 bits. */
struct operator_frame operator_frame_make(uint32_t width_px, uint32_t height_px,
                                          struct fovea_point_uv gaze);
/* Makes it sharp at those places, too, at most GAZE_OTHERS_MAX; of them one that is not finite does
 * not count. */
void operator_frame_set_others(struct operator_frame *frame, const struct fovea_point_uv *places,
                               uint32_t count);

/* The code of each operator has what operators.def says of it, and sees these lines: where its own
 * are of another type the compiler says so. */
#define OPERATOR(name) extern const struct operator_api name##_operator;
#define OPERATOR_FILE(name, setting, help)                                                         \
    FOVEA_MUST_CHECK enum fovea_result name##_read_file(const char *bytes, size_t count,           \
                                                        char out_problem[OPERATOR_PROBLEM_BYTES],  \
                                                        struct shared_data **out_data);            \
    bool name##_complain(const struct operator_plan_desc *desc, char *out, size_t bytes);
#define OPERATOR_LACKS(name)                                                                       \
    bool name##_lacks(const struct operator_plan_desc *desc, enum fovea_backend backend,           \
                      char *out, size_t bytes);
#include "kernels/operators.def"
