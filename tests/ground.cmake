# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# The programs that the documentation shows, built so that they stay true. Their functions are for others
# to call.
set(examples ${PROJECT_SOURCE_DIR}/docs/examples)
add_library(integration_example OBJECT ${examples}/integration.c ${examples}/images.c
    ${examples}/stereo.c)
target_link_libraries(integration_example PRIVATE fovea_build)
set_source_files_properties(${examples}/integration.c ${examples}/images.c ${examples}/stereo.c PROPERTIES
    COMPILE_OPTIONS -Wno-unused-function)
