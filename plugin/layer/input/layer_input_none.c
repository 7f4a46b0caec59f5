/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A layer that was built without xcb's header has no pointer and no keys. */

#include "layer_input.h"

#include "core/log.h"

enum fovea_result layer_input_create(const struct layer_input_desc *desc,
                                     struct layer_input **out_input)
{
    *out_input = NULL;
    log_info(desc->log, "pointer and keys: this layer was built without xcb's headers");
    return FOVEA_ERROR_UNSUPPORTED;
}

void layer_input_destroy(struct layer_input **input)
{
    (void)input;
}

void layer_input_watch(struct layer_input *input, uint32_t slot, uint32_t window,
                       struct fovea_gaze_source *source)
{
    (void)input;
    (void)slot;
    (void)window;
    (void)source;
}

void layer_input_set_keys(struct layer_input *input, const struct fovea_layer_keys *keys)
{
    (void)input;
    (void)keys;
}

void layer_input_read(const struct layer_input *input, struct layer_input_state *out_state)
{
    (void)input;
    *out_state = (struct layer_input_state){0};
}

void layer_input_help(const struct fovea_layer_keys *keys, char *text, size_t size)
{
    (void)keys;
    snprintf(text, size, "no keys: built without xcb's headers");
}
