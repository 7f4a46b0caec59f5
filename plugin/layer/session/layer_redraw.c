/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "layer_redraw.h"

#include "plugin/gaze/gaze_source.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define QUIET_NS                                                                                   \
    INT64_C(50000000) /* a program that draws less often does so when something changes */
#define PERIOD_NS INT64_C(16000000) /* of one that draws because it is asked to */
/* A program that does not draw is asked half as often each time, down to once in 3.2 seconds. It
 * may be busy, or have read an Expose into its queue just before it waits for the socket: a last
 * Expose that nobody followed would leave an old picture standing. */
#define UNANSWERED_MAX 6
#define MOVED_UV 0.0005 /* half a pixel of a thousand */

struct slot {
    atomic_int_least64_t frame_ns; /* of the last frame; 0: there was none */
    atomic_uint frames;
    atomic_uint_least64_t serial;
    _Atomic(struct fovea_gaze_source *) source; /* NULL: its gaze is not looked at */
    atomic_uint_least64_t size_px; /* two halves */
    atomic_uint_least64_t gaze; /* two floats */
    /* The input's thread's own. */
    int64_t asked_ns;
    uint32_t frames_when_asked;
    uint32_t unanswered;
};

static struct slot slots[LAYER_INPUT_WINDOWS];

static struct {
    atomic_bool wanted, gaze_counts, wiping, waits, compare_held;
    atomic_uint presses;
    atomic_uint_least64_t serial;
    atomic_uint_least64_t pointer_x; /* a double */
    _Atomic(const struct fovea_config *) config;
} taken;

static uint32_t sum_of(const struct layer_input_state *input)
{
    uint32_t sum = 0;
    for (int i = 0; i < LAYER_ACTION_COUNT; i++) {
        sum += input->presses[i];
    }
    return sum;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- Threads that present -------------------------------------------------------------------- */

void layer_redraw_take(const struct layer_redraw_taken *now, const struct layer_input_state *input)
{
    atomic_store(&taken.wanted, now->wanted);
    atomic_store(&taken.gaze_counts, now->gaze_counts);
    atomic_store(&taken.wiping, now->wiping);
    atomic_store(&taken.waits, now->waits);
    atomic_store(&taken.serial, now->settings_serial);
    atomic_store(&taken.config, now->config);
    atomic_store(&taken.presses, sum_of(input));
    atomic_store(&taken.compare_held, input->compare_held);
    atomic_store(&taken.pointer_x, bits_of(input->pointer_x_uv));
}

void layer_redraw_note_frame(uint32_t slot)
{
    atomic_store(&slots[slot].serial, atomic_load(&taken.serial));
    atomic_store(&slots[slot].frame_ns, fovea_time_ns());
    atomic_fetch_add(&slots[slot].frames, 1);
}

static uint64_t gaze_bits(const struct fovea_gaze *gaze)
{
    const float uv[2] = {gaze->usable ? (float)gaze->point.x_uv : -1.0f,
                         gaze->usable ? (float)gaze->point.y_uv : -1.0f};
    uint64_t bits;
    memcpy(&bits, uv, sizeof bits);
    return bits;
}

void layer_redraw_note_gaze(uint32_t slot, struct fovea_gaze_source *source,
                            const uint32_t size_px[2], const struct fovea_gaze *gaze)
{
    atomic_store(&slots[slot].size_px, (uint64_t)size_px[0] << 32 | size_px[1]);
    atomic_store(&slots[slot].gaze, gaze_bits(gaze));
    /* Each reading of a replay is a frame of it: the input's thread reads none. */
    atomic_store(&slots[slot].source, gaze_source_counts_reads(source) ? NULL : source);
}

void layer_redraw_forget(void)
{
    for (uint32_t i = 0; i < LAYER_INPUT_WINDOWS; i++) {
        atomic_store(&slots[i].source, NULL);
    }
    atomic_store(&taken.config, NULL);
}

/* ---- The input's thread ---------------------------------------------------------------------- */

static bool has_news(void)
{
    const struct fovea_config *config = atomic_load(&taken.config);
    return config && config_has_news(config);
}

bool layer_redraw_is_old(uint32_t slot, const struct layer_input_state *now)
{
    const bool wiped =
        atomic_load(&taken.wiping) && atomic_load(&taken.pointer_x) != bits_of(now->pointer_x_uv);
    return atomic_load(&taken.wanted) &&
           (atomic_load(&slots[slot].serial) != atomic_load(&taken.serial) ||
            atomic_load(&taken.presses) != sum_of(now) ||
            atomic_load(&taken.compare_held) != now->compare_held || wiped ||
            atomic_load(&taken.waits) || has_news());
}

static bool are_apart(uint64_t a_bits, uint64_t b_bits)
{
    float a[2];
    float b[2];
    memcpy(a, &a_bits, sizeof a);
    memcpy(b, &b_bits, sizeof b);
    return fabsf(a[0] - b[0]) > (float)MOVED_UV || fabsf(a[1] - b[1]) > (float)MOVED_UV;
}

bool layer_redraw_gaze_moved(uint32_t slot)
{
    struct fovea_gaze_source *source = atomic_load(&slots[slot].source);
    const uint64_t size_px = atomic_load(&slots[slot].size_px);
    struct fovea_gaze gaze;
    return source && atomic_load(&taken.wanted) && atomic_load(&taken.gaze_counts) &&
           fovea_gaze_source_read(source, fovea_time_ns(), (uint32_t)(size_px >> 32),
                                  (uint32_t)size_px, &gaze) >= 0 &&
           are_apart(atomic_load(&slots[slot].gaze), gaze_bits(&gaze));
}

/* A program that draws once for each time that it is asked is asked again at once; others are left
 * to themselves for as long as they draw. */
bool layer_redraw_ask(uint32_t index, int64_t now_ns)
{
    struct slot *slot = &slots[index];
    const uint32_t frames = atomic_load(&slot->frames);
    const int64_t frame_ns = atomic_load(&slot->frame_ns);
    const uint32_t since = frames - slot->frames_when_asked;
    slot->unanswered = since > 0 ? 0 : slot->unanswered;
    const bool follows = slot->asked_ns != 0 && since == 1 && now_ns - slot->asked_ns < QUIET_NS;
    const int64_t rest_ns = follows ? PERIOD_NS : QUIET_NS << slot->unanswered;
    const int64_t last_ns = follows || slot->asked_ns > frame_ns ? slot->asked_ns : frame_ns;
    if (frame_ns == 0 || now_ns - last_ns < rest_ns) {
        return false;
    }
    slot->asked_ns = now_ns;
    slot->frames_when_asked = frames;
    slot->unanswered += slot->unanswered < UNANSWERED_MAX;
    return true;
}
