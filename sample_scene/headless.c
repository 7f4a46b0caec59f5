/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "headless.h"

#include "headset.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"
#include "say.h"
#include "table.h"
#include "values.h"

#include <stdio.h>

#define DEFAULT_FRAMES 240

struct run {
    struct engine *engine;
    struct settings *settings;
    struct output output;
    struct table table;
    uint64_t gazes; /* frames that had one */
    char hud[LIGHTFIELD_WORDS_BYTES];
};

static bool one_frame(struct run *run, uint64_t number)
{
    const VkExtent2D extent = run->engine->targets.desc.extent;
    struct frames_request request = {.number = number,
                                     .time_s = (double)number / FRAME_HZ,
                                     .capture = output_wants(&run->output, number)};
    int64_t scene_ns = (int64_t)(number * 1000000000u / FRAME_HZ);
    const uint32_t width_px = headset_eye_width_px(extent.width, run->engine->targets.desc.eyes);
    request.gaze = settings_gaze(run->settings, scene_ns, width_px, extent.height);
    request.vergence_m = settings_vergence_m(run->settings, scene_ns);
    if (run->engine->lightfield) {
        lightfield_words(run->engine->lightfield, "", run->hud);
        request.hud = run->hud;
    }
    run->table.gaze_frames[request.gaze.state]++;
    run->gazes += request.gaze.usable;
    if (request.gaze.rate_hz > run->table.gaze_rate_hz) {
        run->table.gaze_rate_hz = request.gaze.rate_hz;
    }
    return frames_run(&run->engine->frames, &request);
}

/* The time that the sink takes is not the scene's, and is subtracted. */
static bool all_frames(struct run *run, uint64_t count, bool quiet)
{
    struct progress progress = progress_start(count, !quiet);
    int64_t start_ns = fovea_time_ns();
    double start_cpu = frames_thread_cpu_s();
    uint64_t done = 0;
    bool fine = true;
    while (fine && done < count && !interrupt_seen()) {
        fine = one_frame(run, done);
        done += fine;
        progress_update(&progress, done);
    }
    fine = frames_drain(&run->engine->frames) && fine;
    double sink_s = (double)run->engine->frames.sink_ns * 1e-9;
    run->table.seconds = (double)(fovea_time_ns() - start_ns) * 1e-9 - sink_s;
    run->table.cpu_seconds = frames_thread_cpu_s() - start_cpu - run->engine->frames.sink_cpu_s;
    run->table.frames = done;
    progress_end(&progress);
    return fine;
}

/* Frames without a gaze pass through as they should; those with one do where the settings ask for
 * what cannot be done. */
static bool all_passed_through(const struct run *run)
{
    return run->gazes > 0 && run->table.stats.frames == 0 &&
           run->table.stats.frames_passed_through > 0;
}

static bool write_panels(struct run *run)
{
    char lines[PANELS_CAPTION_LINES][512];
    const char *caption[PANELS_CAPTION_LINES];
    for (int i = 0; i < PANELS_CAPTION_LINES; i++) {
        table_caption(&run->table, lines[i], sizeof lines[i], i);
        caption[i] = lines[i];
    }
    return output_write_panels(&run->output, caption, run->table.stats.frames == 0);
}

static bool run_frames(struct run *run, const struct options *options, uint64_t count)
{
    struct engine *engine = run->engine;
    engine->frames.sink = output_take;
    engine->frames.sink_user = &run->output;
    bool fine = all_frames(run, count, options->quiet);
    fine = foveation_stats(engine->foveation, &run->table.stats) && fine;
    fine = write_panels(run) && fine;
    fine = fine && foveation_failed_frames(engine->foveation) == 0;
    fine = fine && settings_kept_backend(run->settings, run->table.stats.backend);
    if (fine && all_passed_through(run)) {
        say_error("no frame was foveated: all are shown as drawn, for the reason above");
        fine = false;
    }
    output_finish(&run->output); /* ffmpeg has written its file when the table names it */
    fflush(stderr);
    table_print(&run->table);
    return fine && !run->output.failed;
}

bool headless_run(struct engine *engine, struct settings *settings, const struct options *options)
{
    uint64_t count = options->frames ? options->frames : DEFAULT_FRAMES;
    struct run run = {.engine = engine, .settings = settings};
    const struct targets_desc targets = {.extent = {options->width_px, options->height_px},
                                         .eyes = options->hmd ? 2 : 1,
                                         .made = !options->copy,
                                         .own_dst = true,
                                         .readback = true};
    const struct output_desc output = {.folder = options->output,
                                       .format = engine->renderer->format,
                                       .extent = targets.extent,
                                       .eyes = targets.eyes,
                                       .frames = count,
                                       .video = !options->no_video,
                                       .settings = settings->now};
    run.table = (struct table){
        .engine = engine, .options = options, .settings = settings->now, .files = options->output};
    if (!engine_fit(engine, &targets) || !output_init(&run.output, &output)) {
        output_finish(&run.output);
        return false;
    }
    return run_frames(&run, options, count);
}
