# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# fovea_add_engine_cost(<godot or unity>): that engine_cost_<...> runs, on a tiny picture, here and on a GPU; not how
# fast. ./run bench --engines prints what it measures.
include_guard()
function(fovea_add_engine_cost engine)
    foreach(label IN ITEMS vulkan gpu)
        set(needs)
        if(label STREQUAL "gpu")
            set(needs gpu)
        endif()
        fovea_add_run(test_engine_cost_${engine}_${label} ${label} 120 "" engine_cost_${engine} --quick ${needs})
    endforeach()
endfunction()
