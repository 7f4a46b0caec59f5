# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

add_library(test_gaze_support STATIC test_gaze_support.c)
target_link_libraries(test_gaze_support PRIVATE fovea_build
    PUBLIC fovea_gaze PkgConfig::CMOCKA Threads::Threads)

foreach(topic source coords hold scanpath saccades)
    fovea_add_test(NAME test_gaze_${topic} SOURCES test_gaze_${topic}.c
        LINK test_gaze_support fovea_gaze LABELS unit)
endforeach()
