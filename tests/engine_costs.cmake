# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# fovea_add_engine_cost(<godot or unity>): that engine_cost_<...> runs, on a tiny picture, here and on a GPU; not how
# fast. ./run bench --engines prints what it measures.
include_guard()
function(fovea_add_engine_cost engine)
    foreach(label IN ITEMS vulkan gpu)
        set(name test_engine_cost_${engine}_${label})
        add_test(NAME ${name} COMMAND engine_cost_${engine} --quick)
        fovea_test_limit("${label}" 120 limit)
        set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${limit} SKIP_RETURN_CODE 77
            ENVIRONMENT "${fovea_test_cache}")
    endforeach()
endfunction()
