# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# The program that the README shows, built so that it stays true.
if(EXISTS ${PROJECT_SOURCE_DIR}/docs/examples/integration.c AND NOT TARGET integration_example)
    add_library(integration_example OBJECT ${PROJECT_SOURCE_DIR}/docs/examples/integration.c)
    target_link_libraries(integration_example PRIVATE fovea_build)
    target_compile_options(integration_example PRIVATE -Wno-unused-function)
endif()
