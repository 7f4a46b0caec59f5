/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "operator_host.h"

#include <stdlib.h>

enum fovea_result operator_host_create(const struct operator_host_kind *kind,
                                       struct thread_pool *pool, const struct operator_plan *plan,
                                       struct operator_host **out_host)
{
    struct operator_host *made = calloc(1, kind->bytes);
    *out_host = made;
    FOVEA_TRY_MEMORY(made);
    made->kind = kind;
    made->plan = plan;
    made->pool = pool;
    const enum fovea_result result = kind->make(made);
    if (result < 0) {
        operator_host_destroy(out_host);
    }
    return result;
}

void operator_host_destroy(struct operator_host **host)
{
    if (*host) {
        (*host)->kind->finish(*host);
        worker_floats_free(&(*host)->workers);
        free(*host);
        *host = NULL;
    }
}
