# SPDX-License-Identifier: MIT
# The cuda backend: the driver API, loaded at run time, and the operators' kernels as one fatbin each.
# Only nvcc and the headers are needed; nothing is linked. Host code stays plain C, hence no
# enable_language(CUDA). Where the toolkit is missing there is no target fovea_cuda, and
# FOVEA_HAVE_CUDA is 0.

include(${CMAKE_CURRENT_LIST_DIR}/cuda_architectures.cmake)
set(FOVEA_HAVE_CUDA 0)
fovea_cuda_is_wanted(cuda_is_wanted)
if(cuda_is_wanted)
    find_program(FOVEA_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda
        PATH_SUFFIXES bin)
    if(FOVEA_NVCC)
        get_filename_component(nvcc_real ${FOVEA_NVCC} REALPATH)
        get_filename_component(nvcc_bin ${nvcc_real} DIRECTORY)
    endif()
    find_path(FOVEA_CUDA_INCLUDE cudaTypedefs.h
        HINTS ${nvcc_bin}/../include ${nvcc_bin}/../targets/x86_64-linux/include
        ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES include)
    if(NOT FOVEA_NVCC OR NOT FOVEA_CUDA_INCLUDE)
        message(STATUS "Fovea: no CUDA toolkit; building without the cuda backend")
    else()
        file(STRINGS ${FOVEA_CUDA_INCLUDE}/cuda.h version REGEX "^#define CUDA_VERSION [0-9]+")
        string(REGEX MATCH "[0-9]+$" version "${version}")
        if(version GREATER_EQUAL 12040)
            set(FOVEA_HAVE_CUDA 1)
        else()
            message(STATUS "Fovea: no CUDA toolkit of version 12.4 or later; building without the"
                " cuda backend")
        endif()
    endif()
endif()
target_compile_definitions(fovea_build INTERFACE FOVEA_HAVE_CUDA=${FOVEA_HAVE_CUDA})
if(NOT FOVEA_HAVE_CUDA)
    return()
endif()

# Machine code for every architecture, and the newest PTX for those to come. Most of nvcc's time goes into PTX, and where
# no code asks for more (tests/test_sources.py), that of 100 and 120 is the same but for its name: each architecture
# takes the newest one of the list.
# FOVEA_CUDA_ARCHITECTURES=check makes PTX alone, hardly optimised: it proves in seconds that the kernels compile.
execute_process(COMMAND ${FOVEA_NVCC} --list-gpu-arch OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9]+" known "${known}")
list(SORT known COMPARE NATURAL)
if(FOVEA_CUDA_ARCHITECTURES STREQUAL "check")
    set(architectures 90)
    message(STATUS "Fovea: CUDA kernels are compiled as a check; build for a GPU to run them")
else()
    fovea_cuda_architectures(architectures ${known})
endif()
set(gencode)
foreach(architecture IN LISTS architectures)
    set(ptx ${architecture})
    foreach(older 75 80 90 100)
        if(older LESS_EQUAL architecture AND older IN_LIST known)
            set(ptx ${older})
        endif()
    endforeach()
    if(NOT FOVEA_CUDA_ARCHITECTURES STREQUAL "check")
        list(APPEND gencode -gencode arch=compute_${ptx},code=sm_${architecture})
    endif()
endforeach()
list(APPEND gencode -gencode arch=compute_${ptx},code=compute_${ptx})

# Threads make a file's PTX at once, which ends the build sooner where there are more cores than files.
set(nvcc_flags -std=c++17 -O3 -Xfatbin -compress-all --threads 3)
if(FOVEA_CUDA_ARCHITECTURES STREQUAL "check")
    set(nvcc_flags -std=c++17 -Ofc max)
endif()
if(FOVEA_WERROR)
    list(APPEND nvcc_flags -Werror all-warnings)
endif()

# Makes <file>.fatbin, and <file>_fatbin.c, which puts it into a program: fovea_add_fatbin(<kernel>.cu <file>.fatbin <flags>...)
set(FOVEA_CUDA_KERNELS ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "for tests too")
set(FOVEA_NVCC_FLAGS ${nvcc_flags} CACHE INTERNAL "")
set(FOVEA_NVCC_KNOWS ${known} CACHE INTERNAL "")
function(fovea_add_fatbin kernel fatbin)
    get_filename_component(name ${fatbin} NAME_WE)
    get_filename_component(folder ${fatbin} DIRECTORY)
    file(CONFIGURE OUTPUT ${folder}/${name}_fatbin.c CONTENT "#include \"kernels/cuda/embed.h\"\nCUDA_EMBED(${name});\n")
    set_source_files_properties(${folder}/${name}_fatbin.c PROPERTIES OBJECT_DEPENDS ${fatbin}
        COMPILE_DEFINITIONS CUDA_FATBINS="${folder}")
    if(FOVEA_KERNELS_FROM)
        file(RELATIVE_PATH made ${CMAKE_BINARY_DIR} ${fatbin})
        cmake_path(ABSOLUTE_PATH made BASE_DIRECTORY ${FOVEA_KERNELS_FROM})
        add_custom_command(OUTPUT ${fatbin} COMMAND ${CMAKE_COMMAND} -E copy ${made} ${fatbin}
            DEPENDS ${made} VERBATIM COMMENT "CUDA ${name}.cu, of another build")
        return()
    endif()
    add_custom_command(OUTPUT ${fatbin}
        COMMAND ${FOVEA_NVCC} -fatbin ${FOVEA_NVCC_FLAGS} ${ARGN} -I${PROJECT_SOURCE_DIR}/plugin
            -I${PROJECT_SOURCE_DIR} -MD -MF ${fatbin}.d -MT ${fatbin} -o ${fatbin} ${kernel}
        DEPENDS ${kernel} DEPFILE ${fatbin}.d VERBATIM
        COMMENT "CUDA ${name}.cu")
endfunction()

# Those that take longest come first.
set(FOVEA_FATBINS
    gauss/cuda/tiles/gauss_tiles
    gauss/cuda/nodes/gauss_nodes
    gauss/cuda/nodes_wide/gauss_wide
    gauss/cuda/tiles/gauss_tiles_levels
    gauss/gradient/gauss_gradient
    lens/cuda/lens
    lens/cuda/lens_grid
    blur/cuda/blur
    blur/cuda/blur_box
    blur/cuda/blur_fft
    dof/cuda/dof
    dof/cuda/dof_discs
    saliency/cuda/saliency
    lightfield/cuda/lightfield
    gaze/late
    gaze/gaze
    image/levels
    image/planes CACHE INTERNAL "")
set(fatbins)
foreach(kernel IN LISTS FOVEA_FATBINS)
    get_filename_component(name ${kernel} NAME)
    set(architecture_flags ${gencode})
    # In nodes and nodes_wide sigmas and tangents may be off by a millionth, in blur flows may.
    if(kernel MATCHES "cuda/(nodes|blur$)")
        list(APPEND architecture_flags -prec-div=false -prec-sqrt=false)
    endif()
    if(name MATCHES "nodes") # whose samples are halves
        list(APPEND architecture_flags -ftz=true)
    endif()
    fovea_add_fatbin(${FOVEA_CUDA_KERNELS}/${kernel}.cu ${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin
        ${architecture_flags})
    list(APPEND fatbins ${CMAKE_CURRENT_BINARY_DIR}/${name}_fatbin.c)
endforeach()

set(sources)
fovea_list(sources blur/cuda blur_box_cuda blur_cuda blur_fft_cuda blur_fft_plan blur_run transform)
fovea_list(sources cuda cuda_block cuda_capture cuda_device cuda_driver cuda_kernels cuda_memory cuda_uses)
fovea_list(sources dof/cuda discs dof_cuda run)
fovea_list(sources gauss/cuda gauss_cuda run ways)
fovea_list(sources gauss/cuda/nodes nodes plan)
fovea_list(sources gauss/cuda/nodes_wide plan wide)
fovea_list(sources gauss/cuda/tiles list plan tiles)
fovea_list(sources gauss/gradient gradient_cuda launch)
fovea_list(sources gaze gaze_cuda late_cuda)
fovea_list(sources image pack_cuda)
fovea_list(sources lens/cuda lens_cuda)
fovea_list(sources lightfield/cuda arguments lightfield_cuda match run tile)
fovea_list(sources operator operator_cuda_base)
fovea_list(sources saliency/cuda memory run saliency_cuda)
add_library(fovea_cuda STATIC ${fatbins} ${sources})
target_include_directories(fovea_cuda SYSTEM PUBLIC ${FOVEA_CUDA_INCLUDE})
target_link_libraries(fovea_cuda PRIVATE fovea_build fovea_stack PUBLIC fovea_kernels Threads::Threads
    ${CMAKE_DL_LIBS})
