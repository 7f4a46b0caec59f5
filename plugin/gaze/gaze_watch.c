/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_watch.h"

#include "core/ending.h"
#include "core/log.h"
#include "core/process.h"
#include "core/thread.h"
#include "core/thread_pool.h"
#include "gaze_rate.h"
#include "gaze_source.h"

#include <math.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define SHOWER_KEPT_NS GAZE_NS_PER_S
#define COPIES 4 /* of lists */
#define WORDS (sizeof(struct gaze_proposals) / sizeof(uint64_t) + 1)
#define TAKE_BACK_PAUSE_NS 100000
#define NICENESS 10 /* the thread gives way to the frames' */
#define MOST_SHARE 0.02 /* of the cores' time: where they make the frames, frames lack it */

/* A picture's number is joined with one of these. */
enum turn { TURN_IDLE, TURN_DRAWN, TURN_GIVEN };
#define TURN_BITS 2
#define TURN_MASK ((UINT64_C(1) << TURN_BITS) - 1)

struct list_copy {
    _Atomic uint64_t generation; /* 0 while it is written */
    _Atomic uint64_t words[WORDS];
};

struct gaze_watch {
    /* Made with it, and read by all. */
    struct fovea_gaze_settings settings;
    struct fovea_log log;
    pid_t process;

    _Atomic uint32_t owners;
    atomic_bool closed;

    _Atomic uint64_t turn; /* a picture's number and how far it is */
    _Atomic(const void *) shower;
    _Atomic int64_t shown_ns;
    _Atomic int64_t rest_ns; /* no picture is wanted so soon after the last one was */
    int64_t shown_before_ns; /* the shower's: shown_ns if the picture is taken back */
    /* The shower's until it is given, then the thread's. */
    const uint32_t *given;
    struct gaze_seen_size given_size;

    sem_t wake;
    atomic_bool stop;
    pthread_t thread;
    bool running; /* the source's */

    pthread_mutex_t looking; /* no frame takes it */
    struct gaze_seen *seen; /* under it */
    struct gaze_proposals found; /* likewise */
    bool said; /* likewise */

    _Atomic uint64_t newest; /* generation of the last complete copy; 0: none */
    struct list_copy copies[COPIES]; /* written under `looking` */
    struct gaze_rate rate;
    _Atomic uint64_t others[GAZE_OTHERS]; /* a place each (packed); 0: none */
};

/* ---- Lists ---- */

/* In the same order as samples (gaze_slot.c). */
static void publish(struct gaze_watch *watch)
{
    uint64_t words[WORDS] = {0};
    memcpy(words, &watch->found, sizeof watch->found);
    const uint64_t generation = atomic_load_explicit(&watch->newest, memory_order_relaxed) + 1;
    struct list_copy *copy = &watch->copies[generation % COPIES];
    atomic_store_explicit(&copy->generation, 0, memory_order_relaxed);
    for (size_t i = 0; i < WORDS; i++) {
        atomic_store_explicit(&copy->words[i], words[i], memory_order_release);
    }
    atomic_store_explicit(&copy->generation, generation, memory_order_release);
    atomic_store_explicit(&watch->newest, generation, memory_order_release);
    gaze_rate_add(&watch->rate, fovea_time_ns());
}

/* A list that is written over meanwhile is read the next time. */
void gaze_watch_read(struct gaze_watch *watch, uint64_t *number, struct gaze_proposals *proposals)
{
    const uint64_t newest = atomic_load_explicit(&watch->newest, memory_order_acquire);
    struct list_copy *copy = &watch->copies[newest % COPIES];
    if (newest == *number ||
        atomic_load_explicit(&copy->generation, memory_order_acquire) != newest) {
        return;
    }
    uint64_t words[WORDS];
    for (size_t i = 0; i < WORDS; i++) {
        words[i] = atomic_load_explicit(&copy->words[i], memory_order_acquire);
    }
    if (atomic_load_explicit(&copy->generation, memory_order_relaxed) == newest) {
        memcpy(proposals, words, sizeof *proposals);
        *number = newest;
    }
}

/* No place has both of its floats 0: they are moved by 1. */
static uint64_t packed(struct fovea_point_uv place)
{
    const float both[2] = {1.0f + (float)place.x_uv, 1.0f + (float)place.y_uv};
    uint64_t word = 0;
    memcpy(&word, both, sizeof word);
    return word;
}

void gaze_watch_set_others(struct gaze_watch *watch, const struct fovea_point_uv *places,
                           uint32_t count)
{
    for (uint32_t i = 0; i < GAZE_OTHERS; i++) {
        atomic_store_explicit(&watch->others[i], i < count ? packed(places[i]) : 0,
                              memory_order_relaxed);
    }
}

uint32_t gaze_watch_others(const struct gaze_watch *watch,
                           struct fovea_point_uv out_places[GAZE_OTHERS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < GAZE_OTHERS && !gaze_watch_is_closed(watch); i++) {
        const uint64_t word = atomic_load_explicit(&watch->others[i], memory_order_relaxed);
        float both[2];
        memcpy(both, &word, sizeof both);
        if (word != 0) {
            out_places[count++] =
                (struct fovea_point_uv){(double)both[0] - 1.0, (double)both[1] - 1.0};
        }
    }
    return count;
}

uint64_t gaze_watch_count(const struct gaze_watch *watch)
{
    return atomic_load_explicit(&watch->newest, memory_order_relaxed);
}

double gaze_watch_rate_hz(struct gaze_watch *watch)
{
    return gaze_rate_hz(&watch->rate, fovea_time_ns());
}

/* ---- Looking, under the lock ---- */

static int64_t own_time_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * GAZE_NS_PER_S + now.tv_nsec;
}

static void rest_after(struct gaze_watch *watch, int64_t took_ns)
{
    const double period_ns = (double)GAZE_NS_PER_S / watch->settings.saliency_rate_hz;
    const double rest_ns =
        fmax(period_ns, (double)took_ns / (MOST_SHARE * thread_pool_core_count()));
    atomic_store_explicit(&watch->rest_ns, llround(rest_ns), memory_order_relaxed);
}

/* The thread rests afterwards; who shows a picture by himself does not take its share. */
static enum fovea_result look(struct gaze_watch *watch, struct gaze_seen_size size, bool rests)
{
    const int64_t start_ns = own_time_ns();
    const enum fovea_result result = gaze_seen_look(watch->seen, size, &watch->found);
    if (rests) {
        rest_after(watch, own_time_ns() - start_ns);
    }
    if (atomic_load_explicit(&watch->newest, memory_order_relaxed) == 0 && result == FOVEA_OK) {
        log_info(watch->log, "gaze: sees pictures, %ux%u pixels of the first", size.width_px,
                 size.height_px);
    }
    if (result == FOVEA_OK) {
        publish(watch);
    } else if (!watch->said) {
        watch->said = true;
        log_warning(watch->log, "gaze: no memory to look for blobs; the list before stays");
    }
    return result;
}

/* False: there is none, or a driver's memory is not there any more. */
static bool copy_given(struct gaze_watch *watch, struct gaze_seen_size *out_size)
{
    const uint64_t turn = atomic_load_explicit(&watch->turn, memory_order_acquire);
    if ((turn & TURN_MASK) != TURN_GIVEN) {
        return false;
    }
    const bool there = ending_enter();
    if (there) {
        *out_size = watch->given_size;
        memcpy(gaze_seen_pixels(watch->seen), watch->given,
               sizeof(uint32_t) * out_size->width_px * out_size->height_px);
        ending_leave();
    }
    atomic_store_explicit(&watch->turn, (turn & ~TURN_MASK) | TURN_IDLE, memory_order_release);
    return there;
}

static void *run(void *user)
{
    struct gaze_watch *watch = user;
    /* Linux has it for a thread alone; without it frames have less of the processor. */
    (void)setpriority(PRIO_PROCESS, 0, NICENESS);
    while (!atomic_load(&watch->stop)) {
        if (sem_wait(&watch->wake) != 0) {
            continue;
        }
        struct gaze_seen_size size;
        pthread_mutex_lock(&watch->looking);
        if (!atomic_load(&watch->stop) && copy_given(watch, &size)) {
            (void)look(watch, size, true);
        }
        pthread_mutex_unlock(&watch->looking);
    }
    return NULL;
}

enum fovea_result gaze_watch_show(struct gaze_watch *watch, const struct fovea_image *image)
{
    const struct gaze_seen_size size =
        gaze_seen_size_of(&watch->settings, image->width_px, image->height_px);
    if (process_is_child_of(watch->process)) {
        return FOVEA_ERROR_INVALID_STATE; /* the parent's thread may have the lock for ever */
    }
    pthread_mutex_lock(&watch->looking);
    gaze_seen_reduce(watch->seen, image, size);
    const enum fovea_result result = look(watch, size, false);
    pthread_mutex_unlock(&watch->looking);
    return result;
}

/* ---- Owners ---- */

static enum fovea_result start(struct gaze_watch *watch)
{
    FOVEA_TRY(gaze_seen_create(&watch->settings, &watch->seen));
    const int error = thread_start(&watch->thread, run, watch);
    watch->running = error == 0;
    if (error != 0) {
        log_error(watch->log, "gaze: the thread that looks at pictures cannot start: %s",
                  strerrordesc_np(error));
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    return FOVEA_OK;
}

enum fovea_result gaze_watch_create(const struct fovea_gaze_settings *settings,
                                    struct fovea_log log, struct gaze_watch **out_watch)
{
    struct gaze_watch *watch = calloc(1, sizeof *watch);
    *out_watch = watch;
    FOVEA_TRY_MEMORY(watch);
    watch->settings = *settings;
    watch->log = log;
    watch->process = getpid();
    watch->owners = 1;
    rest_after(watch, 0);
    watch->shown_ns = -watch->rest_ns; /* the first one is wanted at once */
    sem_init(&watch->wake, 0, 0);
    pthread_mutex_init(&watch->looking, NULL);
    const enum fovea_result result = start(watch);
    if (result < 0) {
        gaze_watch_leave(out_watch);
    }
    return result;
}

void gaze_watch_close(struct gaze_watch *watch)
{
    atomic_store(&watch->stop, true);
    if (watch->running && !process_is_child_of(watch->process)) {
        sem_post(&watch->wake);
        (void)pthread_join(watch->thread, NULL);
    }
    watch->running = false;
    atomic_store(&watch->closed, true);
}

bool gaze_watch_is_closed(const struct gaze_watch *watch)
{
    return atomic_load(&watch->closed);
}

struct gaze_watch *gaze_watch_keep(struct gaze_watch *watch)
{
    atomic_fetch_add(&watch->owners, 1);
    return watch;
}

void gaze_watch_leave(struct gaze_watch **watch)
{
    struct gaze_watch *own = *watch;
    *watch = NULL;
    if (!own || atomic_fetch_sub(&own->owners, 1) > 1) {
        return;
    }
    gaze_seen_destroy(&own->seen);
    pthread_mutex_destroy(&own->looking);
    sem_destroy(&own->wake);
    free(own);
}

/* ---- Showing ---- */

struct gaze_seen_size gaze_watch_size(const struct gaze_watch *watch, uint32_t width_px,
                                      uint32_t height_px)
{
    return gaze_seen_size_of(&watch->settings, width_px, height_px);
}

static bool is_for(const struct gaze_watch *watch, const void *shower, int64_t now_ns)
{
    const void *before = atomic_load_explicit(&watch->shower, memory_order_relaxed);
    const int64_t shown_ns = atomic_load_explicit(&watch->shown_ns, memory_order_relaxed);
    const int64_t rest_ns = atomic_load_explicit(&watch->rest_ns, memory_order_relaxed);
    return !before || before == shower || now_ns - shown_ns > SHOWER_KEPT_NS + rest_ns;
}

static bool is_resting(const struct gaze_watch *watch, int64_t now_ns)
{
    return now_ns - atomic_load_explicit(&watch->shown_ns, memory_order_relaxed) <
           atomic_load_explicit(&watch->rest_ns, memory_order_relaxed);
}

uint64_t gaze_watch_wants(struct gaze_watch *watch, const void *shower, int64_t now_ns)
{
    uint64_t turn = atomic_load_explicit(&watch->turn, memory_order_acquire);
    if ((turn & TURN_MASK) != TURN_IDLE ||
        atomic_load_explicit(&watch->stop, memory_order_relaxed) || is_resting(watch, now_ns) ||
        !is_for(watch, shower, now_ns)) {
        return 0;
    }
    const uint64_t number = (turn >> TURN_BITS) + 1;
    if (!atomic_compare_exchange_strong(&watch->turn, &turn, number << TURN_BITS | TURN_DRAWN)) {
        return 0;
    }
    watch->shown_before_ns = atomic_load_explicit(&watch->shown_ns, memory_order_relaxed);
    atomic_store_explicit(&watch->shower, shower, memory_order_relaxed);
    atomic_store_explicit(&watch->shown_ns, now_ns, memory_order_relaxed);
    return number;
}

void gaze_watch_give(struct gaze_watch *watch, uint64_t number, const uint32_t *pixels,
                     struct gaze_seen_size size)
{
    watch->given = pixels;
    watch->given_size = size;
    atomic_store_explicit(&watch->turn, number << TURN_BITS | TURN_GIVEN, memory_order_release);
    sem_post(&watch->wake);
}

void gaze_watch_take_back(struct gaze_watch *watch, uint64_t number)
{
    const struct timespec pause = {.tv_nsec = TAKE_BACK_PAUSE_NS};
    if (atomic_load_explicit(&watch->turn, memory_order_acquire) ==
        (number << TURN_BITS | TURN_DRAWN)) { /* its shower alone goes on from there */
        atomic_store_explicit(&watch->shown_ns, watch->shown_before_ns, memory_order_relaxed);
        atomic_store_explicit(&watch->turn, number << TURN_BITS | TURN_IDLE, memory_order_release);
    }
    while (atomic_load_explicit(&watch->turn, memory_order_acquire) ==
               (number << TURN_BITS | TURN_GIVEN) &&
           !atomic_load(&watch->closed)) {
        nanosleep(&pause, NULL);
    }
}
