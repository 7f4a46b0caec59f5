/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_line(struct checklist *list, enum mark mark, const char *what, const char *format, ...)
{
    static const char *const marks[] = {"  ok   ", "  note ", "  NO   "};
    static const char *const colors[] = {"\033[32m", "\033[33m", "\033[31m"};
    const bool terminal = isatty(STDOUT_FILENO);
    va_list arguments;
    list->missing += mark == MARK_MISSING;
    printf("%s%s%s %-13s ", terminal ? colors[mark] : "", marks[mark], terminal ? "\033[0m" : "",
           what);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* The environment that programs get from fovea-run, as far as it can be had. */
static void find_variables(struct checklist *list, struct variables *variables)
{
    static const char *const enable[] = {LAYER_ENABLE, "1"};
    bool usable = false;
    for (size_t i = 0; i < list->manifest_count; i++) {
        usable |= !list->manifests[i].fault[0];
    }
    *variables = (struct variables){0};
    if (usable || (list->own_known && !list->own.fault[0])) {
        const struct options plain = {.mode = MODE_CHECK}; /* no driver is asked twice */
        if (variables_make(&plain, variables)) {
            return;
        }
        variables_free(variables);
    }
    variables->name[0] = enable[0];
    variables->value[0] = strdup(enable[1]);
    variables->count = variables->value[0] ? 1 : 0;
}

/* The library that would be used: of the first manifest that is right, or of our own. */
static const char *find_library(const struct checklist *list)
{
    for (size_t i = 0; i < list->manifest_count; i++) {
        if (!list->manifests[i].fault[0]) {
            return list->manifests[i].library;
        }
    }
    return list->own_known && !list->own.fault[0] ? list->own.library : "";
}

static void check_all(struct checklist *list)
{
    check_loader(list);
    check_manifests(list);
    check_layer(list);
    check_switches(list);
    check_devices(list);
    check_settings(list);
    check_cuda(list);
    check_display(list);
    check_openxr(list);
    const unsigned missing_anyway = list->missing;
    check_program(list);
    if (list->missing == 0) {
        puts("\nA Vulkan program that fovea-run starts is foveated.");
    } else if (missing_anyway == 0) {
        printf("\n%s would not be foveated; other Vulkan programs would be.\n",
               list->options->program[0]);
    } else {
        printf("\nNo program is foveated: %u %s missing or wrong.\n", list->missing,
               list->missing == 1 ? "thing is" : "things are");
    }
}

int check(const struct options *options)
{
    struct checklist list = {.options = options};
    struct variables variables;
    list.manifests = calloc(MANIFESTS_MAX, sizeof *list.manifests);
    if (!list.manifests) {
        say("out of memory");
        return EXIT_ABSENT;
    }
    list.manifest_count = manifests_find(list.manifests);
    list.own_known = manifest_own(&list.own);
    find_variables(&list, &variables);
    struct probe *probe = probe_run(&variables, find_library(&list));
    variables_free(&variables);
    list.probe = probe;
    if (probe) {
        check_all(&list);
    }
    probe_free(probe);
    free(list.manifests);
    return probe && list.missing == 0 ? 0 : EXIT_ABSENT;
}
