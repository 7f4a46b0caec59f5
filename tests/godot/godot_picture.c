/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A picture through Fovea's extension in the host, for docs/godot.md and for looking at:
 *
 *     godot_picture WIDTH HEIGHT GAZE_X GAZE_Y [PROPERTY=WORD]... <in >out
 *
 * RGBA of half floats, which are light, without gaps. make_picture.py makes PNG of them. Then it
 * says how many dispatches a frame has, and how long they took the extension, on the thread that
 * records it. */

#include "fovea_base.h"
#include "gdextension.h"
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 50

static bool set_word(struct object *effect, const char *argument)
{
    char name[64];
    const size_t length = strcspn(argument, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, argument);
    const char *value = argument[length] ? argument + length + 1 : "";
    const bool is_text = host_get(effect, name).type == GD_STRING;
    return host_set(effect, name, is_text ? host_string(value) : host_float(strtod(value, NULL)));
}

/* The shortest: others have this machine's cores, too. */
static void time_frames(struct object *effect, const struct host_frame *frame)
{
    int64_t shortest = INT64_MAX;
    const uint32_t before = host_counts().dispatches;
    for (int i = 0; i < FRAMES && host_frame(effect, frame); i++) {
        const int64_t took = host_counts().callback_ns;
        shortest = took < shortest ? took : shortest;
    }
    fprintf(stderr, "%u dispatches, recorded in %.0f us\n",
            (host_counts().dispatches - before) / FRAMES, (double)shortest * 1e-3);
}

static int run(struct host_frame *frame, void *pixels, size_t bytes, char **arguments)
{
    struct object *effect = host_construct("FoveaEffect");
    int result = effect ? 0 : 1;
    if (effect) {
        const float x = strtof(arguments[2], NULL);
        const float y = strtof(arguments[3], NULL);
        host_set(effect, "gaze_uv", host_vector2(x, y));
        for (int i = 4; arguments[i]; i++) {
            result |= set_word(effect, arguments[i]) ? 0 : 1;
        }
        result |= host_frame(effect, frame) ? 0 : 1;
        result |= fwrite(pixels, 1, bytes, stdout) == bytes ? 0 : 1;
        time_frames(effect, frame);
        host_release(effect);
    }
    return result;
}

int main(int count, char **arguments)
{
    const unsigned long width = count > 4 ? strtoul(arguments[1], NULL, 10) : 0;
    const unsigned long height = count > 4 ? strtoul(arguments[2], NULL, 10) : 0;
    const size_t bytes = width * height * 8;
    if (bytes == 0 || width > 16384 || height > 16384) {
        fprintf(stderr, "godot_picture WIDTH HEIGHT GAZE_X GAZE_Y [PROPERTY=WORD]... <in >out\n");
        return 1;
    }
    void *in = malloc(bytes);
    void *out = malloc(bytes);
    int result = 1;
    if (in && out && fread(in, 1, bytes, stdin) == bytes && host_open(&(struct host_options){0}) &&
        host_load(FOVEA_GODOT, "fovea_godot_init")) {
        struct host_frame frame = {
            .width_px = (uint32_t)width, .height_px = (uint32_t)height, .pixels = in, .out = out};
        result = run(&frame, out, bytes, arguments + 1);
        host_unload();
    }
    fputs(host_console(), stderr);
    result |= host_close() == 0 ? 0 : 1;
    free(out);
    free(in);
    return result;
}
