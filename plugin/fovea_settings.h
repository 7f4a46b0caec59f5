/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Settings, by name, and the configuration files that a person writes them in.
 *
 * A setting has a path, as in "foveation.strength", and a value, as text. docs/configuration.md
 * lists all of them, and fovea_setting_info says the same to a program. Settings that later
 * versions add need no new function here. */
#ifndef FOVEA_SETTINGS_H
#define FOVEA_SETTINGS_H

#include "fovea_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Settings -------------------------------------------------------------------------------- */

/* Calls that take const settings copy what they need: the object may change or go as soon as they
 * return. */
struct fovea_settings;

/* The defaults. Allocates; waits for nothing, as all functions of this part. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_create(
    struct fovea_settings **out_settings);
/* Allocates; the samples of a map are copied too. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_copy(
    const struct fovea_settings *settings, struct fovea_settings **out_copy);
FOVEA_API void fovea_settings_destroy(struct fovea_settings **settings);

/* Sets one setting. The value is written as in a configuration file (JSON), or is a bare word: "2",
 * "true", "udp",
 * "[1920, 1080]". The path may name a group, whose value is then an object. A relative name of a
 * file is relative to the working directory. FOVEA_ERROR_CONFIG: there is no such path, or the
 * value does not fit; the log says what was expected, or which path is meant. Then nothing was
 * changed. Allocates, and a file that a table names is read. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_set(struct fovea_settings *settings,
                                                                const char *path, const char *value,
                                                                struct fovea_log log);

/* Always enough for fovea_settings_get; of what is not a list or a file's name, 512 are enough. */
#define FOVEA_SETTING_TEXT_MAX 32768

/* Writes a setting as text that fovea_settings_set takes and understands as the same value: bare
 * words without quotes. FOVEA_ERROR_CONFIG: there is no such setting. FOVEA_ERROR_INVALID_ARGUMENT:
 * it is longer than size bytes, the 0 at the end included. Either way out_text is "". Allocates
 * nothing. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_get(
    const struct fovea_settings *settings, const char *path, char *out_text, size_t size);

/* The same for numbers, whole ones and bools (0 or 1), for sliders and bindings.
 * FOVEA_ERROR_CONFIG: there is no such setting, it is not one number, or the value does not fit.
 * set allocates. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_set_double(
    struct fovea_settings *settings, const char *path, double value, struct fovea_log log);
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_get_double(
    const struct fovea_settings *settings, const char *path, double *out_value);

/* FOVEA_OK if the settings fit each other and can be used, or FOVEA_ERROR_INVALID_ARGUMENT with a
 * message that names the setting ("foveation.paper.fragment_px is 3; it must be 4 to 128"). On
 * FOVEA_OK messages of level info name settings that do nothing beside the others ("blur.edge"
 * where "blur.engine" is not "diffusion"), as fovea_config_create has them. Any thread; allocates
 * nothing. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_check(
    const struct fovea_settings *settings, struct fovea_log log);

/* A hash of all settings but "record." and "log.": equal settings have equal hashes, in every
 * program of this version. It covers the names of files, and nothing that
 * fovea_settings_set_field sets. Allocates. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_hash(
    const struct fovea_settings *settings, uint64_t *out_hash);

/* Writes all settings but "record." to a configuration file and replaces its contents. Read as the
 * only file, it gives the same settings and the same hash, which its first line holds. It omits
 * what text cannot express. FOVEA_ERROR_IO: it cannot be written, as the log says; a part of it may
 * exist. Allocates. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_save(
    const struct fovea_settings *settings, const char *file, struct fovea_log log);

/* ---- What no text says ----------------------------------------------------------------------- */

/* Says how stored values of UNORM formats mean light, over the format's full range. The program
 * knows it of its images: no configuration file sets it. Primaries do not matter to a blur but for
 * HLG, whose light of the display depends on the three colours together: those are BT.2020's, and
 * the first is red (of Vulkan images: as the format says). */
enum fovea_transfer {
    FOVEA_TRANSFER_SRGB = 0, /* IEC 61966-2-1 */
    FOVEA_TRANSFER_PQ = 1, /* SMPTE ST 2084: light of the display, 1 is 10,000 cd/m^2 */
    /* ITU-R BT.2100; "foveation.display.hlg_peak_cd_m2" says the display */
    FOVEA_TRANSFER_HLG = 2,
};

/* Sets it for the images of these settings; the default is SRGB. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_set_transfer(
    struct fovea_settings *settings, enum fovea_transfer transfer);

/* A map of the program's own: "foveation.map.kind" becomes array. Rows from the top without gaps;
 * values are finite, not negative, not all 0, and not all the same with "foveation.map.law"
 * linear; 2..4096 each way. The values are copied, which allocates. fovea_settings_check checks
 * them. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_set_map(struct fovea_settings *settings,
                                                                    const float *values,
                                                                    uint32_t width,
                                                                    uint32_t height);

/* Places in the source picture, in uv (0..1 over it from its top left corner; a place beyond has no
 * source), for points that lie equally far apart in the picture that is shown. */
struct fovea_field {
    size_t struct_bytes; /* fovea_field_init */
    const float *xy; /* of the first point's x, which its y follows */
    uint32_t width; /* points, 2..16385 each way */
    uint32_t height;
    /* 1: for all colours; 3: red's, green's and blue's. Twice as many, 2 or 6: the left eye's, then
     * the right eye's; which of them counts, fovea_vk_view's eye says, or foveation.map.eye. */
    uint32_t layers;
    /* False: the first and last points are on the picture's edges, as meshes have them. True: each
     * is in the middle of its part of the picture, as pixels are: a dense map, where each pixel of
     * as large a picture has its own. A map of pixels whose numbers are 0 in the middle of the
     * first, as remap functions take it, is (number + 0.5) / size in uv. */
    bool centered;
    uint8_t reserved[3]; /* 0 */
    ptrdiff_t point_bytes; /* from a point to the next on the right; 0: without gaps */
    ptrdiff_t row_bytes; /* to the next below; 0: likewise */
    ptrdiff_t layer_bytes; /* to the same of the next layer; 0: likewise */
};

static inline void fovea_field_init(struct fovea_field *field)
{
    memset(field, 0, sizeof *field);
    field->struct_bytes = sizeof *field;
    field->layers = 1;
}

/* Instead of the file that a setting names: "lens.file". It counts until it is taken away with
 * NULL, whatever the file's name. The points are copied, which allocates: tens of bytes each.
 * FOVEA_ERROR_INVALID_ARGUMENT: its sides, layers or other members are none that a field has.
 * FOVEA_ERROR_CONFIG: there is no such setting, or the operator cannot use the field; the log says
 * where it is not finite, or folds over. Then nothing was changed. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_settings_set_field(
    struct fovea_settings *settings, const char *path, const struct fovea_field *field,
    struct fovea_log log);

/* ---- The table of settings, for inspectors and bindings -------------------------------------- */

enum fovea_setting_type {
    FOVEA_SETTING_BOOL = 0, /* "true" or "false" */
    FOVEA_SETTING_INTEGER = 1,
    FOVEA_SETTING_NUMBER = 2,
    FOVEA_SETTING_WORD = 3, /* one of `words` */
    FOVEA_SETTING_TEXT = 4,
    FOVEA_SETTING_FILE = 5, /* the name of one */
    FOVEA_SETTING_KEYS = 6, /* names of keys with + between them */
    FOVEA_SETTING_LIST = 7, /* numbers, or pairs of them, in brackets */
    FOVEA_SETTING_WORDS = 8, /* some of `words`, none twice, with commas between */
};

/* One setting. Strings live as long as the library. */
struct fovea_setting {
    size_t struct_bytes; /* fovea_setting_init */
    const char *path;
    const char *help; /* one sentence without a full stop */
    /* "px", "deg", "cpd" (cycles per degree), "ms", ...; "" where there is none */
    const char *unit;
    enum fovea_setting_type type;
    /* of integers and numbers: 1, or more where the value is an array of them */
    uint32_t elements;
    double least; /* of integers and numbers */
    double most;
    bool above_least; /* least itself is not taken */
    bool below_most; /* most itself is not taken */
    bool or_zero; /* 0 is taken too and stands for "not given" */
    uint8_t reserved[5]; /* 0 */
    const char *const *words; /* ends with NULL; NULL for other types */
    char expected[384]; /* what it takes, in words: "a whole number, 4 to 128" */
    char default_text[384]; /* as fovea_settings_get writes it */
};

static inline void fovea_setting_init(struct fovea_setting *setting)
{
    memset(setting, 0, sizeof *setting);
    setting->struct_bytes = sizeof *setting;
}

/* Settings that there are, in the order of docs/configuration.md. */
FOVEA_API size_t fovea_setting_count(void);

/* Fills *out_setting, whose struct_bytes is set. FOVEA_ERROR_INVALID_ARGUMENT: the index is too
 * large. Any thread; allocates nothing. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_setting_info(size_t index,
                                                                struct fovea_setting *out_setting);

/* ---- Backends -------------------------------------------------------------------------------- */

/* Who does the arithmetic: the setting "backend". A 1920x1080 frame at the defaults takes 28 us of
 * an H200 with cuda and 116 us with vulkan; cuda adds 330 us to Vulkan frames, for the hand-over to
 * it and back. The cpu backend takes tens of milliseconds. docs/benchmarks.md has the figures. */
enum fovea_backend {
    /* By the image's memory: cuda for CUDA's, cpu for the CPU's. For Vulkan images the cheapest on
     * that device ("backend_measure"): it is measured in fovea_vk_create and kept in
     * $XDG_CACHE_HOME/fovea. */
    FOVEA_BACKEND_AUTO = 0,
    FOVEA_BACKEND_CUDA = 1, /* NVIDIA GPUs; Vulkan images are shared through external memory */
    FOVEA_BACKEND_VULKAN = 2, /* compute shaders in the engine's own Vulkan device */
    FOVEA_BACKEND_CPU = 3, /* threads; with Vulkan images, through memory that the CPU can map */
};

/* The name of a backend as the configuration spells it: "auto", "cuda", "vulkan", "cpu". */
FOVEA_API const char *fovea_backend_name(enum fovea_backend backend);

/* ---- The view of one eye --------------------------------------------------------------------- */

/* The view: a flat picture before one eye. The first that is given counts: the projection, pixels
 * per degree, screen and distance. Without a projection the eye looks at the picture's middle. */
struct fovea_geometry {
    /* Tangents of the angles from the view axis to the picture's edges, left and down positive to
     * the left and down: an asymmetric frustum. -100..100, width and height at least 0.001. All 0:
     * not given; a single 0 is refused as forgotten, 1e-9 is an edge on the view axis. */
    double tan_left;
    double tan_right;
    double tan_up;
    double tan_down;
    double ppd; /* pixels per degree on the view axis, 1..1000; 0: not given */
    double screen_width_m; /* of the picture, 0.01..100; 0.53 (a 24 inch screen) */
    double distance_m; /* 0.01..100, at least 1/200 of the width; 0.6 */
};

/* Whose eye a human map is of, and a lens where each eye has its own. */
enum fovea_map_eye {
    FOVEA_MAP_EYE_BOTH = 0, /* of maps at every place the better of the two; of lenses not said */
    FOVEA_MAP_EYE_LEFT = 1,
    FOVEA_MAP_EYE_RIGHT = 2,
};

/* ---- Configuration files --------------------------------------------------------------------- */

/* Settings as a person gives them, later wins: defaults; /etc/fovea/fovea.json;
 * $XDG_CONFIG_HOME/fovea/fovea.json or ~/.config/fovea/fovea.json; ./fovea.json; or, instead of all
 * these files, the one that `file` or the environment variable FOVEA_CONFIG names; then the entry
 * of the file's "apps" that matches program_name; then FOVEA_SET="key.path=value,..."; then `sets`.
 * config/schema.json describes the files. */
struct fovea_config_desc {
    size_t struct_bytes; /* fovea_config_desc_init */
    const char *file; /* this file and no other; NULL: search */
    const char *const *sets; /* "key.path=value" each, the value in JSON or a bare word */
    size_t set_count;
    const char *program_name; /* for "apps"; NULL: the running program's name */
    bool ignore_environment; /* FOVEA_CONFIG and FOVEA_SET do not count: for tests and tools */
    /* the files are read once; false: fovea_config_poll brings their changes */
    bool ignore_changes;
    /* The log says what is wrong in the files or overrides, and `defaults` are in force until
     * it is mended: fovea_config_create does not fail for it. */
    bool defaults_if_wrong;
    uint8_t reserved[5]; /* 0 */
    /* of this program; NULL: those of fovea_settings_create */
    const struct fovea_settings *defaults;
    struct fovea_log log;
};

static inline void fovea_config_desc_init(struct fovea_config_desc *desc)
{
    memset(desc, 0, sizeof *desc);
    desc->struct_bytes = sizeof *desc;
}

struct fovea_config;

/* Reads the files and the overrides, and waits for the file system. FOVEA_ERROR_CONFIG: something
 * is wrong in one of them, named in the log with file, line, column, key and what was expected.
 * FOVEA_ERROR_IO: a named file cannot be read. Either way nothing was applied and *out_config is
 * NULL. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_config_create(
    const struct fovea_config_desc *desc, struct fovea_config **out_config);
/* Ends the thread that fovea_config_poll has started, and waits for it. Where that hangs in a file
 * system it is left to end by itself after half a second, and calls nobody any more. */
FOVEA_API void fovea_config_destroy(struct fovea_config **config);

/* The settings in force. The pointer stays valid and its contents stay the same until the next
 * fovea_config_poll or fovea_config_destroy. Costs nothing. */
FOVEA_API const struct fovea_settings *fovea_config_settings(const struct fovea_config *config);

/* Cheap enough for every frame: it waits for nothing and takes no lock. A thread of Fovea's looks
 * at the files five times a second, for as long as this is called, and reads what has changed; the
 * first call starts it. A file system that does not answer delays news and nothing else. FOVEA_OK:
 * the files changed and new settings are in force. FOVEA_NOT_READY: nothing changed.
 * FOVEA_ERROR_CONFIG, FOVEA_ERROR_IO, FOVEA_ERROR_OUT_OF_MEMORY: they changed and are wrong or
 * gone, or could not be taken; the last good settings stay in force. Said once for each change,
 * which is taken when two looks in a row find the same, so that nobody is in the middle of writing.
 * Messages about it come during this call. The picture of a map is read and decoded with them.
 * After fork the child has no such thread: there nothing changes any more. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_config_poll(struct fovea_config *config);

/* The files are read again, changed or not, and a later fovea_config_poll says how that went.
 * Returns at once. FOVEA_ERROR_INVALID_STATE: they are not watched. */
FOVEA_API FOVEA_MUST_CHECK enum fovea_result fovea_config_reload(struct fovea_config *config);

#ifdef __cplusplus
}
#endif

#endif
