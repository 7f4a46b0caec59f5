# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The package is tested as it lies here, against the library that FOVEA_LIB names or that the build folder holds."""

import os
import pathlib
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent

if "FOVEA_LIB" not in os.environ:
    build = pathlib.Path(os.environ.get("FOVEA_BUILD_DIR", ROOT / "build"))
    os.environ["FOVEA_LIB"] = str(build / "plugin" / "libfovea.so")
sys.path.insert(0, str(PACKAGE))
