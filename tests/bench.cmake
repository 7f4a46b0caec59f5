# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# fovea_bench: times of every backend. docs/benchmarks.md says what of.
add_executable(fovea_bench
    $<TARGET_OBJECTS:fovea_test_keep_loaded>
    bench/bench_cpu.c
    bench/blur_thesis/exact.c
    bench/blur_thesis/exact_worst.c
    bench/cases.c
    bench/cpu_copy.c
    bench/csdd_thesis/cpu_csdd_thesis.c
    bench/csdd_thesis/csdd_plan.c
    bench/csdd_thesis/csdd_recursive.c
    bench/csdd_thesis/csdd_sizes.c
    bench/discs.c
    bench/domain.c
    bench/domain_cpu.c
    bench/domain_report.c
    bench/lens_paper/check.c
    bench/lens_paper/cpu_lens_paper.c
    bench/lens_paper/tables.c
    bench/lightfield_cases.c
    bench/machine.c
    bench/main.c
    bench/papers/draw.c
    bench/report_json.c
    bench/report_text.c
    bench/results.c
    bench/times.c
    bench/wishes.c)
set(bench_folder ${CMAKE_CURRENT_BINARY_DIR}/bench)
target_include_directories(fovea_bench PRIVATE bench ${CMAKE_CURRENT_SOURCE_DIR} ${bench_folder})
target_link_libraries(fovea_bench PRIVATE fovea_internal fovea_build fovea_cjson m)
set_source_files_properties(bench/cpu_copy.c bench/csdd_thesis/csdd_plan.c PROPERTIES COMPILE_OPTIONS -O3)
# The bundle's copy of the Vulkan loader, so that the program starts on machines without one.
set_target_properties(fovea_bench PROPERTIES
    INSTALL_RPATH "${CMAKE_INSTALL_RPATH};$ORIGIN/../fallback")

# Looked at in every build: a commit needs no new configuration.
add_custom_target(fovea_bench_commit BYPRODUCTS ${bench_folder}/bench_commit.h
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${bench_folder}/bench_commit.h
        -P ${CMAKE_CURRENT_LIST_DIR}/bench/commit.cmake VERBATIM)
add_dependencies(fovea_bench fovea_bench_commit)

if(TARGET fovea_test_vulkan)
    target_sources(fovea_bench PRIVATE bench/bench_vulkan.c bench/blur_thesis/vulkan_fragments.c bench/blur_thesis/vulkan_thesis.c
        bench/blur_thesis/vulkan_ways.c bench/vulkan_blobs.c bench/vulkan_depth.c bench/vulkan_time.c bench/vulkan_lightfield.c)
    # The thesis's ways in GLSL, an array each: code_<name>.
    set(thesis ${CMAKE_CURRENT_SOURCE_DIR}/bench/blur_thesis)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${thesis}/vulkan_shaders.def)
    file(STRINGS ${thesis}/vulkan_shaders.def thesis_lines REGEX "^GLSL_SHADER")
    set(thesis_codes "")
    macro(bench_add_glsl name source)
        add_custom_command(OUTPUT ${bench_folder}/glsl_${name}.inc
            COMMAND ${GLSLC} -O -I${thesis}/glsl ${ARGN} -mfmt=num -o ${bench_folder}/glsl_${name}.inc ${source}
            DEPENDS ${source} ${thesis}/glsl/thesis.glsl COMMENT "GLSL ${name} of the thesis" VERBATIM)
        target_sources(fovea_bench PRIVATE ${bench_folder}/glsl_${name}.inc)
        string(APPEND thesis_codes "static const uint32_t code_${name}[] = {\n#include \"glsl_${name}.inc\"\n};\n")
    endmacro()
    bench_add_glsl(triangle ${thesis}/glsl/triangle.vert)
    foreach(line IN LISTS thesis_lines)
        string(REGEX MATCH "([A-Z_0-9]+), ([a-z_]+)" matched ${line})
        set(name ${CMAKE_MATCH_1})
        set(file ${CMAKE_MATCH_2})
        bench_add_glsl(${name} ${thesis}/glsl/${file}.comp -D${name})
        if(NOT file STREQUAL "shared")
            bench_add_glsl(fragment_${name} ${thesis}/glsl/${file}.comp -D${name} -DFRAGMENT -fshader-stage=fragment)
        endif()
    endforeach()
    file(CONFIGURE OUTPUT ${bench_folder}/vulkan_shaders.inc CONTENT "${thesis_codes}" @ONLY)
    target_compile_definitions(fovea_bench PRIVATE BENCH_VULKAN)
    target_link_libraries(fovea_bench PRIVATE fovea_test_vulkan)
endif()
if(TARGET fovea_cuda)
    target_sources(fovea_bench PRIVATE bench/bench_cuda.c bench/cuda_batch.c bench/cuda_blobs.c bench/cuda_operator.c
        bench/cuda_copy.c bench/cuda_depth.c bench/cuda_lightfield.c bench/cuda_prepare.c bench/cuda_row.c
        bench/cuda_surfaces.c bench/cuda_time.c
        bench/domain_cuda.c bench/lens_paper/cuda_lens_flat.c bench/lens_paper/cuda_lens_memory.c bench/lens_paper/cuda_lens_paper.c
        bench/lens_paper/cuda_lens_peers.c $<TARGET_OBJECTS:bench_kernels_ptx>
        bench/foveation_paper/cuda_foveation_kernel.c bench/foveation_paper/cuda_foveation_memory.c
        bench/foveation_paper/cuda_foveation_mips.c bench/foveation_paper/cuda_foveation_paper.c
        bench/foveation_paper/cuda_foveation_ssim.c bench/foveation_paper/plan.c bench/blur_thesis/convolutions.c bench/blur_thesis/cuda_blur_thesis.c
        bench/blur_thesis/diffusions.c bench/blur_thesis/pyramids.c bench/blur_thesis/tables.c
        bench/blur_thesis/thesis.c bench/blur_thesis/thesis_check.c bench/blur_thesis/transforms.c
        $<TARGET_OBJECTS:bench_blur_thesis_ptx> $<TARGET_OBJECTS:bench_blur_tables_ptx>
        $<TARGET_OBJECTS:bench_blur_textures_ptx>
        bench/csdd_thesis/cuda_csdd_thesis.c $<TARGET_OBJECTS:bench_csdd_thesis_ptx>
        bench/lightfield_paper/cuda_lightfield_paper.c bench/lightfield_paper/exact.c
        $<TARGET_OBJECTS:bench_lightfield_render_ptx> $<TARGET_OBJECTS:bench_lightfield_depth_ptx>
        bench/papers/cuda_kernel.c bench/papers/cuda_ways.c quality/metrics.c
        $<TARGET_OBJECTS:bench_foveation_paper_ptx> $<TARGET_OBJECTS:bench_foveation_mips_ptx>
        $<TARGET_OBJECTS:bench_lens_paper_ptx> $<TARGET_OBJECTS:bench_lens_peers_ptx>)
    target_compile_definitions(fovea_bench PRIVATE BENCH_CUDA)
endif()

# bench_add_test(<backend> <label>): that it runs, on a tiny picture; not how fast. test_bench.py looks at
# what it writes.
function(bench_add_test backend label)
    fovea_add_run(test_bench_${backend} ${label} 120 "" fovea_bench --quick --backend ${backend})
endfunction()
bench_add_test(cpu unit)
if(TARGET fovea_test_vulkan)
    bench_add_test(vulkan vulkan)
    # Each way's picture against double precision; nothing is timed.
    fovea_add_run(test_bench_vulkan_blur-thesis vulkan 120 "" fovea_bench --quick --check --backend vulkan --blur-thesis)
endif()
if(TARGET fovea_cuda)
    bench_add_test(cuda gpu)
    set_tests_properties(test_bench_cuda PROPERTIES RUN_SERIAL ON)
    add_executable(fovea_calls bench/calls.c)
    target_link_libraries(fovea_calls PRIVATE fovea_internal fovea_build)
    fovea_add_run(test_bench_calls gpu 120 "" fovea_calls --quick)
    if(COMMAND fovea_add_emulated)
        fovea_add_emulated(calls "fovea_calls;--dry")
        # Each way's picture against double precision; nothing is timed.
        foreach(name IN ITEMS lens-paper foveation-paper blur-thesis lightfield-paper csdd-thesis)
            fovea_add_emulated(bench_${name} "fovea_bench;--quick;--check;--backend;cuda;--${name}")
        endforeach()
    endif()
endif()
