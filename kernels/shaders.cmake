# SPDX-License-Identifier: MIT
# GLSL -> SPIR-V -> C arrays, one for each shader and pixel width, and a struct shader of them.

add_library(fovea_shaders STATIC operator/shaders.c)
target_link_libraries(fovea_shaders PRIVATE fovea_build)
target_include_directories(fovea_shaders PRIVATE
    $<IF:$<BOOL:${FOVEA_KERNELS_FROM}>,${FOVEA_KERNELS_FROM}/kernels,${CMAKE_CURRENT_BINARY_DIR}>/shaders)

# Makes struct shader <symbol> of <name>.comp, or of another file with something defined. WORDS: its code is the same for pixels
# of one word and of four. fovea_add_shader(<folder> <name> <symbol> [WORDS <1 or 4>] [OF <file>] [DEFINE <definition>])
function(fovea_add_shader folder name symbol)
    cmake_parse_arguments(PARSE_ARGV 3 own "" "WORDS;OF;DEFINE" "")
    if(NOT own_WORDS)
        set(own_WORDS 1 4)
    endif()
    if(NOT own_OF)
        set(own_OF ${name})
    endif()
    if(own_DEFINE)
        set(own_DEFINE -D${own_DEFINE})
    endif()
    set(code "#include \"kernels/operator/shaders.h\"\n")
    foreach(words IN LISTS own_WORDS)
        set(source ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${own_OF}.comp)
        set(include ${CMAKE_CURRENT_BINARY_DIR}/shaders/${name}_${words}.inc)
        string(APPEND code "static const uint32_t code_${words}[] =\n#include \"${name}_${words}.inc\"\n;\n")
        set(last ${words})
        if(FOVEA_KERNELS_FROM)
            continue()
        endif()
        add_custom_command(OUTPUT ${include}
            COMMAND ${GLSLC} -O -I${PROJECT_SOURCE_DIR} -DWORDS=${words} ${own_DEFINE} -mfmt=c -MD -MF ${include}.d -o ${include} ${source}
            DEPENDS ${source} DEPFILE ${include}.d VERBATIM
            COMMENT "GLSL ${name}.comp (${words})")
        target_sources(fovea_shaders PRIVATE ${include})
    endforeach()
    list(GET own_WORDS 0 first)
    string(APPEND code "extern const struct shader ${symbol};\n"
        "const struct shader ${symbol} = SHADER_CODE(code_${first}, code_${last});\n")
    # Not beside this folder's own code, which would be taken before that of FOVEA_KERNELS_FROM.
    set(source ${CMAKE_CURRENT_BINARY_DIR}/shaders/c/${name}.c)
    file(CONFIGURE OUTPUT ${source} CONTENT "${code}" @ONLY)
    target_sources(fovea_shaders PRIVATE ${source})
endfunction()

fovea_add_shader(gaze gaze_latch shader_latch WORDS 1)
fovea_add_shader(gaze gaze_reduce shader_reduce)
fovea_add_shader(image raw_copy shader_copy)
