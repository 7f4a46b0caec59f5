# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# Pointer and keys, on X servers that the tests start themselves (Xvfb).
pkg_check_modules(XCB_TEST IMPORTED_TARGET xcb xcb-xtest)
if(TARGET fovea_layer_input AND XCB_TEST_FOUND)
    add_library(test_layer_input_rig STATIC layer/input_rig.c layer/x_client.c)
    target_include_directories(test_layer_input_rig PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}
        ${CMAKE_CURRENT_SOURCE_DIR}/layer ${CMAKE_CURRENT_SOURCE_DIR}/support)
    target_link_libraries(test_layer_input_rig PRIVATE fovea_build
        PUBLIC test_gaze_support fovea_layer_input PkgConfig::XCB_TEST PkgConfig::CMOCKA)
    foreach(topic cookie input keys gone)
        fovea_add_test(NAME test_layer_${topic} SOURCES layer/test_layer_${topic}.c
            LINK test_layer_input_rig LABELS unit)
    endforeach()
    set_target_properties(test_layer_cookie PROPERTIES ENABLE_EXPORTS ON) # it stands in for libXau
    target_link_options(test_layer_gone PRIVATE -Wl,--wrap=dlopen)
    # --wrap would give our dlsym to ThreadSanitizer's runtime too, which calls it before anything is ready.
    target_sources(test_layer_keys PRIVATE ${PROJECT_SOURCE_DIR}/plugin/layer/input/layer_input_x11.c)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/plugin/layer/input/layer_input_x11.c PROPERTIES
        COMPILE_DEFINITIONS dlsym=dlsym_of_the_test)
    fovea_add_fuzz(NAME fuzz_layer_cookie SOURCES fuzz/fuzz_layer_cookie.c LINK fovea_layer_input)
else()
    message(STATUS "Fovea: the layer's input is not tested, libxcb-xtest0-dev is not there")
endif()

if(TARGET fovea_layer)
    fovea_add_test(NAME test_layer_windows
        SOURCES layer/test_layer_windows.c ${PROJECT_SOURCE_DIR}/plugin/layer/session/layer_windows.c
        LINK fovea_vulkan fovea_gaze fovea_config LABELS unit)
endif()

# The layer in a program without a display, on a swapchain of ours; on a GPU too.
if(VULKAN_LOADER AND TARGET fovea_layer)
    add_library(layer_screenless MODULE
        layer/screenless/screenless.c
        layer/screenless/screenless_clock.c
        layer/screenless/screenless_present.c
        layer/screenless/screenless_surface.c
        layer/screenless/screenless_swapchain.c
        layer/screenless/screenless_times.c)
    target_link_libraries(layer_screenless PRIVATE fovea_build Threads::Threads ${CMAKE_DL_LIBS})
    set_target_properties(layer_screenless PROPERTIES PREFIX "" OUTPUT_NAME VkLayer_fovea_screenless)

    fovea_add_test(NAME test_layer_screenless_vulkan
        SOURCES
            layer/screenless/stand_cost.c
            layer/screenless/stand_frame.c
            layer/screenless/stand_look.c
            layer/screenless/stand_program.c
            layer/screenless/stand_start.c
            layer/test_layer_screenless.c
        LINK fovea_test_vulkan ${CMAKE_DL_LIBS} LABELS vulkan TIMEOUT 300 ARGS vulkan)
    target_include_directories(test_layer_screenless_vulkan PRIVATE layer layer/screenless)
    add_dependencies(test_layer_screenless_vulkan layer_screenless fovea_layer)
    foreach(backend IN ITEMS cpu cuda nvidia costs)
        set(labels gpu)
        if(backend STREQUAL "cpu")
            set(labels vulkan)
        endif()
        fovea_add_run(test_layer_screenless_${backend} "${labels}" 300 "" test_layer_screenless_vulkan ${backend})
    endforeach()

    fovea_add_test(NAME test_layer_handover SOURCES layer/test_layer_handover.c support/stuck.c LINK fovea_test_vulkan
        LABELS gpu)
    set_tests_properties(test_layer_screenless_costs test_layer_handover PROPERTIES RUN_SERIAL ON)
endif()

# The Vulkan layer in programs of others and of our own; pytest drives them (tests/layer/*.py).

pkg_check_modules(XCB IMPORTED_TARGET xcb)
if(NOT VULKAN_LOADER OR NOT XCB_FOUND)
    message(STATUS "Fovea: no Vulkan loader or no libxcb1-dev; tests of the layer are left out")
    return()
endif()

# Programs that do what few do.
add_executable(layer_program
    layer/programs/case_device.c
    layer/programs/case_frame.c
    layer/programs/case_image.c
    layer/programs/case_life.c
    layer/programs/case_retry.c
    layer/programs/main.c
    layer/programs/program.c
    layer/programs/program_frame.c
    layer/programs/program_screen.c
    support/process_counts.c)
target_include_directories(layer_program PRIVATE support)
target_link_libraries(layer_program PRIVATE fovea_build ${VULKAN_LOADER} PkgConfig::XCB Threads::Threads)

# layer_expect makes the pictures that the layer's must be.
add_executable(layer_expect layer/expect.c)
target_link_libraries(layer_expect PRIVATE fovea_build fovea_internal)

# A layer below Fovea's that makes its mistakes for it.
add_library(layer_fault MODULE layer/fault/fault.c layer/fault/fault_calls.c
    layer/fault/fault_nth.c)
target_link_libraries(layer_fault PRIVATE fovea_build ${CMAKE_DL_LIBS})
set_target_properties(layer_fault PROPERTIES PREFIX "" OUTPUT_NAME VkLayer_fovea_fault)

# One that nobody knows, which has formats of its own for swapchains.
add_library(layer_lists MODULE layer/list_layer.c)
target_link_libraries(layer_lists PRIVATE fovea_build)
set_target_properties(layer_lists PROPERTIES PREFIX "" OUTPUT_NAME VkLayer_test_lists)

# This library makes allocations of the layer fail and files slow, for storms.
add_library(layer_preload MODULE layer/fault/preload.c)
target_link_libraries(layer_preload PRIVATE fovea_build ${CMAKE_DL_LIBS})
target_compile_options(layer_preload PRIVATE -fvisibility=default -fno-builtin)
set_target_properties(layer_preload PROPERTIES PREFIX "" OUTPUT_NAME fovea_storm_preload)
