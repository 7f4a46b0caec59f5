/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* When frames were on the screen, which is told beside their rows and some frames later. */
#include "record_state.h"

/* The time counts from a frame's hand-over on. A window that is covered shows nothing, and says
 * nothing. */
#define PATIENCE_NS INT64_C(500000000)

void record_expect(struct record *record, enum record_shown_by by)
{
    atomic_store(&record->shown_by, by);
}

void record_shown(struct record *record, uint64_t frame, const struct record_shown *shown)
{
    struct record_told *told = &record->told[frame % RECORD_ROWS];
    atomic_store_explicit(&told->t_ns, shown->t_ns, memory_order_relaxed);
    atomic_store_explicit(&told->refresh_ns, shown->refresh_ns, memory_order_relaxed);
    atomic_store_explicit(&told->dropped, shown->dropped, memory_order_relaxed);
    atomic_store_explicit(&told->after_others, shown->after_others, memory_order_relaxed);
    atomic_store_explicit(&told->frame, frame, memory_order_release);
}

static bool is_expected(const struct record *record)
{
    const int by = atomic_load(&record->shown_by);
    return by != RECORD_SHOWN_UNASKED && by != RECORD_SHOWN_CANNOT;
}

bool record_shown_take(const struct record *record, struct record_row *row, int64_t now_ns)
{
    const struct record_told *told = &record->told[row->frame % RECORD_ROWS];
    if (row->shown.t_ns != 0 || row->shown.dropped) {
        return true; /* its program knew it */
    }
    if (atomic_load_explicit(&told->frame, memory_order_acquire) != row->frame) {
        return !is_expected(record) || now_ns - row->t_ns > PATIENCE_NS;
    }
    row->shown = (struct record_shown){
        .t_ns = atomic_load_explicit(&told->t_ns, memory_order_relaxed),
        .refresh_ns = atomic_load_explicit(&told->refresh_ns, memory_order_relaxed),
        .dropped = atomic_load_explicit(&told->dropped, memory_order_relaxed),
        .after_others = atomic_load_explicit(&told->after_others, memory_order_relaxed)};
    return true;
}

/* Nothing else was shown since the frame before: one that was refused is shown as it was drawn,
 * whenever that is, and a line that was lost says nothing. */
static bool follows(const struct record *record, const struct record_row *row)
{
    return row->refused == 0 && !row->shown.after_others && row->frame == record->last.frame + 1;
}

int64_t record_shown_repeats(const struct record *record, const struct record_row *row)
{
    const int64_t refresh_ns = row->shown.refresh_ns;
    const int64_t since_ns = row->shown.t_ns - record->last_shown_ns;
    if (row->shown.t_ns == 0 || record->last_shown_ns == 0 || refresh_ns <= 0 || since_ns < 0 ||
        !follows(record, row)) {
        return -1;
    }
    const int64_t refreshes = (since_ns + refresh_ns / 2) / refresh_ns;
    return refreshes > 0 ? refreshes - 1 : 0;
}

void record_shown_note(struct record *record, const struct record_row *row)
{
    record->shown_count += row->shown.t_ns != 0;
    if (!row->shown.dropped || !follows(record, row)) {
        record->last_shown_ns = row->shown.t_ns;
    }
}

const char *record_shown_words(const struct record *record)
{
    static const char *const words[] = {
        [RECORD_SHOWN_UNASKED] = "missing: the program does not say when frames were on the screen",
        [RECORD_SHOWN_BY_PROGRAM] = "as the program says",
        [RECORD_SHOWN_BY_DISPLAY_TIMING] = "VK_GOOGLE_display_timing: as the driver says",
        [RECORD_SHOWN_BY_PRESENT_WAIT] =
            "VK_KHR_present_wait: when a thread woke that has waited for it, and so later than "
            "the screen by what that takes",
        [RECORD_SHOWN_CANNOT] = "missing: the driver offers no VK_GOOGLE_display_timing and no "
                                "VK_KHR_present_wait, or the program has taken the first or "
                                "numbers presents by VK_KHR_present_id2, or record.file was set "
                                "after the device was made",
    };
    const int by = atomic_load(&record->shown_by);
    return words[by == RECORD_SHOWN_UNASKED && record->shown_count > 0 ? RECORD_SHOWN_BY_PROGRAM
                                                                       : by];
}
