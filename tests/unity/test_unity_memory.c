/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Memory that the plugin does not get, in Unity's place (host.h): the n-th of its allocations and
 * all after it, and the device's. The picture stays as it was drawn or is foveated as ever, the
 * context and the camera say so once each, and frames are foveated again when there is memory. This
 * program's malloc is the plugin's too. */

#include "cmocka_all.h"
#include "sanitized.h"
#include "scene.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>

#define FRAMES_TO_RECOVER 40 /* unity_camera.c waits for fewer */

#if TEST_SANITIZED

TEST(the_sanitizer_has_memory_functions_of_its_own)
{
    skip();
}

#else

static uintptr_t plugin_begin, plugin_end;
/* Threads of the plugin allocate, too. */
static atomic_long left = -1; /* allocations that succeed before all others fail; -1: all do */
static atomic_long failed;
static atomic_long live; /* the plugin's */

static int find_plugin(struct dl_phdr_info *info, size_t bytes, void *user)
{
    if (!strstr(info->dlpi_name, "libGfxPluginFovea.so")) {
        return 0;
    }
    plugin_begin = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        plugin_end = part->p_type == PT_LOAD && end > plugin_end ? end : plugin_end;
    }
    return 1;
}

static bool is_plugins(const void *return_address)
{
    const uintptr_t at = (uintptr_t)return_address;
    return at >= plugin_begin && at < plugin_end;
}

static bool fails(const void *return_address)
{
    if (!is_plugins(return_address) || left < 0) {
        return false;
    }
    failed += left == 0;
    left -= left > 0;
    return failed > 0;
}

static void *counted(const void *return_address, void *memory)
{
    live += memory && is_plugins(return_address);
    return memory;
}

/* glibc's own, under the names that it keeps for whoever replaces them. Headers have other names of
 * parameters. NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *memory);

#define EXPORT __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

EXPORT void *malloc(size_t bytes)
{
    return fails(CALLER) ? NULL : counted(CALLER, __libc_malloc(bytes));
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    return fails(CALLER) ? NULL : counted(CALLER, __libc_calloc(count, bytes));
}

EXPORT void *realloc(void *old, size_t bytes)
{
    if (fails(CALLER)) {
        return NULL;
    }
    return old ? __libc_realloc(old, bytes) : counted(CALLER, __libc_realloc(old, bytes));
}

EXPORT void free(void *memory)
{
    live -= memory && is_plugins(CALLER);
    __libc_free(memory);
}

static char *copy_of(const void *return_address, const char *text, size_t length)
{
    char *copy = fails(return_address) ? NULL : counted(return_address, __libc_malloc(length + 1));
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

EXPORT char *strdup(const char *text)
{
    return copy_of(CALLER, text, strlen(text));
}

EXPORT char *strndup(const char *text, size_t most)
{
    return copy_of(CALLER, text, strnlen(text, most));
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

/* ---- Frames */

#define BYTES ((size_t)4 * SCENE_WIDTH * SCENE_HEIGHT)

struct memory_scene {
    struct scene scene;
    unsigned char foveated[BYTES]; /* the picture, by the settings */
    uint64_t camera;
};

static struct fovea_unity_block block_of(struct memory_scene *m)
{
    struct fovea_unity_block block = host_block(&m->scene.texture, 0.1, 0.1);
    block.camera = m->camera;
    return block;
}

static void open_memory_scene(struct memory_scene *m)
{
    assert_non_null(dlopen("libGfxPluginFovea.so", RTLD_NOW | RTLD_LOCAL)); /* and it stays */
    dl_iterate_phdr(find_plugin, NULL);
    assert_true(plugin_end > plugin_begin);
    scene_open(&m->scene, (struct host_options){0});
    m->camera = 1;
    struct fovea_unity_block block = block_of(m);
    assert_true(scene_foveates(&m->scene, &block, false));
    memcpy(m->foveated, m->scene.dst.view.data, BYTES);
    scene_release(&m->scene, m->camera);
}

static void close_memory_scene(struct memory_scene *m)
{
    left = -1;
    m->scene.host.memory_left = 0;
    scene_close(&m->scene);
    assert_int_equal(live, 0);
}

#define MEMORY_TEST(name)                                                                          \
    TEST_WITH(name, struct memory_scene, m, open_memory_scene(&made), close_memory_scene)

/* One frame; true: it is foveated. */
static bool frame(struct memory_scene *m, bool by_queue)
{
    struct fovea_unity_block block = block_of(m);
    const bool foveates = scene_foveates(&m->scene, &block, by_queue);
    assert_true(!foveates || memcmp(m->foveated, m->scene.dst.view.data, BYTES) == 0);
    return foveates;
}

/* Frames of a camera that nobody has seen, without what is left of memory, and then with it. */
static void recover(struct memory_scene *m, bool by_queue)
{
    char said[512] = "";
    m->camera++;
    bool foveates = frame(m, by_queue);
    foveates = frame(m, by_queue) && foveates;
    const bool any = !foveates;
    const int warnings = scene_warnings(&m->scene, said, sizeof said);
    assert_that(warnings >= any && warnings <= 2, "%ld: said %d times: %s", failed, warnings, said);
    left = -1;
    m->scene.host.memory_left = 0;
    if (!foveates && strstr(said, "frame: not enough memory")) {
        /* The context waits for a second; test_frame_memory_vulkan sees that, and settings are
         * sooner. */
        assert_ok(m->scene.host.plugin.set("watchdog_ms", m->camera % 2 ? "500" : "501", NULL, 0));
    }
    for (int i = 0; i < FRAMES_TO_RECOVER && !foveates; i++) {
        foveates = frame(m, by_queue);
    }
    assert_that(foveates, "not foveated again: %s", said);
    assert_int_equal(scene_warnings(&m->scene, said, sizeof said), 0);
    scene_release(&m->scene, m->camera);
    for (int i = 0; i < 4; i++) {
        host_frame_begin(&m->scene.host);
        host_frame_end(&m->scene.host);
    }
}

static void without_allocations(struct memory_scene *m, bool by_queue)
{
    const int most = 2000;
    int n = test_first(most);
    do {
        failed = 0;
        left = n;
        recover(m, by_queue);
        n += TEST_STEP(n);
    } while (failed > 0 && n < most);
    assert_in_range(n, 20, most - 1);
}

MEMORY_TEST(a_frame_for_which_there_is_no_memory_stays_and_later_ones_are_foveated)
{
    without_allocations(m, false);
}

MEMORY_TEST(one_that_takes_the_queue_likewise)
{
    assert_ok(m->scene.host.plugin.set("backend", "cpu", NULL, 0));
    struct fovea_unity_block block = block_of(m);
    assert_true(scene_foveates(&m->scene, &block, true));
    memcpy(m->foveated, m->scene.dst.view.data, BYTES);
    scene_release(&m->scene, m->camera);
    without_allocations(m, true);
}

MEMORY_TEST(a_device_without_memory_likewise)
{
    uint32_t used;
    uint32_t n = 0;
    do {
        const uint32_t before = m->scene.host.allocated;
        m->scene.host.memory_left = ++n;
        recover(m, false);
        used = m->scene.host.allocated - before;
    } while (n < used);
    assert_in_range(n, 2, 60);
}

MEMORY_TEST(settings_for_which_there_is_no_memory_leave_those_in_force)
{
    char said[512] = "";
    int32_t result = FOVEA_ERROR_OUT_OF_MEMORY;
    int n = 0;
    m->camera++;
    for (; result < 0; n++) {
        assert_true(frame(m, false));
        failed = 0;
        left = n;
        result = m->scene.host.plugin.configure("{\"version\": 1, \"overlay\": {\"marker\": true}}",
                                                said, sizeof said);
        left = -1;
        assert_true(result < 0 ? said[0] != '\0' : failed == 0);
        (void)scene_warnings(&m->scene, NULL, 0);
    }
    assert_in_range(n, 10, 1000);
    scene_release(&m->scene, m->camera);
}

#endif
