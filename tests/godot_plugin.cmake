# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

# Godot's extension without a Godot: what its shaders declare, what it refuses. tests/godot/ has a host for the rest.
fovea_add_test(NAME test_godot_shaders SOURCES test_godot_shaders.c
    LINK fovea_godot_objects fovea_internal LABELS unit)
fovea_add_test(NAME test_godot_load SOURCES test_godot_load.c LINK ${CMAKE_DL_LIBS} LABELS unit)
target_compile_definitions(test_godot_load PRIVATE FOVEA_GODOT="$<TARGET_FILE:fovea_godot>")
add_dependencies(test_godot_load fovea_godot)

# The class reference, for tests/test_godot_addon.py.
add_executable(godot_help godot_help.c)
target_link_libraries(godot_help PRIVATE fovea_godot_objects fovea_internal fovea_build m)

if(TARGET fovea_test_godot)
    fovea_add_test(NAME test_godot_effect SOURCES godot/test_godot_effect.c
        LINK fovea_test_godot fovea_test_foveate fovea_internal LABELS vulkan)
    target_compile_definitions(test_godot_effect PRIVATE FOVEA_GODOT="$<TARGET_FILE:fovea_godot>")
    add_dependencies(test_godot_effect fovea_godot)
    add_executable(godot_picture godot/godot_picture.c)
    target_link_libraries(godot_picture PRIVATE fovea_test_godot fovea_build)
    target_compile_definitions(godot_picture PRIVATE FOVEA_GODOT="$<TARGET_FILE:fovea_godot>")
    add_dependencies(godot_picture fovea_godot)
    fovea_add_test(NAME test_godot_frames SOURCES godot/test_godot_frames.c godot/test_godot_depth.c
        LINK fovea_test_godot fovea_test_operators LABELS vulkan)
    target_compile_definitions(test_godot_frames PRIVATE FOVEA_GODOT="$<TARGET_FILE:fovea_godot>")
    add_dependencies(test_godot_frames fovea_godot)
    fovea_add_test(NAME test_godot_lives SOURCES godot/test_godot_lives.c LINK fovea_test_godot LABELS vulkan)
    target_compile_definitions(test_godot_lives PRIVATE FOVEA_GODOT="$<TARGET_FILE:fovea_godot>")
    set_target_properties(test_godot_lives PROPERTIES ENABLE_EXPORTS ON) # its clock is the extension's
    add_dependencies(test_godot_lives fovea_godot)
    # The extension is a part of the program.
    fovea_add_test(NAME test_godot_pipelines SOURCES godot/test_godot_pipelines.c
        LINK fovea_test_godot fovea_godot_objects fovea_internal LABELS vulkan)
    set_target_properties(test_godot_pipelines PROPERTIES ENABLE_EXPORTS ON)

    # ./run bench --engines. The extension is found beside the program's libraries, as in a bundle.
    include(engine_costs.cmake)
    add_executable(engine_cost_godot engines/cost_godot.c engines/costs.c $<TARGET_OBJECTS:fovea_test_keep_loaded>)
    target_link_libraries(engine_cost_godot PRIVATE fovea_test_godot fovea_build)
    set_target_properties(engine_cost_godot PROPERTIES BUILD_RPATH ${CMAKE_BINARY_DIR}/plugin/godot)
    add_dependencies(engine_cost_godot fovea_godot)
    fovea_add_engine_cost(godot)
endif()
