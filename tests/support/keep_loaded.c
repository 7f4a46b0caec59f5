/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Part of every test, and with AddressSanitizer it does something: libraries stay loaded until
 * leaks are looked for. A Vulkan driver that leaves memory behind when it is unloaded has no name
 * by then, and no line of lsan.supp meets it. */

#include <dlfcn.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS_LOADED 1
#endif
#endif

#ifdef KEEPS_LOADED
__attribute__((visibility("default"))) int dlclose(void *handle)
{
    return 0;
}
#endif
