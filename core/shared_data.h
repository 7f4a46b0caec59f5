/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Data that several own and nobody changes; the last owner to let go frees it. */
#pragma once

#include <stdatomic.h>

/* The first member of what is shared. */
struct shared_data {
    atomic_uint shares;
    void (*free_fn)(struct shared_data *data);
};

/* The caller owns the one share that there is. */
static inline void shared_data_init(struct shared_data *data,
                                    void (*free_fn)(struct shared_data *data))
{
    atomic_init(&data->shares, 1);
    data->free_fn = free_fn;
}

/* Another share; NULL has none. Any thread. */
static inline struct shared_data *shared_data_share(struct shared_data *data)
{
    if (data) {
        atomic_fetch_add(&data->shares, 1);
    }
    return data;
}

/* NULL-safe, sets NULL. Any thread. */
static inline void shared_data_release(struct shared_data **data)
{
    struct shared_data *own = *data;
    *data = (struct shared_data *)0;
    if (own && atomic_fetch_sub(&own->shares, 1) == 1) {
        own->free_fn(own);
    }
}
