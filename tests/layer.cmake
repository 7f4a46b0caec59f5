# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# Pointer and keys, on an X server that the test starts itself (Xvfb).
pkg_check_modules(XCB_TEST IMPORTED_TARGET xcb xcb-xtest)
if(TARGET fovea_layer_input AND XCB_TEST_FOUND)
    fovea_add_test(NAME test_layer_input SOURCES layer/test_layer_input.c layer/x_client.c
        LINK fovea_layer_input test_gaze_support PkgConfig::XCB_TEST LABELS unit)
    target_link_options(test_layer_input PRIVATE -Wl,--wrap=dlopen)
else()
    message(STATUS "Fovea: the layer's input is not tested, libxcb-xtest0-dev is not there")
endif()
