/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "table.h"

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

/* Of 3.1 to 3100000 microseconds, three digits. */
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
    const struct gaze_name name = settings_gaze_name(table->settings);
    char rate[32] = "no rate of its own";
    if (table->gaze_rate_hz > 0.0) {
        snprintf(rate, sizeof rate, "%.0f Hz", table->gaze_rate_hz);
    }
    row("gaze", "%s, %s; tracked %llu, held %llu, lost %llu frames", name.text, rate,
        (unsigned long long)table->gaze_frames[0], (unsigned long long)table->gaze_frames[1],
        (unsigned long long)table->gaze_frames[2]);
}

static void view_words(const struct fovea_geometry *view, char *out_words, size_t bytes)
{
    if (view->tan_left != 0.0) {
        snprintf(out_words, bytes, "tangents %g %g %g %g", view->tan_left, view->tan_right,
                 view->tan_up, view->tan_down);
    } else if (view->ppd != 0.0) {
        snprintf(out_words, bytes, "%g pixels a degree", view->ppd);
    } else {
        snprintf(out_words, bytes, "%g m wide at %g m", view->screen_width_m, view->distance_m);
    }
}

static void map_words(const struct fovea_foveation *f, const char *view, char *out_words,
                      size_t bytes)
{
    static const char *const eyes[] = {"both eyes", "left eye", "right eye"};
    const char *slash = strrchr(f->map.file, '/');
    char kind[96] = "an array";
    char paper[32];
    if (f->map.kind == FOVEA_MAP_HUMAN) {
        snprintf(kind, sizeof kind, "human, %s", eyes[f->map.eye]);
    } else if (f->map.kind == FOVEA_MAP_STREAK) {
        snprintf(kind, sizeof kind, "streak");
    } else if (f->map.kind == FOVEA_MAP_FILE) {
        snprintf(kind, sizeof kind, "%.80s", slash ? slash + 1 : f->map.file);
    }
    snprintf(paper, sizeof paper, "e_max %g\xc2\xb0", f->paper.e_max_deg);
    snprintf(out_words, bytes, "map %s, law %s, %s", kind,
             f->map.law == FOVEA_MAP_LAW_LINEAR ? "linear" : "sqrt",
             f->map.degrees == FOVEA_MAP_DEGREES_VIEW ? view : paper);
}

/* The law with the numbers that belong to it. */
static void model_words(const struct fovea_foveation *f, char *out_words, size_t bytes)
{
    char view[96];
    view_words(&f->geometry, view, sizeof view);
    switch (f->model) {
    case FOVEA_MODEL_PAPER:
        snprintf(out_words, bytes, "paper, CT0 %.6g, e_max %g\xc2\xb0, f_max %g cpd", f->paper.ct0,
                 f->paper.e_max_deg, f->paper.f_max_cpd);
        break;
    case FOVEA_MODEL_PHYSICAL:
        snprintf(out_words, bytes, "physical, CT0 %.6g, %s", f->physical.ct0, view);
        break;
    case FOVEA_MODEL_CURVE:
        snprintf(out_words, bytes, "curve of %u points, %s", f->curve.count, view);
        break;
    case FOVEA_MODEL_MAP:
        map_words(f, view, out_words, bytes);
        break;
    }
}

/* What is averaged, for every caller. */
static void light_words(const struct fovea_foveation *f, VkFormat format, char *out_words,
                        size_t bytes)
{
    const bool blockwise = f->method == FOVEA_METHOD_BLOCKWISE;
    if (pixels_hold_light(format)) {
        snprintf(out_words, bytes, "light as stored");
    } else if (f->light == FOVEA_LIGHT_GAMMA) {
        snprintf(out_words, bytes, "light by gamma %g", f->display.gamma);
    } else if (f->light == FOVEA_LIGHT_TABLE) {
        snprintf(out_words, bytes, "light by a table of %u", f->display.table_count);
    } else if (f->light == FOVEA_LIGHT_LINEAR || (f->light == FOVEA_LIGHT_AUTO && !blockwise)) {
        snprintf(out_words, bytes, "linear light");
    } else {
        snprintf(out_words, bytes, "encoded values");
    }
}

static void method_words(const struct fovea_foveation *f, VkFormat format, char *out_words,
                         size_t bytes)
{
    const bool blockwise = f->method == FOVEA_METHOD_BLOCKWISE;
    char light[64];
    light_words(f, format, light, sizeof light);
    if (blockwise) {
        snprintf(out_words, bytes, "block-wise, %u px fragments, %s", f->paper.fragment_px, light);
    } else {
        snprintf(out_words, bytes, "smooth, %s", light);
    }
}

static void settings_rows(const struct fovea_foveation *foveation, VkFormat format)
{
    char words[MODEL_BYTES] = "";
    model_words(foveation, words, sizeof words);
    row("model", "%s", words);
    method_words(foveation, format, words, sizeof words);
    row("method", "%s, strength %g", words, foveation->strength);
}

static void settings_line(const struct table *table, char *out_line, size_t bytes)
{
    const struct fovea_foveation *foveation = &table->settings->foveation;
    char model[MODEL_BYTES] = "";
    char method[MODEL_BYTES];
    model_words(foveation, model, sizeof model);
    method_words(foveation, table->engine->renderer->format, method, sizeof method);
    snprintf(out_line, bytes, "model %s; %s, strength %g; gaze %s", model, method,
             foveation->strength, settings_gaze_name(table->settings).text);
}

void table_print(const struct table *table)
{
    const struct targets_desc *targets = &table->engine->targets.desc;
    const struct fovea_vk_stats *stats = &table->stats;
    puts(rule);
    row("backend", "%s: %s", fovea_backend_name(stats->backend), stats->backend_reason);
    row("device", "%s", stats->device_name);
    settings_rows(&table->settings->foveation, table->engine->renderer->format);
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
    if (table->settings->gaze.late) {
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
