# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# What ./run says and how: colours on a terminal, plain lines in a pipe, logs in files.

BOLD='' PLAIN='' RED='' GREEN='' YELLOW='' ERASE=''
if [[ -t 1 && -z ${NO_COLOR-} && ${TERM-dumb} != dumb ]]; then
    BOLD=$'\e[1m' PLAIN=$'\e[0m' RED=$'\e[31m' GREEN=$'\e[32m' YELLOW=$'\e[33m' ERASE=$'\r\e[K'
fi

say()
{
    printf '%s\n' "$*"
}

warn()
{
    printf '%srun: %s%s\n' "$YELLOW" "$*" "$PLAIN" >&2
}

fail()
{
    printf '%srun: %s%s\n' "$RED" "$*" "$PLAIN" >&2
    exit 1
}

wrong_usage()
{
    printf "run: %s; './run' alone says what there is\n" "$*" >&2
    exit 2
}

no_more_arguments()
{
    local command=$1
    shift
    (($# == 0)) || wrong_usage "'$command' does not understand '$1'"
}

have()
{
    command -v "$1" >/dev/null 2>&1
}

relative()
{
    realpath --relative-base="$PWD" -- "$1" 2>/dev/null || printf '%s' "$1"
}

# Standard input goes to the file $1; on a terminal the newest step of a build ("[12/80]") is shown.
log_with_progress()
{
    local line
    if [[ -z $ERASE ]]; then
        cat >>"$1"
        return
    fi
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$1"
        if [[ $line =~ ^\[[0-9]+/[0-9]+\] || $line =~ ^\ *[0-9]+/[0-9]+\ Test ]]; then
            printf '%s    %.70s' "$ERASE" "$line"
        fi
    done
    printf '%s' "$ERASE"
}

# logged LOG FUNCTION...: runs it with errexit in a subshell, output in LOG; its status. Must not be
# called in a condition ("if logged", "logged || ..."): bash then ignores errexit all the way down.
logged()
{
    local log=$1
    shift
    mkdir -p -- "$(dirname -- "$log")"
    : >"$log"
    (
        set -e
        "$@"
    ) 2>&1 </dev/null | log_with_progress "$log"
    return "${PIPESTATUS[0]}"
}

# step "what is done" LOG FUNCTION...: says so, does it; shows the log's end and stops on failure.
step()
{
    local title=$1 log=$2 start=$SECONDS
    shift 2
    printf '%s ... ' "$title"
    [[ -n $ERASE ]] && printf '\n'
    logged "$log" "$@"
    local status=$?
    if ((status == 0)); then
        printf '%sok%s (%d s)\n' "$GREEN" "$PLAIN" $((SECONDS - start))
        return
    fi
    printf '%sfailed%s (%d s)\n\n' "$RED" "$PLAIN" $((SECONDS - start))
    tail -n 40 -- "$log" >&2
    echo >&2
    fail "$title: failed; the whole story is in $(relative "$log")"
}
