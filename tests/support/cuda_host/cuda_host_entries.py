# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors

"""From a preprocessed kernel file, on standard input: what makes its kernels known by name (cuda_host_entries.h)."""

import re
import sys

source = sys.stdin.read()
shared = re.findall(r"extern\s+thread_local\s[^;]*?\bchar\s+(\w+)\s*\[\s*\]\s*;", source)
kernels = re.findall(
    r'extern\s+"C"\s+__attribute__\s*\(\(visibility\("default"\),\s*used\)\)\s*void\s+(\w+)\s*\(', source
)
if not kernels or len(shared) > 1:
    sys.exit("no kernels, or several arrays of dynamic shared memory")
for array in shared:
    before = source[: source.index(f" {array}[")]
    print(f"CUDA_HOST_SHARED({array})" if before.count("{") > before.count("}") else f"CUDA_HOST_SHARED_BY_ALL({array})")
print("CUDA_HOST_SHARED_IS(" + (shared[0] if shared else "NULL") + ")")
for kernel in kernels:
    print(f"CUDA_HOST_KERNEL({kernel})")
