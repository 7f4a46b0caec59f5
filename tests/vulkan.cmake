# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# Frames of a Vulkan engine, on every backend. The programs take the backend as their argument; the
# cuda and binary runs need an NVIDIA GPU.

fovea_add_test(NAME test_frame_cost_store
    SOURCES vulkan/test_frame_cost_store.c vulkan/cache_folder.c LINK fovea_internal LABELS unit)
target_include_directories(test_frame_cost_store PRIVATE vulkan)

# A driver of two libraries, as NVIDIA's is: the front, which the loader opens, opens the core. And a layer.
foreach(part IN ITEMS front core layer)
    add_library(test_driver_${part} MODULE vulkan/driver_${part}.c)
    target_link_libraries(test_driver_${part} PRIVATE fovea_build ${CMAKE_DL_LIBS})
    target_compile_definitions(test_driver_${part} PRIVATE CORE="$<TARGET_FILE:test_driver_core>")
endforeach()
fovea_add_test(NAME test_driver_loaded SOURCES vulkan/test_driver_loaded.c LINK fovea_internal LABELS unit)
target_compile_definitions(test_driver_loaded PRIVATE FRONT="$<TARGET_FILE:test_driver_front>"
    CORE="$<TARGET_FILE:test_driver_core>" LAYER="$<TARGET_FILE:test_driver_layer>")
add_dependencies(test_driver_loaded test_driver_front test_driver_core test_driver_layer)

find_library(VULKAN_LOADER vulkan)
if(NOT VULKAN_LOADER)
    message(STATUS "Fovea: no Vulkan loader (libvulkan-dev); Vulkan tests are left out")
    return()
endif()

add_library(fovea_test_vulkan STATIC vulkan/busy.c vulkan/calls.c vulkan/depth_image.c vulkan/engine.c vulkan/engine_seen.c vulkan/misuse.c
    vulkan/rig.c vulkan/rig_main.c vulkan/stand_in.c vulkan/stereo.c support/images.c support/compare.c)
target_include_directories(fovea_test_vulkan PUBLIC vulkan support)
target_link_libraries(fovea_test_vulkan PUBLIC fovea_internal fovea_test_list ${VULKAN_LOADER} PkgConfig::CMOCKA
    PRIVATE fovea_build)

# fovea_add_vulkan_test(<name> <timeout> <backend>...): one test for each backend.
function(fovea_add_vulkan_test name timeout)
    list(POP_FRONT ARGN first)
    foreach(backend IN ITEMS ${first} ${ARGN})
        set(labels vulkan)
        if(backend MATCHES "cuda|binary|nvidia")
            set(labels gpu)
        endif()
        if(backend STREQUAL "${first}")
            fovea_add_test(NAME ${name}_${backend} SOURCES vulkan/${name}.c LINK fovea_test_vulkan
                LABELS ${labels} TIMEOUT ${timeout} ARGS ${backend})
        else()
            fovea_add_run(${name}_${backend} "${labels}" ${timeout} "" ${name}_${first} ${backend})
            # Not beside the first, which makes the shaders that all of them keep: a CPU takes seconds for one.
            if(NOT "gpu" IN_LIST labels)
                set_tests_properties(${name}_${backend} PROPERTIES DEPENDS ${name}_${first})
            endif()
        endif()
    endforeach()
endfunction()

fovea_add_vulkan_test(test_frame_stream 300 vulkan cpu cuda binary nvidia)
fovea_add_run(test_frame_stream_long_cuda gpu 400 "" test_frame_stream_vulkan cuda 2000)
fovea_add_vulkan_test(test_frame_row 300 vulkan recorded cpu cuda binary nvidia)
fovea_add_vulkan_test(test_frame_overlay 600 vulkan cpu cuda)
fovea_add_vulkan_test(test_frame_plans 120 vulkan cpu)
fovea_add_vulkan_test(test_frame_seen 120 vulkan cpu cuda nvidia)
fovea_add_vulkan_test(test_frame_protocol 300 cpu)
fovea_add_vulkan_test(test_frame_back 120 cpu)
# These programs end badly; each in a process of its own.
fovea_add_vulkan_test(test_frame_ends 300 vulkan cpu cuda binary nvidia)
target_sources(test_frame_ends_vulkan PRIVATE vulkan/ends.c)
fovea_add_vulkan_test(test_frame_gate 120 vulkan cpu)
fovea_add_vulkan_test(test_frame_cost 240 cpu cuda)
target_sources(test_frame_cost_cpu PRIVATE vulkan/cache_folder.c)
fovea_add_vulkan_test(test_frame_misuse 120 vulkan cpu cuda)
fovea_add_vulkan_test(test_frame_moments 120 vulkan cpu cuda)
fovea_add_vulkan_test(test_frame_fences 120 vulkan cpu)
fovea_add_vulkan_test(test_frame_record 120 vulkan cpu cuda nvidia)
fovea_add_vulkan_test(test_frame_faults 120 vulkan cpu)
fovea_add_vulkan_test(test_frame_half 120 vulkan cpu)
fovea_add_vulkan_test(test_frame_kernels 120 vulkan cpu cuda)
fovea_add_vulkan_test(test_frame_keep 120 cpu cuda)
fovea_add_vulkan_test(test_frame_hooks 120 vulkan cpu cuda nvidia)
fovea_add_vulkan_test(test_frame_query 120 vulkan cpu)
if(TARGET test_fake_cuda)
    add_dependencies(test_frame_query_vulkan test_fake_cuda)
    set_property(TEST test_frame_query_vulkan test_frame_query_cpu APPEND PROPERTY
        ENVIRONMENT LD_LIBRARY_PATH=${fake_cuda})
endif()
fovea_add_vulkan_test(test_frame_memory 120 vulkan cpu)
target_link_options(test_frame_memory_vulkan PRIVATE -Wl,--wrap=malloc,--wrap=calloc)
fovea_add_vulkan_test(test_frame_smooth 300 vulkan cpu cuda nvidia)
fovea_add_vulkan_test(test_frame_late 120 vulkan cpu cuda nvidia)
fovea_add_vulkan_test(test_frame_late_pour 120 vulkan cpu cuda nvidia)
foreach(name IN ITEMS test_frame_late test_frame_late_pour)
    target_sources(${name}_vulkan PRIVATE vulkan/desk.c)
endforeach()
target_sources(test_frame_late_pour_vulkan PRIVATE support/stuck.c)
# Times that are reported are taken alone.
set_tests_properties(test_frame_cost_cuda test_frame_late_pour_cuda test_frame_late_pour_nvidia
    PROPERTIES RUN_SERIAL ON)
if(TARGET fovea_cuda)
    # A context that breaks may take the work of others along, or the GPU: after all the others.
    fovea_add_vulkan_test(test_frame_lost 120 cuda)
    target_sources(test_frame_lost_cuda PRIVATE support/stuck.c)
    fovea_add_run(test_frame_lost_validated gpu 200 "" test_frame_lost_cuda cuda validated)
    set_tests_properties(test_frame_lost_cuda test_frame_lost_validated PROPERTIES RUN_SERIAL ON
        LABELS "gpu;last" TIMEOUT 200)
endif()
# The tests of light fields, on a device; with the argument nvidia, on a GPU.
fovea_add_test(NAME test_lightfield_vulkan
    SOURCES test_lightfield.c vulkan/lightfield_run_vk.c support/lightfield_scene.c LINK fovea_test_vulkan LABELS vulkan
    ARGS vulkan)
target_compile_definitions(test_lightfield_vulkan PRIVATE LIGHTFIELD_RUN_VULKAN)
fovea_add_run(test_lightfield_nvidia gpu 120 "" test_lightfield_vulkan nvidia)
fovea_add_vulkan_test(test_lightfield_vk 120 vulkan nvidia)
fovea_add_vulkan_test(test_blobs_vk 120 vulkan nvidia)
target_sources(test_blobs_vk_vulkan PRIVATE vulkan/blobs_run_vk.c)
fovea_add_vulkan_test(test_frame_views 300 vulkan recorded cpu cuda nvidia)
fovea_add_vulkan_test(test_frame_operators 400 vulkan recorded cpu cuda binary nvidia)
fovea_add_vulkan_test(test_frame_depth 400 vulkan recorded cpu cuda nvidia)
target_sources(test_frame_depth_vulkan PRIVATE vulkan/depth_scene.c)
fovea_add_vulkan_test(test_frame_lens 400 vulkan recorded cpu cuda nvidia)
fovea_add_vulkan_test(test_frame_prepare 200 vulkan recorded cpu cuda nvidia)
fovea_add_vulkan_test(test_frame_gazes 200 vulkan cpu cuda nvidia)
fovea_add_vulkan_test(test_frame_watch 120 vulkan recorded cpu cuda nvidia)
foreach(name IN ITEMS operators depth lens gazes)
    target_sources(test_frame_${name}_vulkan PRIVATE operators/scene_vk.c)
    target_link_libraries(test_frame_${name}_vulkan PRIVATE fovea_test_operators)
endforeach()
