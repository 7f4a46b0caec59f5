/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A driver's functions are here. It is made for one front. */

__attribute__((visibility("default"))) int core_begin(void);
__attribute__((visibility("default"))) void core_submit(void);

static int fronts;

/* How many fronts have begun on it. */
int core_begin(void)
{
    return ++fronts;
}

void core_submit(void)
{
}
