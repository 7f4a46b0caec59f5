/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This much is used of liblsl, the library of the Lab Streaming Layer, as its headers declare it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct lsl_resolver_ *lsl_resolver;
typedef struct lsl_info_ *lsl_info;
typedef struct lsl_inlet_ *lsl_inlet;
typedef struct lsl_xml_ *lsl_xml;

#define LSL_NO_ERROR 0
#define LSL_TIMEOUT (-1)
#define LSL_FORMAT_STRING 3

struct lsl_library {
    double (*local_clock)(void); /* seconds */
    lsl_resolver (*create_resolver)(const char *predicate, double forget_after_s);
    int32_t (*resolver_results)(lsl_resolver resolver, lsl_info *out, uint32_t count);
    void (*destroy_resolver)(lsl_resolver resolver);
    lsl_inlet (*create_inlet)(lsl_info info, int32_t buffer_s, int32_t chunk, int32_t recover);
    void (*destroy_inlet)(lsl_inlet inlet);
    lsl_info (*get_fullinfo)(lsl_inlet inlet, double timeout_s, int32_t *error);
    void (*open_stream)(lsl_inlet inlet, double timeout_s, int32_t *error);
    /* The time of the sample on the sender's clock; 0: none has come. */
    double (*pull_sample)(lsl_inlet inlet, double *out, int32_t count, double timeout_s,
                          int32_t *error);
    double (*time_correction)(lsl_inlet inlet, double timeout_s, int32_t *error);
    void (*destroy_info)(lsl_info info);
    const char *(*get_name)(lsl_info info);
    const char *(*get_source_id)(lsl_info info);
    int32_t (*get_channel_count)(lsl_info info);
    int32_t (*get_channel_format)(lsl_info info);
    lsl_xml (*get_desc)(lsl_info info);
    lsl_xml (*child)(lsl_xml element, const char *name);
    lsl_xml (*next_sibling)(lsl_xml element, const char *name);
    const char *(*child_value)(lsl_xml element, const char *name);
    int32_t (*is_empty)(lsl_xml element);
};

/* False: it is not here, and *out_why says so. */
bool lsl_library_open(struct lsl_library *out, const char **out_why);
