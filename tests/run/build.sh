# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# Configuring and building: every variant in a folder of its own below BUILD_ROOT.

BUILD_MARK=.made-by-fovea-run
CLANG_FORMAT_VERSION=14
JOBS=${FOVEA_JOBS:-$(nproc)}
REAL_CUDA_ROOTS=(/usr/local/cuda "${CUDA_HOME-}" "${CUDA_PATH-}")

# The toolkit may be installed but not on PATH.
for cuda_root in "${REAL_CUDA_ROOTS[@]}"; do
    if [[ -n $cuda_root && -x $cuda_root/bin/nvcc ]] && ! have nvcc; then
        PATH=$PATH:$cuda_root/bin
    fi
done

# ./run clean removes only folders that carry this mark.
mark_build_root()
{
    if [[ ! -e $BUILD_ROOT ]]; then
        mkdir -p -- "$BUILD_ROOT" || fail "cannot make $BUILD_ROOT"
        : >"$BUILD_ROOT/$BUILD_MARK"
    fi
    mkdir -p -- "$LOGS" || fail "cannot make $LOGS"
}

# configure NAME [cmake arguments]: the later of two equal settings counts.
configure()
{
    local name=$1
    shift
    local launcher=()
    have ccache && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
    cmake -S "$ROOT" -B "$BUILD_ROOT/$name" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        "-DFOVEA_CUDA=$CUDA" ${launcher[@]+"${launcher[@]}"} "$@"
}

build()
{
    local name=$1
    shift
    cmake --build "$BUILD_ROOT/$name" -j "$JOBS" ${1+--target "$@"}
}

# Shows once what a configuration says to the person who builds: "-- Fovea: ...".
show_notices()
{
    sed -n 's/^-- \(Fovea: .*\)/\1/p' "$1"
}

# The build that people use.
configure_and_build()
{
    local name=$1
    shift
    mark_build_root
    step "Configuring" "$LOGS/$name-configure.log" configure "$name" "$@"
    show_notices "$LOGS/$name-configure.log"
    step "Building" "$LOGS/$name-build.log" build "$name"
}

# Our sources of the kinds given as patterns, one a line, relative to the root.
our_sources()
{
    cd "$ROOT" || return
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while read -r file; do
            [[ -e $file ]] && printf '%s\n' "$file"
        done
    else
        local pattern
        for pattern in "$@"; do
            find . -path './build*' -prune -o -path ./.venv -prune -o -name "$pattern" -type f -printf '%P\n'
        done
    fi
}

clang_format()
{
    local name
    for name in "clang-format-$CLANG_FORMAT_VERSION" clang-format; do
        if have "$name" && [[ $("$name" --version) == *"version $CLANG_FORMAT_VERSION."* ]]; then
            echo "$name"
            return
        fi
    done
}

format_sources()
{
    local tool
    tool=$(clang_format)
    [[ -n $tool ]] || fail "clang-format $CLANG_FORMAT_VERSION is needed: others lay out differently"
    our_sources '*.c' '*.h' '*.cu' '*.cuh' | (cd "$ROOT" && xargs -r -d '\n' -n 64 -P "$JOBS" "$tool" "$@")
}
