# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

add_library(test_config_support STATIC test_config_support.c)
target_link_libraries(test_config_support PRIVATE fovea_build
    PUBLIC fovea_config PkgConfig::CMOCKA)

foreach(topic check memory object reload search sets table text watch)
    fovea_add_test(NAME test_config_${topic} SOURCES test_config_${topic}.c
        LINK test_config_support LABELS unit)
endforeach()

target_sources(test_config_watch PRIVATE support/process_counts.c)
target_link_options(test_config_watch PRIVATE -Wl,--wrap=stat,--wrap=open,--wrap=read,--wrap=pthread_create,--wrap=sem_clockwait)
foreach(function malloc calloc realloc strdup strndup)
    target_link_options(test_config_memory PRIVATE -Wl,--wrap=${function})
endforeach()

fovea_add_fuzz(NAME fuzz_config SOURCES fuzz/fuzz_config.c LINK fovea_config)
if(TARGET fuzz_config)
    target_link_options(fuzz_config PRIVATE -Wl,--wrap=open)
endif()
