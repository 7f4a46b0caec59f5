/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Foveation of images in CPU or CUDA memory, and maps of what settings do to an image. */
#ifndef FOVEA_IMAGE_H
#define FOVEA_IMAGE_H

#include "fovea_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Images in CPU or CUDA memory ------------------------------------------------------------ */

/* NaN and infinity in the formats of floats stay in their channel and spread as far as the blur
 * reaches (docs/images.md says how far). */
enum fovea_format {
    FOVEA_FORMAT_NONE = 0,
    FOVEA_FORMAT_RGBA8 = 1, /* also BGRA8: the order of the colours matters only for HLG */
    FOVEA_FORMAT_RGB8 = 2,
    FOVEA_FORMAT_R8 = 3,
    FOVEA_FORMAT_A2B10G10R10 = 4, /* one 32-bit word, alpha in the two highest bits */
    FOVEA_FORMAT_B10G11R11F = 5, /* one 32-bit word of unsigned floats */
    FOVEA_FORMAT_RGBA16F = 6,
    FOVEA_FORMAT_RGBA32F = 7,
    FOVEA_FORMAT_RGB16F = 8, /* these four: not in surfaces, nor of Vulkan images */
    FOVEA_FORMAT_R16F = 9,
    FOVEA_FORMAT_RGB32F = 10,
    FOVEA_FORMAT_R32F = 11,
    /* Whole numbers of 16 bits, of which 65535 is 1; not in surfaces, nor of Vulkan images.
     * docs/images.md says how exact they are. */
    FOVEA_FORMAT_RGBA16 = 12,
    FOVEA_FORMAT_RGB16 = 13,
    FOVEA_FORMAT_R16 = 14,
};

enum fovea_memory {
    FOVEA_MEMORY_CPU = 0, /* malloc, arrays, mapped files */
    /* A pointer on the device the context was made for: managed memory, or memory of its primary
     * context (CUDA's runtime, cuDevicePrimaryCtxRetain). Memory of a context from cuCtxCreate is
     * refused, because kernels in another context cannot access it. */
    FOVEA_MEMORY_CUDA = 1,
};

/* A picture somebody else owns. */
struct fovea_image {
    void *data; /* the top left pixel, aligned to the format's channel; a source is not written */
    uint32_t width_px; /* 1..16384 */
    uint32_t height_px; /* 1..16384 */
    enum fovea_format format;
    enum fovea_memory memory;
    ptrdiff_t row_stride_bytes; /* to the pixel below; negative for pictures stored bottom up */
    ptrdiff_t pixel_stride_bytes; /* to the pixel on the right; 0: the format's own size */
};

/* Bytes of a pixel; 0 for FOVEA_FORMAT_NONE and numbers that are no format. */
FOVEA_API size_t fovea_format_bytes(enum fovea_format format);

/* How a picture of depths stores a value. */
enum fovea_depth_format {
    FOVEA_DEPTH_FORMAT_NONE = 0,
    FOVEA_DEPTH_FORMAT_D16 = 1, /* 16 bits; 65535 is 1 */
    /* The 24 lower bits of a 32-bit word, of which all set are 1; whatever the others hold: D24S8,
     * X8_D24 */
    FOVEA_DEPTH_FORMAT_D24 = 2,
    FOVEA_DEPTH_FORMAT_R32F = 3, /* also D32F */
    FOVEA_DEPTH_FORMAT_R16F = 4,
};

/* Says what a value means: a distance along the view axis, or a depth of a projection. */
enum fovea_depth_kind {
    /* distance = zero_m + value (one_m - zero_m): orthographic projections; metres with 0 and 1,
     * millimetres in D16 with 0 and 65.535. Both are finite. */
    FOVEA_DEPTH_LINEAR = 0,
    /* 1 / distance = 1 / zero_m + value (1 / one_m - 1 / zero_m): perspective projections. Both
     * are above 0, and one of them may be infinite; or below 0, where planes are at other values
     * than 0 and 1 (viewports with minDepth and maxDepth), and no pixel has that one. With the near
     * plane at 0.1 m and the far one at 100: zero_m 0.1 and one_m 100, of reversed z zero_m 100 and
     * one_m 0.1. */
    FOVEA_DEPTH_PERSPECTIVE = 1,
};

/* A picture of distances, one for each pixel; the program owns it and Fovea reads it. NaN and
 * distances that are not above 0 are unknown: such pixels count as in focus. If 1 / distance of a
 * perspective is below 0, the distance is infinity. */
struct fovea_depth {
    size_t struct_bytes; /* fovea_depth_init */
    const void *data; /* the top left pixel's, aligned to its value */
    uint32_t width_px; /* the image's size */
    uint32_t height_px;
    enum fovea_depth_format format;
    enum fovea_memory memory; /* the image's */
    ptrdiff_t row_stride_bytes; /* to the pixel below; negative for pictures stored bottom up */
    ptrdiff_t pixel_stride_bytes; /* to the pixel on the right; 0: a value's size */
    ptrdiff_t next_bytes; /* from an image's to the next; 0: one picture of them for all */
    enum fovea_depth_kind kind;
    uint32_t reserved; /* 0 */
    double zero_m; /* the distance where the value is 0, in metres; 0 */
    double one_m; /* where it is 1; 1 */
    double focus_m; /* the distance that is sharp, infinity too; 0: "dof.focus" says what is */
    /* Seconds since the previous batch. In this time the focus of each image approaches the depth
     * under its gaze, by "dof.focus_time_s"; if that depth is unknown the focus stays. 0: the
     * pictures do not continue the previous batch; their focus is at once at that depth, or at
     * "dof.focus_m" if it is unknown. This also restarts all images of the batch. 0 */
    double elapsed_s;
    /* The distance at which both lines of sight cross (fovea_gaze_source_vergence_m), possibly
     * infinity; 0: not known. With "dof.focus" vergence it replaces an unknown depth under the
     * gaze. */
    double vergence_m;
};

static inline void fovea_depth_init(struct fovea_depth *depth)
{
    memset(depth, 0, sizeof *depth);
    depth->struct_bytes = sizeof *depth;
    depth->one_m = 1.0;
}

/* Takes the distances from a projection matrix for eyes that look along -z: the depth of a point is
 * (scale z + offset) / -z. Standard, reversed and infinite ones, with depths from 0 to 1 or in a
 * part of it. */
static inline void fovea_depth_set_projection(struct fovea_depth *depth, double scale,
                                              double offset)
{
    const double zero_m = offset / scale;
    const double one_m = offset / (scale + 1.0);
    depth->kind = FOVEA_DEPTH_PERSPECTIVE;
    depth->zero_m = zero_m < -1e300 ? -zero_m : zero_m; /* infinity has no sign here */
    depth->one_m = one_m < -1e300 ? -one_m : one_m;
}

struct fovea_context_desc {
    size_t struct_bytes; /* fovea_context_desc_init */
    /* NULL: the defaults. "operators" and what is below their names, "foveation.", "backend" and
     * "cpu_threads" count. "backend" auto is cuda for images in CUDA memory and cpu for images in
     * CPU memory */
    const struct fovea_settings *settings;
    int cuda_device; /* ordinal, as CUDA_VISIBLE_DEVICES leaves them; 0 */
    uint32_t reserved; /* 0 */
    struct fovea_log log;
};

static inline void fovea_context_desc_init(struct fovea_context_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

/* Foveates images in CPU or CUDA memory. Keeps what depends on size and settings, for the last few
 * sizes, so that a frame of a known size and format allocates nothing. One thread at a time.
 *
 * Shared with the program's own CUDA: the driver library, which is opened once and never closed;
 * the device's primary context, retained from the first image in CUDA memory (or from
 * fovea_context_create where the settings name cuda) until fovea_context_destroy, its flags and
 * limits left alone; its memory. A call leaves the current context of every thread
 * unchanged. Fovea's are a stream and a memory pool of its own for tables (batches use cuMemAlloc),
 * events, and modules, which are loaded when the context is retained; the default pool, and the
 * runtime's last error, are not touched. An error that ends the context (an address out of bounds
 * in anybody's kernel, FOVEA_ERROR_DEVICE_LOST here) ends it for the program and for Fovea
 * alike.
 *
 * CUDA graphs: images in CUDA memory may be run on a stream that is being captured, in every mode
 * of capture, and the first of a size too. Each capture has its own tables and memory on the
 * device, which stay until its last graph is destroyed, whatever the context does meanwhile. So
 * replays and other calls need no order among them, except calls and replays with depths whose
 * elapsed_s is not 0, which share the focus.
 * Graphs of one capture (copies, instantiated twice) must not run at the same time; one that was
 * updated (cuGraphExecUpdate) needs the graph that it was updated with. A replay reads images, and
 * gazes in CUDA memory, as they are by then; gazes in CPU memory, and that of fovea_context_run,
 * stay as they were. Where a graph outlives the context, what the context has on the device stays
 * to the end of the process, and so must the library. FOVEA_ERROR_INVALID_STATE, and nothing else
 * happens: the capture has failed before, or the legacy default stream is given while another
 * stream, which waits for it, is being captured. */
struct fovea_context;

/* Allocates. If the settings name cuda, the call starts its driver and loads kernels, which takes
 * some tenths of a second; else the first image in CUDA memory does. FOVEA_ERROR_UNSUPPORTED: the
 * backend that the settings name is missing (no CUDA in this build, no driver; vulkan is for
 * fovea_vulkan.h). A map's file is read here: FOVEA_ERROR_IO where it cannot be, FOVEA_ERROR_CONFIG
 * where it is no map. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_create(
    const struct fovea_context_desc *desc, struct fovea_context **out_context);
/* Waits for what the context has enqueued on CUDA streams. */
FOVEA_API void fovea_context_destroy(struct fovea_context **context);

/* New settings for the frames after this call; only "operators" and what is below their names and
 * "foveation." count. Reads a map's file again where it has changed, with the results of
 * fovea_context_create. On failure the old ones stay in force. The next frame makes what depends on
 * them, which allocates; going back to settings that were in force shortly before allocates
 * nothing. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_set_settings(
    struct fovea_context *context, const struct fovea_settings *settings);

/* Foveates src around gaze into dst, which has the same size, format and memory and must not
 * overlap src. gaze is rounded to 1/256 px. CPU images: returns when dst is written. CUDA images:
 * enqueues on cuda_stream (a CUstream or cudaStream_t; NULL: the legacy default stream) and returns
 * without waiting. The first frame of a size allocates, later ones do not (enum fovea_backend says
 * what they take). If the gaze is not finite, only those "operators" run that do not use it (all
 * but foveate); without any, FOVEA_ERROR_INVALID_ARGUMENT. On failure dst is not written. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_run(struct fovea_context *context,
                                                               const struct fovea_image *src,
                                                               const struct fovea_image *dst,
                                                               struct fovea_point_uv gaze,
                                                               void *cuda_stream);

/* Images of one size and format, each with a gaze of its own: what the agents of a simulation see
 * in a step; or the two halves of a stereo image, whose strides from image to image are half a
 * row. */
struct fovea_batch {
    size_t struct_bytes; /* fovea_batch_init */
    uint32_t count; /* 1..65535 */
    enum fovea_memory gazes_memory;
    struct fovea_image src; /* the first */
    struct fovea_image dst;
    /* The step from an image to the next, negative too; any where count is 1. src 0: one picture
     * for all gazes, which costs less than as many. */
    ptrdiff_t src_next_bytes;
    ptrdiff_t dst_next_bytes;
    /* x and y in uv for each image, aligned to a float. In CUDA memory only for CUDA images. NULL:
     * no image has a gaze, as where none is finite. */
    const float *gazes_uv;
    /* Channels in planes (NCHW), for RGB8, RGB16, RGB16F and RGB32F: from a channel's first sample
     * to the next channel's, negative too; then pixel_stride_bytes is from a sample to the one on
     * the right, 0 for its size. 0: the channels of a pixel lie together. */
    ptrdiff_t src_plane_bytes;
    ptrdiff_t dst_plane_bytes;
    /* The first image's sigmas: for each pixel the standard deviation in pixels of the Gaussian
     * that blurs it, R16F or R32F, of the size and memory of src, anywhere apart from dst. For the
     * operator blur, which then takes it instead of "blur.sigma_px": values above
     * "blur.sigma_max_px" count as that, negative ones and NaN as 0, which leaves a pixel as it is.
     * FOVEA_ERROR_INVALID_ARGUMENT: no operator of the row takes it. data NULL: none is given. */
    struct fovea_image sigmas;
    ptrdiff_t sigmas_next_bytes; /* from an image's to the next; 0: one picture of them for all */
    /* The first image's depths, for the operator dof, in the memory of src. Depths without dof, or
     * dof without depths, as in fovea_context_run, are FOVEA_ERROR_INVALID_ARGUMENT. The context
     * keeps the focus of each image by its index, also while settings change; images in CUDA memory
     * have theirs on the device, apart from those in CPU memory. NULL: none are given. */
    const struct fovea_depth *depth;
    /* Number of foveas of each image, up to FOVEA_FOVEAS_MAX; gazes_uv then has x and y of each,
     * the gaze first; the others must be finite. The grid of the blockwise method and operators
     * other than foveate use only the gaze. 0: one */
    uint32_t fovea_count;
    uint32_t reserved; /* 0 */
};

static inline void fovea_batch_init(struct fovea_batch *batch)
{
    memset(batch, 0, sizeof *batch);
    batch->struct_bytes = sizeof *batch;
}

/* fovea_context_run for all of them in one go, bit for bit the same. Images of dst must not overlap
 * each other or src, but their rows may interleave; images of src may overlap each other. Where the
 * images of src and dst lie among each other with different distances from image to image, no more
 * than 65536 pairs of one of src and one of dst are looked at (256 images; 65535 where src is one
 * picture): more of them are FOVEA_ERROR_INVALID_ARGUMENT, though they may be apart. Gazes in CPU
 * memory are copied before it returns; gazes in CUDA memory are read on the stream. An image whose
 * gaze is not finite is not foveated, and the other operators are at work on it; where there is no
 * other, it is copied as it is with gazes in CUDA memory, and FOVEA_ERROR_INVALID_ARGUMENT with
 * those in CPU memory.
 *
 * Memory is taken by the first batch that needs more than those before it, and kept; on the device
 * for the next power of two of images, and taking more may wait for all that the device has to do:
 * 8 bytes an image on the device, and for the smooth method about 11 bytes a pixel (22 of 32-bit
 * floats; 22 on the cpu) for as many images as fit in 256 MiB (1.5 MiB a thread on the cpu), at
 * least one; images in planes or of 16-bit whole numbers are made pixels (of floats) before and
 * themselves after, in 512 MiB at most (64 on the cpu) or the memory of one. The others of a batch
 * come after those, on the same stream. FOVEA_ERROR_OUT_OF_MEMORY: nothing was done, and smaller
 * batches still work. On other failures of the device some images may have been written. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_run_batch(
    struct fovea_context *context, const struct fovea_batch *batch, void *cuda_stream);

/* The gradients of a batch: the derivatives of a loss with respect to its inputs, from those with
 * respect to its outputs. All images have the size, format (R16F, RGB16F, RGBA16F, R32F, RGB32F,
 * RGBA32F) and memory of the batch, with any strides; gazes are those of the batch. */
struct fovea_batch_gradient {
    size_t struct_bytes; /* fovea_batch_gradient_init */
    uint32_t count; /* 1..65535 */
    enum fovea_memory gazes_memory; /* of gazes_uv and d_gazes_uv */
    struct fovea_image
        src; /* what the batch took; read for d_gazes_uv and d_sigmas, else ignored */
    struct fovea_image d_dst; /* the loss's derivative with respect to each value of dst; read */
    struct fovea_image
        d_src; /* written: with respect to each value of src; data NULL: not wanted */
    /* The step from an image to the next. 0 for src or d_dst: one picture for all gazes; of d_src
     * each image is its own, also where they shared one src: the caller adds them up. */
    ptrdiff_t src_next_bytes;
    ptrdiff_t d_dst_next_bytes;
    ptrdiff_t d_src_next_bytes;
    const float *gazes_uv; /* x and y in uv for each fovea of each image */
    float *d_gazes_uv; /* written: with respect to them; apart from gazes_uv; NULL: not wanted */
    uint32_t fovea_count; /* the batch's; 0: one */
    uint32_t reserved; /* 0 */
    struct fovea_image sigmas; /* the batch's: for the operator blur; read. data NULL: none */
    ptrdiff_t sigmas_next_bytes;
    /* Written: with respect to the sigma of each pixel, in rows without gaps, image after image, in
     * the memory of the images; NULL: not wanted. */
    float *d_sigmas;
};

static inline void fovea_batch_gradient_init(struct fovea_batch_gradient *batch)
{
    memset(batch, 0, sizeof *batch);
    batch->struct_bytes = sizeof *batch;
}

/* Foveation is out(x) = sum over y of K(x - y) in(y), K a Gaussian of sum 1 whose sigma depends on
 * the pixel and the gaze, pixels beyond an edge being the edge's. d_src(y) is the sum over x of
 * K(x - y) d_dst(x), where what falls beyond an edge is the edge's; d_gazes_uv is the sum over
 * pixels and channels of d_dst(x) (d out(x) / d sigma) (d sigma(x) / d gaze), sigma's own
 * derivative being a difference over one pixel of gaze. docs/images.md says how exact both are.
 *
 * With several foveas sigma is the least of theirs, and d_gazes_uv of a fovea is that sum over the
 * pixels whose sigma is by it, or 0 where there are none; where two ask for the same sigma, the
 * pixel is of the first of them.
 *
 * The operator blur has d_src with the same sum, where "blur.engine" is gaussian: K has one sigma,
 * or that of each pixel x of sigmas. It looks at no gaze: gazes_uv may be NULL where d_gazes_uv is,
 * which is all 0 if it is given. d_sigmas(x) is the sum over channels of d_dst(x) (d out(x) / d
 * sigma), as exact as d_gazes_uv; of one sigma the derivative is its sum over the pixels. Where
 * sigma is less than 0.1, above "blur.sigma_max_px" or no number, it is 0.
 *
 * The blockwise method: what fragments do to the picture does not change with the gaze, but for
 * jumps, so d_gazes_uv is the smooth method's with the same settings. Alpha that is kept passes
 * from d_dst to d_src. A gaze that is not finite is FOVEA_ERROR_INVALID_ARGUMENT in CPU memory; in
 * CUDA memory d_src is a copy of d_dst and d_gazes_uv 0, and another fovea that is not finite has
 * no pixels. Beyond four image sizes outside the image, where gazes no longer count, d_gazes_uv is
 * 0. NaN and infinity stay in their channel and spread as far as the blur reaches.
 *
 * Threads, streams, graphs, overlap and errors are fovea_context_run_batch's: images of d_src must
 * not overlap each other, d_dst, src or sigmas, nor may d_sigmas overlap any of these or gazes.
 * FOVEA_ERROR_UNSUPPORTED: another format, "operators" are several or have no gradient, or
 * d_gazes_uv is in CPU memory and the stream is being captured. The first gradients of a size and
 * of more images than before take memory, later ones do not, but for those of a capture. CPU: about
 * 100 bytes a pixel for each thread, which has an image at a time. CUDA: about 64 bytes a pixel for
 * as many images as fit in 256 MiB, at least one; where d_gazes_uv is in CPU memory the call waits
 * for the stream, else it enqueues. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_run_batch_gradient(
    struct fovea_context *context, const struct fovea_batch_gradient *batch, void *cuda_stream);

/* ---- What settings do to an image ------------------------------------------------------------ */

/* These take one thread's time for every pixel, as long as a frame of the cpu backend or longer:
 * not for every frame.
 *
 * What the settings do to an image of that size with that gaze: sigma in pixels for every pixel, in
 * rows without gaps; 0 where the image is left as it is. Any thread; allocates, and reads map.file:
 * one without an end within FOVEA_PATH_MAX is FOVEA_ERROR_INVALID_ARGUMENT, as in all settings. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_sigma_map(const struct fovea_settings *settings,
                                                             uint32_t width_px, uint32_t height_px,
                                                             struct fovea_point_uv gaze,
                                                             float *out_sigma_px);

/* The distance from the gaze in pixels at which these settings reach an eccentricity, in a
 * direction of the image: 0 degrees are to the right, 90 down. For drawing rings, which are no
 * circles if the eccentricity is the angle between rays (models with a view) and the gaze is off
 * the view axis. Negative if there is no such place, or if an argument is out of range. Any thread;
 * allocates nothing. */
FOVEA_API double fovea_eccentricity_px(const struct fovea_settings *settings, uint32_t width_px,
                                       uint32_t height_px, struct fovea_point_uv gaze,
                                       double direction_deg, double eccentricity_deg);

/* The next three give numbers for a method section, for every pixel like fovea_sigma_map, by the
 * same rules.
 *
 * Eccentricity in degrees: the angle between the pixel's ray and the gaze's, or for models without
 * a view the share of half the diagonal, at most 1, of e_max_deg. The relative model has no
 * degrees: half the picture's shorter side stands for one, here and below. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_eccentricity_map(
    const struct fovea_settings *settings, uint32_t width_px, uint32_t height_px,
    struct fovea_point_uv gaze, float *out_deg);

/* The law's cutoff in cycles a degree, without the method: it does not include ramp, strength and
 * fragments. It may lie beyond the pixels' limit. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_cutoff_map(const struct fovea_settings *settings,
                                                              uint32_t width_px, uint32_t height_px,
                                                              struct fovea_point_uv gaze,
                                                              float *out_cpd);

/* The remaining amplitude of a grating, 0..1: the transfer function of the pixel's weights, with
 * all settings. The grating has `cycles_per_deg` at the pixel
 * and varies in a direction of the image, 0 degrees to the right, 90 down; pixels show none such
 * from half a cycle a pixel on. A frequency that is negative or not finite is
 * FOVEA_ERROR_INVALID_ARGUMENT. */
struct fovea_grating {
    double cycles_per_deg;
    double direction_deg;
};
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gain_map(const struct fovea_settings *settings,
                                                            uint32_t width_px, uint32_t height_px,
                                                            struct fovea_point_uv gaze,
                                                            const struct fovea_grating *grating,
                                                            float *out_gain);

#ifdef __cplusplus
}
#endif

#endif
