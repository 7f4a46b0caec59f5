# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# Which Debian packages are needed for what, and how they come here. docs/dependencies.md says more.

# package | a sign that it is there where dpkg does not know it | why
PACKAGES_build='
gcc|cmd:cc|compiles the C code
libc6-dev|hdr:stdio.h|headers of the C library
cmake|cmd:cmake|configures the build
ninja-build|cmd:ninja|runs the build
pkgconf|cmd:pkg-config|finds libraries
glslc|cmd:glslc|compiles the compute shaders to SPIR-V
libvulkan-dev|hdr:vulkan/vulkan_core.h|headers and loader of Vulkan
libxcb1-dev|hdr:xcb/xcb.h|headers for pointer and keys of the Vulkan layer
libopenxr-dev|hdr:openxr/openxr.h|headers for the OpenXR layer
libstb-dev|hdr:stb/stb_truetype.h|reads maps from PNG, draws letters on signs and captions, writes pictures
'
PACKAGES_render='
mesa-vulkan-drivers|icd:|Vulkan on the CPU (lavapipe) and on AMD and Intel GPUs
fonts-dejavu-core|file:/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf|letters on signs and captions
'
PACKAGES_window='
libsdl2-dev|pc:sdl2|opens the window of the demo
'
PACKAGES_tests='
libcmocka-dev|pc:cmocka|runs the unit tests
libxcb-xtest0-dev|pc:xcb-xtest|moves the pointer and presses keys in tests of the Vulkan layer
libegl1|file:/usr/lib/x86_64-linux-gnu/libEGL.so.1|OpenGL without a window, in tests of its textures
libgl1-mesa-dri|file:/usr/lib/x86_64-linux-gnu/dri/swrast_dri.so|OpenGL on the CPU, for these
'
PACKAGES_gpu='
vulkan-validationlayers|layer:|tells when Vulkan is used wrongly
binutils|cmd:strip|makes the programs of the bundle small
python3|cmd:python3|reads the list of tests
'
PACKAGES_python='
python3|cmd:python3|runs the Python tests
python3-venv|venv:|runs the Python tests in an environment of their own
'
# Instead of the environment, where the package index of Python cannot be reached.
PACKAGES_python_debian='
python3-pytest|py:pytest|runs the Python tests
python3-pytest-xdist|py:xdist|runs them beside each other
python3-hypothesis|py:hypothesis|makes up cases
python3-numpy|py:numpy|compares pictures
python3-pil|py:PIL|reads pictures
python3-jsonschema|py:jsonschema|checks the schema of the configuration
'
PACKAGES_frameworks='
libegl1|file:/usr/lib/x86_64-linux-gnu/libEGL.so.1|MuJoCo draws with it, without a window
libgl1|file:/usr/lib/x86_64-linux-gnu/libGL.so.1|likewise
libgl1-mesa-dri|file:/usr/lib/x86_64-linux-gnu/dri/swrast_dri.so|OpenGL on the CPU, for MuJoCo
'
PACKAGES_format='
clang-format|cmd:clang-format|checks the layout of the sources
'
PACKAGES_check='
g++|cmd:c++|compiles the public headers as C++, and CUDA kernels for the host
clang|cmd:clang|second compiler; sanitizers
lld|cmd:ld.lld|links programs with a sanitizer in half of the time
libclang-rt-dev|clang-rt:|run-time library of the sanitizers and of the fuzzer
llvm|cmd:llvm-symbolizer|names the functions in a sanitizer report
clang-tidy|cmd:clang-tidy|looks for defects without running the code
binutils|cmd:nm|lists what the library exports
shellcheck|cmd:shellcheck|looks for defects in the scripts
vulkan-validationlayers|layer:|tells when Vulkan is used wrongly
vulkan-tools|cmd:vulkaninfo|programs that are foveated in the tests
libopenxr-utils|cmd:hello_xr|a program for headsets that is foveated in the tests
openxr-layer-corevalidation|file:/usr/share/openxr/1/api_layers/explicit.d/XrApiLayer_core_validation.x86_64-linux-gnu.json|tells when OpenXR is used wrongly
xvfb|cmd:Xvfb|a display for the window tests
xauth|cmd:xauth|a display for the window tests
xdotool|cmd:xdotool|presses keys in the window tests
openbox|cmd:openbox|a window manager, which windows that fill the screen need
locales|file:/usr/share/i18n/locales/de_DE|a language with decimal commas, for a test of number parsing
x11-apps|cmd:xwd|takes pictures of the window in the tests
mpv|cmd:mpv|a program that is foveated in the tests
mesa-utils|cmd:glxgears|a program of OpenGL that is foveated in the tests
glmark2-x11|cmd:glmark2|another one
libcjson1|file:/usr/lib/x86_64-linux-gnu/libcjson.so.1|a library that programs bring along, which must not be taken
mangohud|file:/usr/share/vulkan/implicit_layer.d/MangoHud.json|a layer beside the one that is tested
vkbasalt|file:/usr/share/vulkan/implicit_layer.d/vkBasalt.json|another one
ffmpeg|cmd:ffmpeg|checks the video of the demo
mono-mcs|cmd:mcs|compiles the scripts of the Unity package
'
# Renderers of others that docs/examples foveates through the public header; the build leaves out what is not here.
PACKAGES_engines='
libplacebo-dev|pc:libplacebo|a renderer of pictures and videos
qt6-declarative-dev|pc:Qt6Quick|a renderer of interfaces and scenes
qml6-module-qtquick|file:/usr/lib/x86_64-linux-gnu/qt6/qml/QtQuick/qmldir|what its scene is made of
qml6-module-qtqml|file:/usr/lib/x86_64-linux-gnu/qt6/qml/QtQml/qmldir|likewise
qml6-module-qtqml-workerscript|file:/usr/lib/x86_64-linux-gnu/qt6/qml/QtQml/WorkerScript/qmldir|likewise
qml6-module-quick3d|file:/usr/lib/x86_64-linux-gnu/qt6/qml/QtQuick3D/qmldir|the models in it
'

declare -A PACKAGE_SIGN PACKAGE_WHY

group_packages()
{
    local variable=PACKAGES_$1 name sign why
    while IFS='|' read -r name sign why; do
        if [[ -n $name ]]; then
            PACKAGE_SIGN[$name]=$sign
            PACKAGE_WHY[$name]=$why
            printf '%s\n' "$name"
        fi
    done <<<"${!variable}"
}

# First file that matches the patterns, or nothing.
first_file()
{
    compgen -G "$1" | head -n 1
}

# A driver that the loader of Vulkan would find. The variables name files or folders with colons between them, and a
# name of nothing is no driver.
vulkan_driver_is_there()
{
    local named=${VK_DRIVER_FILES:-${VK_ICD_FILENAMES-}} file
    [[ -n $named ]] || named='/usr/share/vulkan/icd.d/*.json'
    for file in ${named//:/ }; do
        [[ -e $file ]] && return 0
    done
    return 1
}

sign_is_there()
{
    local sign=$1
    case $sign in
    cmd:cc) have "${CC:-cc}" || have gcc || have clang ;;
    cmd:*) have "${sign#cmd:}" ;;
    hdr:*) [[ -e /usr/include/${sign#hdr:} || -e /usr/local/include/${sign#hdr:} ]] ;;
    pc:*) have pkg-config && pkg-config --exists "${sign#pc:}" ;;
    file:*) [[ -e ${sign#file:} ]] ;;
    icd:) vulkan_driver_is_there ;;
    layer:) [[ -e /usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json ]] ;;
    py:*) /usr/bin/env python3 -c "import ${sign#py:}" 2>/dev/null ;;
    venv:) [[ -n $(venv_maker) ]] ;;
    clang-rt:) [[ -n $(first_file '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a') ]] ;;
    *) false ;;
    esac
}

package_is_there()
{
    if have dpkg-query &&
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; then
        return 0
    fi
    sign_is_there "${PACKAGE_SIGN[$1]}"
}

# missing_packages GROUP...: in MISSING.
missing_packages()
{
    local group name
    MISSING=()
    for group in "$@"; do
        # In this shell, so that the reasons stay known.
        group_packages "$group" >/dev/null
        while read -r name; do
            package_is_there "$name" || MISSING+=("$name")
        done < <(group_packages "$group")
    done
}

list_missing()
{
    local name
    for name in "${MISSING[@]}"; do
        printf '  %-26s %s\n' "$name" "${PACKAGE_WHY[$name]}"
    done
}

as_root()
{
    if [[ $(id -u) == 0 ]]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        return 1
    fi
}

install_missing()
{
    if [[ $(id -u) != 0 ]] && ! have sudo; then
        list_missing >&2
        fail "these packages are missing and there is no sudo; as root: apt-get install ${MISSING[*]}"
    fi
    say "Installing from Debian's packages:"
    list_missing
    mkdir -p -- "$LOGS"
    : >"$LOGS/packages.log"
    if ! apt_update; then
        warn "the list of packages could not be renewed; trying with the one that is here"
    fi
    if ! apt install --no-install-recommends "${MISSING[@]}" </dev/null; then
        tail -n 15 -- "$LOGS/packages.log" >&2
        fail "apt-get could not install them; see $(relative "$LOGS/packages.log")"
    fi
}

# Waits for another apt that is at work.
apt()
{
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=900 "$@" \
        >>"$LOGS/packages.log" 2>&1
}

# apt-get has no time to wait for the lock of the lists.
apt_update()
{
    local tries=90
    until apt update; do
        tail -n 3 -- "$LOGS/packages.log" | grep -q 'lists/lock' || return 1
        ((tries-- > 0)) || return 1
        sleep 10
    done
}

# need_packages GROUP...: they are there afterwards, or ./run has stopped.
need_packages()
{
    missing_packages "$@"
    ((${#MISSING[@]})) || return 0
    if ((INSTALL)) && have apt-get && have dpkg-query; then
        mark_build_root
        install_missing
        return
    fi
    say "Missing here (Debian's names):" >&2
    list_missing >&2
    ((INSTALL)) && fail "this is no Debian system: install the like of these and come again"
    fail "nothing is installed because of --no-install; on Debian: apt-get install ${MISSING[*]}"
}

# ---- Python ---------------------------------------------------------------------------------------

# A python3 that can make an environment with pip in it. Debian's own first.
venv_maker()
{
    local python
    for python in /usr/bin/python3 python3; do
        if have "$python" && "$python" -c 'import venv, ensurepip' 2>/dev/null; then
            printf '%s' "$python"
            return
        fi
    done
}

# Sets PYTHON to one that has what tests/requirements.txt lists; nothing is fetched if it is there.
# Status 1: there is none, and no way to get one.
need_python()
{
    local requirements=$ROOT/tests/requirements.txt
    venv_is_there "$ROOT/.venv" "$requirements" && return 0
    for PYTHON in /usr/bin/python3 $( ((INSTALL)) || echo python3); do
        "$PYTHON" -c 'import pytest, xdist, hypothesis, numpy, PIL, jsonschema, gymnasium' 2>/dev/null && return 0
    done
    if ((!INSTALL)); then
        warn "Python packages are missing (tests/requirements.txt) and --no-install forbids to get them"
        return 1
    fi
    need_venv "$ROOT/.venv" "$requirements" --no-deps && return 0
    warn "pip could not get them ($(relative "$LOGS/venv.log")); Debian's own instead"
    PYTHON=/usr/bin/python3
    (need_packages python_debian)
}

# The same for the libraries that the Python package works with: 6 GB, which Debian does not have.
need_frameworks()
{
    local venv=$ROOT/.venv-frameworks requirements=$ROOT/python/tests/requirements-frameworks.txt
    venv_is_there "$venv" "$requirements" && return 0
    if ((!INSTALL)); then
        warn "PyTorch and others are missing (python/tests/requirements-frameworks.txt) and --no-install forbids to get them"
        return 1
    fi
    need_venv "$venv" "$requirements" --no-deps && return 0
    warn "pip could not get PyTorch and others ($(relative "$LOGS/venv-frameworks.log"))"
    return 1
}

# Sets PYTHON to that of an environment, if it was made of these requirements.
venv_is_there()
{
    PYTHON=$1/bin/python
    [[ -x $PYTHON && $(cat "$1/requirements.sha256" 2>/dev/null) == $(sha256sum <"$2") ]]
}

# need_venv FOLDER REQUIREMENTS [flags of pip]: makes the environment and sets PYTHON to its own.
need_venv()
{
    local venv=$1 name
    name=$(basename "$venv")
    need_packages python
    (step "Python environment $name" "$LOGS/${name#.}.log" make_venv "$@") 2>"$LOGS/${name#.}.why" || return 1
    sha256sum <"$2" >"$venv/requirements.sha256"
    PYTHON=$venv/bin/python
}

# make_venv FOLDER [REQUIREMENTS [flags of pip]]
make_venv()
{
    local maker venv=$1 requirements=${2-$ROOT/tests/requirements.txt}
    maker=$(venv_maker)
    "$maker" -m venv --clear "$venv" &&
        "$venv/bin/python" -m pip install --disable-pip-version-check --no-input "${@:3}" -r "$requirements"
}
