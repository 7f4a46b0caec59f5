# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# The search for pictures that a backend makes other things of than the cpu backend does (search/main.c).
if(NOT TARGET fovea_test_vulkan)
    return()
endif()
fovea_add_test(NAME test_search_vulkan
    SOURCES search/main.c search/point.c search/pictures.c search/context.c search/cuda.c search/frames.c
    LINK fovea_test_vulkan LABELS vulkan TIMEOUT 200
    ARGS --backend vulkan --count 40 --jobs 1 --seed commit)

fovea_add_run(test_search_cpu unit 1200 "" test_search_vulkan --backend cpu --small --count 200 --jobs 1 --seed commit)
fovea_add_run(test_search_nvidia gpu 1200 "" test_search_vulkan --backend nvidia --count 300)
if(TARGET fovea_cuda)
    fovea_add_run(test_search_cuda "gpu;memcheck" 1200 "" test_search_vulkan --backend cuda)
    if(COMMAND fovea_add_emulated)
        fovea_add_emulated(search "test_search_vulkan;--backend;cuda;--small;--count;100;--jobs;1;--seed;commit")
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
