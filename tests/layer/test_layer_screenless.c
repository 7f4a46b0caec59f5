/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Fovea's layer in a program without a display, on a swapchain of ours (screenless/): what is shown
 * is Fovea's operator on what the program draws. The argument is the backend: "vulkan" and "cpu" on
 * any device that is no GPU, "cuda" and "nvidia" (the vulkan backend) on an NVIDIA GPU; "costs"
 * measures there. STAND_ONLY names one of the tests. */

#include "clock.h"
#include "cmocka_all.h"

#include "screenless/stand.h"

static const char *backend = "vulkan";
static bool gpu;

static struct stand_result result;
static int looks, looks_skipped; /* of one test */

static const char *setting(void)
{
    return strcmp(backend, "nvidia") == 0 ? "vulkan" : backend;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

struct look {
    const char *method;
    const char *options; /* of the program */
    const char *sets; /* more settings */
    bool logged; /* the gaze moves */
    bool unvalidated;
    bool plain; /* Fovea must leave the frames alone */
    bool copied; /* kernels are not to see the images */
    bool wide; /* three levels of the format's own for the smooth method */
};

/* The bound is a part of white: a level of 255, or 1023, for the blockwise method, three of 255 for
 * the smooth one; B10G11R11F has steps of a 64th, on either side. */
static double bound(const struct look *look, double white)
{
    if (strstr(look->options, "format=122")) {
        return white / 32.0;
    }
    return look->wide && strcmp(look->method, "smooth") == 0 ? 3.0
           : strcmp(look->method, "smooth") == 0             ? white * 3.0 / 255.0
           : white > 255.0                                   ? 1.0
                                                             : white / 255.0;
}

static enum stand_validation validation_of(const struct look *look)
{
    if (look->unvalidated || !stand_has_validation()) {
        return STAND_VALIDATE_NOTHING;
    }
    return strcmp(backend, "cpu") == 0 ? STAND_VALIDATE_WITHOUT_SYNCHRONISATION
                                       : STAND_VALIDATE_ALL;
}

static int begin(void **state)
{
    looks = looks_skipped = 0;
    return 0;
}

#define BEGUN(name) TEST_AROUND(name, begin, NULL)

/* A look that the device is not able to take is skipped, and that is said. */
static void end(void)
{
    if (looks_skipped > 0) {
        print_message("%d of %d were skipped\n", looks_skipped, looks);
    }
    if (looks_skipped == looks) {
        skip();
    }
}

static bool run_look(const struct look *look)
{
    char sets[512], options[512];
    snprintf(sets, sizeof sets,
             "backend=%s,foveation.method=%s,gaze.source=fixed,gaze.fixed.x=0.3,gaze.fixed.y=0.4,"
             "gaze.late=false,watchdog_ms=60000,layer.direct=%s,%s",
             setting(), look->method, look->copied ? "false" : "true",
             look->sets ? look->sets : "overlay.hud=false");
    snprintf(options, sizeof options, "%s look=1 nvidia=%d cuda=%d foveated=%d", look->options, gpu,
             strcmp(backend, "cuda") == 0, !look->plain);
    const struct stand_start start = {.layer = STAND_FOVEA,
                                      .sets = sets,
                                      .options = options,
                                      .logged = look->logged,
                                      .validate = validation_of(look)};
    stand_run(&start, &result);
    looks++;
    if (result.status == STAND_SKIPPED) {
        looks_skipped++;
        print_message("%s", result.output);
        return false;
    }
    assert_that(result.status == 0, "%s: status %d\n%s%s", options, result.status, result.output,
                result.log);
    return true;
}

/* If the log says nothing of it nothing was foveated. The program copies its images to look at
 * them, which goes by an image's own format: so the layer cannot make sRGB images of the plain one
 * for kernels to see. */
static void expect_copies(const struct look *look)
{
    const char *seen = "seen by kernels", *copied = "copied by vkCmdCopyImage";
    static const char *const srgb[] = {"format=43", "format=50", "format=57"};
    bool is_copied = look->copied;
    for (size_t i = 0; i < sizeof srgb / sizeof srgb[0]; i++) {
        is_copied |= strstr(look->options, srgb[i]) != NULL;
    }
    const char *wanted = is_copied ? copied : seen, *other = is_copied ? seen : copied;
    assert_that(look->plain || !((!strstr(result.log, wanted) || strstr(result.log, other))),
                "%s: not %s\n%s", look->options, wanted, result.log);
}

/* False: the device cannot. */
static bool expect_look(const struct look *look)
{
    if (!run_look(look)) {
        return false;
    }
    expect_copies(look);
    const double frames = stand_number(&result, "frames_compared");
    const double worst = stand_number(&result, "worst");
    const double white = stand_number(&result, "white");
    const double most = look->plain ? 0.0 : bound(look, white);
    print_message("%s, %s, %s: %.0f frames, worst %g of %g\n", backend, look->method, look->options,
                  frames, worst, white);
    assert_that(worst <= most, "%s: %g from the operator, %g allowed\n%s", look->options, worst,
                most, result.log);
    const double changed = stand_number(&result, "frames_changed");
    assert_true(look->plain ? changed == 0.0 : changed > 0.9 * frames);
    assert_that(validation_of(look) == STAND_VALIDATE_NOTHING ||
                    stand_number(&result, "validation_messages") == 0.0,
                "validation:\n%s", result.output);
    return true;
}

static const char *size(void)
{
    return gpu ? "width=1280 height=720 frames=120" : "width=160 height=90 frames=12";
}

BEGUN(frames_with_a_moving_gaze_are_the_operator)
{
    const char *options = test_text("%s format=44", size());
    const char *sets = "gaze.source=saccades,gaze.saccades.fixation_ms=50";
    expect_look(
        &(struct look){.method = "blockwise", .options = options, .sets = sets, .logged = true});
    expect_look(
        &(struct look){.method = "smooth", .options = options, .sets = sets, .logged = true});
    end();
}

/* Nothing between the layer and the driver, as in a game. Frames are small: the case before has
 * large ones, and the processor's operator takes longer for a frame than all else. */
BEGUN(two_thousand_frames_are_the_operator)
{
    static const char *const methods[] = {"blockwise", "smooth"};
    for (int i = 0; i < 2; i++) {
        const struct look look = {.method = methods[i],
                                  .options = gpu ? "width=640 height=360 frames=2000 format=44"
                                                 : "width=64 height=36 frames=200 format=44",
                                  .sets = "gaze.source=saccades,gaze.saccades.fixation_ms=50",
                                  .logged = true,
                                  .unvalidated = true};
        if (expect_look(&look) && gpu) {
            printf("report: layer, %s, %s: %.0f frames of 640x360, %.0f foveated, worst %g "
                   "levels from the operator on the CPU\n",
                   backend, look.method, stand_number(&result, "frames_compared"),
                   stand_number(&result, "frames_changed"), stand_number(&result, "worst"));
        }
    }
    end();
}

/* VkFormat and VkColorSpaceKHR: UNORM and SRGB in both orders, ten bits plain, PQ and HLG, half
 * floats as light beyond white and as PQ, packed floats. */
BEGUN(every_format_and_colour_space_is_the_operator)
{
    static const char *const formats[] = {
        "format=44 space=0",
        "format=50 space=0",
        "format=50 space=0 mutable_format=1",
        "format=37 space=0",
        "format=43 space=0",
        "format=51 space=0",
        "format=57 space=0",
        "format=64 space=0",
        "format=64 space=1000104008",
        "format=64 space=1000104010",
        "format=58 space=1000104008",
        "format=97 space=1000104002",
        "format=97 space=1000104008",
        "format=122 space=1000104002",
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const char *options = test_text("width=97 height=61 frames=4 %s", formats[i]);
        /* On a CPU one method for each, the other one with the other backend: each takes a
         * second. */
        const bool blockwise = (i + (strcmp(backend, "cpu") == 0)) % 2 == 0;
        if (gpu || blockwise) {
            expect_look(&(struct look){.method = "blockwise", .options = options});
        }
        if (gpu || !blockwise) {
            expect_look(&(struct look){.method = "smooth", .options = options});
        }
    }
    end();
}

/* Frames of PQ and HLG by the swapchain's colour space: the layer takes their light. */
BEGUN(pq_and_hlg_are_averaged_as_light)
{
    static const char *const methods[] = {"blockwise", "smooth"};
    for (int i = 0; i < 4; i++) {
        const char *options = test_text("width=97 height=61 frames=4 format=64 space=%d",
                                        i / 2 ? 1000104010 : 1000104008);
        expect_look(&(struct look){.method = methods[i % 2],
                                   .options = options,
                                   .sets = "foveation.light=linear,"
                                           "foveation.display.hlg_peak_cd_m2=500",
                                   .wide = true});
    }
    end();
}

/* Frames of sRGB's colour space on a screen whose curve somebody measured. */
BEGUN(a_screen_of_its_own_is_averaged_by_its_light)
{
    static const char *const sets[] = {
        "foveation.light=gamma,foveation.display.gamma=2.4",
        "foveation.light=table,foveation.display.table=[0.1, 0.9, 7, 31, 80, 150]"};
    for (int i = 0; i < 4; i++) {
        expect_look(&(struct look){.method = i / 2 ? "smooth" : "blockwise",
                                   .options = "width=97 height=61 frames=4 format=64 space=0",
                                   .sets = sets[i % 2],
                                   .wide = true});
    }
    end();
}

BEGUN(images_that_are_copied_are_the_operator)
{
    static const char *const methods[] = {"blockwise", "smooth"};
    for (int i = 0; i < 2; i++) {
        expect_look(&(struct look){.method = methods[i],
                                   .options = "width=97 height=61 frames=4 format=50",
                                   .copied = true});
    }
    end();
}

/* A program that is far ahead of the GPU: as many unfinished frames as its swapchain has images.
 * One that was shown as it was drawn, between others, would flicker. */
BEGUN(all_frames_in_flight_are_foveated)
{
    if (!gpu) {
        skip(); /* lavapipe's submits wait for what binary semaphores wait for: test_layer_faults.py
                   stands in */
    }
    static const uint32_t images[] = {4, 9, 12, 16, 32};
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++) {
        char options[128], counts[64];
        snprintf(options, sizeof options, "width=48 height=32 images=%u gate=1 frames=%u format=44",
                 images[i], 3 * images[i]);
        snprintf(counts, sizeof counts, "%u frames foveated, 0 passed through", 3 * images[i]);
        const struct look look = {.method = "blockwise", .options = options, .unvalidated = true};
        assert_that(!expect_look(&look) || !((!strstr(result.log, counts) ||
                                              strstr(result.log, "a frame is presented as it is"))),
                    "%s: not %s\n%s", options, counts, result.log);
    }
    end();
}

BEGUN(presents_may_wait_for_much_or_nothing)
{
    static const char *const waits[] = {"waits=0", "waits=8", "waits=9", "waits=30"};
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        const char *options = test_text("width=97 height=61 frames=8 format=44 %s", waits[i]);
        expect_look(&(struct look){.method = "blockwise", .options = options});
    }
    end();
}

BEGUN(frames_without_a_gaze_are_left_alone)
{
    expect_look(&(struct look){.method = "blockwise",
                               .options = "width=97 height=61 frames=12 format=44",
                               .sets = "gaze.source=udp,gaze.udp.port=0,"
                                       "gaze.validity.fallback=none",
                               .plain = true});
    end();
}

/* Looks at queues that the device lacks are skipped. */
BEGUN(any_queue_may_present)
{
    expect_look(&(struct look){.method = "blockwise",
                               .options = "width=320 height=180 frames=60 format=44 queue=1"});
    expect_look(&(struct look){.method = "blockwise",
                               .options = "width=320 height=180 frames=60 format=44 queue=2",
                               .plain = true});
    end();
}

/* ---- When frames are on the screen ----------------------------------------------------------- */

#define WATCHED 20

struct watch {
    const char *clock; /* what the driver offers */
    const char *options; /* of the program */
    const char *words; /* of the record */
    bool exact; /* the driver's own times, which are ticks of the screen's */
    int known; /* frames, at least, of which the time is known */
    int most; /* and at most; 0: all, or where `known` is 0 none */
    int repeated; /* pictures, at least */
    int dropped;
};

struct watched {
    int known, repeated, dropped;
    double last_s;
};

static void see_line(const struct watch *watch, const char *line, double start_s,
                     struct watched *seen)
{
    double at_s = 0, shown_s = 0;
    int frame = 0, dropped = 0, repeated = 0;
    char words[3][32];
    assert_int_equal(
        sscanf(line, "%lf %d %31s %31s %31s", &at_s, &frame, words[0], words[1], words[2]), 5);
    if (sscanf(words[1], "%d", &dropped) == 1) {
        seen->dropped += dropped;
    }
    if (sscanf(words[0], "%lf", &shown_s) != 1) {
        return;
    }
    assert_that(shown_s > at_s && shown_s < at_s + 2 && shown_s > seen->last_s, "%s", line);
    const bool mailbox = watch->options && strstr(watch->options, "mailbox");
    assert_that(!mailbox || frame % 4 != 3, "%s: was replaced", line); /* screenless_clock.c */
    const double ticks = (shown_s + start_s) * 1e9 / SCREENLESS_REFRESH_NS;
    assert_that(!watch->exact || fabs(ticks - round(ticks)) < 1e-3, "%s: %g", line, ticks);
    if (sscanf(words[2], "%d", &repeated) == 1) {
        const double since = (shown_s - seen->last_s) * 1e9 / SCREENLESS_REFRESH_NS;
        assert_that(watch->exact && repeated == (int)lround(since) - 1, "%s: %g", line, since);
        seen->repeated += repeated;
    }
    seen->known++;
    seen->last_s = shown_s;
}

static void read_all(const char *command, char *out, size_t bytes)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, bytes - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
}

static void see_record(const struct watch *watch, const char *name)
{
    char side[8192], rows[8192];
    struct watched seen = {0};
    read_all(test_text("cat %s_run-1_recording-eye1_physio.json", name), side, sizeof side);
    read_all(
        test_text("gunzip -c %s_run-1_recording-eye1_physio.tsv.gz | cut -f 1,4,19,22,23", name),
        rows, sizeof rows);
    const char *start = strstr(side, "\"clock_monotonic_ns\": ");
    assert_that(start && strstr(side, watch->words), "%s: not %s\n%s%s", watch->clock, watch->words,
                side, result.log);
    const double start_s = strtod(start + 22, NULL) * 1e-9;
    int lines = 0;
    for (char *line = strtok(rows, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        see_line(watch, line, start_s, &seen);
    }
    assert_int_equal(lines, WATCHED);
    assert_that(seen.known >= watch->known && (!watch->most || seen.known <= watch->most) &&
                    seen.repeated >= watch->repeated && seen.dropped >= watch->dropped &&
                    (watch->known > 0 || watch->most > 0 || seen.known == 0),
                "%s, %s: %d known, %d repeated, %d dropped\n%s", watch->clock,
                watch->options ? watch->options : "", seen.known, seen.repeated, seen.dropped,
                result.log);
}

static void watch_frames(const struct watch *watch, bool records)
{
    char folder[] = "/tmp/fovea-watch-XXXXXX", name[64], sets[512];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/s", folder);
    snprintf(sets, sizeof sets,
             "backend=cpu,gaze.source=fixed,gaze.late=false,watchdog_ms=60000%s%s",
             records ? ",record.file=" : "", records ? name : "");
    const struct stand_start start = {
        .layer = STAND_FOVEA,
        .sets = sets,
        .options = test_text("width=64 height=36 format=44 frames=%d %s", WATCHED,
                             watch->options ? watch->options : ""),
        .clock = watch->clock,
        .validate = stand_has_validation() ? STAND_VALIDATE_WITHOUT_SYNCHRONISATION
                                           : STAND_VALIDATE_NOTHING};
    stand_run(&start, &result);
    assert_that(result.status == 0, "%s: status %d\n%s%s", watch->clock, result.status,
                result.output, result.log);
    assert_that(!start.validate || stand_number(&result, "validation_messages") == 0.0,
                "validation:\n%s", result.output);
    if (records && watch->words) { /* else lines may be missing */
        see_record(watch, name);
    }
    assert_int_equal(system(test_text("rm -r %s", folder)), 0);
}

/* The last frames are still on their way when the swapchain goes. */
static void a_record_says_when_frames_were_on_the_screen(void **state)
{
    static const char timing[] = "\"VK_GOOGLE_display_timing: ";
    static const char wait[] = "\"VK_KHR_present_wait: ";
    static const struct watch all[] = {
        {.clock = "timing", .words = timing, .exact = true, .known = 12, .repeated = 2},
        {.clock = "timing",
         .options = "mailbox=1",
         .words = timing,
         .exact = true,
         .known = 8,
         .dropped = 3},
        {.clock = "another timing", .words = timing},
        {.clock = "wait", .words = wait, .known = 12},
        {.clock = "wait", .options = "mailbox=1", .words = wait, .most = WATCHED - 4},
        {.clock = "wait at once", .options = "mailbox=1", .words = wait, .most = WATCHED - 4},
        {.clock = "timing wait", .options = "ids=1", .words = timing, .exact = true, .known = 12},
        {.clock = "wait", .options = "ids=1", .words = wait, .known = 12},
        {.clock = "wait", .options = "remake=1", .words = wait, .known = 8},
        {.clock = "timing", .options = "remake=1", .words = timing, .exact = true, .known = 8},
        {.clock = "wait", .options = "leave=1"},
        {.clock = "", .words = "\"missing: the driver offers no "},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        watch_frames(&all[i], true);
        const bool ids = all[i].options && strstr(all[i].options, "ids");
        if (all[i].options && (strstr(all[i].options, "remake") || !all[i].words)) {
            continue; /* of the second swapchain alone, or of none */
        }
        assert_true(stand_number(&result, "clock_ids") == (all[i].clock[0] ? WATCHED : 0) ||
                    strstr(all[i].clock, "another"));
        assert_true(!ids || stand_number(&result, "clock_last") == 990 + 10 * WATCHED);
    }
}

static void record_20(const char *sets)
{
    const struct stand_start start = {
        .layer = STAND_FOVEA,
        .sets = sets,
        .options = test_text("width=64 height=36 format=44 frames=%d", WATCHED),
        .clock = "timing"};
    stand_run(&start, &result);
    assert_that(result.status == 0, "status %d\n%s%s", result.status, result.output, result.log);
}

static void see_all_frames(char *rows)
{
    int lines = 0, counted = 0;
    for (char *line = strtok(rows, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        int frame = 0, foveated = 0, refused = 0;
        char words[2][32];
        assert_int_equal(
            sscanf(line, "%d %d %d %31s %31s", &frame, &foveated, &refused, words[0], words[1]), 5);
        assert_that(frame == lines + 1 && refused == 0 && foveated == (frame < 6 || frame > 10),
                    "%s", line);
        assert_that(frame > 11 || strcmp(words[0], "n/a") != 0, "%s", line);
        counted += strcmp(words[1], "n/a") != 0;
    }
    assert_that(lines == WATCHED && counted >= 6, "%d lines, %d counted\n%s", lines, counted,
                result.log);
}

/* A gaze is lost from the sixth to the tenth of 20 pictures, which pass through: a record has them
 * all the same, and says when they were on the screen. */
static void pictures_without_a_gaze_are_recorded(void **state)
{
    static const char all[] = "backend=cpu,gaze.late=false,watchdog_ms=60000";
    char folder[] = "/tmp/fovea-watch-XXXXXX", rows[8192];
    assert_non_null(mkdtemp(folder));
    record_20(test_text("%s,gaze.source=fixed,record.file=%s/a", all, folder));
    assert_int_equal(
        system(test_text("cd %s && cp a_run-1_recording-eye1_physio.json lost_physio.json && "
                         "gunzip -c a_run-1_recording-eye1_physio.tsv.gz | awk -F'\\t' -v "
                         "OFS='\\t' '$4 > 5 && $4 <= 10 {$9 = 2; $10 = 0} 1' > lost_physio.tsv",
                         folder)),
        0);
    record_20(test_text("%s,gaze.source=replay,gaze.scanpath.file=%s/lost_physio.tsv,"
                        "gaze.validity.fallback=none,record.file=%s/b",
                        all, folder, folder));
    read_all(test_text("gunzip -c %s/b_run-1_recording-eye1_physio.tsv.gz | cut -f 4,17,18,19,23",
                       folder),
             rows, sizeof rows);
    see_all_frames(rows);
    assert_int_equal(system(test_text("rm -r %s", folder)), 0);
}

static void without_a_record_no_driver_is_asked(void **state)
{
    watch_frames(&(struct watch){.clock = "timing wait"}, false);
    assert_true(stand_number(&result, "clock_ids") == 0 &&
                stand_number(&result, "clock_calls") == 0);
}

/* ---- Costs ----------------------------------------------------------------------------------- */

#define ROUNDS 3

/* Several rounds tell a cost of next to nothing from none; the others cost several times the frame.
 * To start a program takes longer than to measure it. */
struct variant {
    const char *name;
    enum stand_layer layer;
    const char *sets;
    int rounds;
};

static const struct variant variants[] = {
    {"no layer", STAND_NO_LAYER, "", ROUNDS},
    {"Fovea installed, off", STAND_INSTALLED, "", ROUNDS},
    {"Fovea, strength 0", STAND_FOVEA, "backend=vulkan,gaze.source=fixed,foveation.strength=0",
     ROUNDS},
    {"Fovea, gaze lost", STAND_FOVEA,
     "backend=vulkan,gaze.source=udp,gaze.udp.port=0,gaze.validity.fallback=none", 1},
    {"Fovea, vulkan", STAND_FOVEA, "backend=vulkan,gaze.source=fixed", 1},
    {"Fovea, cuda", STAND_FOVEA, "backend=cuda,gaze.source=fixed", 1},
    {"Fovea, vulkan, copied", STAND_FOVEA, "backend=vulkan,gaze.source=fixed,layer.direct=false",
     1},
    {"Fovea, cuda, copied", STAND_FOVEA, "backend=cuda,gaze.source=fixed,layer.direct=false", 1},
};
#define VARIANTS (sizeof variants / sizeof variants[0])

static void run_variant(const struct variant *variant, const char *size_options, bool times)
{
    const char *options = test_text("%s nvidia=%d format=44", size_options, gpu);
    const struct stand_start start = {.layer = variant->layer,
                                      .sets = variant->sets,
                                      .options = options,
                                      .times = times,
                                      .costs = true};
    stand_run(&start, &result);
    assert_that(result.status == 0, "%s: status %d\n%s%s", variant->name, result.status,
                result.output, result.log);
}

/* Sorts so many values: quarter 1, 2 and 3 are the quartiles. */
static double quartile(const double *values, int rounds, int quarter)
{
    double sorted[ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    return quantile(sorted, (uint32_t)rounds, quarter / 4.0);
}

static void report_above(const char *what, int rounds, const double *values, const double *base)
{
    double percent[ROUNDS];
    for (int i = 0; i < rounds; i++) {
        percent[i] = 100.0 * (values[i] / base[i] - 1.0);
    }
    printf("%s %.2f us (%+.1f %%, quartiles %+.1f to %+.1f)", what, quartile(values, rounds, 2),
           quartile(percent, rounds, 2), quartile(percent, rounds, 1),
           quartile(percent, rounds, 3));
}

/* Round after round, so that whatever disturbs the machine disturbs all of them; every other one
 * backwards. */
static void what_it_costs_the_cpu(void **state)
{
    static double frame[VARIANTS][ROUNDS], cpu[VARIANTS][ROUNDS], thread[VARIANTS][ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t k = 0; k < VARIANTS; k++) {
            const size_t i = round % 2 ? VARIANTS - 1 - k : k;
            if (round < variants[i].rounds) {
                run_variant(&variants[i], "width=1920 height=1080 frames=2100", false);
                frame[i][round] = stand_number(&result, "frame_us");
                cpu[i][round] = stand_number(&result, "cpu_us");
                thread[i][round] = stand_number(&result, "thread_us");
            }
        }
    }
    for (size_t i = 0; i < VARIANTS; i++) {
        const int rounds = variants[i].rounds;
        printf("report: the layer's cost, 1920x1080, medians of %d: %s: ", rounds,
               variants[i].name);
        report_above("frame", rounds, frame[i], frame[0]);
        report_above(", CPU", rounds, cpu[i], cpu[0]);
        report_above(", of that the presenting thread", rounds, thread[i], thread[0]);
        printf("\n");
    }
}

/* The last that the layer says of a context. */
static double kernels_us(void)
{
    const char *at = strstr(result.log, "GPU ");
    return at && strstr(result.log, "frames foveated") ? strtod(at + 4, NULL) : 0.0;
}

static void what_it_adds_on_the_gpu(void **state)
{
    static const char *const sizes[] = {"width=1920 height=1080 frames=1100",
                                        "width=3840 height=2160 frames=1100"};
    static const size_t shown[] = {0, 4, 6, 5, 7};
    for (int s = 0; s < 2; s++) {
        for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++) {
            const struct variant *variant = &variants[shown[k]];
            run_variant(variant, sizes[s], true);
            printf("report: on the GPU, %s: %s: adds %.1f us p50, %.1f p99; kernels alone %.1f; "
                   "first batch %.1f, then until the second %.1f p50, %.1f p99, second %.1f\n",
                   s ? "3840x2160" : "1920x1080", variant->name, stand_number(&result, "added_us"),
                   stand_number(&result, "added_us_p99"), kernels_us(),
                   stand_number(&result, "first_us"), stand_number(&result, "between_us"),
                   stand_number(&result, "between_us_p99"), stand_number(&result, "second_us"));
        }
    }
}

/* ---- */

static bool available(void)
{
    const char *options = test_text("frames=1 nvidia=%d", gpu);
    const struct stand_start start = {.layer = STAND_NO_LAYER, .options = options};
    stand_run(&start, &result);
    if (result.status != 0) {
        printf("%s", result.output);
    }
    return result.status != STAND_SKIPPED;
}

static int run_costs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_it_adds_on_the_gpu),
                                       cmocka_unit_test(what_it_costs_the_cpu)};
    return cmocka_run_group_tests_name("costs", tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "program") == 0) {
        return stand_program(argc, argv);
    }
    backend = argc > 1 ? argv[1] : backend;
    cmocka_set_test_filter(getenv("STAND_ONLY"));
    const bool costs = strcmp(backend, "costs") == 0;
    gpu = costs || strcmp(backend, "cuda") == 0 || strcmp(backend, "nvidia") == 0;
    if (!available()) {
        return STAND_SKIPPED;
    }
    if (costs) {
        return run_costs();
    }
    const char *required = getenv("FOVEA_REQUIRE_VALIDATION");
    if (required && strcmp(required, "1") == 0 && !stand_has_validation()) {
        fprintf(stderr, "the validation layer is not there\n");
        return 1;
    }
    const struct CMUnitTest screen[] = {
        cmocka_unit_test(a_record_says_when_frames_were_on_the_screen),
        cmocka_unit_test(pictures_without_a_gaze_are_recorded),
        cmocka_unit_test(without_a_record_no_driver_is_asked),
    };
    const int failed =
        _cmocka_run_group_tests(backend, test_list.tests, test_list.count, NULL, NULL);
    return strcmp(backend, "cpu") != 0 /* who makes the frames does not matter */
               ? failed
               : failed + cmocka_run_group_tests_name("screen", screen, NULL, NULL);
}
