/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_show.h"

#include "plugin/gaze/gaze_source.h"
#include "plugin/gaze/gaze_watch.h"

#include <stdlib.h>
#include <string.h>

struct godot_show {
    atomic_uint owners; /* the effect, and what the engine calls */
    struct gaze_watch *of; /* NULL: no source looks at pictures */
    struct godot_rid buffer;
    uint64_t number; /* of the picture that is drawn or given; 0: none */
    struct gaze_seen_size size;
    bool asked; /* the engine has not called yet */
    uint32_t words[GAZE_WATCH_HEAD_WORDS + GAZE_WATCH_PIXELS_MAX];
};

static void leave(void *user)
{
    struct godot_show *show = user;
    if (atomic_fetch_sub(&show->owners, 1) == 1) {
        free(show);
    }
}

static void take_back(struct godot_show *show)
{
    if (show->of && show->number) {
        gaze_watch_take_back(show->of, show->number);
    }
    show->number = 0;
}

static void unfollow(struct godot_show *show)
{
    take_back(show);
    gaze_watch_leave(&show->of);
}

/* ---- Following a source */

/* Made when a source first looks at pictures, with the buffer. Without them it sees none. */
static struct godot_show *make(struct godot_render *render)
{
    struct godot_show *show = calloc(1, sizeof *show);
    if (!show) {
        return NULL;
    }
    atomic_init(&show->owners, 1);
    show->buffer = godot_device_storage(render->device, NULL, sizeof show->words);
    if (!show->buffer.id) {
        free(show);
        return NULL;
    }
    return show;
}

static void follow(void *user, struct fovea_gaze_source *source)
{
    struct godot_render *render = user;
    struct gaze_watch *of = source ? gaze_source_watch(source) : NULL;
    if (of && !render->show && !render->cannot_show) {
        render->show = make(render);
        render->cannot_show = !render->show;
    }
    struct godot_show *show = render->show;
    if (show && show->of != of) {
        unfollow(show);
        show->of = of ? gaze_watch_keep(of) : NULL;
    }
}

/* An engine that cannot read a buffer without waiting for it shows none. */
void godot_show_follow(struct godot_render *render, struct engine_feed *feed)
{
    if (godot.methods[GODOT_RenderingDevice_buffer_get_data_async]) {
        engine_feed_show(feed, follow, render);
    }
}

uint32_t godot_show_others(const struct godot_render *render,
                           struct fovea_point_uv out_places[GAZE_OTHERS])
{
    const struct godot_show *show = render->show;
    return show && show->of ? gaze_watch_others(show->of, out_places) : 0;
}

/* ---- A frame */

bool godot_show_choose(struct godot_render *render, uint32_t width_px, uint32_t height_px)
{
    struct godot_show *show = render->show;
    if (!show || !show->of || show->asked) {
        return false;
    }
    const uint64_t number = gaze_watch_wants(show->of, show, fovea_time_ns());
    if (!number) {
        return false; /* the former one may not be copied yet: its number is still needed */
    }
    show->number = number;
    show->size = gaze_watch_size(show->of, width_px, height_px);
    return true;
}

void godot_show_pass(const struct godot_render *render, uint32_t width_px, uint32_t height_px,
                     struct operator_pass *out_pass)
{
    const struct gaze_seen_size size = render->show->size;
    const struct shader_reduce constants = {
        .size_px = {(int32_t)width_px, (int32_t)height_px},
        .cells = {(int32_t)size.width_px, (int32_t)size.height_px},
        .mark = gaze_watch_mark_of(render->show->number)};
    *out_pass =
        (struct operator_pass){.shader.shader = &shader_reduce, .constant_bytes = sizeof constants};
    memcpy(out_pass->constants, &constants, sizeof constants);
    shader_pixel_groups(size.width_px, size.height_px, out_pass->groups);
}

struct godot_rid godot_show_buffer(const struct godot_render *render)
{
    return render->show->buffer;
}

void godot_show_take_back(struct godot_render *render)
{
    take_back(render->show);
}

/* False: it is not what was asked for, as where the device was lost. */
static bool take_bytes(struct godot_show *show, const struct godot_variant *variant)
{
    struct godot_bytes bytes = {0};
    int64_t count = 0;
    const size_t wanted = sizeof(uint32_t) * (GAZE_WATCH_HEAD_WORDS +
                                              (size_t)show->size.width_px * show->size.height_px);
    godot.get_variant_to_type_constructor(GODOT_PACKED_BYTE_ARRAY)(
        &bytes, (struct godot_variant *)(uintptr_t)variant);
    godot.bytes_size(&bytes, NULL, &count, 0);
    const bool whole = count >= (int64_t)wanted;
    if (whole) {
        memcpy(show->words, godot.packed_byte_array_operator_index(&bytes, 0), wanted);
    }
    godot_bytes_finish(&bytes);
    return whole;
}

/* Its number is 0 where the source has changed meanwhile. */
static void called(void *user, const struct godot_variant *const *args, int64_t count,
                   struct godot_variant *out_result, struct godot_call_error *out_error)
{
    struct godot_show *show = user;
    (void)out_result;
    *out_error = (struct godot_call_error){0};
    show->asked = false;
    if (!show->number) {
        return;
    }
    if (count == 1 && godot.variant_get_type(args[0]) == GODOT_PACKED_BYTE_ARRAY &&
        take_bytes(show, args[0]) && show->words[0] == gaze_watch_mark_of(show->number)) {
        gaze_watch_give(show->of, show->number, show->words + GAZE_WATCH_HEAD_WORDS, show->size);
    } else {
        take_back(show);
    }
}

static uint8_t is_valid(void *user)
{
    (void)user;
    return 1;
}

void godot_show_fetch(struct godot_render *render)
{
    struct godot_show *show = render->show;
    struct godot_callable callable = {{0}};
    struct godot_callable_info info = {
        .user = show, .token = godot.library, .call = called, .is_valid = is_valid, .free = leave};
    const int64_t from = 0;
    const int64_t bytes =
        (int64_t)(sizeof(uint32_t) *
                  (GAZE_WATCH_HEAD_WORDS + show->size.width_px * show->size.height_px));
    int64_t error = 0;
    atomic_fetch_add(&show->owners, 1);
    show->asked = true;
    godot.callable_custom_create2(&callable, &info);
    GODOT_CALL(RenderingDevice_buffer_get_data_async, render->device, &error, &show->buffer,
               &callable, &from, &bytes);
    godot.variant_get_ptr_destructor(GODOT_CALLABLE)(&callable);
    if (error != 0) {
        show->asked = false;
        take_back(show);
    }
}

void godot_show_finish(struct godot_render *render)
{
    if (render->show) {
        unfollow(render->show);
        godot_device_free(render->device, &render->show->buffer);
        leave(render->show);
        render->show = NULL;
    }
}
