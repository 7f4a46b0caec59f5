# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# ./run speaks by these: colours on a terminal, plain lines in a pipe, logs in files.

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

# The first word from a step in a log: after so long, after twice that, and so on.
PROGRESS_SECONDS=${FOVEA_PROGRESS_SECONDS:-15}
# This ends the line of a step's title, behind which the cursor may be.
PROGRESS_LEAD=''

# Standard input goes to the file $1. How much of a build ("[12/80] ...") or of its tests is done is said in
# the meantime, and for how long it has been going on: on a terminal in one line, each second.
log_with_progress()
{
    local line begun='' said='' count='' start=$SECONDS due=$PROGRESS_SECONDS
    while true; do
        if IFS= read -r -t 1 line; then
            line=$begun$line begun=''
            printf '%s\n' "$line" >&3
            if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] || $line =~ ^\ *([0-9]+)/([0-9]+)\ Test ]]; then
                count="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} done, "
            fi
        elif (($? > 128)); then
            begun+=$line # of a line that is not yet whole
        else
            break
        fi
        say_progress
    done 3>>"$1"
    printf '%s' "$begun$line" >>"$1"
    printf '%s' "$ERASE"
}

# log_with_progress calls it; it uses its variables.
say_progress()
{
    local seconds=$((SECONDS - start))
    if [[ -n $ERASE && $count$seconds != "$said" ]]; then
        printf '%s    %s%d s' "$ERASE" "$count" "$seconds"
        said=$count$seconds
    elif [[ -z $ERASE ]] && ((seconds >= due)); then
        printf '%s    %s%d s\n' "$PROGRESS_LEAD" "$count" "$seconds"
        PROGRESS_LEAD=''
        due=$((2 * due))
    fi
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

# Shows why a build failed, or else the end of a log.
show_end_of()
{
    if grep -q '^FAILED: ' -- "$1"; then
        sed -n '/^FAILED: /,$p' -- "$1" | head -n 60
    else
        tail -n 40 -- "$1"
    fi
}

# step "what is done" LOG FUNCTION...: says so, does it; shows the log's end and stops on failure.
step()
{
    local title=$1 log=$2 start=$SECONDS PROGRESS_LEAD=$'\n'
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
    show_end_of "$log" >&2
    echo >&2
    fail "$title: failed; the whole story is in $(relative "$log")"
}
