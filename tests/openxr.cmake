# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# The OpenXR layer under a runtime of our own, in programs of others and of our own (tests/openxr/test_openxr.py).
find_path(OPENXR_HEADERS openxr/openxr_platform.h)
find_library(OPENXR_LOADER openxr_loader)
if(NOT VULKAN_LOADER OR NOT OPENXR_HEADERS OR NOT OPENXR_LOADER)
    message(STATUS "Fovea: no OpenXR (libopenxr-dev); tests of its layer are left out")
    return()
endif()

add_library(openxr_runtime MODULE
    openxr/runtime/runtime_eyes.c
    openxr/runtime/runtime_foveation.c
    openxr/runtime/runtime_input.c
    openxr/runtime/runtime_instance.c
    openxr/runtime/runtime_say.c
    openxr/runtime/runtime_session.c
    openxr/runtime/runtime_swapchain.c
    openxr/runtime/runtime_views.c
    openxr/runtime/runtime_vulkan.c)
target_include_directories(openxr_runtime PRIVATE ${OPENXR_HEADERS} ${PROJECT_SOURCE_DIR})
target_link_libraries(openxr_runtime PRIVATE fovea_build ${VULKAN_LOADER} Threads::Threads m)
set_target_properties(openxr_runtime PROPERTIES PREFIX "" OUTPUT_NAME fovea_test_runtime)
set(FOVEA_TEST_RUNTIME "$<TARGET_FILE:openxr_runtime>")
configure_file(openxr/runtime/runtime.json.in ${CMAKE_CURRENT_BINARY_DIR}/openxr/runtime.json.in @ONLY)
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/openxr/runtime.json
    INPUT ${CMAKE_CURRENT_BINARY_DIR}/openxr/runtime.json.in)

# A layer above Fovea's; its manifest lies beside the runtime's.
add_library(openxr_layer_above MODULE openxr/layer_above.c)
target_include_directories(openxr_layer_above PRIVATE ${OPENXR_HEADERS} ${PROJECT_SOURCE_DIR})
target_link_libraries(openxr_layer_above PRIVATE fovea_build)
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/openxr/above/above.json CONTENT
    "{\"file_format_version\": \"1.0.0\", \"api_layer\": {\"name\": \"XR_APILAYER_FOVEA_TEST_above\",
\"library_path\": \"$<TARGET_FILE:openxr_layer_above>\", \"api_version\": \"1.0\",
\"implementation_version\": \"1\", \"description\": \"for tests\"}}")

add_executable(openxr_program openxr/program.c openxr/program_depth.c openxr/program_session.c openxr/program_vulkan.c)
target_include_directories(openxr_program PRIVATE ${OPENXR_HEADERS} ${PROJECT_SOURCE_DIR})
target_link_libraries(openxr_program PRIVATE fovea_build ${OPENXR_LOADER} ${VULKAN_LOADER} Threads::Threads)

add_dependencies(openxr_program openxr_runtime fovea_openxr fovea_layer)

# ./run bench --openxr; on a tiny picture, that it works. Its manifests lie beside it, as in a bundle.
add_executable(openxr_cost openxr/cost.c openxr/program_depth.c openxr/program_session.c openxr/program_vulkan.c engines/costs.c
    $<TARGET_OBJECTS:fovea_test_keep_loaded>)
target_include_directories(openxr_cost PRIVATE ${OPENXR_HEADERS} ${PROJECT_SOURCE_DIR})
target_link_libraries(openxr_cost PRIVATE fovea_build ${OPENXR_LOADER} ${VULKAN_LOADER} m)
add_dependencies(openxr_cost openxr_runtime fovea_openxr fovea_layer)
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/openxr/api_layers/XrApiLayer_FOVEA.json
    INPUT ${CMAKE_BINARY_DIR}/plugin/openxr/manifest.json)
# Fovea's layer for Vulkan sees how the runtime makes images: only then kernels see them where they are.
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/openxr/vulkan_layers/VkLayer_FOVEA.json CONTENT
    "{\"file_format_version\": \"1.2.0\", \"layer\": {\"name\": \"VK_LAYER_FOVEA_foveation\", \"type\": \"GLOBAL\",
\"library_path\": \"$<TARGET_FILE:fovea_layer>\", \"api_version\": \"1.3.239\",
\"implementation_version\": \"1\", \"description\": \"for tests\"}}")
fovea_add_run(test_openxr_cost_vulkan vulkan 120 "" openxr_cost --quick)
fovea_add_run(test_openxr_cost_gpu gpu 120 "" openxr_cost --quick gpu)

# A build with sanitizers sees the layer in these; pictures are compared in test_openxr.py.
foreach(kind separate array atlas quad depth after beside old early eager ahead silent idle pipelined looks glances)
    set(operators foveate)
    if(kind MATCHES "looks|glances")
        set(operators foveate,layer.provide_gaze=always,gaze.source=saccades)
    endif()
    if(kind STREQUAL "depth")
        set(operators dof)
    endif()
    fovea_add_run(openxr_program_${kind} vulkan 60
        "XR_RUNTIME_JSON=${CMAKE_CURRENT_BINARY_DIR}/openxr/runtime.json;XR_API_LAYER_PATH=${CMAKE_BINARY_DIR}/plugin/openxr/api_layers;XR_ENABLE_API_LAYERS=XR_APILAYER_FOVEA;VK_ADD_LAYER_PATH=${CMAKE_CURRENT_BINARY_DIR}/openxr/vulkan_layers;VK_INSTANCE_LAYERS=VK_LAYER_FOVEA_foveation;FOVEA_TEST_XR_GAZE=10,-5;FOVEA_TEST_XR_EYES=14,-4/-;FOVEA_SET=operators=${operators}"
        openxr_program ${kind})
    set_tests_properties(openxr_program_${kind} PROPERTIES
        PASS_REGULAR_EXPRESSION "fovea: openxr: .*all frames were shown" FAIL_REGULAR_EXPRESSION "openxr_program: ;AddressSanitizer;LeakSanitizer;runtime error")
endforeach()
