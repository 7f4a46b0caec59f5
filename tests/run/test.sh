# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run test: the stages one after the other; all are run even when one fails.

# shellcheck source=/dev/null
source "$ROOT/tests/run/stages.sh"

SIZE=full
ALL_CASES=0
BESIDE='' # the stages that prepare_beside prepares: choose_beside
declare -A STAGE_RESULT STAGE_SECONDS

help_test()
{
    cat <<END
./run test [--quick | --nightly] [--all-cases] [--only STAGE[,STAGE]] [--list]: what this machine can test.

  --quick        while you work: ${STAGES_QUICK[*]}, with a share of the slow tests
  (nothing)      before a commit lands: every stage. What is slow takes turns, so that each case runs within five commits
  --nightly      before a release, and after a change of kernels: every case, every architecture, every framework
  --all-cases    comparisons with a reference take every case, not one in five
  --only STAGES  these stages, with commas between them
  --list         names the stages

END
    list_stages
    cat <<END

FOVEA_JOBS=N: how many things at a time (here $JOBS). FOVEA_FUZZ_SECONDS=N: for each fuzz target, hours if you like.
FOVEA_STORM_SECONDS=N: for all storms together; FOVEA_STORM_SEED=N repeats what one has drawn.
MESA_SHADER_CACHE_DIR=DIR: keeps shaders there instead of in ~/.cache/fovea-tests, which './run clean' leaves.
GODOT=PROGRAM: tries the addon in that Godot, too.
CI=true: a stage that cannot be done here counts as failed. Logs: build/logs/. docs/contributing.md says what each size
takes and leaves out, and which tests may be tried a second time.
END
}

list_stages()
{
    local name
    for name in "${STAGES[@]}"; do
        printf '  %-10s %s\n' "$name" "${STAGE_ABOUT[$name]}"
    done
}

command_test()
{
    local stages=("${STAGES[@]}") name
    while (($#)); do
        case $1 in
        --all-cases) ALL_CASES=1 ;;
        --quick) SIZE=quick stages=("${STAGES_QUICK[@]}") ;;
        --nightly) SIZE=nightly ALL_CASES=1 ;;
        --only)
            IFS=, read -ra stages <<<"${2-}"
            ((${#stages[@]})) || wrong_usage "--only needs the name of a stage"
            shift
            ;;
        --list)
            list_stages
            return
            ;;
        *) wrong_usage "'test' does not understand '$1'" ;;
        esac
        shift
    done
    for name in "${stages[@]}"; do
        [[ -n ${STAGE_ABOUT[$name]-} ]] || wrong_usage "there is no stage '$name'"
    done
    mark_build_root
    frameworks_when_due "${stages[@]}"
    stages=("${DUE_STAGES[@]}")
    choose_beside "${stages[@]}"
    say_duration "${stages[@]}"
    prepare_stages "${stages[@]}"
    test_environment
    rm -f -- "$LOGS/gcc.built"
    for name in "${stages[@]}"; do
        rm -f -- "$LOGS/$name".* "$LOGS/${name}_package".*
    done
    start_beside
    for name in "${stages[@]}"; do
        run_stage "$name"
    done
    report_stages "${stages[@]}"
}

# Sets DUE_STAGES: the frameworks' stage waits for a change of what it depends on, unless somebody names it.
frameworks_when_due()
{
    DUE_STAGES=("$@")
    if [[ "$*" == "${STAGES[*]}" ]] && ! frameworks_are_due; then
        DUE_STAGES=("${STAGES[@]:0:${#STAGES[@]}-1}")
    fi
}

# The times of stages are kept: NAME SECONDS. Fewer tests of a stage, or more, are another stage, and so is one that is
# prepared beside others, whose seconds are those that are left.
times_file()
{
    printf '%s' "$BUILD_ROOT/stage-seconds"
}

stage_key()
{
    local size='' beside=''
    [[ $SIZE == full ]] || size=-$SIZE
    [[ " $BESIDE " != *" $1 "* ]] || beside=-beside
    echo "$1$size$( ((ALL_CASES)) && echo -all-cases)$beside"
}

# Seconds of a stage: as the last time that it passed here, else as on two cores.
expected_seconds()
{
    local known fixed=${STAGE_SECONDS_FIXED[$1]-0} total=${STAGE_SECONDS_ON_TWO[$1]-60}
    [[ $SIZE == quick ]] && total=${STAGE_SECONDS_ON_TWO_QUICK[$1]-$total}
    [[ $SIZE == nightly ]] && total=$((4 * total))
    known=$(sed -n "s/^$(stage_key "$1") //p" "$(times_file)" 2>/dev/null | tail -n 1)
    echo "${known:-$((fixed + (total - fixed) * 2 / (JOBS < 1 ? 1 : JOBS)))}"
}

keep_seconds()
{
    local key
    key=$(stage_key "$1")
    { grep -v "^$key " "$(times_file)" 2>/dev/null; echo "$key $2"; } >"$(times_file).new"
    mv -- "$(times_file).new" "$(times_file)"
}

# The first line: how long it takes, and what it leaves out.
say_duration()
{
    local name total=0 new=() left=''
    for name in "$@"; do
        total=$((total + $(expected_seconds "$name")))
        grep -q "^$(stage_key "$name") " "$(times_file)" 2>/dev/null || new+=("$name")
    done
    case $SIZE in
    quick) left=" It leaves out sanitizers, storms, clang-tidy, fuzzing, and most of Vulkan and emulated CUDA." ;;
    full) [[ "$*" != "${STAGES[*]:0:${#STAGES[@]}-1}" ]] || left=" The frameworks are left out, since nothing of theirs changed; --quick takes less, --nightly all." ;;
    esac
    ((${#new[@]} == 0)) || left=" (guessed for $JOBS cores)$left"
    say "This takes about $(minutes "$total").$left"
}

minutes()
{
    if (($1 < 90)); then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi
}

# Everything is installed before the first stage, so that a person can leave after a minute.
prepare_stages()
{
    local name groups=''
    for name in "$@"; do
        groups+=" ${STAGE_NEEDS[$name]}"
    done
    local wanted
    read -ra wanted <<<"$(tr ' ' '\n' <<<"$groups" | awk 'NF && !seen[$0]++' | tr '\n' ' ')"
    missing_packages "${wanted[@]}"
    if ((${#MISSING[@]} && !INSTALL)); then
        need_packages build
        warn "missing, and not installed because of --no-install; the stages that need them are skipped:"
        missing_packages "${wanted[@]}"
        ((${#MISSING[@]})) && list_missing >&2
    else
        need_packages "${wanted[@]}"
    fi
    if [[ " $* " == *" pytest "* || " $* " == *" storms "* ]]; then
        need_python || true
    fi
    if [[ " $* " == *" frameworks "* ]]; then
        need_frameworks || true
    fi
}

# Sets BESIDE: those that come after gcc's stage. One that comes before it would wait for what waits for gcc's build.
choose_beside()
{
    local before=" $* " after='' name
    if [[ $before == *" gcc "* ]]; then
        after=${before#*" gcc "}
        before=${before%%" gcc "*}
    fi
    BESIDE=''
    for name in $after; do
        if [[ " asan tsan tidy " == *" $name "* && "$before $BESIDE" != *" $name "* ]]; then
            BESIDE+="$name "
        fi
    done
}

# Many tests wait: for programs, windows, times. What later stages compile and read takes the processor's time that they leave,
# as soon as gcc's build is there, and none that a test wants.
start_beside()
{
    [[ -n $BESIDE ]] || return 0
    local mine=$BASHPID
    rm -f -- "$LOGS/beside.over"
    prepare_beside "$mine" </dev/null >/dev/null 2>&1 &
    BESIDE_PID=$!
}

# prepare_beside PID: for the stages that PID runs. A stage that was not prepared prepares itself.
prepare_beside()
{
    until [[ -e $LOGS/gcc.built || -e $LOGS/gcc.ended ]]; do
        is_running "$1" || return 0
        sleep 0.2
    done
    chrt --idle --pid 0 "$BASHPID" || renice -n 19 "$BASHPID"
    for STAGE in $([[ ! -e $LOGS/gcc.built ]] || echo "$BESIDE"); do
        (
            set -e
            "prepare_$STAGE"
        ) >"$LOGS/$STAGE.prepared-log" 2>&1
        echo $? >"$LOGS/$STAGE.prepared-status"
        mv -- "$LOGS/$STAGE.prepared-status" "$LOGS/$STAGE.prepared"
    done
    : >"$LOGS/beside.over"
}

# await_beside NAME: waits until that stage is prepared, or will not be.
await_beside()
{
    [[ " $BESIDE " == *" $1 "* ]] || return 0
    local -A hurried=()
    until [[ -e $LOGS/$1.prepared || -e $LOGS/beside.over ]] || ! is_running "$BESIDE_PID"; do
        hurry_beside "$1"
        sleep 0.5
    done
}

# Once somebody waits for it, it is worth as much as all else; only root may say so. A machine that is at rest does not mind.
# The shell below which it is prepared stays idle, and so begins the next stage idle. What was listed before NAME was
# prepared belongs to no later stage. What a process starts is as it is itself, so each is told once, in `hurried`.
hurry_beside()
{
    local pid pids
    pids=$(descendants "$BESIDE_PID")
    [[ ! -e $LOGS/$1.prepared ]] || return 0
    for pid in $pids; do
        [[ -z ${hurried[$pid]-} ]] || continue
        hurried[$pid]=1
        chrt --other --pid 0 "$pid"
        renice -n 0 "$pid"
    done >/dev/null 2>&1 || true
}

run_stage()
{
    STAGE=$1
    local start=$SECONDS status
    printf '%s%-8s%s %s ...\n' "$BOLD" "$STAGE" "$PLAIN" "${STAGE_ABOUT[$STAGE]}"
    logged "$LOGS/$STAGE.log" "stage_$STAGE"
    status=$?
    STAGE_SECONDS[$STAGE]=$((SECONDS - start))
    : >"$LOGS/$STAGE.ended"
    case $status in
    0)
        STAGE_RESULT[$STAGE]=passed
        keep_seconds "$STAGE" "${STAGE_SECONDS[$STAGE]}"
        ;;
    77) STAGE_RESULT[$STAGE]=skipped ;;
    *) STAGE_RESULT[$STAGE]=failed ;;
    esac
    if [[ $status == 77 && ${CI-} == true ]]; then
        STAGE_RESULT[$STAGE]=failed
    fi
    say "         ${STAGE_RESULT[$STAGE]}, ${STAGE_SECONDS[$STAGE]} s"
    if ((status == 77)); then
        sed 's/^/         /' "$LOGS/$STAGE.why"
    elif ((status)); then
        show_failure "$STAGE"
    fi
}

show_failure()
{
    local log=$LOGS/$1.log
    echo "---- the end of $(relative "$log")"
    tail -n 120 -- "$log"
    echo "----"
}

# Last of all, because CI shows the last 12,000 characters: of each stage that failed what failed, and how.
report_failures()
{
    local name
    for name in "$@"; do
        if [[ ${STAGE_RESULT[$name]} == failed ]]; then
            printf '\n%sFailed: %s%s\n' "$BOLD" "$name" "$PLAIN"
            failure_of "$name" | cut -c 1-4200 | head -c 8000
        fi
    done
}

# Shows the failed tests, or the complaints of a stage that has no list of tests, or else the end of its log.
failure_of()
{
    local log=$LOGS/$1.log
    if [[ -s $LOGS/$1.failed || -s $LOGS/$1.why ]]; then
        cat -- "$LOGS/$1".failed "$LOGS/$1".why 2>/dev/null
    elif ! /usr/bin/env python3 "$ROOT/tests/run/show_failed.py" "$LOGS/$1.junit.xml" "$LOGS/${1}_package.junit.xml"; then
        { grep -E -A 4 '^FAILED: |(error|warning): ' -- "$log" || tail -n 40 -- "$log"; } | head -n 60 | cut -c 1-240
    fi
}

report_stages()
{
    local name failed=0
    echo
    say "${BOLD}Stages${PLAIN}"
    for name in "$@"; do
        printf '  %-10s %-8s %5d s  %s\n' "$name" "${STAGE_RESULT[$name]}" "${STAGE_SECONDS[$name]}" \
            "${STAGE_ABOUT[$name]}"
        [[ ${STAGE_RESULT[$name]} == failed ]] && failed=1
    done
    report_skips "$@"
    report_left_out "$@"
    report_second_tries "$@"
    report_failures "$@"
    count_tests "$@"
    return "$failed"
}

# The closing line, of all stages together: a skipped test has not passed.
count_tests()
{
    local name file
    for name in "$@"; do
        for file in "$LOGS/$name.junit.xml" "$LOGS/${name}_package.junit.xml"; do
            [[ -s $file ]] && printf '%s\n' "$file"
        done
    done | /usr/bin/env python3 -c '
import sys, xml.etree.ElementTree as tree
passed = failed = skipped = 0
for path in sys.stdin.read().split():
    for case in tree.parse(path).iter("testcase"):
        if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped += 1
        elif case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        else:
            passed += 1
print(f"\n{passed} passed, {failed} failed, {skipped} skipped")'
}

# Names are in the logs; here their number, and why.
report_left_out()
{
    local name lines=''
    for name in "$@"; do
        [[ -s $LOGS/$name.left-out ]] &&
            lines+=$(sed 's/.*: //' "$LOGS/$name.left-out" | sort | uniq -c | sed "s/^ */  $name: /")$'\n'
    done
    lines=$(grep -v '^$' <<<"$lines")
    [[ -z $lines ]] || printf '\n%sTests not run, and why; their names: build/logs/*.left-out%s\n%s\n' "$BOLD" "$PLAIN" "$lines"
}

report_second_tries()
{
    local name lines=''
    for name in "$@"; do
        [[ -s $LOGS/$name.again ]] && lines+=$(sed 's/^/  /' "$LOGS/$name.again")$'\n'
    done
    if [[ -n $lines ]]; then
        printf '\n%sFailed beside others, passed alone: known races of docs/contributing.md%s\n%s' "$BOLD" "$PLAIN" "$lines"
    fi
}

report_skips()
{
    local name file lines=''
    for name in "$@"; do
        file=$LOGS/$name.why
        [[ -s $file ]] && lines+="  stage $name: $(<"$file")"$'\n'
        file=$LOGS/$name.skipped
        [[ -s $file ]] && lines+=$(sed "s/^/  $name, /" "$file")$'\n'
        file=$LOGS/$name.ctest
        [[ -s $file ]] && lines+=$(sed -n "s/.*Test *#[0-9]*: \([^ ]*\) .*\*\*\*Skipped.*/  $name, \1: all of it/p" "$file")$'\n'
    done
    lines=$(grep -v '^$' <<<"$lines")
    for name in pytest frameworks; do
        if [[ -s $LOGS/$name.pytest && -n ${STAGE_RESULT[$name]-} ]]; then
            lines+=$'\n'$(sed -n "s/^SKIPPED \\[[0-9]*\\] /  $name, /p" "$LOGS/$name.pytest")
        fi
    done
    lines=$(grep -v '^$' <<<"$lines")
    if [[ -n $lines ]]; then
        printf '\n%sNot tested on this machine%s\n%s\n' "$BOLD" "$PLAIN" "$lines"
    fi
}
