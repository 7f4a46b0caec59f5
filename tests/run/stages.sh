# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# The stages of ./run test: stage_NAME does it, with errexit on and its output in a log;
# STAGE_ABOUT says what it is and STAGE_NEEDS which packages. Status 77: cannot be done here, and
# the file that skip_stage wrote says why.

STAGES=(format gcc asan storms tsan tidy fuzz pytest frameworks)
STAGES_QUICK=(format gcc pytest)

declare -A STAGE_ABOUT=(
    [format]="layout of the sources"
    [gcc]="gcc, warnings are errors; every ctest"
    [asan]="clang, warnings are errors, address and undefined-behaviour sanitizers; every ctest"
    [storms]="programs under the layer while calls and memory fail, they stop, files are slow, windows change"
    [tsan]="clang, thread sanitizer, without a CUDA toolkit; tests with threads, or of what knows the toolkit"
    [tidy]="clang-tidy over the C sources"
    [fuzz]="fuzzing of what reads foreign bytes"
    [pytest]="public headers, exported symbols, installation, ./run, the demo, the Python package"
    [frameworks]="the Python package beside PyTorch, JAX, ViZDoom, EnvPool, MuJoCo, Ray and others"
)
declare -A STAGE_NEEDS=(
    [format]="format"
    [gcc]="build render tests window check engines"
    [asan]="build render tests window check engines"
    [storms]="build render tests window check"
    [tsan]="build tests check"
    [tidy]="build tests check"
    [fuzz]="build tests check"
    [pytest]="build render tests window check engines"
    [frameworks]="build tests check frameworks"
)

# On two cores, all of them ours and nothing built before: what a stage is thought to take until it has been run here.
declare -A STAGE_SECONDS_ON_TWO=(
    [format]=5 [gcc]=1000 [asan]=850 [storms]=80 [tsan]=150 [tidy]=130 [fuzz]=110 [pytest]=750 [frameworks]=200
)
# Of those, what does not become less with more cores.
declare -A STAGE_SECONDS_FIXED=([storms]=80 [fuzz]=30 [pytest]=240 [frameworks]=60)

FUZZ_SECONDS=${FOVEA_FUZZ_SECONDS-}
STORM_SECONDS=${FOVEA_STORM_SECONDS-60}
STORM_SEED=${FOVEA_STORM_SEED-}

skip_stage()
{
    printf '%s\n' "$*" >"$LOGS/$STAGE.why"
    return 77
}

# What tests may see of this machine: no settings of the person who runs them, the CPU's Vulkan
# where there is no NVIDIA GPU.
test_environment()
{
    local lavapipe=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json name
    for name in $(compgen -e FOVEA_); do
        [[ $name == FOVEA_REQUIRE_GPU ]] || unset "$name"
    done
    # What backends cost is kept here; ccache's own cache stays where it is.
    have ccache && export CCACHE_DIR=${CCACHE_DIR:-$(ccache --get-config cache_dir)}
    export XDG_CONFIG_HOME=$BUILD_ROOT/no-config XDG_CACHE_HOME=$BUILD_ROOT/cache
    if [[ -z ${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-} && ! -e /dev/nvidiactl && -e $lavapipe ]]; then
        export VK_DRIVER_FILES=$lavapipe VK_ICD_FILENAMES=$lavapipe
    fi
    # Mesa's drivers keep the shaders that they made; else each stage, and each program of ./run test's that has
    # folders of its own, makes them again.
    export MESA_SHADER_CACHE_DIR=$BUILD_ROOT/cache
    comma_locale
    ((ALL_CASES)) && export FOVEA_TEST_CASES=all
    # Where the layer is, a test that goes without it is a defect.
    sign_is_there layer: && export FOVEA_REQUIRE_VALIDATION=1
    # clang 14 guesses what a thread has in a library's variables, wrongly where a driver stays loaded: the search for
    # leaks then reads address 0x150.
    export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:abort_on_error=0:intercept_tls_get_addr=0
    export LSAN_OPTIONS=suppressions=$ROOT/tests/lsan.supp:print_suppressions=0
    export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
    export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
}

# A locale of our own making: few machines have one with decimal commas.
comma_locale()
{
    local folder=$BUILD_ROOT/locale
    if [[ ! -d $folder/de_DE.UTF-8 && -e /usr/share/i18n/locales/de_DE ]] && have localedef; then
        mkdir -p "$folder"
        localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" >/dev/null 2>&1
    fi
    [[ ! -d $folder/de_DE.UTF-8 ]] || export LOCPATH=$folder
}

# run_ctest BUILD [ctest arguments]: what it prints goes to the log, its summary also to a file of
# its own. Not a single test is a failure.
run_ctest()
{
    local name=$1 status=0
    shift
    cp /dev/null "$LOGS/$STAGE.ctest"
    ctest --test-dir "$BUILD_ROOT/$name" --no-tests=error --output-on-failure -j "$JOBS" \
        --output-junit "$LOGS/$STAGE.junit.xml" "$@" | tee "$LOGS/$STAGE.ctest" || status=$?
    skipped_cases "$BUILD_ROOT/$name" >"$LOGS/$STAGE.skipped"
    local failed
    failed=$(sed -n 's/^\t *[0-9]* - \([^ ]*\) (\(Failed\|Timeout\)).*/\1/p' "$LOGS/$STAGE.ctest")
    if ((status)) && few "$failed"; then
        status=0
        ctest --test-dir "$BUILD_ROOT/$name" --no-tests=error --output-on-failure --rerun-failed || status=$?
        ((status)) || passed_alone "$failed"
    fi
    return "$status"
}

# run_ctest_without REGEX BUILD: the tests whose names match wait for --all-cases.
run_ctest_without()
{
    local left_out=(-E "$1")
    ((ALL_CASES)) && left_out=()
    run_ctest "$2" ${left_out[@]+"${left_out[@]}"}
}

# Other work on the same cores makes a bound of time fail now and then. Where one to three tests fail, they are run again,
# one after the other; what passes then counts as passed, and the report names it.
few()
{
    local count
    count=$(wc -w <<<"$1")
    ((count >= 1 && count <= 3))
}

passed_alone()
{
    local test
    for test in $1; do
        printf '%s: %s\n' "$STAGE" "$test" | tee -a "$LOGS/$STAGE.again"
    done
}

# Skips inside of a test program, as cmocka prints them: "[  SKIPPED ] name".
skipped_cases()
{
    local log=$1/Testing/Temporary/LastTest.log
    awk '/^[0-9]+\/[0-9]+ Test(ing)?: /{program = $NF}
         /^\[  SKIPPED \] [A-Za-z_]/{if (!seen[program, $4]++) print program ": " $4}' "$log"
}

stage_format()
{
    [[ -n $(clang_format) ]] ||
        skip_stage "clang-format $CLANG_FORMAT_VERSION is not here, and others lay out differently"
    format_sources --dry-run -Werror
}

# The architecture that is measured. Device code differs below and from 8.0 on, and from 9.0 on (__CUDA_ARCH__), and no
# further: --all-cases has the oldest too, of which else PTX is made for test_cuda_ptx75. All six take minutes more.
stage_gcc()
{
    local architectures=90
    ((ALL_CASES)) && architectures='75;90'
    configure gcc -DCMAKE_C_COMPILER="$(gcc_compiler)" -DFOVEA_WERROR=ON "-DFOVEA_CUDA_ARCHITECTURES=$architectures"
    build gcc
    # Other emulated tests run the same kernels, in fewer combinations.
    run_ctest_without '^test_emulated_kernels$' gcc
}

# For the stages that use what this one builds.
build_with_gcc()
{
    [[ -e $BUILD_ROOT/gcc/build.ninja ]] || configure gcc -DFOVEA_WERROR=ON
    build gcc
}

gcc_compiler()
{
    if have gcc; then echo gcc; else echo cc; fi
}

needs_clang()
{
    have clang || skip_stage "clang is not here"
}

# The kernels are those of gcc's stage: sanitizers look at C, and nvcc takes minutes.
stage_asan()
{
    needs_clang
    local kernels=()
    if ((CUDA)) && have nvcc; then
        build_with_gcc
        kernels=("-DFOVEA_CUDA_KERNELS_FROM=$BUILD_ROOT/gcc")
    fi
    configure asan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DFOVEA_WERROR=ON -DCMAKE_C_FLAGS="$ASAN_FLAGS" \
        ${kernels[@]+"${kernels[@]}"}
    build asan
    # Recorded frames are those of vulkan, in command buffers of somebody else.
    run_ctest_without '_recorded$' asan
}
ASAN_FLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O2'

# Of what gcc's stage builds. What failed says how to repeat it.
stage_storms()
{
    need_python || skip_stage "pytest and its companions are not here (tests/requirements.txt)"
    build_with_gcc
    FOVEA_BUILD_DIR=$BUILD_ROOT/gcc FOVEA_STORM_SECONDS=$STORM_SECONDS FOVEA_STORM_SEED=$STORM_SEED \
        "$PYTHON" -m pytest -c "$ROOT/tests/pytest.ini" -o cache_dir="$BUILD_ROOT/cache/pytest" \
        --junitxml="$LOGS/storms.junit.xml" -s -q "$ROOT/tests/layer/storms.py"
}

# Threads of our own without a Vulkan device below them: drivers are not built for this sanitizer. It does not look at
# what registers wider than 16 bytes read and write. This is also the build of a machine without a CUDA toolkit.
stage_tsan()
{
    needs_clang
    local log=$LOGS/tsan-configure.log
    unset CUDA_PATH CUDA_HOME
    configure tsan -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DFOVEA_WERROR=ON -DFOVEA_CPU_VECTORS=OFF \
        -DCMAKE_C_FLAGS='-fsanitize=thread -fno-omit-frame-pointer -O2' \
        -DFOVEA_CUDA=ON "-DCMAKE_IGNORE_PATH=$(cuda_folders)" >"$log" 2>&1 || {
        cat "$log"
        return 1
    }
    cat "$log"
    if [[ $(show_notices "$log" | grep -c 'no CUDA toolkit') != 1 ]]; then
        echo "A build without a CUDA toolkit has to say so, once."
        return 1
    fi
    build tsan
    run_ctest tsan -L '^unit$' \
        -R 'gaze|thread|cpu|config|context|map_store|log|layer_(input|keys|gone|cookie|windows)|godot_(tables|load|shaders)'
}

# Where programs of a toolkit are, for CMake to look past them.
cuda_folders()
{
    local nvcc folders=/usr/local/cuda/bin
    for nvcc in $(type -ap nvcc); do
        folders+=";$(dirname "$nvcc");$(dirname "$(readlink -f "$nvcc")")"
    done
    echo "$folders"
}

stage_tidy()
{
    have run-clang-tidy || skip_stage "run-clang-tidy is not here"
    local base=asan
    [[ -e $BUILD_ROOT/asan/compile_commands.json ]] || base=gcc
    [[ -e $BUILD_ROOT/$base/compile_commands.json ]] || build_with_gcc
    # Each file once, although tests and libraries may both compile it; sources made by the build
    # and CUDA are not for clang-tidy.
    mkdir -p "$BUILD_ROOT/tidy"
    /usr/bin/env python3 - "$BUILD_ROOT/$base/compile_commands.json" "$ROOT" "$BUILD_ROOT" \
        >"$BUILD_ROOT/tidy/compile_commands.json" <<'PYTHON'
import json, sys
commands, root, build = json.load(open(sys.argv[1])), sys.argv[2] + "/", sys.argv[3] + "/"
ours = {}
for entry in commands:
    file = entry["file"]
    if file.startswith(root) and "/config/cjson/" not in file and not file.startswith(build) and file.endswith(".c"):
        entry["command"] = entry["command"].replace("/usr/bin/ccache ", "")
        ours.setdefault(file, entry)
json.dump(list(ours.values()), sys.stdout)
PYTHON
    # Nine tenths of the time are the analyzer's. It goes to statements first that it has not seen, so that a tenth of its
    # usual steps, 225,000 for a function, reaches the same ones; more steps are more ways to them, for every case.
    local way=()
    ((ALL_CASES)) || way=(-extra-arg={-Xclang,-analyzer-config,-Xclang,max-nodes=20000})
    run-clang-tidy -quiet -p "$BUILD_ROOT/tidy" -j "$JOBS" ${way[@]+"${way[@]}"} | sed 's/\x1b\[[0-9;]*m//g'
}

stage_fuzz()
{
    needs_clang
    configure fuzz -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DFOVEA_FUZZ=ON -DFOVEA_CUDA=OFF \
        -DFOVEA_SAMPLE_SCENE=OFF -DCMAKE_C_FLAGS="$ASAN_FLAGS -fsanitize=fuzzer-no-link"
    build fuzz fovea_fuzzers
    local target count=0
    rm -f -- "$LOGS"/fuzz_*.out
    for target in "$BUILD_ROOT"/fuzz/fuzz/fuzz_*; do
        if [[ -f $target && -x $target ]]; then
            while (($(jobs -rp | wc -l) >= JOBS)); do
                sleep 1
            done
            fuzz_one "$target" >"$LOGS/$(basename "$target").out" 2>&1 &
            count=$((count + 1))
        fi
    done
    wait
    cat "$LOGS"/fuzz_*.out
    ((count)) || { echo "no fuzz target was built"; return 1; }
    [[ $(cat "$LOGS"/fuzz_*.out | grep -c '^== .*: done$') == "$count" ]]
}

# Thirty seconds for the configuration, ten for each of the others; more with --all-cases.
fuzz_one()
{
    local name seconds=10 seeds corpus
    name=$(basename "$1")
    [[ $name == fuzz_config* ]] && seconds=30
    ((ALL_CASES)) && seconds=$((4 * seconds))
    seeds=$ROOT/tests/fuzz/seeds/$name corpus=$BUILD_ROOT/fuzz/corpus/$name
    mkdir -p "$corpus"
    local arguments=(-max_total_time="${FUZZ_SECONDS:-$seconds}" -timeout=10 -rss_limit_mb=2048
        -print_final_stats=1 -verbosity=1 -artifact_prefix="$LOGS/$name-" "$corpus")
    [[ -d $seeds ]] && arguments+=("$seeds")
    [[ -e $seeds.dict ]] && arguments+=(-dict="$seeds.dict")
    echo "== $name"
    "$1" "${arguments[@]}"
    echo "== $name: done"
}

stage_pytest()
{
    need_python || skip_stage "pytest and its companions are not here (tests/requirements.txt)"
    build_with_gcc
    python_tests pytest "$ROOT/tests"
    python_tests pytest_package "$ROOT/python/tests"
}

# The wheel is the same for every Python: the stage pytest has made it, and tested it with the oldest and the newest
# Python that is here. Types and syntax are looked at for the oldest that the package is for, and with --all-cases for the
# newest, and by test_types for the one that is here. So are other slow tests.
stage_frameworks()
{
    need_frameworks || skip_stage "PyTorch, JAX and the others are not here (python/tests/requirements-frameworks.txt)"
    local version
    for version in $( ((ALL_CASES)) && echo 3.14) 3.10; do
        (cd "$ROOT/python" && "$PYTHON" -m mypy --python-version "$version" --cache-dir "$BUILD_ROOT/cache/mypy")
    done
    build_with_gcc
    python_tests frameworks "$ROOT/python/tests" --ignore="$ROOT/python/tests/test_wheel.py"
}

# python_tests NAME FOLDER [arguments of pytest]: its summary goes to a file of the stage's, too.
python_tests()
{
    local name=$1 quick=()
    shift
    if ((QUICK)) || { [[ $STAGE == frameworks ]] && ((!ALL_CASES)); }; then
        quick=(-m 'not slow')
    fi
    local log=$LOGS/$STAGE-$name.pytest status=0
    local test=("$PYTHON" -m pytest -c "$ROOT/tests/pytest.ini" -o cache_dir="$BUILD_ROOT/cache/$STAGE-$name" -rsf)
    export FOVEA_BUILD_DIR=$BUILD_ROOT/gcc
    rm -rf -- "$BUILD_ROOT/cache/$STAGE-$name"
    "${test[@]}" --junitxml="$LOGS/$name.junit.xml" ${quick[@]+"${quick[@]}"} "$@" | tee "$log" || status=$?
    cat -- "$log" >>"$LOGS/$STAGE.pytest"
    local failed
    failed=$(sed -n 's/^FAILED \([^ ]*\).*/\1/p' "$log")
    if ((status == 1)) && few "$failed"; then
        status=0
        "${test[@]}" --last-failed ${quick[@]+"${quick[@]}"} "$@" || status=$?
        ((status)) || passed_alone "$failed"
    fi
    return "$status"
}
