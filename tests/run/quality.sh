# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run quality, ./run compare, ./run blobs and ./run lightfield: how exact the library is, in numbers and in pictures.

help_quality()
{
    cat <<END
./run quality [flags] [PICTURE...]: measures every backend of this machine against the formulas.

  --report FILE   the tables also go there; sections of backends not measured now stay as they are
  --backend NAME  only cpu, vulkan or cuda
  --size WxH      only this size: the cases of the report at 640x360 and 1280x720, every case at another
  --only REGEX    only cases with such names, at every size; without --report
  --pictures REGEX  only drawn pictures with such names, without --report
  --quick         five small pictures, seconds instead of a quarter of an hour on two cores
  --bundle DIR    build nothing, run what './run gpu-bundle DIR' left there

Takes dozens of drawn pictures of 640x360 pixels, and the PNG and JPEG files that you name, through every model
and method, and compares them with the double-precision reference. At 1280x720, where the paper's model is mild
enough for the fast paths, it runs five smooth cases. Fails if a bound is broken. Its report: docs/quality.md.
END
}

help_compare()
{
    cat <<END
./run compare PICTURE [flags]: a PNG or JPEG file through every model and method, beside the exact result.

  --gaze x,y              0..1 from the top left corner; the middle
  --set key.path=value    one setting, as often as wanted: --set foveation.strength=2; of
                          foveation.model, .method, .light or .map.kind: that one case alone
  --blur                  through every engine of the operator blur instead, of --set blur.sigma_px=4,
                          each beside its difference from the Gaussian: engines.png (docs/blur.md)
  --output DIR            where pictures go, instead of out/compare
  --bundle DIR            build nothing, run what './run gpu-bundle DIR' left there

Writes compare.png, a sheet with the library's result, the exact result, the error times 32 and the numbers
for each case, and every picture by itself in full size.
END
}

help_blobs()
{
    cat <<END
./run blobs PICTURE... [flags]: blobs of colour and texture in PNG and JPEG files, in folders of them, or in videos.

  --map              also a picture of the largest response of all scales: NAME-map.png
  --max N            the most blobs of a picture, the strongest: 1 to 65536 (1000)
  --threshold X      blobs of less strength are left out: 0 to 3 (0.15)
  --scales N         sizes that are looked at, each 2^(1/3) times the one before, from 2 px on: 3 to 25 (19)
  --overlap X        the part of a disc that a stronger one may have in common with it: above 0, to 1 (0.5)
  --output DIR       where files go, instead of out/blobs
  --bundle DIR       build nothing, run what './run gpu-bundle DIR' left there

Writes NAME-blobs.png, the picture with a circle around each blob, and NAME-blobs.csv: x_px, y_px, sigma_px and
strength, the strongest first. Of a video (by the program ffmpeg) NAME-blobs.mp4, and one list with the frame's number
first; it has no map. docs/saliency.md
END
}

help_lightfield()
{
    cat <<END
./run lightfield [RAW --geometry FILE] [flags]: what a light field has in it, as pictures.
./run lightfield calibrate WHITE [flags]: the geometry file of a camera, from a white picture.

  --geometry FILE    the array of lenses, in JSON (docs/lightfield.md); --array FILE is the same
  --white FILE       a white picture, by which vignetting is divided out
  --black N          what the sensor says of no light, in RAW and in the white picture (0)
  --maximum N        what white is, of 16 bits; without it the brightest thousandth of RAW
  --far M, --near M  the patch sizes that are looked at (7 and 14), or dioptres or metres (2D, 0.5m) where FILE has optics
  --views            for scenes that are in focus on the lenses (plenoptic 1.0): views and their shifted sums
  --photo FILE, --photo-depth FILE  draws the light field of a photograph and how near its pixels are (grey, white is near)
  --window           what a gaze sees, in a window: the mouse refocuses where it looks; Esc ends it
  --set KEY=VALUE    a setting, as often as wanted: --set gaze.source=udp, --set foveation.strength=0.5
  --config FILE      settings from this file
  --frames N         frames of what a gaze sees (96, and in a window until it is closed)
  --output DIR       where files go, instead of out/lightfield
  --bundle DIR       build nothing, run what './run gpu-bundle DIR' left there

RAW and WHITE are files: PNG of 8 or 16 bits, JPEG, or TIFF without compression. Without RAW one of 96x72 lenses is drawn:
a wall and two discs before it. Writes raw.png (12x12 lenses of it), all-in-focus.png, left.png, right.png, depth.png (near is
white), refocus-*.png, and gaze-*.png: what a gaze that goes from blob to blob sees, refocused and foveated; where the program
ffmpeg is, refocus.mp4 and gaze.mp4, too. --views: raw.png, view.png, view-left.png and so on, sum.png,
refocus-*.png.

calibrate writes array.json, and says how far lenses lie from it. WHITE is a raw picture of something evenly lit.

  --rows KIND        any (as they are found), rectangular or hexagonal
  --pitch N          where the picture has other patterns, too: lenses are N pixels apart, within 15 %
  --flip             micro-images are the other way up, which no white picture tells
END
}

# need_some_file COMMAND WORDS [arguments]: one is there; who mistyped a name does not wait for a build first.
need_some_file()
{
    local command=$1 words=$2 argument is_value=0
    local -a missing=()
    shift 2
    has_flag --bundle "$@" && return # nothing is built
    for argument; do
        case $is_value$argument in
            1*) is_value=0 ;;
            0--gaze | 0--set | 0--output | 0--max | 0--threshold | 0--scales | 0--overlap) is_value=1 ;;
            0-*) ;;
            *) [[ -e $argument ]] && return || missing+=("$argument") ;;
        esac
    done
    ((${#missing[@]})) || wrong_usage "$command needs $words"
    fail "$command needs $words, and no such file is there: ${missing[*]}"
}

# quality_program [arguments]: sets QUALITY, and QUALITY_ARGUMENTS to those without --bundle DIR.
quality_program()
{
    local bundle=''
    QUALITY_ARGUMENTS=()
    while (($#)); do
        if [[ $1 == --bundle ]]; then
            [[ -n ${2-} ]] || wrong_usage "--bundle needs a folder"
            bundle=$(readlink -m -- "$2")
            shift
        elif [[ $1 != --blur ]]; then
            QUALITY_ARGUMENTS+=("$1")
        fi
        shift
    done
    if [[ -n $bundle ]]; then
        [[ -e $bundle/bin/fovea_quality ]] || fail "$bundle is no bundle"
        mark_build_root
        open_bundle "$bundle"
        bench_environment
        QUALITY=$bundle/bin/fovea_quality
        return
    fi
    need_packages build render tests
    configure_and_build release -DBUILD_TESTING=ON
    QUALITY=$BUILD_ROOT/release/tests/fovea_quality
    [[ -x $QUALITY ]] || fail "fovea_quality was not built; see $(relative "$LOGS/release-configure.log")"
}

command_quality()
{
    quality_program "$@"
    exec "$QUALITY" ${QUALITY_ARGUMENTS[@]+"${QUALITY_ARGUMENTS[@]}"}
}

command_compare()
{
    local command=compare
    if has_flag --blur "$@"; then
        command=engines
    fi
    need_some_file compare "a picture" "$@"
    quality_program "$@"
    has_flag --output "$@" || QUALITY_ARGUMENTS+=(--output "$ROOT/out/compare")
    exec "$QUALITY" "$command" ${QUALITY_ARGUMENTS[@]+"${QUALITY_ARGUMENTS[@]}"}
}

# output_folder DEFAULT: sets OUTPUT to the folder of --output; without that flag it is given the default.
output_folder()
{
    local i argument
    OUTPUT=$1
    for ((i = 0; i < ${#QUALITY_ARGUMENTS[@]}; i++)); do
        argument=${QUALITY_ARGUMENTS[i]}
        has_flag --output "$argument" || continue
        OUTPUT=${QUALITY_ARGUMENTS[i + 1]-}
        [[ $argument == *=* ]] && OUTPUT=${argument#*=}
    done
    has_flag --output "${QUALITY_ARGUMENTS[@]}" || QUALITY_ARGUMENTS+=(--output "$OUTPUT")
}

# fail_without FILE MESSAGE: a file that is cut does not stay.
fail_without()
{
    rm -f -- "$1"
    fail "$2"
}

# blobs_of_video VIDEO [flags]: its frames as pictures, and what comes of them as a video and one list.
blobs_of_video()
{
    local video=$1 name rate frames pattern
    shift
    name=$(basename -- "${video%.*}")
    rate=$(ffprobe -v error -select_streams v:0 -show_entries stream=avg_frame_rate -of csv=p=0 -- "file:$video")
    [[ $rate == [1-9]* ]] || fail "$video: ffmpeg finds no video in it"
    mkdir -p -- "$OUTPUT" || fail "cannot write $OUTPUT"
    frames=$(mktemp -d) || fail "no folder for frames can be made in ${TMPDIR:-/tmp} (TMPDIR)"
    # shellcheck disable=SC2064 # the folder of now
    trap "rm -rf -- ${frames@Q}" EXIT
    mkdir "$frames/in" || return
    pattern=${frames//%/%%}
    ffmpeg -loglevel error -nostdin -i "file:$video" -map 0:v:0 -vsync passthrough "$pattern/in/%06d.png" ||
        fail "$video: ffmpeg cannot read it"
    "$QUALITY" blobs "$frames/in" "$@" --output "$frames/out" >/dev/null || return
    # ffmpeg 5 takes a disk that is full at the end for no error without -xerror.
    ffmpeg -loglevel error -xerror -nostdin -y -framerate "$rate" -i "$pattern/out/%06d-blobs.png" \
        -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -pix_fmt yuv420p "file:$OUTPUT/$name-blobs.mp4" ||
        fail_without "$OUTPUT/$name-blobs.mp4" "$OUTPUT: no video is written"
    awk 'BEGIN { print "frame,x_px,y_px,sigma_px,strength" }
         /^x_px/ { frame++; next } { print frame - 1 "," $0 }' >"$OUTPUT/$name-blobs.csv" < <(
        find "$frames/out" -name '*-blobs.csv' -print0 | sort -z | xargs -0 cat) ||
        fail_without "$OUTPUT/$name-blobs.csv" "$OUTPUT: no list is written"
    rm -rf -- "$frames"
    say "$OUTPUT/$name-blobs.mp4"
}

command_blobs()
{
    local argument output_flag=0
    local -a videos=() flags=()
    need_some_file blobs "pictures, videos, or folders of pictures" "$@"
    quality_program "$@"
    output_folder "$ROOT/out/blobs"
    for argument in "${QUALITY_ARGUMENTS[@]}"; do
        case ${argument,,} in
            *.mp4 | *.m4v | *.mkv | *.webm | *.mov | *.avi) videos+=("$argument") ;;
            --output) output_flag=1 ;;
            --output=*) ;;
            *)
                ((output_flag)) || [[ -e $argument ]] || flags+=("$argument")
                output_flag=0
                ;;
        esac
    done
    ((${#videos[@]})) || exec "$QUALITY" blobs "${QUALITY_ARGUMENTS[@]}"
    command -v ffmpeg >/dev/null || fail "videos need the program ffmpeg"
    for argument in "${QUALITY_ARGUMENTS[@]}"; do
        [[ -e $argument && " ${videos[*]} " != *" $argument "* && $argument != "$OUTPUT" ]] &&
            fail "videos and pictures in one call: name them one after the other"
    done
    for argument in "${videos[@]}"; do
        blobs_of_video "$argument" ${flags[@]+"${flags[@]}"} || return
    done
}

# lightfield_video PATTERN FILE: a video of pictures, where there are any.
lightfield_video()
{
    local pattern=${OUTPUT//%/%%}/$1
    # shellcheck disable=SC2059 # the pattern is a format
    [[ -f $(printf "$pattern" 0) ]] || return 0
    ffmpeg -loglevel error -xerror -nostdin -y -framerate 24 -i "file:$pattern" \
        -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -pix_fmt yuv420p "file:$OUTPUT/$2" ||
        fail_without "$OUTPUT/$2" "$OUTPUT/$2: no video is written"
    say "$OUTPUT/$2"
}

command_lightfield()
{
    [[ ${1--} == -* || $1 == calibrate ]] || need_some_file lightfield "a raw picture" "$1"
    if has_flag --window "$@"; then
        need_packages window
    fi
    quality_program "$@"
    output_folder "$ROOT/out/lightfield"
    "$QUALITY" lightfield "${QUALITY_ARGUMENTS[@]}" || return
    if [[ ${QUALITY_ARGUMENTS[0]} != calibrate ]] && ! has_flag --window "$@" && command -v ffmpeg >/dev/null; then
        lightfield_video refocus-%02d.png refocus.mp4 && lightfield_video gaze-%03d.png gaze.mp4
    fi
}
