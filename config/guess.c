/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "guess.h"

#include <stdbool.h>
#include <string.h>

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Edits (insert, delete, replace, swap neighbours) from a to b; upper and lower case are the same.
 * Optimal string alignment, three rows of the table at a time. Both shorter than
 * GUESS_MAX_BYTES. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][GUESS_MAX_BYTES];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++) {
        rows[0][j] = j;
    }
    size_t height = strlen(a);
    for (size_t i = 1; i <= height; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t replace = above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]) ? 1 : 0);
            row[j] = min_size(replace, min_size(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = min_size(row[j], rows[(i + 1) % 3][j - 2] + 1);
            }
        }
    }
    return rows[height % 3][width];
}

struct config_guess config_guess_begin(const char *word)
{
    struct config_guess guess = {0};
    if (strlen(word) < sizeof guess.word) {
        strcpy(guess.word, word);
    }
    return guess;
}

void config_guess_offer(struct config_guess *guess, const char *candidate)
{
    size_t offer = guess->offers++;
    size_t length = strlen(candidate);
    if (!guess->word[0] || length == 0 || length >= sizeof guess->best) {
        return;
    }
    size_t edits = distance(guess->word, candidate);
    bool near = edits <= (length + 2) / 3 && 2 * edits < strlen(guess->word);
    if (near && (!guess->best[0] || edits < guess->best_distance)) {
        strcpy(guess->best, candidate);
        guess->best_offer = offer;
        guess->best_distance = edits;
    }
}
