# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# The program that the README shows, built so that it stays true. Its functions are for others to call.
add_library(integration_example OBJECT ${PROJECT_SOURCE_DIR}/docs/examples/integration.c)
target_link_libraries(integration_example PRIVATE fovea_build)
set_source_files_properties(${PROJECT_SOURCE_DIR}/docs/examples/integration.c PROPERTIES
    COMPILE_OPTIONS -Wno-unused-function)
