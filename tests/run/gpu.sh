# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run gpu-test and ./run gpu-bundle: the tests with the label gpu, on a machine with an NVIDIA GPU.

# Libraries that a bare GPU machine may lack; used from the bundle only where that is so. NVIDIA's
# Vulkan driver is also its GL driver, and does not start without GL's own front ends.
BUNDLE_FALLBACK=(libvulkan.so.1 libGLdispatch.so.0 libEGL.so.1 libGLX.so.0 libX11.so.6 libXext.so.6 libxcb.so.1 libXau.so.6
    libXdmcp.so.6 libbsd.so.0 libmd.so.0 libopenxr_loader.so.1 libstdc++.so.6 libgcc_s.so.1)
# Ours to bring along: not the C library, not a driver.
BUNDLE_LEAVES_OUT='(libc|libm|libdl|librt|libpthread|libstdc[+][+]|libgcc_s|libcuda|libvulkan)[.]so'
SANITIZERS=(memcheck racecheck initcheck synccheck)

help_gpu()
{
    cat <<END
./run gpu-test [--report FILE] [--bundle DIR] [--only REGEX] [--jobs N] [--within SECONDS] [--no-sanitizer]
./run gpu-test --again --bundle DIR [--report FILE]

  Builds and runs every test that needs an NVIDIA GPU, and those of the Python package with this machine's Python.
  A skip counts as a failure, except that of a test for several GPUs on a machine with one, and of the Python package's
  on one without torch or pytest. Then runs CUDA's compute-sanitizer over every kernel at odd sizes
  (test_cuda_kernels): ${SANITIZERS[*]}. 5,000 random points are searched for what the cuda backend makes otherwise than
  the cpu backend, 60 of them under memcheck. Prints a report in Markdown.

  --report FILE    the report also goes there
  --bundle DIR     build nothing, run what './run gpu-bundle DIR' left there
  --only REGEX     only the tests whose names match
  --jobs N         so many tests at a time (here $(gpu_jobs)); tests that measure times or take all of the
                   GPU's memory run afterwards, each alone
  --within SECONDS a test that is not over by then counts as a failure: not reached
  --no-sanitizer   leave compute-sanitizer out
  --again          run nothing; report what the last run left in $(relative "$LOGS")

./run gpu-bundle DIR [ARCHITECTURES]

  Puts the tests, their libraries and the validation layer into DIR, for a machine of the same processor
  type that has a driver and a GPU but cannot build. ARCHITECTURES: compute capabilities as "90" or "80;90";
  without them all, which takes minutes.
END
}

# ---- The bundle -----------------------------------------------------------------------------------

command_gpu_bundle()
{
    (($# == 1 || $# == 2)) || wrong_usage "gpu-bundle needs one folder, and may have architectures"
    local bundle
    bundle=$(readlink -m -- "$1")
    [[ ! -e $bundle || -e $bundle/tests.tsv ]] || fail "$bundle exists and is no bundle"
    need_packages build tests gpu
    have nvcc || fail "nvcc is not here: install NVIDIA's CUDA toolkit (12 or later)"
    mark_build_root
    build_gpu_tests "-DFOVEA_CUDA_ARCHITECTURES=${2-portable}"
    step "Bundling" "$LOGS/gpu-bundle.log" make_bundle "$bundle"
    say "$(relative "$bundle"): $(du -sh "$bundle" | cut -f1), $(wc -l <"$bundle/tests.tsv") tests"
}

# build_gpu_tests [flags of CMake]: for this machine's GPUs, unless the flags say more.
build_gpu_tests()
{
    # shellcheck disable=SC2016  # $ORIGIN is for the loader of the programs
    step "Configuring" "$LOGS/gpu-configure.log" configure gpu -DFOVEA_CUDA=ON -DFOVEA_WERROR=OFF \
        -DFOVEA_WINDOW=OFF "$@" \
        -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON '-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib;$ORIGIN'
    show_notices "$LOGS/gpu-configure.log"
    step "Building" "$LOGS/gpu-build.log" build gpu
}

make_bundle()
{
    local bundle=$1 build=$BUILD_ROOT/gpu file
    rm -rf -- "$bundle"
    mkdir -p "$bundle/bin" "$bundle/lib" "$bundle/fallback" "$bundle/layers"
    list_gpu_tests "$build" bin >"$bundle/tests.tsv"
    list_python_test lib/libfovea.so >>"$bundle/tests.tsv"
    list_gpu_programs "$build" | while read -r file; do
        bundle_program "$file" "$bundle"
    done
    [[ -x $build/sample_scene/fovea_demo ]] && bundle_program "$build/sample_scene/fovea_demo" "$bundle"
    for file in "$build/plugin/layer/libVkLayer_fovea.so" "$build/tests/VkLayer_fovea_screenless.so" \
        "$build/plugin/libfovea_xla.so" "$build/plugin/unity/libGfxPluginFovea.so" \
        "$build/plugin/godot/libfovea_godot.so" "$build/plugin/openxr/libXrApiLayer_fovea.so" \
        "$build/tests/fovea_test_runtime.so"; do
        copy_library "$file" "$bundle/lib"
    done
    bundle_openxr "$build" "$bundle"
    bundle_python "$bundle"
    for file in "${BUNDLE_FALLBACK[@]}"; do
        copy_library "$(library_path "$file")" "$bundle/fallback"
    done
    bundle_layer "$bundle/layers"
    install -m 644 -D -t "$bundle/fonts" /usr/share/fonts/truetype/dejavu/DejaVuSans{,-Bold}.ttf || true
    build_facts >"$bundle/facts"
}

bundle_program()
{
    local library
    install -m 755 -s "$1" "$2/bin/"
    # Built libraries are found through the build folder, the others where this machine keeps them.
    LD_LIBRARY_PATH=$(gpu_library_path) ldd "$1" |
        awk -v out="^$BUNDLE_LEAVES_OUT" '$2 == "=>" && $3 ~ "^/" && $1 !~ out {print $3}' |
        while read -r library; do
        copy_library "$library" "$2/lib"
    done
}

gpu_library_path()
{
    printf '%s' "$BUILD_ROOT/gpu/plugin:$BUILD_ROOT/gpu/plugin/unity:$BUILD_ROOT/gpu/plugin/godot"
}

copy_library()
{
    if [[ -n $1 && -e $1 && ! -e $2/$(basename "$1") ]]; then
        install -m 644 "$(readlink -f "$1")" "$2/$(basename "$1")"
        strip --strip-unneeded "$2/$(basename "$1")"
    fi
}

library_path()
{
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p | awk -v name="$1" '$1 == name && /x86-64|AArch64/ && !found++ {print $NF}'
}

# The library under the name that programs have brought it in by, and pytest for a machine that has none.
bundle_python()
{
    local name
    name=$(readlink "$BUILD_ROOT/gpu/plugin/libfovea.so")
    copy_library "$BUILD_ROOT/gpu/plugin/$name" "$1/lib"
    ln -s "$name" "$1/lib/libfovea.so"
    grep -E '^(pytest|hypothesis)==' "$ROOT/tests/requirements.txt" >"$1/pytest.txt"
    python3 -m pip install --disable-pip-version-check --no-input --quiet --target "$1/python" -r "$1/pytest.txt" ||
        echo "pip could not get pytest: the tests of the Python package then need the GPU machine's own"
}

bundle_layer()
{
    local manifest=/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json library
    library=$(library_path libVkLayer_khronos_validation.so)
    copy_library "$library" "$1"
    sed 's|"library_path": *"[^"]*"|"library_path": "./libVkLayer_khronos_validation.so"|' \
        "$manifest" >"$1/$(basename "$manifest")"
}

# Puts it where openxr_cost looks for it; each names its library from its own folder.
bundle_openxr()
{
    local manifests=$1/tests/openxr file
    [[ -e $manifests/runtime.json ]] || return 0
    mkdir -p "$2/bin/openxr/api_layers"
    sed 's|"library_path": *".*/|"library_path": "../../lib/|' "$manifests/runtime.json" >"$2/bin/openxr/runtime.json"
    mkdir -p "$2/bin/openxr/vulkan_layers"
    for file in api_layers/XrApiLayer_FOVEA.json vulkan_layers/VkLayer_FOVEA.json; do
        sed 's|"library_path": *"[^"]*/|"library_path": "../../../lib/|' "$manifests/$file" >"$2/bin/openxr/$file"
    done
}

# name <tab> labels, with "alone" for one that shares the machine with no other <tab> seconds allowed
# <tab> command line, quoted for a shell
list_gpu_tests()
{
    ctest --test-dir "$1" -L '^gpu$' --show-only=json-v1 | python3 "$ROOT/tests/run/list_tests.py" "${2-}"
}

# The Python package's tests as a line of that list; $1: the library, from the folder that tests run in.
list_python_test()
{
    # shellcheck disable=SC2016  # the shell that runs the test knows these
    printf 'test_python\tgpu,python\t900\tenv FOVEA_LIB="$PWD/%s" bash "$FOVEA_SOURCE_DIR/tests/run/python_on_gpu.sh"\n' "$1"
}

list_gpu_programs()
{
    ctest --test-dir "$1" -L '^gpu$' --show-only=json-v1 |
        python3 -c 'import json, sys
for test in json.load(sys.stdin)["tests"]: print(test["command"][0])' | sort -u
}

# Only the machine that built it knows these.
build_facts()
{
    local commit compiler
    compiler=$(sed -n 's/^CMAKE_C_COMPILER:[^=]*=//p' "$BUILD_ROOT/gpu/CMakeCache.txt")
    commit=$(git -C "$ROOT" rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
    [[ -z $(git -C "$ROOT" status --porcelain --untracked-files=no 2>/dev/null) ]] || commit+=", with changes"
    printf 'commit\t%s\n' "$commit"
    printf 'CUDA toolkit\t%s\n' "$(nvcc --version | sed -n 's/.*release [0-9.]*, V//p')"
    printf 'C compiler\t%s\n' "$("$compiler" --version | head -n 1)"
}

# ---- The run --------------------------------------------------------------------------------------

command_gpu_test()
{
    local bundle='' only='' sanitize=1 jobs
    REPORT='' WITHIN='' AGAIN='' jobs=$(gpu_jobs)
    while (($#)); do
        case $1 in
        --bundle) bundle=$(readlink -m -- "${2-}") && shift ;;
        --report) REPORT=$(readlink -m -- "${2-}") && shift ;;
        --only) only=${2-} && shift ;;
        --jobs) jobs=${2-} && shift ;;
        --within) WITHIN=${2-} && shift ;;
        --no-sanitizer) sanitize=0 ;;
        --again) AGAIN=1 ;;
        *) wrong_usage "'gpu-test' does not understand '$1'" ;;
        esac
        shift
    done
    [[ $jobs =~ ^[1-9][0-9]?$ ]] || wrong_usage "--jobs needs a number from 1 to 99"
    [[ -z $WITHIN || $WITHIN =~ ^[1-9][0-9]{0,4}$ ]] || wrong_usage "--within needs a number of seconds"
    [[ -n $AGAIN ]] || nvidia-smi -L >/dev/null 2>&1 || fail "no NVIDIA GPU with a driver here (nvidia-smi does not see one)"
    mark_build_root
    if [[ -n $bundle ]]; then
        [[ -e $bundle/tests.tsv ]] || fail "$bundle is no bundle"
        open_bundle "$bundle"
    else
        open_build
    fi
    gpu_environment
    [[ -n $only ]] && GPU_TESTS=$(awk -F'\t' -v only="$only" '$1 ~ only' <<<"$GPU_TESTS")
    [[ -n $GPU_TESTS ]] || fail "there is no such test"
    gpu_report "$sanitize" "$jobs"
}

# A test has a few threads of its own and waits for the GPU now and then.
gpu_jobs()
{
    local jobs=$(($(nproc) / 4))
    echo $((jobs < 1 ? 1 : jobs > 6 ? 6 : jobs))
}

open_build()
{
    need_packages build tests gpu
    have nvcc || fail "nvcc is not here: install NVIDIA's CUDA toolkit (12 or later)"
    build_gpu_tests
    GPU_TESTS=$(list_gpu_tests "$BUILD_ROOT/gpu")$'\n'$(list_python_test ../plugin/libfovea.so)
    GPU_FACTS=$(build_facts)
    GPU_CWD=$BUILD_ROOT/gpu/tests
    LD_LIBRARY_PATH=$(gpu_library_path)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
}

open_bundle()
{
    local bundle=$1 library used=$BUILD_ROOT/gpu-lib
    GPU_TESTS=$(<"$bundle/tests.tsv")
    GPU_FACTS=$(<"$bundle/facts")
    GPU_CWD=$bundle
    rm -rf -- "$used"
    mkdir -p "$used"
    for library in "$bundle"/fallback/*; do
        [[ -n $(library_path "$(basename "$library")") ]] || ln -s "$library" "$used/"
    done
    export LD_LIBRARY_PATH=$bundle/lib:$used${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export VK_LAYER_PATH=$bundle/layers
    chmod -R u+x -- "$bundle/bin" 2>/dev/null || true
}

gpu_environment()
{
    local name place
    for name in $(compgen -e FOVEA_); do
        unset "$name"
    done
    export FOVEA_REQUIRE_GPU=1 FOVEA_REQUIRE_VALIDATION=1 FOVEA_TEST_CASES=all FOVEA_SOURCE_DIR=$ROOT
    export XDG_CONFIG_HOME=$BUILD_ROOT/no-config XDG_CACHE_HOME=$BUILD_ROOT/cache
    mkdir -p "$XDG_CACHE_HOME" # else drivers keep no shaders
    # Containers keep the driver's manifest where the loader does not look.
    if [[ -z ${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-} ]]; then
        for place in /etc/vulkan/icd.d /usr/share/vulkan/icd.d /usr/local/nvidia/share/vulkan/icd.d; do
            if [[ -e $place/nvidia_icd.json ]]; then
                export VK_DRIVER_FILES=$place/nvidia_icd.json VK_ICD_FILENAMES=$place/nvidia_icd.json
                break
            fi
        done
    fi
    if ! have compute-sanitizer; then
        PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer
    fi
}

report()
{
    printf '%s\n' "$*"
    [[ -n $REPORT ]] && printf '%s\n' "$*" >>"$REPORT"
    return 0
}

gpu_report()
{
    local failed=0
    SKIPPED=0
    [[ -n $REPORT ]] && { : >"$REPORT" || fail "cannot write $REPORT"; }
    report_machine "$2"
    list_gpu_jobs "$1"
    if [[ -z $AGAIN ]]; then
        run_gpu_jobs "$2" &
        GPU_POOL=$!
    fi
    report_tests || failed=1
    if (($1)); then
        report_sanitizers || failed=1
    else
        report '' && report 'compute-sanitizer was left out (--no-sanitizer).'
    fi
    [[ -n $AGAIN ]] || wait "$GPU_POOL"
    report_search
    report ''
    if ((failed)); then
        report '**Something failed.**'
    elif ((SKIPPED)); then
        report "**Everything passed; skipped: $SKIPPED, for the reasons in the table.**"
    else
        report '**Everything passed; nothing was skipped.**'
    fi
    return "$failed"
}

report_machine()
{
    if [[ -z $AGAIN ]]; then
        describe_machine "$1" >"$LOGS/gpu-machine"
    fi
    report "$(<"$LOGS/gpu-machine")"
}

describe_machine()
{
    local name value REPORT=''
    report '# Tests on a GPU'
    report ''
    report "Made by \`./run gpu-test\`."
    report ''
    report '| | |'
    report '|---|---|'
    report "| date | $(date -u '+%Y-%m-%d %H:%M UTC') |"
    while IFS=$'\t' read -r name value; do
        report "| $name | $value |"
    done <<<"$GPU_FACTS"
    nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader |
        head -n 1 | sed 's/, /\t/g' | while IFS=$'\t' read -r name driver memory capability; do
        printf '| device | %s, %s, compute capability %s |\n| driver | %s, CUDA %s |\n' "$name" "$memory" \
            "$capability" "$driver" "$(nvidia-smi | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p')"
    done >"$LOGS/device"
    report "$(<"$LOGS/device")"
    report "| validation layer | $(layer_version), no message allowed |"
    report "| system | $(. /etc/os-release && echo "$PRETTY_NAME"), $(uname -sr), $(nproc) cores |"
    report "| at a time | $1; those that measure times, or take all memory, alone |"
}

layer_version()
{
    local folder=${VK_LAYER_PATH:-/usr/share/vulkan/explicit_layer.d}
    sed -n 's/.*"api_version": *"\([^"]*\)".*/\1/p' "$folder/VkLayer_khronos_validation.json" | head -n 1
}

# gpu_run LOG SECONDS COMMAND-LINE [wrapper...]: in the folder of the programs.
gpu_run()
{
    local log=$1 seconds=$2 line=$3
    shift 3
    (
        cd "$GPU_CWD" || exit
        eval "timeout --kill-after=10 $seconds $* $line"
    ) >"$log" 2>&1 </dev/null
}

# ---- Several at a time ------------------------------------------------------------------------------

# A job is a test, or a test under a tool: "NAME" or "TOOL-NAME". Its output is in gpu-JOB.log; when it has
# ended, gpu-JOB.end has its status and seconds.
declare -A JOB_LINE=() JOB_SECONDS=() JOB_TOOL=()
JOBS_TOGETHER=() JOBS_ALONE=() JOBS_LAST=()

has_sanitizer()
{
    [[ -n $AGAIN ]] || have compute-sanitizer
}

# is_sanitized TOOL LABELS: tests of kernels run under every tool, the search's points only where addresses count.
is_sanitized()
{
    [[ ,$2, == *,kernel,* || ($1 == memcheck && ,$2, == *,memcheck,*) ]]
}

# Jobs, one a line, the slow ones first: by what they took on a GPU once, else by the time that they are allowed.
slow_ones_first()
{
    local job
    for job in "$@"; do
        printf '%s\t%s\n' "$job" "${JOB_SECONDS[$job]}"
    done | awk -F'\t' 'NR == FNR {took[$1] = $2; next} {print $1 in took ? took[$1] : $2, $1}' \
        "$ROOT/tests/run/gpu_seconds.tsv" - | sort -s -k1,1nr | cut -d' ' -f2
}

# None is left when the others are over. Of those that run alone the slow ones are last, because there may be an end
# to the time; then those that may take the GPU along.
list_gpu_jobs()
{
    local name labels seconds line tool
    if (($1)) && has_sanitizer; then
        for tool in "${SANITIZERS[@]}"; do
            while IFS=$'\t' read -r name labels seconds line; do
                ! is_sanitized "$tool" "$labels" || add_gpu_job "$tool-$name" $((seconds * 4)) "$line" "$tool"
            done <<<"$GPU_TESTS"
        done
    fi
    while IFS=$'\t' read -r name labels seconds line; do
        add_gpu_job "$name" "$seconds" "$line" '' "$labels"
    done <<<"$GPU_TESTS"
    mapfile -t JOBS_TOGETHER < <(slow_ones_first ${JOBS_TOGETHER[@]+"${JOBS_TOGETHER[@]}"})
    mapfile -t JOBS_ALONE < <(slow_ones_first ${JOBS_ALONE[@]+"${JOBS_ALONE[@]}"} | tac)
}

# add_gpu_job JOB SECONDS COMMAND-LINE TOOL [LABELS]
add_gpu_job()
{
    JOB_SECONDS[$1]=$2 JOB_LINE[$1]=$3 JOB_TOOL[$1]=$4
    [[ -n $AGAIN ]] || rm -f -- "$LOGS/gpu-$1".{log,end}
    if [[ ,${5-}, == *,last,* ]]; then
        JOBS_LAST+=("$1")
    elif [[ ,${5-}, == *,alone,* ]]; then
        JOBS_ALONE+=("$1")
    else
        JOBS_TOGETHER+=("$1")
    fi
}

# Beside others a job may take twice the time that it is allowed alone.
run_gpu_jobs()
{
    local at_a_time=$1 job running=0 slower=$(($1 > 1 ? 2 : 1))
    for job in ${JOBS_TOGETHER[@]+"${JOBS_TOGETHER[@]}"}; do
        if ((running == at_a_time)); then
            wait -n
            running=$((running - 1))
        fi
        run_gpu_job "$job" "$slower" &
        running=$((running + 1))
    done
    wait
    for job in ${JOBS_ALONE[@]+"${JOBS_ALONE[@]}"} ${JOBS_LAST[@]+"${JOBS_LAST[@]}"}; do
        run_gpu_job "$job" 1
    done
}

run_gpu_job()
{
    local job=$1 tool=${JOB_TOOL[$1]} status=0 start wrapper=()
    local log=$LOGS/gpu-$job.log end=$LOGS/gpu-$job.end seconds=$((JOB_SECONDS[$1] * $2))
    if [[ -n $WITHIN ]]; then
        ((SECONDS < WITHIN)) || return 0
        seconds=$((seconds < WITHIN - SECONDS ? seconds : WITHIN - SECONDS))
    fi
    # These take a share of the cases: sanitizers look at kernels, and binary semaphores change no pixel.
    if [[ -n $tool || $job == *_binary ]]; then
        wrapper=(env -u FOVEA_TEST_CASES)
    fi
    if [[ -n $tool ]]; then
        wrapper+=(FOVEA_TEST_QUICK=1 compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 99)
    fi
    start=$(date +%s%N)
    gpu_run "$log" "$seconds" "${JOB_LINE[$job]}" ${wrapper[@]+"${wrapper[@]}"} || status=$?
    echo "$status $(seconds_since "$start")" >"$end.new"
    mv -- "$end.new" "$end"
}

# Sets STATUS and TOOK of a job when it has ended. 125, which no test has: its turn never came.
await_gpu_job()
{
    local end=$LOGS/gpu-$1.end
    while [[ ! -e $end && -z $AGAIN ]] && kill -0 "$GPU_POOL" 2>/dev/null; do
        sleep 0.1
    done
    read -r STATUS TOOK 2>/dev/null <"$end" || STATUS=125 TOOK=0
}

gpu_count()
{
    nvidia-smi -L 2>/dev/null | grep -c '^GPU '
}

# Judges a log and a status; a case skipped inside of a program is a failure here. Only tests that need several GPUs
# may be skipped, where there is one, and the Python package's tests where there is no torch or pytest.
verdict()
{
    local status=$1 log=$2 labels=$3
    if [[ $status == 77 && ,$labels, == *,gpus,* ]] && (($(gpu_count) < 2)); then
        echo 'skipped: one GPU'
    elif [[ $status == 77 && ,$labels, == *,python,* ]]; then
        echo "skipped: $(sed -n 's/^skip: //p' "$log" | tail -n 1)"
    elif [[ $status == 125 ]]; then
        echo 'FAILED: not reached'
    elif [[ $status == 77 ]] || grep -q '^\[  SKIPPED \] [A-Za-z_]' "$log"; then
        echo 'FAILED: skipped'
    elif [[ $status == 124 || $status == 137 ]]; then
        echo 'FAILED: out of time'
    elif [[ $status != 0 ]]; then
        echo "FAILED: status $status"
    else
        echo passed
    fi
}

report_tests()
{
    local name labels rest log result broken=()
    report '' && report '## Tests' && report ''
    report '| test | result | cases | seconds |'
    report '|---|---|---|---|'
    while IFS=$'\t' read -r name labels rest; do
        log=$LOGS/gpu-$name.log
        await_gpu_job "$name"
        result=$(verdict "$STATUS" "$log" "$labels")
        [[ $result == passed || $result == skipped:* ]] || broken+=("$name")
        [[ $result == skipped:* ]] && SKIPPED=$((SKIPPED + 1))
        report "| $name | $result | $(grep -cs '^\[       OK \]' "$log" || true) | $TOOK |"
    done <<<"$GPU_TESTS"
    report_notes
    report_cases
    for name in ${broken[@]+"${broken[@]}"}; do
        printf '\n---- %s\n' "$(relative "$LOGS/gpu-$name.log")" >&2
        grep -v '^\[       OK \] ' "$LOGS/gpu-$name.log" | tail -n 60 >&2 || true
    done
    ((${#broken[@]} == 0))
}

seconds_since()
{
    awk -v from="$1" -v to="$(date +%s%N)" 'BEGIN {printf "%.1f", (to - from) / 1e9}'
}

# Lines that begin with "report: " are numbers that a test wants to be read.
report_notes()
{
    local lines
    lines=$(sed -n '/^report: search, /d; s/^report: /- /p' "$LOGS"/gpu-test_*.log)
    if [[ -n $lines ]]; then
        report '' && report '## Measured by the tests' && report ''
        report 'The hand-over, costs, choices of auto and ages of samples with no other test beside them.'
        report '' && report "$lines"
    fi
}

# Reports what tests/search has drawn, and each point that failed as it takes it again.
report_search()
{
    local lines log
    lines=$(for log in "$LOGS"/gpu-{,memcheck-}test_search_*.log; do
        [[ ! -e $log ]] || sed -n 's/^report: search, /- /p' "$log"
    done)
    [[ -z $lines ]] && return
    report '' && report '## Search' && report ''
    report 'Random pictures and settings against the cpu backend. test_search_vulkan --point takes a failure again.'
    report '' && report "$lines"
}

# Cases are named as sentences: together they say what was tested.
report_cases()
{
    local name rest
    report '' && report '### Cases' && report ''
    while IFS=$'\t' read -r name rest; do
        report "- $name: $(sed -n 's/^\[       OK \] //p' "$LOGS/gpu-$name.log" 2>/dev/null | tr '_' ' ' |
            paste -s -d ';' | sed 's/;/; /g')"
    done <<<"$GPU_TESTS"
}

report_sanitizers()
{
    local name labels rest tool log result failed=0
    report '' && report '## compute-sanitizer' && report ''
    if ! has_sanitizer; then
        report 'FAILED: compute-sanitizer is not here; it comes with the CUDA toolkit.'
        return 1
    fi
    if have compute-sanitizer; then
        report "$(compute-sanitizer --version | sed -n 's/^Version /Version /p')"
        report ''
    fi
    report '| tool | test | result | seconds |'
    report '|---|---|---|---|'
    for tool in "${SANITIZERS[@]}"; do
        while IFS=$'\t' read -r name labels rest; do
            is_sanitized "$tool" "$labels" || continue
            log=$LOGS/gpu-$tool-$name.log
            await_gpu_job "$tool-$name"
            result=$(verdict "$STATUS" "$log" "$labels")
            [[ $result == passed ]] && result=$(grep -o 'ERROR SUMMARY: [0-9]* error.*\|RACECHECK SUMMARY: .*' "$log" | tail -n 1)
            if [[ $STATUS != 0 ]]; then
                failed=1
                tail -n 40 "$log" >&2
            fi
            report "| $tool | $name | ${result:-no summary} | $TOOK |"
        done <<<"$GPU_TESTS"
    done
    return "$failed"
}
