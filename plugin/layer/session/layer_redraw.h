/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Whether a program should be asked to draw: programs that draw only when something changes do not
 * know of the gaze, our keys and our files. Threads that present say what their frames have; the
 * input's thread asks, and takes no lock of theirs. A slot is a window's, as in the input. */
#pragma once

#include "plugin/layer/input/layer_input.h"

/* ---- Threads that present, one at a time */

/* The state that the frames that follow are made by. */
struct layer_redraw_taken {
    uint64_t settings_serial;
    const struct fovea_config *config; /* whose news count; NULL: there is none */
    bool wanted; /* layer.redraw */
    bool gaze_counts; /* a picture depends on it */
    bool wiping; /* and on the pointer */
    bool waits; /* something is being opened that a frame takes when it is there */
};
void layer_redraw_take(const struct layer_redraw_taken *now, const struct layer_input_state *input);

/* A frame is presented in the slot's window. */
void layer_redraw_note_frame(uint32_t slot);
/* Says that it has that gaze, of a source that nobody destroys before layer_redraw_forget. */
void layer_redraw_note_gaze(uint32_t slot, struct fovea_gaze_source *source,
                            const uint32_t size_px[2], const struct fovea_gaze *gaze);

/* Sources and configuration; nobody may be in layer_redraw_gaze_moved meanwhile. */
void layer_redraw_forget(void);

/* ---- The input's thread */

/* Keys or files have changed what the window would show. */
bool layer_redraw_is_old(uint32_t slot, const struct layer_input_state *now);
bool layer_redraw_gaze_moved(uint32_t slot);
/* The program draws by itself, or is asked already: not now. True: it is asked now. */
bool layer_redraw_ask(uint32_t slot, int64_t now_ns);
