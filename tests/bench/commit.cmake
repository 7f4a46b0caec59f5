# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# cmake -DSOURCE=... -DHEADER=... -P commit.cmake: what was built, for the head of the tables. The file is
# only written when it changes.
cmake_policy(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    set(commit unknown)
endif()
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
if(NOT changes STREQUAL "")
    string(APPEND commit ", with changes")
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define BENCH_COMMIT \"@commit@\"\n" @ONLY)
