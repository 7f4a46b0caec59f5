/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A light field in a window of SDL2. */

#include "lightfield_gaze.h"

#include "interrupt.h"
#include "say.h"

#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_NS 250000000

struct window {
    struct gaze_chain chain;
    SDL_Window *handle;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    struct fovea_point_uv mouse;
    int64_t title_ns;
    uint32_t frames, title_frames;
    bool is_over;
};

static bool open_window(struct window *window, const struct gaze_wishes *wishes)
{
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        say_error("--window: there is no display: %s", SDL_GetError());
        return false;
    }
    /* SDL's drivers without a display take anything, and show it to nobody. */
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!getenv("SDL_VIDEODRIVER") &&
        (strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0)) {
        say_error("--window: there is no display: neither DISPLAY nor WAYLAND_DISPLAY names one");
        return false;
    }
    window->handle =
        SDL_CreateWindow("Fovea light field", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED,
                         wishes->width_px, wishes->height_px, SDL_WINDOW_RESIZABLE);
    if (window->handle) {
        window->renderer = SDL_CreateRenderer(window->handle, -1, 0);
    }
    if (window->renderer) {
        window->texture =
            SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_RGBA32, SDL_TEXTUREACCESS_STREAMING,
                              wishes->width_px, wishes->height_px);
    }
    if (!window->texture) {
        say_error("--window: no window: %s", SDL_GetError());
    }
    return window->texture != NULL;
}

static void close_window(struct window *window)
{
    if (window->texture) {
        SDL_DestroyTexture(window->texture);
    }
    if (window->renderer) {
        SDL_DestroyRenderer(window->renderer);
    }
    if (window->handle) {
        SDL_DestroyWindow(window->handle);
    }
    SDL_Quit();
}

static void take_events(struct window *window)
{
    SDL_Event event;
    int width = 0;
    int height = 0;
    SDL_GetWindowSize(window->handle, &width, &height);
    while (SDL_PollEvent(&event)) {
        window->is_over |= event.type == SDL_QUIT;
        window->is_over |= event.type == SDL_KEYDOWN &&
                           (event.key.keysym.sym == SDLK_ESCAPE || event.key.keysym.sym == SDLK_q);
        if (event.type == SDL_MOUSEMOTION && width > 0 && height > 0) {
            window->mouse.x_uv = (event.motion.x + 0.5) / width;
            window->mouse.y_uv = (event.motion.y + 0.5) / height;
        }
    }
}

/* Other sources than the mouse take no samples. */
static void push_mouse(struct window *window)
{
    const struct fovea_gaze_sample sample = {.x = window->mouse.x_uv,
                                             .y = window->mouse.y_uv,
                                             .t_ns = fovea_time_ns(),
                                             .confidence = 1.0};
    (void)!fovea_gaze_source_push(window->chain.source, &sample);
}

static void show_title(struct window *window, int64_t now_ns)
{
    char title[128];
    const int64_t since_ns = now_ns - window->title_ns;
    if (since_ns < TITLE_NS) {
        return;
    }
    snprintf(title, sizeof title, "Fovea light field: patch size %.2f px in focus%s, %.1f fps",
             (double)window->chain.focus_px,
             window->chain.gaze.usable ? "" : ", which stays: there is no gaze",
             (double)(window->frames - window->title_frames) / ((double)since_ns * 1e-9));
    window->title_ns = now_ns;
    window->title_frames = window->frames;
    SDL_SetWindowTitle(window->handle, title);
}

static bool show_frame(struct window *window)
{
    const struct picture *picture = &window->chain.foveated;
    const int64_t now_ns = fovea_time_ns();
    push_mouse(window);
    if (!gaze_chain_frame(&window->chain, now_ns)) {
        return false;
    }
    if (SDL_UpdateTexture(window->texture, NULL, picture->rgba, 4 * picture->width_px) != 0 ||
        SDL_RenderCopy(window->renderer, window->texture, NULL, NULL) != 0) {
        say_error("--window: the picture cannot be shown: %s", SDL_GetError());
        return false;
    }
    SDL_RenderPresent(window->renderer);
    window->frames++;
    show_title(window, now_ns);
    return true;
}

bool gaze_window(const struct gaze_wishes *wishes)
{
    struct window window = {.mouse = {0.5, 0.5}};
    interrupt_watch(); /* whoever writes files is ended by the signal itself */
    if (!gaze_chain_open(&window.chain, wishes, "mouse")) {
        return false;
    }
    window.title_ns = fovea_time_ns();
    bool fine = open_window(&window, wishes);
    while (fine && !window.is_over && !interrupt_seen() &&
           (wishes->frames == 0 || window.frames < wishes->frames)) {
        take_events(&window);
        fine = show_frame(&window);
    }
    close_window(&window);
    gaze_chain_close(&window.chain);
    if (fine) {
        printf("%u frames, patch size %.2f px in focus in the last one\n", window.frames,
               (double)window.chain.focus_px);
    }
    return fine;
}
