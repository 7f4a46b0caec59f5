# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# The stages of ./run test: stage_NAME does it, with errexit on and its output in a log;
# STAGE_ABOUT says what it is and STAGE_NEEDS which packages. Status 77: cannot be done here, and
# the file that skip_stage wrote says why.

# Those that wait most come first: what the others compile is compiled meanwhile (prepare_beside).
STAGES=(format gcc pytest storms asan fuzz tsan tidy frameworks)
STAGES_QUICK=(format gcc pytest)

declare -A STAGE_ABOUT=(
    [format]="layout of the sources"
    [gcc]="gcc, warnings are errors; unit tests, a share of emulated CUDA and a third of Vulkan"
    [asan]="clang, address and undefined-behaviour sanitizers; unit tests, half of that third of Vulkan"
    [fuzz]="fuzzing of what reads foreign bytes, in the sanitizers' build"
    [storms]="programs under the layer while calls and memory fail, they stop, files are slow, windows change"
    [tsan]="clang, thread sanitizer, without a CUDA toolkit; tests with threads, or of what knows the toolkit"
    [tidy]="clang-tidy over C sources: those that changed, and a fifth of the others"
    [pytest]="public headers, exported symbols, installation, ./run, the demo, the layers, the Python package"
    [frameworks]="the Python package beside PyTorch, JAX, ViZDoom, EnvPool, MuJoCo, Ray, PsychoPy and others"
)
declare -A STAGE_NEEDS=(
    [format]="format"
    [gcc]="build render tests window check engines"
    [asan]="build render tests window check engines"
    [fuzz]="build render tests window check"
    [storms]="build render tests window check"
    [tsan]="build tests check"
    [tidy]="build render tests window check"
    [pytest]="build render tests window check engines"
    [frameworks]="build tests check frameworks"
)

# A stage takes so long on two cores, all of them ours and nothing built before: a guess until it has been run here.
# docs/contributing.md has the measurement.
declare -A STAGE_SECONDS_ON_TWO=(
    [format]=5 [gcc]=420 [asan]=320 [fuzz]=60 [storms]=50 [tsan]=90 [tidy]=70 [pytest]=250 [frameworks]=600
)
declare -A STAGE_SECONDS_ON_TWO_QUICK=([format]=5 [gcc]=330 [pytest]=300)
# This part of it does not become less with more cores.
declare -A STAGE_SECONDS_FIXED=([fuzz]=10 [storms]=25 [pytest]=60 [frameworks]=200)

STORM_SEED=${FOVEA_STORM_SEED-}
STORM_SECONDS=${FOVEA_STORM_SECONDS-}
FUZZ_SECONDS=${FOVEA_FUZZ_SECONDS-}

# The number of the commit says whose turn it is, and seeds what is drawn at random: a run can be repeated.
COMMIT=$(git -C "$ROOT" rev-list --count HEAD 2>/dev/null || echo 0)

has_gpu()
{
    [[ -e /dev/nvidiactl ]]
}

skip_stage()
{
    printf '%s\n' "$*" >"$LOGS/$STAGE.why"
    return 77
}

# Tests see this of the machine: no settings of the person who runs them, the CPU's Vulkan where there is no NVIDIA
# GPU.
test_environment()
{
    local lavapipe=/usr/share/vulkan/icd.d/lvp_icd.x86_64.json name
    for name in $(compgen -e FOVEA_); do
        [[ $name == FOVEA_REQUIRE_GPU ]] || unset "$name"
    done
    local user_cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    user_cache=${user_cache:+$user_cache/fovea-tests}
    # The costs of backends are kept here; ccache's own cache stays where it is.
    have ccache && export CCACHE_DIR=${CCACHE_DIR:-$(ccache --get-config cache_dir)}
    export XDG_CONFIG_HOME=$BUILD_ROOT/no-config XDG_CACHE_HOME=$BUILD_ROOT/cache
    if [[ -z ${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-} && ! -e /dev/nvidiactl && -e $lavapipe ]]; then
        export VK_DRIVER_FILES=$lavapipe VK_ICD_FILENAMES=$lavapipe
    fi
    # Mesa's drivers keep the shaders that they made; else each stage, and each program of ./run test's that has
    # folders of its own, makes them again, a second or two each. A name says what a shader was made of, and by which driver:
    # like ccache's objects they serve other folders with these sources.
    export MESA_SHADER_CACHE_DIR=${MESA_SHADER_CACHE_DIR:-${user_cache:-$BUILD_ROOT/cache}}
    if ! mkdir -p -- "$MESA_SHADER_CACHE_DIR" 2>/dev/null || [[ ! -w $MESA_SHADER_CACHE_DIR ]]; then
        export MESA_SHADER_CACHE_DIR=$BUILD_ROOT/cache
    fi
    comma_locale
    ((ALL_CASES)) && export FOVEA_TEST_CASES=all
    export FOVEA_TEST_COMMIT=$COMMIT
    # If the layer is there, a test that goes without it is a defect.
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
# its own. Not a single test is a failure. Of ctest's slots there are three a core, so that those that wait hold up no
# others (fovea_add_run).
run_ctest()
{
    local name=$1 status=0 failed
    shift
    cp /dev/null "$LOGS/$STAGE.ctest"
    ctest --test-dir "$BUILD_ROOT/$name" --no-tests=error --output-on-failure -j $((3 * JOBS)) \
        --output-junit "$LOGS/$STAGE.junit.xml" "$@" | tee "$LOGS/$STAGE.ctest" || status=$?
    skipped_cases "$BUILD_ROOT/$name" >"$LOGS/$STAGE.skipped"
    failed=$(sed -n 's/^\t *[0-9]* - \([^ ]*\) (\(Failed\|Timeout\)).*/\1/p' "$LOGS/$STAGE.ctest")
    if ((status)) && may_try_again "$failed"; then
        status=0
        ctest --test-dir "$BUILD_ROOT/$name" --no-tests=error --output-on-failure --rerun-failed || status=$?
        ((status)) || passed_alone "$failed"
    fi
    return "$status"
}

# choose_tests BUILD [arguments]: those of its tests that are this stage's and this commit's (choose_tests.py), by their
# numbers in STAGE.numbers.
choose_tests()
{
    local gpu=()
    has_gpu && gpu=(--gpu)
    ctest --test-dir "$BUILD_ROOT/$1" --show-only=json-v1 | /usr/bin/env python3 "$ROOT/tests/run/choose_tests.py" \
        --size "$SIZE" --stage "$STAGE" --commit "$COMMIT" ${gpu[@]+"${gpu[@]}"} --left-out "$LOGS/$STAGE.left-out" \
        "${@:2}" >"$LOGS/$STAGE.numbers"
}

# A test whose bound of time other work on the same cores can break, and no other, may be tried again alone: it is in
# docs/contributing.md's list of known races with its reason, and the report names it.
may_try_again()
{
    local test count
    count=$(wc -w <<<"$1")
    ((count >= 1 && count <= 3)) || return 1
    for test in $1; do
        known_race "$test" || return 1
    done
}

known_race()
{
    local pattern
    while read -r pattern; do
        # shellcheck disable=SC2053  # a pattern
        [[ $1 == $pattern ]] && return 0
    done < <(sed -n "/^## Known races/,/^## /s/^| \`\([^\`]*\)\` |.*/\1/p" "$ROOT/docs/contributing.md")
    echo "$1 failed; it is not in docs/contributing.md's list of known races, so it is not tried again."
    return 1
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

# Nothing here runs machine code for GPUs unless there is one: the host's code and the emulated kernels are tested, and
# nvcc only shows that the kernels compile.
stage_gcc()
{
    configure_gcc
    build gcc
    : >"$LOGS/gcc.built" # prepare_beside waits for it
    choose_tests gcc
    run_ctest gcc -I "$LOGS/gcc.numbers"
}

configure_gcc()
{
    local cuda=(-DFOVEA_CUDA=ON -DFOVEA_CUDA_ARCHITECTURES=check)
    if [[ $CUDA == OFF ]]; then
        cuda=()
    elif [[ $SIZE == nightly ]]; then
        cuda=(-DFOVEA_CUDA=ON -DFOVEA_CUDA_ARCHITECTURES=portable)
    elif has_gpu; then
        cuda=(-DFOVEA_CUDA=ON -DFOVEA_CUDA_ARCHITECTURES=)
    fi
    # Reports need lines, and no names of variables. gcc warns of less where it does not optimise at all. Libraries are
    # linked by the linker that people have.
    link_by_lld EXE
    configure gcc -DCMAKE_C_COMPILER="$(gcc_compiler)" -DFOVEA_WERROR=ON -DCMAKE_{C,CXX}_FLAGS_RELWITHDEBINFO='-O2 -g1 -DNDEBUG' \
        -DFOVEA_TESTS_OPTIONS=-O1 ${LINKER[@]+"${LINKER[@]}"} ${cuda[@]+"${cuda[@]}"}
}

# build_with_gcc [target...]: for the stages that use what this one builds, unless it has just built.
build_with_gcc()
{
    [[ ! -e $LOGS/gcc.built ]] || return 0
    [[ -e $BUILD_ROOT/gcc/build.ninja ]] || configure_gcc
    build gcc "$@"
}

gcc_compiler()
{
    if have gcc; then echo gcc; else echo cc; fi
}

# prepared NAME: the part of a stage that compiles or reads and runs no test (prepare_NAME). Where all of ./run test is run,
# prepare_beside has begun it: then this waits for it, and shows what it said.
prepared()
{
    await_beside "$1"
    if [[ -e $LOGS/$1.prepared ]]; then
        cat -- "$LOGS/$1.prepared-log"
        return "$(<"$LOGS/$1.prepared")"
    fi
    "prepare_$1"
}

needs_clang()
{
    have clang || skip_stage "clang is not here"
}

# Sanitizers look at C: the kernels and the shaders are those of gcc's stage. Of the tests' programs those are built that
# are run. What the fuzz targets search is built for them (fovea_add_fuzz).
stage_asan()
{
    prepared asan
    run_ctest asan -I "$LOGS/asan.numbers"
}

prepare_asan()
{
    needs_clang
    build_with_gcc
    configure_asan
    choose_tests asan --build "$BUILD_ROOT/asan" --programs "$LOGS/asan.programs"
    local programs=()
    [[ $SIZE == nightly ]] || readarray -t programs <"$LOGS/asan.programs" # a nightly run compiles all with clang's warnings
    build asan "${programs[@]}"
}
ASAN_FLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O2'

configure_asan()
{
    local kernels=("-DFOVEA_KERNELS_FROM=$BUILD_ROOT/gcc")
    if [[ $CUDA != OFF ]] && have nvcc; then
        kernels+=(-DFOVEA_CUDA=ON
            "-DFOVEA_CUDA_ARCHITECTURES=$(sed -n 's/^FOVEA_CUDA_ARCHITECTURES:[A-Z]*=//p' "$BUILD_ROOT/gcc/CMakeCache.txt")")
    fi
    configure_clang asan -DFOVEA_FUZZ=ON -DCMAKE_C_FLAGS="$ASAN_FLAGS" "${kernels[@]}"
}

# link_by_lld KIND...: sets LINKER for cmake. Most programs are linked in half of the time by LLVM's linker.
link_by_lld()
{
    LINKER=()
    have ld.lld && LINKER=("${@/%/_LINKER_FLAGS=-fuse-ld=lld}") && LINKER=("${LINKER[@]/#/-DCMAKE_}")
    return 0
}

configure_clang()
{
    link_by_lld EXE SHARED MODULE
    configure "$1" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-gline-tables-only -DCMAKE_C_COMPILER=clang \
        -DFOVEA_WERROR=ON -DFOVEA_TESTS_OPTIONS=-O0 ${LINKER[@]+"${LINKER[@]}"} "${@:2}"
}

# The storms use what gcc's stage builds. A failure says how to repeat it.
stage_storms()
{
    need_python || skip_stage "pytest and its companions are not here (tests/requirements.txt)"
    build_with_gcc
    local seconds=20
    [[ $SIZE == nightly ]] && seconds=600
    FOVEA_BUILD_DIR=$BUILD_ROOT/gcc FOVEA_STORM_SECONDS=${STORM_SECONDS:-$seconds} \
        FOVEA_STORM_SEED=${STORM_SEED:-$COMMIT} \
        "$PYTHON" -m pytest -c "$ROOT/tests/pytest.ini" -o cache_dir="$BUILD_ROOT/cache/pytest" \
        --junitxml="$LOGS/storms.junit.xml" -s -q "$ROOT/tests/layer/storms.py"
}

# Threads of our own without a Vulkan device below them: drivers are not built for this sanitizer. It does not look at
# what registers wider than 16 bytes read and write. This is also the build of a machine without a CUDA toolkit.
stage_tsan()
{
    prepared tsan
    run_ctest tsan -L '^unit$' -R "$TSAN_TESTS" -E '^test_(search|bench)_'
}

prepare_tsan()
{
    needs_clang
    local log=$LOGS/tsan-configure.log
    build_with_gcc fovea_shaders
    unset CUDA_PATH CUDA_HOME
    configure_clang tsan -DFOVEA_CPU_VECTORS=OFF -DCMAKE_C_FLAGS='-fsanitize=thread -fno-omit-frame-pointer -O2' \
        "-DFOVEA_KERNELS_FROM=$BUILD_ROOT/gcc" -DFOVEA_CUDA=ON "-DCMAKE_IGNORE_PATH=$(cuda_folders)" >"$log" 2>&1 || {
        cat "$log"
        return 1
    }
    cat "$log"
    if [[ $(show_notices "$log" | grep -c 'no CUDA toolkit') != 1 ]]; then
        echo "A build without a CUDA toolkit has to say so, once."
        return 1
    fi
    local tests
    readarray -t tests < <(ctest --test-dir "$BUILD_ROOT/tsan" --show-only -L '^unit$' -R "$TSAN_TESTS" -E '^test_(search|bench)_' |
        sed -n 's/^ *Test *#[0-9]*: //p')
    build tsan "${tests[@]}"
}
TSAN_TESTS='gaze|late|thread|cpu|config|context|map_store|log|layer_(input|keys|gone|cookie|windows)|godot_(tables|load|shaders)'

# Lists the folders of a toolkit's programs, for CMake to look past them.
cuda_folders()
{
    local nvcc folders=/usr/local/cuda/bin
    for nvcc in $(type -ap nvcc); do
        folders+=";$(dirname "$nvcc");$(dirname "$(readlink -f "$nvcc")")"
    done
    echo "$folders"
}

# Each file once, although tests and libraries may both compile it; sources made by the build, which are those of gcc's,
# and CUDA are not for clang-tidy. Those that this branch or the last commits changed, and a fifth of the others by turns; --nightly takes all.
stage_tidy()
{
    prepared tidy
}

prepare_tidy()
{
    have run-clang-tidy || skip_stage "run-clang-tidy is not here"
    local base=asan
    [[ -e $BUILD_ROOT/asan/compile_commands.json ]] || base=gcc
    build_with_gcc # which makes sources
    mkdir -p "$BUILD_ROOT/tidy"
    tidy_changed >"$BUILD_ROOT/tidy/changed"
    /usr/bin/env python3 - "$BUILD_ROOT/$base/compile_commands.json" "$ROOT" "$BUILD_ROOT" "$COMMIT" "$SIZE" \
        >"$BUILD_ROOT/tidy/compile_commands.json" <<'PYTHON'
import json, sys
commands, root, build = json.load(open(sys.argv[1])), sys.argv[2] + "/", sys.argv[3] + "/"
commit, everything = int(sys.argv[4]), sys.argv[5] == "nightly"
changed = set(open(build + "tidy/changed").read().split())
ours = {}
for entry in commands:
    file = entry["file"]
    if file.startswith(root) and "/config/cjson/" not in file and not file.startswith(build) and file.endswith(".c"):
        entry["command"] = entry["command"].replace("/usr/bin/ccache ", "").replace(build + "asan/", build + "gcc/")
        ours.setdefault(file, entry)
files = sorted(ours)
turn = {file for place, file in enumerate(files) if (place + commit) % 5 == 0}
chosen = [file for file in files if everything or file in turn or file.removeprefix(root) in changed]
print(f"{len(chosen)} of {len(files)} files, {len(changed)} changed", file=sys.stderr)
json.dump([ours[file] for file in chosen], sys.stdout)
PYTHON
    # Nine tenths of the time are the analyzer's. It goes to statements first that it has not seen, so that a tenth of its
    # usual steps, 225,000 for a function, reaches the same ones; more steps are more ways to them, for every case.
    local way=()
    ((ALL_CASES)) || way=(-extra-arg={-Xclang,-analyzer-config,-Xclang,max-nodes=20000})
    run-clang-tidy -quiet -p "$BUILD_ROOT/tidy" -j "$JOBS" ${way[@]+"${way[@]}"} | sed 's/\x1b\[[0-9;]*m//g'
}

# Lists what changed since the branch that this one follows, or where it follows none the 150 files that changed last
# in the day before its last commit: on a day on which most files change the fifth has the others. Files that are not
# committed yet are listed, too.
tidy_changed()
{
    local base
    cd "$ROOT" || return
    git diff --name-only HEAD -- '*.c' 2>/dev/null || true
    base=$(git merge-base HEAD '@{upstream}' 2>/dev/null) || base=''
    if [[ -n $base && $base != "$(git rev-parse HEAD 2>/dev/null)" ]]; then
        git diff --name-only "$base" HEAD -- '*.c' 2>/dev/null || true
        return
    fi
    base=$(git rev-list -1 --before=$(($(git log -1 --format=%ct) - 86400)) HEAD)
    git log --format= --name-only "$base"..HEAD -- '*.c' 2>/dev/null | awk '!seen[$0]++ && ++count <= 150' || true
}

stage_fuzz()
{
    needs_clang
    await_beside asan # else two builds are made in one folder
    if [[ ! -e $BUILD_ROOT/asan/build.ninja ]]; then
        build_with_gcc
        configure_asan
    fi
    build asan fovea_fuzzers
    local target name stood_still="" failed=()
    rm -f -- "$LOGS"/fuzz_*.out
    for target in "$BUILD_ROOT"/asan/fuzz/fuzz_*; do
        if [[ -f $target && -x $target ]]; then
            while (($(jobs -rp | wc -l) >= JOBS)); do
                wait -n || true # its output says whether it failed
            done
            fuzz_one "$target" >"$LOGS/$(basename "$target").out" 2>&1 &
        fi
    done
    wait
    for target in "$LOGS"/fuzz_*.out; do
        [[ -e $target ]] || { echo "no fuzz target was built"; return 1; }
        name=$(basename "$target" .out)
        fuzz_passed "$name" || fuzz_stood_still "$name" || failed+=("$name")
    done
    for name in ${failed[@]+"${failed[@]}"}; do
        fuzz_failure "$name" | tee -a "$LOGS/fuzz.failed"
    done
    ((${#failed[@]} == 0))
}

# Prints a line for a target that has passed; its output is in a file of its own.
fuzz_passed()
{
    [[ $(tail -n 1 -- "$LOGS/$1.out") == "== $1: 0" ]] &&
        awk -v name="$1" '/^stat::number_of_executed_units:/ { runs = $2 } /^stat::average_exec_per_sec:/ { rate = $2 }
            END { printf "%s: %d runs, %d a second\n", name, runs, rate }' "$LOGS/$1.out"
}

# Prints the file of the input that a target failed on.
fuzz_input()
{
    sed -n 's/.*Test unit written to //p' "$LOGS/$1.out" | tail -n 1
}

# libFuzzer goes by the clock on the wall, which goes on where a machine stands still: an input that took ten seconds is
# tried again, alone, and its target after it. One target in a run may have that.
fuzz_stood_still()
{
    local input
    input=$(fuzz_input "$1")
    [[ -f $input && $input == *-timeout-* && -z $stood_still ]] && may_try_again "$1" || return 1
    stood_still=$1
    timeout 60 "$BUILD_ROOT/asan/fuzz/$1" -timeout=10 "$input" || return 1
    fuzz_one "$BUILD_ROOT/asan/fuzz/$1" >"$LOGS/$1.out" 2>&1
    fuzz_passed "$1" && passed_alone "$1"
}

# Prints all that somebody needs who sees nothing else.
fuzz_failure()
{
    local out=$LOGS/$1.out input text
    input=$(fuzz_input "$1")
    echo "== $1: failed with status $(sed -n '$s/.*: //p' "$out"), $(sed -n 's/^INFO: Seed/seed/p' "$out")"
    sed -n '/ERROR: \|runtime error: /,/^SUMMARY: /p' "$out" | grep -av '^SUMMARY: \| in fuzzer::' | head -n 12 || true
    grep -a '^SUMMARY: ' "$out" || tail -n 16 -- "$out"
    if [[ -f $input ]]; then
        text="base64 -d <<<'$(gzip -9nc "$input" | base64 -w 0)' | gunzip"
        ((${#text} < 4000)) || text="too long to be shown"
        echo "the input, $(wc -c <"$input") bytes: $(relative "$input"), or: $text"
        echo "again: $(relative "$BUILD_ROOT/asan/fuzz/$1") $(relative "$input")"
    fi
}

# Six seconds a target, twelve for the configuration, which is the slowest; --nightly takes two minutes, and
# FOVEA_FUZZ_SECONDS what a person has.
fuzz_one()
{
    local name seconds=6 seeds corpus
    name=$(basename "$1")
    [[ $name == fuzz_config* ]] && seconds=12
    [[ $SIZE == nightly ]] && seconds=120
    seeds=$ROOT/tests/fuzz/seeds/$name corpus=$BUILD_ROOT/fuzz-corpus/$name
    mkdir -p "$corpus"
    local arguments=(-max_total_time="${FUZZ_SECONDS:-$seconds}" -timeout=10 -rss_limit_mb=2048
        -print_final_stats=1 -verbosity=1 -artifact_prefix="$LOGS/$name-" "$corpus")
    [[ -d $seeds ]] && arguments+=("$seeds")
    [[ -e $seeds.dict ]] && arguments+=(-dict="$seeds.dict")
    local status=0
    "$1" "${arguments[@]}" || status=$?
    printf '\n== %s: %d\n' "$name" "$status"
}

stage_pytest()
{
    need_python || skip_stage "pytest and its companions are not here (tests/requirements.txt)"
    build_with_gcc
    # The package's one by one beside the others, with the time that those leave. The wheel has the library of gcc's stage;
    # one commit in five has pip compile it, whose shaders are those of that stage, and which nobody debugs.
    local package status=0 wheel="-DFOVEA_LIBRARY_FROM=$BUILD_ROOT/gcc"
    if [[ $SIZE == nightly || $((COMMIT % 5)) == 0 ]]; then
        wheel="-DFOVEA_KERNELS_FROM=$BUILD_ROOT/gcc -DCMAKE_C_FLAGS_DEBUG=-O0"
    fi
    (
        renice -n 10 "$BASHPID" || true
        WORKERS=0 CMAKE_ARGS=$wheel python_tests pytest_package "$ROOT/python/tests"
    ) >"$LOGS/pytest_package.out" 2>&1 &
    package=$!
    python_tests pytest "$ROOT/tests" || status=$?
    wait "$package" || {
        status=$?
        cat -- "$LOGS/pytest_package.out"
    }
    return "$status"
}

# The wheel is the same for every Python: the stage pytest has made it, and tested it with the oldest and the newest
# Python that is here. Types and syntax are looked at for the oldest that the package is for, and nightly for the
# newest, and by test_types for the one that is here.
stage_frameworks()
{
    need_frameworks || skip_stage "PyTorch, JAX and the others are not here (python/tests/requirements-frameworks.txt)"
    local version
    for version in $( ((ALL_CASES)) && echo 3.14) 3.10; do
        (cd "$ROOT/python" && "$PYTHON" -m mypy --python-version "$version" --cache-dir "$BUILD_ROOT/cache/mypy")
    done
    build_with_gcc
    # If a module that the requirements list cannot be imported, that is a failure here, not a skip.
    FOVEA_REQUIRE_FRAMEWORKS=1 python_tests frameworks "$ROOT/python/tests" --ignore="$ROOT/python/tests/test_wheel.py"
    frameworks_inputs >"$FRAMEWORKS_PASSED"
}

# The frameworks' stage depends on these, as they were when it last passed: 6 GB of libraries come only where one of
# them changed. The stage writes the file, and it is committed with the change.
FRAMEWORKS_PASSED=$ROOT/python/tests/frameworks-passed.sha256

frameworks_inputs()
{
    (cd "$ROOT" && our_sources 'python/*.py' 'python/*.c' 'python/*.txt' 'python/*.toml' ':(glob)plugin/*.h' |
        xargs -d '\n' sha256sum | sha256sum)
}

frameworks_are_due()
{
    [[ $SIZE == nightly || $(frameworks_inputs) != "$(cat "$FRAMEWORKS_PASSED" 2>/dev/null)" ]]
}

# python_tests NAME FOLDER [arguments of pytest]: file by file beside each other; its summary goes to a file of the
# stage's, too.
python_tests()
{
    local name=$1 left_out='nightly' failed
    shift
    [[ $SIZE == nightly ]] && left_out=''
    [[ $SIZE == quick ]] && left_out='nightly or slow'
    [[ $STAGE == frameworks && $SIZE != nightly ]] && left_out='nightly or slow'
    local log=$LOGS/$STAGE-$name.pytest status=0
    local test=("$PYTHON" -m pytest -c "$ROOT/tests/pytest.ini" -o cache_dir="$BUILD_ROOT/cache/$STAGE-$name" -rsf
        ${left_out:+-m "not ($left_out)"})
    local workers=${WORKERS-$((JOBS + 1))} beside=()
    [[ $STAGE == frameworks ]] || ((workers == 0)) || beside=(-n "$workers" --dist loadfile)
    export FOVEA_BUILD_DIR=$BUILD_ROOT/gcc
    [[ $SIZE == quick ]] && export FOVEA_TEST_TURNS=2
    rm -rf -- "$BUILD_ROOT/cache/$STAGE-$name"
    "${test[@]}" --junitxml="$LOGS/$name.junit.xml" ${beside[@]+"${beside[@]}"} "$@" | tee "$log" || status=$?
    cat -- "$log" >>"$LOGS/$STAGE.pytest"
    failed=$(sed -n 's/^FAILED \([^ ]*\).*/\1/p' "$log")
    if ((status == 1)) && may_try_again "$failed"; then
        status=0
        "${test[@]}" --last-failed "$@" || status=$?
        ((status)) || passed_alone "$failed"
    fi
    return "$status"
}
