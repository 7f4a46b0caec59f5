/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* engine_cost_unity [--quick]: what a frame costs in Unity's plugin, in the host of tests/unity, by
 * each of the two ways in which its frames come. The CPU's time is that of the events, without what
 * the host submits in them. */

#include "busy.h"
#include "cmocka_all.h"
#include "costs.h"
#include "host.h"

#define FORMAT VK_FORMAT_R8G8B8A8_SRGB

struct way {
    const char *name;
    const char *backend;
    bool queue;
};

struct bench {
    struct host host;
    struct host_texture texture;
    struct test_image picture;
    struct engine_busy busy;
    VkQueryPool queries;
    double tick_us;
    double kernels_us; /* of the frames until now, their median; 0: not known */
};

static bool quick;
static bool failed; /* a row is of frames that were not all right */

static void stamp(struct bench *bench, uint32_t index)
{
    vkCmdResetQueryPool(bench->host.commands, bench->queries, index, 1);
    vkCmdWriteTimestamp(bench->host.commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, bench->queries,
                        index);
}

static void one_frame(struct bench *bench, const struct way *way, uint32_t number)
{
    struct host *host = &bench->host;
    struct fovea_unity_block block =
        host_block(&bench->texture, 0.1 + 0.8 * (number % 64) / 63.0, 0.4);
    host_frame_begin(host);
    host_draw(host, &bench->texture, &bench->picture.view);
    engine_busy_record(&bench->busy, host->commands);
    stamp(bench, 2 * number);
    host->event_ns = 0;
    if (way->queue) {
        host_event(host, FOVEA_UNITY_BEGIN, &block);
        host_event(host, FOVEA_UNITY_QUEUE, &block);
        host_event(host, FOVEA_UNITY_END, &block);
    } else {
        host_event(host, FOVEA_UNITY_RECORD, &block);
    }
    stamp(bench, 2 * number + 1);
    host_frame_end(host);
}

/* Reads the times of a few frames ago. False: this machine has no such backend. */
static bool read_stats(struct bench *bench, const struct way *way)
{
    struct fovea_unity_stats stats = {.struct_bytes = sizeof stats};
    if (bench->host.plugin.stats(1, &stats) != FOVEA_OK || stats.frames == 0) {
        return false;
    }
    char last[256] = "";
    const char *backend = fovea_backend_name((enum fovea_backend)stats.backend);
    const int said = host_log(&bench->host, FOVEA_LOG_WARNING, last, sizeof last);
    bench->kernels_us = stats.gpu_p50_us;
    if (stats.frames_passed_through > 0 || said > 0 || strcmp(backend, way->backend) != 0) {
        fprintf(stderr, "%s: backend %s, %d of %d frames passed through, %d warnings; %s\n",
                way->name, backend, (int)stats.frames_passed_through, (int)stats.frames, said,
                last);
        failed = true;
    }
    return true;
}

static void read_times(struct bench *bench, struct costs *costs)
{
    for (uint32_t i = 0; i < costs->frames; i++) {
        uint64_t at[2] = {0};
        assert_int_equal(vkGetQueryPoolResults(bench->host.engine.device, bench->queries,
                                               2 * (COSTS_WARM_UP + i), 2, sizeof at, at, 8,
                                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                         VK_SUCCESS);
        costs->gpu_us[i] = (double)(at[1] - at[0]) * bench->tick_us;
        costs->kernels_us[i] = bench->kernels_us;
    }
}

static struct costs *count_frames(struct bench *bench, const struct way *way)
{
    static struct costs costs;
    costs = (struct costs){
        .way = way->name,
        .size = {bench->picture.view.width_px, bench->picture.view.height_px},
    };
    for (uint32_t i = 0; i < COSTS_WARM_UP + costs_frames(quick); i++) {
        one_frame(bench, way, i);
        if (i >= COSTS_WARM_UP) {
            costs.cpu_us[costs.frames++] = (double)bench->host.event_ns * 1e-3;
        }
    }
    engine_idle(&bench->host.engine);
    return &costs;
}

static void bench_open(struct bench *bench, struct costs_size size)
{
    struct engine *engine = &bench->host.engine;
    VkPhysicalDeviceProperties properties;
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                        .queryCount = 2 * (COSTS_WARM_UP + COSTS_FRAMES)};
    vkGetPhysicalDeviceProperties(engine->physical, &properties);
    bench->tick_us = (double)properties.limits.timestampPeriod * 1e-3;
    assert_int_equal(vkCreateQueryPool(engine->device, &info, NULL, &bench->queries), VK_SUCCESS);
    bench->texture = host_texture_create(&bench->host, FORMAT, size.width_px, size.height_px, 1);
    bench->busy = engine_busy_create(engine, quick ? 64 : ENGINE_BUSY_PX);
    bench->picture = image_make_packed(size.width_px, size.height_px, FOVEA_FORMAT_RGBA8);
    image_draw(&bench->picture.view, IMAGE_PHOTO, 1);
}

static void bench_close(struct bench *bench)
{
    struct engine *engine = &bench->host.engine;
    engine_idle(engine);
    engine_busy_destroy(engine, &bench->busy);
    host_texture_destroy(&bench->host, &bench->texture);
    vkDestroyQueryPool(engine->device, bench->queries, NULL);
    image_free(&bench->picture);
    host_close(&bench->host);
}

/* The settings' defaults with this backend. */
static bool configure(struct host *host, const struct way *way)
{
    char json[64];
    char error[256] = "";
    snprintf(json, sizeof json, "{\"backend\": \"%s\"}", way->backend);
    return host->plugin.configure(json, error, sizeof error) == FOVEA_OK &&
           (!way->queue || host->plugin.uses_queue());
}

static void say_absent(const struct way *way, struct costs_size size)
{
    assert_true(strcmp(way->backend, "cuda") == 0 && !getenv("FOVEA_REQUIRE_GPU"));
    printf("| %s | %ux%u | not on this machine | | | |\n", way->name, size.width_px,
           size.height_px);
}

static void measure(const struct way *way, struct costs_size size)
{
    struct bench bench = {.kernels_us = 0};
    const struct engine_options engine = {.no_validation = true};
    assert_true(host_open(&bench.host, &(struct host_options){.engine = engine}));
    const bool configured = configure(&bench.host, way);
    bench_open(&bench, size);
    struct costs *costs = configured ? count_frames(&bench, way) : NULL;
    if (costs && read_stats(&bench, way)) {
        read_times(&bench, costs);
        costs_print(costs);
    } else {
        say_absent(way, size);
    }
    bench_close(&bench);
}

static void print_table(void)
{
    static const struct way ways[] = {{"Unity, recorded (vulkan)", "vulkan", false},
                                      {"Unity, on the queue (cuda)", "cuda", true}};
    struct host host;
    const struct engine_options engine = {.no_validation = true};
    assert_true(host_open(&host, &(struct host_options){.engine = engine}));
    costs_head(host.engine.physical);
    host_close(&host);
    for (const struct costs_size *size = costs_sizes(quick); size->width_px; size++) {
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            measure(&ways[i], *size);
        }
    }
}

int main(int count, char **arguments)
{
    if (!costs_arguments(count, arguments, &quick)) {
        fprintf(stderr, "engine_cost_unity [--quick]\n");
        return 2;
    }
    print_table();
    return failed ? 1 : 0;
}
