/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "key.h"

#include "core/key_combo.h"
#include "curve.h"
#include "words.h"

#include <string.h>

#define AT(member)                                                                                 \
    .offset = offsetof(struct fovea_settings, member),                                             \
    .bytes = sizeof(((struct fovea_settings *)0)->member)
#define RANGE(least, most) .min = (least), .max = (most)
#define ABOVE(least, most) .min = (least), .max = (most), .min_excluded = true

static const char *const operator_names[] = {
#define OPERATOR(name) #name,
#include "kernels/operators.def"
    NULL};
#define OPERATOR_WORD(name, setting, standard, help, ...)                                          \
    static const char *const name##_##setting##_names[] = {__VA_ARGS__, NULL};
#include "kernels/operators.def"
static const char *const log_level_names[] = {"debug", "info", "warning", "error", NULL};
static const char *const model_names[] = {"paper", "physical", "curve", "map", "relative", NULL};
static const char *const method_names[] = {"blockwise", "smooth", NULL};
static const char *const light_names[] = {"auto", "encoded", "linear", "gamma", "table", NULL};
static const char *const alpha_names[] = {"keep", "premultiplied", NULL};
static const char *const map_kind_names[] = {"human",    "streak", "file", "array",
                                             "kangaroo", "hawk",   "dog",  NULL};
static const char *const map_law_names[] = {"sqrt", "linear", NULL};
static const char *const map_degrees_names[] = {"paper", "view", NULL};
static const char *const map_eye_names[] = {"both", "left", "right", NULL};
static const char *const filter_length_names[] = {"code", "printed", NULL};
static const char *const backend_names[] = {"auto", "cuda", "vulkan", "cpu", NULL};
static const char *const measure_names[] = {"cached", "always", "never", NULL};
static const char *const cuda_context_names[] = {"shared", "own", NULL};
#define GAZE_SOURCE(kind, name) #name,
static const char *const source_names[] = {
#include "gaze_sources.def"
    NULL};
#undef GAZE_SOURCE
static const char *const space_names[] = {"uv", "ndc", "pixels", "degrees", NULL};
static const char *const origin_names[] = {"top-left", "bottom-left", "center", NULL};
static const char *const time_unit_names[] = {"auto", "s", "ms", "us", "ns", NULL};
static const char *const smooth_names[] = {"none", "one-euro", "median", NULL};
static const char *const predict_names[] = {"none", "taylor", "landing", NULL};
static const char *const neon_transport_names[] = {"udp", "tcp", NULL};
static const char *const gaze_eye_names[] = {"both", "left", "right", NULL};
static const char *const udp_format_names[] = {"json", "floats", "doubles", "opentrack", NULL};
static const char *const opengaze_point_names[] = {"best", "fixation", "left", "right", NULL};
static const char *const patch_names[] = {"off", "frame", "gaze", NULL};
static const char *const over_names[] = {"drawn", "shown", NULL};
static const char *const fallback_names[] = {"center", "last", "none", "saliency", NULL};
static const char *const provide_names[] = {"no", "missing", "always", NULL};

/* clang-format off */
const struct config_key config_keys[] = {
    {"$schema", "Where editors find the schema of this file", CONFIG_SCHEMA, .bytes = 0},
    {"version", "Version of this format", CONFIG_VERSION, RANGE(1, 1)},

    {"backend", "Who does the arithmetic; auto: the cheapest on this device of those that work",
     CONFIG_ENUM, AT(backend), .names = backend_names},
    {"backend_measure", "Whether auto measures; cached: once, kept in ~/.cache/fovea; always: at every start; never: cuda goes before vulkan",
     CONFIG_ENUM, AT(backend_measure), .names = measure_names},
    {"cuda_context", "Whose CUDA context Vulkan frames run in; shared: the device's primary one, as the program's CUDA; own: one of Fovea's",
     CONFIG_ENUM, AT(cuda_context), .names = cuda_context_names},
    {"operators", "What pictures go through, one after the other",
     CONFIG_OPERATORS, AT(operators), .names = operator_names},
    {"cpu_threads", "Threads of the cpu backend; 0: one for each core",
     CONFIG_U32, AT(cpu_threads), RANGE(0, 256)},
    {"watchdog_ms", "A shared frame that takes longer than this many milliseconds is cut loose",
     CONFIG_DOUBLE, AT(watchdog_ms), RANGE(10, 60000)},
    {"log.level", "The least important messages that are still shown",
     CONFIG_ENUM, AT(log_level), .names = log_level_names},

    {"foveation.model", "From place to blur; paper: Malkin et al. 2020; physical, curve: a real view; map: by direction too; relative: by size",
     CONFIG_ENUM, AT(foveation.model), .names = model_names},
    {"foveation.method", "How the law is applied; smooth: every pixel its own Gaussian; blockwise: one a square fragment",
     CONFIG_ENUM, AT(foveation.method), .names = method_names},
    {"foveation.light", "How pixels are averaged: encoded, as stored; as light by sRGB (linear) or display (gamma, table); auto: by the method",
     CONFIG_ENUM, AT(foveation.light), .names = light_names},
    {"foveation.display.gamma", "Where light is gamma: light of the screen is the stored value to this power; 0: 2.2",
     CONFIG_DOUBLE, AT(foveation.display.gamma), RANGE(1, 3), .or_zero = true},
    {"foveation.display.table", "Where light is table: luminance of the screen from black to white, equally far apart; a file is relative to this one",
     CONFIG_TABLE, AT(foveation.display.table)},
    {"foveation.display.hlg_peak_cd_m2", "Peak of the display in candela per square metre, for the system gamma of HLG pictures; 0: 1000",
     CONFIG_DOUBLE, AT(foveation.display.hlg_peak_cd_m2), RANGE(100, 10000), .or_zero = true},
    {"foveation.strength", "Multiplies the blur; 0 leaves the image as it is",
     CONFIG_DOUBLE, AT(foveation.strength), RANGE(0, 8)},
    {"foveation.cutoff_gain", "How much of a grating's amplitude is left at the cutoff; less blurs more; exp(-1/2) as in the paper",
     CONFIG_DOUBLE, AT(foveation.cutoff_gain), RANGE(0.01, 0.99)},
    {"foveation.alpha", "keep: alpha is copied; premultiplied: alpha is blurred like a colour",
     CONFIG_ENUM, AT(foveation.alpha), .names = alpha_names},
    {"foveation.paper.ct0", "Minimal contrast threshold; 1/64 in print, 0.0133 in the published program",
     CONFIG_DOUBLE, AT(foveation.paper.ct0), ABOVE(0, 1), .max_excluded = true},
    {"foveation.paper.alpha", "Decay of contrast sensitivity with spatial frequency",
     CONFIG_DOUBLE, AT(foveation.paper.alpha), ABOVE(0, 10)},
    {"foveation.paper.e2_deg", "Eccentricity in degrees at which resolution has halved",
     CONFIG_DOUBLE, AT(foveation.paper.e2_deg), ABOVE(0, 100)},
    {"foveation.paper.e_max_deg", "Eccentricity in degrees at half the image's diagonal from the gaze",
     CONFIG_DOUBLE, AT(foveation.paper.e_max_deg), ABOVE(0, 360)},
    {"foveation.paper.f_max_cpd", "Spatial frequency in cycles per degree that is put at Nyquist",
     CONFIG_DOUBLE, AT(foveation.paper.f_max_cpd), ABOVE(0, 1000)},
    {"foveation.paper.fragment_px", "Side of a fragment in pixels; smaller is smoother and slower",
     CONFIG_U32, AT(foveation.paper.fragment_px), RANGE(4, 128)},
    {"foveation.paper.filter_length", "Where the definition cuts off its Gaussians: as the published program or as in print; no backend cuts them",
     CONFIG_ENUM, AT(foveation.paper.filter_length), .names = filter_length_names},
    {"foveation.physical.ct0", "Minimal contrast threshold",
     CONFIG_DOUBLE, AT(foveation.physical.ct0), RANGE(1e-6, 0.9)},
    {"foveation.physical.alpha", "Decay of contrast sensitivity with spatial frequency",
     CONFIG_DOUBLE, AT(foveation.physical.alpha), RANGE(0.005, 10)},
    {"foveation.physical.e2_deg", "Eccentricity in degrees at which resolution has halved",
     CONFIG_DOUBLE, AT(foveation.physical.e2_deg), RANGE(0.1, 100)},
    {"foveation.curve", "Cutoff over eccentricity: linear between the points, constant outside them",
     CONFIG_CURVE, AT(foveation.curve)},
    {"foveation.relative.sharp", "How far from the gaze all of the resolution is left, in halves of the shorter side",
     CONFIG_DOUBLE, AT(foveation.relative.sharp), RANGE(0, 100)},
    {"foveation.relative.halving", "How far beyond that one half of it is left, a third twice as far, in halves of the shorter side",
     CONFIG_DOUBLE, AT(foveation.relative.halving), RANGE(0.001, 100)},
    {"foveation.map.kind", "Where a map comes from: whose retina, a streak along the horizon, a PNG, an array from the program",
     CONFIG_ENUM, AT(foveation.map.kind), .names = map_kind_names},
    {"foveation.map.law", "sqrt: the cutoff goes with the root of a density; linear: white to black are 0 to e_max_deg, as in paper",
     CONFIG_ENUM, AT(foveation.map.law), .names = map_law_names},
    {"foveation.map.degrees", "Where a degree lies; paper: by e_max_deg over half the diagonal; view: by geometry",
     CONFIG_ENUM, AT(foveation.map.degrees), .names = map_degrees_names},
    {"foveation.map.eye", "Whose human map and lens: an eye's, or both: at every place the better map of the two",
     CONFIG_ENUM, AT(foveation.map.eye), .names = map_eye_names},
    {"foveation.map.width_deg", "Degrees that the width of a file or array spans",
     CONFIG_DOUBLE, AT(foveation.map.width_deg), RANGE(1, 720)},
    {"foveation.map.cutoff_cpd", "Cutoff at the largest sample of law sqrt, cycles per degree; 0: 65.4 for human, else paper.f_max_cpd",
     CONFIG_DOUBLE, AT(foveation.map.cutoff_cpd), RANGE(0.1, 1000), .or_zero = true},
    {"foveation.map.floor", "Samples of law sqrt count as at least this part of the largest",
     CONFIG_DOUBLE, AT(foveation.map.floor), RANGE(1e-6, 1)},
    {"foveation.map.file", "PNG picture, 8 or 16 bits, white is where most is resolved; relative to this file",
     CONFIG_PATH, AT(foveation.map.file)},
    {"foveation.geometry.tan_left", "Tangent of the angle from the view axis to the left edge; all four are given or 0",
     CONFIG_DOUBLE, AT(foveation.geometry.tan_left), RANGE(-100, 100)},
    {"foveation.geometry.tan_right", "Tangent of the angle from the view axis to the right edge",
     CONFIG_DOUBLE, AT(foveation.geometry.tan_right), RANGE(-100, 100)},
    {"foveation.geometry.tan_up", "Tangent of the angle from the view axis to the top edge",
     CONFIG_DOUBLE, AT(foveation.geometry.tan_up), RANGE(-100, 100)},
    {"foveation.geometry.tan_down", "Tangent of the angle from the view axis to the bottom edge",
     CONFIG_DOUBLE, AT(foveation.geometry.tan_down), RANGE(-100, 100)},
    {"foveation.geometry.ppd", "Pixels per degree at the view axis, where there are no tangents; 0: not given",
     CONFIG_DOUBLE, AT(foveation.geometry.ppd), RANGE(1, 1000), .or_zero = true},
    {"foveation.geometry.screen_width_m", "Width of the picture in metres, where there are neither tangents nor ppd",
     CONFIG_DOUBLE, AT(foveation.geometry.screen_width_m), RANGE(0.01, 100)},
    {"foveation.geometry.distance_m", "From the eye to the screen in metres",
     CONFIG_DOUBLE, AT(foveation.geometry.distance_m), RANGE(0.01, 100)},

#define OPERATOR_NUMBER(name, setting, standard, least, most, help)                                \
    {#name "." #setting, help, CONFIG_DOUBLE, AT(own.name##_##setting), RANGE(least, most)},
#define OPERATOR_WORD(name, setting, standard, help, ...)                                          \
    {#name "." #setting, help, CONFIG_ENUM, AT(own.name##_##setting),                              \
     .names = name##_##setting##_names},
#define OPERATOR_FILE(name, setting, help)                                                         \
    {#name "." #setting, help, CONFIG_PATH, AT(own.name##_##setting)},
#include "kernels/operators.def"

    {"gaze.source", "Where the gaze comes from",
     CONFIG_ENUM, AT(gaze.kind), .names = source_names},
    {"gaze.space", "In what positions are given: uv is 0 to 1 over the image, ndc -1 to 1, pixels, or degrees from the middle",
     CONFIG_ENUM, AT(gaze.space), .names = space_names},
    {"gaze.origin", "Where 0, 0 lies; y runs up from bottom-left and center",
     CONFIG_ENUM, AT(gaze.origin), .names = origin_names},
    {"gaze.over", "Which picture frames' gazes lie on: the drawn one, or the shown one, where lens has moved its pixels",
     CONFIG_ENUM, AT(gaze.over), .names = over_names},
    {"gaze.screen_px", "Width and height that positions in pixels refer to; 0: the image's own",
     CONFIG_U32, AT(gaze.screen_px), RANGE(0, 65536)},
    {"gaze.screen_deg", "Visual angles of the screen's width and height that positions in degrees refer to; 0: not known",
     CONFIG_DOUBLE, AT(gaze.screen_deg), RANGE(0, 179)},
    {"gaze.fixed.x", "Position of the fixed source, in space and origin as above",
     CONFIG_DOUBLE, AT(gaze.fixed.x_uv), RANGE(-1e6, 1e6)},
    {"gaze.fixed.y", "Position of the fixed source, in space and origin as above",
     CONFIG_DOUBLE, AT(gaze.fixed.y_uv), RANGE(-1e6, 1e6)},
    {"gaze.scanpath.file", "A recording of gaze in one of the formats of docs/gaze.md; relative to this file",
     CONFIG_PATH, AT(gaze.scanpath_file)},
    {"gaze.scanpath.columns", "Names, or numbers from 1, of the columns of time, x, y and perhaps confidence; empty: by the format",
     CONFIG_STRING, AT(gaze.scanpath_columns)},
    {"gaze.scanpath.time_unit", "Unit of the recording's times; auto: as the file says",
     CONFIG_ENUM, AT(gaze.scanpath_time_unit), .names = time_unit_names},
    {"gaze.scanpath.eye", "Whose positions count in a recording of two eyes; both: the middle of them",
     CONFIG_ENUM, AT(gaze.scanpath_eye), .names = gaze_eye_names},
    {"gaze.scanpath.loop", "Start again at the end; otherwise the gaze is lost there",
     CONFIG_BOOL, AT(gaze.scanpath_loop)},
    {"gaze.saccades.seed", "The same seed gives the same eye movements",
     CONFIG_U64, AT(gaze.saccades_seed), RANGE(0, 18446744073709551615.0)},
    {"gaze.saccades.fixation_ms", "Median duration of a fixation in milliseconds",
     CONFIG_DOUBLE, AT(gaze.saccades_fixation_ms), RANGE(50, 5000)},
    {"gaze.saccades.amplitude_deg", "Median size of a saccade in degrees",
     CONFIG_DOUBLE, AT(gaze.saccades_amplitude_deg), RANGE(0.1, 60)},
    {"gaze.saccades.width_deg", "Visual angle of the image's width in degrees",
     CONFIG_DOUBLE, AT(gaze.saccades_width_deg), RANGE(1, 170)},
    {"gaze.saccades.blinks_per_minute", "Blinks a minute",
     CONFIG_DOUBLE, AT(gaze.saccades_blinks_per_minute), RANGE(0, 120)},
    {"gaze.saliency.seed", "The same seed and pictures give the same eye movements",
     CONFIG_U64, AT(gaze.saliency_seed), RANGE(0, 18446744073709551615.0)},
    {"gaze.saliency.rate_hz", "How many pictures a second are looked at, at most",
     CONFIG_DOUBLE, AT(gaze.saliency_rate_hz), RANGE(0.1, 120)},
    {"gaze.saliency.width_px", "The width in pixels that pictures are reduced to before blobs are sought",
     CONFIG_U32, AT(gaze.saliency_width_px), RANGE(64, 320)},
    {"gaze.saliency.dwell_ms", "Median duration of a fixation in milliseconds",
     CONFIG_DOUBLE, AT(gaze.saliency_dwell_ms), RANGE(50, 5000)},
    {"gaze.saliency.amplitude_deg", "Median size of a saccade in degrees, where blobs are everywhere",
     CONFIG_DOUBLE, AT(gaze.saliency_amplitude_deg), RANGE(0.1, 60)},
    {"gaze.saliency.width_deg", "Visual angle of the image's width in degrees",
     CONFIG_DOUBLE, AT(gaze.saliency_width_deg), RANGE(1, 170)},
    {"gaze.saliency.inhibition_s", "For how many seconds the gaze does not return to a place",
     CONFIG_DOUBLE, AT(gaze.saliency_inhibition_s), RANGE(0, 10)},
    {"gaze.saliency.inhibition_deg", "How near to a place counts as a return, in degrees",
     CONFIG_DOUBLE, AT(gaze.saliency_inhibition_deg), RANGE(0, 60)},
    {"gaze.saliency.center_deg", "Spread of the preference for the middle in degrees; 0: there is none",
     CONFIG_DOUBLE, AT(gaze.saliency_center_deg), RANGE(0, 180)},
    {"gaze.saliency.motion", "What a blob of what has changed since the picture before counts; 0: none is sought",
     CONFIG_DOUBLE, AT(gaze.saliency_motion), RANGE(0, 10)},
    {"gaze.saliency.foveas", "How many places are sharp at once: the gaze, and the best of the others",
     CONFIG_U32, AT(gaze.saliency_foveas), RANGE(1, 4)},
    {"gaze.udp.bind", "Numeric address that datagrams are taken on; anything but loopback opens a port to the network",
     CONFIG_STRING, AT(gaze.udp_bind)},
    {"gaze.udp.port", "UDP port; 0 lets the system choose",
     CONFIG_U16, AT(gaze.udp_port), RANGE(0, 65535)},
    {"gaze.udp.format", "What a datagram holds: JSON, two or three floats or doubles, or the pose of a head in opentrack's six doubles",
     CONFIG_ENUM, AT(gaze.udp_format), .names = udp_format_names},
    {"gaze.lsl.name", "Name of the stream; empty: any",
     CONFIG_STRING, AT(gaze.lsl_name)},
    {"gaze.lsl.type", "Type of the stream; empty: any, or Gaze where name and source_id are empty too",
     CONFIG_STRING, AT(gaze.lsl_type)},
    {"gaze.lsl.source_id", "source_id of the stream; empty: any",
     CONFIG_STRING, AT(gaze.lsl_source_id)},
    {"gaze.lsl.channels", "Labels, or numbers from 1, of x, y and perhaps confidence, or of two eyes' x and y before it; empty: known ones",
     CONFIG_STRING, AT(gaze.lsl_channels)},
    {"gaze.opengaze.address", "Address or name of the Open Gaze server",
     CONFIG_STRING, AT(gaze.opengaze_address)},
    {"gaze.opengaze.port", "TCP port of the Open Gaze server",
     CONFIG_U16, AT(gaze.opengaze_port), RANGE(1, 65535)},
    {"gaze.opengaze.point", "Which point counts: the best that the tracker has, its filtered fixation, or that of an eye",
     CONFIG_ENUM, AT(gaze.opengaze_point), .names = opengaze_point_names},
    {"gaze.osc.port", "UDP port that OSC is taken on, at gaze.udp.bind; 0 lets the system choose",
     CONFIG_U16, AT(gaze.osc_port), RANGE(0, 65535)},
    {"gaze.pupil.address", "Address or name of the machine of Pupil Capture",
     CONFIG_STRING, AT(gaze.pupil_address)},
    {"gaze.pupil.port", "TCP port of Pupil Remote",
     CONFIG_U16, AT(gaze.pupil_port), RANGE(1, 65535)},
    {"gaze.pupil.surface", "Name of the surface that is the screen; empty: any",
     CONFIG_STRING, AT(gaze.pupil_surface)},
    {"gaze.neon.address", "Address or name of the phone with the Companion app",
     CONFIG_STRING, AT(gaze.neon_address)},
    {"gaze.neon.port", "TCP port of its RTSP server",
     CONFIG_U16, AT(gaze.neon_port), RANGE(1, 65535)},
    {"gaze.neon.transport", "How the gaze comes: by datagrams, or on the connection, which no firewall keeps off",
     CONFIG_ENUM, AT(gaze.neon_transport), .names = neon_transport_names},
    {"gaze.neon.echo_port", "TCP port of the phone's time echo, its status's time_echo_port; 0: the quickest packets relate the clocks",
     CONFIG_U16, AT(gaze.neon_echo_port), RANGE(0, 65535)},
    {"gaze.neon.closed_mm", "Lids that are no farther apart than so many millimetres are a closed eye; 0: lids are not looked at",
     CONFIG_DOUBLE, AT(gaze.neon_closed_mm), RANGE(0, 20)},
    {"gaze.filter.eye", "Whose places count where osc, lsl or neon brings two eyes; both: the middle of them",
     CONFIG_ENUM, AT(gaze.filter_eye), .names = gaze_eye_names},
    {"gaze.filter.smooth", "What samples are smoothed with; one-euro needs gaze.screen_deg",
     CONFIG_ENUM, AT(gaze.filter_smooth), .names = smooth_names},
    {"gaze.filter.min_cutoff_hz", "Cutoff in Hz of one-euro while the eye rests; lower is smoother",
     CONFIG_DOUBLE, AT(gaze.filter_min_cutoff_hz), RANGE(0.001, 1000)},
    {"gaze.filter.beta_per_deg", "By how many Hz the cutoff of one-euro rises for each degree a second",
     CONFIG_DOUBLE, AT(gaze.filter_beta_per_deg), RANGE(0, 100)},
    {"gaze.filter.derivative_cutoff_hz", "Cutoff in Hz of the speed that raises that of one-euro",
     CONFIG_DOUBLE, AT(gaze.filter_derivative_cutoff_hz), RANGE(0.001, 1000)},
    {"gaze.filter.median_ms", "How many milliseconds back the median of samples goes, 64 samples at most",
     CONFIG_DOUBLE, AT(gaze.filter_median_ms), RANGE(0, 200)},
    {"gaze.filter.velocity_deg_s", "Faster than so many degrees a second is a saccade; 0: saccades are not told from fixations",
     CONFIG_DOUBLE, AT(gaze.filter_velocity_deg_s), RANGE(0, 1000)},
    {"gaze.filter.velocity_ms", "Over how many milliseconds the velocity is measured; 0: from one sample to the next",
     CONFIG_DOUBLE, AT(gaze.filter_velocity_ms), RANGE(0, 100)},
    {"gaze.filter.jump", "A saccade is not smoothed, and after it smoothing begins anew; needs velocity_deg_s",
     CONFIG_BOOL, AT(gaze.filter_jump)},
    {"gaze.filter.predict", "Where the gaze is in a saccade: where the sample is, a way ahead, or where it will land; needs velocity_deg_s",
     CONFIG_ENUM, AT(gaze.filter_predict), .names = predict_names},
    {"gaze.filter.predict_ms", "How many milliseconds ahead taylor looks",
     CONFIG_DOUBLE, AT(gaze.filter_predict_ms), RANGE(0, 50)},
    {"gaze.vergence.ipd_mm", "Between the eyes in mm: the distance at which both lines of sight cross is told; 0: it is not",
     CONFIG_DOUBLE, AT(gaze.vergence_ipd_mm), RANGE(20, 100), .or_zero = true},
    {"gaze.vergence.distance_m", "Metres to the screen on which lsl, opengaze, scanpath have both eyes' places; 0: these are directions, as in a headset",
     CONFIG_DOUBLE, AT(gaze.vergence_distance_m), RANGE(0, 100)},
    {"gaze.vergence.offset_deg", "Degrees that are added to the angle between both lines of sight, from a look at a known distance",
     CONFIG_DOUBLE, AT(gaze.vergence_offset_deg), RANGE(-20, 20)},
    {"gaze.vergence.smooth_ms", "Time constant in milliseconds of the low pass over diopters; 0: none",
     CONFIG_DOUBLE, AT(gaze.vergence_smooth_ms), RANGE(0, 10000)},
    {"gaze.validity.min_confidence", "Samples with less confidence are not valid",
     CONFIG_DOUBLE, AT(gaze.min_confidence), RANGE(0, 1)},
    {"gaze.validity.hold_ms", "How many milliseconds the last valid sample stands in for missing ones",
     CONFIG_DOUBLE, AT(gaze.hold_ms), RANGE(0, 60000)},
    {"gaze.validity.return_ms", "How many milliseconds the way to the fallback takes",
     CONFIG_DOUBLE, AT(gaze.return_ms), RANGE(0, 10000)},
    {"gaze.validity.fallback", "Where the gaze goes when it is lost; none: frames are shown as drawn",
     CONFIG_ENUM, AT(gaze.fallback), .names = fallback_names},
    {"gaze.late", "Frames of Vulkan programs take the newest sample when the GPU starts on them; not for replays",
     CONFIG_BOOL, AT(gaze.late)},

    {"overlay.marker", "Draw a cross and a ring at the gaze",
     CONFIG_BOOL, AT(overlay.marker)},
    {"overlay.rings", "Draw lines of 2, 5, 10 and 20 degrees of eccentricity; relative: where 1, 1/2, 1/4 and 1/8 of the resolution are left",
     CONFIG_BOOL, AT(overlay.rings)},
    {"overlay.heatmap", "Colour the image by how much it is blurred",
     CONFIG_BOOL, AT(overlay.heatmap)},
    {"overlay.hud", "Write backend, device, times and gaze over the image",
     CONFIG_BOOL, AT(overlay.hud)},
    {"overlay.wipe", "The image left of this x, 0 to 1, is shown as the engine drew it",
     CONFIG_DOUBLE, AT(overlay.wipe_uv), RANGE(0, 1)},
    {"overlay.patch", "A square for a photodiode, lower left; frame: white in every other frame; gaze: white while it is right of the middle",
     CONFIG_ENUM, AT(overlay.patch), .names = patch_names},
    {"overlay.patch_size", "Side of the square for a photodiode, as a part of the view's height",
     CONFIG_DOUBLE, AT(overlay.patch_size), RANGE(0, 0.5)},

    {"record.file", "What names of files begin with that get a line for each frame and its gaze; empty: none; relative to this file",
     CONFIG_PATH, AT(record.file)},

    {"layer.direct", "Kernels see a program's images where they are, if the device lets them; false: vkCmdCopyImage copies them",
     CONFIG_BOOL, AT(layer.direct)},
    {"layer.redraw", "X11 programs that draw on change alone are asked to draw when the gaze, a key or a setting changed what they show",
     CONFIG_BOOL, AT(layer.redraw)},
    {"layer.frozen", "Nothing changes while a program runs: files are read once, keys do nothing, the backend is the one that is named",
     CONFIG_BOOL, AT(layer.frozen)},
    {"layer.provide_gaze", "When OpenXR programs get gaze.source's gaze as XR_EXT_eye_gaze_interaction: never, where the runtime has none, always",
     CONFIG_ENUM, AT(layer.provide_gaze), .names = provide_names},
    {"layer.keys.help", "Keys of the Vulkan layer: list of the keys off and on",
     CONFIG_KEYS, AT(layer.keys.help)},
    {"layer.keys.toggle", "Keys of the Vulkan layer: foveation off and on",
     CONFIG_KEYS, AT(layer.keys.toggle)},
    {"layer.keys.hud", "Keys of the Vulkan layer: HUD off and on",
     CONFIG_KEYS, AT(layer.keys.hud)},
    {"layer.keys.compare", "Keys of the Vulkan layer: while held, the picture as the program drew it",
     CONFIG_KEYS, AT(layer.keys.compare)},
    {"layer.keys.rings", "Keys of the Vulkan layer: rings of eccentricity off and on",
     CONFIG_KEYS, AT(layer.keys.rings)},
    {"layer.keys.marker", "Keys of the Vulkan layer: marker at the gaze off and on",
     CONFIG_KEYS, AT(layer.keys.marker)},
    {"layer.keys.wipe", "Keys of the Vulkan layer: split screen at the pointer off and on",
     CONFIG_KEYS, AT(layer.keys.wipe)},
    {"layer.keys.heatmap", "Keys of the Vulkan layer: heat map off and on",
     CONFIG_KEYS, AT(layer.keys.heatmap)},
    {"layer.keys.stronger", "Keys of the Vulkan layer: more blur",
     CONFIG_KEYS, AT(layer.keys.stronger)},
    {"layer.keys.weaker", "Keys of the Vulkan layer: less blur",
     CONFIG_KEYS, AT(layer.keys.weaker)},
    {"layer.keys.model", "Keys of the Vulkan layer: the strong published model, and back to the configured one",
     CONFIG_KEYS, AT(layer.keys.model)},
    {"layer.keys.reload", "Keys of the Vulkan layer: read the configuration again",
     CONFIG_KEYS, AT(layer.keys.reload)},

    {"apps", "Settings for single programs: \"exe:\" and a pattern of the program's name",
     CONFIG_APPS, .bytes = 0},
};
/* clang-format on */

const size_t config_key_count = sizeof config_keys / sizeof config_keys[0];

const char *fovea_backend_name(enum fovea_backend backend)
{
    size_t count = sizeof backend_names / sizeof backend_names[0] - 1;
    return (size_t)backend < count ? backend_names[backend] : "unknown backend";
}

const struct config_key *config_key_find(const char *path)
{
    for (size_t i = 0; i < config_key_count; i++) {
        if (strcmp(config_keys[i].path, path) == 0) {
            return &config_keys[i];
        }
    }
    return NULL;
}

/* Returns the part of path after "group."; NULL if path does not lie in the group. */
static const char *inside(const char *group, const char *path)
{
    size_t length = strlen(group);
    if (length == 0) {
        return path;
    }
    return strncmp(group, path, length) == 0 && path[length] == '.' ? path + length + 1 : NULL;
}

const char *config_group_first(const char *path)
{
    for (size_t i = 0; i < config_key_count; i++) {
        if (inside(path, config_keys[i].path)) {
            return config_keys[i].path;
        }
    }
    return NULL;
}

struct config_name config_child_name(const char *group, size_t index)
{
    struct config_name name = {0};
    const char *rest = inside(group, config_keys[index].path);
    if (!rest) {
        return name;
    }
    size_t length = strcspn(rest, ".");
    if (index > 0) {
        const char *before = inside(group, config_keys[index - 1].path);
        if (before && strcspn(before, ".") == length && strncmp(before, rest, length) == 0) {
            return name;
        }
    }
    config_words_copy(name.text, sizeof name.text, rest, length);
    return name;
}

size_t config_key_elements(const struct config_key *key)
{
    switch (key->type) {
    case CONFIG_U16:
        return key->bytes / sizeof(uint16_t);
    case CONFIG_U32:
        return key->bytes / sizeof(uint32_t);
    case CONFIG_U64:
        return key->bytes / sizeof(uint64_t);
    case CONFIG_DOUBLE:
        return key->bytes / sizeof(double);
    default:
        return 1;
    }
}

static void add_number_range(struct config_words *words, const struct config_key *key)
{
    if (key->type == CONFIG_U64) {
        config_words_add(words->text, sizeof words->text, "0 to 18446744073709551615");
        return;
    }
    struct config_number least = config_number(key->min);
    struct config_number most = config_number(key->max);
    config_words_add(words->text, sizeof words->text, key->or_zero ? "0 or " : "");
    if (!key->min_excluded && !key->max_excluded) {
        config_words_add(words->text, sizeof words->text, "%s to %s", least.text, most.text);
    } else {
        config_words_add(words->text, sizeof words->text, "%s %s, %s %s",
                         key->min_excluded ? "above" : "at least", least.text,
                         key->max_excluded ? "below" : "at most", most.text);
    }
}

static void add_names(struct config_words *words, const char *const *names)
{
    config_words_add(words->text, sizeof words->text, names[1] ? "one of " : "");
    for (size_t i = 0; names[i]; i++) {
        config_words_add(words->text, sizeof words->text, "%s\"%s\"", i ? ", " : "", names[i]);
    }
}

static void add_operators(struct config_words *words, const char *const *names)
{
    config_words_add(words->text, sizeof words->text, "one or more of ");
    for (size_t i = 0; names[i]; i++) {
        config_words_add(words->text, sizeof words->text, "%s\"%s\"", i ? ", " : "", names[i]);
    }
    config_words_add(words->text, sizeof words->text, ", none twice");
}

static void add_curve(struct config_words *words)
{
    config_words_add(words->text, sizeof words->text,
                     "1 to %d points [degrees, cycles per degree]; degrees rise from 0 or more to "
                     "%g or less, cycles are %g to %g",
                     FOVEA_CURVE_MAX, CONFIG_CURVE_MAX_DEG, CONFIG_CURVE_MIN_CPD,
                     CONFIG_CURVE_MAX_CPD);
}

static void add_table(struct config_words *words)
{
    config_words_add(words->text, sizeof words->text,
                     "2 to %d numbers, 0 or more, that do not fall and do rise; or the name of a "
                     "file of them; or \"\"",
                     FOVEA_DISPLAY_MAX);
}

struct config_words config_key_range(const struct config_key *key)
{
    struct config_words words = {0};
    switch (key->type) {
    case CONFIG_SCHEMA:
        config_words_add(words.text, sizeof words.text, "any");
        break;
    case CONFIG_VERSION:
        config_words_add(words.text, sizeof words.text, "1");
        break;
    case CONFIG_APPS:
        config_words_add(words.text, sizeof words.text, "\"exe:pattern\": settings");
        break;
    case CONFIG_BOOL:
        config_words_add(words.text, sizeof words.text, "true or false");
        break;
    case CONFIG_ENUM:
        add_names(&words, key->names);
        break;
    case CONFIG_STRING:
    case CONFIG_PATH:
        config_words_add(words.text, sizeof words.text, "at most %zu bytes", key->bytes - 1);
        break;
    case CONFIG_KEYS:
        config_words_add(
            words.text, sizeof words.text,
            "1 to %d names of keys with + between them, such as \"Shift_R+F2\", or \"\"",
            KEY_COMBO_MAX);
        break;
    case CONFIG_CURVE:
        add_curve(&words);
        break;
    case CONFIG_OPERATORS:
        add_operators(&words, key->names);
        break;
    case CONFIG_TABLE:
        add_table(&words);
        break;
    default:
        add_number_range(&words, key);
    }
    return words;
}

static const char *kind_of(const struct config_key *key)
{
    switch (key->type) {
    case CONFIG_SCHEMA:
    case CONFIG_STRING:
    case CONFIG_PATH:
    case CONFIG_KEYS:
        return "string";
    case CONFIG_VERSION:
    case CONFIG_DOUBLE:
        return "number";
    case CONFIG_APPS:
        return "object";
    case CONFIG_CURVE:
    case CONFIG_TABLE:
    case CONFIG_OPERATORS:
        return "array";
    case CONFIG_BOOL:
    case CONFIG_ENUM:
        return NULL;
    default:
        return "whole number";
    }
}

struct config_words config_key_expectation(const struct config_key *key)
{
    struct config_words words = {0};
    struct config_words range = config_key_range(key);
    const char *kind = kind_of(key);
    size_t elements = config_key_elements(key);
    if (elements > 1) {
        config_words_add(words.text, sizeof words.text, "an array of %zu %ss, each %s", elements,
                         kind, range.text);
    } else if (kind) {
        config_words_add(words.text, sizeof words.text, "%s %s, %s",
                         strchr("ao", kind[0]) ? "an" : "a", kind, range.text);
    } else {
        config_words_add(words.text, sizeof words.text, "%s", range.text);
    }
    return words;
}
