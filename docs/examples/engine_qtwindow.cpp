/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* A window of Qt Quick, foveated around the pointer by what Fovea records into Qt's own commands.
 *     c++ -std=c++17 engine_qtwindow.cpp $(pkg-config --cflags --libs fovea Qt6Quick vulkan) */
#include <fovea_vulkan.h> // first: Qt includes Vulkan without its functions

#include <QEventLoop>
#include <QGuiApplication>
#include <QHoverEvent>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QSGDynamicTexture>
#include <QSGImageNode>
#include <QSGRendererInterface>
#include <QSGRenderNode>
#include <QSGTextureProvider>

static void must(bool holds, const char *what) // an example ends where a program would clean up
{
    if (!holds) {
        fprintf(stderr, "engine_qtwindow: %s\n", what);
        exit(1);
    }
}

// Draws what a layer of the scene shows, foveated; on Qt's render thread.
struct Node : QSGRenderNode {
    QQuickWindow &window;
    QSGTextureProvider &layer;
    QSGImageNode *picture; // shows frame.dst
    fovea_vk *fovea = nullptr;
    fovea_vk_desc desc;
    fovea_vk_frame frame;
    fovea_vk_recording recording;

    // Qt enables nothing for Fovea on its device. It does not tell the family of its queue, which
    // is the first that draws and computes.
    Node(QQuickWindow &on, QSGTextureProvider &of)
        : window(on), layer(of), picture(on.createImageNode())
    {
        const VkQueueFlags both = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
        VkQueueFamilyProperties families[16];
        uint32_t count = 16;
        fovea_vk_desc_init(&desc);
        fovea_vk_frame_init(&frame);
        fovea_vk_recording_init(&recording);
        desc.instance = window.vulkanInstance()->vkInstance();
        desc.get_instance_proc_addr = vkGetInstanceProcAddr;
        desc.physical_device = get<VkPhysicalDevice>(QSGRendererInterface::PhysicalDeviceResource);
        desc.device = get<VkDevice>(QSGRendererInterface::DeviceResource);
        desc.queue = get<VkQueue>(QSGRendererInterface::CommandQueueResource);
        vkGetPhysicalDeviceQueueFamilyProperties(desc.physical_device, &count, families);
        while ((families[desc.queue_family].queueFlags & both) != both) {
            desc.queue_family++;
        }
        desc.log.fn = [](void *, fovea_log_level, const char *line) { qInfo("fovea: %s", line); };
        must(fovea_vk_create(&desc, &fovea) == FOVEA_OK, "fovea_vk_create failed");
        frame.src.format = VK_FORMAT_R8G8B8A8_UNORM;
        frame.dst.layout_after = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        picture->setOwnsTexture(true);
        appendChildNode(picture);
        setFlag(UsePreprocess);
    }
    ~Node() override
    {
        vkDeviceWaitIdle(desc.device);
        fovea_vk_destroy(&fovea); // and the image
    }
    template <class Handle> Handle get(QSGRendererInterface::Resource which) const
    {
        return *static_cast<Handle *>(window.rendererInterface()->getResource(&window, which));
    }
    void resize(QSize size)
    {
        fovea_vk_image_desc made;
        fovea_vk_image_desc_init(&made);
        made.format = frame.src.format;
        made.width_px = frame.src.width_px = size.width();
        made.height_px = frame.src.height_px = size.height();
        made.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
        vkDeviceWaitIdle(desc.device);
        fovea_vk_image_destroy(&frame.dst.made);
        must(fovea_vk_image_create(fovea, &made, &frame.dst.made) == FOVEA_OK, "no image");
        picture->setTexture(QNativeInterface::QSGVulkanTexture::fromNative(
            fovea_vk_image_handle(frame.dst.made), frame.dst.layout_after, &window, size));
        picture->setRect({{0, 0}, size / window.effectiveDevicePixelRatio()});
    }
    void preprocess() override // the layer is drawn
    {
        auto texture = static_cast<QSGDynamicTexture *>(layer.texture());
        texture->updateTexture();
        if (texture->textureSize() != QSize(frame.src.width_px, frame.src.height_px)) {
            resize(texture->textureSize());
        } else {
            must(fovea_vk_image_release(frame.dst.made, frame.dst.layout_after) == FOVEA_OK,
                 "not Qt's");
        }
    }
    void prepare() override // the layer is foveated; the window is drawn after that
    {
        auto drawn = layer.texture()->nativeInterface<QNativeInterface::QSGVulkanTexture>();
        const uint64_t in_flight = window.graphicsStateInfo().framesInFlight;
        frame.src.image = drawn->nativeImage();
        frame.src.layout_before = frame.src.layout_after = drawn->nativeImageLayout();
        recording.frame++;
        recording.finished_frame = recording.frame > in_flight ? recording.frame - in_flight : 0;
        window.beginExternalCommands();
        recording.commands = get<VkCommandBuffer>(QSGRendererInterface::CommandListResource);
        must(fovea_vk_record(fovea, &frame, &recording) == FOVEA_OK, "fovea_vk_record failed");
        window.endExternalCommands();
    }
    StateFlags changedStates() const override
    {
        return ViewportState | ScissorState;
    }
    void render(const RenderState *) override
    {
    }
};

// Lies over a ShaderEffectSource, its parent, and shows it foveated.
struct Foveated : QQuickItem {
    fovea_point_uv gaze = {0.5, 0.5};
    Foveated()
    {
        setFlag(ItemHasContents);
    }
    void hoverMoveEvent(QHoverEvent *event) override
    {
        gaze = {event->position().x() / width(), event->position().y() / height()};
        update();
    }
    QSGNode *updatePaintNode(QSGNode *old, UpdatePaintNodeData *) override
    {
        auto node =
            old ? static_cast<Node *>(old) : new Node(*window(), *parentItem()->textureProvider());
        node->frame.gaze = {gaze, FOVEA_GAZE_TRACKED, true, 0, 0, 0, 0};
        node->markDirty(QSGNode::DirtyMaterial);
        return node;
    }
};

int main(int argc, char **argv)
{
    QQuickWindow::setGraphicsApi(QSGRendererInterface::Vulkan);
    QGuiApplication application(argc, argv);
    must(argc == 2 || argc == 6, "usage: WINDOW.qml [BEFORE.png AFTER.png GAZE_X GAZE_Y]");
    qmlRegisterType<Foveated>("Fovea", 1, 0, "Foveated");
    QQmlApplicationEngine qml(argv[1]);
    must(!qml.rootObjects().isEmpty(), "WINDOW.qml cannot be loaded");
    auto window = qobject_cast<QQuickWindow *>(qml.rootObjects().constFirst());
    auto item =
        window ? static_cast<Foveated *>(window->findChild<QQuickItem *>("foveated")) : nullptr;
    must(item != nullptr, "WINDOW.qml has no window with a Foveated named foveated");
    item->setAcceptHoverEvents(argc == 2);
    if (argc == 2) {
        return application.exec();
    }
    item->setVisible(false);
    while (!window->isExposed()) {
        application.processEvents(QEventLoop::WaitForMoreEvents);
    }
    must(window->grabWindow().save(argv[2]), "a picture cannot be written");
    item->gaze = {atof(argv[4]), atof(argv[5])};
    item->setVisible(true);
    item->update();
    must(window->grabWindow().save(argv[3]), "a picture cannot be written");
}
