/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "domain.h"
#include "machine.h"
#include "report.h"
#include "support/clock.h"

#include <stdarg.h>

#define EXIT_USAGE 2
#define EXIT_SKIPPED 77

static void say(const char *kind, const char *format, va_list arguments)
{
    fprintf(stderr, "fovea_bench: %s", kind);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void bench_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
}

void bench_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("error: ", format, arguments);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

void bench_must(enum fovea_result result, const char *what)
{
    bench_need(result == FOVEA_OK, "%s: %s", what, fovea_result_name(result));
}

static void on_log(void *user, enum fovea_log_level level, const char *message)
{
    bench_say("%s", message);
}

struct fovea_log bench_log(void)
{
    return (struct fovea_log){.fn = on_log, .min_level = FOVEA_LOG_WARNING};
}

void *bench_memory(size_t count, size_t bytes)
{
    void *memory = calloc(count > 0 ? count : 1, bytes);
    bench_need(memory, "out of memory");
    return memory;
}

bool bench_is_over(const struct bench *bench)
{
    return bench->wishes.seconds > 0 && now_s() > bench->started_s + bench->wishes.seconds;
}

bool bench_wants(const struct bench *bench, const char *name)
{
    const bool wanted = wishes_name(&bench->wishes, name);
    if (wanted && bench_is_over(bench)) {
        bench_say("left out after %u s: %s", (unsigned)bench->wishes.seconds, name);
        return false;
    }
    if (wanted && bench->wishes.list) {
        puts(name);
    }
    return wanted && !bench->wishes.list;
}

void bench_case_name(const char *backend, const struct bench_case *c, char out[RESULT_NAME_BYTES])
{
    snprintf(out, RESULT_NAME_BYTES, "%s/%s/%s/%s", backend, c->size->name, c->mode->name,
             c->gaze->name);
}

static void measure(struct bench *bench)
{
    static const struct {
        const char *name;
        void (*run)(struct bench *);
    } backends[] = {
        {"cpu", bench_cpu},
#ifdef BENCH_CUDA
        {"cuda", bench_cuda},
#endif
#ifdef BENCH_VULKAN
        {"vulkan", bench_vulkan},
#endif
    };
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        if (wishes_backend(&bench->wishes, backends[i].name)) {
            backends[i].run(bench);
        }
    }
}

/* The backend that was asked for by name is not there. */
static bool nothing_measured(const struct bench *bench)
{
    return bench->wishes.backend && bench->results.row_count == 0 &&
           bench->results.domain_count == 0;
}

int main(int argc, char **argv)
{
    struct bench bench = {.started_s = now_s()};
    const enum wishes_result understood = wishes_read(argc, argv, &bench.wishes);
    if (understood != WISHES_OK) {
        wishes_help();
        return understood == WISHES_HELP ? EXIT_SUCCESS : EXIT_USAGE;
    }
    machine_note(&bench.results);
    bench_draw_alpha(bench.wishes.alpha);
    bench.results.domain_seed = bench.wishes.seed;
    measure(&bench);
    int status = EXIT_SUCCESS;
    if (!bench.wishes.list) {
        report_text(&bench.results, stdout);
        const bool kept = domain_report(&bench.results, stdout);
        status = nothing_measured(&bench)        ? EXIT_SKIPPED
                 : bench.results.wrong_count > 0 ? EXIT_FAILURE
                 : (kept || bench.wishes.quick)  ? EXIT_SUCCESS
                                                 : EXIT_FAILURE;
        if (bench.wishes.json && !report_json(&bench.results, bench.wishes.json)) {
            status = EXIT_FAILURE;
        }
    }
    if (status == EXIT_SUCCESS && (fflush(stdout) != 0 || ferror(stdout))) {
        bench_say("standard output cannot be written");
        status = EXIT_FAILURE;
    }
    results_free(&bench.results);
    wishes_free(&bench.wishes);
    return status;
}
