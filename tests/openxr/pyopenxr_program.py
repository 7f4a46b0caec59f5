# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""A small program with pyopenxr: three frames of two views, by the loader that pyopenxr brings along. It draws nothing.

    python3 pyopenxr_program.py [headless]

headless: a session without graphics (XR_MND_headless), which shows nothing either."""

import sys
from ctypes import CDLL, CFUNCTYPE, POINTER, Structure, byref, c_float, c_int, c_uint32, c_void_p, cast, pointer

import xr

FRAMES = 3
STEREO = xr.ViewConfigurationType.PRIMARY_STEREO
VK_FORMAT_R8G8B8A8_SRGB = 43


def structure(name, *fields):
    return type(name, (Structure,), {"_fields_": [("type", c_int), ("next", c_void_p), *fields]})


# pyopenxr 1.1.50 cuts the handles of these to 32 bits, and has nothing of Vulkan itself.
Binding = structure("Binding", ("instance", c_void_p), ("physical_device", c_void_p), ("device", c_void_p),
                    ("family", c_uint32), ("queue", c_uint32))
Application = structure("Application", ("name", c_void_p), ("version", c_uint32), ("engine", c_void_p),
                        ("engine_version", c_uint32), ("api_version", c_uint32))
MakeInstance = structure("MakeInstance", ("flags", c_uint32), ("application", POINTER(Application)),
                         ("layers", c_uint32), ("layer_names", c_void_p), ("extensions", c_uint32),
                         ("extension_names", c_void_p))
MakeQueue = structure("MakeQueue", ("flags", c_uint32), ("family", c_uint32), ("count", c_uint32),
                      ("priorities", POINTER(c_float)))
MakeDevice = structure("MakeDevice", ("flags", c_uint32), ("queue_count", c_uint32), ("queues", POINTER(MakeQueue)),
                       ("layers", c_uint32), ("layer_names", c_void_p), ("extensions", c_uint32),
                       ("extension_names", c_void_p), ("features", c_void_p))
MakeVulkan = structure("MakeVulkan", ("system", xr.SystemId), ("flags", xr.Flags64), ("get", c_void_p),
                       ("info", POINTER(MakeInstance)), ("allocator", c_void_p))
GetDevice = structure("GetDevice", ("system", xr.SystemId), ("instance", c_void_p))
MakeVulkanDevice = structure("MakeVulkanDevice", ("system", xr.SystemId), ("flags", xr.Flags64), ("get", c_void_p),
                             ("physical_device", c_void_p), ("info", POINTER(MakeDevice)), ("allocator", c_void_p))


def call(instance, name, *arguments):
    function = cast(xr.get_instance_proc_addr(instance, name), CFUNCTYPE(c_int, xr.Instance, *map(type_of, arguments)))
    result = function(instance, *arguments)
    assert result == 0, f"{name}: {result}"


def type_of(argument):
    return xr.SystemId if isinstance(argument, (int, xr.SystemId)) else c_void_p


def make_vulkan(instance, system):
    get = cast(CDLL("libvulkan.so.1").vkGetInstanceProcAddr, c_void_p).value
    made, device, physical, result = c_void_p(), c_void_p(), c_void_p(), c_int()
    requirements = xr.GraphicsRequirementsVulkanKHR()
    call(instance, "xrGetVulkanGraphicsRequirements2KHR", system, byref(requirements))

    application = Application(type=0, api_version=1 << 22)
    info = MakeInstance(type=1, application=pointer(application))
    wish = MakeVulkan(type=xr.StructureType.VULKAN_INSTANCE_CREATE_INFO_KHR.value, system=system, get=get,
                      info=pointer(info))
    call(instance, "xrCreateVulkanInstanceKHR", byref(wish), byref(made), byref(result))
    assert result.value == 0

    which = GetDevice(type=xr.StructureType.VULKAN_GRAPHICS_DEVICE_GET_INFO_KHR.value, system=system, instance=made)
    call(instance, "xrGetVulkanGraphicsDevice2KHR", byref(which), byref(physical))

    queue = MakeQueue(type=2, count=1, priorities=pointer(c_float(1)))
    device_info = MakeDevice(type=3, queue_count=1, queues=pointer(queue))
    wish = MakeVulkanDevice(type=xr.StructureType.VULKAN_DEVICE_CREATE_INFO_KHR.value, system=system, get=get,
                            physical_device=physical, info=pointer(device_info))
    call(instance, "xrCreateVulkanDeviceKHR", byref(wish), byref(device), byref(result))
    assert result.value == 0
    return Binding(type=xr.StructureType.GRAPHICS_BINDING_VULKAN_KHR.value, instance=made, physical_device=physical,
                   device=device)


def attach(instance, session):
    actions = xr.create_action_set(instance, xr.ActionSetCreateInfo("program", "Program"))
    xr.create_action(actions, xr.ActionCreateInfo("press", xr.ActionType.BOOLEAN_INPUT, localized_action_name="Press"))
    xr.attach_session_action_sets(session, xr.SessionActionSetsAttachInfo(action_sets=[actions]))
    return actions


def empty_events(instance):
    while True:
        try:
            xr.poll_event(instance)
        except xr.exception.EventUnavailable:
            return


def make_swapchain(session, size):
    usage = xr.SwapchainUsageFlags.COLOR_ATTACHMENT_BIT
    chain = xr.create_swapchain(session, xr.SwapchainCreateInfo(
        usage_flags=usage, format=VK_FORMAT_R8G8B8A8_SRGB, sample_count=1, width=size.recommended_image_rect_width,
        height=size.recommended_image_rect_height, face_count=1, array_size=1, mip_count=1))
    whole = xr.Extent2Di(size.recommended_image_rect_width, size.recommended_image_rect_height)
    return xr.SwapchainSubImage(chain, xr.Rect2Di(xr.Offset2Di(0, 0), whole), 0)


def show(session, actions, space, images):
    xr.sync_actions(session, xr.ActionsSyncInfo(active_action_sets=[xr.ActiveActionSet(actions)]))
    time = xr.wait_frame(session).predicted_display_time
    xr.begin_frame(session)
    for image in images:
        xr.acquire_swapchain_image(image.swapchain)
        xr.wait_swapchain_image(image.swapchain, xr.SwapchainImageWaitInfo(xr.INFINITE_DURATION))
        xr.release_swapchain_image(image.swapchain)
    layers = []
    if images:
        _, views = xr.locate_views(session, xr.ViewLocateInfo(STEREO, time, space))
        seen = [xr.CompositionLayerProjectionView(v.pose, v.fov, i) for v, i in zip(views, images, strict=True)]
        layer = xr.CompositionLayerProjection(space=space, views=seen)
        layers.append(cast(pointer(layer), POINTER(xr.CompositionLayerBaseHeader)))
    xr.end_frame(session, xr.FrameEndInfo(time, xr.EnvironmentBlendMode.OPAQUE, layers=layers))


def main():
    headless = "headless" in sys.argv
    extension = xr.MND_HEADLESS_EXTENSION_NAME if headless else xr.KHR_VULKAN_ENABLE2_EXTENSION_NAME
    instance = xr.create_instance(xr.InstanceCreateInfo(enabled_extension_names=[extension]))
    system = xr.get_system(instance, xr.SystemGetInfo(xr.FormFactor.HEAD_MOUNTED_DISPLAY))
    binding = None if headless else make_vulkan(instance, system)
    next_info = cast(pointer(binding), c_void_p) if binding else None
    session = xr.create_session(instance, xr.SessionCreateInfo(system_id=system, next=next_info))
    space = xr.create_reference_space(session, xr.ReferenceSpaceCreateInfo(xr.ReferenceSpaceType.LOCAL))
    actions = attach(instance, session)
    empty_events(instance)
    xr.begin_session(session, xr.SessionBeginInfo(STEREO))
    sizes = [] if headless else xr.enumerate_view_configuration_views(instance, system, STEREO)
    images = [make_swapchain(session, size) for size in sizes]
    for _ in range(FRAMES):
        show(session, actions, space, images)
    xr.request_exit_session(session)
    empty_events(instance)
    xr.end_session(session)
    xr.destroy_session(session)
    xr.destroy_instance(instance)
    print("all frames were shown")


main()
