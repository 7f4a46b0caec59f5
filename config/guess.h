/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* "Did you mean": of the names that are offered, the one nearest to what was written. */
#pragma once

#include <stddef.h>

#define GUESS_MAX_BYTES 64

struct config_guess {
    char word[GUESS_MAX_BYTES]; /* empty where it was too long to be a slip of somebody's */
    char best[GUESS_MAX_BYTES]; /* empty: nothing is near */
    size_t best_offer; /* number of the offer, from 0 */
    size_t best_distance;
    size_t offers;
};

struct config_guess config_guess_begin(const char *word);
/* The first of equally near ones stays. */
void config_guess_offer(struct config_guess *guess, const char *candidate);
