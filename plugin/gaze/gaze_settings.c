/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_settings.h"

#include "core/log.h"

#include <math.h>
#include <string.h>

struct number_rule {
    const char *name;
    double value;
    double min;
    double max;
};

struct choice_rule {
    const char *name;
    int value;
    int last;
};

static enum fovea_result check_numbers(const struct fovea_gaze_settings *s, struct fovea_log log)
{
    const struct number_rule rules[] = {
        {"gaze.saccades.fixation_ms", s->saccades_fixation_ms, 50, 5000},
        {"gaze.saccades.amplitude_deg", s->saccades_amplitude_deg, 0.1, 60},
        {"gaze.saccades.width_deg", s->saccades_width_deg, 1, 170},
        {"gaze.saccades.blinks_per_minute", s->saccades_blinks_per_minute, 0, 120},
        {"gaze.saliency.rate_hz", s->saliency_rate_hz, 0.1, 120},
        {"gaze.saliency.width_px", s->saliency_width_px, 64, 320},
        {"gaze.saliency.dwell_ms", s->saliency_dwell_ms, 50, 5000},
        {"gaze.saliency.amplitude_deg", s->saliency_amplitude_deg, 0.1, 60},
        {"gaze.saliency.width_deg", s->saliency_width_deg, 1, 170},
        {"gaze.saliency.inhibition_s", s->saliency_inhibition_s, 0, 10},
        {"gaze.saliency.inhibition_deg", s->saliency_inhibition_deg, 0, 60},
        {"gaze.saliency.center_deg", s->saliency_center_deg, 0, 180},
        {"gaze.saliency.motion", s->saliency_motion, 0, 10},
        {"gaze.saliency.foveas", s->saliency_foveas, 1, FOVEA_FOVEAS_MAX},
        {"gaze.filter.min_cutoff_hz", s->filter_min_cutoff_hz, 0.001, 1000},
        {"gaze.filter.beta_per_deg", s->filter_beta_per_deg, 0, 100},
        {"gaze.filter.derivative_cutoff_hz", s->filter_derivative_cutoff_hz, 0.001, 1000},
        {"gaze.filter.median_ms", s->filter_median_ms, 0, 200},
        {"gaze.filter.velocity_deg_s", s->filter_velocity_deg_s, 0, 1000},
        {"gaze.filter.velocity_ms", s->filter_velocity_ms, 0, 100},
        {"gaze.filter.predict_ms", s->filter_predict_ms, 0, 50},
        {"gaze.neon.closed_mm", s->neon_closed_mm, 0, 20},
        {"gaze.vergence.distance_m", s->vergence_distance_m, 0, 100},
        {"gaze.vergence.offset_deg", s->vergence_offset_deg, -20, 20},
        {"gaze.vergence.smooth_ms", s->vergence_smooth_ms, 0, 10000},
        {"gaze.validity.min_confidence", s->min_confidence, 0, 1},
        {"gaze.validity.hold_ms", s->hold_ms, 0, 60000},
        {"gaze.validity.return_ms", s->return_ms, 0, 10000},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct number_rule *rule = &rules[i];
        if (!(rule->value >= rule->min && rule->value <= rule->max)) {
            log_error(log, "%s is %g; it must be %g to %g", rule->name, rule->value, rule->min,
                      rule->max);
            return FOVEA_ERROR_INVALID_ARGUMENT;
        }
    }
    if (!isfinite(s->fixed.x_uv) || !isfinite(s->fixed.y_uv)) {
        log_error(log, "gaze.fixed is %g, %g; it must be finite", s->fixed.x_uv, s->fixed.y_uv);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

static enum fovea_result check_choices(const struct fovea_gaze_settings *s, struct fovea_log log)
{
    const struct choice_rule rules[] = {
        {"gaze.space", (int)s->space, FOVEA_GAZE_SPACE_DEGREES},
        {"gaze.scanpath.time_unit", (int)s->scanpath_time_unit, FOVEA_TIME_UNIT_NS},
        {"gaze.scanpath.eye", (int)s->scanpath_eye, FOVEA_GAZE_EYE_RIGHT},
        {"gaze.udp.format", (int)s->udp_format, FOVEA_UDP_OPENTRACK},
        {"gaze.opengaze.point", (int)s->opengaze_point, FOVEA_OPENGAZE_RIGHT},
        {"gaze.neon.transport", (int)s->neon_transport, FOVEA_NEON_TCP},
        {"gaze.origin", (int)s->origin, FOVEA_GAZE_ORIGIN_CENTER},
        {"gaze.over", (int)s->over, FOVEA_GAZE_OVER_SHOWN},
        {"gaze.filter.eye", (int)s->filter_eye, FOVEA_GAZE_EYE_RIGHT},
        {"gaze.filter.smooth", (int)s->filter_smooth, FOVEA_GAZE_SMOOTH_MEDIAN},
        {"gaze.filter.predict", (int)s->filter_predict, FOVEA_GAZE_PREDICT_LANDING},
        {"gaze.validity.fallback", (int)s->fallback, FOVEA_GAZE_FALLBACK_SALIENCY},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct choice_rule *rule = &rules[i];
        if (rule->value < 0 || rule->value > rule->last) {
            log_error(log, "%s is number %d; there are 0 to %d", rule->name, rule->value,
                      rule->last);
            return FOVEA_ERROR_INVALID_ARGUMENT;
        }
    }
    return FOVEA_OK;
}

static enum fovea_result check_text(const char *name, const char *text, size_t bytes, bool needed,
                                    struct fovea_log log)
{
    if (!memchr(text, '\0', bytes)) {
        log_error(log, "%s is longer than %zu bytes", name, bytes - 1);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (needed && text[0] == '\0') {
        log_error(log, "%s is empty", name);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

/* An angle of 0 says nothing about where a degree lies. */
static enum fovea_result check_degrees(const struct fovea_gaze_settings *s, struct fovea_log log)
{
    for (int axis = 0; axis < 2; axis++) {
        const double deg = s->screen_deg[axis];
        const bool is_known = deg > 0 || s->space != FOVEA_GAZE_SPACE_DEGREES;
        if (!(deg >= 0 && deg <= 179) || !is_known) {
            log_error(
                log,
                "gaze.screen_deg is %g, %g; gaze.space degrees needs the visual angles of the "
                "screen's width and height, above 0, at most 179",
                s->screen_deg[0], s->screen_deg[1]);
            return FOVEA_ERROR_INVALID_ARGUMENT;
        }
    }
    return FOVEA_OK;
}

/* Angles say nothing about where on a picture they are until somebody says how much of it a degree
 * is. */
static enum fovea_result check_angles(const struct fovea_gaze_settings *s, struct fovea_log log)
{
    const bool is_pose = s->kind == FOVEA_GAZE_UDP && s->udp_format == FOVEA_UDP_OPENTRACK;
    if ((is_pose || s->kind == FOVEA_GAZE_OSC) && s->space != FOVEA_GAZE_SPACE_DEGREES) {
        log_error(log,
                  "%s brings angles: set gaze.space=degrees and gaze.screen_deg, the visual angles "
                  "of the screen's width and height",
                  is_pose ? "gaze.udp.format opentrack" : "gaze.source osc");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

/* Pixels of a camera are a place once somebody says how many it has. */
static enum fovea_result check_camera(const struct fovea_gaze_settings *s, struct fovea_log log)
{
    if (s->kind == FOVEA_GAZE_NEON && (s->screen_px[0] == 0 || s->screen_px[1] == 0)) {
        log_error(log, "gaze.source neon brings pixels of the scene camera: set gaze.screen_px to "
                       "its size, [1600,1200] of Neon, [1088,1080] of Invisible");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

/* Degrees of visual angle need to know what the screen has of them. */
static enum fovea_result check_screen(const struct fovea_gaze_settings *s, const char *name,
                                      struct fovea_log log)
{
    if (!(s->screen_deg[0] > 0 && s->screen_deg[1] > 0)) {
        log_error(log,
                  "%s goes by degrees: set gaze.screen_deg, the visual angles of the screen's "
                  "width and height",
                  name);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (s->space == FOVEA_GAZE_SPACE_PIXELS && (s->screen_px[0] == 0 || s->screen_px[1] == 0)) {
        log_error(log, "%s goes by degrees: gaze.space pixels needs gaze.screen_px too", name);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    return FOVEA_OK;
}

/* Velocities are in degrees of visual angle, and only the screen's angles say where those lie. */
static enum fovea_result check_filter(const struct fovea_gaze_settings *s, struct fovea_log log)
{
    const bool is_told = s->filter_velocity_deg_s > 0;
    if (s->filter_predict != FOVEA_GAZE_PREDICT_NONE && !is_told) {
        log_error(log, "gaze.filter.predict needs gaze.filter.velocity_deg_s, which tells what a "
                       "saccade is");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    if (!is_told && s->filter_smooth != FOVEA_GAZE_SMOOTH_ONE_EURO) {
        return FOVEA_OK;
    }
    return check_screen(s, is_told ? "gaze.filter.velocity_deg_s" : "gaze.filter.smooth one-euro",
                        log);
}

/* Places of two eyes are lines of sight by the screen's angles; other sources bring these. */
static enum fovea_result check_vergence(const struct fovea_gaze_settings *s, struct fovea_log log)
{
    const double ipd_mm = s->vergence_ipd_mm;
    if (ipd_mm != 0 && !(ipd_mm >= 20 && ipd_mm <= 100)) {
        log_error(log, "gaze.vergence.ipd_mm is %g; it must be 0 or 20 to 100", ipd_mm);
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const bool is_screen = s->kind == FOVEA_GAZE_OPENGAZE;
    if (ipd_mm > 0 && is_screen && !(s->vergence_distance_m > 0)) {
        log_error(log, "gaze.source opengaze has places on a screen: set gaze.vergence.distance_m, "
                       "the metres to it");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    const bool has_places =
        is_screen || s->kind == FOVEA_GAZE_LSL || s->kind == FOVEA_GAZE_SCANPATH;
    return ipd_mm > 0 && has_places ? check_screen(s, "gaze.vergence.ipd_mm", log) : FOVEA_OK;
}

static enum fovea_result check_lsl(const struct fovea_gaze_settings *s, struct fovea_log log)
{
    const struct {
        const char *name;
        const char *text;
        size_t bytes;
    } texts[] = {{"gaze.lsl.name", s->lsl_name, sizeof s->lsl_name},
                 {"gaze.lsl.type", s->lsl_type, sizeof s->lsl_type},
                 {"gaze.lsl.source_id", s->lsl_source_id, sizeof s->lsl_source_id},
                 {"gaze.lsl.channels", s->lsl_channels, sizeof s->lsl_channels}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        FOVEA_TRY(check_text(texts[i].name, texts[i].text, texts[i].bytes, false, log));
        if (strchr(texts[i].text, '\'') && strchr(texts[i].text, '"')) {
            log_error(log, "%s has both ' and \"; one of them may be in it", texts[i].name);
            return FOVEA_ERROR_INVALID_ARGUMENT;
        }
    }
    return FOVEA_OK;
}

enum fovea_result gaze_settings_check(const struct fovea_gaze_settings *settings,
                                      struct fovea_log log)
{
    FOVEA_TRY(check_choices(settings, log));
    FOVEA_TRY(check_numbers(settings, log));
    FOVEA_TRY(check_degrees(settings, log));
    FOVEA_TRY(check_angles(settings, log));
    FOVEA_TRY(check_camera(settings, log));
    FOVEA_TRY(check_filter(settings, log));
    FOVEA_TRY(check_vergence(settings, log));
    FOVEA_TRY(check_text("gaze.scanpath.columns", settings->scanpath_columns,
                         sizeof settings->scanpath_columns, false, log));
    FOVEA_TRY(check_text(
        "gaze.scanpath.file", settings->scanpath_file, sizeof settings->scanpath_file,
        settings->kind == FOVEA_GAZE_SCANPATH || settings->kind == FOVEA_GAZE_REPLAY, log));
    FOVEA_TRY(check_lsl(settings, log));
    FOVEA_TRY(check_text("gaze.pupil.surface", settings->pupil_surface,
                         sizeof settings->pupil_surface, false, log));
    FOVEA_TRY(check_text("gaze.pupil.address", settings->pupil_address,
                         sizeof settings->pupil_address, settings->kind == FOVEA_GAZE_PUPIL, log));
    FOVEA_TRY(check_text("gaze.neon.address", settings->neon_address, sizeof settings->neon_address,
                         settings->kind == FOVEA_GAZE_NEON, log));
    FOVEA_TRY(check_text("gaze.opengaze.address", settings->opengaze_address,
                         sizeof settings->opengaze_address, settings->kind == FOVEA_GAZE_OPENGAZE,
                         log));
    return check_text("gaze.udp.bind", settings->udp_bind, sizeof settings->udp_bind,
                      settings->kind == FOVEA_GAZE_UDP || settings->kind == FOVEA_GAZE_OSC, log);
}

bool gaze_settings_same(const struct fovea_gaze_settings *a, const struct fovea_gaze_settings *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}
