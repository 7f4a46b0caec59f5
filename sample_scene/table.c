/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "table.h"

#include "sigmas.h"
#include "values.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MODEL_BYTES 256

static const char rule[] =
    "  ----------------------------------------------------------------------------";

__attribute__((format(printf, 2, 3))) static void row(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("  %-12s ", name);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

static const char *format_words(const struct table *table)
{
    const struct pixels_format *format = pixels_find(table->engine->renderer->format);
    return format ? format->words : "other format";
}

/* Writes 3.1 to 3100000 microseconds in three digits. */
static const char *time_text(double us, char text[static 32])
{
    const char *unit = us < 1000.0 ? "\xc2\xb5s" : us < 1e6 ? "ms" : "s";
    double value = us < 1000.0 ? us : us < 1e6 ? us * 1e-3 : us * 1e-6;
    snprintf(text, 32, "%.*f %s", value < 10.0 ? 2 : value < 100.0 ? 1 : 0, value, unit);
    return text;
}

static const char *who_works(const struct fovea_vk_stats *stats)
{
    return stats->backend == FOVEA_BACKEND_CPU ? "threads of the CPU" : "the GPU";
}

static void gpu_row(const struct fovea_vk_stats *stats)
{
    char p50[32];
    char p99[32];
    if (stats->gpu_time_known) {
        row("foveation", "%s p50, %s p99 on %s", time_text(stats->gpu_p50_us, p50),
            time_text(stats->gpu_p99_us, p99), who_works(stats));
    } else {
        row("foveation", "its time on %s is not known", who_works(stats));
    }
}

static void cpu_row(const struct table *table)
{
    char p50[32];
    char p99[32];
    char whole[32];
    double frames = table->frames ? (double)table->frames : 1.0;
    row("CPU time", "%s a frame; fovea_vk_foveate took %s p50, %s p99",
        time_text(table->cpu_seconds * 1e6 / frames, whole),
        time_text(table->stats.cpu_p50_us, p50), time_text(table->stats.cpu_p99_us, p99));
}

static void late_row(const struct fovea_vk_stats *stats)
{
    if (stats->late_age_p50_ms > 0.0) {
        row("late gaze", "samples were %.2f ms old p50, %.2f ms p99 when frames started",
            stats->late_age_p50_ms, stats->late_age_p99_ms);
    } else {
        row("late gaze", "how old samples were when frames started is not known");
    }
}

static void gaze_row(const struct table *table)
{
    const struct value_words name = value_words(table->settings, "gaze.source");
    const unsigned long long fixations = table->gaze_frames[FOVEA_GAZE_FIXATION];
    const unsigned long long saccades = table->gaze_frames[FOVEA_GAZE_SACCADE];
    const unsigned long long blinks = table->gaze_frames[FOVEA_GAZE_BLINK];
    const unsigned long long tracked =
        fixations + saccades + table->gaze_frames[FOVEA_GAZE_TRACKED];
    const unsigned long long held = blinks + table->gaze_frames[FOVEA_GAZE_HELD];
    char rate[32];
    if (table->gaze_rate_hz > 0.0) {
        snprintf(rate, sizeof rate, "%.0f Hz", table->gaze_rate_hz);
    } else {
        snprintf(rate, sizeof rate, "%s",
                 tracked + held > 0 ? "no rate of its own" : "no samples came");
    }
    row("gaze", "%s, %s; tracked %llu, held %llu, lost %llu frames", name.text, rate, tracked, held,
        (unsigned long long)table->gaze_frames[FOVEA_GAZE_LOST]);
    if (fixations + saccades + blinks > 0) {
        row("eye", "in fixations %llu, in saccades %llu, in blinks %llu frames", fixations,
            saccades, blinks);
    }
}

static void lightfield_row(const struct lightfield *lightfield)
{
    char focus[LIGHTFIELD_WORDS_BYTES];
    lightfield_words(lightfield, "", focus);
    row("light field", "%ux%u lenses; %s", lightfield->geometry.columns, lightfield->geometry.rows,
        focus);
}

static void view_words(const struct fovea_settings *s, char *out_words, size_t bytes)
{
    const double left = value_number(s, "foveation.geometry.tan_left");
    const double ppd = value_number(s, "foveation.geometry.ppd");
    if (left != 0.0) {
        snprintf(out_words, bytes, "tangents %g %g %g %g", left,
                 value_number(s, "foveation.geometry.tan_right"),
                 value_number(s, "foveation.geometry.tan_up"),
                 value_number(s, "foveation.geometry.tan_down"));
    } else if (ppd != 0.0) {
        snprintf(out_words, bytes, "%g pixels a degree", ppd);
    } else {
        snprintf(out_words, bytes, "%g m wide at %g m",
                 value_number(s, "foveation.geometry.screen_width_m"),
                 value_number(s, "foveation.geometry.distance_m"));
    }
}

static void map_words(const struct fovea_settings *s, const char *view, char *out_words,
                      size_t bytes)
{
    struct value_words kind = value_words(s, "foveation.map.kind");
    char paper[32];
    if (value_is(s, "foveation.map.kind", "human")) {
        const struct value_words eye = value_words(s, "foveation.map.eye");
        snprintf(kind.text, sizeof kind.text, "human, %.20s %s", eye.text,
                 strcmp(eye.text, "both") == 0 ? "eyes" : "eye");
    } else if (value_is(s, "foveation.map.kind", "file")) {
        kind = value_words(s, "foveation.map.file");
    }
    snprintf(paper, sizeof paper, "e_max %g\xc2\xb0", value_number(s, "foveation.paper.e_max_deg"));
    snprintf(out_words, bytes, "map %.80s, law %.10s, %s", kind.text,
             value_words(s, "foveation.map.law").text,
             value_is(s, "foveation.map.degrees", "view") ? view : paper);
}

/* The law with the numbers that belong to it. */
static void model_words(const struct fovea_settings *s, char *out_words, size_t bytes)
{
    char view[96];
    view_words(s, view, sizeof view);
    if (value_is(s, "foveation.model", "paper")) {
        snprintf(out_words, bytes, "paper, CT0 %.6g, e_max %g\xc2\xb0, f_max %g cpd",
                 value_number(s, "foveation.paper.ct0"),
                 value_number(s, "foveation.paper.e_max_deg"),
                 value_number(s, "foveation.paper.f_max_cpd"));
    } else if (value_is(s, "foveation.model", "physical")) {
        snprintf(out_words, bytes, "physical, CT0 %.6g, %s",
                 value_number(s, "foveation.physical.ct0"), view);
    } else if (value_is(s, "foveation.model", "curve")) {
        snprintf(out_words, bytes, "curve of %u points, %s", value_count(s, "foveation.curve"),
                 view);
    } else if (value_is(s, "foveation.model", "relative")) {
        snprintf(out_words, bytes, "relative, sharp %g, halving %g",
                 value_number(s, "foveation.relative.sharp"),
                 value_number(s, "foveation.relative.halving"));
    } else {
        map_words(s, view, out_words, bytes);
    }
}

static bool is_blockwise(const struct fovea_settings *s)
{
    return value_is(s, "foveation.method", "blockwise");
}

/* Says which light is averaged, for every caller. */
static void light_words(const struct fovea_settings *s, VkFormat format, char *out_words,
                        size_t bytes)
{
    const struct value_words light = value_words(s, "foveation.light");
    if (pixels_hold_light(format)) {
        snprintf(out_words, bytes, "light as stored");
    } else if (strcmp(light.text, "gamma") == 0) {
        snprintf(out_words, bytes, "light by gamma %g", value_number(s, "foveation.display.gamma"));
    } else if (strcmp(light.text, "table") == 0) {
        snprintf(out_words, bytes, "light by a table of %u",
                 value_count(s, "foveation.display.table"));
    } else if (strcmp(light.text, "linear") == 0 ||
               (strcmp(light.text, "auto") == 0 && !is_blockwise(s))) {
        snprintf(out_words, bytes, "linear light");
    } else {
        snprintf(out_words, bytes, "encoded values");
    }
}

static void method_words(const struct fovea_settings *s, VkFormat format, char *out_words,
                         size_t bytes)
{
    char light[64];
    light_words(s, format, light, sizeof light);
    if (is_blockwise(s)) {
        snprintf(out_words, bytes, "block-wise, %g px fragments, %s",
                 value_number(s, "foveation.paper.fragment_px"), light);
    } else {
        snprintf(out_words, bytes, "smooth, %s", light);
    }
}

static void words_of_blur(const struct fovea_settings *s, char *out_words, size_t bytes)
{
    const double radius =
        value_is(s, "blur.engine", "fft") ? value_number(s, "blur.radius_px") : 0.0;
    snprintf(out_words, bytes, "%s, %s %g px", value_words(s, "blur.engine").text,
             radius > 0.0 ? "radius" : "\xcf\x83",
             radius > 0.0 ? radius : value_number(s, "blur.sigma_px"));
}

static void words_of_dof(const struct fovea_settings *s, char *out_words, size_t bytes)
{
    char focus[48] = "follows the gaze";
    if (value_is(s, "dof.focus", "fixed")) {
        snprintf(focus, sizeof focus, "at %g m", value_number(s, "dof.focus_m"));
    }
    if (value_is(s, "dof.lens", "eye")) {
        snprintf(out_words, bytes, "eye, pupil of %g mm, focus %s", value_number(s, "dof.pupil_mm"),
                 focus);
    } else {
        snprintf(out_words, bytes, "camera, %g mm f/%g, focus %s", value_number(s, "dof.focal_mm"),
                 value_number(s, "dof.f_number"), focus);
    }
}

static void settings_rows(const struct fovea_settings *settings, VkFormat format)
{
    char words[MODEL_BYTES] = "";
    const struct value_words operators = value_operators(settings);
    if (operators.text[0]) {
        row("operators", "%s", operators.text);
    }
    if (sigmas_have(settings, "foveate")) {
        model_words(settings, words, sizeof words);
        row("model", "%s", words);
        method_words(settings, format, words, sizeof words);
        row("method", "%s, strength %g", words, value_number(settings, "foveation.strength"));
    }
    if (sigmas_have(settings, "blur")) {
        words_of_blur(settings, words, sizeof words);
        row("blur", "%s", words);
    }
    if (sigmas_have(settings, "dof")) {
        words_of_dof(settings, words, sizeof words);
        row("dof", "%s", words);
    }
}

static void settings_line(const struct table *table, char *out_line, size_t bytes)
{
    const struct fovea_settings *s = table->settings;
    char words[3][MODEL_BYTES] = {"", "", ""};
    char model[MODEL_BYTES];
    char method[MODEL_BYTES];
    const struct value_words operators = value_operators(s);
    if (sigmas_have(s, "foveate")) {
        model_words(s, model, sizeof model);
        method_words(s, table->engine->renderer->format, method, sizeof method);
        snprintf(words[0], sizeof words[0], "model %.120s; %.80s, strength %g; ", model, method,
                 value_number(s, "foveation.strength"));
    }
    if (sigmas_have(s, "blur")) {
        words_of_blur(s, model, sizeof model);
        snprintf(words[1], sizeof words[1], "blur %.80s; ", model);
    }
    if (sigmas_have(s, "dof")) {
        words_of_dof(s, model, sizeof model);
        snprintf(words[2], sizeof words[2], "dof %.80s; ", model);
    }
    const bool several =
        strchr(operators.text, ',') || !(words[0][0] || words[1][0] || words[2][0]);
    snprintf(out_line, bytes, "%s%s%s%s%sgaze %s", several ? operators.text : "",
             several ? "; " : "", words[0], words[1], words[2], value_words(s, "gaze.source").text);
}

void table_print(const struct table *table)
{
    const struct targets_desc *targets = &table->engine->targets.desc;
    const struct fovea_vk_stats *stats = &table->stats;
    puts(rule);
    row("backend", "%s: %s", fovea_backend_name(stats->backend), stats->backend_reason);
    row("device", "%s", stats->device_name);
    settings_rows(table->settings, table->engine->renderer->format);
    row("frames", "%llu of %ux%u %s, %llu foveated, %llu passed through",
        (unsigned long long)table->frames, targets->extent.width, targets->extent.height,
        format_words(table), (unsigned long long)stats->frames,
        (unsigned long long)stats->frames_passed_through);
    if (foveation_failed_frames(table->engine->foveation) > 0) {
        row("", "%llu were not taken by Fovea and are as they were drawn",
            (unsigned long long)foveation_failed_frames(table->engine->foveation));
    }
    row("images", "%s; synchronised by %s",
        targets->made
            ? (table->files ? "made by Fovea, no copy" : "made by Fovea, one copy to the window")
            : "the engine's, copied in and out",
        stats->sync);
    row("speed", "%.1f fps, drawing and foveation, files left out",
        table->seconds > 0.0 ? (double)table->frames / table->seconds : 0.0);
    gpu_row(stats);
    cpu_row(table);
    gaze_row(table);
    if (table->engine->lightfield) {
        lightfield_row(table->engine->lightfield);
    }
    if (value_is(table->settings, "gaze.late", "true")) {
        late_row(&table->stats);
    }
    if (table->files) {
        row("files", "%s", table->files);
    }
    puts(rule);
}

static void times_line(const struct table *table, char *out_line, size_t bytes)
{
    char p50[32];
    char p99[32];
    const struct fovea_vk_stats *stats = &table->stats;
    if (stats->gpu_time_known) {
        snprintf(out_line, bytes, "foveation %s p50, %s p99 on %s; %.1f fps",
                 time_text(stats->gpu_p50_us, p50), time_text(stats->gpu_p99_us, p99),
                 who_works(stats), (double)table->frames / table->seconds);
    } else {
        snprintf(out_line, bytes, "time of the foveation not known; %.1f fps",
                 (double)table->frames / table->seconds);
    }
}

void table_caption(const struct table *table, char *out_line, size_t bytes, int line)
{
    if (line == 0) {
        settings_line(table, out_line, bytes);
    } else if (line == 1) {
        const VkExtent2D extent = table->engine->targets.desc.extent;
        snprintf(out_line, bytes, "backend %s on %s; %ux%u %s, %s",
                 fovea_backend_name(table->stats.backend), table->stats.device_name, extent.width,
                 extent.height, format_words(table),
                 table->engine->targets.desc.made ? "no copy" : "copied in and out");
    } else {
        times_line(table, out_line, bytes);
    }
}
