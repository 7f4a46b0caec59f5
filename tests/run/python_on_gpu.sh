#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
#
# One of ./run gpu-test's tests: those of the Python package, with the python3 of this machine. FOVEA_LIB names the library.
# Where a bundle has pytest in python/, that is taken if the machine has none. Status 77 and a line "skip: WHY": it
# cannot be done here. What is under way on the GPU is compared with the CPU; compilers and wheels are left out.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# JAX takes most of the GPU's memory else, beside other tests.
export PYTHONDONTWRITEBYTECODE=1 XLA_PYTHON_CLIENT_PREALLOCATE=false

skip()
{
    echo "skip: $*"
    exit 77
}

# Prints those of the modules that are not there.
lacking()
{
    python3 -c 'import importlib.util, sys
print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name) is None))' "$@"
}

command -v python3 >/dev/null || skip "no python3"
if [[ -n $(lacking pytest hypothesis) && -d python ]]; then
    export PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH}
fi
missing=$(lacking numpy torch pytest hypothesis)
[[ -z $missing ]] || skip "this machine's Python has no ${missing// /, }"
if [[ -n ${FOVEA_REQUIRE_GPU-} ]] && ! python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
    echo "this machine's torch sees no GPU"
    exit 1
fi

log=$(mktemp)
trap 'rm -f -- "$log"' EXIT
python3 -m pytest -c "$root/tests/pytest.ini" -p no:cacheprovider -v -rfEs -m 'not slow' "$root/python/tests" \
    --ignore="$root/python/tests/test_library.py" --ignore="$root/python/tests/test_wheel.py" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
sed -n 's/^.*::test_\([a-z0-9_]*\).* PASSED .*/[       OK ] \1/p' "$log" | sort -u
versions=$(python3 - <<'PYTHON'
import importlib.metadata, platform
found = [f"Python {platform.python_version()}"]
for name in ("numpy", "torch", "cupy-cuda12x", "cupy-cuda13x", "jax", "gymnasium", "ray"):
    try:
        found.append(f"{name} {importlib.metadata.version(name)}")
    except importlib.metadata.PackageNotFoundError:
        pass
print(", ".join(found))
PYTHON
)
echo "report: Python package: $(sed -n 's/^=* \(.*\) in [0-9.]*s.*/\1/p' "$log" | tail -n 1); $versions"
sed -n 's/^\(FAILED\|ERROR\) /report: Python package, &/p' "$log"
sed -n 's/^SKIPPED \[\([0-9]*\)\] [^ ]* /report: Python package, \1 skipped: /p' "$log"
if [[ -n ${FOVEA_REQUIRE_GPU-} ]] && ! grep -q 'test_cuda.py::.* PASSED' "$log"; then
    echo "not a single test of test_cuda.py has passed"
    exit 1
fi
exit "$status"
