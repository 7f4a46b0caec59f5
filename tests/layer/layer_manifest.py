# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""The manifest that is installed beside Fovea's layer for Vulkan, as it is for a library that lies elsewhere."""

from pathlib import Path

FILE = "VkLayer_FOVEA_foveation.json"
SOURCE = Path(__file__).resolve().parents[2] / "plugin" / "layer" / f"{FILE}.in"


def manifest(library, version=1):
    text = SOURCE.read_text()
    return text.replace("@FOVEA_LAYER_LIBRARY@", str(library)).replace("@FOVEA_LAYER_VERSION@", str(version))
