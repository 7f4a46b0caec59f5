/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* fovea_bench: what the library costs on this machine, as tables and as JSON.
 *
 *     wishes.c            the command line, and which cases it asks for
 *     cases.c             sizes, settings, gazes
 *     times.c             medians and spreads
 *     results.c           what was measured
 *     report_text.c       as Markdown tables
 *     report_json.c       as JSON
 *     domain*.c           random points instead of those tables, each against a bound
 *     papers/             what the next five share
 *     lens_paper/         a paper's ways to warp for a lens, and others', instead of those tables
 *     foveation_paper/    a paper's kernel for foveation, with others beside it
 *     blur_thesis/        a thesis's ways to blur
 *     lightfield_paper/   a paper's kernels for light fields
 *     csdd_thesis/        a thesis's kernels for blobs
 *     machine.c           date, commit, processor, driver
 *     bench_cpu.c         the cpu backend
 *     bench_cuda*.c       the cuda backend, and copies beside it
 *     bench_vulkan*.c     the vulkan backend
 *
 * A failure ends the program: half a table is worse than none. */
#pragma once

#include "cases.h"
#include "results.h"
#include "support/owned.h"
#include "wishes.h"

struct bench {
    struct wishes wishes;
    struct results results;
    double started_s;
};

/* Each measures what is wished for of its backend, or notes that the machine has none. With --list
 * they name their cases and touch no device. */
void bench_cpu(struct bench *bench);
void bench_cuda(struct bench *bench);
void bench_vulkan(struct bench *bench);

void domain_cpu(struct bench *bench);
void cpu_lens_paper(struct bench *bench);
void cpu_csdd_thesis(struct bench *bench);

/* The seconds that were wished for are over. */
bool bench_is_over(const struct bench *bench);
/* The case is wished for, and there is time for it; with --list: prints its name, and it is not. */
bool bench_wants(const struct bench *bench, const char *name);
/* "cuda/1080p/smooth/centre". */
void bench_case_name(const char *backend, const struct bench_case *c, char out[RESULT_NAME_BYTES]);

/* Ends the program where it is not FOVEA_OK. */
void bench_must(enum fovea_result result, const char *what);
void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Ends it with these words unless the condition holds. */
#define bench_need(condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            bench_fail(__VA_ARGS__);                                                               \
        }                                                                                          \
    } while (0)
/* Progress and remarks, on standard error. */
void bench_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct fovea_log bench_log(void);
/* Zeroed. */
void *bench_memory(size_t count, size_t bytes);
