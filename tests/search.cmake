# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# The search for pictures that a backend makes other things of than the cpu backend does (search/main.c).
if(NOT TARGET fovea_test_vulkan)
    return()
endif()
fovea_add_test(NAME test_search_vulkan
    SOURCES search/main.c search/point.c search/pictures.c search/context.c search/cuda.c search/frames.c
        search/lightfields.c search/lightfield_points.c search/lightfield_compare.c search/blobs.c
        vulkan/lightfield_run_vk.c vulkan/blobs_run_vk.c
    LINK fovea_test_vulkan LABELS vulkan TIMEOUT 200
    ARGS --backend vulkan --count 40 --jobs 1 --seed commit)

fovea_add_run(test_search_cpu unit 1200 "" test_search_vulkan --backend cpu --small --count 200 --jobs 1 --seed commit)
fovea_add_run(test_search_nvidia gpu 1200 "" test_search_vulkan --backend nvidia --count 300)
# Light fields beside their definition, and blobs beside the processor's.
foreach(run IN ITEMS "cpu unit lightfields 200" "cpu unit blobs 150" "vulkan vulkan lightfields 12" "vulkan vulkan blobs 6"
        "nvidia gpu lightfields 100" "nvidia gpu blobs 100" "cuda gpu lightfields 400" "cuda gpu blobs 300")
    string(REPLACE " " ";" run ${run})
    list(GET run 0 backend)
    list(GET run 1 label)
    list(GET run 2 what)
    list(GET run 3 count)
    if(TARGET fovea_cuda OR NOT backend STREQUAL "cuda")
        fovea_add_run(test_search_${what}_${backend} ${label} 200 "" test_search_vulkan --backend ${backend} --small
            --what ${what} --count ${count} --jobs 1 --seed commit)
    endif()
endforeach()
if(TARGET fovea_cuda)
    fovea_add_run(test_search_cuda "gpu;memcheck" 1200 "" test_search_vulkan --backend cuda)
    if(COMMAND fovea_add_emulated)
        fovea_add_emulated(search "test_search_vulkan;--backend;cuda;--small;--count;100;--jobs;1;--seed;commit")
        foreach(share IN ITEMS "lightfields;100" "blobs;12")
            list(GET share 0 what)
            list(GET share 1 count)
            fovea_add_emulated(search_${what}
                "test_search_vulkan;--backend;cuda;--small;--what;${what};--count;${count};--jobs;1;--seed;commit")
        endforeach()
        # An even field took whole columns from half-way between two pixels.
        string(CONCAT field "gaze=0.9,0.1 width_px=200 height_px=210 format=1 fill=376048504 field_side=4 "
            "operators=lens foveation.light=encoded lens.filter=bilinear")
        fovea_add_emulated(search_field "test_search_vulkan;--backend;cuda;--point;${field}")
        # A batch of 128 images and more, a block each, where the row has slices of fewer beside images without a gaze.
        string(CONCAT slices "gaze=0.0576,0.7432 width_px=10 height_px=47 count=291 format=2 fill=4176762851 gazes=3059565851 field_side=5 "
            "operators=lens,foveate foveation.method=blockwise foveation.light=encoded")
        fovea_add_emulated(search_slices "test_search_vulkan;--backend;cuda;--point;${slices}")
    endif()
endif()
