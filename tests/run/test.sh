# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run test: the stages one after the other; all are run even when one fails.

# shellcheck source=/dev/null
source "$ROOT/tests/run/stages.sh"

QUICK=0
ALL_CASES=0
declare -A STAGE_RESULT STAGE_SECONDS

help_test()
{
    cat <<END
./run test [--quick] [--all-cases] [--only STAGE[,STAGE]] [--list]: everything that this machine can test.

  --quick        only: ${STAGES_QUICK[*]}
  --all-cases    comparisons with a reference take every case; else a sample of them, one in five or so. Also
                 what else is left out for time: CUDA for 7.5, the slow tests beside frameworks
  --only STAGES  these stages, with commas between them
  --list         names the stages

END
    list_stages
    cat <<END

FOVEA_JOBS=N: how many things at a time (here $JOBS). FOVEA_FUZZ_SECONDS=N: for each fuzz target.
FOVEA_STORM_SECONDS=N: for all storms together (60); FOVEA_STORM_SEED=N repeats what one has drawn.
CI=true: a stage that cannot be done here counts as failed. Logs: build/logs/. Where one to three tests of a stage fail,
they are run again, one after the other: what passes then counts as passed, and is named at the end.
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
        --quick) QUICK=1 stages=("${STAGES_QUICK[@]}") ;;
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
    say_duration "${stages[@]}"
    prepare_stages "${stages[@]}"
    test_environment
    for name in "${stages[@]}"; do
        run_stage "$name"
    done
    report_stages "${stages[@]}"
}

# What stages took is kept: NAME SECONDS. Fewer tests of a stage, or more, are another stage.
times_file()
{
    printf '%s' "$BUILD_ROOT/stage-seconds"
}

stage_key()
{
    echo "$1$( ((QUICK)) && echo -quick)$( ((ALL_CASES)) && echo -all-cases)"
}

# Seconds of a stage: as the last time that it passed here, else as on two cores.
expected_seconds()
{
    local known fixed=${STAGE_SECONDS_FIXED[$1]-0} total=${STAGE_SECONDS_ON_TWO[$1]-60}
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

say_duration()
{
    local name total=0 new=() left=()
    for name in "$@"; do
        total=$((total + $(expected_seconds "$name")))
        grep -q "^$(stage_key "$name") " "$(times_file)" 2>/dev/null || new+=("$name")
    done
    if ((${#new[@]})); then
        say "This takes about $(minutes "$total"); a guess for $JOBS cores, since not run here before: ${new[*]}."
    else
        say "This takes about $(minutes "$total"), as the last time."
    fi
    if [[ "$*" == "${STAGES[*]}" ]]; then
        for name in "${STAGES[@]}"; do
            [[ " ${STAGES_QUICK[*]} " == *" $name "* ]] || left+=("$name")
        done
        say "'./run test --quick' leaves out ${left[*]}, and the slow tests of pytest."
    fi
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

run_stage()
{
    STAGE=$1
    local start=$SECONDS status
    rm -f -- "$LOGS/$STAGE".*
    printf '%s%-8s%s %s ...\n' "$BOLD" "$STAGE" "$PLAIN" "${STAGE_ABOUT[$STAGE]}"
    logged "$LOGS/$STAGE.log" "stage_$STAGE"
    status=$?
    STAGE_SECONDS[$STAGE]=$((SECONDS - start))
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

report_stages()
{
    local name failed=0 summary
    echo
    say "${BOLD}Stages${PLAIN}"
    for name in "$@"; do
        printf '  %-10s %-8s %5d s  %s\n' "$name" "${STAGE_RESULT[$name]}" "${STAGE_SECONDS[$name]}" \
            "${STAGE_ABOUT[$name]}"
        [[ ${STAGE_RESULT[$name]} == failed ]] && failed=1
    done
    report_skips "$@"
    report_second_tries "$@"
    for name in "$@"; do
        summary=$LOGS/$name.ctest
        if [[ -s $summary ]]; then
            printf '\n%sctest, %s%s\n' "$BOLD" "$name" "$PLAIN"
            sed -n '/tests passed,/,$p' "$summary" | sed '/^$/d'
        fi
    done
    for name in pytest frameworks; do
        if [[ -s $LOGS/$name.pytest && -n ${STAGE_RESULT[$name]-} ]]; then
            printf '\n%spytest, %s%s\n' "$BOLD" "$name" "$PLAIN"
            grep -E '^=+ .* in [0-9.]+s' "$LOGS/$name.pytest"
        fi
    done
    return "$failed"
}

report_second_tries()
{
    local name lines=''
    for name in "$@"; do
        [[ -s $LOGS/$name.again ]] && lines+=$(sed 's/^/  /' "$LOGS/$name.again")$'\n'
    done
    if [[ -n $lines ]]; then
        printf '\n%sFailed beside others, passed alone%s\n%s' "$BOLD" "$PLAIN" "$lines"
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
