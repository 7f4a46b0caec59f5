/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "json.h"

#include <locale.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

cJSON *json_parse(const char *text, size_t bytes, const char **out_end, bool to_the_end)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) {
        return NULL;
    }
    const locale_t programs = uselocale(c_locale); /* of this thread alone */
    pthread_mutex_lock(&lock);
    cJSON *root = cJSON_ParseWithLengthOpts(text, bytes, out_end, to_the_end);
    pthread_mutex_unlock(&lock);
    uselocale(programs);
    freelocale(c_locale);
    return root;
}
