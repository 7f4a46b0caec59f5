/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "keys.h"

#include "say.h"
#include "values.h"

#include <string.h>

#define STRENGTH_STEP 0.25
#define STRENGTH_MOST 8.0
#define WIPE_STEP 0.02

const char *keys_help(void)
{
    return "SPACE or C  hold: as the engine drew it\n"
           "W  wipe     drag or left/right: move it\n"
           "H  heat map of the blur\n"
           "U  this text   M  marker   R  rings\n"
           "+ -  strength  G  next gaze source\n"
           "P  pause    F5  read the config again\n"
           "F1 help     F11 full screen   ESC or Q  quit";
}

static void toggle_setting(struct keys *keys, const char *path)
{
    const bool on = value_is(keys->settings->now, path, "true");
    value_set(keys->settings->now, path, on ? "false" : "true");
    keys->changed = true;
}

static void toggle(struct keys *keys, bool *flag)
{
    *flag = !*flag;
    keys->changed = true;
}

static void change_strength(struct keys *keys, double step)
{
    const double strength = value_number(keys->settings->now, "foveation.strength") + step;
    value_set_number(keys->settings->now, "foveation.strength",
                     strength < 0.0             ? 0.0
                     : strength > STRENGTH_MOST ? STRENGTH_MOST
                                                : strength);
    keys->changed = true;
}

static void move_wipe(struct keys *keys, double to_uv)
{
    keys->wipe_uv = to_uv < 0.0 ? 0.0 : to_uv > 1.0 ? 1.0 : to_uv;
    keys->changed = true;
}

/* The next kind that can be opened: a scanpath needs a file, a socket its port. */
static void next_gaze(struct keys *keys)
{
    static const char *const order[] = {"mouse",    "scanpath", "saccades",
                                        "saliency", "udp",      "fixed"};
    const int count = sizeof order / sizeof order[0];
    struct fovea_settings *now = keys->settings->now;
    const struct value_words before = value_words(now, "gaze.source");
    int at = 0;
    while (at < count - 1 && strcmp(order[at], before.text) != 0) {
        at++;
    }
    for (int i = 1; i < count; i++) {
        value_set(now, "gaze.source", order[(at + i) % count]);
        if (settings_open_gaze(keys->settings)) {
            say_note("gaze: %s", order[(at + i) % count]);
            return;
        }
    }
    value_set(now, "gaze.source", before.text);
}

static void toggle_fullscreen(SDL_Window *window)
{
    const bool full = SDL_GetWindowFlags(window) & SDL_WINDOW_FULLSCREEN;
    if (SDL_SetWindowFullscreen(window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP) != 0) {
        say_note("the window does not fill the screen: %s", SDL_GetError());
    }
}

static void take_press(struct keys *keys, SDL_Keycode key, SDL_Window *window)
{
    switch (key) {
    case SDLK_ESCAPE:
    case SDLK_q:
        keys->quit = true;
        break;
    case SDLK_h:
        toggle_setting(keys, "overlay.heatmap");
        break;
    case SDLK_u:
        toggle_setting(keys, "overlay.hud");
        break;
    case SDLK_m:
        toggle_setting(keys, "overlay.marker");
        break;
    case SDLK_r:
        toggle_setting(keys, "overlay.rings");
        break;
    case SDLK_w:
        toggle(keys, &keys->wiping);
        break;
    case SDLK_p:
        keys->paused = !keys->paused;
        break;
    case SDLK_g:
        next_gaze(keys);
        break;
    case SDLK_F1:
        toggle(keys, &keys->help);
        keys->help_asked = keys->help;
        break;
    case SDLK_F5:
        keys->reload_asked = true;
        break;
    case SDLK_F11:
        toggle_fullscreen(window);
        break;
    default:
        break;
    }
}

/* Keys that do more the longer they are held. */
static void take_repeat(struct keys *keys, SDL_Keycode key)
{
    switch (key) {
    case SDLK_PLUS:
    case SDLK_EQUALS:
    case SDLK_KP_PLUS:
        change_strength(keys, STRENGTH_STEP);
        break;
    case SDLK_MINUS:
    case SDLK_KP_MINUS:
        change_strength(keys, -STRENGTH_STEP);
        break;
    case SDLK_LEFT:
    case SDLK_RIGHT:
        move_wipe(keys, keys->wipe_uv + (key == SDLK_LEFT ? -WIPE_STEP : WIPE_STEP));
        break;
    default:
        break;
    }
}

static void take_key(struct keys *keys, const SDL_KeyboardEvent *event, SDL_Window *window)
{
    SDL_Keycode key = event->keysym.sym;
    bool down = event->type == SDL_KEYDOWN;
    if (keys->settings->frozen) {
        keys->quit |= down && (key == SDLK_ESCAPE || key == SDLK_q);
        return;
    }
    if (key == SDLK_SPACE || key == SDLK_c) {
        keys->changed |= keys->comparing != down;
        keys->comparing = down;
    } else if (down) {
        if (!event->repeat) {
            take_press(keys, key, window);
        }
        take_repeat(keys, key);
    }
}

static void take_mouse(struct keys *keys, int x, int y, SDL_Window *window)
{
    int width = 1;
    int height = 1;
    SDL_GetWindowSize(window, &width, &height);
    keys->mouse_uv[0] = ((double)x + 0.5) / (double)(width > 0 ? width : 1);
    keys->mouse_uv[1] = ((double)y + 0.5) / (double)(height > 0 ? height : 1);
    if (keys->wiping && keys->dragging) {
        move_wipe(keys, keys->mouse_uv[0]);
    }
}

void keys_take(struct keys *keys, const SDL_Event *event, SDL_Window *window)
{
    switch (event->type) {
    case SDL_QUIT:
        keys->quit = true;
        break;
    case SDL_WINDOWEVENT:
        keys->resized |= event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED;
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        take_key(keys, &event->key, window);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        keys->dragging = event->type == SDL_MOUSEBUTTONDOWN;
        take_mouse(keys, event->button.x, event->button.y, window);
        break;
    case SDL_MOUSEMOTION:
        take_mouse(keys, event->motion.x, event->motion.y, window);
        break;
    default:
        break;
    }
}

struct fovea_settings *keys_settings(const struct keys *keys)
{
    struct fovea_settings *settings = NULL;
    if (fovea_settings_copy(keys->settings->now, &settings) < 0) {
        say_error("out of memory");
        return NULL;
    }
    if (keys->comparing || keys->wiping) {
        value_set_number(settings, "overlay.wipe", keys->comparing ? 1.0 : keys->wipe_uv);
    }
    if (keys->help) {
        value_set(settings, "overlay.hud", "true");
    }
    return settings;
}
