/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Tests that begin with a thing of the same kind each: a rig, a host, a bench. */
#pragma once

#include "cmocka_all.h"

/* `opening` opens what is `made`, which `close` takes apart after the test. A harness names its own
 * kind of tests by this. */
#define TEST_WITH(name, type, thing, opening, close)                                               \
    static void name##_with(type *thing);                                                          \
    TEST(name)                                                                                     \
    {                                                                                              \
        OWNED(close) type made;                                                                    \
        opening;                                                                                   \
        name##_with(&made);                                                                        \
    }                                                                                              \
    static void name##_with(type *thing)
