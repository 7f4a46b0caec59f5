# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

add_library(test_gaze_support STATIC test_gaze_support.c)
target_link_libraries(test_gaze_support PRIVATE fovea_build
    PUBLIC fovea_gaze PkgConfig::CMOCKA Threads::Threads)

foreach(topic source coords hold listen scanpath saccades message udp stress malloc)
    fovea_add_test(NAME test_gaze_${topic} SOURCES test_gaze_${topic}.c
        LINK test_gaze_support fovea_gaze LABELS unit)
endforeach()
target_link_options(test_gaze_saccades PRIVATE -Wl,--wrap=gaze_saccade_model_init,--wrap=gaze_saccade_model_at)
foreach(function malloc calloc realloc free pthread_create)
    target_link_options(test_gaze_malloc PRIVATE -Wl,--wrap=${function})
endforeach()

fovea_add_test(NAME test_late_block SOURCES test_late_block.c LINK fovea_kernels Threads::Threads
    LABELS unit)

foreach(parser udp scanpath)
    fovea_add_fuzz(NAME fuzz_gaze_${parser} SOURCES fuzz/fuzz_gaze_${parser}.c LINK fovea_gaze)
endforeach()

# The tests with threads once more for ThreadSanitizer, unless the whole build has a sanitizer.
if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize" AND NOT FOVEA_FUZZ)
    include(CheckCSourceRuns)
    set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
    check_c_source_runs("int main(void) { return 0; }" FOVEA_HAVE_TSAN)
    unset(CMAKE_REQUIRED_FLAGS)
    if(FOVEA_HAVE_TSAN)
        get_target_property(gaze_sources fovea_gaze SOURCES)
        get_target_property(gaze_dir fovea_gaze SOURCE_DIR)
        list(TRANSFORM gaze_sources PREPEND ${gaze_dir}/)
        add_library(test_gaze_tsan_objects OBJECT ${gaze_sources} test_gaze_support.c
            ${PROJECT_SOURCE_DIR}/config/cjson/cJSON.c
            ${PROJECT_SOURCE_DIR}/config/json.c)
        target_link_libraries(test_gaze_tsan_objects PRIVATE fovea_build PkgConfig::CMOCKA)
        target_include_directories(test_gaze_tsan_objects SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/config)
        target_compile_definitions(test_gaze_tsan_objects PRIVATE CJSON_HIDE_SYMBOLS)
        target_compile_options(test_gaze_tsan_objects PUBLIC -fsanitize=thread)
        target_link_options(test_gaze_tsan_objects PUBLIC -fsanitize=thread)
        foreach(topic stress udp)
            fovea_add_test(NAME test_gaze_${topic}_tsan SOURCES test_gaze_${topic}.c
                LINK test_gaze_tsan_objects Threads::Threads LABELS unit
                ENV TSAN_OPTIONS=halt_on_error=1)
        endforeach()
        fovea_add_test(NAME test_late_block_tsan
            SOURCES test_late_block.c ${PROJECT_SOURCE_DIR}/kernels/gaze/late.c
            LINK test_gaze_tsan_objects Threads::Threads LABELS unit
            ENV TSAN_OPTIONS=halt_on_error=1)
    else()
        message(STATUS "Fovea: no ThreadSanitizer here; the gaze tests run without it")
    endif()
endif()
