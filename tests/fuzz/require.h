/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A fuzz target ends the program where something does not hold, which the fuzzer reports. */
#ifndef FOVEA_TESTS_FUZZ_REQUIRE_H
#define FOVEA_TESTS_FUZZ_REQUIRE_H

#include <stdlib.h>

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
