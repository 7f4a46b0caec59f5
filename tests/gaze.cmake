# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

add_library(test_gaze_support STATIC test_gaze_support.c)
target_link_libraries(test_gaze_support PRIVATE fovea_build
    PUBLIC fovea_gaze fovea_config PkgConfig::CMOCKA Threads::Threads)

foreach(topic source coords hold smooth filter vergence listen scanpath recordings saccades saliency message neon udp stress malloc)
    fovea_add_test(NAME test_gaze_${topic} SOURCES test_gaze_${topic}.c
        LINK test_gaze_support fovea_gaze LABELS unit)
endforeach()
target_link_options(test_gaze_saccades PRIVATE -Wl,--wrap=gaze_saccade_model_init,--wrap=gaze_saccade_model_at)
foreach(function malloc calloc realloc free pthread_create)
    target_link_options(test_gaze_malloc PRIVATE -Wl,--wrap=${function})
endforeach()

fovea_add_test(NAME test_late_block SOURCES test_late_block.c LINK fovea_kernels Threads::Threads
    LABELS unit)

fovea_add_test(NAME test_record SOURCES test_record.c LINK fovea_record Threads::Threads LABELS unit)
fovea_add_test(NAME test_present LINK fovea_record Threads::Threads LABELS unit SOURCES test_present.c
    ${PROJECT_SOURCE_DIR}/plugin/present/present.c ${PROJECT_SOURCE_DIR}/plugin/present/present_timing.c
    ${PROJECT_SOURCE_DIR}/plugin/present/present_wait.c)

foreach(parser udp scanpath replay lsl opengaze osc pupil neon)
    fovea_add_fuzz(NAME fuzz_gaze_${parser} SOURCES fuzz/fuzz_gaze_${parser}.c LINK fovea_gaze)
endforeach()
