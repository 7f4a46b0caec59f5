# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# Pictures and comparisons, for the tests of every backend.
add_library(fovea_test_images STATIC support/images.c support/compare.c
    support/sheet.c)
target_include_directories(fovea_test_images PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/support)
target_link_libraries(fovea_test_images PUBLIC fovea_kernels PRIVATE fovea_build PkgConfig::CMOCKA)

add_library(fovea_test_foveate STATIC test_foveate_support.c)
target_link_libraries(fovea_test_foveate PUBLIC fovea_test_images fovea_config
    PRIVATE fovea_build PkgConfig::CMOCKA)

foreach(topic IN ITEMS cpu grid memory pixel plan properties)
    fovea_add_test(NAME test_foveate_${topic} SOURCES test_foveate_${topic}.c
        LINK fovea_test_foveate LABELS unit)
endforeach()
if(TARGET fovea_kernels_avx2)
    target_compile_definitions(test_foveate_cpu PRIVATE GAUSS_CPU_HAVE_AVX2)
endif()
target_sources(test_foveate_memory PRIVATE support/failing.c)
target_link_options(test_foveate_memory PRIVATE
    -Wl,--wrap=malloc,--wrap=calloc,--wrap=mmap,--wrap=pthread_create)

foreach(topic IN ITEMS ladder law levels light)
    fovea_add_test(NAME test_smooth_${topic} SOURCES test_smooth_${topic}.c
        LINK fovea_test_foveate LABELS unit)
endforeach()

fovea_add_test(NAME test_thread_steps SOURCES test_thread_steps.c support/process_counts.c LINK fovea_test_foveate LABELS unit)
fovea_add_test(NAME test_json_decimal SOURCES test_json_decimal.c LINK fovea_internal LABELS unit)
foreach(topic IN ITEMS depth display)
    fovea_add_test(NAME test_light_${topic} SOURCES test_light_${topic}.c LINK fovea_test_foveate
        LABELS unit TIMEOUT 600)
endforeach()

fovea_add_test(NAME test_map_law SOURCES test_map_law.c LINK fovea_test_foveate LABELS unit)

add_library(fovea_test_context OBJECT test_context_support.c)
target_link_libraries(fovea_test_context PRIVATE fovea_test_images fovea_context_objects fovea_build PkgConfig::CMOCKA)

foreach(topic IN ITEMS arguments batch levels memory row run)
    fovea_add_test(NAME test_context_${topic}
        SOURCES test_context_${topic}.c $<TARGET_OBJECTS:fovea_test_context> $<TARGET_OBJECTS:fovea_context_objects>
        LINK fovea_test_images fovea_context_objects LABELS unit)
endforeach()
fovea_add_test(NAME test_context_unload SOURCES test_context_unload.c LINK fovea_test_images ${CMAKE_DL_LIBS} LABELS unit)
target_compile_definitions(test_context_unload PRIVATE FOVEA_LIBRARY="$<TARGET_FILE:fovea>")
add_dependencies(test_context_unload fovea)
fovea_add_test(NAME test_map_store
    SOURCES test_map_store.c $<TARGET_OBJECTS:fovea_test_context> support/png_file.c support/process_counts.c
        $<TARGET_OBJECTS:fovea_context_objects>
    LINK fovea_test_images fovea_context_objects LABELS unit)
target_link_options(test_map_store PRIVATE -Wl,--wrap=open,--wrap=read)
fovea_add_test(NAME test_context_map
    SOURCES test_context_map.c $<TARGET_OBJECTS:fovea_test_context> support/png_file.c
        $<TARGET_OBJECTS:fovea_context_objects>
    LINK fovea_test_images fovea_context_objects LABELS unit)
fovea_add_test(NAME test_models_claims
    SOURCES test_models_claims.c $<TARGET_OBJECTS:fovea_test_context> $<TARGET_OBJECTS:fovea_context_objects>
    LINK fovea_test_images fovea_context_objects LABELS unit)
target_sources(test_context_memory PRIVATE support/failing.c support/process_counts.c)
target_link_options(test_context_memory PRIVATE -Wl,--wrap=malloc,--wrap=calloc,--wrap=mmap)

fovea_add_fuzz(NAME fuzz_map_png SOURCES fuzz/fuzz_map_png.c LINK fovea_kernels)
fovea_add_fuzz(NAME fuzz_blobs SOURCES fuzz/fuzz_blobs.c LINK fovea_internal)
fovea_add_fuzz(NAME fuzz_blur_table SOURCES fuzz/fuzz_blur_table.c LINK fovea_kernels)

# test_operators_exact, test_cuda_operators, test_context_operators and test_frame_operators try these: a new operator's
# file of scenes comes into this list.
add_library(fovea_test_operators STATIC operators/scene.c operators/foveate_scenes.c operators/blur_scenes.c
    operators/lens_scenes.c operators/dof_scenes.c operators/scene_depths.c)
target_include_directories(fovea_test_operators PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(fovea_test_operators PUBLIC fovea_test_images fovea_operators fovea_config
    PRIVATE fovea_build PkgConfig::CMOCKA)
fovea_add_test(NAME test_operators_exact SOURCES test_operators_exact.c
    LINK fovea_test_operators LABELS unit)
fovea_add_test(NAME test_blur_engines SOURCES test_blur_engines.c
    LINK fovea_test_operators LABELS unit)
foreach(name IN ITEMS operators lens sigmas depth)
    fovea_add_test(NAME test_context_${name}
        SOURCES test_context_${name}.c $<TARGET_OBJECTS:fovea_test_context> $<TARGET_OBJECTS:fovea_context_objects>
        LINK fovea_test_operators fovea_context_objects LABELS unit)
endforeach()

fovea_add_test(NAME test_blobs SOURCES test_blobs.c bench/csdd_thesis/csdd_recursive.c LINK fovea_internal LABELS unit)
fovea_add_test(NAME test_blobs_photograph SOURCES test_blobs_photograph.c LINK fovea_kernels LABELS unit TIMEOUT 600)
fovea_add_test(NAME test_blobs_found SOURCES test_blobs_found.c LINK fovea_internal LABELS unit)
if(TARGET fovea_saliency_avx2)
    target_compile_definitions(test_blobs PRIVATE SALIENCY_HAVE_AVX2)
endif()
fovea_add_test(NAME test_lightfield SOURCES test_lightfield.c support/lightfield_scene.c LINK fovea_internal LABELS unit)
fovea_add_test(NAME test_lightfield_calibrate SOURCES test_lightfield_calibrate.c LINK fovea_internal LABELS unit)
fovea_add_test(NAME test_lightfield_refused SOURCES test_lightfield_refused.c LINK fovea_internal LABELS unit)
fovea_add_test(NAME test_lightfield_scenes SOURCES test_lightfield_scenes.c support/lightfield_scene.c LINK fovea_internal LABELS unit)
fovea_add_fuzz(NAME fuzz_lightfield SOURCES fuzz/fuzz_lightfield.c quality/raw_tiff.c LINK fovea_kernels)
fovea_add_test(NAME test_dof_optics SOURCES test_dof_optics.c LINK fovea_operators fovea_config LABELS unit)
fovea_add_test(NAME test_lens_exact SOURCES test_lens_exact.c
    LINK fovea_test_operators LABELS unit)
fovea_add_test(NAME test_papers SOURCES test_papers.c bench/blur_thesis/exact.c bench/csdd_thesis/csdd_plan.c bench/csdd_thesis/csdd_recursive.c bench/foveation_paper/plan.c
    LINK fovea_kernels m LABELS unit)
fovea_add_test(NAME test_lens_paper SOURCES test_lens_paper.c bench/lens_paper/tables.c
    LINK fovea_test_operators LABELS unit)
foreach(topic IN ITEMS calibration headsets)
    fovea_add_test(NAME test_lens_${topic} SOURCES test_lens_${topic}.c test_lens_places.c
        LINK fovea_operators fovea_config fovea_test_images LABELS unit)
endforeach()
fovea_add_fuzz(NAME fuzz_lens_calibration SOURCES fuzz/fuzz_lens_calibration.c LINK fovea_kernels)
fovea_add_test(NAME test_lens_zone SOURCES test_lens_zone.c
    LINK fovea_operators fovea_config fovea_test_images LABELS unit)

foreach(topic IN ITEMS batch exact)
    fovea_add_test(NAME test_gradient_${topic}
        SOURCES test_gradient_${topic}.c test_gradient_support.c $<TARGET_OBJECTS:fovea_test_context>
            $<TARGET_OBJECTS:fovea_context_objects>
        LINK fovea_test_foveate fovea_context_objects LABELS unit TIMEOUT 240)
endforeach()
