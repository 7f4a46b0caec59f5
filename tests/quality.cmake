# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# fovea_quality: how exact every backend is, and sheets of pictures to compare by eye. It draws letters
# and writes pictures with the sample scene's own code.
find_path(STB_INCLUDE stb/stb_truetype.h)
if(NOT STB_INCLUDE)
    message(STATUS "Fovea: fovea_quality is left out, stb (libstb-dev) is not there")
    return()
endif()
find_path(DEJAVU_DIR DejaVuSans-Bold.ttf PATHS /usr/share/fonts/truetype/dejavu
    /usr/share/fonts/TTF /usr/share/fonts/dejavu /usr/share/fonts/dejavu-sans-fonts NO_DEFAULT_PATH)

set(scene ${PROJECT_SOURCE_DIR}/sample_scene)
add_executable(fovea_quality
    $<TARGET_OBJECTS:fovea_test_keep_loaded>
    quality/backends.c
    quality/cases.c
    quality/command_blobs.c
    quality/command_blur.c
    quality/command_calibrate.c
    quality/command_compare.c
    quality/command_engines.c
    quality/command_lightfield.c
    quality/command_maps.c
    quality/command_measure.c
    quality/command_models.c
    quality/command_pictures.c
    quality/lightfield_draw.c
    quality/lightfield_gaze.c
    quality/lightfield_views.c
    quality/load.c
    quality/main.c
    quality/measure.c
    quality/metrics.c
    quality/moving.c
    quality/orientation.c
    quality/paint.c
    quality/pictures.c
    quality/raw_file.c
    quality/raw_tiff.c
    quality/report.c
    quality/report_preface.c
    quality/sheet.c
    quality/wishes.c
    support/lightfield_scene.c
    ${scene}/interrupt.c
    ${scene}/picture.c
    ${scene}/progress.c
    ${scene}/say.c
    ${scene}/type.c)
target_include_directories(fovea_quality PRIVATE quality support gpu ${scene})
target_include_directories(fovea_quality SYSTEM PRIVATE ${STB_INCLUDE})
target_compile_definitions(fovea_quality PRIVATE SAY_PROGRAM="fovea_quality"
    DEMO_FONT_DIR="$<IF:$<BOOL:${DEJAVU_DIR}>,${DEJAVU_DIR},/usr/share/fonts/truetype/dejavu>")
target_link_libraries(fovea_quality PRIVATE fovea_internal fovea_test_images fovea_test_list fovea_build
    PkgConfig::CMOCKA Threads::Threads m)
if(FOVEA_WINDOW)
    pkg_check_modules(SDL2 IMPORTED_TARGET sdl2)
endif()
if(FOVEA_WINDOW AND SDL2_FOUND)
    target_sources(fovea_quality PRIVATE quality/lightfield_window.c)
    target_link_libraries(fovea_quality PRIVATE PkgConfig::SDL2)
else()
    target_sources(fovea_quality PRIVATE quality/lightfield_window_none.c)
endif()
if(TARGET fovea_test_vulkan)
    target_sources(fovea_quality PRIVATE quality/backend_vulkan.c)
    target_compile_definitions(fovea_quality PRIVATE QUALITY_VULKAN)
    target_link_libraries(fovea_quality PRIVATE fovea_test_vulkan)
endif()
if(TARGET fovea_cuda)
    target_sources(fovea_quality PRIVATE quality/backend_cuda.c)
    target_compile_definitions(fovea_quality PRIVATE QUALITY_CUDA)
    target_link_libraries(fovea_quality PRIVATE fovea_test_cuda)
endif()

fovea_add_run(test_quality_quick unit 120 "" fovea_quality --quick --backend cpu)
if(TARGET fovea_test_vulkan)
    fovea_add_run(test_quality_vulkan vulkan 120 "" fovea_quality --quick --backend vulkan)
endif()
if(TARGET fovea_cuda)
    # All pictures: the bound of SSIM is one on their average, and where they are the five quick ones the
    # checker of one pixel, at 127.5 nearly everywhere, is a fifth of it.
    fovea_add_run(test_quality_cuda gpu 120 "" fovea_quality --size 160x90 --backend cuda)
endif()
if(TARGET test_emulated_driver)
    # The same pictures through the kernels on the host, as far as a test has time.
    fovea_add_emulated(quality "fovea_quality;--quick;--backend;cuda;--only;blockwise")
endif()
