/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Programs that load libfovea.so as a plugin and close it again, with everything destroyed or with
 * threads of it alive: it stays loaded, and they run on. */

#include "cmocka_all.h"
#include "compare.h"
#include "images.h"
#include "support/clock.h"

#include <dlfcn.h>

#define FUNCTIONS(X)                                                                               \
    X(fovea_settings_create)                                                                       \
    X(fovea_settings_set)                                                                          \
    X(fovea_settings_destroy)                                                                      \
    X(fovea_config_create)                                                                         \
    X(fovea_config_poll)                                                                           \
    X(fovea_config_destroy)                                                                        \
    X(fovea_context_create)                                                                        \
    X(fovea_context_run)                                                                           \
    X(fovea_context_destroy)                                                                       \
    X(fovea_gaze_source_create)                                                                    \
    X(fovea_gaze_source_destroy)

#define MEMBER(name) __typeof__(name) *name;
#define FIND(name)                                                                                 \
    *(void **)&plugin->name = dlsym(plugin->library, #name);                                       \
    assert_non_null(plugin->name);

/* The library, and what was made with it: each has a thread. */
struct plugin {
    void *library;
    FUNCTIONS(MEMBER)
    struct fovea_config *config;
    struct fovea_context *context;
    struct fovea_gaze_source *source;
    struct test_image src;
    struct test_image dst;
};

static void open_plugin(struct plugin *plugin)
{
    *plugin = (struct plugin){.library = dlopen(FOVEA_LIBRARY, RTLD_NOW | RTLD_LOCAL)};
    assert_that(plugin->library, "%s", dlerror());
    FUNCTIONS(FIND)
}

static void use(struct plugin *plugin)
{
    const struct fovea_point_uv gaze = {0.3, 0.6};
    const enum fovea_result news = plugin->fovea_config_poll(plugin->config);
    assert_true(news == FOVEA_NOT_READY || news == FOVEA_OK);
    assert_ok(plugin->fovea_context_run(plugin->context, &plugin->src.view, &plugin->dst.view, gaze,
                                        NULL));
}

static void make(struct plugin *plugin)
{
    static const char *const wanted[][2] = {
        {"cpu_threads", "3"}, {"gaze.source", "udp"}, {"gaze.udp.port", "0"}};
    const struct fovea_log silent = {0};
    struct fovea_settings *settings = NULL;
    assert_ok(plugin->fovea_settings_create(&settings));
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_ok(plugin->fovea_settings_set(settings, wanted[i][0], wanted[i][1], silent));
    }
    struct fovea_config_desc config;
    fovea_config_desc_init(&config);
    config.ignore_environment = true;
    struct fovea_context_desc context;
    fovea_context_desc_init(&context);
    context.settings = settings;
    struct fovea_gaze_source_desc source;
    fovea_gaze_source_desc_init(&source);
    source.settings = settings;
    assert_ok(plugin->fovea_config_create(&config, &plugin->config));
    assert_ok(plugin->fovea_context_create(&context, &plugin->context));
    assert_ok(plugin->fovea_gaze_source_create(&source, &plugin->source));
    plugin->fovea_settings_destroy(&settings);
    plugin->src = image_make_packed(320, 200, FOVEA_FORMAT_RGBA8);
    plugin->dst = image_make_packed(320, 200, FOVEA_FORMAT_RGBA8);
    image_draw(&plugin->src.view, IMAGE_RANDOM, 1);
}

static void destroy(struct plugin *plugin)
{
    plugin->fovea_gaze_source_destroy(&plugin->source);
    plugin->fovea_context_destroy(&plugin->context);
    plugin->fovea_config_destroy(&plugin->config);
    image_free(&plugin->src);
    image_free(&plugin->dst);
}

/* Longer than any thread sleeps that could wake up where there is no code. */
static void run_on(void)
{
    rest_ms(500);
}

static void assert_stays_loaded(void)
{
    void *library = dlopen(FOVEA_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    assert_int_equal(dlclose(library), 0);
}

TEST(closed_after_everything_was_destroyed)
{
    for (int i = 0; i < 3; i++) {
        struct plugin plugin;
        open_plugin(&plugin);
        make(&plugin);
        use(&plugin);
        destroy(&plugin);
        assert_int_equal(dlclose(plugin.library), 0);
        assert_stays_loaded();
    }
    run_on();
}

/* Who has kept pointers to its functions may even go on. */
TEST(closed_with_everything_alive)
{
    struct plugin plugin;
    open_plugin(&plugin);
    make(&plugin);
    use(&plugin);
    assert_int_equal(dlclose(plugin.library), 0);
    run_on();
    use(&plugin);
    destroy(&plugin);
    assert_stays_loaded();
}

/* The last case: the process ends with threads in a library that was closed. */
TEST(closed_and_left_to_the_end)
{
    static struct plugin plugin;
    open_plugin(&plugin);
    make(&plugin);
    use(&plugin);
    assert_int_equal(dlclose(plugin.library), 0);
    run_on();
}
