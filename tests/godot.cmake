# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# A host that stands for Godot 4, and the extension in it.

if(NOT TARGET fovea_test_vulkan)
    return()
endif()

# Objects and no archive: each file says itself what it has of the interface.
add_library(fovea_test_godot OBJECT godot/host.c godot/host_classes.c godot/host_interface.c
    godot/host_method_rows.c godot/host_methods.c godot/host_objects.c godot/host_values.c
    godot/host_values_get.c godot/rd_lists.c godot/rd_resources.c godot/rd_shaders.c godot/rd_spirv.c
    godot/rd_textures.c godot/render_thread.c godot/resources.c godot/scene.c)
target_include_directories(fovea_test_godot PUBLIC godot)
# Values cross the interface as words, which each side reads as types of its own.
target_compile_options(fovea_test_godot PRIVATE -fno-strict-aliasing)
target_link_libraries(fovea_test_godot PUBLIC fovea_test_vulkan Threads::Threads ${CMAKE_DL_LIBS}
    PRIVATE fovea_build)

