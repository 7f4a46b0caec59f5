# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# fovea_context and the small functions beside it, for the plugin and for tests of them alone.
set(FOVEA_CONTEXT_DIR ${CMAKE_CURRENT_LIST_DIR})
add_library(fovea_context_objects OBJECT
    ${FOVEA_CONTEXT_DIR}/context.c
    ${FOVEA_CONTEXT_DIR}/context_batch.c
    ${FOVEA_CONTEXT_DIR}/context_cpu.c
    ${FOVEA_CONTEXT_DIR}/context_image.c
    ${FOVEA_CONTEXT_DIR}/context_sigma.c
    ${FOVEA_CONTEXT_DIR}/map_copy.c
    ${FOVEA_CONTEXT_DIR}/map_png.c
    ${FOVEA_CONTEXT_DIR}/map_store.c
    ${FOVEA_CONTEXT_DIR}/result.c
    ${FOVEA_CONTEXT_DIR}/settings_take.c)
target_link_libraries(fovea_context_objects PUBLIC fovea_operators fovea_config PRIVATE fovea_build)
target_include_directories(fovea_context_objects PRIVATE ${PROJECT_SOURCE_DIR}/config)
# stb adds 0 to a null pointer where a picture is empty: addresses are still checked.
set_source_files_properties(${FOVEA_CONTEXT_DIR}/map_png.c PROPERTIES
    COMPILE_OPTIONS -fno-sanitize=undefined)
find_path(STB_INCLUDE stb/stb_image.h)
if(STB_INCLUDE)
    set_source_files_properties(${FOVEA_CONTEXT_DIR}/map_png.c PROPERTIES
        COMPILE_DEFINITIONS FOVEA_HAVE_STB=1)
    target_include_directories(fovea_context_objects SYSTEM PRIVATE ${STB_INCLUDE})
else()
    set_source_files_properties(${FOVEA_CONTEXT_DIR}/map_png.c PROPERTIES
        COMPILE_DEFINITIONS FOVEA_HAVE_STB=0)
    message(STATUS "Fovea: maps are not read from pictures, stb (libstb-dev) is not there")
endif()
if(TARGET fovea_cuda)
    target_sources(fovea_context_objects PRIVATE ${FOVEA_CONTEXT_DIR}/context_cuda.c)
    target_link_libraries(fovea_context_objects PUBLIC fovea_cuda)
endif()
