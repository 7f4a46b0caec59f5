/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "window.h"

#include "headset.h"
#include "interrupt.h"
#include "keys.h"
#include "swapchain.h"
#include "table.h"
#include "values.h"

#include <SDL_vulkan.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_WINDOW_EXTENSIONS 8
#define TITLE_NS 500000000

struct window {
    SDL_Window *handle;
    struct engine *engine;
    struct settings *settings;
    const struct options *options;
    VkSurfaceKHR surface;
    struct swapchain swapchain;
    struct keys keys;
    uint64_t number;
    double scene_s;
    int64_t start_ns;
    int64_t last_ns;
    int64_t title_ns;
    uint64_t title_number;
    double fps;
    struct table table;
    char hud[LIGHTFIELD_WORDS_BYTES];
};

/* ---- Opening ---- */

static bool open_window(struct window *window)
{
    const int width = (int)window->options->width_px;
    const int height = (int)window->options->height_px;
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        say_error("--window: there is no display: %s", SDL_GetError());
        return false;
    }
    window->handle = SDL_CreateWindow(
        "Fovea demo", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, width, height,
        SDL_WINDOW_VULKAN | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI |
            (window->options->fullscreen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0u));
    if (!window->handle) {
        const bool display = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
        say_error("--window: no window: %s%s", SDL_GetError(),
                  display ? "" : "; neither DISPLAY nor WAYLAND_DISPLAY names a display");
        return false;
    }
    return true;
}

static bool open_surface(struct window *window)
{
    const char *names[MAX_WINDOW_EXTENSIONS];
    unsigned count = MAX_WINDOW_EXTENSIONS;
    if (!SDL_Vulkan_GetInstanceExtensions(window->handle, &count, names)) {
        say_error("--window: no Vulkan for this display: %s", SDL_GetError());
        return false;
    }
    const struct gpu_instance_desc desc = {names, count, window->options->validate};
    if (!gpu_open_instance(&window->engine->gpu, &desc)) {
        return false;
    }
    if (!SDL_Vulkan_CreateSurface(window->handle, window->engine->gpu.instance, &window->surface)) {
        say_error("--window: no surface for this window: %s", SDL_GetError());
        return false;
    }
    return true;
}

static uint32_t eyes_of(const struct options *options)
{
    return options->hmd ? 2 : 1;
}

/* Swapchain and targets for the size that the window has now. */
static bool fit(struct window *window)
{
    int width = 0;
    int height = 0;
    struct engine *engine = window->engine;
    if (engine->targets.arena.gpu && !frames_drain(&engine->frames)) {
        return false;
    }
    VK_TRY(vkDeviceWaitIdle(engine->gpu.device));
    SDL_Vulkan_GetDrawableSize(window->handle, &width, &height);
    targets_finish(&engine->targets);
    window->keys.resized = false;
    if (!swapchain_make(&window->swapchain, (VkExtent2D){(uint32_t)width, (uint32_t)height})) {
        return false;
    }
    const struct targets_desc desc = {.extent = window->swapchain.extent,
                                      .eyes = eyes_of(window->options),
                                      .made = !window->options->copy};
    return desc.extent.width == 0 || desc.extent.height == 0 || engine_fit(engine, &desc);
}

static bool open_all(struct window *window)
{
    struct engine *engine = window->engine;
    struct gpu_device_desc device = {.index = window->options->device,
                                     .backend = value_backend(window->settings->now),
                                     .records = value_names(window->settings->now, "record.file")};
    if (!open_window(window) || !open_surface(window)) {
        return false;
    }
    device.surface = window->surface;
    if (!gpu_open_device(&engine->gpu, &device)) {
        return false;
    }
    window->swapchain.gpu = &engine->gpu;
    window->swapchain.surface = window->surface;
    if (!swapchain_choose_format(&window->swapchain, window->options->format)) {
        return false;
    }
    const struct engine_desc desc = {.options = window->options,
                                     .settings = window->settings->now,
                                     .format = window->swapchain.format.format};
    if (!engine_init(engine, &desc)) {
        return false;
    }
    settings_follow(window->settings, engine->foveation);
    return fit(window);
}

static void close_all(struct window *window)
{
    struct engine *engine = window->engine;
    if (engine->gpu.device && vkDeviceWaitIdle(engine->gpu.device) < 0) {
        say_note("the device did not finish its work");
    }
    swapchain_finish(&window->swapchain);
    if (window->surface) {
        vkDestroySurfaceKHR(engine->gpu.instance, window->surface, NULL);
    }
    settings_follow(window->settings, NULL);
    engine_finish(engine);
    if (window->handle) {
        SDL_DestroyWindow(window->handle);
    }
    SDL_Quit();
}

/* ---- Settings ---- */

/* The mouse points at what is shown, of one of the eyes; sources give gazes over the picture that
 * both share, as it is drawn. */
static struct fovea_point_uv gaze_of_mouse(struct window *window)
{
    const VkExtent2D extent = window->swapchain.extent;
    const uint32_t eyes = eyes_of(window->options);
    const uint32_t eye = eyes > 1 && window->keys.mouse_uv[0] >= 0.5 ? 1 : 0;
    const struct fovea_point_uv place = {eyes * window->keys.mouse_uv[0] - eye,
                                         window->keys.mouse_uv[1]};
    const VkExtent2D of_eye = {headset_eye_width_px(extent.width, eyes), extent.height};
    const struct fovea_geometry geometry = headset_geometry(eye, of_eye.width, of_eye.height);
    struct fovea_point_uv gaze = foveation_gaze_at(window->engine->foveation, of_eye, eye,
                                                   eyes > 1 ? &geometry : NULL, place);
    gaze.x_uv = headset_shared_x_uv(gaze.x_uv, eye, eyes, of_eye.width, of_eye.height);
    return gaze;
}

static void push_mouse(struct window *window)
{
    if (!value_is(window->settings->now, "gaze.source", "mouse")) {
        return;
    }
    const struct fovea_point_uv gaze = gaze_of_mouse(window);
    struct fovea_gaze_sample sample = {
        .x = gaze.x_uv, .y = gaze.y_uv, .t_ns = fovea_time_ns(), .confidence = 1.0};
    if (fovea_gaze_source_push(window->settings->source, &sample) < 0) {
        say_note("a position of the mouse was not taken");
    }
}

static void apply(struct window *window)
{
    struct keys *keys = &window->keys;
    if (keys->help_asked) {
        keys->help_asked = false;
        printf("%s\n", keys_help());
        fflush(stdout);
    }
    if (keys->reload_asked) {
        keys->reload_asked = false;
        keys->changed |= settings_reload(window->settings, window->options);
    } else if (settings_poll(window->settings)) {
        keys->changed = true;
    }
    if (keys->changed) {
        struct fovea_settings *settings = keys_settings(keys);
        keys->changed = false;
        if (settings) {
            engine_set(window->engine, settings);
        }
        fovea_settings_destroy(&settings);
    }
}

/* ---- Frames ---- */

static void show_title(struct window *window, int64_t now_ns)
{
    char title[200];
    char focus[LIGHTFIELD_WORDS_BYTES] = "";
    struct fovea_vk_stats stats = {.struct_bytes = sizeof stats};
    if (now_ns - window->title_ns < TITLE_NS ||
        !foveation_stats(window->engine->foveation, &stats)) {
        return;
    }
    window->fps = (double)(window->number - window->title_number) /
                  ((double)(now_ns - window->title_ns) * 1e-9);
    window->title_ns = now_ns;
    window->title_number = window->number;
    if (window->engine->lightfield) {
        lightfield_words(window->engine->lightfield, ", ", focus);
    }
    snprintf(title, sizeof title, "Fovea demo: %s, %.1f fps, strength %.2f, gaze %s%s%s",
             fovea_backend_name(stats.backend), window->fps,
             value_number(window->settings->now, "foveation.strength"),
             value_words(window->settings->now, "gaze.source").text, focus,
             window->keys.paused ? ", paused" : "");
    SDL_SetWindowTitle(window->handle, title);
}

static struct frames_request request_of(struct window *window, int64_t now_ns)
{
    const VkExtent2D extent = window->swapchain.extent;
    if (!window->keys.paused) {
        window->scene_s += (double)(now_ns - window->last_ns) * 1e-9;
    }
    window->last_ns = now_ns;
    struct frames_request request = {.number = window->number, .time_s = window->scene_s};
    push_mouse(window);
    request.gaze =
        settings_gaze(window->settings, now_ns - window->start_ns,
                      headset_eye_width_px(extent.width, eyes_of(window->options)), extent.height);
    request.vergence_m = settings_vergence_m(window->settings, now_ns - window->start_ns);
    if (window->engine->lightfield) {
        lightfield_words(window->engine->lightfield, "", window->hud);
    }
    request.hud = window->keys.help ? keys_help() : *window->hud ? window->hud : NULL;
    window->table.gaze_frames[request.gaze.state]++;
    if (request.gaze.rate_hz > window->table.gaze_rate_hz) {
        window->table.gaze_rate_hz = request.gaze.rate_hz;
    }
    return request;
}

static bool one_frame(struct window *window)
{
    struct swapchain *swapchain = &window->swapchain;
    uint32_t index = 0;
    if (!frames_wait(&window->engine->frames, window->number)) {
        return false;
    }
    enum swapchain_outcome outcome = swapchain_acquire(swapchain, window->number, &index);
    if (outcome != SWAPCHAIN_FINE) {
        window->keys.resized = true;
        return outcome == SWAPCHAIN_STALE;
    }
    struct frames_surface surface = {.image = {.image = swapchain->images[index],
                                               .format = swapchain->format.format,
                                               .extent = swapchain->extent},
                                     .acquired =
                                         swapchain->acquired[window->number % FRAMES_IN_FLIGHT],
                                     .finished = swapchain->finished[index]};
    struct frames_request request = request_of(window, fovea_time_ns());
    request.surface = &surface;
    if (!frames_run(&window->engine->frames, &request)) {
        return false;
    }
    outcome = swapchain_present(swapchain, index,
                                foveation_present(window->engine->foveation, swapchain->present));
    window->keys.resized |= outcome == SWAPCHAIN_STALE;
    window->number++;
    return outcome != SWAPCHAIN_FAILED;
}

static bool step(struct window *window)
{
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        keys_take(&window->keys, &event, window->handle);
    }
    apply(window);
    if (window->keys.resized && !fit(window)) {
        return false;
    }
    if (window->swapchain.image_count == 0) { /* minimised */
        SDL_WaitEventTimeout(NULL, 100);
        window->keys.resized = true;
        return true;
    }
    show_title(window, fovea_time_ns());
    return one_frame(window);
}

static bool run_frames(struct window *window)
{
    uint64_t last = window->options->frames ? window->options->frames : UINT64_MAX;
    double start_cpu_s = frames_thread_cpu_s();
    bool fine = true;
    window->start_ns = window->last_ns = window->title_ns = fovea_time_ns();
    while (fine && !window->keys.quit && window->number < last && !interrupt_seen()) {
        fine = step(window);
    }
    window->table.seconds = (double)(fovea_time_ns() - window->start_ns) * 1e-9;
    window->table.cpu_seconds = frames_thread_cpu_s() - start_cpu_s;
    window->table.frames = window->number;
    if (fine && window->swapchain.image_count > 0) {
        fine = frames_drain(&window->engine->frames) &&
               foveation_stats(window->engine->foveation, &window->table.stats);
        window->table.settings = window->settings->now;
        table_print(&window->table);
        fine = fine && settings_kept_backend(window->settings, window->table.stats.backend);
    }
    return fine && foveation_failed_frames(window->engine->foveation) == 0;
}

bool window_run(struct engine *engine, struct settings *settings, const struct options *options)
{
    struct window window = {.engine = engine, .settings = settings, .options = options};
    window.keys = (struct keys){.settings = settings, .wipe_uv = 0.5, .mouse_uv = {0.5, 0.5}};
    window.table = (struct table){.engine = engine, .options = options};
    bool done = open_all(&window) && run_frames(&window);
    close_all(&window);
    return done;
}
