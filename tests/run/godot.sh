# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run godot-addon: the extension for Godot as a folder that is copied into a project.

help_godot_addon()
{
    cat <<END
./run godot-addon [--example] [DIR]: builds the extension for Godot 4.4 and later, and writes DIR/addons/fovea/
(DIR is out/godot unless it is given). Copy that folder into a project. docs/godot.md says how it is used.

  --example   a whole project in DIR, with a scene, the pointer as gaze and a panel of sliders; DIR holds no other project.
              Open it in the editor, or run it: godot --path DIR
END
}

# Godot's names of machines.
godot_machine()
{
    case $(uname -m) in
    aarch64) echo arm64 ;;
    *) uname -m ;;
    esac
}

command_godot_addon()
{
    local example=0 folder='' addon
    while [[ ${1-} == --example || (-n ${1-} && -z $folder && $1 != -*) ]]; do
        if [[ $1 == --example ]]; then
            example=1
        else
            folder=$(readlink -m -- "$1")
        fi
        shift
    done
    no_more_arguments godot-addon "$@"
    folder=${folder:-$ROOT/out/godot}
    # A game of somebody's own is not written over.
    if ((example)) && [[ -e $folder/project.godot ]] &&
        ! cmp -s -- "$folder/project.godot" "$ROOT/plugin/godot/example/project.godot"; then
        fail "$folder has a project that is not Fovea's example: give --example an empty folder"
    fi
    need_packages build
    mark_build_root
    step "Configuring" "$LOGS/addon-configure.log" configure addon -DCMAKE_BUILD_TYPE=Release -DFOVEA_CUDA=OFF \
        -DBUILD_TESTING=OFF -DFOVEA_SAMPLE_SCENE=OFF
    step "Building" "$LOGS/addon-build.log" build addon fovea_godot
    addon=$folder/addons/fovea
    mkdir -p -- "$addon/bin" || fail "cannot make $addon"
    cp -R -- "$ROOT/plugin/godot/addon/." "$addon/" || fail "cannot write $addon"
    cp -- "$ROOT/LICENSE" "$addon/LICENSE"
    cp -- "$ROOT/config/cjson/LICENSE" "$addon/LICENSE-cJSON"
    # A library that an editor has loaded stays what it is; its name gets a new one.
    cp --remove-destination -- "$BUILD_ROOT/addon/plugin/godot/libfovea_godot.so" \
        "$addon/bin/libfovea_godot.$(godot_machine).so" || fail "cannot write $addon/bin"
    if ((example)); then
        cp -R -- "$ROOT/plugin/godot/example/." "$folder/" || fail "cannot write $folder"
        # Else Godot finds the extension when it has read the scene already, and an editor must start twice.
        mkdir -p -- "$folder/.godot" || fail "cannot make $folder/.godot"
        [[ -e $folder/.godot/extension_list.cfg ]] ||
            echo res://addons/fovea/fovea.gdextension >"$folder/.godot/extension_list.cfg" ||
            fail "cannot write $folder/.godot"
    fi
    say "Wrote ${addon#"$PWD"/}."
}
