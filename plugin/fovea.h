/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fovea: gaze-contingent foveation of real-time images.
 *
 * An image is kept sharp where the eye looks and blurred elsewhere by a model of what the eye resolves
 * there; the default model is an emulation, several times as strong as an eye would miss
 * (docs/models.md). This header is the plain C face: settings, configuration files, gaze sources, and
 * foveation of images that lie in host or CUDA memory. Programs that render with Vulkan also
 * include fovea_vulkan.h, which foveates a VkImage without a copy through the CPU.
 *
 * Fovea does not render, does not open windows, does not talk to eye trackers over vendor SDKs,
 * and does not save rendering time: it costs GPU time to show what the retina would receive.
 *
 * Usage, without error checks:
 *
 *     struct fovea_settings settings = fovea_settings_default();
 *     settings.foveation.paper.fragment_px = 16;
 *
 *     struct fovea_context_desc desc = fovea_context_desc_default();
 *     desc.settings = &settings;
 *     struct fovea_context *context = NULL;
 *     fovea_context_create(&desc, &context);
 *
 *     struct fovea_image src = {.data = pixels, .width_px = 640, .height_px = 480,
 *                               .format = FOVEA_FORMAT_RGBA8, .row_stride_bytes = 640 * 4};
 *     struct fovea_image dst = src;
 *     dst.data = result;
 *     struct fovea_point_uv gaze = {0.5, 0.5};
 *     fovea_context_run(context, &src, &dst, gaze, NULL);
 *
 *     fovea_context_destroy(&context);
 *
 * Rules that hold everywhere:
 *
 * - Results: FOVEA_OK is 0, positive is not an error, negative is an error named by what the caller
 *   can do about it. Details go to the log.
 * - A descriptor and everything it points to needs to live only until the call returns.
 * - X_create gives *out to the caller and writes NULL there on failure; X_destroy takes a pointer to
 *   the pointer, accepts NULL twice over, and writes NULL.
 * - Different objects may be used from different threads at the same time. One object may be used
 *   from one thread at a time, except where a function says otherwise.
 * - Fovea never exits, aborts, prints or throws. It logs only to the fovea_log it was given.
 * - Coordinates called uv run from 0 to 1 over the image, origin in its top left corner, y down.
 *   Values outside 0..1 lie outside the image and are allowed. Lengths in pixels say _px, angles in
 *   degrees of visual angle _deg, spatial frequencies in cycles per degree _cpd, times _ns or _ms.
 */
#ifndef FOVEA_H
#define FOVEA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FOVEA_VERSION_MAJOR 0
#define FOVEA_VERSION_MINOR 1
#define FOVEA_VERSION_PATCH 0

#if defined(_WIN32)
#define FOVEA_API __declspec(dllexport)
#define FOVEA_MUST_CHECK
#else
#define FOVEA_API __attribute__((visibility("default")))
#define FOVEA_MUST_CHECK __attribute__((warn_unused_result))
#endif

/* Version of the library that is loaded, as major * 1000000 + minor * 1000 + patch. */
FOVEA_API uint32_t fovea_version(void);

/* ---- Results ---------------------------------------------------------------------------------- */

enum fovea_result {
    FOVEA_OK = 0,
    /* Nothing was done because nothing is there yet, or everything is still in use. Ask again. */
    FOVEA_NOT_READY = 1,
    /* The frame was handed back as the engine drew it, not foveated; the log says why, once. */
    FOVEA_PASSED_THROUGH = 2,
    /* An argument is NULL, out of range or does not fit another one. Nothing was changed. */
    FOVEA_ERROR_INVALID_ARGUMENT = -1,
    /* The call came at the wrong time: an image acquired twice, a source that was never opened. */
    FOVEA_ERROR_INVALID_STATE = -2,
    /* This machine, device, format or build cannot do it. */
    FOVEA_ERROR_UNSUPPORTED = -3,
    FOVEA_ERROR_OUT_OF_MEMORY = -4,
    /* The GPU is gone. Destroy everything that was made from it and start again. */
    FOVEA_ERROR_DEVICE_LOST = -5,
    /* A configuration file or setting is wrong; the log says where and what was expected. */
    FOVEA_ERROR_CONFIG = -6,
    /* A file or socket could not be read, written or bound. */
    FOVEA_ERROR_IO = -7,
    /* A driver or library answered what it must not. */
    FOVEA_ERROR_INTERNAL = -8,
    /* A Vulkan frame was given up half way: what it waited for is taken, nothing will signal. Go on without
     * it, and destroy the context that it was of (fovea_vk_foveate). */
    FOVEA_ERROR_FRAME_LOST = -9,
};

/* The name of a result, "FOVEA_OK" and so on; "unknown result" for other numbers. Never NULL. */
FOVEA_API const char *fovea_result_name(enum fovea_result result);

/* ---- Log -------------------------------------------------------------------------------------- */

enum fovea_log_level {
    FOVEA_LOG_DEBUG = 0,
    FOVEA_LOG_INFO = 1,
    FOVEA_LOG_WARNING = 2,
    FOVEA_LOG_ERROR = 3,
};

/* Where messages go. Passed by value; fn NULL is silence. A message is one line of UTF-8 without a
 * newline, valid during the call. fn may be called from any thread, several at a time, and must not
 * call Fovea. Nothing above DEBUG is logged more often than once for each change of state. */
struct fovea_log {
    void (*fn)(void *user, enum fovea_log_level level, const char *message);
    void *user;
    enum fovea_log_level min_level;
};

/* Nanoseconds of the monotonic clock that gaze samples are stamped with. Any thread. */
FOVEA_API int64_t fovea_time_ns(void);

/* ---- Settings --------------------------------------------------------------------------------- */

#define FOVEA_PATH_MAX 1024
#define FOVEA_NAME_MAX 64

/* Who does the arithmetic. */
enum fovea_backend {
    /* By the image's memory: cuda for CUDA's, cpu for the host's. For Vulkan images the cheapest on that
     * device: enum fovea_measure. */
    FOVEA_BACKEND_AUTO = 0,
    FOVEA_BACKEND_CUDA = 1, /* NVIDIA GPUs; Vulkan images are shared through external memory */
    FOVEA_BACKEND_VULKAN = 2, /* compute shaders in the engine's own Vulkan device */
    FOVEA_BACKEND_CPU = 3, /* threads; with Vulkan images, through memory the host can map */
};

/* How auto finds the cheapest backend for Vulkan images where there is more than one. Measuring is a part of
 * fovea_vk_create, a few frames of no engine's on the given queue: about 0.1 s of them, besides what making
 * kernels and plans takes. A result counts for the device, its driver, this version of Fovea and the
 * settings of foveation; it is kept in the process and in $XDG_CACHE_HOME/fovea (or ~/.cache/fovea). */
enum fovea_measure {
    FOVEA_MEASURE_CACHED = 0, /* once, and again after 30 days */
    FOVEA_MEASURE_ALWAYS = 1, /* each time that a context is made */
    /* Not at all: cuda, then vulkan, then cpu, the first that the device has; cpu before vulkan where the
     * Vulkan device is itself a CPU. So it is too where measuring fails. */
    FOVEA_MEASURE_NEVER = 2,
};

/* The law from place to blur: what spatial frequency is still resolved how far from the gaze. */
enum fovea_model {
    /* Malkin, Deza and Poggio 2020: the picture's half diagonal spans e_max_deg, whatever its size */
    FOVEA_MODEL_PAPER = 0,
    /* Geisler and Perry 1998 with the eccentricity of a real view (struct fovea_geometry) */
    FOVEA_MODEL_PHYSICAL = 1,
    /* a table of eccentricity and cutoff, with the eccentricity of a real view */
    FOVEA_MODEL_CURVE = 2,
    /* a two-dimensional map around the gaze (struct fovea_map) */
    FOVEA_MODEL_MAP = 3,
};

/* How the law is applied. */
enum fovea_method {
    FOVEA_METHOD_BLOCKWISE = 0, /* one Gaussian a fragment, the grid centred on the gaze */
    FOVEA_METHOD_SMOOTH = 1, /* every pixel its own Gaussian */
};

/* In what the pixels of UNORM formats are averaged. Float formats hold light and are averaged as
 * they are. */
enum fovea_light {
    FOVEA_LIGHT_AUTO = 0, /* encoded for the blockwise method, which is the paper's; else linear */
    FOVEA_LIGHT_ENCODED = 1, /* the stored values */
    FOVEA_LIGHT_LINEAR = 2, /* light, by the image's transfer function */
    /* Light of a screen that is not as sRGB says, by its own curve in struct fovea_display. Images of PQ and HLG
     * have theirs, as with LINEAR. */
    FOVEA_LIGHT_GAMMA = 3,
    FOVEA_LIGHT_TABLE = 4,
};

/* What the stored values of UNORM formats say of light, over the format's full range. The program
 * knows it of its images: no configuration file sets it. Primaries do not matter to a blur but for HLG, whose
 * light of the display depends on the three colours together: those are BT.2020's, and the first is red (of
 * Vulkan images: as the format says). */
enum fovea_transfer {
    FOVEA_TRANSFER_SRGB = 0, /* IEC 61966-2-1 */
    FOVEA_TRANSFER_PQ = 1, /* SMPTE ST 2084: light of the display, 1 is 10,000 cd/m^2 */
    FOVEA_TRANSFER_HLG = 2, /* ITU-R BT.2100, to light of the display of struct fovea_display */
};

/* How many taps a Gaussian of sigma pixels has. */
enum fovea_filter_length {
    FOVEA_FILTER_LENGTH_CODE = 0, /* the published program: 1 + 2 sqrt(-2 sigma^2 ln 0.005), odd */
    FOVEA_FILTER_LENGTH_PRINTED = 1, /* the printed paper: ceil(6 sigma), rounded up to odd */
};

enum fovea_alpha {
    FOVEA_ALPHA_KEEP = 0, /* alpha is copied from the source; colour is blurred by itself */
    FOVEA_ALPHA_PREMULTIPLIED = 1, /* alpha is blurred like a colour: for premultiplied images */
};

/* The paper's retinal mapping. Defaults are the printed paper's with the published program's
 * geometry. Contrast threshold: Geisler and Perry 1998. */
struct fovea_paper {
    double ct0; /* minimal contrast threshold, 0 < ct0 < 1; 1/64 printed, 0.0133 in the program */
    double alpha; /* decay of sensitivity with spatial frequency, above 0, at most 10; 0.106 */
    double e2_deg; /* eccentricity at which resolution has halved, above 0, at most 100; 2.3 */
    double e_max_deg; /* half the diagonal from the gaze, and beyond; above 0, at most 360; 100 */
    double f_max_cpd; /* frequency that is put at Nyquist, above 0, at most 1000; 30 */
    uint32_t fragment_px; /* side of a fragment, 4..128; 32 */
    enum fovea_filter_length filter_length;
};

/* Sensitivity of a real view. Contrast threshold: Geisler and Perry 1998. */
struct fovea_physical {
    double ct0; /* as in struct fovea_paper, 1e-6..0.9; 1/64 */
    double alpha; /* 0.005..10; 0.106. ln(1 / ct0) / alpha, the cutoff at the gaze: 0.1..1000 cpd */
    double e2_deg; /* 0.1..100; 2.3 */
};

#define FOVEA_CURVE_MAX 32

/* Cutoff over eccentricity, linear between the points, constant outside them. */
struct fovea_curve {
    uint32_t count; /* 1..FOVEA_CURVE_MAX */
    double eccentricity_deg[FOVEA_CURVE_MAX]; /* rising, 0..180 */
    double cutoff_cpd[FOVEA_CURVE_MAX]; /* 0.01..1000 */
};

/* The view: a flat picture before one eye. The first that is given counts: the projection, pixels per
 * degree, screen and distance. Without a projection the eye looks at the picture's middle. */
struct fovea_geometry {
    /* Tangents of the angles from the view axis to the picture's edges, left and down positive to the
     * left and down: an asymmetric frustum. -100..100, width and height at least 0.001. All 0: not
     * given; a single 0 is refused as forgotten, 1e-9 is an edge on the view axis. */
    double tan_left;
    double tan_right;
    double tan_up;
    double tan_down;
    double ppd; /* pixels per degree on the view axis, 1..1000; 0: not given */
    double screen_width_m; /* of the picture, 0.01..100; 0.53 (a 24 inch screen) */
    double distance_m; /* 0.01..100, at least 1/200 of the width; 0.6 */
};

/* Where the samples of a map come from. */
enum fovea_map_kind {
    FOVEA_MAP_HUMAN = 0, /* midget ganglion cells, Watson 2014: nasal and temporal sides differ */
    FOVEA_MAP_STREAK = 1, /* a horizontal visual streak, as animals of open country have it */
    FOVEA_MAP_FILE = 2, /* a PNG picture, 8 or 16 bits: white is where most is resolved */
    FOVEA_MAP_ARRAY = 3, /* values of the program's own */
};

/* From a sample to the cutoff. */
enum fovea_map_law {
    /* samples are densities of cells; the cutoff goes with their square root, from cutoff_cpd at the
     * largest */
    FOVEA_MAP_LAW_SQRT = 0,
    /* as the published program: the smallest sample counts as e_max_deg of eccentricity, the largest as
     * 0, linear between them; the cutoff by struct fovea_paper */
    FOVEA_MAP_LAW_LINEAR = 1,
};

/* Where on the image a degree of the map lies. */
enum fovea_map_degrees {
    FOVEA_MAP_DEGREES_PAPER =
        0, /* half the image's diagonal is paper.e_max_deg, Nyquist f_max_cpd */
    FOVEA_MAP_DEGREES_VIEW = 1, /* by struct fovea_geometry: a real view */
};

enum fovea_map_eye {
    FOVEA_MAP_EYE_BOTH = 0, /* at every place the better of the two */
    FOVEA_MAP_EYE_LEFT = 1,
    FOVEA_MAP_EYE_RIGHT = 2,
};

/* How much is resolved around the gaze, in any direction. The map's middle lies at the gaze and moves
 * with it; sample i of w lies (i - (w - 1) / 2) width_deg / w degrees to the right, and down likewise.
 * Between samples it is linear; from the outermost it goes to the smallest within one sample more, which
 * counts as far as there is anything. */
struct fovea_map {
    enum fovea_map_kind kind;
    enum fovea_map_law law;
    enum fovea_map_degrees degrees;
    enum fovea_map_eye eye; /* of the human map, in the visual field as the image shows it; both */
    double width_deg; /* that the width of a file or array spans; samples are square; 1..720; 200 */
    /* At the largest sample, law sqrt only; 0.1..1000, or 0: 65.4 for the human map, else
     * paper.f_max_cpd; 0 */
    double cutoff_cpd;
    /* Samples below this part of the largest count as it, law sqrt only; 1e-6..1; 0.0001 */
    double floor;
    /* Kind file: colours count by their luma, transparency does not; read when a call takes the
     * settings, or before that with settings that fovea_config_poll brings; relative to the configuration
     * file that names it. */
    char file[FOVEA_PATH_MAX];
    /* Kind array: rows from the top without gaps, finite, not negative, not all 0, and not all the same
     * with the linear law; 2..4096 each way, as files. Copied by the call that takes the settings. */
    const float *values;
    uint32_t width;
    uint32_t height;
    uint64_t serial; /* 0; Fovea tells its own copies apart by it */
    struct fovea_map_ready *ready; /* NULL; what Fovea has made of its own copy */
};

#define FOVEA_DISPLAY_MAX 1024

/* What the picture is shown on, as far as its light depends on it. One curve for all colours. */
struct fovea_display {
    double gamma; /* light is the stored value, 0 to 1, to this power; 1..3, or 0: 2.2; 2.2 */
    /* Luminance of the screen at stored values that lie equally far apart, the first 0, the last white: in any
     * unit, not falling, the last above the first, linear between them. What black gives off changes no average. */
    uint32_t table_count; /* 2..FOVEA_DISPLAY_MAX; 0: none; 0 */
    float table[FOVEA_DISPLAY_MAX];
    /* Of a display of HLG, whose system gamma follows from it: 1.2 + 0.42 log10(peak / 1000) from 400 to 2000
     * (ITU-R BT.2100), 1.2 * 1.111^log2(peak / 1000) beyond (ITU-R BT.2390). 100..10000, or 0: 1000; 1000 */
    double hlg_peak_cd_m2;
};

struct fovea_foveation {
    enum fovea_model model;
    enum fovea_method method;
    enum fovea_light light;
    enum fovea_transfer transfer; /* of the images; where they are averaged as light */
    struct fovea_display display;
    double strength; /* multiplies sigma; 0..8, 0 leaves the image as it is; 1 */
    /* What a Gaussian leaves of the amplitude at the cutoff, 0.01..0.99: sigma = sqrt(-2 ln gain) / (2 pi
     * cutoff) = kappa / cutoff; exp(-1/2) = 0.6065 as in the paper. Where the cutoff is between a half and a
     * quarter of a cycle a pixel the smooth method takes 2 (sigma - 2 kappa), so that sigma begins at 0, and
     * more is left: fovea_gain_map says how much. */
    double cutoff_gain;
    enum fovea_alpha alpha;
    struct fovea_paper paper;
    struct fovea_physical physical;
    struct fovea_curve curve;
    struct fovea_map map;
    struct fovea_geometry geometry;
};

enum fovea_gaze_kind {
    FOVEA_GAZE_FIXED = 0, /* gaze.fixed, for ever */
    FOVEA_GAZE_MOUSE = 1, /* what the program pushes: the pointer, or any tracker it reads itself */
    FOVEA_GAZE_SCANPATH = 2, /* a CSV file with t, x, y[, confidence] */
    FOVEA_GAZE_SACCADES = 3, /* a deterministic generator: fixations, saccades, blinks */
    FOVEA_GAZE_UDP = 4, /* JSON datagrams */
};

/* In what the numbers of a source are given. */
enum fovea_gaze_space {
    FOVEA_GAZE_SPACE_UV = 0, /* 0..1 over the image */
    FOVEA_GAZE_SPACE_NDC = 1, /* -1..1 over the image */
    FOVEA_GAZE_SPACE_PIXELS = 2, /* pixels of gaze.screen_px, or of the image where that is 0 */
};

enum fovea_gaze_origin {
    FOVEA_GAZE_ORIGIN_TOP_LEFT = 0,
    FOVEA_GAZE_ORIGIN_BOTTOM_LEFT = 1,
    FOVEA_GAZE_ORIGIN_CENTER = 2, /* y up, as in psychophysics software */
};

/* Where the gaze goes when a source has been lost for longer than hold_ms. */
enum fovea_gaze_fallback {
    FOVEA_GAZE_FALLBACK_CENTER = 0,
    FOVEA_GAZE_FALLBACK_LAST = 1, /* stays at the last valid sample */
    FOVEA_GAZE_FALLBACK_NONE = 2, /* no gaze: frames pass through unfoveated */
};

struct fovea_point_uv {
    double x_uv;
    double y_uv;
};

struct fovea_gaze_settings {
    enum fovea_gaze_kind kind;
    enum fovea_gaze_space space;
    enum fovea_gaze_origin origin;
    uint32_t screen_px[2]; /* width, height that FOVEA_GAZE_SPACE_PIXELS refers to; 0: the image */
    struct fovea_point_uv fixed; /* in `space`, `origin` like every source; 0.5, 0.5 */

    char scanpath_file[FOVEA_PATH_MAX]; /* relative to the configuration file that names it */
    bool scanpath_loop; /* start again at the end, else the last sample goes stale; true */

    uint64_t saccades_seed;
    double saccades_fixation_ms; /* median duration of a fixation, 50..5000; 300 */
    double saccades_amplitude_deg; /* median amplitude; 0.1..60; 5 */
    double saccades_width_deg; /* visual angle of the image's width, 1..170; 47.7, the
                                  default geometry's */
    double saccades_blinks_per_minute; /* 0..120; 12 */

    char udp_bind[FOVEA_NAME_MAX]; /* numeric address; "127.0.0.1" */
    uint16_t udp_port; /* 0 lets the system choose; 5005 */

    double min_confidence; /* samples below are not valid, 0..1; 0.5 */
    double hold_ms; /* how long the last valid sample stands in for missing ones, 0..60000; 600 */
    double return_ms; /* how long the way to the fallback takes, 0..10000; 150 */
    enum fovea_gaze_fallback fallback;
    /* Frames of Vulkan programs take the newest sample when the GPU starts on them instead of the one
     * they were submitted with: see fovea_vk_follow_gaze. Not for replays; false */
    bool late;
};

/* What is drawn over the foveated image to see what it does. All off by default. */
struct fovea_overlay {
    bool marker; /* cross and ring at the gaze */
    bool rings; /* circles of 2, 5, 10 and 20 degrees of eccentricity by the model's own mapping */
    bool heatmap; /* sigma as colours over the image */
    bool hud; /* text: backend, device, times, gaze */
    double wipe_uv; /* the image left of this x is shown as the engine drew it, 0..1; 0 */
};

/* Keys of the Vulkan layer: up to four names of X11 with + between them that are held together, while no
 * modifier of another kind is (either Shift may be with a Shift); "" for none. No two may be the same. */
struct fovea_layer_keys {
    char help[FOVEA_NAME_MAX]; /* list of the keys off and on; "Shift_R+F1" */
    char toggle[FOVEA_NAME_MAX]; /* foveation off and on; "Shift_R+F2" */
    char hud[FOVEA_NAME_MAX]; /* HUD off and on; "Shift_R+F3" */
    char compare[FOVEA_NAME_MAX]; /* while held, the picture as the program drew it; "Shift_R+F4" */
    char rings[FOVEA_NAME_MAX]; /* rings of eccentricity off and on; "Shift_R+F5" */
    char marker[FOVEA_NAME_MAX]; /* marker at the gaze off and on; "Shift_R+F6" */
    char wipe[FOVEA_NAME_MAX]; /* split screen at the pointer off and on; "Shift_R+F7" */
    char heatmap[FOVEA_NAME_MAX]; /* heat map off and on; "Shift_R+F8" */
    char stronger[FOVEA_NAME_MAX]; /* more blur; "Shift_R+Page_Up" */
    char weaker[FOVEA_NAME_MAX]; /* less blur; "Shift_R+Page_Down" */
    char model[FOVEA_NAME_MAX]; /* the published model and back; "Shift_R+Insert" */
    char reload[FOVEA_NAME_MAX]; /* read the configuration again; "Shift_R+End" */
};

/* Of the Vulkan layer alone; other programs do without. */
struct fovea_layer_settings {
    struct fovea_layer_keys keys;
    /* Kernels see the images of swapchains that are made from now on where they are, if the device lets
     * them; false: vkCmdCopyImage copies them. true */
    bool direct;
};

/* Whose CUDA context frames of Vulkan images are foveated in (fovea_vulkan.h). A kernel that goes wrong ends the
 * context that it runs in, for everybody who uses that. Pictures in CUDA memory are always foveated in the primary
 * context (see below), whatever this says. */
enum fovea_cuda_context {
    /* The device's primary one, which CUDA's runtime and most libraries use. It takes memory once however
     * many use it, and kernels of all of them may run at a time. */
    FOVEA_CUDA_CONTEXT_SHARED = 0,
    /* One of Fovea's own: some hundred megabytes more where the program uses CUDA too, whose work and
     * Fovea's then take turns on the device; but neither's errors reach the other. */
    FOVEA_CUDA_CONTEXT_OWN = 1,
};

struct fovea_settings {
    enum fovea_backend backend;
    enum fovea_measure backend_measure; /* where backend is AUTO */
    enum fovea_cuda_context cuda_context; /* SHARED; under the Vulkan layer OWN */
    struct fovea_foveation foveation;
    struct fovea_gaze_settings gaze;
    struct fovea_overlay overlay;
    struct fovea_layer_settings layer;
    uint32_t cpu_threads; /* of the cpu backend, 0..256; 0: one for each core */
    /* A frame that the peer of shared images keeps longer is cut loose, 10..60000; 1000. Threads of the
     * cpu backend get ten times as long. */
    double watchdog_ms;
    enum fovea_log_level log_level;
};

/* The defaults, the only place where they are written. config/default.json says the same. */
FOVEA_API struct fovea_settings fovea_settings_default(void);

/* FOVEA_OK, or FOVEA_ERROR_INVALID_ARGUMENT with a message that names the setting as the
 * configuration file does ("foveation.paper.fragment_px is 3; it must be 4 to 128"). Any thread. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_check(
    const struct fovea_settings *settings, struct fovea_log log);

/* ---- Configuration files ---------------------------------------------------------------------- */

/* Settings as a person gives them, later wins: defaults; /etc/fovea/fovea.json;
 * $XDG_CONFIG_HOME/fovea/fovea.json or ~/.config/fovea/fovea.json; ./fovea.json; or, instead of all
 * these files, the one that `file` or the environment variable FOVEA_CONFIG names; then the entry of
 * the file's "apps" that matches program_name; then FOVEA_SET="key.path=value,..."; then `sets`.
 * config/schema.json describes the files. */
struct fovea_config_desc {
    const char *file; /* this file and no other; NULL: search */
    const char *const *sets; /* "key.path=value" each, the value in JSON or a bare word */
    size_t set_count;
    const char *program_name; /* for "apps"; NULL: the running program's name */
    bool ignore_environment; /* FOVEA_CONFIG and FOVEA_SET do not count: for tests and tools */
    bool watch; /* look at the files again for fovea_config_poll; true */
    /* What is wrong in the files or overrides is said in the log, and `defaults` are in force until it is
     * mended: fovea_config_create does not fail for it. false */
    bool defaults_if_wrong;
    const struct fovea_settings
        *defaults; /* of this program; NULL: fovea_settings_default. Copied */
    struct fovea_log log;
};

struct fovea_config;

FOVEA_API struct fovea_config_desc fovea_config_desc_default(void);

/* Reads the files and the overrides. FOVEA_ERROR_CONFIG: something is wrong in one of them, named in
 * the log with file, line, column, key and what was expected. FOVEA_ERROR_IO: a named file cannot be
 * read. Either way nothing was applied and *out_config is NULL. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_config_create(
    const struct fovea_config_desc *desc, struct fovea_config **out_config);
/* Ends the thread that fovea_config_poll has started. Where that hangs in a file system it is left to end
 * by itself after half a second, and calls nobody any more. */
FOVEA_API void fovea_config_destroy(struct fovea_config **config);

/* The settings in force. The pointer stays valid and its contents stay the same until the next
 * fovea_config_poll or fovea_config_destroy. */
FOVEA_API const struct fovea_settings *fovea_config_settings(const struct fovea_config *config);

/* Cheap enough for every frame: it waits for nothing and takes no lock. A thread of Fovea's looks at the
 * files five times a second, for as long as this is called, and reads what has changed; the first call
 * starts it. A file system that does not answer delays news and nothing else.
 * FOVEA_OK: the files changed and new settings are in force. FOVEA_NOT_READY: nothing changed.
 * FOVEA_ERROR_CONFIG, FOVEA_ERROR_IO, FOVEA_ERROR_OUT_OF_MEMORY: they changed and are wrong or gone,
 * or could not be taken; the last good settings stay in force. Said once for each change, which is
 * taken when two looks in a row find the same, so that nobody is in the middle of writing. Messages about
 * it come during this call. The picture of a map is read and decoded with them.
 * After fork the child has no such thread: there nothing changes any more. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_config_poll(struct fovea_config *config);

/* The files are read again, changed or not, and a later fovea_config_poll says how that went. Returns at
 * once. FOVEA_ERROR_INVALID_STATE: they are not watched. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_config_reload(struct fovea_config *config);

/* ---- Gaze ------------------------------------------------------------------------------------- */

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
    FOVEA_GAZE_HELD = 1, /* no valid sample (blink, low confidence, silence): the last one holds */
    FOVEA_GAZE_LOST = 2, /* longer than hold_ms: the gaze is at the fallback, or on its way there */
};

/* What a frame is foveated with. */
struct fovea_gaze {
    struct fovea_point_uv point;
    enum fovea_gaze_state state;
    bool usable; /* false: there is no gaze (fallback none); point is the centre */
    int64_t age_ns; /* from the sample behind point to the time asked for; 0 where there is none */
    double rate_hz; /* of samples that arrived in the last second; 0 for sources without a rate */
    uint64_t sample_count; /* taken in since the source was opened */
    uint64_t rejected_count; /* not understood, not finite, out of order or of the future */
};

struct fovea_gaze_source;

/* Opens the source that settings->kind names. The udp source starts a thread. FOVEA_ERROR_IO: a file
 * or socket cannot be opened. FOVEA_ERROR_CONFIG: a scanpath has a wrong line, named in the log. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_create(
    const struct fovea_gaze_settings *settings, struct fovea_log log,
    struct fovea_gaze_source **out_source);
FOVEA_API void fovea_gaze_source_destroy(struct fovea_gaze_source **source);

/* The name of a kind as the configuration spells it: "fixed", "mouse", ... Never NULL. */
FOVEA_API const char *fovea_gaze_kind_name(enum fovea_gaze_kind kind);

/* The UDP port the source listens on; 0 for other kinds. */
FOVEA_API uint16_t fovea_gaze_source_udp_port(const struct fovea_gaze_source *source);

/* Gives a sample to a mouse source, from any thread, while others read. FOVEA_ERROR_INVALID_STATE
 * for other kinds. Not finite, confidence outside 0..1, older than the newest, or
 * stamped more than 20 ms later than now: FOVEA_ERROR_INVALID_ARGUMENT, counted. A gaze that rests must
 * be pushed too: silence is loss. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_push(
    struct fovea_gaze_source *source, const struct fovea_gaze_sample *sample);

/* The gaze at t_ns, for an image of that size in pixels. Takes no lock, waits for nothing, allocates
 * nothing. The scanpath and saccades sources start at the first t_ns they are asked for and give the
 * same answers for the same times in the same order. Mouse and udp sources may be read from several
 * threads at once. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gaze_source_read(
    struct fovea_gaze_source *source, int64_t t_ns, uint32_t width_px, uint32_t height_px,
    struct fovea_gaze *out_gaze);

/* ---- Images in host or CUDA memory ------------------------------------------------------------ */

/* NaN and infinity in the formats of floats stay in their channel and spread as far as the blur sees: blockwise as
 * the filters of the fragments reach; smooth 4.2 sigma (6.5 in light that is not sRGB's), and up to 4 (2^k - 1) px
 * more where the result is made from the picture of 1/2^k the size. That sigma is of the result's own pixel, except
 * in the tiles of the vulkan backend: there it is the largest that there can be within 19 px of all pixels that are
 * made together, 32 x 16 from the picture itself, 32 x 32 from half its size, 64 x 64 from less; and 3 * 2^k px come
 * on top for the way back to full size. */
enum fovea_format {
    FOVEA_FORMAT_NONE = 0,
    FOVEA_FORMAT_RGBA8 = 1, /* also BGRA8: but for HLG the order of the colours does not matter */
    FOVEA_FORMAT_RGB8 = 2,
    FOVEA_FORMAT_R8 = 3,
    FOVEA_FORMAT_A2B10G10R10 = 4, /* one 32-bit word, alpha in the two highest bits */
    FOVEA_FORMAT_B10G11R11F = 5, /* one 32-bit word of unsigned floats */
    FOVEA_FORMAT_RGBA16F = 6,
    FOVEA_FORMAT_RGBA32F = 7,
};

enum fovea_memory {
    FOVEA_MEMORY_HOST = 0,
    /* A device pointer of the device the context was made for: managed, or of its primary context (CUDA's
     * runtime, cuDevicePrimaryCtxRetain). Memory of a context that the program has made itself (cuCtxCreate)
     * is out of reach of kernels in another one, and refused. */
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

struct fovea_context_desc {
    /* NULL: the defaults. backend auto is cuda for images in CUDA memory and cpu for images in host
     * memory */
    const struct fovea_settings *settings;
    int cuda_device; /* ordinal, as CUDA_VISIBLE_DEVICES leaves them; 0 */
    struct fovea_log log;
};

/* Foveates images of host or CUDA memory. Keeps what depends on size and settings, for the last few
 * sizes, so that a frame of a known size and format allocates nothing. One thread at a time.
 *
 * Shared with the program's own CUDA: the driver library, which is opened once and never closed; the device's
 * primary context, retained from the first image in CUDA memory (or from fovea_context_create where the settings
 * name cuda) until fovea_context_destroy, its flags and limits left alone; its memory. On no thread is the
 * current context another one after a call than before. Fovea's are a stream and a memory pool of its own for
 * tables (batches use cuMemAlloc), events, and modules, which are loaded when the context is retained; the
 * default pool, and the runtime's last error, are not touched. An error that ends the context (an address out of
 * bounds in anybody's kernel, FOVEA_ERROR_DEVICE_LOST here) ends it for the program and for Fovea alike. */
struct fovea_context;

FOVEA_API struct fovea_context_desc fovea_context_desc_default(void);

/* FOVEA_ERROR_UNSUPPORTED: the backend the settings name is not there (no CUDA in this build, no
 * driver; vulkan is for fovea_vulkan.h). A map's file is read here: FOVEA_ERROR_IO where it cannot be,
 * FOVEA_ERROR_CONFIG where it is no map. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_create(
    const struct fovea_context_desc *desc, struct fovea_context **out_context);
FOVEA_API void fovea_context_destroy(struct fovea_context **context);

/* New settings for the frames after this call; only foveation and cpu_threads count. Reads a map's file
 * again where it has changed, with the results of fovea_context_create. On failure the old ones stay in
 * force. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_set_foveation(
    struct fovea_context *context, const struct fovea_foveation *foveation);

/* Foveates src around gaze into dst, which has the same size, format and memory and must not overlap
 * src. gaze is rounded to 1/256 px. Host images: returns when dst is written. CUDA images: enqueues
 * on cuda_stream (a CUstream or cudaStream_t; NULL: the legacy default stream) and returns without
 * waiting. A gaze that is not finite: FOVEA_ERROR_INVALID_ARGUMENT. On failure dst is not written. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_run(struct fovea_context *context,
                                                               const struct fovea_image *src,
                                                               const struct fovea_image *dst,
                                                               struct fovea_point_uv gaze,
                                                               void *cuda_stream);

/* Images of one size and format, each with a gaze of its own: what the agents of a simulation see in a
 * step; or the two halves of a stereo image, whose strides from image to image are half a row. */
struct fovea_batch {
    uint32_t count; /* 1..65535 */
    struct fovea_image src; /* the first */
    struct fovea_image dst;
    /* From an image to the next, negative too; any where count is 1. src 0: one picture for all gazes,
     * which costs less than as many. */
    ptrdiff_t src_next_bytes;
    ptrdiff_t dst_next_bytes;
    /* x and y in uv for each image, aligned to a float. In CUDA memory only for CUDA images. */
    const float *gazes_uv;
    enum fovea_memory gazes_memory;
};

/* fovea_context_run for all of them in one go, bit for bit the same. Images of dst must not overlap each
 * other or src, but their rows may interleave; images of src may overlap each other. Where the images of
 * src and dst lie among each other with different distances from image to image, no more than 65536 pairs
 * of one of src and one of dst are looked at (256 images; 65535 where src is one picture): more of them are
 * FOVEA_ERROR_INVALID_ARGUMENT, though they may be apart. Gazes in host memory
 * are copied before it returns, and one that is not finite is FOVEA_ERROR_INVALID_ARGUMENT; gazes in CUDA
 * memory are read on the stream, and an image whose gaze is not finite is copied as it is.
 *
 * Memory is taken by the first batch that needs more than those before it, and kept; on the device for the
 * next power of two of images, and taking more may wait for all that the device has to do: 8 bytes an image on
 * the device, and for the smooth method about 11 bytes a pixel (22 of RGBA32F; 22 on the cpu) for as many
 * images as fit in 256 MiB (1.5 MiB a thread on the cpu), at least one. The others of a batch come after
 * those, on the same stream. FOVEA_ERROR_OUT_OF_MEMORY: nothing was done, and smaller batches still work. On other
 * failures of the device some images may have been written. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_context_run_batch(
    struct fovea_context *context, const struct fovea_batch *batch, void *cuda_stream);

/* What the settings do to an image of that size with that gaze: sigma in pixels for every pixel, in
 * rows without gaps; 0 where the image is left as it is. Any thread; allocates, and reads map.file: one
 * without an end within FOVEA_PATH_MAX is FOVEA_ERROR_INVALID_ARGUMENT, as in all settings. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_sigma_map(
    const struct fovea_foveation *foveation, uint32_t width_px, uint32_t height_px,
    struct fovea_point_uv gaze, float *out_sigma_px);

/* How many pixels from the gaze these settings put an eccentricity, in a direction in the image: 0 degrees
 * are to the right, 90 down. For drawing rings, which are no circles where the eccentricity is the angle
 * between rays (models with a view) and the gaze is off the view axis. Negative where there is no such
 * place, and where the arguments are out of range. Any thread; allocates nothing. */
FOVEA_API double fovea_eccentricity_px(const struct fovea_foveation *foveation, uint32_t width_px,
                                       uint32_t height_px, struct fovea_point_uv gaze,
                                       double direction_deg, double eccentricity_deg);

/* What a paper states of these settings, for every pixel as fovea_sigma_map has it, by the same rules.
 *
 * Eccentricity in degrees: the angle between the pixel's ray and the gaze's, or for models without a view
 * the share of half the diagonal, at most 1, of e_max_deg. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_eccentricity_map(
    const struct fovea_foveation *foveation, uint32_t width_px, uint32_t height_px,
    struct fovea_point_uv gaze, float *out_deg);

/* The law's cutoff in cycles a degree, before the method has its way: ramp, strength and fragments are not
 * in it. It may lie beyond what the pixels show. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_cutoff_map(
    const struct fovea_foveation *foveation, uint32_t width_px, uint32_t height_px,
    struct fovea_point_uv gaze, float *out_cpd);

/* What is left of the amplitude of a grating, 0..1: the transfer function of the weights that the pixel is
 * averaged with, all settings included. The grating has `cycles_per_deg` at the pixel and varies in a
 * direction of the image, 0 degrees to the right, 90 down; pixels show none such
 * from half a cycle a pixel on. A frequency that is negative or not finite is FOVEA_ERROR_INVALID_ARGUMENT. */
struct fovea_grating {
    double cycles_per_deg;
    double direction_deg;
};
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_gain_map(const struct fovea_foveation *foveation,
                                                            uint32_t width_px, uint32_t height_px,
                                                            struct fovea_point_uv gaze,
                                                            const struct fovea_grating *grating,
                                                            float *out_gain);

/* The name of a backend as the configuration spells it: "auto", "cuda", "vulkan", "cpu". */
FOVEA_API const char *fovea_backend_name(enum fovea_backend backend);

#ifdef __cplusplus
}
#endif

#endif
