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
./run blobs PICTURE... [flags]: blobs of colour and texture in PNG and JPEG files, or in folders of them.

  --map              also a picture of the largest response of all scales: NAME-map.png
  --max N            the most blobs of a picture, the strongest: 1 to 65536 (1000)
  --threshold X      blobs of less strength are left out: 0 to 3 (0.15)
  --scales N         sizes that are looked at, each 2^(1/3) times the one before, from 2 px on: 3 to 25 (19)
  --overlap X        the part of a disc that a stronger one may have in common with it: above 0, to 1 (0.5)
  --output DIR       where files go, instead of out/blobs
  --bundle DIR       build nothing, run what './run gpu-bundle DIR' left there

Writes NAME-blobs.png, the picture with a circle around each blob, and NAME-blobs.csv: x_px, y_px, sigma_px and
strength, the strongest first. Frames of a video: save them as pictures, and name their folder. docs/saliency.md
END
}

help_lightfield()
{
    cat <<END
./run lightfield [RAW --array FILE] [flags]: what a light field has in it, as pictures.

  --array FILE       the array of lenses, in JSON (docs/lightfield.md)
  --far M, --near M  the patch sizes that are looked at (7 and 14)
  --output DIR       where files go, instead of out/lightfield
  --bundle DIR       build nothing, run what './run gpu-bundle DIR' left there

RAW is a PNG or JPEG file. Without one a raw picture of 96x72 lenses is drawn: a wall and two discs before it.
Writes raw.png (12x12 lenses of it), all-in-focus.png, left.png, right.png, depth.png (near is white), refocus-*.png and,
where the program ffmpeg is, refocus.mp4.
END
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
    quality_program "$@"
    has_flag --output "$@" || QUALITY_ARGUMENTS+=(--output "$ROOT/out/compare")
    exec "$QUALITY" "$command" ${QUALITY_ARGUMENTS[@]+"${QUALITY_ARGUMENTS[@]}"}
}

command_blobs()
{
    (($# > 0)) || wrong_usage "blobs needs pictures, or folders of them"
    quality_program "$@"
    has_flag --output "$@" || QUALITY_ARGUMENTS+=(--output "$ROOT/out/blobs")
    exec "$QUALITY" blobs ${QUALITY_ARGUMENTS[@]+"${QUALITY_ARGUMENTS[@]}"}
}

command_lightfield()
{
    local output=$ROOT/out/lightfield
    quality_program "$@"
    if has_flag --output "$@"; then
        local i
        for ((i = 0; i < ${#QUALITY_ARGUMENTS[@]}; i++)); do
            [[ ${QUALITY_ARGUMENTS[i]} == --output ]] && output=${QUALITY_ARGUMENTS[i + 1]-}
            [[ ${QUALITY_ARGUMENTS[i]} == --output=* ]] && output=${QUALITY_ARGUMENTS[i]#*=}
        done
    else
        QUALITY_ARGUMENTS+=(--output "$output")
    fi
    "$QUALITY" lightfield "${QUALITY_ARGUMENTS[@]}" || return
    if command -v ffmpeg >/dev/null; then
        ffmpeg -loglevel error -nostdin -y -framerate 24 -i "$output/refocus-%02d.png" \
            -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -pix_fmt yuv420p "$output/refocus.mp4" &&
            say "$output/refocus.mp4"
    fi
}
