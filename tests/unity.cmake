# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# The Unity plugin in a host of our own. It is found beside the program's libraries, as in a bundle for a GPU machine.
if(NOT TARGET fovea_unity OR NOT TARGET fovea_test_vulkan)
    return()
endif()

include(engine_costs.cmake)

add_library(fovea_test_unity STATIC unity/host.c unity/scene.c)
target_include_directories(fovea_test_unity PUBLIC unity PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(fovea_test_unity PUBLIC fovea_test_vulkan Threads::Threads ${CMAKE_DL_LIBS} PRIVATE fovea_build)

function(fovea_unity_test name)
    target_link_libraries(${name} PRIVATE fovea_test_unity)
    set_target_properties(${name} PROPERTIES BUILD_RPATH ${CMAKE_BINARY_DIR}/plugin/unity)
    add_dependencies(${name} fovea_unity)
endfunction()

fovea_add_test(NAME test_unity_vulkan SOURCES unity/test_unity_frames.c LINK fovea_test_vulkan LABELS vulkan ARGS vulkan)
fovea_unity_test(test_unity_vulkan)
foreach(backend IN ITEMS cpu cuda nvidia)
    set(labels vulkan)
    if(NOT backend STREQUAL cpu)
        set(labels gpu)
    endif()
    fovea_add_run(test_unity_${backend} "${labels}" 120 "" test_unity_vulkan ${backend})
endforeach()

fovea_add_test(NAME test_unity_life SOURCES unity/test_unity_life.c LINK fovea_test_vulkan LABELS vulkan)
fovea_unity_test(test_unity_life)
fovea_add_test(NAME test_unity_settings SOURCES unity/test_unity_settings.c support/png_file.c
    LINK fovea_test_vulkan LABELS vulkan)
fovea_unity_test(test_unity_settings)
fovea_add_test(NAME test_unity_cameras SOURCES unity/test_unity_cameras.c LINK fovea_test_vulkan LABELS vulkan)
fovea_unity_test(test_unity_cameras)

fovea_add_test(NAME test_unity_memory SOURCES unity/test_unity_memory.c LINK fovea_test_vulkan LABELS vulkan)
fovea_unity_test(test_unity_memory)

fovea_add_test(NAME test_unity_depth SOURCES unity/test_unity_depth.c vulkan/depth_scene.c
    operators/scene_vk.c
    LINK fovea_test_vulkan fovea_test_operators LABELS vulkan ARGS vulkan)
fovea_unity_test(test_unity_depth)

# docs/unity.md shows this and says what it costs.
add_executable(unity_frames unity/unity_frames.c $<TARGET_OBJECTS:fovea_test_keep_loaded>)
target_link_libraries(unity_frames PRIVATE fovea_test_vulkan fovea_build PkgConfig::CMOCKA m)
fovea_unity_test(unity_frames)

# ./run bench --engines.
add_executable(engine_cost_unity engines/cost_unity.c engines/costs.c $<TARGET_OBJECTS:fovea_test_keep_loaded>)
target_link_libraries(engine_cost_unity PRIVATE fovea_test_vulkan fovea_build PkgConfig::CMOCKA m)
fovea_unity_test(engine_cost_unity)
fovea_add_engine_cost(unity)
