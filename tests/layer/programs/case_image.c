/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* These must fit the images of a swapchain and do not name them, or names them another way:
 * framebuffers without images, and images of the program's own in their memory. */

#include "program.h"

#define FRAMES 5

#define FUNCTIONS(X)                                                                               \
    X(BindImageMemory2)                                                                            \
    X(CmdBeginRenderPass)                                                                          \
    X(CmdEndRenderPass)                                                                            \
    X(CreateFramebuffer)                                                                           \
    X(CreateImage)                                                                                 \
    X(CreateRenderPass)                                                                            \
    X(DestroyFramebuffer)                                                                          \
    X(DestroyImage)                                                                                \
    X(DestroyRenderPass)
static struct {
    FUNCTIONS(PROGRAM_MEMBER)
} vk;

static void load(const struct program *program)
{
#define LOAD(name)                                                                                 \
    vk.name = (PFN_vk##name)program->vk.GetDeviceProcAddr(program->device, "vk" #name);
    FUNCTIONS(LOAD)
#undef LOAD
}

static void present_all(struct screen *screen)
{
    frame_run(screen, FRAMES);
    program_check(screen->program->vk.DeviceWaitIdle(screen->program->device), "vkDeviceWaitIdle");
}

static VkImageView make_view(const struct screen *screen, VkImage image)
{
    const struct program *program = screen->program;
    const VkImageViewCreateInfo info = vulkan_view_info(image, screen->format);
    VkImageView view = VK_NULL_HANDLE;
    program_check(program->vk.CreateImageView(program->device, &info, NULL, &view),
                  "vkCreateImageView");
    return view;
}

/* ---- A framebuffer without images ------------------------------------------------------------ */

static struct {
    VkRenderPass pass;
    VkFramebuffer framebuffer; /* without images; VK_NULL_HANDLE: each image has one */
    VkFramebuffer framebuffers[PROGRAM_MAX_IMAGES];
    VkImageView views[PROGRAM_MAX_IMAGES];
} drawing;

static void make_pass(const struct screen *screen)
{
    const VkAttachmentDescription attachment = {.format = screen->format,
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .finalLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR};
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &reference};
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkSubpassDependency dependency = {.srcSubpass = VK_SUBPASS_EXTERNAL,
                                            .srcStageMask = stage,
                                            .dstStageMask = stage,
                                            .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &attachment,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass,
                                         .dependencyCount = 1,
                                         .pDependencies = &dependency};
    program_check(vk.CreateRenderPass(screen->program->device, &info, NULL, &drawing.pass),
                  "vkCreateRenderPass");
}

static void make_framebuffers(const struct screen *screen, VkFramebuffer *out_framebuffers)
{
    for (uint32_t i = 0; i < screen->image_count; i++) {
        const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                              .renderPass = drawing.pass,
                                              .attachmentCount = 1,
                                              .pAttachments = &drawing.views[i],
                                              .width = screen->width_px,
                                              .height = screen->height_px,
                                              .layers = 1};
        program_check(
            vk.CreateFramebuffer(screen->program->device, &info, NULL, &out_framebuffers[i]),
            "vkCreateFramebuffer");
    }
}

/* The framebuffer is described as the program has made its swapchain. */
static void make_framebuffer(const struct screen *screen)
{
    const VkFramebufferAttachmentImageInfo image = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO,
        .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
        .width = screen->width_px,
        .height = screen->height_px,
        .layerCount = 1,
        .viewFormatCount = 1,
        .pViewFormats = &screen->format};
    const VkFramebufferAttachmentsCreateInfo images = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO,
        .attachmentImageInfoCount = 1,
        .pAttachmentImageInfos = &image};
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .pNext = &images,
                                          .flags = VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
                                          .renderPass = drawing.pass,
                                          .attachmentCount = 1,
                                          .width = screen->width_px,
                                          .height = screen->height_px,
                                          .layers = 1};
    program_check(vk.CreateFramebuffer(screen->program->device, &info, NULL, &drawing.framebuffer),
                  "vkCreateFramebuffer");
}

static void draw_pass(const struct screen *screen, VkCommandBuffer commands)
{
    const VkRenderPassAttachmentBeginInfo view = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO,
        .attachmentCount = 1,
        .pAttachments = &drawing.views[screen->image]};
    const VkClearValue clear = {.color = {{0.2f, 0.5f, 0.7f, 1.0f}}};
    const VkRenderPassBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .pNext = drawing.framebuffer ? &view : NULL,
        .renderPass = drawing.pass,
        .framebuffer =
            drawing.framebuffer ? drawing.framebuffer : drawing.framebuffers[screen->image],
        .renderArea = {{0, 0}, {screen->width_px, screen->height_px}},
        .clearValueCount = 1,
        .pClearValues = &clear};
    vk.CmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
    vk.CmdEndRenderPass(commands);
}

static void close_program(struct stand *stand)
{
    screen_close(&stand->screen);
    program_close(&stand->program);
}

/* Made before the swapchain, as it may be. */
static void imageless_with(const void *features)
{
    OWNED(close_program) struct stand stand = {.program = program_default()};
    struct screen *screen = &stand.screen;
    stand.program.api_version = VK_API_VERSION_1_2;
    program_open(&stand.program, features, NULL);
    load(&stand.program);
    *screen = screen_default(&stand.program, STAND_WIDTH_PX, STAND_HEIGHT_PX);
    screen->draw = draw_pass;
    make_pass(screen);
    make_framebuffer(screen);
    screen_open(screen);
    for (uint32_t i = 0; i < screen->image_count; i++) {
        drawing.views[i] = make_view(screen, screen->images[i]);
    }
    present_all(screen);
    for (uint32_t i = 0; i < screen->image_count; i++) {
        stand.program.vk.DestroyImageView(stand.program.device, drawing.views[i], NULL);
    }
    vk.DestroyFramebuffer(stand.program.device, drawing.framebuffer, NULL);
    vk.DestroyRenderPass(stand.program.device, drawing.pass, NULL);
}

static void imageless(void)
{
    VkPhysicalDeviceVulkan12Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .imagelessFramebuffer = VK_TRUE};
    imageless_with(&features);
}

static void imageless_alone(void)
{
    VkPhysicalDeviceImagelessFramebufferFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES,
        .imagelessFramebuffer = VK_TRUE};
    imageless_with(&features);
}

/* ---- sRGB that is drawn into and nothing else ------------------------------------------------ */

static void srgb_drawn(void)
{
    OWNED(close_program) struct stand stand;
    stand_open(&stand);
    struct screen *screen = &stand.screen;
    load(&stand.program);
    screen->format = VK_FORMAT_B8G8R8A8_SRGB;
    screen->usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    screen->draw = draw_pass;
    screen_open(screen);
    make_pass(screen);
    for (uint32_t i = 0; i < screen->image_count; i++) {
        drawing.views[i] = make_view(screen, screen->images[i]);
    }
    make_framebuffers(screen, drawing.framebuffers);
    present_all(screen);
    for (uint32_t i = 0; i < screen->image_count; i++) {
        vk.DestroyFramebuffer(stand.program.device, drawing.framebuffers[i], NULL);
        stand.program.vk.DestroyImageView(stand.program.device, drawing.views[i], NULL);
    }
    vk.DestroyRenderPass(stand.program.device, drawing.pass, NULL);
}

/* ---- Images in a swapchain's memory ---------------------------------------------------------- */

static VkImage make_alias(const struct screen *screen, uint32_t index)
{
    const struct program *program = screen->program;
    VkImageFormatListCreateInfo list = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO};
    if (screen->next) {
        memcpy(&list, screen->next, sizeof list);
    }
    const VkImageSwapchainCreateInfoKHR name = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR,
        .pNext = screen->next ? &list : NULL,
        .swapchain = screen->swapchain};
    const VkImageCreateFlags several =
        VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    VkImageCreateInfo info =
        vulkan_image_info(screen->format, screen->width_px, screen->height_px,
                          VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    info.pNext = &name;
    info.flags = screen->flags ? several : 0;
    const VkImageCreateInfo before = info;
    VkImage image = VK_NULL_HANDLE;
    program_check(vk.CreateImage(program->device, &info, NULL, &image), "vkCreateImage");
    program_need(memcmp(&before, &info, sizeof info) == 0,
                 "vkCreateImage has changed the program's structure");
    const VkBindImageMemorySwapchainInfoKHR place = {
        .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
        .swapchain = screen->swapchain,
        .imageIndex = index};
    const VkBindImageMemoryInfo bind = {
        .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &place, .image = image};
    program_check(vk.BindImageMemory2(program->device, 1, &bind), "vkBindImageMemory2");
    return image;
}

/* Everything is drawn into the program's own images; the swapchain's have only their layouts
 * changed. */
static void alias_with(struct stand *stand)
{
    struct screen *screen = &stand->screen;
    const struct program *program = &stand->program;
    load(program);
    screen_open(screen);
    VkImage theirs[PROGRAM_MAX_IMAGES], own[PROGRAM_MAX_IMAGES];
    VkImageView views[PROGRAM_MAX_IMAGES];
    memcpy(theirs, screen->images, sizeof theirs);
    for (uint32_t i = 0; i < screen->image_count; i++) {
        own[i] = make_alias(screen, i);
        views[i] = make_view(screen, own[i]);
    }
    memcpy(screen->images, own, screen->image_count * sizeof own[0]);
    present_all(screen);
    memcpy(screen->images, theirs, sizeof theirs);
    for (uint32_t i = 0; i < screen->image_count; i++) {
        program->vk.DestroyImageView(program->device, views[i], NULL);
        vk.DestroyImage(program->device, own[i], NULL);
    }
    close_program(stand);
}

static void alias(void)
{
    struct stand stand;
    stand_open(&stand);
    alias_with(&stand);
}

static void alias_srgb(void)
{
    struct stand stand;
    stand_open(&stand);
    stand.screen.format = VK_FORMAT_B8G8R8A8_SRGB;
    alias_with(&stand);
}

static void alias_mutable(void)
{
    struct stand stand = {.program = program_default()};
    stand.program.device_extension = VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME;
    stand.program.api_version = VK_API_VERSION_1_2;
    program_open(&stand.program, NULL, NULL);
    stand.screen = screen_default(&stand.program, STAND_WIDTH_PX, STAND_HEIGHT_PX);
    const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB};
    const VkImageFormatListCreateInfo list = {.sType =
                                                  VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                              .viewFormatCount = 2,
                                              .pViewFormats = formats};
    stand.screen.flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
    stand.screen.next = &list;
    alias_with(&stand);
}

const struct program_case image_cases[] = {
    {"srgb-drawn", srgb_drawn},
    {"imageless", imageless},
    {"imageless-alone", imageless_alone},
    {"alias", alias},
    {"alias-srgb", alias_srgb},
    {"alias-mutable", alias_mutable},
    {NULL, NULL},
};
