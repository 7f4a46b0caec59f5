# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# Renderers that others wrote, foveated through the public header: the examples of docs/embedding.md.
# test_engines.py runs them and compares their pictures.
if(NOT VULKAN_LOADER)
    return()
endif()
set(examples ${PROJECT_SOURCE_DIR}/docs/examples)

pkg_check_modules(LIBPLACEBO IMPORTED_TARGET libplacebo)
find_path(STB_HEADERS stb/stb_image.h)
if(LIBPLACEBO_FOUND AND STB_HEADERS)
    add_executable(engine_libplacebo ${examples}/engine_libplacebo.c)
    target_link_libraries(engine_libplacebo PRIVATE fovea_build fovea PkgConfig::LIBPLACEBO
        ${VULKAN_LOADER} m)
    # Here, too, where a stage has sanitizers.
    fovea_add_run(test_engine_libplacebo vulkan 40 FOVEA_SET=backend=vulkan
        engine_libplacebo ${PROJECT_SOURCE_DIR}/docs/rl.png ${CMAKE_CURRENT_BINARY_DIR}/libplacebo-before.png
        ${CMAKE_CURRENT_BINARY_DIR}/libplacebo-after.png 0.3 0.4)
else()
    message(STATUS "Fovea: no libplacebo (libplacebo-dev, libstb-dev); its example is left out")
endif()

# Qt is C++ and takes the compiler of the kernels on the host (emulated.cmake), which builds with sanitizers do not have.
pkg_check_modules(QTQUICK IMPORTED_TARGET Qt6Quick)
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(QTQUICK_FOUND AND "CXX" IN_LIST languages)
    foreach(name IN ITEMS engine_qtquick engine_qtwindow)
        add_executable(${name} ${examples}/${name}.cpp)
        target_compile_options(${name} PRIVATE -std=c++17 -fPIC -Wall -Wextra -Wshadow
            $<$<BOOL:${FOVEA_WERROR}>:-Werror>)
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/plugin)
        target_link_libraries(${name} PRIVATE fovea PkgConfig::QTQUICK ${VULKAN_LOADER})
    endforeach()
else()
    message(STATUS "Fovea: no Qt Quick (qt6-declarative-dev) or no C++; its examples are left out")
endif()
