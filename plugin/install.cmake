# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# Installing the target fovea: library, public headers, pkg-config file, CMake package, the default
# configuration with its schema, the licence.
include(CMakePackageConfigHelpers)

set(FOVEA_HEADER_DIR ${CMAKE_INSTALL_INCLUDEDIR}/fovea)
set(FOVEA_DATA_DIR ${CMAKE_INSTALL_DATADIR}/fovea)
set(FOVEA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)

set_target_properties(fovea PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INTERFACE_INCLUDE_DIRECTORIES
        "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR};${VULKAN_HEADERS}>;$<INSTALL_INTERFACE:${FOVEA_HEADER_DIR}>")

install(TARGETS fovea EXPORT foveaTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES fovea.h fovea_base.h fovea_blobs.h fovea_blobs_vk.h fovea_gaze.h fovea_gl.h fovea_image.h fovea_lightfield.h fovea_lightfield_vk.h
    fovea_present.h fovea_record.h fovea_settings.h fovea_vulkan.h
    DESTINATION ${FOVEA_HEADER_DIR})
install(FILES ${PROJECT_SOURCE_DIR}/config/default.json ${PROJECT_SOURCE_DIR}/config/schema.json
    DESTINATION ${FOVEA_DATA_DIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT foveaTargets NAMESPACE fovea:: DESTINATION ${FOVEA_PACKAGE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/foveaConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/foveaConfig.cmake INSTALL_DESTINATION ${FOVEA_PACKAGE_DIR}
    PATH_VARS FOVEA_HEADER_DIR FOVEA_DATA_DIR)
# 0.x: a minor version may change the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/foveaConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/foveaConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/foveaConfigVersion.cmake DESTINATION ${FOVEA_PACKAGE_DIR})

# A prefix that is given at install time (cmake --install --prefix) must end up in the file too.
install(CODE "
    set(PROJECT_VERSION \"${PROJECT_VERSION}\")
    set(FOVEA_PC_INCLUDEDIR \"\${CMAKE_INSTALL_PREFIX}/${FOVEA_HEADER_DIR}\")
    set(FOVEA_PC_LIBDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    set(FOVEA_PC_DATADIR \"\${CMAKE_INSTALL_PREFIX}/${FOVEA_DATA_DIR}\")
    configure_file(\"${CMAKE_CURRENT_LIST_DIR}/fovea.pc.in\"
        \"${CMAKE_CURRENT_BINARY_DIR}/fovea.pc\" @ONLY)")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fovea.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
