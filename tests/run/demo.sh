# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run demo: from a bare clone to pictures.

help_demo()
{
    cat <<END
./run demo [flags]: installs what is missing, builds, renders the sample scene, foveates each frame.

Without flags: 240 frames of 1280x720 with no display and no GPU needed; gaze from a scanpath.
Writes out/demo.png, some frames and, where ffmpeg is present, out/demo.mp4.

  --window                         a real window, gaze from the mouse; F1 lists the keys
  --backend auto|cuda|vulkan|cpu   who does the arithmetic
  --config FILE                    settings from this file; without it from FOVEA_CONFIG, or
                                   ./fovea.json, ~/.config/fovea/ and /etc/fovea/; where none is,
                                   from sample_scene/demo.json
  --set key.path=value             one setting, as often as wanted
  --frames N   --size WxH          how many, how large
  --gaze x,y                       a gaze that stays, 0..1 from the top left corner
  --output DIR                     where pictures go, instead of out/
  --list-devices   --device N      which Vulkan device
END
}

has_flag()
{
    local wanted=$1 argument
    shift
    for argument in "$@"; do
        [[ $argument == "$wanted" || $argument == "$wanted="* ]] && return 0
    done
    return 1
}

command_demo()
{
    local groups=(build render) arguments=("$@") program=$BUILD_ROOT/release/sample_scene/fovea_demo
    has_flag --window "$@" && groups+=(window)
    need_packages "${groups[@]}"
    configure_and_build release -DBUILD_TESTING=OFF
    [[ -x $program ]] || fail "the sample scene was not built; see $(relative "$LOGS/release-configure.log")"
    has_flag --output "$@" || arguments+=(--output "$ROOT/out")
    exec "$program" "${arguments[@]}"
}
