# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# For which GPUs the kernels are built: those of this machine, unless somebody says otherwise. A GPU that this machine
# does not have costs minutes of nvcc for code that nothing here runs.

# Releases and bundles are built for these; 8.9 runs the code of 8.6.
set(FOVEA_CUDA_PORTABLE 75 80 86 90 100 120)

# fovea_gpus_here(<out>): the compute capabilities of this machine's NVIDIA GPUs, "90" for 9.0; empty without a GPU.
function(fovea_gpus_here out)
    set(here)
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
        OUTPUT_VARIABLE lines RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed)
        string(REGEX MATCHALL "[0-9]+\\.[0-9]" here "${lines}")
        list(TRANSFORM here REPLACE "\\." "")
        list(REMOVE_DUPLICATES here)
        list(SORT here COMPARE NATURAL)
    endif()
    set(${out} "${here}" PARENT_SCOPE)
endfunction()

# fovea_cuda_is_wanted(<out>): FOVEA_CUDA, with AUTO decided. It says why where the answer is no.
function(fovea_cuda_is_wanted out)
    set(wanted ${FOVEA_CUDA})
    if(FOVEA_CUDA STREQUAL "AUTO")
        set(wanted ON)
        fovea_gpus_here(here)
        if(NOT here AND NOT FOVEA_CUDA_ARCHITECTURES)
            set(wanted OFF)
            message(STATUS "Fovea: without the cuda backend, since no NVIDIA GPU is here; -DFOVEA_CUDA=ON builds it")
        endif()
    endif()
    set(${out} ${wanted} PARENT_SCOPE)
endfunction()

# fovea_cuda_architectures(<out> <architectures that nvcc knows>...): FOVEA_CUDA_ARCHITECTURES as a list of numbers.
function(fovea_cuda_architectures out)
    set(wanted ${FOVEA_CUDA_ARCHITECTURES})
    if(NOT wanted)
        fovea_gpus_here(wanted)
        set(of ", those of this machine's GPUs")
    endif()
    if(NOT wanted OR wanted STREQUAL "portable")
        set(wanted ${FOVEA_CUDA_PORTABLE})
        set(of ", which takes minutes; -DFOVEA_CUDA_ARCHITECTURES=90 builds for one")
    endif()
    set(known)
    foreach(architecture IN LISTS wanted)
        if(architecture IN_LIST ARGN)
            list(APPEND known ${architecture})
        endif()
    endforeach()
    # A GPU that is newer than the toolkit compiles the newest PTX by itself.
    if(NOT known)
        list(GET ARGN -1 known)
    endif()
    list(JOIN known " " words)
    message(STATUS "Fovea: the cuda backend for compute capability ${words}${of}")
    set(${out} ${known} PARENT_SCOPE)
endfunction()
