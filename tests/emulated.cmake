# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# CUDA kernels on the host (support/cuda_host/cuda_host.h): no GPU, no toolkit, a compiler for C++. It is the twin of the
# one for C, so that both take the same sanitizers; ThreadSanitizer does not know these fibers.
# Under a sanitizer only where it is asked for, with ASAN_OPTIONS=detect_leaks=0 in the environment: the search for leaks
# ends by a fault of its own.
option(FOVEA_EMULATED_SANITIZED "Kernels on the host, too, in a build with AddressSanitizer" OFF)
if(CMAKE_C_FLAGS MATCHES "fsanitize=thread" OR
    (CMAKE_C_FLAGS MATCHES "fsanitize" AND NOT FOVEA_EMULATED_SANITIZED))
    return()
endif()
get_filename_component(compiler_folder ${CMAKE_C_COMPILER} DIRECTORY)
get_filename_component(compiler ${CMAKE_C_COMPILER} NAME)
string(REPLACE gcc g++ twin ${compiler})
string(REPLACE clang clang++ twin ${twin})
string(REGEX REPLACE "^cc$" c++ twin ${twin})
find_program(FOVEA_CXX ${twin} HINTS ${compiler_folder})
if(NOT FOVEA_CXX)
    message(STATUS "Fovea: no kernels on the host, ${twin} is not there")
    return()
endif()
set(CMAKE_CXX_COMPILER ${FOVEA_CXX} CACHE FILEPATH "the twin of the compiler for C")
if(CMAKE_C_COMPILER_LAUNCHER AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
enable_language(CXX)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(cuda_host ${CMAKE_CURRENT_SOURCE_DIR}/support/cuda_host)
# Only the sanitizer for addresses is used: the others' libraries for C++ are not in programs of C.
set(sanitizers)
if(CMAKE_C_FLAGS MATCHES "fsanitize=[^ ]*address")
    set(sanitizers -O1 -fsanitize=address -fno-omit-frame-pointer)
endif()
# nvcc takes the sources so: types are punned, products and sums are made in one step.
set(cuda_host_flags -std=c++17 -O2 -fPIC -fno-strict-aliasing -ffp-contract=fast -Wall -Wno-unknown-pragmas
    -Wno-unused-function -Wno-pass-failed ${sanitizers})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND cuda_host_flags -mf16c -mfma)
endif()
if(FOVEA_WERROR)
    list(APPEND cuda_host_flags -Werror)
endif()
set(cuda_host_includes ${cuda_host} ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/plugin)

# fovea_emulated_kernel(<out_source> <kernel>.cu): what compiles a kernel's file for the host.
function(fovea_emulated_kernel out_source kernel)
    get_filename_component(name ${kernel} NAME_WE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/emulated)
    set(includes ${cuda_host_includes})
    list(TRANSFORM includes PREPEND -I)
    file(CONFIGURE OUTPUT ${folder}/${name}.cpp CONTENT
        "#include \"cuda_host_entries.h\"\n#include \"${kernel}\"\n#include \"${folder}/${name}_entries.h\"\n")
    add_custom_command(OUTPUT ${folder}/${name}_entries.h
        COMMAND ${CMAKE_CXX_COMPILER} ${cuda_host_flags} ${includes} -E -P -include cuda_host.h -x c++ ${kernel}
            -MD -MF ${folder}/${name}.d -MT ${folder}/${name}_entries.h -o ${folder}/${name}.i
        COMMAND ${Python3_EXECUTABLE} ${cuda_host}/cuda_host_entries.py < ${folder}/${name}.i
            > ${folder}/${name}_entries.h
        DEPENDS ${kernel} ${cuda_host}/cuda_host_entries.py DEPFILE ${folder}/${name}.d
        COMMENT "Kernels of ${name}.cu for the host")
    set_source_files_properties(${folder}/${name}.cpp PROPERTIES OBJECT_DEPENDS ${folder}/${name}_entries.h)
    set(${out_source} ${folder}/${name}.cpp PARENT_SCOPE)
endfunction()

# A library of its own: what it has of variables of a thread is shared memory. A new file of kernels comes into this list.
# Without the toolkit's headers there is no host code that launches them, and they would take half of the build.
set(emulated_kernels ${CMAKE_CURRENT_SOURCE_DIR}/emulated/core.cu)
if(TARGET fovea_cuda)
    foreach(name IN ITEMS bench_kernels lens_paper/lens_paper foveation_paper/foveation_paper blur_thesis/blur_thesis blur_thesis/blur_tables
        blur_thesis/blur_textures foveation_paper/foveation_mips lightfield_paper/lightfield_render
        lightfield_paper/lightfield_depth csdd_thesis/csdd_thesis)
        list(APPEND emulated_kernels ${CMAKE_CURRENT_SOURCE_DIR}/bench/${name}.cu)
    endforeach()
    foreach(name IN ITEMS 
        gauss/cuda/nodes/gauss_nodes gauss/cuda/nodes_wide/gauss_wide
        gauss/cuda/tiles/gauss_tiles gauss/cuda/tiles/gauss_tiles_levels
        gauss/gradient/gauss_gradient gaze/gaze gaze/late image/levels image/planes
        lens/cuda/lens lens/cuda/lens_grid blur/cuda/blur blur/cuda/blur_box blur/cuda/blur_fft dof/cuda/dof dof/cuda/dof_discs
        saliency/cuda/saliency lightfield/cuda/lightfield)
        list(APPEND emulated_kernels ${PROJECT_SOURCE_DIR}/kernels/${name}.cu)
    endforeach()
endif()
set(emulated_sources)
foreach(kernel IN LISTS emulated_kernels)
    fovea_emulated_kernel(source ${kernel})
    list(APPEND emulated_sources ${source})
endforeach()
add_library(fovea_emulated SHARED ${cuda_host}/cuda_host.cpp ${emulated_sources})
target_include_directories(fovea_emulated PRIVATE ${cuda_host_includes} INTERFACE ${cuda_host})
target_compile_options(fovea_emulated PRIVATE ${cuda_host_flags})
target_link_options(fovea_emulated PRIVATE ${sanitizers})

fovea_add_test(NAME test_emulated_core SOURCES emulated/test_emulated_core.c LINK fovea_emulated LABELS unit)

# The cuda backend whole, on a driver whose device is the host. These are no runs of a GPU, whatever their programs are
# called: those take the kernels that nvcc made, these the same sources.
if(NOT TARGET fovea_cuda)
    return()
endif()
add_library(test_emulated_driver SHARED emulated/driver.c emulated/graphs.c)
set(emulated_driver ${CMAKE_CURRENT_BINARY_DIR}/emulated_cuda)
set_target_properties(test_emulated_driver PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
    LIBRARY_OUTPUT_DIRECTORY ${emulated_driver})
target_link_libraries(test_emulated_driver PRIVATE fovea_build fovea_emulated)
target_include_directories(test_emulated_driver SYSTEM PRIVATE ${FOVEA_CUDA_INCLUDE})

# fovea_add_emulated(<name> <program of a test with the label gpu, and its arguments> [NAME=value ...]): the program
# as test_emulated_<name>, with few of its cases.
function(fovea_add_emulated name command)
    list(GET command 0 program)
    fovea_add_run(test_emulated_${name} unit 300
        "LD_LIBRARY_PATH=${emulated_driver};FOVEA_REQUIRE_GPU=1;FOVEA_TEST_QUICK=1;${ARGN}" ${command})
    # Some compute for half a minute: after those that wait as long, before all others.
    set_tests_properties(test_emulated_${name} PROPERTIES COST 50)
    add_dependencies(${program} test_emulated_driver)
endfunction()
