/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* JSON as RFC 8259 has it, read into a tree. Ours, because a shared library of that kind is one that a program
 * may bring along in another version, or export symbols of, and then the program gets our calls wrong or ends.
 *
 * Stricter than the RFC in three points: at most 64 values in each other, numbers of at most 63 characters, no
 * \u0000. Whether strings are UTF-8 is the caller's to check. Numbers are read alike in every locale; one that
 * is too large for a double is infinite. A tree is one allocation.
 *
 *     struct json_value *root;
 *     FOVEA_TRY(json_parse(text, bytes, NULL, &root));
 *     const struct json_value *x = json_member(root, "x");
 *     if (json_is(x, JSON_NUMBER)) ... x->number ...
 *     json_destroy(&root);
 */
#ifndef FOVEA_CORE_JSON_H
#define FOVEA_CORE_JSON_H

#include "fovea.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
    enum json_type type;
    uint32_t count; /* of an array's elements or an object's members */
    const char *name; /* of a member; else NULL */
    const struct json_value *next; /* in the same array or object */
    const struct json_value *child; /* the first in an array or object */
    const char *string; /* of a string; else NULL */
    double number; /* of a number; of a bool 1 or 0 */
};

/* FOVEA_ERROR_CONFIG where the text is not one value of JSON, FOVEA_ERROR_OUT_OF_MEMORY; out_root is NULL then.
 * What may follow the value is white space; with out_end anything, and it is where that begins. Strings are
 * copied: the text may go. */
FOVEA_MUST_CHECK enum fovea_result json_parse(const char *text, size_t bytes, const char **out_end,
                                              struct json_value **out_root);
/* NULL and a pointer to NULL are fine. */
void json_destroy(struct json_value **root);

/* NULL is of no type and has no members. */
FOVEA_MUST_CHECK bool json_is(const struct json_value *value, enum json_type type);
FOVEA_MUST_CHECK bool json_is_true(const struct json_value *value);

/* The first of that name, or NULL; NULL too where it is no object. */
FOVEA_MUST_CHECK const struct json_value *json_member(const struct json_value *object,
                                                      const char *name);
/* NULL beyond the last, and where it is no array. */
FOVEA_MUST_CHECK const struct json_value *json_element(const struct json_value *array,
                                                       uint32_t index);

#endif
