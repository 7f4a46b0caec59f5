# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# tests/test_demo_*.py need these: a Fovea that takes no frame and one that loses a frame, put before the real one by
# the loader.
if(FOVEA_SAMPLE_SCENE)
    foreach(name IN ITEMS demo_failing_fovea demo_losing_fovea)
        add_library(${name} MODULE support/${name}.c)
        target_link_libraries(${name} PRIVATE fovea_build ${CMAKE_DL_LIBS})
    endforeach()
endif()
