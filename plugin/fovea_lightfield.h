/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pictures, refocused pictures and depths from the raw picture of a light-field camera: a sensor
 * behind an array of small lenses, each of which makes a micro-image.
 *
 * For focused arrays (plenoptic 2.0) micro-images are blended (T. Georgiev, A. Lumsdaine, "Focused
 * plenoptic camera and rendering", J. Electronic Imaging 19(2), 2010), and depth is the patch size
 * at which neighbours agree. For arrays on whose lenses the scene is focused (plenoptic 1.0) there
 * are views, and their shifted sum. It corrects no distortion of lenses and makes no picture
 * sharper than its raw. docs/lightfield.md has the formulas and a note on patents.
 *
 * Usage, without error checks:
 *
 *     struct fovea_lightfield_geometry geometry;
 *     fovea_lightfield_geometry_init(&geometry);
 *     fovea_lightfield_geometry_read("array.json", NULL, &geometry);
 *     struct fovea_lightfield_desc desc;
 *     fovea_lightfield_desc_init(&desc);
 *     desc.geometry = &geometry;
 *     struct fovea_lightfield *field = NULL;
 *     fovea_lightfield_create(&desc, &field);
 *
 *     struct fovea_lightfield_rendering rendering;
 *     fovea_lightfield_rendering_init(&rendering);
 *     rendering.patch_px = 11.0;
 *     fovea_lightfield_render(field, &raw, &rendering, &picture, NULL);
 *
 *     fovea_lightfield_destroy(&field);
 *
 * The rules of fovea.h hold. Needs no context, and settings for fovea_lightfield_rings alone.
 * Places in a raw picture are pixels from its top left corner: the centre of its first pixel is at
 * 0.5, 0.5. */
#ifndef FOVEA_LIGHTFIELD_H
#define FOVEA_LIGHTFIELD_H

#include "fovea_image.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The array of lenses */

enum fovea_lightfield_rows {
    FOVEA_LIGHTFIELD_ROWS_RECTANGULAR = 0,
    FOVEA_LIGHTFIELD_ROWS_HEXAGONAL = 1, /* each second row, from the second on, half a pitch on */
};

/* The centre of the lens in column i and row j is at
 *     origin + R (i pitch_x + (half a pitch_x where the row is shifted), j pitch_y)
 * with R a rotation by rotation_deg, from x to y. */
struct fovea_lightfield_geometry {
    size_t struct_bytes; /* fovea_lightfield_geometry_init */
    uint32_t raw_width_px; /* 8..16384 */
    uint32_t raw_height_px; /* 8..16384 */
    uint32_t columns; /* 1..4096, lenses; the centres of all lie in the raw picture */
    uint32_t rows; /* 1..4096 */
    enum fovea_lightfield_rows arrangement; /* 0: rectangular */
    /* 1: micro-images are the other way up, and what lies right of a lens's centre is taken from
     * left of it; 0: as they are */
    uint32_t flip;
    double pitch_x_px; /* 2..1024 */
    double pitch_y_px; /* 2..1024 */
    double origin_x_px; /* the centre of the first lens */
    double origin_y_px;
    double rotation_deg; /* -45..45 */
    /* Optics, which say how far things are; all 0: they are not known, and all but distances is the
     * same. The main lens is a thin one. */
    double focal_length_m; /* of the main lens, 1e-4..10 */
    double main_to_array_m; /* from the main lens to the array, 1e-4..10 */
    double array_to_sensor_m; /* 1e-6..1 */
    uint32_t image_behind; /* 0: the main lens's image lies before the array; 1: behind it */
    uint32_t reserved; /* 0 */
};

static inline void fovea_lightfield_geometry_init(struct fovea_lightfield_geometry *geometry)
{
    memset(geometry, 0, sizeof *geometry);
    geometry->struct_bytes = sizeof *geometry;
}

/* Reads a file in JSON (docs/lightfield.md): FOVEA_ERROR_IO where it cannot be read,
 * FOVEA_ERROR_CONFIG where it is none, and the log says in which line; *out stays as it was then.
 * log may be NULL. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_geometry_read(
    const char *path, const struct fovea_log *log, struct fovea_lightfield_geometry *out);
/* Writes such a file. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_geometry_write(
    const char *path, const struct fovea_log *log,
    const struct fovea_lightfield_geometry *geometry);

/* How far away what has a patch size is, in dioptres: 1 / metres before the main lens. The image of
 * such a thing lies a = array_to_sensor pitch_x / patch from the array, so that
 *     1 / distance = 1 / focal_length - 1 / (main_to_array - a), or + a where it lies behind
 * 0 is infinitely far; below 0 light comes from nothing real. NaN: patch_px is not 1 .. pitch_x_px,
 * the image would lie at the main lens or before it, or the geometry has no optics. */
FOVEA_API double fovea_lightfield_diopters(const struct fovea_lightfield_geometry *geometry,
                                           double patch_px);
/* The patch size of what is so many dioptres away. FOVEA_ERROR_INVALID_ARGUMENT, and the log says
 * which: the geometry has no optics; nothing has so many; no patch size of the array is it, and
 * from how many to how many there are. log may be NULL. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_patch_of(
    const struct fovea_lightfield_geometry *geometry, double diopters, const struct fovea_log *log,
    double *out_patch_px);

/* ---- Raw pictures */

enum fovea_lightfield_format {
    FOVEA_LIGHTFIELD_FORMAT_NONE = 0,
    FOVEA_LIGHTFIELD_FORMAT_R8 = 1,
    FOVEA_LIGHTFIELD_FORMAT_RGB8 = 2,
    FOVEA_LIGHTFIELD_FORMAT_RGBA8 = 3, /* alpha does not count */
    FOVEA_LIGHTFIELD_FORMAT_R16 = 4,
    FOVEA_LIGHTFIELD_FORMAT_RGB16 = 5,
    FOVEA_LIGHTFIELD_FORMAT_RGBA16 = 6,
};

/* The colours of the first two pixels of the first row, and of those below. With R8 and R16. */
enum fovea_lightfield_bayer {
    FOVEA_LIGHTFIELD_BAYER_NONE = 0,
    FOVEA_LIGHTFIELD_BAYER_RGGB = 1,
    FOVEA_LIGHTFIELD_BAYER_GRBG = 2,
    FOVEA_LIGHTFIELD_BAYER_GBRG = 3,
    FOVEA_LIGHTFIELD_BAYER_BGGR = 4,
};

/* A raw picture that somebody else owns, without gaps in its rows; it is not written. */
struct fovea_lightfield_raw {
    size_t struct_bytes; /* fovea_lightfield_raw_init */
    const void *data; /* the top left pixel, aligned to its channel */
    uint32_t width_px; /* the geometry's */
    uint32_t height_px;
    enum fovea_lightfield_format format;
    enum fovea_lightfield_bayer bayer;
    enum fovea_memory memory; /* of this picture, and of all that goes with it in a call */
    /* White is this value, 1..65535: 4095 for a sensor of 12 bits. 0: all bits, as 8-bit formats
     * have it. A pixel above it is as white */
    uint32_t maximum;
    ptrdiff_t row_stride_bytes; /* to the pixel below; negative for pictures stored bottom up */
};

static inline void fovea_lightfield_raw_init(struct fovea_lightfield_raw *raw)
{
    memset(raw, 0, sizeof *raw);
    raw->struct_bytes = sizeof *raw;
}

/* ---- From a white picture
 *
 * A white picture is a raw picture of something evenly lit: white paper out of focus, a diffuser
 * before the camera, or a fluorescent slide under a microscope. It shows where the lenses are, and
 * how much light each pixel takes. */

enum fovea_lightfield_rows_wanted {
    FOVEA_LIGHTFIELD_ROWS_WANTED_ANY = 0, /* as it is found */
    FOVEA_LIGHTFIELD_ROWS_WANTED_RECTANGULAR = 1,
    FOVEA_LIGHTFIELD_ROWS_WANTED_HEXAGONAL = 2,
};

struct fovea_lightfield_calibration {
    size_t struct_bytes; /* fovea_lightfield_calibration_init */
    enum fovea_lightfield_rows_wanted rows; /* 0: as they are found */
    uint32_t flip; /* the geometry's; no white picture tells; 0 */
    /* If the picture has other patterns, too: lenses are so far apart, within 15 %. 4 ..
     * 1024; 0: any */
    double pitch_px;
    /* Called with 0 .. 1 while it works, by the calling thread; NULL: not */
    void (*progress)(void *user, double part);
    void *progress_user;
    struct fovea_log log;
};

static inline void fovea_lightfield_calibration_init(
    struct fovea_lightfield_calibration *calibration)
{
    memset(calibration, 0, sizeof *calibration);
    calibration->struct_bytes = sizeof *calibration;
}

/* How well the lenses lie on the array. */
struct fovea_lightfield_fit {
    size_t struct_bytes; /* fovea_lightfield_fit_init */
    /* Root of the mean square of the distances of lenses from where the array has them; of those
     * that are used */
    double residual_px;
    /* By how much columns are at no right angle to rows, which the geometry cannot say */
    double shear_deg;
    /* Lenses with a pattern, without those beside a border; of pictures above 10 megapixels, and of
     * more than 20,000 lenses, each second or third in a row and in a column is looked at */
    uint32_t lenses_seen;
    uint32_t lenses_used; /* without those that lie three times as far off as the median */
};

static inline void fovea_lightfield_fit_init(struct fovea_lightfield_fit *fit)
{
    memset(fit, 0, sizeof *fit);
    fit->struct_bytes = sizeof *fit;
}

/* The array of lenses of a white picture: pitches, rotation, origin, the arrangement of rows, and
 * as many columns and rows as are in the picture but for a tenth of a lens. Lenses are 4 px or more
 * apart, and 5 or more lie in a row and in a column; rows are turned by 45 degrees at most.
 * calibration and fit may be NULL. While it works it takes four bytes a pixel, and some MiB.
 *
 * FOVEA_ERROR_CONFIG: the picture shows no such array, and the log says why and what to do: it has
 * no regular pattern, or several; it is too small, or overexposed. *out stays as it was then. Where
 * lenses lie more than a fortieth of a pitch off, a warning is logged. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_calibrate(
    const struct fovea_lightfield_raw *white,
    const struct fovea_lightfield_calibration *calibration, struct fovea_lightfield_geometry *out,
    struct fovea_lightfield_fit *fit);

/* Vignetting: what lenses and the main lens take away from each pixel, to be divided out. A pixel
 * becomes
 *
 *     (raw - black) min(gain_max, m / (white - black))
 *
 * with m the median of its colour's white - black, of pixels that are half as bright as the 95th of
 * 100 or brighter. So what is as bright as the median stays so, and colours keep their balance.
 * Each pixel of a mosaic is a colour of its square. */
struct fovea_lightfield_white_desc {
    size_t struct_bytes; /* fovea_lightfield_white_desc_init */
    const struct fovea_lightfield_raw *white; /* until create returns */
    double black; /* what the sensor says of no light, in both pictures; 0 */
    double gain_max; /* 1 .. 15; fovea_lightfield_white_desc_init: 8 */
    struct fovea_log log;
};

static inline void fovea_lightfield_white_desc_init(struct fovea_lightfield_white_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
    desc->gain_max = 8.0;
}

/* Two bytes for each channel of each pixel. Threads may divide by one at the same time. */
struct fovea_lightfield_white;

/* FOVEA_ERROR_CONFIG: the white picture is as dark as black. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_white_create(
    const struct fovea_lightfield_white_desc *desc, struct fovea_lightfield_white **out_white);
FOVEA_API void fovea_lightfield_white_destroy(struct fovea_lightfield_white **white);

/* Writes the raw picture without vignetting, of the same format, to out, whose rows are
 * out_stride_bytes apart; out may be the picture's own memory. Alpha stays. The size, the format
 * and the mosaic are the white picture's. Allocates nothing. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_white_divide(
    const struct fovea_lightfield_white *white, const struct fovea_lightfield_raw *raw, void *out,
    ptrdiff_t out_stride_bytes);

/* ---- Life */

struct fovea_lightfield_desc {
    size_t struct_bytes; /* fovea_lightfield_desc_init */
    const struct fovea_lightfield_geometry *geometry; /* until create returns */
    uint32_t cpu_threads; /* 0: one for each core; more than 256 and the cores are as many */
    uint32_t reserved; /* 0 */
    struct fovea_log log;
};

static inline void fovea_lightfield_desc_init(struct fovea_lightfield_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

/* Keeps memory for the largest picture that it has made. One thread at a time. */
struct fovea_lightfield;

/* FOVEA_ERROR_INVALID_ARGUMENT: the log names the field of the geometry. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_create(
    const struct fovea_lightfield_desc *desc, struct fovea_lightfield **out_field);
/* All work that it has enqueued on CUDA streams must be over by then. NULL is fine. */
FOVEA_API void fovea_lightfield_destroy(struct fovea_lightfield **field);

/* ---- Pictures
 *
 * A picture shows the whole array: the middle of pixel x of a picture of width W is (x + 1/2) / W
 * of its columns' width from the left. Any size is possible; columns * patch_px by rows * patch_px
 * pitch_y / pitch_x is the raw's own resolution. Formats: all of fovea_image.h but RGBA16, RGB16
 * and R16 (FOVEA_ERROR_UNSUPPORTED); white is 255, 1023 or 1, alpha is opaque. A raw of colours
 * needs a format of colours.
 *
 * All pictures of a call lie in one kind of memory. In CPU memory a call returns when the picture
 * is written, and on failure nothing that was written counts. The first picture of a width
 * allocates: half a KiB for each column and thread, and for depth 84 bytes more for each patch
 * size.
 *
 * In CUDA memory a call enqueues on cuda_stream and waits for nothing; cuda_stream means nothing in
 * CPU memory. The first call loads kernels on the device of its raw picture; a light field stays
 * with that device, so that each device has one of its own. Renderings and sums need
 * no memory, and a stream that is being captured takes them; the field outlives its graphs. Depths
 * of the first size allocate up to 256 MiB, but for most of those of 8 patch sizes or fewer without
 * the box, of the nearest pixels of 8-bit formats, with 2 lenses to each side at most, where the
 * array is rectangular and not turned and 4 divides raw_width_px: these need no memory where what a
 * block reads fits into its shared memory. A stream that is being captured gets
 * FOVEA_ERROR_INVALID_STATE for depths that need memory, before anything is enqueued. */

enum fovea_lightfield_filter {
    FOVEA_LIGHTFIELD_FILTER_LINEAR = 0, /* between the four nearest pixels of the raw */
    FOVEA_LIGHTFIELD_FILTER_NEAREST = 1, /* the pixel that a place lies in */
};

/* If the picture is foveated afterwards, fewer micro-images suffice where nobody looks. A lens's
 * place in a picture is the middle of what it is the nearest lens of; how far that is from the gaze
 * says what those pixels are made of:
 *
 *     distance              a rendering blends                  depths are searched with
 *     up to full_px         range lenses to each side           range, all patch sizes
 *     up to next_px         the next ones: 9 micro-images       the next lenses, and every other
 *     beyond                the nearest alone                   patch size, from the first on
 *
 * docs/lightfield.md has the bounds of the difference that is left. */
struct fovea_lightfield_foveation {
    size_t struct_bytes; /* fovea_lightfield_foveation_init */
    struct fovea_point_uv gaze; /* in the picture; it may lie outside */
    double full_px; /* pixels of the picture, 0 .. 1e6 */
    double next_px; /* full_px .. 1e6; no part of a search */
};

static inline void fovea_lightfield_foveation_init(struct fovea_lightfield_foveation *foveation)
{
    memset(foveation, 0, sizeof *foveation);
    foveation->struct_bytes = sizeof *foveation;
}

/* Micro-images, blended: the sum over lenses near the pixel of w(u) raw(C + u) / the sum of w(u),
 * where C is a lens's centre, P the pixel's place in the raw, u = (P - C) patch / pitch_x, and w a
 * Gaussian around the view. Lenses outside the array do not count. */
struct fovea_lightfield_rendering {
    size_t struct_bytes; /* fovea_lightfield_rendering_init */
    /* Side of the part of a micro-image that a lens adds to the picture: small is far, large is
     * near. 1 .. pitch_x_px. What has another patch size in the raw is blurred */
    double patch_px;
    /* Lenses to each side that are blended: 0..5, of which as many count as have the place in their
     * micro-image. fovea_lightfield_rendering_init: 2, which is 25 lenses */
    uint32_t range;
    enum fovea_lightfield_filter filter; /* 0: linear */
    double sigma_px; /* of the Gaussian; pitch_x_px / 24 .. 1e6, 0: a sixth of pitch_x_px */
    /* Place in the micro-images from which the scene is seen, pixels from their centres, no more
     * than half a pitch; 0, 0 */
    double view_x_px; /* along the rows of lenses */
    double view_y_px;
    /* The patch size of each pixel, R32F of the picture's size: all is in focus. NaN and numbers
     * out of 1 .. pitch_x_px count as patch_px. NULL: patch_px everywhere */
    const struct fovea_image *patches;
    /* NULL: range everywhere. view_x_px and view_y_px are 0 with one: seen from the side, a nearest
     * lens sees another side than all of them */
    const struct fovea_lightfield_foveation *foveation;
};

static inline void fovea_lightfield_rendering_init(struct fovea_lightfield_rendering *rendering)
{
    memset(rendering, 0, sizeof *rendering);
    rendering->struct_bytes = sizeof *rendering;
    rendering->range = 2;
}

FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_render(
    struct fovea_lightfield *field, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_rendering *rendering, const struct fovea_image *dst,
    void *cuda_stream);

/* The patch size of each pixel: that at which the lenses around differ least from the nearest one,
 * by the mean of absolute differences of all colours. Of equal ones the largest. */
struct fovea_lightfield_matching {
    size_t struct_bytes; /* fovea_lightfield_matching_init */
    double first_px; /* the patch sizes first, first + step, .. last: 1 .. pitch_x_px */
    double last_px;
    double step_px; /* above 0; no more than 256 sizes. fovea_lightfield_matching_init: 1 */
    /* Lenses to each side that are compared, 1..5, of which the next ones count always, and others
     * where they have the place in their micro-image. fovea_lightfield_matching_init: 2 */
    uint32_t range;
    enum fovea_lightfield_filter filter;
    uint32_t box; /* 1: differences are averaged over 5x5 pixels; 0 */
    uint32_t reserved; /* 0 */
    const struct fovea_lightfield_foveation *foveation; /* NULL: none. box is 0 with one */
};

static inline void fovea_lightfield_matching_init(struct fovea_lightfield_matching *matching)
{
    memset(matching, 0, sizeof *matching);
    matching->struct_bytes = sizeof *matching;
    matching->step_px = 1.0;
    matching->range = 2;
}

/* depth: R32F, patch sizes in pixels of the raw; pitch_x_px divided by one is the distance of the
 * image from the lenses in distances of the sensor. confidence: NULL, or R32F of the same size:
 * 1 - least difference / least difference of sizes a pixel or more away; 0 where nothing tells them
 * apart, and where no size is a pixel away. FOVEA_ERROR_INVALID_ARGUMENT also
 * where the array has one lens. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_depth(
    struct fovea_lightfield *field, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_matching *matching, const struct fovea_image *depth,
    const struct fovea_image *confidence, void *cuda_stream);

/* Focus under a gaze: a picture for each frame, which the program then foveates with the same gaze.
 * What lies under the gaze gets into focus as an eye accommodates: on the way to it by a time
 * constant, and only where it differs from what is in focus by more than a hysteresis.
 *
 * It is searched for in a square of pixels around the gaze: of each patch size first, first + step,
 * .. last the mean of all absolute differences between a pixel's nearest lens and those around, of
 * all pixels of the square. The least, of equal ones the largest, is what is seen, if it is a tenth
 * less than that of any size a pixel away; else nothing is, as in a wall without a texture, and the
 * focus stays. So it does without a gaze. The first one is there at once, or in the middle of
 * first_px and last_px where nothing is seen. */
struct fovea_lightfield_refocusing {
    size_t struct_bytes; /* fovea_lightfield_refocusing_init */
    double first_px; /* patch sizes that are looked for: 1 .. pitch_x_px */
    double last_px;
    double step_px; /* no more than 256 sizes; fovea_lightfield_refocusing_init: 0.25 */
    double
        elapsed_s; /* since the picture before; 0: none is, and what is seen is in focus at once */
    double
        focus_time_s; /* of which 1/e is left; 0: at once. fovea_lightfield_refocusing_init: 0.3 */
    double focus_hysteresis_px; /* 0 or more; fovea_lightfield_refocusing_init: 0.5 */
    uint32_t window_px; /* side of the square, 1..63; fovea_lightfield_refocusing_init: 15 */
    uint32_t range; /* as renderings have it, 1..5; fovea_lightfield_refocusing_init: 2 */
    enum fovea_lightfield_filter filter;
    uint32_t reserved; /* 0 */
    double sigma_px; /* as renderings have it */
    /* The gaze, and fewer micro-images away from it. NULL: nobody looks, so that all lenses of
     * range blend and the focus stays */
    const struct fovea_lightfield_foveation *foveation;
    /* NULL, or an image R32F of one pixel, in the memory of the others: the patch size in focus */
    const struct fovea_image *focus;
};

static inline void fovea_lightfield_refocusing_init(struct fovea_lightfield_refocusing *refocusing)
{
    memset(refocusing, 0, sizeof *refocusing);
    refocusing->struct_bytes = sizeof *refocusing;
    refocusing->step_px = 0.25;
    refocusing->focus_time_s = 0.3;
    refocusing->focus_hysteresis_px = 0.5;
    refocusing->window_px = 15;
    refocusing->range = 2;
}

struct fovea_settings;

/* The rings with which a refocused picture, once foveated with these settings, looks as with all
 * lenses everywhere, wherever in the picture the gaze is: sets full_px and next_px of *foveation.
 * What is out of focus is blurred by lenses' views that are apart; where the settings' sigma is
 * large beside what fewer of them take from that blur, nobody sees it:
 *
 *     sigma at full_px >= root (v_range - v_1),  sigma at next_px >= 1.5 root (v_range - v_0)
 *
 * v_n is the variance of places, pixels of the picture, at which n lenses to each side show a thing
 * with the patch size last_px where first_px is in focus, or the other way round, whichever is
 * more. So weak settings have wide rings, and those that blur less everywhere all lenses.
 * docs/lightfield.md has what is left. Of refocusing first_px, last_px, range and sigma_px count.
 * The rings may be 6 pixels wider than that, since few pixels are looked at: it takes milliseconds
 * (of a map of densities as long as five fovea_sigma_map), for each change of the settings or the
 * size, not for every frame. FOVEA_ERROR_INVALID_ARGUMENT: an argument is NULL or out of range. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_rings(
    const struct fovea_settings *settings, const struct fovea_lightfield_geometry *geometry,
    const struct fovea_lightfield_refocusing *refocusing, uint32_t width_px, uint32_t height_px,
    struct fovea_lightfield_foveation *foveation);

/* A light field has one focus in CPU memory and one on its device, where nothing is copied back:
 * calls with CUDA memory are on one stream, or the program orders them. Needs no memory there, and
 * a stream that is being captured takes it; a graph has the gaze and the time that it was captured
 * with. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_refocus(
    struct fovea_lightfield *field, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_refocusing *refocusing, const struct fovea_image *dst,
    void *cuda_stream);

/* For plenoptic 1.0: the mean of views from within radius_px of the lenses' centres, each moved so
 * that what has the patch size 1 / shift coincides:
 *
 *     the sum over whole dx, dy with dx^2 + dy^2 <= radius^2 of view(dx, dy)(X - shift (dx, dy)) /
 * their number
 *
 * where view(dx, dy) is what all lenses have at (dx, dy) from their centres, X is in lenses, and
 * between lenses it is linear. shift 0: what is focused on the lenses. radius 0: one view. */
struct fovea_lightfield_sum {
    size_t struct_bytes; /* fovea_lightfield_sum_init */
    double shift; /* -1 .. 1, lenses a pixel of the raw */
    double radius_px; /* 0 .. half of pitch_x_px */
    double view_x_px; /* added to dx and dy in the raw, not in the shift; 0 */
    double view_y_px;
};

static inline void fovea_lightfield_sum_init(struct fovea_lightfield_sum *sum)
{
    memset(sum, 0, sizeof *sum);
    sum->struct_bytes = sizeof *sum;
}

FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_lightfield_sum_views(
    struct fovea_lightfield *field, const struct fovea_lightfield_raw *raw,
    const struct fovea_lightfield_sum *sum, const struct fovea_image *dst, void *cuda_stream);

/* Bytes that it holds in CPU memory, without its threads' stacks. */
FOVEA_API size_t fovea_lightfield_bytes(const struct fovea_lightfield *field);

#ifdef __cplusplus
}
#endif

#endif
