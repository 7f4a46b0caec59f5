# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

add_library(test_config_support STATIC test_config_support.c)
target_link_libraries(test_config_support PRIVATE fovea_build
    PUBLIC fovea_config PkgConfig::CMOCKA)

foreach(topic check memory reload search sets table text)
    fovea_add_test(NAME test_config_${topic} SOURCES test_config_${topic}.c
        LINK test_config_support LABELS unit)
    target_include_directories(test_config_${topic} PRIVATE ${PROJECT_SOURCE_DIR}/config)
endforeach()

target_link_options(test_config_reload PRIVATE -Wl,--wrap=clock_gettime,--wrap=stat)
foreach(function malloc calloc realloc strdup strndup cJSON_ParseWithLengthOpts)
    target_link_options(test_config_memory PRIVATE -Wl,--wrap=${function})
endforeach()
