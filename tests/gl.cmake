# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# OpenGL by the libEGL that is here; without one they are skipped.
fovea_add_test(NAME test_gl_textures SOURCES gl/test_gl_textures.c gl/gl_context.c
    $<TARGET_OBJECTS:fovea_test_context> $<TARGET_OBJECTS:fovea_gl>
    LINK fovea_internal fovea_test_images ${CMAKE_DL_LIBS} LABELS vulkan)
target_sources(test_gl_textures PRIVATE support/failing.c)
target_link_options(test_gl_textures PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=mmap)

# fovea_gl_foveate in milliseconds; run by hand.
add_executable(bench_gl EXCLUDE_FROM_ALL gl/bench_gl.c gl/gl_context.c $<TARGET_OBJECTS:fovea_gl>)
target_include_directories(bench_gl PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/support)
target_link_libraries(bench_gl PRIVATE fovea_internal fovea_build ${CMAKE_DL_LIBS} m)
