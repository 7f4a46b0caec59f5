# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# The cuda backend. Label gpu: a real device; label kernel: what runs under compute-sanitizer too.
# The others run everywhere, with no driver or with one that only keeps books.
if(NOT TARGET fovea_cuda)
    return()
endif()

add_library(test_fake_cuda SHARED gpu/fake_cuda.c)
set_target_properties(test_fake_cuda PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_cuda)
target_link_libraries(test_fake_cuda PRIVATE fovea_build)
target_include_directories(test_fake_cuda SYSTEM PRIVATE ${FOVEA_CUDA_INCLUDE})
set(fake_cuda ${CMAKE_CURRENT_BINARY_DIR}/fake_cuda)

fovea_add_test(NAME test_cuda_driver SOURCES gpu/test_cuda_driver.c LINK fovea_internal LABELS unit)
target_compile_definitions(test_cuda_driver PRIVATE FAKE_CUDA="${fake_cuda}/libcuda.so.1")
add_dependencies(test_cuda_driver test_fake_cuda)

# rig_of_NAME: what several of them share.
set(rig_of_test_cuda_peer gpu/peer_rig.c)
set(rig_of_test_cuda_peer_jobs gpu/peer_rig.c)
set(rig_of_test_cuda_lost gpu/peer_rig.c)
set(rig_of_test_cuda_context gpu/context_rig.c)
set(rig_of_test_cuda_context_batch gpu/context_rig.c)
set(rig_of_test_cuda_context_capture gpu/context_rig.c)
foreach(name IN ITEMS test_cuda_code test_cuda_lost test_cuda_peer test_cuda_peer_jobs test_cuda_context
    test_cuda_context_batch test_cuda_context_capture)
    fovea_add_test(NAME ${name} SOURCES gpu/${name}.c gpu/fake_cuda_control.c ${rig_of_${name}}
        LINK fovea_internal LABELS unit ENV LD_LIBRARY_PATH=${fake_cuda})
    add_dependencies(${name} test_fake_cuda)
endforeach()

fovea_add_test(NAME test_cuda_tile_list SOURCES gpu/test_cuda_tile_list.c LINK fovea_internal LABELS unit)

# The device, and scenes on it.
add_library(fovea_test_cuda STATIC EXCLUDE_FROM_ALL gpu/cuda_fixture.c gpu/cuda_scene.c)
target_include_directories(fovea_test_cuda PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(fovea_test_cuda PUBLIC fovea_internal fovea_test_images PRIVATE fovea_build PkgConfig::CMOCKA)
fovea_add_test(NAME test_cuda_foveate SOURCES gpu/test_cuda_foveate.c
    LINK fovea_test_operators fovea_test_cuda LABELS gpu TIMEOUT 400 PARTS 5)
fovea_add_test(NAME test_cuda_row SOURCES gpu/test_cuda_row.c
    LINK fovea_test_cuda LABELS gpu TIMEOUT 120)
fovea_add_test(NAME test_cuda_memory SOURCES gpu/test_cuda_memory.c
    LINK fovea_test_cuda LABELS gpu)
set_tests_properties(test_cuda_memory PROPERTIES RUN_SERIAL ON)
fovea_add_test(NAME test_cuda_batch SOURCES gpu/test_cuda_batch.c
    LINK fovea_test_cuda LABELS gpu TIMEOUT 240)
fovea_add_test(NAME test_cuda_capture SOURCES gpu/test_cuda_capture.c
    LINK fovea_test_cuda LABELS gpu TIMEOUT 240)
foreach(name IN ITEMS operators lens depth)
    fovea_add_test(NAME test_cuda_${name} SOURCES gpu/test_cuda_${name}.c gpu/operator_rig.c
        LINK fovea_test_operators fovea_test_cuda LABELS gpu kernel TIMEOUT 400)
endforeach()
# fovea_add_ptx(<name> <kernel>.cu <header>...): the object library <name>_ptx with the PTX of a comparison's kernels, of
# which the driver compiles one for every device.
function(fovea_add_ptx name kernel)
    set(optimised -O3)
    if(FOVEA_CUDA_ARCHITECTURES STREQUAL "check")
        set(optimised -Ofc max)
    endif()
    set(ptx ${CMAKE_CURRENT_BINARY_DIR}/ptx/${name}.ptx)
    if(FOVEA_KERNELS_FROM)
        set(ptx ${FOVEA_KERNELS_FROM}/tests/ptx/${name}.ptx)
    else()
        file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/ptx)
        add_custom_command(OUTPUT ${ptx}
            COMMAND ${FOVEA_NVCC} -ptx -std=c++17 ${optimised} -arch=compute_75 -I${PROJECT_SOURCE_DIR} -o ${ptx}
                ${CMAKE_CURRENT_LIST_DIR}/${kernel}
            DEPENDS ${kernel} ${ARGN} VERBATIM COMMENT "CUDA ${name}")
    endif()
    configure_file(bench/ptx.c.in ptx/${name}.c @ONLY)
    add_library(${name}_ptx OBJECT ${CMAKE_CURRENT_BINARY_DIR}/ptx/${name}.c)
    set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/ptx/${name}.c PROPERTIES OBJECT_DEPENDS ${ptx})
    target_link_libraries(${name}_ptx PRIVATE fovea_build)
endfunction()
fovea_add_ptx(bench_kernels bench/bench_kernels.cu bench/bench_copy.h)
fovea_add_ptx(bench_lens_paper bench/lens_paper/lens_paper.cu bench/lens_paper/lens_paper.h)
fovea_add_ptx(bench_foveation_paper bench/foveation_paper/foveation_paper.cu bench/foveation_paper/foveation_paper.h)
fovea_add_ptx(bench_foveation_mips bench/foveation_paper/foveation_mips.cu bench/foveation_paper/foveation_mips.h)
foreach(name IN ITEMS blur_thesis blur_tables)
    fovea_add_ptx(bench_${name} bench/blur_thesis/${name}.cu bench/blur_thesis/blur_pixels.cuh bench/blur_thesis/blur_thesis.h)
endforeach()
fovea_add_ptx(bench_blur_textures bench/blur_thesis/blur_textures.cu bench/blur_thesis/blur_thesis.h)
foreach(name IN ITEMS render depth)
    fovea_add_ptx(bench_lightfield_${name} bench/lightfield_paper/lightfield_${name}.cu
        bench/lightfield_paper/lightfield_pixels.cuh bench/lightfield_paper/lightfield_paper.h)
endforeach()
fovea_add_ptx(bench_csdd_thesis bench/csdd_thesis/csdd_thesis.cu bench/csdd_thesis/csdd_thesis.h)
fovea_add_ptx(bench_lens_peers bench/lens_paper/lens_peers.cu bench/lens_paper/lens_peers.h)
fovea_add_test(NAME test_cuda_gradient SOURCES gpu/test_cuda_gradient.c
    LINK fovea_test_cuda LABELS gpu kernel TIMEOUT 240)
fovea_add_test(NAME test_cuda_blobs SOURCES gpu/test_cuda_blobs.c
    LINK fovea_test_cuda LABELS gpu kernel TIMEOUT 240)
foreach(name IN ITEMS blobs blobs_found)
    fovea_add_run(test_${name}_on_cuda gpu 120 FOVEA_TEST_BLOBS_CUDA=1 test_${name})
endforeach()
foreach(name IN ITEMS lightfield lightfield_scenes)
    fovea_add_run(test_${name}_on_cuda gpu 120 FOVEA_TEST_LIGHTFIELD_CUDA=1 test_${name})
endforeach()
fovea_add_test(NAME test_cuda_images SOURCES gpu/test_cuda_images.c
    LINK fovea_test_cuda LABELS gpu)
# The example is linked with -lcuda, without which a test must start, to be skipped: as a library it looks for the
# driver's functions when it first calls them.
add_library(test_minimal_cuda SHARED ${PROJECT_SOURCE_DIR}/docs/examples/minimal_cuda.c)
set_target_properties(test_minimal_cuda PROPERTIES C_VISIBILITY_PRESET default)
set_source_files_properties(${PROJECT_SOURCE_DIR}/docs/examples/minimal_cuda.c PROPERTIES
    COMPILE_DEFINITIONS main=minimal_cuda COMPILE_OPTIONS -Wno-missing-prototypes)
target_include_directories(test_minimal_cuda SYSTEM PRIVATE ${FOVEA_CUDA_INCLUDE})
target_link_libraries(test_minimal_cuda PRIVATE fovea_build fovea)
target_link_options(test_minimal_cuda PRIVATE -Wl,-z,lazy)
fovea_add_test(NAME test_cuda_example SOURCES gpu/test_cuda_example.c
    LINK test_minimal_cuda fovea_test_cuda LABELS gpu)
target_link_options(test_cuda_example PRIVATE -Wl,--allow-shlib-undefined -Wl,-z,lazy)
fovea_add_test(NAME test_cuda_kernels
    SOURCES gpu/test_cuda_kernels.c
    LINK fovea_test_cuda LABELS gpu kernel TIMEOUT 120)
# The same from PTX of 7.5 and nothing else, which any later card runs too: what the card can do and what this code
# can do are two things (cuda_device_architecture_of). A build that only checks kernels goes without.
if("75" IN_LIST FOVEA_NVCC_KNOWS AND NOT FOVEA_CUDA_ARCHITECTURES STREQUAL "check")
    set(ptx75 ${CMAKE_CURRENT_BINARY_DIR}/ptx75)
    file(MAKE_DIRECTORY ${ptx75})
    set(ptx75_fatbins)
    set(ptx75_kernels ${FOVEA_FATBINS})
    list(FILTER ptx75_kernels INCLUDE REGEX "^(gauss/cuda|gaze)/")
    foreach(kernel IN LISTS ptx75_kernels)
        get_filename_component(name ${kernel} NAME)
        fovea_add_fatbin(${FOVEA_CUDA_KERNELS}/${kernel}.cu ${ptx75}/${name}.fatbin
            -gencode arch=compute_75,code=compute_75)
        list(APPEND ptx75_fatbins ${ptx75}/${name}_fatbin.c)
    endforeach()
    # A program does not take from the library what it has itself.
    add_library(test_cuda_ptx75_fatbins OBJECT ${ptx75_fatbins})
    target_link_libraries(test_cuda_ptx75_fatbins PRIVATE fovea_build)
    fovea_add_test(NAME test_cuda_ptx75
        SOURCES gpu/test_cuda_ptx75.c
            $<TARGET_OBJECTS:test_cuda_ptx75_fatbins>
        LINK fovea_test_cuda LABELS gpu TIMEOUT 400)
    fovea_add_test(NAME test_cuda_ptx75_batch
        SOURCES gpu/test_cuda_batch.c $<TARGET_OBJECTS:test_cuda_ptx75_fatbins>
        LINK fovea_test_cuda LABELS gpu TIMEOUT 400)
endif()

# Label gpus: needs two, and may be skipped where there is one.
fovea_add_test(NAME test_cuda_gpus SOURCES gpu/test_cuda_gpus.c
    LINK fovea_internal fovea_test_images LABELS gpu gpus)

# The same programs without a GPU, a few cases each (emulated.cmake). Sanitizers slow them down several times: they get the
# one that runs every kernel.
if(COMMAND fovea_add_emulated)
    set(emulated kernels blobs images example lens depth gradient row capture)
    if(NOT CMAKE_C_FLAGS MATCHES "fsanitize")
        list(APPEND emulated foveate)
    endif()
    foreach(name IN LISTS emulated)
        fovea_add_emulated(${name} test_cuda_${name})
    endforeach()
    # A minute of them: each commit has a part.
    foreach(part RANGE 1 5)
        fovea_add_emulated(operators_${part} test_cuda_operators FOVEA_TEST_PART=${part}/5)
    endforeach()
    foreach(name IN ITEMS blobs blobs_found)
        fovea_add_emulated(${name}_on_cuda test_${name} FOVEA_TEST_BLOBS_CUDA=1)
    endforeach()
    foreach(name IN ITEMS lightfield lightfield_scenes)
        fovea_add_emulated(${name}_on_cuda test_${name} FOVEA_TEST_LIGHTFIELD_CUDA=1)
    endforeach()
endif()
