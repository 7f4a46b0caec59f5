/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "gaze_lsl_library.h"

#include "plugin/gaze/gaze_library.h"

#define SYMBOL(name, member)                                                                       \
    {                                                                                              \
        "lsl_" #name, offsetof(struct lsl_library, member)                                         \
    }

static const struct gaze_symbol SYMBOLS[] = {
    SYMBOL(local_clock, local_clock),
    SYMBOL(create_continuous_resolver_bypred, create_resolver),
    SYMBOL(resolver_results, resolver_results),
    SYMBOL(destroy_continuous_resolver, destroy_resolver),
    SYMBOL(create_inlet, create_inlet),
    SYMBOL(destroy_inlet, destroy_inlet),
    SYMBOL(get_fullinfo, get_fullinfo),
    SYMBOL(open_stream, open_stream),
    SYMBOL(pull_sample_d, pull_sample),
    SYMBOL(time_correction, time_correction),
    SYMBOL(destroy_streaminfo, destroy_info),
    SYMBOL(get_name, get_name),
    SYMBOL(get_source_id, get_source_id),
    SYMBOL(get_channel_count, get_channel_count),
    SYMBOL(get_channel_format, get_channel_format),
    SYMBOL(get_desc, get_desc),
    SYMBOL(child, child),
    SYMBOL(next_sibling_n, next_sibling),
    SYMBOL(child_value_n, child_value),
    SYMBOL(empty, is_empty),
};

bool lsl_library_open(struct lsl_library *out, const char **out_why)
{
    static const char *const names[] = {"liblsl.so.2", "liblsl.so", NULL};
    return gaze_library_open(GAZE_LIBRARY_LSL, names, SYMBOLS, sizeof SYMBOLS / sizeof SYMBOLS[0],
                             out, out_why);
}
