/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings as the library has them: a struct with a member for each. Programs see struct
 * fovea_settings as an opaque object and its members by their paths (fovea_settings.h), so that
 * members may come, go and move from version to version. key.c has the path, range and help of
 * each. */
#pragma once

#include "fovea.h"

#define FOVEA_PATH_MAX 1024
#define FOVEA_NAME_MAX 64
#define FOVEA_COLUMNS_MAX 256

/* How auto finds the cheapest backend for Vulkan images where there is more than one. Measuring is
 * a part of fovea_vk_create, a few frames of no engine's on the given queue: about 0.1 s of them,
 * besides what making kernels and plans takes. A result counts for the device, its driver, this
 * version of Fovea and the settings of foveation; it is kept in the process and in
 * $XDG_CACHE_HOME/fovea (or ~/.cache/fovea). */
enum fovea_measure {
    FOVEA_MEASURE_CACHED = 0, /* once, and again after 30 days */
    FOVEA_MEASURE_ALWAYS = 1, /* each time that a context is made */
    /* Not at all: cuda, then vulkan, then cpu, the first that the device has; cpu before vulkan
     * where the Vulkan device is itself a CPU. So it is too where measuring fails. */
    FOVEA_MEASURE_NEVER = 2,
};

/* The law from place to blur: what spatial frequency is still resolved how far from the gaze. */
enum fovea_model {
    /* Malkin, Deza and Poggio 2020: the picture's half diagonal spans e_max_deg, whatever its
     * size */
    FOVEA_MODEL_PAPER = 0,
    /* Geisler and Perry 1998 with the eccentricity of a real view (struct fovea_geometry) */
    FOVEA_MODEL_PHYSICAL = 1,
    /* a table of eccentricity and cutoff, with the eccentricity of a real view */
    FOVEA_MODEL_CURVE = 2,
    /* a two-dimensional map around the gaze (struct fovea_map) */
    FOVEA_MODEL_MAP = 3,
    /* resolution as a share of the picture's own, by its own size (struct fovea_relative) */
    FOVEA_MODEL_RELATIVE = 4,
};

/* How the law is applied. */
enum fovea_method {
    FOVEA_METHOD_BLOCKWISE = 0, /* one Gaussian a fragment, the grid centred on the gaze */
    FOVEA_METHOD_SMOOTH = 1, /* every pixel its own Gaussian */
};

/* In what the pixels of UNORM formats are averaged. Float formats hold light and are averaged as
 * they are. */
enum fovea_light {
    /* encoded for the blockwise method, which is the paper's; else linear */
    FOVEA_LIGHT_AUTO = 0,
    FOVEA_LIGHT_ENCODED = 1, /* the stored values */
    FOVEA_LIGHT_LINEAR = 2, /* light, by the image's transfer function */
    /* Light of a screen that is not as sRGB says, by its own curve in struct fovea_display. Images
     * of PQ and HLG have theirs, as with LINEAR. */
    FOVEA_LIGHT_GAMMA = 3,
    FOVEA_LIGHT_TABLE = 4,
};

/* How many taps a Gaussian of sigma pixels has. */
enum fovea_filter_length {
    /* the published program: 1 + 2 sqrt(-2 sigma^2 ln 0.005), odd */
    FOVEA_FILTER_LENGTH_CODE = 0,
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
    /* 0.005..10; 0.106. ln(1 / ct0) / alpha, the cutoff at the gaze: 0.1..1000 cpd */
    double alpha;
    double e2_deg; /* 0.1..100; 2.3 */
};

/* Resolution in the picture's own terms, whatever its size and whoever looks at it. Both are parts
 * of half the picture's shorter side. */
struct fovea_relative {
    double sharp; /* up to there from the gaze all of it is left, 0..100; 0.25 */
    double halving; /* one half is left so far beyond, a third twice as far; 0.001..100; 0.25 */
};

#define FOVEA_CURVE_MAX 32

/* Cutoff over eccentricity, linear between the points, constant outside them. */
struct fovea_curve {
    uint32_t count; /* 1..FOVEA_CURVE_MAX */
    double eccentricity_deg[FOVEA_CURVE_MAX]; /* rising, 0..180 */
    double cutoff_cpd[FOVEA_CURVE_MAX]; /* 0.01..1000 */
};

/* The source of a map's samples. */
enum fovea_map_kind {
    FOVEA_MAP_HUMAN = 0, /* midget ganglion cells, Watson 2014: nasal and temporal sides differ */
    FOVEA_MAP_STREAK = 1, /* a horizontal visual streak, as animals of open country have it */
    FOVEA_MAP_FILE = 2, /* a PNG picture, 8 or 16 bits: white is where most is resolved */
    FOVEA_MAP_ARRAY = 3, /* values of the program's own */
    FOVEA_MAP_KANGAROO = 4, /* a broad streak and an area in its middle */
    FOVEA_MAP_HAWK = 5, /* a streak and two foveas, the second one towards the beak */
    FOVEA_MAP_DOG = 6, /* a streak and an area, of a dog with a long nose */
};

/* The way from a sample to the cutoff. */
enum fovea_map_law {
    /* samples are densities of cells; the cutoff goes with their square root, from cutoff_cpd at
     * the largest */
    FOVEA_MAP_LAW_SQRT = 0,
    /* as the published program: the smallest sample counts as e_max_deg of eccentricity, the
     * largest as 0, linear between them; the cutoff by struct fovea_paper */
    FOVEA_MAP_LAW_LINEAR = 1,
};

/* How a degree of the map becomes a place on the image. */
enum fovea_map_degrees {
    FOVEA_MAP_DEGREES_PAPER =
        0, /* half the image's diagonal is paper.e_max_deg, Nyquist f_max_cpd */
    FOVEA_MAP_DEGREES_VIEW = 1, /* by struct fovea_geometry: a real view */
};

/* How much is resolved around the gaze, in any direction. The map's middle lies at the gaze and
 * moves with it; sample i of w lies (i - (w - 1) / 2) width_deg / w degrees to the right, and down
 * likewise. Between samples it is linear; from the outermost it goes to the smallest within one
 * sample more, which counts as far as there is anything. */
struct fovea_map {
    enum fovea_map_kind kind;
    enum fovea_map_law law;
    enum fovea_map_degrees degrees;
    /* of the human map, in the visual field as the image shows it; both */
    enum fovea_map_eye eye;
    /* that the width of a file or array spans; samples are square; 1..720; 200 */
    double width_deg;
    /* At the largest sample, law sqrt only; 0.1..1000, or 0: 65.4 for the human map, else
     * paper.f_max_cpd; 0 */
    double cutoff_cpd;
    /* Samples below this part of the largest count as it, law sqrt only; 1e-6..1; 0.0001 */
    double floor;
    /* Kind file: colours count by their luma, transparency does not; read when a call takes the
     * settings, or before that with settings that fovea_config_poll brings; relative to the
     * configuration file that names it. */
    char file[FOVEA_PATH_MAX];
    /* Kind array: rows from the top without gaps, finite, not negative, not all 0, and not all the
     * same with the linear law; 2..4096 each way, as files. The struct borrows them, and each set
     * of samples has one owner. Those that a program gives belong to the object that it gave them
     * to (own_values) and are copied by the call that takes the settings; the copy belongs to what
     * the context keeps beside the settings that were taken, and lasts as long as they do. Plans
     * point to none: they keep what is ready of them. */
    const float *values;
    uint32_t width;
    uint32_t height;
    uint64_t serial; /* 0; Fovea tells its own copies apart by it */
    struct fovea_map_ready *ready; /* NULL; what Fovea has made of its own copy */
    /* A struct fovea_settings of fovea_settings_create, or a struct fovea_config, holds this, owns
     * it and frees; a copy of the struct by value does not. NULL in settings that were taken. */
    float *own_values;
};

#define FOVEA_DISPLAY_MAX 1024

/* The display of the picture, as far as light depends on it. One curve serves all colours. */
struct fovea_display {
    double gamma; /* light is the stored value, 0 to 1, to this power; 1..3, or 0: 2.2; 2.2 */
    /* Luminance of the screen at stored values that lie equally far apart, the first 0, the last
     * white: in any unit, not falling, the last above the first, linear between them. What black
     * gives off changes no average. */
    uint32_t table_count; /* 2..FOVEA_DISPLAY_MAX; 0: none; 0 */
    float table[FOVEA_DISPLAY_MAX];
    /* The peak of a display of HLG, whose system gamma follows from it: 1.2 + 0.42 log10(peak /
     * 1000) from 400 to 2000 (ITU-R BT.2100), 1.2 * 1.111^log2(peak / 1000) beyond (ITU-R BT.2390).
     * 100..10000, or 0: 1000; 1000 */
    double hlg_peak_cd_m2;
};

struct fovea_foveation {
    enum fovea_model model;
    enum fovea_method method;
    enum fovea_light light;
    enum fovea_transfer transfer; /* of the images; where they are averaged as light */
    struct fovea_display display;
    double strength; /* multiplies sigma; 0..8, 0 leaves the image as it is; 1 */
    /* A Gaussian leaves that much of the amplitude at the cutoff, 0.01..0.99: sigma = sqrt(-2 ln
     * gain) / (2 pi cutoff) = kappa / cutoff; exp(-1/2) = 0.6065 as in the paper. Where the cutoff
     * is between a half and a quarter of a cycle a pixel the smooth method takes 2 (sigma - 2
     * kappa), so that sigma begins at 0, and more is left: fovea_gain_map says how much. */
    double cutoff_gain;
    enum fovea_alpha alpha;
    struct fovea_paper paper;
    struct fovea_physical physical;
    struct fovea_curve curve;
    struct fovea_map map;
    struct fovea_geometry geometry;
    struct fovea_relative relative;
};

enum fovea_gaze_kind {
#define GAZE_SOURCE(kind, name) FOVEA_GAZE_##kind,
#include "gaze_sources.def"
#undef GAZE_SOURCE
};

/* In what the numbers of a source are given. */
enum fovea_gaze_space {
    FOVEA_GAZE_SPACE_UV = 0, /* 0..1 over the image */
    FOVEA_GAZE_SPACE_NDC = 1, /* -1..1 over the image */
    FOVEA_GAZE_SPACE_PIXELS = 2, /* pixels of gaze.screen_px, or of the image where that is 0 */
    FOVEA_GAZE_SPACE_DEGREES = 3, /* from the middle of a flat screen, gaze.screen_deg wide, high */
};

enum fovea_gaze_origin {
    FOVEA_GAZE_ORIGIN_TOP_LEFT = 0,
    FOVEA_GAZE_ORIGIN_BOTTOM_LEFT = 1,
    FOVEA_GAZE_ORIGIN_CENTER = 2, /* y up, as in psychophysics software */
};

/* The unit of the times in a recording. */
enum fovea_time_unit {
    FOVEA_TIME_UNIT_AUTO = 0, /* as the file says, which is refused if it does not */
    FOVEA_TIME_UNIT_S = 1,
    FOVEA_TIME_UNIT_MS = 2,
    FOVEA_TIME_UNIT_US = 3,
    FOVEA_TIME_UNIT_NS = 4,
};

/* This says whose positions count in a recording of two eyes. */
enum fovea_neon_transport {
    FOVEA_NEON_UDP = 0, /* datagrams */
    FOVEA_NEON_TCP = 1, /* the connection that asked for them */
};

enum fovea_gaze_eye {
    FOVEA_GAZE_EYE_BOTH = 0, /* the middle of the two, or the one that is seen */
    FOVEA_GAZE_EYE_LEFT = 1,
    FOVEA_GAZE_EYE_RIGHT = 2,
};

/* The gaze of a frame lies on one of these pictures: they differ where an operator such as lens
 * moves pixels after foveate has looked at the gaze. */
enum fovea_gaze_over {
    FOVEA_GAZE_OVER_DRAWN = 0, /* the one that foveate reads */
    FOVEA_GAZE_OVER_SHOWN = 1, /* the one that is presented, which a pointer lies on */
};

/* The contents of a datagram of the udp source. */
enum fovea_udp_format {
    FOVEA_UDP_JSON = 0,
    FOVEA_UDP_FLOATS = 1, /* x, y and perhaps confidence, 32 bits each, little-endian */
    FOVEA_UDP_DOUBLES = 2, /* 64 bits each */
    FOVEA_UDP_OPENTRACK = 3, /* six doubles; yaw and pitch in degrees count */
};

/* One of an Open Gaze server's points of gaze counts. */
enum fovea_opengaze_point {
    FOVEA_OPENGAZE_BEST = 0, /* of both eyes, or of the one that is seen */
    FOVEA_OPENGAZE_FIXATION = 1, /* filtered by the tracker, which delays it */
    FOVEA_OPENGAZE_LEFT = 2,
    FOVEA_OPENGAZE_RIGHT = 3,
};

/* The filter that smooths a sample on its way to a frame. */
enum fovea_gaze_smooth {
    FOVEA_GAZE_SMOOTH_NONE = 0,
    FOVEA_GAZE_SMOOTH_ONE_EURO = 1, /* Casiez, Roussel and Vogel 2012 */
    FOVEA_GAZE_SMOOTH_MEDIAN = 2, /* of the last samples, each axis */
};

/* The place of the gaze during a saccade. */
enum fovea_gaze_predict {
    FOVEA_GAZE_PREDICT_NONE = 0, /* where the sample says */
    FOVEA_GAZE_PREDICT_TAYLOR = 1, /* a short way ahead (Wang, Woods, Costela and Luo 2017) */
    FOVEA_GAZE_PREDICT_LANDING = 2, /* at the end of the leap (Dai and others 2016) */
};

/* The place of the gaze when a source has been lost for longer than hold_ms. */
enum fovea_gaze_fallback {
    FOVEA_GAZE_FALLBACK_CENTER = 0,
    FOVEA_GAZE_FALLBACK_LAST = 1, /* stays at the last valid sample */
    FOVEA_GAZE_FALLBACK_NONE = 2, /* no gaze: frames pass through unfoveated */
    FOVEA_GAZE_FALLBACK_SALIENCY = 3, /* on as the source saliency goes, from the last sample */
};

struct fovea_gaze_settings {
    enum fovea_gaze_kind kind;
    enum fovea_gaze_space space;
    enum fovea_gaze_origin origin;
    enum fovea_gaze_over over; /* frames of Vulkan programs alone; drawn, in the layer shown */
    /* width, height that FOVEA_GAZE_SPACE_PIXELS refers to; 0: the image */
    uint32_t screen_px[2];
    /* visual angles of the whole width, height that FOVEA_GAZE_SPACE_DEGREES refers to, below 180;
     * 0: not known */
    double screen_deg[2];
    struct fovea_point_uv fixed; /* in `space`, `origin` like every source; 0.5, 0.5 */

    char scanpath_file[FOVEA_PATH_MAX]; /* relative to the configuration file that names it */
    /* names, or numbers from 1, of the columns of time, x, y and perhaps confidence; "": by the
     * file's format */
    char scanpath_columns[FOVEA_COLUMNS_MAX];
    enum fovea_time_unit scanpath_time_unit;
    enum fovea_gaze_eye scanpath_eye;
    bool scanpath_loop; /* start again at the end, else the last sample goes stale; true */

    uint64_t saccades_seed;
    double saccades_fixation_ms; /* median duration of a fixation, 50..5000; 300 */
    double saccades_amplitude_deg; /* median amplitude; 0.1..60; 5 */
    double saccades_width_deg; /* visual angle of the image's width, 1..170; 47.7, the
                                  default geometry's */
    double saccades_blinks_per_minute; /* 0..120; 12 */

    uint64_t saliency_seed;
    double saliency_rate_hz; /* pictures that are looked at, at most; 0.1..120; 5 */
    uint32_t saliency_width_px; /* they are made so small; 64..320; 160 */
    double saliency_dwell_ms; /* median, 50..5000; 300 */
    double saliency_amplitude_deg; /* median where blobs are everywhere; 0.1..60; 4 */
    double saliency_width_deg; /* as saccades_width_deg */
    double saliency_inhibition_s; /* no return for so long, 0..10; 1.5 */
    double saliency_inhibition_deg; /* to within so much of a place, 0..60; 3 */
    double saliency_center_deg; /* spread of the preference for the middle; 0..180, 0: none; 15 */
    double saliency_motion; /* what counts a blob of what has changed; 0..10, 0: none is sought */
    uint32_t saliency_foveas; /* places that are sharp at once, the gaze and others; 1..4; 1 */

    char udp_bind[FOVEA_NAME_MAX]; /* numeric address; "127.0.0.1" */
    uint16_t udp_port; /* 0 lets the system choose; 5005 */
    enum fovea_udp_format udp_format;

    /* those that are not empty must all match; all empty: type Gaze. None has both ' and " */
    char lsl_name[FOVEA_COLUMNS_MAX];
    char lsl_type[FOVEA_NAME_MAX];
    char lsl_source_id[FOVEA_COLUMNS_MAX];
    /* labels, or numbers from 1, of x, y and perhaps confidence, or of x and y of both eyes before
     * it; "": those that docs/gaze.md lists */
    char lsl_channels[FOVEA_COLUMNS_MAX];

    char opengaze_address[FOVEA_NAME_MAX]; /* or a name; "127.0.0.1" */
    uint16_t opengaze_port; /* 1..65535; 4242 */
    enum fovea_opengaze_point opengaze_point;

    uint16_t osc_port; /* at udp_bind; 0 lets the system choose; 9000 */

    char pupil_address[FOVEA_NAME_MAX]; /* or a name; "127.0.0.1" */
    uint16_t pupil_port; /* of Pupil Remote, 1..65535; 50020 */
    char pupil_surface[FOVEA_NAME_MAX]; /* its name; "": any */

    char neon_address[FOVEA_NAME_MAX]; /* of the phone, or a name; "127.0.0.1" */
    uint16_t neon_port; /* of its RTSP server, 1..65535; 8086 */
    enum fovea_neon_transport neon_transport; /* udp */
    uint16_t neon_echo_port; /* TCP, of its time echo; 0: it is not asked, the default */
    double neon_closed_mm; /* lids no farther apart are closed, 0..20; 0: not looked at, default */

    enum fovea_gaze_eye filter_eye; /* whose place counts where a source has both; both */
    enum fovea_gaze_smooth filter_smooth; /* none */
    double filter_min_cutoff_hz; /* of one_euro while the eye rests, 0.001..1000; 1 */
    double filter_beta_per_deg; /* how much its cutoff rises with a degree a second, 0..100; 1 */
    double filter_derivative_cutoff_hz; /* of the speed that raises it, 0.001..1000; 1 */
    double filter_median_ms; /* how far back the median goes, 0..200; 20 */
    double filter_velocity_deg_s; /* faster is a saccade, 0..1000; 0: states are not told */
    double filter_velocity_ms; /* over how long the speed is measured, 0..100; 10 */
    bool filter_jump; /* a saccade is not smoothed, and the filter begins anew; true */
    enum fovea_gaze_predict filter_predict; /* needs filter_velocity_deg_s; none */
    double filter_predict_ms; /* how far ahead taylor looks, 0..50; 10 */

    /* Between the eyes, 20..100: how far away both look is told from where their lines of sight
     * cross. 0: not told; 0 */
    double vergence_ipd_mm;
    /* of the screen on which lsl and scanpath have the places of both eyes, 0..100; 0: they are
     * directions; 0 */
    double vergence_distance_m;
    double vergence_offset_deg; /* added to the angle between them, -20..20; 0 */
    double vergence_smooth_ms; /* time constant of the low pass, in diopters, 0..10000; 250 */

    double min_confidence; /* samples below are not valid, 0..1; 0.5 */
    double hold_ms; /* how long the last valid sample stands in for missing ones, 0..60000; 600 */
    double return_ms; /* how long the way to the fallback takes, 0..10000; 150 */
    enum fovea_gaze_fallback fallback;
    /* Frames of Vulkan programs take the newest sample when the GPU starts on them instead of the
     * one they were submitted with: see fovea_vk_follow_gaze. Not for replays; false */
    bool late;
};

/* The square for a photodiode shows one of these. */
enum fovea_patch {
    FOVEA_PATCH_OFF = 0, /* there is none */
    FOVEA_PATCH_FRAME = 1, /* white in frames of odd numbers, black in the others */
    FOVEA_PATCH_GAZE = 2, /* white while the gaze is in the right half of the picture */
};

/* Marks that are drawn over the foveated image and show what it does. All are off by default. */
struct fovea_overlay {
    bool marker; /* cross and ring at the gaze */
    /* circles of 2, 5, 10 and 20 degrees of eccentricity by the model's own mapping; of the
     * relative model where all, a half, a quarter and an eighth of the resolution are left */
    bool rings;
    bool heatmap; /* sigma as colours over the image */
    bool hud; /* text: backend, device, times, gaze */
    double wipe_uv; /* the image left of this x is shown as the engine drew it, 0..1; 0 */
    enum fovea_patch patch; /* in the lower left corner */
    double patch_size; /* its side as a part of the view's height, 0..0.5; 0.1 */
};

/* The columns that are written for each frame of a Vulkan context while it lives
 * (plugin/record). */
struct fovea_record_settings {
    char file[FOVEA_PATH_MAX]; /* what the names of its files begin with; "": nothing is written */
};

/* Keys of the Vulkan layer: up to four names of X11 with + between them that are held together,
 * while no modifier of another kind is (either Shift may be with a Shift); "" for none. No two may
 * be the same. */
struct fovea_layer_keys {
    char help[FOVEA_NAME_MAX]; /* list of the keys off and on; "Shift_R+F1" */
    char toggle[FOVEA_NAME_MAX]; /* foveation off and on; "Shift_R+F2" */
    char hud[FOVEA_NAME_MAX]; /* HUD off and on; "Shift_R+F3" */
    /* while held, the picture as the program drew it; "Shift_R+F4" */
    char compare[FOVEA_NAME_MAX];
    char rings[FOVEA_NAME_MAX]; /* rings of eccentricity off and on; "Shift_R+F5" */
    char marker[FOVEA_NAME_MAX]; /* marker at the gaze off and on; "Shift_R+F6" */
    char wipe[FOVEA_NAME_MAX]; /* split screen at the pointer off and on; "Shift_R+F7" */
    char heatmap[FOVEA_NAME_MAX]; /* heat map off and on; "Shift_R+F8" */
    char stronger[FOVEA_NAME_MAX]; /* more blur; "Shift_R+Page_Up" */
    char weaker[FOVEA_NAME_MAX]; /* less blur; "Shift_R+Page_Down" */
    char model[FOVEA_NAME_MAX]; /* the published model and back; "Shift_R+Insert" */
    char reload[FOVEA_NAME_MAX]; /* read the configuration again; "Shift_R+End" */
};

/* When the OpenXR layer tells programs the source's gaze as XR_EXT_eye_gaze_interaction. */
enum fovea_provide_gaze {
    FOVEA_PROVIDE_GAZE_NO = 0,
    FOVEA_PROVIDE_GAZE_MISSING = 1, /* where the runtime has no such extension, or no tracker */
    FOVEA_PROVIDE_GAZE_ALWAYS = 2,
};

/* These are the layers' alone, for Vulkan and for OpenXR; other programs do without. */
struct fovea_layer_settings {
    struct fovea_layer_keys keys;
    enum fovea_provide_gaze provide_gaze; /* NO */
    /* Kernels see the images of swapchains that are made from now on where they are, if the device
     * lets them; false: vkCmdCopyImage copies them. true */
    bool direct;
    /* Programs that draw only when something changes are asked to (X11) when the gaze, a key or a
     * setting has changed what they show. true */
    bool redraw;
    /* Nothing changes while a program runs: files are read once, keys do nothing, and no other
     * backend takes the place of the one that is named, without which there is none. false */
    bool frozen;
};

/* Frames of Vulkan images are foveated in this CUDA context (fovea_vulkan.h). A kernel that goes
 * wrong ends the context that it runs in, for everybody who uses that. Pictures in CUDA memory are
 * always foveated in the primary context (see below), whatever this says. */
enum fovea_cuda_context {
    /* The device's primary one, which CUDA's runtime and most libraries use. It takes memory once
     * however many use it, and kernels of all of them may run at a time. */
    FOVEA_CUDA_CONTEXT_SHARED = 0,
    /* One of Fovea's own: some hundred megabytes more where the program uses CUDA too, whose work
     * and Fovea's then take turns on the device; but neither's errors reach the other. */
    FOVEA_CUDA_CONTEXT_OWN = 1,
};

/* In the order of the table. */
enum fovea_operator {
#define OPERATOR(name) FOVEA_OPERATOR_##name,
#include "kernels/operators.def"
    FOVEA_OPERATOR_COUNT
};

/* Pictures go through these operators, one after the other, each at most once. */
struct fovea_operators {
    uint32_t count; /* 1..FOVEA_OPERATOR_COUNT; 1 */
    enum fovea_operator order[FOVEA_OPERATOR_COUNT]; /* 0 beyond the count; the table's first */
};

/* Settings that operators have in their own folders. */
struct fovea_operator_settings {
#define OPERATOR_NUMBER(name, setting, standard, least, most, help) double name##_##setting;
#define OPERATOR_WORD(name, setting, standard, help, ...) uint32_t name##_##setting;
/* With what the operator has made of it. Settings that were taken have what their context has a
 * share of; an object of fovea_settings_create, or a struct fovea_config, has a share of a
 * program's field, or NULL, and a copy of the struct by value has none of its own. */
#define OPERATOR_FILE(name, setting, help)                                                         \
    char name##_##setting[FOVEA_PATH_MAX];                                                         \
    struct shared_data *name##_##setting##_data;
#include "kernels/operators.def"
};

/* fovea_settings.h keeps this to itself. Threads of programs may have little stack, and this is 10
 * KiB: who gets it on one hands it on by its address, and copies lie elsewhere
 * (FOVEA_STACK_BYTES). */
struct fovea_settings {
    enum fovea_backend backend;
    enum fovea_measure backend_measure; /* where backend is AUTO */
    enum fovea_cuda_context cuda_context; /* SHARED; under the Vulkan layer OWN */
    struct fovea_operators operators;
    struct fovea_operator_settings own; /* of operators */
    struct fovea_foveation foveation;
    struct fovea_gaze_settings gaze;
    struct fovea_overlay overlay;
    struct fovea_record_settings record;
    struct fovea_layer_settings layer;
    uint32_t cpu_threads; /* of the cpu backend, 0..256; 0: one for each core */
    /* A frame that the peer of shared images keeps longer is cut loose, 10..60000; 1000. Threads of
     * the cpu backend get ten times as long. */
    double watchdog_ms;
    enum fovea_log_level log_level;
};

/* The defaults, the only place where they are written. config/default.json says the same. */
const struct fovea_settings *config_settings_standard(void);
struct fovea_settings fovea_settings_default(void);

/* Whether fovea_config_poll would bring something. Files are looked at as if that had been called,
 * once it has been. Any thread, while nobody destroys the configuration. */
bool config_has_news(const struct fovea_config *config);

bool config_operators_have(const struct fovea_operators *operators, enum fovea_operator name);
/* They are those of the defaults: foveate alone, which leaves pictures as drawn where it has no
 * strength, or no gaze. */
bool config_operators_are_standard(const struct fovea_operators *operators);
/* foveate is among them, wherever it stands: it alone looks for a gaze and draws overlays. */
bool config_operators_foveate(const struct fovea_operators *operators);

/* fovea_settings_check without what is said of settings that do nothing: for those who check often.
 */
FOVEA_MUST_CHECK enum fovea_result config_settings_check(const struct fovea_settings *settings,
                                                         struct fovea_log log);
/* The same of foveation alone, for what makes no more of them than a plan. */
FOVEA_MUST_CHECK enum fovea_result config_foveation_check(const struct fovea_settings *settings,
                                                          struct fovea_log log);
/* The same of a geometry alone, for frames that may each have another one. Writes to
 * scratch. */
FOVEA_MUST_CHECK enum fovea_result config_geometry_check(const struct fovea_geometry *geometry,
                                                         struct fovea_settings *scratch,
                                                         struct fovea_log log);
