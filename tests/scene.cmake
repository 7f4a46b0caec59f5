# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# What tests/test_demo_flags.py needs: a Fovea that takes no frame, put before the real one by the
# loader.
if(FOVEA_SAMPLE_SCENE)
    add_library(demo_failing_fovea MODULE support/demo_failing_fovea.c)
    target_link_libraries(demo_failing_fovea PRIVATE fovea_build)
endif()
