# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run demo: from a bare clone to pictures.

help_demo()
{
    cat <<END
./run demo [flags]: installs what is missing, builds, renders the sample scene, foveates each frame.
It builds in build/demo, for this machine: for its NVIDIA GPUs, or without the cuda backend if there are none.

Without flags: 240 frames of 1280x720, gaze from a scanpath; needs no display and no GPU.
Writes out/demo.png, some frames and, if ffmpeg is installed, out/demo.mp4.

  --window                         a real window, gaze from the mouse; F1 lists the keys
  --backend auto|cuda|vulkan|cpu   where the arithmetic runs
  --config FILE                    settings from this file; default: FOVEA_CONFIG, or
                                   ./fovea.json, ~/.config/fovea/ and /etc/fovea/, or
                                   sample_scene/demo.json
  --set key.path=value             one setting, as often as wanted
  --fullscreen                     the same over a whole display; F11 changes between both
  --hmd                            both eyes of a headset side by side, 1920x1080 together, each with its own gaze
  --lightfield RAW|drawn           a light field in place of the village, in focus under the gaze (docs/lightfield.md)
  --geometry FILE                  where the lenses of RAW are
  --focus FAR,NEAR                 between which patch sizes (7,14), dioptres (0.5D,2D) or metres (2m,0.5m) is looked
  --no-video                       no out/demo.mp4
  --frames N   --size WxH          how many, how large
  --gaze x,y                       a gaze that stays, 0..1 from the top left corner; or the name of a source; or
                                   scanpath:FILE, a recording; or replay:FILE, a record (docs/gaze.md)
  --output DIR                     where pictures go, instead of out/
  --list-devices   --device N      which Vulkan device
END
}

# The programs take flags that are cut short, too, and of two the last.
has_flag()
{
    local wanted=$1 argument
    shift
    for argument in "$@"; do
        [[ $argument == --?* && $wanted == "${argument%%=*}"* ]] && return 0
    done
    return 1
}

command_demo()
{
    local groups=(build render) program=$BUILD_ROOT/demo/sample_scene/fovea_demo
    if has_flag --window "$@" || has_flag --fullscreen "$@"; then
        groups+=(window)
    fi
    need_packages "${groups[@]}"
    mark_build_root
    step "Configuring" "$LOGS/demo-configure.log" configure demo -DBUILD_TESTING=OFF
    show_notices "$LOGS/demo-configure.log"
    # The target is not there where the sample scene cannot be built; the notice has said why.
    grep -q '^build fovea_demo: ' "$BUILD_ROOT/demo/build.ninja" 2>/dev/null ||
        fail "the sample scene cannot be built; see $(relative "$LOGS/demo-configure.log")"
    step "Building" "$LOGS/demo-build.log" build demo fovea_demo
    exec "$program" --output "$ROOT/out" "$@"
}
