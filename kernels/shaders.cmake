# SPDX-License-Identifier: MIT
# GLSL -> SPIR-V -> C arrays, one for each shader and pixel width.

add_library(fovea_shaders STATIC operator/shaders.c)
target_link_libraries(fovea_shaders PRIVATE fovea_build)
target_include_directories(fovea_shaders PUBLIC
    $<IF:$<BOOL:${FOVEA_KERNELS_FROM}>,${FOVEA_KERNELS_FROM}/kernels,${CMAKE_CURRENT_BINARY_DIR}>/shaders)

# Makes a shader of <name>.comp, or of another file with something defined: fovea_add_shader(<folder> <name> <file> <definition>)
function(fovea_add_shader folder name)
    if(FOVEA_KERNELS_FROM)
        return()
    endif()
    set(file ${name})
    set(definition)
    if(ARGC GREATER 2)
        set(file ${ARGV2})
        set(definition -D${ARGV3})
    endif()
    foreach(words IN ITEMS 1 4)
        set(source ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${file}.comp)
        set(include ${CMAKE_CURRENT_BINARY_DIR}/shaders/${name}_${words}.inc)
        add_custom_command(OUTPUT ${include}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/shaders
            COMMAND ${GLSLC} -O -I${PROJECT_SOURCE_DIR} -DWORDS=${words} ${definition} -mfmt=c -MD -MF ${include}.d -o ${include} ${source}
            DEPENDS ${source} DEPFILE ${include}.d VERBATIM
            COMMENT "GLSL ${name}.comp (${words})")
        target_sources(fovea_shaders PRIVATE ${include})
    endforeach()
endfunction()

fovea_add_shader(gaze gaze_latch)
fovea_add_shader(gaze gaze_reduce)
fovea_add_shader(image raw_copy)
