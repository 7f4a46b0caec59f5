/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The plugin's life: Unity loads it at its start, makes a device once or several times, and rarely
 * unloads anything. */

#include "unity.h"

static struct {
    const struct unity_graphics *graphics;
    const struct unity_vulkan *vulkan; /* NULL: this Unity has none, or runs on something else */
    bool second_version;
    bool started; /* events may come */
    bool reserved; /* the events have numbers, */
    int base; /* from this one on */
} plugin;

/* Outside of render passes, and Unity binds its own things again afterwards. */
static const struct unity_event_config recording = {
    .render_pass_precondition = UNITY_RENDER_PASS_ENSURE_OUTSIDE,
    .graphics_queue_access = UNITY_QUEUE_DONT_CARE,
    .flags =
        UNITY_EVENT_ENSURE_PREVIOUS_FRAME_SUBMISSION | UNITY_EVENT_MODIFIES_COMMAND_BUFFERS_STATE};

/* All that was recorded before is on the queue, and nobody else uses the queue meanwhile. */
static const struct unity_event_config submitting = {
    .render_pass_precondition = UNITY_RENDER_PASS_ENSURE_OUTSIDE,
    .graphics_queue_access = UNITY_QUEUE_ALLOW,
    .flags = UNITY_EVENT_ENSURE_PREVIOUS_FRAME_SUBMISSION | UNITY_EVENT_FLUSH_COMMAND_BUFFERS |
             UNITY_EVENT_SYNC_WORKER_THREADS};

static void find_vulkan(const struct unity_interfaces *interfaces)
{
    plugin.vulkan = interfaces->get_interface_split(UNITY_VULKAN_V2_HIGH, UNITY_VULKAN_V2_LOW);
    plugin.second_version = plugin.vulkan != NULL;
    if (!plugin.vulkan) {
        plugin.vulkan = interfaces->get_interface_split(UNITY_VULKAN_HIGH, UNITY_VULKAN_LOW);
    }
}

static void initialize(void)
{
    const enum unity_renderer renderer = plugin.graphics->get_renderer();
    if (plugin.started || renderer == UNITY_RENDERER_NULL) {
        return; /* the editor comes twice, first without a renderer */
    }
    if (renderer != UNITY_RENDERER_VULKAN || !plugin.vulkan) {
        unity_say(FOVEA_LOG_WARNING,
                  "Fovea needs Vulkan, and this Unity runs on something else: set Vulkan first in "
                  "Project Settings, Player, Graphics APIs, or start with -force-vulkan");
        return;
    }
    const struct unity_device device = {plugin.vulkan, plugin.vulkan->instance()};
    if (!plugin.reserved) {
        plugin.base = plugin.graphics->reserve_event_id_range(FOVEA_UNITY_EVENT_COUNT);
        plugin.reserved = true;
    }
    for (int event = 0; event < FOVEA_UNITY_EVENT_COUNT; event++) {
        plugin.vulkan->configure_event(plugin.base + event,
                                       event == FOVEA_UNITY_QUEUE ? &submitting : &recording);
    }
    plugin.started = true;
    unity_events_start(&device, plugin.base);
}

static void on_device_event(enum unity_device_event event)
{
    if (event == UNITY_DEVICE_INITIALIZE) {
        initialize();
    } else if (event == UNITY_DEVICE_SHUTDOWN && plugin.started) {
        unity_events_stop();
        plugin.started = false;
    }
}

/* No device: the hooks are in time. Unity may have made one before it loads the plugin, and says
 * nothing of that. */
UNITY_EXPORT void UnityPluginLoad(struct unity_interfaces *interfaces);
UNITY_EXPORT void UnityPluginLoad(struct unity_interfaces *interfaces)
{
    plugin.graphics = interfaces->get_interface_split(UNITY_GRAPHICS_HIGH, UNITY_GRAPHICS_LOW);
    if (!plugin.graphics) {
        unity_say(FOVEA_LOG_ERROR, "this Unity has no IUnityGraphics: Fovea does nothing");
        return;
    }
    find_vulkan(interfaces);
    unity_settings_start();
    if (plugin.vulkan && plugin.graphics->get_renderer() == UNITY_RENDERER_NULL) {
        (void)unity_intercept_start(plugin.vulkan, plugin.second_version);
    }
    plugin.graphics->register_device_event_callback(on_device_event);
    on_device_event(UNITY_DEVICE_INITIALIZE);
}

UNITY_EXPORT void UnityPluginUnload(void);
UNITY_EXPORT void UnityPluginUnload(void)
{
    if (!plugin.graphics) {
        return;
    }
    on_device_event(UNITY_DEVICE_SHUTDOWN);
    plugin.graphics->unregister_device_event_callback(on_device_event);
    if (plugin.vulkan) {
        unity_intercept_stop(plugin.vulkan, plugin.second_version);
    }
    unity_settings_stop();
    plugin.graphics = NULL;
    plugin.vulkan = NULL;
    plugin.reserved = false;
}
