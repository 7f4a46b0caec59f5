/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Pointer and keys belong to windows, of which programs have many. The input is a stand-in. */
#include "cmocka_all.h"
#include "plugin/layer/session/layer_windows.h"

static struct {
    uint32_t window;
    struct fovea_gaze_source *source;
} watched[LAYER_INPUT_WINDOWS];

void layer_input_watch(struct layer_input *input, uint32_t slot, uint32_t window,
                       struct fovea_gaze_source *source)
{
    assert_non_null(input);
    assert_in_range(slot, 0, LAYER_INPUT_WINDOWS - 1);
    watched[slot].window = window;
    watched[slot].source = source;
}

struct fovea_log layer_log(void);
struct fovea_log layer_log(void)
{
    return (struct fovea_log){0};
}

static int stand_in;
static struct layer_input *const input = (struct layer_input *)&stand_in;
static struct layer_windows windows;
static struct fovea_gaze_settings gaze;

static int set_up(void **unused)
{
    windows = (struct layer_windows){0};
    gaze = fovea_settings_default().gaze;
    gaze.kind = FOVEA_GAZE_MOUSE;
    memset(watched, 0, sizeof watched);
    return 0;
}

static int tear_down(void **unused)
{
    layer_windows_feed(&windows, NULL, NULL);
    return 0;
}

/* -> its slot; negative: it got none. */
static long present(uint32_t window, uint32_t lost, bool began)
{
    struct layer_window_slot *slot = layer_windows_choose(&windows, window, lost, began);
    if (!slot) {
        return -1;
    }
    layer_windows_watch(&windows, slot, window, input, &gaze);
    return slot - windows.slots;
}

static void assert_in_slot(long slot, uint32_t window)
{
    assert_in_range(slot, 0, LAYER_INPUT_WINDOWS - 1);
    assert_int_equal(watched[slot].window, window);
    const struct layer_window_slot *found = layer_windows_find(&windows, window);
    assert_ptr_equal(found, &windows.slots[slot]);
    assert_ptr_equal(watched[slot].source, found->mouse);
    assert_non_null(found->mouse);
}

#define WITH_WINDOWS(test) TEST_AROUND(test, set_up, tear_down)

WITH_WINDOWS(every_window_has_a_slot_and_a_source_of_its_own)
{
    for (uint32_t window = 1; window <= LAYER_INPUT_WINDOWS; window++) {
        assert_in_slot(present(window, 0, true), window);
        assert_int_equal(present(window, 0, true), -1);
        assert_int_equal(present(window, 0, false), -1);
    }
    for (int i = 1; i < LAYER_INPUT_WINDOWS; i++) {
        assert_ptr_not_equal(watched[i].source, watched[0].source);
    }
    assert_null(layer_windows_find(&windows, 99));
    assert_null(layer_windows_find(&windows, 0));
}

WITH_WINDOWS(the_oldest_makes_room_for_one_that_begins)
{
    for (uint32_t window = 1; window <= LAYER_INPUT_WINDOWS; window++) {
        (void)present(window, 0, true);
    }
    const long first = layer_windows_find(&windows, 1) - windows.slots;
    assert_int_equal(present(100, 0, true), first);
    assert_in_slot(first, 100);
    assert_null(layer_windows_find(&windows, 1));
    assert_int_equal(present(1, 0, false), -1); /* it goes on, and comes not back by that */
    const long second = layer_windows_find(&windows, 2) - windows.slots;
    assert_int_equal(present(101, 0, true), second);
    assert_in_slot(first, 100);
}

WITH_WINDOWS(one_that_is_gone_makes_room_for_one_that_goes_on)
{
    for (uint32_t window = 1; window <= LAYER_INPUT_WINDOWS + 1; window++) {
        (void)present(window, 0, true);
    }
    const long slot = layer_windows_find(&windows, 5) - windows.slots;
    assert_int_equal(present(1, 1u << slot, false), slot);
    assert_in_slot(slot, 1);
    assert_null(layer_windows_find(&windows, 5));
}

WITH_WINDOWS(a_window_that_is_gone_is_asked_for_again_when_it_begins_again)
{
    const long slot = present(7, 0, true);
    assert_in_slot(slot, 7);
    const uint32_t lost = 1u << ((uint32_t)slot % LAYER_INPUT_WINDOWS);
    assert_int_equal(present(7, lost, false), -1);
    assert_int_equal(present(7, lost, true), slot);
    assert_in_slot(slot, 7);
}

WITH_WINDOWS(sources_are_those_of_the_mouse_alone)
{
    const long slot = present(7, 0, true);
    struct fovea_gaze_settings other = gaze;
    other.kind = FOVEA_GAZE_FIXED;
    layer_windows_feed(&windows, input, &other);
    assert_int_equal(watched[slot].window, 7);
    assert_null(watched[slot].source);
    layer_windows_feed(&windows, input, &gaze);
    assert_in_slot(slot, 7);
    layer_windows_feed(&windows, input, NULL);
    assert_null(watched[slot].source);
    assert_int_equal(watched[slot ? 0 : 1].window, 0);
}
