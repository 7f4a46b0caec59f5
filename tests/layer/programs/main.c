/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "program.h"

#include "process_counts.h"

static const struct program_case *const all_cases[] = {device_cases, frame_cases, image_cases,
                                                       life_cases, retry_cases};

/* Everything of Vulkan's has ended. */
static void print_counts(void)
{
    const struct process_counts counts = process_count();
    printf("at the end: %ld threads, %ld descriptors\n", counts.threads, counts.descriptors);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof all_cases / sizeof all_cases[0]; i++) {
        for (const struct program_case *c = all_cases[i]; c->name; c++) {
            if (argc < 2) {
                puts(c->name);
            } else if (strcmp(c->name, argv[1]) == 0) {
                c->run();
                print_counts();
                return 0;
            }
        }
    }
    if (argc > 1) {
        fprintf(stderr, "program: there is no case %s\n", argv[1]);
    }
    return argc < 2 ? 0 : 2;
}
