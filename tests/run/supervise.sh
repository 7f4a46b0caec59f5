# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# Who ends ./run ends what it has started. bash looks at a signal only when the command in the foreground has
# ended, and dies of one without telling its children; so a command is run in the background, in the same
# process group, and waited for. Its processes are found by their parents, because ninja gives its own groups.

SUPERVISE_GRACE_TENTHS=30

# The processes below $1, one a line, without the shell that looks.
descendants()
{
    local -A children=()
    local stat line parent pid
    for stat in /proc/[0-9]*/stat; do
        { read -r line <"$stat"; } 2>/dev/null || continue
        pid=${line%% *}
        read -r _ parent _ <<<"${line##*) }"
        children[$parent]+=" $pid"
    done
    local below=("$1") next=0
    while ((next < ${#below[@]})); do
        # shellcheck disable=SC2206
        below+=(${children[${below[next]}]-})
        next=$((next + 1))
    done
    for pid in "${below[@]:1}"; do
        [[ $pid == "$BASHPID" ]] || printf '%s\n' "$pid"
    done
}

# A zombie is nobody's but its parent's.
is_running()
{
    local line
    { read -r line <"/proc/$1/stat"; } 2>/dev/null && [[ ${line##*) } != Z* ]]
}

# When a process began, in ticks: a number that is given again is another process.
began()
{
    local line fields
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
    read -ra fields <<<"${line##*) }"
    echo "${fields[19]}"
}

# Asks all of them to end; who does not within a while is made to.
end_processes()
{
    local pid left tenths
    local -A began_at=()
    for pid in "$@"; do
        began_at[$pid]=$(began "$pid")
    done
    kill -TERM "$@" 2>/dev/null
    for ((tenths = 0; tenths < SUPERVISE_GRACE_TENTHS; tenths++)); do
        left=0
        for pid in "$@"; do
            is_running "$pid" && left=1
        done
        ((left)) || return 0
        sleep 0.1
    done
    for pid in "$@"; do
        [[ -n ${began_at[$pid]} && $(began "$pid") == "${began_at[$pid]}" ]] && kill -KILL "$pid" 2>/dev/null
    done
}

# Dies of the signal itself, so that whoever waits for ./run can tell.
end_by()
{
    local started
    trap '' INT TERM HUP
    mapfile -t started < <(descendants $$)
    ((${#started[@]})) && end_processes "${started[@]}"
    trap - "$1"
    kill -s "$1" $$
}

# supervise FUNCTION...: runs it; its status.
supervise()
{
    local name
    for name in INT TERM HUP; do
        # shellcheck disable=SC2064
        trap "end_by $name" "$name"
    done
    (
        trap - INT QUIT TERM HUP # bash has what runs in the background ignore Ctrl-C
        "$@"
    ) <&0 &
    wait $!
}
