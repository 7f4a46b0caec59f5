/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Qt Quick draws a scene into an image of Fovea's, which is foveated on Qt's queue and shown by Qt.
 *     c++ -std=c++17 engine_qtquick.cpp $(pkg-config --cflags --libs fovea Qt6Quick vulkan) */
#include <fovea_vulkan.h> // first: Qt includes Vulkan without its functions

#include <QGuiApplication>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QQuickGraphicsConfiguration>
#include <QQuickGraphicsDevice>
#include <QQuickItem>
#include <QQuickRenderControl>
#include <QQuickRenderTarget>
#include <QQuickWindow>
#include <QSGImageNode>
#include <QSGRendererInterface>
#include <QSGTexture>
#include <QVulkanInstance>

constexpr QSize pixels(960, 540);
constexpr VkImageLayout layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL; // for Qt to show

static void must(bool holds, const QString &what) // an example ends where a program would clean up
{
    if (!holds) {
        fprintf(stderr, "engine_qtquick: %s\n", qPrintable(what));
        exit(1);
    }
}

// Qt makes the device, with the extensions that Fovea can use, but without timeline semaphores. It
// does not tell the family of its queue, which is the first that draws and computes.
static fovea_vk *start(fovea_vk_desc &desc, QQuickWindow &scene, QQuickRenderControl &control)
{
    fovea_vk_requirements needs;
    fovea_config_desc settings;
    fovea_config *config = nullptr;
    fovea_vk *fovea = nullptr;
    VkQueueFamilyProperties families[16];
    uint32_t count = 1;
    fovea_vk_requirements_init(&needs);
    fovea_vk_desc_init(&desc);
    desc.instance = scene.vulkanInstance()->vkInstance();
    desc.get_instance_proc_addr = vkGetInstanceProcAddr;
    vkEnumeratePhysicalDevices(desc.instance, &count, &desc.physical_device);
    must(fovea_vk_query(desc.instance, desc.physical_device, vkGetInstanceProcAddr, &needs) >= 0,
         "no Vulkan device");
    QQuickGraphicsConfiguration extensions;
    extensions.setDeviceExtensions(
        {needs.device_extensions, needs.device_extensions + needs.device_extension_count});
    scene.setGraphicsConfiguration(extensions);
    scene.setGraphicsDevice(QQuickGraphicsDevice::fromPhysicalDevice(desc.physical_device));
    must(control.initialize(), "Qt cannot draw with Vulkan");
    auto qt = scene.rendererInterface();
    desc.device = *(VkDevice *)qt->getResource(&scene, QSGRendererInterface::DeviceResource);
    desc.queue = *(VkQueue *)qt->getResource(&scene, QSGRendererInterface::CommandQueueResource);
    vkGetPhysicalDeviceQueueFamilyProperties(desc.physical_device, &(count = 16), families);
    const VkQueueFlags both = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    while ((families[desc.queue_family].queueFlags & both) != both) {
        desc.queue_family++;
    }
    fovea_vk_desc_use(&desc, &needs);
    desc.timeline_semaphore = false;
    desc.log.fn = [](void *, fovea_log_level, const char *line) { qInfo("fovea: %s", line); };
    fovea_config_desc_init(&settings);
    settings.log = desc.log;
    must(fovea_config_create(&settings, &config) == FOVEA_OK, "the settings are wrong");
    desc.settings = fovea_config_settings(config);
    must(fovea_vk_create(&desc, &fovea) == FOVEA_OK, "fovea_vk_create failed");
    fovea_config_destroy(&config);
    return fovea;
}

// An image of Fovea's, which Qt draws into or shows.
struct Picture : QQuickItem {
    fovea_vk_image *image = nullptr;
    explicit Picture(fovea_vk *fovea)
    {
        fovea_vk_image_desc desc;
        fovea_vk_image_desc_init(&desc);
        desc.format = VK_FORMAT_R8G8B8A8_UNORM;
        desc.width_px = pixels.width();
        desc.height_px = pixels.height();
        desc.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
        must(fovea_vk_image_create(fovea, &desc, &image) == FOVEA_OK, "no image");
        setFlag(ItemHasContents);
    }
    QSGNode *updatePaintNode(QSGNode *, UpdatePaintNodeData *) override
    {
        auto node = window()->createImageNode();
        node->setTexture(QNativeInterface::QSGVulkanTexture::fromNative(
            fovea_vk_image_handle(image), layout, window(), pixels));
        node->setOwnsTexture(true);
        node->setRect(QRect({0, 0}, pixels));
        return node;
    }
    void save(const fovea_vk_desc &desc, QVulkanInstance *instance, const char *path)
    {
        QQuickWindow window; // a program would show one
        window.setVulkanInstance(instance);
        window.setGraphicsDevice(QQuickGraphicsDevice::fromDeviceObjects(
            desc.physical_device, desc.device, int(desc.queue_family)));
        window.resize(pixels);
        setParentItem(window.contentItem());
        must(window.grabWindow().save(path), "a picture cannot be written");
    }
};

// Both use one queue, and Qt waits for its drawing: no semaphores.
static void foveate(fovea_vk *fovea, Picture &drawn, Picture &shown, fovea_point_uv gaze)
{
    fovea_vk_frame frame;
    fovea_vk_frame_init(&frame);
    frame.src.made = drawn.image;
    frame.dst.made = shown.image;
    frame.src.layout_before = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL; // as Qt has drawn into it
    frame.src.layout_after = frame.dst.layout_after = layout;
    frame.gaze = {gaze, FOVEA_GAZE_TRACKED, true, 0, 0, 0, 0};
    must(fovea_vk_foveate(fovea, &frame) == FOVEA_OK, "fovea_vk_foveate failed");
}

int main(int argc, char **argv)
{
    QQuickWindow::setGraphicsApi(QSGRendererInterface::Vulkan);
    QGuiApplication application(argc, argv);
    must(argc == 6, "usage: SCENE.qml BEFORE.png AFTER.png GAZE_X GAZE_Y, the gaze from 0 to 1");
    QVulkanInstance instance;
    instance.setApiVersion({1, 2});
    must(instance.create(), "this platform of Qt's has no Vulkan: use xcb or wayland");
    QQuickRenderControl control;
    QQuickWindow scene(&control);
    scene.setVulkanInstance(&instance);
    fovea_vk_desc desc;
    fovea_vk *fovea = start(desc, scene, control);
    QQmlEngine qml;
    QQmlComponent component(&qml, QUrl::fromLocalFile(argv[1]));
    std::unique_ptr<QQuickItem> root(qobject_cast<QQuickItem *>(component.create()));
    must(root != nullptr, component.errorString());
    root->setParentItem(scene.contentItem());
    root->setSize(pixels);
    Picture drawn(fovea), shown(fovea);
    VkImageLayout before;
    for (int i = 0; i < 3; i++) {
        must(fovea_vk_image_acquire(drawn.image, &before) == FOVEA_OK, "drawn is not Fovea's");
        scene.setRenderTarget(QQuickRenderTarget::fromVulkanImage(
            fovea_vk_image_handle(drawn.image), before, VK_FORMAT_R8G8B8A8_UNORM, pixels));
        control.polishItems();
        control.beginFrame();
        control.sync();
        control.render();
        control.endFrame();
        foveate(fovea, drawn, shown, {atof(argv[4]), atof(argv[5])});
        shown.save(desc, &instance, argv[3]);
        must(fovea_vk_image_release(shown.image, layout) == FOVEA_OK, "shown is not Qt's");
    }
    must(fovea_vk_image_acquire(drawn.image, &before) == FOVEA_OK, "drawn is not Fovea's");
    drawn.save(desc, &instance, argv[2]);
    fovea_vk_destroy(&fovea);
}
