/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Draws points and runs each with a backend and with the cpu backend, in several processes. One
 * that ends, hangs or loses its device takes the point with it that it was at, and another goes on
 * behind it. Every failure is one line that --point takes. */

#include "search.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXIT_SKIPPED 77
#define EXIT_NO_DEVICE 78
#define EXIT_AFTER_LOSS 79
#define MOST_JOBS 64
#define MOST_FAILURES 40
#define SECONDS_A_POINT 300

/* Processes share this. */
struct shared {
    _Atomic uint64_t at[MOST_JOBS]; /* the point that a process is at */
    _Atomic uint64_t points, refused, failures;
};

typedef enum search_verdict (*search_fn)(const struct search_limits *limits, uint64_t seed,
                                         uint64_t number, char out_text[SEARCH_TEXT_BYTES]);

/* These are drawn; a point of pictures is a line. */
static const struct kind {
    const char *name;
    search_fn run;
} kinds[] = {
    {"pictures", NULL}, {"lightfields", search_run_lightfield}, {"blobs", search_run_blobs}};

struct search {
    struct search_limits limits;
    const struct kind *kind;
    uint64_t seed, from, count;
    const char *line; /* one point instead */
    uint32_t jobs;
    bool verbose;
    struct shared *shared;
};

static const char *const backends[] = {"cuda", "cpu", "vulkan", "nvidia"};

/* ---- One process ----------------------------------------------------------------------------- */

static struct search_point point_of(const struct search *search, uint64_t number)
{
    struct search_point point = {0};
    if (!search->line) {
        return search_point_draw(search->seed, number, &search->limits);
    }
    (void)search_point_read(search->line, &point); /* which has been read once */
    return point;
}

/* One write, so that lines of several processes do not mix. "report: " is for ./run gpu-test. */
static void tell_failure(const struct search *search, uint64_t number, const char *text)
{
    char line[SEARCH_LINE_BYTES];
    atomic_fetch_add(&search->shared->failures, 1);
    if (search->kind->run) {
        snprintf(line, sizeof line, "--what %s --seed %llu --from %llu --count 1",
                 search->kind->name, (unsigned long long)search->seed, (unsigned long long)number);
        printf("report: search, %s: FAILED: %s # %s\n", backends[search->limits.backend], line,
               text);
    } else {
        const struct search_point point = point_of(search, number);
        search_point_print(&point, line);
        printf("report: search, %s: FAILED: --point '%s' # %s\n", backends[search->limits.backend],
               line, text);
    }
    fflush(stdout);
}

static enum search_verdict run_picture(const struct search *search, uint64_t number, char *text)
{
    const struct search_point point = point_of(search, number);
    if (search->verbose) {
        char line[SEARCH_LINE_BYTES];
        search_point_print(&point, line);
        fprintf(stderr, "%s\n", line);
    }
    return search->limits.backend >= SEARCH_VULKAN
               ? search_run_frame(&search->limits, &point, text)
               : search_run_context(&search->limits, &point, text);
}

/* Whether there is no going on. */
static enum search_verdict run_point(const struct search *search, uint64_t number)
{
    char text[SEARCH_TEXT_BYTES] = "";
    const enum search_verdict verdict =
        search->kind->run ? search->kind->run(&search->limits, search->seed, number, text)
                          : run_picture(search, number, text);
    if (verdict == SEARCH_DIFFERENT || verdict == SEARCH_LOST) {
        tell_failure(search, number, text);
    }
    atomic_fetch_add(&search->shared->points, verdict != SEARCH_NO_DEVICE);
    atomic_fetch_add(&search->shared->refused, verdict == SEARCH_REFUSED);
    return verdict;
}

static bool is_enough(const struct search *search)
{
    return atomic_load(&search->shared->failures) >= MOST_FAILURES;
}

static int run_points(const struct search *search, uint32_t job)
{
    _Atomic uint64_t *at = &search->shared->at[job];
    for (; atomic_load(at) < search->count && !is_enough(search);
         atomic_fetch_add(at, search->jobs)) {
        alarm(SECONDS_A_POINT);
        const enum search_verdict verdict = run_point(search, search->from + atomic_load(at));
        if (verdict == SEARCH_NO_DEVICE) {
            return EXIT_NO_DEVICE;
        }
        if (verdict == SEARCH_LOST) {
            return EXIT_AFTER_LOSS;
        }
    }
    return EXIT_SUCCESS;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static pid_t start(const struct search *search, uint32_t job)
{
    fflush(stdout);
    const pid_t process = fork();
    if (process == 0) {
        const int status = run_points(search, job);
        fflush(stdout);
        _exit(status);
    }
    return process;
}

/* A process has ended; whether another one shall go on. */
static bool goes_on(const struct search *search, uint32_t job, int status)
{
    _Atomic uint64_t *at = &search->shared->at[job];
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) {
        return false;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_AFTER_LOSS) {
        char text[64];
        snprintf(text, sizeof text, "the process ended, %s %d",
                 WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        atomic_fetch_add(&search->shared->points, 1);
        tell_failure(search, search->from + atomic_load(at), text);
    }
    atomic_fetch_add(at, search->jobs);
    return atomic_load(at) < search->count && !is_enough(search);
}

/* False: there is no device. */
static bool run_jobs(const struct search *search)
{
    pid_t processes[MOST_JOBS];
    uint32_t running = search->jobs;
    bool has_device = true;
    for (uint32_t i = 0; i < search->jobs; i++) {
        atomic_store(&search->shared->at[i], i);
        processes[i] = start(search, i);
    }
    while (running > 0) {
        int status = 0;
        const pid_t ended = wait(&status);
        uint32_t job = 0;
        while (job < search->jobs && processes[job] != ended) {
            job++;
        }
        if (ended < 0 && errno != EINTR) {
            return false;
        }
        has_device = has_device && !(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_DEVICE);
        if (job < search->jobs && has_device && goes_on(search, job, status)) {
            processes[job] = start(search, job);
        } else if (job < search->jobs) {
            running--;
        }
    }
    return has_device;
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && strcmp(value, "1") == 0;
}

static int run(struct search *search)
{
    search->shared = mmap(NULL, sizeof *search->shared, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (search->shared == MAP_FAILED) {
        return EXIT_FAILURE;
    }
    if (!run_jobs(search)) {
        const bool vulkan = search->limits.backend == SEARCH_VULKAN;
        fprintf(stderr, "skip: no device\n");
        return is_set(vulkan ? "FOVEA_REQUIRE_VULKAN" : "FOVEA_REQUIRE_GPU") ? EXIT_FAILURE
                                                                             : EXIT_SKIPPED;
    }
    const struct shared *s = search->shared;
    const unsigned long long failures = atomic_load(&s->failures);
    printf(
        "report: search, %s: seed %llu, %llu points, %llu of them refused alike, %llu failures\n",
        backends[search->limits.backend], (unsigned long long)search->seed,
        (unsigned long long)atomic_load(&s->points), (unsigned long long)atomic_load(&s->refused),
        failures);
    printf("%s points_are_as_the_cpu_backend_makes_them\n",
           failures ? "[  FAILED  ]" : "[       OK ]");
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- Wishes ---------------------------------------------------------------------------------- */

static void help(void)
{
    puts("search --backend cuda|cpu|vulkan|nvidia [--count N] [--from N] [--seed N] [--jobs N] "
         "[--small]\n"
         "       [--verbose] [--point 'LINE'] [--what pictures|lightfields|blobs]\n"
         "\n"
         "--count   points, default 5000, with FOVEA_TEST_QUICK=1 60\n"
         "--seed    default FOVEA_TEST_SEED, else another one each time; commit: FOVEA_TEST_SEED,\n"
         "          else FOVEA_TEST_COMMIT, else 1\n"
         "--small   pictures for slow devices\n"
         "--point   one point, as a failure prints it");
}

static uint64_t seed_of(const char *word)
{
    const char *given = getenv("FOVEA_TEST_SEED");
    const char *commit = getenv("FOVEA_TEST_COMMIT");
    struct timespec now;
    if (word && strcmp(word, "commit") != 0) {
        return strtoull(word, NULL, 10);
    }
    if (given && *given) {
        return strtoull(given, NULL, 10);
    }
    if (word) {
        return commit && *commit ? strtoull(commit, NULL, 10) : 1;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static bool read_backend(const char *word, struct search *search)
{
    for (int i = 0; i < 4; i++) {
        if (strcmp(word, backends[i]) == 0) {
            search->limits.backend = (enum search_backend)i;
            return true;
        }
    }
    return false;
}

static bool read_kind(const char *word, struct search *search)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(word, kinds[i].name) == 0) {
            search->kind = &kinds[i];
            return true;
        }
    }
    return false;
}

static bool read_wishes(int argc, char **argv, struct search *search)
{
    const char *seed = NULL;
    bool known = true;
    for (int i = 1; i < argc && known; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--small") == 0) {
            search->limits.small = true;
            continue;
        }
        if (strcmp(argv[i], "--verbose") == 0) {
            search->verbose = true;
            continue;
        }
        known = *value != '\0';
        if (strcmp(argv[i], "--backend") == 0) {
            known = known && read_backend(value, search);
        } else if (strcmp(argv[i], "--what") == 0) {
            known = known && read_kind(value, search);
        } else if (strcmp(argv[i], "--count") == 0) {
            search->count = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--from") == 0) {
            search->from = strtoull(value, NULL, 10);
        } else if (strcmp(argv[i], "--jobs") == 0) {
            search->jobs = (uint32_t)strtoul(value, NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = value;
        } else if (strcmp(argv[i], "--point") == 0) {
            search->line = value;
        } else {
            known = false;
        }
        i++;
    }
    search->seed = seed_of(seed);
    return known;
}

int main(int argc, char **argv)
{
    struct search search = {.kind = kinds, .count = is_set("FOVEA_TEST_QUICK") ? 60 : 5000};
    struct search_point point;
    if (!read_wishes(argc, argv, &search) ||
        (search.line && !search_point_read(search.line, &point))) {
        help();
        return 2;
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    search.count = search.line ? 1 : search.count;
    search.jobs = search.jobs ? search.jobs : cores > 16 ? 12 : (uint32_t)(3 * cores + 3) / 4;
    search.jobs = search.jobs > MOST_JOBS ? MOST_JOBS : search.jobs;
    search.jobs = search.jobs > search.count ? (uint32_t)search.count : search.jobs;
    return run(&search);
}
