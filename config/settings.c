/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "agree.h"
#include "core/log.h"
#include "unused.h"
#include "value.h"

#include <string.h>

static const struct fovea_settings standard =
    {
        .backend = FOVEA_BACKEND_AUTO,
        .backend_measure = FOVEA_MEASURE_CACHED,
        .cuda_context = FOVEA_CUDA_CONTEXT_SHARED,
        .operators = {.count = 1},
        .own =
            {
#define OPERATOR_NUMBER(name, setting, standard, least, most, help) .name##_##setting = (standard),
#define OPERATOR_WORD(name, setting, standard, help, ...) .name##_##setting = (standard),
#include "kernels/operators.def"
            },
        .foveation =
            {
                .model = FOVEA_MODEL_PAPER,
                .method = FOVEA_METHOD_SMOOTH,
                .light = FOVEA_LIGHT_AUTO,
                .display = {.gamma = 2.2, .hlg_peak_cd_m2 = 1000},
                .strength = 1,
                .cutoff_gain = 0.60653065971263342, /* exp(-1/2): sigma of the paper */
                .alpha = FOVEA_ALPHA_KEEP,
                .paper = {.ct0 = 1.0 / 64,
                          .alpha = 0.106,
                          .e2_deg = 2.3,
                          .e_max_deg = 100,
                          .f_max_cpd = 30,
                          .fragment_px = 32,
                          .filter_length = FOVEA_FILTER_LENGTH_CODE},
                .physical = {.ct0 = 1.0 / 64, .alpha = 0.106, .e2_deg = 2.3},
                /* Limits of resolution that the program of Tariq et al. 2022 ascribes to Thibos,
                 * Cheney and Walsh 1987; at 5 degrees a third of its limit of detection, 40, as the
                 * paper's abstract has it: the program's own 27 is twice what the paper and the
                 * other laws say. */
                .curve = {.count = 9,
                          .eccentricity_deg = {0, 5, 10, 15, 20, 25, 30, 35, 70},
                          .cutoff_cpd = {60, 13, 10.5, 8, 5.5, 4.8, 4, 3, 2}},
                .map = {.width_deg = 200.0, .floor = 0.0001},
                .geometry = {.screen_width_m = 0.53, .distance_m = 0.6},
                .relative = {.sharp = 0.25, .halving = 0.25},
            },
        .gaze = {.kind = FOVEA_GAZE_FIXED,
                 .space = FOVEA_GAZE_SPACE_UV,
                 .origin = FOVEA_GAZE_ORIGIN_TOP_LEFT,
                 .over = FOVEA_GAZE_OVER_DRAWN,
                 .fixed = {0.5, 0.5},
                 .scanpath_loop = true,
                 .saccades_seed = 1,
                 .saccades_fixation_ms = 300,
                 .saccades_amplitude_deg = 5,
                 .saccades_width_deg = 47.7, /* of the default geometry */
                 .saccades_blinks_per_minute = 12,
                 .saliency_seed = 1,
                 .saliency_rate_hz = 5,
                 .saliency_width_px = 160,
                 .saliency_dwell_ms = 300,
                 .saliency_amplitude_deg = 4,
                 .saliency_width_deg = 47.7,
                 .saliency_inhibition_s = 1.5,
                 .saliency_inhibition_deg = 3,
                 .saliency_center_deg = 15,
                 .saliency_foveas = 1,
                 .udp_bind = "127.0.0.1",
                 .udp_port = 5005,
                 .opengaze_address = "127.0.0.1",
                 .opengaze_port = 4242,
                 .osc_port = 9000,
                 .pupil_address = "127.0.0.1",
                 .pupil_port = 50020,
                 .neon_address = "127.0.0.1",
                 .neon_port = 8086,
                 .filter_min_cutoff_hz = 1,
                 .filter_beta_per_deg = 1,
                 .filter_derivative_cutoff_hz = 1,
                 .filter_median_ms = 20,
                 .filter_velocity_ms = 10,
                 .filter_jump = true,
                 .filter_predict_ms = 10,
                 .vergence_smooth_ms = 250,
                 .min_confidence = 0.5,
                 .hold_ms = 600,
                 .return_ms = 150,
                 .fallback = FOVEA_GAZE_FALLBACK_CENTER},
        .overlay = {.patch_size = 0.1},
        /* Not Shift_R with F9 to F12, Shift_L with F1 to F4, Home: those are MangoHud's and
         * vkBasalt's. */
        .layer = {.keys = {.help = "Shift_R+F1",
                           .toggle = "Shift_R+F2",
                           .hud = "Shift_R+F3",
                           .compare = "Shift_R+F4",
                           .rings = "Shift_R+F5",
                           .marker = "Shift_R+F6",
                           .wipe = "Shift_R+F7",
                           .heatmap = "Shift_R+F8",
                           .stronger = "Shift_R+Page_Up",
                           .weaker = "Shift_R+Page_Down",
                           .model = "Shift_R+Insert",
                           .reload = "Shift_R+End"},
                  .direct = true,
                  .redraw = true},
        .cpu_threads = 0,
        .watchdog_ms = 1000,
        .log_level = FOVEA_LOG_INFO,
};

const struct fovea_settings *config_settings_standard(void)
{
    return &standard;
}

struct fovea_settings fovea_settings_default(void)
{
    return standard;
}

/* It checks the settings whose paths begin so. */
static enum fovea_result check_values(const struct fovea_settings *settings, const char *begin,
                                      struct fovea_log log)
{
    const size_t length = strlen(begin);
    for (size_t i = 0; i < config_key_count; i++) {
        struct config_words found;
        if (strncmp(config_keys[i].path, begin, length) == 0 &&
            !config_value_check(&config_keys[i], settings, &found)) {
            log_error(log, "%s is %s; it must be %s", config_keys[i].path, found.text,
                      config_key_range(&config_keys[i]).text);
            return FOVEA_ERROR_INVALID_ARGUMENT;
        }
    }
    return FOVEA_OK;
}

static enum fovea_result say_unless(bool agree, const struct config_words *complaint,
                                    struct fovea_log log)
{
    if (!agree) {
        log_error(log, "%s", complaint->text);
    }
    return agree ? FOVEA_OK : FOVEA_ERROR_INVALID_ARGUMENT;
}

enum fovea_result config_geometry_check(const struct fovea_geometry *geometry,
                                        struct fovea_settings *scratch, struct fovea_log log)
{
    scratch->foveation.geometry = *geometry;
    FOVEA_TRY(check_values(scratch, "foveation.geometry.", log));
    struct config_words complaint;
    return say_unless(config_geometry_agrees(geometry, &complaint), &complaint, log);
}

enum fovea_result config_foveation_check(const struct fovea_settings *settings,
                                         struct fovea_log log)
{
    FOVEA_TRY(check_values(settings, "foveation.", log));
    struct config_words complaint;
    return say_unless(config_foveation_agrees(&settings->foveation, &complaint), &complaint, log);
}

enum fovea_result config_settings_check(const struct fovea_settings *settings, struct fovea_log log)
{
    if (!settings) {
        log_error(log, "settings is NULL");
        return FOVEA_ERROR_INVALID_ARGUMENT;
    }
    FOVEA_TRY(check_values(settings, "", log));
    struct config_words complaint;
    return say_unless(config_settings_agree(settings, &complaint), &complaint, log);
}

enum fovea_result fovea_settings_check(const struct fovea_settings *settings, struct fovea_log log)
{
    FOVEA_TRY(config_settings_check(settings, log));
    config_unused_log(settings, config_settings_standard(), log);
    return FOVEA_OK;
}
