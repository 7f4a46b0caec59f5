# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# OpenGL by the libEGL that is here; without one they are skipped.
fovea_add_test(NAME test_gl_textures SOURCES gl/test_gl_textures.c gl/gl_context.c
    $<TARGET_OBJECTS:fovea_test_context> $<TARGET_OBJECTS:fovea_gl>
    LINK fovea_internal fovea_test_images ${CMAKE_DL_LIBS} LABELS unit)
