# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run unity-package: the package for Unity's package manager, with the native plugin in it.

help_unity_package()
{
    cat <<END
./run unity-package [DIR]: builds the native plugin and puts the package for Unity into DIR, or into
out/com.fovea.unity. Copy that folder into the Packages folder of a Unity project, or choose its package.json in
Unity's package manager. docs/unity.md has the rest.
With a CUDA toolkit the kernels are compiled for six kinds of GPUs, which may take half an hour on two cores;
"./run --no-cuda unity-package" leaves them out, and compute shaders do the work.
END
}

third_party_notices()
{
    printf '\n# Third party notices\n\nlibGfxPluginFovea.so contains cJSON:\n\n'
    cat "$ROOT/config/cjson/LICENSE"
}

command_unity_package()
{
    local folder=$ROOT/out/com.fovea.unity cuda=()
    if (($#)); then
        folder=$(readlink -m -- "$1")
        shift
    fi
    no_more_arguments unity-package "$@"
    if [[ -e $folder ]] && ! grep -qs '"com.fovea.unity"' "$folder/package.json"; then
        fail "$folder exists and is no package of Fovea's"
    fi
    need_packages build
    mark_build_root
    # The package goes to other machines, whose GPUs nobody knows here.
    [[ $CUDA == OFF ]] || ! have nvcc || cuda=(-DFOVEA_CUDA=ON -DFOVEA_CUDA_ARCHITECTURES=portable)
    step "Configuring" "$LOGS/unity-configure.log" configure unity -DBUILD_TESTING=OFF -DFOVEA_SAMPLE_SCENE=OFF \
        ${cuda[@]+"${cuda[@]}"}
    show_notices "$LOGS/unity-configure.log"
    step "Building" "$LOGS/unity-build.log" build unity fovea_unity
    rm -rf -- "$folder"
    mkdir -p -- "$folder"
    cp -R -- "$ROOT/plugin/unity/package/." "$folder/"
    third_party_notices >>"$folder/LICENSE.md"
    install -m 644 -- "$BUILD_ROOT/unity/plugin/unity/libGfxPluginFovea.so" "$folder/Runtime/Plugins/Linux/x86_64/"
    have strip && strip --strip-unneeded "$folder/Runtime/Plugins/Linux/x86_64/libGfxPluginFovea.so"
    say "$(relative "$folder"): copy it into the Packages folder of a Unity project"
}
