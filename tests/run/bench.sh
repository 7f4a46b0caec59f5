# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run bench: how fast the backends of this machine are.

help_bench()
{
    cat <<END
./run bench [flags]: times every backend of this machine and prints tables in Markdown.

  --json FILE      the tables also go there as JSON
  --only REGEX     only cases whose names match: --only '1080p/smooth'
  --backend NAME   only cpu, cuda or vulkan
  --quick          a tiny picture and few repetitions: tests that it works, not how fast
  --alpha          pictures of RGBA8 whose alpha varies instead of opaque ones
  --launches       CUDA: separate launches between two events instead of a graph
  --threads N      threads of the cpu backend; default: one for each core
  --domain         instead of the tables, random points of all sizes, strengths, models, formats and counts, each
                   against a bound; status 1 if one is broken. --points N: how many; --seed N: which.
                   docs/benchmarks.md lists the points that break their bounds at present
  --lens-paper     instead of the tables, ways to warp a picture for a lens: those of a paper, on the processor and on
                   CUDA, those of others, and Fovea's (docs/lens-paper.md)
  --foveation-paper  instead of the tables, the kernel of a paper on foveation on CUDA, with and without what it gained
                   by, a pyramid, and Fovea (docs/foveation-paper.md)
  --blur-thesis    instead of the tables, a thesis's ways to blur on CUDA and in GLSL, and Fovea's engines
                   (docs/blur-thesis.md)
  --lightfield-paper  instead of the tables, a paper's kernels for light fields on CUDA, and Fovea (docs/lightfield.md)
  --csdd-thesis    instead of the tables, a thesis's kernels for blobs, on the processor and on CUDA, and Fovea
                   (docs/saliency.md)
  --check          with the last four: looks at what the ways make and times nothing
  --peers          instead of the tables, what Python's packages take for blurs, light fields and blobs beside Fovea on this
                   NVIDIA GPU: PyTorch and, where they are there, torchvision, kornia, CuPy, cuCIM and NPP (docs/blur.md);
                   takes --json, --seconds, --only blur (lightfield, blobs) and --sizes; builds nothing if FOVEA_LIB names
                   a library
  --engines        instead of the tables, what a frame costs in the adapters for Godot and Unity, in hosts that stand
                   for them (docs/engines.md); takes --quick alone
  --openxr         instead of the tables, what the OpenXR layer adds to a frame of both eyes, in a program and a
                   runtime that stand for others (docs/headsets.md); takes --quick alone
  --seconds N      no case begins after so many seconds; the rest is told by name. --blur-thesis with a size for each
                   call: --only '/2048'
  --list           the names of the cases, one a line
  --bundle DIR     build nothing, run what './run gpu-bundle DIR' left there

--lens-paper times NVIDIA's NPP, too, if libnppig is installed. docs/benchmarks.md explains the measurements and holds results.
END
}

command_bench()
{
    local bundle='' engines=0 openxr=0 peers=0 flags=()
    while (($#)); do
        case $1 in
        --bundle)
            [[ -n ${2-} ]] || wrong_usage "--bundle needs a folder"
            bundle=$(readlink -m -- "$2")
            shift
            ;;
        --engines) engines=1 ;;
        --openxr) openxr=1 ;;
        --peers) peers=1 ;;
        *) flags+=("$1") ;;
        esac
        shift
    done
    ((engines + openxr + peers <= 1)) || wrong_usage "'bench' takes one of --engines, --openxr and --peers"
    local library='' # which bench_environment takes away
    ((!peers)) || library=${FOVEA_LIB-}
    if [[ -n $library && -z $bundle ]]; then
        mark_build_root # drivers keep shaders there
    else
        bench_program "$bundle"
    fi
    bench_environment
    if ((engines)); then
        bench_engines ${flags[@]+"${flags[@]}"}
        return
    fi
    if ((openxr)); then
        [[ -x ${BENCH%/*}/openxr_cost ]] || fail "openxr_cost was not built: it needs OpenXR's headers and loader"
        exec "${BENCH%/*}/openxr_cost" ${flags[@]+"${flags[@]}"}
    fi
    if ((peers)); then
        bench_peers "$bundle" "$library" ${flags[@]+"${flags[@]}"}
        return
    fi
    exec "$BENCH" ${flags[@]+"${flags[@]}"}
}

# A table for each engine; CUDA's part needs a build or a bundle with it.
bench_engines()
{
    local engine failed=''
    for engine in godot unity; do
        [[ -x ${BENCH%/*}/engine_cost_$engine ]] ||
            fail "engine_cost_$engine was not built: it needs Vulkan's headers and loader"
        "${BENCH%/*}/engine_cost_$engine" "$@" || failed+=" engine_cost_$engine"
        printf '\n'
    done
    [[ -z $failed ]] || fail "failed:$failed"
}

# bench_peers BUNDLE LIBRARY [flags]: with the python3 of this machine, which must have PyTorch. Of a library that somebody
# else names nobody knows the commit.
bench_peers()
{
    local bundle=$1 library=$2 commit=''
    if [[ -z $library && -n $bundle ]]; then
        library=$bundle/lib/libfovea.so
        commit=$(sed -n 's/^commit\t//p' "$bundle/facts")
    elif [[ -z $library ]]; then
        library=$BUILD_ROOT/release/plugin/libfovea.so
        commit=$(git -C "$ROOT" rev-parse --short=12 HEAD)
    fi
    [[ $library != */* || -e $library ]] || fail "there is no $library"
    FOVEA_LIB=$library PYTHONPATH=$ROOT/python${PYTHONPATH:+:$PYTHONPATH} exec python3 "$ROOT/tests/bench/gpu_peers.py" \
        --commit "${commit:0:12}" "${@:3}"
}

bench_program()
{
    mark_build_root
    if [[ -n $1 ]]; then
        [[ -e $1/bin/fovea_bench ]] || fail "$1 is no bundle"
        open_bundle "$1"
        BENCH=$1/bin/fovea_bench
        return
    fi
    need_packages build tests
    configure_and_build release -DBUILD_TESTING=ON
    BENCH=$BUILD_ROOT/release/tests/fovea_bench
    [[ -x $BENCH ]] || fail "fovea_bench was not built; see $(relative "$LOGS/release-configure.log")"
}

# The GPU's driver is found as the tests find it, but nothing is required.
bench_environment()
{
    gpu_environment
    unset FOVEA_REQUIRE_GPU FOVEA_REQUIRE_VALIDATION
}
