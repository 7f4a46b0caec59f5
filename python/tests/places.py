# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Where the package and the sources lie. It is not in conftest.py: the module of that name may be that of ../../tests."""

import pathlib

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent
