# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# Pointer and keys, on X servers that the tests start themselves (Xvfb).
pkg_check_modules(XCB_TEST IMPORTED_TARGET xcb xcb-xtest)
if(TARGET fovea_layer_input AND XCB_TEST_FOUND)
    add_library(test_layer_input_rig STATIC layer/input_rig.c layer/x_client.c)
    target_include_directories(test_layer_input_rig PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}
        ${CMAKE_CURRENT_SOURCE_DIR}/layer)
    target_link_libraries(test_layer_input_rig PRIVATE fovea_build
        PUBLIC test_gaze_support fovea_layer_input PkgConfig::XCB_TEST PkgConfig::CMOCKA)
    foreach(topic input keys gone)
        fovea_add_test(NAME test_layer_${topic} SOURCES layer/test_layer_${topic}.c
            LINK test_layer_input_rig LABELS unit)
    endforeach()
    target_link_options(test_layer_gone PRIVATE -Wl,--wrap=dlopen)
else()
    message(STATUS "Fovea: the layer's input is not tested, libxcb-xtest0-dev is not there")
endif()
