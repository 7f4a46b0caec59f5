# SPDX-License-Identifier: MIT
# GLSL -> SPIR-V -> C arrays, one for each operator and pixel width.

add_library(fovea_shaders STATIC ${CMAKE_CURRENT_LIST_DIR}/shaders.c)
target_link_libraries(fovea_shaders PRIVATE fovea_build)

function(fovea_add_shader folder name)
    foreach(words IN ITEMS 1 4)
        set(source ${CMAKE_CURRENT_LIST_DIR}/${folder}/${name}.comp)
        set(include ${CMAKE_CURRENT_BINARY_DIR}/shaders/${name}_${words}.inc)
        add_custom_command(OUTPUT ${include}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/shaders
            COMMAND ${GLSLC} -O -I${PROJECT_SOURCE_DIR} -DWORDS=${words} -mfmt=c -MD -MF ${include}.d -o ${include} ${source}
            DEPENDS ${source} DEPFILE ${include}.d VERBATIM
            COMMENT "GLSL ${name}.comp (${words})")
        target_sources(fovea_shaders PRIVATE ${include})
    endforeach()
endfunction()

fovea_add_shader(foveate/glsl foveate)
fovea_add_shader(foveate/glsl blockwise_levels)
fovea_add_shader(foveate/glsl smooth_level)
fovea_add_shader(foveate/glsl smooth_levels)
fovea_add_shader(foveate/glsl smooth_nodes)
fovea_add_shader(foveate/glsl smooth_tile_kinds)
fovea_add_shader(foveate/glsl smooth_tile_near)
fovea_add_shader(foveate/glsl smooth_tile_far)
fovea_add_shader(gaze gaze_latch)
fovea_add_shader(image raw_copy)
fovea_add_shader(overlay overlay)
target_include_directories(fovea_shaders PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/shaders)
